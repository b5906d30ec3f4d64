//! The symbolic engines, against each other and against evaluation.

mod conditioned;
mod mechanics;
mod random;
