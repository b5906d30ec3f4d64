//! Functions for emitted code and for its measurement; not for direct use.

pub use crate::__fields as fields;
pub use crate::drive::{Drive, SinCosUpdate};
#[doc(hidden)]
pub use crate::fields::Places;
/// Steps between two re-synchronisations of carried sines and cosines; one comes before the first step.
pub const RESYNC_EVERY: u64 = crate::method::RESYNC_EVERY;
/// Steps between two replacements of subnormal numbers of the state by zero.
pub const FLUSH_EVERY: u64 = crate::method::FLUSH_EVERY;
#[doc(hidden)]
pub use crate::careful::{Careful, Next};
use crate::fields::array;
pub use crate::isa::use_plain_instructions;
#[doc(hidden)]
pub use crate::saddle::Saddle;
/// The constants of the formulas for sines and cosines, for a compiler that writes them as operations.
pub mod sines {
    pub use crate::trigonometry::{
        C, CLOSE, LARGEST, OVERFLOWING, PI_HALVES, S, SHORT_C, SHORT_S, SMALL, TINY, WHOLE,
    };
    /// Whether sines and cosines are computed by these formulas, not by the platform's library.
    pub const ARE_POLYNOMIALS: bool = cfg!(not(feature = "platform-trigonometry"));
}
use crate::unchecked::zero_if_finite;
use crate::{Failure, Fields, Forms, Scalar};

/// Convergence control of a Newton iteration for `N` unknowns.
///
/// Updates are measured in one norm, ‖x‖² = Σ wᵢxᵢ², in which unknowns of different units can be
/// compared: with the masses Mᵢᵢ for velocities and (μM⁻¹μᵀ)ₐₐ for impulses it is twice a kinetic
/// energy. An update is small relative to `scale2` + ‖x‖², where `scale2` is the squared norm of the
/// quantity that x is added to: an impulse that vanishes is accurate when its effect on the velocity is.
///
/// If the iteration fails and the equations are [sharp](Newton::sharp), a safeguarded one follows, see [`Careful`].
// Loops use indices: `zip` remains a call in builds without link-time optimisation.
#[derive(Clone, Copy, Debug)]
pub struct Newton<const N: usize> {
    weights: [f64; N],
    scale2: f64,
    /// Whether derivatives and earlier updates do not tell the next update.
    is_sharp: bool,
    /// Whether the equations jump.
    jumps: bool,
    /// What the equations are told by where they cannot be solved.
    equations: &'static [&'static str],
    /// ‖δ‖² of the last update.
    last: f64,
    updates: u32,
    /// After convergence of the values, the iterations that derivatives of the scalar still need.
    due: Option<u32>,
}

impl<const N: usize> Default for Newton<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> Newton<N> {
    /// After more updates the iteration counts as divergent; a convergent one takes four or five.
    const MAX_UPDATES: u32 = 50;

    /// Largest (aδ)² for a Chebyshev update: above it Newton's own update is as good.
    const CHEBYSHEV: f64 = 1.0 / 16.0;

    /// For unknowns of order one: updates are relative to 1 + ‖x‖².
    #[inline]
    pub const fn new() -> Self {
        Newton {
            weights: [1.0; N],
            scale2: 1.0,
            is_sharp: false,
            jumps: false,
            equations: &[],
            last: f64::INFINITY,
            updates: 0,
            due: None,
        }
    }

    /// Updates are relative to `scale2` + ‖x‖² in the norm with the given weights.
    #[inline]
    pub fn weighted<T: Scalar>(weights: [T; N], scale2: T) -> Self {
        Newton { weights: array(0.0, |i| weights[i].to_f64()), scale2: scale2.to_f64(), ..Self::new() }
    }

    /// For equations with functions that can change within a small part of an update, as tanh(v/ε) does, and that look linear
    /// elsewhere. Neither derivatives nor earlier updates tell the next update there: the unknowns are solved for only when an
    /// update has been computed that is rounding.
    #[inline]
    #[must_use]
    pub const fn sharp(self) -> Self {
        Newton { is_sharp: true, ..self }
    }

