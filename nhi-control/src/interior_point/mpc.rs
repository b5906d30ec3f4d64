//! Model predictive control by real-time iterations (Diehl, Bock and Schlöder, *A real-time iteration scheme for nonlinear
//! optimization in optimal feedback control*, SIAM J. Control Optim. 43, 2005): at every step of time the horizon moves on by
//! one, and its problem gets one full Newton step, of which all but what depends on the measured state is done before.
//!
//! The step is that of the quadratic programme with the exact Hessian, δx₀ = x ⊖ x₀. Without bounds it is a sweep over the
//! stages. Where that leaves the bounds, the programme is solved by the interior-point method of the planner with a barrier
//! parameter that is predicted from a step without one (Mehrotra, *On the implementation of a primal-dual interior point
//! method*, SIAM J. Optim. 2, 1992); the derivatives of the problem are the same in all its iterations.

use super::{Hessian, Options, Problem, Solver, Values};
use crate::dense::*;
use crate::{Dynamics, PlanError};
use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::vec::Vec;
#[cfg(not(feature = "std"))]
use num_traits::Float;

/// Iterations of the interior-point method, at most.
const ITERATIONS: usize = 50;
/// How far from bounds it begins, and the part of the distance to them that a step takes at most.
const PUSH: f64 = 0.1;
const TO_BOUNDARY: f64 = 0.999;
/// The mean complementarity at which it ends, relative to that at its start.
const SOLVED: f64 = 1e-10;
/// The largest residual that is left then, relative to the largest one at its start.
const FEASIBLE: f64 = 1e-8;
/// What is accepted of both where rounding leaves nothing better.
const ROUNDED: f64 = 1e-6;

/// Feedback by repeated planning: at every step of time, the first input of a plan from the measured state.
///
/// ```
/// use nhi_control::{Discrete, Mpc, Options, Problem, Quadratic};
/// use nhi_runtime::prelude::*;
/// # /// A sleigh.
/// # #[derive(Nonholonomic)]
/// # #[nonholonomic(
/// #     coordinates(theta, x, y),
/// #     inputs(push, turn),
/// #     lagrangian = j/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
/// #     constraints(blade: a*dtheta + sin(theta)*dx - cos(theta)*dy = 0),
/// #     force = push*(cos(theta)*dx + sin(theta)*dy) + turn*dtheta,
/// #     methods(Dla2 + derivatives),
/// # )]
/// # struct Sleigh { j: f64, m: f64, a: f64 }
///
/// let sleigh = Discrete::new(&Sleigh { j: 0.7, m: 1.3, a: 0.2 }, Dla2, 0.1)?;
/// let mut x = sleigh.state(0, [0.0, 0.0, 0.5], [0.0, 1.0, 0.0])?;
/// // Along the axis, with bounded inputs; where on it does not matter.
/// let line = sleigh.state(0, [0.0; 3], [0.0, 1.0, 0.0])?;
/// let problem = Problem::new(&sleigh, 20, x)
///     .cost("line", Quadratic::of_states(&[1.0, 0.0, 1.0, 0.1, 0.1], line))
///     .cost("effort", Quadratic::of_inputs(&[0.01, 0.01]))
///     .bound_inputs(&[-1.0, -1.0], &[1.0, 1.0]);
/// let mut mpc = Mpc::new(&problem, &Options::default())?;
/// for k in 0..100 {
///     let feedback = mpc.step(&x);
///     assert!(feedback.failure.is_none());
///     // A simulation here, a vehicle elsewhere.
///     x = nhi_control::Dynamics::step(&sleigh, k, &x, feedback.input).expect("a step");
/// }
/// assert!(x.q[0].abs() < 1e-3 && x.q[2].abs() < 1e-3);
/// # Ok::<(), nhi_control::PlanError>(())
/// ```
///
/// The stages of the [`Problem`] are those of the horizon, and its functions and steps have the numbers of the whole motion: at
/// time step j, what applies at stage k is called with j + k. So a cost [`Quadratic::along`](crate::Quadratic::along) a motion
/// follows it.
///
/// A condition, or a bound of states, for which there are no inputs from the measured state is a failure: what has to be
/// reached is better a cost.
///
/// Nothing is allocated after [`Mpc::new`], if steps and functions of the problem allocate nothing, as those of
/// [`Discrete`](crate::Discrete) and [`Quadratic`](crate::Quadratic) do up to 32 numbers of a state in coordinates, unless a step
/// fails.
pub struct Mpc<'p, 'a, D: Dynamics> {
    solver: Solver<'p, 'a, D>,
    prepared: Prepared,
    /// The shift of the Hessian.
    shift: f64,
    /// The state at the last failure.
    measured: Option<D::State>,
    /// The step of the plan, by stage.
    z: Vec<f64>,
    /// The derivatives of the costs, and the inputs, before it.
    gradient: Vec<f64>,
    u: Vec<f64>,
    defects: Vec<f64>,
    residuals: Vec<f64>,
}

