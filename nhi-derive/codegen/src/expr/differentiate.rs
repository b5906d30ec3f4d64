//! Differentiation: forward for one variable, reverse for a scalar of many.

use super::{Expr, Function, Images, Node, Pool, table_size};

/// Most factors whose derivatives are written out as one sum of products, which has the square of their number. A longer
/// product is differentiated as the product of its parts.
const MAX_FACTORS: usize = 8;

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
            let children = self.children(e);
            if matches!(self.node(e), Node::Product(_)) && children.len() > MAX_FACTORS {
                let inner: Vec<Expr> = children.iter().map(|&c| derivatives.get(c)).collect();
                derivatives.set(e, self.product_rule(&children, &inner));
                continue;
            }
            if let Node::Select([condition, a, b]) = *self.node(e) {
                // Not as a sum over the branches: the other one may have no finite derivative.
                let inner = [a, b].map(|branch| derivatives.get(branch));
                derivatives.set(e, self.select(condition, inner[0], inner[1]));
                continue;
            }
            let mut terms = Vec::new();
            for (i, c) in children.into_iter().enumerate() {
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

    /// Derivative of the product of `factors`, whose derivatives are `inner`.
    fn product_rule(&mut self, factors: &[Expr], inner: &[Expr]) -> Expr {
        let n = factors.len();
        if n > MAX_FACTORS {
            // Whole blocks first: a product with one factor more has the same parts.
            let middle = n.next_power_of_two() / 2;
            let ((a, b), (da, db)) = (factors.split_at(middle), inner.split_at(middle));
            let [da, db] = [(a, da), (b, db)].map(|(part, inner)| self.product_rule(part, inner));
            let [a, b] = [a, b].map(|part| self.product(part));
            let (first, second) = (self.mul(da, b), self.mul(a, db));
            return self.add(first, second);
        }
        let terms = (0..n).filter(|&i| inner[i] != Expr::ZERO).map(|i| {
            let mut term = factors.to_vec();
            term[i] = inner[i];
            self.product(&term)
        });
        let terms: Vec<Expr> = terms.collect();
        self.sum(&terms)
    }

    /// Derivative of `e` with respect to one symbol.
    pub fn derivative(&mut self, e: Expr, with_respect_to: Expr) -> Expr {
        self.derivatives(&[e], with_respect_to)[0]
    }

    /// Gradient of `e` with respect to `variables` by reverse accumulation: one sweep over the
    /// expression graph whatever the number of variables. With a long product below `e` the derivatives are taken one by
    /// one: the sweep would multiply each factor's adjoint by all other factors. So they are with a choice between two branches,
    /// of which the sweep would add both.
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
        let mut is_taken_one_by_one = false;
        for x in self.reachable(&[e]) {
            let mut depends = is_variable[x.index()];
            let mut factors = 0;
            self.for_each_child(x, |c| factors += usize::from(positions[c.index()] != 0));
            depends |= factors > 0;
            is_taken_one_by_one |= match self.node(x) {
                Node::Product(_) => factors > MAX_FACTORS,
                Node::Select(_) => factors > 0,
                _ => false,
            };
            if depends {
                dependent.push(x);
                positions[x.index()] = dependent.len() as u32;
            }
        }
        if is_taken_one_by_one {
            return variables.iter().map(|&v| self.derivative(e, v)).collect();
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
            Node::Select([condition, ..]) => {
                let of = |branch: usize| if i == branch { Expr::ONE } else { Expr::ZERO };
                self.select(condition, of(1), of(2))
            }
            Node::Map(entry, arguments) => entry.derivative(self, &arguments, i),
            Node::Saddle(saddle, _) => self.int(i64::from(i == saddle.index)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// The product of `n` sums x + (i + 1) y.
    fn product(pool: &mut Pool, n: usize, x: Expr, y: Expr) -> Expr {
        let sums: Vec<Expr> = (0..n)
            .map(|i| {
                let slope = pool.int(i as i64 + 1);
                let term = pool.mul(slope, y);
                pool.add(x, term)
            })
            .collect();
        pool.product(&sums)
    }

    /// Second derivatives of a product have nearly as many operations as it has factors, not their third power.
    #[test]
    fn work_for_long_products_grows_with_their_length() {
        let operations = |n| {
            let mut pool = Pool::new();
            let (x, y) = (pool.symbol("x"), pool.symbol("y"));
            let e = product(&mut pool, n, x, y);
            let gradient = pool.gradient(e, &[x, y]);
            let second = [x, y].map(|v| pool.derivatives(&gradient, v)).concat();
            pool.cost(&second).weight() as f64
        };
        for n in [40, 80] {
            let power = (operations(2 * n) / operations(n)).log2();
            assert!(power < 1.6, "n^{power}");
        }
    }

    /// Both sweeps, against the sum over all factors of the product of the others.
    #[test]
    fn long_products() {
        let mut pool = Pool::new();
        let (x, y) = (pool.symbol("x"), pool.symbol("y"));
        for n in [8, 9, 16, 17, 40] {
            let e = product(&mut pool, n, x, y);
            let gradient = pool.gradient(e, &[x, y]);
            let derivatives = [x, y].map(|v| pool.derivative(e, v));
            let symbols = [x, y].map(|v| pool.as_symbol(v).expect("a symbol"));
            let values: HashMap<_, _> = symbols.into_iter().zip([0.75, 0.01]).collect();
            let factors: Vec<f64> = (0..n).map(|i| 0.75 + 0.01 * (i as f64 + 1.0)).collect();
            let without = |i: usize| -> f64 { (0..n).filter(|&j| j != i).map(|j| factors[j]).product() };
            let expected: [f64; 2] =
                [(0..n).map(without).sum(), (0..n).map(|i| (i as f64 + 1.0) * without(i)).sum()];
            for found in [gradient, derivatives.to_vec()] {
                let found = pool.evaluate(&found, &values);
                for (a, b) in found.iter().zip(expected) {
                    assert!((a / b - 1.0).abs() < 1e-12, "{n} factors: {a}, not {b}");
                }
            }
        }
    }
}
