//! Names of the numbers of a state: those of a declaration with errors are known, and constants of the user's own cannot
//! have them.

use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(theta, y[2]),
    lagrangian = dot(theta)^2/2 + dot(y[0])^2/2 + dot(y[1])^2/2 - stiffness*theta^2,
    constraints(rolling: dtheta - dy[0] = 0),
)]
struct Unknown {
    stifness: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = dot(x)^2/2, constraints())]
struct Own;

impl Own {
    const X: f64 = 1.0;
}

fn main() {
    let sim = Simulation::new(Unknown { stifness: 1.0 }, Dla2, [0.0; 3], [0.0; 3], 0.1).unwrap();
    println!("{} {}", sim.q()[Unknown::THETA], sim.q()[Unknown::Y[1]]);
    println!("{} {} {}", sim.named().theta, sim.named().dot_y[0], sim.named().lambda_rolling);
}
