//! Linear equations M x = f + νᵀλ, μ x = r that are solved by formulas where these lose no digits. ν is μ, unless reactions act at
//! another place than the constraints hold at.
//!
//! The formulas with M⁻¹ and C = μM⁻¹νᵀ take few operations. Their pivots tell whether they are accurate: a program that is written
//! between [`Builder::watch`] and [`Builder::solution`] does not fail where one of them is small, but takes the solution of the runtime
//! ([`Saddle`]), which needs neither M⁻¹ nor C.
//!
//! Velocities and constraints that are not coupled by M or μ are separate equations. Those without constraints are left to their
//! formulas: elimination of M alone is as accurate as the equations are (Demmel 1989).

use super::builder::Builder;
use crate::expr::linear::{Matrix, coupled_blocks};
use crate::expr::{Expr, Function, Node, Pool, Saddle};
use crate::program::{Singular, lets};
use num_traits::{Signed, ToPrimitive, Zero};
use std::collections::{BTreeSet, HashMap};

/// A pivot of M, or of C, with its diagonal entry and its row.
#[derive(Clone, Copy)]
pub(super) struct Watched {
    pub(super) pivot: Expr,
    pub(super) diagonal: Expr,
    pub(super) what: Singular,
    pub(super) row: usize,
}

/// M, μ, ν if that is another matrix, f and r.
pub(super) struct LinearEquations<'a> {
    pub(super) mass: &'a Matrix,
    pub(super) mu: &'a Matrix,
    pub(super) nu: Option<&'a Matrix>,
    pub(super) f: &'a [Expr],
    pub(super) r: &'a [Expr],
}

/// A solution by formulas.
pub(super) struct Known<'a> {
    pub(super) x: &'a [Expr],
    pub(super) lambda: &'a [Expr],
    /// M⁻¹f, if its size is to be compared with that of x. Where x is small, the reaction has cancelled most of it.
    pub(super) free: Option<&'a [Expr]>,
    /// Whether the step is written with M⁻¹ in any case: what has no mass fails, and only numbers that cancel in pivots of M and C are
    /// left to a solution without formulas.
    pub(super) has_inertia: bool,
}

/// Largest (M⁻¹f · f)/(x · M x) that is left to the formulas, but for the factor that [`Saddle`] has for pivots: six bits are lost there.
const CANCELLED: i64 = 64;

/// Pivots above this part of their diagonal entry are regular, as for `emitted::REGULAR`. Its root occurs in products of roots.
const ROOT_OF_REGULAR: i64 = 8;

/// A disparity of masses far above this is not left to the formulas: ten bits are lost there.
const DISPARITY: u32 = 1 << 10;

