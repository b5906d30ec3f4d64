use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y),
    lagrangian = dot(x)^2 + dot(y)^2 - abs(x) - min(x, y) - floor(y) - sign(x),
    constraints(),
    force = -mu*sign(dot(x))*dx,
)]
struct Friction {
    mu: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = dot(x)^2 + x % 2, constraints(), force = if x > 0 { 1 } else { 0 })]
struct Operators;

fn main() {}
