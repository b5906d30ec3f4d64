//! Multipliers in forces: friction is a multiple of the load of a contact, which is the multiplier of a constraint.
//!
//! With b = b₀ + F λₛ, where λₛ are the multipliers in the force, the equations of motion are linear in all multipliers:
//!
//! ```text
//! M dv/dt = b₀ + F λₛ + μᵀλ,   μ dv/dt + γ = 0,
//! C λ + μM⁻¹F λₛ = −(μM⁻¹b₀ + γ),
//! (1 + [C⁻¹μM⁻¹F]ₛ) λₛ = −[C⁻¹(μM⁻¹b₀ + γ)]ₛ.
//! ```
//!
//! So λₛ are functions of q, v, z, t and inputs, and so is the force. Methods see a force like any other, and keep their orders.

use crate::expr::linear::{Matrix, cramer, determinant, product, solve_definite};
use crate::expr::{Expr, Node, Pool};
use std::collections::HashMap;

/// Most conditions on multipliers in a force. Every one doubles the number of equations that are solved.
const MOST_CONDITIONS: usize = 5;

/// Why multipliers in a force cannot be solved for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unsolvable {
    /// The force is not affine in multipliers between its conditions.
    NotAffine,
    /// The conditions are more than [`MOST_CONDITIONS`].
    TooManyConditions,
}

/// The equations for dv/dt and the multipliers of a system.
pub(super) struct Equations<'a> {
    pub mass: &'a Matrix,
    pub mu: &'a Matrix,
    pub gamma: &'a [Expr],
    /// b, with symbols of multipliers.
    pub bias: &'a [Expr],
}

/// Whether multipliers in a force can be solved for.
pub(crate) fn check(pool: &mut Pool, force: &[Expr], symbols: &[Expr]) -> Result<(), Unsolvable> {
    checked(pool, force, symbols, MOST_CONDITIONS)
}

fn checked(pool: &mut Pool, force: &[Expr], symbols: &[Expr], most: usize) -> Result<(), Unsolvable> {
    if let Some(condition) = condition(pool, force, symbols) {
        let most = most.checked_sub(1).ok_or(Unsolvable::TooManyConditions)?;
        let branches = [true, false].map(|holds| decided(pool, force, condition, holds));
        return branches.iter().try_for_each(|branch| checked(pool, branch, symbols, most));
    }
    let slopes: Vec<Expr> = force.iter().flat_map(|&f| pool.gradient(f, symbols)).collect();
    match slopes.iter().any(|&slope| pool.depends_on(slope, symbols)) {
        true => Err(Unsolvable::NotAffine),
        false => Ok(()),
    }
}

impl Equations<'_> {
    /// The multipliers λₛ, those of the constraints `rows`, which `symbols` stand for.
    ///
    /// Between conditions on multipliers, the equations are linear. Where a condition holds for the multipliers that it gives,
    /// these are the solution, and elsewhere those that its contrary gives.
    pub(super) fn solve(&self, pool: &mut Pool, rows: &[usize], symbols: &[Expr]) -> Vec<Expr> {
        let Some(condition) = condition(pool, self.bias, symbols) else {
            return self.solve_linear(pool, rows, symbols);
        };
        let [holds, fails] = [true, false].map(|holds| {
            let bias = decided(pool, self.bias, condition, holds);
            Equations { bias: &bias, ..*self }.solve(pool, rows, symbols)
        });
        let image = symbols.iter().copied().zip(holds.iter().copied()).collect();
        let condition = pool.substitute(&[condition], &image)[0];
        holds.iter().zip(&fails).map(|(&a, &b)| pool.select(condition, a, b)).collect()
    }

    fn solve_linear(&self, pool: &mut Pool, rows: &[usize], symbols: &[Expr]) -> Vec<Expr> {
        let at_zero: HashMap<Expr, Expr> = symbols.iter().map(|&s| (s, pool.zero())).collect();
        let b0 = pool.substitute(self.bias, &at_zero);
        let right: Matrix = (0..self.bias.len())
            .map(|i| {
                let slopes = pool.gradient(self.bias[i], symbols);
                let forms = self.mu.iter().map(|row| row[i]);
                forms.chain(slopes).chain([b0[i]]).collect()
            })
            .collect();
        let (m, k) = (self.mu.len(), symbols.len());
        // M⁻¹ (μᵀ, F, b₀), then C and (μM⁻¹F, μM⁻¹b₀ + γ).
        let moved = solve_definite(pool, self.mass, &right);
        let mut along = product(pool, self.mu, &moved);
        for (row, &gamma) in along.iter_mut().zip(self.gamma) {
            row[m + k] = pool.add(row[m + k], gamma);
        }
        let (c, right): (Matrix, Matrix) =
            along.iter().map(|row| (row[..m].to_vec(), row[m..].to_vec())).unzip();
        let solved = solve_definite(pool, &c, &right);
        let mut square: Matrix = rows.iter().map(|&row| solved[row][..k].to_vec()).collect();
        for (s, row) in square.iter_mut().enumerate() {
            let one = pool.one();
            row[s] = pool.add(one, row[s]);
        }
        let right: Vec<Expr> = rows.iter().map(|&row| pool.neg(solved[row][k])).collect();
        let det = determinant(pool, &square);
        let numerators = cramer(pool, &square, &right);
        numerators.into_iter().map(|numerator| pool.div(numerator, det)).collect()
    }
}

/// A condition on multipliers, with no other one in it.
fn condition(pool: &Pool, of: &[Expr], symbols: &[Expr]) -> Option<Expr> {
    let conditions = pool.reachable(of).into_iter().filter_map(|e| match *pool.node(e) {
        Node::Select([condition, ..]) if pool.depends_on(condition, symbols) => Some(condition),
        _ => None,
    });
    let chooses =
        |e: Expr| matches!(*pool.node(e), Node::Select([inner, ..]) if pool.depends_on(inner, symbols));
    conditions.into_iter().find(|&condition| !pool.reachable(&[condition]).into_iter().any(chooses))
}

/// Expressions with a condition that holds or fails.
fn decided(pool: &mut Pool, of: &[Expr], condition: Expr, holds: bool) -> Vec<Expr> {
    let mut exprs = of.to_vec();
    loop {
        let all = pool.reachable(&exprs).into_iter();
        let branches = all.filter_map(|e| match *pool.node(e) {
            Node::Select([c, positive, negative]) if c == condition => {
                Some((e, if holds { positive } else { negative }))
            }
            _ => None,
        });
        let image: HashMap<Expr, Expr> = branches.collect();
        if image.is_empty() {
            return exprs;
        }
        exprs = pool.substitute(&exprs, &image);
    }
}
