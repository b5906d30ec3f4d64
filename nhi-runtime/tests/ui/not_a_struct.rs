use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = dot(x)^2, constraints())]
enum Enum {
    A,
}

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = dot(x)^2, constraints())]
union Union {
    a: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = dot(x)^2, constraints())]
struct Tuple(f64, f64);

fn main() {}
