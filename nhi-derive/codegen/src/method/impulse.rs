//! Impulses of the discrete constraint of a step, which is (2) of its method:
//!
//! ```text
//! (2)   μ(q̄) (w + B ℓ) + μ₀(q̄) = 0   at q̄ = q + c h (w + B ℓ),   B = M⁻¹ μ(q)ᵀ.
//! ```
//!
//! If μ does not depend on coordinates that reactions move, (2) is affine in ℓ. Otherwise let ℓ_b be the impulses that
//! move coordinates that μ depends on, and ℓ_a the others, which do not change μ(q̄). (2) is affine in ℓ_a,
//!
//! ```text
//! (2a)  K ℓ_a + R = 0,   K = μ(q̄) B_a,   R = μ(q̄) (w + B_b ℓ_b) + μ₀(q̄),
//! ```
//!
//! and elimination of ℓ_a gives equations for ℓ_b, with the rows in two parts as well,
//!
//! ```text
//! (2b)  K_a R_b − K_b R_a = 0 for a single ℓ_a,   R_b = 0 for any number of them if K_b vanishes.
//! ```
//!
//! So the unknowns of Newton's method are only ℓ_b, and there are none if (2b) is affine in ℓ_b. The
//! coefficients are functions of q and q̄, simplified with sin² + cos² = 1 and divided by their common factors of
//! parameters.

use super::builder::{Builder, ImpulseEquations, Nonlinear};
use super::nodes::{Departure, StepConstraint};
use crate::engine::{BuiltIn, Engine};
use crate::expr::linear::{Matrix, dot};
use crate::expr::{Expr, Pool};
use num_traits::ToPrimitive;
use std::collections::HashMap;

/// Terms at most of coefficients that are multiplied out.
const MAX_TERMS: usize = 64;

/// (2a) and (2b), for a node at the system's q.
struct Parts {
    /// Indices of ℓ_b and of ℓ_a.
    moving: Vec<usize>,
    others: Vec<usize>,
    /// Symbols for q̄ and its time.
    bar: Vec<Expr>,
    bar_t: Expr,
    /// (2b), by rows of coefficients of (w, ℓ, 1).
    equations: Matrix,
    /// The rows of (2a) that it is solved with.
    rest: Matrix,
}

