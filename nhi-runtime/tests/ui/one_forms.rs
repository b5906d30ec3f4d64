use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = dot(x)^2 + dot(y)^2 + dot(z)^2,
    constraints(dx*dy, sin(dz)),
)]
struct NotLinear;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = dot(x)^2 + dot(y)^2 + dot(z)^2,
    constraints(dx + 3*(dy + 1), dz + x - dot(y)),
)]
struct WithoutDifferential;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = dot(x)^2 + dot(y)^2 + dot(z)^2,
    constraints(dot(x)*dy + dz, dx + dot(y)*dot(z)*dt),
)]
struct Velocities;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = dot(x)^2 + dot(y)^2 + dot(z)^2,
    constraints(dot(x)^2 + dot(y), sqrt(dot(z)^2)),
)]
struct NotLinearInVelocities;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = dot(x)^2 + dot(y)^2 + dot(z)^2,
    constraints(x*y, 2*dt),
)]
struct NoConstraintAtAll;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y, z),
    inputs(u),
    lagrangian = dot(x)^2 + dot(y)^2 + dot(z)^2,
    constraints(dx + u*dy, dz + u*dx),
)]
struct Misplaced;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = dot(x)^2 + dot(y)^2 + dot(z)^2,
    constraints(dx = dy, rolling dz, d(dx)),
)]
struct Written;

fn main() {}
