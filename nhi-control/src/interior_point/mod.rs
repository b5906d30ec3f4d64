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
//! the charts at its states, δxₖ₊₁ = F(xₖ ⊕ δxₖ, uₖ + δuₖ) ⊖ xₖ₊₁, so that covectors are transported where a state has moved.
//!
//! Where no step makes progress, violations p and n of conditions and inequalities are allowed,
//!
//! ```text
//! c − p + n = 0,   p, n ≥ 0,   with the cost ρ Σ (p + n)
//! ```
//!
//! as in the elastic mode of Gill, Murray and Saunders (*SNOPT*, SIAM Rev. 47, 2005): a solution without violations solves
//! the problem, and one with them, for large ρ, is a local minimum of the sum of violations. It replaces the restoration phase.
//! In the recursion it is a compliance.

mod bounds;
mod dependent;
mod evaluation;
mod mpc;
mod newton;
mod nlp;
mod start;
mod violations;

use crate::dense::*;
use crate::filter::Filter;
use crate::held::Held;
use crate::kkt::{Inertia, Kkt};
use crate::plan::{Outcome, Plan, Status};
use crate::problem::{Guess, Options, Problem, Term};
use crate::{Dynamics, PlanError};
use alloc::string::String;
use alloc::vec::Vec;
use bounds::Bounds;
use evaluation::Optimality;
pub use mpc::{Feedback, Mpc};
use nalgebra::DMatrix;
use newton::{FIRST_SHIFT, Hessian};
pub use nlp::Nlp;
#[cfg(not(feature = "std"))]
use num_traits::Float;
use start::Start;

/// κ_ε, κ_μ, θ_μ (7, 8).
const BARRIER_SOLVED: f64 = 10.0;
const BARRIER_FACTOR: f64 = 0.2;
const BARRIER_POWER: f64 = 1.5;
/// κ₁ = κ₂, for the start guess.
const PUSH: f64 = 1e-2;
/// The residual of the first-order conditions below which solutions of the linear system are refined.
const REFINED_BELOW: f64 = 1e-2;
/// Steps with larger shifts that are tried where none makes progress.
const RETRIES: usize = 3;
/// The shift of the Hessian that is tried first after a step with one, relative to that: where the least shift that will do is much
/// smaller, the Hessian is nearly singular, and its step too long.
const KEPT_SHIFT: f64 = 0.3;
/// Steps of which a smaller part than this is taken go far beyond where the derivatives say something, along directions in which
/// the Hessian says little; the next one is damped by a shift of the Hessian. It is less damped after a step of which more than
/// the other number is taken.
const SHORT: f64 = 0.1;
const LONG: f64 = 0.4;
/// Shifts that damp, relative to the Hessian of the costs.
const FIRST_DAMPING: f64 = 1e-2;
const LARGEST_DAMPING: f64 = 1e2;
/// The residual, relative to ρ, at which a solution with violations is accepted where rounding leaves no better one.
const ROUNDED: f64 = 1e-6;
/// The largest cost ρ of violations to begin with, relative to ten.
const LARGEST_FIRST_PRICE: f64 = 1e2;

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

/// Where derivatives of a stage are computed.
struct Scratch {
    /// NX × NX.
    chart: Vec<f64>,
    ignored: Vec<f64>,
    /// NX × (NX + K).
    product: Vec<f64>,
    /// NX.
    w: Vec<f64>,
    /// NX + K.
    row: Vec<f64>,
    /// NX zeros.
    zero: Vec<f64>,
}

impl Scratch {
    fn new(nx: usize, nu: usize) -> Self {
        let zeros = |length: usize| vec![0.0; length];
        Scratch {
            chart: zeros(nx * nx),
            ignored: zeros(nx * nx),
            product: zeros(nx * (nx + nu)),
            w: zeros(nx),
            row: zeros(nx + nu),
            zero: zeros(nx),
        }
    }
}

/// A point that is accepted, at the part `alpha` of a step.
struct Trial<X> {
    point: Point<X>,
    values: Values<X>,
    alpha: f64,
}

/// Why a trial is rejected.
enum Rejection {
    Step { step: usize, cause: nhi_runtime::Failure },
    NonFinite { what: String, stage: usize },
}

impl From<Rejection> for PlanError {
    fn from(rejected: Rejection) -> Self {
        match rejected {
            Rejection::Step { step, cause } => PlanError::Step { step, cause },
            Rejection::NonFinite { what, stage } => PlanError::NonFinite { what, stage },
        }
    }
}

