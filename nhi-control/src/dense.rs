//! Small dense matrices as slices, row after row.
#[cfg(not(feature = "std"))]
use num_traits::Float;

/// Calls a function of the number of columns as a constant, so that a row of the result is kept in registers. Larger numbers
/// than those of the match are left to `otherwise`.
macro_rules! with_columns {
    ($columns:expr, $f:ident $arguments:tt, $otherwise:expr; $($n:literal)*) => {
        match $columns {
            $($n => $f::<$n> $arguments,)*
            _ => $otherwise,
        }
    };
}

/// Two versions of a function, the second one for processors with AVX2, whose registers have room for four numbers instead of
/// two. Neither contracts multiplications and additions: the results are the same.
macro_rules! with_widest_registers {
    (fn $name:ident<const $n:ident: usize>($($argument:ident: $type:ty),*) $body:block) => {
        #[inline(never)]
        fn $name<const $n: usize>($($argument: $type),*) {
            #[inline(always)]
            fn plain<const $n: usize>($($argument: $type),*) $body

            #[cfg(all(target_arch = "x86_64", feature = "std"))]
            {
                #[target_feature(enable = "avx2")]
                fn avx2<const $n: usize>($($argument: $type),*) {
                    plain::<$n>($($argument),*);
                }

                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor has AVX2.
                    #[allow(unsafe_code, reason = "a call with a target feature")]
                    return unsafe { avx2::<$n>($($argument),*) };
                }
            }
            plain::<$n>($($argument),*);
        }
    };
}

/// Calls a function with `length` copies of `zero`, on the stack if they are not more than `N`.
pub(crate) fn with_scratch<const N: usize, T: Copy, R>(
    length: usize,
    zero: T,
    f: impl FnOnce(&mut [T]) -> R,
) -> R {
    if length <= N { f(&mut [zero; N][..length]) } else { f(&mut vec![zero; length]) }
}

/// Rounds of Jacobi's rotations, at most: they converge quadratically.
const SWEEPS: usize = 30;

/// C += A B for A of `rows` × `inner` and B of `inner` × `columns`.
#[inline(always)]
pub(crate) fn add_product(c: &mut [f64], a: &[f64], b: &[f64], inner: usize, columns: usize) {
    if inner == 0 || columns == 0 {
        return;
    }
    let any = |c: &mut [f64]| {
        for (c, a) in c.chunks_exact_mut(columns).zip(a.chunks_exact(inner)) {
            for (&a, b) in a.iter().zip(b.chunks_exact(columns)) {
                add_multiple(c, a, b);
            }
        }
    };
    with_columns!(columns, add_rows(c, a, b, inner), any(c); 1 2 3 4 5 6 7 8 9 10 11 12);
}

with_widest_registers! {
    fn add_rows<const N: usize>(c: &mut [f64], a: &[f64], b: &[f64], inner: usize) {
        let (b, _) = b.as_chunks::<N>();
        for (c, a) in c.as_chunks_mut::<N>().0.iter_mut().zip(a.chunks_exact(inner)) {
            let mut sum = *c;
            for (a, b) in a.iter().zip(b) {
                for i in 0..N {
                    sum[i] += a * b[i];
                }
            }
            *c = sum;
        }
    }
}

/// C += Aᵀ B for A of `inner` × `rows` and B of `inner` × `columns`.
#[inline(always)]
pub(crate) fn add_transposed_product(c: &mut [f64], a: &[f64], b: &[f64], rows: usize, columns: usize) {
    if rows == 0 || columns == 0 {
        return;
    }
    let any = |c: &mut [f64]| {
        for (a, b) in a.chunks_exact(rows).zip(b.chunks_exact(columns)) {
            for (c, &a) in c.chunks_exact_mut(columns).zip(a) {
                add_multiple(c, a, b);
            }
        }
    };
    with_columns!(columns, add_transposed_rows(c, a, b, rows), any(c); 1 2 3 4 5 6 7 8 9 10 11 12);
}

with_widest_registers! {
    fn add_transposed_rows<const N: usize>(c: &mut [f64], a: &[f64], b: &[f64], rows: usize) {
        let (b, _) = b.as_chunks::<N>();
        for (i, c) in c.as_chunks_mut::<N>().0.iter_mut().take(rows).enumerate() {
            let mut sum = *c;
            for (a, b) in a.chunks_exact(rows).zip(b) {
                for j in 0..N {
                    sum[j] += a[i] * b[j];
                }
            }
            *c = sum;
        }
    }
}

/// y += a x.
#[inline]
pub(crate) fn add_multiple(y: &mut [f64], a: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, &x)| *y += a * x);
}

/// Subtracts from x its projection on each of these unit vectors, one after the other.
pub(crate) fn subtract_projections<'q>(x: &mut [f64], units: impl IntoIterator<Item = &'q [f64]>) {
    units.into_iter().for_each(|q| add_multiple(x, -dot(q, x), q));
}

