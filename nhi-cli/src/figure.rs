//! Figures as SVG: panels side by side, one legend for all.

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;
use std::io;
use std::ops::Range;

/// The reason for a missing figure.
pub(crate) type Undrawn = DrawingAreaErrorKind<io::Error>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// A line.
pub(crate) struct Curve {
    /// Its name in the legend.
    pub(crate) name: String,
    pub(crate) colour: RGBColor,
    /// In pixels.
    pub(crate) width: u32,
    pub(crate) points: Vec<(f64, f64)>,
}

/// The scales of a panel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scale {
    /// Both axes fill the panel.
    Fill,
    /// A unit is equally long on both axes.
    Equal,
    /// The vertical axis is logarithmic.
    Logarithmic,
    /// Both axes are logarithmic.
    DoublyLogarithmic,
}

/// A set of axes with curves.
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) x: String,
    pub(crate) y: String,
    pub(crate) scale: Scale,
    pub(crate) curves: Vec<Curve>,
}

/// Okabe and Ito's palette, which is safe for colour-blind readers.
pub(crate) const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
    RGBColor(213, 94, 0),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

const FONT: &str = "sans-serif";
const PANEL: (u32, u32) = (560, 440);
const LEGEND: u32 = 34;
/// Width of a letter in the legend, height of its rows, and where they begin.
const LETTER: i32 = 8;
const ROW: u32 = 20;
const INDENT: i32 = 60;
const MARGIN: u32 = 12;
const CAPTION: u32 = 24;
const X_LABELS: u32 = 44;
const Y_LABELS: u32 = 62;
/// Values below this are drawn as this on logarithmic axes.
const SMALLEST: f64 = 1e-17;

/// The panels as SVG.
pub(crate) fn draw(panels: &[Panel]) -> Result<String, Undrawn> {
    let mut svg = String::new();
    {
        let width = PANEL.0 * panels.len() as u32;
        let named = legend(panels, width as i32);
        let rows = named.iter().map(|(_, (_, row))| row + 1).max().unwrap_or(1);
        let size = (width, PANEL.1 + LEGEND + ROW * (rows - 1));
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        root.fill(&WHITE)?;
        let (top, bottom) = root.split_vertically(PANEL.1);
        for (area, panel) in top.split_evenly((1, panels.len())).iter().zip(panels) {
            match panel.scale {
                Scale::Logarithmic => {
                    let (x, y) = panel.ranges();
                    let y = decades(y);
                    let low = y.start;
                    axes(area, panel, x, y.log_scale(), |y| y.max(low))?;
                }
                Scale::DoublyLogarithmic => {
                    let (x, y) = panel.ranges();
                    let y = decades(y);
                    let low = y.start;
                    axes(area, panel, decades(x).log_scale(), y.log_scale(), |y| y.max(low))?;
                }
                Scale::Fill => {
                    let (x, y) = panel.ranges();
                    axes(area, panel, widened(x, 0.02), widened(y, 0.06), |y| y)?;
                }
                Scale::Equal => {
                    let (x, y) = equal(panel.ranges());
                    axes(area, panel, x, y, |y| y)?;
                }
            }
        }
        for (curve, (x, row)) in named {
            let y = 12 + (ROW * row) as i32;
            let stroke = curve.colour.stroke_width(curve.width.max(2));
            bottom.draw(&PathElement::new(vec![(x, y), (x + 26, y)], stroke))?;
            bottom.draw(&Text::new(curve.name.clone(), (x + 32, y - 7), (FONT, 14)))?;
        }
        root.present()?;
    }
    Ok(svg)
}

/// Axes and curves of `panel`.
fn axes<X, Y>(area: &Area<'_>, panel: &Panel, x: X, y: Y, clamp: impl Fn(f64) -> f64) -> Result<(), Undrawn>
where
    X: AsRangedCoord<Value = f64>,
    X::CoordDescType: ValueFormatter<f64>,
    Y: AsRangedCoord<Value = f64>,
    Y::CoordDescType: ValueFormatter<f64>,
{
    let mut chart = ChartBuilder::on(area)
        .caption(&panel.title, (FONT, 17))
        .margin(MARGIN)
        .margin_right(2 * MARGIN)
        .x_label_area_size(X_LABELS)
        .y_label_area_size(Y_LABELS)
        .build_cartesian_2d(x, y)?;
    let (x_ticks, y_ticks) = panel.ranges();
    let (x_ticks, y_ticks) = (Ticks::new(x_ticks), Ticks::new(y_ticks));
    let doubly = panel.scale == Scale::DoublyLogarithmic;
    let logarithmic = doubly || panel.scale == Scale::Logarithmic;
    chart
        .configure_mesh()
        .x_desc(&panel.x)
        .y_desc(&panel.y)
        .axis_desc_style((FONT, 15))
        .label_style((FONT, 13))
        .x_labels(7)
        .y_labels(8)
        .x_label_formatter(&|x| if doubly { power(*x) } else { x_ticks.label(*x) })
        .y_label_formatter(&|y| if logarithmic { power(*y) } else { y_ticks.label(*y) })
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(225, 225, 225))
        .axis_style(RGBColor(120, 120, 120))
        .draw()?;
    // The first curve is drawn last, on top.
    for curve in panel.curves.iter().rev() {
        let vanishes = |y: f64| logarithmic && y == 0.0;
        let points = curve.points.iter().filter(|point| !vanishes(point.1)).map(|&(x, y)| (x, clamp(y)));
        chart.draw_series(LineSeries::new(points, curve.colour.stroke_width(curve.width)))?;
    }
    Ok(())
}

