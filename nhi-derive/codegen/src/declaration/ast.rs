//! Syntax trees of expressions, as written.

use super::error::Extent;
use super::integers::{Constants, Loops, integer, loop_value};
use crate::expr::Rational;
use std::fmt;

/// An expression and its span.
#[derive(Clone, Debug)]
pub(crate) struct Ast {
    pub(crate) kind: Kind,
    pub(crate) at: Extent,
}

/// A name and its span; raw identifiers are stored without `r#`.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) at: Extent,
}

/// Sums and products are flat, so that the depth of a tree is the depth of nesting in the source.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Number {
        value: Rational,
        text: String,
    },
    Name(String),
    /// A name with its indices: `y[0]`, `R[i][j]`.
    Indexed(Name, Vec<Ast>),
    Paren(Box<Ast>),
    Neg(Box<Ast>),
    /// Terms, each with whether it is subtracted.
    Sum(Vec<(bool, Ast)>),
    /// Factors, each with whether it divides.
    Product(Vec<(bool, Ast)>),
    Power(Box<Ast>, Box<Ast>),
    Call(Name, Vec<Ast>),
    /// `sum(i in 0..3, body)`.
    Loop(Range, Box<Ast>),
    /// `[a, b, c]`.
    Vector(Vec<Ast>),
    /// The second expression where the first one is not negative, otherwise the third: `if(c >= 0, a, b)`.
    Choice(Box<[Ast; 3]>),
}

/// `i in 0..3`.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    pub(crate) variable: Name,
    pub(crate) from: Box<Ast>,
    pub(crate) to: Box<Ast>,
}

impl Ast {
    /// The subexpressions, indices and bounds included, in order.
    pub(crate) fn children(&self) -> Vec<&Ast> {
        match &self.kind {
            Kind::Number { .. } | Kind::Name(_) => Vec::new(),
            Kind::Paren(a) | Kind::Neg(a) => vec![a],
            Kind::Sum(c) | Kind::Product(c) => c.iter().map(|(_, a)| a).collect(),
            Kind::Power(a, b) => vec![a, b],
            Kind::Indexed(_, c) | Kind::Call(_, c) | Kind::Vector(c) => c.iter().collect(),
            Kind::Choice(all) => all.iter().collect(),
            Kind::Loop(range, body) => vec![&range.from, &range.to, body],
        }
    }

    /// The same with the values of loop variables in their places, and with indices computed.
    pub(crate) fn with_values(&self, loops: &Loops, constants: &Constants) -> Ast {
        let all = |c: &[Ast]| c.iter().map(|a| a.with_values(loops, constants)).collect();
        let boxed = |a: &Ast| Box::new(a.with_values(loops, constants));
        let signed =
            |c: &[(bool, Ast)]| c.iter().map(|(sign, a)| (*sign, a.with_values(loops, constants))).collect();
        let number = |i: i64| Kind::Number {
            value: Rational::from_integer(i.unsigned_abs().into()),
            text: i.unsigned_abs().to_string(),
        };
        let kind = match &self.kind {
            Kind::Name(name) => match loop_value(loops, name) {
                Some(i) if i < 0 => {
                    let magnitude = Ast { kind: number(i), at: self.at };
                    let negative = Ast { kind: Kind::Neg(Box::new(magnitude)), at: self.at };
                    Kind::Paren(Box::new(negative))
                }
                Some(i) => number(i),
                None => self.kind.clone(),
            },
            Kind::Indexed(name, indices) => {
                let index = |index: &Ast| {
                    let mut work = usize::MAX;
                    match integer(index, &constants.with(loops), &mut work) {
                        Ok(i) if i >= 0 => Ast { kind: number(i), at: index.at },
                        _ => index.with_values(loops, constants),
                    }
                };
                Kind::Indexed(name.clone(), indices.iter().map(index).collect())
            }
            Kind::Number { .. } => self.kind.clone(),
            Kind::Paren(a) => Kind::Paren(boxed(a)),
            Kind::Neg(a) => Kind::Neg(boxed(a)),
            Kind::Sum(c) => Kind::Sum(signed(c)),
            Kind::Product(c) => Kind::Product(signed(c)),
            Kind::Power(a, b) => Kind::Power(boxed(a), boxed(b)),
            Kind::Call(function, c) => Kind::Call(function.clone(), all(c)),
            Kind::Loop(Range { variable, from, to }, body) => {
                let range = Range { variable: variable.clone(), from: boxed(from), to: boxed(to) };
                Kind::Loop(range, boxed(body))
            }
            Kind::Vector(c) => Kind::Vector(all(c)),
            Kind::Choice(all) => {
                Kind::Choice(Box::new(all.each_ref().map(|a| a.with_values(loops, constants))))
            }
        };
        Ast { kind, at: self.at }
    }
}

impl fmt::Display for Ast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Number { text, .. } => f.write_str(text),
            Kind::Name(name) => f.write_str(name),
            Kind::Indexed(name, indices) => {
                f.write_str(&name.text)?;
                indices.iter().try_for_each(|i| write!(f, "[{i}]"))
            }
            Kind::Paren(a) => write!(f, "({a})"),
            Kind::Neg(a) => write!(f, "-{a}"),
            Kind::Sum(terms) => {
                for (i, (minus, a)) in terms.iter().enumerate() {
                    match (i, minus) {
                        (0, _) => write!(f, "{a}")?,
                        (_, false) => write!(f, " + {a}")?,
                        (_, true) => write!(f, " - {a}")?,
                    }
                }
                Ok(())
            }
            Kind::Product(factors) => {
                for (i, (divide, a)) in factors.iter().enumerate() {
                    match (i, divide) {
                        (0, _) => write!(f, "{a}")?,
                        (_, false) => write!(f, "*{a}")?,
                        (_, true) => write!(f, "/{a}")?,
                    }
                }
                Ok(())
            }
            Kind::Power(a, b) => write!(f, "{a}^{b}"),
            Kind::Call(g, arguments) => {
                write!(f, "{}(", g.text)?;
                separated(f, arguments)?;
                f.write_str(")")
            }
            Kind::Loop(Range { variable, from, to }, body) => {
                write!(f, "sum({} in {from}..{to}, {body})", variable.text)
            }
            Kind::Choice(all) => {
                let [condition, positive, negative] = &**all;
                write!(f, "if({condition} >= 0, {positive}, {negative})")
            }
            Kind::Vector(components) => {
                f.write_str("[")?;
                separated(f, components)?;
                f.write_str("]")
            }
        }
    }
}

fn separated(f: &mut fmt::Formatter<'_>, list: &[Ast]) -> fmt::Result {
    for (i, a) in list.iter().enumerate() {
        f.write_str(if i == 0 { "" } else { ", " })?;
        write!(f, "{a}")?;
    }
    Ok(())
}
