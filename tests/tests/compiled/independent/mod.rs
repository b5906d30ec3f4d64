//! Systems of our own, found in no paper, held against an oracle that shares nothing with the
//! derivation and the methods: `nhi_tests::oracle`.

mod check;
mod failures;
mod fields;
mod surfaces;
mod wheels;

use check::{Problem, equations_agree};
use fields::{ChargedSkate, DoublePendulum, Oscillators};
use nhi_tests::oracle::Number;
use surfaces::{HillSkate, SphereSkate};
use wheels::{Conveyor, EccentricDisk, Tractor};

fn cosine_and_sine<D: Number>(angle: D) -> (D, D) {
    (angle.cos(), angle.sin())
}

/// No inputs, one interval.
const FREE: &[&[f64]] = &[&[]];

#[test]
fn eccentric_disk() {
    let system = &EccentricDisk::default();
    let q = &[0.1, -0.2, 0.4, 0.9];
    equations_agree(system, q);
    let problem = Problem { system, q, v: &[0.5, 0.3, 0.8, 1.2], inputs: FREE, duration: 1.6, steps: 40 };
    problem.converges();
    problem.conserves_energy();
}

#[test]
fn tractor_and_trailer() {
    let system = &Tractor::default();
    let q = &[0.0, 0.0, 0.3, 0.4, -0.3];
    equations_agree(system, q);
    let inputs: &[&[f64]] = &[&[0.8, 0.05], &[-0.4, -0.1]];
    Problem { system, q, v: &[1.0, 0.4, 0.1, 0.2, 0.1], inputs, duration: 1.6, steps: 20 }.converges();
}

#[test]
fn conveyor() {
    let system = &Conveyor::default();
    let q = &[0.2, 0.1, 0.5];
    equations_agree(system, q);
    let inputs: &[&[f64]] = &[&[0.7, 0.2], &[0.0, -0.5], &[-0.6, 0.3]];
    Problem { system, q, v: &[0.9, 0.4, 0.7], inputs, duration: 2.4, steps: 20 }.converges();
}

#[test]
fn sphere_skate() {
    let system = &SphereSkate::default();
    let q = &[0.5, 0.3, 0.7];
    equations_agree(system, q);
    let problem = Problem { system, q, v: &[0.3, 0.2, 0.9], inputs: FREE, duration: 1.2, steps: 30 };
    problem.converges();
    problem.conserves_energy();
}

#[test]
fn hill_skate() {
    let system = &HillSkate::default();
    let q = &[0.4, -0.3, 0.5, 0.6];
    equations_agree(system, q);
    let problem = Problem { system, q, v: &[0.6, 0.2, 0.3, 0.8], inputs: FREE, duration: 1.6, steps: 20 };
    problem.converges();
    problem.conserves_energy();
}

#[test]
fn double_pendulum() {
    let system = &DoublePendulum::default();
    let q = &[0.9, -0.4];
    equations_agree(system, q);
    let problem = Problem { system, q, v: &[0.7, 1.1], inputs: FREE, duration: 1.7, steps: 60 };
    problem.converges();
    problem.conserves_energy();
}

#[test]
fn charged_skate() {
    let system = &ChargedSkate::default();
    let q = &[1.3, 0.2, 0.9];
    equations_agree(system, q);
    Problem { system, q, v: &[0.5, 0.4, 0.7], inputs: FREE, duration: 2.4, steps: 20 }.converges();
}

#[test]
fn oscillators() {
    let system = &Oscillators::default();
    let q = &[0.3, -0.2, 0.4, 0.1, 0.2, -0.3, 0.25, 0.15];
    equations_agree(system, q);
    let v = &[0.5, -0.4, 0.3, 0.6, 0.0, 0.0, 0.0, 0.0];
    Problem { system, q, v, inputs: FREE, duration: 1.0, steps: 16 }.converges();
}