/// y += A x.
#[inline(always)]
pub(crate) fn add_image(y: &mut [f64], a: &[f64], x: &[f64]) {
    let any = |y: &mut [f64]| {
        y.iter_mut().zip(a.chunks_exact(x.len().max(1))).for_each(|(y, row)| *y += dot(row, x));
    };
    with_columns!(x.len(), add_dots(y, a, x), any(y); 1 2 3 4 5 6 7 8 9 10 11 12);
}

#[inline]
fn add_dots<const N: usize>(y: &mut [f64], a: &[f64], x: &[f64]) {
    let (Some(x), (a, _)) = (x.first_chunk::<N>(), a.as_chunks::<N>()) else { return };
    for (y, row) in y.iter_mut().zip(a) {
        let products: [f64; N] = core::array::from_fn(|i| row[i] * x[i]);
        *y += products.iter().sum::<f64>();
    }
}

/// y += Aᵀ x.
#[inline(always)]
pub(crate) fn add_transposed_image(y: &mut [f64], a: &[f64], x: &[f64]) {
    let any = |y: &mut [f64]| {
        a.chunks_exact(y.len().max(1)).zip(x).for_each(|(row, &x)| add_multiple(y, x, row));
    };
    with_columns!(y.len(), add_sums(y, a, x), any(y); 1 2 3 4 5 6 7 8 9 10 11 12);
}

#[inline]
fn add_sums<const N: usize>(y: &mut [f64], a: &[f64], x: &[f64]) {
    let Some(y) = y.first_chunk_mut::<N>() else { return };
    let mut sum = *y;
    for (row, x) in a.as_chunks::<N>().0.iter().zip(x) {
        for i in 0..N {
            sum[i] += row[i] * x;
        }
    }
    *y = sum;
}

