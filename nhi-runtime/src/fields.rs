//! Values as lists of numbers.

use crate::stub::Anything;
use crate::{JumpState, NodeState, Posed, Scalar};

/// An ordered list of numbers of one type: vectors, states, prepared values.
///
/// With it, loops over steps convert values to another number type, and ensembles store many values number by number.
pub trait Fields<T>: Copy {
    /// How many numbers a value has.
    const LEN: usize;
    /// Their names, if they have any.
    #[doc(hidden)]
    const NAMES: &'static [&'static str] = &[];
    /// The value with the numbers that `next` returns, in order.
    fn read(next: &mut impl FnMut() -> T) -> Self;
    /// Calls `next` with every number, in order.
    fn write(&self, next: &mut impl FnMut(T));
    /// The value with `other` in the given `places`, where the first number of the value has the place `from`.
    #[doc(hidden)]
    #[inline(always)]
    fn with(self, _other: T, _places: Places, _from: usize) -> Self {
        self
    }
    /// The value with `to` applied to every number.
    #[doc(hidden)]
    #[inline(always)]
    fn each(self, _to: impl Fn(T) -> T + Copy) -> Self {
        self
    }
    /// Calls `work`. The compiler divides a crate into codegen units by modules, and this function is in that of the type. The
    /// prepared values of each emitted method have a module of their own, so that LLVM can compile loops over steps in parallel.
    #[doc(hidden)]
    #[inline(never)]
    fn outlined<Out>(work: impl FnOnce() -> Out) -> Out {
        work()
    }
}

/// A set of places in a value, below 64. It consists of bits, so that queries are constants in an unrolled loop.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Places(u64);

impl Places {
    pub(crate) const fn new(places: &[usize]) -> Self {
        let (mut bits, mut i) = (0, 0);
        while i < places.len() {
            if places[i] < 64 {
                bits |= 1 << places[i];
            }
            i += 1;
        }
        Places(bits)
    }

    #[inline(always)]
    pub(crate) const fn contains(self, place: usize) -> bool {
        place < 64 && (self.0 >> place) & 1 == 1
    }
}

/// How many numbers are converted at a time.
const CHUNK: usize = 64;

/// `value` in another number type; `filler` is any number.
// Inlined, because a state that is returned by a call would stay in memory, and the loop would store all of it in every
// step.
#[inline(always)]
pub(crate) fn converted<A: Copy, B, VA: Fields<A>, VB: Fields<B>>(
    value: &VA,
    filler: A,
    to: impl Fn(A) -> B,
) -> VB {
    // An array of all numbers would have a generic length.
    let mut some = numbers(value, 0, filler);
    let mut place: usize = 0;
    VB::read(&mut || {
        if const { VA::LEN > CHUNK } && place > 0 && place.is_multiple_of(CHUNK) {
            some = numbers(value, place, filler);
        }
        let number = some[place % CHUNK];
        place += 1;
        to(number)
    })
}

/// The numbers of `value` after the first `before`, at most [`CHUNK`].
#[inline(always)]
fn numbers<A: Copy>(value: &impl Fields<A>, before: usize, filler: A) -> [A; CHUNK] {
    let mut some = [filler; CHUNK];
    let mut i: usize = 0;
    value.write(&mut |x| {
        if let Some(number) = some.get_mut(i.wrapping_sub(before)) {
            *number = x;
        }
        i += 1;
    });
    some
}

impl<T: Scalar> Fields<T> for T {
    const LEN: usize = 1;
    #[inline(always)]
    fn read(next: &mut impl FnMut() -> T) -> Self {
        next()
    }
    #[inline(always)]
    fn write(&self, next: &mut impl FnMut(T)) {
        next(*self);
    }
    #[inline(always)]
    fn with(self, other: T, places: Places, from: usize) -> Self {
        if places.contains(from) { other } else { self }
    }
    #[inline(always)]
    fn each(self, to: impl Fn(T) -> T + Copy) -> Self {
        to(self)
    }
}

/// Calls `at` with every index below `N`, in order. The loop is unrolled in the source, because LLVM does not vectorise a
/// loop over lanes around an inner loop that it unrolls too late. Programs with debug assertions have the plain loop, since
/// the unrolled one was a quarter of what an ensemble takes to compile.
#[cfg(debug_assertions)]
#[inline(always)]
pub(crate) fn unrolled<const N: usize>(at: impl FnMut(usize)) {
    (0..N).for_each(at);
}

/// As above.
#[cfg(not(debug_assertions))]
#[inline(always)]
pub(crate) fn unrolled<const N: usize>(mut at: impl FnMut(usize)) {
    macro_rules! unrolled {
        ($($i:literal)*) => {$(
            if const { N > $i } {
                at($i);
            }
        )*};
    }
    unrolled!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
    if const { N > 32 } {
        for i in 32..N {
            at(i);
        }
    }
}

/// The array of `entry(i)`, initialised with `any`. `core::array::from_fn` and `map` would make optimised builds several
/// times slower. Not always inlined, so that it is optimised before it becomes part of a large step.
#[inline]
pub(crate) fn array<X: Copy, const N: usize>(any: X, entry: impl Fn(usize) -> X) -> [X; N] {
    let mut array = [any; N];
    unrolled::<N>(|i| array[i] = entry(i));
    array
}

