//! Models: systems with what there is to say of them, however their steps are compiled.

mod bundled;
mod declared;
mod method;
mod trajectory;

pub use bundled::{Bundled, MODELS, Unloaded, loaded, named};
pub use declared::{AtRunTime, Declared};
pub use method::{Family, GROUP_METHODS, METHODS, Method, method};
pub use trajectory::{Node, Trajectory};

use nhi_runtime::{Error, Failure};

/// A configuration and a velocity.
pub type Phase = (Vec<f64>, Vec<f64>);

/// A model, whatever its type: its facts, as slices.
pub trait Model: Sync {
    /// Name, also on the command line and in reference data.
    fn name(&self) -> &'static str;
    /// Name of the declared struct.
    fn system(&self) -> &'static str;
    /// What it is, in a few words.
    fn summary(&self) -> &'static str;
    /// Entries of a configuration: coordinates, and those of a pose, length N.
    fn coordinates(&self) -> &'static [&'static str];
    /// Entries of a velocity, length n: those of coordinates have their names.
    fn velocities(&self) -> &'static [&'static str];
    /// Name of the group factor, such as `SE(2)`. Its pose stands last in a configuration.
    fn group(&self) -> Option<String>;
    /// Number of coordinates, which stand in front of the pose.
    fn shape(&self) -> usize;
    /// The methods that it can be simulated with.
    fn methods(&self) -> &'static [Method];
    /// One of them, or a variant that is not listed.
    fn method(&self, id: &str) -> Option<Method> {
        self.methods().iter().find(|method| method.id == id).copied()
    }
    /// Names of the entries in reference data, length N.
    fn reference_coordinates(&self) -> &'static [&'static str];
    /// Labels of the constraints, or their text, length m.
    fn constraints(&self) -> &'static [&'static str];
    /// Control inputs.
    fn inputs(&self) -> &'static [&'static str];
    /// Parameters, flattened (`c[0]`).
    fn parameters(&self) -> &'static [&'static str];
    /// Default values of the parameters.
    fn defaults(&self) -> Vec<f64>;
    /// Whether the energy is conserved.
    fn conservative(&self) -> bool;
    /// Names of the conserved quantities other than the energy.
    fn invariants(&self) -> Vec<&'static str>;
    /// The model with given values of its parameters.
    ///
    /// # Panics
    /// If there are not as many values as parameters.
    fn instance(&self, parameters: &[f64]) -> Box<dyn Instance>;
}

/// A model with values of its parameters. Slices have the lengths that [`Model`] states.
pub trait Instance {
    /// Values of the parameters.
    fn parameters(&self) -> Vec<f64>;
    /// The literature's initial data, on the constraint manifold.
    fn initial(&self) -> Phase;
    /// The solution that starts at [`Instance::initial`], if it is known in closed form.
    fn solution(&self, t: f64) -> Option<Phase>;
    /// E = ∂L/∂v · v − L.
    fn energy(&self, q: &[f64], v: &[f64]) -> f64;
    /// p = ∂L/∂v.
    fn momentum(&self, q: &[f64], v: &[f64]) -> Vec<f64>;
    /// μ(q)v + μ₀(q).
    fn residual(&self, q: &[f64], v: &[f64]) -> Vec<f64>;
    /// Values of the conserved quantities, in the order of [`Model::invariants`].
    fn invariants(&self, q: &[f64], v: &[f64]) -> Vec<f64>;
    /// The admissible velocity nearest to `v` in the kinetic-energy metric.
    ///
    /// # Errors
    /// Where the mass matrix or the constraints are singular.
    fn project(&self, q: &[f64], v: &[f64]) -> Result<Vec<f64>, Failure>;
    /// dv/dt and the multipliers λ of the continuous equations.
    ///
    /// # Errors
    /// Where the mass matrix or the constraints are singular.
    fn acceleration(&self, q: &[f64], v: &[f64], t: f64, inputs: &[f64]) -> Result<Phase, Failure>;
    /// (q, v) at the time `t1` of the exact flow from (q, v) at the time `t0`, to nearly the accuracy
    /// of `f64`.
    ///
    /// # Errors
    /// Where the equations become singular on the way.
    fn flow(&self, t0: f64, q: &[f64], v: &[f64], inputs: &[f64], t1: f64) -> Result<Phase, Failure>;
    /// A simulation with `method` and the step size `h` from (q₀, v₀) at t = 0.
    ///
    /// # Errors
    /// As [`Simulation::new`](nhi_runtime::Simulation::new).
    fn start(
        &self,
        method: &Method,
        q0: &[f64],
        v0: &[f64],
        inputs: &[f64],
        h: f64,
    ) -> Result<Box<dyn Trajectory>, Error>;
}
