//! Values and derivatives of a problem, and what is left of its first-order conditions.

use super::{Point, Rejection, Scratch, Solver, Values};
use crate::dense::*;
use crate::filter::Merit;
use crate::problem::Term;
use crate::{Dynamics, PlanError};
use alloc::string::String;
use alloc::vec::Vec;

/// s_max (6).
const SCALE_FROM: f64 = 100.0;

/// A motion that follows from its inputs, and what functions are there.
type Rollout<X> = (Point<X>, Values<X>);

/// Residuals of the first-order conditions.
pub(super) struct Optimality {
    /// Of all but complementarity, the largest one.
    others: f64,
    /// The least and the largest product of a multiplier with the distance from its bound, and their unit.
    products: (f64, f64),
    scale: f64,
}

impl Optimality {
    /// E_μ.
    pub(super) fn error(&self, mu: f64) -> f64 {
        let (least, largest) = self.products;
        let complementarity = (largest - mu).max(mu - least).max(0.0);
        (complementarity / self.scale).max(self.others)
    }
}

impl<D: Dynamics> Solver<'_, '_, D> {
    /// The inputs of a stage, of which the last one has none.
    fn inputs<'u>(&'u self, u: &'u [f64], k: usize) -> &'u [f64] {
        if k < self.problem.steps { &u[k * self.nu..(k + 1) * self.nu] } else { &self.no_inputs }
    }

    /// What functions and steps are at a point.
    pub(super) fn evaluate(&self, point: &Point<D::State>) -> Result<Values<D::State>, Rejection> {
        let mut values = self.no_values();
        self.evaluate_into(point, &mut values)?;
        Ok(values)
    }

    /// The same in a place that has been used before.
    pub(super) fn evaluate_into(
        &self,
        point: &Point<D::State>,
        values: &mut Values<D::State>,
    ) -> Result<(), Rejection> {
        let (problem, nx) = (self.problem, self.nx);
        values.cost = 0.0;
        values.after.clear();
        for (k, x) in point.x.iter().enumerate() {
            let u = self.inputs(&point.u, k);
            self.functions(k, x, u, values)?;
            if let Some(next) = point.x.get(k + 1) {
                let step = self.first_step + k;
                let after = problem.dynamics.step(step, x, u);
                let after = after.map_err(|cause| Rejection::Step { step, cause })?;
                let defect = &mut values.defects[k * nx..(k + 1) * nx];
                problem.dynamics.difference(next, &after, defect);
                if defect.iter().any(|x| !x.is_finite()) {
                    return Err(Rejection::Step { step, cause: nhi_runtime::Failure::NonFinite });
                }
                values.after.push(after);
            }
        }
        Ok(())
    }

    /// Values to be filled in, and no defects.
    fn no_values(&self) -> Values<D::State> {
        let steps = self.problem.steps;
        Values {
            cost: 0.0,
            after: Vec::with_capacity(steps),
            defects: vec![0.0; self.nx * steps],
            rows: vec![0.0; self.y.len()],
        }
    }

    /// The states that follow from inputs, and what functions are there.
    pub(super) fn roll(&self, u: &[f64]) -> Result<Rollout<D::State>, Rejection> {
        let problem = self.problem;
        let mut values = self.no_values();
        let mut states = Vec::with_capacity(problem.steps + 1);
        states.push(problem.start.clone());
        let failed = |(step, cause)| Rejection::Step { step, cause };
        problem.dynamics.motion(problem.steps, &problem.start, u, &mut states).map_err(failed)?;
        values.after.extend_from_slice(&states[1..]);
        for (k, x) in states.iter().enumerate() {
            self.functions(k, x, self.inputs(u, k), &mut values)?;
        }
        let Point { s, over, under, .. } = &self.point;
        let point =
            Point { x: states, u: u.to_vec(), s: s.clone(), over: over.clone(), under: under.clone() };
        Ok((point, values))
    }

