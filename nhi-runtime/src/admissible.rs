//! Whether an initial configuration and velocity are admissible.

use crate::fields::converted;
use crate::{Error, Failure, Fields, Scalar, System, Vector};

/// How far entries of q₀ and v₀ may be off.
#[derive(Clone, Copy, Debug)]
pub struct Accuracy {
    /// Relative to the entry. Closed forms evaluated in f64 are accurate to 1e-15, numbers read from text with ten decimals
    /// to 1e-10; a wrong velocity differs in the first digits.
    pub relative: f64,
    /// Relative to the largest entry: the residue of a zero that is computed by cancellation.
    cancelled: f64,
}

impl Accuracy {
    /// That of numbers with the rounding `epsilon`. Number types with coarser rounding are accurate to their rounding.
    pub fn of(epsilon: f64) -> Accuracy {
        Accuracy { relative: f64::max(1e-10, 16.0 * epsilon), cancelled: f64::max(1e-15, 4.0 * epsilon) }
    }

    /// The largest defect of a pose. An entry of RᵀR is a sum of three products: the errors of their six factors together
    /// contribute at most 2√3 times one error.
    pub fn defect(self) -> f64 {
        4.0 * self.relative
    }

    /// Changes the `i`-th entry by the error that it may have.
    pub fn perturb(self, x: &mut [f64], i: usize) {
        let largest = x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        if let Some(entry) = x.get_mut(i) {
            *entry += self.relative * entry.abs() + self.cancelled * largest;
        }
    }
}

/// The tolerance for a residual that the error of one entry adds. `moved` is the residual with the error; it may be
/// undefined near the boundary of its domain, and is then ignored.
pub fn tolerance(residual: f64, moved: f64) -> f64 {
    let change = (moved - residual).abs();
    if change.is_finite() { change } else { 0.0 }
}

/// Whether a residual is not within the tolerance.
pub fn exceeds(residual: f64, tolerance: f64) -> bool {
    !(residual.is_finite() && residual.abs() <= tolerance)
}

/// Most Gauss–Newton steps to a configuration. They converge quadratically.
const MAX_CORRECTIONS: usize = 50;

/// The configuration that Gauss–Newton steps `correct` lead to from `q`, as long as they reduce the `size` of g.
pub fn corrected<Q, E>(
    mut q: Q,
    size: impl Fn(&Q) -> f64,
    correct: impl Fn(&Q) -> Result<Q, E>,
) -> Result<Q, E> {
    let mut best = size(&q);
    for _ in 0..MAX_CORRECTIONS {
        if best == 0.0 {
            break;
        }
        let next = correct(&q)?;
        let reached = size(&next);
        if reached < best {
            (q, best) = (next, reached);
        } else {
            break;
        }
    }
    Ok(q)
}

/// More projections are not needed. Each multiplies what violates the constraints by ε times a condition number, and a velocity
/// that is all rounding vanishes after twenty of them, or after a hundred if one-forms are nearly dependent.
const MAX_PROJECTIONS: usize = 256;

/// The velocity that projections `project` lead to from `v`, until one `is_admissible`. A projection leaves residuals that are
/// rounding of the velocity before it, and that velocity may be larger by many orders of magnitude than the one after it.
///
/// # Errors
/// Those of `project`, and [`Failure::SingularConstraints`] if projections lengthen the velocity: the one-forms are dependent up to
/// rounding.
pub fn settled<V: AsRef<[T]> + AsMut<[T]>, T: Scalar>(
    v: &V,
    project: impl Fn(&V) -> Result<V, Failure>,
    is_admissible: impl Fn(&V) -> bool,
) -> Result<V, Failure> {
    let largest = |v: &V| v.as_ref().iter().fold(0.0, |largest: f64, x| largest.max(x.to_f64().abs()));
    let mut v = project(v)?;
    let first = largest(&v);
    for _ in 0..MAX_PROJECTIONS {
        if is_admissible(&v) {
            return Ok(v);
        }
        v.as_mut().iter_mut().filter(|x| x.to_f64().is_subnormal()).for_each(|x| *x = T::from_f64(0.0));
        v = project(&v)?;
    }
    if largest(&v) > 2.0 * first { Err(Failure::SingularConstraints) } else { Ok(v) }
}