impl Builder<'_> {
    /// From now on pivots are collected, if there are constraints, and if no derivatives are to be taken.
    pub(super) fn watch(&mut self) {
        let is_plain = !self.differentiates() && !self.is_implicit();
        self.watched = (is_plain && self.x.m() > 0).then(Vec::new);
    }

    /// Collects the pivots of M where B and C are formulas, unless these of M⁻¹ have been collected before.
    pub(super) fn watch_inverse(&mut self, q: &[Expr], t: Expr) {
        if self.watched.is_none() {
            return;
        }
        let mass = self.x.inertia.clone();
        let mass = self.matrix_at(&mass, q, t);
        for block in coupled_blocks(self.pool(), &mass) {
            let is_known =
                self.watched.iter().flatten().any(|w| w.what == Singular::Mass && block.contains(&w.row));
            let &[i, j] = &block[..] else { continue };
            if !is_known {
                let [first, second, coupling] = [mass[i][i], mass[j][j], mass[i][j]];
                let product = self.mul(first, second);
                let square = self.pool().powi(coupling, 2);
                let determinant = self.sub(product, square);
                self.pivot(first, first, Singular::Mass, i);
                self.pivot(determinant, product, Singular::Mass, i);
            }
        }
    }

    /// x and λ, which formulas have computed since [`Builder::watch`].
    pub(super) fn solution(&mut self, equations: &LinearEquations<'_>, known: &Known<'_>) -> [Vec<Expr>; 2] {
        let [mut x, mut lambda] = [known.x, known.lambda].map(<[Expr]>::to_vec);
        let Some(watched) = self.watched.take() else { return [x, lambda] };
        for (velocities, rows) in self.parts(equations) {
            let is_part = |w: &&Watched| match w.what {
                Singular::Mass => velocities.contains(&w.row),
                Singular::Constraints => rows.contains(&w.row),
            };
            let mut own: Vec<Watched> = watched.iter().filter(is_part).copied().collect();
            if rows.is_empty() {
                own.into_iter().for_each(|w| self.pivot(w.pivot, w.diagonal, w.what, w.row));
                continue;
            }
            if known.has_inertia {
                let is_first = |w: &&Watched| w.pivot == w.diagonal && equations.nu.is_none();
                let tested = own.iter().filter(|w| w.what == Singular::Mass || is_first(w));
                tested.for_each(|w| self.pivot(w.pivot, w.diagonal, w.what, w.row));
                own.retain(|w| w.pivot != w.diagonal);
            } else {
                for &i in velocities.iter().filter(|&&i| self.is_alone(equations.mass, i)) {
                    let mass = equations.mass[i][i];
                    own.push(Watched { pivot: mass, diagonal: mass, what: Singular::Mass, row: i });
                }
            }
            for &a in &rows {
                self.take_given(equations, a, &mut x);
            }
            let disparity = match (known.free, known.has_inertia) {
                (None, false) => self.disparity(equations, &velocities, &rows),
                _ => None,
            };
            let mut pivots = self.doubtful(&own, disparity);
            if let Some(free) = known.free {
                pivots.extend(self.cancellation(equations, (&x, free), &velocities));
            }
            if !pivots.is_empty() {
                self.solve_part(equations, (&velocities, &rows), &pivots, (&mut x, &mut lambda));
            }
        }
        [x, lambda]
    }

    /// λ, which formulas have computed in an iteration, where pivots that have been collected before are large.
    pub(super) fn multipliers_of_iteration(
        &mut self,
        equations: &LinearEquations<'_>,
        known: &[Expr],
        watched: &[Watched],
    ) -> Vec<Expr> {
        let mut lambda = known.to_vec();
        let mut x = vec![self.pool().zero(); equations.f.len()];
        for (velocities, rows) in self.parts(equations) {
            let is_own = |w: &&Watched| w.what == Singular::Constraints && rows.contains(&w.row);
            let own: Vec<Watched> = watched.iter().filter(is_own).copied().collect();
            let pivots = self.doubtful(&own, None);
            if !pivots.is_empty() {
                self.solve_part(equations, (&velocities, &rows), &pivots, (&mut x, &mut lambda));
            }
        }
        lambda
    }

    /// Replaces the known solution of a part of the equations.
    fn solve_part(
        &mut self,
        equations: &LinearEquations<'_>,
        (velocities, rows): (&[usize], &[usize]),
        pivots: &[[Expr; 2]],
        (x, lambda): (&mut [Expr], &mut [Expr]),
    ) {
        let mut numbers: Vec<Expr> = pivots.as_flattened().to_vec();
        numbers
            .extend(velocities.iter().flat_map(|&i| velocities.iter().map(move |&j| equations.mass[i][j])));
        for forms in [Some(equations.mu), equations.nu].into_iter().flatten() {
            numbers.extend(rows.iter().flat_map(|&a| velocities.iter().map(move |&j| forms[a][j])));
        }
        numbers.extend(velocities.iter().map(|&i| equations.f[i]));
        numbers.extend(rows.iter().map(|&a| equations.r[a]));
        for (is_multiplier, places, all) in [(false, velocities, x), (true, rows, lambda)] {
            let arguments: Vec<Expr> =
                places.iter().map(|&i| all[i]).chain(numbers.iter().copied()).collect();
            for (index, &i) in places.iter().enumerate() {
                let saddle = Saddle {
                    velocities: velocities.len(),
                    constraints: rows.len(),
                    is_separate: equations.nu.is_some(),
                    pivots: pivots.len(),
                    is_multiplier,
                    index,
                };
                if self.pool().as_number(all[i]).is_none() {
                    all[i] = self.pool().saddle(saddle, &arguments);
                }
            }
        }
    }

    /// Velocities and rows that M and μ couple, part by part.
    fn parts(&mut self, equations: &LinearEquations<'_>) -> Vec<(Vec<usize>, Vec<usize>)> {
        let (n, m) = (equations.mass.len(), equations.mu.len());
        let mut part: Vec<usize> = (0..n + m).collect();
        let mut join = |i: usize, j: usize| {
            let (keep, drop) = (part[i].min(part[j]), part[i].max(part[j]));
            part.iter_mut().filter(|p| **p == drop).for_each(|p| *p = keep);
        };
        for i in 0..n {
            (0..i).filter(|&j| !self.x.system.pool.is_zero(equations.mass[i][j])).for_each(|j| join(i, j));
        }
        for forms in [Some(equations.mu), equations.nu].into_iter().flatten() {
            for (a, form) in forms.iter().enumerate() {
                (0..n).filter(|&j| !self.x.system.pool.is_zero(form[j])).for_each(|j| join(n + a, j));
            }
        }
        let members = |p: usize| (0..n + m).filter(|&i| part[i] == p).partition(|&i| i < n);
        let all = (0..n + m).filter(|&p| part[p] == p).map(members);
        let all: Vec<(Vec<usize>, Vec<usize>)> = all.collect();
        all.into_iter().map(|(own, rows)| (own, rows.into_iter().map(|a| a - n).collect())).collect()
    }

    /// Whether M couples a velocity with no other one.
    fn is_alone(&self, mass: &Matrix, i: usize) -> bool {
        (0..mass.len()).all(|j| i == j || self.x.system.pool.is_zero(mass[i][j]))
    }

    /// x of the only velocity of a constraint follows from this alone.
    fn take_given(&mut self, equations: &LinearEquations<'_>, a: usize, x: &mut [Expr]) {
        let mut entries = (0..x.len()).filter(|&j| !self.x.system.pool.is_zero(equations.mu[a][j]));
        if let (Some(j), None) = (entries.next(), entries.next()) {
            x[j] = self.pool().div(equations.r[a], equations.mu[a][j]);
        }
    }

    /// Σ eᵢ/(Σⱼ eⱼ − eᵢ) with eᵢ = sup μₐᵢ²/Mᵢᵢ over all constraints and velocities, as far as parameters tell. It is large where a
    /// velocity is so much lighter than the others of a constraint that this gives it: then its acceleration without the reaction
    /// cancels.
    fn disparity(
        &mut self,
        equations: &LinearEquations<'_>,
        velocities: &[usize],
        rows: &[usize],
    ) -> Option<Expr> {
        let parameters: BTreeSet<Expr> = self.x.parameters().into_iter().collect();
        let mut terms = Vec::new();
        for &a in rows {
            let mut effects: Vec<Expr> = Vec::new();
            let coupled: Vec<usize> = velocities
                .iter()
                .copied()
                .filter(|&i| !self.x.system.pool.is_zero(equations.mu[a][i]))
                .collect();
            for i in coupled {
                let mass = equations.mass[i][i];
                if !self.pool().are_made_of(&[mass], &parameters) {
                    return None;
                }
                let bound = self.bound(equations.mu[a][i], &parameters)?;
                let square = self.pool().powi(bound, 2);
                effects.push(self.pool().div(square, mass));
            }
            for i in 0..effects.len() {
                let others: Vec<Expr> =
                    effects.iter().enumerate().filter(|&(j, _)| j != i).map(|(_, &e)| e).collect();
                if !others.is_empty() {
                    let others = self.pool().sum(&others);
                    terms.push(self.pool().div(effects[i], others));
                }
            }
        }
        let sum = self.pool().sum(&terms);
        let value = self.pool().as_number(sum).and_then(|r| r.to_f64());
        value.is_none_or(|value| value > f64::from(DISPARITY)).then_some(sum)
    }

    /// A bound of an expression's size, of parameters alone.
    fn bound(&mut self, e: Expr, parameters: &BTreeSet<Expr>) -> Option<Expr> {
        if self.pool().are_made_of(&[e], parameters) {
            let square = self.pool().powi(e, 2);
            return Some(self.pool().sqrt(square));
        }
        match self.pool().node(e).clone() {
            Node::Call(Function::Sin | Function::Cos, _) => Some(self.pool().one()),
            Node::Sum(terms) => {
                let bounds: Option<Vec<Expr>> =
                    terms.into_iter().map(|t| self.bound(t, parameters)).collect();
                Some(self.pool().sum(&bounds?))
            }
            Node::Product(factors) => {
                let bounds: Option<Vec<Expr>> =
                    factors.into_iter().map(|f| self.bound(f, parameters)).collect();
                Some(self.pool().product(&bounds?))
            }
            _ => None,
        }
    }

    /// The pivots of which it is not known that they are regular, with their diagonal entries. All those of parameters alone are one
    /// pair, with the disparity of masses, which a simulation computes once: the products of their roots, where a negative number has
    /// none.
    fn doubtful(&mut self, watched: &[Watched], disparity: Option<Expr>) -> Vec<[Expr; 2]> {
        let bound: Vec<(Expr, Expr)> = lets(self.statements()).collect();
        let values: HashMap<Expr, Expr> = bound.iter().copied().collect();
        let mut of_parameters: BTreeSet<Expr> = self.x.parameters().into_iter().collect();
        for (symbol, value) in bound {
            if self.pool().are_made_of(&[value], &of_parameters) {
                of_parameters.insert(symbol);
            }
        }
        let (mut early, mut late): (Vec<[Expr; 2]>, Vec<[Expr; 2]>) = (Vec::new(), Vec::new());
        for &Watched { pivot, diagonal, .. } in watched {
            let [inner, outer] = [pivot, diagonal].map(|e| values.get(&e).copied().unwrap_or(e));
            let numbers = [inner, outer].map(|e| self.pool().as_number(e).and_then(|r| r.to_f64()));
            let is_regular = match numbers {
                [Some(pivot), Some(diagonal)] => pivot * 64.0 > diagonal && pivot > 0.0,
                _ => inner == outer && is_positive(self.pool(), inner),
            };
            let pair = [pivot, diagonal];
            let list = match self.pool().are_made_of(&pair, &of_parameters) {
                true => &mut early,
                false => &mut late,
            };
            let is_known = list
                .iter()
                .any(|known| known.map(|e| values.get(&e).copied().unwrap_or(e)) == [inner, outer]);
            if !is_regular && !is_known {
                list.push(pair);
            }
        }
        if !early.is_empty() || disparity.is_some() {
            let mut products = [0, 1].map(|side| {
                let roots: Vec<Expr> = early.iter().map(|pair| self.pool().sqrt(pair[side])).collect();
                self.pool().product(&roots)
            });
            if let Some(disparity) = disparity {
                let (unit, one) = (self.pool().int(DISPARITY.into()), self.pool().one());
                let part = self.pool().div(disparity, unit);
                let factor = self.add(one, part);
                products[1] = self.mul(factor, products[1]);
            }
            if products[0] != products[1] {
                let factor = self.pool().int(ROOT_OF_REGULAR);
                products[1] = self.mul(factor, products[1]);
            }
            late.insert(0, products.map(|e| self.bind("masses", e)));
        }
        late
    }

    /// x · M x, in a unit, and f · M⁻¹f.
    fn cancellation(
        &mut self,
        equations: &LinearEquations<'_>,
        (x, free): (&[Expr], &[Expr]),
        velocities: &[usize],
    ) -> Option<[Expr; 2]> {
        let part = |all: &[Expr]| velocities.iter().map(|&i| all[i]).collect::<Vec<Expr>>();
        let (x, free, f) = (part(x), part(free), part(equations.f));
        let mass: Matrix = velocities.iter().map(|&i| part(&equations.mass[i])).collect();
        let momentum = self.apply(&mass, &x);
        let energy = crate::expr::linear::dot(self.pool(), &x, &momentum);
        let before = crate::expr::linear::dot(self.pool(), &f, &free);
        let unit = self.pool().int(CANCELLED);
        let energy = self.mul(unit, energy);
        (!self.pool().is_zero(before)).then_some([energy, before])
    }
}

