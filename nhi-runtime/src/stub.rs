//! Stand-ins for a declaration with errors.
//!
//! If `#[derive(Nonholonomic)]` reports errors, the code that uses the system should not cause more.
//! The derive then implements [`System`](crate::System) with [`Anything`] for every vector
//! of unknown length. The implementation never runs, because the declaration does not compile.

use crate::Vector;
use crate::system::Rows;
use core::borrow::Borrow;
use core::fmt::Debug;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut, Index, IndexMut};

/// A vector that every array converts into.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Anything<T>(PhantomData<T>);

impl<T: Copy + Debug + PartialEq> Vector<T> for Anything<T> {
    fn splat(_: T) -> Self {
        Anything(PhantomData)
    }
}

impl<T> Rows for Anything<T> {
    type Of<X: Copy + Debug + PartialEq> = Anything<X>;
    fn rows<X: Copy + Debug + PartialEq>(_: X) -> Anything<X> {
        Anything(PhantomData)
    }
}

impl<T, const N: usize> From<[T; N]> for Anything<T> {
    fn from(_: [T; N]) -> Self {
        Anything(PhantomData)
    }
}

impl<const N: usize> From<Anything<f64>> for [f64; N] {
    fn from(_: Anything<f64>) -> Self {
        [0.0; N]
    }
}

impl<const N: usize> Borrow<Anything<f64>> for [f64; N] {
    fn borrow(&self) -> &Anything<f64> {
        &Anything(PhantomData)
    }
}

impl<const N: usize> Borrow<Anything<f64>> for &[f64; N] {
    fn borrow(&self) -> &Anything<f64> {
        &Anything(PhantomData)
    }
}

impl<T, const N: usize> PartialEq<[T; N]> for Anything<T> {
    fn eq(&self, _: &[T; N]) -> bool {
        N == 0
    }
}

impl<T> Deref for Anything<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &[]
    }
}

impl<T> DerefMut for Anything<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut []
    }
}

impl<T> AsRef<[T]> for Anything<T> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T> AsMut<[T]> for Anything<T> {
    fn as_mut(&mut self) -> &mut [T] {
        self
    }
}

impl<T> Index<usize> for Anything<T> {
    type Output = T;
    fn index(&self, index: usize) -> &T {
        &self.as_ref()[index]
    }
}

impl<T> IndexMut<usize> for Anything<T> {
    fn index_mut(&mut self, index: usize) -> &mut T {
        &mut self.as_mut()[index]
    }
}
