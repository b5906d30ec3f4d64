use super::{Column, Group, Operator};
use crate::Scalar;

/// A retraction τ: 𝔤 → G with its tangents; the conventions are on the front page of the module.
///
/// Every function is defined by one formula around x = 0 and can be evaluated with dual numbers.
pub trait Retraction<G: Group>: Copy {
    /// τ(x).
    fn tau(x: G::Algebra) -> G;
    /// τ⁻¹(g), with the smallest rotation if there are several.
    fn tau_inv(g: G) -> G::Algebra;
    /// dτ_x: Dτ(x)·δ = (dτ_x δ)^ τ(x).
    fn dtau(x: G::Algebra) -> G::Operator;
    /// dτ⁻¹_x.
    fn dtau_inv(x: G::Algebra) -> G::Operator;
    /// dτᴸ_x: Dτ(x)·δ = τ(x) (dτᴸ_x δ)^.
    fn dtau_left(x: G::Algebra) -> G::Operator;
    /// (dτᴸ_x)⁻¹.
    fn dtau_left_inv(x: G::Algebra) -> G::Operator;
    /// K(x, μ) = ∂/∂x (dτ⁻¹_x)* μ; entry (a, b) is the derivative of component a along x_b.
    fn k(x: G::Algebra, mu: G::Algebra) -> G::Operator;
    /// ∂/∂x ((dτᴸ_x)⁻¹)* μ.
    fn k_left(x: G::Algebra, mu: G::Algebra) -> G::Operator;
    /// Whether all tangents are defined at `x`.
    fn reaches(x: G::Algebra) -> bool;

    /// (dτ⁻¹_x)* μ: the momentum at the beginning of the motion τ(x).
    #[inline(always)]
    fn dtau_inv_star(x: G::Algebra, mu: G::Algebra) -> G::Algebra {
        Self::dtau_inv(x).apply_star(mu)
    }
    /// ((dτᴸ_x)⁻¹)* μ: the momentum at the end of the motion τ(x).
    #[inline(always)]
    fn dtau_left_inv_star(x: G::Algebra, mu: G::Algebra) -> G::Algebra {
        Self::dtau_left_inv(x).apply_star(mu)
    }
    /// (dτᴸ_x)⁻¹ ξ: the derivative of x along the velocity at the end of the motion τ(x).
    #[inline(always)]
    fn dtau_left_inv_of(x: G::Algebra, xi: G::Algebra) -> G::Algebra {
        Self::dtau_left_inv(x).apply(xi)
    }
}

/// The exponential map: motion with constant body velocity. The recommendation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Exp;

/// The Cayley map (1 − x̂/2)⁻¹(1 + x̂/2): rational, defined everywhere; its rotation angles are smaller than
/// those of [`Exp`] by |ω|³/12.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cayley;

/// Canonical coordinates of the second kind, exp(x¹ê₁) exp(x²ê₂) ⋯ in the order of the basis.
/// As τ(−x) is not τ(x)⁻¹, methods with it are of first order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ccsk;

/// The tangents in the body of a retraction with τ(−x) = τ(x)⁻¹.
macro_rules! symmetric {
    ($group:ty) => {
        #[inline(always)]
        fn dtau_left(x: <$group as Group>::Algebra) -> <$group as Group>::Operator {
            <Self as Retraction<$group>>::dtau($crate::group::Column::negated(x))
        }
        #[inline(always)]
        fn dtau_left_inv(x: <$group as Group>::Algebra) -> <$group as Group>::Operator {
            <Self as Retraction<$group>>::dtau_inv($crate::group::Column::negated(x))
        }
        #[inline(always)]
        fn dtau_left_inv_star(
            x: <$group as Group>::Algebra,
            mu: <$group as Group>::Algebra,
        ) -> <$group as Group>::Algebra {
            <Self as Retraction<$group>>::dtau_inv_star($crate::group::Column::negated(x), mu)
        }
        #[inline(always)]
        fn k_left(
            x: <$group as Group>::Algebra,
            mu: <$group as Group>::Algebra,
        ) -> <$group as Group>::Operator {
            <Self as Retraction<$group>>::k(
                $crate::group::Column::negated(x),
                $crate::group::Column::negated(mu),
            )
        }
    };
}
pub(super) use symmetric;

