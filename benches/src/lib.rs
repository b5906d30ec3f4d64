//! The cost of a step: generated code compared with hand-written kernels.
//!
//! Four workloads have kernels to compare with: the contact oscillator (W1), the chaotic system on ℝ⁷
//! (W2), the sleigh in coordinates of its centre of mass (W3) and the snakeboard (W4). For each there is
//! a straightforward implementation by an expert (*plain*), the same scheme optimised for speed (*best*), a
//! classical Runge–Kutta method of order 4, and an integrator for any system on top of nalgebra. The best
//! kernels also exist with fused multiply–add, for processors that support it. Four models on groups (G1 to G4) have one
//! kernel each, for `rdp`. `tests/equal.rs` compares all of them with the generated step.
//!
//! Ensembles are compared with hand-written kernels for many trajectories ([`many`]), and steps in other
//! number types, such as dual numbers, with steps in `f64` ([`numbers`]).
//!
//! ```text
//! cargo run --release -p nhi-benches            # one table: ns and instructions per step, ratios
//! cargo bench -p nhi-benches                    # times with criterion
//! ```

pub mod compile;
pub mod count;
pub mod document;
pub mod expert;
pub mod generated;
pub mod large;
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

/// Implementations of a method on a workload.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// By hand, the closed form of the scheme.
    Plain,
    /// The same with the platform's sine and cosine instead of inline ones.
    Platform,
    /// By hand, optimised for speed.
    Best,
    /// The same with fused multiply–add, if the processor supports it.
    BestFused,
    /// By hand, for any system, with nalgebra.
    Nalgebra,
    /// Generated, driven by [`Simulation::advance`](nhi_runtime::Simulation::advance).
    Generated,
    /// The same driven by [`Simulation::advance_fused`](nhi_runtime::Simulation::advance_fused).
    Fused,
    /// Generated, step by step: every result is checked.
    Stepwise,
}

impl Kind {
    /// Its name in a table.
    pub fn label(self) -> &'static str {
        match self {
            Kind::Plain => "by hand, plain",
            Kind::Platform => "by hand, plain, libm",
            Kind::Best => "by hand, best",
            Kind::BestFused => "by hand, best, fused",
            Kind::Nalgebra => "nalgebra",
            Kind::Generated => "generated",
            Kind::Fused => "generated, fused",
            Kind::Stepwise => "generated, step by step",
        }
    }

    /// Whether it uses fused multiply–add, if the processor supports it.
    pub fn is_fused(self) -> bool {
        matches!(self, Kind::BestFused | Kind::Fused)
    }
}

/// A trajectory of one workload by one implementation.
pub trait Run {
    /// Takes `steps` steps.
    fn advance(&mut self, steps: u64);
    /// Configuration and velocity at the last node.
    fn phase(&self) -> Phase;
}

/// A constructor of a trajectory.
pub type Start<'a> = &'a dyn Fn() -> Box<dyn Run>;

/// A workload, a method and an implementation of it.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// `W1` to `W4`, `G1` to `G4`.
    pub workload: &'static str,
    /// Name of the model.
    pub model: &'static str,
    /// Id of the method.
    pub method: &'static str,
    /// The implementation.
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
    /// Whether the loop over its steps is compiled for fused operations. The step has to be inlined into the loop;
    /// otherwise it is not compiled for them.
    const FUSED: bool = false;
    /// The state of a step.
    type State: Copy;
    /// The step from `k` h to (`k` + 1) h.
    fn step(&self, k: u64, state: Self::State) -> Self::State;
    /// The node at time `k` h that a state belongs to.
    fn phase(&self, k: u64, state: Self::State) -> Phase;
}

/// A running [`Kernel`].
pub struct Loop<K: Kernel> {
    kernel: K,
    state: K::State,
    steps: u64,
}

impl<K: Kernel + 'static> Loop<K> {
    /// A trajectory from `state`.
    pub fn boxed(kernel: K, state: K::State) -> Box<dyn Run> {
        // As in a real program, the compiler must not know the constants.
        Box::new(Loop { kernel: black_box(kernel), state: black_box(state), steps: 0 })
    }
}

impl<K: Kernel> Loop<K> {
    #[inline(always)]
    fn run(&mut self, steps: u64) {
        let mut state = self.state;
        for k in self.steps..self.steps + steps {
            state = self.kernel.step(k, state);
        }
        self.state = state;
        self.steps += steps;
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2")]
    fn run_fused(&mut self, steps: u64) {
        self.run(steps);
    }
}

impl<K: Kernel> Run for Loop<K> {
    #[inline(never)]
    #[allow(unsafe_code, reason = "a call with target features")]
    fn advance(&mut self, steps: u64) {
        #[cfg(target_arch = "x86_64")]
        if K::FUSED && has_fused() {
            // SAFETY: the processor supports the instructions.
            return unsafe { self.run_fused(steps) };
        }
        self.run(steps);
    }

    fn phase(&self) -> Phase {
        self.kernel.phase(self.steps, self.state)
    }
}

/// Whether the processor supports the instructions of the loops over fused kernels.
pub fn has_fused() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        has!("avx2") && has!("fma") && has!("bmi1") && has!("bmi2")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}
