//! Linear equations whose solution by formulas may lose digits.

use super::{Expr, Node, Pool};
use std::ops::Range;

/// One number of the solution of M x = f + νᵀλ, μ x = r for x or λ, where ν is μ as a rule.
///
/// The arguments of its node are x, or λ, as formulas give it, pivots of M and C = μM⁻¹νᵀ that tell whether this is accurate, each with
/// its diagonal entry, M, μ, ν if that is another matrix, f and r. The value is that of the formula, and so are its derivatives; where a pivot is small, or M⁻¹ does
/// not exist, it is computed from the equations themselves (`emitted::saddle_point` of the runtime), which fails where the
/// constraints are dependent, or M is not positive definite on what they admit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Saddle {
    /// n, the length of x.
    pub velocities: usize,
    /// m, the length of λ.
    pub constraints: usize,
    /// Whether reactions act along other one-forms than those of the constraints: ν is not μ.
    pub is_separate: bool,
    /// How many pivots there are.
    pub pivots: usize,
    /// Whether it is a number of λ, not of x.
    pub is_multiplier: bool,
    /// Which one.
    pub index: usize,
}

impl Saddle {
    /// The places of its results in (x, λ).
    pub fn results(self) -> Range<usize> {
        let (n, m) = (self.velocities, self.constraints);
        if self.is_multiplier { n..n + m } else { 0..n }
    }

    /// The number of rows of μ and ν.
    pub fn forms(self) -> usize {
        if self.is_separate { 2 * self.constraints } else { self.constraints }
    }

    /// The places of its arguments: the known results, pivots with their diagonal entries, M, μ with ν, and f with r.
    pub fn arguments(self) -> [Range<usize>; 5] {
        let (n, m) = (self.velocities, self.constraints);
        let mut end = 0;
        [self.results().len(), 2 * self.pivots, n * n, self.forms() * n, n + m].map(|length| {
            end += length;
            end - length..end
        })
    }

    /// The places of the arguments that are read as a rule: M, μ, ν, f and r are those of a solution that is rare.
    pub fn usual(self) -> Range<usize> {
        0..self.results().len() + 2 * self.pivots
    }

    /// The places of M, μ with ν, and f with r among the other arguments.
    pub fn equations(self) -> [Range<usize>; 3] {
        let [_, _, mass, mu, rhs] = self.arguments();
        let first = mass.start;
        [mass, mu, rhs].map(|part| part.start - first..part.end - first)
    }
}

impl Pool {
    /// One number of the solution of linear equations.
    pub fn saddle(&mut self, saddle: Saddle, arguments: &[Expr]) -> Expr {
        self.intern(Node::Saddle(saddle, arguments.to_vec()))
    }
}
