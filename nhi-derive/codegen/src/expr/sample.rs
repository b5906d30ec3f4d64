//! Expressions at fixed pseudo-random points, in any arithmetic with a decidable zero.

use super::{Expr, Node, Pool, Rational};
use rustc_hash::FxHashMap;

/// Arithmetic with a decidable zero. Everything is `None` where it is undefined or undecided.
pub(super) trait Field {
    /// A number.
    type Value: Clone;
    fn number(&mut self, r: &Rational) -> Option<Self::Value>;
    fn pi(&mut self) -> Option<Self::Value>;
    /// Value of a symbol at the point.
    fn symbol(&mut self, point: Point, index: u32) -> Option<Self::Value>;
    fn sum(&mut self, terms: &[Self::Value]) -> Option<Self::Value>;
    fn product(&mut self, factors: &[Self::Value]) -> Option<Self::Value>;
    /// `1/x`.
    fn reciprocal(&mut self, x: &Self::Value) -> Option<Self::Value>;
    /// The value of a node that is no number, symbol, sum or product; those of its operands are known.
    fn function(&mut self, operands: &Operands<'_, Self::Value>, e: Expr) -> Option<Self::Value>;
    /// Size for the choice of pivots, zero for zero.
    fn size(&self, x: &Self::Value) -> f64;
}

/// The values of what stands below a node.
pub(super) struct Operands<'a, V> {
    pub(super) pool: &'a Pool,
    memo: &'a Memo<V>,
}

impl<V> Operands<'_, V> {
    pub(super) fn value(&self, e: Expr) -> Option<&V> {
        self.memo.get(&e)?.as_ref()
    }
}

/// One of the fixed points: a value for every symbol.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point(pub(super) u32);

impl Point {
    /// Pseudo-random bits for a symbol.
    pub(super) fn bits(self, index: u32) -> u64 {
        mix(u64::from(self.0) << 32 | u64::from(index))
    }

    /// A real value for a symbol. Points come in quadruples: all positive (roots and logarithms),
    /// any signs, the opposite signs (so that a root of a square is told from its base), all
    /// positive again. The quadruples differ in size, for narrow domains, small terms and many periods
    /// of angles; every other one has symbols of different sizes.
    pub(super) fn real(self, index: u32) -> f64 {
        const SCALES: [f64; 9] = [1.0, 0.25, 4.0, 16.0, 0.0625, 64.0, 0.015_625, 1000.0, 0.001];
        let quadruple = self.0 / 4;
        let pair = quadruple as usize / 2 % SCALES.len();
        let mixed = mix(!u64::from(quadruple) << 32 | u64::from(index)) as usize % SCALES.len();
        let scale = SCALES[if quadruple.is_multiple_of(2) { pair } else { mixed }];
        let fraction = (self.bits(index) >> 11) as f64 / (1u64 << 53) as f64;
        let coin = mix(u64::from(!quadruple) << 32 | u64::from(index)) & 1 == 1;
        let negative = match self.0 % 4 {
            1 => coin,
            2 => !coin,
            _ => false,
        };
        let size = scale * (0.25 + fraction);
        if negative { -size } else { size }
    }
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): a bijection that looks random.
pub(super) fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Values found so far, by point.
pub(super) type Memo<V> = FxHashMap<Expr, Option<V>>;

impl Pool {
    /// Values of `roots` at a point, if all are defined there; `memo` belongs to the same point and
    /// arithmetic. Every node below the roots is needed, so the first undefined one ends it.
    pub(super) fn sample<F: Field>(
        &self,
        field: &mut F,
        point: Point,
        memo: &mut Memo<F::Value>,
        roots: &[Expr],
    ) -> Option<Vec<F::Value>> {
        for e in self.reachable_where(roots, |e| !matches!(memo.get(&e), Some(Some(_)))) {
            if !memo.contains_key(&e) {
                let value = self.sample_node(field, point, memo, e);
                memo.insert(e, value);
            }
            memo[&e].as_ref()?;
        }
        roots.iter().map(|r| memo[r].clone()).collect()
    }

    fn sample_node<F: Field>(
        &self,
        field: &mut F,
        point: Point,
        memo: &Memo<F::Value>,
        e: Expr,
    ) -> Option<F::Value> {
        let all = |c: &[Expr]| -> Option<Vec<F::Value>> { c.iter().map(|x| memo[x].clone()).collect() };
        match self.node(e) {
            Node::Number(r) => field.number(r),
            Node::Pi => field.pi(),
            Node::Symbol(s) => field.symbol(point, s.0),
            Node::Sum(c) => field.sum(&all(c)?),
            Node::Product(c) => field.product(&all(c)?),
            Node::Power(..) | Node::Call(..) | Node::Atan2(..) | Node::Select(_) => {
                field.function(&Operands { pool: self, memo }, e)
            }
            // Values that only the runtime can compute are undecided.
            Node::Map(..) => None,
            Node::Saddle(saddle, c) => memo[&c[saddle.index]].clone(),
        }
    }
}

/// Rank by elimination with full pivoting; `None` where a difference is undecided.
pub(super) fn rank<F: Field>(field: &mut F, mut rows: Vec<Vec<F::Value>>) -> Option<usize> {
    let minus = field.number(&Rational::from_integer((-1).into()))?;
    let columns = rows.iter().map(Vec::len).min().unwrap_or(0);
    for k in 0..columns.min(rows.len()) {
        let mut best = (0.0, k, k);
        for (i, row) in rows.iter().enumerate().skip(k) {
            for (j, x) in row.iter().enumerate().skip(k) {
                if field.size(x) > best.0 {
                    best = (field.size(x), i, j);
                }
            }
        }
        let (size, i, j) = best;
        if size == 0.0 {
            return Some(k);
        }
        rows.swap(k, i);
        rows.iter_mut().for_each(|row| row.swap(k, j));
        let pivot = field.reciprocal(&rows[k][k])?;
        let (done, rest) = rows.split_at_mut(k + 1);
        let pivot_row = &done[k];
        for row in rest {
            let factor = field.product(&[minus.clone(), row[k].clone(), pivot.clone()])?;
            for (x, p) in row.iter_mut().zip(pivot_row).skip(k + 1) {
                let change = field.product(&[factor.clone(), p.clone()])?;
                *x = field.sum(&[x.clone(), change])?;
            }
        }
    }
    Some(columns.min(rows.len()))
}
