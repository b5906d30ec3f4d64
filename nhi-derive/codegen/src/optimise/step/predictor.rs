//! Predictor: extrapolates the initial guess of Newton's method from the last steps.
//!
//! A better guess saves iterations. The pass applies to every step with a Newton loop.
//!
//! The scheme provides a guess g of the solution u: the last velocity, or the last impulses. The state carries the last
//! error e = u − g and its backward differences ∇e and ∇²e. The new guess adds the value of the quadratic polynomial
//! through the last three errors,
//!
//! ```text
//! g + e + ∇e + ∇²e.
//! ```
//!
//! The fallback guess is g: the iteration starts again from g if it diverges, or if the prediction is far off and g is
//! closer. At a start, and after a change of the step size, error and differences are zero, so that the guess is g.
//!
//! Schemes guess impulses as h λ, and λ is the last impulse divided by h. Such a g is the last solution u₁. The state
//! then carries u₁ instead, no step reads λ, and the guess is the cubic extrapolation of the last four solutions, which
//! are g at a start,
//!
//! ```text
//! 4u₁ + (4u₃ − 6u₂ − u₄).
//! ```
//!
//! The sum in brackets is carried as well: it is known a step earlier, so that only u₁ is on the critical path.
//!
//! Reflected momenta carry parasitic modes that change sign in every step, and differencing doubles such a mode. The
//! predictor of these states is exact for errors that are a straight line plus such a mode,
//!
//! ```text
//! g + e + ∇e₋₁,   2u₁ + (u₄ − 2u₃).
//! ```

use crate::expr::{Expr, Pool};
use crate::program::{Carried, Program, Rescale, Role, StateEntry, Statement, StepProgram, lets};
use std::collections::{BTreeSet, HashMap};

/// Order of the predictor: the state carries e, ∇e, and ∇²e or ∇e₋₁. A fourth number saves some iterations, but costs
/// ensembles more.
const NUMBERS: usize = 3;

/// Limits of the expansion that recognises the last solution: terms of a sum, and levels of `Let`s that are inlined.
const MAX_TERMS: usize = 16;
const MAX_OPENED: usize = 3;

/// Extrapolates the initial guesses of `step`. States that belong to one step size hold reflected momenta.
pub(super) fn predictor(pool: &mut Pool, step: &mut StepProgram) {
    let reflects = step.has_one_size;
    let [of_solutions, of_errors] = match reflects {
        true => [
            "2 u₁ + (u₄ − 2 u₃); u₁ to u₄: last solutions",
            "g + e0 + e2; e0: last error of g, e2: its change in the step before",
        ],
        false => [
            "4 u₁ + (4 u₃ − 6 u₂ − u₄); u₁ to u₄: last solutions",
            "g + e0 + e1 + e2; e0: last error of g, e1 and e2: its differences",
        ],
    };
    let (mut solutions, mut differences, mut body) = (Vec::new(), Vec::new(), Vec::new());
    let program = step.program.clone();
    for mut statement in std::mem::take(&mut step.program.body) {
        let (mut formulas, mut after) = (BTreeSet::new(), Vec::new());
        if let Statement::Newton(newton) = &mut statement {
            newton.otherwise.clone_from(&newton.guess);
            let unknowns = newton.unknowns.iter().zip(&mut newton.guess).zip(&mut newton.otherwise);
            for ((&u, guess), otherwise) in unknowns {
                if is_last_solution(pool, &program, *guess, u) {
                    formulas.insert(of_solutions);
                    [*guess, *otherwise] = last_solutions(pool, &mut solutions, u, *guess, reflects);
                } else {
                    formulas.insert(of_errors);
                    after.extend(last_errors(pool, &mut differences, u, guess, reflects));
                }
            }
        }
        if !formulas.is_empty() {
            let formulas: Vec<&str> = formulas.into_iter().collect();
            body.push(Statement::Equation(format!("initial guess: {}", formulas.join("; or "))));
        }
        body.push(statement);
        if !after.is_empty() {
            body.push(Statement::Equation("errors for the next initial guess".into()));
            body.append(&mut after);
        }
    }
    step.program.body = body;
    step.carry(solutions.into_iter().chain(differences));
}

