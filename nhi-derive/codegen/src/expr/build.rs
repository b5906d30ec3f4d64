//! Sums and products with local simplification: rules that are always valid and never enlarge an expression.
//!
//! Equal by these rules is equal as an id: a sum or product depends on its operands as a set, not on
//! their order or nesting. "Right" means equal wherever both sides are defined; the simplified side
//! may be defined at more points, as `x` is where `x^2/x` is not.

use super::group::Entry;
use super::{Expr, Function, Node, Pool, Rational};
use num_bigint::BigInt;
use num_traits::Signed;
use std::collections::BTreeSet;

/// Numbers whose numerator or denominator has more bits are not represented, so that no declaration
/// makes the arithmetic itself slow: in unoptimised builds a product of two such fractions takes 30 ms,
/// and four times that for every doubling. Doubles end at 1074 bits.
pub const MAX_BITS: u64 = 1 << 12;

impl Pool {
    /// A rational number. One of more than [`MAX_BITS`] bits is undefined, `1/0`.
    pub fn number(&mut self, r: Rational) -> Expr {
        if r.numer().bits().max(r.denom().bits()) > MAX_BITS {
            return Expr::UNDEFINED;
        }
        self.intern(Node::Number(r))
    }

    /// An expression without a value, such as 1/0.
    pub(crate) fn undefined(&self) -> Expr {
        Expr::UNDEFINED
    }

    /// One number of what a map of a Lie group gives for `arguments`.
    pub fn map(&mut self, entry: Entry, arguments: &[Expr]) -> Expr {
        self.intern(Node::Map(entry, arguments.to_vec()))
    }

    /// An integer.
    pub fn int(&mut self, i: i64) -> Expr {
        match i {
            0 => return Expr::ZERO,
            1 => return Expr::ONE,
            -1 => return Expr::MINUS_ONE,
            2 => return Expr::TWO,
            _ => {}
        }
        self.number(Rational::from_integer(BigInt::from(i)))
    }

    /// The fraction `n/d`; `d` must not be zero.
    pub fn ratio(&mut self, n: i64, d: i64) -> Expr {
        self.number(Rational::new(BigInt::from(n), BigInt::from(d)))
    }

    /// Zero.
    pub fn zero(&self) -> Expr {
        Expr::ZERO
    }

    /// One.
    pub fn one(&self) -> Expr {
        Expr::ONE
    }

    /// The circle constant.
    pub fn pi(&self) -> Expr {
        Expr::PI
    }

    /// `a + b`.
    pub fn add(&mut self, a: Expr, b: Expr) -> Expr {
        self.sum(&[a, b])
    }

    /// `a - b`.
    pub fn sub(&mut self, a: Expr, b: Expr) -> Expr {
        let minus_b = self.neg(b);
        self.sum(&[a, minus_b])
    }

    /// `-a`.
    pub fn neg(&mut self, a: Expr) -> Expr {
        self.product(&[Expr::MINUS_ONE, a])
    }

    /// `c * a` for a number `c`.
    pub fn scale(&mut self, c: Rational, a: Expr) -> Expr {
        let c = self.number(c);
        self.product(&[c, a])
    }

    /// `a * b`.
    pub fn mul(&mut self, a: Expr, b: Expr) -> Expr {
        self.product(&[a, b])
    }

    /// `a / b`; dividing by the number zero is undefined, `1/0`, and so is everything with that in it.
    pub fn div(&mut self, a: Expr, b: Expr) -> Expr {
        let r = self.recip(b);
        self.product(&[a, r])
    }

    /// Splits off the numeric coefficient: `e = c * rest`.
    pub fn split_coefficient(&self, e: Expr) -> (Rational, Expr) {
        let (c, rest) = self.coefficient(e);
        (self.as_number(c).expect("coefficients are numbers").clone(), rest)
    }

