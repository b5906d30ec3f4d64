//! The driver: runs the passes of each stage and keeps the candidates that improve a step.
//!
//! A stage that compares operations does so after one round of the local passes, and continues with the better
//! candidate. A stage that compares cycles takes every candidate through all later stages first, since only the
//! finished step shows the length of its recurrence.

use super::{Allowance, CLOSING, Cost, FINISHING, Facts, Make, Run, STAGES, StepPass, TRIG_RECURRENCE};
use crate::expr::Pool;
use crate::optimise::Options;
use crate::optimise::cost::draft_weight_in_loop;
use crate::optimise::draft::Context;
use crate::optimise::search::Search;
use crate::program::{Constants, StepProgram, Table};
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
struct Candidate {
    step: StepProgram,
    search: Search,
    stage: usize,
}

/// A step after all stages.
struct Finished {
    step: StepProgram,
    /// Facts of the step before the stage that rotates the loop.
    facts: Facts,
    decisions: Vec<Decision>,
}

/// `step` with fewer operations and a shorter recurrence, and the outcome of each pass.
pub fn optimise_step(
    pool: &mut Pool,
    constants: &mut Constants,
    step: StepProgram,
    options: Options,
) -> (StepProgram, Vec<Decision>) {
    let cx = &mut Context::new(pool, constants, options);
    let Finished { mut step, facts, mut decisions } = first_stage(cx, step);
    for pass in CLOSING {
        let before = step.program.clone();
        let outcome = match (pass.applies)(facts) {
            Err(reason) => Outcome::NotApplicable(reason),
            Ok(()) if !cx.options.has(pass.name) => continue,
            Ok(()) => {
                (pass.run)(cx, &mut step.program, 0);
                Outcome::of_change(before != step.program)
            }
        };
        decisions.push(Decision { pass: pass.name, outcome });
    }
    if let (Run::Always(run), true) = (&TRIG_RECURRENCE.run, cx.options.has(TRIG_RECURRENCE.name)) {
        let before = step.program.clone();
        step = run(cx.pool, step);
        let outcome = Outcome::of_change(before != step.program);
        decisions.push(Decision { pass: TRIG_RECURRENCE.name, outcome });
    }
    (step, decisions)
}

impl Outcome {
    fn of_change(is_changed: bool) -> Outcome {
        if is_changed { Outcome::Run } else { Outcome::Nothing }
    }
}

/// `step` as a candidate before stage `stage`. If passes that always run come next, they have run.
fn candidate(cx: &mut Context<'_>, mut step: StepProgram, mut stage: usize) -> Candidate {
    while let Some([StepPass { name, run: Run::Always(run), .. }]) = STAGES.get(stage) {
        if cx.options.has(name) {
            step = run(cx.pool, step);
        }
        stage += 1;
    }
    let search = Search::new(cx, &step.program);
    Candidate { step, search, stage }
}

/// Decisions on the passes that always run in these stages.
fn always_run(stages: std::ops::Range<usize>, facts: Facts) -> impl Iterator<Item = Decision> {
    STAGES[stages].iter().copied().flatten().map(move |pass| {
        let outcome = (pass.applies)(facts).map_or_else(Outcome::NotApplicable, |()| Outcome::Run);
        Decision { pass: pass.name, outcome }
    })
}

/// The first stage, which needs no search before it.
fn first_stage(cx: &mut Context<'_>, step: StepProgram) -> Finished {
    let current = candidate(cx, step.clone(), 1);
    let start = Candidate { step, search: current.search.clone(), stage: 0 };
    compared(cx, start, current, 0)
}

/// Takes a candidate through its remaining stages.
fn explore(cx: &mut Context<'_>, at: Candidate, allowance: Allowance) -> Finished {
    let Some(stage) = STAGES.get(at.stage) else { return finish(cx, at, allowance) };
    match stage[0].run {
        Run::Cycles(_) | Run::CyclesByMore(_) => fewest_cycles(cx, at, stage, allowance),
        _ => {
            let current = Candidate { step: at.step.clone(), search: at.search.clone(), stage: at.stage + 1 };
            compared(cx, at, current, allowance)
        }
    }
}

/// Runs a stage that compares operations after one round of the local passes. `current` is the step without the pass of
/// the stage.
fn compared(cx: &mut Context<'_>, at: Candidate, current: Candidate, allowance: Allowance) -> Finished {
    let pass = &STAGES[at.stage][0];
    let facts = Facts::of(&at.step, &at.search);
    let (mut best, mut decisions) = (current, Vec::new());
    let (mut outcome, after) = (Outcome::Nothing, at.stage + 1);
    match (pass.applies)(facts) {
        Err(reason) => outcome = Outcome::NotApplicable(reason),
        Ok(()) if !cx.options.has(pass.name) => {}
        Ok(()) => {
            let (makes, worth): (Vec<Make<'_>>, _) = match pass.run {
                Run::Operations(run) => (run(&at.step, &at.search), None),
                Run::OperationsInLoop(run) => {
                    let (with, without) = (TARGET.state_entry_with_newton, TARGET.state_entry);
                    (run(&at.step, &at.search), Some(if facts.has_newton { with } else { without }))
                }
                _ => (Vec::new(), None),
            };
            for make in makes {
                let Some(step) = make(cx) else { continue };
                let other = candidate(cx, step, after);
                let mut weight = |of: &Candidate| match worth {
                    None => of.search.cost.0,
                    Some(_) => draft_weight_in_loop(cx, &of.search.best),
                };
                let (before, after) = (weight(&best), weight(&other));
                let is_kept = after + worth.unwrap_or(1) <= before;
                let what = if worth.is_some() { "operations in a loop" } else { "operations" };
                outcome = Outcome::Compared { before, after, what, is_kept };
                if is_kept {
                    best = other;
                }
            }
        }
    }
    decisions.push(Decision { pass: pass.name, outcome });
    decisions.extend(always_run(after..best.stage, Facts::of(&best.step, &best.search)));
    let mut finished = explore(cx, best, allowance);
    decisions.append(&mut finished.decisions);
    Finished { decisions, ..finished }
}

