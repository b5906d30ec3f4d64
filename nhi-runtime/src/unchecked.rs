//! Steps whose results nobody looks at one by one.

use crate::{Scalar, State, System, Vector};
use core::ops::{Add, Div, Mul, Neg, Sub};

/// `f64` for a driver that looks at the results of several steps at once: the same numbers, bit for bit.
///
/// A step's last act is to look whether all its results are finite, which for small systems costs more
/// than the step. It need not happen every time: sums and products of what is not finite are not, and the
/// new (q, v) is a sum with the old one.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(transparent)]
pub(crate) struct Unchecked(f64);

/// The vector `from` in another scalar.
#[inline]
fn converted<A: Copy, B: Copy, VA: Vector<A>, VB: Vector<B>>(from: VA, zero: B, to: impl Fn(A) -> B) -> VB {
    let mut out = VB::splat(zero);
    for (out, &x) in out.as_mut().iter_mut().zip(from.as_ref()) {
        *out = to(x);
    }
    out
}

/// A vector whose results are not looked at.
#[inline]
pub(crate) fn unchecked<V: Vector<f64>, U: Vector<Unchecked>>(from: V) -> U {
    converted(from, Unchecked(0.0), Unchecked)
}

/// The other way round.
#[inline]
pub(crate) fn plain<U: Vector<Unchecked>, V: Vector<f64>>(from: U) -> V {
    converted(from, 0.0, |Unchecked(x)| x)
}

/// A state whose results are not looked at.
#[inline]
pub(crate) fn unchecked_state<S: System, A: State<S, f64>, B: State<S, Unchecked>>(state: &A) -> B {
    let (before, after) = state.jump();
    B::of(unchecked(state.q()), (unchecked(before), unchecked(after)), unchecked(state.lambda()))
}

/// The other way round; `None` if anything in it is not finite.
#[inline]
pub(crate) fn finite_state<S: System, A: State<S, Unchecked>, B: State<S, f64>>(state: &A) -> Option<B> {
    let q: S::Configuration<f64> = plain(state.q());
    let (before, after) = state.jump();
    let (before, after): (S::Velocity<f64>, S::Velocity<f64>) = (plain(before), plain(after));
    let lambda: S::Multipliers<f64> = plain(state.lambda());
    let finite = [q.as_ref(), before.as_ref(), after.as_ref(), lambda.as_ref()]
        .into_iter()
        .all(crate::emitted::finite);
    finite.then(|| B::of(q, (before, after), lambda))
}

macro_rules! by_f64 {
    ($($trait:ident $operator:ident;)*) => {$(
        impl $trait for Unchecked {
            type Output = Self;
            #[inline(always)]
            fn $operator(self, other: Self) -> Self {
                Unchecked($trait::$operator(self.0, other.0))
            }
        }
    )*};
    (scalar $($f:ident)*) => {$(
        #[inline(always)]
        fn $f(self) -> Self {
            Unchecked(Scalar::$f(self.0))
        }
    )*};
}

by_f64! {
    Add add;
    Sub sub;
    Mul mul;
    Div div;
}

impl Neg for Unchecked {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Unchecked(-self.0)
    }
}

impl Scalar for Unchecked {
    const EPSILON: f64 = f64::EPSILON;
    const CHECKED: bool = false;
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Unchecked(x)
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self.0
    }
    by_f64!(scalar sqrt sin cos tan asin acos atan sinh cosh tanh exp ln);
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = Scalar::sin_cos(self.0);
        (Unchecked(sin), Unchecked(cos))
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        Unchecked(Scalar::atan2(self.0, x.0))
    }
    #[inline(always)]
    fn powi(self, n: i32) -> Self {
        Unchecked(Scalar::powi(self.0, n))
    }
    #[inline(always)]
    fn powf(self, x: Self) -> Self {
        Unchecked(Scalar::powf(self.0, x.0))
    }
}
