use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(lagrangian = m/2*dot(x)^2, constraints())]
struct NoCoordinates {
    m: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), constraints())]
struct NoLagrangian {
    m: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = m/2*dot(x)^2)]
struct NoConstraints {
    m: f64,
}

fn main() {}
