use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x),
    let(zero = sin(x)^2 + cos(x)^2 - 1),
    lagrangian = dot(x)^2 + 1/0 + x/(x - x) + (1 - 1)^-1 + 2/zero + 1/((x + 1)^2 - x^2 - 2*x - 1),
    constraints(),
    force = ln(exp(2*x) - exp(x)^2)*dx + atan2(0, 0)*dx,
)]
struct Zero;

fn main() {}
