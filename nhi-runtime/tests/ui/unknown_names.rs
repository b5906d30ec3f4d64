use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(theta, x, y),
    lagrangian = J/2*dot(thet)^2 + M/2*(xdot^2 + dot(y)^2) - g*y,
    constraints(sin(theta)*dx - cos(theta)*dz),
)]
struct Misspelt {
    J: f64,
    m: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), let(a = b, b = 2), lagrangian = a*dot(x)^2 + size, constraints())]
struct OutOfReach {
    #[nonholonomic(skip)]
    size: f64,
}

fn main() {}
