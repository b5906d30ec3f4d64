//! The maps of a Lie group with a retraction τ that steps are made of, as functions whose values the
//! runtime computes and whose derivatives are known.
//!
//! ```text
//! Moved      g, σ ↦ g τ(σ)                     ∂/∂σ = (g τ(σ)) ê_j (dτᴸ_σ)_j
//! Start      σ, ν ↦ (dτ⁻¹_σ)* ν                ∂/∂σ = K(σ, ν),   ∂/∂ν = (dτ⁻¹_σ)*,   ∂²/∂σ² = ∂K/∂σ
//! End        σ, ν ↦ ((dτᴸ_σ)⁻¹)* ν                ∂/∂σ = −K(−σ, ν),   ∂/∂ν = (dτ⁻¹_{−σ})*
//! Displaced  g, σ ↦ g exp(σ)
//! Rate       σ, ξ ↦ (dexpᴸ_σ)⁻¹ ξ              dσ/dt where d/dt (g exp σ) = g exp(σ) ξ̂
//! ```
//!
//! σ = hξ is the motion of a step and ν a covector of its mid-point; `Start` and `End` carry it to the
//! two nodes. (Kobilarov, Martín de Diego and Ferraro, *Simulating Nonholonomic Dynamics*.)

use super::Group;
use crate::expr::{Expr, Pool, linear};

/// A map.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Map {
    /// g τ(σ), from the entries of g and σ to the entries of a pose.
    Moved,
    /// (dτ⁻¹_σ)* ν.
    Start,
    /// ((dτᴸ_σ)⁻¹)* ν.
    End,
    /// g exp(σ), from the entries of g and σ to the entries of a pose.
    Displaced,
    /// (dexpᴸ_σ)⁻¹ ξ.
    Rate,
    /// dτᴸ_σ, by rows.
    TangentLeft,
    /// dτ⁻¹_σ, by rows.
    InverseTangent,
    /// K(σ, ν) = ∂/∂σ (dτ⁻¹_σ)* ν, by rows.
    StartTangent,
    /// ∂K/∂σ, the derivatives of each entry of K(σ, ν) one after the other.
    StartCurvature,
}

impl Map {
    /// Name of the runtime's function, and in dumps and operation counts.
    pub fn name(self) -> &'static str {
        match self {
            Map::Moved => "moved",
            Map::Start => "dtau_inv_star",
            Map::End => "dtau_left_inv_star",
            Map::Displaced => "displaced",
            Map::Rate => "dexp_left_inv",
            Map::TangentLeft => "dtau_left",
            Map::InverseTangent => "dtau_inv",
            Map::StartTangent => "k",
            Map::StartCurvature => "k_tangent",
        }
    }

    /// Whether it depends on the retraction that a step is used with.
    pub fn is_of_retraction(self) -> bool {
        !matches!(self, Map::Rate | Map::Displaced)
    }

    /// Lengths of its arguments.
    pub fn arguments(self, group: &Group) -> Vec<usize> {
        let (p, n) = (group.pose_len(), group.dimension);
        match self {
            Map::Moved | Map::Displaced => vec![p, n],
            Map::TangentLeft | Map::InverseTangent => vec![n],
            Map::Start | Map::End | Map::Rate | Map::StartTangent | Map::StartCurvature => vec![n, n],
        }
    }

    /// How many numbers it gives.
    pub fn results(self, group: &Group) -> usize {
        let (p, n) = (group.pose_len(), group.dimension);
        match self {
            Map::Moved | Map::Displaced => p,
            Map::Start | Map::End | Map::Rate => n,
            Map::TangentLeft | Map::InverseTangent | Map::StartTangent => n * n,
            Map::StartCurvature => n * n * n,
        }
    }

    /// All numbers that it gives for `arguments`, one after the other.
    pub fn apply(self, pool: &mut Pool, group: &'static Group, arguments: &[&[Expr]]) -> Vec<Expr> {
        // These are linear in ν or ξ.
        let vanishes = match (self, arguments) {
            (Map::Start | Map::End | Map::Rate | Map::StartTangent | Map::StartCurvature, [_, along]) => {
                along.iter().all(|&e| pool.is_zero(e))
            }
            _ => false,
        };
        let arguments = arguments.concat();
        let number = |index| match vanishes || self.is_zero(group, index) {
            true => pool.zero(),
            false => pool.map(Entry { map: self, group, index }, &arguments),
        };
        (0..self.results(group)).map(number).collect()
    }

    /// Whether that number is zero with every retraction: translations do not turn, so that the rotation of τ(σ)
    /// does not depend on the translation in σ, and the position depends on it linearly.
    fn is_zero(self, group: &Group, index: usize) -> bool {
        let is_translation = |i: usize| i >= group.rotations;
        let (row, column) = (index / group.dimension, index % group.dimension);
        match self {
            Map::TangentLeft | Map::InverseTangent => !is_translation(row) && is_translation(column),
            Map::StartTangent => is_translation(row) && is_translation(column),
            Map::StartCurvature => {
                let [a, b] = [row / group.dimension, row % group.dimension];
                [a, b, column].into_iter().filter(|&i| is_translation(i)).count() > 1
            }
            Map::Moved | Map::Start | Map::End | Map::Displaced | Map::Rate => false,
        }
    }
}

