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
//!
//! A pose moves by exponentials, ḡ exp(u δ̂). Of a heading the above holds. As δ̂⁴ = −|ω|² δ̂² for matrices with the rotation ω,
//! affine functions of other entries have the means of
//!
//! ```text
//! ½ ∫ ḡ exp(u δ̂) du = ḡ + Σ_k (−|ω|²)^k/(2k + 3)! ḡ δ̂².
//! ```

use crate::expr::group::Block;
use crate::expr::linear::dot;
use crate::expr::{Expr, Function, Node, Pool, identifier};
use crate::method::builder::Builder;
use crate::method::space::Space;
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

/// A step with the velocity v̄.
pub(super) struct Path<'a> {
    /// The configuration at its beginning.
    pub(super) start: &'a [Expr],
    /// v̄.
    pub(super) velocity: &'a [Expr],
    /// What else moves straight: values in the middle, and changes in half a step.
    pub(super) momenta: &'a [(Expr, Expr)],
}

/// Means of functions along a step.
pub(super) struct Means {
    /// In terms of the system's coordinates in the place of q̄, and of the symbols below.
    pub(super) values: Vec<Expr>,
    /// Symbols and values of series, which are bound so that derivatives do not multiply them out: in terms of the system's
    /// coordinates in the place of q̄, too.
    pub(super) series: Vec<(Expr, Expr)>,
    /// Symbols and values of the entries of poses at the nodes of a quadrature.
    pub(super) poses: Vec<Vec<(Expr, Expr)>>,
}

/// Means of functions of the configuration along a step.
pub(super) fn means(b: &mut Builder<'_>, exprs: &[Expr], path: &Path<'_>) -> Means {
    let course = Course::of(b, path);
    let mut bound =
        Bound { series: Vec::new(), symbols: HashMap::new(), turned: HashMap::new(), poses: Vec::new() };
    let mut values = Vec::with_capacity(exprs.len());
    for &e in exprs {
        let mut expanded = b.pool().expand(e, EXPANSION_LIMIT).unwrap_or(e);
        let mut differences = HashMap::new();
        let mut course = course.clone();
        if b.pool().loses_digits(e, expanded) {
            differences = course.differences(b, e);
            let names = differences.iter().map(|(&name, &sum)| (sum, name)).collect();
            let named = b.pool().substitute(&[e], &names)[0];
            expanded = b.pool().expand(named, EXPANSION_LIMIT).unwrap_or(named);
        }
        let (mut terms, mut others) = (Vec::new(), Vec::new());
        for term in b.pool().terms(expanded) {
            if b.pool().depends_on(term, &course.turning) {
                match course.turned(b, &mut bound, term) {
                    Some(mean) => terms.push(mean),
                    None => others.push(term),
                }
                continue;
            }
            match Waves::of(b.pool(), term, &course.straight) {
                Some(waves) => terms.push(waves.mean(b, &mut bound, &course.straight, &course.half)),
                None => others.push(term),
            }
        }
        let others = b.pool().sum(&others);
        terms.push(course.quadrature(b, &mut bound, others));
        let mean = b.pool().sum(&terms);
        values.push(b.pool().substitute(&[mean], &differences)[0]);
    }
    Means { values, series: bound.series, poses: bound.poses }
}

/// What is bound for means.
struct Bound {
    series: Vec<(Expr, Expr)>,
    symbols: HashMap<Expr, Expr>,
    /// The entries of poses at nodes of the quadrature.
    turned: HashMap<i64, Vec<Expr>>,
    poses: Vec<Vec<(Expr, Expr)>>,
}

impl Bound {
    fn symbol(&mut self, b: &mut Builder<'_>, name: &str, value: Expr) -> Expr {
        *self.symbols.entry(value).or_insert_with(|| {
            let symbol = b.local(name);
            self.series.push((symbol, value));
            symbol
        })
    }
}

/// How a configuration moves from q̄ − δ to q̄ + δ.
#[derive(Clone)]
struct Course<'a> {
    path: &'a Path<'a>,
    /// The coordinates, the entries of a pose that are an angle, and names of affine functions of these.
    straight: Vec<Expr>,
    /// Their changes δ in half a step.
    half: Vec<Expr>,
    /// The other entries of a pose.
    turning: Vec<Expr>,
    /// Their second derivatives along δ.
    bends: Vec<Expr>,
    /// |ω|² of the body whose pose each of them is an entry of, in δ.
    squares: Vec<Expr>,
}

