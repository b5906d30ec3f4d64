//! Clones programs into fresh arenas, and expressions into others.

use super::{Program, Statement};
use crate::expr::Table;
use crate::expr::{Expr, Node, Pool};

impl Program {
    /// The program in a new pool that holds nothing else, so that the result of the passes depends on the program
    /// alone, and tables of its expressions are short.
    pub fn isolated(&self, from: &Pool) -> (Pool, Program) {
        let mut pool = Pool::new();
        let mut program = self.clone();
        let bound: Vec<Expr> = symbols_mut(&mut program).into_iter().map(|s| *s).collect();
        let image = pool.images(from, &[program.values(), bound].concat());
        for e in symbols_mut(&mut program) {
            *e = image[*e];
        }
        for e in program.values_mut() {
            *e = image[*e];
        }
        (pool, program)
    }
}

impl Pool {
    /// Expressions of another pool, with symbols of the same names.
    pub(crate) fn adopted(&mut self, from: &Pool, roots: &[Expr]) -> Vec<Expr> {
        let image = self.images(from, roots);
        roots.iter().map(|&root| image[root]).collect()
    }

    fn images(&mut self, from: &Pool, roots: &[Expr]) -> Table<Expr> {
        let mut image: Table<Expr> = Table::new();
        for e in from.reachable(roots) {
            let at = |c: &Expr| image[*c];
            let new = match from.node(e) {
                Node::Number(r) => self.number(r.clone()),
                Node::Pi => self.pi(),
                Node::Symbol(s) => self.symbol(from.name(*s)),
                Node::Sum(c) => self.sum(&c.iter().map(at).collect::<Vec<_>>()),
                Node::Product(c) => self.product(&c.iter().map(at).collect::<Vec<_>>()),
                Node::Power(b, x) => self.pow(at(b), at(x)),
                Node::Call(f, x) => self.call(*f, at(x)),
                Node::Atan2(y, x) => self.atan2(at(y), at(x)),
                Node::Select([c, a, b]) => self.select(at(c), at(a), at(b)),
                Node::Map(entry, c) => self.map(*entry, &c.iter().map(at).collect::<Vec<_>>()),
                Node::Saddle(saddle, c) => self.saddle(*saddle, &c.iter().map(at).collect::<Vec<_>>()),
            };
            image.insert(e, new);
        }
        image
    }
}

/// Every symbol that the program binds, where it binds it.
fn symbols_mut(program: &mut Program) -> Vec<&mut Expr> {
    let mut all: Vec<&mut Expr> = program.inputs.iter_mut().flat_map(|i| &mut i.symbols).collect();
    for statement in &mut program.body {
        match statement {
            Statement::Let { symbol, .. } => all.push(symbol),
            Statement::Turn(turn) => all.extend(&mut turn.sines),
            Statement::Newton(newton) => {
                all.extend(&mut newton.unknowns);
                all.extend(&mut newton.last_iterate);
                all.extend(newton.body.iter_mut().filter_map(|s| match s {
                    Statement::Let { symbol, .. } => Some(symbol),
                    _ => None,
                }));
            }
            Statement::Equation(_) | Statement::Pivot { .. } => {}
        }
    }
    all
}