    /// Whether the numeric coefficient is one that costs a multiplication.
    pub(crate) fn has_coefficient(&self, e: Expr) -> bool {
        !matches!(self.coefficient(e).0, Expr::ONE | Expr::MINUS_ONE)
    }

    /// Splits a factor into base and exponent.
    pub fn split_power(&self, e: Expr) -> (Expr, Expr) {
        match *self.node(e) {
            Node::Power(b, x) => (b, x),
            _ => (e, Expr::ONE),
        }
    }

    /// The numeric coefficient as an expression, and the rest.
    fn coefficient(&self, e: Expr) -> (Expr, Expr) {
        match self.node(e) {
            Node::Number(_) => (e, Expr::ONE),
            Node::Product(f) if self.as_number(f[0]).is_some() => (f[0], self.rests[e.index()]),
            _ => (Expr::ONE, e),
        }
    }

    /// Sum of any number of terms.
    pub fn sum(&mut self, terms: &[Expr]) -> Expr {
        match *terms {
            [] => return Expr::ZERO,
            [a] | [a, Expr::ZERO] | [Expr::ZERO, a] => return a,
            _ => {}
        }
        let mut collected = self.collect_terms(terms);
        loop {
            match collected {
                Collected::Done(e) => return e,
                Collected::Again(terms) => collected = self.collect_terms(&terms),
            }
        }
    }

    /// Collects like terms once; what that leaves may call for another round.
    fn collect_terms(&mut self, terms: &[Expr]) -> Collected {
        // (what a term is a multiple of, the term); numbers are multiples of one.
        let mut parts: Vec<(Expr, Expr)> = Vec::with_capacity(terms.len());
        for &t in terms {
            match self.node(t) {
                Node::Sum(inner) => parts.extend(inner.iter().map(|&t| (self.coefficient(t).1, t))),
                _ => parts.push((self.coefficient(t).1, t)),
            }
        }
        parts.sort_unstable();
        let mut out: Vec<Expr> = Vec::with_capacity(parts.len());
        let mut again = false;
        for like in parts.chunk_by(|a, b| a.0 == b.0) {
            let term = match *like {
                [(_, term)] => term,
                _ => {
                    let rest = like[0].0;
                    let total = like.iter().filter_map(|&(_, t)| self.as_number(self.coefficient(t).0)).sum();
                    let total = self.number(total);
                    let term = self.multiple(total, rest);
                    again |= matches!(self.node(term), Node::Sum(_)) || self.coefficient(term).1 != rest;
                    term
                }
            };
            match term {
                Expr::UNDEFINED => return Collected::Done(term),
                Expr::ZERO => {}
                _ => out.push(term),
            }
        }
        if self.collapse_pythagorean_pairs(&mut out) || again && out.len() > 1 {
            return Collected::Again(out);
        }
        Collected::Done(match out.len() {
            0 => Expr::ZERO,
            1 => out[0],
            _ => self.intern(Node::Sum(out)),
        })
    }

    /// Replaces pairs `c r sin(x)^2 + c r cos(x)^2` by `c r`; whether there was one.
    fn collapse_pythagorean_pairs(&mut self, terms: &mut Vec<Expr>) -> bool {
        let candidates: Vec<Expr> = terms.iter().copied().filter(|t| self.has_square(t)).collect();
        if candidates.len() < 2 {
            return false;
        }
        let mut left: BTreeSet<Expr> = candidates.iter().copied().collect();
        let mut collapsed = Vec::new();
        for t in &candidates {
            if let Some((i, partner)) = self.pythagorean_partner(t, &left) {
                left.remove(t);
                left.remove(&partner);
                collapsed.push(self.without_factor(*t, i));
            }
        }
        terms.retain(|t| left.contains(t) || !candidates.contains(t));
        terms.extend(&collapsed);
        !collapsed.is_empty()
    }

    fn has_square(&self, t: &Expr) -> bool {
        self.factors(t).iter().any(|&f| self.as_trigonometric_square(f).is_some())
    }

