//! Models whose steps are compiled at run time.

use super::{GROUP_METHODS, Instance, METHODS, Method, Model, Node, Phase, Trajectory};
use crate::error::Error;
use crate::expressions::Initial;
use crate::run::Exact;
use crate::system::System;
use nhi_jit::{Point, Simulation};
use nhi_methods::Variant;
use nhi_runtime::{Error as Failed, Failure, Limits};
use std::sync::Arc;

/// A declared system as a model. Its names live as long as the process.
pub struct Declared {
    system: System,
    names: Names,
    facts: Facts,
}

/// What there is to say of a model besides its declaration.
pub(super) struct Facts {
    pub(super) name: String,
    pub(super) summary: String,
    /// Names of the coordinates in reference data.
    pub(super) reference: Vec<String>,
    /// Values of the parameters; not a number where there is none.
    pub(super) defaults: Vec<f64>,
    pub(super) start: Start,
    pub(super) conservative: bool,
}

/// Initial data.
#[derive(Clone)]
pub(super) enum Start {
    Given(Phase),
    Computed(Arc<Initial>),
}

/// Names that live as long as the process.
#[derive(Clone, Copy)]
struct Names {
    coordinates: &'static [&'static str],
    reference: &'static [&'static str],
    velocities: &'static [&'static str],
    constraints: &'static [&'static str],
    inputs: &'static [&'static str],
    parameters: &'static [&'static str],
    invariants: &'static [&'static str],
    symmetries: &'static [&'static str],
    methods: &'static [Method],
    name: &'static str,
    summary: &'static str,
    system: &'static str,
}

fn kept(name: &str) -> &'static str {
    String::leak(name.to_owned())
}

fn all<'a>(names: impl IntoIterator<Item = &'a String>) -> &'static [&'static str] {
    Vec::leak(names.into_iter().map(|name| kept(name)).collect())
}

impl Declared {
    /// The system with its outputs as conserved quantities, and without values for its parameters.
    ///
    /// # Errors
    /// Those of [`System::functions`].
    pub fn of(system: System) -> Result<Declared, Error> {
        let (n, m) = (system.coordinates().len(), system.velocities().len());
        let facts = Facts {
            name: system.name().to_owned(),
            summary: String::new(),
            reference: system.coordinates().to_vec(),
            defaults: vec![f64::NAN; system.parameters().len()],
            start: Start::Given((vec![0.0; n], vec![0.0; m])),
            conservative: false,
        };
        Declared::new(system, facts)
    }

    pub(super) fn new(system: System, facts: Facts) -> Result<Declared, Error> {
        // Whatever could fail at the first use fails here.
        system.functions()?;
        let mut methods: Vec<Method> = Vec::new();
        for method in METHODS.iter().chain(GROUP_METHODS.iter()) {
            if methods.iter().all(|known| known.id != method.id) && system.variant(method.id).is_ok() {
                methods.push(*method);
            }
        }
        let owned =
            |names: &mut dyn Iterator<Item = &str>| all(&names.map(str::to_owned).collect::<Vec<_>>());
        let names = Names {
            coordinates: all(system.coordinates()),
            reference: all(&facts.reference),
            velocities: all(system.velocities()),
            constraints: all(system.constraints()),
            inputs: all(system.inputs()),
            parameters: all(system.parameters()),
            invariants: owned(&mut system.outputs()),
            symmetries: owned(&mut system.symmetries()),
            methods: Vec::leak(methods),
            name: kept(&facts.name),
            summary: kept(&facts.summary),
            system: kept(system.name()),
        };
        Ok(Declared { system, names, facts })
    }

    /// The model that starts elsewhere, with other values of its parameters.
    pub fn starting(
        mut self,
        parameters: Vec<f64>,
        q0: Vec<f64>,
        v0: Vec<f64>,
        conservative: bool,
    ) -> Declared {
        self.facts.defaults = parameters;
        self.facts.start = Start::Given((q0, v0));
        self.facts.conservative = conservative;
        self
    }

    /// The system.
    pub fn system(&self) -> &System {
        &self.system
    }
}

