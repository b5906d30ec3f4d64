//! Operations that every pass saves on every system, as a Markdown document.
//!
//! ```text
//! cargo run --release -p nhi-codegen --no-default-features --example passes -- \
//!     models/src/*.rs models/src/lie/*.rs > docs/passes.md
//! ```

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::expand::structs;
use nhi_codegen::expr::Pool;
use nhi_codegen::method::{self, Method, MethodPrograms};
use nhi_codegen::optimise::{Options, optimise_step, state_cache, trace, weight_in_loop};
use nhi_codegen::pipeline::Derived;
use nhi_codegen::program::{Binding, Constants, Operations, Program, Rescale, Statement, StepProgram};
use std::collections::BTreeMap;
use std::error::Error;

/// Methods with a row in the table, if the system has them.
const SHOWN: [Method; 4] = [Method::Dla2, Method::DlaRattle, Method::Rdp, Method::Rattle];

/// Passes that save operations, in the order of the columns.
const PASSES: [&str; 10] = [
    "numbering",
    "angles",
    "turns",
    "frames",
    "content",
    "coefficients",
    "binding",
    "factor",
    "products",
    "sums",
];

const HEAD: &str = "# Operations saved by the passes

Operations of one step of the systems of `models`, weighted: an addition or multiplication counts 1, a division 4, a sine,
cosine or sine–cosine pair 15 (7 for an angle that is expected to be small), a square root 5, any other function 20. A
Newton loop counts as three iterations plus one evaluation of the higher derivatives. Values that depend only on
parameters and step size are computed once per simulation and not counted.

| pass (`nhi-derive/codegen/src/pass/`) | effect |
|---|---|
| row combination (`mechanics/combine.rs`, before the scheme is built) | replaces two constraints by half their sum and difference, and divides a constraint by a factor common to all of its entries |
| numbering | global value numbering: one symbol per value |
| angles | angle addition: sines and cosines of sums of angles from fewer calls |
| turns | incremental trigonometry in Newton loops: rotates the sine–cosine pair of the start of a step by the small angle of the step |
| frames | Newton loops in the body frame of such an angle, if many coefficients then vanish or do not depend on the unknowns |
| content | extracts the numeric content of factors |
| coefficients | moves the coefficients of named products to their uses |
| binding | loop-invariant code motion: splits sums and products by the binding time of their operands |
| factor | factors sums |
| products, sums (`share.rs`) | common-subexpression elimination on n-ary products and sums, square roots and reciprocals |
| carry | predictive commoning: stores values in the state that one step computes at its end and the next one would compute at its beginning |
| guesses | predictor for Newton's method: extrapolates the solutions of the last steps, which are part of the state; costs operations, saves iterations, which are not counted |
| increments | stores velocities, and the unknowns of Newton's method, as multiples of the step size, which removes multiplications by it; the velocities themselves become results that no step reads |
| midpoints | stores coordinates half a step ahead, if the next step reads them only there: shortens the critical path, and saves one addition per coordinate where addition and multiplication are fused |
| middle | loop rotation: a step begins where the critical path from step to step is shortest, and the initial part of the original step moves to its end: shortens the critical path, and saves operations that two successive steps have in common |
| sines | trigonometric recurrence: the state contains the sine–cosine pair of an angle, and short polynomials rotate it by the increment of the angle: saves the choice of a quadrant and a third of the multiplications; counted as one sine–cosine pair |
| near | predicted angles (from the last Newton iterate, or linear in t) are corrected by a first- or second-order rotation: two or five multiplications instead of the polynomials |
| ends | reassociates outputs so that values read by the next step do not depend on results that it does not read: saves additions in a loop, and shortens the critical path |
| positive | sign analysis: omits the checks of pivots that are always positive |
| signs | folds negations, which are not counted, into the subtractions of their users |
| reciprocals | replaces a division by a multiplication with the reciprocal, if the denominator is available before the numerator: costs a multiplication, shortens the critical path |
| shallow | flattens nested sums where this costs no operation: shortens the critical path |
| late | a multiplier is numerator × reciprocal, and the reciprocal arrives first; factors are multiplied with the reciprocal, which leaves one multiplication after the numerator: costs multiplications, applied if the critical path becomes shorter by a twelfth of the step |
| latency | groups sums and products by the arrival times of their operands: same operations, shorter critical path |

*Row combination* is the additional cost of the emitted step with the constraints as declared. *Before* is the program of
the scheme before any pass; equal expressions, and the sine and cosine of one angle, count once in it already. A pass's
column is its saving at its place in the order of passes; a pass that enables a later one can have a negative saving.
*Emitted* is the emitted step. *Loop* is the part of it that the next step reads; loops over many steps execute only this
part. *Increments* is the saving in that part, together with *midpoints*, *middle* and *ends*. *Pivots checked* is the number
of pivot checks in a step before and after *positive* and *carry*, which omits a check that the step before has made.
*State size* is the number of values in the state.

Multipliers in closed form are not a pass. The scheme builder solves equations that are affine in the velocities for the
velocities, and then those that are affine in all impulses (`method/nodes.rs`) or in some of them (`method/impulse.rs`) for
the impulses. It solves two constraints by Cramer's rule if their determinant is short (`mechanics/connection.rs`). *Newton*
is the number of unknowns that remain in a loop. A single equation in one unknown also has its second and third derivative
(`method/builder.rs`): they turn an update that would not be the last one into a Chebyshev update, so that it usually is
the last one. They are computed only in such an update (`program/defer.rs`).

