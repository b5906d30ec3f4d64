//! The committed expansions, compiled and run beside what the derive makes of the same declarations.
//! That they are what is printed is for `cargo test -p nhi-codegen --test expansions` to say.
#![allow(non_snake_case, reason = "moments of inertia are called J")]

mod committed;
#[path = "../../../../nhi-derive/codegen/tests/expansions/declarations.rs"]
#[allow(unreachable_pub, reason = "the expansions are of structs that are public")]
mod declarations;

use nhi_runtime::prelude::*;
use nhi_runtime::{Method, Rk4, Rkmk2, System};

/// Configuration, velocity and energy after steps from (q, v), made admissible.
fn run<S, M, Q, const N: usize, const I: usize>(
    system: S,
    method: M,
    (q, v): (Q, [f64; N]),
    inputs: [f64; I],
) -> Vec<f64>
where
    S: System<Velocity<f64> = [f64; N], Inputs<f64> = [f64; I]>,
    S::Configuration<f64>: From<Q>,
    M: Method<S>,
{
    let mut simulation = Simulation::project(system, method, q, v, 0.02).expect("a start");
    for _ in 0..5 {
        simulation.step_with(&inputs).expect("a step");
    }
    [simulation.q().as_ref(), &simulation.v(), &[simulation.energy()]].concat()
}

/// Engines may write an expression in another way, which rounds differently.
const ROUNDING: f64 = 1e-14;

#[track_caller]
fn assert_same(committed: &[f64], derived: &[f64]) {
    let largest = derived.iter().fold(1.0, |a: f64, x| a.max(x.abs()));
    for (c, d) in committed.iter().zip(derived) {
        assert!((c - d).abs() <= ROUNDING * largest, "{committed:?} is not {derived:?}");
    }
    if cfg!(not(feature = "symbolica")) {
        assert_eq!(committed, derived);
    }
}

#[test]
fn committed_steps_are_the_derived_ones() {
    let state = ([0.3, 0.1, -0.2], [1.0, 0.5, 0.2]);
    let committed = || committed::sleigh::Sleigh { J: 0.5, m: 1.0, a: 0.2 };
    let derived = || declarations::Sleigh { J: 0.5, m: 1.0, a: 0.2 };
    assert_same(&run(committed(), Dla2, state, []), &run(derived(), Dla2, state, []));
    assert_same(&run(committed(), Rattle, state, []), &run(derived(), Rattle, state, []));

    let state = ([0.8, 0.1, -0.2], [0.3, 0.9, 0.0]);
    let committed = || committed::climber::Climber { m: 2.0, k: 3.0, g: 9.81, s: 0.25 };
    let derived = || declarations::Climber { m: 2.0, k: 3.0, g: 9.81, s: 0.25 };
    assert_same(&run(committed(), Dla2, state, []), &run(derived(), Dla2, state, []));
    assert_same(&run(committed(), Rattle, state, []), &run(derived(), Rattle, state, []));

    let (state, inputs) = (([0.8, 0.1, -0.2], [0.3, 0.9, 0.4]), [0.7, -0.3]);
    let committed = || committed::cart::Cart { m: 2.0, J: 0.4, belt: 0.5, c: [0.1, 0.3] };
    let derived = || declarations::Cart { m: 2.0, J: 0.4, belt: 0.5, c: [0.1, 0.3] };
    assert_same(&run(committed(), Dla2, state, inputs), &run(derived(), Dla2, state, inputs));
    assert_same(&run(committed(), Rk4, state, inputs), &run(derived(), Rk4, state, inputs));

    let (state, inputs) = (([0.1, 0.8, 0.1, -0.2], [0.3, 0.9, 0.4, 0.0]), [0.7]);
    let committed = || committed::coin::Coin { m: 2.0, I: 0.4, J: 0.5, r: 0.6 };
    let derived = || declarations::Coin { m: 2.0, I: 0.4, J: 0.5, r: 0.6 };
    assert_same(&run(committed(), Rdp, state, inputs), &run(derived(), Rdp, state, inputs));
    let cayley = Rdp::new(Cayley);
    assert_same(&run(committed(), cayley, state, inputs), &run(derived(), cayley, state, inputs));
    assert_same(&run(committed(), Rkmk2, state, inputs), &run(derived(), Rkmk2, state, inputs));
}
