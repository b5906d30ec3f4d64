//! Starts of the wrong length: one line says what fits.

use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(theta, x, y),
    inputs(u),
    lagrangian = dot(theta)^2/2 + m/2*(dot(x)^2 + dot(y)^2),
    constraints(sin(theta)*dx - cos(theta)*dy = 0),
    force = u*dtheta,
)]
struct Skate {
    m: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y),
    group = SO3(R; w1, w2, w3),
    lagrangian = (dot(x)^2 + dot(y)^2 + w1^2 + w2^2 + w3^2)/2,
    constraints(dot(x) - w2 = 0, dot(y) + w1 = 0),
)]
struct Ball;

fn main() -> Result<(), nhi_runtime::Error> {
    let mut skate = Simulation::new(Skate { m: 1.0 }, Dla2, [0.0, 0.0], [0.0; 3], 0.1)?;
    skate.step_with(&[1.0, 2.0])?;
    // A rotation without the coordinates.
    let rotation = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    Simulation::new(Ball, Rdp, rotation, [0.0; 5], 0.1)?;
    Ok(())
}