impl<'a> Course<'a> {
    fn of(b: &mut Builder<'_>, path: &'a Path<'a>) -> Course<'a> {
        let (q, k) = (b.x.q.clone(), b.x.system.shape());
        let half = b.halves_of_h(1);
        let half: Vec<Expr> = path.velocity.iter().map(|&v| b.mul(half, v)).collect();
        let (straight, turning) = (q[..k].to_vec(), Vec::new());
        let mut course = Course {
            path,
            straight,
            half: half[..k].to_vec(),
            turning,
            bends: Vec::new(),
            squares: Vec::new(),
        };
        for &(momentum, half) in path.momenta {
            course.straight.push(momentum);
            course.half.push(half);
        }
        for Block { group, pose, velocity } in b.x.system.blocks() {
            let (pose, half) = (&q[pose], &half[velocity]);
            let anchor = (group.anchor)(b.pool(), pose);
            let rates = b.apply(&anchor, half);
            for ((&entry, row), &rate) in pose.iter().zip(&anchor).zip(&rates) {
                if !row.iter().any(|&e| b.pool().depends_on(e, pose)) {
                    course.straight.push(entry);
                    course.half.push(rate);
                    continue;
                }
                let slopes = b.pool().gradient(rate, pose);
                course.turning.push(entry);
                course.bends.push(dot(b.pool(), &slopes, &rates));
            }
            let squares: Vec<Expr> = half[..group.rotations].iter().map(|&x| b.pool().powi(x, 2)).collect();
            let square = b.pool().sum(&squares);
            course.squares.resize(course.turning.len(), square);
        }
        course
    }

    /// Adds the sums in `e` that are affine functions of what moves straight, under names, and returns their values: powers of
    /// a difference that are multiplied out lose digits.
    fn differences(&mut self, b: &mut Builder<'_>, e: Expr) -> HashMap<Expr, Expr> {
        let (q, mut values) = (b.x.q.clone(), HashMap::new());
        for sum in b.pool().reachable(&[e]) {
            if !matches!(b.pool().node(sum), Node::Sum(_)) || !is_affine(b.pool(), sum, &q) {
                continue;
            }
            let slopes = b.pool().gradient(sum, &q);
            let (mut halves, mut is_straight) = (Vec::new(), true);
            for (&q, slope) in q.iter().zip(slopes) {
                if !b.pool().is_zero(slope) {
                    match self.straight.iter().position(|&straight| straight == q) {
                        Some(place) => halves.push(b.mul(slope, self.half[place])),
                        None => is_straight = false,
                    }
                }
            }
            if halves.is_empty() || !is_straight {
                continue;
            }
            let half = b.pool().sum(&halves);
            let name = b.local("difference");
            self.straight.push(name);
            self.half.push(half);
            values.insert(name, sum);
        }
        values
    }

    /// The mean of an affine function of the entries that turn, if it is one.
    fn turned(&self, b: &mut Builder<'_>, bound: &mut Bound, term: Expr) -> Option<Expr> {
        let slopes = b.pool().gradient(term, &self.turning);
        let q = b.x.q.clone();
        if !b.pool().are_affine(&[term], &slopes, &q) {
            return None;
        }
        let mut mean = vec![term];
        for ((&slope, &bend), &square) in slopes.iter().zip(&self.bends).zip(&self.squares) {
            if !b.pool().is_zero(slope) {
                let factor = mean_factor(b, bound, square);
                let bend = bound.symbol(b, "bend", bend);
                mean.push(b.pool().product(&[slope, factor, bend]));
            }
        }
        Some(b.pool().sum(&mean))
    }

    /// The entries that turn at a node other than the middle.
    fn turned_to(&self, b: &mut Builder<'_>, bound: &mut Bound, node: i64) -> Vec<Expr> {
        if let Some(known) = bound.turned.get(&node) {
            return known.clone();
        }
        let k = b.x.system.shape();
        // From the beginning: steps are solved for what follows by the motion alone.
        let part = b.pool().ratio(UNIT + node, 2 * UNIT);
        let part = b.mul(part, b.h);
        let moved = Space::of(b).advance(b, self.path.start, part, self.path.velocity);
        let names: Vec<String> = b.x.system.coordinates[k..]
            .iter()
            .map(|entry| format!("{}_node", identifier(&entry.name)))
            .collect();
        let symbols: Vec<Expr> = names.iter().map(|name| b.local(name)).collect();
        bound.poses.push(symbols.iter().copied().zip(moved[k..].iter().copied()).collect());
        let entries = b.x.q[k..].iter().zip(symbols);
        let turning: Vec<Expr> =
            entries.filter(|(entry, _)| self.turning.contains(entry)).map(|(_, symbol)| symbol).collect();
        bound.turned.insert(node, turning.clone());
        turning
    }

    fn quadrature(&self, b: &mut Builder<'_>, bound: &mut Bound, e: Expr) -> Expr {
        if b.pool().is_zero(e) {
            return e;
        }
        let turns = b.pool().depends_on(e, &self.turning);
        let weight = b.pool().ratio(64, 225);
        let mut terms = vec![b.mul(weight, e)];
        for (node, weight) in NODES {
            let weight = b.pool().ratio(weight, UNIT);
            for node in [node, -node] {
                let mut point = HashMap::new();
                if turns {
                    let turned = self.turned_to(b, bound, node);
                    point.extend(self.turning.iter().copied().zip(turned));
                }
                let node = b.pool().ratio(node, UNIT);
                for (&q, &half) in self.straight.iter().zip(&self.half) {
                    let shift = b.mul(node, half);
                    point.insert(q, b.add(q, shift));
                }
                let value = b.pool().substitute(&[e], &point)[0];
                terms.push(b.mul(weight, value));
            }
        }
        b.pool().sum(&terms)
    }
}

/// The mean of (1 − cos sθ)/θ² over s from −1 to 1 for θ = |ω|, by which the second derivatives of entries along a turn are multiplied,
/// as a series in θ² = `square`.
fn mean_factor(b: &mut Builder<'_>, bound: &mut Bound, square: Expr) -> Expr {
    let square = bound.symbol(b, "swing", square);
    let mut sum = b.pool().zero();
    for k in (0..TERMS).rev() {
        let factorial: i64 = (1..=2 * k + 3).product();
        let c = b.pool().ratio(if k % 2 == 1 { -1 } else { 1 }, factorial);
        let rest = b.mul(square, sum);
        sum = b.add(c, rest);
    }
    bound.symbol(b, "mean", sum)
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
                        let epsilon = dot(b.pool(), &slopes, half);
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
