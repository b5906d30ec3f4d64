//! What compiled functions return.

use crate::native;
use nhi_runtime::Failure;

/// 0 for success.
pub(crate) type Status = i32;

/// That of [`Failure::Unsolved`], whose residual the thread keeps: see [`native::unsolved`].
pub(super) const UNSOLVED: Status = 5;

const FAILURES: [Failure; 4] =
    [Failure::NotConverged, Failure::SingularConstraints, Failure::SingularMass, Failure::NonFinite];

/// The status of a failure.
pub(crate) fn of(failure: Failure) -> Status {
    match failure {
        Failure::NotConverged => 1,
        Failure::SingularConstraints => 2,
        Failure::SingularMass => 3,
        Failure::NonFinite => 4,
        Failure::Unsolved { .. } => UNSOLVED,
        Failure::Dependent { .. }
        | Failure::NoInertia { .. }
        | Failure::Massless { .. }
        | Failure::NegativeInertia { .. }
        | Failure::NearlySingular { .. }
        | Failure::EnergyJump { .. } => {
            unreachable!("compiled functions neither look for directions nor test energies")
        }
    }
}

/// The failure of a status, if it is one.
pub(crate) fn failure(status: Status) -> Option<Failure> {
    if status == UNSOLVED {
        return native::unsolved();
    }
    FAILURES.into_iter().find(|&failure| of(failure) == status)
}
