//! One trajectory.

use crate::error::{Error, sized};
use crate::events::{Crossings, Events};
use crate::flow::{Motion, flow};
use crate::forms::OneForms;
use crate::limits::Limits;
use crate::recording::{About, Adaptive, Column, Pose, Quantity, Recording};
use crate::system::System;
use nhi_codegen::expr::group::{Block, Group, Part};
use nhi_jit::{AdaptiveSimulation, Compiled, Point, Simulation};
use nhi_methods::{Kind, Method, Variant};
use nhi_runtime::{Factor, Failure, Forms, Vector};
use std::fmt;
use std::ops::ControlFlow;

/// Steps between two reports of progress.
const CHUNK: u64 = 1 << 12;

/// After the first [`CHUNK`] of steps, signs of velocities are watched in so many of so many steps. That is more often than
/// [`Simulation::advance`] does: ringing of a few hundred steps is seen, too.
const WATCHED: u64 = nhi_runtime::ringing::STEPS as u64 + 2;
const WATCHED_OF: u64 = 256;

/// Most samples of a run, some gigabytes.
const MAX_SAMPLES: u64 = 10_000_000;

/// Largest step of the exact flow: short beside the periods of machines in SI units.
const LARGEST_STEP: f64 = 0.1;

/// Methods that are asked for steps that another method refuses because of the mass matrix.
const ALTERNATIVES: [Method; 6] =
    [Method::Frame, Method::Dla2, Method::Dla1, Method::Rdp, Method::Rk4, Method::Rkmk4];

/// Most steps that they are asked for, beyond those before the refusal.
const ASKED: u64 = 100;

/// Most methods that a message names.
const TOLD: usize = 2;

/// Velocities of which more than this part violates constraints that their method keeps are rounding: equations that nearly singular
/// masses make large cancel.
const LOST: f64 = 1e-6;

/// The part of a step over which the rate of the energy is a difference: terms that cancel in it are large if a step is long.
const POWER_STEP: f64 = 1e-5;

/// Steps that move the configuration by less than so many of its roundings say nothing about constraints.
const AT_REST: f64 = 16.0;

/// What is run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The system.
    pub system: System,
    /// How it moves.
    pub scheme: Scheme,
    /// Values of the parameters, flattened.
    pub parameters: Vec<f64>,
    /// Configuration at t = 0.
    pub q0: Vec<f64>,
    /// Velocity at t = 0.
    pub v0: Vec<f64>,
    /// Auxiliary states at t = 0; all are zero if it is empty.
    pub z0: Vec<f64>,
    /// Control inputs.
    pub inputs: Inputs,
    /// Step size; negative to run backwards. Of adaptive steps, the time from one node to the next.
    pub h: f64,
    /// Number of steps; of adaptive steps, number of nodes after the start.
    pub steps: u64,
    /// Number of steps, or of nodes, from one sample to the next, at least 1.
    pub every: u64,
    /// Whether the start is replaced by the nearest admissible one, instead of being refused.
    pub project: bool,
    /// The columns that place a body. Left out, they follow from the group factor.
    pub pose: Option<Pose>,
}

/// How a trajectory is computed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Scheme {
    /// By steps of a method.
    Steps(Variant),
    /// By steps of a method whose sizes follow from a tolerance, as [`AdaptiveSimulation`] takes them.
    Adaptive {
        /// The method.
        variant: Variant,
        /// The tolerance.
        tolerance: f64,
        /// The time of the last node. Those before it are multiples of the time [`Run::h`].
        end: f64,
    },
    /// By the exact flow, to nearly the accuracy of `f64`.
    Exact,
}

impl Scheme {
    /// The method whose steps are taken.
    pub fn variant(&self) -> Option<Variant> {
        match *self {
            Scheme::Steps(variant) | Scheme::Adaptive { variant, .. } => Some(variant),
            Scheme::Exact => None,
        }
    }
}

/// Control inputs.
#[derive(Clone, PartialEq, Debug)]
pub enum Inputs {
    /// The same for all steps.
    Held(Vec<f64>),
    /// One vector per step.
    PerStep(Vec<Vec<f64>>),
}

impl Inputs {
    /// The inputs of the step from t_k to t_{k+1}.
    pub fn at(&self, k: u64) -> &[f64] {
        match self {
            Inputs::Held(inputs) => inputs,
            Inputs::PerStep(inputs) => inputs.get(k as usize).map_or(&[], Vec::as_slice),
        }
    }
}

/// Why a run ended before its last step.
#[derive(Clone, PartialEq, Debug)]
pub enum Stop {
    /// A step failed, or its inputs are no numbers.
    Step(nhi_jit::Error),
    /// The exact flow is not defined at, or from, a time.
    Flow {
        /// `at` or `from`.
        place: &'static str,
        /// The time.
        time: f64,
        /// The reason.
        cause: Failure,
    },
    /// The exact flow from a time is too fast or too stiff to follow.
    Stiff {
        /// The time.
        time: f64,
    },
    /// It was interrupted after this number of steps.
    Interrupted(u64),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Step(error) => error.fmt(f),
            Stop::Flow { place, time, cause } => write!(f, "{place} t = {time}: {cause}"),
            Stop::Stiff { time } => write!(
                f,
                "from t = {time}: the motion is singular here, or too stiff for the exact flow, whose steps are explicit; `dla2_midpoint` is not limited by stiff springs, nor `dla1_adjoint` by stiff damping"
            ),
            Stop::Interrupted(steps) => write!(f, "interrupted after step {steps}"),
        }
    }
}

/// The methods that answer a damping faster than their steps by rest, as the motion does, and not by ringing: the forces of a step
/// are those at its end.
const DAMPING: [Method; 1] = [Method::Dla1Adjoint];

