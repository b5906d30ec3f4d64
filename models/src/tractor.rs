//! Tractor with a trailer that is hitched behind the axle. Its free motions contract to a motion on a circle.

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// Tractor with its axle at (x, y), and its trailer, with headings `th`.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, th[2]),
    let(
        // Axle of the trailer
        x1 = x - c*cos(th[0]) - l*cos(th[1]),
        y1 = y - c*sin(th[0]) - l*sin(th[1]),
    ),
    lagrangian = m0/2*(dot(x)^2 + dot(y)^2) + m1/2*(dot(x1)^2 + dot(y1)^2) + j0/2*dot(th[0])^2 + j1/2*dot(th[1])^2,
    constraints(
        tractor: sin(th[0])*dx - cos(th[0])*dy = 0,
        trailer: sin(th[1])*d(x1) - cos(th[1])*d(y1) = 0,
    ),
    bodies(tractor: pose(x, y, th[0]), trailer: pose(x1, y1, th[1])),
    methods(
        Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rattle,
        RattleRestarted, GniMidpoint, GniEulerA, GniEulerB, Rk2Midpoint, Rk2Heun, Rk4
    ),
)]
pub struct Tractor {
    /// Mass of the tractor.
    pub m0: f64,
    /// Mass of the trailer.
    pub m1: f64,
    /// Moment of inertia of the tractor about its axle.
    pub j0: f64,
    /// Moment of inertia of the trailer about its axle.
    pub j1: f64,
    /// Distance of the hitch behind the axle of the tractor.
    pub c: f64,
    /// Distance of the axle of the trailer behind the hitch.
    pub l: f64,
}

simulated!(Tractor);

/// Row of the model table.
pub const MODEL: Row<Tractor> = Row {
    name: "tractor",
    on_group: false,
    build: |p| Tractor { m0: p[0], m1: p[1], j0: p[2], j1: p[3], c: p[4], l: p[5] },
    solution: None,
};
