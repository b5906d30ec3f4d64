//! Small matrices of expressions.

use super::{Expr, Pool};

/// Rows of a matrix of expressions.
pub type Matrix = Vec<Vec<Expr>>;

/// Σ aᵢ bᵢ.
pub fn dot(pool: &mut Pool, a: &[Expr], b: &[Expr]) -> Expr {
    let terms = products(pool, a, b);
    pool.sum(&terms)
}

/// The terms of [`dot`].
pub(crate) fn products(pool: &mut Pool, a: &[Expr], b: &[Expr]) -> Vec<Expr> {
    a.iter().zip(b).map(|(&x, &y)| pool.mul(x, y)).collect()
}

/// The sets of indices that a symmetric matrix couples, each ascending, by first index.
pub fn coupled_blocks(pool: &Pool, a: &Matrix) -> Vec<Vec<usize>> {
    let n = a.len();
    let mut block: Vec<usize> = (0..n).collect();
    for i in 0..n {
        for j in 0..i {
            if !(pool.is_zero(a[i][j]) && pool.is_zero(a[j][i])) {
                let (keep, drop) = (block[i].min(block[j]), block[i].max(block[j]));
                for b in &mut block {
                    if *b == drop {
                        *b = keep;
                    }
                }
            }
        }
    }
    (0..n).filter(|&i| block[i] == i).map(|i| (0..n).filter(|&j| block[j] == i).collect()).collect()
}

/// A B.
pub(crate) fn product(pool: &mut Pool, a: &Matrix, b: &Matrix) -> Matrix {
    let columns = transposed(b, b.first().map_or(0, Vec::len));
    a.iter().map(|row| columns.iter().map(|column| dot(pool, row, column)).collect()).collect()
}

/// A − B.
pub(crate) fn subtract(pool: &mut Pool, a: &Matrix, b: &Matrix) -> Matrix {
    let rows = a.iter().zip(b);
    rows.map(|(a, b)| a.iter().zip(b).map(|(&a, &b)| pool.sub(a, b)).collect()).collect()
}

/// Aᵀ of a matrix of that many columns.
pub(crate) fn transposed(a: &Matrix, columns: usize) -> Matrix {
    (0..columns).map(|j| a.iter().map(|row| row[j]).collect()).collect()
}

/// det A of a matrix of few columns: minors of the leading rows, by Laplace's expansion along the last.
pub(crate) fn determinant(pool: &mut Pool, a: &Matrix) -> Expr {
    let n = a.len();
    let mut minors = vec![pool.one(); 1 << n];
    for set in 1..1usize << n {
        let row = &a[set.count_ones() as usize - 1];
        let columns: Vec<usize> = (0..n).filter(|j| set >> j & 1 == 1).collect();
        let mut terms = Vec::with_capacity(columns.len());
        for (place, &j) in columns.iter().rev().enumerate() {
            let term = pool.mul(row[j], minors[set & !(1 << j)]);
            terms.push(if place % 2 == 0 { term } else { pool.neg(term) });
        }
        minors[set] = pool.sum(&terms);
    }
    minors[(1 << n) - 1]
}

/// adj(A) c: det A times the solution x of A x = c, by Cramer's rule.
pub(crate) fn cramer(pool: &mut Pool, a: &Matrix, c: &[Expr]) -> Vec<Expr> {
    (0..a.len())
        .map(|replaced| {
            let mut square = a.clone();
            for (row, &c) in square.iter_mut().zip(c) {
                row[replaced] = c;
            }
            determinant(pool, &square)
        })
        .collect()
}

/// X with A X = R for a symmetric positive definite A, block by block of coupled unknowns: by the
/// adjugate up to two of them, by elimination beyond.
pub(crate) fn solve_definite(pool: &mut Pool, a: &Matrix, rhs: &Matrix) -> Matrix {
    let mut x = rhs.clone();
    for block in coupled_blocks(pool, a) {
        match block[..] {
            [i] => {
                for entry in &mut x[i] {
                    *entry = pool.div(*entry, a[i][i]);
                }
            }
            [i, j] => {
                let (d, o) = (pool.mul(a[i][i], a[j][j]), pool.powi(a[i][j], 2));
                let det = pool.sub(d, o);
                for column in 0..rhs[i].len() {
                    let (r, s) = (rhs[i][column], rhs[j][column]);
                    for (row, own, other, own_rhs, other_rhs) in
                        [(i, a[j][j], a[i][j], r, s), (j, a[i][i], a[i][j], s, r)]
                    {
                        let (direct, coupled) = (pool.mul(own, own_rhs), pool.mul(other, other_rhs));
                        let top = pool.sub(direct, coupled);
                        x[row][column] = pool.div(top, det);
                    }
                }
            }
            _ => {
                let rows: Matrix = block
                    .iter()
                    .map(|&i| block.iter().map(|&j| a[i][j]).chain(rhs[i].iter().copied()).collect())
                    .collect();
                for (i, row) in block.into_iter().zip(eliminated(pool, rows)) {
                    x[i] = row;
                }
            }
        }
    }
    x
}

/// X of the rows (A | R), without exchanges.
fn eliminated(pool: &mut Pool, mut rows: Matrix) -> Matrix {
    let n = rows.len();
    for k in 0..n {
        let pivot = rows[k][k];
        let scaled: Vec<Expr> = rows[k].iter().map(|&e| pool.div(e, pivot)).collect();
        for (i, row) in rows.iter_mut().enumerate() {
            let factor = row[k];
            if i == k || pool.is_zero(factor) {
                continue;
            }
            for (entry, &above) in row.iter_mut().zip(&scaled).skip(k) {
                let less = pool.mul(factor, above);
                *entry = pool.sub(*entry, less);
            }
        }
        rows[k] = scaled;
    }
    rows.into_iter().map(|row| row[n..].to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(pool: &mut Pool, rows: &[&[i64]]) -> Matrix {
        rows.iter().map(|row| row.iter().map(|&x| pool.int(x)).collect()).collect()
    }

    #[test]
    fn determinants() {
        let mut pool = Pool::new();
        let empty = determinant(&mut pool, &Vec::new());
        assert!(pool.is_one(empty));
        let a = matrix(&mut pool, &[&[2, -1, 3], &[0, 4, 1], &[5, 2, -2]]);
        let det = determinant(&mut pool, &a);
        assert_eq!(det, pool.int(-85));
        // x = (1, −1, 2)
        let c = [9, -2, -1].map(|x| pool.int(x));
        assert_eq!(cramer(&mut pool, &a, &c), [-85, 85, -170].map(|x| pool.int(x)));
    }

    /// Blocks of one, two and three unknowns.
    #[test]
    fn definite_systems() {
        let mut pool = Pool::new();
        let a = matrix(
            &mut pool,
            &[
                &[4, 0, 0, 1, 0, 1],
                &[0, 3, 0, 0, 1, 0],
                &[0, 0, 5, 0, 0, 0],
                &[1, 0, 0, 3, 0, -1],
                &[0, 1, 0, 0, 2, 0],
                &[1, 0, 0, -1, 0, 6],
            ],
        );
        let x = matrix(&mut pool, &[&[1, -2], &[3, 0], &[7, 1], &[-4, 2], &[2, 5], &[1, 1]]);
        let rhs = product(&mut pool, &a, &x);
        assert_eq!(solve_definite(&mut pool, &a, &rhs), x);
        assert_eq!(solve_definite(&mut pool, &Vec::new(), &Vec::new()), Matrix::new());
    }
}
