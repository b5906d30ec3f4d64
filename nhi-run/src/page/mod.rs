//! A page that plays a motion.

use crate::markup::escaped;
use crate::panels::Panels;
use crate::recording::Recording;

/// Samples on a page, about, at most: a second of work for a browser that draws them, and 10 MB with 60 columns.
const SAMPLES: usize = 20_000;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPTS: [&str; 3] = [include_str!("panel.js"), include_str!("scenes.js"), include_str!("player.js")];

/// An HTML page that shows and plays `recording`: pictures of the body or its path where columns are positions or a pose,
/// all quantities over time, and a phase plane. The page is one file, loads nothing, and needs no network.
///
/// `phase` are the names of the columns of the phase plane. Left out, or where there are no such columns, they are the first
/// coordinate and its velocity, or velocities of the body.
///
/// Long recordings are shown with about 20 000 samples, among them the extremes of every column; the page says so. Values
/// that are not finite are gaps in the curves. Between samples, positions and angles are interpolated linearly.
pub fn page(recording: &Recording, phase: Option<[&str; 2]>) -> String {
    let panels = Panels::of(recording, SAMPLES).with_phase(phase);
    let json = serde_json::to_string(&panels).expect("numbers, names and lists are JSON");
    let title = escaped(&panels.title);
    let scripts = SCRIPTS.concat();
    filled(
        TEMPLATE,
        &[("title", &title), ("style", STYLE), ("recording", &embedded(&json)), ("script", &scripts)],
    )
}

/// `template` with the texts for its marks, such as `{{title}}`. Marks in these texts are none.
fn filled(template: &str, texts: &[(&str, &str)]) -> String {
    let mut pieces = template.split("{{");
    let mut page = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (mark, rest) = piece.split_once("}}").expect("the template closes its marks");
        let (_, text) = texts.iter().find(|(name, _)| *name == mark).expect("the template's marks are known");
        page.push_str(text);
        page.push_str(rest);
    }
    page
}

/// `json` as the content of a `script` element, which ends at `</script` and is read otherwise after `<!--`.
fn embedded(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests;
