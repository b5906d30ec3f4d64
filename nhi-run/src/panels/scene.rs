//! Pictures of a motion: what moves in them.

use super::axis::{Ticks, bounds, ticks, varies};
use super::{CURVES, DrawnColumn, places};
use crate::bodies::Shape;
use crate::limits::Areas;
use crate::recording::{Column, Pose, Quantity, Recording};
use serde::Serialize;

/// A picture of the motion. Numbers of columns stand for the columns.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Scene {
    /// Bodies or points in the plane. No body without a size of its own is drawn longer than the `room`, if there is one: they
    /// would cover each other. The `areas` are polygons that the motion keeps out of; those within others are holes.
    Plane {
        title: String,
        bodies: Vec<Body>,
        view: View<2>,
        room: Option<f64>,
        areas: Vec<Vec<Vec<[f64; 2]>>>,
    },
    /// The axes of a body that turns, on the unit sphere: entries of R, row by row.
    Sphere { title: String, rotation: [usize; 9] },
    /// Bodies or points in space.
    Space { title: String, bodies: Vec<Placement>, view: View<3>, ball: Ball },
}

/// What moves in the plane.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Body {
    /// Its name, if it has one.
    pub(crate) name: Option<String>,
    pub(crate) position: [usize; 2],
    /// The angle, of a body.
    pub(crate) heading: Option<usize>,
    /// Its length, if that is given.
    pub(crate) size: Option<f64>,
}

/// What moves in space.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Placement {
    /// Its name, if it has one.
    pub(crate) name: Option<String>,
    pub(crate) position: [usize; 3],
    /// Entries of R, row by row, of a body.
    pub(crate) rotation: Option<[usize; 9]>,
    /// The radius of a ball, in the unit of the positions.
    pub(crate) radius: Option<f64>,
}

/// Axes on which a unit is equally long.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct View<const N: usize> {
    /// Names of the axes.
    #[serde(serialize_with = "as_list")]
    pub(crate) names: [String; N],
    /// The range of the positions on each axis.
    #[serde(serialize_with = "as_list")]
    pub(crate) ranges: [(f64, f64); N],
    /// What a picture shows beyond each range, at both ends together.
    pub(crate) margin: f64,
    /// For each axis, beyond its range as far as a picture of any proportions may show.
    #[serde(serialize_with = "as_list")]
    pub(crate) ticks: [Ticks; N],
}

/// How a box around a motion in space is placed in the ball of radius 1 around 0.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub(crate) struct Ball {
    /// The position that is placed at 0.
    pub(crate) centre: [f64; 3],
    /// The length that is placed as 1.
    pub(crate) size: f64,
    /// Half of the sides of the placed box.
    pub(crate) half: [f64; 3],
}

impl Ball {
    fn around(view: &View<3>) -> Ball {
        let longest = longest(&view.ranges);
        // A flat motion has a box, too, which is not all floor.
        let half = view.ranges.map(|(low, high)| ((high - low) / 2.0).max(0.2 * longest) + view.margin / 4.0);
        let size = half.iter().fold(0.0, |size: f64, half| size.hypot(*half));
        let centre = view.ranges.map(|(low, high)| low / 2.0 + high / 2.0);
        Ball { centre, size, half: half.map(|half| half / size) }
    }

    /// Where a position is placed.
    pub(crate) fn place(&self, position: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|i| (position[i] - self.centre[i]) / self.size)
    }
}

/// Where the camera is for pictures in space. It looks at the centre of a ball of radius 1, with the third axis upwards.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub(crate) struct Camera {
    /// Angle about the third axis, from the first axis to the camera, in radians.
    pub(crate) azimuth: f64,
    /// Angle above the plane of the first two axes.
    pub(crate) elevation: f64,
    /// Distance from the centre.
    pub(crate) distance: f64,
}

impl Camera {
    /// Where it is before a reader turns it.
    pub(crate) const START: Camera = Camera { azimuth: 0.6, elevation: 0.4, distance: 4.0 };

