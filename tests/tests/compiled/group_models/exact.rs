//! What methods keep to rounding.

use super::case::{Case, distance, largest};
use nhi_tiers::amount;

const CASES: [&str; 13] = [
    "sleigh",
    "snakeboard",
    "robot",
    "robot_forced",
    "roller_racer",
    "roller_racer_m2_forced",
    "disk",
    "ball_homogeneous_rotating",
    "chaplygin_sphere",
    "chaplygin_sphere_rotating",
    "chaplygin_top",
    "suslov",
    "se3_body",
];

/// Every node of every method that is on the constraint manifold at all is on it to rounding.
#[test]
fn nodes_are_on_the_constraint_manifold() {
    for name in CASES {
        let case = Case::of(name);
        for method in case.model.methods().iter().filter(|method| !method.id.starts_with("rkmk")) {
            let mut trajectory = case.start(method.id, 0.02);
            let mut worst: f64 = 0.0;
            for _ in 0..100 {
                trajectory.step().unwrap_or_else(|e| panic!("{name} with {}: {e}", method.id));
                worst = worst.max(case.residual(&*trajectory) / (1.0 + largest(&trajectory.v())));
            }
            assert!(worst < 1e-14, "{name} with {}: {worst:e}", method.id);
        }
    }
}

/// The largest deviation of the energy from its first value.
fn energy_spread(case: &Case, id: &str, h: f64, steps: u64) -> f64 {
    let mut trajectory = case.start(id, h);
    let start = trajectory.energy();
    (0..steps).fold(0.0, |most: f64, _| {
        trajectory.step().unwrap_or_else(|e| panic!("{} with {id}: {e}", case.name));
        most.max((trajectory.energy() - start).abs())
    })
}

/// With the first truncation the energy is conserved where metric and constraints are constant. With the
/// exact tangent it is not, except that of the disk, which turns steadily.
#[test]
fn the_first_truncation_conserves_the_energy() {
    for name in ["sleigh", "suslov", "se3_body", "robot", "disk"] {
        let case = Case::of(name);
        let scale = case.instance.energy(&case.q0, &case.v0).max(1.0);
        let h = if name == "robot" { 0.02 } else { 0.05 };
        for id in ["rdp_midpoint_exp1", "rdp_exp1"] {
            let spread = energy_spread(&case, id, h, 4000);
            println!("{name} {id}: {spread:.1e}");
            assert!(spread < 1e-12 * scale, "{name} {id}: {spread:e}");
        }
        for id in ["rdp_midpoint", "rdp_midpoint_cay", "rdp_midpoint_exp2", "rdp_midpoint_exp4"] {
            let spread = energy_spread(&case, id, h, 400);
            println!("{name} {id}: {spread:.1e}");
            assert!(spread > 1e-7 || name == "disk", "{name} {id}: {spread:e}");
            assert!(spread < 0.05 * scale, "{name} {id}: {spread:e}");
        }
    }
    // Where the metric is constant but the constraints are not, it is not exact.
    let snakeboard = Case::of("snakeboard");
    let spread = energy_spread(&snakeboard, "rdp_midpoint_exp1", 0.05, 400);
    assert!(spread > 1e-10 && spread < 1e-6, "{spread:e}");
}

/// In an orthonormal frame with averaged gradients the energy is exact everywhere, with steps of all sizes; with gradients at
/// mid-points it is where there is no potential.
#[test]
fn the_frame_method_conserves_the_energy() {
    for name in ["sleigh", "suslov", "se3_body", "robot", "disk", "snakeboard", "roller_racer"] {
        let case = Case::of(name);
        let scale = case.instance.energy(&case.q0, &case.v0).abs().max(1.0);
        for h in [0.02, 0.1] {
            let spread = energy_spread(&case, "frame", h, amount(1000, 10_000));
            println!("{name}, h = {h}: {spread:.1e}");
            assert!(spread < 1e-13 * scale * amount(3.0, 10.0), "{name}, h = {h}: {spread:e}");
        }
        let spread = energy_spread(&case, "frame_midpoint", 0.02, 1000);
        assert!(spread < 1e-12 * scale, "{name}: {spread:e}");
    }
}

/// The largest deviation of the model's conserved quantities `names` from their first values.
fn invariant_spread(case: &Case, names: &[&str], id: &str, h: f64, steps: u64) -> f64 {
    let all = case.model.invariants();
    let values = |q: &[f64], v: &[f64]| -> Vec<f64> {
        let values = case.instance.invariants(q, v);
        all.iter().zip(values).filter(|(name, _)| names.contains(name)).map(|(_, value)| value).collect()
    };
    let start = values(&case.q0, &case.v0);
    assert_eq!(start.len(), names.len());
    let mut trajectory = case.start(id, h);
    (0..steps).fold(0.0, |most: f64, _| {
        trajectory.step().unwrap_or_else(|e| panic!("{} with {id}: {e}", case.name));
        most.max(distance(&values(&trajectory.q(), &trajectory.v()), &start))
    })
}

/// The contact momentum of Chaplygin's sphere, that of three horizontal symmetries whose directions depend
/// on the attitude, is exact on the table at rest and on the turning one; with truncated tangents O(h²).
#[test]
fn the_contact_momentum_of_the_sphere_is_conserved() {
    const K: [&str; 3] = ["K1", "K2", "K3"];
    for name in ["chaplygin_sphere", "chaplygin_sphere_rotating"] {
        let case = Case::of(name);
        for id in ["rdp", "rdp_cay", "rdp_ccsk", "rattle", "rattle_cay", "rattle_plain", "rattle_plain_cay"] {
            let spread = invariant_spread(&case, &K, id, 0.05, 2000);
            println!("{name} {id}: {spread:.1e}");
            assert!(spread < 1e-12, "{name} {id}: {spread:e}");
        }
        let [coarse, fine] =
            [0.05, 0.025].map(|h| invariant_spread(&case, &K, "rdp_exp1", h, (20.0 / h) as u64));
        println!("{name} rdp_exp1: {coarse:.1e}, {fine:.1e}");
        assert!(coarse > 1e-6 && (3.5..4.5).contains(&(coarse / fine)), "{name}: {coarse:e}, {fine:e}");
    }
}

/// The energy of the sphere stays near its value, and so does the moving energy on the turning table,
/// where the energy itself does not.
#[test]
fn moving_energies_do_not_drift() {
    let case = Case::of("chaplygin_sphere_rotating");
    let moving = |h: f64| invariant_spread(&case, &["moving_energy"], "rdp", h, (50.0 / h) as u64);
    let (coarse, fine) = (moving(0.1), moving(0.05));
    println!("moving energy {coarse:.1e}, {fine:.1e}");
    assert!(coarse < 1e-2 && (3.0..5.0).contains(&(coarse / fine)), "{coarse:e}, {fine:e}");
    assert!(energy_spread(&case, "rdp", 0.05, 1000) > 0.1);
}
