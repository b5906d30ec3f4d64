use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(coordinates = x, lagrangian(dot(x)^2), constraints[dx])]
struct WrongShape;

#[derive(Nonholonomic)]
#[nonholonomic(coordinates, lagrangian, constraints, force, methods, let, crate)]
struct NoValues;

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = , constraints(), force =)]
struct EmptyValues;

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = dot(x)^2, constraints(), crate = "nhi_runtime")]
struct PathAsText;

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = dot(x)^2, constraints(), let(a, b 2, 3 = 4, c = ))]
struct Definitions;

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x[0], y[k], 3, z[], in, _), lagrangian = dot(x)^2, constraints())]
struct Coordinates;

fn main() {}
