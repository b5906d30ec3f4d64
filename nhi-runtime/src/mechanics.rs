use crate::balance::subtract;
use crate::{Acceleration, Error, Fits, Scalar, Symmetry, System, Vector};
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
        q: impl Fits<Self::Configuration<f64>>,
        v: impl Fits<Self::Velocity<f64>>,
        t: f64,
        inputs: impl Borrow<Self::Inputs<f64>>,
    ) -> Result<Acceleration<Self, f64>, Error> {
        let z = Self::States::splat(0.0);
        Self::acceleration_of(&self.parameters(), &q.fit(), &v.fit(), &z, t, inputs.borrow())
            .map_err(|cause| Error::Acceleration { cause })
    }

    /// The reaction μᵀλ of multipliers `lambda` at time `t`: the work per displacement along each coordinate, a
    /// force for a length and a torque for an angle. With λ from [`Mechanics::acceleration`] it is the reaction
    /// of the continuous equations.
    fn reaction(
        &self,
        q: impl Fits<Self::Configuration<f64>>,
        lambda: impl Fits<Self::Multipliers<f64>>,
        t: f64,
    ) -> Self::Velocity<f64> {
        reaction::<Self, f64>(&self.parameters(), &q.fit(), t, &lambda.fit())
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

/// Names of nonholonomic momenta. No group has more dimensions.
const NAMES: [&str; 6] = ["J_1", "J_2", "J_3", "J_4", "J_5", "J_6"];

/// (q, v, z)
type Motion<S, T> = (<S as System>::Configuration<T>, <S as System>::Velocity<T>, <S as System>::States<T>);

/// Names and values of the momenta of symmetries, of those with reactions, and of nonholonomic momenta.
pub(crate) fn momenta<S: System, T: Scalar>(
    parameters: &S::Parameters<T>,
    (q, v, _): &Motion<S, T>,
    t: T,
) -> impl Iterator<Item = (&'static str, T)> + use<S, T> {
    let p = S::momentum(parameters, q, v, t);
    let constant = S::SYMMETRIES.iter().chain(S::INVARIANCES).map(move |s| (s.momentum, along(&p, s)));
    let basis = S::momentum_basis(parameters, q, t);
    let vertical = NAMES.iter().enumerate().map_while(move |(b, name)| {
        let e = basis.as_ref().get(b)?;
        Some((*name, sum(p.as_ref().iter().zip(e.as_ref()).map(|(&p, &e)| p * e))))
    });
    constant.chain(vertical)
}

/// Their rates by the continuous equations.
pub(crate) fn momentum_rates<S: System, T: Scalar>(
    parameters: &S::Parameters<T>,
    (q, v, z): &Motion<S, T>,
    t: T,
    inputs: &S::Inputs<T>,
) -> Result<impl Iterator<Item = T> + use<S, T>, Error> {
    let (a, lambda) =
        S::acceleration_of(parameters, q, v, z, t, inputs).map_err(|cause| Error::Acceleration { cause })?;
    // M dv/dt.
    let mut inertial = S::momentum(parameters, q, &a, t);
    let at_rest = S::momentum(parameters, q, &S::Velocity::splat(T::from_f64(0.0)), t);
    subtract(inertial.as_mut(), at_rest.as_ref());
    let reaction = reaction::<S, T>(parameters, q, t, &lambda);
    let conserved = S::SYMMETRIES.iter().map(|_| T::from_f64(0.0));
    let others = S::INVARIANCES.iter().map(move |s| along(&reaction, s));
    let basis = S::momentum_basis(parameters, q, t);
    let drift = S::momentum_drift(parameters, q, v, t);
    let vertical = (0..NAMES.len()).map_while(move |b| {
        let (e, &drift) = (basis.as_ref().get(b)?, drift.as_ref().get(b)?);
        Some(sum(inertial.as_ref().iter().zip(e.as_ref()).map(|(&x, &e)| x * e)) + drift)
    });
    Ok(conserved.chain(others).chain(vertical))
}

/// The mean of all numbers.
pub(crate) fn mean<S: System, T: Scalar>(first: &Motion<S, T>, last: &Motion<S, T>) -> Motion<S, T> {
    fn halves<T: Scalar>(x: &mut [T], y: &[T]) {
        x.iter_mut().zip(y).for_each(|(x, &y)| *x = T::from_f64(0.5) * (*x + y));
    }
    let mut mean = *first;
    halves(mean.0.as_mut(), last.0.as_ref());
    halves(mean.1.as_mut(), last.1.as_ref());
    halves(mean.2.as_mut(), last.2.as_ref());
    mean
}

/// The component of a covector along a symmetry.
fn along<T: Scalar>(covector: &impl AsRef<[T]>, symmetry: &Symmetry) -> T {
    let terms = covector.as_ref().iter().zip(symmetry.direction);
    sum(terms.map(|(&x, &xi)| x * T::from_f64(xi)))
}

/// The sum of `terms`.
pub(crate) fn sum<T: Scalar>(terms: impl Iterator<Item = T>) -> T {
    terms.fold(T::from_f64(0.0), |sum, x| sum + x)
}
