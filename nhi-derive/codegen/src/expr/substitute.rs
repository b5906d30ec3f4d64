//! Simultaneous substitution.

use super::{Expr, Images, Node, Pool};
use std::collections::HashMap;

impl Pool {
    /// `roots` with every key of `map` replaced by its value, all at once.
    pub fn substitute(&mut self, roots: &[Expr], map: &HashMap<Expr, Expr>) -> Vec<Expr> {
        let mut images = Images::new(roots);
        for e in self.reachable(roots) {
            let new = match map.get(&e) {
                Some(&to) => to,
                None => self.rebuild(e, |c| images.get(c)),
            };
            images.set(e, new);
        }
        roots.iter().map(|&r| images.get(r)).collect()
    }

    /// `e` with its operands replaced by `f` of them.
    pub fn rebuild(&mut self, e: Expr, f: impl Fn(Expr) -> Expr) -> Expr {
        match self.node(e).clone() {
            Node::Number(_) | Node::Pi | Node::Symbol(_) => e,
            Node::Sum(c) => {
                let c: Vec<Expr> = c.into_iter().map(f).collect();
                self.sum(&c)
            }
            Node::Product(c) => {
                let c: Vec<Expr> = c.into_iter().map(f).collect();
                self.product(&c)
            }
            Node::Power(a, b) => self.pow(f(a), f(b)),
            Node::Call(g, a) => self.call(g, f(a)),
            Node::Atan2(y, x) => self.atan2(f(y), f(x)),
            Node::Map(entry, c) => {
                let c: Vec<Expr> = c.into_iter().map(f).collect();
                self.map(entry, &c)
            }
        }
    }
}
