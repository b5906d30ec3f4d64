//! The laws of groups and retractions, for any of them.

use super::dual::Dual;
use super::numbers::{Numbers, Tested, basis, column, distance, dual, largest, minus, slopes};
use nhi_runtime::group::{Column, Exp, Operator, Retraction};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Rounding of a few operations on numbers of the sizes below; tangents of coordinates of the
/// second kind have entries up to 1/cos ω₂ < 10.
const ROUNDING: f64 = 1e-13;

/// The same poses and velocities in every run.
pub(crate) fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() }
}

/// Components of size one at most, as they are or all scaled down to where series are summed and
/// where nothing but the first term is left; room for every group.
pub(crate) fn numbers() -> impl Strategy<Value = Vec<f64>> {
    let scale = prop_oneof![4 => Just(1.0), 1 => Just(0.0), 2 => (-12..0i32).prop_map(|k| 10f64.powi(k))];
    (prop::collection::vec(-1.0..1.0f64, 9), scale)
        .prop_map(|(x, scale)| x.iter().map(|x| scale * x).collect())
}

/// Velocities with rotations up to ±1.45 about every axis: half turns, gimbal lock and full turns
/// are outside.
pub(crate) fn velocity<C: Numbers<f64>>(numbers: &[f64]) -> C {
    column(&numbers.iter().map(|x| 1.45 * x).collect::<Vec<_>>())
}

/// Poses all over the group.
pub(crate) fn pose<G: Tested<f64>>(numbers: &[f64]) -> G
where
    Exp: Retraction<G>,
{
    Exp::tau(column(&numbers.iter().map(|x| 3.0 * x).collect::<Vec<_>>()))
}

#[track_caller]
fn near<A: Numbers<f64> + std::fmt::Debug>(x: A, y: A) {
    let size = 1.0 + largest(y.numbers());
    assert!(distance(x, y) <= ROUNDING * size, "{x:?}\ninstead of\n{y:?}");
}

#[track_caller]
fn near_lists(x: Vec<f64>, y: Vec<f64>) {
    assert_eq!(x.len(), y.len());
    let size = 1.0 + largest(y.iter().copied());
    let difference = largest(x.iter().zip(&y).map(|(x, y)| x - y));
    assert!(difference <= ROUNDING * size, "{x:?}\ninstead of\n{y:?}");
}

pub(crate) fn group_axioms<G: Tested<f64>>(g: G, h: G, k: G) {
    near(g.product(h).product(k).entries(), g.product(h.product(k)).entries());
    near(g.product(G::identity()).entries(), g.entries());
    near(G::identity().product(g).entries(), g.entries());
    near(g.product(g.inverse()).entries(), G::identity().entries());
    near(g.inverse().product(g).entries(), G::identity().entries());
    assert!(g.product(h).defect() < 1e-14);
    near(g.product(h).normalized().entries(), g.product(h).entries());
    assert_eq!(G::DIM, G::Algebra::zero().numbers().len());
}

/// Ad is a homomorphism of groups, and each Ad_g one of algebras.
pub(crate) fn adjoint_representation<G: Tested<f64>>(g: G, h: G, x: G::Algebra, y: G::Algebra) {
    near(g.product(h).adjoint(), g.adjoint().after(h.adjoint()));
    near(G::identity().adjoint(), G::Operator::identity());
    near(g.inverse().adjoint().after(g.adjoint()), G::Operator::identity());
    let bracket = |x, y| G::ad(x).apply(y);
    near(g.adjoint().apply(bracket(x, y)), bracket(g.adjoint().apply(x), g.adjoint().apply(y)));
}

/// The tangent is the derivative along the flow of a body velocity; ad is that of Ad.
pub(crate) fn derivatives_of_the_group<G, D>(g: G, x: G::Algebra, y: G::Algebra)
where
    G: Tested<f64>,
    D: Tested<Dual>,
    Exp: Retraction<D> + Retraction<G>,
{
    let zero = G::Algebra::zero();
    // exp(εx) at ε = 0, and g as a constant.
    let moving: D = Exp::tau(dual(zero, x));
    let still: D = Exp::tau(dual(<Exp as Retraction<G>>::tau_inv(g), zero));
    near_lists(slopes(still.product(moving).entries()), g.tangent(x).numbers());
    near_lists(
        slopes(still.product(moving).product(still.inverse()).entries()),
        G::identity().tangent(g.adjoint().apply(x)).numbers(),
    );
    near_lists(slopes(moving.adjoint().apply(dual(y, zero))), G::ad(x).apply(y).numbers());
}

/// [x, y] is antisymmetric and a derivation; ad* is dual to ad, Λ(μ) is ad* read on the other side.
pub(crate) fn lie_algebra<G: Tested<f64>>(x: G::Algebra, y: G::Algebra, mu: G::Algebra) {
    let bracket = |x, y| G::ad(x).apply(y);
    near(bracket(x, y), bracket(y, x).negated());
    let z = mu;
    near(bracket(x, bracket(y, z)), bracket(bracket(x, y), z).plus(bracket(y, bracket(x, z))));
    near([G::ad_star(x, mu).dot(y)], [mu.dot(bracket(x, y))]);
    near(G::ad_star(x, mu), G::ad(x).apply_star(mu));
    near(G::ad_star_on(mu).apply(x), G::ad_star(x, mu));
}

