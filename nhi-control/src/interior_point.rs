//! The primal–dual interior-point method of Wächter and Biegler (*On the implementation of an interior-point filter line-search
//! algorithm for large-scale nonlinear programming*, Math. Program. 106, 2006) over the stages of a problem. Numbers in
//! parentheses are those of its equations.
//!
//! Unknowns are states and inputs; a step of a state is a tangent vector, and states move by retraction. An inequality
//! lower ≤ d ≤ upper has a slack s with d − s = 0. What is eliminated before the recursion over the stages ([`crate::kkt`]) is
//! local: bounds and slacks, of which a row of the linear system is left with its compliance E,
//!
//! ```text
//! ∇d·z + d − s + (barrier terms) − E y = 0,   E = 1/Σₛ,
//! ```
//!
//! or the same added to H, as E > 0. Derivatives are exact, those of steps included. The equations of a stage are those of
//! the charts at its states: δxₖ₊₁ = xₖ₊₁⁻¹F(xₖ ⊕ δ, u + υ), so that covectors are transported where a state has moved.
//!
//! Where no step makes progress, or conditions contradict each other to first order, violations p and n of conditions and inequalities are allowed,
//!
//! ```text
//! c − p + n = 0,   p, n ≥ 0,   with the cost ρ Σ (p + n)
//! ```
//!
//! as in the elastic mode of Gill, Murray and Saunders (*SNOPT*, SIAM Rev. 47, 2005): a solution without violations solves
//! the problem, and one with them, for large ρ, is a local minimum of the sum of violations. It replaces the restoration phase.
//! In the recursion it is a compliance.

use crate::dense::*;
use crate::filter::{Filter, Merit};
use crate::kkt::{Inertia, Kkt};
use crate::plan::{Outcome, Plan, Status};
use crate::problem::{Guess, Options, Problem};
use crate::{Dynamics, PlanError, bracket};
use nalgebra::DMatrix;

/// κ_ε, κ_μ, θ_μ (7, 8).
const BARRIER_SOLVED: f64 = 10.0;
const BARRIER_FACTOR: f64 = 0.2;
const BARRIER_POWER: f64 = 1.5;
/// τ_min (8).
const TO_BOUNDARY: f64 = 0.99;
/// κ_Σ (16).
const MULTIPLIER_SPREAD: f64 = 1e10;
/// s_max (6).
const SCALE_FROM: f64 = 100.0;
/// Multipliers of the start guess beyond this are replaced by zero.
const LARGEST_MULTIPLIER: f64 = 1e3;
/// κ₁ = κ₂: how far from a bound the start guess is, relative to the bound and to the distance of the bounds.
const PUSH: f64 = 1e-2;
/// Second-order corrections of one step, and the factor by which each has to reduce the infeasibility.
const CORRECTIONS: usize = 4;
const CORRECTED: f64 = 0.99;
/// Shifts of the Hessian (algorithm IC), relative to that of the costs.
const FIRST_SHIFT: f64 = 1e-4;
const LEAST_SHIFT: f64 = 1e-12;
const LARGEST_SHIFT: f64 = 1e12;
/// Steps with larger shifts that are tried where none makes progress.
const RETRIES: usize = 3;
/// Corrections of a moved start guess, and halvings of each.
const SHOTS: usize = 8;
const SHORTER: usize = 4;
/// The part of the first residual at which they end.
const ENOUGH: f64 = 1e-3;
/// Steps of which a smaller part than this is taken go far beyond where the derivatives say something, along directions in which
/// the Hessian says little; the next one is damped by a shift of the Hessian. It is less damped after a step of which more than
/// the other number is taken.
const SHORT: f64 = 0.1;
const LONG: f64 = 0.4;
/// Shifts that damp, relative to the Hessian of the costs.
const FIRST_DAMPING: f64 = 1e-2;
const LARGEST_DAMPING: f64 = 1e2;
/// The largest ratio of a combination of conditions to the sum of its terms at which it counts as satisfied: a conserved quantity
/// is of second order in what is missing to the conditions. Whether it is satisfied is tested again at the solution.
const SATISFIED: f64 = 0.5;
/// The residual, relative to ρ, at which a solution with violations is accepted where rounding leaves no better one.
const ROUNDED: f64 = 1e-6;
/// The largest cost ρ of violations to begin with, relative to ten.
const LARGEST_FIRST_PRICE: f64 = 1e2;
/// The largest cost ρ of violations, relative to the first one.
const LARGEST_PRICE: f64 = 1e8;

/// States, inputs, slacks, and violations p and n of conditions and inequalities.
#[derive(Clone)]
pub(crate) struct Point<X> {
    pub(crate) x: Vec<X>,
    pub(crate) u: Vec<f64>,
    s: Vec<f64>,
    over: Vec<f64>,
    under: Vec<f64>,
}

/// What functions and steps are there.
#[derive(Clone)]
struct Values<X> {
    cost: f64,
    /// F(xₖ, uₖ).
    after: Vec<X>,
    /// F(xₖ, uₖ) ⊖ xₖ₊₁.
    defects: Vec<f64>,
    /// Conditions, then inequalities.
    rows: Vec<f64>,
}

/// Multipliers of bounds: of inputs, slacks and violations.
#[derive(Clone)]
struct Bounds {
    lower: Vec<f64>,
    upper: Vec<f64>,
    z_lower: Vec<f64>,
    z_upper: Vec<f64>,
}

impl Bounds {
    fn new(lower: Vec<f64>, upper: Vec<f64>) -> Self {
        let z_lower = lower.iter().map(|x| if x.is_finite() { 1.0 } else { 0.0 }).collect();
        let z_upper = upper.iter().map(|x| if x.is_finite() { 1.0 } else { 0.0 }).collect();
        Bounds { lower, upper, z_lower, z_upper }
    }

    /// Numbers strictly between the bounds (section 3.6).
    fn push(&self, x: &mut [f64]) {
        for ((x, &lower), &upper) in x.iter_mut().zip(&self.lower).zip(&self.upper) {
            let room = upper - lower;
            let by = |bound: f64| (PUSH * bound.abs().max(1.0)).min(PUSH * room);
            if lower.is_finite() {
                *x = x.max(lower + by(lower));
            }
            if upper.is_finite() {
                *x = x.min(upper - by(upper));
            }
        }
    }

    /// Multipliers on the central path.
    fn center(&mut self, x: &[f64], mu: f64) {
        for (i, &x) in x.iter().enumerate() {
            let finite = |bound: f64, distance: f64| if bound.is_finite() { mu / distance } else { 0.0 };
            self.z_lower[i] = finite(self.lower[i], x - self.lower[i]);
            self.z_upper[i] = finite(self.upper[i], self.upper[i] - x);
        }
    }

    /// Σ ln of the distances; −∞ or NaN outside.
    fn logarithms(&self, x: &[f64]) -> f64 {
        let distances = self.distances(x);
        distances.map(|distance| distance.max(0.0).ln()).sum()
    }

    /// Distances of finite bounds.
    fn distances(&self, x: &[f64]) -> impl Iterator<Item = f64> {
        let lower = x.iter().zip(&self.lower).filter(|(_, l)| l.is_finite()).map(|(x, l)| x - l);
        let upper = x.iter().zip(&self.upper).filter(|(_, u)| u.is_finite()).map(|(x, u)| u - x);
        lower.chain(upper)
    }

