//! The models in other numbers than `f64`, and by fused operations. Every step is compiled once more for each of them, so
//! that this program takes as long to compile as all others.

mod derivatives;
mod fused;
mod single_precision;
