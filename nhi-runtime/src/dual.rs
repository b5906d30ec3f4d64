//! Forward differentiation: numbers that carry their derivatives through a step.

use crate::Scalar;
use crate::drive::{Drive, SinCosUpdate};
use crate::scalar::Smooth;
use core::array::from_fn;
use core::ops::{Add, Div, Mul, Neg, Sub};

/// A number with its derivatives in `N` directions, x + Σ εᵢ ∂ᵢx with εᵢεⱼ = 0.
///
/// The components are `f64` or any other [`Scalar`]; with dual numbers as components there are second derivatives. A
/// simulation [in dual numbers](crate::Simulation::with_parameters) computes the same values as one in `f64`, bit for
/// bit, and their derivatives. Comparisons use only the values.
///
/// ```
/// use nhi_runtime::{Dual, Scalar};
/// let (x, y) = (Dual::<f64, 2>::variable(3.0, 0), Dual::variable(4.0, 1));
/// let z = x * x * y.sqrt();
/// assert_eq!((z.re, z.eps), (18.0, [12.0, 2.25]));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Dual<T, const N: usize = 1> {
    /// The value x.
    pub re: T,
    /// The derivatives ∂ᵢx.
    pub eps: [T; N],
}

impl<T: Scalar, const N: usize> Dual<T, N> {
    /// A constant: all derivatives are zero.
    #[inline]
    pub fn constant(re: T) -> Self {
        Dual { re, eps: [T::from_f64(0.0); N] }
    }

    /// A variable: the derivative in the given direction is 1.
    ///
    /// # Panics
    /// If there is no such direction.
    pub fn variable(re: T, direction: usize) -> Self {
        let mut variable = Self::constant(re);
        variable.eps[direction] = T::from_f64(1.0);
        variable
    }
}

impl<T: PartialEq, const N: usize> PartialEq for Dual<T, N> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.re == other.re
    }
}

impl<T: Scalar, const N: usize> Add for Dual<T, N> {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Dual { re: self.re + other.re, eps: from_fn(|i| self.eps[i] + other.eps[i]) }
    }
}

impl<T: Scalar, const N: usize> Sub for Dual<T, N> {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Dual { re: self.re - other.re, eps: from_fn(|i| self.eps[i] - other.eps[i]) }
    }
}

impl<T: Scalar, const N: usize> Mul for Dual<T, N> {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        Forward::chain2(self.re * other.re, (self, other.re), (other, self.re))
    }
}

impl<T: Scalar, const N: usize> Div for Dual<T, N> {
    type Output = Self;
    #[inline]
    fn div(self, other: Self) -> Self {
        let (quotient, inverse) = (self.re / other.re, T::from_f64(1.0) / other.re);
        Forward::chain2(quotient, (self, inverse), (other, -(quotient * inverse)))
    }
}

impl<T: Scalar, const N: usize> Neg for Dual<T, N> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Dual { re: -self.re, eps: self.eps.map(T::neg) }
    }
}

/// Operations of a dual number that the chain rule needs.
trait Forward: Copy {
    /// The type of values and derivatives.
    type Value: Scalar;

    fn constant(re: Self::Value) -> Self;
    fn re(self) -> Self::Value;
    /// f(x) from its value and its derivative at x.
    fn chain(self, value: Self::Value, slope: Self::Value) -> Self;
    /// f(x, y) from its value and its derivatives with respect to x and y.
    fn chain2(value: Self::Value, x_by_x: (Self, Self::Value), y_by_y: (Self, Self::Value)) -> Self;
}

impl<T: Scalar, const N: usize> Forward for Dual<T, N> {
    type Value = T;

    #[inline]
    fn constant(re: T) -> Self {
        Dual::constant(re)
    }
    #[inline]
    fn re(self) -> T {
        self.re
    }
    #[inline]
    fn chain(self, value: T, slope: T) -> Self {
        Dual { re: value, eps: self.eps.map(|eps| slope * eps) }
    }
    #[inline]
    fn chain2(value: T, (x, by_x): (Self, T), (y, by_y): (Self, T)) -> Self {
        Dual { re: value, eps: from_fn(|i| by_x * x.eps[i] + by_y * y.eps[i]) }
    }
}

#[inline]
fn number<T: Scalar>(x: f64) -> T {
    T::from_f64(x)
}

