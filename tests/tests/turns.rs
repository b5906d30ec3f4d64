//! Sines and cosines that states carry from step to step.

use nhi_models::{sleigh_com, snakeboard};
use nhi_runtime::Scalar;
use nhi_runtime::prelude::*;

/// A sleigh with the angular velocity `omega` at the heading 0.3.
fn sleigh(omega: f64) -> (sleigh_com::SleighCom, [f64; 3], [f64; 3]) {
    let sleigh = sleigh_com::MODEL.defaults;
    let v = sleigh.velocity(0.3, omega, 0.1);
    (sleigh, [0.3, 0.0, 0.0], v)
}

/// What sines may be off by: a rounding for each of fifteen turns.
const ROUNDINGS: f64 = 16.0 * f64::EPSILON / 2.0;

#[test]
fn roundings_do_not_add_up() {
    for omega in [0.01, 0.3, 2.0, 7.0] {
        let (system, q, v) = sleigh(omega);
        let mut rattle = Simulation::new(system.clone(), Rattle, q, v, 0.05).expect("a start");
        let mut dla2 = Simulation::new(system, Dla2, q, v, 0.05).expect("a start");
        let mut largest = 0.0_f64;
        for _ in 0..20_000 {
            rattle.step().expect("a step");
            dla2.step().expect("a step");
            let &[.., sin, cos] = &rattle.state().carried;
            let (s, c) = Scalar::sin_cos(rattle.q()[0]);
            let &[.., angle, sin_h, cos_h] = &dla2.state().carried;
            let (s_h, c_h) = Scalar::sin_cos(angle);
            for error in [sin - s, cos - c, sin_h - s_h, cos_h - c_h] {
                largest = largest.max(error.abs());
            }
        }
        println!("{omega}: {largest:e}");
        assert!(largest <= ROUNDINGS, "{omega}: {largest:e}");
        // Or nothing was turned.
        assert!(largest > 0.0, "{omega}");
    }
}

/// Trajectories that turn by little in a step, and by more than short polynomials are for: all of them, or some
/// among others.
#[test]
fn ensembles_turn_as_simulations_do() {
    for every in [1, 2, 9, 70] {
        let data = |i: usize| sleigh(if i.is_multiple_of(every) { 3.0 + 0.05 * i as f64 } else { 0.4 });
        let mut together = Ensemble::with_systems(Rattle, (0..70).map(data), 0.05).expect("starts");
        let mut fused = Ensemble::with_systems(Rattle, (0..70).map(data), 0.05).expect("starts").fused();
        for steps in [1, 5, 300] {
            together.advance(steps);
            fused.advance(steps);
        }
        for i in 0..70 {
            let (system, q, v) = data(i);
            let mut alone = Simulation::new(system, Rattle, q, v, 0.05).expect("a start");
            alone.advance(306).expect("steps");
            assert_eq!(&together.state(i), alone.state(), "{every} {i}");
            // Whatever trajectories are beside it.
            let mut one = Ensemble::with_systems(Rattle, [data(i)], 0.05).expect("a start").fused();
            one.advance(306);
            assert_eq!(fused.state(i), one.state(0), "{every} {i}");
        }
    }
}

#[test]
fn steps_one_by_one_are_those_at_once() {
    let board = snakeboard::MODEL;
    let (q, v) = (board.initial)(&board.defaults);
    let method = Compose::suzuki4(Dla2);
    let start = || Simulation::project(board.defaults.clone(), method, q, v, 0.02).expect("a start");
    let (mut one_by_one, mut at_once, mut in_parts) = (start(), start(), start());
    (0..100).for_each(|_| one_by_one.step().expect("a step"));
    at_once.advance(100).expect("steps");
    [7, 9, 1, 83].into_iter().for_each(|steps| in_parts.advance(steps).expect("steps"));
    assert_eq!(at_once.state(), one_by_one.state());
    assert_eq!(in_parts.state(), one_by_one.state());
}
