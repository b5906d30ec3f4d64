//! Differentiation: forward for one variable, reverse for a scalar of many.

use super::{Expr, Function, Node, Pool};
use std::collections::HashMap;

impl Pool {
    /// Derivatives of all of `roots` with respect to one symbol.
    pub fn derivatives(&mut self, roots: &[Expr], with_respect_to: Expr) -> Vec<Expr> {
        let mut d: HashMap<Expr, Expr> = HashMap::new();
        let zero = self.zero();
        let one = self.one();
        for e in self.reachable(roots) {
            let value = if e == with_respect_to {
                one
            } else {
                let parts: Vec<(Expr, Expr)> = self
                    .children(e)
                    .into_iter()
                    .enumerate()
                    .filter(|(_, c)| d[c] != zero)
                    .map(|(i, c)| (Expr(i as u32), c))
                    .collect();
                let mut terms = Vec::new();
                for (i, c) in parts {
                    let outer = self.partial(e, i.0 as usize);
                    let inner = d[&c];
                    terms.push(self.mul(outer, inner));
                }
                self.sum(&terms)
            };
            d.insert(e, value);
        }
        roots.iter().map(|r| d[r]).collect()
    }

    /// Derivative of `e` with respect to one symbol.
    pub fn derivative(&mut self, e: Expr, with_respect_to: Expr) -> Expr {
        self.derivatives(&[e], with_respect_to)[0]
    }

    /// Gradient of `e` with respect to `variables` by reverse accumulation: one sweep over the
    /// expression graph whatever the number of variables.
    pub fn gradient(&mut self, e: Expr, variables: &[Expr]) -> Vec<Expr> {
        let zero = self.zero();
        let mut depends: HashMap<Expr, bool> = HashMap::new();
        let order = self.reachable(&[e]);
        for &x in &order {
            let d = variables.contains(&x) || self.children(x).iter().any(|c| depends[c]);
            depends.insert(x, d);
        }
        let mut contributions: HashMap<Expr, Vec<Expr>> = HashMap::new();
        contributions.insert(e, vec![self.one()]);
        let mut adjoint: HashMap<Expr, Expr> = HashMap::new();
        for &x in order.iter().rev() {
            if !depends[&x] {
                continue;
            }
            let bar = match contributions.remove(&x) {
                Some(terms) => self.sum(&terms),
                None => zero,
            };
            adjoint.insert(x, bar);
            if variables.contains(&x) || bar == zero {
                continue;
            }
            for (i, c) in self.children(x).into_iter().enumerate() {
                if depends[&c] {
                    let outer = self.partial(x, i);
                    let term = self.mul(bar, outer);
                    contributions.entry(c).or_default().push(term);
                }
            }
        }
        variables.iter().map(|v| adjoint.get(v).copied().unwrap_or(zero)).collect()
    }

    /// Partial derivative of a node with respect to its `i`-th operand.
    fn partial(&mut self, e: Expr, i: usize) -> Expr {
        match self.node(e).clone() {
            Node::Number(_) | Node::Pi | Node::Symbol(_) => self.zero(),
            Node::Sum(_) => self.one(),
            Node::Product(_) => self.without_factor(e, i),
            Node::Power(b, x) => {
                if i == 0 {
                    let one = self.one();
                    let x1 = self.sub(x, one);
                    let p = self.pow(b, x1);
                    self.mul(x, p)
                } else {
                    let l = self.call(Function::Ln, b);
                    self.mul(e, l)
                }
            }
            Node::Call(f, x) => self.function_derivative(f, x, e),
            Node::Atan2(y, x) => {
                let (x2, y2) = (self.powi(x, 2), self.powi(y, 2));
                let r2 = self.add(x2, y2);
                let n = if i == 0 { x } else { self.neg(y) };
                self.div(n, r2)
            }
        }
    }

    /// `f'(x)`; `value` is `f(x)`.
    fn function_derivative(&mut self, f: Function, x: Expr, value: Expr) -> Expr {
        let one = self.one();
        match f {
            Function::Sin => self.call(Function::Cos, x),
            Function::Cos => {
                let s = self.call(Function::Sin, x);
                self.neg(s)
            }
            Function::Tan => {
                let t2 = self.powi(value, 2);
                self.add(one, t2)
            }
            Function::Asin | Function::Acos => {
                let x2 = self.powi(x, 2);
                let d = self.sub(one, x2);
                let half = self.ratio(-1, 2);
                let r = self.pow(d, half);
                if f == Function::Asin { r } else { self.neg(r) }
            }
            Function::Atan => {
                let x2 = self.powi(x, 2);
                let d = self.add(one, x2);
                self.recip(d)
            }
            Function::Sinh => self.call(Function::Cosh, x),
            Function::Cosh => self.call(Function::Sinh, x),
            Function::Tanh => {
                let t2 = self.powi(value, 2);
                self.sub(one, t2)
            }
            Function::Exp => value,
            Function::Ln => self.recip(x),
        }
    }
}
