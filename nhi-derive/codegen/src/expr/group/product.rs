//! Products of Lie groups. Their maps are block diagonal, with one block for each factor.

use super::{Group, Part};
use crate::expr::linear::Matrix;
use crate::expr::{Expr, Pool};
use std::ops::Range;

/// The groups of a configuration space R^k × G₁ × G₂ × …, in order. Without a factor it is trivial.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Product(Vec<&'static Group>);

/// A factor with the places of its pose and of its velocity.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// The group.
    pub group: &'static Group,
    /// The entries of its pose.
    pub pose: Range<usize>,
    /// The entries of its velocity.
    pub velocity: Range<usize>,
}

impl Product {
    /// The product of groups.
    pub fn new(factors: Vec<&'static Group>) -> Product {
        Product(factors)
    }

    /// Whether it has no factor.
    pub fn is_trivial(&self) -> bool {
        self.0.is_empty()
    }

    /// The factors.
    pub fn factors(&self) -> &[&'static Group] {
        &self.0
    }

    /// The factor, if there is one alone.
    pub fn only(&self) -> Option<&'static Group> {
        match self.0[..] {
            [group] => Some(group),
            _ => None,
        }
    }

    /// Whether it has more than one factor.
    pub fn has_several(&self) -> bool {
        self.0.len() > 1
    }

    /// Number of entries of the poses.
    pub fn pose_len(&self) -> usize {
        self.0.iter().map(|group| group.pose_len()).sum()
    }

    /// Dimension of the product.
    pub fn dimension(&self) -> usize {
        self.0.iter().map(|group| group.dimension).sum()
    }

    /// The parts of the poses, in order.
    pub fn parts(&self) -> impl Iterator<Item = &'static Part> {
        self.0.iter().flat_map(|group| group.pose)
    }

    /// The name in texts, such as `SO3 × SE3`, unless it is trivial.
    pub fn name(&self) -> Option<String> {
        self.joined(|group| group.name, " × ")
    }

    /// The name in papers and in reference data, such as `SO(3)xSE(3)`, unless it is trivial.
    pub fn notation(&self) -> Option<String> {
        self.joined(|group| group.notation, "x")
    }

    fn joined(&self, name: impl Fn(&Group) -> &'static str, sign: &str) -> Option<String> {
        let names: Vec<&str> = self.0.iter().map(|group| name(group)).collect();
        (!names.is_empty()).then(|| names.join(sign))
    }

    /// The factors after `shape` coordinates.
    pub fn blocks(&self, shape: usize) -> Vec<Block> {
        let (mut pose, mut velocity) = (shape, shape);
        let block = |&group: &&'static Group| {
            let block = Block {
                group,
                pose: pose..pose + group.pose_len(),
                velocity: velocity..velocity + group.dimension,
            };
            (pose, velocity) = (block.pose.end, block.velocity.end);
            block
        };
        self.0.iter().map(block).collect()
    }

    /// The infinitesimal motions of the poses, entries × dimension.
    pub fn anchor(&self, pool: &mut Pool, pose: &[Expr]) -> Matrix {
        let zero = pool.zero();
        let mut rows = vec![vec![zero; self.dimension()]; self.pose_len()];
        for block in self.blocks(0) {
            let motion = (block.group.anchor)(pool, &pose[block.pose.clone()]);
            for (row, motion) in rows[block.pose].iter_mut().zip(motion) {
                row[block.velocity.clone()].copy_from_slice(&motion);
            }
        }
        rows
    }

    /// The matrix of ad_ξ.
    pub fn ad(&self, pool: &mut Pool, xi: &[Expr]) -> Matrix {
        let zero = pool.zero();
        let mut rows = vec![vec![zero; self.dimension()]; self.dimension()];
        for Block { group, velocity, .. } in self.blocks(0) {
            let ad = (group.ad)(pool, &xi[velocity.clone()]);
            for (row, ad) in rows[velocity.clone()].iter_mut().zip(ad) {
                row[velocity.clone()].copy_from_slice(&ad);
            }
        }
        rows
    }
}
