//! The number of multiplications of a step.

use nhi_runtime::Scalar;
use nhi_runtime::emitted::{Drive, SinCosUpdate, small_sin_cos};
use std::cell::RefCell;
use std::ops::{Add, Div, Mul, Neg, Sub};

thread_local! {
    static OPERATIONS: RefCell<Vec<Operation>> = const { RefCell::new(Vec::new()) };
    static OBSERVED: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// An operation of a run.
#[derive(Clone, Copy)]
struct Operation {
    multiplications: u64,
    /// The indices of the operands.
    operands: [Option<usize>; 2],
}

/// Multiplications of a sine–cosine pair: 8 of the reduction, 12 of the two polynomials, 4 around them. In an
/// ensemble two more detect that an angle is too large; the floor does not include them.
const SIN_COS: u64 = 24;

/// Multiplications of the pair of a small angle: 3 and 3 of the shorter polynomials, 6 around them.
const SMALL_SIN_COS: u64 = 12;

/// Multiplications of a rotation of a pair by a small angle: 4 more. Re-synchronisation is not counted.
const ROTATED_SIN_COS: u64 = SMALL_SIN_COS + 4;

/// Multiplications that the results of `f`, [`Counted`] numbers, and its branch conditions depend on. A fused
/// multiply–add counts once. Unused values do not count, because a loop over many steps does not compute them.
pub(crate) fn counted(f: impl FnOnce() -> Vec<Counted>) -> u64 {
    OBSERVED.take();
    let before = OPERATIONS.with_borrow(Vec::len);
    let mut places: Vec<usize> = f().into_iter().filter_map(|result| result.made_by).collect();
    places.extend(OBSERVED.take());
    OPERATIONS.with_borrow(|operations| {
        let mut needed = vec![false; operations.len()];
        places.iter().for_each(|&place| needed[place] = true);
        let mut multiplications = 0;
        for place in (before..operations.len()).rev() {
            if needed[place] {
                multiplications += operations[place].multiplications;
                operations[place].operands.into_iter().flatten().for_each(|operand| needed[operand] = true);
            }
        }
        multiplications
    })
}

/// A number that records the operation it results from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    x: f64,
    /// The index of the operation; `None` for inputs.
    made_by: Option<usize>,
}

impl PartialEq for Counted {
    fn eq(&self, other: &Self) -> bool {
        self.to_f64() == other.to_f64()
    }
}

impl Counted {
    /// `x`, computed from `operands` with so many multiplications.
    fn made(x: f64, multiplications: u64, operands: [Option<usize>; 2]) -> Self {
        let place = OPERATIONS.with_borrow_mut(|operations| {
            operations.push(Operation { multiplications, operands });
            operations.len() - 1
        });
        Counted { x, made_by: Some(place) }
    }

    /// The two numbers of a pair that is computed together.
    fn pair(self, (sin, cos): (f64, f64), multiplications: u64) -> (Self, Self) {
        let sin = Self::made(sin, multiplications, [self.made_by, None]);
        (sin, Counted { x: cos, ..sin })
    }
}

macro_rules! operators {
    ($($trait:ident $f:ident $multiplications:literal)*) => {$(
        impl $trait for Counted {
            type Output = Self;
            fn $f(self, other: Self) -> Self {
                Self::made(self.x.$f(other.x), $multiplications, [self.made_by, other.made_by])
            }
        }
    )*};
}

// Divisions have a separate unit.
operators! { Add add 0 Sub sub 0 Mul mul 1 Div div 0 }

impl Neg for Counted {
    type Output = Self;
    fn neg(self) -> Self {
        Counted { x: -self.x, ..self }
    }
}

macro_rules! functions {
    ($($f:ident)*) => {$(
        fn $f(self) -> Self {
            Self::made(Scalar::$f(self.x), 0, [self.made_by, None])
        }
    )*};
}

impl Scalar for Counted {
    const EPSILON: f64 = f64::EPSILON;
    const DRIVE: Drive = Drive { checked: false, ..Drive::PLAIN };
    fn from_f64(x: f64) -> Self {
        Counted { x, made_by: None }
    }
    fn to_f64(self) -> f64 {
        OBSERVED.with_borrow_mut(|observed| observed.extend(self.made_by));
        self.x
    }
    functions! { sqrt tan asin acos atan sinh cosh tanh exp ln }
    fn sin_cos(self) -> (Self, Self) {
        self.pair(Scalar::sin_cos(self.x), SIN_COS)
    }
    fn update_sin_cos(
        self,
        update: SinCosUpdate,
        from: Self,
        by: Self,
        (sin, cos): (Self, Self),
    ) -> (Self, Self) {
        match update {
            SinCosUpdate::Small => self.pair(small_sin_cos(self.x), SMALL_SIN_COS),
            SinCosUpdate::Rotated => {
                // The pair of the angle comes from the state, both values at once.
                let by = self - from;
                let (sine, _) = by.pair(Scalar::sin_cos(self.x), ROTATED_SIN_COS);
                let sum = Self::made(sine.x, 0, [sine.made_by, sin.made_by]);
                (sum, Counted { x: Scalar::cos(self.x), ..sum })
            }
            SinCosUpdate::Corrected => {
                let by = (self - from) - by;
                (sin + cos * by, cos - sin * by)
            }
        }
    }
    fn sin(self) -> Self {
        Scalar::sin_cos(self).0
    }
    fn cos(self) -> Self {
        Scalar::sin_cos(self).1
    }
    fn atan2(self, x: Self) -> Self {
        Self::made(Scalar::atan2(self.x, x.x), 0, [self.made_by, x.made_by])
    }
    fn powf(self, x: Self) -> Self {
        Self::made(Scalar::powf(self.x, x.x), 0, [self.made_by, x.made_by])
    }
}