    /// The argument of a squared sine or cosine, and the other one of the two functions.
    fn as_trigonometric_square(&self, f: Expr) -> Option<(Function, Expr)> {
        let Node::Power(base, Expr::TWO) = *self.node(f) else { return None };
        match *self.node(base) {
            Node::Call(Function::Sin, x) => Some((Function::Cos, x)),
            Node::Call(Function::Cos, x) => Some((Function::Sin, x)),
            _ => None,
        }
    }

    /// For a term `c r sin(x)^2` with its like in cosine among `others`: the position of the squared
    /// function, and that other term. And the other way round.
    fn pythagorean_partner(&self, t: &Expr, others: &BTreeSet<Expr>) -> Option<(usize, Expr)> {
        if !others.contains(t) {
            return None;
        }
        let factors = self.factors(t);
        factors.iter().enumerate().find_map(|(i, &f)| {
            let (other, x) = self.as_trigonometric_square(f)?;
            let other = self.known(&Node::Call(other, x))?;
            let square = self.known(&Node::Power(other, Expr::TWO))?;
            let mut factors = factors.to_vec();
            factors[i] = square;
            factors.sort_unstable_by_key(|&f| (self.as_number(f).is_none(), self.split_power(f).0));
            let partner = match *factors {
                [single] => single,
                _ => self.known(&Node::Product(factors))?,
            };
            others.contains(&partner).then_some((i, partner))
        })
    }

    /// The factors of a product, or the expression itself.
    pub(crate) fn factors<'a>(&'a self, e: &'a Expr) -> &'a [Expr] {
        match self.node(*e) {
            Node::Product(f) => f,
            _ => std::slice::from_ref(e),
        }
    }

    /// Product of any number of factors.
    pub fn product(&mut self, factors: &[Expr]) -> Expr {
        match *factors {
            [] => return Expr::ONE,
            [a] | [a, Expr::ONE] | [Expr::ONE, a] => return a,
            [a, b] if self.as_number(a).is_some() => return self.scaled(a, b),
            [a, b] if self.as_number(b).is_some() => return self.scaled(b, a),
            _ => {}
        }
        let mut collected = self.collect_factors(factors);
        loop {
            match collected {
                Collected::Done(e) => return e,
                Collected::Again(factors) => collected = self.collect_factors(&factors),
            }
        }
    }

    /// Collects powers of one base once; what that leaves may call for another round.
    fn collect_factors(&mut self, factors: &[Expr]) -> Collected {
        let mut numbers = Vec::new();
        // (base, power)
        let mut parts: Vec<(Expr, Expr)> = Vec::with_capacity(2 * factors.len());
        for all in factors {
            for i in 0..self.factors(all).len() {
                let f = self.factors(all)[i];
                if f == Expr::UNDEFINED {
                    return Collected::Done(f);
                } else if self.as_number(f).is_some() {
                    numbers.push(f);
                } else if self.is_negated_sum(f) {
                    let f = self.neg(f);
                    numbers.push(Expr::MINUS_ONE);
                    parts.push((f, f));
                } else {
                    parts.push((self.split_power(f).0, f));
                }
            }
        }
        parts.sort_unstable();
        let mut out: Vec<Expr> = Vec::with_capacity(parts.len());
        let mut again = false;
        for same in parts.chunk_by(|a, b| a.0 == b.0) {
            if let [(_, power)] = *same {
                out.push(power);
                continue;
            }
            let base = same[0].0;
            let exponents: Vec<Expr> = same.iter().map(|&(_, f)| self.split_power(f).1).collect();
            let total = self.sum(&exponents);
            let power = self.pow(base, total);
            if self.as_number(power).is_some() {
                numbers.push(power);
            } else {
                // Such as the square of (a b)^(1/2).
                again |= matches!(self.node(power), Node::Product(_));
                again |= self.split_power(power).0 != base || self.is_negated_sum(power);
                out.push(power);
            }
        }
        let coefficient = self.product_of_numbers(&numbers);
        if again {
            out.push(coefficient);
            return Collected::Again(out);
        }
        let rest = self.product_of_canonical(&out);
        Collected::Done(self.multiple(coefficient, rest))
    }