/// What is known of a number's sign, for all arguments that it exists for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sign {
    Any,
    NotNegative,
    Positive,
}

/// Whether an expression is above some positive constant, whatever its arguments are.
fn is_positive(pool: &Pool, e: Expr) -> bool {
    let mut signs: HashMap<Expr, Sign> = HashMap::new();
    for e in pool.reachable(&[e]) {
        let sign = match pool.node(e) {
            Node::Number(r) if r.is_positive() => Sign::Positive,
            Node::Sum(terms) => {
                let all = terms.iter().map(|t| signs[t]);
                match all.clone().min() {
                    Some(Sign::NotNegative | Sign::Positive) => all.max().unwrap_or(Sign::Any),
                    _ => Sign::Any,
                }
            }
            Node::Product(factors) if factors.iter().all(|f| signs[f] != Sign::Any) => Sign::NotNegative,
            Node::Power(base, x) => {
                let is_even = pool
                    .as_number(*x)
                    .is_some_and(|x| x.is_integer() && x.is_positive() && (x.to_integer() % 2u8).is_zero());
                if is_even || signs[base] != Sign::Any { Sign::NotNegative } else { Sign::Any }
            }
            Node::Call(Function::Cosh, _) => Sign::Positive,
            _ => Sign::Any,
        };
        signs.insert(e, sign);
    }
    signs[&e] == Sign::Positive
}
