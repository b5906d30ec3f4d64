//! The driver: runs the passes of each stage and keeps the candidates that improve a step.
//!
//! A stage that compares operations does so after one round of the local passes, and continues with the better
//! candidate. A stage that compares cycles takes every candidate through all later stages first, since only the
//! finished step shows the length of its recurrence.

use super::{CLOSING, Cost, FINISHING, Facts, KeptPass, OPENING, Pass, Run, STAGES, StepPass};
use crate::expr::Pool;
use crate::expr::Table;
use crate::optimise::Options;
use crate::optimise::cost::weight_in_loop;
use crate::optimise::draft::Context;
use crate::optimise::search::Search;
use crate::program::{Constants, StepProgram};
use crate::target::TARGET;
use std::fmt;

/// A pass and its outcome.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// The pass.
    pub pass: &'static str,
    /// The outcome.
    pub outcome: Outcome,
}

/// The outcome of a pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It does not apply, for this reason.
    NotApplicable(&'static str),
    /// It found nothing to do.
    Nothing,
    /// It was run and its result kept without a comparison.
    Run,
    /// Its best candidate has the cost `after`; it was kept or not.
    Compared {
        /// The cost without the pass.
        before: usize,
        /// The cost with it.
        after: usize,
        /// What was counted.
        what: &'static str,
        /// Whether the candidate was kept.
        is_kept: bool,
    },
}

/// A step before stage number `stage`, after a first round of the local passes.
#[derive(Clone)]
struct Candidate {
    step: StepProgram,
    search: Search,
    /// Those of the step before the first stage.
    facts: Facts,
    stage: usize,
}

/// A step after all stages.
struct Finished {
    step: StepProgram,
    decisions: Vec<Decision>,
}

/// `step` with fewer operations and a shorter recurrence, and the outcome of each pass.
pub fn optimise_step(
    pool: &mut Pool,
    constants: &mut Constants,
    step: StepProgram,
    options: Options,
) -> (StepProgram, Vec<Decision>) {
    let (cx, mut step) = (&mut Context::new(pool, constants, options), step);
    let has_newton = step.program.has_loop();
    let first = run_each(cx, OPENING, Facts { has_newton, is_long: false }, &mut step);
    let search = Search::new(cx, &step.program);
    let facts = Facts { has_newton, is_long: search.is_long() };
    let Finished { mut step, decisions } = explore(cx, Candidate { step, search, facts, stage: 0 });
    let last = run_each(cx, CLOSING, facts, &mut step);
    (step, [first, decisions, last].concat())
}

