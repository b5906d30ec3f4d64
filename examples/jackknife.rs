use nhi_runtime::prelude::*;

/// A car that is given by its speed and its yaw rate, with a trailer of the length l behind its axle. There are as many constraints as
/// coordinates: no force matters.
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y, theta, psi),
    inputs(speed, rate),
    let(x1 = x - l*cos(theta + psi), y1 = y - l*sin(theta + psi)),
    lagrangian = 0,
    constraints(
        axle: sin(theta)*dx - cos(theta)*dy = 0,
        drive: cos(theta)*dx + sin(theta)*dy - speed*dt = 0,
        steer: dtheta - rate*dt = 0,
        trailer: sin(theta + psi)*d(x1) - cos(theta + psi)*d(y1) = 0,
    ),
    bodies(car: pose(x, y, theta), trailer: pose(x1, y1, theta + psi)),
)]
pub struct Jackknife {
    pub l: f64,
}
