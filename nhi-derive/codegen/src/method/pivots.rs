//! Elimination of constraints with pivots that are known when the program is written.
//!
//! The vectors that a constraint matrix μ of full rank annihilates have no basis that is a continuous function of μ
//! everywhere, so the choice of a pivot column in advance fails somewhere. A [`Plan`] eliminates only the rows for which a
//! choice cannot fail, one after the other. With a basis of columns B of what the rows before annihilate, at first the
//! unit vectors, a row μᵢ has the entries α = μᵢ B, not all zero where μ has full rank. Its pivot is
//!
//! - one column, where α is a number other than zero, or the only entry that is not zero identically;
//! - two columns, where their entries (α, β) are the only ones that are not zero identically, or α² + β² is a number, as of
//!   (sin θ, cos θ). The vector α B₁ + β B₂ is the pivot, with the entry α² + β², and β B₁ − α B₂ remains.
//!
//! The other rows keep their multipliers. No column is normalised, since equations do not depend on the length of the
//! vectors that they are taken along.

use super::builder::Builder;
use crate::engine::{BuiltIn, Engine};
use crate::expr::linear::{Matrix, dot};
use crate::expr::{Expr, Node, Pool, Symbol};
use crate::program::lets;
use std::collections::HashMap;

/// The columns that a row is solved for, by their places among the unit vectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pivot {
    /// A single one.
    One(usize),
    /// Two. A combination of them takes the place of the first.
    Two(usize, usize),
}

/// An order of elimination of some rows of a constraint matrix.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Plan {
    pivots: Vec<(usize, Pivot)>,
    /// The rows that remain.
    pub(super) rest: Vec<usize>,
    /// Rows whose pivots vanish somewhere.
    uncertain: Vec<usize>,
}

/// Rows that have been eliminated, with what they annihilate.
pub(super) struct Elimination {
    /// Basis B of the vectors that the rows annihilate, by columns. `None` is what was a pivot.
    columns: Vec<Option<Vec<Expr>>>,
    /// A vector with the values that were asked of the rows.
    pub(super) particular: Vec<Expr>,
    /// Index, pivot vector and entry of the row along it, for every row.
    pivots: Vec<(usize, Combined, Expr)>,
    /// Pairs of columns that were combined, in order.
    pairs: Vec<Pair>,
}

/// Columns i and j with the entries α and β, which became α Bᵢ + β Bⱼ, a pivot, and β Bᵢ − α Bⱼ in the place of i.
struct Pair {
    columns: (usize, usize),
    entries: [Expr; 2],
    /// α² + β².
    sum: Expr,
}

/// Σ cᵢ xᵢ of one or two vectors.
type Combined = Vec<(Expr, Vec<Expr>)>;

impl Plan {
    /// The plan for a constraint matrix, and its elimination, bound in the program. `None` if no row can be eliminated.
    pub(super) fn of(b: &mut Builder<'_>, mu: &Matrix) -> Option<(Plan, Elimination)> {
        let n = mu.first()?.len();
        let (plan, elimination) = Plan::by(b, mu, n, |_, _| None);
        (!plan.pivots.is_empty()).then_some((plan, elimination))
    }

    /// The same with all rows, of n entries, with pivots that vanish somewhere where no others are left: two columns, whose
    /// entries are largest where the system is at rest at the origin.
    pub(super) fn of_all(b: &mut Builder<'_>, mu: &Matrix, n: usize) -> (Plan, Elimination) {
        let mut samples = [Sample::at_rest(b), Sample::anywhere(b)];
        Plan::by(b, mu, n, |b, entries| largest_pivot(b, entries, &mut samples))
    }

