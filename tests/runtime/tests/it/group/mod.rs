//! The groups of the runtime: laws, coefficient functions, drift.

mod coefficients;
mod drift;
mod dual;
mod laws;
mod nalgebra_types;
mod numbers;

use dual::Dual;
use nhi_runtime::group::{Cayley, Ccsk, Column, Exp, Exp1, Exp2, Exp4, Operator, Retraction, SE2, SE3, SO3};
use numbers::{column, distance, largest};
use proptest::prelude::*;

/// R^n.
type R3<T> = [T; 3];
/// A product with a vector space, as the shape and the pose of a body are.
type Body<T> = ([T; 2], SE2<T>);
/// A product of products.
type Bodies<T> = (SO3<T>, (SE2<T>, [T; 1]));

/// The laws for each group and retraction.
macro_rules! group_laws {
    ($($name:ident: $group:ident;)*) => {$(
        mod $name {
            use super::*;
            type G = $group<f64>;
            type D = $group<Dual>;

            proptest! {
                #![proptest_config(laws::config())]
                #[test]
                fn is_a_group(g in laws::numbers(), h in laws::numbers(), k in laws::numbers()) {
                    laws::group_axioms::<G>(laws::pose(&g), laws::pose(&h), laws::pose(&k));
                }
                #[test]
                fn acts_on_its_algebra(
                    g in laws::numbers(), h in laws::numbers(), x in laws::numbers(), y in laws::numbers(),
                ) {
                    let (g, h): (G, G) = (laws::pose(&g), laws::pose(&h));
                    laws::adjoint_representation(g, h, column(&x), column(&y));
                    // Not too near to half turns, where the logarithm has no derivative.
                    let g: G = Exp::tau(laws::velocity(&x));
                    laws::derivatives_of_the_group::<G, D>(g, column(&x), column(&y));
                }
                #[test]
                fn has_a_lie_algebra(x in laws::numbers(), y in laws::numbers(), mu in laws::numbers()) {
                    laws::lie_algebra::<G>(column(&x), column(&y), column(&mu));
                }
            }

            group_laws! { @retraction exp Exp }
            group_laws! { @retraction cay Cayley }
            group_laws! { @retraction ccsk Ccsk }
            group_laws! { @truncation exp1 Exp1 2 }
            group_laws! { @truncation exp2 Exp2 4 }
            group_laws! { @truncation exp4 Exp4 6 }

            proptest! {
                #![proptest_config(laws::config())]
                #[test]
                fn exp_and_cay_are_symmetric(x in laws::numbers()) {
                    laws::symmetric::<G, Exp>(laws::velocity(&x));
                    laws::symmetric::<G, Cayley>(laws::velocity(&x));
                }
            }
        }
    )*};
    (@retraction $name:ident $retraction:ident) => {
        mod $name {
            use super::*;
            proptest! {
                #![proptest_config(laws::config())]
                #[test]
                fn inverts(x in laws::numbers()) {
                    laws::inverses::<G, $retraction>(laws::velocity(&x));
                    laws::small_velocities::<G, $retraction>(laws::velocity(&x));
                }
                #[test]
                fn has_its_tangents(x in laws::numbers(), delta in laws::numbers()) {
                    laws::tangents::<G, D, $retraction>(laws::velocity(&x), column(&delta));
                    laws::inverse_map::<G, D, $retraction>(laws::velocity(&x), column(&delta));
                }
                #[test]
                fn has_its_newton_derivatives(x in laws::numbers(), mu in laws::numbers()) {
                    laws::newton_derivatives::<G, D, $retraction>(laws::velocity(&x), column(&mu));
                }
            }
        }
    };
    (@truncation $name:ident $retraction:ident $order:literal) => {
        mod $name {
            use super::*;
            proptest! {
                #![proptest_config(laws::config())]
                #[test]
                fn inverts(x in laws::numbers()) {
                    laws::inverses::<G, $retraction>(laws::velocity(&x));
                }
                #[test]
                fn approximates_exp(x in laws::numbers()) {
                    laws::truncated::<G, $retraction>(laws::velocity(&x), $order);
                }
                #[test]
                fn has_its_newton_derivatives(x in laws::numbers(), mu in laws::numbers()) {
                    laws::newton_derivatives::<G, D, $retraction>(laws::velocity(&x), column(&mu));
                }
            }
        }
    };
}

group_laws! {
    vectors: R3;
    so3: SO3;
    se2: SE2;
    se3: SE3;
    body: Body;
    bodies: Bodies;
}

