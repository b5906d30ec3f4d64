//! n steps, the momentum reversed, n steps: symmetric methods are back where they started.

use super::case::{Case, distance};
use nhi_models::Node;

const STEPS: u64 = 50;

fn negated(v: &[f64]) -> Vec<f64> {
    v.iter().map(|x| -x).collect()
}

/// How far from the start the way back leads. A method that reflects is given the momentum −p⁺ that it
/// arrived with as the one it leaves with.
fn return_error(case: &Case, id: &str, h: f64) -> f64 {
    let mut trajectory = case.start(id, h);
    let start = trajectory.node();
    trajectory.advance(STEPS).unwrap_or_else(|e| panic!("{} with {id}: {e}", case.name));
    let there = trajectory.node();
    let (before, after) = &there.jump;
    let turned = Node { t: 0.0, q: there.q.clone(), jump: (negated(after), negated(before)) };
    let back =
        trajectory.follow(&turned, h, STEPS).unwrap_or_else(|e| panic!("{} with {id}: {e}", case.name));
    let (before, after) = &back.jump;
    distance(&back.q, &start.q)
        .max(distance(&negated(after), &start.jump.0))
        .max(distance(&negated(before), &start.jump.1))
}

/// The same by steps of −h, for affine constraints, which the reversed velocity would violate, and for
/// forces that depend on time.
fn way_back(case: &Case, id: &str, h: f64) -> f64 {
    let mut trajectory = case.start(id, h);
    let start = trajectory.node();
    trajectory.advance(STEPS).unwrap_or_else(|e| panic!("{} with {id}: {e}", case.name));
    let back = trajectory.follow(&trajectory.node().reversed(), -h, STEPS);
    let back = back.unwrap_or_else(|e| panic!("{} with {id}: {e}", case.name)).reversed();
    distance(&back.q, &start.q)
        .max(distance(&back.jump.0, &start.jump.0))
        .max(distance(&back.jump.1, &start.jump.1))
}

const SYMMETRIC: [&str; 11] = [
    "rdp",
    "rdp_cay",
    "rdp_exp1",
    "rdp_midpoint",
    "rdp_midpoint_cay",
    "rdp_midpoint_exp1",
    "rattle",
    "rattle_plain",
    "rattle_plain_cay",
    "frame",
    "frame_midpoint",
];

#[test]
fn symmetric_methods_return() {
    for name in [
        "sleigh",
        "snakeboard",
        "robot",
        "roller_racer",
        "disk",
        "chaplygin_sphere",
        "chaplygin_top",
        "suslov",
        "se3_body",
    ] {
        let case = Case::of(name);
        for id in SYMMETRIC.into_iter().filter(|id| case.has(id)) {
            let error = return_error(&case, id, 0.02);
            println!("{name} {id}: {error:.1e}");
            assert!(
                error < 1e-13 * (1.0 + distance(&case.v0, &vec![0.0; case.v0.len()])),
                "{name} {id}: {error:e}"
            );
        }
    }
}

#[test]
fn symmetric_methods_are_undone_by_the_step_back() {
    for name in [
        "ball_homogeneous_rotating",
        "ball_printed_rotating",
        "chaplygin_sphere_rotating",
        "robot_forced",
        "roller_racer_m2_forced",
    ] {
        let case = Case::of(name);
        for id in SYMMETRIC.into_iter().filter(|id| case.has(id)) {
            let error = way_back(&case, id, 0.02);
            println!("{name} {id}: {error:.1e}");
            assert!(
                error < 1e-13 * (1.0 + distance(&case.v0, &vec![0.0; case.v0.len()])),
                "{name} {id}: {error:e}"
            );
        }
    }
}

/// Coordinates of the second kind, base points at one end and the restart are not symmetric; but the base
/// points do not matter to bodies without shape.
#[test]
fn the_others_do_not() {
    for name in ["sleigh", "snakeboard", "chaplygin_top"] {
        let case = Case::of(name);
        for id in ["rdp_ccsk", "rdp_midpoint_ccsk", "rdp_left", "rdp_right_cay", "rattle_restarted", "rkmk2"]
        {
            let no_base_point = name == "sleigh" && (id == "rdp_left" || id == "rdp_right_cay");
            if case.has(id) {
                let error = return_error(&case, id, 0.02);
                println!("{name} {id}: {error:.1e}");
                assert_eq!(error < 1e-13, no_base_point, "{name} {id}: {error:e}");
            }
        }
    }
}
