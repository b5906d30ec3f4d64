//! Numbers for vectorised steps of several trajectories.

use crate::drive::{Drive, SinCosUpdate};
use crate::{Scalar, trigonometry};
use core::ops::{Add, Div, Mul, Neg, Sub};

/// A number of one of several trajectories whose steps consist of the same instructions, so that the compiler can
/// vectorise a loop over trajectories: Newton's method has a fixed number of updates, and sine–cosine pairs and
/// maps of groups are computed without branches. A step that needs more updates or other formulas has the result NaN.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(transparent)]
pub(super) struct Lane<T, const UPDATES: u32>(T);

// Without optimisation, an operation is a call: inlined, each would be some thirty instructions, and an ensemble would take
// twice the time and the memory to compile.
macro_rules! forward {
    ($($trait:ident $operator:ident;)*) => {$(
        impl<T: Scalar, const UPDATES: u32> $trait for Lane<T, UPDATES> {
            type Output = Self;
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn $operator(self, other: Self) -> Self {
                Lane(self.0.$operator(other.0))
            }
        }
    )*};
    (@unary $($f:ident)*) => {$(
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn $f(self) -> Self {
            Lane(self.0.$f())
        }
    )*};
}

forward! {
    Add add;
    Sub sub;
    Mul mul;
    Div div;
}

impl<T: Scalar, const UPDATES: u32> Neg for Lane<T, UPDATES> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn neg(self) -> Self {
        Lane(-self.0)
    }
}

impl<T: Scalar, const UPDATES: u32> Scalar for Lane<T, UPDATES> {
    const EPSILON: f64 = T::EPSILON;
    const DRIVE: Drive = Drive { updates: UPDATES, side_by_side: true, ..T::DRIVE };
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn from_f64(x: f64) -> Self {
        Lane(T::from_f64(x))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn to_f64(self) -> f64 {
        self.0.to_f64()
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = self.0.sin_cos();
        (Lane(sin), Lane(cos))
    }
    /// By fewer formulas, without branches; NaN for other angles.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn update_sin_cos(
        self,
        update: SinCosUpdate,
        from: Self,
        by: Self,
        (sin, cos): (Self, Self),
    ) -> (Self, Self) {
        let (x, from, by, sines) = (self.0, from.0, by.0, (sin.0, cos.0));
        let (sin, cos) = match UPDATES {
            0 => trigonometry::update_sin_cos_select::<_, 4>(x, update, from, by, sines),
            1 => trigonometry::update_sin_cos_select::<_, 1>(x, update, from, by, sines),
            2 => trigonometry::update_sin_cos_select::<_, 2>(x, update, from, by, sines),
            _ => trigonometry::update_sin_cos_select::<_, 3>(x, update, from, by, sines),
        };
        (Lane(sin), Lane(cos))
    }
    /// `near`, or NaN.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn near_or_far(self, bound: f64, near: Self, _far: impl Fn(Self) -> Self) -> Self {
        if self.to_f64() < bound { near } else { Lane(T::from_f64(f64::NAN)) }
    }
    forward!(@unary sqrt sin cos tan asin acos atan sinh cosh tanh exp ln);
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn atan2(self, x: Self) -> Self {
        Lane(self.0.atan2(x.0))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn powf(self, x: Self) -> Self {
        Lane(self.0.powf(x.0))
    }
}
