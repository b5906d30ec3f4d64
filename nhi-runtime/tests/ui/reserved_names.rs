use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(t, dt, sum, ot),
    inputs(sin),
    let(dot = 2, sqrt = 3),
    lagrangian = 1,
    constraints(),
)]
struct Reserved {
    pi: f64,
    t: f64,
}

fn main() {}
