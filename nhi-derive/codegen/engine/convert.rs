//! Between the wire's graphs and Symbolica's expressions.

use super::wire::{Id, Node};
use std::collections::HashMap;
use symbolica::atom::{Atom, AtomCore, AtomView, FunctionBuilder, Symbol};
use symbolica::{parse, symbol};

/// The functions of the wire, all but the last two of one argument.
const FUNCTIONS: [&str; 13] =
    ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "ln", "power", "atan2"];

/// Prefix of their names in Symbolica, so that they are functions of our own: none of the rewriting
/// that it has for its built-in ones, which live in the complex plane, touches a branch cut.
const PREFIX: &str = "nhi_";

/// Defines every function, in a fixed order, with its derivative.
fn define_functions() {
    for name in FUNCTIONS {
        symbol!(
            format!("{PREFIX}{name}"),
            der = move |f, i, out| {
                if let AtomView::Fun(f) = f {
                    let arguments: Vec<Atom> = f.iter().map(|a| a.to_owned()).collect();
                    let d = derivative(name, &arguments, i);
                    out.set_from_view(&d.as_view());
                }
            }
        );
    }
}

/// `name(arguments)`.
fn call(name: &str, arguments: &[Atom]) -> Atom {
    FunctionBuilder::new(symbol!(format!("{PREFIX}{name}"))).add_args(arguments).finish()
}

/// Partial derivative of a function with respect to its `i`-th argument.
fn derivative(name: &str, arguments: &[Atom], i: usize) -> Atom {
    let x = &arguments[0];
    let value = || call(name, arguments);
    let one = || Atom::num(1);
    let square = |a: &Atom| a.pow(2);
    let root_of = |a: Atom| call("power", &[a, Atom::num((-1, 2))]);
    match name {
        "sin" => call("cos", arguments),
        "cos" => -call("sin", arguments),
        "tan" => one() + square(&value()),
        "asin" => root_of(one() - square(x)),
        "acos" => -root_of(one() - square(x)),
        "atan" => (one() + square(x)).pow(-1),
        "sinh" => call("cosh", arguments),
        "cosh" => call("sinh", arguments),
        "tanh" => one() - square(&value()),
        "exp" => value(),
        "ln" => x.pow(-1),
        "power" if i == 0 => &arguments[1] * call("power", &[x.clone(), &arguments[1] - one()]),
        "power" => value() * call("ln", &arguments[..1]),
        // atan2(y, x)
        _ => {
            let (y, x) = (x, &arguments[1]);
            let radius = (square(x) + square(y)).pow(-1);
            if i == 0 { x * radius } else { -(y * radius) }
        }
    }
}

/// Expressions of a batch as Symbolica's.
pub(super) struct Reader {
    atoms: Vec<Atom>,
}

impl Reader {
    /// Converts every node. Symbols are made in the order of their numbers, which is what
    /// Symbolica orders terms by.
    pub(super) fn new(nodes: &[Node]) -> Self {
        define_functions();
        let count =
            nodes.iter().filter_map(|n| if let Node::Symbol(s) = n { Some(s + 1) } else { None }).max();
        (0..count.unwrap_or(0)).for_each(|s| {
            Self::symbol(s);
        });
        let mut atoms: Vec<Atom> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let atom = match node {
                Node::Number(n) => parse!(n),
                Node::Symbol(s) => Self::symbol(*s).to_atom(),
                Node::Pi => symbol!("nhi_pi").to_atom(),
                Node::Sum(c) => c.iter().fold(Atom::num(0), |sum, &i| sum + &atoms[i]),
                Node::Product(c) => c.iter().fold(Atom::num(1), |product, &i| product * &atoms[i]),
                Node::Power(b, n) => atoms[*b].pow(*n),
                Node::Call(f, c) => {
                    let arguments: Vec<Atom> = c.iter().map(|&i| atoms[i].clone()).collect();
                    call(f, &arguments)
                }
            };
            atoms.push(atom);
        }
        Reader { atoms }
    }

    /// The expression behind a node.
    pub(super) fn atom(&self, id: Id) -> &Atom {
        &self.atoms[id]
    }

    /// Symbol of a number.
    pub(super) fn symbol(number: usize) -> Symbol {
        symbol!(format!("s{number}"))
    }
}

/// Symbolica's expressions as nodes, each written once.
#[derive(Default)]
pub(super) struct Writer {
    pub(super) nodes: Vec<Node>,
    ids: HashMap<Node, Id>,
}

impl Writer {
    /// The node of an expression.
    pub(super) fn node(&mut self, atom: AtomView<'_>) -> Id {
        let node = match atom {
            AtomView::Num(_) => Node::Number(atom.to_canonical_string()),
            AtomView::Var(v) => match v.get_symbol().get_stripped_name().strip_prefix('s') {
                Some(number) => Node::Symbol(number.parse().expect("a symbol of the request")),
                None => Node::Pi,
            },
            AtomView::Fun(f) => {
                let symbol = f.get_symbol();
                let name = symbol.get_stripped_name();
                let arguments = f.iter().map(|a| self.node(a)).collect();
                Node::Call(name.strip_prefix(PREFIX).unwrap_or(name).to_owned(), arguments)
            }
            AtomView::Pow(p) => {
                let (base, exponent) = p.get_base_exp();
                let base = self.node(base);
                match i64::try_from(exponent) {
                    Ok(n) => Node::Power(base, n),
                    Err(_) => Node::Call("power".to_owned(), vec![base, self.node(exponent)]),
                }
            }
            AtomView::Mul(m) => Node::Product(m.iter().map(|f| self.node(f)).collect()),
            AtomView::Add(a) => Node::Sum(a.iter().map(|t| self.node(t)).collect()),
        };
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = self.nodes.len();
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }
}
