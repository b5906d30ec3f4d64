//! Which panels show a recording: what the page and the plot have in common.

mod axis;
mod decimate;
mod number;
mod scene;

pub(crate) use axis::{Axis, Ticks, decades, equal, ticks};
pub(crate) use number::number;
pub(crate) use scene::{Ball, Body, Camera, Placement, Scene, View, place_names};

use crate::recording::{Adaptive, Column, Pose, Quantity, Recording};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Serialize, Serializer};
use std::collections::BTreeSet;

/// Curves in a panel, at most: as many as there are colours.
pub(crate) const CURVES: usize = 7;

/// What is shown of a recording.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Panels {
    /// Name of the system.
    pub(crate) title: String,
    /// Method, step size and samples, in words.
    pub(crate) facts: Vec<String>,
    /// Names and values of the parameters.
    pub(crate) parameters: Vec<(String, String)>,
    /// The reason, if the run ended early.
    pub(crate) stopped: Option<String>,
    /// Number of samples shown. All columns have as many values.
    pub(crate) samples: usize,
    pub(crate) columns: Vec<DrawnColumn>,
    /// The column of the number of steps.
    pub(crate) step: Option<usize>,
    /// The column of the time.
    pub(crate) time: Option<usize>,
    pub(crate) time_axis: Axis,
    /// Pictures of the motion.
    pub(crate) scenes: Vec<Scene>,
    /// How they are looked at, where they are in space.
    pub(crate) camera: Camera,
    pub(crate) series: Vec<Series>,
    /// The columns of the phase plane, which a reader may change.
    pub(crate) phase: Option<[usize; 2]>,
    /// What the entries of the places of bodies are called, and their columns.
    #[serde(skip)]
    places: Vec<(String, usize)>,
}

/// A column as it is shown.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct DrawnColumn {
    pub(crate) name: String,
    /// The axis that holds its values.
    pub(crate) axis: Axis,
    #[serde(serialize_with = "base64")]
    pub(crate) values: Vec<f64>,
}

/// Columns over time.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Series {
    pub(crate) title: String,
    /// At most [`CURVES`].
    pub(crate) columns: Vec<usize>,
    pub(crate) axis: Axis,
    /// Whether a value is held over the step that ends at its sample.
    pub(crate) held: bool,
    /// Bounds of curves, by their places among the columns.
    pub(crate) limits: Vec<(usize, f64)>,
}

/// Quantities that have panels over time, with the titles of these. The energy has its own.
const SERIES: [(Quantity, &str); 12] = [
    (Quantity::Coordinate, "Coordinates"),
    (Quantity::Velocity, "Velocities"),
    (Quantity::Residual, "Residuals of the constraints"),
    (Quantity::PositionResidual, "Residuals of the position constraints"),
    (Quantity::Multiplier, "Multipliers"),
    (Quantity::Reaction, "Reactions"),
    (Quantity::State, "Auxiliary states"),
    (Quantity::Input, "Inputs"),
    (Quantity::Momentum, "Momenta"),
    (Quantity::MomentumBefore, "Momenta before the nodes"),
    (Quantity::MomentumAfter, "Momenta after the nodes"),
    (Quantity::Output, "Outputs"),
];