/// Methods to compare a motion with, as far as they apply: their equations differ from each other.
const OTHERS: [Method; 4] = [Method::Frame, Method::Dla2, Method::DlaRattle, Method::Rk4];

/// The methods that no spring and no damping makes unstable, however much faster than their steps it is.
const STABLE: [Method; 2] = [Method::Frame, Method::Dla2Midpoint];

/// How a run ended.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Ended {
    /// Why it ended before its last step, if it did.
    pub stop: Option<Stop>,
    /// The names of the velocities that changed their signs at every step for a while, by a damping that is faster than the steps.
    pub ringing: Vec<String>,
    /// Those that did so by an oscillation that is faster.
    pub oscillating: Vec<String>,
    /// Those that also grew at every step.
    pub unstable: Vec<String>,
    /// The times of events.
    pub events: Crossings,
    /// The condition that was to end it, if all steps were taken and it did not become true.
    pub missed: Option<String>,
    /// The steps that were taken, if they were adaptive.
    pub adaptive: Option<Adaptive>,
    /// What to do about the reason for which it ended, if that is known.
    pub advice: Option<String>,
}

impl From<Stop> for Ended {
    fn from(stop: Stop) -> Ended {
        Ended { stop: Some(stop), ..Ended::default() }
    }
}

/// A point of a trajectory.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    /// Number of steps taken.
    pub k: u64,
    /// Time.
    pub t: f64,
    /// Configuration.
    pub q: Vec<f64>,
    /// Velocity.
    pub v: Vec<f64>,
    /// Auxiliary states.
    pub z: Vec<f64>,
    /// The inputs of the step that ends here; at the start those of the first one.
    pub inputs: Vec<f64>,
    /// Momentum ∂L/∂v.
    pub p: Vec<f64>,
    /// Momenta before and after the reflection, for methods that reflect.
    pub jump: Option<[Vec<f64>; 2]>,
    /// Multipliers λ (forces) of the last step; before the first one those of the start, for the exact flow those at the
    /// current time.
    pub lambda: Vec<f64>,
    /// Reaction μᵀλ: a force or torque on every velocity.
    pub reaction: Vec<f64>,
    /// Energy.
    pub energy: f64,
    /// μ(q)v + μ₀(q) of the constraints.
    pub residual: Vec<f64>,
    /// g(q) of the position constraints.
    pub position_residual: Vec<f64>,
    /// The outputs of the system.
    pub outputs: Vec<f64>,
}

/// A configuration and a velocity.
type State = (Vec<f64>, Vec<f64>);

/// (q, v), of which q has `n` entries.
fn split(mut q: Vec<f64>, n: usize) -> State {
    let v = q.split_off(n);
    (q, v)
}

/// The functions of a system with values of its parameters, and the exact flow by them.
#[derive(Clone, Debug)]
pub struct Exact {
    system: System,
    functions: Compiled,
    parameters: Vec<f64>,
    /// Auxiliary states that are zero.
    zeros: Vec<f64>,
}

impl Exact {
    /// Those of `system`.
    ///
    /// # Errors
    /// A wrong number of parameters, and the errors of [`System::functions`].
    pub fn new(system: &System, parameters: &[f64]) -> Result<Exact, Error> {
        sized("parameters", parameters, system.parameters().len())?;
        let zeros = vec![0.0; system.states().len()];
        let functions = system.functions()?;
        Ok(Exact { functions, system: system.clone(), parameters: parameters.to_vec(), zeros })
    }

    /// The functions of the system.
    pub fn functions(&self) -> &Compiled {
        &self.functions
    }

    /// The point for them at a state, whose lengths are those of the system, with auxiliary states that are zero.
    pub fn at<'a>(&'a self, q: &'a [f64], v: &'a [f64], t: f64, inputs: &'a [f64]) -> Point<'a> {
        Point { parameters: &self.parameters, q, v, z: &self.zeros, t, inputs }
    }

    /// The state at `t1` of the motion that is at (q, v) at `t0`, with inputs held.
    ///
    /// # Errors
    /// Accelerations that are not defined or too fast to follow.
    pub fn flow(&self, t0: f64, q: &[f64], v: &[f64], inputs: &[f64], t1: f64) -> Result<State, Failure> {
        let y = flow(&mut self.field(inputs), t0, &[q, v].concat(), t1, LARGEST_STEP)?;
        Ok(split(y, q.len()))
    }

    /// Whether a force slows the i-th velocity down faster than steps follow it: the part of the acceleration that changes its sign with
    /// this velocity, as the constraints let it change. A force that saturates has no derivative there.
    fn is_damped(&self, simulation: &Simulation, i: usize) -> bool {
        let v = simulation.v();
        let at = self.at(simulation.q(), &v, simulation.time(), simulation.inputs());
        let at = Point { z: simulation.z(), ..at };
        let mut moved = v.clone();
        moved[i] += 1.0;
        let projected = |v: &[f64]| self.functions.project(&Point { v, ..at });
        let (Ok(here), Ok(moved)) = (projected(&v), projected(&moved)) else { return true };
        let along: Vec<f64> = moved.iter().zip(&here).map(|(moved, here)| moved - here).collect();
        let of_itself = along[i];
        let largest = v.iter().fold(0.0, |largest: f64, v| largest.max(v.abs()));
        let speed = if largest > 0.0 { v[i].abs().max(1e-6 * largest) } else { 1.0 };
        let with = |sign: f64| -> Option<f64> {
            let change = sign * speed - v[i];
            let v: Vec<f64> = v.iter().zip(&along).map(|(v, along)| v + change * along / of_itself).collect();
            self.functions.acceleration(&Point { v: &v, ..at }).ok().map(|found| found.a[i])
        };
        let (Some(forth), Some(back)) = (with(1.0), with(-1.0)) else { return true };
        let rate = (back - forth) / (2.0 * speed);
        // Also if it is no number.
        let is_followed = rate * simulation.h() < 1.0;
        !is_followed
    }

