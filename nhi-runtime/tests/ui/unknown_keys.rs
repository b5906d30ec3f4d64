use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangain = m/2*dot(x)^2, constraints())]
struct Misspelt {
    m: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = m/2*dot(x)^2, constraints(), potential(x))]
struct Unlike {
    m: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = m/2*dot(x)^2, constraints(), 3)]
struct Number {
    m: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = m/2*dot(x)^2, constraints(), t)]
struct Time {
    m: f64,
}

fn main() {}
