//! The scoreboard as tables, on the terminal and in Markdown.

use super::board::{Board, Cell, Sheet};
use super::energy::{Energy, Verdict};
use crate::list::table;
use nhi_run::model::Family;
use std::fmt::Write;

/// Text above the tables: which method to use.
const MINUTE: &str = include_str!("minute.md");
/// Text below the tables: definitions.
const MEASURED: &str = include_str!("measured.md");
/// Reasons for unexpected cells of the models of the literature.
const REASONS: &str = include_str!("reasons.md");

impl Board {
    /// For the terminal.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for sheet in &self.sheets {
            let mut table = table(HEADER);
            for cell in &sheet.cells {
                table.add_row(cells(cell));
            }
            let _ = write!(text, "{}\n{}\n{}\n", title(sheet), table.trim_fmt(), failures(sheet));
        }
        let mut summary = table(SUMMARY);
        for row in self.summary() {
            summary.add_row(row);
        }
        let _ = writeln!(text, "All of them\n{}", summary.trim_fmt());
        if !self.clouds.is_empty() {
            let mut volumes = table(VOLUME);
            for row in self.volumes() {
                volumes.add_row(row);
            }
            let _ = writeln!(text, "\nPhase volume of the nonholonomic particle\n{}", volumes.trim_fmt());
        }
        text
    }

    /// For the documentation, with the figures of the given names and captions.
    pub(crate) fn markdown(&self, figures: &[(&str, &str)]) -> String {
        let mut text = format!("{MINUTE}\n## All models\n\n");
        markdown(&mut text, &SUMMARY, self.summary());
        text += &self.findings();
        for (name, caption) in figures {
            let _ = write!(text, "\n![{caption}]({name})\n\n{caption}\n");
        }
        if !self.clouds.is_empty() {
            text += "\n## Phase volume\n\n";
            markdown(&mut text, &VOLUME, self.volumes());
        }
        let _ = write!(text, "\n{MEASURED}");
        // Each of them is about one of these models.
        if super::names().all(|name| self.sheets.iter().any(|sheet| sheet.course.model.name() == name)) {
            let _ = write!(text, "\n{REASONS}");
        }
        for sheet in &self.sheets {
            let _ = write!(text, "\n## {}\n\n", title(sheet));
            markdown(&mut text, &HEADER, sheet.cells.iter().map(cells));
            let failures = failures(sheet);
            if !failures.is_empty() {
                let _ = write!(text, "\n{failures}");
            }
        }
        text
    }

    /// A row per method, over all models.
    fn summary(&self) -> Vec<[String; 7]> {
        let Some(first) = self.sheets.first() else { return Vec::new() };
        let row = |i: usize| {
            let cells: Vec<&Cell> = self.sheets.iter().map(|sheet| &sheet.cells[i]).collect();
            let slopes = cells.iter().filter(|cell| cell.order.settled).filter_map(|cell| cell.order.slope);
            let worst = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
            let own = worst(&mut cells.iter().filter_map(|cell| cell.reversal.as_ref().ok()?.own.ok()));
            let count =
                |verdict| cells.iter().filter(|cell| cell.verdict() == Some(verdict)).count().to_string();
            [
                cells[0].method.id.to_owned(),
                range(slopes),
                number(own),
                number(worst(&mut cells.iter().map(|cell| cell.residual))),
                count(Verdict::Bounded),
                count(Verdict::Drifting),
                format!("{} / {}", count(Verdict::Lost), count(Verdict::Stopped)),
            ]
        };
        (0..first.cells.len()).map(row).collect()
    }

    /// On which models the energy error of the symmetric methods on the constraints is bounded, and what the others do.
    fn findings(&self) -> String {
        let (mut bounded, mut others) = (Vec::new(), String::new());
        for sheet in &self.sheets {
            let families = [Family::Dla, Family::Composed];
            let symmetric = |cell: &&Cell| {
                families.contains(&cell.method.family) && cell.method.adjoint == Some(cell.method.id)
            };
            let runs: Vec<(&str, &Energy)> = sheet
                .cells
                .iter()
                .filter(symmetric)
                .filter_map(|cell| Some((cell.method.id, cell.decisive()?)))
                .collect();
            if runs.is_empty() {
                continue;
            }
            let name = sheet.course.model.name();
            let (held, unbounded): (Vec<_>, Vec<_>) =
                runs.into_iter().partition(|(_, energy)| energy.verdict() == Verdict::Bounded);
            if unbounded.is_empty() {
                bounded.push(format!("`{name}`"));
                continue;
            }
            let told: Vec<String> =
                unbounded.iter().map(|(id, energy)| format!("`{id}` {}", drift(energy))).collect();
            let held: Vec<String> = held.iter().map(|(id, _)| format!("`{id}`")).collect();
            let held = if held.is_empty() { "none".to_owned() } else { held.join(", ") };
            let _ = writeln!(others, "- `{name}`: {}. Bounded: {held}.", told.join("; "));
        }
        let mut text = String::new();
        if !bounded.is_empty() {
            let _ = writeln!(
                text,
                "\nOver {} steps the energy error of all symmetric methods on the constraints is bounded on {}.",
                self.steps,
                bounded.join(", ")
            );
        }
        if !others.is_empty() {
            let _ = write!(text, "\nOn these models it is not:\n\n{others}");
        }
        text
    }

    fn volumes(&self) -> Vec<[String; 3]> {
        let change = |model: &str, id: Option<&str>| {
            let cloud = self
                .clouds
                .iter()
                .find(|cloud| cloud.model == model && cloud.method.map(|method| method.id) == id);
            cloud.map_or("–".to_owned(), |cloud| {
                match (&cloud.volume.stopped, cloud.volume.course.last()) {
                    (None, Some((_, volume))) => signed(volume - 1.0),
                    _ => "stopped".to_owned(),
                }
            })
        };
        let ids = self.sheets.first().map_or(Vec::new(), |sheet| {
            sheet.cells.iter().map(|cell| Some(cell.method.id)).collect::<Vec<_>>()
        });
        let row = |id: Option<&'static str>| {
            [id.unwrap_or("exact").to_owned(), change("nh_particle", id), change("nh_particle_harmonic", id)]
        };
        std::iter::once(None).chain(ids).map(row).collect()
    }
}

