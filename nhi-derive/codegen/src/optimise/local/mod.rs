//! Local passes: they rewrite one function, independently of its callers.

mod angle_addition;
mod body_frame;
mod coefficients;
mod cse;
mod factor;
mod fold_negations;
mod hoist;
mod materialise;
mod primitive_part;
mod sign_analysis;
mod small_rotation;
mod value_numbering;

pub(super) use angle_addition::{angle_addition, of_sum};
pub(super) use body_frame::body_frame;
pub(super) use coefficients::coefficients;
pub(super) use cse::{share_products, share_sums};
pub(super) use factor::factor;
pub(super) use fold_negations::fold_negations;
pub(super) use hoist::hoist;
pub(super) use materialise::materialise;
pub(super) use primitive_part::primitive_part;
pub(super) use sign_analysis::sign_analysis;
pub(super) use small_rotation::small_rotation;
pub(super) use value_numbering::value_numbering;
