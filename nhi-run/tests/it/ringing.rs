//! Damping that is faster than steps: what is said of it, and which methods answer it.

use super::support;
use nhi_run::{Inputs, Recording, Run, System};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// A cart on a wheel that steers, with a brake on the wheel.
const CART: &str = "#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, w, y),
    inputs(u),
    lagrangian = m/2*(dot(x)^2 + dot(w)^2 + dot(y)^2),
    constraints(roll: dx - r*cos(y)*dw),
    force = (u - c*dot(w))*dw,
)]
struct Cart { m: f64, c: f64, r: f64 }";

/// The same without its constraint.
const FLYWHEEL: &str = "#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, w, y),
    inputs(u),
    lagrangian = m/2*(dot(x)^2 + dot(w)^2 + dot(y)^2),
    constraints(),
    force = (u - c*dot(w))*dw,
)]
struct Flywheel { m: f64, c: f64, r: f64 }";

fn run(declaration: &str, method: &str, c: f64, steps: u64) -> Run {
    let system = System::parse(declaration, "cart.rs", None).unwrap();
    let start: [&[f64]; 3] = [&[1.0, c, 0.5], &[0.0, 0.0, 0.3], &[0.1, 1.0, 0.2]];
    Run { project: true, ..support::run(system, method, start, (0.1, steps)) }
}

fn record(run: &Run) -> Recording {
    run.record(&mut |_| ControlFlow::Continue(())).unwrap()
}

fn last(recording: &Recording, name: &str) -> f64 {
    let column = recording.columns.iter().find(|column| column.name == name).unwrap();
    *column.values.last().unwrap()
}

#[test]
fn symmetric_methods_ring_and_say_so() {
    for declaration in [CART, FLYWHEEL] {
        for method in ["dla2", "dla2_midpoint", "dla_rattle", "dla_rattle_midpoint"] {
            let ringing = record(&run(declaration, method, 2000.0, 20));
            let [warning] = &ringing.about.warnings[..] else { panic!("{method}: {:?}", ringing.about) };
            assert!(warning.contains("`dot(w)`"), "{method}: {warning}");
            assert!(
                warning.contains("`dla1_adjoint`") && !warning.contains("`dot(y)`"),
                "{method}: {warning}"
            );
            assert!(last(&ringing, "dot_w").abs() > 0.1);

            let resolved = record(&run(declaration, method, 2.0, 20));
            assert!(resolved.about.warnings.is_empty(), "{method}");
        }
    }
}

/// The method that is named comes to rest at once, whatever the damping.
#[test]
fn the_method_that_is_named_damps() {
    for declaration in [CART, FLYWHEEL] {
        for c in [1e3, 1e5, 1e8] {
            let damped = record(&run(declaration, "dla1_adjoint", c, 20));
            assert!(damped.about.warnings.is_empty() && damped.about.stopped.is_none(), "c = {c}");
            assert!(last(&damped, "dot_w").abs() < 1e-9, "c = {c}");
            assert!((last(&damped, "dot_y") - 0.2).abs() < 1e-12);
        }
    }
}

/// A stiff spring that nothing damps oscillates within a step: the velocity changes its sign at every step, and no method that damps is
/// advised.
#[test]
fn an_oscillation_is_not_told_to_be_damped() {
    const SPRINGS: [&str; 3] = [
        "lagrangian = m/2*(dot(x)^2 + dot(w)^2 + dot(y)^2) - c/2*w^2, constraints()",
        // With a force on another coordinate.
        "lagrangian = m/2*(dot(x)^2 + dot(w)^2 + dot(y)^2) - c/2*w^2, constraints(), force = -dot(y)*dy",
        // With constraints, and a little damping, which has no effect within a step.
        "lagrangian = m/2*(dot(x)^2 + dot(w)^2 + dot(y)^2) - c/2*w^2, constraints(roll: dx - r*cos(y)*dw), force = -dot(w)/2*dw",
    ];
    for spring in SPRINGS {
        let declaration = format!(
            "#[derive(Nonholonomic)]
            #[nonholonomic(coordinates(x, w, y), inputs(u), {})]
            struct Spring {{ m: f64, c: f64, r: f64 }}",
            match spring.split_once("force = ") {
                Some((rest, force)) => format!("{rest}force = {force} + 0*u*dw"),
                None => format!("{spring}, force = 0*u*dw"),
            }
        );
        let oscillating = record(&run(&declaration, "dla2_midpoint", 1e6, 40));
        let [warning] = &oscillating.about.warnings[..] else { panic!("{spring}: {:?}", oscillating.about) };
        assert!(warning.contains("`dot(w)`") && warning.contains("oscillates"), "{spring}: {warning}");
        assert!(!warning.contains("damps") && !warning.contains("comes to rest"), "{spring}: {warning}");
    }
}

/// A mass at a spring, and one on a curved path.
const SPRINGS: [&str; 3] = [
    "constraints()",
    "constraints(), force = -damping*dot(x)*dx",
    "constraints(path: dy - x*dx), force = -damping*dot(x)*dx",
];

