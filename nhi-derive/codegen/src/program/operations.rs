//! Operation counts of programs.

use super::{Constants, Prediction, Program, Shape, Statement, lets, signed};
use crate::expr::Table;
use crate::expr::group::Map;
use crate::expr::{Expr, Node, OperationCount, Pool};
use crate::target::TARGET;
use std::collections::BTreeSet;
use std::fmt;

/// The operations of a program, by how often they are executed.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Operations {
    /// Statements that depend on parameters and step size alone.
    pub prepared: OperationCount,
    /// Other statements outside of loops.
    pub once: OperationCount,
    /// One iteration of each Newton loop.
    pub iterations: Vec<OperationCount>,
    /// Additional operations of a Chebyshev correction, for all loops that have one.
    pub second_order: OperationCount,
}

impl Operations {
    /// Counts `program` as it is emitted: a value used twice in a scope is computed once.
    pub fn of(pool: &mut Pool, constants: &mut Constants, program: &Program) -> Operations {
        let mut early = program.early();
        let mut count = Operations::default();
        let mut prepared = Scope::default();
        let mut once = Scope::default();
        let mut second_order = Scope::default();
        let (rest, deferred) = program.deferred(pool);
        let (mut deferred, program) = (deferred.into_iter(), &*rest);
        let usual = usual(pool, program);
        for statement in &program.body {
            match statement {
                Statement::Equation(_) => {}
                Statement::Newton(newton) => {
                    once.add(pool, constants, &newton.before(), None);
                    let mut inside = Scope::default();
                    for (_, value) in lets(&newton.body).filter(|(symbol, _)| usual.contains(*symbol)) {
                        inside.add(pool, constants, &[value], Some(&once));
                    }
                    inside.add(pool, constants, &newton.delta, Some(&once));
                    let deferred = deferred.next().unwrap_or_default();
                    if !newton.derivatives.is_empty() {
                        for scope in [&once, &inside] {
                            second_order.seen.extend(scope.seen.keys().into_iter().map(|e| (e, ())));
                        }
                        for (symbol, value) in lets(&deferred) {
                            let scope = if is_early(pool, &early, &[value]) {
                                early.insert(symbol);
                                &mut prepared
                            } else {
                                &mut second_order
                            };
                            scope.add(pool, constants, &[value], None);
                        }
                        second_order.add(pool, constants, &newton.derivatives, None);
                    }
                    count.iterations.push(inside.count);
                }
                Statement::Let { symbol, .. } if !usual.contains(*symbol) => {}
                Statement::Let { symbol, value } => {
                    if is_early(pool, &early, &[*value]) {
                        early.insert(*symbol);
                        prepared.add(pool, constants, &[*value], None);
                    } else {
                        once.add(pool, constants, &[*value], None);
                    }
                }
                Statement::Turn(turn) => {
                    once.add(pool, constants, &statement.values(), None);
                    match turn.prediction {
                        Prediction::Exact(_) => {}
                        Prediction::Corrected(_) => once.call("corrected_sin_cos"),
                        Prediction::None => once.call("rotated_sin_cos"),
                    }
                }
                Statement::Pivot { pivot, diagonal, .. } => {
                    let values = [*pivot, *diagonal];
                    let scope = if is_early(pool, &early, &values) { &mut prepared } else { &mut once };
                    scope.add(pool, constants, &values, None);
                }
            }
        }
        for output in &program.outputs {
            once.add(pool, constants, &output.values, None);
        }
        for product in program.products() {
            once.count.muls += product.terms();
            once.count.adds += product.terms();
        }
        count.prepared = prepared.count;
        count.once = once.count;
        count.second_order = second_order.count;
        count
    }

    /// A measure to compare programs of the same function by: first the operations of every step, then those that are
    /// executed once per simulation.
    pub fn weight(&self) -> (usize, usize) {
        (self.of_every_step(OperationCount::weight), self.prepared.weight())
    }

    /// The operations of every step that are written out in it: a map of a group is one call.
    pub fn size(&self) -> usize {
        self.of_every_step(OperationCount::weight_with_maps_as_calls)
    }

    fn of_every_step(&self, weight: fn(&OperationCount) -> usize) -> usize {
        let loops: usize = self.iterations.iter().map(weight).sum();
        weight(&self.once) + TARGET.iterations as usize * loops + weight(&self.second_order)
    }
}

