//! What each pass of the optimiser gains: the cost of every step of the models without it.
//!
//! Six steps are measured and compared with the committed tables. With `NHI_TESTS=all`, all steps are,
//! and every pass has to gain what it is there for.
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
use nhi_tiers::exhaustive;
use std::fmt::Write;
use std::path::Path;

use Measure::{Executed, InLoop, Instructions, Recurrence};

/// The methods that are measured, where a model declares them.
const METHODS: [Method; 4] = [Method::Dla2, Method::DlaRattle, Method::Rdp, Method::Rattle];

/// Steps that are run, of this size: long enough for Newton's method to need its predictor.
const STEPS: usize = 48;
const H: f64 = 0.05;

/// The steps of which a sample consists.
const SAMPLE: [&str; 6] = [
    "chaplygin_sleigh `rdp`",
    "contact_oscillator `dla2`",
    "mobile_robot `dla_rattle`",
    "sleigh_com `dla2`",
    "sleigh_com `rattle`",
    "suslov `rattle`",
];

/// A pass has to gain one per cent of the measure that it is there for, on this many steps.
const LEAST: f64 = 1.0;
const STEPS_THAT_GAIN: usize = 3;

/// Per cent that other measures may lose by a pass, on the average over all steps.
const MOST_LOST: f64 = 5.0;

/// The measure that each pass is there for. Local passes save operations; those over steps improve the measure of their row in
/// `nhi-derive/codegen/src/optimise/step/mod.rs`.
const PURPOSES: &[(&str, Measure)] = &[
    // Checks are no operations.
    ("sign_analysis", Instructions),
    ("value_numbering", Executed),
    ("angle_addition", Executed),
    ("small_rotation", Executed),
    ("body_frame", Executed),
    ("primitive_part", Executed),
    ("coefficients", Executed),
    ("hoist", Executed),
    ("factor", Executed),
    ("share_products", Executed),
    ("share_sums", Executed),
    ("materialise", Executed),
    ("fold_negations", Executed),
    // Iterations of Newton's method.
    ("predictor", Executed),
    ("state_cache", Executed),
    ("midpoints", Recurrence),
    ("rotate_loop", Recurrence),
    ("scaled_velocities", InLoop),
    ("reassociate_outputs", Recurrence),
    ("hoist_division", Recurrence),
    ("flatten_sums", Recurrence),
    ("expose_late_factors", Recurrence),
    // Calls, which count as the operations of a sine and a cosine.
    ("trig_recurrence", Executed),
];

/// Passes that gain [`LEAST`] on fewer steps, or lose more than [`MOST_LOST`], with the reason why they stay.
const EXCEPTIONS: &[(&str, &str)] = &[
    (
        "materialise",
        "the interpreter computes shared values once for it, and Cranelift shares equal values itself",
    ),
    (
        "sign_analysis",
        "the steps of the table solve linear equations whose pivots are compared; it removes checks from other methods",
    ),
    ("predictor", "it saves iterations, and instructions count one iteration"),
    ("flatten_sums", "it applies to short explicit steps alone, which are few"),
    ("expose_late_factors", "it applies to short explicit steps alone, which are few"),
    ("trig_recurrence", "it saves calls of sine and cosine, and instructions count a call once"),
];

/// The file of the table.
const TABLE: &str = "../docs/gains.md";

const HEAD: &str = "# What each pass gains

Every pass of the optimiser is left out in turn. The tables show by how many per cent four measures of a step's cost grow
without the pass, and a fifth one its time:

- **executed**: operations that the interpreter executes in a step, averaged over 48 steps of h = 0.05 from the model's own start;
  an addition, multiplication or change of sign counts 1, a division 4, a sine and cosine 15;
- **loop**: operations that a loop over steps repeats;
- **recurrence**: cycles of the critical path from one step of a loop to the next;
- **instructions**: machine instructions of such a loop, as Cranelift compiles it for x86-64; an iteration of Newton's method
  counts once.

A negative number means that the pass makes a measure worse. Most often it improves another one there. The test `gains` of
`nhi-tests` compares these tables with new measurements. It fails if a pass gains less than 1 % of the measure that it is there
for on three steps, or loses more than 5 % of another one on the average. This command writes them:

```sh
UPDATE_GAINS=1 cargo test -p nhi-tests --test executors gains
```
";

/// An index of [`Costs`].
#[derive(Clone, Copy, PartialEq)]
enum Measure {
    Executed,
    InLoop,
    Recurrence,
    Instructions,
}

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
    Row { name: name_of(model, method), costs: whole, gains: gains.collect() }
}

/// The name of a step in the tables.
fn name_of(model: &dyn Model, method: &MethodPrograms) -> String {
    format!("{} `{}`", model.name(), method.id())
}

/// The steps that are measured: all of them or the sample.
fn rows(all: bool) -> Vec<Row> {
    let mut work: Vec<(&dyn Model, MethodPrograms)> = Vec::new();
    for &model in MODELS.iter().chain(GROUP_MODELS) {
        if !all && !SAMPLE.iter().any(|step| step.split(' ').next() == Some(model.name())) {
            continue;
        }
        let derived = Derived::new(of_model(model), &mut BuiltIn).expect("derivable");
        for method in &derived.methods {
            let is_run = model.methods().iter().any(|of_table| of_table.id == method.id());
            let is_shown = METHODS.iter().any(|shown| shown.facts().id == method.id());
            let is_sampled = all || SAMPLE.contains(&name_of(model, method).as_str());
            if is_run && is_shown && is_sampled {
                work.push((model, method.clone()));
            }
        }
    }
    let mut rows = in_parallel(&work, |(model, _)| model.name(), |(model, method)| row(*model, method));
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    rows
}

