//! The generated steps of the workloads.

use crate::{Case, H, Kernel, Kind, Loop, Phase, Run};
use nhi_models::chaotic_r7::{self, ChaoticR7};
use nhi_models::contact_oscillator::{self, ContactOscillator};
use nhi_models::sleigh_com::{self, SleighCom};
use nhi_models::snakeboard::{self, Snakeboard};
use nhi_models::{Row, lie};
use nhi_runtime::{Dla2, Frame, Method, Rattle, Rdp, Rk4, Scalar, Simulation, State, System, Vector};

/// A generated step with all its checks, in the same loop as the hand-written kernels.
struct Generated<S: System, M: Method<S>, T: Scalar> {
    method: M,
    prepared: M::Prepared<T>,
    inputs: S::Inputs<T>,
}

impl<S: System, M: Method<S>, T: Scalar> Kernel for Generated<S, M, T> {
    type State = M::State<T>;

    #[inline]
    fn step(&self, k: u64, mut state: Self::State) -> Self::State {
        self.method.resync_if_due(&mut state, k);
        match self.method.step(&self.prepared, &state, T::from_f64(k as f64 * H), &self.inputs) {
            Ok(state) => state,
            Err(failure) => panic!("step {k}: {failure:?}"),
        }
    }

    fn phase(&self, _: u64, state: Self::State) -> Phase {
        phase::<S, M, T>(&state)
    }
}

fn phase<S: System, M: Method<S>, T: Scalar>(state: &M::State<T>) -> Phase {
    let values = |numbers: &[T]| numbers.iter().map(|&x| x.to_f64()).collect();
    (values(state.q().as_ref()), values(state.v().as_ref()))
}

impl<S: System, M: Method<S>> Run for Simulation<S, M> {
    #[inline(never)]
    fn advance(&mut self, steps: u64) {
        if let Err(error) = Simulation::advance(self, steps) {
            panic!("{error}");
        }
    }

    fn phase(&self) -> Phase {
        phase::<S, M, f64>(self.state())
    }
}

/// A simulation with fused multiply–add.
struct Fused<S: System, M: Method<S>>(Simulation<S, M>);

impl<S: System, M: Method<S>> Run for Fused<S, M> {
    #[inline(never)]
    fn advance(&mut self, steps: u64) {
        if let Err(error) = self.0.advance_fused(steps) {
            panic!("{error}");
        }
    }

    fn phase(&self) -> Phase {
        self.0.phase()
    }
}

/// The initial state of the hand-written kernels.
pub(crate) fn start<S: System + Clone, M: Method<S>>(row: &Row<S>, method: &M) -> (S, M::State<f64>) {
    let system = row.example();
    let (q, v) = row.start(&system);
    let inputs = S::Inputs::splat(0.0);
    match method.start(&system.parameters(), H, &q, &v, &S::States::splat(0.0), 0.0, &inputs) {
        Ok(state) => (system, state),
        Err(failure) => panic!("{}: {failure:?}", row.name),
    }
}

fn bare<S: System + Clone + 'static, M: Method<S> + 'static>(row: &Row<S>, method: M) -> Box<dyn Run> {
    let (system, state) = start(row, &method);
    stepwise(row.name, method, &system.parameters(), state)
}

/// A trajectory from `state`.
fn stepwise<S: System + 'static, M: Method<S> + 'static, T: Scalar + 'static>(
    name: &str,
    method: M,
    parameters: &S::Parameters<T>,
    state: M::State<T>,
) -> Box<dyn Run> {
    let prepared = match method.prepare(parameters, T::from_f64(H)) {
        Ok(prepared) => prepared,
        Err(failure) => panic!("{name}: {failure:?}"),
    };
    let inputs = S::Inputs::splat(T::from_f64(0.0));
    Loop::boxed(Generated::<S, M, T> { method, prepared, inputs }, state)
}

