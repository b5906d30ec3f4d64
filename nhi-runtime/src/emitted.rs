//! What emitted code calls, and what measures it; nothing for people to use.

pub use crate::__fields as fields;
use crate::fields::array;
pub use crate::isa::use_plain_instructions;
use crate::unchecked::zero_if_finite;
use crate::{Failure, Fields, Scalar};

/// Convergence control of a Newton iteration for `N` unknowns.
///
/// Updates are measured in one norm, ‖x‖² = Σ wᵢxᵢ², in which unknowns of different units can be
/// compared: with the masses Mᵢᵢ for velocities and (μM⁻¹μᵀ)ₐₐ for impulses it is twice a kinetic
/// energy. An update is small if it is beside x *and* beside what x is added to: an impulse that
/// vanishes is known when its effect on the velocity is.
#[derive(Clone, Copy, Debug)]
pub struct Newton<const N: usize> {
    weights: [f64; N],
    beside: f64,
    /// ‖δ‖² of the last update.
    last: f64,
    updates: u32,
    /// Iterations for derivatives that are due, of a scalar that has them, once it is solved.
    due: Option<u32>,
}

impl<const N: usize> Default for Newton<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> Newton<N> {
    /// More updates mean that the iteration does not converge: where it does, four or five do.
    const MOST_UPDATES: u32 = 50;

    /// Of (aδ)², for updates of second order: above it Newton's own are as good.
    const MOST_BENT: f64 = 1.0 / 16.0;

    /// For unknowns of order one: updates are relative to 1 + ‖x‖².
    #[inline]
    pub const fn new() -> Self {
        Newton { weights: [1.0; N], beside: 1.0, last: f64::INFINITY, updates: 0, due: None }
    }

    /// Updates are relative to `beside` + ‖x‖² in the norm with the given weights.
    #[inline]
    pub fn weighted<T: Scalar>(weights: [T; N], beside: T) -> Self {
        Newton { weights: array(0.0, |i| weights[i].to_f64()), beside: beside.to_f64(), ..Self::new() }
    }

    /// The solution near `guess` of the equations for which `update` gives the update −J⁻¹F of unknowns, with the numbers
    /// that the last `update` returned beside it. Of one equation F = 0 for one unknown it may give F′, F″
    /// and F‴ too, between the two, for updates of second order, δ − δ² F″/(2F′) (Chebyshev's method).
    ///
    /// # Errors
    /// [`Failure::NonFinite`], [`Failure::NotConverged`] and those of `update`.
    #[inline(always)]
    pub fn solve<T: Scalar, G: FnOnce() -> [T; B], const B: usize, const K: usize>(
        self,
        guess: [T; N],
        update: impl Fn([T; N]) -> Result<([T; N], G, [T; K]), Failure>,
    ) -> Result<([T; N], [T; K]), Failure> {
        self.iterate(guess, None, update)
    }

    /// The same, or the solution near `otherwise` where that is nearer than `guess`, which is far off, or the iteration
    /// does not converge from `guess`.
    ///
    /// # Errors
    /// As [`Newton::solve`].
    #[inline(always)]
    pub fn solve_or<T: Scalar, G: FnOnce() -> [T; B], const B: usize, const K: usize>(
        self,
        guess: [T; N],
        otherwise: [T; N],
        update: impl Fn([T; N]) -> Result<([T; N], G, [T; K]), Failure>,
    ) -> Result<([T; N], [T; K]), Failure> {
        self.iterate(guess, Some(otherwise), update)
    }

    /// From `unknowns`, or from `otherwise` if that is nearer, or the iteration fails.
    #[inline(always)]
    fn iterate<T: Scalar, G: FnOnce() -> [T; B], const B: usize, const K: usize>(
        mut self,
        mut unknowns: [T; N],
        mut otherwise: Option<[T; N]>,
        update: impl Fn([T; N]) -> Result<([T; N], G, [T; K]), Failure>,
    ) -> Result<([T; N], [T; K]), Failure> {
        if const { T::UPDATES > 0 } {
            let nothing = T::from_f64(f64::NAN);
            let (mut solved, mut kept) = (false, [nothing; K]);
            self.update_unless(&mut solved, &mut unknowns, &mut kept, &update);
            let is_nearer = !solved && self.is_nearer(&unknowns, &otherwise);
            if const { T::UPDATES > 2 } {
                self.update_unless(&mut solved, &mut unknowns, &mut kept, &update);
            }
            return if solved && !is_nearer { Ok((unknowns, kept)) } else { Err(Failure::NotConverged) };
        }
        let (fresh, mut kept) = (self, [T::from_f64(f64::NAN); K]);
        loop {
            let updated = update(unknowns).and_then(|(delta, slopes, keep)| {
                // Iterations for derivatives leave values as they are.
                if self.due.is_none() {
                    kept = keep;
                }
                self.update(&mut unknowns, delta, slopes)
            });
            let failure = match updated {
                Ok(true) => return Ok((unknowns, kept)),
                Ok(false) if self.updates != 1 || !self.is_nearer(&unknowns, &otherwise) => continue,
                Ok(false) => Failure::NotConverged,
                Err(failure) => failure,
            };
            match otherwise.take() {
                Some(guess) => (self, unknowns) = (fresh, guess),
                None => return Err(failure),
            }
        }
    }