impl<R> Pass<R> {
    /// The outcome of the pass; if it applies, that of `run`.
    fn decide(
        &self,
        cx: &mut Context<'_>,
        facts: Facts,
        run: impl FnOnce(&mut Context<'_>) -> Outcome,
    ) -> Decision {
        let outcome = match (self.applies)(facts) {
            Err(reason) => Outcome::NotApplicable(reason),
            Ok(()) if !cx.options.has(self.name) => Outcome::Nothing,
            Ok(()) => run(cx),
        };
        Decision { pass: self.name, outcome }
    }
}

/// Runs passes one after the other.
fn run_each(
    cx: &mut Context<'_>,
    passes: &[KeptPass],
    facts: Facts,
    step: &mut StepProgram,
) -> Vec<Decision> {
    let each = passes.iter().map(|pass| {
        pass.decide(cx, facts, |cx| {
            let before = step.clone();
            (pass.run)(cx, step);
            if before == *step { Outcome::Nothing } else { Outcome::Run }
        })
    });
    each.collect()
}

/// `step` as a candidate before the next stage.
fn candidate(cx: &mut Context<'_>, step: StepProgram, at: &Candidate) -> Candidate {
    let search = Search::new(cx, &step.program);
    Candidate { step, search, stage: at.stage + 1, ..*at }
}

/// Takes a candidate through its remaining stages.
fn explore(cx: &mut Context<'_>, at: Candidate) -> Finished {
    match STAGES.get(at.stage) {
        None => finish(cx, at),
        Some([StepPass { run: Run::Cycles(_) | Run::CyclesByMore(_), .. }, ..]) => fewest_cycles(cx, at),
        Some(passes) => fewest_operations(cx, &passes[0], at),
    }
}

/// Runs a pass that compares operations after one round of the local passes.
fn fewest_operations(cx: &mut Context<'_>, pass: &StepPass, at: Candidate) -> Finished {
    let mut best = Candidate { stage: at.stage + 1, ..at.clone() };
    let decision = pass.decide(cx, at.facts, |cx| {
        let (Run::Operations(make) | Run::OperationsInLoop(make)) = pass.run else { return Outcome::Nothing };
        let Some(step) = make(cx, &at.step, &at.search) else { return Outcome::Nothing };
        let other = candidate(cx, step, &at);
        let (before, after, worth, what) = match pass.run {
            Run::OperationsInLoop(_) => {
                let [before, after] =
                    [&best, &other].map(|c| weight_in_loop(cx.pool, cx.constants, &c.search.best.program));
                let (with, without) = (TARGET.state_entry_with_newton, TARGET.state_entry);
                let worth = if at.facts.has_newton { with } else { without };
                (before, after, worth, "operations in a loop")
            }
            _ => (best.search.cost.0, other.search.cost.0, 1, "operations"),
        };
        let is_kept = after + worth <= before;
        if is_kept {
            best = other;
        }
        Outcome::Compared { before, after, what, is_kept }
    });
    let mut finished = explore(cx, best);
    finished.decisions.insert(0, decision);
    finished
}

/// Runs a stage that compares cycles of finished steps.
fn fewest_cycles(cx: &mut Context<'_>, at: Candidate) -> Finished {
    // Every candidate starts from the same pool, so that its names do not depend on the other candidates.
    let start = (cx.pool.clone(), cx.constants.clone());
    let mut best = explore(cx, Candidate { stage: at.stage + 1, ..at.clone() });
    let present = Cost::of(cx.pool, cx.constants, &best.step.program);
    let (mut least, mut kept, mut log) = (present, None, Vec::new());
    for pass in STAGES[at.stage] {
        log.push(pass.decide(cx, at.facts, |cx| {
            let (Run::Cycles(alternatives) | Run::CyclesByMore(alternatives)) = pass.run else {
                return Outcome::Nothing;
            };
            let mut outcome = Outcome::Nothing;
            for alternative in alternatives(&start.0, &at.step) {
                let (mut pool, mut constants) = start.clone();
                let cx = &mut Context::new(&mut pool, &mut constants, cx.options);
                let Some(step) = alternative(cx) else { continue };
                let other = candidate(cx, step, &at);
                let other = explore(cx, other);
                let cost = Cost::of(cx.pool, cx.constants, &other.step.program);
                let is_allowed = match pass.run {
                    Run::CyclesByMore(_) => cost.is_worth_another_state(present),
                    _ => cost.in_loop <= present.in_loop,
                };
                let is_kept = is_allowed && cost.cycles() < least.cycles();
                if is_kept || !matches!(outcome, Outcome::Compared { is_kept: true, .. }) {
                    let (before, after) = (present.cycles(), cost.cycles());
                    outcome = Outcome::Compared { before, after, what: "cycles", is_kept };
                }
                if is_kept {
                    (best, least, kept) = (other, cost, Some((pool, constants)));
                }
            }
            outcome
        }));
    }
    if let Some((pool, constants)) = kept {
        (*cx.pool, *cx.constants) = (pool, constants);
        cx.factors = Table::new();
    }
    log.append(&mut best.decisions);
    Finished { decisions: log, ..best }
}

/// Runs the remaining rounds of the local passes, and `FINISHING`.
fn finish(cx: &mut Context<'_>, at: Candidate) -> Finished {
    let Candidate { mut step, mut search, facts, .. } = at;
    search.other_rounds(cx);
    let mut decisions = if cx.options.explains { local_decisions(cx, &search) } else { Vec::new() };
    step.program = search.finish(cx);
    decisions.extend(run_each(cx, FINISHING, facts, &mut step));
    Finished { step, decisions }
}

/// What the local passes of the order that was kept have saved.
fn local_decisions(cx: &mut Context<'_>, search: &Search) -> Vec<Decision> {
    let mut before = search.start_weight;
    let mut decisions = Vec::new();
    for (pass, draft) in &search.kept {
        let after = draft.operations(cx).weight().0;
        let outcome = match before == after {
            true => Outcome::Nothing,
            false => Outcome::Compared { before, after, what: "operations", is_kept: true },
        };
        decisions.push(Decision { pass, outcome });
        before = after;
    }
    decisions
}

impl fmt::Display for Decision {
    /// `state_cache: kept, 40 → 31 operations`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.pass)?;
        match &self.outcome {
            Outcome::NotApplicable(reason) => write!(f, "does not apply: {reason}"),
            Outcome::Nothing => write!(f, "found nothing to change"),
            Outcome::Run => write!(f, "applied"),
            Outcome::Compared { before, after, what, is_kept } => {
                let verdict = if *is_kept { "kept" } else { "dropped" };
                write!(f, "{verdict}, {before} → {after} {what}")
            }
        }
    }
}