    /// The right-hand side for (q, v).
    fn field<'a>(
        &'a self,
        inputs: &'a [f64],
    ) -> impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), Failure> + 'a {
        let (n, shape) = (self.system.coordinates().len(), self.system.shape());
        let blocks = self.system.group().blocks(shape);
        move |t, y, dy| {
            let (q, v) = y.split_at(n);
            let acceleration = self.functions.acceleration(&self.at(q, v, t, inputs))?;
            dy[..shape].copy_from_slice(&v[..shape]);
            for Block { group, pose, velocity } in &blocks {
                dy[pose.clone()].copy_from_slice(&rates(group, &q[pose.clone()], &v[velocity.clone()]));
            }
            dy[n..].copy_from_slice(&acceleration.a);
            Ok(())
        }
    }

    /// A sample after k steps, with multipliers λ.
    fn sample(&self, k: u64, at: &Point<'_>, lambda: Vec<f64>) -> Sample {
        let functions = &self.functions;
        let one_forms = OneForms::of(at.v.len(), |v| functions.residual(&Point { v, ..*at }));
        Sample {
            k,
            t: at.t,
            q: at.q.to_vec(),
            v: at.v.to_vec(),
            z: at.z.to_vec(),
            inputs: at.inputs.to_vec(),
            p: functions.momentum(at),
            jump: None,
            reaction: one_forms.reaction(&lambda),
            outputs: self.system.evaluate_outputs(at, &lambda),
            lambda,
            energy: functions.energy(at),
            residual: functions.residual(at),
            position_residual: functions.position(at),
        }
    }

    /// A sample of the exact flow, with the multipliers of the continuous equations.
    ///
    /// # Errors
    /// Singular equations.
    pub fn sample_at(&self, k: u64, t: f64, q: &[f64], v: &[f64], inputs: &[f64]) -> Result<Sample, Failure> {
        let at = self.at(q, v, t, inputs);
        let lambda = self.functions.acceleration(&at)?.lambda;
        Ok(self.sample(k, &at, lambda))
    }

    /// A sample of a simulation.
    pub fn sample_of(&self, simulation: &Simulation) -> Sample {
        let v = simulation.v();
        let at = self.at(simulation.q(), &v, simulation.time(), simulation.inputs());
        let at = Point { z: simulation.z(), ..at };
        let mut sample = self.sample(simulation.steps(), &at, simulation.multipliers().to_vec());
        if simulation.variant().method.facts().kind == Kind::Reflecting {
            sample.jump = Some(simulation.jump().map(|v| self.functions.momentum(&Point { v, ..at })));
        }
        sample
    }
}

macro_rules! define_rates {
    ($($group:ident $notation:literal { $($facts:tt)* })*) => {
        /// dg/dt = g ξ̂ of a pose.
        fn rates(group: &Group, pose: &[f64], xi: &[f64]) -> Vec<f64> {
            match group.runtime {
                $(stringify!($group) => {
                    let rates = nhi_runtime::group::$group::<f64>::rates(&vector(pose), &vector(xi));
                    rates.as_ref().to_vec()
                })*
                name => unreachable!("the runtime has no group {name}"),
            }
        }
    };
}

nhi_runtime::for_each_group!(define_rates);

/// Numbers as a vector of that length.
fn vector<V: Vector<f64>>(numbers: &[f64]) -> V {
    let mut vector = V::splat(0.0);
    vector.as_mut().copy_from_slice(numbers);
    vector
}

/// Whether a run goes on.
type Progress<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;

impl Run {
    /// The number of steps of a run that an event ends, where none is given.
    pub const MOST_STEPS: u64 = 1_000_000;

    /// Integrates and returns the samples at the start and after every `every` steps. `progress` is called with the number
    /// of steps taken, and may end the run. A run that ends early keeps its samples; `about.stopped` says why.
    ///
    /// # Errors
    /// What prevents the run from starting.
    pub fn record(&self, progress: Progress<'_>) -> Result<Recording, Error> {
        self.record_with(&Events::default(), progress)
    }

    /// The same with events, whose times are in `about.events`. One of them can end the run: it is the last sample.
    ///
    /// # Errors
    /// As [`Run::record`], and methods that cannot take the shorter step to an event.
    pub fn record_with(&self, events: &Events, progress: Progress<'_>) -> Result<Recording, Error> {
        let mut samples = Vec::new();
        let wanted = |k: u64| k.is_multiple_of(self.every);
        let ended = self.samples_with(events, wanted, &mut |sample| samples.push(sample), progress)?;
        Ok(self.recording(&samples, ended))
    }

    /// Integrates, passes on the samples at the nodes that are `wanted`, and returns how the run ended.
    ///
    /// # Errors
    /// What prevents the run from starting.
    pub fn samples(
        &self,
        wanted: impl Fn(u64) -> bool,
        take: &mut dyn FnMut(Sample),
        progress: Progress<'_>,
    ) -> Result<Ended, Error> {
        self.samples_with(&Events::default(), wanted, take, progress)
    }

    /// The same with events.
    ///
    /// # Errors
    /// As [`Run::record_with`].
    pub fn samples_with(
        &self,
        events: &Events,
        wanted: impl Fn(u64) -> bool,
        take: &mut dyn FnMut(Sample),
        progress: Progress<'_>,
    ) -> Result<Ended, Error> {
        match self.ended(events, wanted, take, progress) {
            Err(Error::Jit(error)) => Err(match self.advice(&error) {
                Some(advice) => Error::Advised { error, advice },
                None => Error::Jit(error),
            }),
            Ok(ended) => {
                let advice = match &ended.stop {
                    Some(Stop::Step(error)) => self.advice(error),
                    _ => None,
                };
                Ok(Ended { advice, ..ended })
            }
            Err(error) => Err(error),
        }
    }

