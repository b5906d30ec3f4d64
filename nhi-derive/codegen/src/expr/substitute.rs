//! Simultaneous substitution.

use super::{Expr, Images, Node, Pool};
use std::collections::HashMap;

impl Pool {
    /// `roots` with every key of `map` replaced by its value, all at once.
    pub fn substitute(&mut self, roots: &[Expr], map: &HashMap<Expr, Expr>) -> Vec<Expr> {
        let all = self.reachable(roots);
        let mut images = Images::of(&all);
        for e in all {
            let new = match map.get(&e) {
                Some(&to) => to,
                None => self.rebuild(e, |c| images.get(c)),
            };
            images.set(e, new);
        }
        roots.iter().map(|&r| images.get(r)).collect()
    }

    /// `e` with formulas in the place of solutions of linear equations, near to which they are.
    pub(crate) fn by_formulas(&mut self, e: Expr) -> Expr {
        let all = self.reachable(&[e]);
        let mut images = Images::of(&all);
        for e in all {
            let new = match self.node(e) {
                Node::Saddle(saddle, arguments) => images.get(arguments[saddle.index]),
                _ => self.rebuild(e, |c| images.get(c)),
            };
            images.set(e, new);
        }
        images.get(e)
    }

    /// `roots` where these symbols are zero.
    pub(crate) fn at_zero(&mut self, roots: &[Expr], symbols: &[Expr]) -> Vec<Expr> {
        let map = symbols.iter().map(|&symbol| (symbol, Expr::ZERO)).collect();
        self.substitute(roots, &map)
    }

    /// `e` with its operands replaced by `f` of them.
    pub fn rebuild(&mut self, e: Expr, f: impl Fn(Expr) -> Expr) -> Expr {
        let (mut count, mut changed) = (0, false);
        self.for_each_child(e, |c| {
            count += 1;
            changed |= f(c) != c;
        });
        if !changed {
            return e;
        }
        let mut operands = Vec::with_capacity(count);
        self.for_each_child(e, |c| operands.push(f(c)));
        match *self.node(e) {
            Node::Number(_) | Node::Pi | Node::Symbol(_) => e,
            Node::Sum(_) => self.sum(&operands),
            Node::Product(_) => self.product(&operands),
            Node::Power(..) => self.pow(operands[0], operands[1]),
            Node::Call(g, _) => self.call(g, operands[0]),
            Node::Atan2(..) => self.atan2(operands[0], operands[1]),
            Node::Select(_) => self.select(operands[0], operands[1], operands[2]),
            Node::Map(entry, _) => self.map(entry, &operands),
            Node::Saddle(saddle, _) => self.saddle(saddle, &operands),
        }
    }
}
