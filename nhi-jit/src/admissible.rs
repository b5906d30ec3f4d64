//! Whether initial values are admissible, by the tests of `nhi_runtime::Simulation`.

use crate::Error;
use crate::compiled::{Compiled, Point};
use nhi_codegen::expr::group::Block;
use nhi_runtime::admissible::{self, Accuracy, exceeds, tolerance};
use nhi_runtime::{Factor, Failure, Vector};

/// That of `f64`.
fn accuracy() -> Accuracy {
    Accuracy::of(f64::EPSILON)
}

macro_rules! define_defect {
    ($($group:ident $notation:literal { $($facts:tt)* })*) => {
        /// The pose of that group nearest to one that is near it, to first order in the defect.
        fn normalized(group: &str, pose: &[f64]) -> Vec<f64> {
            match group {
                $(stringify!($group) => {
                    let mut entries = <nhi_runtime::group::$group<f64> as Factor>::Entries::<f64>::splat(0.0);
                    entries.as_mut().copy_from_slice(pose);
                    nhi_runtime::group::$group::<f64>::normalized(&entries).to_vec()
                })*
                name => unreachable!("the runtime has no group {name}"),
            }
        }

        /// The distance of a pose of that group from the group.
        fn defect(group: &str, pose: &[f64]) -> f64 {
            match group {
                $(stringify!($group) => {
                    let mut entries = <nhi_runtime::group::$group<f64> as Factor>::Entries::<f64>::splat(0.0);
                    entries.as_mut().copy_from_slice(pose);
                    nhi_runtime::group::$group::<f64>::defect(&entries)
                })*
                name => unreachable!("the runtime has no group {name}"),
            }
        }
    };
}

nhi_runtime::for_each_group!(define_defect);

/// Checks that the initial poses are poses.
pub(crate) fn check_pose(compiled: &Compiled, q: &[f64]) -> Result<(), Error> {
    let names = compiled.facts();
    for Block { group, pose, .. } in names.group.blocks(names.shape) {
        let defect = defect(group.runtime, &q[pose.clone()]);
        // Not a number is none either.
        if defect <= accuracy().defect() {
            continue;
        }
        // Only entries of a rotation matrix have two indices in their names.
        let name = names.coordinates[pose].iter().find_map(|name| name.strip_suffix("[0][0]"));
        return Err(Error::Pose { name: name.unwrap_or_default().to_owned(), defect });
    }
    Ok(())
}

/// A configuration near `q` whose poses are poses.
pub(crate) fn posed(compiled: &Compiled, q: &[f64]) -> Vec<f64> {
    let names = compiled.facts();
    let mut near = q[..names.shape].to_vec();
    for Block { group, pose, .. } in names.group.blocks(names.shape) {
        let defect = |pose: &Vec<f64>| defect(group.runtime, pose);
        let normalized = |pose: &Vec<f64>| normalized(group.runtime, pose);
        near.extend(admissible::on_group(q[pose].to_vec(), defect, normalized));
    }
    near
}

/// `x` with the `i`-th entry changed by the error that it may have.
fn perturbed(x: &[f64], i: usize) -> Vec<f64> {
    let mut perturbed = x.to_vec();
    accuracy().perturb(&mut perturbed, i);
    perturbed
}

/// The first of `residuals` that is larger than what the errors of the given values allow, with its place. `moved` are the
/// residuals where one value is off by its error.
fn violated(
    residuals: &[f64],
    scales: &[f64],
    moved: impl Iterator<Item = Vec<f64>>,
) -> Option<(usize, f64)> {
    let mut allowed: Vec<f64> = scales.iter().map(|scale| scale * accuracy().relative).collect();
    for moved in moved {
        for ((allowed, moved), &residual) in allowed.iter_mut().zip(moved).zip(residuals) {
            *allowed += tolerance(residual, moved);
        }
    }
    let mut all = residuals.iter().copied().zip(allowed).enumerate();
    all.find(|&(_, (residual, allowed))| exceeds(residual, allowed)).map(|(a, (residual, _))| (a, residual))
}

/// Checks that the position constraints hold within the accuracy of q.
pub(crate) fn check_position(compiled: &Compiled, at: &Point<'_>) -> Result<(), Error> {
    let moved = (0..at.q.len()).map(|i| compiled.position(&Point { q: &perturbed(at.q, i), ..*at }));
    match violated(&compiled.position(at), &compiled.position_scale(at), moved) {
        Some((a, residual)) => {
            let names = compiled.facts();
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
            Err(Error::Constraint { name: compiled.facts().constraints[a].clone(), residual })
        }
        None => Ok(()),
    }
}

/// A configuration near that of the point whose pose is one and at which the position constraints hold.
pub(crate) fn corrected(compiled: &Compiled, at: &Point<'_>) -> Result<Vec<f64>, Failure> {
    let size = |q: &Vec<f64>| {
        let g = compiled.position(&Point { q, ..*at });
        g.iter().fold(0.0, |size: f64, g| size.max(g.abs()))
    };
    let correct = |q: &Vec<f64>| compiled.correct(&Point { q, ..*at });
    admissible::corrected(posed(compiled, at.q), size, correct)
}
