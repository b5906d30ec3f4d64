use nhi_runtime::prelude::*;

/// A disc on a table with four cushions, which push it back where it is beyond them.
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2)
        - k/2*(max(0, x - a)^2 + max(0, -a - x)^2 + max(0, y - b)^2 + max(0, -b - y)^2),
    constraints(),
    bodies(disc: pose(x, y, 0)),
)]
pub struct Cushions {
    pub m: f64,
    pub k: f64,
    pub a: f64,
    pub b: f64,
}