    /// The methods that take a step that this one refuses because of the mass matrix, of those that do not invert it.
    fn advice(&self, error: &nhi_jit::Error) -> Option<String> {
        let Scheme::Steps(variant) = self.scheme else { return None };
        let (cause, step) = match error {
            nhi_jit::Error::Start { cause } => (cause, 1),
            nhi_jit::Error::Step { cause, step, .. } => (cause, *step),
            _ => return None,
        };
        let is_of_mass = match cause {
            Failure::Massless { .. } => true,
            Failure::NearlySingular { forms, .. } => *forms == Forms::NONE,
            _ => false,
        };
        if !is_of_mass {
            return None;
        }
        let steps = self.steps.min(step + ASKED);
        let takes_them = |method: &Method| {
            let run = Run { scheme: Scheme::Steps((*method).into()), steps, ..self.clone() };
            let ended =
                run.steps(((*method).into(), &Events::default()), |k| k == steps, &mut |_| {}, &mut |_| {
                    ControlFlow::Continue(())
                });
            ended.is_ok_and(|ended| ended.stop.is_none())
        };
        let others = self.applying(&ALTERNATIVES, variant.method);
        let ids: Vec<String> = others.filter(takes_them).take(TOLD).map(in_quotation_marks).collect();
        let verb = if ids.len() == 1 { "takes" } else { "take" };
        (!ids.is_empty()).then(|| format!("{} {verb} these steps", ids.join(" and ")))
    }

    fn ended(
        &self,
        events: &Events,
        wanted: impl Fn(u64) -> bool,
        take: &mut dyn FnMut(Sample),
        progress: Progress<'_>,
    ) -> Result<Ended, Error> {
        self.check()?;
        let refused = |problem: String| Err(Error::Argument { name: "until", problem });
        match self.scheme {
            Scheme::Steps(variant)
                if !events.is_empty() && variant.method.facts().kind == Kind::Reflecting =>
            {
                refused(format!(
                    "the step to an event is shorter, and the state of `{variant}` belongs to one step size"
                ))
            }
            Scheme::Steps(variant) => self.steps((variant, events), wanted, take, progress),
            Scheme::Adaptive { variant, tolerance, end } => {
                self.adaptive((variant, tolerance, end), events, wanted, take, progress)
            }
            Scheme::Exact if !events.is_empty() => {
                refused("events are found by methods, not by the exact flow".to_owned())
            }
            Scheme::Exact => self.exact(wanted, take, progress),
        }
    }

    /// The simulation of the method at its start.
    ///
    /// # Errors
    /// What prevents the run from starting.
    pub fn simulation(&self, variant: Variant) -> Result<Simulation, Error> {
        let compiled = self.system.compiled(variant)?;
        let start = if self.project { Simulation::project_point } else { Simulation::at_point };
        let zeros;
        let z = match self.z0.is_empty() {
            true => {
                zeros = vec![0.0; self.system.states().len()];
                &zeros
            }
            false => &self.z0,
        };
        let (parameters, q, v) = (&self.parameters, &self.q0, &self.v0);
        Ok(start(
            &compiled,
            variant,
            &Point { parameters, q, v, z, t: 0.0, inputs: self.inputs.at(0) },
            self.h,
        )?)
    }

    fn steps(
        &self,
        (variant, events): (Variant, &Events),
        wanted: impl Fn(u64) -> bool,
        take: &mut dyn FnMut(Sample),
        progress: Progress<'_>,
    ) -> Result<Ended, Error> {
        let mut simulation = self.simulation(variant)?;
        let exact = Exact::new(&self.system, &self.parameters)?;
        let ended = |stop, simulation: &Simulation, events: Crossings| {
            let (damped, free): (Vec<usize>, Vec<usize>) =
                simulation.statistics().ringing().partition(|&i| exact.is_damped(simulation, i));
            let unstable: Vec<usize> = simulation.statistics().unstable().collect();
            let [ringing, oscillating, unstable] = [damped, free, unstable]
                .map(|all| all.into_iter().map(|i| self.system.velocity_text(i)).collect());
            Ended { stop, ringing, oscillating, unstable, events, ..Ended::default() }
        };
        let (mut crossings, mut held) = (events.crossings(), events.hold(&simulation));
        let mut next = (0..=self.steps).filter(|&k| wanted(k));
        let mut target = next.next();
        loop {
            let k = simulation.steps();
            if target == Some(k) {
                take(exact.sample_of(&simulation));
                target = next.next();
            }
            let Some(end) = target.filter(|_| !events.are_over(&held)) else {
                let missed = events.missed(&held);
                return Ok(Ended { missed, ..ended(None, &simulation, crossings) });
            };
            let watched = k < CHUNK || k % WATCHED_OF < WATCHED;
            let count = match &self.inputs {
                Inputs::Held(_) if watched || !events.is_empty() => 1,
                Inputs::Held(_) => (end - k).min(WATCHED_OF - k % WATCHED_OF),
                Inputs::PerStep(_) => {
                    if let Err(error) = simulation.set_inputs(self.inputs.at(k)) {
                        return Ok(ended(Some(Stop::Step(error)), &simulation, crossings));
                    }
                    1
                }
            };
            let before = (!events.is_empty()).then(|| simulation.clone());
            // Single steps are watched for ringing.
            let taken = if count == 1 { simulation.step() } else { simulation.advance(count) };
            if let Err(error) = taken {
                return Ok(ended(Some(Stop::Step(error)), &simulation, crossings));
            }
            if let Some(before) = &before {
                let now = events.hold(&simulation);
                match events.cross((before, &held), (&simulation, &now), &mut crossings) {
                    Ok(None) => held = now,
                    Ok(Some(at_event)) => {
                        take(Sample { k: simulation.steps(), ..exact.sample_of(&at_event) });
                        return Ok(ended(None, &simulation, crossings));
                    }
                    Err(error) => return Ok(ended(Some(Stop::Step(error)), before, crossings)),
                }
            }
            let k = simulation.steps();
            if (k / CHUNK > (k - count) / CHUNK || k == end) && progress(k).is_break() {
                return Ok(ended(Some(Stop::Interrupted(k)), &simulation, crossings));
            }
        }
    }

