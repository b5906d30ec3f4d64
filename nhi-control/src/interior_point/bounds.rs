//! Bounds and their multipliers.
use alloc::vec::Vec;
#[cfg(not(feature = "std"))]
use num_traits::Float;

/// κ_Σ (16).
const MULTIPLIER_SPREAD: f64 = 1e10;

/// Distances, and products of them, of which one logarithm is taken for many: products of two neither overflow nor vanish.
const FACTORS: core::ops::Range<f64> = 1e-100..1e100;

/// Multipliers of bounds: of inputs, slacks and violations.
#[derive(Clone)]
pub(super) struct Bounds {
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    pub(super) z_lower: Vec<f64>,
    pub(super) z_upper: Vec<f64>,
    /// The number of finite bounds.
    count: usize,
}

impl Bounds {
    pub(super) fn new(lower: Vec<f64>, upper: Vec<f64>) -> Self {
        let z_lower = lower.iter().map(|x| if x.is_finite() { 1.0 } else { 0.0 }).collect();
        let z_upper = upper.iter().map(|x| if x.is_finite() { 1.0 } else { 0.0 }).collect();
        let count = lower.iter().chain(&upper).filter(|bound| bound.is_finite()).count();
        Bounds { lower, upper, z_lower, z_upper, count }
    }

    /// Numbers strictly between the bounds (section 3.6, `part` = κ₁ = κ₂): their distances are at least this part of a bound, or of
    /// the distance of two bounds.
    pub(super) fn push(&self, x: &mut [f64], part: f64) {
        for ((x, &lower), &upper) in x.iter_mut().zip(&self.lower).zip(&self.upper) {
            let room = upper - lower;
            let by = |bound: f64| part * bound.abs().max(1.0).min(room);
            if lower.is_finite() {
                *x = x.max(lower + by(lower));
            }
            if upper.is_finite() {
                *x = x.min(upper - by(upper));
            }
        }
    }

    /// Multipliers on the central path.
    pub(super) fn center(&mut self, x: &[f64], mu: f64) {
        for (i, &x) in x.iter().enumerate() {
            let finite = |bound: f64, distance: f64| if bound.is_finite() { mu / distance } else { 0.0 };
            self.z_lower[i] = finite(self.lower[i], x - self.lower[i]);
            self.z_upper[i] = finite(self.upper[i], self.upper[i] - x);
        }
    }

    /// Σ ln of the distances; −∞ or NaN outside.
    pub(super) fn logarithms(&self, x: &[f64]) -> f64 {
        let (mut sum, mut product) = (0.0, 1.0);
        for distance in self.distances(x) {
            let distance = distance.max(0.0);
            if FACTORS.contains(&distance) {
                product *= distance;
            } else {
                sum += distance.ln();
            }
            if !FACTORS.contains(&product) {
                sum += product.ln();
                product = 1.0;
            }
        }
        sum + product.ln()
    }

    /// Distances of finite bounds.
    pub(super) fn distances(&self, x: &[f64]) -> impl Iterator<Item = f64> {
        let lower = x.iter().zip(&self.lower).filter(|(_, l)| l.is_finite()).map(|(x, l)| x - l);
        let upper = x.iter().zip(&self.upper).filter(|(_, u)| u.is_finite()).map(|(x, u)| u - x);
        lower.chain(upper)
    }

    /// Σ = z_l/(x − l) + z_u/(u − x) of entry `i`.
    pub(super) fn sigma(&self, i: usize, x: f64) -> f64 {
        let part = |bound: f64, z: f64, distance: f64| if bound.is_finite() { z / distance } else { 0.0 };
        part(self.lower[i], self.z_lower[i], x - self.lower[i])
            + part(self.upper[i], self.z_upper[i], self.upper[i] - x)
    }

    /// The derivative of −μ Σ ln.
    pub(super) fn force(&self, i: usize, x: f64, mu: f64) -> f64 {
        let part = |bound: f64, distance: f64| if bound.is_finite() { mu / distance } else { 0.0 };
        part(self.upper[i], self.upper[i] - x) - part(self.lower[i], x - self.lower[i])
    }

    /// The steps of both multipliers (12).
    pub(super) fn steps(&self, i: usize, x: f64, dx: f64, mu: f64) -> (f64, f64) {
        let part = |bound: f64, z: f64, distance: f64, dx: f64| {
            if bound.is_finite() { (mu - z * dx) / distance - z } else { 0.0 }
        };
        (
            part(self.lower[i], self.z_lower[i], x - self.lower[i], dx),
            part(self.upper[i], self.z_upper[i], self.upper[i] - x, -dx),
        )
    }

