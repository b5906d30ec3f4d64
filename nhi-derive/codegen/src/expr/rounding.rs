//! Whether one of two equal expressions loses digits where the other keeps them.
//!
//! A difference of two numbers is as accurate as they are, however close they lie, while the terms of its multiplied-out square
//! cancel: (x − a)² and x² − 2 a x + a² are equal, but far from the origin the latter consists of rounding errors. Both are
//! evaluated at a point where the differences in an expression are small against what they are differences of, each with a bound of
//! its rounding errors to first order (running error analysis, Higham 2002, section 3.3).

use super::sample::Point;
use super::{Expr, Function, Node, Pool, Symbol, Table};
use num_traits::{Signed, ToPrimitive};
use std::collections::{BTreeSet, HashMap};

/// Size of what differences of size 1 are differences of.
const FAR: f64 = 1e6;

/// A bound that is larger by this factor is that of a product that is multiplied out: such a bound is larger by about [`FAR`].
const LOST: f64 = 1e3;

/// Expressions of more nodes are not looked at.
const MAX_NODES: usize = 2000;

/// A value, and the bound of its rounding error in units of the unit roundoff.
#[derive(Clone, Copy, Debug)]
struct Rounded {
    value: f64,
    error: f64,
}

impl Rounded {
    const fn exact(value: f64) -> Rounded {
        Rounded { value, error: 0.0 }
    }

    fn plus(self, other: Rounded) -> Rounded {
        let value = self.value + other.value;
        Rounded { value, error: self.error + other.error + value.abs() }
    }

    fn times(self, other: Rounded) -> Rounded {
        let value = self.value * other.value;
        let error = self.error * other.value.abs() + other.error * self.value.abs();
        let is_exact = self.is_power_of_two() || other.is_power_of_two();
        Rounded { value, error: if is_exact { error } else { error + value.abs() } }
    }

    /// Whether multiplication by this is exact, as by −1.
    fn is_power_of_two(self) -> bool {
        self.error == 0.0 && self.value.abs().log2().fract() == 0.0
    }

    /// A function of this, by its value and its slope.
    fn under(self, value: f64, slope: f64) -> Rounded {
        Rounded { value, error: self.error * slope.abs() + value.abs() }
    }

    fn power(self, exponent: f64) -> Rounded {
        self.under(self.value.powf(exponent), exponent * self.value.powf(exponent - 1.0))
    }

    fn call(self, f: Function) -> Rounded {
        let step = 1e-6 * self.value.abs().clamp(1.0, 100.0);
        let slope = (f.apply(self.value + step) - f.apply(self.value - step)) / (2.0 * step);
        self.under(f.apply(self.value), slope)
    }
}

impl Pool {
    /// Whether `other`, which equals `e`, loses digits that `e` keeps, because it multiplies out differences.
    pub(crate) fn loses_digits(&self, e: Expr, other: Expr) -> bool {
        if e == other || self.reachable(&[e, other]).len() > MAX_NODES {
            return false;
        }
        let Some(point) = self.far_from_differences(e) else { return false };
        let values = self.rounded(&[e, other], &point);
        let [Rounded { value, error }, other] = values[..] else { return false };
        // NaN where one of the two is undefined.
        other.error > LOST * error.max(value.abs())
    }

    /// A point where the differences below the products, powers and functions of `e` are small against their terms, if there are
    /// such differences.
    fn far_from_differences(&self, e: Expr) -> Option<HashMap<Symbol, f64>> {
        let mut point: HashMap<Symbol, f64> = HashMap::new();
        let mut found = false;
        let nodes = self.reachable(&[e]);
        for &sum in &nodes {
            let Node::Sum(terms) = self.node(sum) else { continue };
            let Some(i) = self.last_of_difference(terms, &point) else { continue };
            found = true;
            let others: Vec<Expr> = terms.iter().copied().filter(|&t| t != terms[i]).collect();
            for symbol in self.factors_that_are_symbols(&others) {
                let far = FAR * random(symbol);
                point.entry(symbol).or_insert(far);
            }
            let others: f64 = {
                let point = self.completed(&others, point.clone());
                self.rounded(&others, &point).iter().map(|x| x.value).sum()
            };
            let (coefficient, symbol) = self.split_coefficient(terms[i]);
            let (Some(c), Some(symbol)) = (coefficient.to_f64(), self.as_symbol(symbol)) else { continue };
            point.insert(symbol, (random(symbol) - others) / c);
        }
        found.then(|| self.completed(&nodes, point))
    }

