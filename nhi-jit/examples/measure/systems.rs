//! Systems that are measured: compiled by rustc as code, and by Cranelift from this text.

use nhi_runtime::prelude::*;

/// W1: the contact oscillator.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - (x^2 + y^2 + z^2)/2,
    constraints(dx + y*dz = 0),
    methods(Dla2, Rattle, Rk4),
)]
pub(crate) struct ContactOscillator;

/// W2: seven coupled oscillators.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y[3], z[3]),
    lagrangian = (dot(x)^2 + sum(i in 0..3, dot(y[i])^2 + dot(z[i])^2))/2
               - (x^2 + sum(i in 0..3, y[i]^2 + z[i]^2 + y[i]^2*z[i]^2) + z[0]^2*z[1]^2)/2,
    constraints(dx + sum(i in 0..3, y[i]*dz[i]) = 0),
    methods(Dla2, Rattle, Rk4),
)]
pub(crate) struct ChaoticR7;

/// W3: the sleigh in the coordinates of its centre of mass.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(theta, x, y),
    lagrangian = inertia/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
    constraints(a*dtheta + sin(theta)*dx - cos(theta)*dy = 0),
    methods(Dla2, Rattle, Rk4),
)]
pub(crate) struct Sleigh {
    pub(crate) m: f64,
    pub(crate) inertia: f64,
    pub(crate) a: f64,
}

/// W4: the snakeboard with torques.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(psi, phi, theta, x, y),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + m*l^2/2*dot(theta)^2
               + rotor*dot(psi)*(dot(psi)/2 + dot(theta)) + wheels*dot(phi)^2,
    constraints(
        back: -sin(theta + phi)*dx + cos(theta + phi)*dy - l*cos(phi)*dtheta = 0,
        front: -sin(theta - phi)*dx + cos(theta - phi)*dy + l*cos(phi)*dtheta = 0,
    ),
    force = apsi*cos(20*pi*t)*dpsi + aphi*sin(2*pi*t)*dphi,
    methods(Dla2, Rattle, Rk4),
)]
pub(crate) struct Snakeboard {
    pub(crate) m: f64,
    pub(crate) l: f64,
    pub(crate) rotor: f64,
    pub(crate) wheels: f64,
    pub(crate) apsi: f64,
    pub(crate) aphi: f64,
}

/// The sleigh on SE(2).
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    group = SE2(theta, x, y; omega, v, v_perp),
    lagrangian = inertia/2*omega^2 + m/2*(v^2 + v_perp^2),
    constraints(a*omega - v_perp = 0),
    methods(Rdp, Rattle),
)]
pub(crate) struct SleighOnSe2 {
    pub(crate) m: f64,
    pub(crate) inertia: f64,
    pub(crate) a: f64,
}

/// Suslov's problem on SO(3).
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    group = SO3(R; w1, w2, w3),
    lagrangian = (i11*w1^2 + i22*w2^2 + i33*w3^2)/2 + (i13*w1 + i23*w2)*w3,
    constraints(w3 = 0),
    methods(Rdp, Rattle),
)]
pub(crate) struct Suslov {
    pub(crate) i11: f64,
    pub(crate) i22: f64,
    pub(crate) i33: f64,
    pub(crate) i13: f64,
    pub(crate) i23: f64,
}

/// A ball that rolls on a turntable, on R² × SO(3).
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y),
    group = SO3(R; w1, w2, w3),
    let(
        along_x = R[0][0]*w1 + R[0][1]*w2 + R[0][2]*w3,
        along_y = R[1][0]*w1 + R[1][1]*w2 + R[1][2]*w3,
    ),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + (i1*w1^2 + i2*w2^2 + i3*w3^2)/2,
    constraints(
        dot(x) - r*along_y + table*y = 0,
        dot(y) + r*along_x - table*x = 0,
    ),
    methods(Rdp, Rattle),
)]
pub(crate) struct Ball {
    pub(crate) m: f64,
    pub(crate) i1: f64,
    pub(crate) i2: f64,
    pub(crate) i3: f64,
    pub(crate) r: f64,
    pub(crate) table: f64,
}

/// A bicycle in nine coordinates: the centre (x, y, z) of the rear wheel, yaw ψ, roll φ and pitch θ of the rear frame,
/// whose third axis is that of the steering, the steering angle δ, and the angles of the two wheels. Both wheels roll
/// without slip and stay on the ground: six one-forms. All vectors are in axes that turn with the yaw.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z, psi, phi, theta, delta, rear, front),
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
    methods(Dla2),
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
}
