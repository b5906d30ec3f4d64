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

/// A method that inverts the mass matrix refuses what others take: these are named, and take it.
#[test]
fn methods_that_are_advised_take_the_steps() {
    let wheels = "#[derive(Nonholonomic)]
        #[nonholonomic(
            coordinates(x, phi), lagrangian = m/2*dot(x)^2 + j*c/2*dot(phi)^2 - x^2/2,
            constraints(rolling: dx - r*dphi), methods(all)
        )]
        struct Cart { m: f64, j: f64, c: f64, r: f64 }";
    let system = System::parse(wheels, "cart.rs", None).unwrap();
    let start: [&[f64]; 3] = [&[1.3, 0.0, 0.0, 0.4], &[1.0, 0.0], &[0.0, 0.0]];
    let run = |method: &str| support::run(system.clone(), method, start, (0.01, 50));
    let ended = |method: &str| run(method).record(&mut |_| ControlFlow::Continue(()));
    let mut told = 0;
    for method in system.methods().map(|method| method.facts().id) {
        let said = match ended(method) {
            Ok(Recording { about, .. }) => about.stopped,
            Err(error) => Some(error.to_string()),
        };
        let Some(said) = said else { continue };
        assert!(
            said.contains("with `j`, `c` = 0 a combination of the velocities of `phi` "),
            "{method}: {said}"
        );
        let advice = said.rsplit("; ").next().unwrap();
        let named: Vec<&str> = advice.split('`').skip(1).step_by(2).collect();
        assert!(advice.ends_with(" take these steps") && named.len() == 2, "{method}: {said}");
        for other in named {
            assert!(
                ended(other).is_ok_and(|recording| recording.about.stopped.is_none()),
                "{method}: {said}"
            );
        }
        told += 1;
    }
    assert!(told > 2, "{told}");
    // Where nothing has inertia, no method is named.
    let none = Run { parameters: vec![0.0, 1.0, 0.0, 0.4], ..run("dla2") };
    let said = none.record(&mut |_| ControlFlow::Continue(())).unwrap_err().to_string();
    assert!(said.contains("with `m`, `c` = 0 ") && !said.contains("these steps"), "{said}");
}
