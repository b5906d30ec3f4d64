use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y),
    lagrangian = dot(x)^2 + dot(y)^2,
    constraints(),
    force = dx*dy + sin(x)*dy,
)]
struct NotLinear;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y),
    lagrangian = dot(x)^2 + dot(y)^2,
    constraints(),
    force = -c*dot(x) + sin(t)*dy - 2,
)]
struct WithoutDifferential {
    c: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y),
    lagrangian = dot(x)^2 + dot(y)^2,
    constraints(),
    force = x*dt + dy,
)]
struct WithTime;

fn main() {}
