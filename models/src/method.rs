//! The methods, by the ids of the literature tables and the reference data.

use crate::Trajectory;
use nhi_runtime::{Dla2, DlaRattle, Emits, Error, Rattle, Rk2Midpoint, Rk4, Simulation, System};

/// What kind of map a method is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// Discrete Lagrange–d'Alembert: a one-step map on the constraint manifold.
    Dla,
    /// Geometric nonholonomic integrator: reflects the momentum at every node.
    Gni,
    /// Runge–Kutta on the index-reduced equations: drifts off the constraints.
    RungeKutta,
}

/// A row of the method table.
#[derive(Debug)]
#[non_exhaustive]
pub struct Method {
    /// Name on the command line and in reference data.
    pub id: &'static str,
    /// Kind.
    pub family: Family,
    /// Order of convergence.
    pub order: u32,
    /// Whether the step −h undoes the step h.
    pub symmetric: bool,
}

/// The table of methods, and the dispatch from an id to the method's value. `$system` emits
/// `$marker`.
macro_rules! methods {
    ($($id:literal $family:ident $order:literal $symmetric:literal $value:expr;)* emitted $($marker:ty),*) => {
        /// All methods.
        pub const METHODS: &[Method] = &[
            $(Method { id: $id, family: Family::$family, order: $order, symmetric: $symmetric },)*
        ];

        /// A system whose declaration asks for all methods of the table.
        pub trait Emitted: System $(+ Emits<$marker>)* {}
        impl<S: System $(+ Emits<$marker>)*> Emitted for S {}

        /// A simulation with the method `method`.
        pub(crate) fn start<S: Emitted + 'static>(
            system: S,
            method: &Method,
            q0: S::Configuration<f64>,
            v0: S::Velocity<f64>,
            inputs: S::Inputs<f64>,
            h: f64,
        ) -> Result<Box<dyn Trajectory>, Error> {
            match method.id {
                $($id => boxed(Simulation::with_inputs(system, $value, q0, v0, &inputs, h)),)*
                id => unreachable!("{id} is not in the table"),
            }
        }
    };
}

methods! {
    "dla2" Dla 2 true Dla2;
    "dla_rattle" Dla 2 true DlaRattle;
    "rattle" Gni 2 true Rattle;
    "rattle_projected" Gni 2 true Rattle::projected();
    "rk2_midpoint" RungeKutta 2 false Rk2Midpoint;
    "rk4" RungeKutta 4 false Rk4;
    emitted Dla2, DlaRattle, Rattle, Rk2Midpoint, Rk4
}

fn boxed<T: Trajectory + 'static>(simulation: Result<T, Error>) -> Result<Box<dyn Trajectory>, Error> {
    Ok(Box::new(simulation?))
}
