//! Failures of functions, and what simulations say of them.

use nhi_runtime::Failure;

/// Whether `shown` is the failure `found` of a function itself, or a reason that the runtime finds for it
/// (`nhi_runtime::balance::diagnose`).
pub fn is_shown(found: Failure, shown: Failure) -> bool {
    let is_unsolved = matches!(found, Failure::NotConverged | Failure::Unsolved { .. });
    match shown {
        Failure::NoInertia { .. } => {
            is_unsolved || matches!(found, Failure::SingularMass | Failure::NonFinite)
        }
        Failure::Dependent { .. } => found == Failure::SingularConstraints,
        Failure::NearlySingular { .. } => is_unsolved || found == Failure::NonFinite,
        // Neither C nor the interpreter names equations.
        Failure::Unsolved { .. } => is_unsolved,
        shown => found == shown,
    }
}
