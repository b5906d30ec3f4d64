use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y),
    let(form = dx + dy, other = d(x)),
    lagrangian = dot(x)^2 + dot(y)^2,
    constraints(form),
)]
struct Differentials;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x),
    let(a = q, b = a*a, c = b + a),
    lagrangian = c*dot(x)^2,
    constraints(),
)]
struct OneMistakeIsOneError;

fn main() {}
