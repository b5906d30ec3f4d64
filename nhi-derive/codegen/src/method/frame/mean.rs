//! Means of functions along a step.
//!
//! ```text
//! ∫₀¹ f(q + s (q' − q)) ds = ½ ∫ f(q̄ + u δ) du over −1 ≤ u ≤ 1,   q̄ = (q + q')/2,   δ = (q' − q)/2.
//! ```
//!
//! A product of powers of coordinates, of sines and cosines of one affine argument θ, or of one exponential, has the closed form
//!
//! ```text
//! Σ_k c_k (cos θ̄ · ½ ∫ u^k cos(εu) du − sin θ̄ · ½ ∫ u^k sin(εu) du),   Π (q̄ᵢ + u δᵢ)^nᵢ = Σ_k c_k u^k,   ε = δ·∇θ.
//! ```
//!
//! Products of sines are sums of sines. The integrals are entire functions of ε; as power series they have no cancellation as
//! ε → 0, where quotients of differences lose all digits. Anything else is a sum over the five nodes of Gauss and Legendre.

use crate::expr::{Expr, Function, Node, Pool};
use crate::method::builder::Builder;
use num_traits::ToPrimitive;
use std::collections::HashMap;

/// Terms of a power series of ε²: the next one is below 1e-17 for |ε| ≤ 1, arguments that change by 2 in a step.
const TERMS: i64 = 9;

/// Products are multiplied out to as many terms.
const EXPANSION_LIMIT: usize = 64;

/// Positive nodes, in units of 1e-18, and their weights in means; the weight of the node 0 is 64/225.
const NODES: [(i64, i64); 2] =
    [(538_469_310_105_683_091, 239_314_335_249_683_234), (906_179_845_938_663_993, 118_463_442_528_094_544)];

/// The denominator of [`NODES`].
const UNIT: i64 = 1_000_000_000_000_000_000;

/// Symbols and values of the series in means, which are bound so that derivatives do not multiply them out.
pub(super) type Series = Vec<(Expr, Expr)>;

/// Means of functions of the configuration from q̄ − δ to q̄ + δ, in terms of the system's coordinates in the place of q̄, and of
/// the series.
pub(super) fn means(b: &mut Builder<'_>, exprs: &[Expr], half: &[Expr]) -> (Vec<Expr>, Series) {
    let q = b.x.q.clone();
    let mut series = Bound { all: Vec::new(), symbols: HashMap::new() };
    let mut means = Vec::with_capacity(exprs.len());
    for &e in exprs {
        let expanded = b.pool().expand(e, EXPANSION_LIMIT).unwrap_or(e);
        let (mut terms, mut others) = (Vec::new(), Vec::new());
        for term in b.pool().terms(expanded) {
            match Waves::of(b.pool(), term, &q) {
                Some(waves) => terms.push(waves.mean(b, &mut series, &q, half)),
                None => others.push(term),
            }
        }
        let others = b.pool().sum(&others);
        terms.push(quadrature(b.pool(), others, &q, half));
        means.push(b.pool().sum(&terms));
    }
    (means, series.all)
}

/// Series with symbols.
struct Bound {
    all: Series,
    symbols: HashMap<Expr, Expr>,
}

impl Bound {
    fn symbol(&mut self, b: &mut Builder<'_>, name: &str, value: Expr) -> Expr {
        *self.symbols.entry(value).or_insert_with(|| {
            let symbol = b.local(name);
            self.all.push((symbol, value));
            symbol
        })
    }
}

fn quadrature(pool: &mut Pool, e: Expr, q: &[Expr], half: &[Expr]) -> Expr {
    if pool.is_zero(e) {
        return e;
    }
    let weight = pool.ratio(64, 225);
    let mut terms = vec![pool.mul(weight, e)];
    for (node, weight) in NODES {
        let weight = pool.ratio(weight, UNIT);
        for node in [node, -node] {
            let node = pool.ratio(node, UNIT);
            let mut point = HashMap::new();
            for (&q, &half) in q.iter().zip(half) {
                let shift = pool.mul(node, half);
                point.insert(q, pool.add(q, shift));
            }
            let value = pool.substitute(&[e], &point)[0];
            terms.push(pool.mul(weight, value));
        }
    }
    pool.sum(&terms)
}

/// What powers of coordinates are multiplied by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wave {
    One,
    Call(Function, Expr),
}

/// Σ coefficient · wave, times powers of coordinates.
struct Waves {
    waves: Vec<(Expr, Wave)>,
    /// The coordinates, as often as they occur.
    powers: Vec<usize>,
}

impl Waves {
    /// A product, if it is of this kind.
    fn of(pool: &mut Pool, term: Expr, q: &[Expr]) -> Option<Waves> {
        let mut all = Waves { waves: vec![(pool.one(), Wave::One)], powers: Vec::new() };
        for factor in pool.factors(&term).to_vec() {
            if !pool.depends_on(factor, q) {
                all.waves.iter_mut().for_each(|(c, _)| *c = pool.mul(*c, factor));
                continue;
            }
            let (base, exponent) = pool.split_power(factor);
            let exponent = pool.as_number(exponent).filter(|n| n.is_integer())?.to_i64()?;
            match pool.node(base).clone() {
                Node::Symbol(_) if (1..=8).contains(&exponent) => {
                    let place = q.iter().position(|&q| q == base)?;
                    all.powers.extend((0..exponent).map(|_| place));
                }
                Node::Call(Function::Exp, x) if is_affine(pool, x, q) => {
                    let exponent = pool.int(exponent);
                    let x = pool.mul(exponent, x);
                    all.waves = all.times_exponential(pool, x)?;
                }
                Node::Call(f @ (Function::Sin | Function::Cos), x)
                    if (1..=4).contains(&exponent) && is_affine(pool, x, q) =>
                {
                    for _ in 0..exponent {
                        all.waves = all.times_sine(pool, f, x, q)?;
                    }
                }
                _ => return None,
            }
        }
        Some(all)
    }

