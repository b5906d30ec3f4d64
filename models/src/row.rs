use crate::{Instance, Method, Model, Phase, Simulated, Trajectory};
use nhi_run::flow;
use nhi_run::model::Declared;
use nhi_runtime::{Error, Factor, Failure, Posed, System, Vector};

/// A configuration and a velocity of `S`.
type PhaseOf<S> = (<S as System>::Configuration<f64>, <S as System>::Velocity<f64>);

/// A model of `nhi_run::model::MODELS`, which has its facts, as a type whose steps rustc has compiled.
pub struct Row<S: System + 'static> {
    /// Name, also on the command line and in reference data.
    pub name: &'static str,
    /// Whether it is one of the models for methods on groups. Two models of one name differ in this.
    pub on_group: bool,
    /// The system with the parameters `p`, in order.
    pub build: fn(S::Parameters<f64>) -> S,
    /// The solution that starts at the initial data, at time t.
    pub solution: Option<fn(&S, f64) -> PhaseOf<S>>,
}

impl<S: System> Row<S> {
    /// The system with its default parameters.
    pub fn example(&self) -> S {
        (self.build)(vector(&self.declared().defaults()))
    }

    /// Initial data (q₀, v₀) on the constraint manifold.
    pub fn start(&self, system: &S) -> PhaseOf<S> {
        let (q, v) = self.declared().instance(system.parameters().as_ref()).initial();
        (vector(&q), vector(&v))
    }

    /// Its facts.
    ///
    /// # Panics
    /// Where there is no model of its name, and where no machine code can be run.
    fn declared(&self) -> &'static Declared {
        nhi_run::model::loaded(self.name, self.on_group).unwrap_or_else(|error| panic!("{error}"))
    }
}

impl<S: Simulated<Configuration<f64>: Rates>> Model for Row<S> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn system(&self) -> &'static str {
        S::NAME
    }

    fn summary(&self) -> &'static str {
        self.declared().summary()
    }

    fn coordinates(&self) -> &'static [&'static str] {
        S::COORDINATES
    }

    fn reference_coordinates(&self) -> &'static [&'static str] {
        self.declared().reference_coordinates()
    }

    fn velocities(&self) -> &'static [&'static str] {
        S::VELOCITIES
    }

    fn group(&self) -> Option<String> {
        <S::Configuration<f64> as Rates>::GROUP.map(str::to_owned)
    }

    fn shape(&self) -> usize {
        <S::Configuration<f64> as Rates>::SHAPE
    }

    fn methods(&self) -> &'static [Method] {
        S::methods()
    }

    fn constraints(&self) -> &'static [&'static str] {
        S::CONSTRAINTS
    }

    fn inputs(&self) -> &'static [&'static str] {
        S::INPUTS
    }

    fn parameters(&self) -> &'static [&'static str] {
        S::PARAMETERS
    }

    fn defaults(&self) -> Vec<f64> {
        self.declared().defaults()
    }

    fn conservative(&self) -> bool {
        self.declared().conservative()
    }

    fn invariants(&self) -> Vec<&'static str> {
        self.declared().invariants()
    }

    fn instance(&self, parameters: &[f64]) -> Box<dyn Instance> {
        let system = (self.build)(vector(parameters));
        Box::new(Values {
            parameters: system.parameters(),
            system,
            declared: self.declared().instance(parameters),
            solution: self.solution,
        })
    }
}

/// A row with values of its parameters.
struct Values<S: System + 'static> {
    system: S,
    parameters: S::Parameters<f64>,
    /// The same without rustc, for what the facts say.
    declared: Box<dyn Instance>,
    solution: Option<fn(&S, f64) -> PhaseOf<S>>,
}

