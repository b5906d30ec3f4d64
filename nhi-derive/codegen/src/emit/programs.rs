//! The programs of one declaration after the passes, each in a pool of its own.
//!
//! None depends on another, and the passes are most of the derive's time: they run on all processors. Tokens
//! belong to the macro's own thread.

use crate::expr::Pool;
use crate::method::MethodPrograms;
use crate::pass::{Increments, Prepared, Step, optimise, optimise_step, split};
use crate::program::{Constants, Operations, Program};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Threads at most.
const MAX_THREADS: usize = 8;

/// A program after the passes.
pub(super) struct Optimised {
    pub(super) pool: Pool,
    pub(super) constants: Constants,
    pub(super) program: Program,
}

impl Optimised {
    fn of(pool: &Pool, program: &Program) -> Optimised {
        let (mut pool, program) = program.isolated(pool);
        let mut constants = Constants::default();
        let program = optimise(&mut pool, &mut constants, &program);
        Optimised { pool, constants, program }
    }
}

/// The step of a method after the passes, with what belongs to it.
pub(super) struct OptimisedStep {
    pub(super) pool: Pool,
    pub(super) constants: Constants,
    pub(super) parts: Prepared,
    /// Weight of the operations of the step.
    pub(super) weight: usize,
    /// What its starts find carried; see [`Step`].
    pub(super) carry: Option<Program>,
    pub(super) increments: Increments,
    /// Computes what of that is made anew for another step size, in these places.
    pub(super) resize: Option<(Vec<usize>, Program)>,
    pub(super) errors: Range<usize>,
}

impl OptimisedStep {
    fn of(pool: &Pool, method: &MethodPrograms) -> OptimisedStep {
        let (mut pool, step) = method.step.isolated(pool);
        let mut constants = Constants::default();
        let fixed = method.state.belongs_to_step_size();
        let Step { step, carry, increments, anew, errors, .. } =
            optimise_step(&mut pool, &mut constants, &step, fixed);
        let parts = split(&pool, &step);
        let (weight, _) = Operations::of(&mut pool, &mut constants, &parts.step).weight();
        // Momenta that are reflected belong to their step size.
        let resize = carry.as_ref().filter(|_| !fixed && !anew.is_empty()).map(|carry| {
            let resize = optimise(&mut pool, &mut constants, &resizing(carry, &anew));
            (anew.into_iter().collect(), resize)
        });
        let carry = carry.map(|carry| optimise(&mut pool, &mut constants, &carry));
        OptimisedStep { pool, constants, parts, weight, carry, increments, resize, errors }
    }
}

/// Of what `carry` computes, what is in these places alone.
fn resizing(carry: &Program, places: &BTreeSet<usize>) -> Program {
    let mut resize = Program {
        name: "resize".into(),
        doc: vec!["What of that depends on the step size.".into()],
        ..carry.clone()
    };
    let values = &mut resize.outputs[0].values;
    *values = places.iter().map(|&i| values[i]).collect();
    resize
}

/// The steps of `methods` and the other `programs`, in their order.
pub(super) fn optimised(
    pool: &Pool,
    methods: &[MethodPrograms],
    programs: &[&Program],
) -> (Vec<OptimisedStep>, Vec<Optimised>) {
    let steps: Vec<OnceLock<OptimisedStep>> = methods.iter().map(|_| OnceLock::new()).collect();
    let others: Vec<OnceLock<Optimised>> = programs.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            // The steps take longest and come first.
            let i = next.fetch_add(1, Ordering::Relaxed);
            if let Some(method) = methods.get(i) {
                steps[i].get_or_init(|| OptimisedStep::of(pool, method));
            } else if let Some(program) = programs.get(i - methods.len()) {
                others[i - methods.len()].get_or_init(|| Optimised::of(pool, program));
            } else {
                break;
            }
        }
    };
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
        for _ in 1..threads {
            // Where there are no threads this one does all the work.
            if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    let done = "every program has been taken";
    let steps = steps.into_iter().map(|step| step.into_inner().expect(done)).collect();
    (steps, others.into_iter().map(|other| other.into_inner().expect(done)).collect())
}
