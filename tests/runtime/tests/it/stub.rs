//! What the derive implements for a declaration with errors: code that uses the system compiles.

use nhi_runtime::prelude::*;
use nhi_runtime::stub::Anything;
use nhi_runtime::{Acceleration, Error, Failure, Method, NodeState, Remembers, Scalar, System};

struct Broken;

impl System for Broken {
    const NAME: &'static str = "Broken";
    const COORDINATES: &'static [&'static str] = &[];
    const PARAMETERS: &'static [&'static str] = &[];
    const INPUTS: &'static [&'static str] = &[];
    const STATES: &'static [&'static str] = &[];
    const CONSTRAINTS: &'static [&'static str] = &[];

    type Configuration<T: Scalar> = Anything<T>;
    type Velocity<T: Scalar> = Anything<T>;
    type Multipliers<T: Scalar> = Anything<T>;
    type Inputs<T: Scalar> = Anything<T>;
    type States<T: Scalar> = Anything<T>;
    type Parameters<T: Scalar> = Anything<T>;

    fn parameters(&self) -> Anything<f64> {
        Anything::default()
    }

    fn energy<T: Scalar>(_: &Anything<T>, _: &Anything<T>, _: &Anything<T>, _: T) -> T {
        T::from_f64(0.0)
    }

    fn momentum<T: Scalar>(_: &Anything<T>, _: &Anything<T>, v: &Anything<T>, _: T) -> Anything<T> {
        *v
    }

    fn residual<T: Scalar>(
        _: &Anything<T>,
        _: &Anything<T>,
        v: &Anything<T>,
        _: T,
        _: &Anything<T>,
    ) -> Anything<T> {
        *v
    }

    fn residual_scale<T: Scalar>(
        _: &Anything<T>,
        _: &Anything<T>,
        v: &Anything<T>,
        _: T,
        _: &Anything<T>,
    ) -> Anything<T> {
        *v
    }

    fn project_once<T: Scalar>(
        _: &Anything<T>,
        _: &Anything<T>,
        _: &Anything<T>,
        _: T,
        _: &Anything<T>,
    ) -> Result<Anything<T>, Failure> {
        Err(Failure::NonFinite)
    }

    fn acceleration_of<T: Scalar>(
        _: &Anything<T>,
        _: &Anything<T>,
        _: &Anything<T>,
        _: &Anything<T>,
        _: T,
        _: &Anything<T>,
    ) -> Result<Acceleration<Self, T>, Failure> {
        Err(Failure::NonFinite)
    }
}

macro_rules! methods {
    ($($method:ty),*) => {$(
        impl Method<Broken> for $method {
            type Prepared<T: Scalar> = ();
            type State<T: Scalar> = NodeState<Anything<T>, Anything<T>, Anything<T>, Anything<T>>;
            type Memory = Remembers;

            fn id(&self) -> &'static str {
                Self::ID
            }

            fn prepare<T: Scalar>(&self, _: &Anything<T>, _: T) -> Result<(), Failure> {
                Err(Failure::NonFinite)
            }

            fn start<T: Scalar>(
                &self,
                _: &Anything<T>,
                _: T,
                _: &Anything<T>,
                _: &Anything<T>,
                _: &Anything<T>,
                _: T,
                _: &Anything<T>,
            ) -> Result<Self::State<T>, Failure> {
                Err(Failure::NonFinite)
            }

            fn state<T: Scalar>(
                &self,
                _: &Anything<T>,
                _: T,
                _: &Anything<T>,
                _: (&Anything<T>, &Anything<T>),
                _: &Anything<T>,
                _: &Anything<T>,
                _: T,
            ) -> Result<Self::State<T>, Failure> {
                Err(Failure::NonFinite)
            }

            fn step<T: Scalar>(
                &self,
                (): &(),
                _: &Self::State<T>,
                _: T,
                _: &Anything<T>,
            ) -> Result<Self::State<T>, Failure> {
                Err(Failure::NonFinite)
            }
        }
    )*};
}

methods!(Dla2, Rattle, Rk4);

/// Everything that a program does with a simulation.
fn program() -> Result<(), Error> {
    let (q0, v0, inputs) = ([0.0, 0.0], [1.0, 0.0], &[1.0, 2.0]);
    let _ = Broken.acceleration(q0, v0, 0.0, [1.0])?;
    let _ = Broken.acceleration(q0, v0, 0.0, inputs)?;
    let _ = Simulation::project(Broken, Rattle::projected(), [0.0; 3], v0, 0.1)?.parasite()?;
    let mut sim = Simulation::with_inputs(Broken, Dla2, q0, v0, &[0.0, 1.0], 0.1)?;
    sim.step_with(&[1.0])?;
    sim.step_with(&[1.0, 2.0])?;
    let (dv, lambda) = sim.acceleration()?;
    println!("{} {:?} {:?} {} {dv:?} {lambda:?}", sim.time(), sim.q(), sim.v(), sim.energy());
    let speed: f64 = sim.q()[0] + sim.v()[1] + sim.p()[1] + sim.multipliers()[0];
    let sum: f64 = sim.v().iter().sum();
    let largest = sim.q().iter().fold(speed + sum, |m: f64, x| m.max(x.abs()));
    let _: [f64; 2] = sim.q().into();
    for sample in sim.samples(10).take(3) {
        println!("{:?} {largest}", sample?.q[0]);
    }
    let mut other = Simulation::new(Broken, Rk4, q0, v0, 0.1)?;
    other.step()
}

#[test]
fn a_program_compiles_with_a_declaration_that_does_not() {
    // The compiler is the test; what runs, were it to run, refuses.
    assert_eq!(program(), Err(Error::Acceleration { cause: Failure::NonFinite }));
}