/// Coordinates of the second kind are not symmetric, which is why both tangents are implemented.
#[test]
fn ccsk_is_not_symmetric() {
    let x = [0.9, -0.7, 0.8, 0.5, 0.6, -0.4];
    assert!(laws::asymmetry::<SO3<f64>, Ccsk>(column(&x)) > 0.3);
    assert!(laws::asymmetry::<SE2<f64>, Ccsk>(column(&x)) > 0.3);
    assert!(laws::asymmetry::<SE3<f64>, Ccsk>(column(&x)) > 0.3);
    let (x, tangent) = ([0.9, -0.7, 0.8], <Ccsk as Retraction<SO3<f64>>>::dtau_left_inv);
    assert!(distance(tangent(x), <Ccsk as Retraction<SO3<f64>>>::dtau_inv(x.negated())) > 0.3);
}

/// Rotations by angles up to and at a half turn, where the trace is −1.
#[test]
fn the_logarithm_is_exact_up_to_half_turns() {
    use std::f64::consts::PI;
    for axis in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.6, -0.48, 0.64], [-0.64, 0.6, 0.48]] {
        for angle in [1e-9, 0.2, 1.0, 2.0, 3.0, PI - 1e-3, PI - 1e-9] {
            let x: [f64; 3] = axis.times(angle);
            let error = distance(<Exp as Retraction<SO3<f64>>>::tau_inv(Exp::tau(x)), x);
            assert!(error < 3e-15 * (1.0 + angle), "{axis:?} by {angle}: {error:e}");
        }
        let half: SO3<f64> = Exp::tau(axis.times(PI));
        let log = <Exp as Retraction<SO3<f64>>>::tau_inv(half);
        let again: SO3<f64> = Exp::tau(log);
        assert!((log.dot(log).sqrt() - PI).abs() < 1e-14 && distance(again.0, half.0) < 1e-14);
    }
}

/// A full turn has no inverse tangent: not numbers, which a step reports.
#[test]
fn full_turns_are_out_of_reach() {
    use std::f64::consts::TAU;
    for turn in [TAU, 7.0] {
        let (x, y) = ([0.0, turn, 0.0], [turn, 1.0, 2.0]);
        assert!(!<Exp as Retraction<SO3<f64>>>::reaches(x) && !<Exp as Retraction<SE2<f64>>>::reaches(y));
        let so3 = <Exp as Retraction<SO3<f64>>>::dtau_inv(x);
        let se2 = <Exp as Retraction<SE2<f64>>>::dtau_inv(y);
        let se3 = <Exp as Retraction<SE3<f64>>>::dtau_inv([0.0, turn, 0.0, 1.0, 0.0, 0.0]);
        assert!(largest(so3[0]) == f64::INFINITY && largest(se2[1]) == f64::INFINITY);
        assert!(largest(se3[0]) == f64::INFINITY);
    }
    let nearly = [0.0, TAU - 1e-6, 0.0];
    assert!(<Exp as Retraction<SO3<f64>>>::reaches(nearly));
    assert!(largest(<Exp as Retraction<SO3<f64>>>::dtau_inv(nearly)[0]).is_finite());
    assert!(!<Ccsk as Retraction<SO3<f64>>>::reaches([0.0, 1.6, 0.0]));
    assert!(!<Ccsk as Retraction<Bodies<f64>>>::reaches(([0.0, 1.6, 0.0], ([0.0; 3], [0.0]))));
}

/// Poses of the plane count turns; τ⁻¹ does not.
#[test]
fn angles_of_the_plane_are_taken_modulo_a_turn() {
    let g = SE2::from([0.3 + 2.0 * std::f64::consts::TAU, 1.0, -2.0]);
    let x = <Exp as Retraction<SE2<f64>>>::tau_inv(g);
    assert!(distance(x, Exp::tau_inv(SE2::from([0.3, 1.0, -2.0]))) < 1e-14);
    assert!(distance(Ccsk::tau_inv(g), Ccsk::tau_inv(SE2::from([0.3, 1.0, -2.0]))) < 1e-14);
}

/// The same code for single precision.
#[test]
fn other_precisions() {
    let x = [0.4f32, -0.3, 0.9];
    let coarse = <Exp as Retraction<SO3<f32>>>::dtau_inv(x).map(|row| row.map(f64::from));
    assert!(distance(coarse, <Exp as Retraction<SO3<f64>>>::dtau_inv(x.map(f64::from))) < 1e-6);
    let inverse = [[0.0, 2.0], [1.0, 1.0]].inverse();
    assert_eq!(inverse, [[-0.5, 1.0], [0.5, 0.0]]);
}
