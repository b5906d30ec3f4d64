//! The scoreboard as tables, on the terminal and in Markdown.

use super::board::{Board, Cell, Cloud, Sheet};
use super::energy::{Energy, LOST, Verdict};
use super::volume::CLOUDS;
use crate::list::table;
use nhi_run::model::Family;
use std::borrow::Borrow;
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
        let columns = self.columns();
        if !columns.is_empty() {
            let mut kept = table(header(&columns));
            for row in rows(&columns) {
                kept.add_row(row);
            }
            let _ = writeln!(text, "\n{KEPT_TITLE}\n{}", kept.trim_fmt());
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
        let columns = self.columns();
        if !columns.is_empty() {
            let _ = write!(text, "\n## {KEPT_TITLE}\n\n");
            markdown(&mut text, &header(&columns), rows(&columns));
            text += &self.kept(&columns);
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
            let families = [Family::Dla, Family::Frame, Family::Composed];
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

    /// What methods change of what the motion keeps: energies that are driven, phase volumes, and energies with random step sizes.
    fn columns(&self) -> Vec<Column> {
        let Some(first) = self.sheets.first() else { return Vec::new() };
        let methods: Vec<&str> = first.cells.iter().map(|cell| cell.method.id).collect();
        let mut columns = Vec::new();
        for sheet in self.sheets.iter().filter(|sheet| sheet.course.driven().is_some()) {
            let change =
                |cell: &Cell| Some((cell.method.id, cell.long.as_ref()?.driven.map(|ratio| ratio - 1.0)));
            columns.push(Column {
                name: sheet.course.model.name().trim_start_matches("gearbox_").to_owned(),
                kind: Kind::Driven,
                changes: sheet.cells.iter().filter_map(change).collect(),
            });
        }
        for (model, name) in CLOUDS.into_iter().zip(["volume", "with a spring"]) {
            let change = |cloud: &Cloud| {
                let end = cloud.volume.course.last().filter(|_| cloud.volume.stopped.is_none());
                (cloud.method.map_or("exact", |method| method.id), end.map(|(_, volume)| volume - 1.0))
            };
            let clouds = self.clouds.iter().filter(|cloud| cloud.model == model);
            columns.push(Column {
                name: name.to_owned(),
                kind: Kind::Volume,
                changes: clouds.map(change).collect(),
            });
        }
        // A run that ends early has an infinite error.
        let errors = |i: usize| {
            let cells = self.sheets.iter().filter_map(|sheet| sheet.cells[i].variable.as_ref());
            let mut errors: Vec<f64> = cells.map(|error| *error.as_ref().unwrap_or(&f64::INFINITY)).collect();
            errors.sort_by(f64::total_cmp);
            errors
        };
        for (name, kind) in [("random steps", Kind::Median), ("worst", Kind::Worst)] {
            let error = |(i, id): (usize, &&'static str)| {
                let errors = errors(i);
                let last = errors.len().checked_sub(1)?;
                let place = if kind == Kind::Worst { last } else { last / 2 };
                Some((*id, Some(errors[place])))
            };
            columns.push(Column {
                name: name.to_owned(),
                kind,
                changes: methods.iter().enumerate().filter_map(error).collect(),
            });
        }
        columns.retain(|column| !column.changes.is_empty());
        columns
    }

    /// Which methods keep all of that up to rounding, and which lose energies that are driven.
    fn kept(&self, columns: &[Column]) -> String {
        let Some(first) = self.sheets.first() else { return String::new() };
        let those = |kind: Kind, is_so: &dyn Fn(Option<f64>) -> bool, is_all: bool| {
            let columns: Vec<&Column> = columns.iter().filter(|column| column.kind == kind).collect();
            let methods = first.cells.iter().map(|cell| cell.method.id).filter(|id| {
                let mut so = columns.iter().map(|column| is_so(column.change(id)));
                if is_all { so.all(|so| so) } else { so.any(|so| so) }
            });
            let methods: Vec<String> = methods.map(|id| format!("`{id}`")).collect();
            (!columns.is_empty())
                .then(|| if methods.is_empty() { "none".to_owned() } else { methods.join(", ") })
        };
        let is_kept = |change: Option<f64>| change.is_some_and(|change| change.abs() < KEPT);
        let is_lost = |change: Option<f64>| change.is_none_or(|change| change.abs() > LOST);
        let mut text = String::new();
        for (kind, what) in [
            (Kind::Driven, "The energy of what gearboxes drive"),
            (Kind::Volume, "The phase volume"),
            (Kind::Worst, "With random step sizes the energy of every model"),
        ] {
            if let Some(methods) = those(kind, &is_kept, true) {
                let _ = writeln!(text, "- {what} is kept to {KEPT:.0e} by: {methods}.");
            }
        }
        if let Some(methods) = those(Kind::Driven, &is_lost, false) {
            let _ = writeln!(
                text,
                "- On some gearbox the driven energy changes by more than 10 %, or the run stops, with: {methods}."
            );
        }
        format!("\n{text}")
    }
}

/// What a column shows the change of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Driven,
    Volume,
    Median,
    Worst,
}

/// Relative changes of a quantity that the motion keeps, by methods; `None` where a run ends early.
struct Column {
    name: String,
    kind: Kind,
    changes: Vec<(&'static str, Option<f64>)>,
}

impl Column {
    fn change(&self, id: &str) -> Option<f64> {
        self.changes.iter().find(|(known, _)| *known == id)?.1
    }

    fn cell(&self, id: &str) -> String {
        match self.changes.iter().find(|(known, _)| *known == id) {
            None => "–".to_owned(),
            Some((_, Some(change)))
                if change.is_finite() && matches!(self.kind, Kind::Driven | Kind::Volume) =>
            {
                signed(*change)
            }
            Some((_, Some(change))) if change.is_finite() => number(*change),
            Some(_) => "stops".to_owned(),
        }
    }
}

fn header(columns: &[Column]) -> Vec<String> {
    std::iter::once("method".to_owned()).chain(columns.iter().map(|column| column.name.clone())).collect()
}

/// A row per method, and one for the exact flow where a column has it: in the order of the first column with most rows.
fn rows(columns: &[Column]) -> Vec<Vec<String>> {
    let longest = columns.iter().rev().max_by_key(|column| column.changes.len());
    let ids = longest.map_or(&[][..], |column| &column.changes);
    let row = |(id, _): &(&'static str, Option<f64>)| {
        std::iter::once((*id).to_owned()).chain(columns.iter().map(|column| column.cell(id))).collect()
    };
    ids.iter().map(row).collect()
}

const HEADER: [&str; 8] =
    ["method", "order", "error", "back by −h", "constraint", "energy error", "drift, long run", "parasite"];
const SUMMARY: [&str; 7] =
    ["method", "order", "back by −h", "constraint", "energy bounded", "drifts", "lost / stopped"];
/// Title of the table of [`Board::columns`].
const KEPT_TITLE: &str = "Driven energy, phase volume, and energy with random step sizes";
/// A relative change that counts as rounding.
const KEPT: f64 = 1e-10;

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

fn markdown(
    text: &mut String,
    header: &[impl Borrow<str>],
    rows: impl IntoIterator<Item = impl AsRef<[String]>>,
) {
    let _ = writeln!(text, "| {} |\n|{}", header.join(" | "), "---|".repeat(header.len()));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.as_ref().join(" | "));
    }
}
