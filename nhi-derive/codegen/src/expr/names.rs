//! Names of expressions: of symbols as parts of identifiers, and of values after their formulas.

use super::{Expr, Node, Pool, Rational};
use num_traits::{One, Signed};
use std::collections::HashMap;

/// Longest name made from a formula.
const MAX_NAME: usize = 24;

/// Factors of products that are named after them.
const MAX_FACTORS: usize = 3;

/// A symbol's name as a part of identifiers: `dot(x)` is `dot_x`, `y[0]` is `y_0`.
pub fn identifier(name: &str) -> String {
    let mut out = String::new();
    for c in name.trim_start_matches("r#").chars() {
        if unicode_ident::is_xid_continue(c) {
            out.push(c);
        } else if !out.ends_with('_') {
            out.push('_');
        }
    }
    out.trim_end_matches('_').to_owned()
}

/// The numbers that names of one scope have been given, in which no name becomes free again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers(HashMap<String, usize>);

impl Numbers {
    /// `base`, or with the first number that makes it free. Numbers found taken are not tried again.
    pub(crate) fn unique(&mut self, base: &str, mut is_free: impl FnMut(&str) -> bool) -> String {
        if is_free(base) {
            return base.to_owned();
        }
        let number = match self.0.get_mut(base) {
            Some(number) => number,
            None => self.0.entry(base.to_owned()).or_insert(1),
        };
        loop {
            *number += 1;
            let name = format!("{base}_{number}");
            if is_free(&name) {
                return name;
            }
        }
    }
}

impl Pool {
    /// The name after the formula of a value that is computed early or late, if that is short.
    pub(crate) fn short_name(&mut self, e: Expr, early: bool) -> Option<String> {
        self.formula_name(e, early).filter(|name| name.len() <= MAX_NAME)
    }

    /// The name of a symbol as a part of identifiers.
    pub(crate) fn symbol_name(&self, e: Expr) -> Option<String> {
        self.as_symbol(e).map(|s| identifier(self.name(s)))
    }

    /// A name that says what `e` is. Later values are named for what functions and simple powers they
    /// are, since a product is read faster than its name.
    pub(crate) fn formula_name(&mut self, e: Expr, early: bool) -> Option<String> {
        match self.node(e).clone() {
            Node::Call(f, x) => Some(format!("{}_{}", f.name(), self.argument_name(x)?)),
            Node::Power(b, x) => {
                let b = self.argument_name(b)?;
                let x = self.as_number(x)?;
                match x.to_string().as_str() {
                    "-1" => Some(format!("inv_{b}")),
                    "2" => Some(format!("{b}_sq")),
                    "3" => Some(format!("{b}_cubed")),
                    "1/2" => Some(format!("sqrt_{b}")),
                    "-1/2" => Some(format!("inv_sqrt_{b}")),
                    "-2" => Some(format!("inv_{b}_sq")),
                    _ => None,
                }
            }
            Node::Map(entry, _) => Some(format!("{}_{}", entry.map.name(), entry.index)),
            Node::Saddle(saddle, _) => Some(format!("solution_{}", saddle.index)),
            Node::Sum(_) if early => self.argument_name(e),
            Node::Product(factors) if early || factors.len() == 2 && self.as_number(factors[0]).is_some() => {
                self.product_name(&factors)
            }
            _ => None,
        }
    }

    /// Names of symbols and of sums and products of two.
    fn argument_name(&mut self, e: Expr) -> Option<String> {
        if let Some(name) = self.symbol_name(e) {
            return Some(name);
        }
        match self.node(e).clone() {
            Node::Sum(terms) if terms.len() == 2 => {
                let (first, second) = (self.symbol_name(terms[0]), terms[1]);
                match (first, self.is_negated(second)) {
                    (Some(a), false) => Some(format!("{a}_plus_{}", self.symbol_name(second)?)),
                    (Some(a), true) => {
                        let b = self.neg(second);
                        Some(format!("{a}_minus_{}", self.symbol_name(b)?))
                    }
                    _ => None,
                }
            }
            Node::Product(factors) if factors.len() == 2 => self.product_name(&factors),
            _ => None,
        }
    }

    fn product_name(&mut self, factors: &[Expr]) -> Option<String> {
        let (mut over, mut under) = (Vec::new(), Vec::new());
        if factors.len() > MAX_FACTORS {
            return None;
        }
        for &f in factors {
            if let Some(c) = self.as_number(f) {
                over.push(number_name(c)?.to_owned());
                continue;
            }
            let (base, x) = self.split_power(f);
            let base = self.symbol_name(base)?;
            let x = self.as_number(x)?;
            let side = if x.is_negative() { &mut under } else { &mut over };
            match x.abs() {
                x if x.is_one() => side.push(base),
                x if x == Rational::from_integer(2.into()) => side.push(format!("{base}_sq")),
                _ => return None,
            }
        }
        let (over, under) = (over.join("_"), under.join("_"));
        match (over.is_empty(), under.is_empty()) {
            (false, true) => Some(over),
            (false, false) => Some(format!("{over}_over_{under}")),
            _ => Some(format!("inv_{under}")),
        }
    }
}

fn number_name(c: &Rational) -> Option<&'static str> {
    match c.to_string().as_str() {
        "1/2" => Some("half"),
        "1/4" => Some("quarter"),
        "2" => Some("two"),
        "3" => Some("three"),
        "4" => Some("four"),
        _ => None,
    }
}
