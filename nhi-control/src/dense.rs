//! Small dense matrices as slices, row after row.

/// C += A B for A of `rows` × `inner` and B of `inner` × `columns`.
pub(crate) fn add_product(c: &mut [f64], a: &[f64], b: &[f64], inner: usize, columns: usize) {
    if inner == 0 || columns == 0 {
        return;
    }
    for (c, a) in c.chunks_exact_mut(columns).zip(a.chunks_exact(inner)) {
        for (&a, b) in a.iter().zip(b.chunks_exact(columns)) {
            add_multiple(c, a, b);
        }
    }
}

/// C += Aᵀ B for A of `inner` × `rows` and B of `inner` × `columns`.
pub(crate) fn add_transposed_product(c: &mut [f64], a: &[f64], b: &[f64], rows: usize, columns: usize) {
    if rows == 0 || columns == 0 {
        return;
    }
    for (a, b) in a.chunks_exact(rows).zip(b.chunks_exact(columns)) {
        for (c, &a) in c.chunks_exact_mut(columns).zip(a) {
            add_multiple(c, a, b);
        }
    }
}

/// y += a x.
pub(crate) fn add_multiple(y: &mut [f64], a: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, &x)| *y += a * x);
}

/// y += A x.
pub(crate) fn add_image(y: &mut [f64], a: &[f64], x: &[f64]) {
    if x.is_empty() {
        return;
    }
    y.iter_mut().zip(a.chunks_exact(x.len())).for_each(|(y, row)| *y += dot(row, x));
}

/// y += Aᵀ x.
pub(crate) fn add_transposed_image(y: &mut [f64], a: &[f64], x: &[f64]) {
    if y.is_empty() {
        return;
    }
    a.chunks_exact(y.len()).zip(x).for_each(|(row, &x)| add_multiple(y, x, row));
}

/// x·y.
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// The largest modulus; NaN if there is one.
pub(crate) fn norm(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |norm: f64, &x| if x.abs() <= norm || norm.is_nan() { norm } else { x.abs() })
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