    /// Σ = z_l/(x − l) + z_u/(u − x) of entry `i`.
    fn sigma(&self, i: usize, x: f64) -> f64 {
        let part = |bound: f64, z: f64, distance: f64| if bound.is_finite() { z / distance } else { 0.0 };
        part(self.lower[i], self.z_lower[i], x - self.lower[i])
            + part(self.upper[i], self.z_upper[i], self.upper[i] - x)
    }

    /// The derivative of −μ Σ ln.
    fn force(&self, i: usize, x: f64, mu: f64) -> f64 {
        let part = |bound: f64, distance: f64| if bound.is_finite() { mu / distance } else { 0.0 };
        part(self.upper[i], self.upper[i] - x) - part(self.lower[i], x - self.lower[i])
    }

    /// The steps of both multipliers (12).
    fn steps(&self, i: usize, x: f64, dx: f64, mu: f64) -> (f64, f64) {
        let part = |bound: f64, z: f64, distance: f64, dx: f64| {
            if bound.is_finite() { (mu - z * dx) / distance - z } else { 0.0 }
        };
        (
            part(self.lower[i], self.z_lower[i], x - self.lower[i], dx),
            part(self.upper[i], self.z_upper[i], self.upper[i] - x, -dx),
        )
    }

    /// The largest parts of steps of x and of the multipliers that keep the part 1 − τ of the distances (15).
    fn longest(&self, x: &[f64], dx: &[f64], mu: f64, tau: f64) -> (f64, f64) {
        let (mut primal, mut dual) = (1.0_f64, 1.0_f64);
        let limit = |distance: f64, by: f64| if by < 0.0 { -tau * distance / by } else { 1.0 };
        for (i, (&x, &dx)) in x.iter().zip(dx).enumerate() {
            let (z_lower, z_upper) = self.steps(i, x, dx, mu);
            if self.lower[i].is_finite() {
                primal = primal.min(limit(x - self.lower[i], dx));
                dual = dual.min(limit(self.z_lower[i], z_lower));
            }
            if self.upper[i].is_finite() {
                primal = primal.min(limit(self.upper[i] - x, -dx));
                dual = dual.min(limit(self.z_upper[i], z_upper));
            }
        }
        (primal, dual)
    }

    /// Moves the multipliers by the part `alpha` of their steps from x, and keeps them near those of the central path at
    /// `moved` (16).
    fn advance(&mut self, x: &[f64], dx: &[f64], moved: &[f64], mu: f64, alpha: f64) {
        for i in 0..x.len() {
            let (z_lower, z_upper) = self.steps(i, x[i], dx[i], mu);
            let near = |z: f64, distance: f64| {
                let center = mu / distance;
                z.clamp(center / MULTIPLIER_SPREAD, center * MULTIPLIER_SPREAD)
            };
            if self.lower[i].is_finite() {
                self.z_lower[i] = near(self.z_lower[i] + alpha * z_lower, moved[i] - self.lower[i]);
            }
            if self.upper[i].is_finite() {
                self.z_upper[i] = near(self.z_upper[i] + alpha * z_upper, self.upper[i] - moved[i]);
            }
        }
    }

    /// The largest |z (x − bound) − μ|.
    fn complementarity(&self, x: &[f64], mu: f64) -> f64 {
        let mut worst = 0.0_f64;
        for (i, &x) in x.iter().enumerate() {
            if self.lower[i].is_finite() {
                worst = worst.max((self.z_lower[i] * (x - self.lower[i]) - mu).abs());
            }
            if self.upper[i].is_finite() {
                worst = worst.max((self.z_upper[i] * (self.upper[i] - x) - mu).abs());
            }
        }
        worst
    }

    fn sum(&self) -> f64 {
        self.z_lower.iter().chain(&self.z_upper).sum()
    }

    fn count(&self) -> usize {
        self.lower.iter().chain(&self.upper).filter(|bound| bound.is_finite()).count()
    }
}

/// Why a trial is rejected.
enum Rejected {
    Step { step: usize, cause: nhi_runtime::Failure },
    NonFinite { what: String, stage: usize },
}

impl From<Rejected> for PlanError {
    fn from(rejected: Rejected) -> Self {
        match rejected {
            Rejected::Step { step, cause } => PlanError::Step { step, cause },
            Rejected::NonFinite { what, stage } => PlanError::NonFinite { what, stage },
        }
    }
}

/// How the start guess was moved.
#[derive(Clone, Copy, Default)]
struct Start {
    bracket: Option<(usize, usize)>,
    corrections: usize,
}

pub(crate) struct Solver<'p, 'a, D: Dynamics> {
    problem: &'p Problem<'a, D>,
    nx: usize,
    nu: usize,
    pub(crate) kkt: Kkt,
    /// The first inequality of each stage.
    first_inequality: Vec<usize>,
    pub(crate) point: Point<D::State>,
    values: Values<D::State>,
    lambda: Vec<f64>,
    /// Multipliers of conditions, then of inequalities.
    y: Vec<f64>,
    of_inputs: Bounds,
    of_slacks: Bounds,
    of_over: Bounds,
    of_under: Bounds,
    /// Derivatives of the cost, by stage.
    gradient: Vec<f64>,
    /// Hessians of the Lagrangian without bounds, by stage.
    hessian: Vec<f64>,
    /// Derivatives of inequalities, rows of NX + K.
    rows: Vec<f64>,
    /// Conditions that follow from the others and from conserved quantities.
    redundant: Vec<bool>,
    /// ρ, if violations are allowed.
    price: Option<f64>,
    first_price: f64,
    /// The largest violation of the solution with the last price.
    last_violation: f64,
    mu: f64,
    /// The unit of shifts of the Hessian.
    scale: f64,
    /// Compliances and barrier terms of conditions and inequalities.
    compliance: Vec<f64>,
    extra: Vec<f64>,
    // Steps.
    ds: Vec<f64>,
    y_next: Vec<f64>,
    du: Vec<f64>,
    d_over: Vec<f64>,
    d_under: Vec<f64>,
}

pub(crate) fn solve<D: Dynamics>(
    problem: &Problem<'_, D>,
    options: &Options,
) -> Result<Plan<D::State>, PlanError> {
    let mut solver = Solver::new(problem)?;
    let start = solver.begin(options)?;
    solver.run(options, start)
}