    fn adaptive(
        &self,
        (variant, tolerance, end): (Variant, f64, f64),
        events: &Events,
        wanted: impl Fn(u64) -> bool,
        take: &mut dyn FnMut(Sample),
        progress: Progress<'_>,
    ) -> Result<Ended, Error> {
        let start = AdaptiveSimulation::new(&self.simulation(variant)?, tolerance);
        let exact = Exact::new(&self.system, &self.parameters)?;
        let mut adaptive = start.map_err(|error| match error {
            nhi_jit::Error::FixedStepSize { .. } | nhi_jit::Error::Tolerance { .. } => {
                Error::Argument { name: "tolerance", problem: error.to_string() }
            }
            error => error.into(),
        })?;
        let ended = |stop, adaptive: &AdaptiveSimulation, events: Crossings| {
            let (steps, rejections) = (adaptive.steps(), adaptive.rejections());
            let adaptive = Some(Adaptive { tolerance, steps, rejections });
            Ended { stop, events, adaptive, ..Ended::default() }
        };
        let (mut crossings, mut held) = (events.crossings(), events.hold(adaptive.simulation()));
        let last = (0..=self.steps).rfind(|&k| wanted(k)).unwrap_or(0);
        for k in 0..=last {
            let t = if k == self.steps { end } else { k as f64 * self.h };
            while k > 0 && adaptive.simulation().time() != t {
                let [first, middle] = match adaptive.step(Some(t)) {
                    Ok(before) => before,
                    Err(error) => return Ok(ended(Some(Stop::Step(error)), &adaptive, crossings)),
                };
                for (before, after) in [(&first, &middle), (&middle, adaptive.simulation())] {
                    let now = events.hold(after);
                    match events.cross((before, &held), (after, &now), &mut crossings) {
                        Ok(None) => held = now,
                        Ok(Some(at_event)) => {
                            take(Sample { k, ..exact.sample_of(&at_event) });
                            return Ok(ended(None, &adaptive, crossings));
                        }
                        Err(error) => return Ok(ended(Some(Stop::Step(error)), &adaptive, crossings)),
                    }
                }
                if progress(k).is_break() {
                    let taken = adaptive.steps();
                    return Ok(ended(Some(Stop::Interrupted(taken)), &adaptive, crossings));
                }
            }
            if wanted(k) {
                take(Sample { k, ..exact.sample_of(adaptive.simulation()) });
            }
            if events.are_over(&held) {
                break;
            }
        }
        let missed = events.missed(&held);
        Ok(Ended { missed, ..ended(None, &adaptive, crossings) })
    }

    /// The time from one node to the next, and the number of nodes after the start, of a run until the time `end` with nodes at the
    /// multiples of the time `every`, and at the end.
    ///
    /// # Errors
    /// Times that are not finite or not positive, and more samples than are kept.
    pub fn nodes(end: f64, every: f64) -> Result<(f64, u64), Error> {
        let wrong = |name, problem| Err(Error::Argument { name, problem });
        if end == 0.0 || !end.is_finite() {
            return wrong("until", format!("the time must be finite and not zero, found {end}"));
        }
        if every.is_nan() || every <= 0.0 || every.is_infinite() {
            return wrong("every", format!("the time must be finite and positive, found {every}"));
        }
        let count = end.abs() / every;
        if count > MAX_SAMPLES as f64 {
            return wrong(
                "every",
                format!("{count:.0} samples are too many, at most {MAX_SAMPLES} are kept"),
            );
        }
        // Times that users write are rounded.
        let whole = count.round();
        let is_whole = (count - whole).abs() <= 1e-9 * count;
        let count = if is_whole { whole } else { count.ceil() };
        Ok((every.copysign(end), (count as u64).max(1)))
    }

    fn exact(
        &self,
        wanted: impl Fn(u64) -> bool,
        take: &mut dyn FnMut(Sample),
        progress: Progress<'_>,
    ) -> Result<Ended, Error> {
        let exact = Exact::new(&self.system, &self.parameters)?;
        // Of the methods of the continuous equations, all of which start at the given state.
        let explicit = |method: &Method| matches!(method.facts().kind, Kind::RungeKutta | Kind::MuntheKaas);
        let (mut q, mut v) = match self.system.methods().find(explicit) {
            Some(method) => {
                let start = self.simulation(method.into())?;
                (start.q().to_vec(), start.v())
            }
            None => (self.q0.clone(), self.v0.clone()),
        };
        let mut excess = 0.0_f64;
        let last = (0..=self.steps).rfind(|&k| wanted(k)).unwrap_or(0);
        for k in 0..=last {
            let t = k as f64 * self.h;
            if wanted(k) {
                // With the inputs of the step that ends here, like the multipliers of methods.
                match exact.sample_at(k, t, &q, &v, self.inputs.at(k.saturating_sub(1))) {
                    Ok(sample) => take(sample),
                    Err(cause) => return Ok(Stop::Flow { place: "at", time: t, cause }.into()),
                }
            }
            if k < last {
                let mut motion =
                    Motion::new(t, &[&q[..], &v].concat(), (k + 1) as f64 * self.h, LARGEST_STEP);
                motion.excess += excess;
                let mut field = exact.field(self.inputs.at(k));
                loop {
                    match motion.advance(&mut field) {
                        Ok(true) if progress(k).is_break() => return Ok(Stop::Interrupted(k).into()),
                        Ok(true) => {}
                        Ok(false) => break,
                        Err(Failure::NotConverged) => return Ok(Stop::Stiff { time: t }.into()),
                        Err(cause) => return Ok(Stop::Flow { place: "from", time: t, cause }.into()),
                    }
                }
                excess = motion.excess.max(0.0);
                (q, v) = split(motion.y, q.len());
                if progress(k + 1).is_break() {
                    return Ok(Stop::Interrupted(k + 1).into());
                }
            }
        }
        Ok(Ended::default())
    }

