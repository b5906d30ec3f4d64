//! Figures of several curves in the style of the plots, for what is no recording.

use super::chart::Axes;
use super::svg::{Anchor, Stroke, Svg};
use super::{GAP, HEIGHT, INK, LETTER, Place, QUIET, WIDTH};
use crate::panels::{Axis, Ticks, decades, equal, ticks};

/// A line of a chart.
#[derive(Clone, PartialEq, Debug)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// One of [`COLOURS`](super::COLOURS), or any other of SVG.
    pub colour: &'static str,
    /// In pixels.
    pub width: f64,
    /// Its points (x, y). Those that are not finite are gaps.
    pub points: Vec<(f64, f64)>,
}

/// The scales of a chart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scale {
    /// Both axes fill the chart.
    Fill,
    /// A unit is equally long on both axes.
    Equal,
    /// The vertical axis is logarithmic.
    Logarithmic,
    /// Both axes are logarithmic.
    DoublyLogarithmic,
}

/// Axes with curves.
#[derive(Clone, PartialEq, Debug)]
pub struct Chart {
    /// What stands above it.
    pub title: String,
    /// The name of the horizontal axis.
    pub x: String,
    /// The name of the vertical axis.
    pub y: String,
    /// How values are placed.
    pub scale: Scale,
    /// The curves; the first one is drawn on top.
    pub curves: Vec<Curve>,
}

/// Charts side by side, as SVG. `title` is for readers that do not see them.
pub fn figure(title: &str, charts: &[Chart]) -> String {
    let mut svg = Svg::new();
    for (number, chart) in charts.iter().enumerate() {
        chart.draw(&mut svg, Place { number, left: GAP + number as f64 * (WIDTH + GAP), top: GAP / 2.0 });
    }
    svg.finished(GAP + charts.len() as f64 * (WIDTH + GAP), HEIGHT + GAP, title)
}

impl Chart {
    fn draw(&self, svg: &mut Svg, place: Place) {
        let legend = self.curves.iter().map(|curve| (curve.name.as_str(), curve.colour));
        let top = place.titled(svg, &self.title, legend);
        let curves: Vec<Vec<[f64; 2]>> = self.curves.iter().map(|curve| self.placed(curve)).collect();
        let y: Vec<f64> = curves.iter().flatten().map(|point| point[1]).collect();
        let x: Vec<f64> = match self.scale {
            Scale::DoublyLogarithmic => curves.iter().flatten().map(|point| point[0]).collect(),
            // Those of values without a place, too.
            _ => self.curves.iter().flat_map(|curve| &curve.points).map(|point| point.0).collect(),
        };
        let (mut x, mut y) = match self.scale {
            Scale::Fill => (linear(Axis::exact(&x)), linear(Axis::of([y.as_slice()]))),
            Scale::Equal => (linear(Axis::of([x.as_slice()])), linear(Axis::of([y.as_slice()]))),
            Scale::Logarithmic => (linear(Axis::exact(&x)), decades(&y)),
            Scale::DoublyLogarithmic => (decades(&x), decades(&y)),
        };
        let mut axes = Axes::within(place, top, x.0, y.0, &y.1, &self.y);
        if self.scale == Scale::Equal {
            let (width, height) = axes.size();
            let [wide, high] = equal(x.0, y.0, width, height);
            (x, y) = (ticked(wide), ticked(high));
            axes = Axes::within(place, top, x.0, y.0, &y.1, &self.y);
        }
        axes.draw(svg, place, (&x.1, &self.x), (&y.1, &self.y));
        axes.clipped(svg, place, |svg| {
            for (curve, points) in self.curves.iter().zip(&curves).rev() {
                let stroke = Stroke::new(curve.colour, curve.width);
                svg.line(stroke, points.iter().map(|&[x, y]| axes.at(x, y.max(axes.bottom_value()))));
            }
        });
    }

    /// The points of a curve where they stand on the axes. On a logarithmic axis, zero has no place.
    fn placed(&self, curve: &Curve) -> Vec<[f64; 2]> {
        let point = |&(x, y): &(f64, f64)| match self.scale {
            Scale::Fill | Scale::Equal => Some([x, y]),
            Scale::Logarithmic => (y != 0.0).then(|| [x, y.log10()]),
            Scale::DoublyLogarithmic => (x != 0.0 && y != 0.0).then(|| [x.log10(), y.log10()]),
        };
        curve.points.iter().filter_map(point).collect()
    }
}

type Range = ((f64, f64), Ticks);

fn linear(axis: Axis) -> Range {
    (axis.range(), axis.ticks)
}

fn ticked((low, high): (f64, f64)) -> Range {
    ((low, high), ticks(low, high, high - low))
}

/// A table of coloured fields.
#[derive(Clone, PartialEq, Debug)]
pub struct Matrix<'a> {
    /// What stands above the columns, upright, and the fields of each, from above.
    pub columns: Vec<(&'a str, Vec<Field>)>,
    /// What stands beside the rows.
    pub rows: Vec<&'a str>,
    /// Colours with their meanings.
    pub legend: Vec<(&'static str, &'a str)>,
}

/// A field of a [`Matrix`].
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// Its colour.
    pub colour: &'static str,
    /// What stands in it.
    pub text: String,
}

/// A matrix as SVG. `title` is for readers that do not see it.
pub fn matrix(title: &str, matrix: &Matrix<'_>) -> String {
    const ROW: f64 = 20.0;
    const COLUMN: f64 = 50.0;
    const MEANING: f64 = 190.0;
    let longest = |names: &mut dyn Iterator<Item = &&str>| {
        names.map(|name| name.chars().count()).max().unwrap_or(0) as f64 * LETTER
    };
    let left = GAP + longest(&mut matrix.rows.iter());
    let top = GAP + longest(&mut matrix.columns.iter().map(|(name, _)| name));
    let below = top + ROW * matrix.rows.len() as f64;
    let mut svg = Svg::new();
    let rectangle = |svg: &mut Svg, colour: &str, [x0, y0]: [f64; 2], [x1, y1]: [f64; 2]| {
        svg.polygon(colour, 1.0, &[[x0, y0], [x1, y0], [x1, y1], [x0, y1]]);
    };
    for (row, name) in matrix.rows.iter().enumerate() {
        svg.text([8.0, top + ROW * row as f64 + 14.0], 13, Anchor::Start, INK, name);
    }
    for (column, (name, fields)) in matrix.columns.iter().enumerate() {
        let x = left + COLUMN * column as f64;
        svg.rotated_text([x + COLUMN / 2.0 + 4.0, top - 8.0], -90, 13, Anchor::Start, INK, name);
        for (row, field) in fields.iter().enumerate() {
            let y = top + ROW * row as f64;
            rectangle(&mut svg, field.colour, [x + 1.0, y + 1.0], [x + COLUMN - 1.0, y + ROW - 1.0]);
            svg.text([x + COLUMN / 2.0, y + 14.0], 12, Anchor::Middle, INK, &field.text);
        }
    }
    for (i, (colour, meaning)) in matrix.legend.iter().enumerate() {
        let (x, y) = (8.0 + MEANING * i as f64, below + 25.0);
        rectangle(&mut svg, colour, [x, y - 8.0], [x + 26.0, y + 8.0]);
        svg.text([x + 34.0, y + 4.0], 13, Anchor::Start, QUIET, meaning);
    }
    let width = left + COLUMN * matrix.columns.len() as f64 + GAP;
    svg.finished(width.max(8.0 + MEANING * matrix.legend.len() as f64), below + 50.0, title)
}