/// τ(0) = e, dτ₀ = 1, and inverses are inverses.
pub(crate) fn inverses<G: Tested<f64>, R: Retraction<G>>(x: G::Algebra) {
    let zero = G::Algebra::zero();
    let one = G::Operator::identity();
    assert_eq!(distance(R::tau(zero).entries(), G::identity().entries()), 0.0);
    assert_eq!(distance(R::tau_inv(G::identity()), zero), 0.0);
    for operator in [R::dtau(zero), R::dtau_inv(zero), R::dtau_left(zero), R::dtau_left_inv(zero)] {
        assert_eq!(distance(operator, one), 0.0);
    }
    assert!(R::reaches(zero) && R::reaches(x));
    assert!(R::tau(x).defect() < 1e-14);

    near(R::tau_inv(R::tau(x)), x);
    near(R::tau(R::tau_inv(R::tau(x))).entries(), R::tau(x).entries());
    near(R::dtau(x).after(R::dtau_inv(x)), one);
    near(R::dtau_inv(x).after(R::dtau(x)), one);
    near(R::dtau_left(x).after(R::dtau_left_inv(x)), one);
    near(R::dtau_left_inv(x).after(R::dtau_left(x)), one);
}

/// Small velocities keep their digits: the inverse is good relative to them.
pub(crate) fn small_velocities<G: Tested<f64>, R: Retraction<G>>(x: G::Algebra) {
    let x = x.times(1e-6);
    let error = largest(minus(R::tau_inv(R::tau(x)), x).numbers());
    assert!(error <= 1e-9 * largest(x.numbers()), "{error:e}");
}

/// Dτ(x)·δ = τ(x) (dτᴸ_x δ)^ and dτ = Ad_τ dτᴸ.
pub(crate) fn tangents<G, D, R>(x: G::Algebra, delta: G::Algebra)
where
    G: Tested<f64>,
    D: Tested<Dual>,
    R: Retraction<G> + Retraction<D>,
{
    let g = <R as Retraction<G>>::tau(x);
    let moving = <R as Retraction<D>>::tau(dual(x, delta));
    let left = <R as Retraction<G>>::dtau_left(x);
    near_lists(slopes(moving.entries()), g.tangent(left.apply(delta)).numbers());
    near(<R as Retraction<G>>::dtau(x), g.adjoint().after(left));
}

/// τ⁻¹ has the derivative (dτᴸ)⁻¹ along body velocities.
pub(crate) fn inverse_map<G, D, R>(x: G::Algebra, delta: G::Algebra)
where
    G: Tested<f64>,
    D: Tested<Dual>,
    R: Retraction<G> + Retraction<D>,
    Exp: Retraction<D>,
{
    let moving = <R as Retraction<D>>::tau(dual(x, G::Algebra::zero()))
        .product(Exp::tau(dual(G::Algebra::zero(), delta)));
    let left = <R as Retraction<G>>::dtau_left_inv(x);
    near_lists(slopes(<R as Retraction<D>>::tau_inv(moving)), left.apply(delta).numbers());
}

/// K and its counterpart are the derivatives of the dual tangents.
pub(crate) fn newton_derivatives<G, D, R>(x: G::Algebra, mu: G::Algebra)
where
    G: Tested<f64>,
    D: Tested<Dual>,
    R: Retraction<G> + Retraction<D>,
{
    let constant: D::Algebra = dual(mu, G::Algebra::zero());
    for e in basis::<G>() {
        let moving: D::Algebra = dual(x, e);
        near_lists(
            slopes(<R as Retraction<D>>::dtau_inv_star(moving, constant)),
            <R as Retraction<G>>::k(x, mu).apply(e).numbers(),
        );
        near_lists(
            slopes(<R as Retraction<D>>::dtau_left_inv_star(moving, constant)),
            <R as Retraction<G>>::k_left(x, mu).apply(e).numbers(),
        );
    }
}

/// How far τ(−x) is from τ(x)⁻¹, and dτ from Ad_τ dτ₋ₓ (Lemma 9.5 of Ferraro et al.), and its
/// inverse.
pub(crate) fn asymmetry<G: Tested<f64>, R: Retraction<G>>(x: G::Algebra) -> f64 {
    let (g, back) = (R::tau(x), R::tau(x.negated()));
    let inverse = distance(back.entries(), g.inverse().entries());
    let tangent = distance(R::dtau(x), g.adjoint().after(R::dtau(x.negated())));
    let tangent_inv = distance(R::dtau_inv(x), R::dtau_inv(x.negated()).after(back.adjoint()));
    largest([inverse, tangent, tangent_inv])
}

/// Such retractions have their tangents in the body at −x.
pub(crate) fn symmetric<G: Tested<f64>, R: Retraction<G>>(x: G::Algebra) {
    assert!(asymmetry::<G, R>(x) <= ROUNDING * (1.0 + largest(R::dtau_inv(x).numbers())).powi(2));
    near(R::dtau_left(x), R::dtau(x.negated()));
    near(R::dtau_left_inv(x), R::dtau_inv(x.negated()));
}

/// A truncation after adᵏ: exp, and the tangent of exp but for a multiple of |x|ᵏ⁺¹ (the next
/// power that the series has).
pub(crate) fn truncated<G: Tested<f64>, R: Retraction<G>>(x: G::Algebra, order: i32)
where
    Exp: Retraction<G>,
{
    assert_eq!(R::tau(x), Exp::tau(x));
    assert_eq!(R::tau_inv(Exp::tau(x)), <Exp as Retraction<G>>::tau_inv(Exp::tau(x)));
    let error = |scale: f64| {
        let x = x.times(scale);
        distance(R::dtau_inv(x), <Exp as Retraction<G>>::dtau_inv(x))
    };
    let (coarse, fine) = (error(0.2), error(0.1));
    let rate = 2f64.powi(order);
    assert!(fine <= coarse / rate * 1.2 + 1e-15, "{coarse:e} and {fine:e} at half the velocity");
    near(R::dtau_left_inv(x), R::dtau_inv(x.negated()));
}