/// The named curves, each name once, with their places x and row in a legend of the given width.
fn legend(panels: &[Panel], width: i32) -> Vec<(&Curve, (i32, u32))> {
    let mut named: Vec<(&Curve, (i32, u32))> = Vec::new();
    let (mut x, mut row) = (INDENT, 0);
    for curve in panels.iter().flat_map(|panel| &panel.curves) {
        if curve.name.is_empty() || named.iter().any(|(known, _)| known.name == curve.name) {
            continue;
        }
        let length = 60 + LETTER * curve.name.chars().count() as i32;
        if x > INDENT && x + length > width {
            (x, row) = (INDENT, row + 1);
        }
        named.push((curve, (x, row)));
        x += length;
    }
    named
}

impl Panel {
    /// The smallest ranges that hold all finite points.
    fn ranges(&self) -> (Range<f64>, Range<f64>) {
        let points = || self.curves.iter().flat_map(|curve| &curve.points);
        let x = range(points().map(|point| point.0));
        // Zero has no place on a logarithmic axis.
        let linear = matches!(self.scale, Scale::Fill | Scale::Equal);
        let shown = |y: &f64| linear || *y > 0.0;
        (x, range(points().map(|point| point.1).filter(shown)))
    }
}

fn range(values: impl Iterator<Item = f64>) -> Range<f64> {
    let empty = f64::INFINITY..f64::NEG_INFINITY;
    let range = values.filter(|x| x.is_finite()).fold(empty, |range, x| range.start.min(x)..range.end.max(x));
    if range.start > range.end { 0.0..1.0 } else { range }
}

/// The decades that hold `range`, at least one.
fn decades(range: Range<f64>) -> Range<f64> {
    let (low, high) = (decade(range.start.max(SMALLEST), f64::floor), decade(range.end, f64::ceil));
    low..high.max(10.0 * low)
}

/// The power of ten next to `y`.
fn decade(y: f64, round: fn(f64) -> f64) -> f64 {
    10f64.powf(round(y.log10()))
}

/// `range` and a margin on both sides, relative to its length.
fn widened(range: Range<f64>, margin: f64) -> Range<f64> {
    let length = range.end - range.start;
    // A constant still needs a range around it, wide relative to its rounding errors.
    let margin = (margin * length).max(1e-12 * (1.0 + range.end.abs()));
    range.start - margin..range.end + margin
}

/// Ranges around the given ones in which a unit is equally long on both axes of a panel.
fn equal((x, y): (Range<f64>, Range<f64>)) -> (Range<f64>, Range<f64>) {
    let (x, y) = (widened(x, 0.06), widened(y, 0.06));
    let width = f64::from(PANEL.0 - 3 * MARGIN - Y_LABELS);
    let height = f64::from(PANEL.1 - 2 * MARGIN - X_LABELS - CAPTION);
    let unit = ((x.end - x.start) / width).max((y.end - y.start) / height);
    let around = |range: Range<f64>, length: f64| {
        let centre = (range.start + range.end) / 2.0;
        centre - length / 2.0..centre + length / 2.0
    };
    (around(x, unit * width), around(y, unit * height))
}

/// The common format of the numbers of an axis.
struct Ticks {
    /// With powers of ten.
    scientific: bool,
    /// Digits after the point.
    digits: usize,
    /// Distance of ticks, about.
    step: f64,
}

impl Ticks {
    /// For an axis of about eight ticks.
    fn new(range: Range<f64>) -> Self {
        let step = ((range.end - range.start) / 8.0).max(f64::MIN_POSITIVE);
        let largest = range.start.abs().max(range.end.abs());
        let scientific = !(1e-2..1e5).contains(&largest);
        let unit = if scientific { largest } else { 1.0 };
        let digits = (unit / step).log10().ceil().clamp(0.0, 6.0) as usize;
        Ticks { scientific, digits, step }
    }

    fn label(&self, x: f64) -> String {
        // Ticks are sums, which miss zero by rounding.
        if x.abs() < 1e-6 * self.step {
            return "0".to_owned();
        }
        let digits = self.digits;
        let text = if self.scientific { format!("{x:.digits$e}") } else { format!("{x:.digits$}") };
        let (number, exponent) = match text.split_once('e') {
            Some((number, exponent)) => (number, format!("e{exponent}")),
            None => (text.as_str(), String::new()),
        };
        let number =
            if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number };
        format!("{number}{exponent}").replace('-', "−")
    }
}

/// A power of ten.
fn power(y: f64) -> String {
    let digits = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let exponent = (y.log10().round() as i32).to_string();
    let raised = exponent.chars().map(|c| c.to_digit(10).map_or('⁻', |digit| digits[digit as usize]));
    format!("10{}", raised.collect::<String>())
}
