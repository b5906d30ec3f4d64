//! Runs with a tolerance.

use super::support::{self, record};
use nhi_run::{Inputs, Recording, Run, Scheme, System, record_all};
use std::ops::ControlFlow;

const BALL: &str = "
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y),
    inputs(u),
    lagrangian = (dot(x)^2 + dot(y)^2)/2 - g*y - exp(-20*y),
    constraints(),
    force = u*dx,
    methods(Frame, Rattle)
)]
struct Ball { g: f64 }
";

fn run(method: &str, tolerance: f64, end: f64, every: f64) -> Run {
    let system = System::parse(BALL, "ball.rs", None).unwrap();
    let variant = system.variant(method).unwrap();
    let (h, steps) = Run::nodes(end, every).unwrap();
    let scheme = Scheme::Adaptive { variant, tolerance, end };
    Run { scheme, ..support::run(system, method, [&[1.0], &[0.0, 1.0], &[0.3, 0.0]], (h, steps)) }
}

fn column<'a>(recording: &'a Recording, name: &str) -> &'a [f64] {
    &recording.column(name).unwrap().values
}

#[test]
fn samples_are_at_multiples_of_a_time_and_at_the_end() {
    let recording = record(&run("frame", 1e-7, 5.2, 0.5), None, &[]).unwrap();
    let mut expected: Vec<f64> = (0..11).map(|k| 0.5 * f64::from(k)).collect();
    expected.push(5.2);
    assert_eq!(column(&recording, "t"), expected);
    assert_eq!(column(&recording, "k")[11], 11.0);
    let energy = column(&recording, "energy");
    assert!(energy.iter().all(|e| (e - energy[0]).abs() < 1e-13), "{energy:?}");
    assert!(column(&recording, "y").iter().any(|y| *y < 0.3), "it meets the ground");
    let adaptive = recording.about.adaptive.unwrap();
    assert!(adaptive.steps > 100 && adaptive.rejections > 0, "{adaptive:?}");
    // A finer tolerance confirms the samples.
    let finer = record(&run("frame_kahanli8", 1e-12, 5.2, 0.5), None, &[]).unwrap();
    for name in ["x", "y", "dot_y"] {
        let pairs = column(&recording, name).iter().zip(column(&finer, name));
        assert!(pairs.clone().all(|(a, b)| (a - b).abs() < 1e-3), "{name}");
        assert!(pairs.into_iter().any(|(a, b)| a != b) || name == "x", "{name}");
    }
    // Backwards, to a time before the start.
    let back = record(&run("frame", 1e-7, -1.0, 0.25), None, &[]).unwrap();
    assert_eq!(column(&back, "t"), [0.0, -0.25, -0.5, -0.75, -1.0]);
    let all = record_all(&[run("frame", 1e-7, 5.2, 0.5)], &|_| ControlFlow::Continue(()));
    assert_eq!(all[0].as_ref().unwrap(), &recording);
}

#[test]
fn times_of_nodes_are_rounded_as_users_round() {
    assert_eq!(Run::nodes(1.0, 0.1).unwrap(), (0.1, 10));
    assert_eq!(Run::nodes(-0.3, 0.1).unwrap(), (-0.1, 3));
    assert_eq!(Run::nodes(1.05, 0.1).unwrap(), (0.1, 11));
    assert_eq!(Run::nodes(0.05, 0.1).unwrap(), (0.1, 1));
    for (end, every, message) in [
        (0.0, 0.1, "until: the time must be finite and not zero, found 0"),
        (f64::INFINITY, 0.1, "until: the time must be finite and not zero, found inf"),
        (1.0, 0.0, "every: the time must be finite and positive, found 0"),
        (1.0, f64::NAN, "every: the time must be finite and positive, found NaN"),
        (1.0, 1e-9, "every: 1000000000 samples are too many, at most 10000000 are kept"),
    ] {
        assert_eq!(Run::nodes(end, every).unwrap_err().to_string(), message);
    }
}

#[test]
fn events_end_a_run_or_are_recorded() {
    let run = run("frame_suzuki4", 1e-10, 20.0, 0.5);
    let recording = record(&run, Some("x >= 1"), &[("low", "y < 0.5")]).unwrap();
    let times =
        |name: &str| &recording.about.events.iter().find(|(known, _)| known == name).expect("an event").1;
    let last = *column(&recording, "t").last().unwrap();
    assert_eq!(times("until"), &[last]);
    assert!(
        (last - 1.0 / 0.3).abs() < 1e-12 && (column(&recording, "x").last().unwrap() - 1.0).abs() < 1e-12
    );
    // A free fall to y = 1/2 from rest: exp(−20) of its acceleration is missing.
    assert!((times("low")[0] - 1.0).abs() < 1e-5, "{:?}", times("low"));
    assert_eq!(recording.samples(), 8);
    let recording = record(&run, Some("x >= 100"), &[]).unwrap();
    assert_eq!(recording.about.warnings, ["until: `x >= 100` has not become true until t = 20"]);
}

#[test]
fn what_cannot_have_a_tolerance_says_why() {
    let refused = |run: Run| record(&run, None, &[]).unwrap_err().to_string();
    assert_eq!(
        refused(run("rattle", 1e-6, 1.0, 0.1)),
        "tolerance: a tolerance needs steps of different sizes, and the state of `rattle` belongs to one step size: its momentum \
         is reflected at every node"
    );
    assert_eq!(
        refused(run("frame", -1.0, 1.0, 0.1)),
        "tolerance: the tolerance must be a finite number that is not below 1e-14, the rounding of steps, not -1"
    );
    let per_step = Inputs::PerStep(vec![vec![0.0]; 10]);
    assert_eq!(
        refused(Run { inputs: per_step, ..run("frame", 1e-6, 1.0, 0.1) }),
        "inputs: with a tolerance they are held: expected one vector"
    );
}

#[test]
fn a_run_can_be_interrupted_and_can_fail() {
    let run = run("frame", 1e-7, 5.0, 0.5);
    let interrupted =
        run.record(&mut |k| if k < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }).unwrap();
    assert_eq!(interrupted.samples(), 3);
    assert!(interrupted.about.stopped.unwrap().starts_with("interrupted after step "));
    let fall = "
        #[derive(Nonholonomic)]
        #[nonholonomic(coordinates(x, y), inputs(u), lagrangian = (dot(x)^2 + dot(y)^2)/2 + g/y, constraints(), methods(Rk4))]
        struct Fall { g: f64 }
    ";
    let system = System::parse(fall, "fall.rs", None).unwrap();
    let variant = system.variant("rk4").unwrap();
    let scheme = Scheme::Adaptive { variant, tolerance: 1e-8, end: 5.0 };
    let recording = record(&Run { system, scheme, ..run }, None, &[]).unwrap();
    assert_eq!(column(&recording, "t"), [0.0, 0.5, 1.0]);
    let stopped = recording.about.stopped.unwrap();
    assert!(stopped.starts_with("from t = 1.1107"), "{stopped}");
}