/// Runs a stage that compares cycles of finished steps.
fn fewest_cycles(
    cx: &mut Context<'_>,
    at: Candidate,
    stage: &'static [StepPass],
    allowance: Allowance,
) -> Finished {
    let facts = Facts::of(&at.step, &at.search);
    let applies: Vec<_> = stage.iter().map(|pass| (pass.applies)(facts)).collect();
    let next = at.stage + 1;
    if applies.iter().all(Result::is_err) {
        let mut finished = explore(cx, Candidate { stage: next, ..at }, allowance);
        let reasons =
            stage.iter().zip(applies).filter_map(|(pass, applies)| Some((pass.name, applies.err()?)));
        let reasons =
            reasons.map(|(pass, reason)| Decision { pass, outcome: Outcome::NotApplicable(reason) });
        finished.decisions.splice(0..0, reasons);
        return Finished { facts, ..finished };
    }
    // Every candidate starts from the same pool, so that its names do not depend on the other candidates.
    let before = (cx.pool.clone(), cx.constants.clone());
    let Candidate { step, search, .. } = at;
    let unchanged = Candidate { step: step.clone(), search: search.clone(), stage: next };
    let mut best = explore(cx, unchanged, allowance);
    let present = Cost::of(cx.pool, cx.constants, &best.step.program);
    let (mut least, mut kept, mut log) = (present, None, Vec::new());
    for (pass, applies) in stage.iter().zip(applies) {
        let mut outcome = applies.map_or_else(Outcome::NotApplicable, |()| Outcome::Nothing);
        if applies.is_err() || !cx.options.has(pass.name) {
            log.push(Decision { pass: pass.name, outcome });
            continue;
        }
        let (makes, allowance): (Vec<Make<'_>>, Allowance) = match pass.run {
            Run::Cycles(run) => (run(&step, &search), 0),
            Run::CyclesByMore(run) => (run(&before.0, &step), present.most_in_loop()),
            _ => (Vec::new(), 0),
        };
        for make in makes {
            let (mut pool, mut constants) = before.clone();
            let cx = &mut Context::new(&mut pool, &mut constants, cx.options);
            let Some(made) = make(cx) else { continue };
            let made = candidate(cx, made, next);
            let other = explore(cx, made, allowance);
            let cost = Cost::of(cx.pool, cx.constants, &other.step.program);
            let is_allowed = match pass.run {
                Run::Cycles(_) => cost.in_loop <= present.in_loop,
                _ => cost.is_worth_another_state(present),
            };
            let is_kept = is_allowed && cost.cycles() < least.cycles();
            let was_kept = matches!(outcome, Outcome::Compared { is_kept: true, .. });
            if is_kept || !was_kept {
                let (before, after) = (present.cycles(), cost.cycles());
                outcome = Outcome::Compared { before, after, what: "cycles", is_kept };
            }
            if is_kept {
                (best, least, kept) = (other, cost, Some((pool, constants)));
            }
        }
        log.push(Decision { pass: pass.name, outcome });
    }
    if let Some((pool, constants)) = kept {
        (*cx.pool, *cx.constants) = (pool, constants);
        cx.factors = Table::new();
    }
    log.append(&mut best.decisions);
    Finished { facts, decisions: log, ..best }
}

/// Runs the remaining rounds of the local passes, and `FINISHING`.
fn finish(cx: &mut Context<'_>, at: Candidate, allowance: Allowance) -> Finished {
    let Candidate { mut step, mut search, .. } = at;
    let facts = Facts::of(&step, &search);
    search.other_orders(cx);
    search.other_rounds(cx);
    let mut decisions = if cx.options.explains { local_decisions(cx, &search) } else { Vec::new() };
    step.program = search.finish(cx);
    for pass in FINISHING {
        let outcome = match (pass.applies)(facts) {
            Err(reason) => Outcome::NotApplicable(reason),
            Ok(()) if !cx.options.has(pass.name) => continue,
            Ok(()) => {
                let before = step.program.clone();
                (pass.run)(cx, &mut step.program, allowance);
                Outcome::of_change(before != step.program)
            }
        };
        decisions.push(Decision { pass: pass.name, outcome });
    }
    Finished { step, facts, decisions }
}

/// What the local passes of the order that was kept have saved.
fn local_decisions(cx: &mut Context<'_>, search: &Search) -> Vec<Decision> {
    let mut before = search.start_weight(cx);
    let mut decisions = Vec::new();
    for (pass, draft) in &search.kept {
        let after = draft.operations(cx).weight().0;
        let what = "operations";
        let outcome = match before == after {
            true => Outcome::Nothing,
            false => Outcome::Compared { before, after, what, is_kept: true },
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
