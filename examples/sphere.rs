//! Chaplygin's sphere: a balanced ball with three moments of inertia that rolls on a table.

use nhi_runtime::prelude::*;

/// A ball with its centre above (x, y). It does not slip for the angular velocity `turn` in space.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y),
    group = SO3(R; w1, w2, w3),
    let(turn = R*[w1, w2, w3]),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + (i1*w1^2 + i2*w2^2 + i3*w3^2)/2,
    constraints(rolling_x: dot(x) - r*turn[1] = 0, rolling_y: dot(y) + r*turn[0] = 0),
)]
struct Sphere {
    m: f64,
    i1: f64,
    i2: f64,
    i3: f64,
    r: f64,
}

fn main() -> Result<(), nhi_runtime::Error> {
    let sphere = Sphere { m: 3.0, i1: 1.0, i2: 1.1, i3: 1.2, r: 1.0 };
    let upright = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    // The coordinates and the pose; the velocities of the coordinates and those of the body, in its frame.
    let mut sim = Simulation::new(sphere, Rdp, ([0.0, 0.0], upright), [-0.7, -0.6, 0.6, -0.7, 0.9], 0.05)?;
    sim.run_until(100.0)?;
    let now = sim.named();
    println!("x = {}, y = {}, R = {:?}, energy = {}", now.x, now.y, now.R, sim.energy());
    Ok(())
}
