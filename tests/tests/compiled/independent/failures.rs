//! Starts and steps that are impossible, and what is said about them.

use super::check::vector;
use super::fields::DoublePendulum;
use super::surfaces::{Circle, SphereSkate};
use super::wheels::EccentricDisk;
use nhi_runtime::prelude::*;
use nhi_runtime::{Error, Failure, Forms, Quantity, System};
use nhi_tests::oracle::{self, Equations};

const HERE: [f64; 4] = [0.1, -0.2, 0.4, 0.9];

#[test]
fn velocities_off_the_constraints() {
    let disk = EccentricDisk::default();
    let admissible = oracle::project(&disk, &HERE, &[0.5, 0.3, 0.8, 1.2]);
    for (i, label) in [(0, "dx - R*cos(phi)*dtheta"), (1, "sideways")] {
        let mut v: [f64; 4] = vector(&admissible);
        assert!(Simulation::new(disk.clone(), Dla2, HERE, v, 0.01).is_ok());
        v[i] += 1e-9;
        let expected = disk.constraints(&HERE, &v)[i];
        match Simulation::new(disk.clone(), Dla2, HERE, v, 0.01) {
            Err(Error::Constraint { name, residual }) => {
                assert_eq!(name, label);
                assert!((residual - expected).abs() < 1e-15, "{residual:e} instead of {expected:e}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_nearest_admissible_velocity_is_a_start() {
    let disk = EccentricDisk::default();
    let v = [0.5, 0.3, 0.8, 1.2];
    let sim = Simulation::project(disk.clone(), DlaRattle, HERE, v, 0.01).expect("a start");
    let expected: [f64; 4] = vector(&oracle::project(&disk, &HERE, &v));
    for (got, expected) in sim.v().into_iter().zip(expected) {
        assert!((got - expected).abs() < 1e-14, "{:?} instead of {expected:?}", sim.v());
    }
}

#[test]
fn numbers_that_are_none() {
    let pendulum = DoublePendulum::default();
    for h in [0.0, f64::NAN, f64::INFINITY] {
        let refused = Simulation::new(pendulum.clone(), Dla2, [0.0; 2], [0.0; 2], h);
        assert!(matches!(refused, Err(Error::StepSize { .. })), "{h}");
    }
    let refused = Simulation::new(pendulum.clone(), Dla2, [0.0, f64::NAN], [0.0; 2], 0.01);
    let expected = (Quantity::Coordinate, "beta");
    assert!(matches!(refused, Err(Error::NonFinite { quantity, name, .. }) if (quantity, name) == expected));
    let refused = Simulation::new(pendulum, Dla2, [0.0; 2], [f64::INFINITY, 0.0], 0.01);
    let expected = (Quantity::Velocity, "alpha");
    assert!(matches!(refused, Err(Error::NonFinite { quantity, name, .. }) if (quantity, name) == expected));
    let disk = EccentricDisk { g: f64::NAN, ..EccentricDisk::default() };
    let refused = Simulation::project(disk, Dla2, HERE, [0.0; 4], 0.01);
    let expected = (Quantity::Parameter, "g");
    assert!(matches!(refused, Err(Error::NonFinite { quantity, name, .. }) if (quantity, name) == expected));
}

#[test]
fn singular_systems() {
    let massless = DoublePendulum { m2: 0.0, ..DoublePendulum::default() };
    let refused = Simulation::new(massless, Dla2, [0.3, 0.4], [0.1, 0.2], 0.01).map(|_| ());
    let velocities = Forms::new(DoublePendulum::VELOCITIES, 0b10);
    let parameters = Forms::new(DoublePendulum::PARAMETERS, 0b10);
    assert_eq!(refused, Err(Error::Start { cause: Failure::NoInertia { velocities, parameters } }));
    assert!(velocities.to_string() == "`beta`", "{velocities}");

    let circle = Circle { m: 1.0 };
    let refused = Simulation::new(circle.clone(), Dla2, [0.0; 2], [0.1, 0.2], 0.01).map(|_| ());
    let cause = Failure::Dependent { forms: Forms::new(Circle::CONSTRAINTS, 1), vanish: true };
    assert_eq!(cause.to_string(), "the one-form of the constraint `circle` vanishes here");
    assert_eq!(refused, Err(Error::Start { cause }));
    let refused = Simulation::project(circle.clone(), Dla2, [0.0; 2], [0.1, 0.2], 0.01).map(|_| ());
    assert_eq!(refused, Err(Error::Projection { cause }));
    let refused = circle.acceleration([0.0; 2], [0.1, 0.2], 0.0, []).map(|_| ());
    assert_eq!(refused, Err(Error::Acceleration { cause: Failure::SingularConstraints }));
    assert!(Simulation::new(circle, Dla2, [0.3, 0.4], [0.4, -0.3], 0.01).is_ok());
}

#[test]
fn a_step_that_fails_leaves_the_state() {
    // Straight down towards the equator, where the sphere as a graph ends.
    let skate = SphereSkate::default();
    let mut sim = Simulation::new(skate, Dla2, [1.5, 0.0, 0.0], [1.0, 0.0, 0.0], 0.02).expect("a start");
    let (error, before) = loop {
        let before = sim.sample();
        if let Err(error) = sim.step() {
            break (error, before);
        }
        assert!(sim.q()[0] < 2.0, "still on the sphere: {:?}", sim.q());
    };
    assert!(
        matches!(error, Error::Step { step, time, .. } if step == before.k + 1 && time == before.t),
        "{error}"
    );
    assert_eq!(sim.sample(), before);
    assert_eq!(sim.step(), Err(error));
}