/// The largest defect of a matrix that counts as a rotation with errors: entries with one decimal have less.
pub const LARGEST_ERROR: f64 = 0.2;

/// The pose that first-order corrections `normalize` lead to from `q`, as long as they reduce the `defect`. A pose that a start
/// may have stays as it is, and so does a matrix that is no rotation with errors.
pub fn on_group<Q>(mut q: Q, defect: impl Fn(&Q) -> f64, normalize: impl Fn(&Q) -> Q) -> Q {
    let mut best = defect(&q);
    if best > LARGEST_ERROR || best <= Accuracy::of(f64::EPSILON).defect() {
        return q;
    }
    for _ in 0..MAX_CORRECTIONS {
        let next = normalize(&q);
        let reached = defect(&next);
        if reached < best {
            (q, best) = (next, reached);
        } else {
            break;
        }
    }
    q
}

/// `x` with the `i`-th entry changed by the error that it may have.
fn perturbed<T: Scalar, V: Vector<f64>>(x: &V, i: usize) -> V {
    let mut perturbed = *x;
    Accuracy::of(T::EPSILON).perturb(perturbed.as_mut(), i);
    perturbed
}

/// Converts numbers `T` to `f64`.
pub(crate) fn values<T: Scalar, A: Fields<T>, B: Fields<f64>>(numbers: &A) -> B {
    converted(numbers, T::from_f64(0.0), T::to_f64)
}

/// Checks that the pose of `q` is valid within the accuracy of its entries.
pub(crate) fn check_pose<S: System, T: Scalar>(q: &S::Configuration<T>) -> Result<(), Error> {
    let defect = q.defect();
    if defect <= Accuracy::of(T::EPSILON).defect() {
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
        let mut allowed = scale * Accuracy::of(T::EPSILON).relative;
        for i in 0..q.as_ref().len() {
            let q = perturbed::<T, S::Configuration<f64>>(q, i);
            let moved = S::position::<f64>(parameters, &q, t);
            allowed += moved.as_ref().get(a).map_or(0.0, |&moved| tolerance(residual, moved));
        }
        if exceeds(residual, allowed) {
            return Err(Error::Position { name, residual });
        }
    }
    Ok(())
}

/// A configuration near `q` whose pose is one.
pub(crate) fn posed<S: System, T: Scalar>(q: &S::Configuration<T>) -> S::Configuration<T> {
    on_group(*q, |q| q.defect(), |q| q.normalized())
}

/// A configuration near `q` at which the position constraints hold at the time `t`.
pub(crate) fn on_positions<S: System, T: Scalar>(
    parameters: &S::Parameters<T>,
    q: &S::Configuration<T>,
    t: T,
) -> Result<S::Configuration<T>, Failure> {
    let size = |q: &S::Configuration<T>| {
        let g = S::position::<T>(parameters, q, t);
        g.as_ref().iter().fold(0.0, |size: f64, g| size.max(g.to_f64().abs()))
    };
    corrected(*q, size, |q| S::correct(parameters, q, t))
}

/// The admissible velocity nearest to `v`, with a residual that is rounding of its own.
pub(crate) fn on_constraints<S: System, T: Scalar>(
    parameters: &S::Parameters<T>,
    q: &S::Configuration<T>,
    v: &S::Velocity<T>,
    t: T,
    inputs: &S::Inputs<T>,
) -> Result<S::Velocity<T>, Failure> {
    settled(
        v,
        |v| S::project_once(parameters, q, v, t, inputs),
        |v| check::<S, T>(parameters, q, v, t, inputs).is_ok(),
    )
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
    let mut allowed = S::residual_scale(parameters, q, v, t, inputs);
    for allowed in allowed.as_mut() {
        *allowed *= Accuracy::of(T::EPSILON).relative;
    }
    let mut allow = |moved: S::Multipliers<f64>| {
        let residuals = residual.as_ref().iter().zip(moved.as_ref());
        for (allowed, (&residual, &moved)) in allowed.as_mut().iter_mut().zip(residuals) {
            *allowed += tolerance(residual, moved);
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
        .zip(residual.as_ref().iter().zip(allowed.as_ref()))
        .find(|(_, (residual, allowed))| exceeds(**residual, **allowed));
    match violated {
        Some((name, (&residual, _))) => Err(Error::Constraint { name, residual }),
        None => Ok(()),
    }
}