/// Entries, and their values for the next step.
type Entries = Vec<(StateEntry, Expr)>;

/// Carries the last solutions of an unknown, of which its guess g is the last; the new guess, and the fallback.
fn last_solutions(pool: &mut Pool, to: &mut Entries, u: Expr, start: Expr, reflects: bool) -> [Expr; 2] {
    // The coefficient of u₁ in the guess, and those of u₁, u₂ and u₃ in the sum carried for the next guess.
    let (first, others) = if reflects { (2, [0, -2, 1]) } else { (4, [-6, 4, -1]) };
    let name = pool.show(u).to_string();
    let [u1, u2, u3, rest] =
        ["last", "last_2", "last_3", "back"].map(|what| pool.fresh_symbol(&format!("{what}_{name}")));
    let guess = combined(pool, [(first, u1), (1, rest)]);
    let next = combined(pool, [(others[0], u1), (others[1], u2), (others[2], u3)]);
    let older = combined(pool, [(1 - first, start)]);
    let solution = |lag| Carried::Solution { lag };
    let entries = [
        (u1, solution(0), start, u),
        (u2, solution(1), start, u1),
        (u3, solution(2), start, u2),
        (rest, Carried::OlderSolutions, older, next),
    ];
    to.extend(
        entries.map(|(symbol, role, start, next)| {
            (StateEntry::new(symbol, role, start, Rescale::Restart), next)
        }),
    );
    [guess, u1]
}

/// Adds predicted errors to the guess g of an unknown, and carries the last error and its differences; what computes them.
fn last_errors(pool: &mut Pool, to: &mut Entries, u: Expr, g: &mut Expr, reflects: bool) -> Vec<Statement> {
    let name = pool.show(u).to_string();
    let (mut minuend, mut subtrahend) = (u, *g);
    let (mut terms, mut after) = (vec![*g], Vec::new());
    for order in 0..NUMBERS {
        let [symbol, next] = ["", "next_"].map(|when| pool.fresh_symbol(&format!("{when}e{order}_{name}")));
        let value = if reflects && order == 2 { subtrahend } else { pool.sub(minuend, subtrahend) };
        after.push(Statement::Let { symbol: next, value });
        let (role, start) = (Carried::Difference { order }, pool.zero());
        to.push((StateEntry::new(symbol, role, start, Rescale::Zero), next));
        if !reflects || order != 1 {
            terms.push(symbol);
        }
        (minuend, subtrahend) = (next, symbol);
    }
    *g = pool.sum(&terms);
    after
}

/// Whether a guess is the last solution: a multiple of h whose value in the next step is the unknown `u`.
fn is_last_solution(pool: &mut Pool, program: &Program, guess: Expr, u: Expr) -> bool {
    let [h] = *program.symbols(&Role::StepSize) else { return false };
    let known = program.inputs.iter().flat_map(|i| i.symbols.iter().copied()).collect();
    let without_h = pool.div(guess, h);
    if pool.depends_on(without_h, &[h]) || !pool.are_made_of(&[without_h], &known) {
        return false;
    }
    let (next, values) = (program.state().collect(), lets(&program.body).collect());
    let (mut e, mut map): (Expr, &HashMap<Expr, Expr>) = (guess, &next);
    for _ in 0..=MAX_OPENED {
        e = pool.substitute(&[e], map)[0];
        match pool.expand(e, MAX_TERMS) {
            Some(expanded) if expanded == u => return true,
            Some(expanded) => (e, map) = (expanded, &values),
            None => return false,
        }
    }
    false
}

/// Σ c x
fn combined<const N: usize>(pool: &mut Pool, parts: [(i64, Expr); N]) -> Expr {
    let terms = parts.map(|(c, x)| {
        let c = pool.int(c);
        pool.mul(c, x)
    });
    pool.sum(&terms)
}