pub(crate) struct Solver<'p, 'a, D: Dynamics> {
    problem: &'p Problem<'a, D>,
    nx: usize,
    nu: usize,
    pub(crate) kkt: Kkt,
    /// The number of the first step.
    first_step: usize,
    no_inputs: Vec<f64>,
    /// The factor of the costs in the Lagrangian.
    cost_factor: f64,
    scratch: Scratch,
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
    /// Those of the costs alone.
    of_costs: Vec<f64>,
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
    /// The parts of the steps of unknowns and of multipliers of bounds that remain within bounds.
    reach: (f64, f64),
    /// The largest part of the next step: smaller than what led to where it could not be differentiated.
    most: f64,
    /// The step that cannot be taken in the last trial of the last search of which this is so, and why.
    refused: Option<(usize, nhi_runtime::Failure)>,
}

pub(crate) fn solve<D: Dynamics>(
    problem: &Problem<'_, D>,
    options: &Options,
) -> Result<Plan<D::State>, PlanError> {
    let begun = Begun::new(problem, options)?;
    if let Begun::At(_, Start { bracket: Some(_), .. }) = begun
        && let Some(plan) = solve_from_held(problem, options)
    {
        return Ok(plan);
    }
    begun.solve(options)
}

/// The solution near that of the problem whose inputs are held over several steps, for one of many steps without a guess.
fn solve_from_held<D: Dynamics>(problem: &Problem<'_, D>, options: &Options) -> Option<Plan<D::State>> {
    let is_guessed = !matches!(&problem.guess, Guess::Inputs(inputs) if inputs.is_empty());
    if is_guessed || problem.variation > 0 {
        return None;
    }
    let held = Held::of(problem)?;
    let first = Begun::new(&held.problem(problem), options).and_then(|begun| begun.solve(options)).ok()?;
    if !first.status.is_converged() {
        return None;
    }
    let mut solver = Solver::new(problem, &held.guess(&problem.start, &first.inputs)?).ok()?;
    let start = solver.begin(options, false).ok()?;
    let mut plan = Begun::At(solver, start).solve(options).ok()?;
    if !plan.status.is_converged() {
        return None;
    }
    let Status { iterations, bracket, corrections, mut history, .. } = first.status;
    history.truncate(iterations);
    history.append(&mut plan.status.history);
    plan.status.iterations += iterations;
    plan.status.corrections += corrections;
    plan.status = Status { bracket, history, ..plan.status };
    Some(plan)
}

/// A solver at the start guess, or where there is none: a simulation refuses a step of all that were tried.
enum Begun<'p, 'a, D: Dynamics> {
    At(Solver<'p, 'a, D>, Start),
    Nowhere(Solver<'p, 'a, D>, Outcome),
}

impl<'p, 'a, D: Dynamics> Begun<'p, 'a, D> {
    fn new(problem: &'p Problem<'a, D>, options: &Options) -> Result<Self, PlanError> {
        let mut solver = Solver::new(problem, &problem.guess)?;
        match solver.begin(options, problem.is_rolled()) {
            Ok(start) => Ok(Begun::At(solver, start)),
            Err(PlanError::Step { step, cause }) => {
                Ok(Begun::Nowhere(solver, Outcome::Refused { step, cause }))
            }
            Err(error) => Err(error),
        }
    }

    fn solve(self, options: &Options) -> Result<Plan<D::State>, PlanError> {
        let (mut solver, start) = match self {
            Begun::At(solver, start) => (solver, start),
            Begun::Nowhere(solver, outcome) => return Ok(solver.nowhere(outcome)),
        };
        let mut end = solver.run(options)?;
        if end.outcome.is_converged()
            && let Err((step, cause)) = solver.simulated()
        {
            end.outcome = Outcome::Refused { step, cause };
        }
        Ok(solver.plan(end, start, options))
    }
}

/// Σ ℓₖ + Σ λₖ₊₁·(F(xₖ, uₖ) ⊖ xₖ₊₁) + Σ νᵢcᵢ of a problem, from its start, with states, inputs and multipliers of the plan of
/// another one that differs by some numbers.
pub(crate) fn lagrangian<D: Dynamics>(
    problem: &Problem<'_, D>,
    plan: &Plan<D::State>,
) -> Result<f64, PlanError> {
    let mut solver = Solver::new(problem, &Guess::Motion(plan.states[1..].to_vec(), plan.inputs.clone()))?;
    // Also at bounds.
    solver.point.u = plan.inputs.concat();
    let values = solver.evaluate(&solver.point)?;
    let multipliers: Vec<f64> = plan.multipliers.iter().map(|(_, y)| *y).collect();
    Ok(values.cost + dot(&plan.costates.concat(), &values.defects) + dot(&multipliers, &values.rows))
}

