//! A sleigh runs straight in the end: its turning dies out, and does not stay as the least number there is.

use nhi_models::lie::chaplygin_sleigh::{ChaplyginSleigh, MODEL};
use nhi_runtime::prelude::*;
use nhi_runtime::{Fields, Method};

fn check<M: Method<ChaplyginSleigh> + Clone + Sync>(method: M) {
    let sleigh = &MODEL.example();
    let (q, v) = MODEL.start(sleigh);
    let h = 0.2;
    let mut at_once = Simulation::new(sleigh.clone(), method.clone(), q, v, h).unwrap();
    let (mut one_by_one, mut in_parts) = (at_once.clone(), at_once.clone());
    let mut ensemble = Ensemble::new(sleigh.clone(), method, [(q, v); 3], h).unwrap();
    let mut in_between = false;
    for steps in [4000, 5000, 7001] {
        at_once.advance(steps).unwrap();
        ensemble.advance(steps);
        for _ in 0..steps {
            one_by_one.step().unwrap();
            in_between |= one_by_one.v()[0].is_subnormal();
        }
        (0..steps / 1000).for_each(|_| in_parts.advance(1000).unwrap());
        in_parts.advance(steps % 1000).unwrap();
        let numbers = numbers(one_by_one.state());
        for state in [*at_once.state(), *in_parts.state(), ensemble.state(1)] {
            assert_eq!(self::numbers(&state), numbers, "{steps}");
        }
    }
    assert!(in_between, "subnormal for a while");
    assert_eq!(at_once.v()[0], 0.0);
}

/// The bits of all numbers in a state.
fn numbers(state: &impl Fields<f64>) -> Vec<u64> {
    let mut numbers = Vec::new();
    state.write(&mut |x| numbers.push(x.to_bits()));
    numbers
}

#[test]
fn what_dies_out_is_zero_by_every_driver() {
    check(Rkmk4);
    check(Rdp);
    check(Compose::suzuki4(Rdp));
}
