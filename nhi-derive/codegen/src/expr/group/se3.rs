//! Rigid motions of space: (R, p) with body velocities (ω, v), dR = R ω̂ and dp = R v.

use super::{Group, Part, hat, so3};
use crate::expr::linear::Matrix;
use crate::expr::{Expr, Pool};

pub(super) const SE3: Group = Group {
    name: "SE3",
    notation: "SE(3)",
    runtime: "SE3",
    usage: "SE3(R, p; w1, w2, w3, v1, v2, v3)",
    pose: &[Part::Matrix, Part::Vector],
    dimension: 6,
    rotations: 3,
    anchor,
    ad,
};

fn anchor(pool: &mut Pool, pose: &[Expr]) -> Matrix {
    let o = pool.zero();
    let mut rows = so3::anchor(pool, pose);
    for row in &mut rows {
        row.extend([o; 3]);
    }
    for r in pose[..9].chunks(3) {
        rows.push([[o; 3].as_slice(), r].concat());
    }
    rows
}

/// ad_(ω, v) = (ω̂ 0; v̂ ω̂).
fn ad(pool: &mut Pool, xi: &[Expr]) -> Matrix {
    let o = pool.zero();
    let (omega, v) = (hat(pool, &xi[..3]), hat(pool, &xi[3..]));
    let upper = omega.iter().map(|row| [row.as_slice(), &[o; 3]].concat());
    let lower = v.iter().zip(&omega).map(|(v, omega)| [v.as_slice(), omega].concat());
    upper.chain(lower).collect()
}