    /// In a sum with terms of both signs, the last one that is a multiple of a symbol which has no value yet and is in no other term.
    fn last_of_difference(&self, terms: &[Expr], point: &HashMap<Symbol, f64>) -> Option<usize> {
        let negative = terms.iter().filter(|&&t| self.split_coefficient(t).0.is_negative()).count();
        if negative == 0 || negative == terms.len() {
            return None;
        }
        (0..terms.len()).rev().find(|&i| {
            let rest = self.split_coefficient(terms[i]).1;
            self.as_symbol(rest).is_some_and(|symbol| !point.contains_key(&symbol))
                && (0..terms.len()).all(|j| j == i || !self.depends_on(terms[j], &[rest]))
        })
    }

    /// The symbols that terms are products of.
    fn factors_that_are_symbols(&self, terms: &[Expr]) -> BTreeSet<Symbol> {
        let factors = terms.iter().flat_map(|t| self.factors(t));
        factors.filter_map(|&f| self.as_symbol(f)).collect()
    }

    /// `point`, with values for the other symbols below `roots`.
    fn completed(&self, roots: &[Expr], mut point: HashMap<Symbol, f64>) -> HashMap<Symbol, f64> {
        for symbol in self.reachable(roots).into_iter().filter_map(|e| self.as_symbol(e)) {
            point.entry(symbol).or_insert_with(|| random(symbol));
        }
        point
    }

    /// Values with bounds of their errors, where numbers and symbols are exact.
    fn rounded(&self, roots: &[Expr], point: &HashMap<Symbol, f64>) -> Vec<Rounded> {
        let mut at: Table<Rounded> = Table::new();
        for e in self.reachable(roots) {
            let value = |x: Expr| at[x];
            let all = |c: &[Expr], f: fn(Rounded, Rounded) -> Rounded| {
                c.iter().map(|&x| at[x]).reduce(f).unwrap_or(Rounded::exact(f64::NAN))
            };
            let result = match self.node(e) {
                Node::Number(r) => Rounded::exact(r.to_f64().unwrap_or(f64::NAN)),
                Node::Pi => Rounded::exact(std::f64::consts::PI),
                Node::Symbol(s) => Rounded::exact(point.get(s).copied().unwrap_or(f64::NAN)),
                Node::Sum(c) => all(c, Rounded::plus),
                Node::Product(c) => all(c, Rounded::times),
                Node::Power(b, x) => value(*b).power(value(*x).value),
                Node::Call(f, x) => value(*x).call(*f),
                Node::Atan2(y, x) => {
                    let (y, x) = (value(*y), value(*x));
                    let error = (x.error * y.value.abs() + y.error * x.value.abs())
                        / (x.value * x.value + y.value * y.value);
                    let value = y.value.atan2(x.value);
                    Rounded { value, error: error + value.abs() }
                }
                Node::Select([c, a, b]) => value(if value(*c).value >= 0.0 { *a } else { *b }),
                // Only the runtime can compute these.
                Node::Map(..) => Rounded::exact(f64::NAN),
                Node::Saddle(saddle, c) => value(c[saddle.index]),
            };
            at.insert(e, result);
        }
        roots.iter().map(|&e| at[e]).collect()
    }
}

/// A value of a symbol from 0.5 to 1.5.
fn random(symbol: Symbol) -> f64 {
    0.25 + Point(0).real(symbol.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_not_multiplied_out() {
        let mut pool = Pool::new();
        let pool = &mut pool;
        let [x, y, z, w, a, m] = ["x", "y", "z", "w", "a", "m"].map(|name| pool.symbol(name));
        let [xa, zx, wy] = [(x, a), (z, x), (w, y)].map(|(p, q)| pool.sub(p, q));
        let squares = [xa, y].map(|e| pool.powi(e, 2));
        let rod = pool.sum(&squares);
        let over = pool.div(rod, m);
        let products = [pool.mul(xa, zx), pool.mul(y, wy)];
        let chain = pool.sum(&products);
        let minus = pool.int(-4);
        let factor = pool.div(minus, m);
        let scaled = pool.mul(factor, chain);
        for e in [squares[0], rod, over, products[0], chain, scaled] {
            let expanded = pool.expand(e, 200).expect("few terms");
            assert!(pool.loses_digits(e, expanded), "{}", pool.show(expanded));
            assert!(!pool.loses_digits(expanded, e) && !pool.loses_digits(e, e));
        }
    }

    #[test]
    fn terms_that_add_up_or_cancel_are_multiplied_out() {
        let mut pool = Pool::new();
        let pool = &mut pool;
        let [x, a, m, n] = ["x", "a", "m", "n"].map(|name| pool.symbol(name));
        let sum = pool.add(m, n);
        let product = pool.mul(sum, x);
        // (x − a) x + a x = x²
        let difference = pool.sub(x, a);
        let terms = [pool.mul(difference, x), pool.mul(a, x)];
        let cancels = pool.sum(&terms);
        for e in [product, cancels] {
            let expanded = pool.expand(e, 200).expect("few terms");
            assert!(expanded != e && !pool.loses_digits(e, expanded), "{}", pool.show(expanded));
        }
    }
}
