//! The plane's rigid motions, (θ, x, y) with body velocities (ω, v, v⊥).

use super::{Group, Part};
use crate::expr::linear::Matrix;
use crate::expr::{Expr, Function, Pool};

pub(super) const SE2: Group = Group {
    name: "SE2",
    notation: "SE(2)",
    runtime: "SE2",
    usage: "SE2(theta, x, y; omega, v, w)",
    pose: &[Part::Number, Part::Number, Part::Number],
    dimension: 3,
    rotations: 1,
    anchor,
    ad,
};

/// dθ = ω, (dx, dy) = R(θ)(v, v⊥).
fn anchor(pool: &mut Pool, pose: &[Expr]) -> Matrix {
    let (o, one) = (pool.zero(), pool.one());
    let (s, c) = (pool.call(Function::Sin, pose[0]), pool.call(Function::Cos, pose[0]));
    let minus_s = pool.neg(s);
    vec![vec![one, o, o], vec![o, c, minus_s], vec![o, s, c]]
}

/// [ξ, η] = (0, ξ₃η₁ − ξ₁η₃, ξ₁η₂ − ξ₂η₁).
fn ad(pool: &mut Pool, xi: &[Expr]) -> Matrix {
    let o = pool.zero();
    let (minus_omega, minus_v) = (pool.neg(xi[0]), pool.neg(xi[1]));
    vec![vec![o, o, o], vec![xi[2], o, minus_omega], vec![minus_v, xi[0], o]]
}
