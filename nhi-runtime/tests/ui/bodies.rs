use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = dot(x)^2/2, constraints(), methods(Dla2, MvMp))]
struct Coordinates;

#[derive(Nonholonomic)]
#[nonholonomic(
    group = SE2(theta, x, y; omega, v, w),
    lagrangian = omega^2 + v^2 + w^2,
    constraints(w = 0),
    methods(SuslovMv),
)]
struct OtherGroup;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(phi),
    group = SO3(R; w1, w2, w3),
    lagrangian = w1^2 + w2^2 + w3^2 + dot(phi)^2,
    constraints(w3 = 0),
    methods(Rdp, SuslovCay),
)]
struct Shape;

#[derive(Nonholonomic)]
#[nonholonomic(
    group = SO3(R; w1, w2, w3),
    lagrangian = w1^2 + w2^2 + w3^2 - R[2][2],
    constraints(w3 = 0),
    methods(MvMp, SuslovMv, SuslovCay, Rdp),
)]
struct Heavy;

#[derive(Nonholonomic)]
#[nonholonomic(
    group = SO3(R; w1, w2, w3),
    lagrangian = w1^2 + w2^2 + w3^2 + w1,
    constraints(w3 = 0),
    methods(SuslovMv),
)]
struct Gyrostat;

#[derive(Nonholonomic)]
#[nonholonomic(
    group = SO3(R; w1, w2, w3),
    lagrangian = w1^2 + w2^2 + w3^2,
    constraints(R[2][0]*w1 + R[2][1]*w2 + R[2][2]*w3 = 0),
    methods(SuslovMv),
)]
struct InSpace;

#[derive(Nonholonomic)]
#[nonholonomic(
    group = SO3(R; w1, w2, w3),
    lagrangian = w1^2 + w2^2 + w3^2,
    constraints(w3 - 1 = 0),
    methods(SuslovMv),
)]
struct Affine;

#[derive(Nonholonomic)]
#[nonholonomic(
    group = SO3(R; w1, w2, w3),
    lagrangian = w1^2 + w2^2 + w3^2,
    constraints(w3 = 0),
    force = -w1*dt,
    methods(MvMp),
)]
struct Damped;

fn main() {}
