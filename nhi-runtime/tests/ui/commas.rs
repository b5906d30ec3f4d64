use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x, , y), , lagrangian = dot(x)^2 + dot(y)^2, constraints(dx,,))]
struct TooMany;

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x y), lagrangian = dot(x)^2 + dot(y)^2 constraints(dx dy) methods(Dla2 Rk4))]
struct TooFew;

fn main() {}
