//! Matrices that are completed by products.
//!
//! Derivatives of a step along x and u depend on these in few ways alone: by the reactions λ of its impulses or stages. With
//! their derivatives L = ∂λ/∂(x, u), derivatives of x' are D + G L, and the symmetric second ones S + LᵀZ + ZᵀL. A function
//! computes the factors, and the products are loops, which are shorter than a sum for each entry.

use super::{Derivative, Role};

/// A factor of the products, an output of its own. There is a row for each reaction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Factor {
    /// L, the columns of x.
    ReactionsX,
    /// L, the columns of u.
    ReactionsU,
    /// Gᵀ.
    ByReactions,
    /// Z, the columns of x.
    SecondX,
    /// Z, the columns of u.
    SecondU,
}

impl Factor {
    /// Its name in emitted code.
    pub fn name(self) -> &'static str {
        match self {
            Factor::ReactionsX => "reactions_x",
            Factor::ReactionsU => "reactions_u",
            Factor::ByReactions => "by_reactions",
            Factor::SecondX => "second_x",
            Factor::SecondU => "second_u",
        }
    }
}

/// A product that is added to an output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Product {
    /// The matrix, among the outputs.
    pub to: usize,
    /// X and Y, among the outputs.
    pub factors: [usize; 2],
    /// XᵀY + YᵀX instead of XᵀY: of the matrix, and of the sum before it is mirrored, only entries on and above the diagonal count.
    pub is_symmetric: bool,
    /// The number of rows of X and Y.
    pub rank: usize,
    /// Rows and columns of the matrix.
    pub shape: [usize; 2],
}

impl Product {
    /// How many products of two numbers are added.
    pub fn terms(&self) -> usize {
        let [rows, columns] = self.shape;
        self.rank * if self.is_symmetric { rows * (rows + 1) } else { rows * columns }
    }
}

/// The matrices, with X and Y, and whether the product is symmetric.
const PRODUCTS: [(Derivative, [Factor; 2], bool); 6] = {
    use Derivative::{A, B, Uu, Xu, Xx};
    use Factor::{ByReactions, ReactionsU, ReactionsX, SecondU, SecondX};
    [
        (A, [ByReactions, ReactionsX], false),
        (B, [ByReactions, ReactionsU], false),
        (Xx, [ReactionsX, SecondX], true),
        (Xu, [ReactionsX, SecondU], false),
        (Xu, [SecondX, ReactionsU], false),
        (Uu, [ReactionsU, SecondU], true),
    ]
};

/// The products that are added to outputs, from the roles and lengths of all outputs.
pub fn products<'a>(outputs: impl Iterator<Item = (&'a Role, usize)>) -> Vec<Product> {
    let outputs: Vec<(&Role, usize)> = outputs.collect();
    let place = |role: &Role| outputs.iter().position(|(r, length)| *r == role && *length > 0);
    let products = PRODUCTS.into_iter().filter_map(|(matrix, [x, y], is_symmetric)| {
        let to = place(&Role::Derivative(matrix))?;
        let factors = [place(&Role::Factor(x))?, place(&Role::Factor(y))?];
        // XᵀY has as many rows as X has columns, and as many columns as Y.
        let [x, y] = factors.map(|factor| outputs[factor].1);
        let rank = (x * y / outputs[to].1).isqrt();
        Some(Product { to, factors, is_symmetric, rank, shape: [x / rank, y / rank] })
    });
    products.collect()
}

/// Adds the products to outputs, given one after the other with their lengths. The factors are the last ones.
pub fn complete(products: &[Product], lengths: &[usize], outputs: &mut [f64]) {
    let start = |of: usize| lengths[..of].iter().sum::<usize>();
    let Some(first) = products.iter().flat_map(|product| product.factors).min() else { return };
    let (matrices, all) = outputs.split_at_mut(start(first));
    let of = |factor: usize| &all[start(factor) - start(first)..][..lengths[factor]];
    for Product { to, factors, is_symmetric, shape: [rows, columns], .. } in products {
        let [x, y] = factors.map(of);
        let matrix = &mut matrices[start(*to)..][..lengths[*to]];
        for (i, row) in matrix.chunks_exact_mut(*columns).enumerate() {
            for (x, y) in x.chunks_exact(*rows).zip(y.chunks_exact(*columns)) {
                if *is_symmetric {
                    let entries = row.iter_mut().zip(x).zip(y).skip(i);
                    entries.for_each(|((entry, x_j), y_j)| *entry += x[i] * y_j + y[i] * x_j);
                } else {
                    row.iter_mut().zip(y).for_each(|(entry, y)| *entry += x[i] * y);
                }
            }
        }
        if *is_symmetric {
            for (i, j) in (0..*rows).flat_map(|i| (0..i).map(move |j| (i, j))) {
                matrix[columns * i + j] = matrix[columns * j + i];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_complete_matrices() {
        use Factor::*;
        // Two reactions, three tangent coordinates, one input.
        let lengths = [9, 3, 1, 9, 3, 6, 6, 2, 6, 2];
        use Derivative::{A, B, Uu, Xu, Xx};
        let matrices = [Xx, Xu, Uu, A, B].map(Role::Derivative);
        let factors = [ByReactions, ReactionsX, ReactionsU, SecondX, SecondU].map(Role::Factor);
        let roles: Vec<Role> = matrices.into_iter().chain(factors).collect();
        let products = products(roles.iter().zip(lengths));
        assert_eq!(products.iter().map(|product| product.rank).collect::<Vec<_>>(), [2; 6]);
        assert_eq!(products.iter().map(Product::terms).sum::<usize>(), 18 + 6 + 24 + 6 + 6 + 4);

        let before: Vec<f64> = (0..47).map(|i| f64::from(i * i % 23)).collect();
        let mut after = before.clone();
        complete(&products, &lengths, &mut after);
        let start = |of: usize| lengths[..of].iter().sum::<usize>();
        let entry = |of: usize, columns: usize, i: usize, j: usize| before[start(of) + columns * i + j];
        // A row of L or Z for all of (x, u).
        let whole = |x: usize, r: usize, j: usize| {
            if j < 3 { entry(x, 3, r, j) } else { entry(x + 1, 1, r, j - 3) }
        };
        for i in 0..4 {
            for j in 0..4 {
                let second: f64 =
                    (0..2).map(|r| whole(6, r, i) * whole(8, r, j) + whole(8, r, i) * whole(6, r, j)).sum();
                let first: f64 = (0..2).map(|r| entry(5, 3, r, i.min(2)) * whole(6, r, j)).sum();
                let (of, columns, at) = match (i < 3, j < 3) {
                    (true, true) => (0, 3, [i.min(j), i.max(j)]),
                    (true, false) => (1, 1, [i, 0]),
                    (false, true) => (1, 1, [j, 0]),
                    (false, false) => (2, 1, [0, 0]),
                };
                let place = start(of) + columns * at[0] + at[1];
                assert_eq!(after[place], before[place] + second, "second derivatives by {i} and {j}");
                if i < 3 {
                    let (of, columns, column) = if j < 3 { (3, 3, j) } else { (4, 1, 0) };
                    let place = start(of) + columns * i + column;
                    assert_eq!(after[place], before[place] + first, "first derivatives of {i} by {j}");
                }
            }
        }
        assert_eq!([after[3], after[6], after[7]], [after[1], after[2], after[5]], "xx is symmetric");
    }
}
