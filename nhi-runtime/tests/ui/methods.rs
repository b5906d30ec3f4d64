use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x),
    lagrangian = m/2*dot(x)^2,
    constraints(),
    methods(Dla2, Dla3, Verlet, dla_rattle, Compose, Dla2, all, 4),
)]
struct Methods {
    m: f64,
}

fn main() {}