    /// Adds the costs of a stage, and sets its rows.
    fn functions(
        &self,
        k: usize,
        x: &D::State,
        u: &[f64],
        values: &mut Values<D::State>,
    ) -> Result<(), Rejection> {
        let (problem, stage) = (self.problem, self.first_step + k);
        let finite = |what: &[String], values: &[f64]| {
            let at = values.iter().position(|x| !x.is_finite());
            match at.and_then(|at| what.get(at)) {
                Some(what) => Err(Rejection::NonFinite { what: what.clone(), stage }),
                None => Ok(()),
            }
        };
        for term in problem.costs.iter().filter(|term| term.stages.contains(&k)) {
            let mut cost = [0.0];
            term.function.value(problem.dynamics, stage, x, u, &mut cost);
            finite(&term.names, &cost)?;
            values.cost += cost[0];
        }
        let first = [self.kkt.conditions_of(k).start, self.conditions() + self.first_inequality[k]];
        for (terms, mut first) in [&problem.conditions, &problem.inequalities].into_iter().zip(first) {
            for term in terms.iter().filter(|term| term.stages.contains(&k)) {
                let rows = &mut values.rows[first..first + term.names.len()];
                term.function.value(problem.dynamics, stage, x, u, rows);
                finite(&term.names, rows)?;
                first += rows.len();
            }
        }
        Ok(())
    }

