use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y[2]),
    lagrangian = dot(x)^2 + sum(i in 0..2, dot(y[i])^2) + sum(m in 0..2, 1) + sum(i in 0..2, sum(i in 0..2, i)),
    constraints(sum(i in 0..3, dy[i])),
    force = sum(i in 0..x, dx),
)]
struct Loops {
    m: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x),
    lagrangian = dot(x)^2 + sum(i in 0..1000000000, x) + sum(i in 0..1/2, x),
    constraints(),
)]
struct Long;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x),
    let(a = sum(i in 0..=1, x), b = sum(i, x), c = sum(i in 0..2), d = sum(), e = sum(i in 0, x)),
    lagrangian = dot(x)^2,
    constraints(),
)]
struct Written;

fn main() {}
