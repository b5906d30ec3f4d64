//! Printing in the grammar of declarations.

use super::{Expr, Node, Pool};
use num_traits::Signed;
use std::fmt;

/// Prints one expression; made by [`Pool::show`].
#[derive(Clone, Copy, Debug)]
pub struct Show<'a> {
    pool: &'a Pool,
    expr: Expr,
}

#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Level {
    Sum,
    Product,
    Power,
    Atom,
}

impl Pool {
    /// A printable view of `e`, in the notation of declarations.
    pub fn show(&self, e: Expr) -> Show<'_> {
        Show { pool: self, expr: e }
    }

    fn level(&self, e: Expr) -> Level {
        match self.node(e) {
            Node::Sum(_) => Level::Sum,
            Node::Product(_) => Level::Product,
            Node::Number(r) if r.is_negative() => Level::Sum,
            Node::Number(r) if !r.is_integer() => Level::Product,
            Node::Power(_, x) if self.is_reciprocal(*x) => Level::Product,
            Node::Power(_, x) if self.is_half(*x) => Level::Atom,
            Node::Power(..) => Level::Power,
            _ => Level::Atom,
        }
    }

    fn is_reciprocal(&self, exponent: Expr) -> bool {
        self.as_number(exponent).is_some_and(Signed::is_negative)
    }

    fn is_half(&self, exponent: Expr) -> bool {
        self.as_number(exponent).is_some_and(|x| x.numer() == &1.into() && x.denom() == &2.into())
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, e: Expr, context: Level) -> fmt::Result {
        let parens = self.level(e) < context;
        if parens {
            f.write_str("(")?;
        }
        match self.node(e) {
            Node::Number(r) => write!(f, "{r}")?,
            Node::Pi => f.write_str("pi")?,
            Node::Symbol(s) => f.write_str(self.name(*s))?,
            Node::Sum(terms) => {
                // Numbers stand first in a node but last in print.
                let (numbers, others): (Vec<Expr>, Vec<Expr>) =
                    terms.iter().partition(|t| self.as_number(**t).is_some());
                for (i, &t) in others.iter().chain(&numbers).enumerate() {
                    self.write_term(f, t, i == 0)?;
                }
            }
            Node::Product(_) | Node::Power(..) => self.write_product(f, e)?,
            Node::Call(g, x) => {
                write!(f, "{}(", g.name())?;
                self.write(f, *x, Level::Sum)?;
                f.write_str(")")?;
            }
            Node::Atan2(y, x) => {
                f.write_str("atan2(")?;
                self.write(f, *y, Level::Sum)?;
                f.write_str(", ")?;
                self.write(f, *x, Level::Sum)?;
                f.write_str(")")?;
            }
        }
        if parens {
            f.write_str(")")?;
        }
        Ok(())
    }

    fn write_term(&self, f: &mut fmt::Formatter<'_>, t: Expr, first: bool) -> fmt::Result {
        let negative = match self.node(t) {
            Node::Number(r) => r.is_negative(),
            Node::Product(c) => self.as_number(c[0]).is_some_and(Signed::is_negative),
            _ => false,
        };
        f.write_str(match (first, negative) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        })?;
        match (negative, self.node(t)) {
            (true, Node::Number(r)) => write!(f, "{}", r.abs()),
            (true, Node::Product(c)) => self.write_factors(f, c, true),
            _ => self.write(f, t, Level::Product),
        }
    }

    fn write_product(&self, f: &mut fmt::Formatter<'_>, e: Expr) -> fmt::Result {
        match self.node(e) {
            Node::Product(c) => {
                let negative = self.as_number(c[0]).is_some_and(Signed::is_negative);
                if negative {
                    f.write_str("-")?;
                }
                self.write_factors(f, c, negative)
            }
            Node::Power(b, x) if self.is_half(*x) => {
                f.write_str("sqrt(")?;
                self.write(f, *b, Level::Sum)?;
                f.write_str(")")
            }
            Node::Power(_, x) if self.is_reciprocal(*x) => self.write_factors(f, &[e], false),
            Node::Power(b, x) => {
                self.write(f, *b, Level::Atom)?;
                f.write_str("^")?;
                self.write(f, *x, Level::Atom)
            }
            _ => unreachable!("only products and powers are written here"),
        }
    }

    fn write_factors(&self, f: &mut fmt::Formatter<'_>, factors: &[Expr], drop_sign: bool) -> fmt::Result {
        let mut over: Vec<String> = Vec::new();
        let mut under: Vec<String> = Vec::new();
        for &x in factors {
            match self.node(x) {
                Node::Number(r) => {
                    let r = if drop_sign { r.abs() } else { r.clone() };
                    if *r.numer() != 1.into() {
                        over.push(r.numer().to_string());
                    }
                    if *r.denom() != 1.into() {
                        under.push(r.denom().to_string());
                    }
                }
                Node::Power(b, n) if self.is_reciprocal(*n) => {
                    let n = self.as_number(*n).map(|n| -n.clone()).unwrap_or_default();
                    let base = self.text(*b, Level::Atom);
                    under.push(match (n.is_integer(), *n.numer() == 1.into()) {
                        (true, true) => base,
                        (true, false) => format!("{base}^{n}"),
                        (false, _) => format!("{base}^({n})"),
                    });
                }
                _ => over.push(self.text(x, Level::Power)),
            }
        }
        if over.is_empty() {
            over.push("1".to_owned());
        }
        f.write_str(&over.join("*"))?;
        match under.len() {
            0 => Ok(()),
            1 => write!(f, "/{}", under[0]),
            _ => write!(f, "/({})", under.join("*")),
        }
    }

    fn text(&self, e: Expr, context: Level) -> String {
        struct At<'a>(&'a Pool, Expr, Level);
        impl fmt::Display for At<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.write(f, self.1, self.2)
            }
        }
        At(self, e, context).to_string()
    }
}

impl fmt::Display for Show<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pool.write(f, self.expr, Level::Sum)
    }
}