impl Departure<'_> {
    /// ℓ of (2) with w = `free`, B = `columns`; `plain` says that B is M⁻¹μᵀ.
    pub(super) fn impulse(
        &self,
        b: &mut Builder<'_>,
        free: &[Expr],
        columns: &Matrix,
        plain: bool,
        constraint: &StepConstraint,
    ) -> Vec<Expr> {
        let ell = b.locals("impulse", constraint.mu.len());
        let w = with_reaction(b, free, columns, &ell);
        let closed = self.step_residual(b, constraint, &w, None);
        let every: Vec<usize> = (0..ell.len()).collect();
        if let Some(values) = solve_affine(b, (&ell, &every), &closed) {
            return b.bind_unknowns(&ell, &values);
        }
        if plain {
            let known = b.x.reaction.clone().filter(|_| constraint.rows.len() == b.x.m());
            let c = match known {
                Some(known) => b.matrix_at(&known.c, self.from, self.start.t),
                None => b.product(&constraint.mu, columns, ell.len()),
            };
            b.watch_c((self.from, self.start.t), &c);
        }
        let in_parts = plain && constraint.quadrature.places().len() == 1 && !b.x.has_positions();
        let parts = if in_parts { Parts::of(b) } else { None };
        match parts {
            Some(parts) => self.in_parts(b, &parts, (free, columns, &ell), constraint),
            None => {
                let forms = plain.then(|| self.forms(b, constraint, &w));
                self.iterate(b, (&ell, &every), (free, columns), (constraint, forms), |b| {
                    let w = b.bind_velocities("dot_", "_try", &w);
                    self.step_residual(b, constraint, &w, Some("_try"))
                });
                ell
            }
        }
    }

    /// ℓ_b from (2b), then ℓ_a from (2a).
    fn in_parts(
        &self,
        b: &mut Builder<'_>,
        parts: &Parts,
        (free, columns, ell): (&[Expr], &Matrix, &[Expr]),
        constraint: &StepConstraint,
    ) -> Vec<Expr> {
        let place = constraint.quadrature.places()[0];
        let distance = b.halves_of_h(place.halves());
        let (node, time) = ((self.from, self.start.t), b.add(self.start.t, distance));
        let of = |all: &[usize]| all.iter().map(|&a| ell[a]).collect::<Vec<Expr>>();
        let (moving, others) = (of(&parts.moving), of(&parts.others));
        // Without ℓ_a: that changes neither (2b) nor what μ depends on of q̄.
        let mut known = vec![b.pool().zero(); ell.len()];
        parts.moving.iter().for_each(|&a| known[a] = ell[a]);
        let w = with_reaction(b, free, columns, &known);
        let bar = self.space.advance(b, self.from, distance, &w);
        let closed = parts.at(b, &parts.equations, [node, (&bar, time)], (free, &known));
        if let Some(values) = solve_affine(b, (&moving, &parts.moving), &closed) {
            let values = b.bind_unknowns(&moving, &values);
            parts.moving.iter().zip(values).for_each(|(&a, value)| known[a] = value);
        } else {
            self.iterate(b, (&moving, &parts.moving), (free, columns), (constraint, None), |b| {
                let w = b.bind_velocities("dot_", "_try", &w);
                let bar = self.space.advance(b, self.from, distance, &w);
                let bar = b.bind_configuration("_try", &bar);
                parts.at(b, &parts.equations, [node, (&bar, time)], (free, &known))
            });
        }
        b.equation("(2) constraint at the place that the other impulses do not change");
        let w = with_reaction(b, free, columns, &known);
        let w = b.bind_velocities("moved_", "", &w);
        let bar = self.space.advance(b, self.from, distance, &w);
        let bar = b.bind_configuration("_bar", &bar);
        parts.others.iter().for_each(|&a| known[a] = ell[a]);
        let rest = parts.at(b, &parts.rest, [node, (&bar, time)], (free, &known));
        let values = solve_affine(b, (&others, &parts.others), &rest)
            .expect("(2a) is affine in what it is solved for");
        let values = b.bind_unknowns(&others, &values);
        parts.others.iter().zip(values).for_each(|(&a, value)| known[a] = value);
        known
    }

    /// M, and the derivatives of (2) by a velocity, at w.
    fn forms(&self, b: &mut Builder<'_>, constraint: &StepConstraint, w: &[Expr]) -> [Matrix; 2] {
        let trial: Vec<Expr> = w.iter().map(|_| b.pool().fresh_symbol("w")).collect();
        let (_, jacobian) = self.closed_residual(b, constraint, &trial);
        let map: HashMap<Expr, Expr> = trial.into_iter().zip(w.iter().copied()).collect();
        let flat = b.pool().substitute(&jacobian.concat(), &map);
        let mass = b.x.mass.clone();
        let mass = b.matrix_at(&mass, self.from, self.start.t);
        [mass, flat.chunks(w.len()).map(<[Expr]>::to_vec).collect()]
    }

    /// Newton's method for some of the impulses, with their indices.
    fn iterate(
        &self,
        b: &mut Builder<'_>,
        (ell, indices): (&[Expr], &[usize]),
        (free, columns): (&[Expr], &Matrix),
        (constraint, forms): (&StepConstraint, Option<[Matrix; 2]>),
        residual: impl Fn(&mut Builder<'_>) -> Vec<Expr>,
    ) {
        b.equation("norm of Newton's updates of the impulse ℓ");
        let known = b.x.reaction.clone().map(|known| b.matrix_at(&known.c, self.from, self.start.t));
        let first = constraint.rows.start;
        let effect = indices.iter().map(|&a| match &known {
            Some(c) => c[first + a][first + a],
            None => {
                let b_a: Vec<Expr> = columns.iter().map(|row| row[a]).collect();
                dot(b.pool(), &constraint.mu[a], &b_a)
            }
        });
        let effect = effect.collect();
        // Velocities that do not occur in the constraint do not contribute to the scale of its residual.
        let zero = b.pool().zero();
        let has = |pool: &Pool, i: usize| constraint.mu.iter().any(|form| !pool.is_zero(form[i]));
        let velocity: Vec<Expr> =
            free.iter().enumerate().map(|(i, &w)| if has(b.pool(), i) { w } else { zero }).collect();
        let norm = self.norm(b, &velocity, &[], effect);
        let guess: Vec<Expr> = indices.iter().map(|&a| constraint.guess[a]).collect();
        let names = indices.iter().map(|&a| b.name_of_constraint(first + a)).collect();
        let residuals = indices.iter().map(|&a| b.name_of_residual(first + a)).collect();
        let linear = forms.as_ref().map(|[mass, mu]| ImpulseEquations { mass, mu, nu: &constraint.mu });
        let equations = Nonlinear {
            stated: "(2)",
            unknowns: ell,
            guess: &guess,
            names,
            residuals,
            reduction: None,
            linear,
        };
        b.newton(equations, norm, residual);
    }
}

