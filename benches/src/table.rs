//! The table: one line per case, with ratios to the kernels by hand.

use crate::models::{Generated, generated};
use crate::{Case, Kind, Run, cases, count, time};
use std::fmt::Write;

/// Everything that is measured, in order.
pub struct Suite {
    workloads: Vec<Case>,
    models: Vec<Generated>,
}

/// What was measured of one case.
#[derive(Clone, Copy)]
struct Cost {
    ns: f64,
    /// Not without valgrind.
    instructions: Option<f64>,
}

impl Suite {
    /// The workloads, and every model with a few methods or with all.
    pub fn new(all_methods: bool) -> Suite {
        Suite { workloads: cases(), models: generated(all_methods) }
    }

    /// Calls `f` with what starts each case.
    fn with_starts<T>(&self, f: impl FnOnce(&[&dyn Fn() -> Box<dyn Run>]) -> T) -> T {
        let models: Vec<_> = self.models.iter().map(|&m| move || m.start()).collect();
        let mut starts: Vec<&dyn Fn() -> Box<dyn Run>> = Vec::new();
        starts.extend(self.workloads.iter().map(|case| &case.start as &dyn Fn() -> Box<dyn Run>));
        starts.extend(models.iter().map(|start| start as &dyn Fn() -> Box<dyn Run>));
        f(&starts)
    }

    /// The run that callgrind counts.
    pub fn counted(&self) {
        self.with_starts(count::child);
    }

    /// Measures, and writes the tables. `arguments` are those that make the same suite.
    pub fn measure(&self, arguments: &[&str]) -> String {
        let ns = self.with_starts(time::nanoseconds);
        let (instructions, note) = match count::instructions(ns.len(), arguments) {
            Ok(counts) => (counts.into_iter().map(Some).collect(), None),
            Err(error) => (vec![None; ns.len()], Some(format!("Instructions were not counted: {error}\n"))),
        };
        let costs: Vec<Cost> =
            ns.into_iter().zip(instructions).map(|(ns, instructions)| Cost { ns, instructions }).collect();
        let (workloads, models) = costs.split_at(self.workloads.len());
        let mut text = format!("{}\n{}", self.of_workloads(workloads), self.of_models(models));
        if let Some(note) = note {
            let _ = write!(text, "\n{note}");
        }
        text
    }

    fn of_workloads(&self, costs: &[Cost]) -> String {
        let mut text = String::from(
            "| workload | method | code | ns per step | to plain | to best | instructions | to plain | to best |\n\
             |---|---|---|---:|---:|---:|---:|---:|---:|\n",
        );
        let of = |case: &Case, kind: Kind| {
            let same = |other: &Case| {
                other.workload == case.workload && other.method == case.method && other.kind == kind
            };
            self.workloads.iter().position(same).map(|i| costs[i])
        };
        for (case, cost) in self.workloads.iter().zip(costs) {
            let [plain, best] = [Kind::Plain, Kind::Best].map(|kind| of(case, kind));
            let time = |other: Option<Cost>| ratio(Some(cost.ns), other.map(|o| o.ns));
            let count = |other: Option<Cost>| ratio(cost.instructions, other.and_then(|o| o.instructions));
            let _ = writeln!(
                text,
                "| {} {} | {} | {} | {:.1} | {} | {} | {} | {} | {} |",
                case.workload,
                case.model,
                case.method,
                case.kind.label(),
                cost.ns,
                time(plain),
                time(best),
                cost.instructions.map_or("–".into(), |n| format!("{n:.1}")),
                count(plain),
                count(best),
            );
        }
        text
    }

    fn of_models(&self, costs: &[Cost]) -> String {
        let mut text = String::from("| model | method | ns per step | instructions |\n|---|---|---:|---:|\n");
        for (case, cost) in self.models.iter().zip(costs) {
            let instructions = cost.instructions.map_or("–".into(), |n| format!("{n:.0}"));
            let (model, method) = (case.model.name(), case.method.id);
            let _ = writeln!(text, "| {model} | {method} | {:.1} | {instructions} |", cost.ns);
        }
        text
    }
}

fn ratio(x: Option<f64>, y: Option<f64>) -> String {
    match (x, y) {
        (Some(x), Some(y)) => format!("{:.2}", x / y),
        _ => "–".into(),
    }
}