    /// For equations of these names, in the order of the unknowns: where they cannot be solved, [`Failure::Unsolved`] has one of them.
    #[inline]
    #[must_use]
    pub const fn named(self, equations: &'static [&'static str]) -> Self {
        Newton { equations, ..self }
    }

    /// For sharp equations that jump, as dry friction does at rest: if one unknown is left, the place of a jump from one sign to the
    /// other is a solution.
    #[inline]
    #[must_use]
    pub const fn jumping(self) -> Self {
        Newton { jumps: true, ..self }
    }

    /// The solution near `guess` of F = 0, and the values of the last iterate.
    ///
    /// At given unknowns `update` returns the update −J⁻¹F, a function that computes higher derivatives, and values that
    /// the caller needs from the last iterate. For one equation in one unknown the derivatives may be F′, F″ and F‴:
    /// updates are then δ − δ² F″/(2F′) (Chebyshev's method). Otherwise there are none.
    ///
    /// # Errors
    /// [`Failure::NonFinite`], [`Failure::Unsolved`], without checks [`Failure::NotConverged`], and those of `update`.
    #[inline(always)]
    pub fn solve<T: Scalar, G: FnOnce() -> [T; B], const B: usize, const K: usize>(
        self,
        guess: [T; N],
        update: impl Fn([T; N]) -> Result<([T; N], G, [T; K]), Failure>,
    ) -> Result<([T; N], [T; K]), Failure> {
        self.iterate(guess, None, update)
    }

    /// The same, with a fallback guess: it is used if the iteration from `guess` diverges, or if `guess` is far from the
    /// solution and `fallback` closer to it.
    ///
    /// # Errors
    /// As [`Newton::solve`].
    #[inline(always)]
    pub fn solve_or<T: Scalar, G: FnOnce() -> [T; B], const B: usize, const K: usize>(
        self,
        guess: [T; N],
        fallback: [T; N],
        update: impl Fn([T; N]) -> Result<([T; N], G, [T; K]), Failure>,
    ) -> Result<([T; N], [T; K]), Failure> {
        self.iterate(guess, Some(fallback), update)
    }

    /// Iterates from `unknowns`, or from `fallback` if that is closer or the iteration fails.
    #[inline(always)]
    fn iterate<T: Scalar, G: FnOnce() -> [T; B], const B: usize, const K: usize>(
        mut self,
        mut unknowns: [T; N],
        mut fallback: Option<[T; N]>,
        update: impl Fn([T; N]) -> Result<([T; N], G, [T; K]), Failure>,
    ) -> Result<([T; N], [T; K]), Failure> {
        if const { T::DRIVE.updates > 0 } {
            let nan = T::from_f64(f64::NAN);
            let (mut solved, mut last_iterate) = (false, [nan; K]);
            self.update_unless(&mut solved, &mut unknowns, &mut last_iterate, &update);
            let is_closer = !solved && self.is_closer(&unknowns, &fallback);
            if const { T::DRIVE.updates > 2 } {
                self.update_unless(&mut solved, &mut unknowns, &mut last_iterate, &update);
            }
            return if solved && !is_closer {
                Ok((unknowns, last_iterate))
            } else {
                Err(Failure::NotConverged)
            };
        }
        let (fresh, start) = (self, fallback.unwrap_or(unknowns));
        let mut last_iterate = [T::from_f64(f64::NAN); K];
        let mut safeguard: Option<Safeguard<N>> = None;
        loop {
            let updated = update(unknowns).and_then(|(delta, derivatives, values)| {
                // Iterations for derivatives do not change values.
                if self.due.is_none() {
                    last_iterate = values;
                    if const { T::DRIVE.checked }
                        && let Some(safeguard) = &mut safeguard
                    {
                        let solved;
                        (unknowns, solved) = safeguard.next(self.weights, unknowns, delta);
                        if const { T::DRIVE.derivatives > 0 } && solved? {
                            self.due = Some(T::DRIVE.derivatives);
                            return Ok(false);
                        }
                        return solved;
                    }
                }
                self.update(&mut unknowns, delta, derivatives)
            });
            let failure = match updated {
                Ok(true) => return Ok((unknowns, last_iterate)),
                Ok(false) if self.updates != 1 || !self.is_closer(&unknowns, &fallback) => continue,
                Ok(false) => Failure::NotConverged,
                // Without checks, sines of large angles are not numbers. With checks the iteration may go on, and must not end
                // elsewhere.
                Err(failure) if const { !T::DRIVE.checked } => return Err(failure),
                Err(failure) => failure,
            };
            if let Some(guess) = fallback.take() {
                (self, unknowns) = (fresh, guess);
            } else if const { T::DRIVE.checked } && self.is_sharp && safeguard.is_none() {
                // Loops without checks leave it to the step that is repeated with checks. Where equations are not sharp, the step
                // is too long: another root in reach would be none of the motion.
                safeguard =
                    Some(Safeguard::new((self.scale2, self.jumps), T::EPSILON, (failure, self.equations)));
                (self, unknowns) = (fresh, start);
            } else {
                return Err(failure);
            }
        }
    }

    /// After the first update: was `fallback` closer to the new iterate than the guess, and the guess far off (relative
    /// update above 10⁻³)? After smaller updates the iteration takes few more, and a restart does not pay.
    #[inline(always)]
    fn is_closer<T: Scalar>(&self, unknowns: &[T; N], fallback: &Option<[T; N]>) -> bool {
        let Some(fallback) = fallback else { return false };
        let (mut distance2, mut size2) = (0.0, self.scale2);
        for i in 0..N {
            let (x, y, w) = (unknowns[i].to_f64(), fallback[i].to_f64(), self.weights[i]);
            distance2 += w * (x - y) * (x - y);
            size2 += w * x * x;
        }
        distance2 < self.last && 1e-6 * size2 < self.last
    }

    /// The next update, which is discarded if the equations are `solved` already; without branches.
    #[inline(always)]
    fn update_unless<T: Scalar, G: FnOnce() -> [T; B], const B: usize, const K: usize>(
        &mut self,
        solved: &mut bool,
        unknowns: &mut [T; N],
        last_iterate: &mut [T; K],
        update: &impl Fn([T; N]) -> Result<([T; N], G, [T; K]), Failure>,
    ) {
        let mut next = *unknowns;
        let nan = T::from_f64(f64::NAN);
        let (values, now) = match update(next) {
            Ok((delta, derivatives, values)) => {
                (values, self.values(&mut next, delta, derivatives).unwrap_or(false))
            }
            Err(_) => ([nan; K], false),
        };
        // Two loops, because LLVM does not unroll one loop over both.
        for i in 0..N {
            unknowns[i] = if *solved { unknowns[i] } else { next[i] };
        }
        for i in 0..K {
            last_iterate[i] = if *solved { last_iterate[i] } else { values[i] };
        }
        *solved |= now;
    }

    /// Adds `delta` to the unknowns; true when the iteration has converged.
    #[inline]
    fn update<T: Scalar, const B: usize>(
        &mut self,
        unknowns: &mut [T; N],
        delta: [T; N],
        derivatives: impl FnOnce() -> [T; B],
    ) -> Result<bool, Failure> {
        if const { T::DRIVE.derivatives == 0 } {
            return self.values(unknowns, delta, derivatives);
        }
        // At the solution x of F(x, θ) = 0 the derivative of the update δ = −J⁻¹F is −x' − J⁻¹F_θ, so the
        // derivative of x + δ is correct whatever x' was. Each iteration makes one more order of derivatives
        // correct; the values are those of a scalar without derivatives.
        match &mut self.due {
            None => {
                if self.values(unknowns, delta, derivatives)? {
                    self.due = Some(T::DRIVE.derivatives);
                }
                Ok(false)
            }
            Some(due) => {
                for i in 0..N {
                    unknowns[i] = unknowns[i] + (delta[i] - T::from_f64(delta[i].to_f64()));
                }
                *due -= 1;
                Ok(*due == 0)
            }
        }
    }

    /// Adds `delta` and compares values.
    #[inline(always)]
    fn values<T: Scalar, const B: usize>(
        &mut self,
        unknowns: &mut [T; N],
        delta: [T; N],
        derivatives: impl FnOnce() -> [T; B],
    ) -> Result<bool, Failure> {
        let before = *unknowns;
        let mut delta2 = 0.0;
        let mut size2 = self.scale2;
        for i in 0..N {
            unknowns[i] = unknowns[i] + delta[i];
            let (x, d, w) = (unknowns[i].to_f64(), delta[i].to_f64(), self.weights[i]);
            delta2 += w * d * d;
            size2 += w * x * x;
        }
        // Neither is negative.
        if !(delta2 + size2).is_finite() {
            return Err(Failure::NonFinite);
        }
        // In f64 1.4e-14, and 1.5e-11 for updates that no longer shrink.
        let rounding = 64.0 * T::EPSILON;
        let noise = 65536.0 * T::EPSILON;
        // The iteration converges quadratically: in units of `size2` the update after δ₀ is C‖δ₀‖². C is of order
        // one, because updates change the equations through the rotation angles of a step. If δ₀ is so small that
        // the next update would be rounding even with C = 64, it is not computed.
        let solved = if self.updates == 0 && !self.is_sharp {
            delta2 <= T::EPSILON / 64.0 * size2
        } else {
            // After ‖δ₀‖, ‖δ₁‖ the next Newton update is about ‖δ₁‖(‖δ₁‖/‖δ₀‖)², which does not hold for Chebyshev
            // updates. (The condition on δ₁ itself keeps an accidentally small δ₁ from counting as convergence.)
            let shrunk = delta2 / self.last;
            let predicted = delta2 * shrunk * shrunk;
            delta2 <= rounding * rounding * size2
                || (B == 0
                    && !self.is_sharp
                    && delta2 <= rounding * size2
                    && predicted <= T::EPSILON * T::EPSILON * size2)
                || (delta2 >= self.last && delta2 <= noise * noise * size2)
        };
        if solved {
            return Ok(true);
        }
        if const { T::DRIVE.updates != 1 }
            && let (&[first, second, third], &[from], &[d]) = (&derivatives()[..], &before[..], &delta[..])
        {
            // With a = F″/(2F′) and b = F‴/(6F′) the error of x + δ is −aδ² + (2a² − b)δ³ + …, where each term is about aδ
            // times the one before. The update includes the first term; it is the last one if the second is rounding.
            let inverse = T::from_f64(1.0) / first;
            let (a, b) = (T::from_f64(0.5) * second * inverse, T::from_f64(1.0 / 6.0) * third * inverse);
            let (a_value, b_value, square) = (a.to_f64(), b.to_f64(), d.to_f64() * d.to_f64());
            let remainder = square * (2.0 * a_value * a_value + b_value.max(-b_value));
            if remainder <= Self::CHEBYSHEV {
                unknowns[0] = from + (d - a * d * d);
                if !self.is_sharp && remainder * remainder * delta2 <= T::EPSILON * T::EPSILON / 256.0 * size2
                {
                    return Ok(true);
                }
            }
        }
        self.last = delta2;
        self.updates += 1;
        if self.updates < Self::MAX_UPDATES {
            Ok(false)
        } else if const { T::DRIVE.checked } {
            Err(not_converged((delta, self.weights), (delta2, size2), self.equations))
        } else {
            Err(Failure::NotConverged)
        }
    }
}