const HEADER: [&str; 8] =
    ["method", "order", "error", "back by −h", "constraint", "energy error", "drift, long run", "parasite"];
const SUMMARY: [&str; 7] =
    ["method", "order", "back by −h", "constraint", "energy bounded", "drifts", "lost / stopped"];
const VOLUME: [&str; 3] = ["method", "free", "with a spring"];

fn title(sheet: &Sheet) -> String {
    let course = &sheet.course;
    let span = format!("h = {} to t = {}", course.h, course.span);
    match course.model.summary() {
        "" => format!("{}: {span}", course.model.name()),
        summary => format!("{}: {summary}, {span}", course.model.name()),
    }
}

fn cells(cell: &Cell) -> [String; 8] {
    let order = match cell.order.slope {
        Some(slope) if cell.order.settled => format!("{slope:.2}"),
        Some(slope) => format!("~{slope:.1}"),
        None => "–".to_owned(),
    };
    let reversal = match &cell.reversal {
        Ok(reversal) => {
            let error =
                |error: &Result<f64, _>| error.as_ref().map_or("fails".to_owned(), |error| number(*error));
            let own = error(&reversal.own);
            reversal.adjoint.as_ref().map_or(own.clone(), |adjoint| format!("{own} ({})", error(adjoint)))
        }
        Err(_) => "fails".to_owned(),
    };
    let energy = |energy: &Energy| {
        let [first, second] = energy.halves.map(number);
        if first == second { first } else { format!("{first}, {second}") }
    };
    let parasite = cell.parasite.as_ref().map(|parasite| {
        let [first, last] = parasite.ends.map(number);
        format!("{first} → {last}")
    });
    let or_none = |text: Option<String>| text.unwrap_or("–".to_owned());
    [
        cell.method.id.to_owned(),
        order,
        or_none(cell.order.shown.map(number)),
        reversal,
        number(cell.residual),
        or_none(cell.energy.as_ref().map(energy)),
        or_none(cell.decisive().map(drift)),
        or_none(parasite),
    ]
}

/// What the energy does over a run.
fn drift(energy: &Energy) -> String {
    match (energy.verdict(), energy.lost) {
        (Verdict::Stopped, _) => "stops".to_owned(),
        (Verdict::Lost, Some(t)) => format!("lost at t = {t:.1}"),
        (Verdict::Drifting, _) => format!("{} of {}", signed(energy.drift), number(energy.largest())),
        _ => "none".to_owned(),
    }
}

/// Runs that ended early, a line each.
fn failures(sheet: &Sheet) -> String {
    let mut text = String::new();
    for cell in &sheet.cells {
        let stopped = |energy: &Option<Energy>| energy.as_ref().and_then(|energy| energy.stopped.clone());
        if let Some(reason) = stopped(&cell.energy).or_else(|| stopped(&cell.long)) {
            let _ = writeln!(text, "- {} stops: {reason}", cell.method.id);
        }
    }
    text
}

/// Two digits.
fn number(x: f64) -> String {
    match x {
        0.0 => "0".to_owned(),
        x if x.is_finite() => format!("{x:.1e}"),
        _ => "∞".to_owned(),
    }
}

fn signed(x: f64) -> String {
    format!("{x:+.1e}")
}

fn range(values: impl Iterator<Item = f64>) -> String {
    let mut texts: Vec<_> = values.collect();
    texts.sort_by(f64::total_cmp);
    match texts[..] {
        [] => "–".to_owned(),
        [low, .., high] if format!("{low:.2}") != format!("{high:.2}") => format!("{low:.2} to {high:.2}"),
        [low, ..] => format!("{low:.2}"),
    }
}

fn markdown<const N: usize>(
    text: &mut String,
    header: &[&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) {
    let _ = writeln!(text, "| {} |\n|{}", header.join(" | "), "---|".repeat(N));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
}
