//! Writes SVG.

use crate::markup::escaped;
use std::fmt::Write as _;

/// An SVG picture as it is written. Lengths are in pixels, y downwards.
pub(super) struct Svg {
    body: String,
}

/// Where a text stands relative to its point.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Where readers of SVG may give up, in pixels.
const FAR: f64 = 1e6;
/// The precision of lines, in pixels.
const TOLERANCE: f64 = 0.1;

/// How a line is drawn.
#[derive(Clone, Copy)]
pub(super) struct Stroke {
    pub(super) colour: &'static str,
    pub(super) width: f64,
    pub(super) opacity: f64,
}

impl Stroke {
    pub(super) fn new(colour: &'static str, width: f64) -> Stroke {
        Stroke { colour, width, opacity: 1.0 }
    }
}

impl Svg {
    pub(super) fn new() -> Svg {
        Svg { body: String::new() }
    }

    /// The picture with a white background and a title for readers that do not see it.
    pub(super) fn finished(self, width: f64, height: f64, title: &str) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" \
             font-family=\"system-ui, 'DejaVu Sans', sans-serif\" stroke-linejoin=\"round\" \
             stroke-linecap=\"round\">\n<title>{}</title>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n{}</svg>\n",
            escaped(title),
            self.body
        )
    }

    pub(super) fn text(&mut self, [x, y]: [f64; 2], size: u32, anchor: Anchor, colour: &str, text: &str) {
        self.rotated_text([x, y], 0, size, anchor, colour, text);
    }

    /// A text turned by an angle in degrees, clockwise.
    pub(super) fn rotated_text(
        &mut self,
        [x, y]: [f64; 2],
        angle: i32,
        size: u32,
        anchor: Anchor,
        colour: &str,
        text: &str,
    ) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let turned =
            if angle == 0 { String::new() } else { format!(" transform=\"rotate({angle} {x:.1} {y:.1})\"") };
        self.element(&format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\"{turned} font-size=\"{size}\" text-anchor=\"{anchor}\" \
             fill=\"{colour}\">{}</text>",
            escaped(text)
        ));
    }

    /// A line through points, with gaps where they are not finite or far outside of any picture.
    pub(super) fn line(&mut self, stroke: Stroke, points: impl Iterator<Item = [f64; 2]>) {
        let points: Vec<[f64; 2]> = points.collect();
        let mut path = String::new();
        for piece in points.split(|[x, y]| !(x.abs() < FAR && y.abs() < FAR)) {
            let mut last: Option<[i64; 2]> = None;
            for point in simplified(piece) {
                let [x, y] = point.map(|x| (10.0 * x).round() as i64);
                let _ = match last {
                    // A line of no length is a dot: a point between two gaps is to be seen.
                    None => write!(path, "M{},{}h0", tenths(x), tenths(y)),
                    // Relative to the point before, numbers are short.
                    Some(last) => write!(path, "l{},{}", tenths(x - last[0]), tenths(y - last[1])),
                };
                last = Some([x, y]);
            }
        }
        if path.is_empty() {
            return;
        }
        let Stroke { colour, width, opacity } = stroke;
        let faint = if opacity < 1.0 { format!(" stroke-opacity=\"{opacity}\"") } else { String::new() };
        self.element(&format!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"{faint}/>"
        ));
    }

    pub(super) fn polygon(&mut self, fill: &str, opacity: f64, points: &[[f64; 2]]) {
        let points: Vec<String> = points.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        self.element(&format!(
            "<polygon points=\"{}\" fill=\"{fill}\" fill-opacity=\"{opacity}\"/>",
            points.join(" ")
        ));
    }

    /// Polygons that are filled where an odd number of them is around a point.
    pub(super) fn area(&mut self, colour: &str, outlines: &[Vec<[f64; 2]>]) {
        let mut path = String::new();
        for outline in outlines {
            for (k, [x, y]) in simplified(outline).into_iter().enumerate() {
                let _ = write!(path, "{}{x:.1},{y:.1}", if k == 0 { 'M' } else { 'L' });
            }
            path.push('Z');
        }
        self.element(&format!(
            "<path d=\"{path}\" fill=\"{colour}\" fill-opacity=\"0.22\" fill-rule=\"evenodd\" stroke=\"{colour}\"/>"
        ));
    }

    /// A broken line.
    pub(super) fn dashes(&mut self, stroke: Stroke, [[x0, y0], [x1, y1]]: [[f64; 2]; 2]) {
        let Stroke { colour, width, .. } = stroke;
        self.element(&format!(
            "<path d=\"M{x0:.1},{y0:.1}L{x1:.1},{y1:.1}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" \
             stroke-dasharray=\"6 5\"/>"
        ));
    }

    pub(super) fn dot(&mut self, [x, y]: [f64; 2], colour: &str) {
        self.element(&format!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\" stroke=\"#ffffff\" stroke-width=\"1.5\"/>"
        ));
    }

    pub(super) fn circle(&mut self, stroke: Stroke, [x, y]: [f64; 2], radius: f64) {
        let Stroke { colour, width, .. } = stroke;
        self.element(&format!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"none\" stroke=\"{colour}\" \
             stroke-width=\"{width}\"/>"
        ));
    }

    /// A disk that is filled with the opacity of its stroke.
    pub(super) fn disk(&mut self, stroke: Stroke, [x, y]: [f64; 2], radius: f64) {
        let Stroke { colour, width, opacity } = stroke;
        self.element(&format!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"{colour}\" fill-opacity=\"{opacity}\" \
             stroke=\"{colour}\" stroke-width=\"{width}\"/>"
        ));
    }

    /// What `draw` draws is cut off outside of a rectangle.
    pub(super) fn clipped(
        &mut self,
        name: usize,
        [x, y, width, height]: [f64; 4],
        draw: impl FnOnce(&mut Svg),
    ) {
        self.element(&format!(
            "<clipPath id=\"box{name}\"><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\"/></clipPath>\n<g clip-path=\"url(#box{name})\">"
        ));
        draw(self);
        self.element("</g>");
    }

    fn element(&mut self, text: &str) {
        self.body.push_str(text);
        self.body.push('\n');
    }
}

