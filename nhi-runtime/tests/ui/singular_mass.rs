use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x, y, z), lagrangian = m/2*dot(x)^2 - k*y, constraints())]
struct Massless {
    m: f64,
    k: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x, y), lagrangian = m/2*(dot(x)*cos(y) + dot(y)*sin(y))^2, constraints())]
struct Degenerate {
    m: f64,
}

fn main() {}
