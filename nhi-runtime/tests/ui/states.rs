use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y),
    states(i, filter[2], unused),
    lagrangian = dot(x)^2 + dot(y)^2 - i*x,
    constraints(dx - i*dt),
    force = dot(i)*dx,
    dynamics(
        dot(i) = volts - i,
        for n in 0..2 { dot(filter[n]) = i - filter[n] },
        dot(filter[0]) = 0,
        dot(x) = 1,
        dot(filter[2]) = 1,
    ),
)]
struct Places {
    volt: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), states(i, w), lagrangian = dot(x)^2, constraints(), dynamics(dot(i) = -w))]
struct Missing;

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = dot(x)^2, constraints(), dynamics(dot(i) = 1))]
struct Without;

fn main() {}
