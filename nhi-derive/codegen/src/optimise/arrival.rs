//! Arrival times: the model of the critical path.
//!
//! Successive steps of a trajectory form one dependency chain, and the processor executes everything else in parallel.
//! The operands of a sum or product are joined in the order of their arrival times, so that only one operation follows
//! the last operand, and terms that arrive together are added in pairs: `(a + b) + (c + d)`. The number of operations
//! does not change.
//!
//! A number of the state arrives when the step before has computed it.

use super::liveness::used;
use crate::expr::{Expr, Pool};
use crate::program::{Constants, Foreseen, Program, Shape, Statement, Table, lets, signed};
use crate::target::TARGET;
use std::collections::BTreeMap;

/// Steps after which arrival times grow steadily, and over which their growth is averaged.
const STEPS: u32 = 8;

/// Length of the recurrence: cycles by which the critical path grows in each of many successive steps.
pub fn recurrence(pool: &mut Pool, constants: &mut Constants, program: &Program) -> u32 {
    let used = used(pool, program);
    let state: Vec<(Expr, Expr)> = program.state().filter(|(symbol, _)| used.contains(symbol)).collect();
    let mut arrival = Arrival::default();
    let [steady, last] = [(); 2].map(|()| {
        for _ in 0..STEPS {
            arrival.follow(pool, constants, program);
            let ends = state.iter().map(|&(symbol, value)| (symbol, arrival.get(pool, constants, value)));
            arrival = Arrival { of_symbol: ends.collect(), known: Table::new() };
        }
        arrival.of_symbol.values().copied().max().unwrap_or(0)
    });
    (last - steady) / STEPS
}

/// Arrival times of values, in cycles.
#[derive(Clone, Default, Debug)]
pub(crate) struct Arrival {
    of_symbol: BTreeMap<Expr, u32>,
    known: Table<u32>,
}

impl Arrival {
    /// The arrival times of the values in `program`.
    pub(crate) fn of(pool: &mut Pool, constants: &mut Constants, program: &Program) -> Arrival {
        let mut arrival = Arrival::default();
        arrival.follow(pool, constants, program);
        // Once more, with the arrival times of the state at the end of a step.
        let mut ends = BTreeMap::new();
        for (symbol, value) in program.state() {
            ends.insert(symbol, arrival.get(pool, constants, value));
        }
        let first = ends.values().copied().min().unwrap_or(0);
        let of_symbol = ends.into_iter().map(|(s, end)| (s, end - first)).collect();
        arrival = Arrival { of_symbol, known: Table::new() };
        arrival.follow(pool, constants, program);
        arrival
    }

    fn follow(&mut self, pool: &mut Pool, constants: &mut Constants, program: &Program) {
        for statement in &program.body {
            match statement {
                Statement::Equation(_) | Statement::Pivot { .. } => {}
                Statement::Let { symbol, value } => self.bind(pool, constants, *symbol, *value),
                Statement::Turn(turn) => {
                    let angle = self.get(pool, constants, turn.angle);
                    let ends = match turn.foreseen {
                        Foreseen::Known(_) => turn.known.map(|sine| self.get(pool, constants, sine)),
                        Foreseen::Near(_) => [angle + 4 * TARGET.flat_latency; 2],
                        Foreseen::Not => [angle + TARGET.call_latency; 2],
                    };
                    self.of_symbol.extend(turn.sines.into_iter().zip(ends));
                }
                Statement::Newton(newton) => {
                    let mut start = 0;
                    for &value in &newton.before() {
                        start = start.max(self.get(pool, constants, value));
                    }
                    self.of_symbol.extend(newton.unknowns.iter().map(|&s| (s, start)));
                    for (symbol, value) in lets(&newton.body) {
                        self.bind(pool, constants, symbol, value);
                    }
                    let mut end = start;
                    for &value in &newton.delta {
                        end = end.max(self.get(pool, constants, value));
                    }
                    let end = start + TARGET.iterations * (end - start);
                    self.of_symbol.extend(newton.unknowns.iter().map(|&s| (s, end)));
                    // After the loop the unknowns have other arrival times, and so have expressions of them.
                    self.known = Table::new();
                }
            }
        }
    }

    fn bind(&mut self, pool: &mut Pool, constants: &mut Constants, symbol: Expr, value: Expr) {
        let cycles = self.get(pool, constants, value);
        self.of_symbol.insert(symbol, cycles);
    }

    /// Arrival time of `e`, whose symbols are bound. The passes keep expressions shallow, so that recursion is bounded.
    pub(crate) fn get(&mut self, pool: &mut Pool, constants: &mut Constants, e: Expr) -> u32 {
        let (_, e) = signed(pool, constants, e);
        if let Some(&symbol) = self.of_symbol.get(&e) {
            return symbol;
        }
        if let Some(&known) = self.known.get(e) {
            return known;
        }
        let shape = Shape::of(pool, constants, e);
        let mut all = |arrival: &mut Self, operands: &[Expr]| -> Vec<u32> {
            operands.iter().map(|&x| arrival.get(pool, constants, x)).collect()
        };
        let cycles = match &*shape {
            Shape::Constant(_) | Shape::Symbol => 0,
            Shape::Sum(terms) => {
                let terms: Vec<Expr> = terms.iter().map(|t| t.1).collect();
                together(all(self, &terms))
            }
            Shape::Quotient { constant, over, under } => {
                let mut over = all(self, over);
                over.extend(constant.map(|_| 0));
                together(over).max(together(all(self, under)))
            }
            _ => all(self, &shape.operands()).into_iter().max().unwrap_or(0),
        };
        let own = match &*shape {
            Shape::Quotient { under, .. } if !under.is_empty() => TARGET.division_latency,
            Shape::Sqrt(_) => TARGET.division_latency,
            Shape::Powi(..) | Shape::Powf(..) | Shape::Call(..) | Shape::Atan2(..) | Shape::Map(..) => {
                TARGET.call_latency
            }
            _ => 0,
        };
        self.known.insert(e, cycles + own);
        cycles + own
    }
}

/// Arrival time of the sum or product of operands with these arrival times.
fn together(mut times: Vec<u32>) -> u32 {
    while times.len() > 1 {
        times.sort_unstable_by(|a, b| b.cmp(a));
        let (a, b) = (times.pop().unwrap_or(0), times.pop().unwrap_or(0));
        times.push(after(a, b));
    }
    times.pop().unwrap_or(0)
}

/// Arrival time of the sum or product of two operands.
pub(crate) fn after(a: u32, b: u32) -> u32 {
    a.max(b) + TARGET.flat_latency
}