/// Where a step began that is taken back if what follows cannot be differentiated.
struct Kept<X> {
    point: Point<X>,
    values: Values<X>,
    lambda: Vec<f64>,
    y: Vec<f64>,
    /// Of inputs, slacks and violations.
    bounds: [Bounds; 4],
    /// The part of the step that was taken.
    alpha: f64,
}

/// How iterations ended.
struct End {
    outcome: Outcome,
    iterations: usize,
    /// Residuals before each of them.
    history: Vec<f64>,
}

impl<'p, 'a, D: Dynamics> Solver<'p, 'a, D> {
    /// The solver at the start guess.
    fn new(problem: &'p Problem<'a, D>, guess: &Guess<D::State>) -> Result<Self, PlanError> {
        let sizes = problem.dynamics.sizes();
        let (nx, nu, steps) = (sizes.states, sizes.inputs, problem.steps);
        let n = nx + nu;
        let count = |terms: &[Term<'a, D>], k: usize| -> usize {
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
        let mut u = match guess {
            Guess::Inputs(u) if u.is_empty() => vec![0.0; nu * steps],
            Guess::Inputs(u) | Guess::Motion(_, u) => u.concat(),
        };
        of_inputs.push(&mut u, PUSH);
        // Those that follow from inputs are found with the values of functions.
        let mut x = vec![problem.start.clone()];
        if let Guess::Motion(states, _) = guess {
            x.extend_from_slice(states);
        }
        let none = || Bounds::new(vec![0.0; all], vec![f64::INFINITY; all]);
        let values = Values { cost: 0.0, after: Vec::new(), defects: Vec::new(), rows: vec![0.0; all] };
        Ok(Solver {
            problem,
            nx,
            nu,
            kkt,
            first_step: 0,
            no_inputs: vec![0.0; nu],
            cost_factor: 1.0,
            scratch: Scratch::new(nx, nu),
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
            of_costs: vec![0.0; n * n * (steps + 1)],
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
            reach: (1.0, 1.0),
            most: 1.0,
            refused: None,
        })
    }

    fn conditions(&self) -> usize {
        self.kkt.solution.nu.len()
    }

    fn has_bounds(&self) -> bool {
        self.price.is_some() || self.of_inputs.count() + self.of_slacks.count() > 0
    }

    fn run(&mut self, options: &Options) -> Result<End, PlanError> {
        let mut filter = Filter::new(self.merit(&self.point, &self.values).theta);
        let (mut iterations, mut history) = (0, Vec::new());
        let (mut damping, mut last_shift) = (0.0, 0.0);
        let mut before: Option<Kept<D::State>> = None;
        let outcome = loop {
            match (self.differentiate(), before.take()) {
                (Ok(()), _) => {}
                (Err(_), Some(before)) => {
                    self.take_back(before);
                    history.pop();
                    continue;
                }
                (Err(PlanError::Step { step, cause }), None) => break Outcome::Refused { step, cause },
                (Err(error), None) => return Err(error),
            }
            let optimality = self.optimality();
            let error = optimality.error(0.0);
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
                self.tighten(&optimality, options, &mut filter);
            }
            self.assemble(Hessian::Exact);
            // It vanishes with the residual: the last steps are Newton's.
            let kept = (KEPT_SHIFT * last_shift).min(error * self.scale);
            let kept = if kept > FIRST_SHIFT * self.scale { kept } else { 0.0 };
            let mut shift = kept.max(damping * self.scale);
            let mut found = None;
            for _ in 0..=RETRIES {
                let Some(used) = self.factor_step(shift, last_shift) else { break };
                let (defects, residuals) =
                    (self.values.defects.clone(), self.residuals(&self.point, &self.values));
                self.direction(&defects, &residuals, error < REFINED_BELOW);
                found = self.search(&mut filter);
                shift = used;
                if found.is_some() {
                    break;
                }
                shift = (100.0 * shift).max(FIRST_SHIFT * self.scale);
            }
            if let Some(trial) = found {
                damping = damped(damping, trial.alpha / self.reach.0);
                self.most = 1.0;
                before = Some(self.accept(trial));
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
                self.most = 1.0;
            }
        };
        Ok(End { outcome, iterations, history })
    }

