//! Poses as the types of nalgebra.
#![cfg(feature = "nalgebra")]

use super::laws;
use super::numbers::distance;
use nalgebra::{Isometry2, Isometry3, Rotation3, UnitQuaternion, Vector2, Vector3};
use nhi_runtime::group::{Exp, Group, Retraction, SE2, SE3, SO3};
use proptest::prelude::*;

proptest! {
    #![proptest_config(laws::config())]

    /// nalgebra's exponential, products and actions are ours.
    #[test]
    fn rotations(x in laws::numbers(), y in laws::numbers()) {
        let (x, y): ([f64; 3], [f64; 3]) = (laws::velocity(&x), laws::velocity(&y));
        let (g, h): (SO3<f64>, SO3<f64>) = (Exp::tau(x), Exp::tau(y));
        let (r, s) = (Rotation3::new(Vector3::from(x)), Rotation3::new(Vector3::from(y)));
        prop_assert!(distance(SO3::from(r).0, g.0) < 1e-14);
        prop_assert!(distance(SO3::from(r * s).0, g.product(h).0) < 1e-14);
        prop_assert_eq!(SO3::from(Rotation3::from(g)), g);
        prop_assert!((Rotation3::from(g) * Vector3::from(y) - Vector3::from(g.apply(y))).norm() < 1e-14);

        let q = UnitQuaternion::from(g);
        prop_assert!(q.angle_to(&UnitQuaternion::new(Vector3::from(x))) < 1e-7 && q.w >= 0.0);
        prop_assert!(distance(SO3::from(q).0, g.0) < 1e-14);
    }

    #[test]
    fn isometries(x in laws::numbers(), y in laws::numbers()) {
        let (g, h): (SE3<f64>, SE3<f64>) = (laws::pose(&x), laws::pose(&y));
        let (a, b) = (Isometry3::from(g), Isometry3::from(h));
        prop_assert!(distance(SE3::from(a * b).entries(), g.product(h).entries()) < 1e-13);
        let (g, h): (SE2<f64>, SE2<f64>) = (laws::pose(&x), laws::pose(&y));
        let (a, b) = (Isometry2::from(g), Isometry2::from(h));
        let (product, expected) = (SE2::from(a * b), g.product(h));
        prop_assert!((product.x - expected.x).abs() + (product.y - expected.y).abs() < 1e-13);
        prop_assert!((product.theta - expected.theta).sin().abs() < 1e-13);
        prop_assert!(distance(SE2::from(a).entries(), g.entries()) < 1e-14);
    }
}

/// The parts are where they belong.
#[test]
fn the_parts() {
    let isometry = Isometry2::new(Vector2::new(1.0, 2.0), 0.3);
    assert!(distance(SE2::from(isometry).entries(), [0.3, 1.0, 2.0]) < 1e-15);
    let isometry = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.0, 0.0, 0.3));
    let g = SE3::from(isometry);
    assert_eq!(g.position, [1.0, 2.0, 3.0]);
    assert!((g.rotation.0[1][0] - 0.3f64.sin()).abs() < 1e-15);
}