    /// Whether the lengths and sizes of the arguments are possible.
    fn check(&self) -> Result<(), Error> {
        let Run { system, .. } = self;
        let wrong = |name, problem: String| Err(Error::Argument { name, problem });
        sized("parameters", &self.parameters, system.parameters().len())?;
        sized("q0", &self.q0, system.coordinates().len())?;
        sized("v0", &self.v0, system.velocities().len())?;
        if !self.z0.is_empty() {
            sized("z0", &self.z0, system.states().len())?;
        }
        if self.scheme == Scheme::Exact && !system.states().is_empty() {
            return wrong("method", "there is no exact flow of systems with auxiliary states".to_owned());
        }
        // The equations of motion have the rate of what drives a constraint.
        if self.scheme == Scheme::Exact && system.is_driven_by_inputs() {
            let problem =
                "there is no exact flow where a constraint depends on an input, whose rate is not known";
            return wrong("method", problem.to_owned());
        }
        if self.h == 0.0 || !self.h.is_finite() {
            return wrong("h", format!("the step size must be finite and not zero, found {}", self.h));
        }
        if self.every == 0 {
            return wrong("every", "must be at least 1".to_owned());
        }
        // With the one at the start.
        let samples = (self.steps / self.every).saturating_add(1);
        if samples > MAX_SAMPLES {
            return wrong("every", format!("{samples} samples are too many, at most {MAX_SAMPLES} are kept"));
        }
        match &self.inputs {
            Inputs::PerStep(_) if matches!(self.scheme, Scheme::Adaptive { .. }) => {
                wrong("inputs", "with a tolerance they are held: expected one vector".to_owned())
            }
            Inputs::Held(inputs) => sized("inputs", inputs, system.inputs().len()),
            Inputs::PerStep(all) if all.len() as u64 != self.steps => {
                let message =
                    format!("expected one vector for each of {} steps, found {}", self.steps, all.len());
                wrong("inputs", message)
            }
            Inputs::PerStep(all) => {
                all.iter().try_for_each(|inputs| sized("inputs", inputs, system.inputs().len()))
            }
        }
    }

    /// Samples as columns.
    pub fn recording(&self, samples: &[Sample], ended: Ended) -> Recording {
        let system = &self.system;
        let mut columns: Vec<Column> = Vec::new();
        let outputs: Vec<&str> = system.outputs().collect();
        let is_derived = |quantity| quantity > Quantity::Input;
        let mut add = |name: String, quantity: Quantity, value: &dyn Fn(&Sample) -> f64| {
            let mut name = name;
            let is_output = quantity == Quantity::Output;
            let is_taken = |name: &String| columns.iter().any(|column| column.name == *name);
            // An output of the name of a coordinate is that coordinate.
            if is_output && is_taken(&name) {
                return;
            }
            while is_taken(&name) || !is_output && is_derived(quantity) && outputs.contains(&name.as_str()) {
                name.push('_');
            }
            columns.push(Column { name, quantity, values: samples.iter().map(value).collect() });
        };
        add("k".to_owned(), Quantity::Step, &|sample| sample.k as f64);
        add("t".to_owned(), Quantity::Time, &|sample| sample.t);
        for (i, name) in system.coordinates().iter().enumerate() {
            add(name.clone(), Quantity::Coordinate, &|sample| sample.q[i]);
        }
        for i in 0..system.velocities().len() {
            add(system.velocity_column(i), Quantity::Velocity, &|sample| sample.v[i]);
        }
        for (i, name) in system.states().iter().enumerate() {
            add(name.clone(), Quantity::State, &|sample| sample.z[i]);
        }
        for (i, name) in system.inputs().iter().enumerate() {
            add(name.clone(), Quantity::Input, &|sample| sample.inputs[i]);
        }
        for (i, name) in system.velocities().iter().enumerate() {
            add(format!("p_{name}"), Quantity::Momentum, &|sample| sample.p[i]);
        }
        let variant = self.scheme.variant();
        if variant.is_some_and(|variant| variant.method.facts().kind == Kind::Reflecting) {
            for (which, prefix, quantity) in
                [(0, "p_pre", Quantity::MomentumBefore), (1, "p_post", Quantity::MomentumAfter)]
            {
                for (i, name) in system.velocities().iter().enumerate() {
                    let value =
                        |sample: &Sample| sample.jump.as_ref().map_or(f64::NAN, |jump| jump[which][i]);
                    add(format!("{prefix}_{name}"), quantity, &value);
                }
            }
        }
        let labels: Vec<String> = system.constraints().iter().enumerate().map(label).collect();
        for (a, label) in labels.iter().enumerate() {
            add(format!("lambda_{label}"), Quantity::Multiplier, &|sample| sample.lambda[a]);
        }
        for (i, name) in system.velocities().iter().enumerate() {
            add(format!("reaction_{name}"), Quantity::Reaction, &|sample| sample.reaction[i]);
        }
        add("energy".to_owned(), Quantity::Energy, &|sample| sample.energy);
        for (a, label) in labels.iter().enumerate() {
            add(format!("residual_{label}"), Quantity::Residual, &|sample| sample.residual[a]);
        }
        let first = labels.len() - system.positions();
        for (a, label) in labels[first..].iter().enumerate() {
            let quantity = Quantity::PositionResidual;
            add(format!("position_residual_{label}"), quantity, &|sample| sample.position_residual[a]);
        }
        for (i, &name) in outputs.iter().enumerate() {
            add(name.to_owned(), Quantity::Output, &|sample| sample.outputs[i]);
        }
        let last = samples.last().map_or(0, |sample| sample.k);
        let is_unstable = !ended.unstable.is_empty();
        let mut about = self.about(ended, last);
        about.warnings.extend(self.lost(samples, &labels, about.adaptive));
        if !is_unstable {
            about.warnings.extend(self.unkept(samples));
        }
        Recording { about, columns, bodies: Vec::new(), limits: Limits::default() }
    }

