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
//!
//! In a step of which reactions act at one place and constraints hold at another,
//!
//! ```text
//! (4)  M x = f + νᵀλ,      μ x = r,      YᵀM X u = Yᵀ(f − M x₀),
//! ```
//!
//! with a basis Y of what ν annihilates. Its elimination takes the pivot columns of that of μ, unless others are much larger: then Y
//! is near to X where ν is near to μ. The matrix is not symmetric, so rows are exchanged. A pivot is compared with its row, where
//! velocities are measured as above.

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
    /// μ, m × n, and ν after it if that is another matrix.
    pub mu: &'a mut [T],
    /// f and r.
    pub rhs: &'a mut [T],
    /// Room for the sizes of the entries of μ and ν.
    pub sizes: &'a mut [f64],
    /// Room for n numbers, twice as many with ν.
    pub scales: &'a mut [f64],
    /// Room for n + m indices, twice as many with ν.
    pub order: &'a mut [usize],
}

/// A matrix of constraints.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Forms {
    /// μ, along which reactions act too.
    Both,
    /// μ of other reactions: it orders the velocities, which are columns of M.
    Constraints,
    /// ν: it orders the equations, which are rows of M.
    Reactions,
}

impl Forms {
    /// The number of its part of the room.
    fn part(self) -> usize {
        usize::from(self == Forms::Reactions)
    }
}

