//! Declared systems.

use nhi_runtime::prelude::*;

/// A disk that rolls upright, driven at its axle and steered.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, theta, phi),
    inputs(drive, steer),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + j/2*dot(theta)^2 + i/2*dot(phi)^2,
    constraints(along: dx - r*cos(theta)*dphi = 0, across: dy - r*sin(theta)*dphi = 0),
    force = drive*dphi + steer*dtheta,
    methods(Dla2 + derivatives),
)]
pub(crate) struct Disk {
    pub m: f64,
    pub i: f64,
    pub j: f64,
    pub r: f64,
}

pub(crate) fn disk() -> Disk {
    Disk { m: 1.0, i: 0.5, j: 0.25, r: 1.0 }
}

/// A sleigh whose blade is behind its centre of mass, pushed along it and turned.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(theta, x, y),
    inputs(push, turn),
    lagrangian = j/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
    constraints(blade: a*dtheta + sin(theta)*dx - cos(theta)*dy = 0),
    force = push*(cos(theta)*dx + sin(theta)*dy) + turn*dtheta,
    methods(Dla2 + derivatives),
)]
pub(crate) struct Sleigh {
    pub j: f64,
    pub m: f64,
    pub a: f64,
}

pub(crate) fn sleigh() -> Sleigh {
    Sleigh { j: 0.7, m: 1.3, a: 0.2 }
}

/// A snakeboard with torques of its rotor and its wheels.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(psi, phi, theta, x, y),
    inputs(rotor, steering),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + m*l^2/2*dot(theta)^2
               + i*dot(psi)*(dot(psi)/2 + dot(theta)) + j*dot(phi)^2,
    constraints(
        back: -sin(theta + phi)*dx + cos(theta + phi)*dy - l*cos(phi)*dtheta = 0,
        front: -sin(theta - phi)*dx + cos(theta - phi)*dy + l*cos(phi)*dtheta = 0,
    ),
    force = rotor*dpsi + steering*dphi,
    methods(Dla2 + derivatives),
)]
pub(crate) struct Snakeboard {
    pub m: f64,
    pub l: f64,
    pub i: f64,
    pub j: f64,
}

pub(crate) fn snakeboard() -> Snakeboard {
    Snakeboard { m: 2.0, l: 0.8, i: 0.4, j: 0.3 }
}

/// A car with a trailer, driven at its rear axle and steered by a torque.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, theta, phi, delta),
    inputs(drive, steer),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + j/2*dot(theta)^2 + i/2*(dot(theta) + dot(phi))^2 + k/2*dot(delta)^2,
    constraints(
        rear: sin(theta)*dx - cos(theta)*dy = 0,
        front: sin(theta + phi)*dx - cos(theta + phi)*dy - l*cos(phi)*dtheta = 0,
        trailer: sin(delta)*dx - cos(delta)*dy + b*ddelta = 0,
    ),
    force = drive*(cos(theta)*dx + sin(theta)*dy) + steer*dphi,
    methods(Dla2 + derivatives),
)]
pub(crate) struct Car {
    pub m: f64,
    pub j: f64,
    pub i: f64,
    pub k: f64,
    pub l: f64,
    pub b: f64,
}

pub(crate) fn car() -> Car {
    Car { m: 1.4, j: 0.6, i: 0.2, k: 0.3, l: 0.9, b: 0.7 }
}

/// A car with a trailer behind its rear axle, driven at its rear axle and steered by a torque against a spring and friction.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, theta, delta, psi),
    inputs(u, w),
    let(
        bx = dot(x) - b*dot(theta)*sin(theta), by = dot(y) + b*dot(theta)*cos(theta),
        tx = dot(x) + e*dot(psi)*sin(psi), ty = dot(y) - e*dot(psi)*cos(psi),
    ),
    lagrangian = m/2*(bx^2 + by^2) + i/2*dot(theta)^2 + j/2*(dot(theta) + dot(delta))^2 + mt/2*(tx^2 + ty^2)
        + it/2*dot(psi)^2 - k/2*delta^2,
    constraints(
        -sin(theta)*dx + cos(theta)*dy = 0,
        sin(theta + delta)*dx - cos(theta + delta)*dy - l*cos(delta)*dtheta = 0,
        -sin(psi)*dx + cos(psi)*dy - d*dpsi = 0,
    ),
    force = u*(cos(theta)*dx + sin(theta)*dy) + w*ddelta - c*dot(delta)*ddelta,
    methods(Dla2 + derivatives),
)]
pub(crate) struct Tug {
    pub m: f64,
    pub mt: f64,
    pub i: f64,
    pub it: f64,
    pub j: f64,
    pub l: f64,
    pub b: f64,
    pub d: f64,
    pub e: f64,
    pub k: f64,
    pub c: f64,
}