/// Everything that statements and results are computed from as a rule: not what only rare solutions of linear equations need.
pub(crate) fn usual(pool: &Pool, program: &Program) -> Table<()> {
    let values: Table<Expr> = program.lets().into_iter().collect();
    let others = program.body.iter().filter(|statement| !matches!(statement, Statement::Let { .. }));
    let of = |statement: &Statement| match statement {
        Statement::Newton(newton) => {
            [newton.before(), newton.updates(), newton.last_iterate.clone()].concat()
        }
        other => other.values(),
    };
    let mut stack: Vec<Expr> = others.flat_map(of).collect();
    stack.extend(program.outputs.iter().flat_map(|output| &output.values));
    let mut seen = Table::new();
    while let Some(e) = stack.pop() {
        if seen.insert(e, ()).is_some() {
            continue;
        }
        stack.extend(values.get(e));
        match pool.node(e) {
            Node::Saddle(saddle, arguments) => stack.extend(&arguments[saddle.usual()]),
            _ => pool.for_each_child(e, |c| stack.push(c)),
        }
    }
    seen
}

fn is_early(pool: &Pool, early: &BTreeSet<Expr>, values: &[Expr]) -> bool {
    !early.is_empty() && pool.are_made_of(values, early)
}

#[derive(Default)]
struct Scope {
    seen: Table<()>,
    maps: BTreeSet<(Map, Vec<Expr>)>,
    count: OperationCount,
}

impl Scope {
    fn add(&mut self, pool: &mut Pool, constants: &mut Constants, roots: &[Expr], outer: Option<&Scope>) {
        let mut stack: Vec<Expr> = roots.to_vec();
        while let Some(e) = stack.pop() {
            let (_, e) = signed(pool, constants, e);
            if outer.is_some_and(|o| o.seen.contains(e)) || self.seen.insert(e, ()).is_some() {
                continue;
            }
            let shape = Shape::of(pool, constants, e);
            shape.for_each_usual_operand(|x| stack.push(x));
            self.tally(pool, &shape);
        }
    }

    fn tally(&mut self, pool: &mut Pool, shape: &Shape) {
        match shape {
            Shape::Constant(_) | Shape::Symbol | Shape::Negation(_) => {}
            Shape::Sum(terms) => self.count.adds += terms.len() - 1,
            Shape::Quotient { constant, over, under } => {
                let over = over.len() + usize::from(constant.is_some());
                self.count.muls += over.saturating_sub(1) + under.len().saturating_sub(1);
                self.count.divs += usize::from(!under.is_empty());
            }
            Shape::Sqrt(_) => self.call("sqrt"),
            Shape::Powi(..) => self.call("powi"),
            Shape::Powf(..) => self.call("powf"),
            Shape::Atan2(..) => self.call("atan2"),
            Shape::Select(_) => self.call("select"),
            Shape::Map(entry, arguments) => {
                if self.maps.insert((entry.map, arguments.clone())) {
                    *self.count.maps.entry((entry.group, entry.map)).or_default() += 1;
                }
            }
            // Its formulas are counted; other equations are solved rarely.
            Shape::Saddle(..) => {}
            &Shape::Call(f, x) => match f.partner() {
                Some((g, _, both)) if self.seen.contains(pool.call(g, x)) => {
                    let single = self.count.calls.entry(g.name()).or_default();
                    *single -= 1;
                    if *single == 0 {
                        self.count.calls.remove(g.name());
                    }
                    self.call(both);
                }
                _ => self.call(f.name()),
            },
        }
    }

    fn call(&mut self, name: &'static str) {
        *self.count.calls.entry(name).or_default() += 1;
    }
}

impl fmt::Display for Operations {
    /// `2 add, 1 mul; per Newton iteration 3 add, 1 div; for one of second order 2 mul`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.once)?;
        match self.iterations.as_slice() {
            [] => {}
            [one] => write!(f, "; per Newton iteration {one}")?,
            several => several
                .iter()
                .enumerate()
                .try_for_each(|(i, count)| write!(f, "; per iteration of Newton loop {} {count}", i + 1))?,
        }
        if self.second_order == OperationCount::default() {
            return Ok(());
        }
        write!(f, "; for one of second order {}", self.second_order)
    }
}