    /// With a `last` choice, of a row and its pivot, where no pivot is known not to vanish.
    fn by(
        b: &mut Builder<'_>,
        mu: &Matrix,
        n: usize,
        mut last: impl FnMut(&Builder<'_>, &Matrix) -> Option<(usize, Pivot)>,
    ) -> (Plan, Elimination) {
        let mut elimination = Elimination::new(b, n);
        let mut plan = Plan { pivots: Vec::new(), rest: (0..mu.len()).collect(), uncertain: Vec::new() };
        loop {
            let entries: Matrix = plan.rest.iter().map(|&i| elimination.entries(b, &mu[i])).collect();
            let mut best: Option<(usize, usize, Pivot)> = None;
            for (place, row) in entries.iter().enumerate() {
                let others = entries.iter().enumerate().filter(|&(other, _)| other != place);
                let others: Vec<&Vec<Expr>> = others.map(|(_, row)| row).collect();
                let Some((fill, pivot)) = cheapest_pivot(b.pool(), row, &others) else { continue };
                if best.is_none_or(|(least, ..)| fill < least) {
                    best = Some((fill, place, pivot));
                }
            }
            let certain = best.map(|(_, place, pivot)| (place, pivot));
            let Some((place, pivot)) = certain.or_else(|| last(b, &entries)) else { break };
            let row = plan.rest.remove(place);
            if certain.is_none() {
                plan.uncertain.push(row);
            }
            let zero = b.pool().zero();
            elimination.eliminate(b, (row, &mu[row], zero), pivot);
            plan.pivots.push((row, pivot));
        }
        (plan, elimination)
    }

    /// The places of the velocities that rows with single columns as pivots leave free: with values of these, the rows give the
    /// others. `None` if a pivot has two columns.
    pub(super) fn free(&self, n: usize) -> Option<Vec<usize>> {
        let mut free: Vec<usize> = (0..n).collect();
        for (_, pivot) in &self.pivots {
            let Pivot::One(j) = *pivot else { return None };
            free.retain(|&i| i != j);
        }
        Some(free)
    }

    /// The entries of rows along pivots that vanish somewhere: what the rows annihilate has another basis there.
    pub(super) fn uncertain(&self, elimination: &Elimination) -> Vec<Expr> {
        let pivots = elimination.pivots.iter().filter(|(row, ..)| self.uncertain.contains(row));
        pivots.map(|(.., entry)| *entry).collect()
    }

    /// Number of rows of the constraint matrix.
    pub(super) fn rows(&self) -> usize {
        self.pivots.len() + self.rest.len()
    }

    /// Eliminates rows near those of the plan, asking for the values −r of each: `row` gives a row and r.
    pub(super) fn applied<'a>(
        &self,
        b: &mut Builder<'_>,
        n: usize,
        row: impl Fn(usize) -> (&'a [Expr], Expr),
    ) -> Elimination {
        let mut elimination = Elimination::new(b, n);
        for &(i, pivot) in &self.pivots {
            let (row, r) = row(i);
            elimination.eliminate(b, (i, row, r), pivot);
        }
        elimination
    }
}

/// A pivot that cannot vanish, with a bound on the number of entries that its elimination fills.
fn cheapest_pivot(pool: &mut Pool, row: &[Expr], others: &[&Vec<Expr>]) -> Option<(usize, Pivot)> {
    let live: Vec<usize> = (0..row.len()).filter(|&j| !pool.is_zero(row[j])).collect();
    let coupled = |pool: &Pool, j: usize| others.iter().filter(|other| !pool.is_zero(other[j])).count();
    let fill = |pool: &Pool, columns: &[usize]| -> usize {
        let rows: usize = columns.iter().map(|&j| coupled(pool, j)).sum();
        rows * (live.len() - 1)
    };
    match live[..] {
        [] => return None,
        [j] => return Some((fill(pool, &[j]), Pivot::One(j))),
        _ => {}
    }
    let numbers = live.iter().filter(|&&j| pool.as_number(row[j]).is_some());
    if let Some(&j) = numbers.min_by_key(|&&j| coupled(pool, j)) {
        return Some((fill(pool, &[j]), Pivot::One(j)));
    }
    let pair = match live[..] {
        [i, j] => Some((i, j)),
        _ => {
            let pairs =
                live.iter().enumerate().flat_map(|(k, &i)| live[k + 1..].iter().map(move |&j| (i, j)));
            let pairs: Vec<(usize, usize)> = pairs.collect();
            pairs.into_iter().find(|&(i, j)| {
                let sum = sum_of_squares(pool, row[i], row[j]);
                pool.as_number(sum).is_some()
            })
        }
    };
    pair.map(|(i, j)| (fill(pool, &[i, j]), Pivot::Two(i, j)))
}

/// Numbers for everything that is bound in a program.
struct Sample {
    values: HashMap<Symbol, f64>,
    /// How many statements have been evaluated.
    read: usize,
}

impl Sample {
    /// Coordinates and time are zero, the pose is the identity.
    fn at_rest(b: &Builder<'_>) -> Sample {
        let pose = b.x.system.group.parts().flat_map(|part| part.identity());
        Sample::of(b, std::iter::repeat_n(0.0, b.x.system.shape()).chain(pose))
    }

