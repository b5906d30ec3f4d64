//! Panels with two axes.

use super::svg::{Anchor, Stroke, Svg};
use super::{AXES, COLOURS, FORBIDDEN, FRAME, GRID, INK, LETTER, PATHS, Place, QUIET};
use crate::panels::{Axis, Body, Panels, Series, Ticks, View, equal};

/// Bodies drawn along a path, of several bodies each.
pub(super) const INSTANTS: usize = 7;
const INSTANTS_OF_SEVERAL: usize = 4;
/// Length of a body's axes.
const LENGTH: f64 = 24.0;
const TICK_FONT: u32 = 11;

/// The rectangle of two axes, and their ranges.
#[derive(Clone, Copy)]
pub(super) struct Axes {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x: (f64, f64),
    y: (f64, f64),
}

impl Axes {
    /// Below the title, with room for the labels.
    pub(super) fn within(
        place: Place,
        top: f64,
        x: (f64, f64),
        y: (f64, f64),
        y_ticks: &Ticks,
        y_name: &str,
    ) -> Axes {
        let widest = y_ticks.ticks.iter().map(|tick| tick.label.chars().count()).max().unwrap_or(0);
        let named = if y_name.is_empty() { 0.0 } else { 18.0 };
        Axes {
            left: place.left + named + 8.0 + (6.6 * widest as f64).max(20.0),
            right: place.right() - 8.0,
            top: top + if y_ticks.unit.is_empty() { 6.0 } else { 18.0 },
            bottom: place.bottom() - 34.0,
            x,
            y,
        }
    }

    /// The size of the rectangle.
    pub(super) fn size(&self) -> (f64, f64) {
        (self.right - self.left, self.bottom - self.top)
    }

    /// The lowest value of the vertical axis.
    pub(super) fn bottom_value(&self) -> f64 {
        self.y.0
    }

    pub(super) fn at(&self, x: f64, y: f64) -> [f64; 2] {
        let share = |(low, high): (f64, f64), value: f64| (value - low) / (high - low);
        [
            self.left + share(self.x, x) * (self.right - self.left),
            self.bottom - share(self.y, y) * (self.bottom - self.top),
        ]
    }

    /// Draws the axes with ticks and names.
    pub(super) fn draw(&self, svg: &mut Svg, place: Place, x: (&Ticks, &str), y: (&Ticks, &str)) {
        let grid = Stroke::new(GRID, 1.0);
        let shown = |at: f64, (low, high): (f64, f64)| {
            let rounding = 1e-9 * (high - low);
            at >= low - rounding && at <= high + rounding
        };
        let columns: Vec<_> = x.0.ticks.iter().filter(|tick| shown(tick.at, self.x)).collect();
        let widest = columns.iter().map(|tick| tick.label.chars().count()).max().unwrap_or(0);
        // Of labels that would touch, every second or third, that of zero among them.
        let step =
            if let [first, second, ..] = columns[..] { second.at - first.at } else { self.x.1 - self.x.0 };
        let room = step / (self.x.1 - self.x.0) * (self.right - self.left);
        let every = ((LETTER * widest as f64 + 8.0) / room).ceil();
        for tick in columns {
            let [at, _] = self.at(tick.at, self.y.0);
            svg.line(grid, [[at, self.top], [at, self.bottom]].into_iter());
            if (tick.at / step).round() % every == 0.0 {
                svg.text([at, self.bottom + 15.0], TICK_FONT, Anchor::Middle, QUIET, &tick.label);
            }
        }
        for tick in y.0.ticks.iter().filter(|tick| shown(tick.at, self.y)) {
            let [_, at] = self.at(self.x.0, tick.at);
            svg.line(grid, [[self.left, at], [self.right, at]].into_iter());
            svg.text([self.left - 6.0, at + 4.0], TICK_FONT, Anchor::End, QUIET, &tick.label);
        }
        let corner = [[self.left, self.top], [self.left, self.bottom], [self.right, self.bottom]];
        svg.line(Stroke::new(FRAME, 1.0), corner.into_iter());
        svg.text([self.left - 6.0, self.top - 6.0], TICK_FONT, Anchor::Start, QUIET, &y.0.unit);
        let below = format!("{} {}", x.1, x.0.unit);
        let middle = (self.left + self.right) / 2.0;
        svg.text([middle, self.bottom + 31.0], 12, Anchor::Middle, QUIET, below.trim());
        let middle = (self.top + self.bottom) / 2.0;
        svg.rotated_text([place.left + 10.0, middle], -90, 12, Anchor::Middle, QUIET, y.1);
    }

    /// Draws within the axes.
    pub(super) fn clipped(&self, svg: &mut Svg, place: Place, draw: impl FnOnce(&mut Svg)) {
        let (width, height) = self.size();
        svg.clipped(place.number, [self.left - 1.0, self.top - 1.0, width + 2.0, height + 2.0], draw);
    }

