//! The programs of one declaration after the passes, each in a pool of its own.
//!
//! Every program is validated before tokens are written of it. None depends on another, and the passes are most of the derive's time: they run on all processors. Tokens
//! belong to the macro's own thread, which writes those of what is finished in the meantime.

use crate::caught::caught;
use crate::expr::Pool;
use crate::method::MethodPrograms;
use crate::pass::{Increments, Prepared, Step, optimise, optimise_step, split};
use crate::program::{Constants, Operations, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
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
        program.validate(&pool);
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
        let others = resize.iter().map(|(_, resize)| resize).chain(&carry);
        [&parts.prepare, &parts.step].into_iter().chain(others).for_each(|program| program.validate(&pool));
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

/// The programs of one declaration before the passes.
struct Work<'a> {
    pool: &'a Pool,
    methods: &'a [MethodPrograms],
    others: &'a [&'a Program],
    /// How many have been begun.
    begun: AtomicUsize,
}

/// A program after the passes, and its place among those of its kind.
enum Finished {
    Step(usize, Box<OptimisedStep>),
    Other(usize, Box<Optimised>),
    /// The message of a panic.
    Failed(String),
}

impl Work<'_> {
    /// Takes the next program through the passes.
    fn finish_next(&self) -> Option<Finished> {
        // The steps take longest and come first.
        let i = self.begun.fetch_add(1, Ordering::Relaxed);
        if let Some(method) = self.methods.get(i) {
            let step = caught(method.id, || OptimisedStep::of(self.pool, method));
            return Some(step.map_or_else(Finished::Failed, |step| Finished::Step(i, Box::new(step))));
        }
        let i = i - self.methods.len();
        let program = self.others.get(i)?;
        let other = caught(&program.name, || Optimised::of(self.pool, program));
        Some(other.map_or_else(Finished::Failed, |other| Finished::Other(i, Box::new(other))))
    }
}

/// What is finished in any order, in its own.
struct InOrder<P> {
    next: usize,
    finished: BTreeMap<usize, P>,
}

impl<P> InOrder<P> {
    const NONE: InOrder<P> = InOrder { next: 0, finished: BTreeMap::new() };

    fn take(&mut self) -> Option<P> {
        let program = self.finished.remove(&self.next)?;
        self.next += 1;
        Some(program)
    }
}

/// The programs of one declaration after the passes.
pub(super) struct Programs<'a> {
    work: &'a Work<'a>,
    of_other_threads: Receiver<Finished>,
    steps: InOrder<Box<OptimisedStep>>,
    others: InOrder<Box<Optimised>>,
}

impl Programs<'_> {
    /// What `write` makes of the steps of `methods` and of the `others`. It gets each when that is finished, while other
    /// threads are at work on the next.
    pub(super) fn optimised<Out>(
        pool: &Pool,
        methods: &[MethodPrograms],
        others: &[&Program],
        write: impl FnOnce(&mut Programs<'_>) -> Out,
    ) -> Out {
        let work = &Work { pool, methods, others, begun: AtomicUsize::new(0) };
        let (sender, of_other_threads) = channel();
        thread::scope(|scope| {
            let threads = thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
            for _ in 1..threads {
                let sender = sender.clone();
                let all = move || while work.finish_next().is_some_and(|done| sender.send(done).is_ok()) {};
                // Where there are no threads this one does all the work.
                if thread::Builder::new().spawn_scoped(scope, all).is_err() {
                    break;
                }
            }
            drop(sender);
            write(&mut Programs { work, of_other_threads, steps: InOrder::NONE, others: InOrder::NONE })
        })
    }

    /// The step of the next method.
    pub(super) fn next_step(&mut self) -> OptimisedStep {
        loop {
            match self.steps.take() {
                Some(step) => return *step,
                None => self.finish_one(),
            }
        }
    }

    /// The next one of the others.
    pub(super) fn next_other(&mut self) -> Optimised {
        loop {
            match self.others.take() {
                Some(other) => return *other,
                None => self.finish_one(),
            }
        }
    }

    /// Notes one that another thread has finished, or else finishes one.
    fn finish_one(&mut self) {
        let done = self.of_other_threads.try_recv().ok().or_else(|| self.work.finish_next());
        match done.or_else(|| self.of_other_threads.recv().ok()).expect("every program is asked for once") {
            Finished::Step(i, step) => self.steps.finished.extend([(i, step)]),
            Finished::Other(i, other) => self.others.finished.extend([(i, other)]),
            // The panic goes on here, where the macro's thread catches it.
            Finished::Failed(message) => resume_unwind(Box::new(message)),
        }
    }
}
