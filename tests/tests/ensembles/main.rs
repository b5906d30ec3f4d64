//! Ensembles of the models in coordinates are their simulations, bit for bit.

mod failing;
mod settling;

use nhi_models as models;

nhi_tests::ensembles_are_simulations! {
    contact_oscillator models::contact_oscillator::MODEL, 0.05;
    contact_oscillator_gauged models::contact_oscillator_gauged::MODEL, 0.05;
    perturbed_oscillator models::perturbed_oscillator::MODEL, 0.05;
    chaotic_r7 models::chaotic_r7::MODEL, 0.05;
    sleigh_com models::sleigh_com::MODEL, 0.02;
    sleigh_contact models::sleigh_contact::MODEL, 0.02;
    snakeboard models::snakeboard::MODEL, 0.005;
    snakeboard_free models::snakeboard_free::MODEL, 0.01;
    vertical_disk models::vertical_disk::MODEL, 0.02;
    knife_incline models::knife_incline::MODEL, 0.02;
    rotating_table_skate models::rotating_table_skate::MODEL, 0.02;
    nh_particle models::nh_particle::MODEL, 0.05;
    nh_particle_harmonic models::nh_particle::HARMONIC, 0.05;
    euler_disk models::euler_disk::MODEL, 0.005;
    mobile_robot models::mobile_robot::MODEL, 0.02;
    sleigh_moving_mass models::sleigh_moving_mass::MODEL, 0.02;
    magnetic_particle models::magnetic_particle::MODEL, 0.02;
    gearbox models::gearbox::BOTH, 0.05;
    tractor models::tractor::MODEL, 0.02;
}
