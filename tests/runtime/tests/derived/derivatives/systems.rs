//! Declarations with derivatives, and where trajectories of them start.

use nhi_runtime::prelude::*;

/// A sleigh that is pushed along its blade and turned.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(theta, x, y),
    inputs(push, turn),
    lagrangian = j/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
    constraints(blade: a*dtheta + sin(theta)*dx - cos(theta)*dy = 0),
    force = push*(cos(theta)*dx + sin(theta)*dy) + turn*dtheta,
    methods(
        Dla1 + derivatives, Dla2 + derivatives, Dla2Midpoint + derivatives, DlaRattle + derivatives,
        Rk4 + derivatives, Rk2Heun
    ),
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
    methods(Dla2 + derivatives, DlaRattle + derivatives, Rk4 + derivatives),
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

/// A car with a trailer, driven at its rear axle and steered by a torque, that wind pushes.
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
    force = drive*(cos(theta)*dx + sin(theta)*dy) + steer*dphi + wind*sin(w*t)*dy,
    methods(Dla2 + derivatives, DlaRattle + derivatives),
)]
pub(crate) struct Car {
    pub m: f64,
    pub j: f64,
    pub i: f64,
    pub k: f64,
    pub l: f64,
    pub b: f64,
    pub wind: f64,
    pub w: f64,
}

pub(crate) fn car() -> Car {
    Car { m: 1.4, j: 0.6, i: 0.2, k: 0.3, l: 0.9, b: 0.7, wind: 0.3, w: 2.0 }
}

/// A coin that rolls upright in a harmonic attraction, with a motor at its axle and a filter of its speed.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(theta, x, y, phi),
    states(i, f),
    inputs(u),
    lagrangian = j/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2) + a/2*dot(phi)^2 - s/2*(x^2 + y^2),
    constraints(dx - r*cos(theta)*dphi = 0, dy - r*sin(theta)*dphi = 0),
    force = k*i*dphi - k*tanh(f)*dtheta,
    dynamics(dot(i) = (u - resistance*i - k*dot(phi))/inductance, dot(f) = dot(phi) - f*(1 + i^2)),
    methods(Dla1 + derivatives, Dla2 + derivatives, DlaRattle + derivatives, Rk4 + derivatives),
)]
pub(crate) struct Motor {
    pub j: f64,
    pub m: f64,
    pub a: f64,
    pub r: f64,
    pub s: f64,
    pub k: f64,
    pub resistance: f64,
    pub inductance: f64,
}

pub(crate) fn motor() -> Motor {
    Motor { j: 0.5, m: 1.0, a: 0.3, r: 0.4, s: 0.6, k: 0.5, resistance: 1.1, inductance: 0.8 }
}

/// A particle in a bowl, which a rod of changing length holds to a point of the bowl, or which is free there.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z, s),
    inputs(u),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) + i/2*dot(s)^2 - m*g*z,
    holonomic(bowl: z - c*(x^2 + y^2) = 0),
    constraints(wheel: ds - x*dy + y*dx = 0),
    force = u*ds,
    methods(DlaRattle + derivatives),
)]
pub(crate) struct Bowl {
    pub m: f64,
    pub i: f64,
    pub g: f64,
    pub c: f64,
}

pub(crate) fn bowl() -> Bowl {
    Bowl { m: 1.2, i: 0.4, g: 3.0, c: 0.3 }
}

/// A pendulum on a rod of fixed length whose pivot moves.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) - m*g*y,
    holonomic(rod: (x - b*sin(w*t))^2 + y^2 - l^2 = 0),
    methods(DlaRattle + derivatives),
)]
pub(crate) struct Pendulum {
    pub m: f64,
    pub g: f64,
    pub l: f64,
    pub b: f64,
    pub w: f64,
}

pub(crate) fn pendulum() -> Pendulum {
    Pendulum { m: 1.5, g: 2.0, l: 1.0, b: 0.2, w: 3.0 }
}

/// A puck on a conveyor belt whose speed is an input, on a blade.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(theta, x, y),
    inputs(belt),
    lagrangian = j/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2) - s/2*x^2,
    constraints(sin(theta)*(dot(x) - belt - gust*sin(t)) - cos(theta)*dot(y) = 0),
    methods(Dla2 + derivatives, DlaRattle + derivatives),
)]
pub(crate) struct Belt {
    pub j: f64,
    pub m: f64,
    pub s: f64,
    pub gust: f64,
}

pub(crate) fn belt() -> Belt {
    Belt { j: 0.8, m: 1.1, s: 0.5, gust: 0.3 }
}

/// An upright disk on SE(2) that is driven and steered.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(phi),
    group = SE2(theta, x, y; omega, v, across),
    inputs(drive, steer),
    lagrangian = m/2*(v^2 + across^2) + i/2*dot(phi)^2 + j/2*omega^2 - s/2*(x^2 + y^2),
    constraints(rolling: v - r*dot(phi) = 0, skidding: across = 0),
    force = drive*dphi + steer*dtheta,
    methods(Rdp + derivatives, RdpLeft + derivatives),
)]
pub(crate) struct Disk {
    pub m: f64,
    pub i: f64,
    pub j: f64,
    pub r: f64,
    pub s: f64,
}

pub(crate) fn disk() -> Disk {
    Disk { m: 1.2, i: 0.5, j: 0.4, r: 0.6, s: 0.7 }
}

/// A ball with its centre of mass below its centre, which rolls on a turntable.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y),
    group = SO3(R; w1, w2, w3),
    inputs(push),
    let(
        along_x = R[0][0]*w1 + R[0][1]*w2 + R[0][2]*w3,
        along_y = R[1][0]*w1 + R[1][1]*w2 + R[1][2]*w3,
    ),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + (i1*w1^2 + i2*w2^2 + i3*w3^2)/2 - m*g*c*R[2][2],
    constraints(
        rolling_x: dot(x) - r*along_y + table*y = 0,
        rolling_y: dot(y) + r*along_x - table*x = 0,
    ),
    force = push*dx,
    methods(Rdp + derivatives),
)]
pub(crate) struct Ball {
    pub m: f64,
    pub i1: f64,
    pub i2: f64,
    pub i3: f64,
    pub g: f64,
    pub c: f64,
    pub r: f64,
    pub table: f64,
}

pub(crate) fn ball() -> Ball {
    Ball { m: 1.0, i1: 0.5, i2: 0.6, i3: 0.8, g: 1.5, c: 0.2, r: 0.5, table: 0.3 }
}
