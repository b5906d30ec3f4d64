//! Guesses of Newton's method.
//!
//! A method starts its iteration from a guess g of the solution u: the velocity before, the impulses of the last step.
//! The error e = u − g, of the order of the step size, is a smooth function of time, as u is. So the state carries the
//! error of the last step and its backward differences ∇e, ∇²e, and the polynomial through the last errors says what
//! to start from:
//!
//! ```text
//! g + e + ∇e + ∇²e
//! ```
//!
//! Where that is far off and g was nearer, or the iteration does not converge, it starts again from g.
//!
//! At a start, and where a step has another size than the one before, error and differences are zero, and g is left.
//!
//! Impulses are guessed by h λ with the last multipliers λ, which were made of the last impulses: where g is the last
//! solution u₁ it is carried, and no step reads λ. The guess is made of the last four then,
//!
//! ```text
//! 4u₁ + (4u₃ − 6u₂ − u₄),
//! ```
//!
//! of which the sum in brackets is carried as well, since all else waits for u₁. At a start each of them is g.
//!
//! A reflected momentum carries parasitic modes that change sign at every step, and every difference is twice as large
//! as the last. There the last error changes by ∇e of the step before: that is so of errors that are a straight line and
//! such a mode beside it,
//!
//! ```text
//! g + e + ∇e₋₁,   2u₁ + (u₄ − 2u₃)
//! ```

use crate::expr::{Expr, Pool};
use crate::program::{Carried, Program, Rescale, Role, StateEntry, Statement, StepProgram, lets};
use std::collections::HashMap;

/// Numbers that are carried of each guess: e, ∇e, and ∇²e or ∇e₋₁. A fourth one would save an iteration of more steps,
/// but costs ensembles more than it saves.
const NUMBERS: usize = 3;

/// Terms at most when a guess is multiplied out, and how often what is bound is written out for that.
const MAX_TERMS: usize = 16;
const MAX_OPENED: usize = 3;

/// `step` with better initial guesses. A state that belongs to one step size has a momentum that is reflected.
pub(super) fn predictor(pool: &mut Pool, step: StepProgram) -> StepProgram {
    let reflects = step.has_one_size;
    if !step.program.has_loop() {
        return step;
    }
    let formula = match reflects {
        true => "g + e0 + e2; e0: last error of g, e2: its change in the step before",
        false => "g + e0 + e1 + e2; e0: last error of g, e1 and e2: its differences",
    };
    let mut step = last_solutions(pool, step, reflects);
    let mut differences = Vec::new();
    let (mut body, mut after) = (Vec::new(), Vec::new());
    for mut statement in std::mem::take(&mut step.program.body) {
        if let Statement::Newton(newton) = &mut statement {
            if newton.otherwise.is_empty() {
                newton.otherwise.clone_from(&newton.guess);
            }
            if newton.guess.iter().zip(&newton.otherwise).any(|(guess, otherwise)| guess == otherwise) {
                // Of other unknowns it is made of the last solutions.
                let formula = match body
                    .pop_if(|s| matches!(s, Statement::Equation(text) if text.starts_with("initial guess")))
                {
                    Some(Statement::Equation(other)) => format!("{other}; or {formula}"),
                    _ => format!("initial guess: {formula}"),
                };
                body.push(Statement::Equation(formula));
            }
            let unknowns = newton.unknowns.iter().zip(&newton.otherwise).zip(&mut newton.guess);
            for ((&u, &otherwise), guess) in unknowns {
                // Others are made of the last solutions already.
                if *guess != otherwise {
                    continue;
                }
                let name = pool.as_symbol(u).map_or("", |u| pool.name(u)).to_owned();
                let (mut minuend, mut subtrahend) = (u, *guess);
                let mut terms = vec![*guess];
                for order in 0..NUMBERS {
                    let [symbol, next] =
                        ["", "next_"].map(|when| pool.fresh_symbol(&format!("{when}e{order}_{name}")));
                    let value =
                        if reflects && order == 2 { subtrahend } else { pool.sub(minuend, subtrahend) };
                    after.push(Statement::Let { symbol: next, value });
                    let role = Carried::Difference { order };
                    let start = pool.zero();
                    let entry = StateEntry { symbol, role, unit: None, start, rescale: Rescale::Zero };
                    differences.push((entry, next));
                    if !reflects || order != 1 {
                        terms.push(symbol);
                    }
                    (minuend, subtrahend) = (next, symbol);
                }
                *guess = pool.sum(&terms);
            }
        }
        body.push(statement);
        if !after.is_empty() {
            body.push(Statement::Equation("errors for the next initial guess".into()));
            body.append(&mut after);
        }
    }
    step.program.body = body;
    step.carry(differences);
    step
}

