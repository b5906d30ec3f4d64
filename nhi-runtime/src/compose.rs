//! Higher order by composition of symmetric methods.

mod derivatives;

use crate::{CoefficientFault, Error, Failure, Method, Scalar, StepTraits, System};
use nhi_methods::Composition;

/// A symmetric one-step map on the constraint manifold: what [`Compose`] can raise the order of.
///
/// Symmetric means that the step −h undoes the step h, and one-step map that the state is a point
/// (q, v) of the constraint manifold, which the step h = 0 leaves where it is.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be composed",
    label = "not a symmetric one-step map on the constraint manifold",
    note = "`Dla2`, `Dla2Midpoint`, `DlaRattle` and `DlaRattleMidpoint` can, on groups `Rdp` and `RdpMidpoint`",
    note = "with `Ccsk` these are not symmetric, because its τ(−x) is not τ(x)⁻¹; with `Exp` and `Cayley` they are",
    note = "`RdpLeft` and `RdpRight` are not symmetric",
    note = "`Rattle` and the other reflecting methods carry a momentum beside (q, v), which the \
            step h = 0 reflects: composed they stay of order 2",
    note = "`RattleRestarted` is not symmetric",
    note = "`Dla1` and `Dla1Adjoint` are not symmetric; half a step of the one after half a step of \
            the other is `Dla2` or `DlaRattle` (constant mass matrix)",
    note = "Runge–Kutta methods are not symmetric and leave the constraint manifold"
)]
pub trait Symmetric {
    /// Ids of the compositions of this method.
    const COMPOSED: ComposedIds;
}