    /// After the first update, whether `otherwise` was nearer to what it led to than the guess was, which was so far
    /// off that it matters: after updates below 10⁻³ come few others.
    #[inline(always)]
    fn is_nearer<T: Scalar>(&self, unknowns: &[T; N], otherwise: &Option<[T; N]>) -> bool {
        let Some(otherwise) = otherwise else { return false };
        let (mut distance2, mut size2) = (0.0, self.beside);
        for ((x, y), w) in unknowns.iter().zip(otherwise).zip(self.weights) {
            let (x, y) = (x.to_f64(), y.to_f64());
            distance2 += w * (x - y) * (x - y);
            size2 += w * x * x;
        }
        distance2 < self.last && 1e-6 * size2 < self.last
    }

    /// The next update, which counts unless the unknowns are `solved` for already; without branches.
    #[inline(always)]
    fn update_unless<T: Scalar, G: FnOnce() -> [T; B], const B: usize, const K: usize>(
        &mut self,
        solved: &mut bool,
        unknowns: &mut [T; N],
        kept: &mut [T; K],
        update: &impl Fn([T; N]) -> Result<([T; N], G, [T; K]), Failure>,
    ) {
        let mut next = *unknowns;
        let nothing = T::from_f64(f64::NAN);
        let (keep, now) = match update(next) {
            Ok((delta, slopes, keep)) => (keep, self.values(&mut next, delta, slopes).unwrap_or(false)),
            Err(_) => ([nothing; K], false),
        };
        // Two loops: a chain of both would not be unrolled.
        for (x, next) in unknowns.iter_mut().zip(next) {
            *x = if *solved { *x } else { next };
        }
        for (x, keep) in kept.iter_mut().zip(keep) {
            *x = if *solved { *x } else { keep };
        }
        *solved |= now;
    }