    /// What to say about an energy that changes by more than the largest kinetic energy where the motion keeps it, or grows so much where
    /// no force adds any.
    fn unkept(&self, samples: &[Sample]) -> Option<String> {
        let variant = self.scheme.variant()?;
        let first = samples.first()?.energy;
        let largest = |of: &dyn Fn(&Sample) -> f64| samples.iter().map(of).fold(0.0, f64::max);
        let is_conservative = self.system.is_conservative();
        let change = largest(&|sample| {
            let change = sample.energy - first;
            if is_conservative { change.abs() } else { change }
        });
        // ½ v·p is the kinetic energy but for terms of the Lagrangian that are linear in v.
        let kinetic =
            largest(&|sample| sample.v.iter().zip(&sample.p).map(|(v, p)| v * p).sum::<f64>().abs() / 2.0);
        let rounding = LOST * largest(&|sample| sample.energy.abs());
        if change <= kinetic.max(rounding) || !is_conservative && self.gains_energy(samples, change) {
            return None;
        }
        let change = match is_conservative {
            true => {
                format!("the motion keeps its energy, and the steps of `{variant}` change it by {change:.1e}")
            }
            false => format!("no force adds energy, and the steps of `{variant}` add {change:.1e}"),
        };
        let method = self.others(variant, "a method that is stable for all springs", &STABLE);
        Some(format!(
            "{change}, more than the largest kinetic energy: they are unstable, or do not resolve the motion; use shorter steps{method}"
        ))
    }

    /// Whether forces or drives may have added this energy: at a sample, they add it at a tenth of the mean rate. Also if that cannot be
    /// known.
    fn gains_energy(&self, samples: &[Sample], energy: f64) -> bool {
        let system = &self.system;
        let [Some(first), Some(last)] = [samples.first(), samples.last()] else { return true };
        let duration = (last.t - first.t).abs();
        let rate = energy / duration;
        if !rate.is_finite() || !system.group().is_trivial() || system.changes_with_time() {
            return true;
        }
        let Ok(exact) = Exact::new(system, &self.parameters) else { return true };
        let dt = POWER_STEP * duration / last.k as f64;
        samples.iter().any(|sample| {
            let Sample { q, v, t, z, inputs, .. } = sample;
            let at = Point { z, ..exact.at(q, v, *t, inputs) };
            let Ok(found) = exact.functions.acceleration(&at) else { return true };
            let energy_at = |dt: f64| {
                let [q, v] = [(q, v), (v, &found.a)]
                    .map(|(x, rate)| x.iter().zip(rate).map(|(x, rate)| x + dt * rate).collect::<Vec<f64>>());
                exact.functions.energy(&Point { q: &q, v: &v, ..at })
            };
            let is_less = (energy_at(dt) - energy_at(-dt)) / (2.0 * dt) < 0.1 * rate;
            !is_less
        })
    }

    /// What to say about constraints that a method keeps but for rounding, if this is large.
    fn lost(&self, samples: &[Sample], labels: &[String], adaptive: Option<Adaptive>) -> Option<String> {
        let variant = self.scheme.variant()?;
        // The others drift off the constraints.
        if matches!(variant.method.facts().kind, Kind::RungeKutta | Kind::MuntheKaas) {
            return None;
        }
        let steps = samples.iter().filter(|sample| sample.k > 0);
        let largest = |of: fn(&Sample) -> &Vec<f64>| {
            steps.clone().flat_map(of).fold(0.0, |largest: f64, x| largest.max(x.abs()))
        };
        let (size, speed) = (largest(|sample| &sample.q), largest(|sample| &sample.v));
        // Of adaptive steps, the mean size.
        let h = match (adaptive, samples.last()) {
            (Some(Adaptive { steps, .. }), Some(last)) => last.t / steps as f64,
            _ => self.h,
        };
        if (h * speed).abs() <= AT_REST * f64::EPSILON * size {
            return None;
        }
        let exact = Exact::new(&self.system, &self.parameters).ok()?;
        let mut lost = Vec::new();
        for (a, label) in labels.iter().enumerate() {
            let residual = |sample: &&Sample| sample.residual[a].abs();
            let worst = steps.clone().max_by(|x, y| residual(x).total_cmp(&residual(y)))?;
            let at = exact.at(&worst.q, &worst.v, worst.t, &worst.inputs);
            let at = Point { z: &worst.z, ..at };
            let forms = OneForms::of(at.v.len(), |v| exact.functions.residual(&Point { v, ..at }));
            let terms = forms.mu[a].iter().map(|mu| mu.abs() * speed).sum::<f64>() + forms.mu_t[a].abs();
            let part = residual(&worst) / terms;
            if part > LOST {
                lost.push(format!("`{label}` by {part:.0e}"));
            }
        }
        let first = lost.first()?;
        let names = lost[1..].iter().fold(first.clone(), |names, name| format!("{names}, {name}"));
        let others: Vec<String> =
            self.applying(&OTHERS, variant.method).take(TOLD).map(in_quotation_marks).collect();
        let compare = match others.as_slice() {
            [] => String::new(),
            ids => format!("; compare with another method, such as {}", ids.join(" or ")),
        };
        Some(format!(
            "velocities violate constraints that `{variant}` keeps up to rounding, {names} of their size: the equations are nearly \
             singular, and so much of these velocities is rounding{compare}"
        ))
    }

