//! Momenta of horizontal symmetries, integrated constraints, and other conserved quantities.

use crate::distance;
use crate::tolerance::ACCUMULATED;
use nhi_models::{Family, METHODS, Model, model};

/// Largest change of the invariants of `model`, relative to 1 + |value|.
fn change(model: &dyn Model, parameters: &[f64], id: &str, h: f64, steps: u64) -> f64 {
    let instance = model.instance(parameters);
    let mut trajectory = crate::start(&*instance, id, h);
    let values = |q: &[f64], v: &[f64]| instance.invariants(q, v);
    let start = values(&trajectory.q(), &trajectory.v());
    let mut worst: f64 = 0.0;
    for _ in 0..steps {
        trajectory.step().unwrap();
        worst = worst.max(distance(&values(&trajectory.q(), &trajectory.v()), &start));
    }
    worst
}

/// Where the symmetry of L is along admissible velocities its momentum is conserved to rounding by every
/// method that descends from a discrete Lagrangian; with a spring on the disk, too.
#[test]
fn momenta_of_horizontal_symmetries_are_conserved() {
    let spring = [1.0, 0.5, 0.125, 0.0625, 1.0];
    let knife = model("knife_incline").unwrap();
    let snakeboard = model("snakeboard_free").unwrap();
    let disk = model("vertical_disk").unwrap();
    for (model, parameters) in
        [(disk, spring.to_vec()), (knife, knife.defaults()), (snakeboard, snakeboard.defaults())]
    {
        for method in METHODS.iter().filter(|method| method.family != Family::RungeKutta) {
            // RATTLE's parasite on the snakeboard magnifies rounding.
            let steps = if model.name() == "snakeboard_free" { 200 } else { 1000 };
            let worst = change(model, &parameters, method.id, 0.01, steps);
            assert!(worst < ACCUMULATED, "{} {}: {worst:e}", model.name(), method.id);
        }
    }
}

/// The constraints of the robot give an angle as a function of the wheels': linear, so that the methods
/// whose positions follow from velocities on the constraints keep it.
#[test]
fn an_integrated_constraint_is_kept() {
    let robot = model("mobile_robot").unwrap();
    for id in ["dla1", "dla2", "dla2_midpoint", "dla_rattle", "dla2_suzuki4", "rk2_midpoint", "rk4"] {
        let worst = change(robot, &robot.defaults(), id, 0.01, 1000);
        assert!(worst < ACCUMULATED, "{id}: {worst:e}");
    }
}

/// Other conserved quantities have errors of the order of the method, which do not grow.
#[test]
fn other_invariants_have_bounded_errors() {
    for name in ["contact_oscillator", "perturbed_oscillator", "nh_particle_harmonic", "rotating_table_skate"]
    {
        let model = model(name).unwrap();
        for id in ["dla2", "dla2_midpoint", "dla_rattle"] {
            let parameters = model.defaults();
            let short = change(model, &parameters, id, 0.1, 500);
            let long = change(model, &parameters, id, 0.1, 2000);
            let fine = change(model, &parameters, id, 0.05, 1000);
            // The midpoint rule conserves the quadratic energy of an uncoupled oscillator.
            if id == "dla2_midpoint" && name != "rotating_table_skate" {
                assert!(long < ACCUMULATED, "{name} {id}: {long:e}");
                continue;
            }
            assert!(long < 1.1 * short, "{name} {id}: {short:e}, {long:e}");
            assert!((3.0..5.0).contains(&(short / fine)), "{name} {id}: {short:e}, {fine:e}");
        }
    }
}
