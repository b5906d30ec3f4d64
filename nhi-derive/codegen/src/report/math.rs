//! Formulas as they are typeset: what the printers of TeX and of MathML have in common.

use crate::expr::{Expr, Function, Node, Pool, Rational};
use num_traits::{One, Signed};

/// A typeset formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Math {
    /// A name of one letter, Latin or Greek (`theta`), or an upright word.
    Name(String),
    /// An unsigned number.
    Number(String),
    /// A sign between operands.
    Operator(&'static str),
    /// One after the other.
    Row(Vec<Math>),
    /// Numerator over denominator.
    Fraction(Box<Math>, Box<Math>),
    /// Base and exponent.
    Power(Box<Math>, Box<Math>),
    /// Base and index.
    Index(Box<Math>, Box<Math>),
    /// With one dot above, or two.
    Dots(Box<Math>, usize),
    /// A square root.
    Root(Box<Math>),
    /// An upright name of a function.
    Function(&'static str),
    /// In parentheses.
    Parentheses(Box<Math>),
    /// A matrix in parentheses.
    Matrix(Vec<Vec<Math>>),
    /// Values and when they apply, behind a brace.
    Cases(Vec<Vec<Math>>),
}

/// How tightly a formula binds.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Level {
    Sum,
    Product,
    Power,
    Atom,
}

/// The Greek letters that names of declarations spell out, or contain.
pub(super) const GREEK: &[(&str, char)] = &[
    ("alpha", 'α'),
    ("beta", 'β'),
    ("gamma", 'γ'),
    ("delta", 'δ'),
    ("epsilon", 'ε'),
    ("zeta", 'ζ'),
    ("eta", 'η'),
    ("theta", 'θ'),
    ("iota", 'ι'),
    ("kappa", 'κ'),
    ("lambda", 'λ'),
    ("mu", 'μ'),
    ("nu", 'ν'),
    ("xi", 'ξ'),
    ("pi", 'π'),
    ("rho", 'ρ'),
    ("sigma", 'σ'),
    ("tau", 'τ'),
    ("upsilon", 'υ'),
    ("phi", 'φ'),
    ("chi", 'χ'),
    ("psi", 'ψ'),
    ("omega", 'ω'),
    ("Gamma", 'Γ'),
    ("Delta", 'Δ'),
    ("Theta", 'Θ'),
    ("Lambda", 'Λ'),
    ("Xi", 'Ξ'),
    ("Pi", 'Π'),
    ("Sigma", 'Σ'),
    ("Upsilon", 'Υ'),
    ("Phi", 'Φ'),
    ("Psi", 'Ψ'),
    ("Omega", 'Ω'),
];

impl Math {
    /// A name of a declaration: a Greek letter by its name, any other word whole, and what follows `_` and digits at the end as an index.
    pub fn name(text: &str) -> Math {
        if let Some(inner) = text.strip_prefix("dot(").and_then(|rest| rest.strip_suffix(')')) {
            return Math::Dots(Box::new(Math::name(inner)), 1);
        }
        let (word, entries) = match text.split_once('[') {
            Some((word, entries)) => (word, entries.trim_end_matches(']').replace("][", ",")),
            None => (text, String::new()),
        };
        let (word, mut index) = match word.split_once('_') {
            Some((word, index)) if !word.is_empty() => (word, index.replace('_', ",")),
            _ => (word, String::new()),
        };
        let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let (letters, digits) = if letters.is_empty() { (word, "") } else { word.split_at(letters.len()) };
        if !digits.is_empty() {
            index = if index.is_empty() { digits.to_owned() } else { format!("{digits},{index}") };
        }
        if !entries.is_empty() {
            index = if index.is_empty() { entries } else { format!("{index},{entries}") };
        }
        let base = Math::Name(letters.to_owned());
        if index.is_empty() { base } else { base.with_index(Math::word(&index)) }
    }

    /// A number, a letter or a word.
    fn word(text: &str) -> Math {
        if text.chars().all(|c| c.is_ascii_digit()) {
            Math::Number(text.to_owned())
        } else {
            Math::Name(text.to_owned())
        }
    }

    /// A letter or word as it stands.
    pub fn letter(text: &str) -> Math {
        Math::Name(text.to_owned())
    }

    /// With an index.
    pub fn with_index(self, index: Math) -> Math {
        Math::Index(Box::new(self), Box::new(index))
    }

    /// With an index that is a number, counted from one.
    pub fn numbered(self, index: usize) -> Math {
        self.with_index(Math::Number((index + 1).to_string()))
    }

    /// The rate of change.
    pub fn rate(self) -> Math {
        match self {
            Math::Dots(of, n) => Math::Dots(of, n + 1),
            other => Math::Dots(Box::new(other), 1),
        }
    }

    /// To a power.
    pub fn to(self, exponent: Math) -> Math {
        Math::Power(Box::new(self), Box::new(exponent))
    }

    /// The differential of a name.
    pub fn differential(of: Math) -> Math {
        Math::Row(vec![Math::Name("d".into()), of])
    }