/// The iteration with a safeguard, with its points.
#[derive(Clone, Copy, Debug)]
struct Safeguard<const N: usize> {
    careful: Careful,
    base: [f64; N],
    direction: [f64; N],
    /// Why the plain iteration failed.
    failure: Failure,
    equations: &'static [&'static str],
}

// Not `inline(never)`: of such functions a crate takes the copies of those that it depends on, where the compiler does not see that
// they do not panic.
impl<const N: usize> Safeguard<N> {
    #[cold]
    fn new(
        (scale2, jumps): (f64, bool),
        epsilon: f64,
        (failure, equations): (Failure, &'static [&'static str]),
    ) -> Self {
        let careful = Careful::new(epsilon, scale2, jumps);
        Safeguard { careful, base: [0.0; N], direction: [0.0; N], failure, equations }
    }

    /// The next unknowns, and whether they are the solution.
    // Unknowns are not passed by reference, because they would be kept in memory by the plain iteration too.
    #[cold]
    fn next<T: Scalar>(
        &mut self,
        weights: [f64; N],
        mut unknowns: [T; N],
        delta: [T; N],
    ) -> ([T; N], Result<bool, Failure>) {
        let Safeguard { careful, base, direction, failure, equations } = self;
        let mut x: [f64; N] = array(0.0, |i| unknowns[i].to_f64());
        let d: [f64; N] = array(0.0, |i| delta[i].to_f64());
        let next = careful.next(&mut x, &d, &weights, base, direction);
        for i in 0..N {
            match next {
                Next::At | Next::Enclosed => unknowns[i] = T::from_f64(x[i]),
                Next::Updated | Next::Solved => unknowns[i] = unknowns[i] + delta[i],
                Next::Failed => {}
            }
        }
        let solved = match next {
            Next::At | Next::Updated => Ok(false),
            Next::Solved | Next::Enclosed => Ok(true),
            Next::Failed if matches!(failure, Failure::NotConverged | Failure::Unsolved { .. }) => {
                Err(careful.unsolved((&x, &d, &weights), equations))
            }
            Next::Failed => Err(*failure),
        };
        (unknowns, solved)
    }
}

