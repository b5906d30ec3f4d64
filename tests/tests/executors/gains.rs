//! What each pass of the optimiser gains: the cost of every step of the models without it.
//!
//! `docs/gains.md` is written anew with
//!
//! ```text
//! UPDATE_GAINS=1 cargo test -p nhi-tests --test executors gains
//! ```

// The instructions that are counted are those of x86-64.
#![cfg(target_arch = "x86_64")]

use nhi_codegen::engine::BuiltIn;
use nhi_codegen::method::{Method, MethodPrograms};
use nhi_codegen::optimise::{Options, passes};
use nhi_codegen::optimised::MethodFunctions;
use nhi_codegen::parallel::in_parallel;
use nhi_codegen::pipeline::Derived;
use nhi_interpreter::Simulation;
use nhi_models::{GROUP_MODELS, MODELS, Model};
use nhi_tests::declarations::of_model;
use std::fmt::Write;
use std::path::Path;

/// The methods that are measured, where a model declares them.
const METHODS: [Method; 4] = [Method::Dla2, Method::DlaRattle, Method::Rdp, Method::Rattle];

/// Steps that are run, of this size: long enough for Newton's method to need its predictor.
const STEPS: usize = 48;
const H: f64 = 0.05;

/// A pass has to gain one per cent of one measure on one step.
const LEAST: f64 = 1.0;

/// The file of the table.
const TABLE: &str = "../docs/gains.md";

const HEAD: &str = "# What each pass gains

Every pass of the optimiser is left out in turn. The tables show by how many per cent four measures of a step's cost grow
without the pass:

- **executed**: operations that the interpreter executes in a step, averaged over 48 steps of h = 0.05 from the model's own start;
  an addition, multiplication or change of sign counts 1, a division 4, a sine and cosine 15;
- **loop**: operations that a loop over steps repeats;
- **recurrence**: cycles of the critical path from one step of a loop to the next;
- **instructions**: machine instructions of such a loop, as Cranelift compiles it for x86-64; an iteration of Newton's method
  counts once.

A negative number means that the pass makes a measure worse. Most often it improves another one there. The test `gains` of
`nhi-tests` compares these tables with new measurements. This command writes them:

```sh
UPDATE_GAINS=1 cargo test -p nhi-tests --test executors gains
```
";

/// Executed operations of a step, operations in a loop, recurrence, and machine instructions of a loop.
type Costs = [f64; 4];

const MEASURES: [&str; 4] = ["executed", "loop", "recurrence", "instructions"];

/// The costs of the step of a method; the executed operations up to a step that fails.
fn costs(model: &dyn Model, method: &MethodPrograms, options: Options) -> Costs {
    let functions = MethodFunctions::of(method, options);
    let instance = model.instance(&model.defaults());
    let (q, v) = instance.initial();
    let inputs = vec![0.0; model.inputs().len()];
    let parameters = model.defaults();
    let start = Simulation::start(&functions, method.method.into(), &parameters, [&q, &v, &[], &inputs], H);
    let mut simulation = start.expect("the start of the model");
    let taken = (0..STEPS).take_while(|_| simulation.step(&inputs).is_ok()).count();
    let executed = simulation.executed() as f64 / taken.max(1) as f64;
    let instructions = nhi_jit::instructions(&functions).expect("Cranelift compiles for x86-64");
    [executed, functions.cost.in_loop as f64, functions.cost.recurrence as f64, instructions as f64]
}

/// One step: its costs, and by how many per cent they grow without each pass.
struct Row {
    name: String,
    costs: Costs,
    gains: Vec<Costs>,
}

fn row(model: &dyn Model, method: &MethodPrograms) -> Row {
    let whole = costs(model, method, Options::default());
    let gains = passes().into_iter().map(|(pass, _)| {
        let without = costs(model, method, Options { without: Some(pass), ..Options::default() });
        std::array::from_fn(|i| 100.0 * (without[i] - whole[i]) / whole[i].max(1.0))
    });
    Row { name: format!("{} `{}`", model.name(), method.id()), costs: whole, gains: gains.collect() }
}

fn rows() -> Vec<Row> {
    let mut work: Vec<(&dyn Model, MethodPrograms)> = Vec::new();
    for &model in MODELS.iter().chain(GROUP_MODELS) {
        let derived = Derived::new(of_model(model), &mut BuiltIn).expect("derivable");
        for method in &derived.methods {
            let is_run = model.methods().iter().any(|of_table| of_table.id == method.id());
            let is_shown = METHODS.iter().any(|shown| shown.facts().id == method.id());
            if is_run && is_shown {
                work.push((model, method.clone()));
            }
        }
    }
    let mut rows = in_parallel(&work, |(model, _)| model.name(), |(model, method)| row(*model, method));
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    rows
}

fn table(rows: &[Row]) -> String {
    let mut out = HEAD.to_owned();
    let write = &mut out;
    let _ = writeln!(write, "\n## Largest gain of each pass, per cent\n");
    let _ = writeln!(write, "| pass | what it does | steps that gain 1 % | {} |", MEASURES.join(" | "));
    let _ = writeln!(write, "|---|---|---:|{}", "---:|".repeat(MEASURES.len()));
    for (i, (pass, does)) in passes().into_iter().enumerate() {
        let gains = || rows.iter().map(|row| row.gains[i]);
        let count = gains().filter(|gains| gains.iter().any(|&gain| gain >= LEAST)).count();
        let largest: Costs = std::array::from_fn(|m| gains().map(|g| g[m]).fold(0.0, f64::max));
        let largest = largest.map(|x| format!("{x:.0}")).join(" | ");
        let _ = writeln!(write, "| {pass} | {does} | {count} | {largest} |");
    }
    for (m, measure) in MEASURES.iter().enumerate() {
        let _ = writeln!(write, "\n## Every step: {measure}\n");
        let names: Vec<String> = passes().into_iter().map(|(pass, _)| pass.replace('_', " ")).collect();
        let _ = writeln!(write, "| step | cost | {} |", names.join(" | "));
        let _ = writeln!(write, "|---|---:|{}", "---:|".repeat(names.len()));
        for row in rows {
            let gains: Vec<String> = row.gains.iter().map(|gains| cell(gains[m])).collect();
            let _ = writeln!(write, "| {} | {:.0} | {} |", row.name, row.costs[m], gains.join(" | "));
        }
    }
    out
}

/// Whole per cents; nothing for less than half a per cent.
fn cell(gain: f64) -> String {
    if gain.abs() < 0.5 { String::new() } else { format!("{gain:.0}") }
}

#[test]
fn every_pass_gains_something_and_the_tables_are_as_committed() {
    let rows = rows();
    let text = table(&rows);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(TABLE);
    if std::env::var_os("UPDATE_GAINS").is_some() {
        std::fs::write(&path, &text).expect("the table is written");
    }
    for (i, (pass, _)) in passes().into_iter().enumerate() {
        let gains = rows.iter().any(|row| row.gains[i].iter().any(|&gain| gain >= LEAST));
        assert!(gains || pass == "names", "{pass} gains less than {LEAST} % on every step");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let line = committed.lines().zip(text.lines()).position(|(a, b)| a != b).map(|line| line + 1);
    assert!(committed == text, "{TABLE} is not what is measured, from line {line:?} on; set UPDATE_GAINS=1");
}
