//! A model whose steps and functions are compiled at run time.

use nhi_jit::{Compiled, Point, Simulation};
use nhi_methods::Variant;
use nhi_models::{Instance, Method, Model, Node, Phase, Trajectory};
use nhi_runtime::{Error, Failure};
use nhi_tests::with_methods::with_methods;

/// The same model with compiled methods.
pub(crate) fn at_run_time<'a>(model: &'a dyn Model, compiled: &Compiled) -> impl Model + use<'a> {
    let variants: Vec<Variant> = compiled.variants().collect();
    let has =
        |method: &Method| Variant::with_id(method.id).is_some_and(|variant| variants.contains(&variant));
    let compiled = compiled.clone();
    with_methods(model, &has, move |parameters| {
        Box::new(CompiledInstance {
            derived: model.instance(parameters),
            compiled: compiled.clone(),
            constraints: model.constraints(),
        })
    })
}

struct CompiledInstance {
    derived: Box<dyn Instance>,
    compiled: Compiled,
    constraints: &'static [&'static str],
}

impl CompiledInstance {
    fn with<T>(&self, q: &[f64], v: &[f64], evaluate: impl Fn(&Compiled, &Point<'_>) -> T) -> T {
        let (parameters, inputs) = (self.derived.parameters(), vec![0.0; self.compiled.inputs().len()]);
        evaluate(&self.compiled, &Point { parameters: &parameters, q, v, z: &[], t: 0.0, inputs: &inputs })
    }

    /// The runtime's error, whose names are static.
    fn error(&self, error: nhi_jit::Error) -> Error {
        let named =
            |name: &str| *self.constraints.iter().find(|known| **known == name).expect("a constraint");
        match error {
            nhi_jit::Error::Constraint { name, residual } => {
                Error::Constraint { name: named(&name), residual }
            }
            nhi_jit::Error::Position { name, residual } => Error::Position { name: named(&name), residual },
            nhi_jit::Error::Start { cause } => Error::Start { cause },
            nhi_jit::Error::Step { step, time, cause } => Error::Step { step, time, cause },
            other => panic!("{other}"),
        }
    }
}

impl Instance for CompiledInstance {
    fn parameters(&self) -> Vec<f64> {
        self.derived.parameters()
    }

    fn initial(&self) -> Phase {
        self.derived.initial()
    }

    fn solution(&self, t: f64) -> Option<Phase> {
        self.derived.solution(t)
    }

    fn energy(&self, q: &[f64], v: &[f64]) -> f64 {
        self.with(q, v, Compiled::energy)
    }

    fn momentum(&self, q: &[f64], v: &[f64]) -> Vec<f64> {
        self.with(q, v, Compiled::momentum)
    }

    fn residual(&self, q: &[f64], v: &[f64]) -> Vec<f64> {
        self.with(q, v, Compiled::residual)
    }

    fn invariants(&self, q: &[f64], v: &[f64]) -> Vec<f64> {
        self.derived.invariants(q, v)
    }

    fn project(&self, q: &[f64], v: &[f64]) -> Result<Vec<f64>, Failure> {
        self.with(q, v, Compiled::project)
    }

    fn acceleration(&self, q: &[f64], v: &[f64], t: f64, inputs: &[f64]) -> Result<Phase, Failure> {
        let parameters = self.derived.parameters();
        let found =
            self.compiled.acceleration(&Point { parameters: &parameters, q, v, z: &[], t, inputs })?;
        Ok((found.a, found.lambda))
    }

    fn flow(&self, t0: f64, q: &[f64], v: &[f64], inputs: &[f64], t1: f64) -> Result<Phase, Failure> {
        self.derived.flow(t0, q, v, inputs, t1)
    }

    fn start(
        &self,
        method: &Method,
        q0: &[f64],
        v0: &[f64],
        inputs: &[f64],
        h: f64,
    ) -> Result<Box<dyn Trajectory>, Error> {
        let variant = Variant::with_id(method.id).expect("a compiled method");
        let parameters = self.derived.parameters();
        let simulation = Simulation::with_inputs(&self.compiled, variant, &parameters, q0, v0, inputs, h);
        let simulation = simulation.map_err(|error| self.error(error))?;
        Ok(Box::new(CompiledTrajectory { simulation }))
    }
}

struct CompiledTrajectory {
    simulation: Simulation,
}

/// The runtime's error of a step.
fn error_of_step(error: nhi_jit::Error) -> Error {
    match error {
        nhi_jit::Error::Step { step, time, cause } => Error::Step { step, time, cause },
        other => panic!("{other}"),
    }
}

impl Trajectory for CompiledTrajectory {
    fn step(&mut self) -> Result<(), Error> {
        self.simulation.step().map_err(error_of_step)
    }

    fn advance(&mut self, steps: u64) -> Result<(), Error> {
        self.simulation.advance(steps).map_err(error_of_step)
    }

    fn step_with(&mut self, inputs: &[f64]) -> Result<(), Error> {
        self.simulation.step_with(inputs).map_err(error_of_step)
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
        let [before, after] = simulation.jump().map(|v| {
            let (parameters, q, inputs) = (simulation.parameters(), simulation.q(), simulation.inputs());
            simulation.compiled().momentum(&Point { parameters, q, v, z: &[], t: simulation.time(), inputs })
        });
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
            other => panic!("{other}"),
        };
        let (before, after) = &from.jump;
        let simulation = self.simulation.from_node(from.t, &from.q, [before, after], h).map_err(failure)?;
        let mut trajectory = CompiledTrajectory { simulation };
        trajectory.simulation.advance(steps).map_err(failure)?;
        Ok(trajectory.node())
    }

    fn momenta(&self) -> Vec<(&'static str, f64)> {
        let named = |(name, momentum): (&str, f64)| (&*Box::leak(name.to_owned().into_boxed_str()), momentum);
        self.simulation.momenta().into_iter().map(named).collect()
    }
}