impl<'p, 'a, D: Dynamics> Solver<'p, 'a, D> {
    /// The solver at the start guess.
    fn new(problem: &'p Problem<'a, D>) -> Result<Self, PlanError> {
        let sizes = problem.dynamics.sizes();
        let (nx, nu, steps) = (sizes.states, sizes.inputs, problem.steps);
        let n = nx + nu;
        let count = |terms: &[crate::problem::Term<'a, D>], k: usize| -> usize {
            terms.iter().filter(|term| term.stages.contains(&k)).map(|term| term.names.len()).sum()
        };
        let conditions: Vec<usize> = (0..=steps).map(|k| count(&problem.conditions, k)).collect();
        let kkt = Kkt::new(nx, nu, &conditions);
        let mut first_inequality = vec![0];
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for k in 0..=steps {
            for term in problem.inequalities.iter().filter(|term| term.stages.contains(&k)) {
                lower.extend_from_slice(&term.lower);
                upper.extend_from_slice(&term.upper);
            }
            first_inequality.push(lower.len());
        }
        let inequalities = lower.len();
        let all = kkt.solution.nu.len() + inequalities;
        let repeat = |bounds: &[f64], otherwise: f64| -> Vec<f64> {
            if bounds.is_empty() { vec![otherwise; nu * steps] } else { bounds.repeat(steps) }
        };
        let of_inputs =
            Bounds::new(repeat(&problem.lower, f64::NEG_INFINITY), repeat(&problem.upper, f64::INFINITY));
        let mut u = match &problem.guess {
            Guess::Inputs(u) if u.is_empty() => vec![0.0; nu * steps],
            Guess::Inputs(u) | Guess::Motion(_, u) => u.concat(),
        };
        of_inputs.push(&mut u);
        let mut x = vec![problem.start.clone()];
        match &problem.guess {
            Guess::Motion(states, _) => x.extend_from_slice(states),
            Guess::Inputs(_) => {
                x = roll_out(problem, &u).map_err(|(step, cause)| PlanError::Step { step, cause })?;
            }
        }
        let none = || Bounds::new(vec![0.0; all], vec![f64::INFINITY; all]);
        let values = Values {
            cost: 0.0,
            after: x[1..].to_vec(),
            defects: vec![0.0; nx * steps],
            rows: vec![0.0; all],
        };
        Ok(Solver {
            problem,
            nx,
            nu,
            kkt,
            first_inequality,
            point: Point { x, u, s: vec![0.0; inequalities], over: vec![0.0; all], under: vec![0.0; all] },
            values,
            lambda: vec![0.0; nx * (steps + 1)],
            y: vec![0.0; all],
            of_inputs,
            of_slacks: Bounds::new(lower, upper),
            of_over: none(),
            of_under: none(),
            gradient: vec![0.0; n * (steps + 1)],
            hessian: vec![0.0; n * n * (steps + 1)],
            rows: vec![0.0; inequalities * n],
            redundant: vec![false; all - inequalities],
            price: None,
            first_price: 0.0,
            last_violation: f64::INFINITY,
            mu: 0.0,
            scale: 1.0,
            compliance: vec![0.0; all],
            extra: vec![0.0; all],
            ds: vec![0.0; inequalities],
            y_next: vec![0.0; all],
            du: vec![0.0; nu * steps],
            d_over: vec![0.0; all],
            d_under: vec![0.0; all],
        })
    }

    fn conditions(&self) -> usize {
        self.kkt.solution.nu.len()
    }

    fn has_bounds(&self) -> bool {
        self.price.is_some() || self.of_inputs.count() + self.of_slacks.count() > 0
    }

    /// Multipliers of the start guess, after it is moved where conditions cannot be met to first order. Leaves out conditions that
    /// no inputs change and that are satisfied: they follow from the others, as of velocities where a momentum is conserved.
    fn begin(&mut self, options: &Options) -> Result<Start, PlanError> {
        self.mu = if self.has_bounds() { options.barrier } else { 0.0 };
        let mut dependent = self.start()?;
        let mut begun = Start::default();
        let least = options.tolerance.sqrt() * (1.0 + norm(&self.values.rows));
        let missed = missed(&dependent, &self.values.rows, least);
        if matches!(self.problem.guess, Guess::Inputs(_)) && !missed.is_empty() {
            let residuals = |x: &[D::State]| self.residuals_at(x);
            if let Some(found) = bracket::find(self.problem, &self.point.u, &missed, &residuals) {
                self.point.u = found.inputs;
                self.of_inputs.push(&mut self.point.u);
                let states = roll_out(self.problem, &self.point.u);
                self.point.x = states.map_err(|(step, cause)| PlanError::Step { step, cause })?;
                begun.bracket = Some(found.pair);
                dependent = self.start()?;
                let enough = ENOUGH * norm2(&self.values.rows[..self.conditions()]);
                for _ in 0..SHOTS {
                    if !self.shoot(enough) {
                        break;
                    }
                    dependent = self.start()?;
                    begun.corrections += 1;
                }
            }
        }
        if mark_redundant(dependent, &self.values.rows, &mut self.redundant) {
            self.start()?;
        }
        Ok(begun)
    }

    /// Moves the inputs by the least change that meets the conditions to first order, or by a part of it that makes them better,
    /// with the states that follow, where [`Solver::start`] has factored the linear system. Returns whether it has; not where
    /// the conditions are met to `enough`.
    fn shoot(&mut self, enough: f64) -> bool {
        let (m, nu, n) = (self.conditions(), self.nu, self.nx + self.nu);
        let before = norm2(&self.values.rows[..m]);
        if before <= enough {
            return false;
        }
        for k in 0..=self.problem.steps {
            let own = self.kkt.conditions_of(k);
            let stage = &mut self.kkt.stages[k];
            stage.gradient.fill(0.0);
            stage.residual.copy_from_slice(&self.values.rows[own]);
        }
        self.kkt.solve();
        let mut alpha = 1.0;
        for _ in 0..SHORTER {
            let mut u = self.point.u.clone();
            for (k, u) in u.chunks_exact_mut(nu.max(1)).enumerate() {
                add_multiple(u, alpha, &self.kkt.solution.z[(k + 1) * n - nu..(k + 1) * n]);
            }
            self.of_inputs.push(&mut u);
            if let Ok(x) = roll_out(self.problem, &u) {
                let point = Point { x, u, ..self.point.clone() };
                let is_better =
                    |values: &Values<D::State>| norm2(&values.rows[..m]) < (1.0 - 0.5 * alpha) * before;
                if self.evaluate(&point).is_ok_and(|values| is_better(&values)) {
                    self.point = point;
                    return true;
                }
            }
            alpha *= 0.5;
        }
        false
    }

    /// Values, slacks and least-squares multipliers (36) of the present point. Returns combinations of conditions that no inputs
    /// change.
    fn start(&mut self) -> Result<Vec<Vec<f64>>, PlanError> {
        self.lambda.fill(0.0);
        self.y.fill(0.0);
        let point = self.point.clone();
        self.values = self.evaluate(&point)?;
        let m = self.conditions();
        self.point.s.copy_from_slice(&self.values.rows[m..]);
        self.of_slacks.push(&mut self.point.s);
        self.of_inputs.center(&self.point.u, self.mu);
        self.of_slacks.center(&self.point.s, self.mu);
        self.differentiate()?;
        let (nx, n) = (self.nx, self.nx + self.nu);
        self.scale = self.hessian_scale();
        for i in 0..self.point.s.len() {
            self.y[m + i] = self.of_slacks.z_upper[i] - self.of_slacks.z_lower[i];
        }
        for (k, stage) in self.kkt.stages.iter_mut().enumerate() {
            stage.hessian.fill(0.0);
            stage.hessian.iter_mut().step_by(n + 1).for_each(|entry| *entry = 1.0);
            stage.gradient.copy_from_slice(&self.gradient[k * n..(k + 1) * n]);
            for i in self.first_inequality[k]..self.first_inequality[k + 1] {
                add_multiple(&mut stage.gradient, self.y[m + i], &self.rows[i * n..(i + 1) * n]);
            }
            if k < self.problem.steps {
                for j in 0..self.nu {
                    let i = k * self.nu + j;
                    stage.gradient[nx + j] += self.of_inputs.z_upper[i] - self.of_inputs.z_lower[i];
                }
            }
            stage.defect.fill(0.0);
            stage.residual.fill(0.0);
            stage.compliance.fill(0.0);
        }
        for k in 0..=self.problem.steps {
            let own = self.kkt.conditions_of(k);
            for (compliance, &is_redundant) in
                self.kkt.stages[k].compliance.iter_mut().zip(&self.redundant[own])
            {
                *compliance = if is_redundant { 1.0 } else { 0.0 };
            }
        }
        let Inertia::Right(dependent) = self.kkt.factor(0.0) else { return Ok(Vec::new()) };
        self.kkt.solve();
        if norm(&self.kkt.solution.nu) <= LARGEST_MULTIPLIER {
            self.lambda.copy_from_slice(&self.kkt.solution.lambda);
            self.y[..m].copy_from_slice(&self.kkt.solution.nu);
        }
        Ok(dependent)
    }

