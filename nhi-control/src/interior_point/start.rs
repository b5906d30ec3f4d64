//! The start guess.

use super::{Point, Solver, Values};
use crate::dense::*;
use crate::kkt::Inertia;
use crate::problem::{Guess, Options, Problem};
use crate::{Dynamics, PlanError, bracket};

/// Multipliers of the start guess beyond this are replaced by zero.
const LARGEST_MULTIPLIER: f64 = 1e3;
/// Corrections of a moved start guess, and halvings of each.
const SHOTS: usize = 8;
const SHORTER: usize = 4;
/// The part of the first residual at which they end.
const ENOUGH: f64 = 1e-3;
/// The largest ratio of a combination of conditions to the sum of its terms at which it counts as satisfied: a conserved quantity
/// is of second order in what is missing to the conditions. Whether it is satisfied is tested again at the solution.
const SATISFIED: f64 = 0.5;

/// How the start guess was moved.
#[derive(Clone, Copy, Default)]
pub(super) struct Start {
    pub(super) bracket: Option<(usize, usize)>,
    pub(super) corrections: usize,
}

impl<D: Dynamics> Solver<'_, '_, D> {
    /// Multipliers of the start guess, after it is moved where conditions cannot be met to first order. Leaves out conditions that
    /// no inputs change and that are satisfied: they follow from the others, as of velocities where a momentum is conserved.
    pub(super) fn begin(&mut self, options: &Options) -> Result<Start, PlanError> {
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
    pub(super) fn shoot(&mut self, enough: f64) -> bool {
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
    pub(super) fn start(&mut self) -> Result<Vec<Vec<f64>>, PlanError> {
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
    pub(super) fn residuals_at(&self, x: &[D::State]) -> Option<bracket::Residuals> {
        let point = Point { x: x.to_vec(), ..self.point.clone() };
        let mut rows = self.evaluate(&point).ok()?.rows;
        let inequalities = rows.split_off(self.conditions());
        let bounds = self.of_slacks.lower.iter().zip(&self.of_slacks.upper);
        let beyond =
            inequalities.iter().zip(bounds).map(|(d, (lower, upper))| (lower - d).max(d - upper).max(0.0));
        let missing = beyond.map(|d| d * d).sum::<f64>() + dot(&rows, &rows);
        Some((rows, missing.sqrt()))
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
