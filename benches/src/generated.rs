//! The generated steps of the workloads.

use crate::{Case, H, Kernel, Kind, Loop, Phase, Run};
use nhi_models::Row;
use nhi_models::chaotic_r7::{self, ChaoticR7};
use nhi_models::contact_oscillator::{self, ContactOscillator};
use nhi_models::sleigh_com::{self, SleighCom};
use nhi_models::snakeboard::{self, Snakeboard};
use nhi_runtime::{Dla2, Method, Rattle, Rk4, Simulation, State, System, Vector};

/// A generated step with all its checks, in the loop that kernels by hand stand in.
struct Generated<S: System, M: Method<S>> {
    method: M,
    prepared: M::Prepared<f64>,
    inputs: S::Inputs<f64>,
}

impl<S: System, M: Method<S>> Kernel for Generated<S, M> {
    type State = M::State<f64>;

    #[inline]
    fn step(&self, k: u64, state: Self::State) -> Self::State {
        match self.method.step(&self.prepared, &state, k as f64 * H, &self.inputs) {
            Ok(state) => state,
            Err(failure) => panic!("step {k}: {failure:?}"),
        }
    }

    fn phase(&self, _: u64, state: Self::State) -> Phase {
        phase::<S, M>(&state)
    }
}

fn phase<S: System, M: Method<S>>(state: &M::State<f64>) -> Phase {
    (state.q().as_ref().to_vec(), state.v().as_ref().to_vec())
}

impl<S: System, M: Method<S>> Run for Simulation<S, M> {
    #[inline(never)]
    fn advance(&mut self, steps: u64) {
        if let Err(error) = Simulation::advance(self, steps) {
            panic!("{error}");
        }
    }

    fn phase(&self) -> Phase {
        phase::<S, M>(self.state())
    }
}

/// The state that the kernels by hand start from.
pub(crate) fn start<S: System + Clone, M: Method<S>>(row: &Row<S>, method: &M) -> (S, M::State<f64>) {
    let system = row.defaults.clone();
    let (q, v) = (row.initial)(&system);
    let inputs = S::Inputs::splat(0.0);
    match method.start(&system.parameters(), H, &q, &v, 0.0, &inputs) {
        Ok(state) => (system, state),
        Err(failure) => panic!("{}: {failure:?}", row.name),
    }
}

fn bare<S: System + Clone + 'static, M: Method<S> + 'static>(row: &Row<S>, method: M) -> Box<dyn Run> {
    let (system, state) = start(row, &method);
    let prepared = match method.prepare(&system.parameters(), H) {
        Ok(prepared) => prepared,
        Err(failure) => panic!("{}: {failure:?}", row.name),
    };
    Loop::boxed(Generated::<S, M> { method, prepared, inputs: S::Inputs::splat(0.0) }, state)
}

fn simulation<S: System + Clone + 'static, M: Method<S> + 'static>(row: &Row<S>, method: M) -> Box<dyn Run> {
    let (q, v) = (row.initial)(&row.defaults);
    match Simulation::new(row.defaults.clone(), method, q, v, H) {
        Ok(simulation) => Box::new(simulation),
        Err(error) => panic!("{}: {error}", row.name),
    }
}

macro_rules! cases {
    ($($workload:literal $row:path, $system:ty, $id:literal $method:expr;)*) => {
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
                    start: || simulation::<$system, _>(&$row, $method),
                },
            )*]
        }
    };
}

cases! {
    "W1" contact_oscillator::MODEL, ContactOscillator, "dla2" Dla2;
    "W1" contact_oscillator::MODEL, ContactOscillator, "rattle" Rattle;
    "W1" contact_oscillator::MODEL, ContactOscillator, "rk4" Rk4;
    "W2" chaotic_r7::MODEL, ChaoticR7, "dla2" Dla2;
    "W2" chaotic_r7::MODEL, ChaoticR7, "rattle" Rattle;
    "W2" chaotic_r7::MODEL, ChaoticR7, "rk4" Rk4;
    "W3" sleigh_com::MODEL, SleighCom, "dla2" Dla2;
    "W3" sleigh_com::MODEL, SleighCom, "rattle" Rattle;
    "W3" sleigh_com::MODEL, SleighCom, "rk4" Rk4;
    "W4" snakeboard::MODEL, Snakeboard, "dla2" Dla2;
    "W4" snakeboard::MODEL, Snakeboard, "rattle" Rattle;
    "W4" snakeboard::MODEL, Snakeboard, "rk4" Rk4;
}
