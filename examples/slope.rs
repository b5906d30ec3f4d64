use nhi_runtime::prelude::*;

/// A wheel that rolls up a slope, with a moment that resists the rolling.
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(x, phi),
    lagrangian = m/2*dot(x)^2 + I/2*dot(phi)^2 - m*g*sin(alpha)*x,
    constraints(roll: dx - r*dphi = 0),
    force = -moment*sign(dot(phi))*dphi,
    methods(Dla1Adjoint),
)]
pub struct Slope {
    pub m: f64,
    pub I: f64,
    pub g: f64,
    pub alpha: f64,
    pub r: f64,
    pub moment: f64,
}
