//! Steps compiled at run time beside those that the derive generates.

mod advice;
mod composed;
mod drives;
mod inertia;
mod kinematic;
mod manifold;
mod massless;
mod monitors;
mod piecewise;
mod reactions;
mod resolution;
mod ringing;
mod scales;
mod sharp;
mod singular;
mod starts;
mod states;
mod support;
mod tolerance;
