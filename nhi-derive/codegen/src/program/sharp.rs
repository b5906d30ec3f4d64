//! Equations that can change within a small part of an update.

use super::{Statement, lets};
use crate::expr::Table;
use crate::expr::{Expr, Function, Node, Pool};

/// The largest degree of polynomials of which second and third derivatives tell the size of the next update.
const LARGEST_DEGREE: u32 = 4;

/// Whether the residuals, after the statements of an iteration, have functions of the unknowns in them that can change within a
/// small part of an update and look linear elsewhere: tanh(v/ε), √(x² + ε²), 1/(x² + ε²), e^(x/ε) and x²⁰ do, whatever their
/// derivatives are at one point. Polynomials of low degree and sines do not: where their second and third derivatives are
/// small, the others are.
pub(crate) fn is_sharp(pool: &Pool, unknowns: &[Expr], body: &[Statement], residuals: &[Expr]) -> bool {
    let mut shapes = Shapes { pool, known: Table::new() };
    for &x in unknowns {
        shapes.known.insert(x, Shape::Polynomial(1));
    }
    for (symbol, value) in lets(body) {
        let shape = shapes.of(value);
        shapes.known.insert(symbol, shape);
    }
    residuals.iter().any(|&e| shapes.of(e) > Shape::Polynomial(LARGEST_DEGREE))
}

/// Whether something among the residuals, after the statements of an iteration, jumps where the unknowns change.
pub(crate) fn jumps(pool: &Pool, unknowns: &[Expr], body: &[Statement], residuals: &[Expr]) -> bool {
    let mut moving = unknowns.to_vec();
    let mut values = residuals.to_vec();
    for (symbol, value) in lets(body) {
        if pool.depends_on(value, &moving) {
            moving.push(symbol);
            values.push(value);
        }
    }
    values.iter().any(|&e| pool.depends_on(e, &moving) && pool.jump(e).is_some())
}

/// How an expression depends on the unknowns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Shape {
    /// Not at all.
    Constant,
    /// As a polynomial of this degree, with sines in its coefficients.
    Polynomial(u32),
    /// In another way.
    Sharp,
}

impl Shape {
    fn times(self, other: Shape) -> Shape {
        match (self, other) {
            (Shape::Polynomial(m), Shape::Polynomial(n)) => Shape::Polynomial(m.saturating_add(n)),
            (x, y) => x.max(y),
        }
    }
}

struct Shapes<'a> {
    pool: &'a Pool,
    known: Table<Shape>,
}

impl Shapes<'_> {
    fn of(&mut self, e: Expr) -> Shape {
        let pool = self.pool;
        for e in pool.reachable_where(&[e], |e| !self.known.contains(e)) {
            let shape = self.of_node(e);
            self.known.insert(e, shape);
        }
        self.known[e]
    }

    /// The shape of an expression of whose operands it is known.
    fn of_node(&self, e: Expr) -> Shape {
        let of = |e: &Expr| self.known[*e];
        let largest = |all: &[Expr]| all.iter().map(of).max().unwrap_or(Shape::Constant);
        let unless_constant = |shape: Shape| if shape == Shape::Constant { shape } else { Shape::Sharp };
        match self.pool.node(e) {
            Node::Number(_) | Node::Pi | Node::Symbol(_) => Shape::Constant,
            Node::Sum(terms) => largest(terms),
            Node::Product(factors) => factors.iter().map(of).fold(Shape::Constant, Shape::times),
            Node::Power(base, exponent) => match (of(base), of(exponent)) {
                (Shape::Polynomial(degree), Shape::Constant) => match self.whole(*exponent) {
                    Some(power) => Shape::Polynomial(degree.saturating_mul(power)),
                    // 1/cos x has no scale but that of the angle.
                    None if matches!(self.pool.node(*base), Node::Call(..)) => Shape::Polynomial(degree),
                    None => Shape::Sharp,
                },
                (base, exponent) => unless_constant(base.max(exponent)),
            },
            Node::Call(function, x) => match (function, of(x)) {
                (
                    Function::Sin | Function::Cos | Function::Tan | Function::SmallSin | Function::SmallCos,
                    Shape::Polynomial(0 | 1),
                ) => Shape::Polynomial(0),
                (_, shape) => unless_constant(shape),
            },
            Node::Atan2(y, x) => unless_constant(of(y).max(of(x))),
            Node::Select(all) => unless_constant(largest(all)),
            // As of sines of the motion.
            Node::Map(_, arguments) => match largest(arguments) {
                Shape::Polynomial(0 | 1) => Shape::Polynomial(1),
                shape => unless_constant(shape),
            },
            Node::Saddle(saddle, arguments) => of(&arguments[saddle.index]),
        }
    }

    /// An exponent that is a whole number.
    fn whole(&self, exponent: Expr) -> Option<u32> {
        let exponent = self.pool.as_number(exponent).filter(|exponent| exponent.is_integer())?;
        u32::try_from(exponent.numer()).ok()
    }
}
