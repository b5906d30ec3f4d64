//! What methods preserve and what they do not, over many steps, on every model.

mod constraints;
mod damped;
mod energy;
mod flow;
mod forms;
mod identities;
mod momentum;
mod multipliers;
mod parasite;
mod units;

use nhi_models::{Instance, Method, Trajectory, method, model};

/// Tolerances, each with what it has to cover.
mod tolerance {
    /// Rounding of a residual or of one step, with numbers of size one.
    pub(crate) const ROUNDING: f64 = 1e-14;
    /// Rounding that accumulates over some thousand steps, or over some dozen that magnify it.
    pub(crate) const ACCUMULATED: f64 = 1e-12;
    /// Accuracy of the exact flow over a few units of time.
    pub(crate) const FLOW: f64 = 1e-12;
}

/// A model with its default parameters.
fn instance(name: &str) -> Box<dyn Instance> {
    let model = model(name).unwrap();
    model.instance(&model.defaults())
}

/// A simulation from a model's initial data.
fn start(instance: &dyn Instance, id: &str, h: f64) -> Box<dyn Trajectory> {
    let (q0, v0) = instance.initial();
    instance.start(find(id), &q0, &v0, &[], h).unwrap()
}

fn find(id: &str) -> &'static Method {
    method(id).unwrap()
}

/// max |x − y| / (1 + |y|).
fn distance(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len());
    x.iter().zip(y).map(|(x, y)| (x - y).abs() / (1.0 + y.abs())).fold(0.0, f64::max)
}
