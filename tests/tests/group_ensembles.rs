//! Ensembles of the models on groups are their simulations, bit for bit.

use nhi_models::{Simulated, lie};
use nhi_runtime::prelude::*;
use nhi_tests::together::Bed;

nhi_tests::ensembles_are_simulations! {
    se2_sleigh lie::chaplygin_sleigh::MODEL, 0.02;
    se2_snakeboard lie::snakeboard::MODEL, 0.01;
    se2_robot lie::two_wheeled_robot::MODEL, 0.02;
    se2_roller_racer lie::roller_racer::MODEL, 0.02;
    se2_vertical_disk lie::vertical_disk::MODEL, 0.02;
    ball_as_printed lie::ball_as_printed::MODEL, 0.02;
    chaplygin_ball lie::chaplygin_ball::MODEL, 0.02;
    chaplygin_top lie::chaplygin_ball::TOP, 0.02;
    suslov lie::suslov::MODEL, 0.05;
    se3_body lie::se3_body::MODEL, 0.02;
    so3_particle lie::nonholonomic_particle::MODEL, 0.05;
    rattleback lie::rattleback::MODEL, 0.005;
}

/// Steps of about 0.7 rad, for which maps of groups have other formulas; these are not vectorised.
#[test]
fn far_motions_on_a_group() {
    let bed = Bed::new(&lie::suslov::MODEL, 0.7);
    let method = lie::suslov::Suslov::methods().iter().find(|method| method.id == "rdp").expect("declared");
    assert_eq!(bed.together(Rdp), bed.alone(method));
}