    /// Somewhere else; entries of a pose are independent.
    fn anywhere(b: &Builder<'_>) -> Sample {
        Sample::of(b, (0..b.x.q.len()).map(|i| (1.0 + i as f64).sin()))
    }

    fn of(b: &Builder<'_>, q: impl Iterator<Item = f64>) -> Sample {
        let system = &b.x.system;
        let parameters = b.x.parameters().into_iter().enumerate().map(|(i, p)| (p, 1.0 + 0.07 * i as f64));
        let others = system.input_symbols().into_iter().chain([system.t]).map(|e| (e, 0.0));
        let all = b.x.q.iter().copied().zip(q).chain(parameters).chain(others);
        let values = all.filter_map(|(e, value)| Some((system.pool.as_symbol(e)?, value))).collect();
        Sample { values, read: 0 }
    }

    /// The sizes of entries.
    fn sizes(&mut self, b: &Builder<'_>, entries: &[Expr]) -> Vec<f64> {
        let pool = &b.x.system.pool;
        for (symbol, value) in lets(&b.statements()[self.read..]) {
            let value = pool.evaluate(&[value], &self.values)[0];
            self.values.extend(pool.as_symbol(symbol).map(|symbol| (symbol, value)));
        }
        self.read = b.statements().len();
        let sizes = pool.evaluate(entries, &self.values).into_iter();
        sizes.map(|x| if x.is_finite() { x.abs() } else { 0.0 }).collect()
    }
}

/// Sizes below this count as zeros.
const VANISHES: f64 = 1e-6;

/// The row with its two largest entries that have the largest share of it, in the first sample in which not all vanish.
fn largest_pivot(b: &Builder<'_>, entries: &Matrix, samples: &mut [Sample]) -> Option<(usize, Pivot)> {
    for sample in samples {
        let mut best: Option<(f64, usize, Pivot)> = None;
        for (place, row) in entries.iter().enumerate() {
            let sizes = sample.sizes(b, row);
            let mut order: Vec<usize> =
                (0..row.len()).filter(|&j| !b.x.system.pool.is_zero(row[j])).collect();
            order.sort_by(|&i, &j| sizes[j].total_cmp(&sizes[i]));
            let [i, j, ..] = order[..] else { continue };
            let share = (sizes[i].powi(2) + sizes[j].powi(2)) / sizes.iter().map(|x| x * x).sum::<f64>();
            let largest = sizes[i];
            if largest > VANISHES && best.is_none_or(|(most, ..)| share > most + VANISHES) {
                best = Some((share, place, Pivot::Two(i.min(j), i.max(j))));
            }
        }
        if let Some((_, place, pivot)) = best {
            return Some((place, pivot));
        }
    }
    None
}

/// α² + β², simplified.
fn sum_of_squares(pool: &mut Pool, a: Expr, b: Expr) -> Expr {
    let squares = [a, b].map(|e| pool.powi(e, 2));
    let sum = pool.add(squares[0], squares[1]);
    simplified(pool, sum)
}

/// The number that an expression simplifies to, or the expression as it is: rules that write sums of angles would hide
/// what it shares with others.
fn simplified(pool: &mut Pool, e: Expr) -> Expr {
    if pool.as_number(e).is_some() || varies(pool, e) {
        return e;
    }
    // A separate engine, so that the equations do not depend on the engine in use.
    let simple = BuiltIn.simplify(pool, &[e]).map_or(e, |simple| simple[0]);
    if pool.as_number(simple).is_some() { simple } else { e }
}

/// Whether an expression has different values at two points, and so is no number: to multiply long sums out takes long.
fn varies(pool: &Pool, e: Expr) -> bool {
    let symbols: Vec<Symbol> = pool.reachable(&[e]).into_iter().filter_map(|e| pool.as_symbol(e)).collect();
    let value = |shift: f64| {
        let at = symbols.iter().enumerate().map(|(i, &symbol)| (symbol, (shift + i as f64).sin()));
        pool.evaluate(&[e], &at.collect())[0]
    };
    // Rounding errors are smaller, since all values are moderate.
    (value(1.0) - value(2.5)).abs() > 1e-6
}

impl Elimination {
    /// Of no row yet.
    fn new(b: &mut Builder<'_>, n: usize) -> Elimination {
        let (zero, one) = (b.pool().zero(), b.pool().one());
        let unit = |j: usize| (0..n).map(|i| if i == j { one } else { zero }).collect();
        let columns = (0..n).map(|j| Some(unit(j))).collect();
        Elimination { columns, particular: vec![zero; n], pivots: Vec::new(), pairs: Vec::new() }
    }

