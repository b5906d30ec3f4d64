//! A model whose steps and functions are compiled at run time.

use nhi_jit::{Compiled, Point, Simulation};
use nhi_methods::Variant;
use nhi_models::{Instance, Method, Model, Phase, Trajectory};
use nhi_run::model::AtRunTime;
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
        let symmetries = simulation.momenta();
        let symmetries = symmetries.iter().map(|(name, _)| &*(*name).to_owned().leak()).collect::<Vec<_>>();
        Ok(Box::new(AtRunTime::new(simulation, symmetries.leak())))
    }
}
