use nhi_runtime::prelude::*;

/// A ball that rolls on a plate, which rocks about the y axis; s and y are the coordinates of the point of contact on the plate.
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(s, y),
    group = SO3(R; w1, w2, w3),
    let(
        angle = tilt*sin(f*t),
        rate = tilt*f*cos(f*t),
        spin = R*[w1, w2, w3],
    ),
    lagrangian = m/2*((dot(s) + r*rate)^2 + dot(y)^2 + (rate*s)^2) + m*r^2/5*(w1^2 + w2^2 + w3^2)
        - m*g*(r*cos(angle) - s*sin(angle)),
    constraints(
        along: ds + r*rate*dt - r*spin[1]*dt = 0,
        across: dy + r*(cos(angle)*spin[0] - sin(angle)*spin[2])*dt = 0,
    ),
    bodies(ball: ball(s*cos(angle) + r*sin(angle), y, r*cos(angle) - s*sin(angle))),
)]
pub struct Plate {
    pub m: f64,
    pub r: f64,
    pub g: f64,
    pub tilt: f64,
    pub f: f64,
}
