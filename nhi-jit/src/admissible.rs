//! Whether initial values are admissible, by the tests of `nhi_runtime::Simulation`.

use crate::Error;
use crate::compiled::{Compiled, Point};
use nhi_runtime::group::{SE2, SE3, SO3};
use nhi_runtime::{Factor, Vector};

/// Relative error that an entry of q₀ or v₀ may have.
const RELATIVE: f64 = 1e-10;

/// Error of an entry relative to the largest one: the residue of a zero that is computed by cancellation.
const CANCELLED: f64 = 1e-15;

/// Most Gauss–Newton steps to a configuration. They converge quadratically.
const MAX_CORRECTIONS: usize = 50;

macro_rules! define_defect {
    ($($group:ident $notation:literal { $($facts:tt)* })*) => {
        /// The distance of a pose of that group from the group.
        fn defect(group: &str, pose: &[f64]) -> f64 {
            match group {
                $(stringify!($group) => {
                    let mut entries = <$group<f64> as Factor>::Entries::<f64>::splat(0.0);
                    entries.as_mut().copy_from_slice(pose);
                    $group::<f64>::defect(&entries)
                })*
                name => unreachable!("the runtime has no group {name}"),
            }
        }
    };
}

nhi_runtime::for_each_group!(define_defect);

/// Checks that the initial pose is one.
pub(crate) fn check_pose(compiled: &Compiled, q: &[f64]) -> Result<(), Error> {
    let names = compiled.names();
    let defect = names.group.map_or(0.0, |group| defect(group.runtime, &q[names.shape..]));
    if defect <= 4.0 * RELATIVE {
        return Ok(());
    }
    // Only entries of a rotation matrix have two indices in their names.
    let name = names.coordinates.iter().find_map(|name| name.strip_suffix("[0][0]"));
    Err(Error::Pose { name: name.unwrap_or_default().to_owned(), defect })
}

/// `x` with the `i`-th entry changed by the error that it may have.
fn perturbed(x: &[f64], i: usize) -> Vec<f64> {
    let largest = x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let mut perturbed = x.to_vec();
    perturbed[i] += RELATIVE * x[i].abs() + CANCELLED * largest;
    perturbed
}

/// The first of `residuals` that is larger than what the errors of the given values allow, with its place. `moved` are the
/// residuals where one value is off by its error.
fn violated(
    residuals: &[f64],
    scales: &[f64],
    moved: impl Iterator<Item = Vec<f64>>,
) -> Option<(usize, f64)> {
    let mut tolerances: Vec<f64> = scales.iter().map(|scale| scale * RELATIVE).collect();
    for moved in moved {
        for ((tolerance, moved), residual) in tolerances.iter_mut().zip(moved).zip(residuals) {
            // Near the boundary of its domain a residual may be undefined; it is then ignored.
            let change = (moved - residual).abs();
            *tolerance += if change.is_finite() { change } else { 0.0 };
        }
    }
    let all = residuals.iter().copied().zip(tolerances).enumerate();
    let mut violated =
        all.filter(|(_, (residual, tolerance))| !(residual.is_finite() && residual.abs() <= *tolerance));
    violated.next().map(|(a, (residual, _))| (a, residual))
}

/// Checks that the position constraints hold within the accuracy of q.
pub(crate) fn check_position(compiled: &Compiled, at: &Point<'_>) -> Result<(), Error> {
    let moved = (0..at.q.len()).map(|i| compiled.position(&Point { q: &perturbed(at.q, i), ..*at }));
    match violated(&compiled.position(at), &compiled.position_scale(at), moved) {
        Some((a, residual)) => {
            let names = compiled.names();
            let first = names.constraints.len() - names.positions;
            Err(Error::Position { name: names.constraints[first + a].clone(), residual })
        }
        None => Ok(()),
    }
}

/// Checks that the constraints hold within the accuracy of q and v.
pub(crate) fn check_velocity(compiled: &Compiled, at: &Point<'_>) -> Result<(), Error> {
    let moved = (0..at.q.len()).map(|i| compiled.residual(&Point { q: &perturbed(at.q, i), ..*at }));
    let moved =
        moved.chain((0..at.v.len()).map(|i| compiled.residual(&Point { v: &perturbed(at.v, i), ..*at })));
    match violated(&compiled.residual(at), &compiled.residual_scale(at), moved) {
        Some((a, residual)) => {
            Err(Error::Constraint { name: compiled.names().constraints[a].clone(), residual })
        }
        None => Ok(()),
    }
}

/// A configuration near that of the point at which the position constraints hold: Gauss–Newton steps as long as they
/// reduce |g|.
pub(crate) fn corrected(compiled: &Compiled, at: &Point<'_>) -> Result<Vec<f64>, Error> {
    let size = |q: &[f64]| {
        let g = compiled.position(&Point { q, ..*at });
        g.iter().fold(0.0, |size: f64, g| size.max(g.abs()))
    };
    let mut q = at.q.to_vec();
    let mut best = size(&q);
    for _ in 0..MAX_CORRECTIONS {
        if best == 0.0 {
            break;
        }
        let next = compiled.correct(&Point { q: &q, ..*at }).map_err(|cause| Error::Projection { cause })?;
        let reached = size(&next);
        if reached < best {
            (q, best) = (next, reached);
        } else {
            break;
        }
    }
    Ok(q)
}
