//! Between the pool's expressions and the wire's graphs.

use super::wire::{Id, Node};
use crate::engine::polynomial::integer;
use crate::expr::{Expr, Function, Node as Source, Pool, Rational};
use std::collections::HashMap;
use std::str::FromStr;

/// A graph under construction, with the expressions that its symbols stand for.
#[derive(Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    ids: HashMap<Node, Id>,
    symbols: Vec<Expr>,
    numbers: HashMap<Expr, usize>,
}

impl Graph {
    /// Adds an expression with all its functions.
    pub(super) fn add(&mut self, pool: &Pool, root: Expr) -> Id {
        self.add_above(pool, root, &pool.reachable(&[root]), |_| false)
    }

    /// Adds an expression in which everything but sums, products and integer powers is a symbol.
    pub(super) fn add_rational(&mut self, pool: &Pool, root: Expr) -> Id {
        self.add_above(pool, root, &rational_part(pool, root), |e| is_atom(pool, e))
    }

    fn add_above(&mut self, pool: &Pool, root: Expr, order: &[Expr], opaque: impl Fn(Expr) -> bool) -> Id {
        let mut image: HashMap<Expr, Id> = HashMap::new();
        for &e in order {
            let all = |image: &HashMap<Expr, Id>, c: &[Expr]| c.iter().map(|c| image[c]).collect();
            let node = match pool.node(e) {
                Source::Number(r) => Node::Number(r.to_string()),
                _ if opaque(e) => Node::Symbol(self.symbol(e)),
                Source::Select(_) | Source::Map(..) | Source::Saddle(..) => Node::Symbol(self.symbol(e)),
                Source::Pi => Node::Pi,
                Source::Symbol(_) => Node::Symbol(self.symbol(e)),
                Source::Sum(c) => Node::Sum(all(&image, c)),
                Source::Product(c) => Node::Product(all(&image, c)),
                Source::Power(b, n) => match integer(pool, *n) {
                    Some(n) => Node::Power(image[b], n),
                    None => Node::Call("power".to_owned(), all(&image, &[*b, *n])),
                },
                Source::Call(f, x) => Node::Call(f.name().to_owned(), all(&image, &[*x])),
                Source::Atan2(y, x) => Node::Call("atan2".to_owned(), all(&image, &[*y, *x])),
            };
            let id = self.intern(node);
            image.insert(e, id);
        }
        image[&root]
    }

    fn intern(&mut self, node: Node) -> Id {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        self.nodes.push(node.clone());
        self.ids.insert(node, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// The number of the symbol that stands for `e`.
    pub(super) fn symbol(&mut self, e: Expr) -> usize {
        *self.numbers.entry(e).or_insert_with(|| {
            self.symbols.push(e);
            self.symbols.len() - 1
        })
    }

    /// The expressions of an answer's nodes, `None` for infinities and what has one inside; the
    /// error is what cannot be understood.
    pub(super) fn read(&self, pool: &mut Pool, nodes: &[Node]) -> Result<Vec<Option<Expr>>, String> {
        let mut image: Vec<Option<Expr>> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let all = |c: &[Id]| c.iter().map(|&i| image[i]).collect::<Option<Vec<Expr>>>();
            let unknown = || format!("{node:?}");
            let e = match node {
                Node::Number(n) => Rational::from_str(n).ok().map(|r| pool.number(r)),
                Node::Pi => Some(pool.pi()),
                Node::Symbol(s) => Some(*self.symbols.get(*s).ok_or_else(unknown)?),
                Node::Sum(c) => all(c).map(|c| pool.sum(&c)),
                Node::Product(c) => all(c).map(|c| pool.product(&c)),
                Node::Power(b, n) => image[*b].map(|b| pool.powi(b, *n)),
                Node::Call(name, c) => match all(c) {
                    Some(c) => Some(call(pool, name, &c).ok_or_else(unknown)?),
                    None => None,
                },
            };
            image.push(e);
        }
        Ok(image)
    }
}

/// A function of the wire.
fn call(pool: &mut Pool, name: &str, arguments: &[Expr]) -> Option<Expr> {
    match (name, arguments) {
        ("power", &[b, x]) => Some(pool.pow(b, x)),
        ("atan2", &[y, x]) => Some(pool.atan2(y, x)),
        (_, &[x]) => {
            let f = Function::ALL.into_iter().find(|f| f.name() == name)?;
            Some(pool.call(f, x))
        }
        _ => None,
    }
}

/// Whether a rational function has this as a variable.
pub(super) fn is_atom(pool: &Pool, e: Expr) -> bool {
    match pool.node(e) {
        Source::Number(_) | Source::Sum(_) | Source::Product(_) => false,
        Source::Power(_, n) => integer(pool, *n).is_none(),
        _ => true,
    }
}

/// The nodes of a rational function down to its variables, children before parents.
pub(super) fn rational_part(pool: &Pool, root: Expr) -> Vec<Expr> {
    let mut seen = std::collections::BTreeSet::new();
    let mut stack = vec![root];
    while let Some(e) = stack.pop() {
        if seen.insert(e) && !is_atom(pool, e) {
            match pool.node(e) {
                Source::Power(b, _) => stack.push(*b),
                _ => stack.extend(pool.children(e)),
            }
        }
    }
    seen.into_iter().collect()
}
