//! Columns, matrices and poses of any group as flat lists of numbers.

use super::dual::Dual;
use nhi_runtime::group::{Column, Group};
use std::array::from_fn;

/// Something that consists of numbers of type `T`.
pub(crate) trait Numbers<T>: Copy {
    fn numbers(self) -> Vec<T>;
    fn built(next: &mut dyn FnMut() -> T) -> Self;
}

macro_rules! one_number {
    ($($number:ty)*) => {$(
        impl Numbers<$number> for $number {
            fn numbers(self) -> Vec<$number> {
                vec![self]
            }
            fn built(next: &mut dyn FnMut() -> $number) -> Self {
                next()
            }
        }
    )*};
}

one_number! { f64 Dual }

impl<T, X: Numbers<T>, const N: usize> Numbers<T> for [X; N] {
    fn numbers(self) -> Vec<T> {
        self.into_iter().flat_map(X::numbers).collect()
    }
    fn built(next: &mut dyn FnMut() -> T) -> Self {
        from_fn(|_| X::built(next))
    }
}

impl<T, X: Numbers<T>, Y: Numbers<T>> Numbers<T> for (X, Y) {
    fn numbers(self) -> Vec<T> {
        self.0.numbers().into_iter().chain(self.1.numbers()).collect()
    }
    fn built(next: &mut dyn FnMut() -> T) -> Self {
        (X::built(next), Y::built(next))
    }
}

/// A group whose parts can be taken apart.
pub(crate) trait Tested<T>:
    Group<Scalar = T, Algebra: Numbers<T>, Operator: Numbers<T>, Entries: Numbers<T>>
{
}

impl<T, G> Tested<T> for G where
    G: Group<Scalar = T, Algebra: Numbers<T>, Operator: Numbers<T>, Entries: Numbers<T>>
{
}

/// The column of the given numbers, as many as are needed.
pub(crate) fn column<C: Numbers<f64>>(numbers: &[f64]) -> C {
    let mut numbers = numbers.iter().copied();
    C::built(&mut || numbers.next().expect("enough numbers"))
}

/// x + yε.
pub(crate) fn dual<C: Numbers<f64>, D: Numbers<Dual>>(x: C, y: C) -> D {
    let mut parts = x.numbers().into_iter().zip(y.numbers());
    D::built(&mut || parts.next().map(|(x, y)| Dual::new(x, y)).expect("as many numbers"))
}

/// The coefficients of ε.
pub(crate) fn slopes<D: Numbers<Dual>>(x: D) -> Vec<f64> {
    x.numbers().into_iter().map(Dual::slope).collect()
}

/// The unit columns.
pub(crate) fn basis<G: Tested<f64>>() -> Vec<G::Algebra> {
    let unit = |i: usize| (0..G::DIM).map(|j| if i == j { 1.0 } else { 0.0 }).collect::<Vec<_>>();
    (0..G::DIM).map(|i| column(&unit(i))).collect()
}

/// x − y.
pub(crate) fn minus<C: Column<Scalar = f64>>(x: C, y: C) -> C {
    x.plus(y.negated())
}

/// The largest difference, infinite where one is not a number.
pub(crate) fn distance<A: Numbers<f64>>(x: A, y: A) -> f64 {
    largest(x.numbers().iter().zip(y.numbers()).map(|(x, y)| x - y))
}

/// The largest absolute value, infinite where one is not a number.
pub(crate) fn largest(numbers: impl IntoIterator<Item = f64>) -> f64 {
    numbers.into_iter().fold(0.0, |most, x| if x.is_nan() { f64::INFINITY } else { most.max(x.abs()) })
}
