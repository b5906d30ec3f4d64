//! A system in discrete time, and functions of its stages.

use super::kinematic::Kinematic;
use super::steps::{At, State, Steps};
use super::wrong;
use crate::{Error, System};
use nhi_control::{Dynamics, Function, PlanError, Sizes};
use nhi_jit::{Formulas, Manifold, Point, SecondDerivatives};
use nhi_methods::Variant;
use nhi_runtime::Failure;

/// A system in discrete time.
#[derive(Clone)]
pub(super) struct Discrete {
    pub(super) motion: Motion,
    pub(super) parameters: Vec<f64>,
    pub(super) h: f64,
}

/// How a system moves in a step.
#[derive(Clone)]
pub(super) enum Motion {
    /// By a method.
    Steps(Box<(Steps, SecondDerivatives)>),
    /// By velocities that are given.
    Kinematic(Kinematic),
}

impl Discrete {
    /// With steps of a method, or, if there is none, with admissible velocities as inputs.
    pub(super) fn new(
        system: &System,
        variant: Option<Variant>,
        parameters: Vec<f64>,
        h: f64,
    ) -> Result<Discrete, Error> {
        let motion = match variant {
            Some(variant) => {
                Motion::Steps(Box::new((Steps::new(system, variant)?, system.second_derivatives(variant)?)))
            }
            None => Motion::Kinematic(Kinematic::new(system)?),
        };
        Ok(Discrete { motion, parameters, h })
    }

    /// The steps of the method, if there is one.
    pub(super) fn steps(&self) -> Option<&Steps> {
        match &self.motion {
            Motion::Steps(motion) => Some(&motion.0),
            Motion::Kinematic(_) => None,
        }
    }