/// The failure of an iteration without a safeguard, from its last update and the sizes ‖δ‖² and ‖x‖².
// Arrays are passed as values: by reference, the iteration would keep them in memory.
#[cold]
fn not_converged<T: Scalar, const N: usize>(
    (delta, weights): ([T; N], [f64; N]),
    sizes: (f64, f64),
    equations: &'static [&'static str],
) -> Failure {
    let delta: [f64; N] = array(0.0, |i| delta[i].to_f64());
    unsolved((&delta, &weights), sizes, equations, 0)
}

/// The failure of an iteration that leaves the update `delta`, of the size ‖δ‖² beside ‖x‖². The equation is that of the largest part
/// of the update, or of one that is no number.
#[cold]
#[inline]
pub fn unsolved(
    (delta, weights): (&[f64], &[f64]),
    (delta2, size2): (f64, f64),
    equations: &'static [&'static str],
    evaluations: u32,
) -> Failure {
    let (mut largest, mut most) = (0, 0.0);
    for (i, (d, w)) in (0..).zip(delta.iter().zip(weights)) {
        let part = w * d * d;
        if part > most || part.is_nan() {
            (largest, most) = (i, part);
        }
    }
    let residual = Scalar::sqrt(delta2 / size2);
    let residual = if residual.is_finite() { residual } else { f64::INFINITY };
    let equation = Forms::new(equations, 1u64.checked_shl(largest).unwrap_or(0));
    Failure::Unsolved { equation, residual, evaluations }
}

/// (sin x, cos x) of an angle that is usually small. Other angles take longer.
#[inline(always)]
pub fn small_sin_cos<T: Scalar>(x: T) -> (T, T) {
    x.update_sin_cos(SinCosUpdate::Small, x, x, (x, x))
}

/// (sin x, cos x) of an angle that is usually close to `from`, by a rotation of its `sines`, (sin, cos). Other angles take
/// longer.
#[inline(always)]
pub fn rotated_sin_cos<T: Scalar>(x: T, from: T, sines: (T, T)) -> (T, T) {
    x.update_sin_cos(SinCosUpdate::Rotated, from, x, sines)
}

/// (sin x, cos x) of an angle that is predicted to be `from` + `by`, by a correction of the `sines`, (sin, cos), of the
/// prediction. Angles that differ by more than a tiny error take longer.
#[inline(always)]
pub fn corrected_sin_cos<T: Scalar>(x: T, from: T, by: T, sines: (T, T)) -> (T, T) {
    x.update_sin_cos(SinCosUpdate::Corrected, from, by, sines)
}

/// A + XᵀY, with X and Y by rows.
#[inline(always)]
pub fn add_product<T: Scalar, const R: usize, const N: usize, const M: usize>(
    a: &mut [[T; M]; N],
    x: &[[T; N]; R],
    y: &[[T; M]; R],
) {
    for (i, row) in a.iter_mut().enumerate() {
        add_combination(row, &x.map(|x| x[i]), y);
    }
}

