//! The energy over a million steps, as the command shows it. Too many for unoptimised code:
//! `cargo test --release -p nhi-cli --test scoreboard -- --ignored`.

use crate::common_methods;
use crate::energy::{GAUGED, WALKING, may_drift};
use crate::{all_courses, course, find, none};
use nhi_cli::scoreboard::{Course, Verdict, energy};
use nhi_run::model::Family;

const MILLION: u64 = 1_000_000;

/// On every model whose motion is reversible and not chaotic symmetric one-step maps on the constraint
/// manifold have bounded errors and no drift; so have their compositions.
#[test]
#[ignore = "a million steps: in release builds"]
fn symmetric_methods_do_not_drift_in_a_million_steps() {
    let (mut wrong, mut runs) = (Vec::new(), 0);
    for course in all_courses().into_iter().map(Course::lasting) {
        if may_drift(course.model.name()) {
            continue;
        }
        let chosen = ["dla2_suzuki4", "dla2_kahanli6"];
        let symmetric = common_methods().filter(|method| method.family == Family::Dla && method.order == 2);
        for method in symmetric.chain(chosen.map(find)) {
            let Some(energy) = energy(&course, method, MILLION) else { continue };
            runs += 1;
            let (name, [first, second]) = (course.model.name(), energy.halves);
            if energy.verdict() != Verdict::Bounded || second > 1.2 * first + energy.rounding {
                let drift = energy.drift;
                wrong.push(format!("{name} {}: {first:.1e}, {second:.1e}, drift {drift:.1e}", method.id));
            }
        }
    }
    none(&wrong);
    assert_eq!(runs, 13 * 6);
}

/// Without a reversal of time the energy drifts by about a percent with `dla2`, by far less with a
/// composition, and RATTLE loses it.
#[test]
#[ignore = "a million steps: in release builds"]
fn the_frame_method_holds_the_energy_without_reversal() {
    let run = |id| energy(&course(GAUGED), find(id), MILLION).unwrap();
    for (id, drift) in [("dla2", 1.3e-2), ("dla2_kahanli6", 4.1e-5)] {
        let energy = run(id);
        assert_eq!(energy.verdict(), Verdict::Drifting, "{id}");
        assert!((energy.drift / drift - 1.0).abs() < 0.05, "{id}: {:e}", energy.drift);
    }
    assert_eq!(run("rattle").verdict(), Verdict::Lost);
    let frame = run("frame");
    assert!(frame.largest() < 1e-10, "{:e}", frame.largest());
}

/// Bounds on the energy of what a gearbox drives, ½ at the start, after a million steps of 0.1. It is conserved by the motion, and
/// every symmetric method of the discrete Lagrange–d'Alembert family multiplies or loses it where no reversal maps the motion to
/// itself.
const GEARBOX: [(&str, [f64; 2]); 3] =
    [("gearbox", [1e11, 1e17]), ("gearbox_asymmetric", [0.0, 1e-8]), ("gearbox_both", [1.0, 10.0])];

#[test]
#[ignore = "a million steps: in release builds"]
fn gearboxes_multiply_their_energy() {
    // ½ at the start.
    let driven =
        |name: &str, id: &str| energy(&course(name), find(id), MILLION).unwrap().driven.unwrap() / 2.0;
    let ids = ["dla2", "dla_rattle", "dla2_midpoint"];
    for (name, [least, most]) in GEARBOX {
        for id in ids {
            let energy = driven(name, id);
            assert!((least..most).contains(&energy), "{name} {id}: {energy:e}");
        }
        for id in ["rattle", "gni_midpoint"] {
            assert!((driven(name, id) - 0.5).abs() < 5e-3, "{name} {id}");
        }
        let energy = driven(name, "frame");
        assert!((energy - 0.5).abs() < 1e-9, "{name} frame: {energy:e}");
    }
    for id in ids {
        assert!((driven("gearbox_reversible", id) - 0.5).abs() < 0.01, "{id}");
    }
}

/// The tractor runs into a circle, and gains energy there at every turn.
#[test]
#[ignore = "a million steps: in release builds"]
fn the_tractor_gains_energy_on_its_circle() {
    for id in ["dla2", "dla_rattle", "dla2_midpoint"] {
        let energy = energy(&course("tractor"), find(id), MILLION).unwrap();
        assert!([Verdict::Drifting, Verdict::Lost].contains(&energy.verdict()), "{id}: {:e}", energy.drift);
    }
}

/// On chaotic motions the energy walks at random, without a drift: the changes over a million steps along
/// trajectories that began 10⁻⁹ apart differ, and their mean is within three of its standard errors of zero.
#[test]
#[ignore = "a million steps: in release builds"]
fn chaotic_energies_walk_without_drift() {
    const TRAJECTORIES: u32 = 120;
    for name in WALKING {
        let course = course(name);
        let instance = course.model.instance(&course.model.defaults());
        let (q0, v0) = instance.initial();
        let change = |k: u32| {
            let mut q = q0.clone();
            q[1] += 1e-9 * f64::from(k);
            let v = instance.project(&q, &v0).unwrap();
            let mut trajectory = instance.start(find("dla2"), &q, &v, &[], course.h).unwrap();
            let start = trajectory.energy();
            trajectory.advance(MILLION).unwrap();
            trajectory.energy() / start - 1.0
        };
        let changes: Vec<f64> = (0..TRAJECTORIES).map(change).collect();
        let n = f64::from(TRAJECTORIES);
        let mean = changes.iter().sum::<f64>() / n;
        let variance = changes.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
        assert!(mean.abs() < 3.0 * (variance / n).sqrt(), "{name}: mean {mean:e} of {changes:?}");
        // Far more than the bounded part of the error, which a drift would be added to.
        assert!(variance.sqrt() > 2e-3, "{name}: {changes:?}");
    }
}
