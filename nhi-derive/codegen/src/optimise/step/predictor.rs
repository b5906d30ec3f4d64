//! Predictor: extrapolates the initial guess of Newton's method from the last steps.
//!
//! A better guess saves iterations. The pass applies to every step with a Newton loop.
//!
//! The scheme provides a guess g of the solution u: the last velocity, or the last impulses. The state carries the last
//! errors e₁, e₂, … of g, the latest first, where e = u − g. The new guess adds the value of the quadratic polynomial
//! through three of them,
//!
//! ```text
//! g + 3e₁ + (e₃ − 3e₂).
//! ```
//!
//! The sum in brackets is carried in place of e₃: it is known a step earlier, so that only e₁ is on the critical path. A
//! fourth number would save some iterations, but cost ensembles more.
//!
//! The fallback guess is g: the iteration starts again from g if it diverges, or if the prediction is far off and g is
//! closer. At a start, and after a change of the step size, the errors are zero, so that the guess is g.
//!
//! Schemes guess impulses as h λ, and λ is the last impulse divided by h. Such a g is the last solution. The state then
//! carries it, so that no step reads λ.
//!
//! Reflected momenta carry parasitic modes that change sign in every step, and differencing doubles such a mode. The
//! predictor of these states is exact for errors that are a straight line plus such a mode,
//!
//! ```text
//! g + e₁ + (e₂ − e₃).
//! ```

use crate::expr::{Expr, Pool};
use crate::program::{Carried, Program, Rescale, Role, StateEntry, Statement, StepProgram, lets};
use std::collections::HashMap;

/// Limits of the expansion that recognises the last solution: terms of a sum, and levels of `Let`s that are inlined.
const MAX_TERMS: usize = 16;
const MAX_OPENED: usize = 3;

/// Extrapolates the initial guesses of `step`. States that belong to one step size hold reflected momenta.
pub(super) fn predictor(pool: &mut Pool, step: &mut StepProgram) {
    let (coefficients, formula) = match step.has_one_size {
        true => ([1, 1, -1], "g + e₁ + (e₂ − e₃)"),
        false => ([3, -3, 1], "g + 3 e₁ + (e₃ − 3 e₂)"),
    };
    let coefficients = coefficients.map(|c| pool.int(c));
    let (zero, program) = (pool.zero(), step.program.clone());
    let (mut carried, mut body) = (Vec::new(), Vec::new());
    let mut carry = |symbol, role, start, next| {
        carried.push((StateEntry::new(symbol, role, start, Rescale::Restart), next));
    };
    for mut statement in std::mem::take(&mut step.program.body) {
        let mut errors = Vec::new();
        if let Statement::Newton(newton) = &mut statement {
            let text = format!("initial guess: {formula}; e₁ to e₃: last errors of g");
            body.push(Statement::Equation(text));
            errors.push(Statement::Equation("errors for the next initial guess".into()));
            for (&u, guess) in newton.unknowns.iter().zip(&mut newton.guess) {
                let name = pool.show(u).to_string();
                if is_last_solution(pool, &program, *guess, u) {
                    let last = pool.fresh_symbol(&format!("last_{name}"));
                    carry(last, Carried::Solution, *guess, u);
                    *guess = last;
                }
                newton.otherwise.push(*guess);
                let [next, e1, e2, older] = ["next_error", "error", "error_2", "older_errors"]
                    .map(|what| pool.fresh_symbol(&format!("{what}_{name}")));
                errors.push(Statement::Let { symbol: next, value: pool.sub(u, *guess) });
                let mut sum = |of: [Expr; 3]| {
                    let terms: Vec<Expr> =
                        coefficients.iter().zip(of).map(|(&c, e)| pool.mul(c, e)).collect();
                    pool.sum(&terms)
                };
                carry(e1, Carried::Error { lag: 0 }, zero, next);
                carry(e2, Carried::Error { lag: 1 }, zero, e1);
                carry(older, Carried::OlderErrors, zero, sum([zero, e1, e2]));
                let first = sum([e1, zero, zero]);
                *guess = pool.sum(&[*guess, first, older]);
            }
        }
        body.push(statement);
        body.append(&mut errors);
    }
    step.program.body = body;
    step.carry(carried);
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