impl<T: Copy, X: Fields<T>, const N: usize> Fields<T> for [X; N] {
    const LEN: usize = N * X::LEN;
    #[inline(always)]
    fn read(next: &mut impl FnMut() -> T) -> Self {
        // For large states the compiler may not inline `from_fn`.
        if N == 0 {
            return core::array::from_fn(|_| X::read(next));
        }
        let mut all = [X::read(next); N];
        unrolled::<N>(|i| {
            if i > 0 {
                all[i] = X::read(next);
            }
        });
        all
    }
    #[inline(always)]
    fn write(&self, next: &mut impl FnMut(T)) {
        // Otherwise a long matrix is written row by row by calls, with what `next` keeps in memory.
        unrolled::<N>(
            #[inline(always)]
            |i| self[i].write(next),
        );
    }
    #[inline(always)]
    fn with(mut self, other: T, places: Places, from: usize) -> Self {
        unrolled::<N>(|i| self[i] = self[i].with(other, places, from + i * X::LEN));
        self
    }
    #[inline(always)]
    fn each(mut self, to: impl Fn(T) -> T + Copy) -> Self {
        unrolled::<N>(|i| self[i] = self[i].each(to));
        self
    }
}

impl<G: Copy, T: Scalar, const K: usize, const N: usize> Fields<T> for Posed<G, T, K, N> {
    const LEN: usize = N;
    #[inline(always)]
    fn read(next: &mut impl FnMut() -> T) -> Self {
        <[T; N]>::read(next).into()
    }
    #[inline(always)]
    fn write(&self, next: &mut impl FnMut(T)) {
        self.entries().write(next);
    }
    #[inline(always)]
    fn each(self, to: impl Fn(T) -> T + Copy) -> Self {
        self.entries().each(to).into()
    }
}

impl<T: Copy> Fields<T> for Anything<T> {
    const LEN: usize = 0;
    fn read(_: &mut impl FnMut() -> T) -> Self {
        Anything::from([])
    }
    fn write(&self, _: &mut impl FnMut(T)) {}
}

/// [`Fields`] for types whose numbers are those of their fields.
macro_rules! of_fields {
    ($([$($type:ident)*] $of:ty: { $($all:tt)* } = $($field:ident: $part:ident)*;)*) => {$(
        impl<T: Copy, $($type: Fields<T>),*> Fields<T> for $of {
            const LEN: usize = 0 $(+ $part::LEN)*;
            #[inline(always)]
            fn read(next: &mut impl FnMut() -> T) -> Self {
                $(let $field = $part::read(next);)*
                $($all)*
            }
            #[inline(always)]
            fn write(&self, next: &mut impl FnMut(T)) {
                let $($all)* = self;
                $($field.write(next);)*
            }
            #[inline(always)]
            fn with(self, other: T, places: Places, mut from: usize) -> Self {
                let $($all)* = self;
                $(
                    let $field = $field.with(other, places, from);
                    from += $part::LEN;
                )*
                let _ = from;
                $($all)*
            }
            #[inline(always)]
            fn each(self, to: impl Fn(T) -> T + Copy) -> Self {
                let $($all)* = self;
                $(let $field = $field.each(to);)*
                $($all)*
            }
        }
    )*};
}

impl<T> Fields<T> for () {
    const LEN: usize = 0;
    #[inline(always)]
    fn read(_: &mut impl FnMut() -> T) -> Self {}
    #[inline(always)]
    fn write(&self, _: &mut impl FnMut(T)) {}
}

of_fields! {
    [A B] (A, B): { (a, b) } = a: A b: B;
    [A B C] (A, B, C): { (a, b, c) } = a: A b: B c: C;
    [Q V L Z C] NodeState<Q, V, L, Z, C>: { NodeState { q, v, lambda, states, carried } }
        = q: Q v: V lambda: L states: Z carried: C;
    [Q V L Z C] JumpState<Q, V, L, Z, C>: { JumpState { q, v_pre, v_post, lambda, states, carried } }
        = q: Q v_pre: V v_post: V lambda: L states: Z carried: C;
}

/// `fields!(Prepared { a, b })` for an emitted struct of numbers. A struct without numbers has a `PhantomData`.
#[doc(hidden)]
#[macro_export]
macro_rules! __fields {
    ($name:ident { $($field:ident),* $(; $scalar:ident)? }) => {
        impl<T: $crate::Scalar> $crate::Fields<T> for $name<T> {
            const LEN: ::core::primitive::usize = <Self as $crate::Fields<T>>::NAMES.len();
            const NAMES: &'static [&'static ::core::primitive::str] = &[$(::core::stringify!($field)),*];
            #[inline(always)]
            fn read(_next: &mut impl ::core::ops::FnMut() -> T) -> Self {
                $name { $($field: _next(),)* $($scalar: ::core::marker::PhantomData)? }
            }
            #[inline(always)]
            fn write(&self, _next: &mut impl ::core::ops::FnMut(T)) {
                $(_next(self.$field);)*
            }
            #[inline(always)]
            fn with(self, _other: T, _places: $crate::emitted::Places, mut _from: ::core::primitive::usize) -> Self {
                $(
                    let $field = $crate::Fields::with(self.$field, _other, _places, _from);
                    _from += 1;
                )*
                $name { $($field,)* $($scalar: ::core::marker::PhantomData)? }
            }
            #[inline(always)]
            fn each(self, _to: impl ::core::ops::Fn(T) -> T + ::core::marker::Copy) -> Self {
                $name { $($field: _to(self.$field),)* $($scalar: ::core::marker::PhantomData)? }
            }
        }
    };
}
