use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y[2]),
    lagrangian = dot(x)^2 + dot(y[0])^2 + dot(y[1])^2 + c[0][1],
    constraints(),
)]
struct Bracketed {
    c: [f64; 3],
}

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y[2]),
    lagrangian = dot(x)^2 + dot(y[0])^2 + dot(y[1])^2 + c + x[0] + y[x],
    constraints(dy),
)]
struct Indices {
    c: [f64; 3],
}

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x),
    lagrangian = dot(x)^2 + c[3] + c[-1] + c[1/2],
    constraints(),
)]
struct Ranges {
    c: [f64; 3],
}

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x[1000000]), lagrangian = 1, constraints())]
struct Huge {
    c: [f64; 1000000],
}

fn main() {}
