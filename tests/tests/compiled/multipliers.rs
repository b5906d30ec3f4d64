//! Multipliers that overflow on the way.

use nhi_runtime::prelude::*;
use nhi_runtime::{Error, Failure};

/// A bead that is pressed against a wall, at t = 1/2 and as hard as numbers can say. The form is a small multiple of
/// dx, so that the multiplier is a large one of the push. Its factors are powers of two: the bead stays where it is,
/// with the velocity that it has, to the last bit.
#[derive(Nonholonomic, Clone)]
#[nonholonomic(
    coordinates(x, y),
    lagrangian = (dot(x)^2 + dot(y)^2)/2,
    constraints(scale*dx = 0),
    force = push*exp(-((t - 1/2)*rate)^2)*dx,
    methods(Rattle),
)]
struct Bead {
    scale: f64,
    push: f64,
    rate: f64,
}

/// One step at a time looks at every multiplier. Many at once look at the last one, and at positions and velocities,
/// which do not tell of it afterwards: they are the same as if nothing had happened.
#[test]
fn steps_at_once_go_on_where_a_multiplier_alone_overflows() {
    let bead = Bead { scale: 2f64.powi(-20), push: 2f64.powi(1010), rate: 2f64.powi(12) };
    let start = || Simulation::new(bead.clone(), Rattle, [0.0, 0.0], [0.0, 1.0], 2f64.powi(-8)).unwrap();
    let (mut one_by_one, mut at_once) = (start(), start());
    let result = (0..1000).try_for_each(|_| one_by_one.step());
    assert!(matches!(result, Err(Error::Step { step: 128, cause: Failure::NonFinite, .. })), "{result:?}");
    assert_eq!(at_once.advance(1000), Ok(()));
    assert_eq!((at_once.q(), at_once.v()), ([0.0, 1000.0 * 2f64.powi(-8)], [0.0, 1.0]));
    let mut ensemble = Ensemble::new(bead, Rattle, [([0.0, 0.0], [0.0, 1.0])], 2f64.powi(-8)).unwrap();
    ensemble.advance(1000);
    assert_eq!((ensemble.error(0), ensemble.state(0)), (None, *at_once.state()));
}
