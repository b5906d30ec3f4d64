//! Linear equations of a mass matrix and constraints, for numbers of any scale.
//!
//! ```text
//! (1)  M x = f + μᵀλ,      (2)  μ x = r.
//! ```
//!
//! Emitted code solves them by λ from C = μM⁻¹μᵀ. That takes few operations, but M⁻¹ has to exist, C has the square of the
//! condition number of μ, and M⁻¹f and M⁻¹μᵀλ can be large numbers that cancel. Here the solution is x = x₀ + X u with a basis X of
//! what μ annihilates, so that
//!
//! ```text
//! (3)  XᵀM X u = Xᵀ(f − M x₀),
//! ```
//!
//! where nothing of the reaction cancels and M has to be positive definite only for what the constraints admit (Benzi, Golub and
//! Liesen, Numerical solution of saddle point problems, Acta Numerica 2005, section 6).
//!
//! X comes from an elimination of μ with complete pivoting. A pivot is the largest entry relative to the other ones of its row, where
//! a velocity is measured by the square root of its mass: light velocities follow from heavy ones, and entries of X, measured so, are of
//! order one. Neither units of constraints nor those of velocities change the order of elimination. Cholesky's method for (3) needs no
//! exchanges, whatever the scales of its rows (Higham, Accuracy and Stability of Numerical Algorithms, section 10.1).

use crate::unchecked::zero_if_finite;
use crate::{Failure, Scalar};

/// Entries and pivots below this many roundings of the terms that they are the sum of are zero.
const ROUNDINGS: f64 = 16.0;

/// The mass of the lightest velocity, relative to what stands for that of one without a mass.
const MASSLESS: f64 = (1u128 << 100) as f64;

/// The equations, by rows, and room to solve them.
#[derive(Debug)]
pub struct Saddle<'a, T> {
    /// n, the number of velocities.
    pub n: usize,
    /// M, n × n.
    pub mass: &'a mut [T],
    /// μ, m × n.
    pub mu: &'a mut [T],
    /// f and r.
    pub rhs: &'a mut [T],
    /// Room for the sizes of the entries of μ, m × n.
    pub sizes: &'a mut [f64],
    /// Room for n numbers.
    pub scales: &'a mut [f64],
    /// Room for n + m indices.
    pub order: &'a mut [usize],
}

/// Of an array of rows; outside of it zero, so that there is no panic.
fn at<T: Scalar>(all: &[T], i: usize) -> T {
    all.get(i).copied().unwrap_or(T::from_f64(0.0))
}

fn set<T>(all: &mut [T], i: usize, x: T) {
    if let Some(entry) = all.get_mut(i) {
        *entry = x;
    }
}

fn swap<T: Copy>(all: &mut [T], i: usize, j: usize) {
    if let (Some(&x), Some(&y)) = (all.get(i), all.get(j)) {
        set(all, i, y);
        set(all, j, x);
    }
}

fn size<T: Scalar>(x: T) -> f64 {
    let x = x.to_f64();
    if x < 0.0 { -x } else { x }
}

