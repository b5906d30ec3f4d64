use super::plot;
use crate::panels::tests::recording;
use crate::recording::{Pose, Quantity};

#[test]
fn names_are_no_markup() {
    let mut recording = recording(&[("a<b & \"c\"", Quantity::Multiplier, &[0.0, 1.0])]);
    recording.about.system = "</svg><script>".to_owned();
    let svg = plot(&recording);
    assert!(svg.contains(">a&lt;b &amp; &quot;c&quot;</text>"));
    assert!(svg.contains("<title>&lt;/svg&gt;&lt;script&gt;</title>"));
    assert_eq!((svg.matches("</svg>").count(), svg.matches("<script").count()), (1, 0));
}

#[test]
fn every_panel_has_a_title_and_its_curves() {
    let wave: Vec<f64> = (0..100).map(|k| (0.1 * f64::from(k)).sin()).collect();
    let mut recording = recording(&[
        ("theta", Quantity::Coordinate, &wave),
        ("x", Quantity::Coordinate, &wave),
        ("y", Quantity::Coordinate, &wave),
        ("dot_x", Quantity::Velocity, &wave),
        ("energy", Quantity::Energy, &wave),
    ]);
    recording.about.pose = Some(Pose::Planar(["x", "y", "theta"].map(str::to_owned)));
    recording.about.stopped = Some("a step failed".to_owned());
    let svg = plot(&recording);
    for text in ["System", "Path", "Coordinates", "Velocities", "Error of the energy", "Phase plane", "m = 2"]
    {
        assert!(svg.contains(&format!(">{text}</text>")), "{text}");
    }
    assert!(svg.contains(">The run ended early: a step failed</text>"));
    // In the path, the coordinates, the velocity, the error of the energy, and the phase plane.
    let long = svg.lines().filter(|line| line.matches('L').count() >= 99);
    assert_eq!(long.count(), 1 + 3 + 1 + 1 + 1);
    // A body at each of the instants.
    assert_eq!(svg.matches("fill-opacity=\"0.14\"").count(), super::chart::INSTANTS);
}

#[test]
fn values_that_are_not_finite_are_gaps() {
    let values = [0.0, 1.0, f64::NAN, 3.0, f64::INFINITY, 1e300, 4.0, 5.0];
    let svg = plot(&recording(&[("lambda", Quantity::Multiplier, &values)]));
    let curve = svg.lines().find(|line| line.matches("h0").count() > 1).expect("a curve with gaps");
    assert_eq!((curve.matches('M').count(), curve.matches('L').count()), (3, 2));
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}

#[test]
fn an_empty_recording_has_a_picture() {
    let svg = plot(&recording(&[]));
    assert!(svg.contains(">no samples</text>"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}
