//! Trajectories of the models by fused multiplications and additions are those by separate ones, up to rounding.

use nhi_models::{self as models, Row, lie};
use nhi_runtime::prelude::*;
use nhi_runtime::{Method, System};

/// So few that roundings add up, and motions that are unstable do not show.
const STEPS: u64 = 200;

fn check<S: System + Clone, M: Method<S> + Clone>(row: &Row<S>, method: M) {
    let name = format!("{} by {}", row.name, method.id());
    let (q, v) = row.start(&row.example());
    let mut separate = Simulation::new(row.example(), method, q, v, 0.01).expect("a start");
    let mut fused = separate.clone();
    assert_eq!(separate.advance(STEPS), Ok(()), "{name}");
    assert_eq!(fused.advance_fused(STEPS), Ok(()), "{name}");
    assert_eq!(fused.steps(), STEPS, "{name}");
    let (a, b) = (separate.sample(), fused.sample());
    for (a, b) in [(a.q.as_ref(), b.q.as_ref()), (a.v.as_ref(), b.v.as_ref())] {
        let size = a.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
        let bound = STEPS as f64 * f64::EPSILON * size;
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() <= bound), "{name}: {a:?} and {b:?}");
    }
}

macro_rules! tests {
    ($($test:ident $module:ident $models:tt $methods:tt)*) => {$(
        #[test]
        fn $test() {
            tests!(@each $module $models $methods);
        }
    )*};
    (@each $module:ident $models:tt [$($method:expr),*]) => {$(
        tests!(@all $module $models $method);
    )*};
    (@all $module:ident [$($model:ident),*] $method:expr) => {$(
        check(&$module::$model::MODEL, $method);
    )*};
}

tests! {
    in_coordinates models
    [
        chaotic_r7, contact_oscillator, contact_oscillator_gauged, euler_disk, gearbox, knife_incline,
        magnetic_particle, mobile_robot, nh_particle, perturbed_oscillator, rotating_table_skate, sleigh_com, sleigh_contact,
        sleigh_moving_mass, snakeboard, snakeboard_free, tractor, vertical_disk
    ]
    [Dla2, DlaRattle, Rattle, Compose::suzuki4(Dla2), Rk4]

    on_groups lie
    [
        ball_as_printed, chaplygin_ball, chaplygin_sleigh, nonholonomic_particle, rattleback, roller_racer,
        se3_body, snakeboard, suslov, two_wheeled_robot, vertical_disk
    ]
    [Rdp, Rattle, Rkmk4]
}
