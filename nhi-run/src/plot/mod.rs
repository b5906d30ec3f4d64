//! The panels of a recording as one SVG picture.

mod chart;
mod figure;
mod space;
mod svg;

pub use figure::{Chart, Curve, Field, Matrix, Scale, figure, matrix};

use crate::panels::{Panels, Scene, Series};
use crate::recording::Recording;
use svg::{Anchor, Svg};

/// Samples in a plot, about, at most: several for each of its pixels.
const SAMPLES: usize = 3_000;

/// Sizes in pixels.
const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 330.0;
const GAP: f64 = 24.0;
const HEADING: f64 = 74.0;
/// The part of a panel that its title takes, and each line of its legend.
const TITLE: f64 = 24.0;
const ROW: f64 = 17.0;
/// Width of a letter, about.
const LETTER: f64 = 7.2;

const INK: &str = "#1d232b";
const QUIET: &str = "#5c6670";
const GRID: &str = "#e4e7ea";
const FRAME: &str = "#b9c0c8";
const WARNING: &str = "#b03a00";
/// What a motion keeps out of.
const FORBIDDEN: &str = "#8a6d5c";
/// Okabe and Ito's palette, which is safe for colour-blind readers.
pub const COLOURS: [&str; crate::panels::CURVES] =
    ["#0072b2", "#009e73", "#d55e00", "#cc79a7", "#e69f00", "#56b4e9", INK];
/// The colours of the axes of a body, and of paths.
const AXES: [&str; 3] = [COLOURS[2], COLOURS[1], COLOURS[0]];
const PATHS: [&str; crate::panels::CURVES] =
    [COLOURS[3], COLOURS[4], COLOURS[5], COLOURS[6], COLOURS[0], COLOURS[1], COLOURS[2]];

/// An SVG picture of `recording` with the panels of its [`page`](crate::page()): pictures of the body or its path where columns
/// are positions or a pose, all quantities over time, and a phase plane of the columns `phase`.
///
/// Long recordings are shown with about 3 000 samples, among them the extremes of every column. Values that are not finite
/// are gaps in the curves.
pub fn plot(recording: &Recording, phase: Option<[&str; 2]>) -> String {
    let panels = Panels::of(recording, SAMPLES).with_phase(phase);
    let mut svg = Svg::new();
    let mut drawings: Vec<Drawing<'_>> = Vec::new();
    if panels.samples > 0 {
        drawings.extend(panels.scenes.iter().map(Drawing::Scene));
        if panels.time.is_some() {
            drawings.extend(panels.series.iter().map(Drawing::Series));
        }
        drawings.extend(panels.phase.map(Drawing::Phase));
    }
    let columns = match drawings.len() {
        0..=1 => 1,
        2..=4 => 2,
        _ => 3,
    };
    let rows = drawings.len().div_ceil(columns);
    let width = GAP + columns as f64 * (WIDTH + GAP);
    let below = heading(&mut svg, &panels, width);
    for (i, drawing) in drawings.iter().enumerate() {
        let (row, column) = ((i / columns) as f64, (i % columns) as f64);
        let place =
            Place { number: i, left: GAP + column * (WIDTH + GAP), top: below + row * (HEIGHT + GAP) };
        match drawing {
            Drawing::Scene(Scene::Plane { title, bodies, view, room, areas }) => {
                chart::plane(&mut svg, &panels, place, (title, areas), bodies, (view, *room));
            }
            Drawing::Scene(Scene::Sphere { title, rotation }) => {
                space::sphere(&mut svg, &panels, place, title, rotation);
            }
            Drawing::Scene(Scene::Space { title, bodies, view, ball }) => {
                space::bodies(&mut svg, &panels, place, title, bodies, (view, ball));
            }
            Drawing::Series(series) => chart::series(&mut svg, &panels, place, series),
            Drawing::Phase(columns) => chart::phase(&mut svg, &panels, place, *columns),
        }
    }
    let height = below + rows as f64 * (HEIGHT + GAP);
    svg.finished(width, height, &panels.title)
}

/// What a panel shows.
enum Drawing<'a> {
    Scene(&'a Scene),
    Series(&'a Series),
    Phase([usize; 2]),
}

/// Where a panel is.
#[derive(Clone, Copy)]
struct Place {
    /// Counts the panels.
    number: usize,
    left: f64,
    top: f64,
}

impl Place {
    /// Writes the title and names with their colours, and gives the top of the rest.
    fn titled<'a>(
        &self,
        svg: &mut Svg,
        title: &str,
        legend: impl IntoIterator<Item = (&'a str, &'static str)>,
    ) -> f64 {
        svg.text([self.left, self.top + 14.0], 14, Anchor::Start, INK, title);
        let (mut x, mut y) = (self.left, self.top + TITLE + 9.0);
        let mut bottom = self.top + TITLE;
        for (name, colour) in legend {
            let length = 24.0 + LETTER * name.chars().count() as f64;
            if x > self.left && x + length > self.left + WIDTH {
                (x, y) = (self.left, y + ROW);
            }
            svg.line(svg::Stroke::new(colour, 3.0), [[x + 1.0, y - 4.0], [x + 15.0, y - 4.0]].into_iter());
            svg.text([x + 21.0, y], 12, Anchor::Start, QUIET, name);
            x += length + 12.0;
            bottom = y + 6.0;
        }
        bottom
    }

    fn bottom(&self) -> f64 {
        self.top + HEIGHT
    }

    fn right(&self) -> f64 {
        self.left + WIDTH
    }
}

/// Writes what was run, and gives the top of the rest.
fn heading(svg: &mut Svg, panels: &Panels, width: f64) -> f64 {
    svg.text([GAP, 34.0], 20, Anchor::Start, INK, &panels.title);
    let parameters: Vec<String> =
        panels.parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let mut lines = wrapped(&panels.facts, " · ", width);
    lines.extend(wrapped(&parameters, ", ", width));
    let mut y = HEADING - 18.0;
    for line in &lines {
        svg.text([GAP, y], 13, Anchor::Start, QUIET, line);
        y += ROW + 1.0;
    }
    if let Some(reason) = &panels.stopped {
        let words: Vec<String> = reason.split(' ').map(str::to_owned).collect();
        for (i, line) in wrapped(&words, " ", width - 170.0).iter().enumerate() {
            let line = if i == 0 { format!("The run ended early: {line}") } else { line.clone() };
            svg.text([GAP, y], 13, Anchor::Start, WARNING, &line);
            y += ROW + 1.0;
        }
    }
    if panels.samples == 0 {
        svg.text([GAP, y], 13, Anchor::Start, QUIET, "no samples");
        y += ROW + 1.0;
    }
    y + 8.0
}

/// `items` joined to lines that fit in a picture.
fn wrapped(items: &[String], separator: &str, width: f64) -> Vec<String> {
    let most = ((width - 2.0 * GAP) / LETTER) as usize;
    let mut lines: Vec<String> = Vec::new();
    for item in items {
        match lines.last_mut() {
            Some(line) if line.chars().count() + separator.len() + item.chars().count() <= most => {
                line.push_str(separator);
                line.push_str(item);
            }
            _ => lines.push(item.clone()),
        }
    }
    lines
}

#[cfg(test)]
mod tests;
