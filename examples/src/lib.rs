//! What the examples share: where their figures go and how these look.

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
pub use plotters::prelude::SeriesLabelPosition;
use plotters::prelude::*;
use std::collections::BTreeSet;
use std::error::Error;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Okabe and Ito's colours, told apart also by the colour-blind.
pub const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// How the points of a series are drawn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Mark {
    /// Joined by a line of this width in pixels.
    Line(u32),
    /// Joined by a faint line.
    Faint,
    /// Joined by a dashed line.
    Dashed,
    /// As dots of this radius in pixels.
    Dots(u32),
    /// As dots of this radius in pixels, joined by a line.
    Knots(u32),
    /// As circles of this radius in pixels.
    Rings(u32),
}

/// Points that belong together.
#[derive(Clone, Debug)]
pub struct Series {
    /// Name in the legend; empty for none.
    pub name: String,
    /// Colour.
    pub colour: RGBColor,
    /// Line or dots.
    pub mark: Mark,
    /// (x, y).
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// Points with the colour of that index.
    pub fn new(name: impl Into<String>, colour: usize, mark: Mark, points: Vec<(f64, f64)>) -> Series {
        Series { name: name.into(), colour: COLOURS[colour], mark, points }
    }
}

/// A set of axes with series.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Title.
    pub title: String,
    /// Labels of the two axes.
    pub labels: (&'static str, &'static str),
    /// Ranges of the two axes.
    pub ranges: (Range<f64>, Range<f64>),
    /// Whether the two axes are logarithmic.
    pub logarithmic: (bool, bool),
    /// Where the names of the series stand.
    pub legend: SeriesLabelPosition,
    /// What is drawn, the last on top.
    pub series: Vec<Series>,
}

impl Panel {
    /// Axes that are not logarithmic, with their ranges one after the other.
    pub fn new(
        title: &str,
        labels: (&'static str, &'static str),
        [left, right, below, above]: [f64; 4],
        legend: SeriesLabelPosition,
        series: Vec<Series>,
    ) -> Panel {
        Panel {
            title: title.to_owned(),
            labels,
            ranges: (left..right, below..above),
            logarithmic: (false, false),
            legend,
            series,
        }
    }
}

/// The order that an error shows between the last two of its values (step size, error).
///
/// # Panics
/// With less than two values.
pub fn order(errors: &[(f64, f64)]) -> f64 {
    let [.., coarse, fine] = errors else { panic!("two values make an order") };
    (coarse.1 / fine.1).ln() / (coarse.0 / fine.0).ln()
}

/// Errors over step sizes on logarithmic axes, with dashed lines of the given slopes.
pub fn convergence(title: &str, error: &'static str, slopes: &[i32], mut series: Vec<Series>) -> Panel {
    let all = || series.iter().flat_map(|series| &series.points);
    let (low, high) = range(all().map(|point| point.0));
    let (least, most) = range(all().map(|point| point.1));
    // Without names there is no legend to leave room for.
    let named = series.iter().any(|series| !series.name.is_empty());
    let room = if named { (high / low).powf(0.6) } else { 1.3 };
    let texts: Vec<String> = slopes.iter().map(i32::to_string).collect();
    let name = format!("slope {}", texts.join(", "));
    // The slopes fan out from above the largest error.
    let top = 2.0 * most;
    let guides = slopes.iter().enumerate().map(|(k, &slope)| Series {
        name: if named && k == 0 { name.clone() } else { String::new() },
        colour: COLOURS[6],
        mark: Mark::Dashed,
        points: vec![(high, top), (low, top * (low / high).powi(slope))],
    });
    let guides: Vec<Series> = guides.collect();
    series.splice(0..0, guides);
    let decade = |y: f64, round: fn(f64) -> f64| 10f64.powf(round(y.log10()));
    Panel {
        title: title.to_owned(),
        labels: ("step size h", error),
        ranges: (low / 1.3..high * room, decade(least, f64::floor)..decade(top, f64::ceil)),
        logarithmic: (true, true),
        legend: SeriesLabelPosition::LowerRight,
        series,
    }
}

/// The least and the greatest of `values`.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
}

const FONT: &str = "sans-serif";
const GREY: RGBColor = RGBColor(225, 225, 225);