    fn times_exponential(&self, pool: &mut Pool, x: Expr) -> Option<Vec<(Expr, Wave)>> {
        let times = |&(c, wave): &(Expr, Wave)| match wave {
            Wave::One => Some((c, Wave::Call(Function::Exp, x))),
            Wave::Call(Function::Exp, y) => Some((c, Wave::Call(Function::Exp, pool.add(x, y)))),
            Wave::Call(..) => None,
        };
        self.waves.iter().map(times).collect()
    }

    /// cos α cos β = ½ (cos(α − β) + cos(α + β)) and the like.
    fn times_sine(&self, pool: &mut Pool, f: Function, x: Expr, q: &[Expr]) -> Option<Vec<(Expr, Wave)>> {
        use Function::{Cos, Sin};
        let half = pool.ratio(1, 2);
        let minus = pool.neg(half);
        let mut all = Vec::with_capacity(2 * self.waves.len());
        for &(c, wave) in &self.waves {
            let (g, y) = match wave {
                Wave::One => {
                    all.push((c, Wave::Call(f, x)));
                    continue;
                }
                Wave::Call(g @ (Sin | Cos), y) => (g, y),
                Wave::Call(..) => return None,
            };
            let (sum, difference) = (pool.add(y, x), pool.sub(y, x));
            let (function, of_sum, of_difference) = match (g, f) {
                (Cos, Cos) => (Cos, half, half),
                (Sin, Sin) => (Cos, minus, half),
                (Sin, _) => (Sin, half, half),
                (_, _) => (Sin, half, minus),
            };
            for (argument, factor) in [(sum, of_sum), (difference, of_difference)] {
                let c = pool.mul(c, factor);
                if pool.depends_on(argument, q) {
                    all.push((c, Wave::Call(function, argument)));
                } else {
                    let value = pool.call(function, argument);
                    all.push((pool.mul(c, value), Wave::One));
                }
            }
        }
        Some(all)
    }

    fn mean(&self, b: &mut Builder<'_>, bound: &mut Bound, q: &[Expr], half: &[Expr]) -> Expr {
        // Π (qᵢ + u δᵢ) by powers of u.
        let mut powers = vec![b.pool().one()];
        for &i in &self.powers {
            let mut next = vec![b.pool().zero(); powers.len() + 1];
            for (k, &c) in powers.iter().enumerate() {
                let [fixed, moved] = [q[i], half[i]].map(|x| b.mul(c, x));
                next[k] = b.add(next[k], fixed);
                next[k + 1] = b.add(next[k + 1], moved);
            }
            powers = next;
        }
        let mut terms = Vec::new();
        for &(coefficient, wave) in &self.waves {
            for (k, &c) in (0..).zip(&powers) {
                let is_odd = k % 2 == 1;
                let value = match wave {
                    Wave::One if is_odd => continue,
                    Wave::One => b.pool().ratio(1, k + 1),
                    Wave::Call(f, x) => {
                        let slopes = b.pool().gradient(x, q);
                        let epsilon = crate::expr::linear::dot(b.pool(), &slopes, half);
                        let series = series(b, bound, k, epsilon, f != Function::Exp);
                        let (f, is_negative) = match f {
                            Function::Sin if is_odd => (Function::Cos, false),
                            Function::Cos if is_odd => (Function::Sin, true),
                            _ => (f, false),
                        };
                        let value = b.pool().call(f, x);
                        let value = if is_negative { b.pool().neg(value) } else { value };
                        b.mul(value, series)
                    }
                };
                terms.push(b.pool().product(&[coefficient, c, value]));
            }
        }
        b.pool().sum(&terms)
    }
}

/// Whether the derivatives by the configuration do not depend on it.
fn is_affine(pool: &mut Pool, e: Expr, q: &[Expr]) -> bool {
    let slopes = pool.gradient(e, q);
    pool.are_affine(&[e], &slopes, q)
}

/// ½ ∫ u^k cos(εu) du for even k and ½ ∫ u^k sin(εu) du for odd k, or with hyperbolic functions.
fn series(b: &mut Builder<'_>, bound: &mut Bound, k: i64, epsilon: Expr, alternates: bool) -> Expr {
    let square = b.pool().powi(epsilon, 2);
    let square = bound.symbol(b, "swing", square);
    let odd = k % 2;
    let mut sum = b.pool().zero();
    for j in (0..TERMS).rev() {
        // ε^(2j + odd) / ((2j + odd)! (2j + odd + k + 1))
        let degree = 2 * j + odd;
        let sign = if alternates && j % 2 == 1 { -1 } else { 1 };
        let factorial: i64 = (1..=degree).product();
        let c = b.pool().ratio(sign, factorial * (degree + k + 1));
        let rest = b.mul(square, sum);
        sum = b.add(c, rest);
    }
    let sum = bound.symbol(b, "mean", sum);
    if odd == 1 { b.mul(epsilon, sum) } else { sum }
}