    /// The curve of two columns.
    fn curve(&self, svg: &mut Svg, panels: &Panels, [x, y]: [usize; 2], stroke: Stroke) {
        let (x, y) = (&panels.columns[x].values, &panels.columns[y].values);
        svg.line(stroke, x.iter().zip(y).map(|(x, y)| self.at(*x, *y)));
    }

    /// The same of a column whose value is held since the sample before.
    fn steps(&self, svg: &mut Svg, panels: &Panels, [x, y]: [usize; 2], stroke: Stroke) {
        let (x, y) = (&panels.columns[x].values, &panels.columns[y].values);
        let since = x.iter().take(1).chain(x);
        let step = |((since, x), y): ((&f64, &f64), &f64)| [self.at(*since, *y), self.at(*x, *y)];
        svg.line(stroke, since.zip(x).zip(y).flat_map(step));
    }
}

/// Columns over time.
pub(super) fn series(svg: &mut Svg, panels: &Panels, place: Place, series: &Series) {
    let Some(time) = panels.time else { return };
    let named = |(i, column): (usize, &usize)| (panels.columns[*column].name.as_str(), COLOURS[i]);
    let top = place.titled(svg, &series.title, series.columns.iter().enumerate().map(named));
    let (x, y) = (&panels.time_axis, &series.axis);
    let axes = Axes::within(place, top, x.range(), y.range(), &y.ticks, "");
    axes.draw(svg, place, (&x.ticks, "t"), (&y.ticks, ""));
    axes.clipped(svg, place, |svg| {
        // The first curve is on top.
        for (i, column) in series.columns.iter().enumerate().rev() {
            let stroke = Stroke::new(COLOURS[i], 1.75);
            if series.held {
                axes.steps(svg, panels, [time, *column], stroke);
            } else {
                axes.curve(svg, panels, [time, *column], stroke);
            }
        }
        let (first, last) = x.range();
        for (curve, bound) in &series.limits {
            svg.dashes(Stroke::new(COLOURS[*curve], 1.25), [axes.at(first, *bound), axes.at(last, *bound)]);
        }
    });
}

/// A column over another.
pub(super) fn phase(svg: &mut Svg, panels: &Panels, place: Place, columns: [usize; 2]) {
    let [x, y] = columns.map(|column| &panels.columns[column]);
    let top = place.titled(svg, "Phase plane", []);
    let axis = |axis: &Axis| axis.range();
    let axes = Axes::within(place, top, axis(&x.axis), axis(&y.axis), &y.axis.ticks, &y.name);
    axes.draw(svg, place, (&x.axis.ticks, &x.name), (&y.axis.ticks, &y.name));
    axes.clipped(svg, place, |svg| {
        axes.curve(svg, panels, columns, Stroke::new(COLOURS[0], 1.75));
        if let (Some(x), Some(y)) = (x.values.first(), y.values.first()) {
            mark(svg, axes.at(*x, *y), COLOURS[0]);
        }
    });
}

/// Bodies or points in the plane. Bodies are drawn at some instants, the first and the last among them.
pub(super) fn plane(
    svg: &mut Svg,
    panels: &Panels,
    place: Place,
    (title, areas): (&str, &[Vec<Vec<[f64; 2]>>]),
    bodies: &[Body],
    (view, room): (&View<2>, Option<f64>),
) {
    let named = bodies.iter().enumerate().map(|(i, body)| {
        let [x, y] = body.position.map(|column| panels.columns[column].name.as_str());
        (body.name.clone().unwrap_or_else(|| format!("({x}, {y})")), path_colour(i))
    });
    let named: Vec<(String, &'static str)> = named.collect();
    let legend = named.iter().map(|(name, colour)| (name.as_str(), *colour));
    let legend = legend.chain((!areas.is_empty()).then_some(("out of bounds", FORBIDDEN)));
    let top = place.titled(svg, title, legend);
    let [x_ticks, y_ticks] = &view.ticks;
    let mut axes = Axes::within(place, top, view.ranges[0], view.ranges[1], y_ticks, &view.names[1]);
    let (width, height) = axes.size();
    // A body alone has the axes of its frame, several have the colours of their paths.
    let posed: Vec<&Body> = bodies.iter().filter(|body| body.heading.is_some()).collect();
    let has_frame = matches!(posed[..], [body] if body.size.is_none());
    // Room for the axes of bodies, whose size in the picture does not depend on the motion.
    let around = if posed.is_empty() { 0.0 } else { LENGTH + 4.0 };
    let [wide, high] = [0, 1].map(|axis| view.ranges[axis].1 - view.ranges[axis].0);
    let unit = (wide / (width - 2.0 * around)).max(high / (height - 2.0 * around));
    let margin = (view.margin / 2.0).max(around * unit);
    let with_margin = view.ranges.map(|(low, high)| (low - margin, high + margin));
    [axes.x, axes.y] = equal(with_margin[0], with_margin[1], width, height);
    let unit = (axes.x.1 - axes.x.0) / width;
    let longest = room.map_or(OUTLINE, |room| (0.9 * room / unit).clamp(6.0, OUTLINE));
    axes.draw(svg, place, (x_ticks, &view.names[0]), (y_ticks, &view.names[1]));
    axes.clipped(svg, place, |svg| {
        for outlines in areas {
            let placed =
                |outline: &Vec<[f64; 2]>| outline.iter().map(|[x, y]| axes.at(*x, *y)).collect::<Vec<_>>();
            svg.area(FORBIDDEN, &outlines.iter().map(placed).collect::<Vec<_>>());
        }
        // The first one is on top.
        for (i, body) in bodies.iter().enumerate().rev() {
            axes.curve(svg, panels, body.position, Stroke::new(path_colour(i), 2.0));
            let value = |column: usize, k: usize| panels.columns[column].values[k];
            let point = |k: usize| axes.at(value(body.position[0], k), value(body.position[1], k));
            for k in instants(panels.samples, posed.len()) {
                match body.heading {
                    Some(heading) if has_frame => frame(svg, point(k), value(heading, k)),
                    Some(heading) => {
                        let length = body.size.map_or(longest, |size| size / unit);
                        outline(svg, point(k), value(heading, k), length, path_colour(i));
                    }
                    None => {}
                }
            }
            mark(svg, point(0), path_colour(i));
        }
    });
}

/// The colour of the i-th path.
pub(super) fn path_colour(i: usize) -> &'static str {
    PATHS[i % PATHS.len()]
}