/// Adds a linear combination of the rows of Y.
///
/// A function of its own, since compilers vectorise the loop over all rows of a product, with gathers.
#[inline(never)]
fn add_combination<T: Scalar, const R: usize, const M: usize>(row: &mut [T; M], x: &[T; R], y: &[[T; M]; R]) {
    // In registers, packed.
    let mut sums = *row;
    for (&x, y) in x.iter().zip(y) {
        for (sum, &y) in sums.iter_mut().zip(y) {
            *sum = *sum + x * y;
        }
    }
    *row = sums;
}

/// A + XᵀY + YᵀX of a symmetric matrix A, of which only entries on and above the diagonal count.
#[inline(never)]
pub fn add_symmetric_product<T: Scalar, const R: usize, const N: usize>(
    a: &mut [[T; N]; N],
    x: &[[T; N]; R],
    y: &[[T; N]; R],
) {
    for (i, row) in a.iter_mut().enumerate() {
        let mut sums = *row;
        for (x, y) in x.iter().zip(y) {
            for (sum, (&x_j, &y_j)) in sums.iter_mut().zip(x.iter().zip(y)) {
                *sum = *sum + (x[i] * y_j + y[i] * x_j);
            }
        }
        *row = sums;
    }
    for i in 1..N {
        let (above, below) = a.split_at_mut(i);
        for (above, entry) in above.iter().zip(&mut below[0]) {
            *entry = above[i];
        }
    }
}

/// Whether all numbers of `values` are finite; true without a check for scalars with deferred checks.
#[inline(always)]
pub fn finite<T: Scalar, V: Fields<T>>(values: &V) -> bool {
    if const { !T::DRIVE.checked } {
        return true;
    }
    if const { V::LEN > 16 } {
        // Four sums in turn, which do not wait for each other.
        let mut sums = [0.0; 4];
        values.write(&mut |x| {
            let [first, second, third, fourth] = sums;
            sums = [second, third, fourth, first + zero_if_finite(x.to_f64())];
        });
        return sums.iter().sum::<f64>() == 0.0;
    }
    let mut sum = 0.0;
    values.write(&mut |x| sum += zero_if_finite(x.to_f64()));
    sum == 0.0
}

/// Whether all numbers are finite, in a loop; true without one for scalars with deferred checks.
#[inline(never)]
pub fn all_finite<T: Scalar>(values: &[T]) -> bool {
    if const { !T::DRIVE.checked } {
        return true;
    }
    let mut sums = [0.0; 8];
    let (blocks, rest) = values.as_chunks::<8>();
    for block in blocks {
        for (sum, x) in sums.iter_mut().zip(block) {
            *sum += zero_if_finite(x.to_f64());
        }
    }
    let rest: f64 = rest.iter().map(|x| zero_if_finite(x.to_f64())).sum();
    sums.iter().sum::<f64>() + rest == 0.0
}

/// A number, after it is added to a sum of zeros, which it leaves a zero only if it is finite; without that for scalars with
/// deferred checks.
#[inline(always)]
pub fn tested<T: Scalar>(x: T, zero: &mut f64) -> T {
    if const { T::DRIVE.checked } {
        *zero += zero_if_finite(x.to_f64());
    }
    x
}

/// Whether sums of [`tested`] numbers are zero. Several sums in turn do not wait for each other.
#[inline(always)]
pub fn are_zero<const N: usize>(zeros: &[f64; N]) -> bool {
    zeros.iter().sum::<f64>() == 0.0
}

/// Tests that a pivot of a symmetric positive definite elimination is positive by more than the rounding error of its
/// original diagonal entry.
///
/// # Errors
/// `singular`, or [`Failure::NonFinite`] if the pivot or the diagonal entry is not finite.
#[inline]
pub fn pivot<T: Scalar>(pivot: T, diagonal: T, singular: Failure) -> Result<(), Failure> {
    let (pivot, diagonal) = (pivot.to_f64(), diagonal.to_f64());
    if pivot > 16.0 * T::EPSILON * diagonal && pivot > 0.0 {
        Ok(())
    } else if zero_if_finite(pivot) + zero_if_finite(diagonal) == 0.0 {
        Err(singular)
    } else {
        Err(Failure::NonFinite)
    }
}

/// Pivots above this part of their diagonal entry leave the equations of [`saddle_point`] as they are solved by formulas: these lose
/// at most six bits.
pub const REGULAR: f64 = 1.0 / 64.0;

/// Numbers of x and λ of M x = f + μᵀλ, μ x = r, where `equations` returns M (n × n) and μ by rows, and f with r. Where reactions act
/// along other one-forms, M x = f + νᵀλ, ν follows μ.
///
/// They are `known` from formulas with C = μM⁻¹μᵀ if every one of the `pivots` of M and C is large relative to its diagonal entry, the
/// second number of the pair. Otherwise they are computed as [`Saddle`] says. `N` is n, and `places` are those of the results in (x, λ).
/// Unless it `SOLVES` equations so, it fails where a pivot is small, and steps without checks do so too: they are repeated with checks.
///
/// # Errors
/// As [`Saddle::solve`], and those of `equations`.
#[inline(always)]
pub fn saddle_point<
    T: Scalar,
    const SOLVES: bool,
    const N: usize,
    const K: usize,
    const P: usize,
    const A: usize,
    const B: usize,
    const R: usize,
