//! Balls that roll on a plane or a turntable: Chaplygin's sphere, whose centre of mass is at its
//! centre, and his top, where it is not.

use crate::{Row, simulated};
use nhi_runtime::prelude::*;

/// Ball with its centre above (x, y), the centre of mass at (c1, c2, c3) in the body, on a table that
/// turns with angular velocity `Om`. No slip for the angular velocity R ω in space.
#[derive(Nonholonomic, Clone, Debug)]
#[expect(non_snake_case, reason = "I1, I2, I3 are moments of inertia, Om is an angular velocity")]
#[nonholonomic(
    coordinates(x, y),
    group = SO3(R; w1, w2, w3),
    let(
        // Angular velocity in space.
        along_x = R[0][0]*w1 + R[0][1]*w2 + R[0][2]*w3,
        along_y = R[1][0]*w1 + R[1][1]*w2 + R[1][2]*w3,
        // Velocity of the centre of mass against the centre, in the body.
        u1 = w2*c3 - w3*c2,
        u2 = w3*c1 - w1*c3,
        u3 = w1*c2 - w2*c1,
        height = R[2][0]*c1 + R[2][1]*c2 + R[2][2]*c3,
    ),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2 + u1^2 + u2^2 + u3^2)
               + m*dot(x)*(R[0][0]*u1 + R[0][1]*u2 + R[0][2]*u3)
               + m*dot(y)*(R[1][0]*u1 + R[1][1]*u2 + R[1][2]*u3)
               + (I1*w1^2 + I2*w2^2 + I3*w3^2)/2 - m*gr*height,
    constraints(
        rolling_x: dot(x) - r*along_y + Om*y = 0,
        rolling_y: dot(y) + r*along_x - Om*x = 0,
    ),
    // A frame that turns with R has formulas of 10,000 statements.
    methods(Rdp, RdpLeft, RdpRight, Rattle, RattleRestarted, GniEulerA, GniEulerB, Rkmk2, Rkmk4),
)]
pub struct ChaplyginBall {
    /// Mass.
    pub m: f64,
    /// First principal moment of inertia about the centre of mass.
    pub I1: f64,
    /// Second principal moment of inertia about the centre of mass.
    pub I2: f64,
    /// Third principal moment of inertia about the centre of mass.
    pub I3: f64,
    /// Radius.
    pub r: f64,
    /// Angular velocity of the table.
    pub Om: f64,
    /// Centre of mass along the first axis of the body.
    pub c1: f64,
    /// Centre of mass along the second axis of the body.
    pub c2: f64,
    /// Centre of mass along the third axis of the body.
    pub c3: f64,
    /// Acceleration of gravity.
    pub gr: f64,
}

simulated!(ChaplyginBall, on a group);

/// Row of the model table: Chaplygin's sphere on a table at rest.
pub const MODEL: Row<ChaplyginBall> = Row {
    name: "chaplygin_ball",
    on_group: true,
    build: |p| ChaplyginBall {
        m: p[0],
        I1: p[1],
        I2: p[2],
        I3: p[3],
        r: p[4],
        Om: p[5],
        c1: p[6],
        c2: p[7],
        c3: p[8],
        gr: p[9],
    },
    solution: None,
};

/// Row of the model table: Chaplygin's top.
pub const TOP: Row<ChaplyginBall> = Row { name: "chaplygin_top", ..MODEL };
