//! Passes over steps: they change the carried state, the equation at which a step begins, or the association of
//! operations.
//!
//! [`driver`] runs them in four groups: [`OPENING`] runs first; [`STAGES`] produce candidates, which the driver compares;
//! [`FINISHING`] runs for every candidate, [`CLOSING`] for the one that is kept.

mod driver;
mod hoist_division;
mod midpoints;
mod predicted_angle;
mod predictor;
mod reassociate;
mod rotate_loop;
mod scaled_velocities;
mod state_cache;
mod trig_recurrence;

pub use driver::{Decision, Outcome, optimise_step};
pub use state_cache::state_cache;

use crate::expr::Pool;
use crate::optimise::cost::Cost;
use crate::optimise::draft::Context;
use crate::optimise::search::Search;
use crate::program::StepProgram;

/// Makes another form of a step from it and the search for its local passes; `None` if there is nothing to do.
type Make = fn(&mut Context<'_>, &StepProgram, &Search) -> Option<StepProgram>;

/// Makes one of several other forms of a step.
type Alternative<'a> = Box<dyn Fn(&mut Context<'_>) -> Option<StepProgram> + 'a>;
type Alternatives = for<'a> fn(&Pool, &'a StepProgram) -> Vec<Alternative<'a>>;

/// Properties of a step that decide whether a pass applies.
#[derive(Clone, Copy)]
struct Facts {
    has_newton: bool,
    is_long: bool,
}

/// Whether a pass applies; if not, the reason.
type Applies = Result<(), &'static str>;

/// A pass.
struct Pass<R> {
    name: &'static str,
    /// What it does, in one line.
    does: &'static str,
    applies: fn(Facts) -> Applies,
    run: R,
}

/// A pass that makes other forms of a step.
type StepPass = Pass<Run>;

/// A pass whose result is kept without a comparison by the driver.
type KeptPass = Pass<fn(&mut Context<'_>, &mut StepProgram)>;

/// How a pass runs, and the measure that must improve for its result to be kept.
enum Run {
    /// A candidate is kept if it has fewer operations after a first round of the local passes.
    Operations(Make),
    /// A candidate is kept if a loop over steps saves as many operations as a number in the state costs
    /// ([`Target::state_entry`](crate::target::Target::state_entry)).
    OperationsInLoop(Make),
    /// A candidate is kept if a loop over steps takes fewer cycles and no more operations.
    Cycles(Alternatives),
    /// A candidate is kept if a loop over steps saves an eighth of its cycles; see [`Cost::is_worth_another_state`].
    CyclesByMore(Alternatives),
}

/// The first pass. It saves iterations, which the counts do not show.
const OPENING: &[KeptPass] = &[KeptPass {
    name: "predictor",
    does: "extrapolates the initial guess of Newton's method",
    applies: with_newton,
    run: |cx, step| predictor::predictor(cx.pool, step),
}];

/// Stages, in order. The driver compares the candidates of a stage and keeps one of them at most.
const STAGES: &[&[StepPass]] = &[
    &[StepPass {
        name: "state_cache",
        does: "carries values that the next step would compute again",
        applies: always,
        run: Run::Operations(|cx, step, _| state_cache::cached(cx, step)),
    }],
    &[
        StepPass {
            name: "midpoints",
            does: "carries coordinates at the midpoint of the next step",
            applies: short_without_newton,
            run: Run::Cycles(|_, step| vec![Box::new(|cx| midpoints::midpoints(cx, step))]),
        },
        StepPass {
            name: "rotate_loop",
            does: "begins the step at another equation",
            applies: short_without_newton,
            run: Run::CyclesByMore(rotate_loop::candidates),
        },
    ],
    &[StepPass {
        name: "scaled_velocities",
        does: "carries velocities times a multiple of the step size",
        applies: not_long_with_newton,
        run: Run::OperationsInLoop(scaled_velocities::scaled),
    }],
];

/// Passes that run after the local passes, for every candidate of the stages. They do not change the carried state.
const FINISHING: &[KeptPass] = &[
    KeptPass {
        name: "reassociate_outputs",
        does: "associates sums that the next step reads by arrival time",
        applies: without_newton,
        run: |cx, step| reassociate::reassociate_outputs(cx, &mut step.program),
    },
    KeptPass {
        name: "hoist_division",
        does: "divides before the numerator arrives, and multiplies by the reciprocal",
        applies: always,
        run: |cx, step| hoist_division::hoist_division(cx, &mut step.program),
    },
];

/// Passes that run after the stages, for the step that was kept. The last one saves calls, which the counts do not show.
const CLOSING: &[KeptPass] = &[
    KeptPass {
        name: "flatten_sums",
        does: "writes out sums in sums where that costs nothing",
        applies: short_without_newton,
        run: |cx, step| reassociate::flatten_sums(cx, &mut step.program),
    },
    KeptPass {
        name: "expose_late_factors",
        does: "multiplies by the numerator of a multiplier last",
        applies: short_without_newton,
        run: |cx, step| reassociate::expose_late_factors(cx, &mut step.program),
    },
    KeptPass {
        name: "trig_recurrence",
        does: "rotates sines and cosines by the increment of their angle",
        applies: always,
        run: |cx, step| trig_recurrence::trig_recurrence(cx.pool, step),
    },
];

/// Name and description of every pass over steps.
pub(super) fn passes() -> impl Iterator<Item = (&'static str, &'static str)> {
    let kept = |passes: &'static [KeptPass]| passes.iter().map(|pass| (pass.name, pass.does));
    let stages = STAGES.iter().copied().flatten().map(|pass| (pass.name, pass.does));
    kept(OPENING).chain(stages).chain(kept(FINISHING)).chain(kept(CLOSING))
}

fn always(_: Facts) -> Applies {
    Ok(())
}

fn unless(is_so: bool, reason: &'static str) -> Applies {
    if is_so { Err(reason) } else { Ok(()) }
}

fn with_newton(facts: Facts) -> Applies {
    unless(!facts.has_newton, "the step is explicit")
}

fn without_newton(facts: Facts) -> Applies {
    unless(facts.has_newton, "the step has a Newton iteration")
}

fn short_without_newton(facts: Facts) -> Applies {
    without_newton(facts)?;
    unless(facts.is_long, "the step is so long that its operations take the time, not their recurrence")
}

fn not_long_with_newton(facts: Facts) -> Applies {
    unless(facts.has_newton && facts.is_long, "the step is long and has a Newton iteration")
}
