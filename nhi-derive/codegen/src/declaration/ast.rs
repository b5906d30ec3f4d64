//! Syntax trees of expressions, as written.

use super::error::Extent;
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
    /// `sum(variable in from..to, body)`.
    Loop {
        variable: Name,
        from: Box<Ast>,
        to: Box<Ast>,
        body: Box<Ast>,
    },
}

impl Ast {
    /// The subexpressions, indices and bounds included, in order.
    pub(crate) fn children(&self) -> Vec<&Ast> {
        match &self.kind {
            Kind::Number { .. } | Kind::Name(_) => Vec::new(),
            Kind::Paren(a) | Kind::Neg(a) => vec![a],
            Kind::Sum(c) | Kind::Product(c) => c.iter().map(|(_, a)| a).collect(),
            Kind::Power(a, b) => vec![a, b],
            Kind::Indexed(_, c) | Kind::Call(_, c) => c.iter().collect(),
            Kind::Loop { from, to, body, .. } => vec![from, to, body],
        }
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
                for (i, a) in arguments.iter().enumerate() {
                    f.write_str(if i == 0 { "" } else { ", " })?;
                    write!(f, "{a}")?;
                }
                f.write_str(")")
            }
            Kind::Loop { variable, from, to, body } => {
                write!(f, "sum({} in {from}..{to}, {body})", variable.text)
            }
        }
    }
}