/// x·y, in four sums, which do not wait for each other.
#[inline]
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let length = x.len().min(y.len());
    let ((x, x_rest), (y, y_rest)) = (x[..length].as_chunks::<4>(), y[..length].as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (x, y) in x.iter().zip(y) {
        for i in 0..4 {
            sums[i] += x[i] * y[i];
        }
    }
    let rest: f64 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// The largest modulus; NaN if there is one.
#[inline]
pub(crate) fn norm(x: &[f64]) -> f64 {
    let (chunks, rest) = x.as_chunks::<4>();
    let (mut largest, mut sums) = ([0.0_f64; 4], [0.0; 4]);
    for chunk in chunks {
        for i in 0..4 {
            let x = chunk[i].abs();
            largest[i] = if x > largest[i] { x } else { largest[i] };
            // NaN, which is not larger, remains in the sum.
            sums[i] += x;
        }
    }
    let over = |norm: f64, x: f64| if x <= norm || norm.is_nan() { norm } else { x };
    let norm = rest.iter().fold(0.0, |norm, x| over(norm, x.abs()));
    let has_nan = sums.iter().any(|sum| sum.is_nan());
    if has_nan { f64::NAN } else { largest.into_iter().fold(norm, over) }
}

/// The Euclidean norm.
pub(crate) fn norm2(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// The sum of the moduli, in four sums as well.
#[inline]
pub(crate) fn sum_of_moduli(x: &[f64]) -> f64 {
    let (chunks, rest) = x.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for chunk in chunks {
        for i in 0..4 {
            sums[i] += chunk[i].abs();
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest.iter().map(|x| x.abs()).sum::<f64>()
}

/// Whether all numbers are finite, looked at several at a time: x·0 is zero then, else NaN.
#[inline]
pub(crate) fn are_finite(x: &[f64]) -> bool {
    let (chunks, rest) = x.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for chunk in chunks {
        for (sum, x) in sums.iter_mut().zip(chunk) {
            *sum += x * 0.0;
        }
    }
    sums.iter().sum::<f64>() == 0.0 && rest.iter().all(|x| x.is_finite())
}

/// Sets a matrix to the identity.
pub(crate) fn set_identity(a: &mut [f64], n: usize) {
    a.fill(0.0);
    a.iter_mut().step_by(n + 1).for_each(|entry| *entry = 1.0);
}

/// Replaces a symmetric positive definite matrix, of which the lower triangle is read, by its Cholesky factor L in the lower
/// triangle. Returns the least ratio of a squared pivot to the diagonal entry that it was, or `None` if a pivot is not positive.
pub(crate) fn cholesky(a: &mut [f64], n: usize) -> Option<f64> {
    let mut least = 1.0_f64;
    for i in 0..n {
        for j in 0..=i {
            let (row_i, row_j) = (i * n, j * n);
            let sum = dot(&a[row_i..row_i + j], &a[row_j..row_j + j]);
            let entry = a[row_i + j] - sum;
            if i == j {
                // Rejects NaN as well.
                if !(entry > 0.0 && entry.is_finite()) {
                    return None;
                }
                least = least.min(entry / a[row_i + i]);
                a[row_i + i] = entry.sqrt();
            } else {
                a[row_i + j] = entry / a[row_j + j];
            }
        }
    }
    Some(least)
}

/// Solves L Lᵀ x = b in place.
pub(crate) fn solve_cholesky(l: &[f64], n: usize, b: &mut [f64]) {
    for i in 0..n {
        b[i] = (b[i] - dot(&l[i * n..i * n + i], &b[..i])) / l[i * n + i];
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|j| l[j * n + i] * b[j]).sum();
        b[i] = (b[i] - sum) / l[i * n + i];
    }
}

/// Makes a symmetric matrix diagonal by Jacobi's rotations; the columns of `vectors` are set to the eigenvectors of the diagonal
/// entries.
pub(crate) fn diagonalise(a: &mut [f64], n: usize, vectors: &mut [f64]) {
    set_identity(vectors, n);
    for _ in 0..SWEEPS {
        let is_diagonal = |(place, x): (usize, &f64)| place % (n + 1) == 0 || *x == 0.0;
        if a.iter().enumerate().all(is_diagonal) {
            return;
        }
        for i in 0..n {
            for j in i + 1..n {
                let off = a[i * n + j];
                let (first, second) = (a[i * (n + 1)], a[j * (n + 1)]);
                if off.abs() <= f64::EPSILON * first.abs().min(second.abs()) {
                    (a[i * n + j], a[j * n + i]) = (0.0, 0.0);
                    continue;
                }
                // The smaller angle with which the entry vanishes.
                let ratio = (second - first) / (2.0 * off);
                let tan = ratio.signum() / (ratio.abs() + ratio.hypot(1.0));
                let cos = 1.0 / tan.hypot(1.0);
                let sin = tan * cos;
                let rotate = |x: &mut f64, y: &mut f64| (*x, *y) = (cos * *x - sin * *y, sin * *x + cos * *y);
                for k in 0..n {
                    let (mut x, mut y) = (a[k * n + i], a[k * n + j]);
                    rotate(&mut x, &mut y);
                    (a[k * n + i], a[k * n + j]) = (x, y);
                    let (mut x, mut y) = (vectors[k * n + i], vectors[k * n + j]);
                    rotate(&mut x, &mut y);
                    (vectors[k * n + i], vectors[k * n + j]) = (x, y);
                }
                for k in 0..n {
                    let (mut x, mut y) = (a[i * n + k], a[j * n + k]);
                    rotate(&mut x, &mut y);
                    (a[i * n + k], a[j * n + k]) = (x, y);
                }
                (a[i * n + j], a[j * n + i]) = (0.0, 0.0);
            }
        }
    }
}

/// Sets `inverse` to the inverse of L Lᵀ.
pub(crate) fn invert_cholesky(l: &[f64], n: usize, inverse: &mut [f64], column: &mut [f64]) {
    for j in 0..n {
        column[..n].fill(0.0);
        column[j] = 1.0;
        solve_cholesky(l, n, &mut column[..n]);
        for i in 0..n {
            inverse[i * n + j] = column[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// Wherever they are among the numbers that are looked at together, and those that are left.
    #[test]
    fn numbers_that_are_not_finite_are_found() {
        let numbers: Vec<f64> = (0..11).map(|i| 1.0 - f64::from(i)).collect();
        assert!(are_finite(&numbers) && are_finite(&[]));
        assert_eq!((norm(&numbers), norm(&[]), sum_of_moduli(&numbers)), (9.0, 0.0, 46.0));
        for i in 0..numbers.len() {
            for (other, size) in [(f64::NAN, f64::NAN), (f64::NEG_INFINITY, f64::INFINITY)] {
                let mut numbers = numbers.clone();
                numbers[i] = other;
                assert!(!are_finite(&numbers), "{i}");
                assert!(norm(&numbers).total_cmp(&size).is_eq(), "{i}: {}", norm(&numbers));
            }
        }
    }

    /// A = V D Vᵀ with orthonormal V, also where eigenvalues are equal or of different sizes.
    #[test]
    fn symmetric_matrices_are_made_diagonal() {
        let cases: [&[f64]; 4] = [
            &[3.0],
            &[1.0, 2.0, 2.0, -1.0],
            &[2.0, -1.0, 0.0, -1.0, 2.0, -1.0, 0.0, -1.0, 2.0],
            &[1e8, 3.0, 1.0, 1e3, 3.0, 1.0, 0.5, 0.0, 1.0, 0.5, 1.0, -2.0, 1e3, 0.0, -2.0, -1e-3],
        ];
        for case in cases {
            let n = case.len().isqrt();
            let (mut d, mut v) = (case.to_vec(), vec![0.0; n * n]);
            diagonalise(&mut d, n, &mut v);
            let size = norm(case);
            for i in 0..n {
                for j in 0..n {
                    assert!(i == j || d[i * n + j] == 0.0, "{d:?}");
                    let column = |j: usize| (0..n).map(move |k| k * n + j);
                    let product: f64 = column(i).zip(column(j)).map(|(a, b)| v[a] * v[b]).sum();
                    assert!((product - f64::from(u8::from(i == j))).abs() < 1e-14, "{v:?}");
                    let entry: f64 = (0..n).map(|k| v[i * n + k] * d[k * (n + 1)] * v[j * n + k]).sum();
                    assert!((entry - case[i * n + j]).abs() < 1e-14 * size, "{i}, {j}: {entry}");
                }
            }
        }
    }
}
