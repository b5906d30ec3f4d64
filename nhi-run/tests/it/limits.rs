//! Bounds of plans in pictures.

use super::support;
use nhi_run::{Areas, Limits, System};
use std::ops::ControlFlow;

/// A wheel, as coordinates and as a pose.
const WHEELS: [&str; 2] = [
    "#[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(phi, theta, x, y),
        inputs(drive),
        lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(theta)^2 + dot(phi)^2),
        constraints(along: dx - r*cos(theta)*dphi, across: dy - r*sin(theta)*dphi),
        force = drive*dphi,
    )]
    struct Wheel { m: f64, r: f64 }",
    "#[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(phi),
        group = SE2(theta, x, y; omega, v, w),
        inputs(drive),
        lagrangian = m/2*(v^2 + w^2 + omega^2 + dot(phi)^2),
        constraints(along: v - r*dot(phi), across: w),
        force = drive*dphi,
    )]
    struct Wheel { m: f64, r: f64 }",
];

#[test]
fn bounds_of_columns_and_places_are_drawn() {
    for (source, method, v0) in
        [(WHEELS[0], "dla2", [1.0, 0.5, 1.0, 0.0]), (WHEELS[1], "rdp", [1.0, 0.5, 1.0, 0.0])]
    {
        let system = System::parse(source, "wheel.rs", None).expect("a declaration");
        let run = support::run(system.clone(), method, [&[1.0, 1.0], &[0.0; 4], &v0], (0.05, 40));
        let recording = run.record(&mut |_| ControlFlow::Continue(())).expect("a run");
        let infinity = f64::INFINITY;
        let bounds = [
            ("(x - 1)^2 + (y - r/2)^2", [0.09, infinity]),
            ("drive", [-2.0, 2.0]),
            ("y", [-1.0, infinity]),
            ("dot(phi)", [0.0, 3.0]),
            ("lambda(across)", [-1.0, 1.0]),
            // Of these, places in the plane alone do not decide.
            ("x*cos(theta)", [-1.0, 1.0]),
            ("x*drive", [-1.0, 1.0]),
            ("x + t", [-1.0, 9.0]),
            ("x*dot(phi)", [-1.0, 1.0]),
        ];
        let bounds = bounds.map(|(name, pair)| (name.to_owned(), pair));
        let Limits { columns, areas } = Limits::of(&system, &bounds, &recording).expect("formulas");
        let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["drive", "y", "dot_phi", "lambda_across"]);
        let Areas { plane, outlines } = areas.expect("areas");
        assert_eq!(plane, ["x", "y"]);
        let [disk, below] = &outlines[..] else { panic!("{} areas", outlines.len()) };
        let [circle] = &disk[..] else { panic!("{} outlines", disk.len()) };
        let radii = circle.iter().map(|[x, y]| (x - 1.0).hypot(y - 0.5));
        assert!(circle.len() > 20 && radii.clone().all(|radius| (radius - 0.3).abs() < 2e-3), "{radii:?}");
        assert!(below[0].iter().all(|[_, y]| *y <= -1.0) && below[0].iter().any(|[_, y]| *y == -1.0));
    }
}
