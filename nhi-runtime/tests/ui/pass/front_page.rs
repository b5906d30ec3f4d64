#![deny(warnings)]
//! A Chaplygin sleigh.
#![allow(non_snake_case)] // `J`, a moment of inertia

use nhi_runtime::prelude::*;

/// Planar rigid body on a skate blade mounted a distance `a` behind its centre of mass.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(theta, x, y),
    lagrangian  = J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
    constraints(blade: a*dtheta + sin(theta)*dx - cos(theta)*dy = 0),
)]
struct ChaplyginSleigh {
    J: f64,
    m: f64,
    a: f64,
}

fn main() -> Result<(), nhi_runtime::Error> {
    let sleigh = ChaplyginSleigh { J: 1.0, m: 1.0, a: 0.2 };
    let mut sim = Simulation::new(sleigh, Dla2, [0.0, 0.0, 0.0], [1.0, 0.5, 0.2], 0.01)?;
    for _ in 0..10_000 {
        sim.step()?;
    }
    println!("t = {}, q = {:?}, v = {:?}, energy = {}", sim.time(), sim.q(), sim.v(), sim.energy());
    Ok(())
}
