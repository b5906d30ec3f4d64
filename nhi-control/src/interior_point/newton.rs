//! Newton steps and their line search.

use super::bounds::Bounds;
use super::{Kept, Point, Rejection, Scratch, Solver, Trial, Values};
use crate::Dynamics;
use crate::dense::*;
use crate::filter::{Filter, Merit};
use crate::kkt::Inertia;
use alloc::vec::Vec;
use core::mem;

/// τ_min (8), and the largest τ: what is closer to a bound is lost in the rounding of its distance, and the decrease that the
/// barrier function promises far below the central path comes from steps that are much too short.
const TO_BOUNDARY: f64 = 0.99;
const CLOSEST_TO_BOUNDARY: f64 = 0.9999;
/// Second-order corrections of one step, and the factor by which each has to reduce the infeasibility.
const CORRECTIONS: usize = 4;
const CORRECTED: f64 = 0.99;
/// Shifts of the Hessian (algorithm IC), relative to that of the costs.
pub(super) const FIRST_SHIFT: f64 = 1e-4;
const LEAST_SHIFT: f64 = 1e-12;
const LARGEST_SHIFT: f64 = 1e12;
/// The least squared pivot of the Hessian of costs, relative to its diagonal entry, with which they determine all.
const DETERMINED: f64 = 1e-6;

/// Which Hessian a Newton step has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Hessian {
    /// That of the Lagrangian.
    Exact,
    /// That of the costs alone, without the curvature of steps and conditions: the method of Gauss and Newton.
    OfCosts,
}

