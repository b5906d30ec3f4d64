//! Lowers expressions: decides the order and association of the operands of sums and products.

use super::function::Lowering;
use super::{Operand, Operation};
use crate::expr::Expr;
use crate::program::Shape;
use crate::program::after;

/// An operand of a sum or product, or several of them together.
struct Part {
    /// Whether it is subtracted.
    negative: bool,
    operand: Operand,
    /// Whether it is several operands.
    joined: bool,
    /// Its arrival time.
    time: u32,
    /// Its place, or that of its first operand, among the operands as they become known.
    place: usize,
}

impl Part {
    /// `self` and `other` in the order of their operation: what is joined comes first, so that it needs no parentheses.
    fn in_order(self, other: Part) -> (Part, Part) {
        let first = (!self.joined, self.place) < (!other.joined, other.place);
        if first { (self, other) } else { (other, self) }
    }
}

/// Joins the two parts that arrive first, and so on.
fn join(mut parts: Vec<Part>, mut both: impl FnMut(Part, Part) -> Part) -> Option<Part> {
    while parts.len() > 1 {
        parts.sort_by_key(|part| part.time);
        let second = parts.remove(1);
        let first = parts.remove(0);
        parts.insert(0, both(first, second));
    }
    parts.pop()
}

impl Lowering<'_> {
    /// What `e` is computed as. The passes keep expressions shallow, so that recursion is bounded.
    pub(super) fn expression(&mut self, e: Expr) -> Operand {
        if let Some(known) = self.computed(e) {
            return known;
        }
        let shape = Shape::of(self.pool, self.constants, e);
        let operand = match &*shape {
            Shape::Constant(c) => return Operand::Constant(*c),
            Shape::Symbol => match self.rare(e) {
                Some(value) => self.expression(value),
                None => unreachable!("{} is used but not bound", self.pool.show(e)),
            },
            Shape::Negation(x) => {
                let x = self.expression(*x);
                self.operation(Operation::Neg(x))
            }
            Shape::Sum(terms) => self.sum(terms),
            Shape::Quotient { constant, over, under } => self.quotient(*constant, over, under),
            Shape::Sqrt(x) => {
                let x = self.expression(*x);
                self.operation(Operation::Sqrt(x))
            }
            Shape::Call(f, x) => {
                let x = self.expression(*x);
                self.operation(Operation::Call(*f, x))
            }
            Shape::Atan2(y, x) => {
                let [y, x] = [*y, *x].map(|e| self.expression(e));
                self.operation(Operation::Atan2(y, x))
            }
            Shape::Select(all) => {
                let [c, a, b] = all.map(|e| self.expression(e));
                self.operation(Operation::Select(c, a, b))
            }
            Shape::Map(entry, arguments) => self.number_of_map(*entry, arguments),
            Shape::Saddle(saddle, arguments) => self.number_of_saddle(*saddle, arguments),
            Shape::Powf(b, x) => {
                let [b, x] = [*b, *x].map(|e| self.expression(e));
                self.operation(Operation::Powf(b, x))
            }
            Shape::Powi(b, n) => {
                let b = self.expression(*b);
                self.power(b, n.unsigned_abs())
            }
        };
        self.remember(e, operand);
        operand
    }

    fn sum(&mut self, terms: &[(bool, Expr)]) -> Operand {
        let mut terms: Vec<(usize, bool, Expr)> =
            terms.iter().map(|&(negative, t)| (self.known_at(t), negative, t)).collect();
        terms.sort_by_key(|&(known_at, ..)| known_at);
        let mut parts = Vec::new();
        for (place, (_, negative, term)) in terms.into_iter().enumerate() {
            let time = self.arrival.get(self.pool, self.constants, term);
            parts.push(Part { negative, operand: self.expression(term), joined: false, time, place });
        }
        let sum = join(parts, |a, b| {
            let time = after(a.time, b.time);
            // A leading minus would be one more operation.
            let (a, b) = match (a.negative, b.negative) {
                (true, false) => (b, a),
                (false, true) => (a, b),
                _ => a.in_order(b),
            };
            let operand = self.operation(match a.negative == b.negative {
                true => Operation::Add(a.operand, b.operand),
                false => Operation::Sub(a.operand, b.operand),
            });
            Part { negative: a.negative, operand, joined: true, time, place: a.place.min(b.place) }
        });
        match sum {
            Some(Part { negative: true, operand, .. }) => self.operation(Operation::Neg(operand)),
            Some(Part { operand, .. }) => operand,
            None => Operand::Constant(0.0),
        }
    }

    fn quotient(&mut self, coefficient: Option<f64>, over: &[Expr], under: &[Expr]) -> Operand {
        let coefficient = coefficient.or_else(|| over.is_empty().then_some(1.0));
        let over = self.product(coefficient, over);
        match under {
            [] => over,
            under => {
                let under = self.product(None, under);
                self.operation(Operation::Div(over, under))
            }
        }
    }

    fn product(&mut self, coefficient: Option<f64>, factors: &[Expr]) -> Operand {
        let mut factors: Vec<(usize, Expr)> = factors.iter().map(|&f| (self.known_at(f), f)).collect();
        factors.sort_by_key(|&(known_at, _)| known_at);
        let part = |operand, time, place| Part { negative: false, operand, joined: false, time, place };
        let constant = coefficient.map(|c| part(Operand::Constant(c), 0, 0));
        let mut parts: Vec<Part> = constant.into_iter().collect();
        for (_, factor) in factors {
            let time = self.arrival.get(self.pool, self.constants, factor);
            let place = parts.len();
            parts.push(part(self.expression(factor), time, place));
        }
        let product = join(parts, |a, b| {
            let (time, place) = (after(a.time, b.time), a.place.min(b.place));
            let (a, b) = a.in_order(b);
            let operand = self.operation(Operation::Mul(a.operand, b.operand));
            Part { negative: false, operand, joined: true, time, place }
        });
        product.map_or(Operand::Constant(1.0), |product| product.operand)
    }

    /// `base` to the power of `n` > 0 by squaring. The platform's power is not the same on every platform.
    /// By repeated squaring. All powers of one value share their squares and products, so that of many only few operations are left.
    fn power(&mut self, base: Operand, n: u32) -> Operand {
        let n = u64::from(n);
        // `square` is the power of `exponent`, and `product` that of the binary digits of n below it.
        let (mut square, mut exponent, mut product) = (base, 1, None);
        loop {
            if n & exponent != 0 {
                product = Some(match product {
                    None => square,
                    Some(product) => self.power_of(base, n & (2 * exponent - 1), [product, square]),
                });
            }
            match product {
                Some(product) if n < 2 * exponent => return product,
                _ => {
                    exponent *= 2;
                    square = self.power_of(base, exponent, [square, square]);
                }
            }
        }
    }
}
