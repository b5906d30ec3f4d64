//! Printing in the grammar of declarations.
//!
//! What is printed in full is read back as the same expression.

use super::{Expr, Node, Pool, Rational};
use num_traits::{One, Signed};
use std::borrow::Cow;
use std::fmt;

/// Longest text of [`Pool::show`]: an expression graph of a few nodes may be a tree of billions.
const LONGEST: usize = 1 << 20;

/// Prints one expression; made by [`Pool::show`].
#[derive(Clone, Copy, Debug)]
pub struct Show<'a> {
    pool: &'a Pool,
    expr: Expr,
    longest: usize,
}

/// How tightly a text binds.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Level {
    Sum,
    Product,
    Power,
    Atom,
}

/// The text and expressions still to be printed.
enum Piece<'a> {
    Text(Cow<'a, str>),
    /// In parentheses unless it binds at least that tightly.
    Expr(Expr, Level),
    /// A term without the sign of its coefficient.
    Unsigned(Expr),
    /// A power with a positive exponent, as a factor.
    Power(Expr, Rational),
}

impl Pool {
    /// A printable view of `e`, in the notation of declarations. Texts of more than 2^20 characters
    /// are cut off with an ellipsis.
    pub fn show(&self, e: Expr) -> Show<'_> {
        self.show_up_to(e, LONGEST)
    }

    /// A printable view of `e` for people: at most `longest` characters, then an ellipsis.
    pub fn show_up_to(&self, e: Expr, longest: usize) -> Show<'_> {
        Show { pool: self, expr: e, longest }
    }

    fn level(&self, e: Expr) -> Level {
        match self.node(e) {
            Node::Sum(_) => Level::Sum,
            Node::Product(_) => Level::Product,
            Node::Number(r) if r.is_negative() => Level::Sum,
            Node::Number(r) if !r.is_integer() => Level::Product,
            Node::Power(_, x) => match self.as_number(*x) {
                Some(x) if x.is_negative() => Level::Product,
                Some(x) if is_half(x) => Level::Atom,
                _ => Level::Power,
            },
            _ => Level::Atom,
        }
    }

    /// The text of `e`, with its operands still to be printed.
    fn pieces(&self, e: Expr) -> Vec<Piece<'_>> {
        match self.node(e) {
            Node::Number(r) => vec![text(r.to_string())],
            Node::Pi => vec![text("pi")],
            Node::Symbol(s) => vec![text(self.name(*s))],
            Node::Sum(terms) => self.sum_pieces(terms),
            Node::Product(factors) => {
                let mut pieces = self.factor_pieces(factors);
                if self.is_negated(e) {
                    pieces.insert(0, text("-"));
                }
                pieces
            }
            Node::Power(base, x) => match self.as_number(*x) {
                Some(r) if r.is_negative() => self.factor_pieces(&[e]),
                Some(r) => vec![Piece::Power(*base, r.clone())],
                None => vec![Piece::Expr(*base, Level::Atom), text("^"), Piece::Expr(*x, Level::Atom)],
            },
            Node::Call(f, x) => vec![text(f.name()), text("("), Piece::Expr(*x, Level::Sum), text(")")],
            Node::Atan2(y, x) => vec![
                text("atan2("),
                Piece::Expr(*y, Level::Sum),
                text(", "),
                Piece::Expr(*x, Level::Sum),
                text(")"),
            ],
            Node::Select(all) => {
                let mut pieces = vec![text("select(")];
                for (i, &x) in all.iter().enumerate() {
                    pieces.extend((i > 0).then(|| text(", ")));
                    pieces.push(Piece::Expr(x, Level::Sum));
                }
                pieces.push(text(")"));
                pieces
            }
            Node::Map(entry, arguments) => {
                let mut pieces = vec![text(entry.map.name()), text("(")];
                for (i, &x) in arguments.iter().enumerate() {
                    pieces.extend((i > 0).then(|| text(", ")));
                    pieces.push(Piece::Expr(x, Level::Sum));
                }
                pieces.push(text(format!(")[{}]", entry.index)));
                pieces
            }
            Node::Saddle(saddle, arguments) => {
                let mut pieces = vec![text("saddle_point(")];
                for (i, range) in saddle.arguments().into_iter().enumerate() {
                    pieces.push(text(if i > 0 { "; " } else { "" }));
                    for (j, &x) in arguments[range].iter().enumerate() {
                        pieces.extend((j > 0).then(|| text(", ")));
                        pieces.push(Piece::Expr(x, Level::Sum));
                    }
                }
                pieces.push(text(format!(")[{}]", saddle.index)));
                pieces
            }
        }
    }

    fn sum_pieces(&self, terms: &[Expr]) -> Vec<Piece<'_>> {
        // A number stands first in a node and last in print, except in 1 - x.
        let mut terms = terms.to_vec();
        if self.as_number(terms[0]).is_some_and(|c| c.is_negative() || !self.is_negated(terms[1])) {
            terms.rotate_left(1);
        }
        let mut pieces = Vec::new();
        for (i, &t) in terms.iter().enumerate() {
            match (i, self.is_negated(t)) {
                (0, false) => {}
                (0, true) => pieces.push(text("-")),
                (_, false) => pieces.push(text(" + ")),
                (_, true) => pieces.push(text(" - ")),
            }
            pieces.push(Piece::Unsigned(t));
        }
        pieces
    }

    /// A product without its sign, as one fraction.
    fn factor_pieces(&self, factors: &[Expr]) -> Vec<Piece<'_>> {
        let mut over = Vec::new();
        let mut under = Vec::new();
        for &f in factors {
            match self.node(f) {
                Node::Number(r) => {
                    let (numer, denom) = (r.numer().abs(), r.denom());
                    over.extend((!numer.is_one()).then(|| text(numer.to_string())));
                    under.extend((!denom.is_one()).then(|| text(denom.to_string())));
                }
                Node::Power(base, x) => match self.as_number(*x) {
                    Some(x) if x.is_negative() => under.push(Piece::Power(*base, -x)),
                    _ => over.push(Piece::Expr(f, Level::Power)),
                },
                _ => over.push(Piece::Expr(f, Level::Power)),
            }
        }
        if over.is_empty() {
            over.push(text("1"));
        }
        let several = under.len() > 1;
        let mut pieces = joined(over);
        if !under.is_empty() {
            pieces.push(text(if several { "/(" } else { "/" }));
            pieces.extend(joined(under));
        }
        if several {
            pieces.push(text(")"));
        }
        pieces
    }

    fn power_pieces(&self, base: Expr, exponent: &Rational) -> Vec<Piece<'_>> {
        if is_half(exponent) {
            return vec![text("sqrt("), Piece::Expr(base, Level::Sum), text(")")];
        }
        let mut pieces = vec![Piece::Expr(base, Level::Atom)];
        if !exponent.is_integer() {
            pieces.push(text(format!("^({exponent})")));
        } else if !exponent.is_one() {
            pieces.push(text(format!("^{exponent}")));
        }
        pieces
    }
}

