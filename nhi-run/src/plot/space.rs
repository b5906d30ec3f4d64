//! Panels in perspective.

use super::chart::{arrow, instants, mark, path_colour};
use super::svg::{Anchor, Stroke, Svg};
use super::{AXES, FRAME, GRID, LETTER, Place, QUIET, WIDTH};
use crate::panels::{Ball, Camera, Panels, Placement, View};
use std::f64::consts::PI;

/// Length of a body's axes, relative to the picture.
const LENGTH: f64 = 0.2;

/// Where the unit ball is drawn.
struct Projection {
    camera: Camera,
    centre: [f64; 2],
    /// Pixels of a unit in the distance of the centre.
    unit: f64,
}

impl Projection {
    fn within(panels: &Panels, place: Place, top: f64) -> Projection {
        let camera = panels.camera;
        let radius = (place.bottom() - top).min(WIDTH) / 2.0 - 20.0;
        let centre = [place.left + WIDTH / 2.0, (top + place.bottom()) / 2.0];
        Projection { camera, centre, unit: radius * (1.0 - camera.distance.powi(-2)).sqrt() }
    }

    /// The place of a point in the picture, and how near it is.
    fn project(&self, point: [f64; 3]) -> ([f64; 2], f64) {
        let [right, up, near] = self.camera.project(point);
        ([self.centre[0] + self.unit * right, self.centre[1] - self.unit * up], near)
    }

    fn line(&self, svg: &mut Svg, stroke: Stroke, points: impl Iterator<Item = [f64; 3]>) {
        svg.line(stroke, points.map(|point| self.project(point).0));
    }

    /// A curve on the unit sphere. The part on the far side is fainter.
    fn on_sphere(
        &self,
        svg: &mut Svg,
        stroke: Stroke,
        far: f64,
        points: impl Iterator<Item = [f64; 3]> + Clone,
    ) {
        let horizon = 1.0 / self.camera.distance;
        for (front, opacity) in [(false, far), (true, stroke.opacity)] {
            // A piece across the horizon is drawn with the side that it comes from.
            let mut was_shown = false;
            let side = points.clone().map(|point| {
                let (at, near) = self.project(point);
                let is_shown = (near > horizon) == front;
                let before = std::mem::replace(&mut was_shown, is_shown);
                if is_shown || before { at } else { [f64::NAN; 2] }
            });
            if opacity > 0.0 {
                svg.line(Stroke { opacity, ..stroke }, side);
            }
        }
    }

    /// A ball.
    fn ball(&self, svg: &mut Svg, centre: [f64; 3], radius: f64, colour: &'static str) {
        let (at, near) = self.project(centre);
        let radius = radius * self.unit * self.camera.distance / (self.camera.distance - near);
        if at.iter().all(|x| x.is_finite()) {
            svg.disk(Stroke { opacity: 0.3, ..Stroke::new(colour, 1.0) }, at, radius);
        }
    }

