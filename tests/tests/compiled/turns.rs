//! Sines and cosines that states carry from step to step.

use nhi_models::{sleigh_com, snakeboard};
use nhi_runtime::Scalar;
use nhi_runtime::prelude::*;

/// A sleigh with the angular velocity `omega` at the heading 0.3.
fn sleigh(omega: f64) -> (sleigh_com::SleighCom, [f64; 3], [f64; 3]) {
    let sleigh = sleigh_com::MODEL.example();
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
            let state = rattle.state().carried;
            let (sin, cos) = (state.sin_theta, state.cos_theta);
            let (s, c) = Scalar::sin_cos(rattle.q()[0]);
            let state = dla2.state().carried;
            let (angle, by) = (state.last_theta, state.turn_theta);
            let (sin_h, cos_h) = (state.sin_near_theta, state.cos_near_theta);
            // Of the sum as it is before it is rounded.
            let sum = angle + by;
            let rest = by - (sum - angle);
            let (s_h, c_h) = Scalar::sin_cos(sum);
            let (s_h, c_h) = (s_h + rest * c_h, c_h - rest * s_h);
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

/// The phases of a snakeboard's torques, of which one turns by half a period in every step.
#[test]
fn roundings_of_phases_do_not_add_up() {
    let board = snakeboard::MODEL;
    let (q, v) = board.start(&board.example());
    let h = 0.05;
    let mut rattle = Simulation::project(board.example(), Rattle, q, v, h).expect("a start");
    let (mut largest, mut rounding) = (0.0_f64, 0.0_f64);
    for k in 1..20_000 {
        rattle.step().expect("a step");
        // What is foreseen of the torques at the end of the next step.
        let state = rattle.state().carried;
        let rotor = (state.near_phase_0, (state.sin_near_phase_0, state.cos_near_phase_0));
        let steering = (state.near_phase_1, (state.sin_near_phase_1, state.cos_near_phase_1));
        for (rate, (phase, sines)) in [(20.0, rotor), (2.0, steering)] {
            let exact = rate * core::f64::consts::PI * (h * f64::from(k + 1));
            assert!((phase - exact).abs() <= 4.0 * f64::EPSILON * exact, "{k}: {phase} for {exact}");
            let (sin, cos) = Scalar::sin_cos(phase);
            largest = largest.max((sines.0 - sin).abs()).max((sines.1 - cos).abs());
            rounding = rounding.max(phase * f64::EPSILON / 2.0);
        }
    }
    println!("{largest:e}, {rounding:e}");
    assert!(largest > 0.0 && largest <= ROUNDINGS + 16.0 * rounding, "{largest:e}, {rounding:e}");
}

/// The wheels' angle of a snakeboard, which no impulse turns: its sines are not looked at, so that roundings of the
/// angle add to theirs.
#[test]
fn roundings_of_known_sines_do_not_add_up() {
    let board = snakeboard::MODEL;
    let (mut q, v) = board.start(&board.example());
    for turns in [0, 100] {
        q[1] += std::f64::consts::TAU * f64::from(turns);
        let mut dla2 = Simulation::project(board.example(), Dla2, q, v, 0.05).expect("a start");
        let mut largest = 0.0_f64;
        for _ in 0..20_000 {
            dla2.step().expect("a step");
            let state = dla2.state().carried;
            let (angle, by) = (state.last_phi, state.turn_phi);
            let (sin, cos) = (state.sin_near_phi, state.cos_near_phi);
            let (s, c) = Scalar::sin_cos(angle + by);
            let rounding = 1.0 + 2.0 * angle.abs();
            largest = largest.max((sin - s).abs().max((cos - c).abs()) / rounding);
        }
        println!("{turns}: {largest:e}");
        assert!(largest <= ROUNDINGS, "{turns}: {largest:e}");
        // Or nothing was turned.
        assert!(largest > 0.0, "{turns}");
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
    let (q, v) = board.start(&board.example());
    let method = Compose::suzuki4(Dla2);
    let start = || Simulation::project(board.example(), method, q, v, 0.02).expect("a start");
    let (mut one_by_one, mut at_once, mut in_parts) = (start(), start(), start());
    (0..100).for_each(|_| one_by_one.step().expect("a step"));
    at_once.advance(100).expect("steps");
    [7, 9, 1, 83].into_iter().for_each(|steps| in_parts.advance(steps).expect("steps"));
    assert_eq!(at_once.state(), one_by_one.state());
    assert_eq!(in_parts.state(), one_by_one.state());
}
