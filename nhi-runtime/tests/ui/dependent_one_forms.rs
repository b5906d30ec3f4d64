use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = dot(x)^2 + dot(y)^2 + dot(z)^2,
    constraints(sin(x)*dx + dy, (1 - cos(x)^2)*dx + sin(x)*dy = 0),
)]
struct Dependent;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = dot(x)^2 + dot(y)^2 + dot(z)^2,
    constraints(dx, dy, dx + dy),
)]
struct DependentOnOthers;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = dot(x)^2 + dot(y)^2 + dot(z)^2,
    constraints(dx, dy, dz, dx + dy),
)]
struct TooMany;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = dot(x)^2 + dot(y)^2 + dot(z)^2,
    constraints(dx, dy),
    holonomic(z - sin(t)),
)]
struct TooManyWithPosition;

fn main() {}