    /// Position to the right and upwards in the picture, and towards the camera, of a point. In the distance of the
    /// centre, a unit is a unit.
    pub(crate) fn project(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let (sin, cos) = self.azimuth.sin_cos();
        let (right, front) = (cos * y - sin * x, cos * x + sin * y);
        let (sin, cos) = self.elevation.sin_cos();
        let (up, near) = (cos * z - sin * front, cos * front + sin * z);
        let scale = self.distance / (self.distance - near);
        [scale * right, scale * up, near]
    }
}

fn as_list<T: Serialize, S: serde::Serializer>(
    items: &impl AsRef<[T]>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(items.as_ref())
}

impl<const N: usize> View<N> {
    /// The view of the positions, each with what is around it.
    fn of(columns: &[DrawnColumn], values: &[&[f64]], positions: &[([usize; N], f64)]) -> View<N> {
        let values = |axis: usize| {
            let ends = positions.iter().flat_map(move |(position, around)| {
                values[position[axis]].iter().flat_map(move |x| [x - around, x + around])
            });
            bounds(ends).unwrap_or_default()
        };
        // A straight path along an axis needs no width along the others.
        let ranges: [(f64, f64); N] = std::array::from_fn(values);
        let longest = longest(&ranges);
        let margin = if varies(ranges.iter().flat_map(|(low, high)| [*low, *high]), longest) {
            0.16 * longest
        } else {
            1.0
        };
        let length = longest + margin;
        let beyond = |(low, high): (f64, f64)| {
            let centre = low / 2.0 + high / 2.0;
            ticks(centre - 2.0 * length, centre + 2.0 * length, length)
        };
        // Axes with the names of all their columns: one, or `x`, for several.
        let name = |axis: usize| match positions {
            [(position, _)] => columns[position[axis]].name.clone(),
            _ => ["x", "y", "z"][axis].to_owned(),
        };
        View { names: std::array::from_fn(name), ranges, margin, ticks: ranges.map(beyond) }
    }
}

/// The length of the longest range.
fn longest(ranges: &[(f64, f64)]) -> f64 {
    ranges.iter().fold(0.0, |longest: f64, (low, high)| longest.max(high - low))
}

/// Radius of a ball without a size, relative to the picture.
const BALL: f64 = 0.06;

/// The pictures of `recording`: of its bodies and its pose first, then of coordinates and outputs with the names of positions.
/// `placed` are the places of the bodies among the `columns`, whose `values` are those at all samples.
pub(super) fn scenes(
    recording: &Recording,
    columns: &[DrawnColumn],
    values: &[&[f64]],
    placed: &[[usize; 3]],
) -> Vec<Scene> {
    let (mut planar, mut spatial): (Vec<Body>, Vec<Placement>) = (Vec::new(), Vec::new());
    let mut scenes = Vec::new();
    for (body, &[x, y, last]) in recording.bodies.iter().zip(placed) {
        let (name, size) = (Some(body.name.clone()), body.size);
        match body.shape {
            Shape::Pose => planar.push(Body { name, position: [x, y], heading: Some(last), size }),
            Shape::Ball => {
                let radius = size.map(|size| size / 2.0);
                spatial.push(Placement { name, position: [x, y, last], rotation: None, radius });
            }
        }
    }
    match &recording.about.pose {
        Some(Pose::Planar(names)) => {
            if let Some([x, y, theta]) = places(recording, names)
                && planar.iter().all(|body| body.position != [x, y])
            {
                planar.push(Body { name: None, position: [x, y], heading: Some(theta), size: None });
            }
        }
        Some(Pose::Rotation(names)) => {
            if let Some(rotation) = places(recording, names) {
                scenes.push(Scene::Sphere { title: "Axes of the body".to_owned(), rotation });
            }
        }
        Some(Pose::Rigid(rotation, position)) => {
            if let (Some(rotation), Some(position)) =
                (places(recording, rotation), places(recording, position))
            {
                match spatial.iter_mut().find(|body| body.position == position) {
                    Some(body) => body.rotation = Some(rotation),
                    None => spatial.push(Placement { rotation: Some(rotation), ..point(position) }),
                }
            }
        }
        None => {}
    }
    let (mut pairs, mut triples) = positions(recording);
    pairs.retain(|position| planar.iter().all(|body| body.position != *position));
    triples.retain(|position| spatial.iter().all(|body| body.position != *position));
    pairs.truncate(CURVES.saturating_sub(planar.len()));
    triples.truncate(CURVES.saturating_sub(spatial.len()));
    let path = |position| Body { name: None, position, heading: None, size: None };
    planar.extend(pairs.into_iter().map(path));
    spatial.extend(triples.into_iter().map(point));
    let title = |count: usize| if count == 1 { "Path" } else { "Paths" }.to_owned();
    if !spatial.is_empty() {
        let around = |body: &Placement| (body.position, body.radius.unwrap_or(0.0));
        let positions: Vec<([usize; 3], f64)> = spatial.iter().map(around).collect();
        let view = View::of(columns, values, &positions);
        let ball = Ball::around(&view);
        for body in spatial.iter_mut().filter(|body| body.name.is_some()) {
            body.radius.get_or_insert(BALL * ball.size);
        }
        scenes.push(Scene::Space { title: title(spatial.len()), bodies: spatial, view, ball });
    }
    if !planar.is_empty() {
        let around = |body: &Body| (body.position, body.size.unwrap_or(0.0) / 2.0);
        let positions: Vec<([usize; 2], f64)> = planar.iter().map(around).collect();
        let view = View::of(columns, values, &positions);
        let room = room(&planar, values);
        let areas =
            recording.limits.areas.as_ref().map_or(Vec::new(), |Areas { outlines, .. }| outlines.clone());
        scenes.push(Scene::Plane { title: title(planar.len()), bodies: planar, view, room, areas });
    }
    scenes
}