    /// Adds `delta` to the unknowns; true when they are solved for.
    #[inline]
    fn update<T: Scalar, const B: usize>(
        &mut self,
        unknowns: &mut [T; N],
        delta: [T; N],
        slopes: impl FnOnce() -> [T; B],
    ) -> Result<bool, Failure> {
        if T::DERIVATIVES == 0 {
            return self.values(unknowns, delta, slopes);
        }
        // At the solution x of F(x, θ) = 0 the derivative of the update δ = −J⁻¹F is −x' − J⁻¹F_θ, so that
        // that of x + δ is right whatever x' was. Each iteration settles one more order of derivatives;
        // values stay those of a scalar without them.
        match &mut self.due {
            None => {
                if self.values(unknowns, delta, slopes)? {
                    self.due = Some(T::DERIVATIVES);
                }
                Ok(false)
            }
            Some(due) => {
                for (x, d) in unknowns.iter_mut().zip(delta) {
                    *x = *x + (d - T::from_f64(d.to_f64()));
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
        slopes: impl FnOnce() -> [T; B],
    ) -> Result<bool, Failure> {
        let before = *unknowns;
        let mut delta2 = 0.0;
        let mut size2 = self.beside;
        for ((x, d), w) in unknowns.iter_mut().zip(delta).zip(self.weights) {
            *x = *x + d;
            delta2 += w * d.to_f64() * d.to_f64();
            size2 += w * x.to_f64() * x.to_f64();
        }
        // Neither is negative.
        if !(delta2 + size2).is_finite() {
            return Err(Failure::NonFinite);
        }
        // For f64 1.4e-14, and 1.5e-11 for updates that have stopped shrinking.
        let rounding = 64.0 * T::EPSILON;
        let noise = 65536.0 * T::EPSILON;
        // The iteration converges quadratically: in units of `size2` the update after δ₀ is C‖δ₀‖², with C of
        // order one, since what updates change the equations by are angles of a step. After a δ₀ so small that
        // the next one is rounding with C = 64 too, it need not be computed.
        let solved = if self.updates == 0 {
            delta2 <= T::EPSILON / 64.0 * size2
        } else {
            // After ‖δ₀‖, ‖δ₁‖ the next update is about ‖δ₁‖(‖δ₁‖/‖δ₀‖)², but for those of second order. (The second
            // condition keeps an accidentally small δ₁ from being taken for convergence.)
            let shrunk = delta2 / self.last;
            let predicted = delta2 * shrunk * shrunk;
            delta2 <= rounding * rounding * size2
                || (B == 0 && delta2 <= rounding * size2 && predicted <= T::EPSILON * T::EPSILON * size2)
                || (delta2 >= self.last && delta2 <= noise * noise * size2)
        };
        if solved {
            return Ok(true);
        }
        if const { T::UPDATES != 1 }
            && let (&[slope, second, third], &[from], &[d]) = (&slopes()[..], &before[..], &delta[..])
        {
            // With a = F″/(2F′) and b = F‴/(6F′) −aδ² + (2a² − b)δ³ + … is missing at x + δ: each term is about aδ times
            // the one before. The first of them is added, and the second one may be rounding.
            let inverse = T::from_f64(1.0) / slope;
            let (a, b) = (T::from_f64(0.5) * second * inverse, T::from_f64(1.0 / 6.0) * third * inverse);
            let (bend, twist, square) = (a.to_f64(), b.to_f64(), d.to_f64() * d.to_f64());
            let missing = square * (2.0 * bend * bend + twist.max(-twist));
            if missing <= Self::MOST_BENT {
                unknowns[0] = from + (d - a * d * d);
                if missing * missing * delta2 <= T::EPSILON * T::EPSILON / 256.0 * size2 {
                    return Ok(true);
                }
            }
        }
        self.last = delta2;
        self.updates += 1;
        if self.updates >= Self::MOST_UPDATES { Err(Failure::NotConverged) } else { Ok(false) }
    }
}

/// All numbers of `values` are finite, or nobody wants to know.
#[inline(always)]
pub fn finite<T: Scalar>(values: &impl Fields<T>) -> bool {
    let mut sum = 0.0;
    if T::CHECKED {
        values.write(&mut |x| sum += zero_if_finite(x.to_f64()));
    }
    sum == 0.0
}

/// A pivot of a symmetric positive definite elimination is positive by more than the rounding of
/// the diagonal entry that it was; not a number is not.
#[inline]
pub fn regular<T: Scalar>(pivot: T, diagonal: T) -> bool {
    let (pivot, diagonal) = (pivot.to_f64(), diagonal.to_f64());
    pivot > 16.0 * T::EPSILON * diagonal && pivot > 0.0
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

    /// The solution of F = 0 by updates of second order, where `slopes` is F, F′, F″ and F‴, and the number of
    /// updates.
    fn solve_bent(guess: f64, slopes: impl Fn(f64) -> [f64; 4]) -> Result<(f64, u32), Failure> {
        let updates = core::cell::Cell::new(0);
        let ([x], []) = Newton::new().solve([guess], |[x]| {
            updates.set(updates.get() + 1);
            let [f, rest @ ..] = slopes(x);
            Ok(([-f / rest[0]], move || rest, []))
        })?;
        Ok((x, updates.get()))
    }

    #[test]
    fn updates_of_second_order_reach_farther() {
        // Relative errors: 1e-5, of which 5e-11 would be left by Newton's method and 5e-16/2 is by its second order.
        let square = |x: f64| [x * x - 2.0, 2.0 * x, 2.0, 0.0];
        for (off, most) in [(1e-9, 1), (1e-5, 2), (2e-6, 1), (1e-3, 2), (0.3, 3)] {
            let (x, updates) = solve_bent(2f64.sqrt() * (1.0 + off), square).unwrap();
            assert!((x - 2f64.sqrt()).abs() <= 2.0 * f64::EPSILON, "{off} {x}");
            assert_eq!(updates, most, "{off}");
        }
    }

    #[test]
    fn updates_of_second_order_are_accepted_where_the_third_order_is_rounding() {
        // x + k sin ωx = y and x + k cos ωx = y, of which one has no second derivative at 0, the other no third one.
        let mut once = 0;
        for i in 0..4000_u32 {
            let f = f64::from(i);
            let (k, w) = (0.4 * (0.37 * f).sin(), 2.0 + (0.61 * f).cos());
            let x = if i % 3 == 0 { 0.0 } else { 3.0 * (0.93 * f).sin() };
            let (sine, phase) = (i % 2 == 0, w * x);
            let value = |x: f64| if sine { x + k * (w * x).sin() } else { x + k * (w * x).cos() };
            let y = value(x);
            let slopes = |x: f64| {
                let (s, c) = (w * x).sin_cos();
                let (f0, f1) = if sine { (s, c) } else { (c, -s) };
                [value(x) - y, 1.0 + k * w * f1, -k * w * w * f0, -k * w * w * w * f1]
            };
            if slopes(x)[1] < 0.2 {
                continue;
            }
            let off = 10f64.powi(-(i as i32 % 9) - 1) * if i % 5 < 2 { 1.0 } else { -1.0 };
            let Ok((found, updates)) = solve_bent(x + off, slopes) else { continue };
            // Roundings of F are divided by F′.
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
    fn updates_of_second_order_have_derivatives_too() {
        use crate::Dual;

        let y = Dual::<f64>::variable(2.0, 0);
        let guess = Dual::<f64>::constant(1.4);
        let two = Dual::constant(2.0);
        let ([x], []) = Newton::new()
            .solve([guess], |[x]| {
                Ok(([(y - x * x) / (x + x)], move || [two * x, two, Dual::constant(0.0)], []))
            })
            .unwrap();
        let (alone, _) = solve_bent(1.4, |x| [x * x - 2.0, 2.0 * x, 2.0, 0.0]).unwrap();
        assert_eq!(x.re.to_bits(), alone.to_bits());
        assert!((x.eps[0] - 0.125f64.sqrt()).abs() < 4e-16, "{x:?}");
    }

    #[test]
    fn derivatives_of_the_solution_are_solved_for_too() {
        use crate::Dual;

        /// √y by updates in which y is a number T.
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
    fn an_iteration_that_fails_starts_again_from_elsewhere() {
        let root = |[x]: [f64; 1]| Ok(([root_of_two(x)], || [], []));
        // Not finite from 0.
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
    fn linear_convergence_is_followed_to_the_end() {
        // A double root halves the error at every step: a small update promises nothing.
        let (x, _) = solve(Newton::new(), 2.0, |x: f64| (1.0 - x) / 2.0).unwrap();
        assert!((x - 1.0).abs() < 4e-14, "{x}");
    }

    #[test]
    fn a_solution_that_is_met_is_known_at_once() {
        assert_eq!(solve(Newton::new(), 0.0, |_: f64| 0.0), Ok((0.0, 1)));
    }

    #[test]
    fn updates_that_stay_at_rounding_are_convergence() {
        // An ill-conditioned equation: after the solution updates are 3e-12 of noise.
        let mut noise = core::iter::successors(Some(3e-12), |x: &f64| Some(-x));
        let mut x = [1.0];
        let mut newton = Newton::new();
        let solved = noise.by_ref().take(3).any(|d| newton.update(&mut x, [d], || []).unwrap());
        assert!(solved);
        // Above that it is a cycle.
        let cycle = solve(Newton::new(), 0.5, |x: f64| if x > 0.5 { -1e-3 } else { 1e-3 });
        assert_eq!(cycle, Err(Failure::NotConverged));
    }

    #[test]
    fn divergence_is_reported() {
        assert_eq!(solve(Newton::new(), 1.0, |x: f64| x * x + 1.0), Err(Failure::NonFinite));
        assert_eq!(solve(Newton::new(), 1.0, |_: f64| f64::NAN), Err(Failure::NonFinite));
        // x² + 1 has no root; Newton's method wanders.
        let wanders = solve(Newton::new(), 0.7, |x: f64| -(x * x + 1.0) / (2.0 * x));
        assert_eq!(wanders, Err(Failure::NotConverged));
    }

    #[test]
    fn weights_make_the_criterion_independent_of_units() {
        // A vanishing impulse on a body of mass 1e9 with velocity 1: every update is rounding of
        // the momentum, 1e-7, though it is no rounding of the impulse.
        let updates = |x: f64| if x > 0.0 { -1e-7 } else { 1e-7 };
        assert_eq!(solve(Newton::new(), 0.0, updates), Err(Failure::NotConverged));
        let by_mass = Newton::weighted([1e-9], 1e9);
        assert_eq!(solve(by_mass, 0.0, updates), Ok((1e-7, 1)));
        // On a mass of 1e-9, where impulses are 1e-9, an update of 1e-14 is none.
        let halves = |x: f64| (1e-9 - x) / 2.0;
        let (x, _) = solve(Newton::weighted([1e9], 1e-9), 0.0, halves).unwrap();
        assert!((x - 1e-9).abs() < 4e-14 * 1e-9, "{x}");
    }

    #[test]
    fn pivots_and_results_that_are_not_numbers_are_refused() {
        assert!(regular(1.0, 1.0) && regular(1e-12, 1.0) && regular(1e-300, 1e-300));
        assert!(!regular(1e-16, 1.0) && !regular(0.0, 0.0) && !regular(-1.0, -1.0));
        assert!(!regular(f64::NAN, 1.0) && !regular(1.0, f64::NAN) && !regular(f64::INFINITY, f64::INFINITY));
        assert!(regular(1e-5_f32, 1.0) && !regular(1e-7_f32, 1.0));
        assert!(finite(&[1.0, -2.0]) && finite::<f64>(&[0.0; 0]));
        assert!(!finite(&[1.0, f64::NAN]) && !finite(&[f32::NEG_INFINITY]));
    }
}