enum Prepared {
    No,
    Yes,
    Failed(PlanError),
}

/// The input that [`Mpc`] answers to a state.
#[derive(Clone, PartialEq, Debug)]
pub struct Feedback<'m> {
    /// The input for the next step, within its bounds.
    pub input: &'m [f64],
    /// Iterations of the interior-point method, each a solution of a linear system; none if no bound is active.
    pub iterations: usize,
    /// Why there is no new plan, if there is none. The input is then that of the last one for this step, and the next one begins
    /// with the states that follow from the measured one.
    pub failure: Option<PlanError>,
}

impl<'p, 'a, D: Dynamics> Mpc<'p, 'a, D> {
    /// Solves the problem from its start, and prepares the first step.
    ///
    /// # Errors
    /// Those of [`Problem::solve`], and [`PlanError::Unsolved`] if it finds no solution.
    pub fn new(problem: &'p Problem<'a, D>, options: &Options) -> Result<Self, PlanError> {
        problem.check(options)?;
        if problem.steps == 0 {
            return Err(PlanError::Length { what: "steps of a horizon".to_owned(), expected: 1, found: 0 });
        }
        let mut solver = Solver::new(problem, &problem.guess)?;
        let start = solver.begin(options, problem.is_rolled())?;
        let end = solver.run(options)?;
        if !end.outcome.is_converged() {
            let status = Box::new(solver.plan(end, start, options).status);
            return Err(PlanError::Unsolved { status });
        }
        // Violations that were allowed on the way are zero.
        solver.price = None;
        let all = |x: &[f64]| vec![0.0; x.len()];
        let mut mpc = Mpc {
            prepared: Prepared::No,
            shift: 0.0,
            measured: None,
            z: all(&solver.kkt.solution.z),
            gradient: all(&solver.gradient),
            u: all(&solver.point.u),
            defects: all(&solver.values.defects),
            residuals: all(&solver.values.rows),
            solver,
        };
        mpc.prepare_here();
        Ok(mpc)
    }

