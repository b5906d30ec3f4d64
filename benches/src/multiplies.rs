//! How many multiplications a step has.

use nhi_runtime::Scalar;
use std::cell::Cell;
use std::ops::{Add, Div, Mul, Neg, Sub};

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// Multiplications of a sine and cosine: 8 of the reduction, 6 and 5 of the two polynomials, 4 around them. Two
/// more tell in an ensemble that an angle is too large; the floor is without them.
const SIN_COS: u64 = 23;

/// Of a small angle's: 3 and 3 of the shorter polynomials, 6 around them.
const SMALL_SIN_COS: u64 = 12;

fn note(multiplications: u64) {
    COUNT.with(|count| count.set(count.get() + multiplications));
}

/// Multiplications that `f` does with [`Counted`] numbers; one that an addition is fused with counts once.
pub(crate) fn counted(f: impl FnOnce()) -> u64 {
    let before = COUNT.with(Cell::get);
    f();
    COUNT.with(Cell::get) - before
}

/// A number that counts multiplications.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Counted(pub(crate) f64);

macro_rules! operators {
    ($($trait:ident $f:ident $multiplications:literal)*) => {$(
        impl $trait for Counted {
            type Output = Self;
            fn $f(self, other: Self) -> Self {
                note($multiplications);
                Counted(self.0.$f(other.0))
            }
        }
    )*};
}

// A division has a unit of its own.
operators! { Add add 0 Sub sub 0 Mul mul 1 Div div 0 }

impl Neg for Counted {
    type Output = Self;
    fn neg(self) -> Self {
        Counted(-self.0)
    }
}

macro_rules! functions {
    ($($f:ident)*) => {$(
        fn $f(self) -> Self {
            Counted(Scalar::$f(self.0))
        }
    )*};
}

impl Scalar for Counted {
    const EPSILON: f64 = f64::EPSILON;
    fn from_f64(x: f64) -> Self {
        Counted(x)
    }
    fn to_f64(self) -> f64 {
        self.0
    }
    functions! { sqrt tan asin acos atan sinh cosh tanh exp ln }
    fn sin_cos(self) -> (Self, Self) {
        note(SIN_COS);
        let (sin, cos) = Scalar::sin_cos(self.0);
        (Counted(sin), Counted(cos))
    }
    fn small_sin_cos(self) -> (Self, Self) {
        note(SMALL_SIN_COS);
        let (sin, cos) = Scalar::small_sin_cos(self.0);
        (Counted(sin), Counted(cos))
    }
    fn sin(self) -> Self {
        Scalar::sin_cos(self).0
    }
    fn cos(self) -> Self {
        Scalar::sin_cos(self).1
    }
    fn atan2(self, x: Self) -> Self {
        Counted(Scalar::atan2(self.0, x.0))
    }
    fn powi(self, n: i32) -> Self {
        Counted(Scalar::powi(self.0, n))
    }
    fn powf(self, x: Self) -> Self {
        Counted(Scalar::powf(self.0, x.0))
    }
}