impl Panels {
    /// The panels of `recording`, with about `limit` samples at most.
    pub(crate) fn of(recording: &Recording, limit: usize) -> Panels {
        let error = energy_error(recording);
        let mut names: Vec<String> = recording.columns.iter().map(|column| column.name.clone()).collect();
        let mut values: Vec<&[f64]> =
            recording.columns.iter().map(|column| column.values.as_slice()).collect();
        if let Some((name, error)) = &error {
            names.push((*name).to_owned());
            values.push(error);
        }
        let mut bodies: Vec<[usize; 3]> = Vec::with_capacity(recording.bodies.len());
        let mut entries_of_bodies = Vec::new();
        for body in &recording.bodies {
            let entries = body.shape.entries();
            let place: [usize; 3] = std::array::from_fn(|i| {
                let Column { name, values: entry, .. } = &body.place[i];
                let is_it = |column: &Column| scene::may_place(column) && column.name == *name;
                let own = recording.columns.iter().position(is_it);
                own.unwrap_or_else(|| {
                    names.push(format!("{}.{}", body.name, entries[i]));
                    values.push(entry);
                    values.len() - 1
                })
            });
            let named = entries.map(|entry| format!("{}.{entry}", body.name));
            entries_of_bodies.extend(named.into_iter().zip(place));
            bodies.push(place);
        }
        let kept = decimate::kept(&values, limit);
        let columns: Vec<DrawnColumn> = names
            .into_iter()
            .zip(&values)
            .map(|(name, values)| DrawnColumn {
                name,
                axis: Axis::of([*values]),
                values: kept.iter().map(|&k| values[k]).collect(),
            })
            .collect();

        let first = |quantity| recording.columns.iter().position(|column| column.quantity == quantity);
        let time = first(Quantity::Time);
        let over_time = |title: String, chosen: Vec<usize>, held: bool| {
            let curves = || chosen.iter().map(|&column| values[column]);
            let limits = limits(recording, &chosen, &Axis::of(curves()));
            let bounds: Vec<f64> = limits.iter().map(|(_, bound)| *bound).collect();
            let axis = Axis::of(curves().chain([bounds.as_slice()]));
            Series { title, axis, columns: chosen, held, limits }
        };
        let mut series = Vec::new();
        for (quantity, title) in SERIES {
            for (title, chosen) in groups(recording, quantity, title) {
                series.push(over_time(title, chosen, quantity == Quantity::Input));
            }
            if quantity != Quantity::Velocity {
                continue;
            }
            let energy = recording.columns.iter().position(|column| column.quantity == Quantity::Energy);
            if error.is_some() {
                let column = recording.columns.len();
                series.push(over_time("Error of the energy".to_owned(), vec![column], false));
            } else if let Some(column) = energy {
                series.push(over_time(
                    "Energy, which forces, drives or time may change".to_owned(),
                    vec![column],
                    false,
                ));
            }
        }
        Panels {
            title: recording.about.system.clone(),
            facts: facts(recording, kept.len()),
            parameters: (recording.about.parameters.iter())
                .map(|(name, value)| (name.clone(), number(*value)))
                .collect(),
            stopped: recording.about.stopped.clone(),
            samples: kept.len(),
            time_axis: Axis::exact(time.map_or(&[][..], |time| values[time])),
            time,
            step: first(Quantity::Step),
            scenes: scene::scenes(recording, &columns, &values, &bodies),
            camera: Camera::START,
            series,
            phase: phase(recording),
            places: entries_of_bodies,
            columns,
        }
    }

    /// The same with these columns, or entries of the places of bodies, in the phase plane, if they are there.
    pub(crate) fn with_phase(self, names: Option<[&str; 2]>) -> Panels {
        let of_body = |name: &str| self.places.iter().find(|(known, _)| known == name).map(|(_, at)| *at);
        let place =
            |name: &str| self.columns.iter().position(|column| column.name == name).or_else(|| of_body(name));
        let chosen = names.and_then(|[x, y]| Some([place(x)?, place(y)?]));
        Panels { phase: chosen.or(self.phase), ..self }
    }
}

/// The bounds of columns that are near their curves, which `axis` holds: farther ones would make these flat.
fn limits(recording: &Recording, chosen: &[usize], axis: &Axis) -> Vec<(usize, f64)> {
    let room = axis.high - axis.low;
    let mut limits = Vec::new();
    for (place, &column) in chosen.iter().enumerate() {
        let name = recording.columns.get(column).map(|column| &column.name);
        let own = recording.limits.columns.iter().filter(|(known, _)| Some(known) == name);
        let bounds = own.flat_map(|(_, pair)| *pair);
        limits.extend(bounds.filter(|x| *x >= axis.low - room && *x <= axis.high + room).map(|x| (place, x)));
    }
    limits
}

/// What the heading says of the run.
fn facts(recording: &Recording, shown: usize) -> Vec<String> {
    let about = &recording.about;
    let samples = recording.samples();
    let step = match about.adaptive {
        None => format!("step h = {}", number(about.h)),
        Some(Adaptive { tolerance, .. }) => format!("tolerance {tolerance:e}"),
    };
    let mut facts = vec![format!("method {}", about.method), step];
    facts.push(if samples == 1 { "1 sample".to_owned() } else { format!("{samples} samples") });
    if shown < samples {
        facts.push(format!("{shown} of them shown, with the extremes of every curve"));
    }
    facts
}