pub(crate) fn tug() -> Tug {
    Tug { m: 10.0, mt: 6.0, i: 1.2, it: 0.7, j: 0.1, l: 1.0, b: 0.4, d: 1.2, e: 0.9, k: 0.5, c: 0.2 }
}

/// A cat in the plane: a body in free fall that turns by the motion of two limbs.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(theta, alpha, beta),
    inputs(front, back),
    lagrangian = i/2*dot(theta)^2
        + m/2*(a^2*dot(theta)^2 + b^2*(dot(theta) + dot(alpha))^2 + 2*a*b*cos(alpha)*dot(theta)*(dot(theta) + dot(alpha)))
        + m/2*(a^2*dot(theta)^2 + b^2*(dot(theta) + dot(beta))^2 + 2*a*b*cos(beta)*dot(theta)*(dot(theta) + dot(beta))),
    constraints(),
    force = front*dalpha + back*dbeta,
    methods(Dla2 + derivatives),
)]
pub(crate) struct Cat {
    pub i: f64,
    pub m: f64,
    pub a: f64,
    pub b: f64,
}

pub(crate) fn cat() -> Cat {
    Cat { i: 0.5, m: 0.4, a: 0.5, b: 0.6 }
}

/// The disk with a pose.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(phi),
    group = SE2(theta, x, y; omega, v, across),
    inputs(drive, steer),
    lagrangian = m/2*(v^2 + across^2) + i/2*dot(phi)^2 + j/2*omega^2,
    constraints(rolling: v - r*dot(phi) = 0, skidding: across = 0),
    force = drive*dphi + steer*dtheta,
    methods(Rdp + derivatives),
)]
pub(crate) struct PosedDisk {
    pub m: f64,
    pub i: f64,
    pub j: f64,
    pub r: f64,
}

pub(crate) fn posed_disk() -> PosedDisk {
    PosedDisk { m: 1.0, i: 0.5, j: 0.25, r: 1.0 }
}

/// A puck on a conveyor belt whose speed is an input, on a blade.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(theta, x, y),
    inputs(belt),
    lagrangian = j/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
    constraints(sin(theta)*(dot(x) - belt) - cos(theta)*dot(y) = 0),
    methods(Dla2 + derivatives),
)]
pub(crate) struct Belt {
    pub j: f64,
    pub m: f64,
}

pub(crate) fn belt() -> Belt {
    Belt { j: 0.8, m: 1.1 }
}

/// A particle on the Heisenberg group.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2),
    constraints(area: dz - x*dy/2 + y*dx/2 = 0),
    methods(Dla2 + derivatives),
)]
pub(crate) struct Particle {
    pub m: f64,
}

pub(crate) fn particle() -> Particle {
    Particle { m: 1.0 }
}

/// A ball that rolls on a plane and does not turn about its normal. The rotation is that of the plane as the ball sees it, so that
/// velocities of the constraints are those in its own frame.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y),
    group = SO3(S; w1, w2, w3),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + i/2*(w1^2 + w2^2 + w3^2),
    constraints(dot(x) + r*w2 = 0, dot(y) - r*w1 = 0, w3 = 0),
    methods(Rdp + derivatives),
)]
pub(crate) struct Ball {
    pub m: f64,
    pub i: f64,
    pub r: f64,
}

pub(crate) fn ball() -> Ball {
    Ball { m: 1.0, i: 0.4, r: 0.8 }
}

