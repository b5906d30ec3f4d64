use nhi_runtime::prelude::*;

/// A tippe top that slides on a table, with friction in proportion to its load and its sliding velocity. The centre of mass is at
/// (x, y, z), the distance a below the centre of the sphere.
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, y, z),
    group = SO3(R; w1, w2, w3),
    let(
        c = [a*R[0][2], a*R[1][2], a*R[2][2] - r],
        turn = cross(R*[w1, w2, w3], c),
        ux = dot(x) + turn[0],
        uy = dot(y) + turn[1],
        up = R[2][2],
    ),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) + I1/2*(w1^2 + w2^2) + I3/2*w3^2 - m*g*z,
    constraints(normal: dz + turn[2]*dt = 0),
    force = -mu*lambda(normal)*(ux*(dx + turn[0]*dt) + uy*(dy + turn[1]*dt)),
)]
pub struct TippeTop {
    pub m: f64,
    pub r: f64,
    pub a: f64,
    pub I1: f64,
    pub I3: f64,
    pub g: f64,
    pub mu: f64,
}
