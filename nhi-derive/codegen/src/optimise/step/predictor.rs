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
//! Schemes guess impulses as h λ, and λ is the last impulse divided by h. Such a g is the last solution u₁. The state then
//! carries it, so that no step reads λ. Since e₁ = u₁ − u₂, the guess is
//!
//! ```text
//! 4u₁ + (e₃ − 3e₂ − 3u₂),
//! ```
//!
//! with one subtraction less on the critical path. It is g at a start, where the errors are zero and u₂ is g.
//!
//! Reflected momenta carry parasitic modes that change sign in every step, and differencing doubles such a mode. The
//! predictor of these states is exact for errors that are a straight line plus such a mode,
//!
//! ```text
//! g + e₁ + (e₂ − e₃),   2u₁ + (e₂ − e₃ − u₂).
//! ```

use super::predicted_angle::opened;
use crate::expr::{Expr, Pool};
use crate::program::{Carried, Program, Rescale, Role, StateEntry, Statement, StepProgram, lets};
use std::collections::BTreeSet;

/// Extrapolates the initial guesses of `step`. States that belong to one step size hold reflected momenta.
pub(super) fn predictor(pool: &mut Pool, step: &mut StepProgram) {
    let (coefficients, of_errors, of_solutions) = match step.has_one_size {
        true => ([1, 1, -1], "g + e₁ + (e₂ − e₃)", "2 u₁ + (e₂ − e₃ − u₂)"),
        false => ([3, -3, 1], "g + 3 e₁ + (e₃ − 3 e₂)", "4 u₁ + (e₃ − 3 e₂ − 3 u₂)"),
    };
    let [first, second, third] = coefficients.map(|c| pool.int(c));
    let (zero, program) = (pool.zero(), step.program.clone());
    let (mut carried, mut body) = (Vec::new(), Vec::new());
    let mut carry = |symbol, role, start, next| {
        carried.push((StateEntry::new(symbol, role, start, Rescale::Restart), next));
    };
    for mut statement in std::mem::take(&mut step.program.body) {
        let (mut formulas, mut errors) = (BTreeSet::new(), Vec::new());
        if let Statement::Newton(newton) = &mut statement {
            for (&u, guess) in newton.unknowns.iter().zip(&mut newton.guess) {
                let name = pool.show(u).to_string();
                let [e1, e2, older] = ["error", "error_2", "older_errors"]
                    .map(|what| pool.fresh_symbol(&format!("{what}_{name}")));
                // What the first coefficient multiplies, and what of that is in brackets: at a start, and in the next step.
                let (mut latest, mut formula, mut before) = (e1, of_errors, [zero; 2]);
                if is_last_solution(pool, &program, *guess, u) {
                    let last = pool.fresh_symbol(&format!("last_{name}"));
                    carry(last, Carried::Solution, *guess, u);
                    (latest, formula, before) = (last, of_solutions, [*guess, last]);
                    *guess = last;
                }
                formulas.insert(formula);
                newton.fallback.push(*guess);
                let mut next = pool.sub(u, *guess);
                if next != u {
                    let symbol = pool.fresh_symbol(&format!("next_error_{name}"));
                    errors.push(Statement::Let { symbol, value: next });
                    next = symbol;
                }
                carry(e1, Carried::Error { lag: 0 }, zero, next);
                carry(e2, Carried::Error { lag: 1 }, zero, e1);
                let [at_start, before] = before.map(|u| pool.mul(first, u));
                let next = [pool.mul(second, e1), pool.mul(third, e2)];
                let next = pool.sum(&next);
                carry(older, Carried::OlderErrors, pool.neg(at_start), pool.sub(next, before));
                let latest = pool.mul(first, latest);
                *guess = pool.sum(&[*guess, latest, older]);
            }
        }
        if !formulas.is_empty() {
            let formulas: Vec<&str> = formulas.into_iter().collect();
            let formulas = formulas.join(" or ");
            let text =
                format!("initial guess: {formulas}; u₁, …: last solutions, e₁, …: their differences from g");
            body.push(Statement::Equation(text));
        }
        body.push(statement);
        if !errors.is_empty() {
            body.push(Statement::Equation("errors for the next initial guess".into()));
            body.append(&mut errors);
        }
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
    let next = pool.substitute(&[guess], &program.state().collect())[0];
    let values: Vec<(Expr, Expr)> = lets(&program.body).collect();
    opened(pool, next, &values) == Some(u)
}
