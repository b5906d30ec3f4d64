//! Differentiation: forward for one variable, reverse for a scalar of many.

use super::{Expr, Function, Images, Node, Pool, table_size};

impl Pool {
    /// Derivatives of all of `roots` with respect to one symbol.
    pub fn derivatives(&mut self, roots: &[Expr], with_respect_to: Expr) -> Vec<Expr> {
        let mut derivatives = Images::new(roots);
        for e in self.reachable(roots) {
            match e {
                _ if e == with_respect_to => derivatives.set(e, Expr::ONE),
                Expr::UNDEFINED => derivatives.set(e, e),
                _ => {}
            }
            let mut terms = Vec::new();
            for (i, c) in self.children(e).into_iter().enumerate() {
                let inner = derivatives.get(c);
                if inner != Expr::ZERO {
                    let outer = self.partial(e, i);
                    terms.push(self.mul(outer, inner));
                }
            }
            if !terms.is_empty() {
                derivatives.set(e, self.sum(&terms));
            }
        }
        roots.iter().map(|&r| derivatives.get(r)).collect()
    }

    /// Derivative of `e` with respect to one symbol.
    pub fn derivative(&mut self, e: Expr, with_respect_to: Expr) -> Expr {
        self.derivatives(&[e], with_respect_to)[0]
    }

    /// Gradient of `e` with respect to `variables` by reverse accumulation: one sweep over the
    /// expression graph whatever the number of variables.
    pub fn gradient(&mut self, e: Expr, variables: &[Expr]) -> Vec<Expr> {
        if e == Expr::UNDEFINED {
            return vec![e; variables.len()];
        }
        let size = table_size(&[e]).max(table_size(variables));
        let mut is_variable = vec![false; size];
        for v in variables {
            is_variable[v.index()] = true;
        }
        // Nodes that depend on the variables, and where their summands are collected.
        let mut positions = vec![0u32; size];
        let mut dependent = vec![];
        for x in self.reachable(&[e]) {
            let mut depends = is_variable[x.index()];
            self.for_each_child(x, |c| depends |= positions[c.index()] != 0);
            if depends {
                dependent.push(x);
                positions[x.index()] = dependent.len() as u32;
            }
        }
        let mut contributions = vec![Vec::new(); dependent.len()];
        if let Some(last) = contributions.last_mut() {
            last.push(Expr::ONE);
        }
        let mut adjoints = Images::with_size(size);
        while let Some(x) = dependent.pop() {
            let terms = contributions.pop().unwrap_or_default();
            let adjoint = self.sum(&terms);
            adjoints.set(x, adjoint);
            if is_variable[x.index()] || adjoint == Expr::ZERO {
                continue;
            }
            for (i, c) in self.children(x).into_iter().enumerate() {
                if let Some(position) = positions[c.index()].checked_sub(1) {
                    let outer = self.partial(x, i);
                    contributions[position as usize].push(self.mul(adjoint, outer));
                }
            }
        }
        variables.iter().map(|&v| adjoints.get(v)).collect()
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
            Node::Map(entry, arguments) => entry.derivative(self, &arguments, i),
        }
    }

    /// `f'(x)`; `value` is `f(x)`.
    fn function_derivative(&mut self, f: Function, x: Expr, value: Expr) -> Expr {
        let one = self.one();
        match f {
            Function::Sin => self.call(Function::Cos, x),
            Function::SmallSin => self.call(Function::SmallCos, x),
            Function::Cos => {
                let s = self.call(Function::Sin, x);
                self.neg(s)
            }
            Function::SmallCos => {
                let s = self.call(Function::SmallSin, x);
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
