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
        let mut path = String::new();
        let mut drawing = false;
        for [x, y] in points {
            let shown = x.abs() < FAR && y.abs() < FAR;
            if shown {
                // A line of no length is a dot: a point between two gaps is to be seen.
                let _ =
                    if drawing { write!(path, "L{x:.1},{y:.1}") } else { write!(path, "M{x:.1},{y:.1}h0") };
            }
            drawing = shown;
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
