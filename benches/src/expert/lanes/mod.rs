//! Hand-written kernels for many trajectories: their numbers are stored in rows, with a column for each trajectory. The
//! scalar step runs in a loop over the columns, compiled for the best instruction set of the processor.

mod ball;
mod chaotic_r7;
mod sleigh;
mod snakeboard;

use super::rotation::RENEWED;
use super::{Jumped, jumped};
use crate::many::{Case, TRAJECTORIES, initial};
use crate::multiplies::{Counted, counted};
use crate::{H, Phase, Run};
use nhi_models::Row as Model;
use nhi_runtime::{Fused, Method, Scalar, Separate, System, Vector};
use std::hint::black_box;
use std::marker::PhantomData;

pub(crate) fn cases() -> Vec<Case> {
    [chaotic_r7::cases(), sleigh::cases(), snakeboard::cases(), ball::cases()].concat()
}

/// a b + c: one operation for [`Fused`] numbers.
#[inline(always)]
fn fma<T: Scalar>(a: T, b: T, c: T) -> T {
    a * b + c
}

/// A scheme for trajectories of `N` numbers.
trait Kernel<const N: usize>: Clone + 'static {
    /// The state after step number `k` + 1.
    fn step<T: Scalar>(&self, k: u64, state: [T; N]) -> [T; N];
    /// The operation after every [`RENEWED`] steps.
    fn resync<T: Scalar>(&self, state: [T; N]) -> [T; N] {
        state
    }
    /// Configuration and velocity at the node of a state.
    fn phase(&self, state: [f64; N]) -> Phase;
}

/// The solution of the next step from those of the last three, the latest first, by a parabola.
#[inline(always)]
fn extrapolated<T: Scalar, const N: usize>([a, b, c]: [[T; N]; 3]) -> [T; N] {
    let three = T::from_f64(3.0);
    std::array::from_fn(|i| three * (a[i] - b[i]) + c[i])
}

/// What has to be before the first three solutions for [`extrapolated`] to give them.
fn history<const N: usize>([a, b, c]: [[f64; N]; 3]) -> [[f64; N]; 3] {
    let now = extrapolated([a, b, c]);
    let before = extrapolated([now, a, b]);
    [now, before, extrapolated([before, now, a])]
}

/// Multiplications of a step.
fn multiplications<const N: usize>(kernel: &impl Kernel<N>, state: [f64; N]) -> u64 {
    counted(|| kernel.step(0, state.map(Counted::from_f64)).to_vec())
}

/// The initial state of the trajectories: the start of the generated method.
fn starts<S, M, const N: usize>(model: &Model<S>, method: &M) -> [Jumped<N>; TRAJECTORIES]
where
    S: System<Configuration<f64> = [f64; N], Velocity<f64> = [f64; N]> + Clone,
    M: Method<S>,
{
    initial(model).map(|(q, v)| {
        let (z, inputs) = (S::States::splat(0.0), S::Inputs::splat(0.0));
        match method.start(&model.example().parameters(), H, &q, &v, &z, 0.0, &inputs) {
            Ok(state) => jumped::<S, N>(&state),
            Err(failure) => panic!("{}: {failure:?}", model.name),
        }
    })
}

/// One number of every trajectory.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Row([f64; TRAJECTORIES]);

/// Running trajectories in numbers `T`. Each loaded column takes `AT_ONCE` steps.
struct Rows<K, const N: usize, const AT_ONCE: u64, T> {
    kernel: K,
    rows: [Row; N],
    steps: u64,
    numbers: PhantomData<T>,
}

impl<K: Kernel<N>, const N: usize, const AT_ONCE: u64, T: Scalar + 'static> Rows<K, N, AT_ONCE, T> {
    fn boxed(kernel: K, states: [[f64; N]; TRAJECTORIES]) -> Box<dyn Run> {
        let rows = std::array::from_fn(|i| Row(states.map(|state| state[i])));
        // As in a real program, the compiler must not know the constants.
        Box::new(Rows::<K, N, AT_ONCE, T> { kernel: black_box(kernel), rows, steps: 0, numbers: PhantomData })
    }
}

