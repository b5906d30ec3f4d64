//! Linear equations whose solution by formulas may lose digits.

use super::{Expr, Node, Pool};
use std::ops::Range;

/// One number of the solution of M x = f + μᵀλ, μ x = r for x and λ.
///
/// The arguments of its node are the solution as formulas give it, pivots of M and C = μM⁻¹μᵀ that tell whether this is accurate,
/// each with its diagonal entry, M, μ, f and r. The value is that of the formula, and so are its derivatives; where a pivot is small, or
/// M⁻¹ does not exist, it is computed from the equations themselves (`emitted::saddle_point` of the runtime). After x and λ two
/// numbers follow that are 1 if the constraints are independent, and if M is positive definite on what they admit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Saddle {
    /// n, the length of x.
    pub velocities: usize,
    /// m, the length of λ.
    pub constraints: usize,
    /// How many pivots there are.
    pub pivots: usize,
    /// Which number of the solution it is.
    pub index: usize,
}

impl Saddle {
    /// n + m.
    pub fn equations(self) -> usize {
        self.velocities + self.constraints
    }

    /// How many numbers there are.
    pub fn results(self) -> usize {
        self.equations() + 2
    }

    /// The places of its arguments: the known solution, pivots with their diagonal entries, M, μ, and f with r.
    pub fn arguments(self) -> [Range<usize>; 5] {
        let (n, m) = (self.velocities, self.constraints);
        let mut end = 0;
        [n + m, 2 * self.pivots, n * n, n * m, n + m].map(|length| {
            end += length;
            end - length..end
        })
    }
}

impl Pool {
    /// One number of the solution of linear equations.
    pub fn saddle(&mut self, saddle: Saddle, arguments: &[Expr]) -> Expr {
        self.intern(Node::Saddle(saddle, arguments.to_vec()))
    }

    /// The formula of that number.
    pub(crate) fn formula_of(&self, saddle: Saddle, arguments: &[Expr]) -> Expr {
        if saddle.index < saddle.equations() { arguments[saddle.index] } else { Expr::ONE }
    }
}
