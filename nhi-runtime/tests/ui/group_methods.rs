use nalgebra::Rotation3;
use nhi_runtime::prelude::*;

#[derive(Nonholonomic)]
#[nonholonomic(
    group = SE2(theta, x, y; omega, v, w),
    lagrangian = (omega^2 + v^2 + w^2)/2 - y,
    constraints(w),
    methods(Rdp, RdpMidpoint, GniMidpoint, Dla2, Rk4),
)]
struct HeavySkate;

#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y),
    group = SO3(R; w1, w2, w3),
    lagrangian = (dot(x)^2 + dot(y)^2 + w1^2 + w2^2 + w3^2)/2,
    constraints(
        dot(x) - R[1][0]*w1 - R[1][1]*w2 - R[1][2]*w3,
        dot(y) + R[0][0]*w1 + R[0][1]*w2 + R[0][2]*w3,
    ),
    methods(Rdp, GniMidpoint, RdpMidpoint, DlaRattle),
)]
struct Ball;

#[derive(Nonholonomic)]
#[nonholonomic(
    group = SE2(theta, x, y; omega, v, w),
    lagrangian = (omega^2 + v^2 + w^2)/2,
    constraints(w),
    methods(Rdp, RdpMidpoint, RdpLeft, Rattle, RattleRestarted, GniMidpoint, Rkmk4),
)]
struct Skate;

#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x, y), lagrangian = (dot(x)^2 + dot(y)^2)/2, constraints(dx = 0))]
struct Flat;

fn main() {
    let _ = Compose::suzuki4(Rdp::new(Cayley));
    let _ = Compose::suzuki4(Rdp::new(Ccsk));
    let _ = Compose::suzuki4(RdpLeft);
    let _ = Compose::suzuki4(Rattle.with(Cayley));
    let _ = Compose::suzuki4(Rkmk4);
    let (q, v, h) = ([0.0; 3], [0.1, 0.2, 0.0], 0.1);
    let _ = Simulation::new(Skate, Dla2, q, v, h);
    let _ = Simulation::new(Skate, Rdp::new(Rdp), q, v, h);
    let _ = Simulation::new(Skate, Rdp, Rotation3::identity(), v, h);
    let _ = Simulation::new(Flat, Rdp::new(Cayley), [0.0; 2], [0.0; 2], h);
}
