//! The kernels by hand and the generated steps are the same maps.

use nhi_benches::{Case, Kind, Phase, cases};

/// Of q and v, relative to their size: rounding of one step, and what it grows to.
const TOLERANCES: [(u64, f64); 4] = [(1, 1e-13), (2, 1e-13), (10, 1e-13), (100, 2e-12)];

fn distance(a: &Phase, b: &Phase) -> f64 {
    let of = |a: &[f64], b: &[f64]| {
        assert_eq!(a.len(), b.len());
        let size = b.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
        a.iter().zip(b).map(|(a, b)| (a - b).abs() / size).fold(0.0, f64::max)
    };
    of(&a.0, &b.0).max(of(&a.1, &b.1))
}

fn after(case: &Case, steps: u64) -> Phase {
    let mut run = (case.start)();
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
            let error = distance(&after(case, steps), &after(generated, steps));
            compared += 1;
            // Not a number is wrong, too.
            let equal = error <= tolerance;
            if !equal {
                let Case { workload, method, kind, .. } = case;
                wrong.push(format!("{workload} {method}, {}: {error:.1e} after {steps}", kind.label()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Plain, best and nalgebra everywhere, RK4 by hand, two with the platform's sine, every generated step.
    assert_eq!(compared, TOLERANCES.len() * (3 * 8 + 4 + 2 + 12));
}

#[test]
fn trajectories_move() {
    for case in cases() {
        assert!(distance(&after(&case, 100), &after(&case, 0)) > 1e-2, "{} {}", case.workload, case.method);
    }
}
