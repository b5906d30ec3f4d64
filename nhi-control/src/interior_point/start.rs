//! The start guess.

use super::{PUSH, Rejection, Solver, Values};
use crate::dense::*;
use crate::kkt::Inertia;
use crate::problem::Options;
use crate::waves::waves;
use crate::{Dynamics, PlanError, bracket};
use alloc::vec::Vec;
#[cfg(not(feature = "std"))]
use num_traits::Float;

/// Multipliers of the start guess beyond this are replaced by zero.
const LARGEST_MULTIPLIER: f64 = 1e3;
/// Corrections of a moved start guess, and halvings of each.
const SHOTS: usize = 8;
/// Corrections of states that do not follow from inputs, at most, the weight in them of states, relative to that of inputs in the
/// costs, and the distance from their bounds that inputs and slacks keep, as [`PUSH`]: near bounds the first steps would be short.
const APPROACHES: usize = 2;
const NEARNESS: f64 = 1e2;
const KEPT: f64 = 0.2;
const SHORTER: usize = 4;
/// Parts of a guess of inputs that are tried where a step with all of them cannot be taken, halves of one another.
const PARTS: i32 = 10;
/// Sizes of the waves of variations: none suits all problems.
const SPREAD: [f64; 3] = [0.5, 1.0, 2.0];
/// The part of the first residual to which corrections have to lead where inputs should change what they do not at rest.
const MET: f64 = 0.1;
/// The part of the first residual at which corrections end.
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
    /// Values and multipliers of the start guess, whose states follow from inputs if it `is_rolled`, after it is moved where conditions
    /// cannot be met to first order. Leaves out
    /// conditions that no inputs change and that are satisfied: they follow from the others, as of velocities where a momentum is
    /// conserved.
    pub(super) fn begin(&mut self, options: &Options, mut is_rolled: bool) -> Result<Start, PlanError> {
        self.mu = if self.has_bounds() { options.barrier } else { 0.0 };
        let mut distance = PUSH;
        if !is_rolled {
            match self.evaluate(&self.point) {
                Ok(values) => self.values = values,
                // States from which a step cannot be taken say nothing.
                Err(Rejection::Step { .. }) => is_rolled = true,
                Err(rejected) => return Err(rejected.into()),
            }
        }
        if is_rolled {
            self.roll_shortened()?;
        } else {
            for _ in 0..APPROACHES {
                if !self.approach()? {
                    break;
                }
                distance = KEPT;
            }
        }
        let mut dependent = self.prepare(distance)?;
        let asked = norm(&self.values.rows[..self.conditions()]);
        let mut begun = Start::default();
        let least = options.tolerance.sqrt() * (1.0 + norm(&self.values.rows));
        let at_first = missed(&dependent, &self.values.rows, least);
        if is_rolled && !at_first.is_empty() {
            let before = norm2(&self.values.rows[..self.conditions()]);
            begun.corrections += self.meet_others(&at_first, distance, least)?;
            let others_met = (self.point.clone(), self.values.clone());
            dependent = self.prepare(distance)?;
            if missed(&dependent, &self.values.rows, least).is_empty() {
                // Along the motion that meets the other conditions, inputs change these, too.
                begun.corrections += self.shots(distance, &mut dependent)?;
            }
            if norm2(&self.values.rows[..self.conditions()]) > MET * before {
                // Not at all, or only by inputs that are much too large.
                (self.point, self.values) = others_met;
                if let Some(pair) = self.move_along_bracket(&at_first) {
                    begun.bracket = Some(pair);
                    dependent = self.prepare(distance)?;
                    begun.corrections += self.shots(distance, &mut dependent)?;
                } else {
                    dependent = self.prepare(distance)?;
                }
            }
        }
        if self.problem.variation > 0 && self.vary(asked) {
            dependent = self.prepare(distance)?;
            begun.corrections += self.shots(distance, &mut dependent)?;
        }
        if mark_redundant(dependent, &self.values.rows, &mut self.redundant) {
            self.factor_identity();
        }
        self.estimate_multipliers();
        Ok(begun)
    }

    /// Corrections of a start guess that meet all conditions but the combinations `others`, which no inputs change, until these
    /// change with them; how many there were.
    fn meet_others(&mut self, others: &[Vec<f64>], distance: f64, least: f64) -> Result<usize, PlanError> {
        let enough = ENOUGH * norm2(&self.values.rows[..self.conditions()]);
        let mut shots = 0;
        while shots < SHOTS && self.shoot(others, enough) {
            shots += 1;
            let dependent = self.prepare(distance)?;
            if missed(&dependent, &self.values.rows, least).is_empty() {
                break;
            }
        }
        Ok(shots)
    }

    /// Adds waves to two inputs that move the combinations `missed` of conditions along their Lie bracket. Returns the pair, if there
    /// is one that does.
    fn move_along_bracket(&mut self, missed: &[Vec<f64>]) -> Option<(usize, usize)> {
        let residuals = |u: &[f64]| self.roll(u).ok().map(|(_, values)| self.missing(values.rows));
        let motion = (&self.point.x[..], &self.point.u[..]);
        let here = self.missing(self.values.rows.clone());
        let found = bracket::find(self.problem, motion, missed, here, &residuals)?;
        let mut u = found.inputs;
        self.of_inputs.push(&mut u, PUSH);
        (self.point, self.values) = self.roll(&u).ok()?;
        Some(found.pair)
    }

    /// Corrections of a start guess whose linear system is factored; how many there were.
    fn shots(&mut self, distance: f64, dependent: &mut Vec<Vec<f64>>) -> Result<usize, PlanError> {
        let enough = ENOUGH * norm2(&self.values.rows[..self.conditions()]);
        let mut shots = 0;
        while shots < SHOTS && self.shoot(&[], enough) {
            *dependent = self.prepare(distance)?;
            shots += 1;
        }
        Ok(shots)
    }

    /// Adds random waves to the inputs, which displace the motion by about as much as is `asked` for. Returns whether the motion, or
    /// that with a part of the waves, can be simulated.
    fn vary(&mut self, asked: f64) -> bool {
        let seed = self.problem.variation;
        let size = asked.max(bracket::PROBE) / bracket::PROBE * SPREAD[(seed % 3) as usize];
        let amplitudes = bracket::amplitudes(self.problem, (&self.point.x, &self.point.u));
        let sizes: Vec<f64> = amplitudes.iter().map(|amplitude| size * amplitude).collect();
        let waves = waves(seed, &sizes, self.problem.steps).concat();
        (0..PARTS).any(|i| {
            let mut u = self.point.u.clone();
            add_multiple(&mut u, 0.5_f64.powi(i), &waves);
            self.of_inputs.push(&mut u, PUSH);
            self.roll(&u).map(|rolled| (self.point, self.values) = rolled).is_ok()
        })
    }

    /// The motion of the guess of inputs, or of a part of them where its steps cannot be taken.
    fn roll_shortened(&mut self) -> Result<(), PlanError> {
        let whole = self.point.u.clone();
        let parts = (0..PARTS).map(|i| 0.5_f64.powi(i)).chain([0.0]);
        let mut rejected = None;
        for part in parts {
            let mut u: Vec<f64> = whole.iter().map(|u| part * u).collect();
            self.of_inputs.push(&mut u, PUSH);
            match self.roll(&u) {
                Ok(rolled) => {
                    (self.point, self.values) = rolled;
                    return Ok(());
                }
                Err(error) => rejected = Some(error),
            }
        }
        rejected.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Moves a start guess whose states do not follow from its inputs towards the nearest motion that does, and that meets the
    /// conditions, regardless of inequalities and of bounds of states, whose barriers would only shorten the steps. Near is what the
    /// costs hardly tell apart. Returns whether that has made what is missing smaller, which it does not for a plan with inputs at
    /// their bounds.
    fn approach(&mut self) -> Result<bool, PlanError> {
        let (m, nx, nu, n) = (self.conditions(), self.nx, self.nu, self.nx + self.nu);
        let missing = |values: &Values<D::State>| norm2(&values.defects).hypot(norm2(&values.rows[..m]));
        let before = missing(&self.values);
        if before == 0.0 {
            return Ok(false);
        }
        self.differentiate()?;
        self.scale = self.hessian_scale();
        for k in 0..=self.problem.steps {
            let own = self.kkt.conditions_of(k);
            let stage = self.kkt.stage(k);
            stage.hessian.copy_from_slice(&self.of_costs[k * n * n..(k + 1) * n * n]);
            let diagonal = stage.hessian.iter_mut().step_by(n + 1);
            diagonal.take(nx).for_each(|entry| *entry += NEARNESS * self.scale);
            stage.gradient.fill(0.0);
            stage.residual.copy_from_slice(&self.values.rows[own]);
            stage.compliance.fill(0.0);
            if k < self.problem.steps {
                stage.defect.copy_from_slice(&self.values.defects[k * nx..(k + 1) * nx]);
            }
        }
        if self.kkt.factor::<D>(0.0) == Inertia::Wrong {
            return Ok(false);
        }
        self.kkt.solve::<D>(false);
        for (k, du) in self.du.chunks_exact_mut(nu.max(1)).enumerate() {
            du.copy_from_slice(&self.kkt.solution.z[(k + 1) * n - nu..(k + 1) * n]);
        }
        let mut alpha = 1.0;
        for _ in 0..SHORTER {
            let mut point = self.moved(alpha);
            self.of_inputs.push(&mut point.u, KEPT);
            if let Ok(values) = self.evaluate(&point)
                && missing(&values) < (1.0 - 0.5 * alpha) * before
            {
                (self.point, self.values) = (point, values);
                return Ok(true);
            }
            alpha *= 0.5;
        }
        Ok(false)
    }

    /// Moves the inputs by the least change that meets the conditions to first order, or by a part of it that makes them better,
    /// with the states that follow, where [`Solver::prepare`] has factored the linear system. Returns whether it has; not where
    /// the conditions are met to `enough`. Combinations in the orthonormal basis `missed`, which no inputs change, do not count.
    fn shoot(&mut self, missed: &[Vec<f64>], enough: f64) -> bool {
        let (m, nu, n) = (self.conditions(), self.nu, self.nx + self.nu);
        let size = |rows: &[f64]| {
            let mut rows = rows[..m].to_vec();
            subtract_projections(&mut rows, missed.iter().map(Vec::as_slice));
            norm2(&rows)
        };
        let before = size(&self.values.rows);
        if before <= enough {
            return false;
        }
        for k in 0..=self.problem.steps {
            let own = self.kkt.conditions_of(k);
            let stage = self.kkt.stage(k);
            stage.gradient.fill(0.0);
            stage.residual.copy_from_slice(&self.values.rows[own]);
        }
        self.kkt.solve::<D>(false);
        let mut alpha = 1.0;
        for _ in 0..SHORTER {
            let mut u = self.point.u.clone();
            for (k, u) in u.chunks_exact_mut(nu.max(1)).enumerate() {
                add_multiple(u, alpha, &self.kkt.solution.z[(k + 1) * n - nu..(k + 1) * n]);
            }
            self.of_inputs.push(&mut u, PUSH);
            if let Ok((point, values)) = self.roll(&u)
                && size(&values.rows) < (1.0 - 0.5 * alpha) * before
            {
                (self.point, self.values) = (point, values);
                return true;
            }
            alpha *= 0.5;
        }
        false
    }

    /// Slacks of the present point at this `distance` from their bounds, derivatives without multipliers, and the factors of
    /// [`Solver::factor_identity`].
    fn prepare(&mut self, distance: f64) -> Result<Vec<Vec<f64>>, PlanError> {
        self.lambda.fill(0.0);
        self.y.fill(0.0);
        let m = self.conditions();
        self.point.s.copy_from_slice(&self.values.rows[m..]);
        self.of_slacks.push(&mut self.point.s, distance);
        self.of_inputs.center(&self.point.u, self.mu);
        self.of_slacks.center(&self.point.s, self.mu);
        self.differentiate()?;
        self.scale = self.hessian_scale();
        Ok(self.factor_identity())
    }

    /// Factors the linear system with the identity as Hessian, without redundant conditions. Returns combinations of conditions that
    /// no inputs change.
    pub(super) fn factor_identity(&mut self) -> Vec<Vec<f64>> {
        let n = self.nx + self.nu;
        for k in 0..=self.problem.steps {
            let own = self.kkt.conditions_of(k);
            let stage = self.kkt.stage(k);
            set_identity(stage.hessian, n);
            stage.defect.fill(0.0);
            let rows = stage.conditions.chunks_exact_mut(n);
            for ((row, compliance), &is) in rows.zip(stage.compliance).zip(&self.redundant[own]) {
                *compliance = if is { 1.0 } else { 0.0 };
                if is {
                    row.fill(0.0);
                }
            }
        }
        match self.kkt.factor::<D>(0.0) {
            Inertia::Right(dependent) => dependent,
            Inertia::Wrong => Vec::new(),
        }
    }

    /// Least-squares multipliers (36), with the factors of [`Solver::prepare`].
    fn estimate_multipliers(&mut self) {
        let (m, nx, n) = (self.conditions(), self.nx, self.nx + self.nu);
        for i in 0..self.point.s.len() {
            self.y[m + i] = self.of_slacks.z_upper[i] - self.of_slacks.z_lower[i];
        }
        for k in 0..=self.problem.steps {
            let stage = self.kkt.stage(k);
            stage.gradient.copy_from_slice(&self.gradient[k * n..(k + 1) * n]);
            for i in self.first_inequality[k]..self.first_inequality[k + 1] {
                add_multiple(stage.gradient, self.y[m + i], &self.rows[i * n..(i + 1) * n]);
            }
            if k < self.problem.steps {
                for j in 0..self.nu {
                    let i = k * self.nu + j;
                    stage.gradient[nx + j] += self.of_inputs.z_upper[i] - self.of_inputs.z_lower[i];
                }
            }
            stage.residual.fill(0.0);
        }
        self.kkt.solve::<D>(false);
        if norm(&self.kkt.solution.nu) <= LARGEST_MULTIPLIER {
            self.lambda.copy_from_slice(&self.kkt.solution.lambda);
            self.y[..m].copy_from_slice(&self.kkt.solution.nu);
        }
    }

    /// The conditions among all rows, and the norm of what is missing to them and to inequalities.
    fn missing(&self, mut rows: Vec<f64>) -> bracket::Residuals {
        let inequalities = rows.split_off(self.conditions());
        let bounds = self.of_slacks.lower.iter().zip(&self.of_slacks.upper);
        let beyond =
            inequalities.iter().zip(bounds).map(|(d, (lower, upper))| (lower - d).max(d - upper).max(0.0));
        let missing = beyond.map(|d| d * d).sum::<f64>() + dot(&rows, &rows);
        (rows, missing.sqrt())
    }
}

