//! Row combination: equivalent constraints that are orthogonal or simpler, with the declared ones as combinations.
//!
//! ```text
//! μ = T diag(f) μ′,   λ′ = diag(f) Tᵀ λ,   λ = T⁻ᵀ diag(f)⁻¹ λ′,   C = T diag(f) C′ diag(f) Tᵀ.
//! ```
//!
//! Two rows of the same length, Cₐₐ = C_bb, are orthogonal after half their sum and half their difference
//! are taken in their place, and a function f(q) that all entries of a row have in common can be left
//! out: the solutions are the same where no f vanishes. Where one does, the declared rows are dependent,
//! and [`Combination::determinant`] says so as exactly as their own would.
//!
//! On a group with a rotation R, three rows may be the components in space of a vector that is simpler in the body. Then the
//! components in the body, Rᵀ times these rows, take their place in all equations, also in those that hold at two
//! configurations: a declaration in words of the space and one in words of the body are the same system for every method.

use super::{Mechanics, Reaction};
use crate::engine::{BuiltIn, Engine, EngineError};
use crate::expr::linear::{Matrix, dot};
use crate::expr::{Expr, Pool};
use num_traits::Signed;
use std::collections::BTreeSet;

/// The constraints as μ v + μ₀ = 0, declared or combined.
#[derive(Clone, Debug)]
pub struct Rows {
    mu: Matrix,
    mu_t: Vec<Expr>,
    residual: Vec<Expr>,
    gamma: Vec<Expr>,
    reaction: Option<Reaction>,
    combination: Option<Combination>,
}

/// The declared rows as combinations of the rows in use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Combination {
    /// Rows that belong together, in order of the first.
    pub blocks: Vec<Block>,
    /// f, one per row.
    pub factors: Vec<Expr>,
    /// R, row by row, if there are blocks of three.
    pub rotation: Vec<Expr>,
    /// f²|μ′|² of the rows without their masses, if all those of pairs are functions of parameters alone.
    pub lengths: Option<Vec<Expr>>,
}

/// One declared row, or two: μₐ = f₁μ′₁ − f₂μ′₂, μ_b = f₁μ′₁ + f₂μ′₂, with half the sum of the declared
/// rows in the place of the first and half their difference in that of the second. Or three: μ = R μ′.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Block {
    /// A row that is only divided by its factor.
    Row(usize),
    /// Half the sum and half the difference of two.
    Pair(usize, usize),
    /// The components in the body of three that are components in space; the first of them.
    Turned(usize),
}

impl Mechanics {
    /// Rows that may be better than the declared ones, if any are found. Those of coordinates alone: on a
    /// group the frame of the body has done most of it. The rows of position constraints are derivatives of these, which
    /// combinations are not.
    pub(super) fn combine(&mut self) -> Option<Rows> {
        if !self.system.group.is_trivial() || self.m() == 0 || self.has_positions() {
            return None;
        }
        // A separate engine, so that the rows do not depend on the engine in use.
        self.combine_by(&mut BuiltIn).ok().flatten()
    }

