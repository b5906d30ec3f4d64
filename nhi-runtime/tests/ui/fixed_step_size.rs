//! Methods whose state belongs to one step size have no shortened steps.

use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x),
    lagrangian = dot(x)^2/2 - x^2/2,
    constraints(),
    methods(Dla2, Rattle),
)]
struct Oscillator;

fn main() {
    let mut sim = Simulation::new(Oscillator, Rattle, [1.0], [0.0], 0.1).unwrap();
    sim.set_step_size(0.2).unwrap();
    sim.run_until(1.0).unwrap();
    sim.advance_until(|s| s.q[0] < 0.0).unwrap();

    Simulation::builder(Oscillator, Rattle).start([1.0], [0.0]).tolerance(1e-6);

    // Data that are missing.
    let builder = Simulation::builder(Oscillator, Dla2).start([1.0], [0.0]);
    builder.build().unwrap();
    Simulation::builder(Oscillator, Dla2).step_size(0.1).build().unwrap();
}
