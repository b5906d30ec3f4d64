//! Predictor: extrapolates the initial guess of Newton's method from the last steps.
//!
//! A better guess saves iterations. The pass applies to every step with a Newton loop.
//!
//! The scheme provides a guess g of the solution u: the last velocity, or the last impulses. The error e = u − g is of
//! the order of the step size and a smooth function of time. The state carries the last error and its backward
//! differences ∇e and ∇²e. The predicted error is the value of the quadratic polynomial through the last three errors,
//! so that the guess becomes
//!
//! ```text
//! g + e + ∇e + ∇²e.
//! ```
//!
//! The fallback guess is g: the iteration starts again from g if it diverges, or if the prediction is far off and g is
//! closer. At a start, and after a change of the step size, error and differences are zero, so that the guess is g.
//!
//! Schemes guess impulses as h λ, and λ is the last impulse divided by h. Such a g is the last solution u₁. The state
//! then carries u₁ instead, no step reads λ, and the guess is the cubic extrapolation
//!
//! ```text
//! 4u₁ + (4u₃ − 6u₂ − u₄)
//! ```
//!
//! of the last four solutions. The sum in brackets is carried as well: it is known a step earlier, so that only u₁ is
//! on the critical path. At a start all solutions are g.
//!
//! Reflected momenta carry parasitic modes that change sign in every step, and differencing doubles such a mode. The
//! predictor of these states is exact for errors that are a straight line plus such a mode: the last error changes by
//! the ∇e of one step before,
//!
//! ```text
//! g + e + ∇e₋₁,   2u₁ + (u₄ − 2u₃).
//! ```

use crate::expr::{Expr, Pool};
use crate::program::{Carried, Program, Rescale, Role, StateEntry, Statement, StepProgram, lets};
use std::collections::HashMap;

/// Order of the predictor: the state carries e, ∇e, and ∇²e or ∇e₋₁. A fourth number saves some iterations, but costs
/// ensembles more.
const NUMBERS: usize = 3;

/// Limits of the expansion that recognises the last solution: terms of a sum, and levels of `Let`s that are inlined.
const MAX_TERMS: usize = 16;
const MAX_OPENED: usize = 3;

/// `step` with extrapolated initial guesses. States that belong to one step size hold reflected momenta.
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
                // The guesses of the other unknowns extrapolate solutions; both formulas stand in one comment.
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
                // This guess extrapolates solutions already.
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

/// Extrapolates solutions instead of errors for every unknown whose guess is the last solution: a multiple of h that
/// equals the unknown in the next step.
fn last_solutions(pool: &mut Pool, mut step: StepProgram, reflects: bool) -> StepProgram {
    let [h] = *step.program.symbols(&Role::StepSize) else { return step };
    let known = step.program.inputs.iter().flat_map(|i| i.symbols.iter().copied()).collect();
    let mut solutions = Vec::new();
    // The coefficient of u₁ in the guess, and those of u₁, u₂ and u₃ in the sum carried for the next guess.
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

/// Whether the value of `e` in the next step is `u`.
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