macro_rules! ids {
    ([] $(
        $(#[$doc:meta])*
        $name:ident $constructor:ident $suffix:literal $n:literal substeps [$($gamma:literal),*];
    )*) => {
        /// Ids of the compositions of one method, such as `dla2_suzuki4`.
        #[derive(Clone, Copy, Debug)]
        #[expect(missing_docs, reason = "one per constructor of `Compose`")]
        pub struct ComposedIds {
            $(pub $constructor: &'static str,)*
            pub symmetric: &'static str,
        }

        /// `composed_ids!("rdp" "_cay")`: the ids of the compositions of `rdp_cay`.
        macro_rules! composed_ids {
            ($id:literal $retraction:literal) => {
                $crate::ComposedIds {
                    $($constructor: concat!($id, $retraction, $suffix),)*
                    symmetric: concat!($id, $retraction, "_symmetric"),
                }
            };
        }
        pub(crate) use composed_ids;
    };
}

nhi_methods::for_each_composition!(ids);

/// A symmetric method of order 2, Φ, composed to a higher order:
///
/// ```text
/// Ψ_h = Φ_{γ_N h} ∘ … ∘ Φ_{γ_1 h},   γ_i = γ_{N+1−i},   Σ γ_i = 1.
/// ```
///
/// One step of size h takes N steps of Φ; the i-th begins at time t + h Σ_{j<i} γ_j, and the inputs
/// are held over all of them. Ψ is again symmetric and keeps what every Φ keeps: the constraints,
/// and the momenta of horizontal symmetries. Some γ_i are negative or greater than 1, so substeps
/// leave the interval from t to t + h, and h has to be small beside what the largest |γ_i| h allows.
///
/// | constructor | order | substeps | largest \|γ\| |
/// |---|---|---|---|
/// | [`triple4`](Self::triple4) | 4 | 3 | 1.70 |
/// | [`suzuki4`](Self::suzuki4) | 4 | 5 | 0.66 |
/// | [`yoshida6`](Self::yoshida6) | 6 | 7 | 1.32 |
/// | [`kahanli6`](Self::kahanli6) | 6 | 9 | 0.80 |
/// | [`suzukiumeno8`](Self::suzukiumeno8) | 8 | 15 | 0.80 |
/// | [`kahanli8`](Self::kahanli8) | 8 | 17 | 0.56 |
///
/// The coefficients are collected in Hairer, Lubich and Wanner, *Geometric Numerical Integration*,
/// section V.3.2. [`Compose::symmetric`] takes others.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Compose<M, const N: usize> {
    base: M,
    gamma: [f64; N],
    id: &'static str,
}

/// One constructor per set of coefficients.
macro_rules! constructors {
    ([] $(
        $(#[$doc:meta])*
        $name:ident $constructor:ident $suffix:literal $n:literal substeps [$($gamma:literal),*];
    )*) => {$(
        impl<M: Symmetric> Compose<M, $n> {
            $(#[$doc])*
            pub const fn $constructor(base: M) -> Self {
                Compose { base, gamma: mirrored(Composition::$name.half()), id: M::COMPOSED.$constructor }
            }
        }
    )*};
}

nhi_methods::for_each_composition!(constructors);

/// γ₁, …, γ_N from the first half of them; the middle one is what the sum lacks.
const fn mirrored<const N: usize>(half: &[f64]) -> [f64; N] {
    assert!(N == 2 * half.len() + 1);
    let mut gamma = [0.0; N];
    let (mut i, mut sum) = (0, 0.0);
    while i < half.len() {
        gamma[i] = half[i];
        gamma[N - 1 - i] = half[i];
        sum += half[i];
        i += 1;
    }
    gamma[half.len()] = 1.0 - 2.0 * sum;
    gamma
}

impl<M: Symmetric, const N: usize> Compose<M, N> {
    /// With coefficients γ₁, …, γ_N of your own. The order is theirs: 4 where also Σ γ_i³ = 0.
    ///
    /// # Errors
    /// [`Error::Coefficients`] where one is zero or not finite, where they are not the same read
    /// backwards, and where their sum is not 1 up to rounding.
    pub fn symmetric(base: M, gamma: [f64; N]) -> Result<Self, Error> {
        let refused = |fault| Err(Error::Coefficients { fault });
        let unusable = |g: &f64| !g.is_finite() || *g == 0.0;
        if let Some((i, &value)) = gamma.iter().enumerate().find(|(_, g)| unusable(g)) {
            return refused(CoefficientFault::Value { i, value });
        }
        if let Some(i) = gamma.iter().zip(gamma.iter().rev()).position(|(a, b)| a != b) {
            return refused(CoefficientFault::Asymmetric { i });
        }
        let sum: f64 = gamma.iter().sum();
        let size: f64 = gamma.iter().map(|g| g.abs()).sum();
        // Every coefficient and every addition is rounded once.
        if !sum.is_finite() || (sum - 1.0).abs() > N as f64 * f64::EPSILON * size {
            return refused(CoefficientFault::Sum { sum });
        }
        Ok(Compose { base, gamma, id: M::COMPOSED.symmetric })
    }
}

impl<M, const N: usize> Compose<M, N> {
    /// The coefficients γ₁, …, γ_N.
    pub fn coefficients(&self) -> [f64; N] {
        self.gamma
    }

    /// The size of the first substep, which is that of the last.
    fn first<T: Scalar>(&self, h: T) -> T {
        self.coefficients_in::<T>().first().map_or(h, |&g| h * g)
    }

    /// The coefficients in the numbers computed with. The middle one is again what the sum lacks, so
    /// that the sum is 1 for them too.
    fn coefficients_in<T: Scalar>(&self) -> [T; N] {
        let mut gamma = self.gamma.map(T::from_f64);
        let (half, rest) = gamma.split_at_mut(N / 2);
        if let ([middle, ..], 1) = (rest, N % 2) {
            let sum = half.iter().fold(T::from_f64(0.0), |sum, &g| sum + g);
            *middle = T::from_f64(1.0) - T::from_f64(2.0) * sum;
        }
        gamma
    }
}

impl<S: System, M: Method<S> + Symmetric, const N: usize> Method<S> for Compose<M, N> {
    /// Of each substep what the method prepares, the time from the beginning of the step, and its size. The parameters.
    type Prepared<T: Scalar> = ([(M::Prepared<T>, [T; 2]); N], S::Parameters<T>);
    type State<T: Scalar> = M::State<T>;
    type Memory = M::Memory;
    const TRAITS: StepTraits = StepTraits { dead: &[], ..M::TRAITS };

    fn id(&self) -> &'static str {
        self.id
    }

    fn own_coefficients(&self) -> &[f64] {
        if self.id == M::COMPOSED.symmetric { &self.gamma } else { &[] }
    }

    fn prepare<T: Scalar>(&self, parameters: &S::Parameters<T>, h: T) -> Result<Self::Prepared<T>, Failure> {
        let gamma = self.coefficients_in::<T>();
        let first = self.first(h);
        let zero = T::from_f64(0.0);
        let mut substeps = [(self.base.prepare(parameters, first)?, [zero, first]); N];
        let mut before = zero;
        for i in 0..N {
            // What an earlier substep of the same size has prepared serves again.
            let prepared = match gamma[..i.max(1)].iter().position(|g| *g == gamma[i]) {
                Some(same) => substeps[same].0,
                None => self.base.prepare(parameters, h * gamma[i])?,
            };
            substeps[i] = (prepared, [h * before, h * gamma[i]]);
            before = before + gamma[i];
        }
        Ok((substeps, *parameters))
    }

    fn start<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        h: T,
        q: &S::Configuration<T>,
        v: &S::Velocity<T>,
        z: &S::States<T>,
        t: T,
        inputs: &S::Inputs<T>,
    ) -> Result<Self::State<T>, Failure> {
        self.base.start(parameters, self.first(h), q, v, z, t, inputs)
    }

    #[inline]
    fn state<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        h: T,
        q: &S::Configuration<T>,
        jump: (&S::Velocity<T>, &S::Velocity<T>),
        lambda: &S::Multipliers<T>,
        z: &S::States<T>,
        t: T,
    ) -> Result<Self::State<T>, Failure> {
        self.base.state(parameters, self.first(h), q, jump, lambda, z, t)
    }

    #[inline(always)]
    fn step<T: Scalar>(
        &self,
        prepared: &Self::Prepared<T>,
        state: &Self::State<T>,
        t: T,
        inputs: &S::Inputs<T>,
    ) -> Result<Self::State<T>, Failure> {
        // A step turns sines as often as it has substeps.
        let mut state = self.base.resync(state);
        let (substeps, parameters) = prepared;
        for (i, (prepared, [after, h])) in substeps.iter().enumerate() {
            let t = t + *after;
            // The first one is as large as the last: the coefficients are the same read backwards.
            if i > 0 {
                state = self.base.rescale(parameters, *h, &state, t)?;
            }
            let next = self.base.step(prepared, &state, t, inputs)?;
            state = self.base.update_velocity(*h, &state, &next);
        }
        Ok(state)
    }

    #[inline(always)]
    fn rescale<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        h: T,
        state: &Self::State<T>,
        t: T,
    ) -> Result<Self::State<T>, Failure> {
        self.base.rescale(parameters, self.first(h), state, t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dla2;

    fn power_sums<const N: usize>(compose: &Compose<Dla2, N>) -> [f64; 4] {
        [1, 3, 5, 7].map(|k| compose.coefficients().iter().map(|g| g.powi(k)).sum())
    }

    /// Σ γ = 1 and Σ γ³ = 0 for order 4, also Σ γ⁵ = 0 for 6 and Σ γ⁷ = 0 for 8 (necessary).
    fn check<const N: usize>(compose: Compose<Dla2, N>, order: usize) {
        let sums = power_sums(&compose);
        assert!((sums[0] - 1.0).abs() < 4e-16, "{sums:?}");
        for (i, sum) in sums.into_iter().enumerate().skip(1) {
            assert_eq!(sum.abs() < 1e-14, i < order / 2, "{} {sums:?}", compose.id);
        }
        let gamma = compose.coefficients();
        assert!(gamma.iter().eq(gamma.iter().rev()));
    }

    #[test]
    fn coefficients_satisfy_the_order_conditions_of_power_sums() {
        check(Compose::triple4(Dla2), 4);
        check(Compose::suzuki4(Dla2), 4);
        check(Compose::yoshida6(Dla2), 6);
        check(Compose::kahanli6(Dla2), 6);
        check(Compose::suzukiumeno8(Dla2), 8);
        check(Compose::kahanli8(Dla2), 8);
        assert!((Compose::triple4(Dla2).gamma[0] - 1.0 / (2.0 - 2f64.cbrt())).abs() < 1e-15);
        assert!((Compose::suzuki4(Dla2).gamma[0] - 1.0 / (4.0 - 4f64.cbrt())).abs() < 1e-15);
    }

    #[test]
    fn in_other_numbers_the_sum_is_one() {
        let gamma = Compose::kahanli8(Dla2).coefficients_in::<f32>();
        assert!((gamma.iter().sum::<f32>() - 1.0).abs() <= 2.0 * f32::EPSILON);
        assert_eq!(Compose::kahanli8(Dla2).coefficients_in::<f64>(), Compose::kahanli8(Dla2).gamma);
        let halves = Compose::symmetric(Dla2, [0.5, 0.5]).unwrap();
        assert_eq!(halves.coefficients_in::<f32>(), [0.5, 0.5]);
    }

    #[test]
    fn coefficients_are_validated() {
        let fault = |e: Result<_, Error>| match e {
            Err(Error::Coefficients { fault }) => fault,
            other => panic!("{other:?}"),
        };
        let triple = |gamma| Compose::<Dla2, 3>::symmetric(Dla2, gamma).map(|_| ());
        assert!(triple([1.3512071919596578, -1.7024143839193153, 1.3512071919596578]).is_ok());
        assert!(triple([1.351207191959658, -1.702414383919315, 1.351207191959658]).is_ok());
        assert_eq!(fault(triple([0.0, 1.0, 0.0])), CoefficientFault::Value { i: 0, value: 0.0 });
        let infinite = CoefficientFault::Value { i: 1, value: f64::INFINITY };
        assert_eq!(fault(triple([1.0, f64::INFINITY, 1.0])), infinite);
        assert!(matches!(fault(triple([f64::NAN; 3])), CoefficientFault::Value { i: 0, .. }));
        assert_eq!(fault(triple([0.25, 0.5, 0.251])), CoefficientFault::Asymmetric { i: 0 });
        assert_eq!(fault(triple([0.25, 0.25, 0.25])), CoefficientFault::Sum { sum: 0.75 });
        assert_eq!(fault(triple([1.5, -1.75, 1.5])), CoefficientFault::Sum { sum: 1.25 });
        assert_eq!(fault(triple([1e308; 3])), CoefficientFault::Sum { sum: f64::INFINITY });
        let nothing = Compose::<Dla2, 0>::symmetric(Dla2, []).map(|_| ());
        assert_eq!(fault(nothing), CoefficientFault::Sum { sum: 0.0 });
    }
}