impl Model for Declared {
    fn name(&self) -> &'static str {
        self.names.name
    }

    fn system(&self) -> &'static str {
        self.names.system
    }

    fn summary(&self) -> &'static str {
        self.names.summary
    }

    fn coordinates(&self) -> &'static [&'static str] {
        self.names.coordinates
    }

    fn velocities(&self) -> &'static [&'static str] {
        self.names.velocities
    }

    fn group(&self) -> Option<String> {
        self.system.group().notation()
    }

    fn shape(&self) -> usize {
        self.system.shape()
    }

    fn methods(&self) -> &'static [Method] {
        self.names.methods
    }

    fn method(&self, id: &str) -> Option<Method> {
        let known = self.methods().iter().find(|method| method.id == id).copied();
        known.or_else(|| self.system.variant(id).ok().map(Method::of_variant))
    }

    fn reference_coordinates(&self) -> &'static [&'static str] {
        self.names.reference
    }

    fn constraints(&self) -> &'static [&'static str] {
        self.names.constraints
    }

    fn inputs(&self) -> &'static [&'static str] {
        self.names.inputs
    }

    fn parameters(&self) -> &'static [&'static str] {
        self.names.parameters
    }

    fn defaults(&self) -> Vec<f64> {
        self.facts.defaults.clone()
    }

    fn conservative(&self) -> bool {
        self.facts.conservative
    }

    fn invariants(&self) -> Vec<&'static str> {
        self.names.invariants.to_vec()
    }

    fn instance(&self, parameters: &[f64]) -> Box<dyn Instance> {
        let exact = Exact::new(&self.system, parameters).expect("as many values as parameters");
        let (names, start) = (self.names, self.facts.start.clone());
        Box::new(Values { system: self.system.clone(), exact, parameters: parameters.to_vec(), names, start })
    }
}

/// A model with values of its parameters.
struct Values {
    system: System,
    exact: Exact,
    parameters: Vec<f64>,
    names: Names,
    start: Start,
}

impl Values {
    fn no_inputs(&self) -> Vec<f64> {
        vec![0.0; self.names.inputs.len()]
    }

    /// The runtime's error, whose names are static.
    fn error(&self, error: nhi_jit::Error) -> Failed {
        use nhi_jit::Error as Jit;

        let constraint = |name: &str| self.names.constraints.iter().find(|known| **known == name);
        let named = |name: &str| constraint(name).copied().unwrap_or_else(|| kept(name));
        match error {
            Jit::StepSize { h } => Failed::StepSize { h },
            Jit::NonFinite { quantity, name, value } => {
                Failed::NonFinite { quantity, name: named(&name), value }
            }
            Jit::Pose { name, defect } => Failed::Pose { name: named(&name), defect },
            Jit::Position { name, residual } => Failed::Position { name: named(&name), residual },
            Jit::Constraint { name, residual } => Failed::Constraint { name: named(&name), residual },
            Jit::Step { step, time, cause } => Failed::Step { step, time, cause },
            Jit::Projection { cause } => Failed::Projection { cause },
            Jit::Start { cause } | Jit::Acceleration { cause } => Failed::Start { cause },
            // Lengths are the caller's, and what was compiled before is compiled again.
            other => unreachable!("{other}"),
        }
    }
}

impl Instance for Values {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    fn initial(&self) -> Phase {
        match &self.start {
            Start::Given(phase) => phase.clone(),
            Start::Computed(initial) => initial.at(&self.parameters),
        }
    }

    fn solution(&self, _t: f64) -> Option<Phase> {
        None
    }

    fn energy(&self, q: &[f64], v: &[f64]) -> f64 {
        self.exact.functions().energy(&self.exact.at(q, v, 0.0, &self.no_inputs()))
    }

    fn momentum(&self, q: &[f64], v: &[f64]) -> Vec<f64> {
        self.exact.functions().momentum(&self.exact.at(q, v, 0.0, &self.no_inputs()))
    }

    fn residual(&self, q: &[f64], v: &[f64]) -> Vec<f64> {
        self.exact.functions().residual(&self.exact.at(q, v, 0.0, &self.no_inputs()))
    }

    fn invariants(&self, q: &[f64], v: &[f64]) -> Vec<f64> {
        self.system.evaluate_outputs(&self.exact.at(q, v, 0.0, &self.no_inputs()), &[])
    }

    fn project(&self, q: &[f64], v: &[f64]) -> Result<Vec<f64>, Failure> {
        self.exact.functions().project(&self.exact.at(q, v, 0.0, &self.no_inputs()))
    }

    fn acceleration(&self, q: &[f64], v: &[f64], t: f64, inputs: &[f64]) -> Result<Phase, Failure> {
        let inputs = if inputs.is_empty() { self.no_inputs() } else { inputs.to_vec() };
        let found = self.exact.functions().acceleration(&self.exact.at(q, v, t, &inputs))?;
        Ok((found.a, found.lambda))
    }