    /// The conditions along other states, with the present inputs, and the norm of what is missing to them and to inequalities.
    fn residuals_at(&self, x: &[D::State]) -> Option<bracket::Residuals> {
        let point = Point { x: x.to_vec(), ..self.point.clone() };
        let mut rows = self.evaluate(&point).ok()?.rows;
        let inequalities = rows.split_off(self.conditions());
        let bounds = self.of_slacks.lower.iter().zip(&self.of_slacks.upper);
        let beyond =
            inequalities.iter().zip(bounds).map(|(d, (lower, upper))| (lower - d).max(d - upper).max(0.0));
        let missing = beyond.map(|d| d * d).sum::<f64>() + dot(&rows, &rows);
        Some((rows, missing.sqrt()))
    }

    fn inputs<'u>(&'u self, point: &'u Point<D::State>, k: usize, none: &'u [f64]) -> &'u [f64] {
        if k < self.problem.steps { &point.u[k * self.nu..(k + 1) * self.nu] } else { none }
    }

    fn evaluate(&self, point: &Point<D::State>) -> Result<Values<D::State>, Rejected> {
        let (problem, nx) = (self.problem, self.nx);
        let none = vec![0.0; self.nu];
        let mut values = Values {
            cost: 0.0,
            after: Vec::with_capacity(problem.steps),
            defects: vec![0.0; nx * problem.steps],
            rows: Vec::with_capacity(self.values.rows.len()),
        };
        let finite = |what: &[String], stage: usize, values: &[f64]| {
            let at = values.iter().position(|x| !x.is_finite());
            match at.and_then(|at| what.get(at)) {
                Some(what) => Err(Rejected::NonFinite { what: what.clone(), stage }),
                None => Ok(()),
            }
        };
        let mut inequalities = Vec::with_capacity(point.s.len());
        for (k, x) in point.x.iter().enumerate() {
            let u = self.inputs(point, k, &none);
            for term in problem.costs.iter().filter(|term| term.stages.contains(&k)) {
                let mut cost = [0.0];
                term.function.value(problem.dynamics, k, x, u, &mut cost);
                finite(&term.names, k, &cost)?;
                values.cost += cost[0];
            }
            for (terms, rows) in
                [(&problem.conditions, &mut values.rows), (&problem.inequalities, &mut inequalities)]
            {
                for term in terms.iter().filter(|term| term.stages.contains(&k)) {
                    let first = rows.len();
                    rows.resize(first + term.names.len(), 0.0);
                    term.function.value(problem.dynamics, k, x, u, &mut rows[first..]);
                    finite(&term.names, k, &rows[first..])?;
                }
            }
            if let Some(next) = point.x.get(k + 1) {
                let after = problem.dynamics.step(k, x, u);
                let after = after.map_err(|cause| Rejected::Step { step: k, cause })?;
                let defect = &mut values.defects[k * nx..(k + 1) * nx];
                problem.dynamics.difference(next, &after, defect);
                if defect.iter().any(|x| !x.is_finite()) {
                    return Err(Rejected::Step { step: k, cause: nhi_runtime::Failure::NonFinite });
                }
                values.after.push(after);
            }
        }
        values.rows.extend(inequalities);
        Ok(values)
    }

    /// First derivatives, and the Hessian of the Lagrangian with the present multipliers.
    fn differentiate(&mut self) -> Result<(), PlanError> {
        let (problem, nx, nu) = (self.problem, self.nx, self.nu);
        let n = nx + nu;
        let m = self.conditions();
        let none = vec![0.0; nu];
        let (mut chart, mut product) = (vec![0.0; nx * nx], vec![0.0; nx * n]);
        let (mut w, mut ignored, mut row) = (vec![0.0; nx], vec![0.0; nx * nx], vec![0.0; n]);
        let zero = vec![0.0; nx];
        for k in 0..=problem.steps {
            let x = &self.point.x[k];
            let u = self.inputs(&self.point, k, &none).to_vec();
            let own = self.kkt.conditions_of(k);
            let stage = &mut self.kkt.stages[k];
            let gradient = &mut self.gradient[k * n..(k + 1) * n];
            let hessian = &mut self.hessian[k * n * n..(k + 1) * n * n];
            gradient.fill(0.0);
            hessian.fill(0.0);
            let check = |what: &[String], x: &[f64], hessian: &[f64]| {
                let is_finite = x.iter().chain(hessian).all(|x| x.is_finite());
                let what = || what.join(", ");
                if is_finite { Ok(()) } else { Err(PlanError::NonFinite { what: what(), stage: k }) }
            };
            for term in problem.costs.iter().filter(|term| term.stages.contains(&k)) {
                term.function.derivatives(problem.dynamics, k, x, &u, &[1.0], &mut row, hessian);
                check(&term.names, &row, hessian)?;
                add_multiple(gradient, 1.0, &row);
            }
            let inequalities = self.first_inequality[k]..self.first_inequality[k + 1];
            let kinds = [
                (&problem.conditions, own.clone(), &mut stage.conditions[..]),
                (
                    &problem.inequalities,
                    m + inequalities.start..m + inequalities.end,
                    &mut self.rows[inequalities.start * n..inequalities.end * n],
                ),
            ];
            for (terms, range, rows) in kinds {
                let (mut at, mut first) = (0, range.start);
                for term in terms.iter().filter(|term| term.stages.contains(&k)) {
                    let count = term.names.len();
                    let rows = &mut rows[at * n..(at + count) * n];
                    let y = &self.y[first..first + count];
                    term.function.derivatives(problem.dynamics, k, x, &u, y, rows, hessian);
                    check(&term.names, rows, hessian)?;
                    (at, first) = (at + count, first + count);
                }
            }
            let redundant = stage.conditions.chunks_exact_mut(n).zip(&self.redundant[own]);
            redundant.filter(|(_, is)| **is).for_each(|(row, _)| row.fill(0.0));
            if k == problem.steps {
                continue;
            }
            let failed = |cause| PlanError::Step { step: k, cause };
            problem.dynamics.linearize(k, x, &u, &mut stage.ab).map_err(failed)?;
            let lambda = &self.lambda[(k + 1) * nx..(k + 2) * nx];
            w.copy_from_slice(lambda);
            if !problem.dynamics.is_flat() {
                let (from, to) = (&self.point.x[k + 1], &self.values.after[k]);
                ignored.fill(0.0);
                problem.dynamics.difference_derivatives(from, to, &zero, &mut chart, &mut ignored);
                product.fill(0.0);
                add_product(&mut product, &chart, &stage.ab, nx, n);
                stage.ab.copy_from_slice(&product);
                w.fill(0.0);
                add_transposed_image(&mut w, &chart, lambda);
            }
            if w.iter().any(|&w| w != 0.0) {
                problem.dynamics.curvature(k, x, &u, &w, hessian).map_err(failed)?;
            }
            if stage.ab.iter().chain(&*hessian).any(|x| !x.is_finite()) {
                return Err(failed(nhi_runtime::Failure::NonFinite));
            }
        }
        Ok(())
    }

    /// c − p + n of conditions and d − s − p + n of inequalities.
    fn residuals(&self, point: &Point<D::State>, values: &Values<D::State>) -> Vec<f64> {
        let m = self.conditions();
        let mut rows = values.rows.clone();
        add_multiple(&mut rows[m..], -1.0, &point.s);
        if self.price.is_some() {
            add_multiple(&mut rows, -1.0, &point.over);
            add_multiple(&mut rows, 1.0, &point.under);
        }
        rows.iter_mut().zip(&self.redundant).filter(|(_, is)| **is).for_each(|(row, _)| *row = 0.0);
        rows
    }

    fn merit(&self, point: &Point<D::State>, values: &Values<D::State>) -> Merit {
        let absolute = |x: &[f64]| x.iter().map(|x| x.abs()).sum::<f64>();
        let theta = absolute(&values.defects) + absolute(&self.residuals(point, values));
        let mut phi = values.cost;
        if self.has_bounds() {
            let mut logarithms = self.of_inputs.logarithms(&point.u) + self.of_slacks.logarithms(&point.s);
            if let Some(price) = self.price {
                phi += price * point.over.iter().chain(&point.under).sum::<f64>();
                logarithms += self.of_over.logarithms(&point.over) + self.of_under.logarithms(&point.under);
            }
            phi -= self.mu * logarithms;
        }
        Merit { theta, phi }
    }

    /// E_μ (5), and the largest residual of steps, conditions and inequalities.
    fn optimality(&self, mu: f64) -> (f64, f64) {
        let (nx, n, steps) = (self.nx, self.nx + self.nu, self.problem.steps);
        let m = self.conditions();
        let mut stationarity = 0.0_f64;
        let mut r = vec![0.0; n];
        for (k, stage) in self.kkt.stages.iter().enumerate() {
            r.copy_from_slice(&self.gradient[k * n..(k + 1) * n]);
            add_transposed_image(&mut r, &stage.conditions, &self.y[self.kkt.conditions_of(k)]);
            let inequalities = self.first_inequality[k]..self.first_inequality[k + 1];
            let rows = &self.rows[inequalities.start * n..inequalities.end * n];
            add_transposed_image(&mut r, rows, &self.y[m + inequalities.start..m + inequalities.end]);
            if k < steps {
                add_transposed_image(&mut r, &stage.ab, &self.lambda[(k + 1) * nx..(k + 2) * nx]);
                for (j, r) in r[nx..].iter_mut().enumerate() {
                    let i = k * self.nu + j;
                    *r += self.of_inputs.z_upper[i] - self.of_inputs.z_lower[i];
                }
                stationarity = stationarity.max(norm(&r[nx..]));
            }
            if k > 0 {
                add_multiple(&mut r[..nx], -1.0, &self.lambda[k * nx..(k + 1) * nx]);
                stationarity = stationarity.max(norm(&r[..nx]));
            }
        }
        for i in 0..self.point.s.len() {
            let r = self.of_slacks.z_upper[i] - self.of_slacks.z_lower[i] - self.y[m + i];
            stationarity = stationarity.max(r.abs());
        }
        let mut complementarity = self.of_inputs.complementarity(&self.point.u, mu);
        complementarity = complementarity.max(self.of_slacks.complementarity(&self.point.s, mu));
        let mut bounds = self.of_inputs.sum() + self.of_slacks.sum();
        let mut count = self.of_inputs.count() + self.of_slacks.count();
        if let Some(price) = self.price {
            for (i, y) in self.y.iter().enumerate() {
                let over = (price - y - self.of_over.z_lower[i]).abs();
                let under = (price + y - self.of_under.z_lower[i]).abs();
                stationarity = stationarity.max(over).max(under);
            }
            let over = self.of_over.complementarity(&self.point.over, mu);
            complementarity = complementarity.max(over);
            complementarity = complementarity.max(self.of_under.complementarity(&self.point.under, mu));
            bounds += self.of_over.sum() + self.of_under.sum();
            count += self.of_over.count() + self.of_under.count();
        }
        let residuals = self.residuals(&self.point, &self.values);
        let feasibility = norm(&self.values.defects).max(norm(&residuals));
        let scale = |sum: f64, count: usize| (sum / (count.max(1) as f64)).max(SCALE_FROM) / SCALE_FROM;
        let others: f64 = self.lambda.iter().chain(&self.y).map(|x| x.abs()).sum();
        let dual = scale(others + bounds, count + self.lambda.len() + self.y.len());
        let error = (stationarity / dual).max(complementarity / scale(bounds, count)).max(feasibility);
        (error, feasibility)
    }

    /// Sets the matrix of the linear system, all but its shift.
    fn assemble(&mut self) {
        let (nx, n, steps) = (self.nx, self.nx + self.nu, self.problem.steps);
        let (m, mu) = (self.conditions(), self.mu);
        for i in 0..self.y.len() {
            let (mut compliance, mut extra) = (0.0, 0.0);
            if self.redundant.get(i) == Some(&true) {
                // With a row of zeros, its multiplier is zero.
                compliance = 1.0;
            }
            if let Some(price) = self.price {
                let (over, under) = (self.point.over[i], self.point.under[i]);
                let (z_over, z_under) = (self.of_over.z_lower[i], self.of_under.z_lower[i]);
                compliance += over / z_over + under / z_under;
                extra += (price * over - mu) / z_over - (price * under - mu) / z_under;
            }
            if let Some(slack) = i.checked_sub(m) {
                let s = self.point.s[slack];
                let sigma = self.of_slacks.sigma(slack, s);
                compliance += 1.0 / sigma;
                extra += self.of_slacks.force(slack, s, mu) / sigma;
            }
            (self.compliance[i], self.extra[i]) = (compliance, extra);
        }
        for (k, stage) in self.kkt.stages.iter_mut().enumerate() {
            stage.hessian.copy_from_slice(&self.hessian[k * n * n..(k + 1) * n * n]);
            if k < steps {
                for j in 0..self.nu {
                    let i = k * self.nu + j;
                    stage.hessian[(nx + j) * (n + 1)] += self.of_inputs.sigma(i, self.point.u[i]);
                }
            }
            for i in self.first_inequality[k]..self.first_inequality[k + 1] {
                let row = &self.rows[i * n..(i + 1) * n];
                for (to, &x) in stage.hessian.chunks_exact_mut(n).zip(row) {
                    add_multiple(to, x / self.compliance[m + i], row);
                }
            }
        }
        for k in 0..=steps {
            let own = self.kkt.conditions_of(k);
            self.kkt.stages[k].compliance.copy_from_slice(&self.compliance[own]);
        }
    }

    /// Solves the factored system for these residuals of steps and of conditions and inequalities.
    fn direction(&mut self, defects: &[f64], residuals: &[f64]) {
        let (nx, nu, n, steps) = (self.nx, self.nu, self.nx + self.nu, self.problem.steps);
        let (m, mu) = (self.conditions(), self.mu);
        for k in 0..=steps {
            let own = self.kkt.conditions_of(k);
            let stage = &mut self.kkt.stages[k];
            stage.gradient.copy_from_slice(&self.gradient[k * n..(k + 1) * n]);
            for i in self.first_inequality[k]..self.first_inequality[k + 1] {
                let force = (residuals[m + i] + self.extra[m + i]) / self.compliance[m + i];
                add_multiple(&mut stage.gradient, force, &self.rows[i * n..(i + 1) * n]);
            }
            for (j, i) in own.enumerate() {
                stage.residual[j] = residuals[i] + self.extra[i];
            }
            if k < steps {
                stage.defect.copy_from_slice(&defects[k * nx..(k + 1) * nx]);
                for j in 0..nu {
                    let i = k * nu + j;
                    stage.gradient[nx + j] += self.of_inputs.force(i, self.point.u[i], mu);
                }
            } else {
                stage.gradient[nx..].fill(0.0);
            }
        }
        self.kkt.solve();
        let z = &self.kkt.solution.z;
        self.y_next[..m].copy_from_slice(&self.kkt.solution.nu);
        for k in 0..=steps {
            for i in self.first_inequality[k]..self.first_inequality[k + 1] {
                let row = dot(&self.rows[i * n..(i + 1) * n], &z[k * n..(k + 1) * n]);
                let y = (row + residuals[m + i] + self.extra[m + i]) / self.compliance[m + i];
                self.y_next[m + i] = y;
                let s = self.point.s[i];
                self.ds[i] = (y - self.of_slacks.force(i, s, mu)) / self.of_slacks.sigma(i, s);
            }
            if k < steps {
                self.du[k * nu..(k + 1) * nu].copy_from_slice(&z[k * n + nx..(k + 1) * n]);
            }
        }
        if let Some(price) = self.price {
            for (i, y) in self.y_next.iter().enumerate() {
                let (over, under) = (self.point.over[i], self.point.under[i]);
                self.d_over[i] = (over * (y - price) + mu) / self.of_over.z_lower[i];
                self.d_under[i] = (mu - under * (y + price)) / self.of_under.z_lower[i];
            }
        }
    }

    /// The rate of φ along the step.
    fn slope(&self) -> f64 {
        let (n, mu) = (self.nx + self.nu, self.mu);
        let z = &self.kkt.solution.z;
        let last = self.problem.steps * n + self.nx;
        let mut slope = dot(&self.gradient[..last], &z[..last]);
        if self.has_bounds() {
            let forces = |bounds: &Bounds, x: &[f64], dx: &[f64]| -> f64 {
                let both = x.iter().zip(dx).enumerate();
                both.map(|(i, (&x, dx))| bounds.force(i, x, mu) * dx).sum()
            };
            slope += forces(&self.of_inputs, &self.point.u, &self.du);
            slope += forces(&self.of_slacks, &self.point.s, &self.ds);
            if let Some(price) = self.price {
                slope += price * self.d_over.iter().chain(&self.d_under).sum::<f64>();
                slope += forces(&self.of_over, &self.point.over, &self.d_over);
                slope += forces(&self.of_under, &self.point.under, &self.d_under);
            }
        }
        slope
    }

    /// The largest parts of the steps of unknowns and of multipliers of bounds.
    fn longest(&self) -> (f64, f64) {
        let (mu, tau) = (self.mu, TO_BOUNDARY.max(1.0 - self.mu));
        let mut all = vec![
            self.of_inputs.longest(&self.point.u, &self.du, mu, tau),
            self.of_slacks.longest(&self.point.s, &self.ds, mu, tau),
        ];
        if self.price.is_some() {
            all.push(self.of_over.longest(&self.point.over, &self.d_over, mu, tau));
            all.push(self.of_under.longest(&self.point.under, &self.d_under, mu, tau));
        }
        all.into_iter().fold((1.0, 1.0), |(x, z), (by_x, by_z)| (x.min(by_x), z.min(by_z)))
    }

    /// The point at the part `alpha` of the step.
    fn moved(&self, alpha: f64) -> Point<D::State> {
        let (nx, n) = (self.nx, self.nx + self.nu);
        let mut point = self.point.clone();
        let mut delta = vec![0.0; nx];
        for (k, x) in point.x.iter_mut().enumerate().skip(1) {
            let z = &self.kkt.solution.z[k * n..k * n + nx];
            delta.iter_mut().zip(z).for_each(|(delta, z)| *delta = alpha * z);
            *x = self.problem.dynamics.retract(x, &delta);
        }
        add_multiple(&mut point.u, alpha, &self.du);
        add_multiple(&mut point.s, alpha, &self.ds);
        if self.price.is_some() {
            add_multiple(&mut point.over, alpha, &self.d_over);
            add_multiple(&mut point.under, alpha, &self.d_under);
        }
        point
    }

    /// A step that the filter accepts, with the part of the multipliers' step that belongs to it.
    fn search(&mut self, filter: &mut Filter) -> Option<(Point<D::State>, Values<D::State>, f64)> {
        let from = self.merit(&self.point, &self.values);
        let slope = self.slope();
        let (longest, _) = self.longest();
        let shortest = filter.shortest(from, slope);
        let mut alpha = longest;
        let mut is_first = true;
        while alpha >= shortest {
            let point = self.moved(alpha);
            if let Ok(values) = self.evaluate(&point) {
                let trial = self.merit(&point, &values);
                if filter.accepts(from, trial, alpha, slope) {
                    return Some((point, values, alpha));
                }
                if is_first && trial.theta >= from.theta && from.theta > 0.0 {
                    let corrected = self.correct(filter, (from, slope, alpha), (point, values));
                    if corrected.is_some() {
                        return corrected;
                    }
                }
            }
            is_first = false;
            alpha *= 0.5;
        }
        None
    }

    /// Second-order corrections of a trial (27): the same step with the residuals that it leaves.
    fn correct(
        &mut self,
        filter: &mut Filter,
        (from, slope, alpha): (Merit, f64, f64),
        trial: (Point<D::State>, Values<D::State>),
    ) -> Option<(Point<D::State>, Values<D::State>, f64)> {
        let steps = (self.kkt.solution.clone(), self.y_next.clone());
        let others = [&self.ds, &self.du, &self.d_over, &self.d_under].map(Clone::clone);
        let mut defects = self.values.defects.clone();
        let mut residuals = self.residuals(&self.point, &self.values);
        let (mut point, mut values) = trial;
        let mut alpha = alpha;
        let mut theta = f64::INFINITY;
        for _ in 0..CORRECTIONS {
            let left = self.residuals(&point, &values);
            for (sum, left) in defects.iter_mut().zip(&values.defects).chain(residuals.iter_mut().zip(&left))
            {
                *sum = alpha * *sum + left;
            }
            self.direction(&defects, &residuals);
            alpha = self.longest().0;
            point = self.moved(alpha);
            let Ok(found) = self.evaluate(&point) else { break };
            values = found;
            let merit = self.merit(&point, &values);
            if filter.accepts(from, merit, alpha, slope) {
                return Some((point, values, alpha));
            }
            if merit.theta > CORRECTED * theta {
                break;
            }
            theta = merit.theta;
        }
        (self.kkt.solution, self.y_next) = steps;
        [self.ds, self.du, self.d_over, self.d_under] = others;
        None
    }

    /// Moves to an accepted point, and multipliers with it.
    fn accept(&mut self, point: Point<D::State>, values: Values<D::State>, alpha: f64) {
        let (nx, mu) = (self.nx, self.mu);
        let dual = self.longest().1;
        self.of_inputs.advance(&self.point.u, &self.du, &point.u, mu, dual);
        self.of_slacks.advance(&self.point.s, &self.ds, &point.s, mu, dual);
        if self.price.is_some() {
            self.of_over.advance(&self.point.over, &self.d_over, &point.over, mu, dual);
            self.of_under.advance(&self.point.under, &self.d_under, &point.under, mu, dual);
        }
        let toward = |x: &mut f64, to: f64| *x += alpha * (to - *x);
        self.y.iter_mut().zip(&self.y_next).for_each(|(y, &to)| toward(y, to));
        self.lambda.iter_mut().zip(&self.kkt.solution.lambda).for_each(|(x, &to)| toward(x, to));
        if !self.problem.dynamics.is_flat() {
            // Covectors of the chart at a state, in the chart at where it has moved.
            let (mut chart, mut ignored) = (vec![0.0; nx * nx], vec![0.0; nx * nx]);
            let zero = vec![0.0; nx];
            for (k, x) in point.x.iter().enumerate().skip(1) {
                let from = &self.point.x[k];
                self.problem.dynamics.difference_derivatives(from, x, &zero, &mut chart, &mut ignored);
                let lambda = &mut self.lambda[k * nx..(k + 1) * nx];
                let before = lambda.to_vec();
                lambda.fill(0.0);
                add_transposed_image(lambda, &chart, &before);
            }
        }
        (self.point, self.values) = (point, values);
    }

    fn run(mut self, options: &Options, start: Start) -> Result<Plan<D::State>, PlanError> {
        let mut filter = Filter::new(self.merit(&self.point, &self.values).theta);
        let (mut iterations, mut history) = (0, Vec::new());
        let (mut damping, mut last_shift) = (0.0, 0.0);
        let outcome = loop {
            self.differentiate()?;
            let (error, _) = self.optimality(0.0);
            // Multipliers of violated conditions are ρ, and rounding errors are relative to it.
            let unit = self.price.filter(|_| self.is_violated(options)).map_or(1.0, |price| price.max(1.0));
            if error <= options.tolerance * unit {
                if let Some(outcome) = self.judge(options, &mut filter) {
                    break outcome;
                }
                continue;
            }
            if iterations == options.iterations {
                break Outcome::IterationLimit;
            }
            if self.has_bounds() {
                self.tighten(options, &mut filter);
            }
            self.assemble();
            let mut shift = damping * self.scale;
            let mut found = None;
            for _ in 0..=RETRIES {
                let Some(used) = self.factor(shift, last_shift) else { break };
                let (defects, residuals) =
                    (self.values.defects.clone(), self.residuals(&self.point, &self.values));
                self.direction(&defects, &residuals);
                found = self.search(&mut filter);
                shift = used;
                if found.is_some() {
                    break;
                }
                shift = (100.0 * shift).max(FIRST_SHIFT * self.scale);
            }
            if let Some((point, values, alpha)) = found {
                damping = damped(damping, alpha / self.longest().0);
                self.accept(point, values, alpha);
                last_shift = shift;
                iterations += 1;
                history.push(error);
            } else if self.price.is_some() {
                if !(self.is_violated(options) && error <= ROUNDED * unit) {
                    break Outcome::Stalled;
                }
                if let Some(outcome) = self.judge(options, &mut filter) {
                    break outcome;
                }
            } else if self.y.is_empty() {
                break Outcome::Stalled;
            } else {
                let steepest = norm(&self.gradient).max(norm(&self.y[..self.conditions()]));
                self.first_price = 10.0 * steepest.clamp(1.0, LARGEST_FIRST_PRICE);
                self.relax(self.first_price, options.barrier, &mut filter);
                (damping, last_shift) = (0.0, 0.0);
            }
        };
        Ok(self.plan(outcome, iterations, history, start))
    }

    /// The outcome where the first-order conditions hold; none if conditions that were left out are taken back, or if violations
    /// are to cost more.
    fn judge(&mut self, options: &Options, filter: &mut Filter) -> Option<Outcome> {
        if self.restore(options.tolerance) {
            *filter = Filter::new(self.merit(&self.point, &self.values).theta);
            return None;
        }
        let Some(price) = self.price.filter(|_| self.is_violated(options)) else {
            return Some(Outcome::Converged);
        };
        let violation = self.violation();
        if violation > 0.9 * self.last_violation || price >= LARGEST_PRICE * self.first_price {
            return Some(Outcome::CannotMeet(self.violated(1e-3 * violation)));
        }
        self.last_violation = violation;
        self.relax(10.0 * price, options.barrier, filter);
        None
    }

    /// The largest |p − n|.
    fn violation(&self) -> f64 {
        self.violations().fold(0.0, |worst, (_, by)| worst.max(by.abs()))
    }

    fn is_violated(&self, options: &Options) -> bool {
        self.price.is_some() && self.violation() > options.tolerance.sqrt()
    }

    /// Takes back conditions that were left out and are not satisfied.
    fn restore(&mut self, tolerance: f64) -> bool {
        let rows = self.values.rows.iter().zip(&self.redundant);
        let is_missed = rows.filter(|(_, is)| **is).any(|(row, _)| row.abs() > 10.0 * tolerance);
        if is_missed {
            self.redundant.fill(false);
        }
        is_missed
    }

    /// Decreases the barrier parameter while its problem is solved (7, 8).
    fn tighten(&mut self, options: &Options, filter: &mut Filter) {
        while self.optimality(self.mu).0 <= BARRIER_SOLVED * self.mu {
            let next =
                (BARRIER_FACTOR * self.mu).min(self.mu.powf(BARRIER_POWER)).max(0.1 * options.tolerance);
            if next >= self.mu {
                return;
            }
            self.mu = next;
            filter.clear();
        }
    }

    /// The largest diagonal entry of H of an input: at the start, with zero multipliers, that of the costs.
    fn hessian_scale(&self) -> f64 {
        let (nx, n) = (self.nx, self.nx + self.nu);
        let diagonal = |matrix: &[f64]| (nx..n).map(|i| matrix[i * (n + 1)].abs()).fold(0.0, f64::max);
        let all = self.hessian.chunks_exact((n * n).max(1)).take(self.problem.steps);
        let largest = all.map(diagonal).fold(0.0, f64::max);
        if largest > 0.0 { largest } else { 1.0 }
    }

    /// Factors with the least shift from `shift` on for which the step minimises (algorithm IC).
    fn factor(&mut self, shift: f64, last_shift: f64) -> Option<f64> {
        let (mut shift, scale) = (shift, self.scale);
        loop {
            if matches!(self.kkt.factor(shift), Inertia::Right(_)) {
                return Some(shift);
            }
            shift = if shift > 0.0 {
                shift * if last_shift == 0.0 { 100.0 } else { 8.0 }
            } else if last_shift == 0.0 {
                FIRST_SHIFT * scale
            } else {
                (last_shift / 3.0).max(LEAST_SHIFT * scale)
            };
            if shift > LARGEST_SHIFT * scale {
                return None;
            }
        }
    }

    /// p − n of conditions and inequalities, if violations are allowed.
    fn violations(&self) -> impl Iterator<Item = (usize, f64)> {
        let both = self.point.over.iter().zip(&self.point.under);
        both.map(|(over, under)| over - under).enumerate()
    }

    /// The names of conditions and inequalities, in the order of rows.
    fn names(&self) -> Vec<String> {
        let of = |terms: &[crate::problem::Term<'a, D>], with_stage: bool| -> Vec<String> {
            let mut names = Vec::new();
            for k in 0..=self.problem.steps {
                for term in terms.iter().filter(|term| term.stages.contains(&k)) {
                    let name = |name: &String| {
                        if with_stage { format!("{name} at stage {k}") } else { name.clone() }
                    };
                    names.extend(term.names.iter().map(name));
                }
            }
            names
        };
        let mut names = of(&self.problem.conditions, false);
        names.extend(of(&self.problem.inequalities, true));
        names
    }

    /// Rows that are violated by more than `least`.
    fn violated(&self, least: f64) -> Vec<(String, f64)> {
        let violations = self.names().into_iter().zip(self.violations());
        violations.filter(|(_, (_, by))| by.abs() > least).map(|(name, (_, by))| (name, by)).collect()
    }

    fn plan(
        mut self,
        outcome: Outcome,
        iterations: usize,
        history: Vec<f64>,
        start: Start,
    ) -> Plan<D::State> {
        let (kkt, _) = self.optimality(0.0);
        let history: Vec<f64> = history.into_iter().chain([kkt]).collect();
        let (nx, nu, m) = (self.nx, self.nu, self.conditions());
        if self.redundant.contains(&true) {
            self.redundant.fill(false);
            // That functions are finite there is known.
            self.differentiate().ok();
        }
        self.assemble();
        let inertia = self.kkt.factor(0.0);
        let names = self.names();
        let combination = |factors: &Vec<f64>| -> Vec<(String, f64)> {
            let all = names.iter().cloned().zip(factors.iter().copied());
            all.filter(|(_, factor)| factor.abs() > 1e-3).collect()
        };
        let (is_minimum, dependent) = match &inertia {
            Inertia::Right(dependent) => (true, dependent.iter().map(combination).collect()),
            Inertia::Wrong => (false, Vec::new()),
        };
        let gains = if is_minimum {
            let stages = &self.kkt.stages[..self.problem.steps];
            stages.iter().map(|stage| DMatrix::from_row_slice(nu, nx, &stage.gain)).collect()
        } else {
            Vec::new()
        };
        let mut rows = self.values.rows.clone();
        add_multiple(&mut rows[m..], -1.0, &self.point.s);
        let infeasibility = norm(&self.values.defects).max(norm(&rows));
        let lists = |all: &[f64], length: usize, count: usize| -> Vec<Vec<f64>> {
            (0..count).map(|k| all[k * length..(k + 1) * length].to_vec()).collect()
        };
        Plan {
            inputs: lists(&self.point.u, nu, self.problem.steps),
            costates: lists(&self.lambda[nx..], nx, self.problem.steps),
            cost: self.values.cost,
            multipliers: names.iter().cloned().zip(self.y.iter().copied()).collect(),
            gains,
            states: self.point.x,
            status: Status {
                outcome,
                iterations,
                kkt,
                infeasibility,
                is_minimum,
                dependent,
                bracket: start.bracket,
                corrections: start.corrections,
                history,
            },
        }
    }

    /// Allows violations at the price ρ, with those of least barrier function.
    fn relax(&mut self, price: f64, barrier: f64, filter: &mut Filter) {
        let m = self.conditions();
        self.redundant.fill(false);
        self.price = Some(price);
        self.point.over.fill(0.0);
        self.point.under.fill(0.0);
        let mut rows = self.values.rows.clone();
        add_multiple(&mut rows[m..], -1.0, &self.point.s);
        self.mu = barrier.max(self.mu);
        for (i, c) in rows.iter().enumerate() {
            // (33); the smaller one without cancellation.
            let root = self.mu.hypot(price * c);
            let larger = (self.mu + price * c.abs() + root) / (2.0 * price);
            let smaller = self.mu * larger / (2.0 * price * larger - self.mu);
            (self.point.over[i], self.point.under[i]) =
                if *c > 0.0 { (larger, smaller) } else { (smaller, larger) };
        }
        self.of_over.center(&self.point.over, self.mu);
        self.of_under.center(&self.point.under, self.mu);
        for (i, y) in self.y.iter_mut().enumerate() {
            *y = 0.5 * (self.of_under.z_lower[i] - self.of_over.z_lower[i]);
        }
        *filter = Filter::new(self.merit(&self.point, &self.values).theta);
    }
}