/// `step` with guesses by the last four solutions, of unknowns that it starts from a multiple of the step size which is the
/// last one.
fn last_solutions(pool: &mut Pool, mut step: StepProgram, reflects: bool) -> StepProgram {
    let [h] = *step.program.symbols(&Role::StepSize) else { return step };
    let known = step.program.inputs.iter().flat_map(|i| i.symbols.iter().copied()).collect();
    let mut solutions = Vec::new();
    // Of u₁ in the guess, and of u₁ to u₃ in the rest of the next one.
    let (first, others) = if reflects { (2, [0, -2, 1]) } else { (4, [-6, 4, -1]) };
    let formula = match reflects {
        true => "initial guess: 2 u₁ + (u₄ − 2 u₃); u₁ to u₄: last solutions",
        false => "initial guess: 4 u₁ + (4 u₃ − 6 u₂ − u₄); u₁ to u₄: last solutions",
    };
    let mut body = Vec::new();
    for mut statement in step.program.body.clone() {
        if let Statement::Newton(newton) = &mut statement {
            newton.otherwise.clone_from(&newton.guess);
            let unknowns = newton.unknowns.iter().zip(&mut newton.guess).zip(&mut newton.otherwise);
            for ((&u, guess), otherwise) in unknowns {
                let start = *guess;
                let without_h = pool.div(start, h);
                let is_multiple = !pool.depends_on(without_h, &[h]) && pool.are_made_of(&[without_h], &known);
                if !is_multiple || !is_next(pool, &step.program, start, u) {
                    continue;
                }
                let name = pool.as_symbol(u).map_or("", |u| pool.name(u)).to_owned();
                let [u1, u2, u3, rest] = ["last", "last_2", "last_3", "back"]
                    .map(|what| pool.fresh_symbol(&format!("{what}_{name}")));
                (*guess, *otherwise) = (combined(pool, [(first, u1), (1, rest)]), u1);
                let next = combined(pool, [(others[0], u1), (others[1], u2), (others[2], u3)]);
                let older = combined(pool, [(1 - first, start)]);
                let rescale = Rescale::Restart;
                for (lag, (symbol, next)) in [(u1, u), (u2, u1), (u3, u2)].into_iter().enumerate() {
                    let role = Carried::Solution { lag };
                    solutions.push((StateEntry { symbol, role, unit: None, start, rescale }, next));
                }
                let role = Carried::OlderSolutions;
                solutions.push((StateEntry { symbol: rest, role, unit: None, start: older, rescale }, next));
            }
            if newton.guess != newton.otherwise {
                body.push(Statement::Equation(formula.into()));
            }
        }
        body.push(statement);
    }
    step.program.body = body;
    step.carry(solutions);
    step
}

/// Σ c x
fn combined<const N: usize>(pool: &mut Pool, parts: [(i64, Expr); N]) -> Expr {
    let terms = parts.map(|(c, x)| {
        let c = pool.int(c);
        pool.mul(c, x)
    });
    pool.sum(&terms)
}

/// Whether `e` is `u` in the next step.
fn is_next(pool: &mut Pool, program: &Program, e: Expr, u: Expr) -> bool {
    let mut map: HashMap<Expr, Expr> = program.state().collect();
    let mut e = e;
    for _ in 0..=MAX_OPENED {
        e = pool.substitute(&[e], &map)[0];
        let Some(expanded) = pool.expand(e, MAX_TERMS) else { return false };
        if expanded == u {
            return true;
        }
        e = expanded;
        let all = pool.reachable(&[e]);
        map = lets(&program.body).filter(|(symbol, _)| all.contains(symbol)).collect();
    }
    false
}
