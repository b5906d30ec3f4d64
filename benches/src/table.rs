//! The cost of a step: one line per case, with ratios to the hand-written kernels.

use crate::count::Set;
use crate::document::Table;
use crate::models::{Generated, MOST_STEPS, chosen, generated, names};
use crate::{Case, Kind, Start, cases, count, time};
use std::fmt::Write;
use std::ops::Range;

/// All measured cases, in order.
pub struct Suite {
    workloads: Vec<Case>,
    models: Vec<Generated>,
}

/// The measurements of one case.
#[derive(Clone, Copy)]
struct Cost {
    ns: f64,
    /// `None` without valgrind.
    instructions: Option<f64>,
    /// With the instructions chosen at run time; only for the workloads.
    chosen: Option<f64>,
}

impl Suite {
    /// The workloads, and every model with a few methods or with all.
    pub fn new(all_methods: bool) -> Suite {
        Suite { workloads: cases(), models: generated(all_methods) }
    }

    /// The run under callgrind, with the named models.
    pub fn counted(set: Set, models: &str) {
        Suite { workloads: cases(), models: chosen(models) }.with_starts(|starts| count::child(set, starts));
    }

    /// Calls `f` with the constructor of each case: those of the workloads, then two for each model and method.
    fn with_starts<T>(&self, f: impl FnOnce(&[Start<'_>]) -> T) -> T {
        let models: Vec<_> = self
            .models
            .iter()
            .flat_map(|&m| [false, true].map(|stepwise| move || m.start(stepwise)))
            .collect();
        let mut starts: Vec<Start<'_>> = Vec::new();
        starts.extend(self.workloads.iter().map(|case| &case.start as Start<'_>));
        starts.extend(models.iter().map(|start| start as Start<'_>));
        f(&starts)
    }

    /// The cases whose times are compared with each other.
    fn groups(&self) -> Vec<Range<usize>> {
        let same = |a: &Case, b: &Case| (a.workload, a.method) == (b.workload, b.method);
        let mut groups = time::groups(self.workloads.chunk_by(same));
        let models = (0..self.models.len()).map(|i| self.workloads.len() + 2 * i);
        groups.extend(models.map(|i| i..i + 2));
        groups
    }

    /// Measures. Notes explain missing entries of the tables.
    pub fn measure(&self) -> (Vec<Table>, Vec<String>) {
        let groups = self.groups();
        let ns = self.with_starts(|starts| time::nanoseconds(starts, &groups, MOST_STEPS));
        let mut notes = Vec::new();
        let mut count = |set: Set, cases: usize, models: &str| -> Vec<Option<f64>> {
            let counts = count::instructions(set, cases, models).unwrap_or_else(|error| {
                notes.push(format!("Instructions were not counted ({set:?}): {error}"));
                Vec::new()
            });
            (0..ns.len()).map(|i| counts.get(i).copied()).collect()
        };
        let instructions = count(Set::Plain, ns.len(), &names(&self.models));
        let chosen = count(Set::Chosen, self.workloads.len(), "");
        let costs: Vec<Cost> = (ns.iter().zip(instructions).zip(chosen))
            .map(|((&ns, instructions), chosen)| Cost { ns, instructions, chosen })
            .collect();
        let (workloads, models) = costs.split_at(self.workloads.len());
        (vec![self.of_workloads(workloads), self.of_models(models)], notes)
    }

    fn of_workloads(&self, costs: &[Cost]) -> Table {
        let mut text = String::from(
            "| workload | method | code | ns per step | to plain | to best | instructions | to plain | to best | executed | to plain |\n\
             |---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        );
        let of = |case: &Case, kind: Kind| {
            let same = |other: &Case| {
                other.workload == case.workload && other.method == case.method && other.kind == kind
            };
            self.workloads.iter().position(same).map(|i| costs[i])
        };
        for (case, cost) in self.workloads.iter().zip(costs) {
            let fused = case.kind.is_fused();
            let plain = of(case, Kind::Plain);
            let best = of(case, Kind::BestFused).filter(|_| fused).or_else(|| of(case, Kind::Best));
            // The plain instruction set has no fused operations.
            let instructions = cost.instructions.filter(|_| !fused);
            let time = |other: Option<Cost>| ratio(Some(cost.ns), other.map(|o| o.ns));
            let count = |other: Option<Cost>| ratio(instructions, other.and_then(|o| o.instructions));
            let number = |count: Option<f64>| count.map_or("–".into(), |n| format!("{n:.1}"));
            let _ = writeln!(
                text,
                "| {} {} | {} | {} | {:.1} | {} | {} | {} | {} | {} | {} | {} |",
                case.workload,
                case.model,
                case.method,
                case.kind.label(),
                cost.ns,
                time(plain),
                time(best),
                number(instructions),
                count(plain),
                count(best),
                number(cost.chosen),
                ratio(cost.chosen, plain.and_then(|o| o.chosen)),
            );
        }
        Table { name: "workloads", text }
    }

    fn of_models(&self, costs: &[Cost]) -> Table {
        let mut text = String::from(
            "| model | method | h | ns per step | step by step | instructions | step by step |\n\
             |---|---|---:|---:|---:|---:|---:|\n",
        );
        for (case, pair) in self.models.iter().zip(costs.chunks(2)) {
            let ns = pair.iter().map(|cost| format!("{:.1}", cost.ns));
            let counts =
                pair.iter().map(|cost| cost.instructions.map_or("–".into(), |n| format!("{n:.0}")));
            let cells: Vec<String> = ns.chain(counts).collect();
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} |",
                case.name(),
                case.method.id,
                case.h,
                cells.join(" | ")
            );
        }
        Table { name: "models", text }
    }
}

fn ratio(x: Option<f64>, y: Option<f64>) -> String {
    match (x, y) {
        (Some(x), Some(y)) => format!("{:.2}", x / y),
        _ => "–".into(),
    }
}