    fn combine_by(&mut self, engine: &mut dyn Engine) -> Result<Option<Rows>, EngineError> {
        let Some(reaction) = self.reaction.clone() else { return Ok(None) };
        let outside = self.system.outside();
        let parameters: BTreeSet<Expr> = self.parameters().into_iter().collect();
        let pool = &mut self.system.pool;
        let blocks = blocks(pool, &reaction.c);
        let simple = |pool: &mut Pool, engine: &mut dyn Engine, rows: &[Vec<Expr>]| {
            let columns = rows.first().map_or(0, Vec::len);
            let flat = engine.simplify(pool, &rows.concat())?;
            Ok::<Matrix, EngineError>(flat.chunks(columns).map(<[Expr]>::to_vec).collect())
        };
        // μ and μ₀ in one: a factor is one of both.
        let rows: Matrix =
            self.mu.iter().zip(&self.mu_t).map(|(row, &t)| [row.as_slice(), &[t]].concat()).collect();
        let rows = halves(pool, &blocks, &rows);
        let rows = simple(pool, engine, &rows)?;
        let mut factors = Vec::new();
        let mut divided = Vec::new();
        for row in &rows {
            let f = common_factor(pool, row, &self.q, &outside);
            divided.push(row.iter().map(|&e| pool.div(e, f)).collect::<Vec<Expr>>());
            factors.push(f);
        }
        let paired = blocks.iter().any(|b| matches!(b, Block::Pair(..)));
        if !paired && factors.iter().all(|&f| pool.is_one(f)) {
            return Ok(None);
        }
        let n = self.v.len();
        let mu: Matrix = divided.iter().map(|row| row[..n].to_vec()).collect();
        let mu_t: Vec<Expr> = divided.iter().map(|row| row[n]).collect();
        let residual = mu.iter().zip(&mu_t).map(|(row, &t)| {
            let along = dot(pool, row, &self.v);
            pool.add(along, t)
        });
        let residual = residual.collect();
        // Not the derivative of the new residual: that differs where the constraint does not hold.
        let gamma: Matrix = self.gamma.iter().map(|&g| vec![g]).collect();
        let gamma = halves(pool, &blocks, &gamma);
        let gamma = gamma.iter().zip(&factors).map(|(g, &f)| vec![pool.div(g[0], f)]).collect::<Matrix>();
        let gamma = simple(pool, engine, &gamma)?.concat();
        let reaction = Reaction::closed_form(pool, engine, &self.mass, &mu)?;
        let lengths = mu.iter().zip(&factors).map(|(row, &f)| {
            let (square, length) = (pool.powi(f, 2), dot(pool, row, row));
            vec![pool.mul(square, length)]
        });
        let lengths = lengths.collect::<Matrix>();
        let lengths = simple(pool, engine, &lengths)?.concat();
        let of_pairs = blocks.iter().flat_map(|block| match *block {
            Block::Pair(a, b) => vec![lengths[a], lengths[b]],
            Block::Row(_) | Block::Turned(_) => Vec::new(),
        });
        let lengths = pool.are_made_of(&of_pairs.collect::<Vec<Expr>>(), &parameters).then_some(lengths);
        let combination = Some(Combination { blocks, factors, rotation: Vec::new(), lengths });
        Ok(Some(Rows { mu, mu_t, residual, gamma, reaction, combination }))
    }

    /// Puts the combined rows in the place of the declared ones, or those back.
    pub(crate) fn exchange_rows(&mut self) {
        let Some(other) = &mut self.combined else { return };
        std::mem::swap(&mut self.mu, &mut other.mu);
        std::mem::swap(&mut self.mu_t, &mut other.mu_t);
        std::mem::swap(&mut self.residual, &mut other.residual);
        std::mem::swap(&mut self.gamma, &mut other.gamma);
        std::mem::swap(&mut self.reaction, &mut other.reaction);
        std::mem::swap(&mut self.combination, &mut other.combination);
    }
}

impl Combination {
    /// The same at a place, where `at` gives the values of functions of q.
    pub(crate) fn at(mut self, mut at: impl FnMut(&[Expr]) -> Vec<Expr>) -> Combination {
        self.factors = at(&self.factors);
        self.rotation = at(&self.rotation);
        self.lengths = self.lengths.map(|lengths| at(&lengths));
        self
    }

    /// diag(f) Tᵀ λ: multipliers of the rows in use.
    pub(crate) fn used(&self, pool: &mut Pool, lambda: &[Expr]) -> Vec<Expr> {
        let mut out = lambda.to_vec();
        for &block in &self.blocks {
            match block {
                Block::Row(a) => out[a] = pool.mul(self.factors[a], lambda[a]),
                Block::Pair(a, b) => {
                    let (sum, difference) = (pool.add(lambda[a], lambda[b]), pool.sub(lambda[b], lambda[a]));
                    out[a] = pool.mul(self.factors[a], sum);
                    out[b] = pool.mul(self.factors[b], difference);
                }
                Block::Turned(a) => {
                    let in_body = in_body(pool, &self.rotation, &lambda[a..a + 3]);
                    out[a..a + 3].copy_from_slice(&in_body);
                }
            }
        }
        out
    }

