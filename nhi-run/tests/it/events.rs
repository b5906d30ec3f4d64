//! Events of runs.

use super::support::{self, record};
use nhi_run::{Error, Recording, Run, System};
use std::f64::consts::PI;

fn run(declaration: &str, method: &str, start: [&[f64]; 3], h: f64, steps: u64) -> Run {
    let system = System::parse(declaration, "s.rs", None).unwrap();
    Run { every: 100, ..support::run(system, method, start, (h, steps)) }
}

fn times<'a>(recording: &'a Recording, name: &str) -> &'a [f64] {
    let found = recording.about.events.iter().find(|(known, _)| known == name);
    &found.unwrap_or_else(|| panic!("no event {name}")).1
}

const BALL: &str = "
#[derive(Nonholonomic)]
#[nonholonomic(coordinates(y), lagrangian = dot(y)^2/2 - g*y, constraints())]
struct Ball { g: f64 }
";

#[test]
fn a_run_ends_where_a_ball_lands() {
    let ball = run(BALL, "dla2", [&[10.0], &[1.0], &[5.0]], 0.01, 1000);
    let recording = record(&ball, Some("y <= 0"), &[("top", "dot(y) < 0"), ("late", "t > 5")]).unwrap();
    // y = 1 + 5 t − 5 t².
    let end = 0.5 + 0.45_f64.sqrt();
    let [t, y] = ["t", "y"].map(|name| *recording.column(name).unwrap().values.last().unwrap());
    assert!((t - end).abs() < 1e-13 && y.abs() < 1e-13, "{t} {y}");
    assert_eq!(times(&recording, "until"), [t]);
    assert!((times(&recording, "top")[0] - 0.5).abs() < 1e-12);
    assert!(times(&recording, "late").is_empty());
    // At 0, 1 and at the end.
    assert_eq!(recording.samples(), 3);
    assert_eq!(recording.about.stopped, None);
}

#[test]
fn a_condition_that_holds_at_the_start_ends_the_run_there() {
    let ball = run(BALL, "dla2", [&[10.0], &[1.0], &[5.0]], 0.01, 1000);
    let recording = record(&ball, Some("y > 0 && t >= 0"), &[]).unwrap();
    assert_eq!((recording.samples(), times(&recording, "until").len()), (1, 0));
    assert!(recording.about.warnings.is_empty());
    let recording = record(&ball, Some("y > 100"), &[]).unwrap();
    assert_eq!((recording.samples(), times(&recording, "until").len()), (11, 0));
    assert_eq!(recording.about.warnings, ["until: `y > 100` has not become true in 1000 steps"]);
}

#[test]
fn crossings_are_recorded() {
    let oscillator = "
        #[derive(Nonholonomic)]
        #[nonholonomic(coordinates(x), lagrangian = dot(x)^2/2 - x^2/2, constraints())]
        struct Oscillator;";
    let run = run(oscillator, "dla2_kahanli6", [&[], &[1.0], &[0.0]], 0.02, 1000);
    let recording = record(&run, None, &[("down", "x <= 0"), ("outside", "x < -1/2 || x > 1/2")]).unwrap();
    let down = times(&recording, "down");
    assert_eq!(down.len(), 3);
    for (k, t) in down.iter().enumerate() {
        let expected = PI * (0.5 + 2.0 * k as f64);
        assert!((t - expected).abs() < 1e-8, "{t}, not {expected}");
    }
    let outside = times(&recording, "outside");
    assert_eq!(outside.len(), 6);
    assert!((outside[0] - 2.0 * PI / 3.0).abs() < 1e-8, "{outside:?}");
}

/// A ball that rolls down a fixed ball leaves it where cos θ is 10/17 of that at its start from rest.
#[test]
fn a_ball_leaves_a_ball() {
    let rolling = "
        #[derive(Nonholonomic)]
        #[nonholonomic(coordinates(theta), lagrangian = 7/10*m*r^2*dot(theta)^2 - m*g*r*cos(theta), constraints())]
        struct Rolling { m: f64, r: f64, g: f64 }";
    let (start, h) = (0.1_f64, 1e-3);
    let run = run(rolling, "dla2", [&[0.3, 1.2, 9.81], &[start], &[0.0]], h, 100_000);
    let recording = record(&run, Some("g*cos(theta) <= r*dot(theta)^2"), &[]).unwrap();
    let theta = recording.column("theta").unwrap().values.last().unwrap();
    assert!((theta.cos() - 10.0 / 17.0 * start.cos()).abs() < 1e-6, "{}", theta.cos());
}

#[test]
fn what_cannot_be_found_is_refused() {
    let start: [&[f64]; 3] = [&[10.0], &[1.0], &[5.0]];
    for (method, expected) in [
        (
            "rattle",
            "until: the step to an event is shorter, and the state of `rattle` belongs to one step size",
        ),
        ("exact", "until: events are found by methods, not by the exact flow"),
    ] {
        let error = record(&run(BALL, method, start, 0.01, 10), Some("y < 0"), &[]).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
    for (condition, expected) in [
        ("y", "expected a comparison such as `<`"),
        ("z < 0", "unknown name `z`"),
        ("y < 0 <", "comparisons cannot be chained"),
        ("", "expected"),
    ] {
        let error = record(&run(BALL, "dla2", start, 0.01, 10), Some(condition), &[]).unwrap_err();
        let Error::Declaration(error) = error else { panic!("{error}") };
        let text = error.render(false);
        assert!(text.contains(expected) && text.contains("until:1:"), "{text}");
        // They show what was written, and nothing around it.
        assert!(!text.contains(", 1, 0)") && !text.contains("text_0"), "{text}");
    }
}