/// [`Scalar`] by the chain rule. The values are those of the inner scalar's functions.
macro_rules! scalar_by_chain_rule {
    ([$($generics:tt)*] $type:ty, $value:ident $(, $($choose:item)*)?) => {
        impl<$($generics)*> Scalar for $type {
            const EPSILON: f64 = <$value as Scalar>::EPSILON;
            const DRIVE: Drive = Drive {
                checked: <$value as Scalar>::DRIVE.checked,
                derivatives: <$value as Scalar>::DRIVE.derivatives + 1,
                ..Drive::PLAIN
            };

            #[inline]
            fn from_f64(x: f64) -> Self {
                <Self as Forward>::constant(number(x))
            }
            #[inline]
            fn to_f64(self) -> f64 {
                Forward::re(self).to_f64()
            }
            #[inline(always)]
            fn is_near(self, bound: f64) -> bool {
                Forward::re(self).is_near(bound)
            }
            $($($choose)*)?
            #[inline(always)]
            fn chained<S: Smooth>(self) -> Self {
                let x = Forward::re(self);
                Forward::chain(self, S::of(x), S::slope(x))
            }
            scalar_by_chain_rule! {
                $value:
                sqrt = |_x, root, one| one / (root + root);
                sin = |x, _sin, _one| Scalar::cos(x);
                cos = |x, _cos, _one| -Scalar::sin(x);
                tan = |_x, tan, one| one + tan * tan;
                asin = |x, _angle, one| one / Scalar::sqrt(one - x * x);
                acos = |x, _angle, one| -one / Scalar::sqrt(one - x * x);
                atan = |x, _angle, one| one / (one + x * x);
                sinh = |x, _sinh, _one| Scalar::cosh(x);
                cosh = |x, _cosh, _one| Scalar::sinh(x);
                tanh = |_x, tanh, one| one - tanh * tanh;
                exp = |_x, exp, _one| exp;
                ln = |x, _ln, one| one / x;
            }
            #[inline]
            fn sin_cos(self) -> (Self, Self) {
                let (sin, cos) = Scalar::sin_cos(Forward::re(self));
                (Forward::chain(self, sin, cos), Forward::chain(self, cos, -sin))
            }
            #[inline]
            fn update_sin_cos(
                self,
                update: SinCosUpdate,
                from: Self,
                by: Self,
                (sin, cos): (Self, Self),
            ) -> (Self, Self) {
                let [x, from, by, sin, cos] = [self, from, by, sin, cos].map(Forward::re);
                let (sin, cos) = Scalar::update_sin_cos(x, update, from, by, (sin, cos));
                (Forward::chain(self, sin, cos), Forward::chain(self, cos, -sin))
            }
            #[inline]
            fn atan2(self, x: Self) -> Self {
                let (a, b) = (Forward::re(self), Forward::re(x));
                let squares = a * a + b * b;
                Forward::chain2(Scalar::atan2(a, b), (self, b / squares), (x, -a / squares))
            }
            #[inline]
            fn powf(self, x: Self) -> Self {
                let (base, exponent) = (Forward::re(self), Forward::re(x));
                let (zero, one): ($value, $value) = (number(0.0), number(1.0));
                let power = Scalar::powf(base, exponent);
                let by_base = if exponent.to_f64() == 0.0 {
                    zero
                } else {
                    exponent * Scalar::powf(base, exponent - one)
                };
                // Bases without a logarithm are used only with constant exponents.
                let by_exponent =
                    if base.to_f64() > 0.0 { power * Scalar::ln(base) } else { zero };
                Forward::chain2(power, (self, by_base), (x, by_exponent))
            }
        }
    };
    // For every function f its derivative, in terms of x, f(x) and 1.
    ($value:ident: $($f:ident = |$x:ident, $fx:ident, $one:ident| $slope:expr;)*) => {$(
        #[inline]
        fn $f(self) -> Self {
            let slope = |$x: $value, $fx: $value, $one: $value| $slope;
            let x = Forward::re(self);
            let value = Scalar::$f(x);
            Forward::chain(self, value, slope(x, value, number(1.0)))
        }
    )*};
}

scalar_by_chain_rule!([T: Scalar, const N: usize] Dual<T, N>, T,
    #[inline(always)]
    fn choose<V>(
        self,
        bound: f64,
        near: impl FnOnce() -> V,
        far: impl FnOnce() -> V,
        either: impl FnOnce(V, V, &dyn Fn(Self, Self) -> Self) -> V,
    ) -> V {
        self.re.choose(bound, near, far, |near, far, one| {
            either(near, far, &|near: Self, far: Self| Dual {
                re: one(near.re, far.re),
                eps: from_fn(|i| one(near.eps[i], far.eps[i])),
            })
        })
    }
);

#[cfg(feature = "num-dual")]
mod of_num_dual {
    //! The dual numbers of the crate `num-dual`. Its operators differ from those of [`Dual`]: quotients are rounded twice.

    use super::{Forward, number};
    use crate::Scalar;
    use crate::drive::{Drive, SinCosUpdate};
    use crate::scalar::Smooth;
    use num_dual::{Derivative, Dual, DualNum, DualNumFloat, DualSVec};

    impl<T: Scalar + DualNum<Primitive = F>, F: DualNumFloat> Forward for Dual<T> {
        type Value = T;

        #[inline]
        fn constant(re: T) -> Self {
            Dual::from_re(re)
        }
        #[inline]
        fn re(self) -> T {
            self.re
        }
        #[inline]
        fn chain(self, value: T, slope: T) -> Self {
            Dual::new(value, slope * self.eps)
        }
        #[inline]
        fn chain2(value: T, (x, by_x): (Self, T), (y, by_y): (Self, T)) -> Self {
            Dual::new(value, by_x * x.eps + by_y * y.eps)
        }
    }

    impl<T: Scalar + DualNum<Primitive = F>, F: DualNumFloat, const N: usize> Forward for DualSVec<T, N> {
        type Value = T;

        #[inline]
        fn constant(re: T) -> Self {
            DualSVec::new(re, Derivative::none())
        }
        #[inline]
        fn re(self) -> T {
            self.re
        }
        #[inline]
        fn chain(self, value: T, slope: T) -> Self {
            DualSVec::new(value, self.eps * slope)
        }
        #[inline]
        fn chain2(value: T, (x, by_x): (Self, T), (y, by_y): (Self, T)) -> Self {
            DualSVec::new(value, x.eps * by_x + y.eps * by_y)
        }
    }

    scalar_by_chain_rule!([T: Scalar + DualNum<Primitive = F>, F: DualNumFloat] Dual<T>, T);
    scalar_by_chain_rule!(
        [T: Scalar + DualNum<Primitive = F>, F: DualNumFloat, const N: usize] DualSVec<T, N>, T
    );
}
