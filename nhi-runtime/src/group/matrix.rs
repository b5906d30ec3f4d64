use crate::Scalar;
use crate::fields::{array, unrolled};
use core::fmt::Debug;

/// Coordinate columns of elements of 𝔤 and of covectors in 𝔤*: `[T; N]`, or a pair of columns.
pub trait Column: Copy + Debug + PartialEq {
    /// The numbers in it.
    type Scalar: Scalar;
    /// All zeros.
    fn zero() -> Self;
    /// Sum.
    fn plus(self, other: Self) -> Self;
    /// Multiple.
    fn times(self, factor: Self::Scalar) -> Self;
    /// The pairing of covector and vector.
    fn dot(self, other: Self) -> Self::Scalar;
    /// Negative.
    #[inline(always)]
    fn negated(self) -> Self {
        self.times(-Self::Scalar::from_f64(1.0))
    }
}

impl<T: Scalar, const N: usize> Column for [T; N] {
    type Scalar = T;
    #[inline(always)]
    fn zero() -> Self {
        [T::from_f64(0.0); N]
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        array(T::from_f64(0.0), |i| self[i] + other[i])
    }
    #[inline(always)]
    fn times(self, factor: T) -> Self {
        array(factor, |i| factor * self[i])
    }
    #[inline]
    fn dot(self, other: Self) -> T {
        let mut sum = T::from_f64(0.0);
        unrolled::<N>(|i| {
            let product = self[i] * other[i];
            sum = if i == 0 { product } else { sum + product };
        });
        sum
    }
    #[inline(always)]
    fn negated(self) -> Self {
        array(T::from_f64(0.0), |i| -self[i])
    }
}

impl<A: Column, B: Column<Scalar = A::Scalar>> Column for (A, B) {
    type Scalar = A::Scalar;
    #[inline(always)]
    fn zero() -> Self {
        (A::zero(), B::zero())
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        (self.0.plus(other.0), self.1.plus(other.1))
    }
    #[inline(always)]
    fn times(self, factor: A::Scalar) -> Self {
        (self.0.times(factor), self.1.times(factor))
    }
    #[inline(always)]
    fn dot(self, other: Self) -> A::Scalar {
        self.0.dot(other.0) + self.1.dot(other.1)
    }
}

/// Linear maps of 𝔤 into itself: `[[T; N]; N]`, rows first, or a pair for a block-diagonal one.
pub trait Operator: Copy + Debug + PartialEq {
    /// The vectors that the map acts on.
    type Column: Column;
    /// The identity.
    fn identity() -> Self;
    /// All zeros.
    fn zero() -> Self;
    /// Sum.
    fn plus(self, other: Self) -> Self;
    /// Multiple.
    fn times(self, factor: <Self::Column as Column>::Scalar) -> Self;
    /// Matrix product `self · first`.
    fn after(self, first: Self) -> Self;
    /// Transpose.
    fn transposed(self) -> Self;
    /// Inverse; entries that are infinite or not a number if there is none.
    fn inverse(self) -> Self;
    /// Matrix times column.
    fn apply(self, x: Self::Column) -> Self::Column;
    /// Transposed matrix times column: the dual map, on covectors.
    fn apply_star(self, mu: Self::Column) -> Self::Column;
}

impl<T: Scalar, const N: usize> Operator for [[T; N]; N] {
    type Column = [T; N];
    #[inline(always)]
    fn identity() -> Self {
        let mut identity = Self::zero();
        unrolled::<N>(|i| identity[i][i] = T::from_f64(1.0));
        identity
    }
    #[inline(always)]
    fn zero() -> Self {
        [[T::from_f64(0.0); N]; N]
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        array(Column::zero(), |i| self[i].plus(other[i]))
    }
    #[inline(always)]
    fn times(self, factor: T) -> Self {
        array(Column::zero(), |i| self[i].times(factor))
    }
    #[inline(always)]
    fn after(self, first: Self) -> Self {
        // A closure of this size is not always inlined.
        let mut product = self;
        for row in &mut product {
            *row = first.apply_star(*row);
        }
        product
    }
    #[inline(always)]
    fn transposed(self) -> Self {
        array(Column::zero(), |i| array(self[0][0], |j| self[j][i]))
    }
    /// By elimination with the largest pivot of each column.
    #[inline(always)]
    fn inverse(self) -> Self {
        let (mut left, mut right) = (self, Self::identity());
        for k in 0..N {
            let (mut l, mut r) = (left[k], right[k]);
            for (below, beside) in left.iter_mut().zip(&mut right).skip(k + 1) {
                if below[k].to_f64().abs() > l[k].to_f64().abs() {
                    (l, *below) = (*below, l);
                    (r, *beside) = (*beside, r);
                }
            }
            let scale = T::from_f64(1.0) / l[k];
            (l, r) = (l.times(scale), r.times(scale));
            (left[k], right[k]) = (l, r);
            let others = left.iter_mut().zip(&mut right).enumerate().filter(|(i, _)| *i != k);
            for (_, (other, beside)) in others {
                let factor = -other[k];
                *other = other.plus(l.times(factor));
                *beside = beside.plus(r.times(factor));
            }
        }
        right
    }
    #[inline(always)]
    fn apply(self, x: [T; N]) -> [T; N] {
        array(T::from_f64(0.0), |i| self[i].dot(x))
    }
    #[inline(always)]
    fn apply_star(self, mu: [T; N]) -> [T; N] {
        self.transposed().apply(mu)
    }
}

impl<A, B> Operator for (A, B)
where
    A: Operator,
    B: Operator<Column: Column<Scalar = <A::Column as Column>::Scalar>>,
{
    type Column = (A::Column, B::Column);
    #[inline(always)]
    fn identity() -> Self {
        (A::identity(), B::identity())
    }
    #[inline(always)]
    fn zero() -> Self {
        (A::zero(), B::zero())
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        (self.0.plus(other.0), self.1.plus(other.1))
    }
    #[inline(always)]
    fn times(self, factor: <A::Column as Column>::Scalar) -> Self {
        (self.0.times(factor), self.1.times(factor))
    }
    #[inline(always)]
    fn after(self, first: Self) -> Self {
        (self.0.after(first.0), self.1.after(first.1))
    }
    #[inline(always)]
    fn transposed(self) -> Self {
        (self.0.transposed(), self.1.transposed())
    }
    #[inline(always)]
    fn inverse(self) -> Self {
        (self.0.inverse(), self.1.inverse())
    }
    #[inline(always)]
    fn apply(self, x: Self::Column) -> Self::Column {
        (self.0.apply(x.0), self.1.apply(x.1))
    }
    #[inline(always)]
    fn apply_star(self, mu: Self::Column) -> Self::Column {
        (self.0.apply_star(mu.0), self.1.apply_star(mu.1))
    }
}