impl<K: Kernel<N>, const N: usize, const AT_ONCE: u64, T> Rows<K, N, AT_ONCE, T> {
    /// Replaces every column, `times` times. `f` has to be inlined for the instruction set of the caller.
    #[inline(always)]
    fn columns<A: Scalar>(rows: &mut [Row; N], times: u64, f: impl Fn(u64, [A; N]) -> [A; N]) {
        for lane in 0..TRAJECTORIES {
            let mut state: [f64; N] = std::array::from_fn(|i| rows[i].0[lane]);
            for step in 0..times {
                let next = f(step, std::array::from_fn(|i| A::from_f64(state[i])));
                state = std::array::from_fn(|i| next[i].to_f64());
            }
            for (row, x) in rows.iter_mut().zip(state) {
                row.0[lane] = x;
            }
        }
    }

    #[inline(always)]
    fn run<A: Scalar>(&mut self, steps: u64) {
        let Rows { kernel, rows, steps: taken, .. } = self;
        let kernel = kernel.clone();
        let end = *taken + steps;
        while *taken < end {
            let until = end.min((*taken / RENEWED + 1) * RENEWED);
            while *taken + AT_ONCE <= until {
                let from = *taken;
                Self::columns::<A>(
                    rows,
                    AT_ONCE,
                    #[inline(always)]
                    |i, state| kernel.step(from + i, state),
                );
                *taken += AT_ONCE;
            }
            while *taken < until {
                let from = *taken;
                Self::columns::<A>(
                    rows,
                    1,
                    #[inline(always)]
                    |_, state| kernel.step(from, state),
                );
                *taken += 1;
            }
            if until.is_multiple_of(RENEWED) {
                Self::columns::<A>(
                    rows,
                    1,
                    #[inline(always)]
                    |_, state| kernel.resync(state),
                );
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2")]
    fn run_avx2<A: Scalar>(&mut self, steps: u64) {
        self.run::<A>(steps);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,avx512f,avx512dq,avx512vl,avx512bw")]
    fn run_avx512<A: Scalar>(&mut self, steps: u64) {
        self.run::<A>(steps);
    }
}

impl<K: Kernel<N>, const N: usize, const AT_ONCE: u64, T: Scalar> Run for Rows<K, N, AT_ONCE, T> {
    #[inline(never)]
    #[allow(unsafe_code, reason = "calls with target features")]
    fn advance(&mut self, steps: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            if has!("avx2") && has!("fma") && has!("bmi1") && has!("bmi2") {
                if has!("avx512f") && has!("avx512dq") && has!("avx512vl") && has!("avx512bw") {
                    // SAFETY: the processor supports the instructions.
                    return unsafe { self.run_avx512::<T>(steps) };
                }
                // SAFETY: as above.
                return unsafe { self.run_avx2::<T>(steps) };
            }
        }
        self.run::<Separate>(steps);
    }

    fn phase(&self) -> Phase {
        let lanes = (0..TRAJECTORIES).map(|lane| self.kernel.phase(self.rows.map(|row| row.0[lane])));
        let (q, v): (Vec<_>, Vec<_>) = lanes.unzip();
        (q.concat(), v.concat())
    }
}

/// Only fused multiply–adds, at the throughput of the processor: independent chains of
/// [`Multiply::OF_A_STEP`] for every trajectory.
#[derive(Clone, Copy)]
pub(crate) struct Multiply {
    factor: f64,
    term: f64,
}

impl Multiply {
    /// Multiplications of a step of one trajectory.
    pub(crate) const OF_A_STEP: usize = 4;

    pub(crate) fn boxed() -> Box<dyn Run> {
        let states = [[1.0; Self::OF_A_STEP]; TRAJECTORIES];
        Rows::<_, { Self::OF_A_STEP }, 16, Fused>::boxed(Multiply { factor: 0.5, term: 1.0 }, states)
    }
}

impl Kernel<{ Self::OF_A_STEP }> for Multiply {
    #[inline(always)]
    fn step<T: Scalar>(&self, _: u64, state: [T; Self::OF_A_STEP]) -> [T; Self::OF_A_STEP] {
        state.map(|x| fma(x, T::from_f64(self.factor), T::from_f64(self.term)))
    }

    fn phase(&self, state: [f64; Self::OF_A_STEP]) -> Phase {
        (state.to_vec(), Vec::new())
    }
}