impl<D: Dynamics> Solver<'_, '_, D> {
    /// Sets the matrix of the linear system, all but its shift, and the barrier terms.
    pub(super) fn assemble(&mut self, hessian: Hessian) {
        self.terms();
        let (nx, n, steps) = (self.nx, self.nx + self.nu, self.problem.steps);
        let m = self.conditions();
        let all = match hessian {
            Hessian::Exact => &self.hessian,
            Hessian::OfCosts => &self.of_costs,
        };
        let is_bounded = self.of_inputs.count() > 0;
        for k in 0..=steps {
            let stage = self.kkt.stage(k);
            stage.hessian.copy_from_slice(&all[k * n * n..(k + 1) * n * n]);
            if k < steps && is_bounded {
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
        self.kkt.compliance.copy_from_slice(&self.compliance[..m]);
    }

    /// Sets compliances, and the barrier terms with the present μ.
    pub(super) fn terms(&mut self) {
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
    }

    /// Solves the factored system for these residuals of steps and of conditions and inequalities; `refined` where the step
    /// leaves little but rounding.
    pub(super) fn direction(&mut self, defects: &[f64], residuals: &[f64], refined: bool) {
        let (nx, nu, n, steps) = (self.nx, self.nu, self.nx + self.nu, self.problem.steps);
        let (m, mu) = (self.conditions(), self.mu);
        let is_bounded = self.of_inputs.count() > 0;
        for k in 0..=steps {
            let own = self.kkt.conditions_of(k);
            let stage = self.kkt.stage(k);
            stage.gradient.copy_from_slice(&self.gradient[k * n..(k + 1) * n]);
            for i in self.first_inequality[k]..self.first_inequality[k + 1] {
                let force = (residuals[m + i] + self.extra[m + i]) / self.compliance[m + i];
                add_multiple(stage.gradient, force, &self.rows[i * n..(i + 1) * n]);
            }
            for (j, i) in own.enumerate() {
                stage.residual[j] = residuals[i] + self.extra[i];
            }
            if k < steps {
                stage.defect.copy_from_slice(&defects[k * nx..(k + 1) * nx]);
                if is_bounded {
                    for j in 0..nu {
                        let i = k * nu + j;
                        stage.gradient[nx + j] += self.of_inputs.force(i, self.point.u[i], mu);
                    }
                }
            } else {
                stage.gradient[nx..].fill(0.0);
            }
        }
        self.kkt.solve::<D>(refined);
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
        self.reach = self.longest(self.to_boundary());
    }

    /// Whether the costs alone determine all states and inputs to second order.
    fn costs_determine_all(&self) -> bool {
        let (nx, n, steps) = (self.nx, self.nx + self.nu, self.problem.steps);
        let mut block = Vec::with_capacity(n * n);
        (0..=steps).all(|k| {
            // Inputs alone at the first stage, states alone at the last one.
            let entries = if k == 0 {
                nx..n
            } else if k < steps {
                0..n
            } else {
                0..nx
            };
            let rows = self.of_costs[k * n * n..(k + 1) * n * n].chunks_exact(n.max(1));
            block.clear();
            block.extend(rows.skip(entries.start).take(entries.len()).flat_map(|row| &row[entries.clone()]));
            cholesky(&mut block, entries.len()).is_some_and(|least| least > DETERMINED)
        })
    }

    /// [`Solver::factor`], but where the exact Hessian needs a larger shift, and the costs alone determine all states and inputs, as
    /// where a motion is tracked, the curvature of steps and conditions is left out: a shift that outweighs it is larger than what
    /// the costs say about the inputs, and makes short steps.
    pub(super) fn factor_step(&mut self, shift: f64, last_shift: f64) -> Option<f64> {
        if matches!(self.kkt.factor::<D>(shift), Inertia::Right(_)) {
            return Some(shift);
        }
        if self.costs_determine_all() {
            self.assemble(Hessian::OfCosts);
            if matches!(self.kkt.factor::<D>(shift), Inertia::Right(_)) {
                return Some(shift);
            }
            self.assemble(Hessian::Exact);
        }
        self.factor_shifted(shift, last_shift)
    }

    /// Factors with the least shift from `shift` on for which the step minimises (algorithm IC).
    pub(super) fn factor(&mut self, shift: f64, last_shift: f64) -> Option<f64> {
        let is_right = matches!(self.kkt.factor::<D>(shift), Inertia::Right(_));
        if is_right { Some(shift) } else { self.factor_shifted(shift, last_shift) }
    }

    /// Factors with the least larger shift for which it does, where it does not with `shift`.
    fn factor_shifted(&mut self, shift: f64, last_shift: f64) -> Option<f64> {
        let (mut shift, scale) = (shift, self.scale);
        loop {
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
            if matches!(self.kkt.factor::<D>(shift), Inertia::Right(_)) {
                return Some(shift);
            }
        }
    }

    /// The rate of φ along the step.
    pub(super) fn slope(&self) -> f64 {
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

    /// τ (8).
    pub(super) fn to_boundary(&self) -> f64 {
        (1.0 - self.mu).clamp(TO_BOUNDARY, CLOSEST_TO_BOUNDARY)
    }

    /// The largest parts of the steps of unknowns and of multipliers of bounds that keep the part 1 − τ of the distances.
    pub(super) fn longest(&self, tau: f64) -> (f64, f64) {
        let mu = self.mu;
        let shorter = |(x, z): (f64, f64), (by_x, by_z): (f64, f64)| (x.min(by_x), z.min(by_z));
        let mut both = self.of_inputs.longest(&self.point.u, &self.du, mu, tau);
        both = shorter(both, self.of_slacks.longest(&self.point.s, &self.ds, mu, tau));
        if self.price.is_some() {
            both = shorter(both, self.of_over.longest(&self.point.over, &self.d_over, mu, tau));
            both = shorter(both, self.of_under.longest(&self.point.under, &self.d_under, mu, tau));
        }
        both
    }

    /// The point at the part `alpha` of the step.
    pub(super) fn moved(&self, alpha: f64) -> Point<D::State> {
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
    pub(super) fn search(&mut self, filter: &mut Filter) -> Option<Trial<D::State>> {
        let from = self.merit(&self.point, &self.values);
        let slope = self.slope();
        let shortest = filter.shortest(from, slope);
        let mut alpha = self.reach.0.min(self.most);
        let mut is_first = true;
        self.refused = None;
        while alpha >= shortest {
            let point = self.moved(alpha);
            let evaluated = self.evaluate(&point);
            if let Err(Rejection::Step { step, cause }) = &evaluated {
                self.refused = Some((*step, *cause));
            }
            if let Ok(values) = evaluated {
                let trial = self.merit(&point, &values);
                if filter.accepts(from, trial, alpha, slope) {
                    return Some(Trial { point, values, alpha });
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
    pub(super) fn correct(
        &mut self,
        filter: &mut Filter,
        (from, slope, alpha): (Merit, f64, f64),
        trial: (Point<D::State>, Values<D::State>),
    ) -> Option<Trial<D::State>> {
        let steps = (self.kkt.solution.clone(), self.y_next.clone());
        let others = [&self.ds, &self.du, &self.d_over, &self.d_under].map(Clone::clone);
        let reach = self.reach;
        let mut defects = self.values.defects.clone();
        let mut residuals = self.residuals(&self.point, &self.values);
        let (mut point, mut values) = trial;
        let mut alpha = alpha;
        let mut theta = from.theta;
        for _ in 0..CORRECTIONS {
            let left = self.residuals(&point, &values);
            for (sum, left) in defects.iter_mut().zip(&values.defects).chain(residuals.iter_mut().zip(&left))
            {
                *sum = alpha * *sum + left;
            }
            self.direction(&defects, &residuals, false);
            alpha = self.reach.0;
            point = self.moved(alpha);
            let Ok(found) = self.evaluate(&point) else { break };
            values = found;
            let merit = self.merit(&point, &values);
            if filter.accepts(from, merit, alpha, slope) {
                return Some(Trial { point, values, alpha });
            }
            if merit.theta > CORRECTED * theta {
                break;
            }
            theta = merit.theta;
        }
        (self.kkt.solution, self.y_next) = steps;
        [self.ds, self.du, self.d_over, self.d_under] = others;
        self.reach = reach;
        None
    }

    /// Moves to an accepted point, and multipliers with it. Returns where it was.
    pub(super) fn accept(&mut self, trial: Trial<D::State>) -> Kept<D::State> {
        let Trial { point, values, alpha } = trial;
        let (lambda, y) = (self.lambda.clone(), self.y.clone());
        let bounds = [&self.of_inputs, &self.of_slacks, &self.of_over, &self.of_under].map(Clone::clone);
        let mu = self.mu;
        let dual = self.reach.1;
        self.of_inputs.advance(&self.point.u, &self.du, &point.u, mu, dual);
        self.of_slacks.advance(&self.point.s, &self.ds, &point.s, mu, dual);
        if self.price.is_some() {
            self.of_over.advance(&self.point.over, &self.d_over, &point.over, mu, dual);
            self.of_under.advance(&self.point.under, &self.d_under, &point.under, mu, dual);
        }
        let toward = |x: &mut f64, to: f64| *x += alpha * (to - *x);
        self.y.iter_mut().zip(&self.y_next).for_each(|(y, &to)| toward(y, to));
        self.lambda.iter_mut().zip(&self.kkt.solution.lambda).for_each(|(x, &to)| toward(x, to));
        for (k, x) in point.x.iter().enumerate().skip(1) {
            self.transport(k, x);
        }
        let point = mem::replace(&mut self.point, point);
        let values = mem::replace(&mut self.values, values);
        Kept { point, values, lambda, y, bounds, alpha }
    }

    /// Moves the covector λ of the chart at the state of stage `k` to the chart at `to`.
    pub(super) fn transport(&mut self, k: usize, to: &D::State) {
        let nx = self.nx;
        if self.problem.dynamics.is_flat() {
            return;
        }
        let Scratch { chart, ignored, w, zero, .. } = &mut self.scratch;
        self.problem.dynamics.difference_derivatives(&self.point.x[k], to, zero, chart, ignored);
        let lambda = &mut self.lambda[k * nx..(k + 1) * nx];
        w.copy_from_slice(lambda);
        lambda.fill(0.0);
        add_transposed_image(lambda, chart, w);
    }
}