    /// Those of some methods that apply to this system, without the one in use.
    fn applying(&self, methods: &'static [Method], used: Method) -> impl Iterator<Item = Method> {
        let applies = move |&method: &Method| method != used && self.system.methods().any(|m| m == method);
        methods.iter().copied().filter(applies)
    }

    /// What to say about velocities that ring.
    fn ringing(&self, ringing: &[String]) -> Option<String> {
        let Scheme::Steps(variant) = self.scheme else { return None };
        let change = changes_of_sign(ringing, false)?;
        let method = self.others(variant, "a method that damps", &DAMPING);
        Some(format!(
            "{change}: a force acts faster than steps of h = {} resolve, and `{variant}` rings where the motion comes to rest; use shorter steps{method}",
            self.h
        ))
    }

    /// What to say about velocities that oscillate within a step.
    fn oscillating(&self, oscillating: &[String]) -> Option<String> {
        let Scheme::Steps(variant) = self.scheme else { return None };
        let change = changes_of_sign(oscillating, false)?;
        Some(format!(
            "{change}: the motion oscillates faster than steps of h = {} resolve, and the oscillation of `{variant}` has another frequency; use shorter steps where it matters",
            self.h
        ))
    }

    /// What to say about velocities that grow at every step.
    fn unstable(&self, unstable: &[String]) -> Option<String> {
        let Scheme::Steps(variant) = self.scheme else { return None };
        let change = changes_of_sign(unstable, true)?;
        let method = self.others(variant, "a method that is stable for all of them", &STABLE);
        Some(format!(
            "{change}: `{variant}` is unstable where forces act faster than steps of h = {} resolve; use shorter steps{method}",
            self.h
        ))
    }

    /// Those of these methods that apply to the system, but for the one that is run, as the end of a sentence.
    fn others(&self, variant: Variant, what: &str, others: &'static [Method]) -> String {
        let ids: Vec<String> = self.applying(others, variant.method).map(in_quotation_marks).collect();
        if ids.is_empty() { String::new() } else { format!(", or {what}, {}", ids.join(" or ")) }
    }

    /// What was run, up to the step `last`.
    fn about(&self, ended: Ended, last: u64) -> About {
        let system = &self.system;
        let limit = match self.scheme {
            Scheme::Adaptive { end, .. } => format!("until t = {end}"),
            _ => format!("in {last} steps"),
        };
        let missed =
            ended.missed.map(|condition| format!("until: `{condition}` has not become true {limit}"));
        let parameters = system.parameters().iter().cloned().zip(self.parameters.iter().copied());
        About {
            system: system.name().to_owned(),
            declaration: system.fingerprint().to_owned(),
            parameters: parameters.collect(),
            method: self.scheme.variant().map_or_else(|| "exact".to_owned(), |variant| variant.to_string()),
            h: self.h,
            adaptive: ended.adaptive,
            conservative: system.is_conservative(),
            pose: self.pose.clone().or_else(|| pose(system)),
            warnings: [
                self.ringing(&ended.ringing),
                self.oscillating(&ended.oscillating),
                self.unstable(&ended.unstable),
                missed,
            ]
            .into_iter()
            .flatten()
            .collect(),
            events: ended.events,
            stopped: ended.stop.map(|stop| match &ended.advice {
                Some(advice) => format!("{stop}; {advice}"),
                None => stop.to_string(),
            }),
        }
    }
}

/// The id of a method in a message.
fn in_quotation_marks(method: Method) -> String {
    format!("`{}`", method.facts().id)
}

/// That these velocities change their signs, and perhaps grow; none if there are none.
fn changes_of_sign(velocities: &[String], grow: bool) -> Option<String> {
    let (first, rest) = velocities.split_first()?;
    let names = rest.iter().fold(format!("`{first}`"), |names, name| format!("{names}, `{name}`"));
    Some(match (rest.is_empty(), grow) {
        (true, false) => format!("{names} changes its sign at every step"),
        (true, true) => format!("{names} changes its sign at every step and grows"),
        (false, false) => format!("{names} change their signs at every step"),
        (false, true) => format!("{names} change their signs at every step and grow"),
    })
}

/// The label of a constraint in names of columns: its number where it has only a text.
fn label((a, label): (usize, &String)) -> String {
    let is_name = label.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '[' | ']'));
    if is_name { label.clone() } else { a.to_string() }
}

/// The columns of the group factor, if there is one alone.
pub(crate) fn pose(system: &System) -> Option<Pose> {
    let names = &system.coordinates()[system.shape()..];
    match system.group().only()?.pose {
        // (θ, x, y) of SE(2).
        [Part::Number, Part::Number, Part::Number] => match names {
            [theta, x, y] => Some(Pose::Planar([x.clone(), y.clone(), theta.clone()])),
            _ => None,
        },
        [Part::Matrix] => Some(Pose::Rotation(names.to_vec().try_into().ok()?)),
        [Part::Matrix, Part::Vector] => {
            let (rotation, position) = names.split_at(9);
            Some(Pose::Rigid(rotation.to_vec().try_into().ok()?, position.to_vec().try_into().ok()?))
        }
        _ => None,
    }
}