    /// The axes of a body, the farthest first.
    fn frame(&self, svg: &mut Svg, origin: [f64; 3], axes: [[f64; 3]; 3], length: f64) {
        let (start, _) = self.project(origin);
        let tip = |axis: [f64; 3]| self.project(std::array::from_fn(|i| origin[i] + length * axis[i]));
        let mut tips: Vec<(([f64; 2], f64), &'static str)> = axes.into_iter().map(tip).zip(AXES).collect();
        tips.sort_by(|((_, a), _), ((_, b), _)| a.total_cmp(b));
        for ((tip, _), colour) in tips {
            if start.iter().chain(&tip).all(|x| x.is_finite()) {
                arrow(svg, start, tip, colour);
            }
        }
    }
}

/// Texts beside a picture, of which none is written over another.
struct Labels {
    /// The middles of the texts, and half of their widths.
    written: Vec<([f64; 2], f64)>,
}

impl Labels {
    /// Writes a text unless it would overlap one that is there.
    fn write(&mut self, svg: &mut Svg, [x, y]: [f64; 2], anchor: Anchor, text: &str) {
        let half = LETTER * text.chars().count() as f64 / 2.0;
        let middle = if anchor == Anchor::End { [x - half, y] } else { [x, y] };
        let overlaps = |([x, y], other): &([f64; 2], f64)| {
            (middle[0] - x).abs() < half + other && (middle[1] - y).abs() < 12.0
        };
        if !self.written.iter().any(overlaps) {
            svg.text([x, y + 4.0], 11, anchor, QUIET, text);
            self.written.push((middle, half));
        }
    }
}

/// The columns of R at a sample.
fn axes(panels: &Panels, rotation: &[usize; 9], k: usize) -> [[f64; 3]; 3] {
    let entry = |row: usize, column: usize| panels.columns[rotation[3 * row + column]].values[k];
    std::array::from_fn(|axis| std::array::from_fn(|row| entry(row, axis)))
}

/// The traces of a body's axes on the unit sphere, and the axes at the end.
pub(super) fn sphere(svg: &mut Svg, panels: &Panels, place: Place, title: &str, rotation: &[usize; 9]) {
    let top = place.titled(svg, title, ["axis 1", "axis 2", "axis 3"].into_iter().zip(AXES));
    let view = Projection::within(panels, place, top);
    let radius = view.unit / (1.0 - view.camera.distance.powi(-2)).sqrt();
    svg.circle(Stroke::new(FRAME, 1.5), view.centre, radius);
    let grid = Stroke::new(GRID, 1.0);
    let around = |k: i32| (f64::from(k) * PI / 36.0).sin_cos();
    for latitude in (-2..=2).map(|i| f64::from(i) * PI / 6.0) {
        let (height, size) = latitude.sin_cos();
        let circle = (0..=72).map(around).map(move |(sin, cos)| [size * cos, size * sin, height]);
        view.on_sphere(svg, grid, 0.0, circle);
    }
    for longitude in (0..6).map(|i| f64::from(i) * PI / 6.0) {
        let (y, x) = longitude.sin_cos();
        let circle = (0..=72).map(around).map(move |(sin, cos)| [cos * x, cos * y, sin]);
        view.on_sphere(svg, grid, 0.0, circle);
    }
    for (axis, colour) in AXES.into_iter().enumerate() {
        let trace = (0..panels.samples).map(|k| axes(panels, rotation, k)[axis]);
        view.on_sphere(svg, Stroke::new(colour, 1.5), 0.3, trace);
    }
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        let along = |length: f64| std::array::from_fn(|i| if i == axis { length } else { 0.0 });
        view.line(svg, Stroke::new(QUIET, 1.0), [along(1.0), along(1.06)].into_iter());
        let ([x, y], _) = view.project(along(1.06));
        let (sin, cos) = (y - view.centre[1]).atan2(x - view.centre[0]).sin_cos();
        svg.text([x + 9.0 * cos, y + 9.0 * sin + 4.0], 11, Anchor::Middle, QUIET, name);
    }
    view.frame(svg, [0.0; 3], axes(panels, rotation, panels.samples - 1), 1.0);
}

