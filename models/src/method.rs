//! The methods, by the ids of the literature tables and the reference data.

use crate::Trajectory;
use nhi_runtime::{
    Compose, Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Emits, Error, GniEulerA,
    GniEulerAb, GniEulerB, GniMidpoint, Rattle, RattleRestarted, Rk2Heun, Rk2Midpoint, Rk4, System,
};

/// What kind of map a method is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// Discrete Lagrange–d'Alembert: a one-step map on the constraint manifold.
    Dla,
    /// A composition of such maps.
    Composed,
    /// Geometric nonholonomic integrator: reflects the momentum at every node.
    Gni,
    /// Such a method restarted at every node: a one-step map on the constraint manifold, not reversible.
    Restarted,
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
    /// The method whose step −h undoes this one's step h: itself, if it is symmetric.
    pub adjoint: Option<&'static str>,
}

/// The method table, and the dispatch from an id to the method's value; `emitted` lists the types
/// whose step functions all of them need.
macro_rules! methods {
    ($($id:literal $family:ident $order:literal $adjoint:expr, $value:expr;)* emitted $($marker:ty),*) => {
        /// All methods.
        pub const METHODS: &[Method] = &[
            $(Method { id: $id, family: Family::$family, order: $order, adjoint: $adjoint },)*
        ];

        /// A system in coordinates whose declaration asks for the step functions of all methods.
        pub trait Emitted: System $(+ Emits<$marker>)* {}
        impl<S: System $(+ Emits<$marker>)*> Emitted for S {}

        impl<S: Emitted + Clone + Sync + 'static> Simulated for S {
            const METHODS: &'static [Method] = METHODS;

            simulate!($($id $family $order $adjoint, $value;)*);
        }
    };
}

/// A system that can be simulated with every method of a table.
pub trait Simulated: System + Clone + Sync + 'static {
    /// The table.
    const METHODS: &'static [Method];

    /// A simulation with `method`.
    ///
    /// # Errors
    /// As [`Simulation::with_inputs`](nhi_runtime::Simulation::with_inputs).
    fn simulate(
        self,
        method: &Method,
        q0: Self::Configuration<f64>,
        v0: Self::Velocity<f64>,
        inputs: Self::Inputs<f64>,
        h: f64,
    ) -> Result<Box<dyn Trajectory>, Error>;
}

macro_rules! simulate {
    ($($id:literal $family:ident $order:literal $adjoint:expr, $value:expr;)*) => {
        fn simulate(
            self,
            method: &$crate::Method,
            q0: Self::Configuration<f64>,
            v0: Self::Velocity<f64>,
            inputs: Self::Inputs<f64>,
            h: f64,
        ) -> Result<Box<dyn $crate::Trajectory>, nhi_runtime::Error> {
            match method.id {
                $($id => $crate::method::boxed(
                    nhi_runtime::Simulation::with_inputs(self, $value, q0, v0, &inputs, h)
                ),)*
                id => unreachable!("{id} is not in the table"),
            }
        }
    };
}
pub(crate) use simulate;

methods! {
    "dla1" Dla 1 Some("dla1_adjoint"), Dla1;
    "dla1_adjoint" Dla 1 Some("dla1"), Dla1Adjoint;
    "dla2" Dla 2 Some("dla2"), Dla2;
    "dla2_midpoint" Dla 2 Some("dla2_midpoint"), Dla2Midpoint;
    "dla_rattle" Dla 2 Some("dla_rattle"), DlaRattle;
    "dla_rattle_midpoint" Dla 2 Some("dla_rattle_midpoint"), DlaRattleMidpoint;
    "dla2_triple4" Composed 4 Some("dla2_triple4"), Compose::triple4(Dla2);
    "dla2_suzuki4" Composed 4 Some("dla2_suzuki4"), Compose::suzuki4(Dla2);
    "dla2_yoshida6" Composed 6 Some("dla2_yoshida6"), Compose::yoshida6(Dla2);
    "dla2_kahanli6" Composed 6 Some("dla2_kahanli6"), Compose::kahanli6(Dla2);
    "dla2_suzukiumeno8" Composed 8 Some("dla2_suzukiumeno8"), Compose::suzukiumeno8(Dla2);
    "dla2_kahanli8" Composed 8 Some("dla2_kahanli8"), Compose::kahanli8(Dla2);
    "dla_rattle_suzuki4" Composed 4 Some("dla_rattle_suzuki4"), Compose::suzuki4(DlaRattle);
    "dla_rattle_kahanli6" Composed 6 Some("dla_rattle_kahanli6"), Compose::kahanli6(DlaRattle);
    "rattle" Gni 2 Some("rattle"), Rattle;
    "rattle_projected" Gni 2 Some("rattle_projected"), Rattle::projected();
    "rattle_restarted" Restarted 2 None, RattleRestarted;
    "gni_midpoint" Gni 2 Some("gni_midpoint"), GniMidpoint;
    "gni_euler_a" Gni 1 Some("gni_euler_b"), GniEulerA;
    "gni_euler_b" Gni 1 Some("gni_euler_a"), GniEulerB;
    "gni_euler_ab" Gni 2 Some("gni_euler_ab"), GniEulerAb;
    "rk2_midpoint" RungeKutta 2 None, Rk2Midpoint;
    "rk2_heun" RungeKutta 2 None, Rk2Heun;
    "rk4" RungeKutta 4 None, Rk4;
    emitted Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rattle, RattleRestarted,
        GniMidpoint, GniEulerA, GniEulerB, Rk2Midpoint, Rk2Heun, Rk4
}

pub(crate) fn boxed<T: Trajectory + 'static>(
    simulation: Result<T, Error>,
) -> Result<Box<dyn Trajectory>, Error> {
    Ok(Box::new(simulation?))
}