/// A trajectory from the model's initial data in another number type; `state` converts a value, given its index.
pub(crate) fn in_numbers<S: System + 'static, M: Method<S> + 'static, T: Scalar + 'static>(
    row: &Row<S>,
    method: M,
    state: impl Fn(f64, usize) -> T,
) -> Box<dyn Run> {
    let parameters: S::Parameters<T> = vector(row.example().parameters(), |x, _| T::from_f64(x));
    let (q, v) = row.start(&row.example());
    let n = q.as_ref().len();
    let (q, v) = (vector(q, &state), vector(v, |x, i| state(x, n + i)));
    let (h, t, inputs) = (T::from_f64(H), T::from_f64(0.0), S::Inputs::splat(T::from_f64(0.0)));
    let z = S::States::splat(T::from_f64(0.0));
    let state = S::project(&parameters, &q, &v, t, &inputs)
        .and_then(|v| method.start(&parameters, h, &q, &v, &z, t, &inputs));
    match state {
        Ok(state) => stepwise(row.name, method, &parameters, state),
        Err(failure) => panic!("{}: {failure:?}", row.name),
    }
}

/// `of` each value and its index.
pub(crate) fn vector<T: Scalar, V: Vector<f64>, W: Vector<T>>(values: V, of: impl Fn(f64, usize) -> T) -> W {
    let mut numbers = W::splat(T::from_f64(0.0));
    for (i, (x, &value)) in numbers.as_mut().iter_mut().zip(values.as_ref()).enumerate() {
        *x = of(value, i);
    }
    numbers
}

fn simulation<S: System + Clone, M: Method<S>>(row: &Row<S>, method: M) -> Simulation<S, M> {
    let (q, v) = row.start(&row.example());
    match Simulation::new(row.example(), method, q, v, H) {
        Ok(simulation) => simulation,
        Err(error) => panic!("{}: {error}", row.name),
    }
}

macro_rules! cases {
    ($($workload:literal $row:path, $system:ty, $id:literal $method:expr $(, $fused:ident)?;)*) => {
        pub(crate) fn cases() -> Vec<Case> {
            vec![$(
                Case {
                    workload: $workload,
                    model: $row.name,
                    method: $id,
                    kind: Kind::Stepwise,
                    start: || bare::<$system, _>(&$row, $method),
                },
                Case {
                    workload: $workload,
                    model: $row.name,
                    method: $id,
                    kind: Kind::Generated,
                    start: || Box::new(simulation::<$system, _>(&$row, $method)),
                },
                $(Case {
                    workload: $workload,
                    model: $row.name,
                    method: $id,
                    kind: Kind::Fused,
                    start: || Box::new($fused(simulation::<$system, _>(&$row, $method))),
                },)?
            )*]
        }
    };
}

cases! {
    "W1" contact_oscillator::MODEL, ContactOscillator, "dla2" Dla2, Fused;
    "W1" contact_oscillator::MODEL, ContactOscillator, "rattle" Rattle, Fused;
    "W1" contact_oscillator::MODEL, ContactOscillator, "frame" Frame;
    "W1" contact_oscillator::MODEL, ContactOscillator, "rk4" Rk4;
    "W2" chaotic_r7::MODEL, ChaoticR7, "dla2" Dla2, Fused;
    "W2" chaotic_r7::MODEL, ChaoticR7, "rattle" Rattle, Fused;
    "W2" chaotic_r7::MODEL, ChaoticR7, "rk4" Rk4;
    "W3" sleigh_com::MODEL, SleighCom, "dla2" Dla2, Fused;
    "W3" sleigh_com::MODEL, SleighCom, "rattle" Rattle, Fused;
    "W3" sleigh_com::MODEL, SleighCom, "frame" Frame;
    "W3" sleigh_com::MODEL, SleighCom, "rk4" Rk4;
    "W4" snakeboard::MODEL, Snakeboard, "dla2" Dla2, Fused;
    "W4" snakeboard::MODEL, Snakeboard, "rattle" Rattle, Fused;
    "W4" snakeboard::MODEL, Snakeboard, "frame" Frame;
    "W4" snakeboard::MODEL, Snakeboard, "rk4" Rk4;
    "G1" lie::chaplygin_sleigh::MODEL, lie::chaplygin_sleigh::ChaplyginSleigh, "rdp" Rdp;
    "G2" lie::vertical_disk::MODEL, lie::vertical_disk::VerticalDisk, "rdp" Rdp;
    "G3" lie::snakeboard::MODEL, lie::snakeboard::Snakeboard, "rdp" Rdp;
    "G4" lie::ball_as_printed::MODEL, lie::ball_as_printed::BallAsPrinted, "rdp" Rdp;
}
