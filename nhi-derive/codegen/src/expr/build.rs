//! Construction with local simplification: what is always right and never makes anything bigger.

use super::{Expr, Function, Node, Pool, Rational};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::collections::BTreeMap;

/// Largest exponent, and roughly the largest size in bits, up to which numeric powers are computed.
const MAX_NUMERIC_POWER: u64 = 1 << 16;

impl Pool {
    /// A rational number.
    pub fn number(&mut self, r: Rational) -> Expr {
        self.intern(Node::Number(r))
    }

    /// An integer.
    pub fn int(&mut self, i: i64) -> Expr {
        self.number(Rational::from_integer(BigInt::from(i)))
    }

    /// The fraction `n/d`; `d` must not be zero.
    pub fn ratio(&mut self, n: i64, d: i64) -> Expr {
        self.number(Rational::new(BigInt::from(n), BigInt::from(d)))
    }

    /// Zero.
    pub fn zero(&mut self) -> Expr {
        self.int(0)
    }

    /// One.
    pub fn one(&mut self) -> Expr {
        self.int(1)
    }

    /// The circle constant.
    pub fn pi(&mut self) -> Expr {
        self.intern(Node::Pi)
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
        self.scale(Rational::from_integer(BigInt::from(-1)), a)
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

    /// `a / b`; dividing by the number zero leaves `a * 0^(-1)`, which no value satisfies.
    pub fn div(&mut self, a: Expr, b: Expr) -> Expr {
        let r = self.recip(b);
        self.product(&[a, r])
    }

    /// `1 / a`.
    pub fn recip(&mut self, a: Expr) -> Expr {
        self.powi(a, -1)
    }

    /// Square root.
    pub fn sqrt(&mut self, a: Expr) -> Expr {
        let half = self.ratio(1, 2);
        self.pow(a, half)
    }

    /// Integer power.
    pub fn powi(&mut self, a: Expr, n: i64) -> Expr {
        let n = self.int(n);
        self.pow(a, n)
    }

    /// Splits off the numeric coefficient: `e = c * rest`.
    pub fn split_coefficient(&mut self, e: Expr) -> (Rational, Expr) {
        match self.node(e) {
            Node::Number(r) => {
                let r = r.clone();
                (r, self.one())
            }
            Node::Product(f) => {
                let f = f.clone();
                match self.as_number(f[0]) {
                    Some(c) => {
                        let c = c.clone();
                        let rest =
                            if f.len() == 2 { f[1] } else { self.intern(Node::Product(f[1..].to_vec())) };
                        (c, rest)
                    }
                    None => (Rational::one(), e),
                }
            }
            _ => (Rational::one(), e),
        }
    }

    /// Splits a factor into base and exponent.
    pub fn split_power(&mut self, e: Expr) -> (Expr, Expr) {
        match *self.node(e) {
            Node::Power(b, x) => (b, x),
            _ => (e, self.one()),
        }
    }

    /// Sum of any number of terms.
    pub fn sum(&mut self, terms: &[Expr]) -> Expr {
        let mut constant = Rational::zero();
        let mut collected: BTreeMap<Expr, Rational> = BTreeMap::new();
        let mut stack: Vec<Expr> = terms.iter().rev().copied().collect();
        while let Some(e) = stack.pop() {
            match self.node(e) {
                Node::Sum(c) => stack.extend(c.iter().rev().copied()),
                Node::Number(r) => constant += r,
                _ => {
                    let (c, rest) = self.split_coefficient(e);
                    *collected.entry(rest).or_insert_with(Rational::zero) += c;
                }
            }
        }
        self.pythagoras(&mut collected, &mut constant);
        let mut out = Vec::new();
        if !constant.is_zero() {
            out.push(self.number(constant));
        }
        for (rest, c) in collected {
            if !c.is_zero() {
                out.push(self.scale(c, rest));
            }
        }
        // Collecting 3 (a + b) - 2 (a + b) leaves a sum inside the sum.
        if out.len() > 1 && out.iter().any(|&t| matches!(self.node(t), Node::Sum(_))) {
            return self.sum(&out);
        }
        match out.len() {
            0 => self.zero(),
            1 => out[0],
            _ => self.intern(Node::Sum(out)),
        }
    }

    /// Replaces `c r sin(x)^2 + c r cos(x)^2` by `c r`, until there is no such pair.
    fn pythagoras(&mut self, collected: &mut BTreeMap<Expr, Rational>, constant: &mut Rational) {
        let mut queue: Vec<Expr> = collected.keys().rev().copied().collect();
        while let Some(key) = queue.pop() {
            let Some((rest, partner)) = self.pythagorean_partner(collected, key) else { continue };
            let c = collected.remove(&key).expect("the partner was found beside it");
            collected.remove(&partner);
            if self.is_one(rest) {
                *constant += c;
            } else {
                let (k, rest) = self.split_coefficient(rest);
                *collected.entry(rest).or_insert_with(Rational::zero) += c * k;
                queue.push(rest);
            }
        }
    }

    /// For a term r sin(x)^2 or r cos(x)^2 that stands beside its partner with the same
    /// coefficient: r and the partner.
    fn pythagorean_partner(
        &mut self,
        collected: &BTreeMap<Expr, Rational>,
        key: Expr,
    ) -> Option<(Expr, Expr)> {
        let c = collected.get(&key).filter(|c| !c.is_zero())?;
        let two = self.int(2);
        let factors = match self.node(key) {
            Node::Product(f) => f.clone(),
            Node::Power(..) => vec![key],
            _ => return None,
        };
        for (i, &f) in factors.iter().enumerate() {
            let Node::Power(base, exponent) = *self.node(f) else { continue };
            let Node::Call(function, x) = *self.node(base) else { continue };
            let other = match function {
                Function::Sin => Function::Cos,
                Function::Cos => Function::Sin,
                _ => continue,
            };
            if exponent != two {
                continue;
            }
            let mut others = factors.clone();
            others.remove(i);
            let other = self.call(other, x);
            let square = self.powi(other, 2);
            let rest = self.product(&others);
            let partner = self.product(&[rest, square]);
            if collected.get(&partner) == Some(c) {
                return Some((rest, partner));
            }
        }
        None
    }

    /// Product of any number of factors.
    pub fn product(&mut self, factors: &[Expr]) -> Expr {
        let mut coefficient = Rational::one();
        let mut collected: BTreeMap<Expr, Expr> = BTreeMap::new();
        let mut stack: Vec<Expr> = factors.iter().rev().copied().collect();
        while let Some(e) = stack.pop() {
            match self.node(e) {
                Node::Product(c) => stack.extend(c.iter().rev().copied()),
                Node::Number(r) => coefficient *= r,
                _ => {
                    let (base, exponent) = self.split_power(e);
                    let total = match collected.get(&base) {
                        Some(&x) => self.add(x, exponent),
                        None => exponent,
                    };
                    collected.insert(base, total);
                }
            }
        }
        if coefficient.is_zero() {
            return self.zero();
        }
        let mut out = Vec::new();
        for (base, exponent) in collected {
            let f = self.pow(base, exponent);
            match self.node(f) {
                Node::Number(r) => coefficient *= r,
                // A merged power may turn into a product, such as (a b)^(1/2) squared.
                Node::Product(c) => {
                    let mut all = c.clone();
                    all.extend(&out);
                    out = all;
                }
                _ => out.push(f),
            }
        }
        let unmerged = out.iter().any(|&f| self.as_number(f).is_some()) || {
            let mut bases: Vec<Expr> = out.iter().map(|&f| self.split_power(f).0).collect();
            bases.sort_unstable();
            bases.windows(2).any(|w| w[0] == w[1])
        };
        if unmerged {
            out.push(self.number(coefficient));
            return self.product(&out);
        }
        out.sort_unstable();
        if out.is_empty() {
            return self.number(coefficient);
        }
        if !coefficient.is_one() {
            // A number times a sum is distributed where that is free: -(a - b) is b - a.
            if out.len() == 1
                && coefficient == Rational::from_integer(BigInt::from(-1))
                && let Node::Sum(terms) = self.node(out[0])
            {
                let terms = terms.clone();
                let negated: Vec<Expr> = terms.iter().map(|&t| self.neg(t)).collect();
                return self.sum(&negated);
            }
            let c = self.number(coefficient);
            out.insert(0, c);
        }
        if out.len() == 1 { out[0] } else { self.intern(Node::Product(out)) }
    }

    /// `base ^ exponent`.
    pub fn pow(&mut self, base: Expr, exponent: Expr) -> Expr {
        if self.is_zero(exponent) || self.is_one(base) {
            return self.one();
        }
        if self.is_one(exponent) {
            return base;
        }
        let Some(x) = self.as_number(exponent).cloned() else {
            return self.intern(Node::Power(base, exponent));
        };
        match self.node(base).clone() {
            Node::Number(b) => match numeric_power(&b, &x) {
                Some(r) => self.number(r),
                None => self.intern(Node::Power(base, exponent)),
            },
            // (b^y)^x = b^(y x) for integer x, whatever the sign of b.
            Node::Power(b, y) if x.is_integer() => {
                let yx = self.mul(y, exponent);
                self.pow(b, yx)
            }
            Node::Product(f) if x.is_integer() => {
                let powers: Vec<Expr> = f.iter().map(|&b| self.pow(b, exponent)).collect();
                self.product(&powers)
            }
            _ => self.intern(Node::Power(base, exponent)),
        }
    }

    /// Whether the leading coefficient is negative, so that `-e` is the natural form.
    pub fn is_negated(&self, e: Expr) -> bool {
        match self.node(e) {
            Node::Number(r) => r.is_negative(),
            Node::Product(f) => self.as_number(f[0]).is_some_and(Signed::is_negative),
            Node::Sum(t) => {
                let first = if self.as_number(t[0]).is_some() { t[1] } else { t[0] };
                self.is_negated(first)
            }
            _ => false,
        }
    }

    /// Elementary function of one argument, with parities and exact values.
    pub fn call(&mut self, f: Function, x: Expr) -> Expr {
        use Function::*;
        if self.is_zero(x) {
            match f {
                Sin | Tan | Asin | Atan | Sinh | Tanh => return self.zero(),
                Cos | Cosh | Exp => return self.one(),
                Acos | Ln => {}
            }
        }
        if f == Ln && self.is_one(x) {
            return self.zero();
        }
        if self.is_negated(x) {
            let y = self.neg(x);
            match f {
                Cos | Cosh => return self.call(f, y),
                Sin | Tan | Asin | Atan | Sinh | Tanh => {
                    let g = self.call(f, y);
                    return self.neg(g);
                }
                Acos | Exp | Ln => {}
            }
        }
        if let Some(value) = self.at_multiple_of_pi(f, x) {
            return value;
        }
        match (f, self.node(x)) {
            (Ln, &Node::Call(Exp, y)) => y,
            (Exp, &Node::Call(Ln, y)) => y,
            _ => self.intern(Node::Call(f, x)),
        }
    }

    /// `sin` and `cos` at integer multiples of pi/2.
    fn at_multiple_of_pi(&mut self, f: Function, x: Expr) -> Option<Expr> {
        if !matches!(f, Function::Sin | Function::Cos) {
            return None;
        }
        let (c, rest) = self.split_coefficient(x);
        if *self.node(rest) != Node::Pi {
            return None;
        }
        let quarters = c * Rational::from_integer(BigInt::from(2));
        if !quarters.is_integer() {
            return None;
        }
        let k = quarters.to_integer().mod_floor(&BigInt::from(4)).to_usize()?;
        let sin = [0, 1, 0, -1];
        let value = if f == Function::Sin { sin[k] } else { sin[(k + 1) % 4] };
        Some(self.int(value))
    }

    /// `atan2(y, x)`.
    pub fn atan2(&mut self, y: Expr, x: Expr) -> Expr {
        self.intern(Node::Atan2(y, x))
    }
}

/// `b^x` where it is a rational number that is cheap to write down.
fn numeric_power(b: &Rational, x: &Rational) -> Option<Rational> {
    if b.is_zero() {
        return x.is_positive().then(Rational::zero);
    }
    let (root, n) = (x.denom(), x.numer());
    let b = if root.is_one() {
        b.clone()
    } else {
        let root = root.to_u32()?;
        if b.is_negative() {
            return None;
        }
        let exact = |i: &BigInt| {
            let r = i.nth_root(root);
            (r.pow(root) == *i).then_some(r)
        };
        Rational::new(exact(b.numer())?, exact(b.denom())?)
    };
    let size = b.numer().bits().max(b.denom().bits()).max(1);
    let n = n.to_i32()?;
    if u64::from(n.unsigned_abs()).checked_mul(size)? > MAX_NUMERIC_POWER {
        return None;
    }
    Some(b.pow(n))
}
