//! What every pass saves on every system, as a Markdown document.
//!
//! ```text
//! cargo run --release -p nhi-codegen --no-default-features --example passes -- \
//!     models/src/*.rs models/src/lie/*.rs > docs/passes.md
//! ```

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::expand::structs;
use nhi_codegen::expr::Pool;
use nhi_codegen::method::{self, MethodPrograms};
use nhi_codegen::pass::{carry, in_a_loop, optimise_step, trace};
use nhi_codegen::pipeline::Derived;
use nhi_codegen::program::{Binding, Constants, Operations, Program, Role, Statement};
use std::collections::BTreeMap;
use std::error::Error;

/// Methods that are shown, as far as systems have them.
const SHOWN: [&str; 4] = ["Dla2", "DlaRattle", "Rdp", "Rattle"];

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

const HEAD: &str = "# What the passes save

Operations of one step of the systems of `models`: an addition or multiplication counts 1, a division 4, sine, cosine or
both of an angle 15, of one that is small as a rule 7, a square root 5, other functions 20, and a Newton loop as three
iterations, with what an update of second order needs once. What depends on parameters and step size alone is computed
once per simulation and not counted.

| pass (`nhi-derive/codegen/src/pass/`) | what it does |
|---|---|
| combined (`mechanics/combine.rs`, before the scheme is built) | constraints in other words: half the sum and difference of two, without factors that all entries of one have |
| numbering | one symbol per value |
| angles | sines and cosines of angles that are made of each other from fewer calls |
| turns | in Newton loops, sines and cosines of angles that a step turns on from those of what it turns them by |
| frames | in Newton loops, velocities and impulses in the frame that such an angle turns, where many coefficients are known before the loop or vanish |
| content | numbers that divide all terms of a factor leave it |
| coefficients | coefficients of named products move to where the name is used |
| binding | sums and products are taken apart by when their operands are known |
| factor | common factors of the terms of a sum |
| products, sums (`share.rs`) | products and sums of two that several of them hold are computed once; so are square roots and reciprocals |
| carry | the state carries what a step computes at its end and the next one would compute at its beginning |
| guesses | Newton's method starts from the last solution, which is carried, and where the errors of its last guesses lead: costs operations, saves iterations, which are not counted |
| increments | velocities, and with them the unknowns of Newton's method, are carried as multiples of the step size, which is then multiplied with nowhere else; the velocities themselves are results that no step reads |
| midpoints | coordinates are carried as the next step begins with them, half a step ahead, where it reads nothing else of them: saves waiting, and an addition each where one with a multiplication is one operation |
| middle | a step begins where the chain of operations from step to step is shortest, with what it otherwise computes of the state at its beginning: saves waiting, and what two steps do alike |
| sines | the state carries sine and cosine of a step's angle, which short polynomials turn by what it has moved: saves choices by the quadrant and a third of the multiplications, counted as one sine and cosine |
| near | an angle that the last iteration of Newton's method has all but found, or a phase a step ahead, needs two multiplications, or five, where another one is turned by polynomials |
| ends | what the next step reads does not go through results that it does not: saves additions in a loop, and waiting |
| positive | no check of pivots that are positive whatever the state |
| signs | no changes of sign, which are not counted, where a user can subtract |
| reciprocals | a division whose denominator is there before its numerator does not wait for it: costs a multiplication, saves waiting |
| shallow | sums that cost no more with the sums in them written out: saves waiting |
| late | what a multiplier does to the next step waits for its numerator by one multiplication, beside which the reciprocal of its denominator is multiplied with what else there is: costs multiplications, saves waiting, where that is a twelfth of a step |
| latency | sums and products grouped by when their operands are there: saves no operations, but waiting |

*Combined* is what the emitted step would cost more with the constraints as they are declared. *Written* is the program as
the scheme is written; equal expressions count once in it already, also the sine and cosine of one angle. A column says
what the pass saves where it stands in the order of passes; a pass that makes room for a later one can cost something
itself. *Emitted* is the emitted step, and *loop* what the next step reads of it, which is all that is done where only the
state after many steps is looked at. *Increments* is counted there, together with *midpoints*, *middle* and *ends*. *Checks* are the pivots that a step checks before and
after *positive* and *carry*, which leaves a check that the step before has made. *Carried* is the number of values in
the state.

Multipliers in closed form are no pass: the scheme builder solves what is affine in the velocities for these, and what
then is affine in the impulses for those (`method/nodes.rs`), or in some of them (`method/impulse.rs`); two constraints
by Cramer's rule where their determinant is short (`mechanics/connection.rs`). *Newton* is the number of unknowns that are left to a loop.
The one equation for one unknown has its second and third derivative beside the first (`method/builder.rs`): an update
that would not be the last one is of second order then, so that it is as a rule. They are computed in such an update alone
(`program/defer.rs`).

Written by

```sh
cargo run --release -p nhi-codegen --no-default-features --example passes -- models/src/*.rs models/src/lie/*.rs
```
";

fn main() -> Result<(), Box<dyn Error>> {
    println!("{HEAD}");
    let passes = PASSES.join(" | ");
    println!(
        "| system | method | Newton | combined | written | {passes} | carry | emitted | increments | loop | carried | checks |"
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
    // The last passes save nothing but what numbering finds once more.
    let columns = PASSES.map(|name| saved.get(name).copied().unwrap_or(0).to_string());
    let fixed = method.state.belongs_to_step_size();
    let mut carried = plain.clone();
    if let Some(with) = carry(&mut pool, &mut constants, &written, fixed) {
        let with = trace(&mut pool, &mut constants, &with.step, |_, _, _| {});
        if weight(&mut pool, &with) < last {
            carried = with;
        }
    }
    let after_carry = weight(&mut pool, &carried);
    let loop_after_carry = in_a_loop(&mut pool, &mut constants, &carried);
    let (mut pool, step) = method.step.isolated(&derived.mechanics.system.pool);
    let emitted = optimise_step(&mut pool, &mut Constants::default(), &step, fixed);
    let after = weight(&mut pool, &emitted.step);
    let in_a_loop = in_a_loop(&mut pool, &mut Constants::default(), &emitted.step);
    println!(
        "| {} | {} | {} | {} | {before} | {} | {} | {after} | {} | {in_a_loop} | {} | {} → {} |",
        derived.mechanics.system.name,
        method.id,
        unknowns(&written),
        as_declared(derived, method) - after,
        columns.join(" | "),
        last - after_carry,
        if emitted.anew.is_empty() { 0 } else { loop_after_carry as isize - in_a_loop as isize },
        emitted.step.symbols(&Role::Carried).len(),
        checks(&pool, &written),
        checks(&pool, &emitted.step),
    );
    debug_assert_eq!(unknowns(&plain), unknowns(&written));
}

/// The weight of the emitted step with the constraints as they are declared.
fn as_declared(derived: &Derived, method: &MethodPrograms) -> isize {
    let mut mechanics = derived.mechanics.clone();
    mechanics.combined = None;
    let row = method::method(method.marker).expect("a method");
    let step = method::method_programs(&mut mechanics, row).step;
    let (mut pool, step) = step.isolated(&mechanics.system.pool);
    let fixed = method.state.belongs_to_step_size();
    let step = optimise_step(&mut pool, &mut Constants::default(), &step, fixed).step;
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
