use nhi_runtime::prelude::*;

/// A flywheel on a motor, whose torque follows from a characteristic, with the voltage between a dead zone and saturation.
#[derive(Nonholonomic)]
#[nonholonomic(
    coordinates(phi),
    inputs(u),
    let(voltage = clamp(sign(u)*max(0, abs(u) - dead), -1, 1)),
    lagrangian = I/2*dot(phi)^2,
    constraints(),
    force = voltage*table(abs(dot(phi)), speed, torque)*dphi - c*dot(phi)*dphi,
)]
pub struct Motor {
    pub I: f64,
    pub dead: f64,
    pub c: f64,
    pub speed: [f64; 3],
    pub torque: [f64; 3],
}
