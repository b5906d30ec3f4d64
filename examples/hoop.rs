use nhi_runtime::prelude::*;

/// A hoop of mass M that rolls on the ground, with a particle of mass m on its rim, at the angle θ from the top.
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y, th),
    let(px = x + r*sin(th), py = y + r*cos(th)),
    lagrangian = M/2*(dot(x)^2 + dot(y)^2 + r^2*dot(th)^2) + m/2*(dot(px)^2 + dot(py)^2) - M*g*y - m*g*py,
    constraints(normal: dy = 0, roll: dx - r*dth = 0),
    bodies(hoop: pose(x, y, -th), particle: pose(px, py, 0)),
)]
pub struct Hoop {
    pub M: f64,
    pub m: f64,
    pub r: f64,
    pub g: f64,
}