    /// T⁻ᵀ diag(f)⁻¹ λ′: multipliers of the declared rows.
    pub(crate) fn declared(&self, pool: &mut Pool, used: &[Expr]) -> Vec<Expr> {
        let divided: Vec<Expr> = used.iter().zip(&self.factors).map(|(&l, &f)| pool.div(l, f)).collect();
        let mut out = divided.clone();
        let half = pool.ratio(1, 2);
        for &block in &self.blocks {
            match block {
                Block::Row(_) => {}
                Block::Pair(a, b) => {
                    let (sum, difference) =
                        (pool.add(divided[a], divided[b]), pool.sub(divided[a], divided[b]));
                    out[a] = pool.mul(half, difference);
                    out[b] = pool.mul(half, sum);
                }
                Block::Turned(a) => {
                    for (i, row) in self.rotation.chunks(3).enumerate() {
                        out[a + i] = dot(pool, row, &divided[a..a + 3]);
                    }
                }
            }
        }
        out
    }

    /// The root of [`Combination::determinant`], and that of the product of the diagonal, for masses of 1: they tell declared rows that
    /// are parallel up to rounding where their masses vanish, and where C has lost what it has as the square of their angle. None for a
    /// declared row, and where the lengths of rows are functions of the configuration, whose roots would be taken in every step.
    pub(crate) fn parallel(&self, pool: &mut Pool, block: Block) -> Option<(Expr, Expr)> {
        let (Block::Pair(a, b), Some(lengths)) = (block, &self.lengths) else { return None };
        let [x, y] = [lengths[a], lengths[b]];
        let (four, sum) = (pool.int(4), pool.add(x, y));
        let product = pool.product(&[four, x, y]);
        Some((pool.sqrt(product), sum))
    }

    /// The determinant of the part of the declared C that belongs to a block, and the product of its
    /// diagonal, from C′; none for a declared row.
    pub(crate) fn determinant(&self, pool: &mut Pool, block: Block, c: &Matrix) -> Option<(Expr, Expr)> {
        match block {
            // det R = 1: the pivots of the rows in use say the same.
            Block::Turned(_) => None,
            Block::Row(a) if pool.is_one(self.factors[a]) => None,
            Block::Row(a) => {
                let square = pool.powi(self.factors[a], 2);
                Some((square, square))
            }
            Block::Pair(a, b) => {
                let [x, y] = [a, b].map(|a| {
                    let square = pool.powi(self.factors[a], 2);
                    pool.mul(square, c[a][a])
                });
                let (four, sum) = (pool.int(4), pool.add(x, y));
                Some((pool.product(&[four, x, y]), pool.powi(sum, 2)))
            }
        }
    }
}

/// Rᵀ x.
fn in_body(pool: &mut Pool, rotation: &[Expr], x: &[Expr]) -> Vec<Expr> {
    (0..3).map(|j| dot(pool, &[rotation[j], rotation[3 + j], rotation[6 + j]], x)).collect()
}