Generated by

```sh
cargo run --release -p nhi-codegen --no-default-features --example passes -- models/src/*.rs models/src/lie/*.rs
```
";

fn main() -> Result<(), Box<dyn Error>> {
    println!("{HEAD}");
    let passes = PASSES.join(" | ");
    println!(
        "| system | method | Newton | row combination | before | {passes} | carry | emitted | increments | loop | state size | pivots checked |"
    );
    println!("|---|---|---:|---:|---:|{}---:|---:|---:|---:|---:|---:|", "---:|".repeat(PASSES.len()));
    for path in std::env::args().skip(1) {
        for input in structs(&std::fs::read_to_string(path)?)? {
            let mut all = Declaration::parse(&input).map_err(|r| r.errors[0].to_string())?;
            all.system.methods.retain(|m| SHOWN.contains(m));
            let derived = Derived::new(all, &mut BuiltIn).map_err(|r| r.errors[0].to_string())?;
            for method in &derived.methods {
                row(&derived, method);
            }
        }
    }
    Ok(())
}

fn row(derived: &Derived, method: &MethodPrograms) {
    let (mut pool, written) = method.step.isolated(&derived.mechanics.system.pool);
    let mut constants = Constants::default();
    let mut weights = Vec::new();
    let plain = trace(&mut pool, &mut constants, &written, |pool, name, program| {
        weights.push((name.to_owned(), weight(pool, program)));
    });
    let before = weight(&mut pool, &written);
    let mut saved: BTreeMap<&str, isize> = BTreeMap::new();
    let mut last = before;
    for (name, weight) in &weights {
        *saved.entry(name.as_str()).or_default() += last - weight;
        last = *weight;
    }
    // The last passes save operations only through a repeated value numbering.
    let columns = PASSES.map(|name| saved.get(name).copied().unwrap_or(0).to_string());
    let fixed = method.state.belongs_to_step_size();
    let mut carried = plain.clone();
    if let Some(with) = state_cache(&mut pool, &mut constants, &StepProgram::new(written.clone(), fixed)) {
        let with = trace(&mut pool, &mut constants, &with.program, |_, _, _| {});
        if weight(&mut pool, &with) < last {
            carried = with;
        }
    }
    let after_carry = weight(&mut pool, &carried);
    let loop_after_carry = weight_in_loop(&mut pool, &mut constants, &carried);
    let (mut pool, step) = method.step.isolated(&derived.mechanics.system.pool);
    let emitted = optimise_step(
        &mut pool,
        &mut Constants::default(),
        StepProgram::new(step.clone(), fixed),
        Options::default(),
    )
    .0;
    let after = weight(&mut pool, &emitted.program);
    let in_a_loop = weight_in_loop(&mut pool, &mut Constants::default(), &emitted.program);
    let is_rescaled = emitted.entries().iter().any(|entry| entry.rescale == Rescale::Restart);
    println!(
        "| {} | {} | {} | {} | {before} | {} | {} | {after} | {} | {in_a_loop} | {} | {} → {} |",
        derived.mechanics.system.name,
        method.id,
        unknowns(&written),
        as_declared(derived, method) - after,
        columns.join(" | "),
        last - after_carry,
        if is_rescaled { loop_after_carry as isize - in_a_loop as isize } else { 0 },
        emitted.entries().len(),
        checks(&pool, &written),
        checks(&pool, &emitted.program),
    );
    debug_assert_eq!(unknowns(&plain), unknowns(&written));
}

/// Weight of the emitted step with the constraints as declared.
fn as_declared(derived: &Derived, method: &MethodPrograms) -> isize {
    let mut mechanics = derived.mechanics.clone();
    mechanics.combined = None;
    let named = Method::named(method.marker).expect("a method");
    let step = method::method_programs(&mut mechanics, named).step;
    let (mut pool, step) = step.isolated(&mechanics.system.pool);
    let fixed = method.state.belongs_to_step_size();
    let step = optimise_step(
        &mut pool,
        &mut Constants::default(),
        StepProgram::new(step.clone(), fixed),
        Options::default(),
    )
    .0
    .program;
    weight(&mut pool, &step)
}

fn weight(pool: &mut Pool, program: &Program) -> isize {
    Operations::of(pool, &mut Constants::default(), program).weight().0 as isize
}

/// Unknowns of Newton loops.
fn unknowns(program: &Program) -> usize {
    let newtons = program.body.iter().map(|s| match s {
        Statement::Newton(newton) => newton.unknowns.len(),
        _ => 0,
    });
    newtons.sum()
}

/// Pivots that depend on more than parameters and step size, once each.
fn checks(pool: &Pool, program: &Program) -> usize {
    let late = program.inputs.iter().filter(|i| i.binding == Binding::Step);
    let mut late: Vec<_> = late.flat_map(|i| i.symbols.clone()).collect();
    let mut seen = Vec::new();
    for statement in &program.body {
        match statement {
            Statement::Let { symbol, value } if pool.depends_on(*value, &late) => late.push(*symbol),
            Statement::Newton(newton) => late.extend(&newton.unknowns),
            Statement::Turn(turn) => late.extend(turn.sines),
            Statement::Pivot { pivot, diagonal, .. } => {
                let is_late = pool.depends_on(*pivot, &late) || pool.depends_on(*diagonal, &late);
                if is_late && !seen.contains(&(pivot, diagonal)) {
                    seen.push((pivot, diagonal));
                }
            }
            _ => {}
        }
    }
    seen.len()
}
