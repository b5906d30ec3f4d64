//! Long products of poses.
//!
//! By default of 10⁵ factors; with `NHI_TESTS=all`, of 10⁶.

use super::numbers::distance;
use nhi_runtime::group::{Cayley, Column, Exp, Group, Retraction, SE2, SE3, SO3};
use nhi_tiers::amount;

fn steps() -> u32 {
    amount(100_000, 1_000_000)
}

/// A velocity that changes from step to step.
fn velocity(k: u32) -> [f64; 3] {
    let t = f64::from(k);
    [0.05 * (0.37 * t).sin(), 0.07 + 0.02 * (0.11 * t).cos(), -0.03 * (0.05 * t).sin()]
}

#[test]
fn many_rotations_end_in_a_rotation() {
    let (mut corrected, mut plain): (SO3<f64>, SO3<f64>) = (SO3::identity(), SO3::identity());
    let mut largest: f64 = 0.0;
    for k in 0..steps() {
        corrected = corrected.moved::<Cayley>(velocity(k));
        plain = plain.product(Cayley::tau(velocity(k)));
        if k % 100 == 0 {
            largest = largest.max(corrected.defect());
        }
    }
    // Measured: 4e-16 and 6e-14.
    assert!(largest < 3e-15, "{largest:e}");
    assert!(plain.defect() > 1e-14, "no correction would be needed: {:e}", plain.defect());
    // The rounding of 10⁶ steps: measured 2e-13.
    assert!(distance(corrected.0, plain.0) < amount(2e-13, 1e-12), "{:e}", distance(corrected.0, plain.0));
}

/// About a fixed axis the result is known.
#[test]
fn the_correction_turns_nothing() {
    let omega = [0.024, -0.011, 0.019];
    let g = (0..steps()).fold(SO3::identity(), |g: SO3<f64>, _| g.moved::<Exp>(omega));
    // The angle n|ω| reduced to less than a turn, in units of turns to keep its digits.
    let rate = omega.dot(omega).sqrt();
    let turns = f64::from(steps()) * (rate / std::f64::consts::TAU);
    let expected: SO3<f64> = Exp::tau(omega.times((turns - turns.floor()) * std::f64::consts::TAU / rate));
    assert!(distance(g.0, expected.0) < amount(1e-12, 1e-11), "{:e}", distance(g.0, expected.0));
}

#[test]
fn many_motions_end_in_a_motion() {
    let mut space: SE3<f64> = SE3::identity();
    let mut plane: SE2<f64> = SE2::identity();
    for k in 0..steps() {
        let [a, b, c] = velocity(k);
        space = space.moved::<Exp>([a, b, c, b, c, a]);
        plane = plane.moved::<Exp>([b, a, c]);
    }
    assert!(space.defect() < 1e-14 && plane.defect() == 0.0);
    assert!(distance(space.product(space.inverse()).rotation.0, SO3::identity().0) < 1e-14);
    assert!(distance(plane.product(plane.inverse()).entries(), [0.0; 3]) < 1e-9);
}

/// A matrix that is off by 10⁻⁴ is better by the square of that, the right way round, after each
/// correction; a reflection and entries that are not numbers are no small defect.
#[test]
fn the_defect_and_its_correction() {
    let mut rows = <Exp as Retraction<SO3<f64>>>::tau([0.3, -1.2, 0.8]).0;
    rows[0][1] += 1e-4;
    let off = SO3::from(rows);
    assert!(off.defect() > 5e-5 && off.normalized().defect() < 3e-8);
    assert!(off.normalized().normalized().defect() < 1e-14);
    assert!(SO3([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]]).defect() == 2.0);
    rows[1][1] = f64::NAN;
    assert!(SO3(rows).defect().is_nan());
    assert!((SE2::<f64>::identity(), SO3(rows)).defect().is_nan());
    assert!((SO3(rows), SE2::<f64>::identity()).defect().is_nan());
}