    /// Whether it is the name of a function, perhaps to a power.
    pub(super) fn is_function(&self) -> bool {
        match self {
            Math::Function(_) => true,
            Math::Power(base, _) => base.is_function(),
            _ => false,
        }
    }

    /// An estimate of the width, in characters.
    pub fn width(&self) -> usize {
        match self {
            Math::Name(text) if GREEK.iter().any(|(name, _)| name == text) => 1,
            Math::Name(text) | Math::Number(text) => text.chars().count(),
            Math::Operator(_) => 3,
            Math::Function(name) => name.len() + 1,
            Math::Row(parts) => parts.iter().map(Math::width).sum(),
            Math::Fraction(above, below) => above.width().max(below.width()) + 1,
            Math::Power(base, index) | Math::Index(base, index) => base.width() + index.width().div_ceil(2),
            Math::Dots(of, _) => of.width(),
            Math::Root(of) | Math::Parentheses(of) => of.width() + 2,
            Math::Matrix(rows) | Math::Cases(rows) => {
                let columns = rows.first().map_or(0, Vec::len);
                let width = |j: usize| rows.iter().map(|row| row[j].width()).max().unwrap_or(0) + 2;
                (0..columns).map(width).sum::<usize>() + 2
            }
        }
    }
}

/// A sum in lines of about that width, each after the first beginning with a sign.
pub(super) fn broken(pool: &Pool, e: Expr, width: usize) -> Vec<Math> {
    let Node::Sum(terms) = pool.node(e) else { return vec![math(pool, e)] };
    let mut lines = Vec::new();
    let mut line = Vec::new();
    for parts in sum(pool, terms) {
        let full: usize = line.iter().chain(&parts).map(Math::width).sum();
        if full > width && !line.is_empty() {
            lines.push(Math::Row(std::mem::take(&mut line)));
        }
        line.extend(parts);
    }
    lines.push(Math::Row(line));
    lines
}

/// An expression, typeset. It should not be nested deeply.
pub(super) fn math(pool: &Pool, e: Expr) -> Math {
    match pool.node(e) {
        Node::Number(r) => signed(r),
        Node::Pi => Math::Name("pi".into()),
        Node::Symbol(s) => Math::name(pool.name(*s)),
        Node::Sum(terms) => Math::Row(sum(pool, terms).concat()),
        Node::Product(factors) => {
            let product = product(pool, factors);
            if pool.is_negated(e) { Math::Row(vec![Math::Operator("−"), product]) } else { product }
        }
        Node::Power(base, x) => match pool.as_number(*x) {
            Some(r) if r.is_negative() => product(pool, &[e]),
            Some(r) => power(pool, *base, r),
            None => within(pool, *base, Level::Atom).to(math(pool, *x)),
        },
        Node::Call(f, x) => call(pool, *f, None, *x),
        Node::Atan2(y, x) => applied("atan2", None, comma(vec![math(pool, *y), math(pool, *x)])),
        Node::Select(all) => choice(pool, *all),
        Node::Map(entry, arguments) => {
            let arguments = arguments.iter().map(|&x| math(pool, x)).collect();
            let map = Math::Parentheses(Box::new(comma(arguments)));
            let map = Math::Row(vec![Math::Name(entry.map.name().to_owned()), map]);
            map.with_index(Math::Number(entry.index.to_string()))
        }
        Node::Saddle(saddle, arguments) => math(pool, arguments[saddle.index]),
    }
}

/// A choice, as the function that it was written as where that is one.
fn choice(pool: &Pool, [condition, positive, negative]: [Expr; 3]) -> Math {
    let is_opposite = |a: Expr, b: Expr| {
        let (Node::Product(a), b) = (pool.node(a), b) else { return false };
        a.len() == 2 && a[1] == b && pool.as_number(a[0]).is_some_and(|c| (-c).is_one())
    };
    if positive == condition && is_opposite(negative, condition) {
        return Math::Row(vec![Math::Operator("|"), math(pool, condition), Math::Operator("|")]);
    }
    let row = |value: Expr, case: Vec<Math>| vec![math(pool, value), Math::Row(case)];
    let case = vec![math(pool, condition), Math::Operator("≥"), Math::Number("0".into())];
    Math::Cases(vec![row(positive, case), row(negative, vec![Math::Name("otherwise".into())])])
}

fn comma(parts: Vec<Math>) -> Math {
    let mut row = Vec::new();
    for part in parts {
        if !row.is_empty() {
            row.push(Math::Operator(","));
        }
        row.push(part);
    }
    Math::Row(row)
}

fn signed(r: &Rational) -> Math {
    let number = |i: String| Math::Number(i);
    let size = match r.denom().is_one() {
        true => number(r.numer().abs().to_string()),
        false => Math::Fraction(
            Box::new(number(r.numer().abs().to_string())),
            Box::new(number(r.denom().to_string())),
        ),
    };
    if r.is_negative() { Math::Row(vec![Math::Operator("−"), size]) } else { size }
}

