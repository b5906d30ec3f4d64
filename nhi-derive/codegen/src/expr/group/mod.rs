//! Lie groups that a configuration space can have as a factor, as far as derivation needs them.
//!
//! Velocities are left-trivialised: ξ = g⁻¹ dg/dt in coordinates of a basis ê_j of the Lie algebra.
//! The group's maps (τ, its tangents, Ad) are the runtime's; here is what L and the one-forms are
//! differentiated with.

mod cost;
mod map;
mod product;
mod se2;
mod se3;
mod so3;

pub use cost::Inside;
pub use map::{Entry, Map};
pub use product::{Block, Product};

use crate::expr::linear::Matrix;
use crate::expr::{Expr, Pool};
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// One Lie group.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Name in a declaration.
    pub name: &'static str,
    /// Name in papers and in reference data, as of the runtime's type.
    pub notation: &'static str,
    /// Type of the runtime.
    pub runtime: &'static str,
    /// How it is declared, for the help of errors.
    pub usage: &'static str,
    /// The parts of a pose that have names, in order.
    pub pose: &'static [Part],
    /// Dimension n_g of the group.
    pub dimension: usize,
    /// How many of the velocities are angular; they come first.
    pub rotations: usize,
    /// The infinitesimal motions of a pose: (g ê_j)_e, entries × n_g.
    pub anchor: fn(&mut Pool, &[Expr]) -> Matrix,
    /// The matrix of ad_ξ, n_g × n_g.
    pub ad: fn(&mut Pool, &[Expr]) -> Matrix,
}

/// A named part of a pose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// A number `x`.
    Number,
    /// A vector `p[i]` of three entries.
    Vector,
    /// A 3 × 3 matrix `R[i][j]`, stored by rows.
    Matrix,
}

impl Part {
    /// The lengths of its indices.
    pub fn lengths(self) -> &'static [usize] {
        match self {
            Part::Number => &[],
            Part::Vector => &[3],
            Part::Matrix => &[3, 3],
        }
    }

    /// Number of entries.
    pub fn entries(self) -> usize {
        self.lengths().iter().product()
    }

    /// The names of its entries.
    pub fn names(self, name: &str) -> Vec<String> {
        match self {
            Part::Number => vec![name.to_owned()],
            Part::Vector => (0..3).map(|i| format!("{name}[{i}]")).collect(),
            Part::Matrix => (0..9).map(|k| format!("{name}[{}][{}]", k / 3, k % 3)).collect(),
        }
    }

    /// The entries of the identity.
    pub fn identity(self) -> Vec<f64> {
        let is_diagonal = |k: usize| self == Part::Matrix && k.is_multiple_of(4);
        (0..self.entries()).map(|k| if is_diagonal(k) { 1.0 } else { 0.0 }).collect()
    }

    /// The entries in terms of independent symbols: an identity holds on the
    /// group if it holds in these. A matrix is I + 2(â + â²)/(1 + a·a), Cayley's map.
    pub fn free(self, pool: &mut Pool, entries: &[Expr]) -> Vec<Expr> {
        if self != Part::Matrix {
            return entries.to_vec();
        }
        let a = [0; 3].map(|_| pool.fresh_symbol("a"));
        let squares = a.map(|x| pool.powi(x, 2));
        let one = pool.one();
        let norm = pool.sum(&[one, squares[0], squares[1], squares[2]]);
        let two = pool.int(2);
        let factor = pool.div(two, norm);
        let hat = hat(pool, &a);
        let mut result = Vec::with_capacity(9);
        for i in 0..3 {
            for j in 0..3 {
                let mut terms = vec![hat[i][j]];
                for (k, row) in hat.iter().enumerate() {
                    terms.push(pool.mul(hat[i][k], row[j]));
                }
                let sum = pool.sum(&terms);
                let entry = pool.mul(factor, sum);
                result.push(if i == j { pool.add(one, entry) } else { entry });
            }
        }
        result
    }
}

/// All groups.
pub const GROUPS: &[Group] = &[se2::SE2, so3::SO3, se3::SE3];

impl Group {
    /// The group of that name.
    pub fn named(name: &str) -> Option<&'static Group> {
        GROUPS.iter().find(|g| g.name == name)
    }

    /// The group of that name in reference data.
    pub fn denoted(notation: &str) -> Option<&'static Group> {
        GROUPS.iter().find(|g| g.notation == notation)
    }

    /// Number of entries of a pose.
    pub fn pose_len(&self) -> usize {
        self.pose.iter().map(|p| p.entries()).sum()
    }
}

impl PartialEq for Group {
    fn eq(&self, other: &Group) -> bool {
        self.name == other.name
    }
}

impl Eq for Group {}

impl PartialOrd for Group {
    fn partial_cmp(&self, other: &Group) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Group {
    fn cmp(&self, other: &Group) -> Ordering {
        self.name.cmp(other.name)
    }
}

impl Hash for Group {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

/// The matrix x̂ of x × · for three entries.
fn hat(pool: &mut Pool, x: &[Expr]) -> Matrix {
    let o = pool.zero();
    let minus = [pool.neg(x[0]), pool.neg(x[1]), pool.neg(x[2])];
    vec![vec![o, minus[2], x[1]], vec![x[2], o, minus[0]], vec![minus[1], x[0], o]]
}