/// Asserts that `value` is `printed` to its printed digits.
///
/// # Panics
/// If it is not, with both numbers and what they are.
pub fn assert_digits(what: &str, value: f64, printed: &str) {
    let expected: f64 = printed.parse().expect("a printed number");
    let decimals = printed.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let tolerance = 0.501 * 0.1f64.powi(decimals as i32);
    assert!((value - expected).abs() <= tolerance, "{what}: expected {printed}, found {value}");
}

/// Writes `panels`, `columns` in a row and each of `size` pixels, as SVG into the directory that is
/// the program's first argument, `out` without one.
///
/// # Errors
/// Where the file cannot be written.
pub fn save(
    name: &str,
    panels: &[Panel],
    columns: usize,
    size: (u32, u32),
) -> Result<PathBuf, Box<dyn Error>> {
    save_in(Path::new(&env::args_os().nth(1).unwrap_or_else(|| "out".into())), name, panels, columns, size)
}

/// As [`save`] into that directory.
///
/// # Errors
/// Where the file cannot be written.
pub fn save_in(
    directory: &Path,
    name: &str,
    panels: &[Panel],
    columns: usize,
    size: (u32, u32),
) -> Result<PathBuf, Box<dyn Error>> {
    fs::create_dir_all(directory)?;
    let path = directory.join(name);
    let mut svg = String::new();
    draw(&mut svg, panels, columns, size)?;
    fs::write(&path, compact(&svg))?;
    Ok(path)
}

/// The same picture in fewer bytes: curves without points that do not change their pixels, and dots of one colour as one path.
fn compact(svg: &str) -> String {
    let mut out = String::new();
    let mut dots: Option<(&str, BTreeSet<(i32, i32)>)> = None;
    for line in svg.lines() {
        match dot(line) {
            Some((at, style)) => match &mut dots {
                Some((of, points)) if *of == style => {
                    points.insert(at);
                }
                _ => {
                    write_dots(&mut out, dots.replace((style, BTreeSet::from([at]))));
                }
            },
            None => {
                write_dots(&mut out, dots.take());
                let curve = line.split_once(" points=\"").filter(|_| line.starts_with("<polyline"));
                match curve.and_then(|(head, rest)| Some((head, rest.split_once('"')?))) {
                    Some((head, (points, tail))) => {
                        let points: Vec<(i32, i32)> = points.split(' ').filter_map(pixel).collect();
                        let points = without_inner(&without_inner(&points, |p| p.0), |p| p.1);
                        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x},{y}")).collect();
                        out += &format!("{head} points=\"{}\"{tail}\n", points.join(" "));
                    }
                    None => out += &format!("{line}\n"),
                }
            }
        }
    }
    write_dots(&mut out, dots);
    out
}

/// Centre and style of a filled circle.
fn dot(line: &str) -> Option<((i32, i32), &str)> {
    let (x, rest) = line.strip_prefix("<circle cx=\"")?.split_once("\" cy=\"")?;
    let (y, style) = rest.split_once("\" ")?;
    style.contains("stroke=\"none\"").then_some(((x.parse().ok()?, y.parse().ok()?), style))
}

/// Dots of one style, as lines of no length with round ends.
fn write_dots(out: &mut String, dots: Option<(&str, BTreeSet<(i32, i32)>)>) {
    let Some((style, points)) = dots else { return };
    let value = |name: &str| Some(style.split_once(&format!("{name}=\""))?.1.split_once('"')?.0);
    let (colour, radius) = (value("fill").unwrap_or("#000000"), value("r").unwrap_or("1"));
    let width = 2.0 * radius.parse().unwrap_or(1.0);
    let (mut path, mut last) = (String::new(), (0, 0));
    for (x, y) in points {
        path += &format!("m{} {}h0", x - last.0, y - last.1);
        last = (x, y);
    }
    *out += &format!(
        "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-linecap=\"round\"/>\n"
    );
}

fn pixel(text: &str) -> Option<(i32, i32)> {
    let (x, y) = text.split_once(',')?;
    Some((x.parse().ok()?, y.parse().ok()?))
}

/// A curve without the inner points of its pieces on which `fixed` is the same: of these, the ends and the extremes cover all.
fn without_inner(points: &[(i32, i32)], fixed: impl Fn(&(i32, i32)) -> i32) -> Vec<(i32, i32)> {
    let mut kept = Vec::new();
    for piece in points.chunk_by(|a, b| fixed(a) == fixed(b)) {
        let ends = [piece.first(), piece.iter().min(), piece.iter().max(), piece.last()];
        kept.extend(ends.into_iter().flatten().copied());
    }
    kept.dedup();
    kept
}