fn level(pool: &Pool, e: Expr) -> Level {
    match pool.node(e) {
        Node::Sum(_) => Level::Sum,
        Node::Product(_) if pool.is_negated(e) => Level::Sum,
        Node::Product(_) => Level::Product,
        Node::Number(r) if r.is_negative() => Level::Sum,
        Node::Number(r) if !r.is_integer() => Level::Product,
        Node::Power(_, x) => match pool.as_number(*x) {
            Some(x) if x.is_negative() => Level::Product,
            _ => Level::Power,
        },
        Node::Call(..) | Node::Atan2(..) => Level::Power,
        Node::Select(_) => Level::Sum,
        _ => Level::Atom,
    }
}

/// In parentheses unless it binds at least that tightly.
fn within(pool: &Pool, e: Expr, at: Level) -> Math {
    let inner = math(pool, e);
    if level(pool, e) < at { Math::Parentheses(Box::new(inner)) } else { inner }
}

/// The terms, each with its sign.
fn sum(pool: &Pool, terms: &[Expr]) -> Vec<Vec<Math>> {
    let mut terms = terms.to_vec();
    // A number stands first in a node and last in print, except in 1 − x.
    if pool.as_number(terms[0]).is_some_and(|c| c.is_negative() || !pool.is_negated(terms[1])) {
        terms.rotate_left(1);
    }
    let term = |(i, &t): (usize, &Expr)| {
        let mut parts = Vec::new();
        match (i, pool.is_negated(t)) {
            (0, false) => {}
            (_, true) => parts.push(Math::Operator("−")),
            (_, false) => parts.push(Math::Operator("+")),
        }
        parts.push(match pool.node(t) {
            Node::Number(r) => signed(&r.abs()),
            Node::Product(factors) => product(pool, factors),
            _ => within(pool, t, Level::Product),
        });
        parts
    };
    terms.iter().enumerate().map(term).collect()
}

/// A product without its sign, as one fraction.
fn product(pool: &Pool, factors: &[Expr]) -> Math {
    let (mut over, mut under) = (Vec::new(), Vec::new());
    for &f in factors {
        match pool.node(f) {
            Node::Number(r) => {
                let number = |i: String| (Level::Atom, Math::Number(i));
                over.extend((!r.numer().abs().is_one()).then(|| number(r.numer().abs().to_string())));
                under.extend((!r.denom().is_one()).then(|| number(r.denom().to_string())));
            }
            Node::Power(base, x) => match pool.as_number(*x) {
                Some(x) if x.is_negative() => {
                    let level = if (-x).is_one() { level(pool, *base) } else { Level::Power };
                    under.push((level, power(pool, *base, &-x)));
                }
                _ => over.push((Level::Power, math(pool, f))),
            },
            _ => over.push((level(pool, f), math(pool, f))),
        }
    }
    let row = |parts: Vec<(Level, Math)>| {
        let alone = parts.len() == 1;
        let factor = |(level, part): (Level, Math)| match level < Level::Product && !alone {
            true => Math::Parentheses(Box::new(part)),
            false => part,
        };
        let mut parts: Vec<Math> = parts.into_iter().map(factor).collect();
        if parts.is_empty() {
            Math::Number("1".into())
        } else if alone {
            parts.remove(0)
        } else {
            Math::Row(parts)
        }
    };
    // A lone sum without a denominator keeps its parentheses: it is a factor of what stands before.
    if under.is_empty() {
        if let [(Level::Sum, _)] = over[..] {
            let (_, part) = over.remove(0);
            return Math::Parentheses(Box::new(part));
        }
        return row(over);
    }
    Math::Fraction(Box::new(row(over)), Box::new(row(under)))
}

fn power(pool: &Pool, base: Expr, exponent: &Rational) -> Math {
    if exponent.is_one() {
        return math(pool, base);
    }
    if exponent.numer().is_one() && *exponent.denom() == 2.into() {
        return Math::Root(Box::new(math(pool, base)));
    }
    let exponent = signed(exponent);
    match pool.node(base) {
        Node::Call(f, x) => call(pool, *f, Some(exponent), *x),
        _ => within(pool, base, Level::Atom).to(exponent),
    }
}

fn call(pool: &Pool, f: Function, exponent: Option<Math>, x: Expr) -> Math {
    let argument = math(pool, x);
    let name = match f {
        Function::Asin => "arcsin",
        Function::Acos => "arccos",
        Function::Atan => "arctan",
        Function::SmallSin => "sin",
        Function::SmallCos => "cos",
        other => other.name(),
    };
    applied(name, exponent, argument)
}

fn applied(name: &'static str, exponent: Option<Math>, argument: Math) -> Math {
    let function = Math::Function(name);
    let function = match exponent {
        Some(exponent) => function.to(exponent),
        None => function,
    };
    let argument = match argument {
        name @ (Math::Name(_) | Math::Index(..) | Math::Dots(..)) => name,
        other => Math::Parentheses(Box::new(other)),
    };
    Math::Row(vec![function, argument])
}