>(
    places: [usize; K],
    known: [T; K],
    pivots: [[T; 2]; P],
    equations: impl FnOnce() -> Result<([T; A], [T; B], [T; R]), Failure>,
) -> Result<[T; K], Failure> {
    let mut is_regular = true;
    for [pivot, diagonal] in pivots {
        // Pivots before it are positive, so that a negative diagonal entry is not above the pivot.
        is_regular &= pivot.to_f64() > REGULAR * diagonal.to_f64();
    }
    if const { T::DRIVE.side_by_side } {
        let nan = T::from_f64(f64::NAN);
        return Ok(array(nan, |i| if is_regular { known[i] } else { nan }));
    }
    if is_regular {
        return Ok(known);
    }
    if const { !(SOLVES && T::DRIVE.checked) } {
        return Err(Failure::NonFinite);
    }
    let solution = careful_saddle_point::<T, N, A, B, R>(equations()?)?;
    let mut results = known;
    let of_places = places.iter().filter_map(|&place| solution.get(place));
    results.iter_mut().zip(of_places).for_each(|(result, x)| *result = *x);
    Ok(results)
}

/// Whether a step that fails is taken again by one that solves linear equations without formulas where these lose digits.
pub const fn repeats_carefully<T: Scalar>() -> bool {
    T::DRIVE.checked && !T::DRIVE.side_by_side
}