    fn flow(&self, t0: f64, q: &[f64], v: &[f64], inputs: &[f64], t1: f64) -> Result<Phase, Failure> {
        let inputs = if inputs.is_empty() { self.no_inputs() } else { inputs.to_vec() };
        self.exact.flow(t0, q, v, &inputs, t1)
    }

    fn start(
        &self,
        method: &Method,
        q0: &[f64],
        v0: &[f64],
        inputs: &[f64],
        h: f64,
    ) -> Result<Box<dyn Trajectory>, Failed> {
        let none = Failed::Start { cause: Failure::NonFinite };
        let variant = Variant::with_id(method.id).ok_or(none)?;
        // A method that applies can be compiled, unless one of its constants is not finite.
        let compiled = self.system.compiled(variant).map_err(|_| none)?;
        let inputs = if inputs.is_empty() { self.no_inputs() } else { inputs.to_vec() };
        let simulation = Simulation::with_inputs(&compiled, variant, &self.parameters, q0, v0, &inputs, h);
        let simulation = simulation.map_err(|error| self.error(error))?;
        Ok(Box::new(AtRunTime::new(simulation, self.names.symmetries)))
    }
}

/// A simulation by steps that are compiled at run time, with the names of its momenta.
pub struct AtRunTime {
    simulation: Simulation,
    symmetries: &'static [&'static str],
}

impl AtRunTime {
    /// The simulation, with the names of the momenta of its symmetries.
    pub fn new(simulation: Simulation, symmetries: &'static [&'static str]) -> AtRunTime {
        AtRunTime { simulation, symmetries }
    }
}

/// The runtime's error of a step.
fn error_of_step(error: nhi_jit::Error) -> Failed {
    match error {
        nhi_jit::Error::Step { step, time, cause } => Failed::Step { step, time, cause },
        other => unreachable!("{other}"),
    }
}

impl Trajectory for AtRunTime {
    fn step(&mut self) -> Result<(), Failed> {
        self.simulation.step().map_err(error_of_step)
    }

    fn advance(&mut self, steps: u64) -> Result<(), Failed> {
        self.simulation.advance(steps).map_err(error_of_step)
    }

    fn step_with(&mut self, inputs: &[f64]) -> Result<(), Failed> {
        self.simulation.step_with(inputs).map_err(error_of_step)
    }

    fn set_limits(&mut self, limits: Limits) {
        self.simulation.set_limits(limits);
    }

    fn steps(&self) -> u64 {
        self.simulation.steps()
    }

    fn time(&self) -> f64 {
        self.simulation.time()
    }

    fn q(&self) -> Vec<f64> {
        self.simulation.q().to_vec()
    }

    fn v(&self) -> Vec<f64> {
        self.simulation.v()
    }

    fn p(&self) -> Vec<f64> {
        self.simulation.p()
    }

    fn jump(&self) -> (Vec<f64>, Vec<f64>) {
        let simulation = &self.simulation;
        let (parameters, q, z) = (simulation.parameters(), simulation.q(), simulation.z());
        let (t, inputs) = (simulation.time(), simulation.inputs());
        let [before, after] = simulation
            .jump()
            .map(|v| simulation.compiled().momentum(&Point { parameters, q, v, z, t, inputs }));
        (before, after)
    }

    fn multipliers(&self) -> Vec<f64> {
        self.simulation.multipliers().to_vec()
    }

    fn energy(&self) -> f64 {
        self.simulation.energy()
    }

    fn numbers(&self) -> Vec<f64> {
        self.simulation.numbers().to_vec()
    }

    fn node(&self) -> Node {
        let [before, after] = self.simulation.jump().map(<[f64]>::to_vec);
        Node { t: self.time(), q: self.q(), jump: (before, after) }
    }

    fn follow(&self, from: &Node, h: f64, steps: u64) -> Result<Node, Failure> {
        let failure = |error| match error {
            nhi_jit::Error::Start { cause } | nhi_jit::Error::Step { cause, .. } => cause,
            other => unreachable!("{other}"),
        };
        let (before, after) = &from.jump;
        let mut simulation =
            self.simulation.from_node(from.t, &from.q, [before, after], h).map_err(failure)?;
        simulation.advance(steps).map_err(failure)?;
        Ok(AtRunTime { simulation, ..*self }.node())
    }

    fn momenta(&self) -> Vec<(&'static str, f64)> {
        let values = self.simulation.momenta().into_iter().map(|(_, value)| value);
        self.symmetries.iter().copied().zip(values).collect()
    }
}
