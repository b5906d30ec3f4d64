//! Passes over steps: they change the carried state, the equation at which a step begins, or the association of
//! operations.
//!
//! [`driver`] runs them in four groups: [`STAGES`] produce candidates, which it compares; [`FINISHING`] runs for every
//! candidate, [`CLOSING`] and [`TRIG_RECURRENCE`] for the one that is kept.

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
use crate::program::{Program, StepProgram};
use crate::target::TARGET;

/// Makes a candidate, another form of a step; `None` if there is nothing to do.
type Make<'a> = Box<dyn Fn(&mut Context<'_>) -> Option<StepProgram> + 'a>;

/// Properties of a step that decide whether a pass applies.
#[derive(Clone, Copy)]
struct Facts {
    has_newton: bool,
    is_long: bool,
}

impl Facts {
    fn of(step: &StepProgram, search: &Search) -> Facts {
        Facts { has_newton: step.program.has_loop(), is_long: search.cost.0 >= TARGET.long }
    }
}

/// Whether a pass applies; if not, the reason.
type Applies = Result<(), &'static str>;

/// A pass over steps.
struct StepPass {
    name: &'static str,
    /// What it does, in one line.
    does: &'static str,
    applies: fn(Facts) -> Applies,
    run: Run,
}

/// How a pass runs, and the measure that must improve for its result to be kept.
enum Run {
    /// The result is always kept. The pass saves iterations or calls, which the counts do not show.
    Always(fn(&mut Pool, StepProgram) -> StepProgram),
    /// A candidate is kept if it has fewer operations after a first round of the local passes.
    Operations(for<'a> fn(&'a StepProgram, &'a Search) -> Vec<Make<'a>>),
    /// A candidate is kept if a loop over steps saves as many operations as a number in the state costs
    /// ([`Target::state_entry`](crate::target::Target::state_entry)).
    OperationsInLoop(for<'a> fn(&'a StepProgram, &'a Search) -> Vec<Make<'a>>),
    /// A candidate is kept if a loop over steps takes fewer cycles and no more operations.
    Cycles(for<'a> fn(&'a StepProgram, &'a Search) -> Vec<Make<'a>>),
    /// A candidate is kept if a loop over steps saves an eighth of its cycles; see [`Cost::is_worth_another_state`].
    CyclesByMore(for<'a> fn(&Pool, &'a StepProgram) -> Vec<Make<'a>>),
}

/// Stages, in order. The driver compares the candidates of a stage and keeps one of them at most.
const STAGES: &[&[StepPass]] = &[
    &[StepPass {
        name: "state_cache",
        does: "carries values that the next step would compute again",
        applies: always,
        run: Run::Operations(state_cache::candidate),
    }],
    &[StepPass {
        name: "predictor",
        does: "extrapolates the initial guess of Newton's method",
        applies: with_newton,
        run: Run::Always(predictor::predictor),
    }],
    &[
        StepPass {
            name: "midpoints",
            does: "carries coordinates at the midpoint of the next step",
            applies: short_without_newton,
            run: Run::Cycles(midpoints::candidate),
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
        run: Run::OperationsInLoop(scaled_velocities::candidate),
    }],
];

/// A pass over the program of a step that does not change the carried state.
struct Finishing {
    name: &'static str,
    does: &'static str,
    applies: fn(Facts) -> Applies,
    run: fn(&mut Context<'_>, &mut Program, Allowance),
}

/// Largest number of operations that a loop over steps may have in exchange for a shorter recurrence.
type Allowance = usize;

/// Passes that run after the local passes, for every candidate of the stages.
const FINISHING: &[Finishing] = &[
    Finishing {
        name: "reassociate_outputs",
        does: "associates sums that the next step reads by arrival time",
        applies: without_newton,
        run: reassociate::reassociate_outputs,
    },
    Finishing {
        name: "hoist_division",
        does: "divides before the numerator arrives, and multiplies by the reciprocal",
        applies: always,
        run: |cx, program, _| hoist_division::hoist_division(cx, program),
    },
];

/// Passes that run after the stages, for the step that was kept.
const CLOSING: &[Finishing] = &[
    Finishing {
        name: "flatten_sums",
        does: "writes out sums in sums where that costs nothing",
        applies: short_without_newton,
        run: |cx, program, _| reassociate::flatten_sums(cx, program),
    },
    Finishing {
        name: "expose_late_factors",
        does: "multiplies by the numerator of a multiplier last",
        applies: short_without_newton,
        run: |cx, program, _| reassociate::expose_late_factors(cx, program),
    },
];

/// The last pass.
const TRIG_RECURRENCE: StepPass = StepPass {
    name: "trig_recurrence",
    does: "carries sines and cosines and rotates them by the increment of their angle",
    applies: always,
    run: Run::Always(trig_recurrence::trig_recurrence),
};

/// Name and description of every pass over steps.
pub(super) fn passes() -> impl Iterator<Item = (&'static str, &'static str)> {
    let stages = STAGES.iter().copied().flatten().map(|pass| (pass.name, pass.does));
    let others = FINISHING.iter().chain(CLOSING).map(|pass| (pass.name, pass.does));
    stages.chain(others).chain([(TRIG_RECURRENCE.name, TRIG_RECURRENCE.does)])
}

fn always(_: Facts) -> Applies {
    Ok(())
}

fn with_newton(facts: Facts) -> Applies {
    if facts.has_newton { Ok(()) } else { Err("the step is explicit") }
}

fn without_newton(facts: Facts) -> Applies {
    if facts.has_newton { Err("the step has a Newton iteration") } else { Ok(()) }
}

fn short_without_newton(facts: Facts) -> Applies {
    without_newton(facts)?;
    if facts.is_long {
        Err("the step is so long that its operations take the time, not their recurrence")
    } else {
        Ok(())
    }
}

fn not_long_with_newton(facts: Facts) -> Applies {
    if facts.has_newton && facts.is_long {
        Err("the step is long and has a Newton iteration")
    } else {
        Ok(())
    }
}
