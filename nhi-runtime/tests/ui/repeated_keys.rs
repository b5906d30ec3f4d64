use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = m/2*dot(x)^2, constraints())]
#[nonholonomic(coordinates(x), lagrangian = m*dot(x)^2, constraints())]
struct Twice {
    m: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x),
    lagrangian = m/2*dot(x)^2,
    constraints(),
    force = dx,
    force = 2*dx,
    methods(Dla2),
    methods(Rk4),
)]
struct Others {
    m: f64,
}

fn main() {}