    /// The largest parts of steps of x and of the multipliers that keep the part 1 − τ of the distances (15).
    pub(super) fn longest(&self, x: &[f64], dx: &[f64], mu: f64, tau: f64) -> (f64, f64) {
        let (mut primal, mut dual) = (1.0_f64, 1.0_f64);
        if self.count == 0 {
            return (primal, dual);
        }
        let limit = |distance: f64, by: f64| if by < 0.0 { -tau * distance / by } else { 1.0 };
        for (i, (&x, &dx)) in x.iter().zip(dx).enumerate() {
            let (z_lower, z_upper) = self.steps(i, x, dx, mu);
            if self.lower[i].is_finite() {
                primal = primal.min(limit(x - self.lower[i], dx));
                dual = dual.min(limit(self.z_lower[i], z_lower));
            }
            if self.upper[i].is_finite() {
                primal = primal.min(limit(self.upper[i] - x, -dx));
                dual = dual.min(limit(self.z_upper[i], z_upper));
            }
        }
        (primal, dual)
    }

    /// Moves the multipliers by the part `alpha` of their steps from x, and keeps them near those of the central path at
    /// `moved` (16).
    pub(super) fn advance(&mut self, x: &[f64], dx: &[f64], moved: &[f64], mu: f64, alpha: f64) {
        if self.count == 0 {
            return;
        }
        for i in 0..x.len() {
            let (z_lower, z_upper) = self.steps(i, x[i], dx[i], mu);
            let near = |z: f64, distance: f64| {
                let center = mu / distance;
                z.clamp(center / MULTIPLIER_SPREAD, center * MULTIPLIER_SPREAD)
            };
            if self.lower[i].is_finite() {
                self.z_lower[i] = near(self.z_lower[i] + alpha * z_lower, moved[i] - self.lower[i]);
            }
            if self.upper[i].is_finite() {
                self.z_upper[i] = near(self.z_upper[i] + alpha * z_upper, self.upper[i] - moved[i]);
            }
        }
    }

    /// Moves x and the multipliers by the part `alpha` of their steps.
    pub(super) fn step(&mut self, x: &mut [f64], dx: &[f64], mu: f64, alpha: f64) {
        for (i, (x, dx)) in x.iter_mut().zip(dx).enumerate() {
            let (z_lower, z_upper) = self.steps(i, *x, *dx, mu);
            self.z_lower[i] += alpha * z_lower;
            self.z_upper[i] += alpha * z_upper;
            *x += alpha * dx;
        }
    }

    /// Σ z (x − bound) after the part `alpha` of the steps of x and z.
    pub(super) fn products(&self, x: &[f64], dx: &[f64], mu: f64, alpha: f64) -> f64 {
        let mut sum = 0.0;
        for (i, (&x, &dx)) in x.iter().zip(dx).enumerate() {
            let (z_lower, z_upper) = self.steps(i, x, dx, mu);
            if self.lower[i].is_finite() {
                sum += (self.z_lower[i] + alpha * z_lower) * (x + alpha * dx - self.lower[i]);
            }
            if self.upper[i].is_finite() {
                sum += (self.z_upper[i] + alpha * z_upper) * (self.upper[i] - x - alpha * dx);
            }
        }
        sum
    }

    /// The least and the largest z (x − bound), of which the largest |z (x − bound) − μ| follows for all μ; ∞ and −∞ if there are
    /// no bounds.
    pub(super) fn complementarity(&self, x: &[f64]) -> (f64, f64) {
        let (mut least, mut largest) = (f64::INFINITY, f64::NEG_INFINITY);
        if self.count == 0 {
            return (least, largest);
        }
        let mut add = |product: f64| (least, largest) = (least.min(product), largest.max(product));
        for (i, &x) in x.iter().enumerate() {
            if self.lower[i].is_finite() {
                add(self.z_lower[i] * (x - self.lower[i]));
            }
            if self.upper[i].is_finite() {
                add(self.z_upper[i] * (self.upper[i] - x));
            }
        }
        (least, largest)
    }

    pub(super) fn sum(&self) -> f64 {
        self.z_lower.iter().chain(&self.z_upper).sum()
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Also where the product of all distances overflows or vanishes, and at a bound.
    #[test]
    fn logarithms_of_products_are_sums() {
        for size in [1e-150, 1e-60, 1.0, 1e60, 1e150] {
            let bounds = Bounds::new(vec![0.0; 20], vec![f64::INFINITY; 20]);
            let mut x: Vec<f64> = (1..=20).map(|i| size * f64::from(i)).collect();
            let expected: f64 = x.iter().map(|x| x.ln()).sum();
            let off = (bounds.logarithms(&x) - expected).abs();
            assert!(off < 1e-14 * expected.abs(), "{size}: {off}");
            x[7] = 0.0;
            assert_eq!(bounds.logarithms(&x), f64::NEG_INFINITY);
        }
    }
}