/// A number of tenths as a decimal.
fn tenths(x: i64) -> String {
    let sign = if x < 0 { "-" } else { "" };
    match (x.unsigned_abs() / 10, x.unsigned_abs() % 10) {
        (whole, 0) => format!("{sign}{whole}"),
        (0, tenth) => format!("{sign}.{tenth}"),
        (whole, tenth) => format!("{sign}{whole}.{tenth}"),
    }
}

/// The points of a polyline but for those that are nearer than [`TOLERANCE`] to the line through the others (Ramer 1972, Douglas
/// and Peucker 1973).
fn simplified(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let Some(last) = points.len().checked_sub(1) else { return Vec::new() };
    let mut kept = vec![false; points.len()];
    (kept[0], kept[last]) = (true, true);
    let mut pieces = vec![(0, last)];
    while let Some((from, to)) = pieces.pop() {
        let distance = |k: &usize| distance(points[*k], points[from], points[to]);
        let farthest = (from + 1..to).max_by(|a, b| distance(a).total_cmp(&distance(b)));
        if let Some(k) = farthest.filter(|k| distance(k) > TOLERANCE) {
            kept[k] = true;
            pieces.extend([(from, k), (k, to)]);
        }
    }
    points.iter().zip(kept).filter(|(_, kept)| *kept).map(|(point, _)| *point).collect()
}

/// The distance of a point from the segment between two others.
fn distance([x, y]: [f64; 2], [x0, y0]: [f64; 2], [x1, y1]: [f64; 2]) -> f64 {
    let (along, across) = (x1 - x0, y1 - y0);
    let square = along * along + across * across;
    let share = if square > 0.0 { ((x - x0) * along + (y - y0) * across) / square } else { 0.0 };
    let share = share.clamp(0.0, 1.0);
    (x - x0 - share * along).hypot(y - y0 - share * across)
}
