//! The parasitic mode of GNI methods, seen by their monitor.

use nhi_cli::scoreboard;
use nhi_models::{method, sleigh_com};
use nhi_runtime::{Method, Rattle, Reflecting, Simulation};

/// Largest monitor η over the first second.
fn parasite<M: Reflecting + Method<sleigh_com::SleighCom>>(method: M, h: f64) -> f64 {
    let sleigh = sleigh_com::MODEL.example();
    let (q0, v0) = sleigh_com::MODEL.start(&sleigh);
    let mut simulation = Simulation::new(sleigh, method, q0, v0, h).unwrap();
    let mut worst: f64 = 0.0;
    while simulation.time() < 1.0 {
        simulation.step().unwrap();
        worst = worst.max(simulation.parasite().unwrap());
    }
    worst
}

/// The consistent start excites the mode by O(h³), the others by O(h).
#[test]
fn starts_excite_the_mode_differently() {
    let exponent = |coarse: f64, fine: f64| (coarse / fine).log2();
    let (h, half) = (0.02, 0.01);
    let consistent = exponent(parasite(Rattle, h), parasite(Rattle, half));
    let projected = exponent(parasite(Rattle::projected(), h), parasite(Rattle::projected(), half));
    let plain = exponent(parasite(Rattle::plain(), h), parasite(Rattle::plain(), half));
    assert!((consistent - 3.0).abs() < 0.1, "{consistent}");
    assert!((projected - 1.0).abs() < 0.1, "{projected}");
    assert!((plain - 1.0).abs() < 0.1, "{plain}");
}

/// RATTLE restarted at every node has no mode that could grow: on the sleigh, where RATTLE loses nearly all
/// energy before t = 50, it glides into the straight motion that the equations have.
#[test]
fn restarted_rattle_has_no_parasite() {
    let instance = super::instance("sleigh_com");
    let (q0, v0) = instance.initial();
    let energy = instance.energy(&q0, &v0);
    // Largest relative energy error, and the angular velocity at t = 100.
    let run = |id| {
        let mut trajectory = super::start(&*instance, id, 0.05);
        let mut worst: f64 = 0.0;
        for _ in 0..2000 {
            trajectory.step().unwrap();
            worst = worst.max((trajectory.energy() - energy).abs() / energy);
        }
        (worst, trajectory.v()[0])
    };
    let (error, omega) = run("rattle_restarted");
    assert!(error < 2e-3, "{error}");
    assert!(omega.abs() < 1e-12, "{omega}");
    let (error, _) = run("rattle");
    assert!(error > 0.95, "{error}");
}

/// The amplitude on the scoreboard, of any simulation, is what `Simulation::parasite` says of a method's own.
#[test]
fn parasites_of_the_scoreboard_are_those_of_the_simulation() {
    let course = scoreboard::courses(|name| name == "sleigh_com").unwrap().remove(0);
    let sleigh = sleigh_com::MODEL.example();
    let (q0, v0) = sleigh_com::MODEL.start(&sleigh);
    let mut simulation = Simulation::new(sleigh, Rattle, q0, v0, course.h).unwrap();
    let measured = scoreboard::parasite(&course, method("rattle").unwrap()).unwrap();
    for (t, eta) in measured.course.into_iter().take(100) {
        simulation.step().unwrap();
        let expected = simulation.parasite().unwrap();
        assert!((eta - expected).abs() < 1e-14, "{eta:e} instead of {expected:e} at t = {t}");
    }
}
