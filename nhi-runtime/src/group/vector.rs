use super::{Cayley, Ccsk, Column, Exp, Group, Operator, Retraction};
use crate::Scalar;

/// R^n with addition: ad = 0, every retraction is the identity.
impl<T: Scalar, const N: usize> Group for [T; N] {
    type Scalar = T;
    type Algebra = [T; N];
    type Operator = [[T; N]; N];
    type Entries = [T; N];
    const DIM: usize = N;

    #[inline]
    fn identity() -> Self {
        Column::zero()
    }
    #[inline]
    fn product(self, h: Self) -> Self {
        self.plus(h)
    }
    #[inline]
    fn inverse(self) -> Self {
        self.negated()
    }
    #[inline]
    fn entries(self) -> [T; N] {
        self
    }
    #[inline]
    fn tangent(self, x: [T; N]) -> [T; N] {
        x
    }
    #[inline]
    fn adjoint(self) -> Self::Operator {
        Operator::identity()
    }
    #[inline]
    fn ad(_: [T; N]) -> Self::Operator {
        Operator::zero()
    }
    #[inline]
    fn ad_star_on(_: [T; N]) -> Self::Operator {
        Operator::zero()
    }
    #[inline]
    fn defect(self) -> f64 {
        0.0
    }
    #[inline]
    fn normalized(self) -> Self {
        self
    }
}

macro_rules! identity_map {
    ($($retraction:ident)*) => {$(
        impl<T: Scalar, const N: usize> Retraction<[T; N]> for $retraction {
            #[inline]
            fn tau(x: [T; N]) -> [T; N] {
                x
            }
            #[inline]
            fn tau_inv(g: [T; N]) -> [T; N] {
                g
            }
            #[inline]
            fn dtau(_: [T; N]) -> [[T; N]; N] {
                Operator::identity()
            }
            #[inline]
            fn dtau_inv(_: [T; N]) -> [[T; N]; N] {
                Operator::identity()
            }
            #[inline]
            fn dtau_left(_: [T; N]) -> [[T; N]; N] {
                Operator::identity()
            }
            #[inline]
            fn dtau_left_inv(_: [T; N]) -> [[T; N]; N] {
                Operator::identity()
            }
            #[inline]
            fn k(_: [T; N], _: [T; N]) -> [[T; N]; N] {
                Operator::zero()
            }
            #[inline]
            fn k_left(_: [T; N], _: [T; N]) -> [[T; N]; N] {
                Operator::zero()
            }
            #[inline]
            fn reaches(_: [T; N]) -> bool {
                true
            }
        }
    )*};
}

identity_map! { Exp Cayley Ccsk }