    /// The basis of what the rows annihilate, by vectors.
    pub(super) fn basis(&self) -> impl Iterator<Item = &Vec<Expr>> {
        self.columns.iter().flatten()
    }

    /// One-forms Y with Y B = 1 that annihilate the pivot vectors: components along the basis.
    pub(super) fn dual(&self, b: &mut Builder<'_>) -> Matrix {
        let n = self.columns.len();
        let (zero, one) = (b.pool().zero(), b.pool().one());
        let unit = |j: usize| (0..n).map(|i| if i == j { one } else { zero }).collect();
        let mut rows: Matrix = (0..n).map(unit).collect();
        for Pair { columns: (i, j), entries: [first, second], sum } in &self.pairs {
            let minus = b.pool().neg(*first);
            let zeros = vec![zero; n];
            let left = b.axpy(&zeros, *second, &rows[*i]);
            let left = b.axpy(&left, minus, &rows[*j]);
            rows[*i] = left.into_iter().map(|e| b.pool().div(e, *sum)).collect();
        }
        let is_left = self.columns.iter().map(Option::is_some);
        rows.into_iter().zip(is_left).filter(|(_, left)| *left).map(|(row, _)| row).collect()
    }

    /// `row` B, with zeros for the columns that were pivots.
    fn entries(&self, b: &mut Builder<'_>, row: &[Expr]) -> Vec<Expr> {
        let zero = b.pool().zero();
        let entry = |c: &Option<Vec<Expr>>| match c {
            Some(c) => {
                let entry = dot(b.pool(), row, c);
                simplified(b.pool(), entry)
            }
            None => zero,
        };
        self.columns.iter().map(entry).collect()
    }

    /// Eliminates a row with the value −r.
    fn eliminate(&mut self, b: &mut Builder<'_>, (index, row, r): (usize, &[Expr], Expr), pivot: Pivot) {
        let entries = self.entries(b, row);
        let of = |s: &mut Self, j: usize| s.columns[j].take().expect("a pivot is a column that is left");
        let (vector, entry, left) = match pivot {
            Pivot::One(j) => (vec![(b.pool().one(), of(self, j))], named(b, "along", entries[j]), None),
            Pivot::Two(i, j) => {
                let (x, y) = (of(self, i), of(self, j));
                let sum = sum_of_squares(b.pool(), entries[i], entries[j]);
                let [first, second] = [i, j].map(|j| named(b, "along", entries[j]));
                let sum = match b.pool().as_number(sum) {
                    Some(_) => sum,
                    None => {
                        let squares = [first, second].map(|e| b.pool().powi(e, 2));
                        let sum = b.add(squares[0], squares[1]);
                        b.bind("square", sum)
                    }
                };
                let zero = vec![b.pool().zero(); x.len()];
                let minus = b.pool().neg(first);
                let left = plus(b, &zero, &vec![(second, x.clone()), (minus, y.clone())], "basis");
                self.pairs.push(Pair { columns: (i, j), entries: [first, second], sum });
                (vec![(first, x), (second, y)], sum, Some((i, left)))
            }
        };
        for (column, &along) in self.columns.iter_mut().zip(&entries) {
            if let Some(column) = column {
                *column = without(b, column, (along, entry), &vector, "basis");
            }
        }
        let along = dot(b.pool(), row, &self.particular);
        let along = b.add(along, r);
        self.particular = without(b, &self.particular, (along, entry), &vector, "part");
        if let Some((i, left)) = left {
            self.columns[i] = Some(left);
        }
        self.pivots.push((index, vector, entry));
    }