/// w + B ℓ
pub(super) fn with_reaction(b: &mut Builder<'_>, free: &[Expr], columns: &Matrix, ell: &[Expr]) -> Vec<Expr> {
    let kick = b.apply(columns, ell);
    free.iter().zip(kick).map(|(&w, k)| b.add(w, k)).collect()
}

/// The impulses of these rows at which `closed` vanishes, if it is affine in them; emits the heading.
fn solve_affine(
    b: &mut Builder<'_>,
    (unknowns, rows): (&[Expr], &[usize]),
    closed: &[Expr],
) -> Option<Vec<Expr>> {
    let jacobian: Matrix = closed.iter().map(|&g| b.pool().gradient(g, unknowns)).collect();
    if !b.pool().are_affine(closed, &jacobian.concat(), unknowns) {
        return None;
    }
    b.equation("(2) impulse ℓ: the constraint is affine in it");
    let at_zero = b.pool().at_zero(closed, unknowns);
    let minus: Matrix = at_zero.iter().map(|&g| vec![b.pool().neg(g)]).collect();
    let known = b.watched.as_ref().map_or(0, Vec::len);
    let solved = b.solve_ordered(&jacobian, &minus, &[]);
    b.watched.iter_mut().flat_map(|watched| &mut watched[known..]).for_each(|w| w.row = rows[w.row]);
    Some(solved.into_iter().map(|row| row[0]).collect())
}

impl Parts {
    /// `None` if every impulse moves coordinates that μ depends on, if their motion is unknown, or if (2b) does not apply.
    fn of(b: &mut Builder<'_>) -> Option<Parts> {
        let columns = b.x.reaction.clone()?.b;
        let (mu, mu_t, q, n, m) = (b.x.mu.clone(), b.x.mu_t.clone(), b.x.q.clone(), b.x.n(), b.x.m());
        let t = b.x.system.t;
        let inputs = b.x.system.input_symbols();
        let pool = b.pool();
        let forms: Vec<Expr> = mu.iter().flatten().chain(&mu_t).copied().collect();
        let on: Vec<usize> = (0..n).filter(|&i| forms.iter().any(|&e| pool.depends_on(e, &[q[i]]))).collect();
        let moves = |a: &usize| on.iter().any(|&i| !pool.is_zero(columns[i][*a]));
        let (moving, others): (Vec<usize>, Vec<usize>) = (0..m).partition(moves);
        if others.is_empty() {
            return None;
        }
        let bar: Vec<Expr> = q.iter().map(|_| pool.fresh_symbol("q_bar")).collect();
        let bar_t = pool.fresh_symbol("t_bar");
        let pairs = q.iter().copied().zip(bar.iter().copied());
        let map: HashMap<Expr, Expr> = pairs.chain([(t, bar_t)]).collect();
        let mu_t = pool.substitute(&mu_t, &map);
        let mut rows = Vec::new();
        for (row, mu_t) in mu.iter().zip(mu_t) {
            let mut row = pool.substitute(row, &map);
            for a in 0..m {
                let column: Vec<Expr> = columns.iter().map(|row| row[a]).collect();
                let entry = dot(pool, &row[..n], &column);
                row.push(entry);
            }
            row.push(mu_t);
            rows.push(simplified(pool, row)?);
        }
        let coupled = moving.iter().any(|&r| others.iter().any(|&a| !pool.is_zero(rows[r][n + a])));
        let equations = match (coupled, &others[..]) {
            (false, _) => moving.iter().map(|&r| rows[r].clone()).collect(),
            (true, &[a]) => {
                let pivot = rows[a][n + a];
                let eliminated = |&r: &usize| {
                    let factor = rows[r][n + a];
                    let products = rows[r].iter().zip(&rows[a]).map(|(&x, &y)| {
                        let (x, y) = (pool.mul(pivot, x), pool.mul(factor, y));
                        pool.sub(x, y)
                    });
                    let row = products.collect();
                    let row = simplified(pool, row)?;
                    let places: Vec<Expr> =
                        q.iter().chain(&bar).chain(&inputs).copied().chain([t, bar_t]).collect();
                    Some(without_parameters(pool, &row, &places))
                };
                moving.iter().map(eliminated).collect::<Option<Matrix>>()?
            }
            _ => return None,
        };
        let rest = others.iter().map(|&r| rows[r].clone()).collect();
        Some(Parts { moving, others, bar, bar_t, equations, rest })
    }

