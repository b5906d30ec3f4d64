use nhi_runtime::prelude::*;

/// A car that pulls two trailers, each hitched behind the axle before it. All axles roll without slipping sideways.
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y, theta[3]),
    let(
        // Axles of the trailers.
        x1 = x - c*cos(theta[0]) - l*cos(theta[1]),
        y1 = y - c*sin(theta[0]) - l*sin(theta[1]),
        x2 = x1 - c*cos(theta[1]) - l*cos(theta[2]),
        y2 = y1 - c*sin(theta[1]) - l*sin(theta[2]),
    ),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(x1)^2 + dot(y1)^2 + dot(x2)^2 + dot(y2)^2)
        + j/2*(dot(theta[0])^2 + dot(theta[1])^2 + dot(theta[2])^2),
    constraints(
        car: sin(theta[0])*dx - cos(theta[0])*dy = 0,
        first: sin(theta[1])*d(x1) - cos(theta[1])*d(y1) = 0,
        second: sin(theta[2])*d(x2) - cos(theta[2])*d(y2) = 0,
        // A motor turns the car to and fro.
        steering: dot(theta[0]) - turn*cos(rate*t) = 0,
    ),
    bodies(car: pose(x, y, theta[0]), first: pose(x1, y1, theta[1]), second: pose(x2, y2, theta[2])),
)]
pub struct CarWithTrailers {
    pub m: f64,
    pub j: f64,
    pub c: f64,
    pub l: f64,
    pub turn: f64,
    pub rate: f64,
}