/// Combinations of conditions that differ from zero by more than `least`, of those that no inputs change.
fn missed(dependent: &[Vec<f64>], rows: &[f64], least: f64) -> Vec<Vec<f64>> {
    dependent.iter().filter(|combination| dot(combination, rows).abs() > least).cloned().collect()
}

/// Marks a condition for each combination that no inputs change and that is satisfied. Returns whether there is one.
fn mark_redundant(mut dependent: Vec<Vec<f64>>, rows: &[f64], redundant: &mut [bool]) -> bool {
    let value = |combination: &Vec<f64>| dot(combination, rows);
    // Of several combinations with the same value all but one are satisfied.
    let size = |&i: &usize, &j: &usize| value(&dependent[i]).abs().total_cmp(&value(&dependent[j]).abs());
    let largest = (0..dependent.len()).max_by(size);
    let is_missed = |combination: &Vec<f64>| {
        let terms: f64 = combination.iter().zip(rows).map(|(a, c)| (a * c).abs()).sum();
        value(combination).abs() > SATISFIED * terms
    };
    if let Some(i) = largest.filter(|&i| is_missed(&dependent[i])) {
        let missed = dependent.swap_remove(i);
        let by = value(&missed);
        for combination in &mut dependent {
            let ratio = value(combination) / by;
            add_multiple(combination, -ratio, &missed);
        }
    }
    let is_some = !dependent.is_empty();
    while let Some(combination) = dependent.pop() {
        let at = (0..redundant.len()).max_by(|&i, &j| combination[i].abs().total_cmp(&combination[j].abs()));
        let Some(at) = at.filter(|&at| combination[at] != 0.0) else { continue };
        redundant[at] = true;
        for other in &mut dependent {
            let ratio = other[at] / combination[at];
            add_multiple(other, -ratio, &combination);
        }
    }
    is_some
}

/// The least shift of the Hessian in the next step, relative to the Hessian of the costs, after a step of which the part `alpha` was
/// taken.
fn damped(damping: f64, alpha: f64) -> f64 {
    if alpha < SHORT {
        (10.0 * damping).clamp(FIRST_DAMPING, LARGEST_DAMPING)
    } else if alpha > LONG && damping > FIRST_DAMPING {
        0.1 * damping
    } else if alpha > LONG {
        0.0
    } else {
        damping
    }
}

fn norm2(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// The states that follow from inputs, or the step that cannot be taken.
pub(crate) fn roll_out<D: Dynamics>(
    problem: &Problem<'_, D>,
    u: &[f64],
) -> Result<Vec<D::State>, (usize, nhi_runtime::Failure)> {
    let nu = problem.dynamics.sizes().inputs;
    let mut states = vec![problem.start.clone()];
    let mut x = problem.start.clone();
    for k in 0..problem.steps {
        x = problem.dynamics.step(k, &x, &u[k * nu..(k + 1) * nu]).map_err(|cause| (k, cause))?;
        states.push(x.clone());
    }
    Ok(states)
}
