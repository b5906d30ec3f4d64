//! The parasitic mode of GNI methods, seen by their monitor.

use nhi_models::sleigh_com;
use nhi_runtime::{Method, Rattle, Reflecting, Simulation};

/// Largest monitor η over the first second.
fn parasite<M: Reflecting + Method<sleigh_com::SleighCom>>(method: M, h: f64) -> f64 {
    let sleigh = sleigh_com::MODEL.defaults;
    let (q0, v0) = (sleigh_com::MODEL.initial)(&sleigh);
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
