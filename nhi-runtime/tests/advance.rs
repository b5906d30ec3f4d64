//! Many steps at once are the same steps.

mod double;

use double::{SLEIGH, Sleigh};
use nhi_runtime::prelude::*;
use nhi_runtime::{Error, Failure, Method};

const Q0: [f64; 3] = [0.3, 0.0, 0.0];
const V0: [f64; 3] = [1.2, 0.5978106927892027, 0.43614490205308315];

#[track_caller]
fn check<M: Method<Sleigh> + Copy>(method: M)
where
    M::State<f64>: PartialEq,
{
    let inputs = [0.3];
    let start = || Simulation::with_inputs(SLEIGH, method, Q0, V0, &inputs, 0.02).unwrap();
    // Around the number of steps between two looks at the results.
    for steps in [0, 1, 2, 1000, 4095, 4096, 4097] {
        let (mut one_by_one, mut at_once) = (start(), start());
        for _ in 0..steps {
            one_by_one.step().unwrap();
        }
        at_once.advance(steps).unwrap();
        assert_eq!(at_once.state(), one_by_one.state(), "{steps} steps");
        assert_eq!((at_once.steps(), at_once.time()), (steps, one_by_one.time()));
    }
}

#[test]
fn many_steps_are_the_same_steps() {
    check(Dla2);
    check(Rattle);
    check(Compose::suzuki4(Dla2));
}

#[test]
fn the_step_that_fails_is_found() {
    // The torque accelerates until the velocity overflows.
    let start = || Simulation::with_inputs(SLEIGH, Rattle::plain(), Q0, V0, &[2e305], 10.0).unwrap();
    let (mut one_by_one, mut at_once) = (start(), start());
    let error = loop {
        if let Err(error) = one_by_one.step() {
            break error;
        }
    };
    let failed = one_by_one.steps() + 1;
    assert!(failed > 2, "{failed}");
    assert_eq!(at_once.advance(1000), Err(error));
    let time = 10.0 * one_by_one.steps() as f64;
    assert_eq!(error, Error::Step { step: failed, time, cause: Failure::NonFinite });
    assert_eq!(at_once.state(), one_by_one.state());
    assert_eq!(at_once.steps(), one_by_one.steps());
    // And found again.
    assert_eq!(at_once.advance(5), Err(error));
}