/// Bodies or points in space, with their shadows on a floor. Bodies are drawn at some instants.
pub(super) fn bodies(
    svg: &mut Svg,
    panels: &Panels,
    place: Place,
    title: &str,
    bodies: &[Placement],
    of: (&View<3>, &Ball),
) {
    let (axes_in_space, ball) = of;
    let named = bodies.iter().enumerate().map(|(i, body)| {
        let [x, y, z] = body.position.map(|column| panels.columns[column].name.as_str());
        (body.name.clone().unwrap_or_else(|| format!("({x}, {y}, {z})")), path_colour(i))
    });
    let named: Vec<(String, &'static str)> = named.collect();
    let top = place.titled(svg, title, named.iter().map(|(name, colour)| (name.as_str(), *colour)));
    let view = Projection::within(panels, place, top);
    draw_box(svg, &view, axes_in_space, ball);
    let at =
        |body: &Placement, k: usize| ball.place(body.position.map(|column| panels.columns[column].values[k]));
    let samples = 0..panels.samples;
    for body in bodies {
        let shadow = samples.clone().map(|k| at(body, k)).map(|[x, y, _]| [x, y, -ball.half[2]]);
        view.line(svg, Stroke::new(GRID, 2.0), shadow);
    }
    for (i, body) in bodies.iter().enumerate() {
        view.line(svg, Stroke::new(path_colour(i), 2.0), samples.clone().map(|k| at(body, k)));
    }
    // Those that are nearer cover the others.
    let solid = bodies.iter().filter(|body| body.radius.is_some() || body.rotation.is_some()).count();
    let instants = instants(panels.samples, solid).flat_map(|k| (0..bodies.len()).map(move |i| (k, i)));
    let mut drawn: Vec<(usize, usize)> = instants.collect();
    drawn.sort_by(|&(k, i), &(l, j)| {
        let near = |k: usize, i: usize| view.project(at(&bodies[i], k)).1;
        near(k, i).total_cmp(&near(l, j))
    });
    for (k, i) in drawn {
        let body = &bodies[i];
        if let Some(radius) = body.radius {
            view.ball(svg, at(body, k), radius / ball.size, path_colour(i));
        }
        if let Some(rotation) = &body.rotation {
            view.frame(svg, at(body, k), axes(panels, rotation, k), LENGTH);
        }
    }
    for (i, body) in bodies.iter().enumerate() {
        mark(svg, view.project(at(body, 0)).0, path_colour(i));
    }
}

/// The floor with a grid, and the third axis at one of its corners.
fn draw_box(svg: &mut Svg, view: &Projection, axes: &View<3>, ball: &Ball) {
    let half = ball.half;
    let ticks = |axis: usize| {
        let ticks = axes.ticks[axis].ticks.iter();
        let placed = ticks.map(move |tick| ((tick.at - ball.centre[axis]) / ball.size, tick.label.as_str()));
        placed.filter(move |(at, _)| at.abs() <= half[axis])
    };
    let floor = -half[2];
    let (grid, edge) = (Stroke::new(GRID, 1.0), Stroke::new(FRAME, 1.0));
    for (x, _) in ticks(0) {
        view.line(svg, grid, [[x, -half[1], floor], [x, half[1], floor]].into_iter());
    }
    for (y, _) in ticks(1) {
        view.line(svg, grid, [[-half[0], y, floor], [half[0], y, floor]].into_iter());
    }
    let corners =
        [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, y]| [x * half[0], y * half[1]]);
    let around = corners.iter().chain(&corners[..1]);
    view.line(svg, edge, around.map(|[x, y]| [*x, *y, floor]));
    // The third axis stands at the leftmost corner.
    let right_of = |[x, y]: [f64; 2]| view.project([x, y, 0.0]).0[0];
    let upright = corners.into_iter().min_by(|a, b| right_of(*a).total_cmp(&right_of(*b)));
    let [x, y] = upright.unwrap_or_default();
    view.line(svg, edge, [[x, y, floor], [x, y, half[2]]].into_iter());

    // The edges of the floor that are nearest have the ticks.
    let centre = view.project([0.0; 3]).1;
    let side = |axis: [f64; 3]| if view.project(axis).1 > centre { 1.0 } else { -1.0 };
    let (x_side, y_side) = (side([1.0, 0.0, 0.0]), side([0.0, 1.0, 0.0]));
    let mut labels = Labels { written: Vec::new() };
    let name = |axis: usize| format!("{} {}", axes.names[axis], axes.ticks[axis].unit).trim().to_owned();
    let ([left, at], _) = view.project([x, y, half[2]]);
    labels.write(svg, [left, at - 12.0], Anchor::Middle, &name(2));
    for (axis, point) in [[0.0, y_side * (half[1] + 0.22), floor], [x_side * (half[0] + 0.22), 0.0, floor]]
        .into_iter()
        .enumerate()
    {
        labels.write(svg, view.project(point).0, Anchor::Middle, &name(axis));
    }
    for (z, label) in ticks(2) {
        let ([left, at], _) = view.project([x, y, z]);
        labels.write(svg, [left - 6.0, at], Anchor::End, label);
    }
    for (x, label) in ticks(0) {
        labels.write(svg, view.project([x, y_side * (half[1] + 0.09), floor]).0, Anchor::Middle, label);
    }
    for (y, label) in ticks(1) {
        labels.write(svg, view.project([x_side * (half[0] + 0.09), y, floor]).0, Anchor::Middle, label);
    }
}
