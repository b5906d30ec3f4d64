//! Problems for solvers from outside.

use super::Solver;
use crate::dense::add_multiple;
use crate::{Dynamics, PlanError, Problem};
use alloc::borrow::ToOwned;
use alloc::vec::Vec;

/// A problem of coordinates as a nonlinear programme,
///
/// ```text
/// minimise f(z)  subject to  lower ≤ z ≤ upper,  lower ≤ c(z) ≤ upper,
/// ```
///
/// with exact first and second derivatives, whose non-zeros are lists of rows, columns and numbers in the same order. The variables
/// z are u₀, x₁, u₁, …, x_N, where states are differences x ⊖ x̂ from those of [`Nlp::state`] at zero. The constraints are
/// F(xₖ, uₖ) ⊖ xₖ₊₁ = 0 of all steps, then the conditions and then the inequalities, stage after stage.
///
/// Functions of z fail as steps do, and where the number of variables is wrong; a solver from outside takes that for a number that
/// is not finite.
pub struct Nlp<'p, 'a, D: Dynamics> {
    solver: Solver<'p, 'a, D>,
    origin: Vec<D::State>,
    start: Vec<f64>,
}

impl<'p, 'a, D: Dynamics> Nlp<'p, 'a, D> {
    pub(crate) fn new(problem: &'p Problem<'a, D>) -> Result<Self, PlanError> {
        if !problem.dynamics.is_flat() {
            return Err(PlanError::Group);
        }
        let mut solver = Solver::new(problem, &problem.guess)?;
        if solver.point.x.len() == 1 {
            (solver.point, solver.values) = solver.roll(&solver.point.u)?;
        }
        let (nx, nu, steps) = (solver.nx, solver.nu, problem.steps);
        let mut start = vec![0.0; steps * (nx + nu)];
        for (to, u) in start.chunks_exact_mut((nx + nu).max(1)).zip(solver.point.u.chunks_exact(nu.max(1))) {
            to[..nu].copy_from_slice(u);
        }
        Ok(Nlp { origin: solver.point.x.clone(), solver, start })
    }

    /// The variables of the start guess of the problem.
    pub fn start(&self) -> &[f64] {
        &self.start
    }

    /// Lower and upper bounds of the variables.
    pub fn variable_bounds(&self) -> [Vec<f64>; 2] {
        let s = &self.solver;
        let (nx, nu) = (s.nx, s.nu);
        [(&s.of_inputs.lower, f64::NEG_INFINITY), (&s.of_inputs.upper, f64::INFINITY)].map(
            |(of_inputs, none)| {
                let stages = of_inputs.chunks_exact(nu.max(1));
                let with_state =
                    |u: &[f64]| u.iter().copied().chain(core::iter::repeat_n(none, nx)).collect::<Vec<_>>();
                if nu == 0 { vec![none; self.start.len()] } else { stages.flat_map(with_state).collect() }
            },
        )
    }

    /// Lower and upper bounds of the constraints.
    pub fn constraint_bounds(&self) -> [Vec<f64>; 2] {
        let s = &self.solver;
        let equations = s.nx * s.problem.steps + s.conditions();
        [&s.of_slacks.lower, &s.of_slacks.upper].map(|of_inequalities| {
            let mut all = vec![0.0; equations];
            all.extend_from_slice(of_inequalities);
            all
        })
    }

    /// The state of stage `k`.
    pub fn state(&self, z: &[f64], k: usize) -> D::State {
        match self.place(k, 0) {
            Some(at) => self.solver.problem.dynamics.retract(&self.origin[k], &z[at..at + self.solver.nx]),
            None => self.origin[0].clone(),
        }
    }

    /// f(z).
    ///
    /// # Errors
    /// A step that cannot be taken, or a number that is not finite.
    pub fn objective(&mut self, z: &[f64]) -> Result<f64, PlanError> {
        self.move_to(z)?;
        Ok(self.solver.evaluate(&self.solver.point)?.cost)
    }

    /// c(z).
    ///
    /// # Errors
    /// As [`Nlp::objective`].
    pub fn constraints(&mut self, z: &[f64]) -> Result<Vec<f64>, PlanError> {
        self.move_to(z)?;
        let values = self.solver.evaluate(&self.solver.point)?;
        Ok([values.defects, values.rows].concat())
    }

