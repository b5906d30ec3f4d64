//! A bicycle with a rider who holds on to it.

use nhi_control::{Discrete, PlanError};
use nhi_runtime::ReducedOf;
use nhi_runtime::prelude::*;

/// The centre (x, y, z) of the rear wheel, yaw ψ, roll φ and pitch θ of the rear frame, whose third axis is that of the
/// steering, the steering angle δ, and the angles of the two wheels. Both wheels roll without slip and stay on the ground: six
/// one-forms. All vectors are in axes that turn with the yaw. The input is a torque between the frames, and the wind pushes the
/// rear one to the left at its centre of mass.
#[derive(Nonholonomic, Clone, Debug, Default)]
#[nonholonomic(
    coordinates(x, y, z, psi, phi, theta, delta, rear, front),
    inputs(torque),
    let(
        sp = sin(phi), cp = cos(phi), st = sin(theta), ct = cos(theta), sd = sin(delta), cd = cos(delta),
        // Velocity of the centre of the rear wheel.
        vx = cos(psi)*dot(x) + sin(psi)*dot(y),
        vy = -sin(psi)*dot(x) + cos(psi)*dot(y),
        vz = dot(z),
        // Angular velocities of the rear frame, the rear wheel and the front frame.
        bx = dot(phi), by = dot(theta)*cp, bz = dot(psi) + dot(theta)*sp,
        rx = bx, ry = by + dot(rear)*cp, rz = bz + dot(rear)*sp,
        hx = bx + dot(delta)*st, hy = by - dot(delta)*sp*ct, hz = bz + dot(delta)*cp*ct,
        // The axis of the front wheel, and its angular velocity.
        f1 = -sd*ct, f2 = cp*cd - sp*sd*st, f3 = sp*cd + cp*sd*st,
        fx = hx + dot(front)*f1, fy = hy + dot(front)*f2, fz = hz + dot(front)*f3,
        // From the centre of the rear wheel to that of the front wheel, and the velocity of the latter.
        u1 = l1*ct + l3*st, u3 = -l1*st + l3*ct,
        px = u1, py = -sp*u3, pz = cp*u3,
        qx = vx + by*pz - bz*py, qy = vy + bz*px - bx*pz, qz = vz + bx*py - by*px,
        // From the centres of the wheels to the points of contact.
        cy = r*sp, cz = -r*cp,
        root = sqrt(1 - f3^2),
        gx = r*f3*f1/root, gy = r*f3*f2/root, gz = -r*root,
        // Centres of mass of the frames.
        b1 = c1*ct + c3*st, b3 = -c1*st + c3*ct,
        mx = vx + by*cp*b3 + bz*sp*b3, my = vy + bz*b1 - bx*cp*b3, mz = vz - bx*sp*b3 - by*b1,
        e1 = d1*cd*ct + d3*st, e2 = d1*sd, e3 = -d1*cd*st + d3*ct,
        kx = e1, ky = cp*e2 - sp*e3, kz = sp*e2 + cp*e3,
        nx = qx + hy*kz - hz*ky, ny = qy + hz*kx - hx*kz, nz = qz + hx*ky - hy*kx,
        // Angular velocities of the frames in their own axes.
        w1 = dot(phi)*ct - dot(psi)*cp*st, w2 = dot(theta) + dot(psi)*sp, w3 = dot(phi)*st + dot(psi)*cp*ct,
        o1 = cd*w1 + sd*w2, o2 = -sd*w1 + cd*w2, o3 = w3 + dot(delta),
    ),
    lagrangian = mb/2*(mx^2 + my^2 + mz^2) + (jb1*w1^2 + jb2*w2^2 + jb3*w3^2)/2
               + mh/2*(nx^2 + ny^2 + nz^2) + (jh1*o1^2 + jh2*o2^2 + jh3*o3^2)/2
               + mr/2*(vx^2 + vy^2 + vz^2) + (jr*(w1^2 + w3^2) + jry*(w2 + dot(rear))^2)/2
               + mf/2*(qx^2 + qy^2 + qz^2) + (jr*(o1^2 + o3^2) + jry*(o2 + dot(front))^2)/2
               - 9.81*(mr*z + mb*(z + cp*b3) + mf*(z + pz) + mh*(z + pz + kz)),
    constraints(
        rear_x: vx + ry*cz - rz*cy = 0,
        rear_y: vy - rx*cz = 0,
        rear_z: vz + rx*cy = 0,
        front_x: qx + fy*gz - fz*gy = 0,
        front_y: qy + fz*gx - fx*gz = 0,
        front_z: qz + fx*gy - fy*gx = 0,
    ),
    // The wind pushes at my.
    force = torque*ddelta + wind*(-sin(psi)*dx + cos(psi)*dy + b1*(dpsi + sp*dtheta) - cp*b3*dphi),
    methods(Dla2 + derivatives),
)]
pub(crate) struct Bicycle {
    /// Radius and mass of the wheels, and their moments of inertia.
    pub(crate) r: f64,
    pub(crate) mr: f64,
    pub(crate) mf: f64,
    pub(crate) jr: f64,
    pub(crate) jry: f64,
    /// From wheel to wheel.
    pub(crate) l1: f64,
    pub(crate) l3: f64,
    /// The rear frame: mass, centre of mass and moments of inertia.
    pub(crate) mb: f64,
    pub(crate) c1: f64,
    pub(crate) c3: f64,
    pub(crate) jb1: f64,
    pub(crate) jb2: f64,
    pub(crate) jb3: f64,
    /// The front frame: mass, centre of mass from the centre of the wheel, and moments of inertia.
    pub(crate) mh: f64,
    pub(crate) d1: f64,
    pub(crate) d3: f64,
    pub(crate) jh1: f64,
    pub(crate) jh2: f64,
    pub(crate) jh3: f64,
    /// Force of the wind.
    pub(crate) wind: f64,
}

/// The angle θ with which both wheels are on the ground.
const TILT: f64 = -0.31;

/// In kg, m and s, with the force of the wind in N.
pub(crate) fn bicycle(wind: f64) -> Bicycle {
    let wheels = Bicycle { r: 0.3, mr: 2.0, mf: 3.0, jr: 0.06, jry: 0.12, ..Bicycle::default() };
    let rear = Bicycle { mb: 85.0, c1: 0.5, c3: 0.5, jb1: 9.2, jb2: 11.0, jb3: 2.8, ..wheels };
    let front = Bicycle { mh: 4.0, d1: -0.05, d3: 0.4, jh1: 0.06, jh2: 0.06, jh3: 0.01, ..rear };
    Bicycle { l1: 1.0, l3: TILT.tan(), wind, ..front }
}

/// Straight on along the x-axis with this speed.
pub(crate) fn riding(bicycle: &Discrete<Bicycle, Dla2>, speed: f64) -> Result<ReducedOf<Bicycle>, PlanError> {
    let turn = speed / 0.3;
    bicycle.state(
        0,
        [0.0, 0.0, 0.3, 0.0, 0.0, TILT, 0.0, 0.0, 0.0],
        [speed, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, turn, turn],
    )
}
