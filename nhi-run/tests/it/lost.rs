//! Velocities that nearly singular masses make rounding: what is said of them.

use super::support;
use nhi_run::{Recording, Run, System};
use std::ops::ControlFlow;

/// Light masses that constraints hold beside a heavy one.
const HELD: &str = "#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(a, b, c),
    lagrangian = m/2*(dot(a)^2 + dot(b)^2 + dot(c)^2) + heavy/2*dot(a*b + c*a + b)^2 - heavy*(b + c),
    constraints(both: dot(b) + dot(c), other: 2*dot(b) - dot(c)),
    methods(all),
)]
struct Held { m: f64, heavy: f64 }";

fn record(method: &str, m: f64) -> Recording {
    let system = System::parse(HELD, "held.rs", None).unwrap();
    let start: [&[f64]; 3] = [&[m, 1000.0], &[0.3, 0.7, -0.2], &[1.0, 0.0, 0.0]];
    let run = Run { project: true, ..support::run(system, method, start, (0.01, 100)) };
    run.record(&mut |_| ControlFlow::Continue(())).unwrap()
}

/// The largest velocity of what does not move.
fn error(recording: &Recording) -> f64 {
    let all = recording.columns.iter().filter(|column| matches!(column.name.as_str(), "dot_b" | "dot_c"));
    all.flat_map(|column| &column.values).fold(0.0, |largest, v| largest.max(v.abs()))
}

/// Whatever the masses, velocities are right, or it is said that they are not.
#[test]
fn velocities_that_are_rounding_are_told() {
    let (mut right, mut told) = (0, 0);
    for method in
        ["dla1", "dla2", "dla_rattle", "dla_rattle_midpoint", "rattle_restarted", "rattle", "frame", "rk4"]
    {
        for exponent in 0..10 {
            let recording = record(method, 10f64.powi(-exponent));
            let warnings = &recording.about.warnings;
            match &warnings[..] {
                [] => assert!(error(&recording) < 1e-5, "{method}, m = 1e-{exponent}: {}", error(&recording)),
                [warning] => {
                    let names = ["`both` by ", "`other` by "].iter().any(|name| warning.contains(name));
                    assert!(warning.contains(&format!("`{method}`")) && names, "{warning}");
                    assert!(error(&recording) > 1e-7, "{method}, m = 1e-{exponent}: {warning}");
                }
                several => panic!("{several:?}"),
            }
            right += usize::from(warnings.is_empty() && recording.about.stopped.is_none());
            told += usize::from(!warnings.is_empty());
        }
        let well = record(method, 1.0).about;
        assert!(well.warnings.is_empty() && well.stopped.is_none(), "{method}");
    }
    assert!(right > 70 && told > 0, "{right} and {told}");
}

/// Methods to compare with are those that apply.
#[test]
fn methods_that_refuse_the_system_are_not_named() {
    let positions = HELD.replace(
        "constraints(both: dot(b) + dot(c), other: 2*dot(b) - dot(c))",
        "holonomic(both: b + c - 1/2, other: 2*b - c + b*b/1000 - 8/5)",
    );
    for (text, m) in [(HELD, 1e-5), (positions.as_str(), 1e-7)] {
        let system = System::parse(text, "held.rs", None).unwrap();
        let start: [&[f64]; 3] = [&[m, 1000.0], &[0.3, 0.7, -0.2], &[1.0, 0.0, 0.0]];
        let run = Run { project: true, ..support::run(system.clone(), "rattle", start, (0.01, 100)) };
        let warnings = run.record(&mut |_| ControlFlow::Continue(())).unwrap().about.warnings;
        let [warning] = &warnings[..] else { panic!("{warnings:?}") };
        let (_, named) = warning.split_once("such as ").expect("there are others");
        let ids: Vec<&str> = named.split('`').skip(1).step_by(2).collect();
        assert!(!ids.is_empty(), "{warning}");
        for id in ids {
            assert!(id != "rattle" && system.variant(id).is_ok(), "{warning}");
        }
    }
}
