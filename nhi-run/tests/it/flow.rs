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
