use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y),
    lagrangian = dot(x)^2 + dot(y)^2*abs(x) - floor(y),
    constraints(rail: dy - sign(x)*dx),
    force = -mu*sgn(dot(x))*dx,
)]
struct Places {
    mu: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = dot(x)^2 + x % 2, constraints(), force = if x > 0 { 1 } else { 0 })]
struct Operators;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y),
    lagrangian = dot(x)^2 + dot(y)^2 - if(x + y > 1, x, 0),
    constraints(),
    force = if(0 < x < 1, 1, 2)*dx,
)]
struct Jump;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x),
    lagrangian = dot(x)^2,
    constraints(),
    force = (table(x, xs, ys) + table(x, mu, ys) + clamp(x, 1))*dx,
)]
struct Tables {
    mu: f64,
    xs: [f64; 4],
    ys: [f64; 3],
}

fn main() {}
