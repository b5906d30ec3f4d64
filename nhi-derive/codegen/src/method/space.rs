//! A configuration space as a list of blocks.
//!
//! Every structure-preserving method needs the same of a configuration space: how a velocity moves
//! a configuration, and the trivialised tangents that carry a momentum to the two ends of a step.
//! On a vector block these are q + hu and the identity. A Lie-group block, g τ(hξ) with dτ⁻¹ and
//! its left-trivialised counterpart, is another variant of [`Block`] and changes nothing else.

use super::builder::Builder;
use crate::expr::Expr;
use std::ops::Range;

/// One factor of the configuration space.
enum Block {
    /// Coordinates of a vector space, by index.
    Vector(Range<usize>),
}

/// An end of a step.
#[derive(Clone, Copy)]
pub(super) enum End {
    /// Where the step begins.
    First,
    /// Where it ends.
    Last,
}

/// The configuration space of a system.
pub(super) struct Space {
    blocks: Vec<Block>,
}

impl Space {
    pub(super) fn of(b: &Builder<'_>) -> Space {
        Space { blocks: vec![Block::Vector(0..b.x.n())] }
    }

    /// The configuration reached from `q` with velocity `w` after time `step`.
    pub(super) fn advance(&self, b: &mut Builder<'_>, q: &[Expr], step: Expr, w: &[Expr]) -> Vec<Expr> {
        let mut out = Vec::with_capacity(q.len());
        for block in &self.blocks {
            match block {
                Block::Vector(i) => out.extend(b.axpy(&q[i.clone()], step, &w[i.clone()])),
            }
        }
        out
    }

    /// ∂ℓ/∂w of a step as a covector at one of its ends: (B⁻)ᵀν or (B⁺)ᵀν.
    pub(super) fn momentum_at(&self, end: End, nu: &[Expr]) -> Vec<Expr> {
        let mut out = Vec::with_capacity(nu.len());
        for block in &self.blocks {
            match (block, end) {
                (Block::Vector(i), End::First | End::Last) => out.extend_from_slice(&nu[i.clone()]),
            }
        }
        out
    }
}
