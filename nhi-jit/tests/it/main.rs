//! Steps compiled at run time beside those that the derive generates.

mod composed;
mod manifold;
mod massless;
mod monitors;
mod reactions;
mod singular;
mod states;
mod support;