fn is_half(x: &Rational) -> bool {
    x.numer().is_one() && *x.denom() == 2.into()
}

fn text<'a>(text: impl Into<Cow<'a, str>>) -> Piece<'a> {
    Piece::Text(text.into())
}

fn joined(factors: Vec<Piece<'_>>) -> Vec<Piece<'_>> {
    let mut pieces = Vec::with_capacity(2 * factors.len());
    for (i, f) in factors.into_iter().enumerate() {
        if i > 0 {
            pieces.push(text("*"));
        }
        pieces.push(f);
    }
    pieces
}

impl fmt::Display for Show<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pool = self.pool;
        let mut left = self.longest;
        let mut stack = vec![Piece::Expr(self.expr, Level::Sum)];
        while let Some(piece) = stack.pop() {
            let mut pieces = match piece {
                Piece::Text(t) => {
                    let length = t.chars().count();
                    if length > left {
                        return write!(f, "{}…", t.chars().take(left).collect::<String>());
                    }
                    left -= length;
                    f.write_str(&t)?;
                    continue;
                }
                Piece::Expr(e, context) if pool.level(e) < context => {
                    vec![text("("), Piece::Expr(e, Level::Sum), text(")")]
                }
                Piece::Expr(e, _) => pool.pieces(e),
                Piece::Unsigned(e) => match pool.node(e) {
                    Node::Number(r) => vec![text(r.abs().to_string())],
                    Node::Product(factors) => pool.factor_pieces(factors),
                    _ => vec![Piece::Expr(e, Level::Product)],
                },
                Piece::Power(base, exponent) => pool.power_pieces(base, &exponent),
            };
            pieces.reverse();
            stack.append(&mut pieces);
        }
        Ok(())
    }
}
