//! Ranges of values and their ticks.

use super::number::power;
use serde::Serialize;

/// A range of values with ticks.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Axis {
    pub(crate) low: f64,
    pub(crate) high: f64,
    #[serde(flatten)]
    pub(crate) ticks: Ticks,
}

/// Numbers written at an axis.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Ticks {
    pub(crate) ticks: Vec<Tick>,
    /// The unit of the labels: empty, or a power of ten such as `×10⁻¹⁶`.
    pub(crate) unit: String,
}

/// A number at an axis.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Tick {
    pub(crate) at: f64,
    pub(crate) label: String,
}

/// Ticks of an axis, about.
const TICKS: f64 = 5.0;
/// Margin beyond the smallest and largest value, relative to the range.
const MARGIN: f64 = 0.06;
/// Magnitudes outside these are no values for a picture: ranges would overflow, or vanish.
const MAGNITUDES: std::ops::Range<f64> = 1e-280..1e280;

impl Axis {
    /// Holds the finite values of all `columns` with a margin.
    pub(crate) fn of<'a>(columns: impl IntoIterator<Item = &'a [f64]>) -> Axis {
        let (low, high) = extent(columns.into_iter().flatten().copied());
        let margin = MARGIN * (high - low);
        Axis::between(low - margin, high + margin)
    }

    /// From the smallest to the largest finite value.
    pub(crate) fn exact(values: &[f64]) -> Axis {
        let (low, high) = extent(values.iter().copied());
        Axis::between(low, high)
    }

    fn between(low: f64, high: f64) -> Axis {
        Axis { low, high, ticks: ticks(low, high, high - low) }
    }

    /// The ends.
    pub(crate) fn range(&self) -> (f64, f64) {
        (self.low, self.high)
    }
}

/// A range that holds the finite values: around a constant, and around no value, it is one as well.
fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let Some((low, high)) = bounds(values) else {
        return (0.0, 1.0);
    };
    if varies([low, high], high - low) {
        return (low, high);
    }
    let largest = low.abs().max(high.abs());
    let around = if largest > MAGNITUDES.start { 0.1 * largest } else { 1.0 };
    (low - around, high + around)
}

/// The smallest and the largest of the finite values.
pub(super) fn bounds(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let shown = values.filter(|x| x.abs() < MAGNITUDES.end);
    shown.fold(None, |range, x| {
        let (low, high): (f64, f64) = range.unwrap_or((x, x));
        Some((low.min(x), high.max(x)))
    })
}

/// Whether a `difference` of `values` is more than their roundings.
pub(super) fn varies(values: impl IntoIterator<Item = f64>, difference: f64) -> bool {
    let largest = values.into_iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    difference > (1e-12 * largest).max(MAGNITUDES.start)
}

/// Ticks from `low` to `high` for a picture of the size `length`: about five of them in it, at multiples of 1, 2 or 5 times
/// a power of ten.
pub(crate) fn ticks(low: f64, high: f64, length: f64) -> Ticks {
    let about = length / TICKS;
    let decade = about.log10().floor() as i32;
    let mantissa = about / 10f64.powi(decade);
    // The largest of these below: not fewer ticks than asked for.
    let (factor, decade) = match mantissa {
        m if m < 1.5 => (1.0, decade),
        m if m < 3.5 => (2.0, decade),
        m if m < 7.5 => (5.0, decade),
        _ => (1.0, decade + 1),
    };
    let step = factor * 10f64.powi(decade);
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    let largest = low.abs().max(high.abs());
    let exponent = if (1e-3..1e5).contains(&largest) { 0 } else { largest.log10().floor() as i32 };
    let digits = (exponent - decade).clamp(0, 12) as usize;
    let count = (last - first).clamp(-1.0, 1e3) as i32 + 1;
    let ticks = (0..count)
        .map(|i| {
            let multiple = first + f64::from(i);
            let number = multiple * factor * 10f64.powi(decade - exponent);
            // Zero has no sign.
            let label = if multiple == 0.0 { "0".to_owned() } else { format!("{number:.digits$}") };
            Tick { at: multiple * step, label: label.replace('-', "−") }
        })
        .collect();
    let unit = if exponent == 0 { String::new() } else { format!("×{}", power(exponent)) };
    Ticks { ticks, unit }
}

/// Decades with ticks, at most.
const DECADES: i32 = 8;
/// Powers of ten below this one are drawn as this one: they are roundings.
const LOWEST: f64 = -17.0;

/// The range of a logarithmic axis, whose values are powers of ten, and its ticks at whole ones.
pub(crate) fn decades(powers: &[f64]) -> ((f64, f64), Ticks) {
    let (low, high) = bounds(powers.iter().copied()).unwrap_or((-1.0, 0.0));
    let low = low.max(LOWEST).floor();
    let high = high.ceil().max(low + 1.0);
    let (first, last) = (low as i32, high as i32);
    let step = (last - first + DECADES - 1) / DECADES;
    let tick = |exponent: i32| Tick { at: f64::from(exponent), label: power(exponent) };
    let ticks = (first..=last).filter(|exponent| exponent % step == 0).map(tick).collect();
    ((low, high), Ticks { ticks, unit: String::new() })
}

/// Ranges around the given ones in which a unit is equally long on both axes of a picture `width` wide and `height` high.
pub(crate) fn equal(x: (f64, f64), y: (f64, f64), width: f64, height: f64) -> [(f64, f64); 2] {
    let unit = ((x.1 - x.0) / width).max((y.1 - y.0) / height);
    let around = |(low, high): (f64, f64), length: f64| {
        let centre = low / 2.0 + high / 2.0;
        (centre - unit * length / 2.0, centre + unit * length / 2.0)
    };
    [around(x, width), around(y, height)]
}
