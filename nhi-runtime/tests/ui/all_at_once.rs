//! Every mistake of one declaration is reported, and nothing but these: the code that uses the system
//! adds none.

use nhi_runtime::prelude::*;

#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(theta, x, y),
    lagrangian = J/2*dot(theta)^2 + mass/2*(dot(x)^2 + dot(y)^2) + 1/0,
    constraints(a*dtheta + sin(theta)*dx - cos(theta)*dz = 0, dx + 1),
    force = floor(x)*dx,
    inputs(J),
    methods(Dla2, Ratle),
    metods(Rk4),
)]
pub struct ChaplyginSleigh {
    pub J: f64,
    pub m: f64,
    pub a: f32,
}

fn main() -> Result<(), nhi_runtime::Error> {
    let sleigh = ChaplyginSleigh { J: 1.0, m: 1.0, a: 0.2 };
    let mut sim = Simulation::new(sleigh, Dla2, [0.0, 0.0, 0.0], [1.0, 0.5, 0.2], 0.01)?;
    for _ in 0..10_000 {
        sim.step()?;
    }
    println!("t = {}, q = {:?}, v = {:?}, energy = {}", sim.time(), sim.q(), sim.v(), sim.energy());
    let heading: f64 = sim.q()[0];
    println!("{heading}");
    Ok(())
}