    /// `rows` at a node and q̄, of w and ℓ.
    fn at(
        &self,
        b: &mut Builder<'_>,
        rows: &Matrix,
        [(node, t), (bar, bar_t)]: [(&[Expr], Expr); 2],
        (w, ell): (&[Expr], &[Expr]),
    ) -> Vec<Expr> {
        let mut map: HashMap<Expr, Expr> = b.x.q.iter().copied().zip(node.iter().copied()).collect();
        map.extend(self.bar.iter().copied().zip(bar.iter().copied()));
        map.extend([(b.x.system.t, t), (self.bar_t, bar_t)]);
        let one = b.pool().one();
        let all: Vec<Expr> = w.iter().chain(ell).copied().chain([one]).collect();
        let value = |row: &Vec<Expr>| {
            let row = b.pool().substitute(row, &map);
            dot(b.pool(), &row, &all)
        };
        rows.iter().map(value).collect()
    }
}

/// Equal expressions, multiplied out and simplified; `None` if they are too long.
fn simplified(pool: &mut Pool, row: Vec<Expr>) -> Option<Vec<Expr>> {
    let expand = |&e: &Expr| {
        let expanded = pool.expand(e, MAX_TERMS)?;
        Some(if pool.loses_digits(e, expanded) { e } else { expanded })
    };
    let expanded: Option<Vec<Expr>> = row.iter().map(expand).collect();
    // A separate engine, so that the equations do not depend on the engine in use.
    BuiltIn.simplify(pool, &expanded?).ok()
}

/// A row without the factors that all terms of all its entries have and that do not depend on `places`: it vanishes
/// where it did.
fn without_parameters(pool: &mut Pool, row: &[Expr], places: &[Expr]) -> Vec<Expr> {
    let terms: Vec<Vec<Expr>> = row.iter().map(|&e| pool.terms(e)).collect();
    let all = terms.concat();
    let Some(first) = all.first() else { return row.to_vec() };
    let mut common = Vec::new();
    for f in pool.factors(first).to_vec() {
        let (base, _) = pool.split_power(f);
        if pool.as_number(base).is_some() || pool.depends_on(base, places) {
            continue;
        }
        let powers: Vec<i64> = all.iter().map(|t| power(pool, *t, base)).collect();
        let (least, most) = (powers.iter().min().copied(), powers.iter().max().copied());
        let shared = least.filter(|&n| n > 0).or(most.filter(|&n| n < 0)).unwrap_or(0);
        common.push(pool.powi(base, shared));
    }
    let common = pool.product(&common);
    let divided = |terms: Vec<Expr>| {
        let terms: Vec<Expr> = terms.into_iter().map(|t| pool.div(t, common)).collect();
        pool.sum(&terms)
    };
    terms.into_iter().map(divided).collect()
}

/// The power of `base` in a product, if it is whole; else 0.
fn power(pool: &Pool, product: Expr, base: Expr) -> i64 {
    let of = |&f: &Expr| match pool.split_power(f) {
        (b, n) if b == base => pool.as_number(n).filter(|n| n.is_integer())?.to_integer().to_i64(),
        _ => None,
    };
    pool.factors(&product).iter().find_map(of).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Function;

    #[test]
    fn rows_without_parameters() {
        let mut pool = Pool::new();
        let [m, l, x] = ["m", "l", "x"].map(|name| pool.symbol(name));
        let sin = pool.call(Function::Sin, x);
        // mᵃ lᵇ e
        let term = |pool: &mut Pool, a: i64, b: i64, e: Expr| {
            let powers = [(m, a), (l, b)].map(|(p, n)| pool.powi(p, n));
            pool.product(&[powers[0], powers[1], e])
        };
        let mut check = |[first, second, third]: [(i64, i64); 3], (a, b): (i64, i64)| {
            let [mut row, mut expected] = [(0, 0), (a, b)].map(|(a, b)| {
                let terms = [(first, sin), (second, x), (third, sin)]
                    .map(|((m, l), e)| term(&mut pool, m - a, l - b, e));
                vec![terms[0], pool.zero(), pool.add(terms[1], terms[2])]
            });
            assert_eq!(without_parameters(&mut pool, &row, &[x]), expected);
            row.reverse();
            expected.reverse();
            assert_eq!(without_parameters(&mut pool, &row, &[x]), expected);
        };
        check([(-1, 1), (-1, 2), (-2, 1)], (-1, 1));
        check([(2, 0), (1, 1), (1, 1)], (1, 0));
        // Powers of opposite signs have no common factor.
        check([(-1, 0), (1, 3), (-1, 2)], (0, 0));
        let zero = pool.zero();
        assert_eq!(without_parameters(&mut pool, &[zero], &[x]), [zero]);
    }
}
