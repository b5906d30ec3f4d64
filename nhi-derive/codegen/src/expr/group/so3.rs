//! Rotations of space: columns of R are the body axes in space, ω is in the body.

use super::{Group, Part, hat};
use crate::expr::linear::Matrix;
use crate::expr::{Expr, Pool};

pub(super) const SO3: Group = Group {
    name: "SO3",
    notation: "SO(3)",
    runtime: "SO3",
    usage: "SO3(R; w1, w2, w3)",
    pose: &[Part::Matrix],
    dimension: 3,
    rotations: 3,
    anchor,
    ad: hat,
};

/// dR = R ω̂: the columns of the axes e_j turn as R(e_j × e_c).
pub(super) fn anchor(pool: &mut Pool, pose: &[Expr]) -> Matrix {
    let o = pool.zero();
    let mut rows = Vec::with_capacity(9);
    for row in pose[..9].chunks(3) {
        let minus = [pool.neg(row[0]), pool.neg(row[1]), pool.neg(row[2])];
        rows.push(vec![o, minus[2], row[1]]);
        rows.push(vec![row[2], o, minus[0]]);
        rows.push(vec![minus[1], row[0], o]);
    }
    rows
}