/// Samples at which bodies are drawn, evenly spaced.
pub(super) fn instants(samples: usize, bodies: usize) -> impl Iterator<Item = usize> {
    let instants = if bodies > 1 { INSTANTS_OF_SEVERAL } else { INSTANTS }.min(samples);
    (0..instants).map(move |i| i * (samples - 1) / (instants - 1).max(1))
}

/// A dot, where there is a point.
pub(super) fn mark(svg: &mut Svg, point: [f64; 2], colour: &str) {
    if point.iter().all(|x| x.is_finite()) {
        svg.dot(point, colour);
    }
}

/// Length of a body, unless that is given.
const OUTLINE: f64 = 28.0;

/// The corners of a body of the length [`OUTLINE`], ahead and to the left.
const CORNERS: [[f64; 2]; 5] = [[16.0, 0.0], [7.0, -8.0], [-12.0, -8.0], [-12.0, 8.0], [7.0, 8.0]];

/// A body that points to `angle`, with the axes of its frame.
fn frame(svg: &mut Svg, [x, y]: [f64; 2], angle: f64) {
    if ![x, y, angle].iter().all(|x| x.is_finite()) {
        return;
    }
    let at = turned([x, y], angle);
    svg.polygon(INK, 0.14, &CORNERS.map(&at));
    arrow(svg, [x, y], at([LENGTH, 0.0]), AXES[0]);
    arrow(svg, [x, y], at([0.0, LENGTH]), AXES[1]);
}

/// A body that points to `angle`, in a colour.
fn outline(svg: &mut Svg, [x, y]: [f64; 2], angle: f64, length: f64, colour: &'static str) {
    if ![x, y, angle].iter().all(|x| x.is_finite()) {
        return;
    }
    let at = turned([x, y], angle);
    let corners = CORNERS.map(|corner| at(corner.map(|x| x * length / OUTLINE)));
    svg.polygon(colour, 0.3, &corners);
    svg.line(Stroke::new(colour, 1.0), corners.into_iter().chain([corners[0]]));
}

/// Points of a frame with this origin and angle in the picture.
fn turned([x, y]: [f64; 2], angle: f64) -> impl Fn([f64; 2]) -> [f64; 2] {
    let (sin, cos) = angle.sin_cos();
    move |[ahead, left]| [x + cos * ahead - sin * left, y - sin * ahead - cos * left]
}

pub(super) fn arrow(svg: &mut Svg, [x0, y0]: [f64; 2], [x1, y1]: [f64; 2], colour: &'static str) {
    let length = (x1 - x0).hypot(y1 - y0);
    let (sin, cos) = (y1 - y0).atan2(x1 - x0).sin_cos();
    let head = length.min(7.0);
    let back = |along: f64, across: f64| {
        [x1 - head * (along * cos - across * sin), y1 - head * (along * sin + across * cos)]
    };
    svg.line(Stroke::new(colour, 2.0), [[x0, y0], back(0.7, 0.0)].into_iter());
    svg.polygon(colour, 1.0, &[[x1, y1], back(0.92, 0.39), back(0.92, -0.39)]);
}
