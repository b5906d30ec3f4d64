//! Whether an initial configuration and velocity are admissible.

use crate::fields::converted;
use crate::{Error, Fields, Scalar, System, Vector};

/// Relative error that an entry of q₀ or v₀ may have. Closed forms evaluated in f64 are accurate to
/// 1e-15, numbers read from text with ten decimals to 1e-10; a wrong velocity differs in
/// the first digits. Number types with coarser rounding are accurate to their rounding.
fn relative<T: Scalar>() -> f64 {
    f64::max(1e-10, 16.0 * T::EPSILON)
}

/// Error of an entry relative to the largest one: the residue of a zero that is computed by cancellation.
fn cancelled<T: Scalar>() -> f64 {
    f64::max(1e-15, 4.0 * T::EPSILON)
}

/// The error that the `i`-th entry may have.
fn allowance<T: Scalar>(x: &[f64], i: usize) -> f64 {
    let largest = x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    relative::<T>() * x.get(i).map_or(0.0, |x| x.abs()) + cancelled::<T>() * largest
}

/// `x` with the `i`-th entry changed by the error that it may have.
fn perturbed<T: Scalar, V: Vector<f64>>(x: &V, i: usize) -> V {
    let mut perturbed = *x;
    if let Some(entry) = perturbed.as_mut().get_mut(i) {
        *entry += allowance::<T>(x.as_ref(), i);
    }
    perturbed
}

/// Converts numbers `T` to `f64`.
fn values<T: Scalar, A: Fields<T>, B: Fields<f64>>(numbers: &A) -> B {
    converted(numbers, T::from_f64(0.0), T::to_f64)
}

/// Checks that the pose of `q` is valid within the accuracy of its entries. An entry of RᵀR is a sum of three products:
/// the errors of their six factors together contribute at most 2√3 times one error.
pub(crate) fn check_pose<S: System, T: Scalar>(q: &S::Configuration<T>) -> Result<(), Error> {
    let defect = q.defect();
    if defect <= 4.0 * relative::<T>() {
        return Ok(());
    }
    // Only entries of a rotation matrix have two indices in their names.
    let name = S::COORDINATES.iter().find_map(|name| name.strip_suffix("[0][0]")).unwrap_or_default();
    Err(Error::Pose { name, defect })
}

/// Checks that g(q, t) vanishes within the accuracy of `q`, as [`check`] does for velocities.
pub(crate) fn check_position<S: System, T: Scalar>(
    parameters: &S::Parameters<T>,
    q: &S::Configuration<T>,
    t: T,
) -> Result<(), Error> {
    let (parameters, q, t) = (&values(parameters), &values(q), t.to_f64());
    let residuals = S::position::<f64>(parameters, q, t);
    let scales = S::position_scale::<f64>(parameters, q, t);
    let first = S::CONSTRAINTS.len() - residuals.as_ref().len();
    let all = S::CONSTRAINTS[first..].iter().zip(residuals.as_ref()).zip(scales.as_ref());
    for (a, ((name, &residual), scale)) in all.enumerate() {
        let mut tolerance = scale * relative::<T>();
        for i in 0..q.as_ref().len() {
            let q = perturbed::<T, S::Configuration<f64>>(q, i);
            let moved = S::position::<f64>(parameters, &q, t);
            let moved = moved.as_ref().get(a).map_or(0.0, |g| (g - residual).abs());
            tolerance += if moved.is_finite() { moved } else { 0.0 };
        }
        if !(residual.is_finite() && residual.abs() <= tolerance) {
            return Err(Error::Position { name, residual });
        }
    }
    Ok(())
}

/// Most Gauss–Newton steps to a configuration. They converge quadratically.
const MAX_CORRECTIONS: usize = 50;

/// A configuration near `q` at which the position constraints hold: Gauss–Newton steps as long as they reduce |g|.
pub(crate) fn corrected<S: System, T: Scalar>(
    parameters: &S::Parameters<T>,
    q: &S::Configuration<T>,
    t: T,
) -> Result<S::Configuration<T>, Error> {
    let size = |q: &S::Configuration<T>| {
        let g = S::position::<T>(parameters, q, t);
        g.as_ref().iter().fold(0.0, |size: f64, g| size.max(g.to_f64().abs()))
    };
    let (mut q, mut best) = (*q, size(q));
    for _ in 0..MAX_CORRECTIONS {
        if best == 0.0 {
            break;
        }
        let next = S::correct(parameters, &q, t).map_err(|cause| Error::Projection { cause })?;
        let reached = size(&next);
        if reached < best {
            (q, best) = (next, reached);
        } else {
            break;
        }
    }
    Ok(q)
}

/// Checks that μv + μ₀ vanishes within the accuracy of `q` and `v`.
///
/// The size of the terms is not a sufficient scale: sin θ · dx − cos θ · dy with dx = 0 and θ = π/2
/// is −6e-17 dy, all of it rounding error of θ. Therefore each entry is perturbed by the error that it
/// may have, and the tolerance of the residual is the sum of the changes.
pub(crate) fn check<S: System, T: Scalar>(
    parameters: &S::Parameters<T>,
    q: &S::Configuration<T>,
    v: &S::Velocity<T>,
    t: T,
    inputs: &S::Inputs<T>,
) -> Result<(), Error> {
    let (parameters, q, v) = (&values(parameters), &values(q), &values(v));
    let (t, inputs) = (t.to_f64(), &values(inputs));
    let residual = S::residual(parameters, q, v, t, inputs);
    let mut tolerance = S::residual_scale(parameters, q, v, t, inputs);
    for tolerance in tolerance.as_mut() {
        *tolerance *= relative::<T>();
    }
    let mut allow = |moved: S::Multipliers<f64>| {
        for ((tolerance, moved), residual) in
            tolerance.as_mut().iter_mut().zip(moved.as_ref()).zip(residual.as_ref())
        {
            // Near the boundary of its domain a perturbed residual may be undefined; it is then ignored.
            let change = (moved - residual).abs();
            *tolerance += if change.is_finite() { change } else { 0.0 };
        }
    };
    for i in 0..q.as_ref().len() {
        allow(S::residual(parameters, &perturbed::<T, S::Configuration<f64>>(q, i), v, t, inputs));
    }
    for i in 0..v.as_ref().len() {
        allow(S::residual(parameters, q, &perturbed::<T, S::Velocity<f64>>(v, i), t, inputs));
    }
    let violated = S::CONSTRAINTS
        .iter()
        .zip(residual.as_ref().iter().zip(tolerance.as_ref()))
        .find(|(_, (residual, tolerance))| !(residual.is_finite() && residual.abs() <= **tolerance));
    match violated {
        Some((name, (&residual, _))) => Err(Error::Constraint { name, residual }),
        None => Ok(()),
    }
}