/// The head of the table of a measure.
fn head_of(measure: &str) -> String {
    format!("## Every step: {measure}\n")
}

/// The line of a step in the table of a measure.
fn line(row: &Row, measure: usize) -> String {
    let gains: Vec<String> = row.gains.iter().map(|gains| cell(gains[measure])).collect();
    format!("| {} | {:.0} | {} |", row.name, row.costs[measure], gains.join(" | "))
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
        let largest = std::array::from_fn::<_, 4, _>(|m| {
            let bold = if m == purpose(pass) as usize { "**" } else { "" };
            format!("{bold}{:.0}{bold}", largest[m])
        });
        let _ = writeln!(write, "| {pass} | {does} | {count} | {} |", largest.join(" | "));
    }
    let _ = writeln!(write, "\nThe measure that a pass is there for is bold. Exceptions:\n");
    for (pass, reason) in EXCEPTIONS {
        let _ = writeln!(write, "- `{pass}`: {reason}.");
    }
    for (m, measure) in MEASURES.iter().enumerate() {
        let _ = writeln!(write, "\n{}", head_of(measure));
        let names: Vec<String> = passes().into_iter().map(|(pass, _)| pass.replace('_', " ")).collect();
        let _ = writeln!(write, "| step | cost | {} |", names.join(" | "));
        let _ = writeln!(write, "|---|---:|{}", "---:|".repeat(names.len()));
        for row in rows {
            let _ = writeln!(write, "{}", line(row, m));
        }
    }
    out
}

/// The measure that a pass is there for.
fn purpose(pass: &str) -> Measure {
    let found = PURPOSES.iter().find(|(name, _)| *name == pass);
    found.unwrap_or_else(|| panic!("{pass} has no purpose")).1
}

/// On how many steps the pass with the index `i` gains [`LEAST`] of a measure.
fn steps_that_gain(rows: &[Row], i: usize, measure: Measure) -> usize {
    rows.iter().filter(|row| row.gains[i][measure as usize] >= LEAST).count()
}

/// What is wrong with a pass; nothing, if it gains enough and loses little.
fn objection(rows: &[Row], i: usize, measure: Measure) -> Option<String> {
    let count = steps_that_gain(rows, i, measure);
    if count < STEPS_THAT_GAIN {
        return Some(format!("gains {LEAST} % of {} on {count} steps", MEASURES[measure as usize]));
    }
    let mean = |m: usize| rows.iter().map(|row| row.gains[i][m]).sum::<f64>() / rows.len() as f64;
    let lost = (0..MEASURES.len()).find(|&m| mean(m) < -MOST_LOST)?;
    Some(format!("loses {:.1} % of {}", -mean(lost), MEASURES[lost]))
}

/// Whole per cents; nothing for less than half a per cent.
fn cell(gain: f64) -> String {
    if gain.abs() < 0.5 { String::new() } else { format!("{gain:.0}") }
}

/// The part of the committed text that is the table of a measure.
fn part<'a>(text: &'a str, measure: &str) -> &'a str {
    let (_, rest) =
        text.split_once(&head_of(measure)).unwrap_or_else(|| panic!("{TABLE} has no table of {measure}"));
    rest.split_once("\n## ").map_or(rest, |(table, _)| table)
}

/// The section with times, which another command writes and which is not compared.
fn times(text: &str) -> &str {
    text.find("\n## Time\n").map_or("", |at| &text[at..])
}

#[test]
fn every_pass_gains_something_and_the_tables_are_as_committed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(TABLE);
    let updates = std::env::var_os("UPDATE_GAINS").is_some();
    let all = updates || exhaustive();
    let rows = rows(all);
    if !all {
        assert_eq!(rows.len(), SAMPLE.len());
        let committed = std::fs::read_to_string(&path).expect("the tables");
        for (m, measure) in MEASURES.iter().enumerate() {
            for line in rows.iter().map(|row| line(row, m)) {
                let is_committed = part(&committed, measure).lines().any(|of_table| of_table == line);
                assert!(is_committed, "{TABLE}, {measure}: measured is\n{line}\nset UPDATE_GAINS=1");
            }
        }
        return;
    }
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    let text = table(&rows) + times(&before);
    if updates {
        std::fs::write(&path, &text).expect("the table is written");
    }
    let all: Vec<&str> = passes().into_iter().map(|(pass, _)| pass).collect();
    assert_eq!(PURPOSES.iter().map(|(pass, _)| *pass).collect::<Vec<_>>(), all);
    let mut wrong = Vec::new();
    for (i, (pass, measure)) in PURPOSES.iter().enumerate() {
        let is_exception = EXCEPTIONS.iter().any(|(exception, _)| exception == pass);
        match objection(&rows, i, *measure) {
            Some(objection) if !is_exception => wrong.push(format!("{pass} {objection}")),
            None if is_exception => wrong.push(format!("{pass} is no exception any more")),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let line = committed.lines().zip(text.lines()).position(|(a, b)| a != b).map(|line| line + 1);
    assert!(committed == text, "{TABLE} is not what is measured, from line {line:?} on; set UPDATE_GAINS=1");
}
