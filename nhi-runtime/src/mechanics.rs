use crate::{Acceleration, Error, System};
use core::borrow::Borrow;

/// What can be asked of a system without a simulation.
pub trait Mechanics: System {
    /// dv/dt and the multipliers λ of the continuous equations
    /// d/dt ∂L/∂v − ∂L/∂q − f = μᵀλ, μv + μ₀ = 0 at (q, v), time t and the given inputs.
    ///
    /// # Errors
    /// [`Error::Acceleration`] where the mass matrix or the constraints are singular.
    fn acceleration(
        &self,
        q: impl Into<Self::Configuration<f64>>,
        v: impl Into<Self::Velocity<f64>>,
        t: f64,
        inputs: impl Borrow<Self::Inputs<f64>>,
    ) -> Result<Acceleration<Self, f64>, Error> {
        Self::acceleration_of(&self.parameters(), &q.into(), &v.into(), t, inputs.borrow())
            .map_err(|cause| Error::Acceleration { cause })
    }
}

impl<S: System> Mechanics for S {}