    /// First derivatives, and the Hessian of the Lagrangian with the present multipliers.
    pub(super) fn differentiate(&mut self) -> Result<(), PlanError> {
        let (problem, nx, nu) = (self.problem, self.nx, self.nu);
        let n = nx + nu;
        let m = self.conditions();
        let Scratch { chart, ignored, product, w, row, zero } = &mut self.scratch;
        for k in 0..=problem.steps {
            let (step, x) = (self.first_step + k, &self.point.x[k]);
            let u = if k < problem.steps { &self.point.u[k * nu..(k + 1) * nu] } else { &self.no_inputs };
            let own = self.kkt.conditions_of(k);
            let stage = self.kkt.stage(k);
            let gradient = &mut self.gradient[k * n..(k + 1) * n];
            let hessian = &mut self.hessian[k * n * n..(k + 1) * n * n];
            gradient.fill(0.0);
            hessian.fill(0.0);
            for term in problem.costs.iter().filter(|term| term.stages.contains(&k)) {
                let factor = [self.cost_factor];
                term.function.derivatives(problem.dynamics, step, x, u, &factor, row, hessian);
                add_multiple(gradient, 1.0, row);
            }
            self.of_costs[k * n * n..(k + 1) * n * n].copy_from_slice(hessian);
            let inequalities = self.first_inequality[k]..self.first_inequality[k + 1];
            let kinds = [
                (&problem.conditions, own.clone(), &mut *stage.conditions),
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
                    term.function.derivatives(problem.dynamics, step, x, u, y, rows, hessian);
                    (at, first) = (at + count, first + count);
                }
            }
            let rows = &self.rows[inequalities.start * n..inequalities.end * n];
            if ![&*gradient, &*stage.conditions, rows].into_iter().all(are_finite) {
                return Err(self.not_finite(k));
            }
            let redundant = stage.conditions.chunks_exact_mut(n).zip(&self.redundant[own]);
            redundant.filter(|(_, is)| **is).for_each(|(row, _)| row.fill(0.0));
            if k == problem.steps {
                if !are_finite(hessian) {
                    return Err(self.not_finite(k));
                }
                continue;
            }
            let lambda = &self.lambda[(k + 1) * nx..(k + 2) * nx];
            w.copy_from_slice(lambda);
            if !problem.dynamics.is_flat() {
                let (from, to) = (&self.point.x[k + 1], &self.values.after[k]);
                ignored.fill(0.0);
                problem.dynamics.difference_derivatives(from, to, zero, chart, ignored);
                w.fill(0.0);
                add_transposed_image(w, chart, lambda);
            }
            let w = w.iter().any(|&w| w != 0.0).then_some(&w[..]);
            problem
                .dynamics
                .differentiate(step, x, u, w, (stage.ab, hessian))
                .map_err(|cause| PlanError::Step { step, cause })?;
            if !(are_finite(stage.ab) && are_finite(hessian)) {
                return Err(self.not_finite(k));
            }
            if !problem.dynamics.is_flat() {
                product.fill(0.0);
                add_product(product, chart, stage.ab, nx, n);
                stage.ab.copy_from_slice(product);
            }
        }
        Ok(())
    }

    /// What of a stage has derivatives that are not finite: the first function for which that is so, or else its step.
    #[cold]
    fn not_finite(&self, k: usize) -> PlanError {
        let (problem, stage) = (self.problem, self.first_step + k);
        let (x, u, n) = (&self.point.x[k], self.inputs(&self.point.u, k), self.nx + self.nu);
        let is_finite = |term: &&Term<'_, D>| {
            let (w, mut rows) = (vec![1.0; term.names.len()], vec![0.0; term.names.len() * n]);
            let mut hessian = vec![0.0; n * n];
            term.function.derivatives(problem.dynamics, stage, x, u, &w, &mut rows, &mut hessian);
            are_finite(&rows) && are_finite(&hessian)
        };
        let all = problem.costs.iter().chain(&problem.conditions).chain(&problem.inequalities);
        let mut here = all.filter(|term| term.stages.contains(&k));
        match here.find(|term| !is_finite(term)) {
            Some(term) => PlanError::NonFinite { what: term.names.join(", "), stage },
            None => PlanError::Step { step: stage, cause: nhi_runtime::Failure::NonFinite },
        }
    }

    /// c − p + n of conditions and d − s − p + n of inequalities.
    pub(super) fn residuals(&self, point: &Point<D::State>, values: &Values<D::State>) -> Vec<f64> {
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

    pub(super) fn merit(&self, point: &Point<D::State>, values: &Values<D::State>) -> Merit {
        let theta = sum_of_moduli(&values.defects) + sum_of_moduli(&self.residuals(point, values));
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

    /// What E_μ (5) consists of.
    pub(super) fn optimality(&self) -> Optimality {
        let (nx, n, steps) = (self.nx, self.nx + self.nu, self.problem.steps);
        let m = self.conditions();
        let mut stationarity = 0.0_f64;
        let mut r = vec![0.0; n];
        for k in 0..=steps {
            r.copy_from_slice(&self.gradient[k * n..(k + 1) * n]);
            add_transposed_image(&mut r, self.kkt.rows_of(k), &self.y[self.kkt.conditions_of(k)]);
            let inequalities = self.first_inequality[k]..self.first_inequality[k + 1];
            let rows = &self.rows[inequalities.start * n..inequalities.end * n];
            add_transposed_image(&mut r, rows, &self.y[m + inequalities.start..m + inequalities.end]);
            if k < steps {
                add_transposed_image(&mut r, self.kkt.ab(k), &self.lambda[(k + 1) * nx..(k + 2) * nx]);
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
        let mut bounds = self.of_inputs.sum() + self.of_slacks.sum();
        let mut count = self.of_inputs.count() + self.of_slacks.count();
        let wider = |(least, largest): (f64, f64), (other_least, other_largest): (f64, f64)| {
            (least.min(other_least), largest.max(other_largest))
        };
        let mut products = self.of_inputs.complementarity(&self.point.u);
        products = wider(products, self.of_slacks.complementarity(&self.point.s));
        if let Some(price) = self.price {
            for (i, y) in self.y.iter().enumerate() {
                let over = (price - y - self.of_over.z_lower[i]).abs();
                let under = (price + y - self.of_under.z_lower[i]).abs();
                stationarity = stationarity.max(over).max(under);
            }
            products = wider(products, self.of_over.complementarity(&self.point.over));
            products = wider(products, self.of_under.complementarity(&self.point.under));
            bounds += self.of_over.sum() + self.of_under.sum();
            count += self.of_over.count() + self.of_under.count();
        }
        let residuals = self.residuals(&self.point, &self.values);
        let feasibility = norm(&self.values.defects).max(norm(&residuals));
        let scale = |sum: f64, count: usize| (sum / (count.max(1) as f64)).max(SCALE_FROM) / SCALE_FROM;
        let others = sum_of_moduli(&self.lambda) + sum_of_moduli(&self.y);
        let dual = scale(others + bounds, count + self.lambda.len() + self.y.len());
        let others = (stationarity / dual).max(feasibility);
        Optimality { others, products, scale: scale(bounds, count) }
    }
}