/// Rows (μ, μ₀), the first `one_forms` of which are no derivatives of position constraints, with threes of them in the body
/// where that is simpler, and the declared rows in terms of these; none if there is no such three.
pub(super) fn turned(
    pool: &mut Pool,
    engine: &mut dyn Engine,
    rows: &Matrix,
    one_forms: usize,
) -> Result<Option<(Matrix, Combination)>, EngineError> {
    let Some(rotation) = pool.rotations().first().map(|r| r.to_vec()) else { return Ok(None) };
    let (mut blocks, mut rows) = (Vec::new(), rows.clone());
    let mut a = 0;
    while a < rows.len() {
        if a + 3 <= one_forms {
            let declared = rows[a..a + 3].concat();
            let columns = rows[a].len();
            let mut body: Matrix = vec![Vec::new(); 3];
            for j in 0..columns {
                let column: Vec<Expr> = rows[a..a + 3].iter().map(|row| row[j]).collect();
                for (row, e) in body.iter_mut().zip(in_body(pool, &rotation, &column)) {
                    row.push(e);
                }
            }
            let body = engine.simplify(pool, &body.concat())?;
            let declared = engine.simplify(pool, &declared)?;
            if pool.cost(&body).weight() < pool.cost(&declared).weight() {
                for (row, entries) in rows[a..a + 3].iter_mut().zip(body.chunks(columns)) {
                    row.copy_from_slice(entries);
                }
                blocks.push(Block::Turned(a));
                a += 3;
                continue;
            }
        }
        blocks.push(Block::Row(a));
        a += 1;
    }
    let turns = blocks.iter().any(|block| matches!(block, Block::Turned(_)));
    let factors = vec![pool.one(); rows.len()];
    Ok(turns.then_some((rows, Combination { blocks, factors, rotation, lengths: None })))
}

/// Rows in pairs of the same length that are not orthogonal, each with the first that fits.
fn blocks(pool: &mut Pool, c: &Matrix) -> Vec<Block> {
    let mut taken = BTreeSet::new();
    let mut blocks = Vec::new();
    for a in 0..c.len() {
        if taken.contains(&a) {
            continue;
        }
        let partner = (a + 1..c.len()).find(|&b| {
            let difference = pool.sub(c[a][a], c[b][b]);
            !taken.contains(&b) && !pool.is_zero(c[a][b]) && pool.vanishes(difference)
        });
        blocks.push(match partner {
            Some(b) => {
                taken.insert(b);
                Block::Pair(a, b)
            }
            None => Block::Row(a),
        });
    }
    blocks
}

/// Half the sums and half the differences of paired rows in their places.
fn halves(pool: &mut Pool, blocks: &[Block], rows: &Matrix) -> Matrix {
    let mut out = rows.clone();
    let half = pool.ratio(1, 2);
    for &block in blocks {
        let Block::Pair(a, b) = block else { continue };
        for i in 0..rows[a].len() {
            let (x, y) = (rows[a][i], rows[b][i]);
            let (sum, difference) = (pool.add(x, y), pool.sub(y, x));
            (out[a][i], out[b][i]) = (pool.mul(half, sum), pool.mul(half, difference));
        }
    }
    out
}