impl<T: Scalar> Saddle<'_, T> {
    /// Replaces f and r by x and λ.
    ///
    /// # Errors
    /// [`Failure::SingularConstraints`] or [`Failure::SingularMass`], or [`Failure::NonFinite`] if numbers are not finite.
    #[cold]
    pub fn solve(&mut self) -> Result<(), Failure> {
        let n = self.n;
        let m = self.rhs.len().saturating_sub(n);
        self.measure(n, m);
        for k in 0..m {
            let Some((row, column)) = self.pivot(n, m, k) else {
                let zero = self.mu.iter().fold(0.0, |zero, x| zero + zero_if_finite(x.to_f64()));
                return Err(if zero == 0.0 { Failure::SingularConstraints } else { Failure::NonFinite });
            };
            self.exchange([n, m], k, [row, column]);
            self.eliminate(n, m, k);
        }
        self.basis(n, m);
        self.project(n, m);
        for k in m..n {
            let (pivot, size) = (at(self.mass, n * k + k).to_f64(), at(self.scales, k));
            if !(pivot > ROUNDINGS * T::EPSILON * size && pivot > 0.0) {
                let zero = zero_if_finite(pivot) + zero_if_finite(size);
                return Err(if zero == 0.0 { Failure::SingularMass } else { Failure::NonFinite });
            }
            self.reduce(n, k);
        }
        self.substitute(n, m);
        self.multipliers(n, m);
        self.restore(n, m);
        Ok(())
    }

    /// Sizes of entries, weights of velocities 1/Mᵢᵢ, and the order as it is.
    fn measure(&mut self, n: usize, m: usize) {
        let mut lightest = f64::INFINITY;
        for j in 0..n {
            let mass = size(at(self.mass, n * j + j));
            if mass > 0.0 && mass < lightest {
                lightest = mass;
            }
            set(self.order, j, j);
        }
        for j in 0..n {
            let mass = size(at(self.mass, n * j + j));
            let weight = if lightest == f64::INFINITY {
                1.0
            } else if mass > 0.0 {
                lightest / mass
            } else {
                MASSLESS
            };
            set(self.scales, j, weight);
        }
        for i in 0..m {
            set(self.order, n + i, i);
        }
        for k in 0..n * m {
            set(self.sizes, k, size(at(self.mu, k)));
        }
    }

    /// The place of the largest entry of μ from row and column k on; none if all are rounding.
    fn pivot(&self, n: usize, m: usize, k: usize) -> Option<(usize, usize)> {
        let (mut best, mut largest) = (None, 0.0);
        for i in k..m {
            // The two largest entries of the row, before they cancelled.
            let (mut first, mut second, mut place) = (0.0, 0.0, k);
            for j in k..n {
                let terms = at(self.sizes, n * i + j);
                let score = terms * terms * at(self.scales, j);
                if score > first {
                    (first, second, place) = (score, first, j);
                } else if score > second {
                    second = score;
                }
            }
            for j in k..n {
                let entry = size(at(self.mu, n * i + j));
                let others = if j == place { second } else { first };
                let score = entry * entry * at(self.scales, j) / others;
                if entry > ROUNDINGS * T::EPSILON * at(self.sizes, n * i + j) && score > largest {
                    (best, largest) = (Some((i, j)), score);
                }
            }
        }
        best
    }

    /// Exchanges this row and column with the k-th ones.
    fn exchange(&mut self, [n, m]: [usize; 2], k: usize, [row, column]: [usize; 2]) {
        for j in 0..n {
            swap(self.mu, n * k + j, n * row + j);
            swap(self.sizes, n * k + j, n * row + j);
        }
        swap(self.rhs, n + k, n + row);
        swap(self.order, n + k, n + row);
        for i in 0..m {
            swap(self.mu, n * i + k, n * i + column);
            swap(self.sizes, n * i + k, n * i + column);
        }
        for i in 0..n {
            swap(self.mass, n * i + k, n * i + column);
        }
        for j in 0..n {
            swap(self.mass, n * k + j, n * column + j);
        }
        swap(self.rhs, k, column);
        swap(self.scales, k, column);
        swap(self.order, k, column);
    }

    /// Subtracts multiples of row k of (2) from the rows below it, and keeps the factors in its column.
    fn eliminate(&mut self, n: usize, m: usize, k: usize) {
        let pivot = at(self.mu, n * k + k);
        for i in k + 1..m {
            let factor = at(self.mu, n * i + k) / pivot;
            set(self.mu, n * i + k, factor);
            for j in k + 1..n {
                let product = factor * at(self.mu, n * k + j);
                set(self.mu, n * i + j, at(self.mu, n * i + j) - product);
                let sizes = at(self.sizes, n * i + j) + size(factor) * at(self.sizes, n * k + j);
                set(self.sizes, n * i + j, sizes);
            }
            let product = factor * at(self.rhs, n + k);
            set(self.rhs, n + i, at(self.rhs, n + i) - product);
        }
    }

    /// Replaces the columns of μ after the pivots by those of Y, and r by y: the first m velocities are y − Y u.
    fn basis(&mut self, n: usize, m: usize) {
        for i in (0..m).rev() {
            let pivot = at(self.mu, n * i + i);
            for j in m..n {
                let mut x = at(self.mu, n * i + j);
                for k in i + 1..m {
                    x = x - at(self.mu, n * i + k) * at(self.mu, n * k + j);
                }
                set(self.mu, n * i + j, x / pivot);
            }
            let mut x = at(self.rhs, n + i);
            for k in i + 1..m {
                x = x - at(self.mu, n * i + k) * at(self.rhs, n + k);
            }
            set(self.rhs, n + i, x / pivot);
        }
    }

    /// Replaces the last columns of M by those of M X, with XᵀM X in the last rows on and above the diagonal, and f by f − M x₀, with
    /// the right side of (3) in the last places. `scales` get the sizes of the diagonal of XᵀM X.
    fn project(&mut self, n: usize, m: usize) {
        for i in 0..n {
            for b in m..n {
                let mut x = at(self.mass, n * i + b);
                let mut sizes = size(x);
                for j in 0..m {
                    let product = at(self.mass, n * i + j) * at(self.mu, n * j + b);
                    x = x - product;
                    sizes += size(product);
                }
                set(self.mass, n * i + b, x);
                if i == b {
                    set(self.scales, b, sizes);
                }
            }
            let mut x = at(self.rhs, i);
            for j in 0..m {
                x = x - at(self.mass, n * i + j) * at(self.rhs, n + j);
            }
            set(self.rhs, i, x);
        }
        for a in m..n {
            for b in a..n {
                let mut x = at(self.mass, n * a + b);
                let mut sizes = at(self.scales, b);
                for i in 0..m {
                    let product = at(self.mu, n * i + a) * at(self.mass, n * i + b);
                    x = x - product;
                    sizes += size(product);
                }
                set(self.mass, n * a + b, x);
                if a == b {
                    set(self.scales, b, sizes);
                }
            }
            let mut x = at(self.rhs, a);
            for i in 0..m {
                x = x - at(self.mu, n * i + a) * at(self.rhs, i);
            }
            set(self.rhs, a, x);
        }
    }

    /// Eliminates the k-th unknown of (3) from the equations below.
    fn reduce(&mut self, n: usize, k: usize) {
        let pivot = at(self.mass, n * k + k);
        for i in k + 1..n {
            let factor = at(self.mass, n * k + i) / pivot;
            for j in i..n {
                let product = factor * at(self.mass, n * k + j);
                set(self.mass, n * i + j, at(self.mass, n * i + j) - product);
            }
            let product = factor * at(self.rhs, k);
            set(self.rhs, i, at(self.rhs, i) - product);
        }
    }

    /// u in the last places of f, M x − f in the others, and x₀ + X u of these velocities in the places of r.
    fn substitute(&mut self, n: usize, m: usize) {
        for i in (m..n).rev() {
            let mut x = at(self.rhs, i);
            for j in i + 1..n {
                x = x - at(self.mass, n * i + j) * at(self.rhs, j);
            }
            set(self.rhs, i, x / at(self.mass, n * i + i));
        }
        for i in 0..m {
            let mut missing = -at(self.rhs, i);
            let mut x = at(self.rhs, n + i);
            for b in m..n {
                missing = missing + at(self.mass, n * i + b) * at(self.rhs, b);
                x = x - at(self.mu, n * i + b) * at(self.rhs, b);
            }
            set(self.rhs, i, missing);
            set(self.rhs, n + i, x);
        }
    }

    /// x in the places of f, and λ in those of r: (1) for the velocities that were pivots.
    fn multipliers(&mut self, n: usize, m: usize) {
        for i in 0..m {
            let mut x = at(self.rhs, i);
            for k in 0..i {
                x = x - at(self.mu, n * k + i) * at(self.rhs, k);
            }
            set(self.rhs, i, x / at(self.mu, n * i + i));
        }
        for i in (0..m).rev() {
            let mut x = at(self.rhs, i);
            for k in i + 1..m {
                x = x - at(self.mu, n * k + i) * at(self.rhs, k);
            }
            set(self.rhs, i, x);
        }
        for i in 0..m {
            swap(self.rhs, i, n + i);
        }
    }

    /// Back to the order of the velocities and constraints.
    fn restore(&mut self, n: usize, m: usize) {
        for k in 0..n + m {
            let first = if k < n { 0 } else { n };
            loop {
                let to = first + self.order.get(k).copied().unwrap_or(k - first);
                if to == k {
                    break;
                }
                swap(self.rhs, k, to);
                swap(self.order, k, to);
            }
        }
    }
}
