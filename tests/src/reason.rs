//! Failures of functions, and what simulations say of them.

use nhi_runtime::Failure;

/// Whether `shown` is the failure `found` of a function itself, or a reason that the runtime finds for it
/// (`nhi_runtime::balance::diagnose`).
pub fn is_shown(found: Failure, shown: Failure) -> bool {
    match shown {
        Failure::NoInertia { .. } => {
            matches!(found, Failure::SingularMass | Failure::NotConverged | Failure::NonFinite)
        }
        Failure::NearlySingular { .. } => matches!(found, Failure::NotConverged | Failure::NonFinite),
        shown => found == shown,
    }
}