    /// The input for the measured state `x`: [`Mpc::prepare`], unless it has been called, and [`Mpc::feedback`].
    pub fn step(&mut self, x: &D::State) -> Feedback<'_> {
        self.prepare();
        self.feedback(x)
    }

    /// Moves the horizon on by one step and computes all that does not depend on the next state; to be called while the last
    /// input is applied. Does nothing a second time.
    pub fn prepare(&mut self) {
        if matches!(self.prepared, Prepared::No) {
            self.shift_horizon();
            self.prepare_here();
        }
    }

    /// The input for the measured state `x`, after [`Mpc::prepare`].
    pub fn feedback(&mut self, x: &D::State) -> Feedback<'_> {
        let done = match core::mem::replace(&mut self.prepared, Prepared::No) {
            Prepared::Failed(cause) => Err(cause),
            _ => self.change_plan(x),
        };
        let (iterations, failure) = match done {
            Ok(iterations) => (iterations, None),
            Err(cause) => {
                self.measured = Some(x.clone());
                (0, Some(cause))
            }
        };
        Feedback { input: &self.solver.point.u[..self.solver.nu], iterations, failure }
    }

    /// The number of the next step.
    pub fn next_step(&self) -> usize {
        self.solver.first_step + usize::from(matches!(self.prepared, Prepared::No))
    }

    /// The states of the plan, the first one that of now.
    pub fn states(&self) -> &[D::State] {
        &self.solver.point.x
    }

    /// The inputs of the plan.
    pub fn inputs(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        (0..self.solver.problem.steps).map(|k| &self.solver.point.u[k * self.solver.nu..][..self.solver.nu])
    }

    /// The plan one step later, with the last input once more.
    fn shift_horizon(&mut self) {
        if let Some(x) = self.measured.take() {
            self.follow(x);
        }
        self.solver.first_step += 1;
        let Solver { problem, nx, nu, point, lambda, y, kkt, first_inequality, first_step, .. } =
            &mut self.solver;
        let (nx, nu, steps) = (*nx, *nu, problem.steps);
        point.x.rotate_left(1);
        point.u.copy_within(nu.., 0);
        lambda.copy_within(nx.., 0);
        if let Some((last, before)) = point.x.split_last_mut() {
            let u = &point.u[(steps - 1) * nu..];
            // What a step that fails is for the plan is found where the plan is evaluated.
            *last = before[steps - 1].clone();
            if let Ok(after) = problem.dynamics.step(*first_step + steps - 1, last, u) {
                *last = after;
            }
        }
        // Multipliers of what applies at both stages.
        for k in 0..steps {
            let first = |k: usize| [kkt.conditions_of(k).start, kkt.solution.nu.len() + first_inequality[k]];
            let terms = [&problem.conditions, &problem.inequalities];
            for ((terms, mut to), mut from) in terms.into_iter().zip(first(k)).zip(first(k + 1)) {
                for term in terms {
                    let [here, next] = [k, k + 1].map(|k| term.stages.contains(&k));
                    let count = term.names.len();
                    if here && next {
                        y.copy_within(from..from + count, to);
                    }
                    to += if here { count } else { 0 };
                    from += if next { count } else { 0 };
                }
            }
        }
    }

    /// The states that follow from the first one, if all steps can be taken.
    fn follow(&mut self, x: D::State) {
        let Solver { problem, nu, point, first_step, .. } = &mut self.solver;
        let mut states = vec![x];
        for (k, u) in point.u.chunks_exact((*nu).max(1)).enumerate() {
            match problem.dynamics.step(*first_step + k, &states[k], u) {
                Ok(after) => states.push(after),
                Err(_) => return,
            }
        }
        if states.len() == point.x.len() {
            point.x = states;
        }
    }

    fn prepare_here(&mut self) {
        self.prepared = match self.linearize() {
            Ok(()) => Prepared::Yes,
            Err(cause) => Prepared::Failed(cause),
        };
    }

    /// Derivatives at the plan, and the solution of its linear system but for δx₀.
    fn linearize(&mut self) -> Result<(), PlanError> {
        let s = &mut self.solver;
        let none = Values { cost: 0.0, after: Vec::new(), defects: Vec::new(), rows: Vec::new() };
        let mut values = core::mem::replace(&mut s.values, none);
        let evaluated = s.evaluate_into(&s.point, &mut values);
        s.values = values;
        evaluated?;
        s.differentiate()?;
        self.gradient.copy_from_slice(&s.gradient);
        let (nx, n) = (s.nx, s.nx + s.nu);
        for k in 0..=s.problem.steps {
            let own = s.kkt.conditions_of(k);
            let stage = s.kkt.stage(k);
            stage.hessian.copy_from_slice(&s.hessian[k * n * n..(k + 1) * n * n]);
            stage.gradient.copy_from_slice(&s.gradient[k * n..(k + 1) * n]);
            for (i, row) in own.enumerate() {
                let is_redundant = s.redundant[row];
                stage.residual[i] = if is_redundant { 0.0 } else { s.values.rows[row] };
                stage.compliance[i] = if is_redundant { 1.0 } else { 0.0 };
            }
            if k < s.problem.steps {
                stage.defect.copy_from_slice(&s.values.defects[k * nx..(k + 1) * nx]);
            } else {
                stage.gradient[nx..].fill(0.0);
            }
        }
        self.shift = s.factor(0.0, self.shift).ok_or(PlanError::NoFeedback)?;
        s.kkt.prepare::<D>();
        Ok(())
    }

    /// The plan from `x`, and the iterations of the interior-point method.
    fn change_plan(&mut self, x: &D::State) -> Result<usize, PlanError> {
        let s = &mut self.solver;
        s.problem.dynamics.difference(&s.point.x[0], x, &mut s.kkt.start);
        s.kkt.finish::<D>();
        self.z.copy_from_slice(&s.kkt.solution.z);
        self.u.copy_from_slice(&s.point.u);
        let mut iterations = 0;
        if self.is_within_bounds() {
            let s = &mut self.solver;
            s.lambda.copy_from_slice(&s.kkt.solution.lambda);
            let m = s.conditions();
            s.y[..m].copy_from_slice(&s.kkt.solution.nu);
            s.y[m..].fill(0.0);
            let (nx, n) = (s.nx, s.nx + s.nu);
            for (u, z) in s.point.u.chunks_exact_mut(s.nu.max(1)).zip(self.z.chunks_exact(n)) {
                add_multiple(u, 1.0, &z[nx..]);
            }
        } else {
            self.solver.kkt.start.fill(0.0);
            let Some(count) = self.bounded() else {
                self.solver.point.u.copy_from_slice(&self.u);
                return Err(PlanError::NoFeedback);
            };
            iterations = count;
        }
        if self.z.iter().any(|z| !z.is_finite()) {
            self.solver.point.u.copy_from_slice(&self.u);
            return Err(PlanError::NoFeedback);
        }
        let s = &mut self.solver;
        let (nx, n) = (s.nx, s.nx + s.nu);
        for (k, z) in self.z.chunks_exact(n).enumerate() {
            let moved = if k == 0 { x.clone() } else { s.problem.dynamics.retract(&s.point.x[k], &z[..nx]) };
            if k > 0 {
                s.transport(k, &moved);
            }
            s.point.x[k] = moved;
        }
        Ok(iterations)
    }

    /// Whether the step keeps within all bounds.
    fn is_within_bounds(&self) -> bool {
        let s = &self.solver;
        let (nx, nu, n) = (s.nx, s.nu, s.nx + s.nu);
        let inputs = (0..self.u.len()).all(|i| {
            let u = self.u[i] + self.z[i / nu * n + nx + i % nu];
            s.of_inputs.lower[i] <= u && u <= s.of_inputs.upper[i]
        });
        inputs
            && (0..s.point.s.len()).all(|i| {
                let d = self.inequality(i);
                s.of_slacks.lower[i] <= d && d <= s.of_slacks.upper[i]
            })
    }

    /// What an inequality bounds, after the step.
    fn inequality(&self, i: usize) -> f64 {
        let s = &self.solver;
        let n = s.nx + s.nu;
        let k = s.first_inequality.partition_point(|&first| first <= i) - 1;
        s.values.rows[s.conditions() + i] + dot(&s.rows[i * n..(i + 1) * n], &self.z[k * n..(k + 1) * n])
    }

    /// Solves the quadratic programme with bounds, from its solution without, and returns the number of iterations; none if
    /// they do not converge.
    fn bounded(&mut self) -> Option<usize> {
        let s = &mut self.solver;
        let (nx, nu, n, m) = (s.nx, s.nu, s.nx + s.nu, s.conditions());
        s.lambda.copy_from_slice(&s.kkt.solution.lambda);
        s.y[..m].copy_from_slice(&s.kkt.solution.nu);
        for (u, z) in s.point.u.chunks_exact_mut(nu.max(1)).zip(self.z.chunks_exact(n)) {
            add_multiple(u, 1.0, &z[nx..]);
        }
        s.of_inputs.push(&mut s.point.u, PUSH);
        for i in 0..self.solver.point.s.len() {
            self.solver.point.s[i] = self.inequality(i);
        }
        let s = &mut self.solver;
        s.of_slacks.push(&mut s.point.s, PUSH);
        let count = s.of_inputs.count() + s.of_slacks.count();
        // What the step changes the cost by has its unit.
        let first = self.model().max(f64::MIN_POSITIVE) / count as f64;
        let s = &mut self.solver;
        for (z, u) in self.z.chunks_exact_mut(n).zip(s.point.u.chunks_exact(nu.max(1))) {
            z[nx..].copy_from_slice(u);
        }
        for (z, u) in self.z.chunks_exact_mut(n).zip(self.u.chunks_exact(nu.max(1))) {
            add_multiple(&mut z[nx..], -1.0, u);
        }
        s.of_inputs.center(&s.point.u, first);
        s.of_slacks.center(&s.point.s, first);
        for i in 0..s.point.s.len() {
            s.y[m + i] = s.of_slacks.z_upper[i] - s.of_slacks.z_lower[i];
        }
        // The part of the residual of stationarity that is left.
        let mut left = 1.0;
        let mut largest = 0.0;
        for iteration in 0..ITERATIONS {
            let infeasibility = self.residual();
            if iteration == 0 {
                largest = infeasibility.max(norm(&self.z));
            }
            let s = &mut self.solver;
            let mean = s.complementarity(0.0) / count as f64;
            if mean <= SOLVED * first && left <= FEASIBLE && infeasibility <= FEASIBLE * largest {
                return Some(iteration);
            }
            s.mu = 0.0;
            s.assemble(Hessian::Exact);
            // By rounding the matrix may be indefinite near the end; a larger shift makes a shorter step.
            if s.factor(self.shift, 0.0).is_none() {
                let is_rounded = mean <= ROUNDED * first && left.max(infeasibility / largest) <= ROUNDED;
                return is_rounded.then_some(iteration);
            }
            s.direction(&self.defects, &self.residuals, false);
            let (x, z) = s.longest(1.0);
            let predicted = s.complementarity(x.min(z)) / count as f64;
            // Distances from bounds must not be lost in rounding.
            s.mu = (mean * (predicted / mean).powi(3)).max(0.1 * SOLVED * first);
            s.terms();
            s.direction(&self.defects, &self.residuals, false);
            let (x, z) = s.longest(TO_BOUNDARY);
            let alpha = x.min(z);
            left *= 1.0 - alpha;
            add_multiple(&mut self.z, alpha, &s.kkt.solution.z);
            s.advance(alpha);
        }
        None
    }

    /// The size of what the step changes the cost by.
    fn model(&self) -> f64 {
        let s = &self.solver;
        let n = s.nx + s.nu;
        let mut sum = 0.0;
        for (k, z) in self.z.chunks_exact(n).enumerate() {
            sum += dot(&self.gradient[k * n..(k + 1) * n], z).abs();
            let rows = s.hessian[k * n * n..(k + 1) * n * n].chunks_exact(n);
            sum += 0.5 * rows.zip(z).map(|(row, x)| x * dot(row, z)).sum::<f64>().abs();
        }
        sum
    }

    /// The derivatives of the cost and the residuals of the programme after the step so far; returns the largest residual.
    fn residual(&mut self) -> f64 {
        let s = &mut self.solver;
        let (nx, n, m) = (s.nx, s.nx + s.nu, s.conditions());
        for (k, z) in self.z.chunks_exact(n).enumerate() {
            let gradient = &mut s.gradient[k * n..(k + 1) * n];
            gradient.copy_from_slice(&self.gradient[k * n..(k + 1) * n]);
            add_image(gradient, &s.hessian[k * n * n..(k + 1) * n * n], z);
            add_multiple(gradient, self.shift, z);
            let own = s.kkt.conditions_of(k);
            let residuals = &mut self.residuals[own.clone()];
            residuals.copy_from_slice(&s.values.rows[own.clone()]);
            add_image(residuals, s.kkt.rows_of(k), z);
            let redundant = residuals.iter_mut().zip(&s.redundant[own]);
            redundant.filter(|(_, is)| **is).for_each(|(row, _)| *row = 0.0);
            if let Some(defect) = self.defects.get_mut(k * nx..(k + 1) * nx) {
                defect.copy_from_slice(&s.values.defects[k * nx..(k + 1) * nx]);
                add_image(defect, s.kkt.ab(k), z);
                add_multiple(defect, -1.0, &self.z[(k + 1) * n..(k + 1) * n + nx]);
            }
        }
        for i in 0..self.solver.point.s.len() {
            self.residuals[m + i] = self.inequality(i) - self.solver.point.s[i];
        }
        norm(&self.defects).max(norm(&self.residuals))
    }
}

impl<D: Dynamics> Solver<'_, '_, D> {
    /// Σ z (x − bound) after the part `alpha` of the step.
    fn complementarity(&self, alpha: f64) -> f64 {
        self.of_inputs.products(&self.point.u, &self.du, self.mu, alpha)
            + self.of_slacks.products(&self.point.s, &self.ds, self.mu, alpha)
    }

    /// Moves inputs, slacks and all multipliers by the part `alpha` of their steps.
    fn advance(&mut self, alpha: f64) {
        self.of_inputs.step(&mut self.point.u, &self.du, self.mu, alpha);
        self.of_slacks.step(&mut self.point.s, &self.ds, self.mu, alpha);
        let toward = |x: &mut f64, to: f64| *x += alpha * (to - *x);
        self.y.iter_mut().zip(&self.y_next).for_each(|(y, &to)| toward(y, to));
        self.lambda.iter_mut().zip(&self.kkt.solution.lambda).for_each(|(x, &to)| toward(x, to));
    }
}
