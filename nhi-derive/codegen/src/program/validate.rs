//! What every program satisfies. A violation is a bug of this crate, not of a declaration.

use super::{Program, Statement, Turn};
use crate::expr::{Expr, Pool};
use std::collections::BTreeSet;

impl Program {
    /// Panics unless every symbol is bound once and before its use, Newton bodies hold nothing but
    /// equations and `Let`s, and arguments with one number have one entry.
    pub fn validate(&self, pool: &Pool) {
        let mut bound = BTreeSet::new();
        for input in &self.inputs {
            assert!(!input.scalar || input.symbols.len() == 1, "{}: input {}", self.name, input.role.name());
            for &s in &input.symbols {
                self.bind(pool, &mut bound, s);
            }
        }
        for statement in &self.body {
            match statement {
                Statement::Equation(_) => {}
                Statement::Let { symbol, value } => {
                    self.check(pool, &bound, &[*value]);
                    self.bind(pool, &mut bound, *symbol);
                }
                Statement::Pivot { pivot, diagonal, .. } => self.check(pool, &bound, &[*pivot, *diagonal]),
                Statement::Turn(Turn { sines, .. }) => {
                    self.check(pool, &bound, &statement.values());
                    sines.iter().for_each(|&s| self.bind(pool, &mut bound, s));
                }
                Statement::Newton(newton) => {
                    let n = newton.unknowns.len();
                    let lengths = [newton.guess.len(), newton.weights.len(), newton.delta.len()];
                    assert!(lengths == [n; 3], "{}: unknowns", self.name);
                    assert!([0, n].contains(&newton.fallback.len()), "{}: unknowns", self.name);
                    let of_one = (n, newton.derivatives.len()) == (1, 3);
                    assert!(of_one || newton.derivatives.is_empty(), "{}: derivatives", self.name);
                    let has_unknown = pool.reachable(&newton.derivatives).contains(&pool.undefined());
                    assert!(!has_unknown, "{}: derivatives that are not known", self.name);
                    self.check(pool, &bound, &newton.before());
                    for &u in &newton.unknowns {
                        self.bind(pool, &mut bound, u);
                    }
                    let mut inside = bound.clone();
                    for s in &newton.body {
                        match s {
                            Statement::Equation(_) => {}
                            Statement::Let { symbol, value } => {
                                self.check(pool, &inside, &[*value]);
                                self.bind(pool, &mut inside, *symbol);
                            }
                            other => panic!("{}: {other:?} in a Newton body", self.name),
                        }
                    }
                    self.check(pool, &inside, &newton.updates());
                    for &s in &newton.last_iterate {
                        assert!(inside.contains(&s), "{}: {} is not kept", self.name, pool.show(s));
                        self.bind(pool, &mut bound, s);
                    }
                }
            }
        }
        for output in &self.outputs {
            assert!(
                !output.scalar || output.values.len() == 1,
                "{}: output {}",
                self.name,
                output.role.name()
            );
            self.check(pool, &bound, &output.values);
        }
    }

    fn bind(&self, pool: &Pool, bound: &mut BTreeSet<Expr>, symbol: Expr) {
        assert!(pool.as_symbol(symbol).is_some(), "{}: {} is no symbol", self.name, pool.show(symbol));
        assert!(bound.insert(symbol), "{}: {} is bound twice", self.name, pool.show(symbol));
    }

    fn check(&self, pool: &Pool, bound: &BTreeSet<Expr>, values: &[Expr]) {
        for e in pool.reachable(values) {
            let unbound = pool.as_symbol(e).is_some() && !bound.contains(&e);
            assert!(!unbound, "{}: {} is used but not bound", self.name, pool.show(e));
        }
    }
}
