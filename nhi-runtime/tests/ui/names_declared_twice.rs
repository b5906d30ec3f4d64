use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y, x),
    inputs(u, m),
    let(k = 2, y = 3, k = 4),
    lagrangian = dot(x)^2 + dot(y)^2,
    constraints(),
)]
struct Twice {
    m: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = dx*dot(x)^2, constraints())]
struct Differential {
    dx: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x, y), lagrangian = dot(x)^2 + dot(y)^2, constraints(a: dx, a: dy))]
struct Labels;

fn main() {}