/// x and λ.
// Not `inline(never)`, like the functions of `Safeguard`.
#[cold]
fn careful_saddle_point<T: Scalar, const N: usize, const A: usize, const B: usize, const R: usize>(
    (mut mass, mut mu, mut rhs): ([T; A], [T; B], [T; R]),
) -> Result<[T; R], Failure> {
    let (mut scales, mut order) = ([[0.0; N]; 2], [[0; R]; 2]);
    let (sizes, scales, order) = (&mut [0.0; B], scales.as_flattened_mut(), order.as_flattened_mut());
    Saddle { n: N, mass: &mut mass, mu: &mut mu, rhs: &mut rhs, sizes, scales, order }.solve()?;
    Ok(rhs)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Newton's method for f = 0 from `x`: the solution and the number of updates.
    fn solve<T: Scalar>(
        mut newton: Newton<1>,
        x: f64,
        update: impl Fn(T) -> T,
    ) -> Result<(f64, u32), Failure> {
        let mut x = [T::from_f64(x)];
        for updates in 1..1000 {
            let delta = update(x[0]);
            if newton.update(&mut x, [delta], || [])? {
                return Ok((x[0].to_f64(), updates));
            }
        }
        unreachable!("more updates than are allowed")
    }

    /// Whether an iteration has failed with this residual, up to one per cent.
    fn leaves(found: &Result<(f64, u32), Failure>, expected: f64) -> bool {
        match found {
            Err(Failure::Unsolved { residual, evaluations: 0, .. }) => {
                (residual - expected).abs() < 1e-2 * expected
            }
            _ => false,
        }
    }

    fn root_of_two<T: Scalar>(x: T) -> T {
        let two = T::from_f64(2.0);
        (two - x * x) / (two * x)
    }

    #[test]
    fn quadratic_convergence_is_not_confirmed_by_a_superfluous_update() {
        // Relative updates from 1.4: 1e-2, 5e-5, 1.3e-9; the next would be 8e-19.
        let (x, updates) = solve(Newton::new(), 1.4, root_of_two::<f64>).unwrap();
        assert!((x - 2f64.sqrt()).abs() <= 2.0 * f64::EPSILON, "{x}");
        assert_eq!(updates, 3);
        let (x, updates) = solve(Newton::new(), 1.4, root_of_two::<f32>).unwrap();
        assert!((x - 2f64.sqrt()).abs() <= f64::from(2.0 * f32::EPSILON), "{x}");
        assert!(updates <= 3, "{updates}");
    }

    #[test]
    fn a_good_guess_is_updated_once() {
        // Relative updates: 1.3e-9, after which 8e-19 is left, and 2.7e-9.
        let guess = 2f64.sqrt() * (1.0 + 1.3e-9);
        let (x, updates) = solve(Newton::new(), guess, root_of_two::<f64>).unwrap();
        assert!((x - 2f64.sqrt()).abs() <= 2.0 * f64::EPSILON, "{x}");
        assert_eq!(updates, 1);
        let guess = 2f64.sqrt() * (1.0 + 2.7e-9);
        let (x, updates) = solve(Newton::new(), guess, root_of_two::<f64>).unwrap();
        assert!((x - 2f64.sqrt()).abs() <= 2.0 * f64::EPSILON, "{x}");
        assert_eq!(updates, 2);
    }

    /// The solution of F = 0 by Chebyshev updates, where `derivatives` returns F, F′, F″ and F‴, and the number of
    /// updates.
    fn solve_chebyshev(guess: f64, derivatives: impl Fn(f64) -> [f64; 4]) -> Result<(f64, u32), Failure> {
        let updates = core::cell::Cell::new(0);
        let ([x], []) = Newton::new().solve([guess], |[x]| {
            updates.set(updates.get() + 1);
            let [f, rest @ ..] = derivatives(x);
            Ok(([-f / rest[0]], move || rest, []))
        })?;
        Ok((x, updates.get()))
    }

    #[test]
    fn chebyshev_updates_converge_from_worse_guesses() {
        // From a relative error of 1e-5 Newton's method leaves 5e-11, Chebyshev's 5e-16/2.
        let square = |x: f64| [x * x - 2.0, 2.0 * x, 2.0, 0.0];
        for (off, most) in [(1e-9, 1), (1e-5, 2), (2e-6, 1), (1e-3, 2), (0.3, 3)] {
            let (x, updates) = solve_chebyshev(2f64.sqrt() * (1.0 + off), square).unwrap();
            assert!((x - 2f64.sqrt()).abs() <= 2.0 * f64::EPSILON, "{off} {x}");
            assert_eq!(updates, most, "{off}");
        }
    }

    #[test]
    fn a_chebyshev_update_is_the_last_if_the_third_order_is_rounding() {
        // x + k sin ωx = y has no second derivative at 0, x + k cos ωx = y no third one.
        let mut once = 0;
        for i in 0..4000_u32 {
            let f = f64::from(i);
            let (k, w) = (0.4 * (0.37 * f).sin(), 2.0 + (0.61 * f).cos());
            let x = if i % 3 == 0 { 0.0 } else { 3.0 * (0.93 * f).sin() };
            let (sine, phase) = (i % 2 == 0, w * x);
            let value = |x: f64| if sine { x + k * (w * x).sin() } else { x + k * (w * x).cos() };
            let y = value(x);
            let derivatives = |x: f64| {
                let (s, c) = (w * x).sin_cos();
                let (f0, f1) = if sine { (s, c) } else { (c, -s) };
                [value(x) - y, 1.0 + k * w * f1, -k * w * w * f0, -k * w * w * w * f1]
            };
            if derivatives(x)[1] < 0.2 {
                continue;
            }
            let off = 10f64.powi(-(i as i32 % 9) - 1) * if i % 5 < 2 { 1.0 } else { -1.0 };
            let Ok((found, updates)) = solve_chebyshev(x + off, derivatives) else { continue };
            // Rounding errors of F are divided by F′.
            let most = 16.0 * f64::EPSILON * (1.0 + x.abs());
            let other = (value(found) - y).abs() <= 4.0 * f64::EPSILON * (1.0 + y.abs());
            assert!(
                (found - x).abs() <= most || (off.abs() > 1e-2 && other),
                "{i} {off} {phase}: {found} {x}"
            );
            once += usize::from(updates == 1 && off.abs() > 1e-7);
        }
        assert!(once > 200, "{once}");
    }

    #[test]
    fn chebyshev_updates_propagate_derivatives() {
        use crate::Dual;

        let y = Dual::<f64>::variable(2.0, 0);
        let guess = Dual::<f64>::constant(1.4);
        let two = Dual::constant(2.0);
        let ([x], []) = Newton::new()
            .solve([guess], |[x]| {
                Ok(([(y - x * x) / (x + x)], move || [two * x, two, Dual::constant(0.0)], []))
            })
            .unwrap();
        let (alone, _) = solve_chebyshev(1.4, |x| [x * x - 2.0, 2.0 * x, 2.0, 0.0]).unwrap();
        assert_eq!(x.re.to_bits(), alone.to_bits());
        assert!((x.eps[0] - 0.125f64.sqrt()).abs() < 4e-16, "{x:?}");
    }

    #[test]
    fn derivatives_of_the_solution_converge() {
        use crate::Dual;

        /// √y by Newton updates in numbers T.
        fn root<T: Scalar>(y: T) -> T {
            let (mut newton, mut x) = (Newton::<1>::new(), [T::from_f64(1.4)]);
            loop {
                let delta = (y - x[0] * x[0]) / (x[0] + x[0]);
                if newton.update(&mut x, [delta], || []).unwrap() {
                    return x[0];
                }
            }
        }
        let (value, close) = (root(2.0_f64), |x: f64, y: f64| (x - y).abs() < 4e-16);
        let once = root(Dual::<f64>::variable(2.0, 0));
        assert_eq!(once.re.to_bits(), value.to_bits());
        assert!(close(once.eps[0], 0.125f64.sqrt()), "{once:?}");
        let twice = root(Dual::<Dual<f64>> { re: Dual::variable(2.0, 0), eps: [Dual::constant(1.0)] });
        assert_eq!(twice.re.re.to_bits(), value.to_bits());
        assert!(
            close(twice.eps[0].re, 0.125f64.sqrt()) && close(twice.re.eps[0], 0.125f64.sqrt()),
            "{twice:?}"
        );
        assert!(close(twice.eps[0].eps[0], -(1.0f64 / 128.0).sqrt()), "{twice:?}");
    }

    #[test]
    fn an_iteration_that_fails_restarts_from_the_fallback() {
        let root = |[x]: [f64; 1]| Ok(([root_of_two(x)], || [], []));
        // From 0 the update is not finite.
        assert_eq!(Newton::new().solve([0.0], root), Err(Failure::NonFinite));
        let near = Newton::new().solve([1.4], root);
        assert_eq!(Newton::new().solve_or([0.0], [1.4], root), near);
        assert_eq!(Newton::new().solve_or([1.4], [0.0], root), near);
        assert_eq!(Newton::new().solve_or([0.0], [0.0], root), Err(Failure::NonFinite));
        // A cycle above 0.3.
        let cycle = |[x]: [f64; 1]| {
            let update = if x > 0.5 {
                -0.1
            } else if x > 0.3 {
                0.1
            } else {
                -x
            };
            Ok(([update], || [], []))
        };
        assert_eq!(Newton::new().solve_or([0.45], [0.2], cycle), Ok(([0.0], [])));
    }

    #[test]
    fn linear_convergence_is_iterated_to_the_end() {
        // At a double root every update halves the error: a small update does not imply convergence.
        let (x, _) = solve(Newton::new(), 2.0, |x: f64| (1.0 - x) / 2.0).unwrap();
        assert!((x - 1.0).abs() < 4e-14, "{x}");
    }

    #[test]
    fn an_exact_guess_is_accepted_at_once() {
        assert_eq!(solve(Newton::new(), 0.0, |_: f64| 0.0), Ok((0.0, 1)));
    }

    #[test]
    fn updates_that_stagnate_at_rounding_are_convergence() {
        // An ill-conditioned equation: at the solution updates are noise of 3e-12.
        let mut noise = core::iter::successors(Some(3e-12), |x: &f64| Some(-x));
        let mut x = [1.0];
        let mut newton = Newton::new();
        let solved = noise.by_ref().take(3).any(|d| newton.update(&mut x, [d], || []).unwrap());
        assert!(solved);
        // Larger alternating updates are a cycle.
        let cycle = solve(Newton::new(), 0.5, |x: f64| if x > 0.5 { -1e-3 } else { 1e-3 });
        assert!(leaves(&cycle, 1e-3 / 1.25f64.sqrt()), "{cycle:?}");
    }

    #[test]
    fn divergence_is_reported() {
        assert_eq!(solve(Newton::new(), 1.0, |x: f64| x * x + 1.0), Err(Failure::NonFinite));
        assert_eq!(solve(Newton::new(), 1.0, |_: f64| f64::NAN), Err(Failure::NonFinite));
        // x² + 1 has no root: the iterates are erratic.
        let erratic = solve(Newton::new(), 0.7, |x: f64| -(x * x + 1.0) / (2.0 * x));
        assert!(matches!(erratic, Err(Failure::Unsolved { residual, .. }) if residual > 0.1), "{erratic:?}");
    }

    #[test]
    fn weights_make_the_criterion_independent_of_units() {
        // A vanishing impulse on a body of mass 1e9 with velocity 1: every update is the rounding error of
        // the momentum, 1e-7, which is not small relative to the impulse.
        let updates = |x: f64| if x > 0.0 { -1e-7 } else { 1e-7 };
        let failed = solve(Newton::new(), 0.0, updates);
        assert!(leaves(&failed, 1e-7), "{failed:?}");
        let by_mass = Newton::weighted([1e-9], 1e9);
        assert_eq!(solve(by_mass, 0.0, updates), Ok((1e-7, 1)));
        // On a mass of 1e-9, where impulses are 1e-9, an update of 1e-14 is not small.
        let halves = |x: f64| (1e-9 - x) / 2.0;
        let (x, _) = solve(Newton::weighted([1e9], 1e-9), 0.0, halves).unwrap();
        assert!((x - 1e-9).abs() < 4e-14 * 1e-9, "{x}");
    }

    #[test]
    fn small_pivots_and_non_finite_results_are_refused() {
        fn test<T: Scalar>(x: T, diagonal: T) -> Result<(), Failure> {
            pivot(x, diagonal, Failure::SingularMass)
        }
        for regular in [(1.0, 1.0), (1e-12, 1.0), (1e-300, 1e-300)] {
            assert_eq!(test(regular.0, regular.1), Ok(()), "{regular:?}");
        }
        for singular in [(1e-16, 1.0), (0.0, 0.0), (-1.0, -1.0)] {
            assert_eq!(test(singular.0, singular.1), Err(Failure::SingularMass), "{singular:?}");
        }
        for blown_up in [(f64::NAN, 1.0), (1.0, f64::NAN), (f64::INFINITY, f64::INFINITY)] {
            assert_eq!(test(blown_up.0, blown_up.1), Err(Failure::NonFinite), "{blown_up:?}");
        }
        assert_eq!(test(1e-5_f32, 1.0), Ok(()));
        assert_eq!(test(1e-7_f32, 1.0), Err(Failure::SingularMass));
        assert!(finite(&[1.0, -2.0]) && finite::<f64, [f64; 0]>(&[]));
        assert!(!finite(&[1.0, f64::NAN]) && !finite(&[f32::NEG_INFINITY]));
    }
}