/// An orthonormal basis of the combinations of conditions that no inputs change, if they differ from zero by more than `least`: what
/// waves do to them is measured by a norm that does not depend on the basis in which they were found.
fn missed(dependent: &[Vec<f64>], rows: &[f64], least: f64) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for combination in dependent {
        let mut left = combination.clone();
        // Twice, against roundings.
        subtract_projections(&mut left, basis.iter().chain(&basis).map(Vec::as_slice));
        let length = norm2(&left);
        left.iter_mut().for_each(|x| *x /= length);
        basis.push(left);
    }
    let values: Vec<f64> = basis.iter().map(|q| dot(q, rows)).collect();
    if norm2(&values) > least { basis } else { Vec::new() }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the same plane, with some of the rows in it or none.
    #[test]
    fn what_is_missed_does_not_depend_on_the_basis() {
        let plane = [vec![1.0, 0.5, 0.0, -0.2], vec![0.0, 1e-3, 1.0, 0.3]];
        let combined = |a: f64, b: f64| -> Vec<f64> {
            plane[0].iter().zip(&plane[1]).map(|(x, y)| a * x + b * y).collect()
        };
        let other = [combined(1.0, 2.0), combined(-0.3, 1.0)];
        let part = |basis: &[Vec<f64>], rows: &[f64]| {
            let mut sum = vec![0.0; rows.len()];
            basis.iter().for_each(|q| add_multiple(&mut sum, dot(q, rows), q));
            sum
        };
        let rows = [0.3, -0.1, 0.7, 2.0];
        let [one, two] = [&plane, &other].map(|dependent| part(&missed(dependent, &rows, 1e-9), &rows));
        assert!(one.iter().zip(&two).all(|(x, y)| (x - y).abs() < 1e-15), "{one:?}, {two:?}");
        let rest: Vec<f64> = rows.iter().zip(&one).map(|(row, part)| row - part).collect();
        assert!(norm(&one) > 0.1 && missed(&plane, &rest, 1e-9).is_empty(), "{rest:?}");
    }
}
