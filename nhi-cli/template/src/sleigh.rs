//! The declared system. `nhi run` reads this file, too.

use nhi_runtime::prelude::*;

/// Planar rigid body on a skate blade, mounted a distance `a` behind its centre of mass (x, y).
#[derive(Nonholonomic, Clone, Debug)]
#[expect(non_snake_case, reason = "J is a moment of inertia")]
#[nonholonomic(
    coordinates(theta, x, y),
    lagrangian = J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
    constraints(blade: a*dtheta + sin(theta)*dx - cos(theta)*dy = 0),
)]
pub struct Sleigh {
    /// Moment of inertia about the centre of mass.
    pub J: f64,
    /// Mass.
    pub m: f64,
    /// Distance of the blade.
    pub a: f64,
}