    /// The derivatives of f.
    ///
    /// # Errors
    /// As [`Nlp::objective`].
    pub fn gradient(&mut self, z: &[f64]) -> Result<Vec<f64>, PlanError> {
        self.differentiate(z, 1.0, None)?;
        let mut gradient = vec![0.0; self.start.len()];
        let n = self.solver.nx + self.solver.nu;
        for (place, x) in self.solver.gradient.iter().enumerate() {
            self.place(place / n, place % n).into_iter().for_each(|at| gradient[at] = *x);
        }
        Ok(gradient)
    }

    /// The derivatives of c: rows, columns and numbers, at the same places for all z.
    ///
    /// # Errors
    /// As [`Nlp::objective`].
    pub fn jacobian(&mut self, z: &[f64]) -> Result<Vec<(usize, usize, f64)>, PlanError> {
        self.differentiate(z, 1.0, None)?;
        let s = &self.solver;
        let (nx, n, steps, m) = (s.nx, s.nx + s.nu, s.problem.steps, s.conditions());
        let mut all = Vec::new();
        let mut add = |first: usize, k: usize, rows: &[f64]| {
            for (i, row) in rows.chunks_exact(n).enumerate() {
                let places = row.iter().enumerate().filter_map(|(j, x)| Some((self.place(k, j)?, *x)));
                all.extend(places.map(|(at, x)| (first + i, at, x)));
            }
        };
        for k in 0..=steps {
            if k < steps {
                add(k * nx, k, s.kkt.ab(k));
            }
            add(nx * steps + s.kkt.conditions_of(k).start, k, s.kkt.rows_of(k));
            let own = s.first_inequality[k]..s.first_inequality[k + 1];
            add(nx * steps + m + own.start, k, &s.rows[own.start * n..own.end * n]);
        }
        for k in 0..steps {
            let next = (0..nx).filter_map(|i| Some((k * nx + i, self.place(k + 1, i)?, -1.0)));
            all.extend(next);
        }
        Ok(all)
    }

    /// The second derivatives of `factor` f + Σ `multipliers`ᵢ cᵢ: rows, columns and numbers of the lower triangle, at the same
    /// places for all z.
    ///
    /// # Errors
    /// As [`Nlp::objective`].
    pub fn hessian(
        &mut self,
        z: &[f64],
        factor: f64,
        multipliers: &[f64],
    ) -> Result<Vec<(usize, usize, f64)>, PlanError> {
        self.differentiate(z, factor, Some(multipliers))?;
        let n = self.solver.nx + self.solver.nu;
        let mut all = Vec::new();
        for (k, matrix) in self.solver.hessian.chunks_exact(n * n).enumerate() {
            for (place, x) in matrix.iter().enumerate().filter(|(place, _)| place % n <= place / n) {
                let both = self.place(k, place / n).zip(self.place(k, place % n));
                all.extend(both.map(|(row, column)| (row.max(column), row.min(column), *x)));
            }
        }
        Ok(all)
    }

    /// Where the entry `i` of (δx, u) of stage `k` is among the variables.
    fn place(&self, k: usize, i: usize) -> Option<usize> {
        let n = self.solver.nx + self.solver.nu;
        (k * n + i).checked_sub(self.solver.nx).filter(|&at| at < self.start.len())
    }

    fn move_to(&mut self, z: &[f64]) -> Result<(), PlanError> {
        if z.len() != self.start.len() {
            let (expected, found) = (self.start.len(), z.len());
            return Err(PlanError::Length { what: "variables".to_owned(), expected, found });
        }
        for k in 1..=self.solver.problem.steps {
            self.solver.point.x[k] = self.state(z, k);
        }
        let (nx, nu) = (self.solver.nx, self.solver.nu);
        for (u, from) in self.solver.point.u.chunks_exact_mut(nu.max(1)).zip(z.chunks_exact((nx + nu).max(1)))
        {
            u.copy_from_slice(&from[..nu]);
        }
        Ok(())
    }

    fn differentiate(
        &mut self,
        z: &[f64],
        factor: f64,
        multipliers: Option<&[f64]>,
    ) -> Result<(), PlanError> {
        self.move_to(z)?;
        let s = &mut self.solver;
        let steps = s.nx * s.problem.steps;
        s.cost_factor = factor;
        s.lambda.fill(0.0);
        s.y.fill(0.0);
        if let Some(multipliers) = multipliers {
            let (expected, found) = (steps + s.y.len(), multipliers.len());
            if found != expected {
                return Err(PlanError::Length { what: "multipliers".to_owned(), expected, found });
            }
            add_multiple(&mut s.lambda[s.nx..], 1.0, &multipliers[..steps]);
            add_multiple(&mut s.y, 1.0, &multipliers[steps..]);
        }
        s.differentiate()
    }
}
