//! The hand-written kernels and the generated steps are the same maps.

use nhi_benches::many::{self, Code};
use nhi_benches::{Case, Kind, Phase, Run, cases, has_fused, numbers};

/// Tolerances of q and v, relative to their size: rounding of one step, and its growth over several.
const TOLERANCES: [(u64, f64); 4] = [(1, 1e-13), (2, 1e-13), (10, 1e-13), (100, 2e-12)];

fn distance(a: &Phase, b: &Phase) -> f64 {
    let of = |a: &[f64], b: &[f64]| {
        assert_eq!(a.len(), b.len());
        let size = b.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
        a.iter().zip(b).map(|(a, b)| (a - b).abs() / size).fold(0.0, f64::max)
    };
    of(&a.0, &b.0).max(of(&a.1, &b.1))
}

fn after(start: impl Fn() -> Box<dyn Run>, steps: u64) -> Phase {
    let mut run = start();
    run.advance(steps);
    run.phase()
}

#[test]
fn kernels_by_hand_take_the_generated_steps() {
    let all = cases();
    let mut compared = 0;
    let mut wrong = Vec::new();
    for case in all.iter().filter(|case| case.kind != Kind::Generated) {
        let same = |other: &&Case| {
            other.workload == case.workload && other.method == case.method && other.kind == Kind::Generated
        };
        let generated = all.iter().find(same).expect("every method is generated");
        for (steps, tolerance) in TOLERANCES {
            let error = distance(&after(case.start, steps), &after(generated.start, steps));
            compared += 1;
            // NaN also fails.
            let equal = error <= tolerance;
            if !equal {
                let Case { workload, method, kind, .. } = case;
                wrong.push(format!("{workload} {method}, {}: {error:.1e} after {steps}", kind.label()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Plain, best and nalgebra everywhere, RK4 by hand, two with the platform's sine, every generated step, fused
    // drivers, fused kernels where the processor has the instructions, and by hand and step by step on groups and with frames.
    let kernels = if has_fused() { 8 } else { 0 };
    assert_eq!(compared, TOLERANCES.len() * (3 * 8 + 4 + 2 + 12 + 8 + kernels + 2 * 4 + 2 * 3));
}

/// All trajectories, over so many steps that incrementally rotated pairs are re-synchronised.
#[test]
fn kernels_by_hand_for_many_trajectories_take_the_generated_steps() {
    let all = many::cases();
    let mut compared = 0;
    for case in all.iter().filter(|case| case.code != Code::Generated) {
        let same = |other: &&many::Case| {
            other.workload == case.workload && other.method == case.method && other.code == Code::Generated
        };
        let generated = all.iter().find(same).expect("every method is generated");
        for steps in [1, 2, 63, 65, 100] {
            let error = distance(&after(case.start, steps), &after(generated.start, steps));
            compared += 1;
            assert!(error <= 1e-13, "{} {}: {error:.1e} after {steps}", case.workload, case.code.label());
        }
    }
    // Two or four by hand and the fused ensemble where there are any by hand, and five more ensembles.
    assert_eq!(compared, 5 * (2 * 5 + 2 * 3 + 5));
}

/// With derivatives, and in `f32` to its rounding.
#[test]
fn steps_in_other_numbers_take_the_generated_steps() {
    let all = cases();
    let mut compared = 0;
    for case in numbers::cases() {
        let same = |other: &&Case| {
            (other.workload, other.method, other.kind) == (case.workload, case.method, Kind::Stepwise)
        };
        let generated = all.iter().find(same).expect("every method is generated");
        let rounding = if case.directions.is_some() { 1.0 } else { f64::from(f32::EPSILON) / f64::EPSILON };
        for (steps, tolerance) in TOLERANCES {
            let error = distance(&after(case.start, steps), &after(generated.start, steps));
            compared += 1;
            let numbers::Case { workload, method, directions, .. } = case;
            assert!(
                error <= rounding * tolerance,
                "{workload} {method}, {directions:?}: {error:.1e} after {steps}"
            );
        }
    }
    assert_eq!(compared, TOLERANCES.len() * 3 * 8);
}

#[test]
fn trajectories_move() {
    let starts = cases().into_iter().map(|case| (case.workload, case.method, case.start));
    let many = many::cases().into_iter().map(|case| (case.workload, case.method, case.start));
    for (workload, method, start) in starts.chain(many) {
        assert!(distance(&after(start, 100), &after(start, 0)) > 1e-2, "{workload} {method}");
    }
}