/// The car of an example of opty (`plot_parallel_park`), which is driven at its rear axle and steered by a torque. (x, y) is the
/// centre of the mass m of the body; the front axle has the mass m/6.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, theta, delta),
    inputs(steer, drive),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + i/2*dot(theta)^2 + i/64*(dot(theta) + dot(delta))^2
        + m/12*((dot(x) - a*sin(theta)*dot(theta))^2 + (dot(y) + a*cos(theta)*dot(theta))^2),
    constraints(
        rear: sin(theta)*dx - cos(theta)*dy + b*dtheta = 0,
        front: sin(theta + delta)*dx - cos(theta + delta)*dy - a*cos(delta)*dtheta = 0,
    ),
    force = drive*(cos(theta)*dx + sin(theta)*dy) + steer*ddelta,
    methods(Dla2 + derivatives),
)]
pub(crate) struct ParkedCar {
    pub m: f64,
    pub i: f64,
    pub a: f64,
    pub b: f64,
}

pub(crate) fn parked_car() -> ParkedCar {
    ParkedCar { m: 1200.0, i: 1300.0, a: 1.5, b: 1.5 }
}

/// A car that is given by its speed and its steering rate, without inertia. The axle of its front wheels is a distance `l` ahead.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, theta, delta),
    inputs(speed, rate),
    lagrangian = 0,
    constraints(
        side: sin(theta)*dx - cos(theta)*dy,
        ahead: cos(theta)*dx + sin(theta)*dy - speed*dt,
        turn: dtheta - speed*tan(delta)/l*dt,
        steer: ddelta - rate*dt,
    ),
    methods(DlaRattle + derivatives, Dla2 + derivatives),
)]
pub(crate) struct Steered {
    pub l: f64,
}

pub(crate) fn steered() -> Steered {
    Steered { l: 0.9 }
}

/// A unicycle that is given by its speed and yaw rate, with masses.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(theta, x, y),
    inputs(rate, speed),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + dot(theta)^2/4,
    constraints(
        side: sin(theta)*dx - cos(theta)*dy,
        ahead: cos(theta)*dx + sin(theta)*dy - speed*dt,
        turn: dtheta - rate*dt,
    ),
    methods(DlaRattle + derivatives),
)]
pub(crate) struct Unicycle {
    pub m: f64,
}

pub(crate) fn unicycle() -> Unicycle {
    Unicycle { m: 1.0 }
}

/// A skate on the floor, with the same constraint alone.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(theta, x, y),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + dot(theta)^2/4,
    constraints(side: sin(theta)*dx - cos(theta)*dy),
    methods(DlaRattle + derivatives),
)]
pub(crate) struct Skate {
    pub m: f64,
}

pub(crate) fn skate() -> Skate {
    Skate { m: 1.0 }
}

/// A skate that a force pushes, on which a slide is driven: its momentum is coupled to that of the skate.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(theta, x, y, s),
    inputs(slide, push),
    lagrangian = dot(theta)^2*(1 + s^2)/4 + m/2*(dot(x)^2 + dot(y)^2) + dot(s)^2/2 + dot(s)*dot(theta)/5
        + dot(s)*dot(x)/3,
    constraints(
        blade: dtheta/5 + sin(theta)*dx - cos(theta)*dy,
        rail: dot(s) - (1 + y/3)*slide,
    ),
    force = push*(cos(theta)*dx + sin(theta)*dy) - dot(theta)*dtheta/5,
    methods(DlaRattle + derivatives),
)]
pub(crate) struct Sliding {
    pub m: f64,
}

pub(crate) fn sliding() -> Sliding {
    Sliding { m: 1.3 }
}

/// A car on SE(2) whose speed is an input, and whose turn a torque.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(phi),
    group = SE2(theta, x, y; omega, v, w),
    inputs(speed, torque),
    lagrangian = m/2*(v^2 + w^2) + omega^2/4 + dot(phi)^2/6 + dot(phi)*omega/7 - cos(theta)*x/5,
    constraints(side: w - omega/4, ahead: v - (1 + x/4)*speed, rolling: v - dot(phi)/2 + omega/5),
    force = torque*omega*dt,
    methods(Rdp + derivatives),
)]
pub(crate) struct Cruiser {
    pub m: f64,
}

pub(crate) fn cruiser() -> Cruiser {
    Cruiser { m: 1.1 }
}
