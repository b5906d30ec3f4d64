//! What a step costs: generated code beside kernels written by hand.
//!
//! Four workloads have kernels to compare with: the contact oscillator (W1), the chaotic system on ℝ⁷
//! (W2), the sleigh in coordinates of its centre of mass (W3) and the snakeboard (W4). For each there is
//! the scheme as an expert would write it down (*plain*), the same scheme arranged for speed (*best*), a
//! classical Runge–Kutta method of order 4, and an integrator for any system on top of nalgebra.
//! All of them are compared with the generated step in `tests/equal.rs`.
//!
//! Ensembles are compared with kernels by hand for many trajectories side by side ([`many`]), steps in other
//! numbers, such as those with derivatives, with steps in `f64` ([`numbers`]).
//!
//! ```text
//! cargo run --release -p nhi-benches            # one table: ns and instructions per step, ratios
//! cargo bench -p nhi-benches                    # time by criterion
//! ```

pub mod compile;
pub mod count;
pub mod document;
pub mod expert;
pub mod generated;
pub mod many;
pub mod models;
mod multiplies;
pub mod numbers;
pub mod table;
pub mod time;

use std::hint::black_box;

/// A configuration and a velocity.
pub type Phase = (Vec<f64>, Vec<f64>);

/// Step size of all workloads.
pub const H: f64 = 0.05;

/// What integrates a workload.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// By hand, the closed form of the scheme.
    Plain,
    /// The same with the platform's sine and cosine instead of inline ones.
    Platform,
    /// By hand, arranged for speed.
    Best,
    /// By hand, for any system, with nalgebra.
    Nalgebra,
    /// Generated, driven by [`Simulation::advance`](nhi_runtime::Simulation::advance).
    Generated,
    /// Generated, step by step: every result is checked.
    Stepwise,
}

impl Kind {
    /// In a table.
    pub fn label(self) -> &'static str {
        match self {
            Kind::Plain => "by hand, plain",
            Kind::Platform => "by hand, plain, libm",
            Kind::Best => "by hand, best",
            Kind::Nalgebra => "nalgebra",
            Kind::Generated => "generated",
            Kind::Stepwise => "generated, step by step",
        }
    }
}

/// A trajectory of one workload by one implementation.
pub trait Run {
    /// Takes `steps` steps.
    fn advance(&mut self, steps: u64);
    /// Configuration and velocity at the node that was reached.
    fn phase(&self) -> Phase;
}

/// What makes a trajectory.
pub type Start<'a> = &'a dyn Fn() -> Box<dyn Run>;

/// A workload, a method and an implementation of it.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// `W1` to `W4`.
    pub workload: &'static str,
    /// Name of the model.
    pub model: &'static str,
    /// Id of the method.
    pub method: &'static str,
    /// Who wrote the code.
    pub kind: Kind,
    /// A trajectory from the model's initial data.
    pub start: fn() -> Box<dyn Run>,
}

/// All cases, those of one workload and method together.
pub fn cases() -> Vec<Case> {
    let mut all = expert::cases();
    all.extend(generated::cases());
    all.sort_by_key(|case| (case.workload, case.method, case.kind));
    all
}

/// An integrator with constants and states of its own types.
pub trait Kernel {
    /// What is carried from step to step.
    type State: Copy;
    /// The step from `k` h to (`k` + 1) h.
    fn step(&self, k: u64, state: Self::State) -> Self::State;
    /// The node at time `k` h that a state belongs to.
    fn phase(&self, k: u64, state: Self::State) -> Phase;
}

/// A [`Kernel`] on its way.
pub struct Loop<K: Kernel> {
    kernel: K,
    state: K::State,
    steps: u64,
}

impl<K: Kernel + 'static> Loop<K> {
    /// A trajectory from `state`.
    pub fn boxed(kernel: K, state: K::State) -> Box<dyn Run> {
        // Constants must not be known to the compiler, as they are not in a program.
        Box::new(Loop { kernel: black_box(kernel), state: black_box(state), steps: 0 })
    }
}

impl<K: Kernel> Run for Loop<K> {
    #[inline(never)]
    fn advance(&mut self, steps: u64) {
        let mut state = self.state;
        for k in self.steps..self.steps + steps {
            state = self.kernel.step(k, state);
        }
        self.state = state;
        self.steps += steps;
    }

    fn phase(&self) -> Phase {
        self.kernel.phase(self.steps, self.state)
    }
}
