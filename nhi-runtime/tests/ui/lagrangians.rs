use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y),
    lagrangian = m/2*(dot(x)^2 + dot(y)^3) + sqrt(1 - dot(x)^2) - 1/dot(y) + dot(x)*(1 + dot(y)^2),
    constraints(),
)]
struct NotQuadratic {
    m: f64,
}

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y),
    inputs(u),
    let(w = u*x, late = t*x, rate = dot(x)),
    lagrangian = dot(x)^2 + dot(y)^2 + t*x + u*x + w + late + dx + d(x) + dot(dot(x)) + dot(rate) + dt,
    constraints(),
)]
struct Misplaced;

fn main() {}