/// The common factor of all entries of a row, as far as it depends on `q` and not on what is `outside`: time and inputs.
fn common_factor(pool: &mut Pool, row: &[Expr], q: &[Expr], outside: &[Expr]) -> Expr {
    let entries: Vec<Expr> = row.iter().copied().filter(|&e| !pool.is_zero(e)).collect();
    let Some(first) = entries.first() else { return pool.one() };
    let mut common = Vec::new();
    for f in pool.factors(first).to_vec() {
        let (base, exponent) = pool.split_power(f);
        let positive = pool.as_number(exponent).is_some_and(|n| n.is_positive() && n.is_integer());
        let in_all = entries.iter().all(|e| pool.factors(e).contains(&f));
        if positive && in_all && pool.depends_on(base, q) && !pool.depends_on(base, outside) {
            common.push(f);
        }
    }
    pool.product(&common)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declaration::Declaration;
    use crate::source::structs;

    fn mechanics(item: &str) -> Mechanics {
        let input = syn::parse_str(item).expect("a struct");
        let declaration = Declaration::parse(&input);
        let declaration = declaration.unwrap_or_else(|rejected| panic!("{item}: {:#?}", rejected.errors));
        Mechanics::derive(declaration.system, &mut BuiltIn).expect("an engine that never fails")
    }

    fn declared(keys: &str) -> Mechanics {
        mechanics(&format!("#[nonholonomic(coordinates(x, y, z), {keys})] struct S {{ m: f64 }}"))
    }

    fn model(source: &str) -> Mechanics {
        let input = &structs(source).expect("Rust")[0];
        mechanics(&quote::quote!(#input).to_string())
    }

    /// Everything the rows in use say is what the declared ones say.
    fn check(mut x: Mechanics) -> Combination {
        let old = x.clone();
        x.exchange_rows();
        let new = x.combination.clone().expect("combined rows");
        let pool = &mut x.system.pool;
        let lambda: Vec<Expr> = (0..old.m()).map(|a| pool.fresh_symbol(&format!("lambda_{a}"))).collect();
        let used = new.used(pool, &lambda);
        let back = new.declared(pool, &used);
        let mut zero: Vec<Expr> = back.iter().zip(&lambda).map(|(&a, &b)| pool.sub(a, b)).collect();
        let columns = |rows: &Matrix, j: usize| rows.iter().map(|row| row[j]).collect::<Vec<Expr>>();
        let mut pairs: Vec<(Vec<Expr>, Vec<Expr>)> =
            (0..old.v.len()).map(|j| (columns(&old.mu, j), columns(&x.mu, j))).collect();
        pairs.push((old.mu_t.clone(), x.mu_t.clone()));
        pairs.push((old.residual.clone(), x.residual.clone()));
        pairs.push((old.gamma.clone(), x.gamma.clone()));
        for (declared, combined) in pairs {
            let (a, b) = (dot(pool, &declared, &lambda), dot(pool, &combined, &used));
            zero.push(pool.sub(a, b));
        }
        let (c, reaction) = (old.reaction.expect("C").c, x.reaction.clone().expect("C"));
        for &block in &new.blocks {
            let known = new.determinant(pool, block, &reaction.c);
            if let (Block::Pair(a, b), Some((determinant, diagonal))) = (block, known) {
                let (product, square) = (pool.mul(c[a][a], c[b][b]), pool.powi(c[a][b], 2));
                let expected = pool.sub(product, square);
                zero.push(pool.sub(determinant, expected));
                zero.push(pool.sub(diagonal, product));
                zero.push(reaction.c[a][b]);
            }
        }
        for e in zero {
            assert!(pool.vanishes(e), "{}", pool.show(e));
        }
        new
    }

    #[test]
    fn snakeboard() {
        let x = model(include_str!("../../../../models/src/snakeboard.rs"));
        let found = check(x.clone());
        assert_eq!(found.blocks, [Block::Pair(0, 1)]);
        let shown: Vec<String> = found.factors.iter().map(|&f| x.system.pool.show(f).to_string()).collect();
        assert_eq!(shown, ["cos(phi)", "1"]);
    }

    #[test]
    fn factors_of_single_rows() {
        let kinetic = "lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2)";
        let x = declared(&format!("{kinetic}, constraints((1 + y^2)*dx + (1 + y^2)*z*dy + 2*(1 + y^2)*dt)"));
        let found = check(x.clone());
        assert_eq!(x.system.pool.show(found.factors[0]).to_string(), "y^2 + 1");
        // A parameter is no function of q, and what dt is not multiplied by is no factor.
        for form in ["m*dx + m*z*dy", "y*dx + y*z*dy + dt", "dx + y*dy"] {
            assert!(declared(&format!("{kinetic}, constraints({form})")).combined.is_none(), "{form}");
        }
    }

    #[test]
    fn pairs_of_the_same_length_alone() {
        let kinetic = "lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2)";
        let x = declared(&format!("{kinetic}, constraints(dx + sin(z)*dy + x*dt, dx - sin(z)*dy)"));
        assert_eq!(check(x).blocks, [Block::Pair(0, 1)]);
        // Orthogonal already, or of different lengths.
        for forms in ["dx + z*dy, z*dx - dy", "dx + z*dy, dx - 2*z*dy"] {
            assert!(declared(&format!("{kinetic}, constraints({forms})")).combined.is_none(), "{forms}");
        }
    }

    #[test]
    fn three_rows() {
        let x = model(include_str!("../../../../models/src/mobile_robot.rs"));
        assert_eq!(check(x).blocks, [Block::Row(0), Block::Pair(1, 2)]);
    }
}