/// One number of what a map gives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Entry {
    /// The map.
    pub map: Map,
    /// The group.
    pub group: &'static Group,
    /// Which of its numbers.
    pub index: usize,
}

impl Entry {
    /// Its derivative along the `i`-th argument.
    ///
    /// Steps are solved for the motion σ alone: there are no derivatives of `Moved` along the pose it
    /// starts from, nor of the maps that stand outside of equations.
    pub(crate) fn derivative(self, pool: &mut Pool, arguments: &[Expr], i: usize) -> Expr {
        let n = self.group.dimension;
        match self.map {
            Map::Moved => {
                let (g, sigma) = arguments.split_at(self.group.pose_len());
                let Some(column) = i.checked_sub(g.len()) else { return pool.undefined() };
                let moved = Map::Moved.apply(pool, self.group, &[g, sigma]);
                let anchor = (self.group.anchor)(pool, &moved);
                let tangent = Map::TangentLeft.apply(pool, self.group, &[sigma]);
                let column: Vec<Expr> = (0..n).map(|j| tangent[j * n + column]).collect();
                linear::dot(pool, &anchor[self.index], &column)
            }
            Map::Start => {
                let (sigma, nu) = arguments.split_at(n);
                match i.checked_sub(n) {
                    None => Map::StartTangent.apply(pool, self.group, &[sigma, nu])[self.index * n + i],
                    Some(row) => Map::InverseTangent.apply(pool, self.group, &[sigma])[row * n + self.index],
                }
            }
            // (dτᴸ_σ)⁻¹ = dτ⁻¹_{−σ}, since τ(−σ) = τ(σ)⁻¹.
            Map::End => {
                let (sigma, nu) = arguments.split_at(n);
                let minus: Vec<Expr> = sigma.iter().map(|&s| pool.neg(s)).collect();
                match i.checked_sub(n) {
                    None => {
                        let by_minus =
                            Map::StartTangent.apply(pool, self.group, &[&minus, nu])[self.index * n + i];
                        pool.neg(by_minus)
                    }
                    Some(row) => Map::InverseTangent.apply(pool, self.group, &[&minus])[row * n + self.index],
                }
            }
            Map::StartTangent => {
                let (sigma, nu) = arguments.split_at(n);
                match i.checked_sub(n) {
                    None => Map::StartCurvature.apply(pool, self.group, &[sigma, nu])[self.index * n + i],
                    // K is linear in ν.
                    Some(j) => {
                        let unit: Vec<Expr> = (0..n).map(|k| pool.int(i64::from(k == j))).collect();
                        Map::StartTangent.apply(pool, self.group, &[sigma, &unit])[self.index]
                    }
                }
            }
            // dτ⁻¹_σ from its transpose, row by row.
            Map::InverseTangent => {
                let (row, column) = (self.index / n, self.index % n);
                let unit: Vec<Expr> = (0..n).map(|k| pool.int(i64::from(k == row))).collect();
                Map::StartTangent.apply(pool, self.group, &[arguments, &unit])[column * n + i]
            }
            Map::Displaced | Map::Rate | Map::TangentLeft | Map::StartCurvature => pool.undefined(),
        }
    }
}
