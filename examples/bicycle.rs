use nhi_runtime::prelude::*;

/// A bicycle as a mass on a frame that rolls over two points of contact (Getz and Marsden, *Control for an autonomous bicycle*,
/// 1995): rear wheel at (x, y), yaw ψ, roll φ and steering δ. The mass is `c` before the rear axle and `p` above the ground.
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y, psi, phi, delta),
    let(
        // Velocity of the mass.
        vx = dot(x) - c*sin(psi)*dot(psi) + p*(cos(phi)*sin(psi)*dot(phi) + sin(phi)*cos(psi)*dot(psi)),
        vy = dot(y) + c*cos(psi)*dot(psi) - p*(cos(phi)*cos(psi)*dot(phi) - sin(phi)*sin(psi)*dot(psi)),
        vz = -p*sin(phi)*dot(phi),
        // Point of contact of the front wheel.
        x1 = x + b*cos(psi),
        y1 = y + b*sin(psi),
    ),
    lagrangian = m/2*(vx^2 + vy^2 + vz^2) + j/2*dot(delta)^2 - 9.81*m*p*cos(phi),
    constraints(
        rear: sin(psi)*dx - cos(psi)*dy = 0,
        front: b*cos(delta)*dpsi - sin(delta)*(cos(psi)*dx + sin(psi)*dy) = 0,
    ),
    // The rider steers to the side to which the bicycle falls.
    force = -(steer*phi + roll*dot(phi) + hold*delta + drag*dot(delta))*ddelta,
    bodies(rear: pose(x, y, psi), front: pose(x1, y1, psi + delta)),
)]
pub struct Bicycle {
    pub m: f64,
    pub j: f64,
    pub b: f64,
    pub c: f64,
    pub p: f64,
    pub steer: f64,
    pub roll: f64,
    pub hold: f64,
    pub drag: f64,
}