    /// ℓ of the rows of `mu` with μᵀℓ = `covector`, which is a combination of them, with their indices.
    pub(super) fn multipliers(
        &self,
        b: &mut Builder<'_>,
        mu: &Matrix,
        covector: &[Expr],
    ) -> Vec<(usize, Expr)> {
        let mut left = covector.to_vec();
        let mut all = Vec::with_capacity(self.pivots.len());
        // A pivot vector is annihilated by the rows before its own.
        for (index, vector, entry) in self.pivots.iter().rev() {
            let mut along = Vec::with_capacity(vector.len());
            for (c, vector) in vector {
                let product = dot(b.pool(), vector, &left);
                along.push(b.mul(*c, product));
            }
            let along = b.pool().sum(&along);
            let ell = b.pool().div(along, *entry);
            let ell = b.bind("impulse", ell);
            let minus = b.pool().neg(ell);
            left = plus(b, &left, &vec![(minus, mu[*index].clone())], "rest");
            all.push((*index, ell));
        }
        all
    }
}

/// x + Σ cᵢ yᵢ, bound.
fn plus(b: &mut Builder<'_>, x: &[Expr], combined: &Combined, name: &str) -> Vec<Expr> {
    let sum = combined.iter().fold(x.to_vec(), |sum, (c, y)| b.axpy(&sum, *c, y));
    sum.into_iter().map(|e| named(b, name, e)).collect()
}

/// x minus the multiple of a pivot vector with the same entry.
fn without(
    b: &mut Builder<'_>,
    x: &[Expr],
    (along, entry): (Expr, Expr),
    vector: &Combined,
    name: &str,
) -> Vec<Expr> {
    if b.pool().is_zero(along) {
        return x.to_vec();
    }
    let quotient = b.pool().div(along, entry);
    let quotient = b.bind("factor", quotient);
    let minus = b.pool().neg(quotient);
    let mut multiple = Vec::with_capacity(vector.len());
    for (c, y) in vector {
        let c = b.mul(minus, *c);
        multiple.push((b.bind("share", c), y.clone()));
    }
    plus(b, x, &multiple, name)
}

/// A symbol for a value, unless it is a multiple of a symbol or a function: two of these may simplify each other.
pub(super) fn named(b: &mut Builder<'_>, name: &str, value: Expr) -> Expr {
    let (_, part) = b.pool().split_coefficient(value);
    match b.pool().node(part) {
        Node::Call(..) | Node::Symbol(_) => value,
        _ => b.bind(name, value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Function;

    #[test]
    fn pivots_are_columns_that_cannot_vanish_together() {
        let mut pool = Pool::new();
        let [x, y, z, angle] = ["x", "y", "z", "angle"].map(|name| pool.symbol(name));
        let (zero, two) = (pool.zero(), pool.int(-2));
        let [sin, cos] = [Function::Sin, Function::Cos].map(|f| pool.call(f, angle));
        let mut pivot = |row: [Expr; 4]| cheapest_pivot(&mut pool, &row, &[]).map(|(_, pivot)| pivot);
        assert_eq!(pivot([zero, x, zero, zero]), Some(Pivot::One(1)));
        assert_eq!(pivot([x, y, two, zero]), Some(Pivot::One(2)));
        assert_eq!(pivot([x, zero, zero, y]), Some(Pivot::Two(0, 3)));
        assert_eq!(pivot([x, sin, y, cos]), Some(Pivot::Two(1, 3)));
        assert_eq!(pivot([x, y, z, zero]), None);
        assert_eq!(pivot([sin, x, sin, zero]), None);
    }

    #[test]
    fn among_numbers_that_with_the_fewest_other_rows_is_the_pivot() {
        let mut pool = Pool::new();
        let (x, zero, one) = (pool.symbol("x"), pool.zero(), pool.one());
        let other = vec![one, x, zero];
        let pivot = cheapest_pivot(&mut pool, &[one, x, one], &[&other]);
        assert_eq!(pivot, Some((0, Pivot::One(2))));
    }
}
