//! Generated steps in number types other than `f64`: the cost of derivatives.

use crate::document::Table;
use crate::generated::{self, in_numbers};
use crate::time::nanoseconds;
use crate::{Kind, Run, Start};
use nhi_models::{chaotic_r7, contact_oscillator, sleigh_com, snakeboard};
use nhi_runtime::{Dla2, Dual, Rattle};
use std::fmt::Write;

/// Steps after which a trajectory restarts: the snakeboard in `f32`, which rounds the phases of its torques, soon
/// reaches a singularity of its constraints.
const MOST_STEPS: u64 = 500;

/// A workload, a method and the number type of its steps.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// `W1` to `W4`.
    pub workload: &'static str,
    /// Name of the model.
    pub model: &'static str,
    /// Id of the method.
    pub method: &'static str,
    /// Directions of its derivatives; none for `f32`.
    pub directions: Option<usize>,
    /// A trajectory from the model's initial data, whose first numbers are the variables.
    pub start: fn() -> Box<dyn Run>,
}

/// A number of the state, a variable if there is a direction for its index.
fn dual<const N: usize>(x: f64, place: usize) -> Dual<f64, N> {
    if place < N { Dual::variable(x, place) } else { Dual::constant(x) }
}

macro_rules! cases {
    ($($workload:literal $row:path, $n:literal, $id:literal $method:expr;)*) => {
        /// All cases, those of one workload and method together.
        pub fn cases() -> Vec<Case> {
            let case = |workload, model, method, directions, start| Case {
                workload, model, method, directions, start,
            };
            let mut all: Vec<Case> = Vec::new();
            $(
                let single = || in_numbers(&$row, $method, |x, _| x as f32);
                let one = || in_numbers(&$row, $method, dual::<1>);
                let state = || in_numbers(&$row, $method, dual::<{ 2 * $n }>);
                all.push(case($workload, $row.name, $id, None, single));
                all.push(case($workload, $row.name, $id, Some(1), one));
                all.push(case($workload, $row.name, $id, Some(2 * $n), state));
            )*
            all
        }
    };
}

// With the number of coordinates.
cases! {
    "W1" contact_oscillator::MODEL, 3, "dla2" Dla2;
    "W1" contact_oscillator::MODEL, 3, "rattle" Rattle;
    "W2" chaotic_r7::MODEL, 7, "dla2" Dla2;
    "W2" chaotic_r7::MODEL, 7, "rattle" Rattle;
    "W3" sleigh_com::MODEL, 3, "dla2" Dla2;
    "W3" sleigh_com::MODEL, 3, "rattle" Rattle;
    "W4" snakeboard::MODEL, 5, "dla2" Dla2;
    "W4" snakeboard::MODEL, 5, "rattle" Rattle;
}

impl Case {
    /// Its name in a table.
    fn label(&self) -> String {
        match self.directions {
            None => "f32".into(),
            Some(1) => "1 derivative".into(),
            Some(n) => format!("{n} derivatives"),
        }
    }
}

/// Measures all cases together with those in `f64`.
pub fn table() -> Table {
    let (cases, all_in_f64) = (cases(), generated::cases());
    let mut starts: Vec<Start<'_>> = Vec::new();
    let mut measured = Vec::new();
    for group in cases.chunk_by(|a, b| (a.workload, a.method) == (b.workload, b.method)) {
        let in_f64 = all_in_f64.iter().filter(|c| {
            (c.workload, c.method) == (group[0].workload, group[0].method) && c.kind != Kind::Fused
        });
        let first = starts.len();
        starts.extend(in_f64.map(|case| &case.start as Start<'_>));
        starts.extend(group.iter().map(|case| &case.start as Start<'_>));
        measured.push((group, first..starts.len()));
    }
    let groups: Vec<_> = measured.iter().map(|(_, places)| places.clone()).collect();
    let ns = nanoseconds(&starts, &groups, MOST_STEPS);
    let mut text = String::from(
        "| workload | method | numbers | ns per step | to f64 | to differences |\n|---|---|---|---:|---:|---:|\n",
    );
    for (group, places) in measured {
        // As in `generated::cases`: step by step, and with `advance`, as in difference quotients.
        let [stepwise, advance, ref ns @ ..] = ns[places] else { unreachable!("two cases in f64") };
        let Case { workload, model, method, .. } = group[0];
        let mut line = |numbers: &str, ns: f64, to_differences: &str| {
            let to_f64 = ns / stepwise;
            let _ = writeln!(
                text,
                "| {workload} {model} | {method} | {numbers} | {ns:.1} | {to_f64:.2} | {to_differences} |"
            );
        };
        line("f64", stepwise, "–");
        for (case, &ns) in group.iter().zip(ns) {
            let differences = case.directions.map(|n| (2 * n) as f64 * advance);
            line(&case.label(), ns, &differences.map_or("–".into(), |d| format!("{:.2}", ns / d)));
        }
    }
    Table { name: "numbers", text }
}