/// The name and the values of the error of the energy, where the motion conserves it: relative, E/E₀ − 1, or E − E₀ where E₀
/// is smaller than that.
fn energy_error(recording: &Recording) -> Option<(&'static str, Vec<f64>)> {
    if !recording.about.conservative {
        return None;
    }
    let energy = &recording.all(Quantity::Energy).next()?.values;
    let first = *energy.first()?;
    let differences = || energy.iter().map(|energy| energy - first);
    let largest = differences().filter(|x| x.is_finite()).fold(0.0, |largest: f64, x| largest.max(x.abs()));
    Some(if first.abs() > largest {
        ("E/E₀ − 1", differences().map(|difference| difference / first).collect())
    } else {
        ("E − E₀", differences().collect())
    })
}

/// Places of the columns of `quantity`, in groups that share a panel, with the titles of the panels.
fn groups(recording: &Recording, quantity: Quantity, title: &str) -> Vec<(String, Vec<usize>)> {
    let mut groups = Vec::new();
    // Those of a rotation are shown by the axes of the body.
    let mut taken = BTreeSet::new();
    if let (Quantity::Coordinate, Some(Pose::Rotation(r) | Pose::Rigid(r, _))) =
        (quantity, &recording.about.pose)
        && let Some(entries) = places(recording, r)
    {
        for axis in 0..3 {
            groups.push((
                format!("Axis {} of the body, in space", axis + 1),
                vec![entries[axis], entries[axis + 3], entries[axis + 6]],
            ));
        }
        taken.extend(entries);
    }
    let of_quantity = |(_, column): &(usize, &Column)| column.quantity == quantity;
    let others = recording.columns.iter().enumerate().filter(of_quantity).map(|(place, _)| place);
    let others: Vec<usize> = others.filter(|place| !taken.contains(place)).collect();
    let panels = others.len().div_ceil(CURVES);
    let each = others.len().div_ceil(panels.max(1)).max(1);
    let numbered = others.chunks(each).enumerate().map(|(panel, chosen)| {
        let title =
            if panels > 1 { format!("{title} ({} of {panels})", panel + 1) } else { title.to_owned() };
        (title, chosen.to_vec())
    });
    // What is not an entry of a rotation comes first.
    numbered.chain(groups).collect()
}

/// The first coordinate with its velocity, or two velocities where these are not those of coordinates, as on groups, or
/// any two quantities.
fn phase(recording: &Recording) -> Option<[usize; 2]> {
    let of = |quantity| {
        recording.columns.iter().enumerate().filter(move |(_, column)| column.quantity == quantity)
    };
    let velocities: Vec<(usize, &Column)> = of(Quantity::Velocity).collect();
    let own = velocities.iter().filter(|(_, column)| !column.name.starts_with("dot_"));
    let own: Vec<usize> = own.map(|(place, _)| *place).collect();
    if let [first, second, ..] = own[..] {
        return Some([first, second]);
    }
    let paired = of(Quantity::Coordinate).find_map(|(place, column)| {
        let name = format!("dot_{}", column.name);
        velocities.iter().find(|(_, velocity)| velocity.name == name).map(|(velocity, _)| [place, *velocity])
    });
    let counts = |quantity| matches!(quantity, Quantity::Step | Quantity::Time);
    let mut others = (0..recording.columns.len()).filter(|&i| !counts(recording.columns[i].quantity));
    paired.or_else(|| Some([others.next()?, others.next()?]))
}

/// Places of the columns with these names, if all are there.
fn places<const N: usize>(recording: &Recording, names: &[String; N]) -> Option<[usize; N]> {
    let place = |name: &String| recording.columns.iter().position(|column| column.name == *name);
    let found: Option<Vec<usize>> = names.iter().map(place).collect();
    found?.try_into().ok()
}

/// Serializes numbers as the base64 text of their bytes, lowest first: any f64 has them.
fn base64<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    serializer.serialize_str(&STANDARD.encode(bytes))
}

#[cfg(test)]
pub(crate) mod tests;
