use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x),
    lagrangian = m*dot(x)^2 + sine(x) + log(x) + pow(x, 2) + m(x + 1) + arctan(x) + bessel(x),
    constraints(),
)]
struct Unknown {
    m: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x),
    lagrangian = m*dot(x)^2 + sin(x, 2) + atan2(x) + sin^2 + cos(),
    constraints(),
)]
struct Arguments {
    m: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = m*dot(x)^2 + sin x, constraints())]
struct NoParentheses {
    m: f64,
}

fn main() {}