    fn product_of_numbers(&mut self, numbers: &[Expr]) -> Expr {
        match *numbers {
            [] => Expr::ONE,
            [c] | [c, Expr::ONE] => c,
            _ if numbers.contains(&Expr::ZERO) => Expr::ZERO,
            [Expr::MINUS_ONE, c] | [c, Expr::MINUS_ONE] => {
                let c = self.split_coefficient(c).0;
                self.number(-c)
            }
            _ => {
                let product = numbers.iter().filter_map(|&c| self.as_number(c)).product();
                self.number(product)
            }
        }
    }

    /// Product of factors without numbers, collected and in order.
    fn product_of_canonical(&mut self, factors: &[Expr]) -> Expr {
        match *factors {
            [] => Expr::ONE,
            [f] => f,
            _ => self.intern(Node::Product(factors.to_vec())),
        }
    }

    /// `c * e` for a number `c`.
    fn scaled(&mut self, c: Expr, e: Expr) -> Expr {
        let (inner, rest) = self.coefficient(e);
        let c = self.product_of_numbers(&[c, inner]);
        self.multiple(c, rest)
    }

    /// `c * rest` for a number `c` and a rest without a numeric coefficient.
    fn multiple(&mut self, c: Expr, rest: Expr) -> Expr {
        match (c, self.node(rest)) {
            (Expr::UNDEFINED, _) | (_, &Node::Power(Expr::ZERO, Expr::MINUS_ONE)) => Expr::UNDEFINED,
            (Expr::ZERO, _) => Expr::ZERO,
            (Expr::ONE, _) => rest,
            _ if rest == Expr::ONE => c,
            // A sign is distributed over a sum: -(a - b) is b - a.
            (Expr::MINUS_ONE, Node::Sum(terms)) => {
                let terms = terms.clone();
                let negated = terms.iter().map(|&t| self.scaled(Expr::MINUS_ONE, t)).collect();
                self.intern(Node::Sum(negated))
            }
            (_, Node::Sum(_)) if self.is_negated(rest) => {
                let c = self.product_of_numbers(&[Expr::MINUS_ONE, c]);
                let rest = self.neg(rest);
                self.intern(Node::Product(vec![c, rest]))
            }
            _ => {
                let all = [&[c], self.factors(&rest)].concat();
                self.intern(Node::Product(all))
            }
        }
    }

    /// A product without its `i`-th factor.
    pub(super) fn without_factor(&mut self, e: Expr, i: usize) -> Expr {
        let mut factors = self.factors(&e).to_vec();
        factors.remove(i);
        match *factors {
            [c, ..] if self.as_number(c).is_some() => {
                let rest = self.product_of_canonical(&factors[1..]);
                self.multiple(c, rest)
            }
            _ => self.product_of_canonical(&factors),
        }
    }

    /// Whether the leading coefficient is negative, so that `-e` is the natural form.
    pub fn is_negated(&self, e: Expr) -> bool {
        let leading = match self.node(e) {
            Node::Sum(t) => t[0],
            _ => e,
        };
        let (c, _) = self.coefficient(leading);
        self.as_number(c).is_some_and(Signed::is_negative)
    }

    /// Whether this is a sum to be written as minus another one where it is a factor or a base, so
    /// that `a - b` and `b - a` meet.
    pub(super) fn is_negated_sum(&self, e: Expr) -> bool {
        matches!(self.node(e), Node::Sum(_)) && self.is_negated(e)
    }
}

/// One round of collecting.
enum Collected {
    Done(Expr),
    Again(Vec<Expr>),
}