fn spring(rest: &str, method: &str, k: f64, h: f64, steps: u64) -> Run {
    let declaration = format!(
        "#[derive(Nonholonomic)]
        #[nonholonomic(coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2) - k/2*x^2, {rest})]
        struct Spring {{ m: f64, k: f64, damping: f64 }}"
    );
    let system = System::parse(&declaration, "spring.rs", None).unwrap();
    support::run(system, method, [&[1.0, k, 0.1], &[1e-3, 0.0], &[0.0, 0.0]], (h, steps))
}

/// An explicit method beyond its limit of stability is refused or told, and the methods that are named do not grow.
#[test]
fn growth_is_told() {
    for rest in SPRINGS {
        for h in [0.0201, 0.021, 0.03, 0.1, 1.0] {
            for method in
                ["dla1", "dla1_adjoint", "gni_euler_a", "gni_euler_b", "rattle", "dla2", "rk4", "dla_rattle"]
            {
                let recording = record(&spring(rest, method, 1e4, h, 200));
                let energy = recording.columns.iter().find(|column| column.name == "energy").unwrap();
                let first = energy.values[0];
                let grows = energy.values.iter().any(|energy| *energy > 4.0 * first);
                let is_told = !recording.about.warnings.is_empty() || recording.about.stopped.is_some();
                assert!(is_told || !grows, "{rest}, {method}, h = {h}: {:?}", recording.about);
            }
            if !rest.contains("path") {
                for method in ["frame", "dla2_midpoint"] {
                    let recording = record(&spring(rest, method, 1e4, h, 200));
                    assert!(last(&recording, "energy") < 0.005_000_1, "{rest}, {method}, h = {h}");
                    assert_eq!(recording.about.stopped, None);
                }
            }
        }
    }
}

/// What is said of growth names the velocity, or the amount of the energy, and methods that are stable.
#[test]
fn growth_is_told_in_words() {
    let [free, damped, _] = SPRINGS;
    let refused = record(&spring(free, "dla1_adjoint", 1e4, 0.1, 60));
    assert!(refused.about.stopped.is_some_and(|why| why.contains("step 1") && why.contains("energy")));
    let told = record(&spring(damped, "dla1_adjoint", 1e4, 0.1, 60));
    let [warning] = &told.about.warnings[..] else { panic!("{:?}", told.about) };
    for part in ["`dot(x)`", "grows", "`frame` or `dla2_midpoint`"] {
        assert!(warning.contains(part), "{warning}");
    }
    // Steps that do not resolve the motion, and stay bounded.
    let [resolved, unresolved] = [0.5, 1.9].map(|h| record(&spring(free, "dla1_adjoint", 1.0, h, 60)));
    assert!(resolved.about.warnings.is_empty(), "{:?}", resolved.about.warnings);
    assert!(unresolved.about.stopped.is_none(), "{:?}", unresolved.about);
}

/// Ringing is seen wherever it begins: after a push in the midst of a run, and in runs of few samples.
#[test]
fn ringing_may_begin_late() {
    let mut late = run(FLYWHEEL, "dla2", 2000.0, 6000);
    late.v0[1] = 0.0;
    assert!(record(&late).about.warnings.is_empty());
    late.inputs = Inputs::PerStep((0..6000).map(|k| vec![if k == 5000 { 1.0 } else { 0.0 }]).collect());
    assert!(!record(&late).about.warnings.is_empty());
    let mut few = run(FLYWHEEL, "dla2", 1e7, 6000);
    few.every = 6000;
    assert!(!record(&few).about.warnings.is_empty());
}

/// Watching the signs changes no sample.
#[test]
fn watched_steps_are_the_same_steps() {
    let run = run(CART, "dla2", 0.1, 10_000);
    let variant = run.scheme.variant().expect("it runs by steps");
    let mut simulation = run.simulation(variant).unwrap();
    simulation.advance(10_000).unwrap();
    let recording = record(&Run { every: 10_000, ..run.clone() });
    assert_eq!(last(&recording, "x").to_bits(), simulation.q()[0].to_bits());
    assert_eq!(last(&recording, "dot_y").to_bits(), simulation.v()[2].to_bits());
}

/// The exact flow of a stiff system ends soon: it succeeds or says why not.
#[test]
fn stiff_systems_have_no_exact_flow() {
    for c in [1e3, 1e5, 1e7, 1e10] {
        for h in [0.1, 1e-3] {
            let mut exact = run(CART, "exact", c, 100);
            exact.h = h;
            let begun = Instant::now();
            let recording = record(&exact);
            assert!(begun.elapsed() < Duration::from_secs(60), "c = {c}, h = {h}: {:?}", begun.elapsed());
            if c * h > 1e3 {
                let stopped = recording.about.stopped.as_deref().unwrap_or_default();
                assert!(stopped.contains("too stiff"), "c = {c}, h = {h}: {stopped}");
            }
        }
    }
    // Fast beside its samples, but not beside its own steps.
    let recording = record(&run(CART, "exact", 3.0, 200));
    assert_eq!(recording.about.stopped, None);
}