impl<S: Simulated<Configuration<f64>: Rates>> Instance for Values<S> {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.as_ref().to_vec()
    }

    fn initial(&self) -> Phase {
        self.declared.initial()
    }

    fn solution(&self, t: f64) -> Option<Phase> {
        self.solution.map(|solution| phase::<S>(solution(&self.system, t)))
    }

    fn energy(&self, q: &[f64], v: &[f64]) -> f64 {
        S::energy(&self.parameters, &vector(q), &vector(v), 0.0)
    }

    fn momentum(&self, q: &[f64], v: &[f64]) -> Vec<f64> {
        S::momentum(&self.parameters, &vector(q), &vector(v), 0.0).as_ref().to_vec()
    }

    fn residual(&self, q: &[f64], v: &[f64]) -> Vec<f64> {
        S::residual(&self.parameters, &vector(q), &vector(v), 0.0, &S::Inputs::splat(0.0)).as_ref().to_vec()
    }

    fn invariants(&self, q: &[f64], v: &[f64]) -> Vec<f64> {
        self.declared.invariants(q, v)
    }

    fn project(&self, q: &[f64], v: &[f64]) -> Result<Vec<f64>, Failure> {
        Ok(S::project(&self.parameters, &vector(q), &vector(v), 0.0, &S::Inputs::splat(0.0))?
            .as_ref()
            .to_vec())
    }

    fn acceleration(&self, q: &[f64], v: &[f64], t: f64, inputs: &[f64]) -> Result<Phase, Failure> {
        let (z, inputs) = (S::States::splat(0.0), vector(inputs));
        let (a, lambda) = S::acceleration_of(&self.parameters, &vector(q), &vector(v), &z, t, &inputs)?;
        Ok((a.as_ref().to_vec(), lambda.as_ref().to_vec()))
    }

    fn flow(&self, t0: f64, q: &[f64], v: &[f64], inputs: &[f64], t1: f64) -> Result<Phase, Failure> {
        let n = q.len();
        let mut field = |t: f64, y: &[f64], dy: &mut [f64]| {
            let (q, v) = y.split_at(n);
            let (a, _) = self.acceleration(q, v, t, inputs)?;
            let rates = vector::<S::Configuration<f64>>(q).rates(v);
            dy[..n].copy_from_slice(rates.as_ref());
            dy[n..].copy_from_slice(&a);
            Ok(())
        };
        let y = flow(&mut field, t0, &[q, v].concat(), t1, LARGEST_STEP)?;
        let (q, v) = y.split_at(n);
        Ok((q.to_vec(), v.to_vec()))
    }

    fn start(
        &self,
        method: &Method,
        q0: &[f64],
        v0: &[f64],
        inputs: &[f64],
        h: f64,
    ) -> Result<Box<dyn Trajectory>, Error> {
        self.system.clone().simulate(method, vector(q0), vector(v0), vector(inputs), h)
    }
}

/// Configurations, in coordinates or with a pose.
pub trait Rates {
    /// Name of the group factor.
    const GROUP: Option<&'static str>;
    /// Number of coordinates beside its pose.
    const SHAPE: usize;

    /// dq/dt for a velocity.
    fn rates(&self, v: &[f64]) -> Self;
}

impl<const N: usize> Rates for [f64; N] {
    const GROUP: Option<&'static str> = None;
    const SHAPE: usize = N;

    fn rates(&self, v: &[f64]) -> Self {
        vector(v)
    }
}

impl<G: Factor, const K: usize, const N: usize> Rates for Posed<G, f64, K, N> {
    const GROUP: Option<&'static str> = Some(G::NAME);
    const SHAPE: usize = K;

    fn rates(&self, v: &[f64]) -> Self {
        let (r, xi) = v.split_at(K);
        let pose = G::rates(&vector(self.pose()), &vector(xi));
        vector(&[r, pose.as_ref()].concat())
    }
}

/// Largest step of the exact flow: short beside every period of the models.
const LARGEST_STEP: f64 = 0.1;

fn phase<S: System>((q, v): PhaseOf<S>) -> Phase {
    (q.as_ref().to_vec(), v.as_ref().to_vec())
}

/// `entries` as a fixed-length vector.
///
/// # Panics
/// If their number is wrong.
pub(crate) fn vector<V: Vector<f64>>(entries: &[f64]) -> V {
    let mut vector = V::splat(0.0);
    vector.as_mut().copy_from_slice(entries);
    vector
}
