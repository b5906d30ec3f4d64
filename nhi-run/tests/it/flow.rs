//! The flow by itself.

use nhi_run::flow;

/// Kepler's ellipse of eccentricity 0.6 closes after 2π.
#[test]
fn kepler_orbit_closes() {
    let mut kepler = |_t: f64, y: &[f64], dy: &mut [f64]| {
        let r3 = (y[0] * y[0] + y[1] * y[1]).powf(1.5);
        dy.copy_from_slice(&[y[2], y[3], -y[0] / r3, -y[1] / r3]);
        Ok(())
    };
    let start = [0.4, 0.0, 0.0, 2.0];
    let end = flow(&mut kepler, 0.0, &start, std::f64::consts::TAU, 0.1).unwrap();
    for (a, b) in start.iter().zip(&end) {
        assert!((a - b).abs() < 1e-12, "{start:?} {end:?}");
    }
}

/// A singularity on the way is an error, not an endless loop.
#[test]
fn blow_up_is_an_error() {
    let mut blow_up = |_t: f64, y: &[f64], dy: &mut [f64]| {
        dy[0] = y[0] * y[0];
        Ok(())
    };
    assert!(flow(&mut blow_up, 0.0, &[1.0], 2.0, 0.1).is_err());
}

/// Positions far from the origin have fewer digits, and so have their accelerations: shorter steps would not give them more.
#[test]
fn a_motion_far_from_the_origin_is_followed_to_the_rounding_of_its_positions() {
    for place in [0.0, 1e5, 1e7, 1e9, -1e9] {
        for stiffness in [1.0, 1e2, 1e4] {
            let mut spring = |_t: f64, y: &[f64], dy: &mut [f64]| {
                dy.copy_from_slice(&[y[1], -stiffness * (y[0] - place)]);
                Ok(())
            };
            let end = flow(&mut spring, 0.0, &[place + 1.0, 0.0], 1.0, 0.1)
                .unwrap_or_else(|e| panic!("{place}, {stiffness}: {e}"));
            let w = f64::sqrt(stiffness);
            let rounding = f64::EPSILON * (1.0 + place.abs());
            assert!((end[0] - place - w.cos()).abs() <= 1e3 * rounding * w, "{place}, {stiffness}: {end:?}");
            assert!((end[1] + w * w.sin()).abs() <= 1e3 * rounding * w * w, "{place}, {stiffness}: {end:?}");
        }
    }
}

/// The same of times far from zero.
#[test]
fn a_force_that_depends_on_a_late_time_is_followed_to_the_rounding_of_the_time() {
    for late in [1e5, 1e8] {
        let mut pushed = |t: f64, _y: &[f64], dy: &mut [f64]| {
            dy[0] = (100.0 * (t - late)).cos();
            Ok(())
        };
        let end = flow(&mut pushed, late, &[0.0], late + 1.0, 0.1).unwrap();
        assert!((end[0] - 100_f64.sin() / 100.0).abs() <= 1e2 * f64::EPSILON * late, "{late}: {end:?}");
    }
}

/// Forces with a jump or a kink are followed to the point at which they have it.
#[test]
fn jumps_and_kinks_are_located() {
    for i in 0..40 {
        let (x, place) = (0.3 + 0.017 * f64::from(i), if i % 2 == 0 { 0.0 } else { 1e3 });
        let mut jump = |_t: f64, y: &[f64], dy: &mut [f64]| {
            dy.copy_from_slice(&[y[1], -(y[0] - place).signum()]);
            Ok(())
        };
        let end = flow(&mut jump, 0.0, &[place + x, 1.0], 10.0, 0.1).unwrap();
        // The energy ½v² + |x|. Beside a jump or a kink the difference of two extrapolations is smaller than their errors.
        let energy = 0.5 * end[1] * end[1] + (end[0] - place).abs();
        assert!((energy - 0.5 - x).abs() <= 1e-10, "{x}, {place}: {end:?}");
        let mut kink = |_t: f64, y: &[f64], dy: &mut [f64]| {
            dy.copy_from_slice(&[y[1], -100.0 * f64::max(0.0, y[0] - place)]);
            Ok(())
        };
        // A wall with the stiffness 100 at `place`: half a period of 2π/10 in it.
        let end = flow(&mut kink, 0.0, &[place - x, 1.0], 3.0, 0.1).unwrap();
        let exact = place - (3.0 - x - std::f64::consts::PI / 10.0);
        assert!((end[0] - exact).abs() <= 1e-10 + 1e3 * f64::EPSILON * place, "{x}, {place}: {end:?}");
    }
}
