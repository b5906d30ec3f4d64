//! The velocities that the constraints admit as inputs.

use crate::discrete::{Second, by_duals, vector};
use crate::{Dynamics, PlanError, Sizes};
use alloc::borrow::ToOwned;
use alloc::string::String;
use nhi_runtime::{Failure, Reduced, ReducedOf, Scalar, System, Tangential, Vector};

/// Iterations of the mid-point, at most. They converge as powers of the step size times the derivatives of the basis.
const ITERATIONS: usize = 60;

/// The difference of two iterations, relative to the largest entry, at which they end.
const CONVERGED: f64 = 4.0 * f64::EPSILON;

/// The kinematics of a declared system: states are configurations, inputs the quasi-velocities ν, which are held over a step, and
/// steps those of the mid-point rule,
///
/// ```text
/// q' = q ⊕ ξ,   ξ = h (X(q̄) ν + v₀(q̄)),   q̄ = q ⊕ ½ξ.
/// ```
///
/// With ½ Σ h |ν|² as cost, plans are sub-Riemannian geodesics. Derivatives are by dual numbers.
#[derive(Clone, Debug)]
pub struct Kinematic<S: System> {
    parameters: S::Parameters<f64>,
    h: f64,
    t0: f64,
    is_flat: bool,
}

impl<S: Tangential> Kinematic<S> {
    /// Steps of size `h` from time 0.
    ///
    /// # Errors
    /// [`PlanError::Prepare`] if a parameter or the step size is not finite, or the step size zero.
    pub fn new(system: &S, h: f64) -> Result<Self, PlanError> {
        let parameters = system.parameters();
        if parameters.as_ref().iter().any(|x| !x.is_finite()) || !h.is_finite() || h == 0.0 {
            return Err(PlanError::Prepare { cause: Failure::NonFinite });
        }
        Ok(Kinematic { parameters, h, t0: 0.0, is_flat: S::COORDINATES == S::VELOCITIES })
    }

    /// The same with steps from time `t0`.
    #[must_use]
    pub fn from_time(mut self, t0: f64) -> Self {
        self.t0 = t0;
        self
    }

    /// q' and the number of iterations, which is `iterations` if there is one.
    fn moved<T: Scalar>(
        &self,
        k: usize,
        q: &S::Configuration<T>,
        nu: &S::QuasiVelocity<T>,
        iterations: Option<usize>,
    ) -> Result<(S::Configuration<T>, usize), Failure> {
        let parameters = vector(self.parameters.as_ref());
        let number = T::from_f64;
        let (h, t) = (number(self.h), number(self.t0 + (k as f64 + 0.5) * self.h));
        let inputs = S::Inputs::splat(number(0.0));
        let mut xi = S::Velocity::<T>::splat(number(0.0));
        for iteration in 1..=iterations.unwrap_or(ITERATIONS) {
            let mut half = xi;
            half.as_mut().iter_mut().for_each(|x| *x = number(0.5) * *x);
            let middle = q.displaced(half.as_ref());
            let last = core::mem::replace(&mut xi, S::velocity(&parameters, &middle, nu, t, &inputs));
            xi.as_mut().iter_mut().for_each(|x| *x = h * *x);
            let (mut change, mut size) = (0.0_f64, 0.0_f64);
            for (x, y) in xi.as_ref().iter().zip(last.as_ref()) {
                change = change.max((x.to_f64() - y.to_f64()).abs());
                size = size.max(x.to_f64().abs());
            }
            if xi.as_ref().iter().any(|x| !x.to_f64().is_finite()) {
                return Err(Failure::NonFinite);
            }
            if iterations == Some(iteration) || iterations.is_none() && change <= CONVERGED * size {
                return Ok((q.displaced(xi.as_ref()), iteration));
            }
        }
        Err(Failure::NotConverged)
    }

    /// First and second derivatives of w·q' by (q, ν), which are a state of the dynamics without auxiliary states.
    fn derivatives(
        &self,
        k: usize,
        q: &S::Configuration<f64>,
        u: &[f64],
        w: &[f64],
        (jacobian, hessian): (&mut [f64], &mut [f64]),
    ) -> Result<(), Failure> {
        let (after, iterations) = self.moved::<f64>(k, q, &vector(u), None)?;
        let after: S::Configuration<Second> = vector(after.as_ref());
        let Sizes { states, inputs } = self.sizes();
        let at = Reduced { q: *q, nu: vector(u), z: S::States::splat(0.0) };
        by_duals::<S>(&at, &[], states + inputs, w, jacobian, hessian, &|x, _, out| {
            // Derivatives converge as the product of a power and its exponent, so later than values. That of a step which
            // was taken does not fail.
            match self.moved::<Second>(k, &x.q, &x.nu, Some(2 * iterations + 2)) {
                Ok((moved, _)) => after.displacement(&moved, out),
                Err(_) => out.fill(Second::from_f64(f64::NAN)),
            }
        });
        let is_finite = jacobian.iter().chain(&*hessian).all(|x| x.is_finite());
        if is_finite { Ok(()) } else { Err(Failure::NonFinite) }
    }
}

/// n and d of a system.
const fn sizes<S: Tangential>() -> Sizes {
    // Quasi-velocities are an array.
    Sizes { states: S::VELOCITIES.len(), inputs: size_of::<S::QuasiVelocity<f64>>() / size_of::<f64>() }
}

impl<S: Tangential> Dynamics for Kinematic<S> {
    type State = S::Configuration<f64>;

    const SIZES: Option<Sizes> = Some(sizes::<S>());

    fn sizes(&self) -> Sizes {
        sizes::<S>()
    }

    fn entry(&self, i: usize) -> String {
        S::VELOCITIES.get(i).map_or_else(|| format!("x[{i}]"), |name| (*name).to_owned())
    }

    fn step(&self, k: usize, x: &Self::State, u: &[f64]) -> Result<Self::State, Failure> {
        Ok(self.moved(k, x, &vector(u), None)?.0)
    }

    fn linearize(&self, k: usize, x: &Self::State, u: &[f64], ab: &mut [f64]) -> Result<(), Failure> {
        let Sizes { states, inputs } = self.sizes();
        let mut ignored = vec![0.0; (states + inputs) * (states + inputs)];
        self.derivatives(k, x, u, &vec![0.0; states], (ab, &mut ignored))
    }

    fn curvature(
        &self,
        k: usize,
        x: &Self::State,
        u: &[f64],
        w: &[f64],
        hessian: &mut [f64],
    ) -> Result<(), Failure> {
        let Sizes { states, inputs } = self.sizes();
        let mut ignored = vec![0.0; states * (states + inputs)];
        self.derivatives(k, x, u, w, (&mut ignored, hessian))
    }

    fn retract(&self, x: &Self::State, delta: &[f64]) -> Self::State {
        x.displaced(delta)
    }

    fn difference(&self, from: &Self::State, to: &Self::State, delta: &mut [f64]) {
        from.displacement(to, delta);
    }

    fn difference_derivatives(
        &self,
        from: &Self::State,
        to: &Self::State,
        w: &[f64],
        jacobian: &mut [f64],
        hessian: &mut [f64],
    ) {
        let at: ReducedOf<S> = Reduced { q: *to, nu: vector(&[]), z: vector(&[]) };
        let from: S::Configuration<Second> = vector(from.as_ref());
        let n = S::VELOCITIES.len();
        by_duals::<S>(&at, &[], n, w, jacobian, hessian, &|x, _, out| from.displacement(&x.q, out));
    }

    fn is_flat(&self) -> bool {
        self.is_flat
    }
}
