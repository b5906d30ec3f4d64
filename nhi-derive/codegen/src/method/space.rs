//! A configuration space as a list of blocks.
//!
//! Every structure-preserving method needs the same of a configuration space: how a velocity moves
//! a configuration, and the trivialised tangents that carry a momentum to the two ends of a step.
//!
//! | block | moved | at the first end | at the last end |
//! |---|---|---|---|
//! | vector | q + hu | ν | ν |
//! | group | g τ(hξ) | (dτ⁻¹_{hξ})* ν | ((dτᴸ_{hξ})⁻¹)* ν |

use super::builder::Builder;
use crate::expr::Expr;
use crate::expr::group::{self, Map};
use std::ops::Range;

/// One factor of the configuration space.
enum Block {
    /// Coordinates of a vector space, by index.
    Vector(Range<usize>),
    /// A Lie group.
    Group(group::Block),
}

/// An end of a step.
#[derive(Clone, Copy)]
pub(super) enum End {
    /// The beginning of the step.
    First,
    /// The end of the step.
    Last,
}

/// The configuration space of a system.
pub(super) struct Space {
    blocks: Vec<Block>,
}

impl Space {
    pub(super) fn of(b: &Builder<'_>) -> Space {
        let groups = b.x.system.blocks().into_iter().map(Block::Group);
        Space { blocks: std::iter::once(Block::Vector(0..b.x.system.shape())).chain(groups).collect() }
    }

    /// Whether steps are affine maps of their velocities.
    pub(super) fn is_flat(&self) -> bool {
        self.blocks.iter().all(|block| matches!(block, Block::Vector(_)))
    }

    /// The configuration reached from `q` with velocity `w` after time `step`.
    pub(super) fn advance(&self, b: &mut Builder<'_>, q: &[Expr], step: Expr, w: &[Expr]) -> Vec<Expr> {
        let mut out = Vec::with_capacity(q.len());
        for block in &self.blocks {
            match block {
                Block::Vector(i) => out.extend(b.axpy(&q[i.clone()], step, &w[i.clone()])),
                Block::Group(group::Block { pose, .. }) if b.pool().is_zero(step) => {
                    out.extend_from_slice(&q[pose.clone()]);
                }
                Block::Group(group::Block { group, pose, velocity }) => {
                    let sigma = motion(b, step, &w[velocity.clone()]);
                    out.extend(Map::Moved.apply(b.pool(), group, &[&q[pose.clone()], &sigma]));
                }
            }
        }
        out
    }

    /// ∂ℓ/∂w of a step with velocity `w` as a covector at one of its ends: (B⁻)ᵀν or (B⁺)ᵀν.
    pub(super) fn momentum_at(&self, b: &mut Builder<'_>, end: End, w: &[Expr], nu: &[Expr]) -> Vec<Expr> {
        let mut out = Vec::with_capacity(nu.len());
        for block in &self.blocks {
            match block {
                Block::Vector(i) => out.extend_from_slice(&nu[i.clone()]),
                Block::Group(group::Block { group, velocity, .. }) => {
                    let h = b.h;
                    let sigma = motion(b, h, &w[velocity.clone()]);
                    let map = match end {
                        End::First => Map::Start,
                        End::Last => Map::End,
                    };
                    out.extend(map.apply(b.pool(), group, &[&sigma, &nu[velocity.clone()]]));
                }
            }
        }
        out
    }
}

/// σ = step ξ.
fn motion(b: &mut Builder<'_>, step: Expr, xi: &[Expr]) -> Vec<Expr> {
    xi.iter().map(|&x| b.mul(step, x)).collect()
}
