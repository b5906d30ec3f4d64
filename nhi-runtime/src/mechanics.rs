use crate::{Acceleration, Error, Scalar, System, Vector};
use core::borrow::Borrow;

/// Functions of a system that need no simulation.
pub trait Mechanics: System {
    /// dv/dt and the multipliers λ of the continuous equations
    /// d/dt ∂L/∂v − ∂L/∂q − f = μᵀλ, μv + μ₀ = 0 at (q, v), time t and the given inputs.
    ///
    /// # Errors
    /// [`Error::Acceleration`] where the mass matrix or the constraints are singular.
    ///
    /// Auxiliary states are zero here; [`System::acceleration_of`] takes their values.
    fn acceleration(
        &self,
        q: impl Into<Self::Configuration<f64>>,
        v: impl Into<Self::Velocity<f64>>,
        t: f64,
        inputs: impl Borrow<Self::Inputs<f64>>,
    ) -> Result<Acceleration<Self, f64>, Error> {
        let z = Self::States::splat(0.0);
        Self::acceleration_of(&self.parameters(), &q.into(), &v.into(), &z, t, inputs.borrow())
            .map_err(|cause| Error::Acceleration { cause })
    }

    /// The reaction μᵀλ of multipliers `lambda` at time `t`: the work per displacement along each coordinate, a
    /// force for a length and a torque for an angle. With λ from [`Mechanics::acceleration`] it is the reaction
    /// of the continuous equations.
    fn reaction(
        &self,
        q: impl Into<Self::Configuration<f64>>,
        lambda: impl Into<Self::Multipliers<f64>>,
        t: f64,
    ) -> Self::Velocity<f64> {
        reaction::<Self, f64>(&self.parameters(), &q.into(), t, &lambda.into())
    }
}

impl<S: System> Mechanics for S {}

/// μᵀλ. The constraints μv + μ₀ are affine in v, so the columns of μ are their differences. Inputs act on μ₀ alone.
pub(crate) fn reaction<S: System + ?Sized, T: Scalar>(
    parameters: &S::Parameters<T>,
    q: &S::Configuration<T>,
    t: T,
    lambda: &S::Multipliers<T>,
) -> S::Velocity<T> {
    let inputs = S::Inputs::<T>::splat(T::from_f64(0.0));
    let at_rest = S::Velocity::<T>::splat(T::from_f64(0.0));
    let mu_t = S::residual(parameters, q, &at_rest, t, &inputs);
    let mut force = at_rest;
    for (i, force) in force.as_mut().iter_mut().enumerate() {
        let mut along = at_rest;
        if let Some(along) = along.as_mut().get_mut(i) {
            *along = T::from_f64(1.0);
        }
        let column = S::residual(parameters, q, &along, t, &inputs);
        let mu = column.as_ref().iter().zip(mu_t.as_ref()).map(|(&mu, &mu_t)| mu - mu_t);
        *force = sum(mu.zip(lambda.as_ref()).map(|(mu, &lambda)| mu * lambda));
    }
    force
}

/// The sum of `terms`.
pub(crate) fn sum<T: Scalar>(terms: impl Iterator<Item = T>) -> T {
    terms.fold(T::from_f64(0.0), |sum, x| sum + x)
}