/// A pivot of the same column, or of the same velocity, is preferred to one whose score is less than this times as large. Scores are
/// squares.
const PREFERENCE: f64 = 64.0;

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
    /// [`Failure::SingularConstraints`], or [`Failure::SingularMass`] unless there is ν, or [`Failure::NonFinite`] if numbers are not
    /// finite.
    #[cold]
    pub fn solve(&mut self) -> Result<(), Failure> {
        let n = self.n;
        let m = self.rhs.len().saturating_sub(n);
        self.measure(n, m);
        let is_separate = self.mu.len() > n * m;
        if is_separate {
            self.eliminate_all(n, m, Forms::Constraints)?;
            self.eliminate_all(n, m, Forms::Reactions)?;
            self.project_apart(n, m);
            for k in m..n {
                self.exchange_equations(n, m, k)?;
                self.reduce_apart(n, k);
            }
        } else {
            self.eliminate_all(n, m, Forms::Both)?;
            self.project(n, m);
            for k in m..n {
                let (pivot, size) = (at(self.mass, n * k + k).to_f64(), at(self.scales, k));
                if !(pivot > ROUNDINGS * T::EPSILON * size && pivot > 0.0) {
                    let zero = zero_if_finite(pivot) + zero_if_finite(size);
                    return Err(if zero == 0.0 { Failure::SingularMass } else { Failure::NonFinite });
                }
                self.reduce(n, k);
            }
        }
        let reactions = if is_separate { Forms::Reactions } else { Forms::Both };
        self.substitute(n, m);
        self.multipliers(n, m, reactions);
        self.restore(n, m, reactions);
        Ok(())
    }

    /// Eliminates all rows of a matrix, and gives the basis of what it annihilates.
    fn eliminate_all(&mut self, n: usize, m: usize, forms: Forms) -> Result<(), Failure> {
        for k in 0..m {
            let Some((row, column)) = self.pivot([n, m], k, forms) else {
                let zero = self.mu.iter().fold(0.0, |zero, x| zero + zero_if_finite(x.to_f64()));
                return Err(if zero == 0.0 { Failure::SingularConstraints } else { Failure::NonFinite });
            };
            self.exchange([n, m], k, [row, column], forms);
            self.eliminate([n, m], k, forms);
        }
        self.basis(n, m, forms);
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
        // For the room of ν, if there is one.
        for j in 0..n {
            set(self.scales, n + j, at(self.scales, j));
        }
        for k in 0..n + m {
            set(self.order, n + m + k, if k < n { k } else { k - n });
        }
        for k in 0..self.mu.len() {
            set(self.sizes, k, size(at(self.mu, k)));
        }
    }

    /// The place of the largest entry of a matrix from row and column k on; none if all are rounding.
    fn pivot(&self, [n, m]: [usize; 2], k: usize, forms: Forms) -> Option<(usize, usize)> {
        let (first_entry, first_scale) = (n * m * forms.part(), n * forms.part());
        let (mut best, mut largest) = (None, 0.0);
        let (mut same, mut largest_same) = (None, 0.0);
        for i in k..m {
            // The two largest entries of the row, before they cancelled.
            let (mut first, mut second, mut place) = (0.0, 0.0, k);
            for j in k..n {
                let terms = at(self.sizes, first_entry + n * i + j);
                let score = terms * terms * at(self.scales, first_scale + j);
                if score > first {
                    (first, second, place) = (score, first, j);
                } else if score > second {
                    second = score;
                }
            }
            for j in k..n {
                let entry = size(at(self.mu, first_entry + n * i + j));
                let others = if j == place { second } else { first };
                let score = entry * entry * at(self.scales, first_scale + j) / others;
                if entry > ROUNDINGS * T::EPSILON * at(self.sizes, first_entry + n * i + j) {
                    if score > largest {
                        (best, largest) = (Some((i, j)), score);
                    }
                    if forms == Forms::Reactions && score > largest_same && self.is_pivot([n, m], j) {
                        (same, largest_same) = (Some((i, j)), score);
                    }
                }
            }
        }
        if PREFERENCE * largest_same >= largest { same.or(best) } else { best }
    }

    /// Whether the velocity of column j of ν was a pivot of μ.
    fn is_pivot(&self, [n, m]: [usize; 2], j: usize) -> bool {
        let velocity = self.order.get(n + m + j);
        self.order.get(..m).into_iter().flatten().any(|pivot| Some(pivot) == velocity)
    }

    /// Exchanges this row and column with the k-th ones.
    fn exchange(&mut self, [n, m]: [usize; 2], k: usize, [row, column]: [usize; 2], forms: Forms) {
        let first = n * m * forms.part();
        for j in 0..n {
            swap(self.mu, first + n * k + j, first + n * row + j);
            swap(self.sizes, first + n * k + j, first + n * row + j);
        }
        if forms != Forms::Reactions {
            swap(self.rhs, n + k, n + row);
        }
        let first_index = (n + m) * forms.part();
        swap(self.order, first_index + n + k, first_index + n + row);
        for i in 0..m {
            swap(self.mu, first + n * i + k, first + n * i + column);
            swap(self.sizes, first + n * i + k, first + n * i + column);
        }
        if forms != Forms::Reactions {
            for i in 0..n {
                swap(self.mass, n * i + k, n * i + column);
            }
        }
        if forms != Forms::Constraints {
            for j in 0..n {
                swap(self.mass, n * k + j, n * column + j);
            }
            swap(self.rhs, k, column);
        }
        let first_scale = n * forms.part();
        swap(self.scales, first_scale + k, first_scale + column);
        swap(self.order, first_index + k, first_index + column);
    }

    /// Subtracts multiples of row k of a matrix from the rows below it, also of (2), and keeps the factors in its column.
    fn eliminate(&mut self, [n, m]: [usize; 2], k: usize, forms: Forms) {
        let first = n * m * forms.part();
        let pivot = at(self.mu, first + n * k + k);
        for i in k + 1..m {
            let factor = at(self.mu, first + n * i + k) / pivot;
            set(self.mu, first + n * i + k, factor);
            for j in k + 1..n {
                let product = factor * at(self.mu, first + n * k + j);
                set(self.mu, first + n * i + j, at(self.mu, first + n * i + j) - product);
                let sizes =
                    at(self.sizes, first + n * i + j) + size(factor) * at(self.sizes, first + n * k + j);
                set(self.sizes, first + n * i + j, sizes);
            }
            if forms != Forms::Reactions {
                let product = factor * at(self.rhs, n + k);
                set(self.rhs, n + i, at(self.rhs, n + i) - product);
            }
        }
    }

    /// Replaces the columns of a matrix after the pivots by those of B, and r by y: the first m velocities are y − B u. Of ν, the first
    /// m components of its basis are −B.
    fn basis(&mut self, n: usize, m: usize, forms: Forms) {
        let first = n * m * forms.part();
        for i in (0..m).rev() {
            let pivot = at(self.mu, first + n * i + i);
            for j in m..n {
                let mut x = at(self.mu, first + n * i + j);
                for k in i + 1..m {
                    x = x - at(self.mu, first + n * i + k) * at(self.mu, first + n * k + j);
                }
                set(self.mu, first + n * i + j, x / pivot);
            }
            if forms == Forms::Reactions {
                continue;
            }
            let mut x = at(self.rhs, n + i);
            for k in i + 1..m {
                x = x - at(self.mu, n * i + k) * at(self.rhs, n + k);
            }
            set(self.rhs, n + i, x / pivot);
        }
    }

    /// As [`Saddle::project`] for (4), with all of YᵀM X in the last rows. The second part of `scales` gets the squares of the sizes of
    /// these rows.
    fn project_apart(&mut self, n: usize, m: usize) {
        let reactions = n * m;
        for i in 0..n {
            let mut largest = 0.0;
            for b in m..n {
                let mut x = at(self.mass, n * i + b);
                let mut sizes = size(x);
                for j in 0..m {
                    let product = at(self.mass, n * i + j) * at(self.mu, n * j + b);
                    x = x - product;
                    sizes += size(product);
                }
                if i >= m {
                    for k in 0..m {
                        let product = at(self.mu, reactions + n * k + i) * at(self.mass, n * k + b);
                        x = x - product;
                        sizes += size(product);
                    }
                }
                set(self.mass, n * i + b, x);
                let sizes = sizes * sizes * at(self.scales, b);
                if sizes > largest {
                    largest = sizes;
                }
            }
            set(self.scales, n + i, largest);
            let mut x = at(self.rhs, i);
            for j in 0..m {
                x = x - at(self.mass, n * i + j) * at(self.rhs, n + j);
            }
            if i >= m {
                for k in 0..m {
                    x = x - at(self.mu, reactions + n * k + i) * at(self.rhs, k);
                }
            }
            set(self.rhs, i, x);
        }
    }

    /// Exchanges an equation with the k-th one: that of the k-th velocity itself, or another one in which this is much larger. Where M is
    /// positive definite and no pivot is left, the reactions cannot keep the constraints.
    fn exchange_equations(&mut self, n: usize, m: usize, k: usize) -> Result<(), Failure> {
        let velocity = self.order.get(k).copied();
        let is_own = |this: &Self, i: usize| this.order.get(n + m + i).copied() == velocity;
        let score = |this: &Self, i: usize| {
            let entry = size(at(this.mass, n * i + k));
            entry * entry / at(this.scales, n + i)
        };
        let (mut row, mut largest) = (k, 0.0);
        for i in k..n {
            let score = score(self, i);
            if score > largest {
                (row, largest) = (i, score);
            }
        }
        if let Some(own) = (k..n).find(|&i| is_own(self, i))
            && PREFERENCE * score(self, own) >= largest
        {
            row = own;
        }
        let (pivot, size) = (at(self.mass, n * row + k).to_f64(), at(self.scales, n + row));
        let rounding = ROUNDINGS * T::EPSILON;
        // Not a number is not regular.
        let is_regular = pivot * pivot * at(self.scales, k) > rounding * rounding * size;
        if !is_regular {
            let zero = self.mass.iter().fold(0.0, |zero, x| zero + zero_if_finite(x.to_f64()));
            return Err(if zero == 0.0 { Failure::SingularConstraints } else { Failure::NonFinite });
        }
        for j in m..n {
            swap(self.mass, n * k + j, n * row + j);
        }
        swap(self.rhs, k, row);
        swap(self.scales, n + k, n + row);
        swap(self.order, n + m + k, n + m + row);
        Ok(())
    }

    /// As [`Saddle::reduce`] for (4).
    fn reduce_apart(&mut self, n: usize, k: usize) {
        let pivot = at(self.mass, n * k + k);
        for i in k + 1..n {
            let factor = at(self.mass, n * i + k) / pivot;
            for j in k + 1..n {
                let product = factor * at(self.mass, n * k + j);
                set(self.mass, n * i + j, at(self.mass, n * i + j) - product);
            }
            let product = factor * at(self.rhs, k);
            set(self.rhs, i, at(self.rhs, i) - product);
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
    fn multipliers(&mut self, n: usize, m: usize, reactions: Forms) {
        let first = n * m * reactions.part();
        for i in 0..m {
            let mut x = at(self.rhs, i);
            for k in 0..i {
                x = x - at(self.mu, first + n * k + i) * at(self.rhs, k);
            }
            set(self.rhs, i, x / at(self.mu, first + n * i + i));
        }
        for i in (0..m).rev() {
            let mut x = at(self.rhs, i);
            for k in i + 1..m {
                x = x - at(self.mu, first + n * k + i) * at(self.rhs, k);
            }
            set(self.rhs, i, x);
        }
        for i in 0..m {
            swap(self.rhs, i, n + i);
        }
    }

    /// Back to the order of the velocities and constraints.
    fn restore(&mut self, n: usize, m: usize, reactions: Forms) {
        for k in 0..n + m {
            let (first, part) = if k < n { (0, 0) } else { (n, (n + m) * reactions.part()) };
            loop {
                let to = first + self.order.get(part + k).copied().unwrap_or(k - first);
                if to == k {
                    break;
                }
                swap(self.rhs, k, to);
                swap(self.order, part + k, part + to);
            }
        }
    }
}