    /// Decreases the barrier parameter while its problem is solved (7, 8).
    fn tighten(&mut self, optimality: &Optimality, options: &Options, filter: &mut Filter) {
        while optimality.error(self.mu) <= BARRIER_SOLVED * self.mu {
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

    /// The names of conditions and inequalities, in the order of rows.
    fn names(&self) -> Vec<String> {
        let of = |terms: &[Term<'a, D>], with_stage: bool| -> Vec<String> {
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

    /// Takes a step back; the next one is at most half as long.
    fn take_back(&mut self, before: Kept<D::State>) {
        let Kept { point, values, lambda, y, bounds, alpha } = before;
        (self.point, self.values, self.lambda, self.y) = (point, values, lambda, y);
        [self.of_inputs, self.of_slacks, self.of_over, self.of_under] = bounds;
        self.most = 0.5 * alpha;
    }

    /// The steps of a simulation with the inputs.
    ///
    /// # Errors
    /// The number of one that is refused, and why.
    fn simulated(&self) -> Result<(), (usize, nhi_runtime::Failure)> {
        let problem = self.problem;
        let mut states = Vec::with_capacity(problem.steps);
        problem.dynamics.motion(problem.steps, &problem.start, &self.point.u, &mut states)
    }

    /// What there is where the solution cannot begin: the states up to a step that cannot be taken, of which the last one stays.
    fn nowhere(self, outcome: Outcome) -> Plan<D::State> {
        let (problem, nu) = (self.problem, self.nu);
        let mut states = vec![problem.start.clone()];
        // The status says which step fails.
        problem.dynamics.motion(problem.steps, &problem.start, &self.point.u, &mut states).ok();
        states.resize(problem.steps + 1, states[states.len() - 1].clone());
        let status = Status {
            outcome,
            iterations: 0,
            kkt: f64::NAN,
            infeasibility: f64::NAN,
            defect: f64::NAN,
            is_minimum: false,
            missed: Vec::new(),
            refusal: None,
            dependent: Vec::new(),
            bracket: None,
            corrections: 0,
            history: Vec::new(),
        };
        Plan {
            states,
            inputs: self.point.u.chunks(nu.max(1)).map(<[f64]>::to_vec).collect(),
            cost: f64::NAN,
            costates: vec![vec![0.0; self.nx]; problem.steps],
            multipliers: Vec::new(),
            gains: Vec::new(),
            status,
        }
    }

    fn plan(mut self, end: End, start: Start, options: &Options) -> Plan<D::State> {
        let End { outcome, iterations, history } = end;
        let kkt = self.optimality().error(0.0);
        let history: Vec<f64> = history.into_iter().chain([kkt]).collect();
        let (nx, nu, m) = (self.nx, self.nu, self.conditions());
        if self.redundant.contains(&true) {
            self.redundant.fill(false);
            // That functions are finite there is known.
            self.differentiate().ok();
        }
        self.assemble(Hessian::Exact);
        let inertia = self.kkt.factor::<D>(0.0);
        let names = self.names();
        let is_minimum = matches!(inertia, Inertia::Right(_));
        let gains = if is_minimum {
            let gain = |k: usize| DMatrix::from_row_slice(nu, nx, self.kkt.gain(k));
            (0..self.problem.steps).map(gain).collect()
        } else {
            Vec::new()
        };
        let dependent = match inertia {
            Inertia::Right(dependent) if self.price.is_none() => dependent,
            // Where violations are allowed, all conditions can be met.
            _ => self.factor_identity(),
        };
        let dependent = self.named(dependent, &names);
        let mut rows = self.values.rows.clone();
        add_multiple(&mut rows[m..], -1.0, &self.point.s);
        let defect = norm(&self.values.defects);
        let infeasibility = defect.max(norm(&rows));
        let missed = match &outcome {
            Outcome::Converged => Vec::new(),
            Outcome::CannotMeet(violated) => violated.clone(),
            _ => self.missed(&rows, options),
        };
        let refusal = match &outcome {
            Outcome::Stalled | Outcome::IterationLimit => self.refused.take(),
            _ => None,
        };
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
                defect,
                is_minimum,
                missed,
                refusal,
                dependent,
                bracket: start.bracket,
                corrections: start.corrections,
                history,
            },
        }
    }
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