    pub(super) fn at(&self, k: usize) -> At<'_> {
        (&self.parameters, k as f64 * self.h)
    }

    /// The state with an admissible velocity before step `k`. Without steps of a method, velocities are no part of it.
    pub(super) fn state(
        &self,
        k: usize,
        q: &[f64],
        v: &[f64],
        [q_name, v_name]: [&'static str; 2],
    ) -> Result<State, Error> {
        let Some(steps) = self.steps() else { return Ok(placed(q)) };
        let x = steps.planned(self.at(k), q, v).map_err(|error| wrong(q_name, error))?;
        let none = vec![0.0; steps.sizes.inputs];
        let nearest = steps.velocity(self.at(k), &x, &none).map_err(|cause| wrong(q_name, cause))?;
        let size = v.iter().fold(1.0, |size: f64, v| size.max(v.abs()));
        let is_admissible = nearest.iter().zip(v).all(|(x, y)| (x - y).abs() <= 1e-9 * size);
        if is_admissible { Ok(x) } else { Err(wrong(v_name, steps.violated(self.at(k), q, v))) }
    }

    /// The state before step `k` with the admissible part of a velocity.
    pub(super) fn nearest(&self, k: usize, q: &[f64], v: &[f64]) -> Result<State, PlanError> {
        self.steps().map_or_else(|| Ok(placed(q)), |steps| steps.planned(self.at(k), q, v))
    }

    /// The velocity of a state before step `k`, with the inputs of that step.
    pub(super) fn velocity(&self, k: usize, x: &State, u: &[f64]) -> Result<Vec<f64>, Failure> {
        match &self.motion {
            Motion::Steps(steps) => steps.0.velocity(self.at(k), x, u),
            Motion::Kinematic(kinematic) => kinematic.velocity(self.at(k), &x.q, u),
        }
    }

    /// How many velocities there are.
    pub(super) fn velocities(&self) -> usize {
        match &self.motion {
            Motion::Steps(steps) => steps.0.velocities(),
            Motion::Kinematic(kinematic) => kinematic.sizes.states,
        }
    }

    fn manifold(&self) -> &Manifold {
        match &self.motion {
            Motion::Steps(steps) => &steps.0.manifold,
            Motion::Kinematic(kinematic) => &kinematic.manifold,
        }
    }

    /// What `f` makes of the point and the quasi-velocities at a stage. At the last one there are no inputs.
    fn point<T>(
        &self,
        k: usize,
        x: &State,
        u: &[f64],
        f: impl FnOnce(&Point<'_>, &[f64]) -> Result<T, Failure>,
    ) -> Option<T> {
        let (parameters, t) = self.at(k);
        match &self.motion {
            Motion::Steps(_) => f(&Point { parameters, q: &x.q, v: &[], z: &x.z, t, inputs: u }, &x.nu).ok(),
            Motion::Kinematic(kinematic) => f(&kinematic.point((parameters, t), &x.q), u).ok(),
        }
    }
}

/// A configuration as a state.
fn placed(q: &[f64]) -> State {
    State { q: q.to_vec(), nu: Vec::new(), z: Vec::new() }
}

impl Dynamics for Discrete {
    type State = State;

    fn sizes(&self) -> Sizes {
        match &self.motion {
            Motion::Steps(steps) => steps.0.sizes,
            Motion::Kinematic(kinematic) => kinematic.sizes,
        }
    }

    fn entry(&self, i: usize) -> String {
        match &self.motion {
            Motion::Steps(steps) => steps.0.entry(i),
            Motion::Kinematic(kinematic) => kinematic.entry(i),
        }
    }

    fn step(&self, k: usize, x: &State, u: &[f64]) -> Result<State, Failure> {
        match &self.motion {
            Motion::Steps(steps) => steps.0.step(self.at(k), self.h, x, u),
            Motion::Kinematic(kinematic) => kinematic.step(self.at(k), self.h, x, u),
        }
    }

    fn motion(
        &self,
        count: usize,
        x: &State,
        inputs: &[f64],
        states: &mut Vec<State>,
    ) -> Result<(), (usize, Failure)> {
        let size = self.sizes().inputs;
        let inputs: Vec<Vec<f64>> = inputs.chunks(size.max(1)).take(count).map(<[f64]>::to_vec).collect();
        match &self.motion {
            Motion::Steps(steps) => steps.0.motion(self.at(0), self.h, x, &inputs, states),
            Motion::Kinematic(_) => {
                let mut x = x.clone();
                for (k, u) in inputs.iter().enumerate() {
                    x = self.step(k, &x, u).map_err(|cause| (k, cause))?;
                    states.push(x.clone());
                }
                Ok(())
            }
        }
    }

    fn momenta(&self, k: usize, x: &State) -> Vec<(String, Vec<f64>)> {
        self.steps().map_or(Vec::new(), |steps| steps.momenta(self.at(k), x))
    }

    fn linearize(&self, k: usize, x: &State, u: &[f64], ab: &mut [f64]) -> Result<(), Failure> {
        self.differentiate(k, x, u, None, (ab, &mut []))
    }

    fn curvature(
        &self,
        k: usize,
        x: &State,
        u: &[f64],
        w: &[f64],
        hessian: &mut [f64],
    ) -> Result<(), Failure> {
        let Sizes { states, inputs } = self.sizes();
        self.differentiate(k, x, u, Some(w), (&mut vec![0.0; states * (states + inputs)], hessian))
    }

    fn differentiate(
        &self,
        k: usize,
        x: &State,
        u: &[f64],
        w: Option<&[f64]>,
        to: (&mut [f64], &mut [f64]),
    ) -> Result<(), Failure> {
        let (at, h) = (self.at(k), self.h);
        match &self.motion {
            Motion::Steps(motion) => {
                let (steps, second) = &**motion;
                let lambda = &steps.lambda;
                steps.at(at, x, u, |at| match w {
                    None => steps.derivatives.linearize_to(at, lambda, h, to.0),
                    Some(w) => second.curvature_to(at, lambda, h, w, to),
                })
            }
            Motion::Kinematic(kinematic) => kinematic.differentiate(at, h, x, u, w, to),
        }
    }

    fn retract(&self, x: &State, delta: &[f64]) -> State {
        let [q, nu, z] = self.manifold().retract(x.parts(), delta);
        State { q, nu, z }
    }

    fn difference(&self, from: &State, to: &State, delta: &mut [f64]) {
        delta.copy_from_slice(&self.manifold().difference(from.parts(), to.parts()));
    }

    fn difference_derivatives(
        &self,
        from: &State,
        to: &State,
        w: &[f64],
        jacobian: &mut [f64],
        hessian: &mut [f64],
    ) {
        let n = self.sizes().states;
        jacobian.fill(0.0);
        jacobian.iter_mut().step_by(n + 1).for_each(|x| *x = 1.0);
        self.manifold().difference_derivatives((&from.q, &to.q), w, n, (jacobian, hessian));
    }

    fn is_flat(&self) -> bool {
        self.manifold().is_flat()
    }
}

/// Functions of a stage, less some numbers, times a factor.
#[derive(Clone)]
pub(super) struct Text {
    pub(super) formulas: Formulas,
    pub(super) less: Vec<f64>,
    pub(super) factor: f64,
}

impl Text {
    /// Functions as they are.
    pub(super) fn of(formulas: &Formulas) -> Text {
        Text { formulas: formulas.clone(), less: vec![0.0; formulas.count()], factor: 1.0 }
    }
}

impl Function<Discrete> for Text {
    fn count(&self) -> usize {
        self.formulas.count()
    }

    fn value(&self, dynamics: &Discrete, k: usize, x: &State, u: &[f64], out: &mut [f64]) {
        match dynamics.point(k, x, u, |at, nu| self.formulas.value(at, nu)) {
            Some(values) => {
                let both = values.iter().zip(&self.less);
                out.iter_mut().zip(both).for_each(|(out, (y, less))| *out = self.factor * (y - less));
            }
            None => out.fill(f64::NAN),
        }
    }

    fn derivatives(
        &self,
        dynamics: &Discrete,
        k: usize,
        x: &State,
        u: &[f64],
        w: &[f64],
        jacobian: &mut [f64],
        hessian: &mut [f64],
    ) {
        let Sizes { states, inputs } = dynamics.sizes();
        let size = states + inputs;
        let both = dynamics.point(k, x, u, |at, nu| {
            Ok((self.formulas.linearize(at, nu)?, self.formulas.curvature(at, nu, w)?))
        });
        let Some((slopes, second)) = both else { return jacobian.fill(f64::NAN) };
        let count = self.count();
        let [by_x, by_u] = [&slopes.x, &slopes.u].map(|all| all.len() / count);
        for (i, row) in jacobian.chunks_exact_mut(size).enumerate() {
            // Where ν are the inputs, auxiliary states and inputs of the system come behind them.
            let all = slopes.x[i * by_x..(i + 1) * by_x].iter().chain(&slopes.u[i * by_u..(i + 1) * by_u]);
            row.iter_mut().zip(all).for_each(|(to, by)| *to = self.factor * by);
        }
        let columns = second.len().isqrt();
        for (to, by) in hessian.chunks_exact_mut(size).zip(second.chunks_exact(columns)) {
            to.iter_mut().zip(by).for_each(|(to, by)| *to += self.factor * by);
        }
    }
}

/// The multipliers of these constraints, by their numbers, in the step that begins at a stage: as [`nhi_control::Multipliers`],
/// without second derivatives.
#[derive(Clone)]
pub(super) struct Multipliers(pub(super) Vec<usize>);

impl Function<Discrete> for Multipliers {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn value(&self, dynamics: &Discrete, k: usize, x: &State, u: &[f64], out: &mut [f64]) {
        // A step that cannot be taken has no numbers.
        out.fill(f64::NAN);
        let Some(steps) = dynamics.steps() else { return };
        if let Ok(lambda) = steps.at(dynamics.at(k), x, u, |at| steps.multipliers(at, dynamics.h)) {
            out.iter_mut().zip(&self.0).for_each(|(out, &i)| *out = lambda[i]);
        }
    }

    fn derivatives(
        &self,
        dynamics: &Discrete,
        k: usize,
        x: &State,
        u: &[f64],
        _w: &[f64],
        jacobian: &mut [f64],
        _hessian: &mut [f64],
    ) {
        jacobian.fill(f64::NAN);
        let Some(steps) = dynamics.steps() else { return };
        let linear =
            steps.at(dynamics.at(k), x, u, |at| steps.derivatives.linearize(at, &steps.lambda, dynamics.h));
        let Ok(linear) = linear else { return };
        let Sizes { states, inputs } = dynamics.sizes();
        for (row, &i) in jacobian.chunks_exact_mut(states + inputs).zip(&self.0) {
            let (by_x, by_u) = row.split_at_mut(states);
            by_x.copy_from_slice(&linear.lambda_x[i * states..(i + 1) * states]);
            by_u.copy_from_slice(&linear.lambda_u[i * inputs..(i + 1) * inputs]);
        }
    }
}