type Undrawn = DrawingAreaErrorKind<io::Error>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn draw(svg: &mut String, panels: &[Panel], columns: usize, size: (u32, u32)) -> Result<(), Undrawn> {
    let rows = panels.len().div_ceil(columns);
    let pixels = (size.0 * columns as u32, size.1 * rows as u32);
    let root = SVGBackend::with_string(svg, pixels).into_drawing_area();
    root.fill(&WHITE)?;
    for (area, panel) in root.split_evenly((rows, columns)).iter().zip(panels) {
        let (x, y) = panel.ranges.clone();
        match panel.logarithmic {
            (false, false) => axes(area, panel, (x, y), (decimal, decimal))?,
            (false, true) => axes(area, panel, (x, y.log_scale()), (decimal, power))?,
            (true, false) => axes(area, panel, (x.log_scale(), y), (power, decimal))?,
            (true, true) => axes(area, panel, (x.log_scale(), y.log_scale()), (power, power))?,
        }
    }
    root.present()
}

/// Text of a tick.
type Label = fn(f64) -> String;

fn axes<X, Y>(
    area: &Area<'_>,
    panel: &Panel,
    (x, y): (X, Y),
    (x_label, y_label): (Label, Label),
) -> Result<(), Undrawn>
where
    X: AsRangedCoord<Value = f64>,
    X::CoordDescType: ValueFormatter<f64>,
    Y: AsRangedCoord<Value = f64>,
    Y::CoordDescType: ValueFormatter<f64>,
{
    let mut chart = ChartBuilder::on(area)
        .caption(&panel.title, (FONT, 18))
        .margin(14)
        .margin_right(24)
        .x_label_area_size(44)
        .y_label_area_size(66)
        .build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .x_desc(panel.labels.0)
        .y_desc(panel.labels.1)
        .axis_desc_style((FONT, 15))
        .label_style((FONT, 13))
        .x_labels(7)
        .y_labels(7)
        .x_label_formatter(&|x| x_label(*x))
        .y_label_formatter(&|y| y_label(*y))
        .light_line_style(TRANSPARENT)
        .bold_line_style(GREY)
        .draw()?;
    for series in &panel.series {
        let points = series.points.iter().copied();
        let style = match series.mark {
            Mark::Line(width) => series.colour.stroke_width(width),
            Mark::Faint => series.colour.mix(0.15).stroke_width(1),
            Mark::Dashed => series.colour.stroke_width(1),
            Mark::Dots(_) => series.colour.filled(),
            Mark::Knots(_) | Mark::Rings(_) => series.colour.stroke_width(2),
        };
        let drawn = match series.mark {
            Mark::Dots(radius) | Mark::Rings(radius) => {
                chart.draw_series(points.map(|point| Circle::new(point, radius, style)))?
            }
            Mark::Knots(radius) => {
                let line = LineSeries::new(points, style).point_size(radius);
                chart.draw_series(line)?
            }
            Mark::Dashed => chart.draw_series(DashedLineSeries::new(points, 5, 4, style))?,
            Mark::Line(_) | Mark::Faint => chart.draw_series(LineSeries::new(points, style))?,
        };
        if !series.name.is_empty() {
            let legend = series.colour.stroke_width(3);
            drawn.label(&series.name).legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], legend));
        }
    }
    if panel.series.iter().any(|series| !series.name.is_empty()) {
        chart
            .configure_series_labels()
            .label_font((FONT, 14))
            .background_style(WHITE.mix(0.85))
            .border_style(GREY)
            .position(panel.legend.clone())
            .draw()?;
    }
    Ok(())
}

/// A short decimal.
fn decimal(x: f64) -> String {
    // Ticks are sums, which miss zero by rounding.
    if x.abs() > 1e-13 && x.abs() < 1e-3 {
        return format!("{x:.1e}").replace('-', "−");
    }
    let text = format!("{x:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.replace('-', "−") }
}

/// A power of ten, or a digit and one.
fn power(y: f64) -> String {
    format!("{y:.0e}").replace('-', "−")
}