/// A point in space.
fn point(position: [usize; 3]) -> Placement {
    Placement { name: None, position, rotation: None, radius: None }
}

/// The distance of the two bodies that are nearest to each other, where that is largest.
fn room(bodies: &[Body], values: &[&[f64]]) -> Option<f64> {
    let posed: Vec<[&[f64]; 2]> = bodies
        .iter()
        .filter(|body| body.heading.is_some())
        .map(|body| body.position.map(|column| values[column]))
        .collect();
    let farthest = |[x0, y0]: [&[f64]; 2], [x1, y1]: [&[f64]; 2]| {
        let distances = (0..x0.len()).map(|k| (x1[k] - x0[k]).hypot(y1[k] - y0[k]));
        distances.filter(|distance| distance.is_finite()).fold(0.0, f64::max)
    };
    let pairs = posed
        .iter()
        .enumerate()
        .flat_map(|(i, one)| posed[i + 1..].iter().map(move |other| farthest(*one, *other)));
    pairs.filter(|distance| *distance > 0.0).reduce(f64::min)
}

/// The names of the columns that are the coordinates of the plane of a motion: those of its pose, or the first that are so by their
/// names.
pub(crate) fn place_names(recording: &Recording) -> Option<[String; 2]> {
    if let Some(Pose::Planar([x, y, _])) = &recording.about.pose {
        return Some([x.clone(), y.clone()]);
    }
    let (pairs, _) = positions(recording);
    pairs.first().map(|pair| pair.map(|column| recording.columns[column].name.clone()))
}

/// Whether a column can be that of a position.
pub(super) fn may_place(column: &Column) -> bool {
    matches!(column.quantity, Quantity::Coordinate | Quantity::Output)
}

/// Coordinates and outputs that are positions by their names: `x` and `y`, `x1` and `y1`, `x[0]` and `y[0]`, in space with `z`.
fn positions(recording: &Recording) -> (Vec<[usize; 2]>, Vec<[usize; 3]>) {
    let place =
        |name: &str| recording.columns.iter().position(|column| may_place(column) && column.name == name);
    let (mut pairs, mut triples) = (Vec::new(), Vec::new());
    let placing = recording.columns.iter().filter(|column| may_place(column));
    for rest in placing.filter_map(|column| column.name.strip_prefix('x')) {
        let [x, y, z] = ["x", "y", "z"].map(|axis| place(&format!("{axis}{rest}")));
        match (x, y, z) {
            (Some(x), Some(y), Some(z)) => triples.push([x, y, z]),
            (Some(x), Some(y), None) => pairs.push([x, y]),
            _ => {}
        }
    }
    (pairs, triples)
}