/// A polynomial Σ cⱼ adʲ by its coefficients, highest power first: the first two, and the others.
type Polynomial<'a> = ([f64; 2], &'a [f64]);

/// Σ cⱼ adʲ by Horner's rule.
#[inline(always)]
fn polynomial<G: Group>(x: G::Algebra, ([top, below], rest): Polynomial<'_>) -> G::Operator {
    let ad = G::ad(x);
    let constant = |c: f64| G::Operator::identity().times(G::Scalar::from_f64(c));
    let start = ad.times(G::Scalar::from_f64(top)).plus(constant(below));
    rest.iter().fold(start, |sum, &c| sum.after(ad).plus(constant(c)))
}

/// Σ cⱼ (ad*_x)ʲ μ.
#[inline(always)]
fn polynomial_star<G: Group>(
    x: G::Algebra,
    mu: G::Algebra,
    ([top, below], rest): Polynomial<'_>,
) -> G::Algebra {
    let part = |c: f64| mu.times(G::Scalar::from_f64(c));
    let start = G::ad_star(x, part(top)).plus(part(below));
    rest.iter().fold(start, |w, &c| G::ad_star(x, w).plus(part(c)))
}

/// The derivative of Σ cⱼ (ad*_x)ʲ μ along x.
///
/// Horner's rule w ← cⱼμ + ad*_x w for the sum, differentiated: W ← Λ(w) + ad*_x W.
#[inline(always)]
fn polynomial_k<G: Group>(
    x: G::Algebra,
    mu: G::Algebra,
    ([top, below], rest): Polynomial<'_>,
) -> G::Operator {
    let ad_star = G::ad(x).transposed();
    let part = |c: f64| mu.times(G::Scalar::from_f64(c));
    let start = (G::ad_star(x, part(top)).plus(part(below)), G::ad_star_on(part(top)));
    let (_, derivative) = rest.iter().fold(start, |(w, derivative), &c| {
        (G::ad_star(x, w).plus(part(c)), G::ad_star_on(w).plus(ad_star.after(derivative)))
    });
    derivative
}

macro_rules! truncation {
    ($(#[$doc:meta])* $name:ident: $coefficients:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        pub struct $name;

        impl $name {
            /// The coefficients of the polynomial of ad, highest power first: the first two, and the others.
            #[doc(hidden)]
            pub const COEFFICIENTS: ([f64; 2], &'static [f64]) = $coefficients;
        }

        impl<G: Group> Retraction<G> for $name
        where
            Exp: Retraction<G>,
        {
            #[inline(always)]
            fn tau(x: G::Algebra) -> G {
                Exp::tau(x)
            }
            #[inline(always)]
            fn tau_inv(g: G) -> G::Algebra {
                Exp::tau_inv(g)
            }
            #[inline(always)]
            fn dtau(x: G::Algebra) -> G::Operator {
                <Self as Retraction<G>>::dtau_inv(x).inverse()
            }
            #[inline(always)]
            fn dtau_inv(x: G::Algebra) -> G::Operator {
                polynomial::<G>(x, Self::COEFFICIENTS)
            }
            #[inline(always)]
            fn k(x: G::Algebra, mu: G::Algebra) -> G::Operator {
                polynomial_k::<G>(x, mu, Self::COEFFICIENTS)
            }
            #[inline(always)]
            fn dtau_inv_star(x: G::Algebra, mu: G::Algebra) -> G::Algebra {
                polynomial_star::<G>(x, mu, Self::COEFFICIENTS)
            }
            symmetric!(G);
            #[inline(always)]
            fn reaches(_: G::Algebra) -> bool {
                true
            }
        }
    };
}

truncation! {
    /// exp with dτ⁻¹ replaced by 1 − ad/2. Conserves the energy of systems with constant metric and
    /// constraints exactly.
    Exp1: ([-1.0 / 2.0, 1.0], &[])
}

truncation! {
    /// exp with dτ⁻¹ replaced by 1 − ad/2 + ad²/12.
    Exp2: ([1.0 / 12.0, -1.0 / 2.0], &[1.0])
}

truncation! {
    /// exp with dτ⁻¹ replaced by 1 − ad/2 + ad²/12 − ad⁴/720.
    Exp4: ([-1.0 / 720.0, 0.0], &[1.0 / 12.0, -1.0 / 2.0, 1.0])
}
