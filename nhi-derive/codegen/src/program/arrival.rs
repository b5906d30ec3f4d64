//! Arrival times: the model of the critical path.
//!
//! Successive steps of a trajectory form one dependency chain, and the processor executes everything else in parallel.
//! The operands of a sum or product are joined in the order of their arrival times, so that only one operation follows
//! the last operand, and terms that arrive together are added in pairs: `(a + b) + (c + d)`. The number of operations
//! does not change.
//!
//! A number of the state arrives when the step before has computed it.

use super::liveness::used;
use super::{Constants, Prediction, Program, Shape, Statement, lets, signed};
use crate::expr::Table;
use crate::expr::{Expr, Pool};
use crate::target::TARGET;

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
            let ends: Vec<(Expr, u32)> = ends.collect();
            arrival.restart(ends);
        }
        state.iter().map(|&(symbol, _)| arrival.of_symbol[symbol]).max().unwrap_or(0)
    });
    (last - steady) / STEPS
}

/// Arrival times of values, in cycles.
#[derive(Clone, Default, Debug)]
pub(crate) struct Arrival {
    of_symbol: Table<u32>,
    known: Table<u32>,
}

impl Arrival {
    /// The arrival times of the values in `program`.
    pub(crate) fn of(pool: &mut Pool, constants: &mut Constants, program: &Program) -> Arrival {
        let mut arrival = Arrival::default();
        arrival.follow(pool, constants, program);
        // Once more, with the arrival times of the state at the end of a step.
        let ends = program.state().map(|(symbol, value)| (symbol, arrival.get(pool, constants, value)));
        let ends: Vec<(Expr, u32)> = ends.collect();
        let first = ends.iter().map(|end| end.1).min().unwrap_or(0);
        arrival.restart(ends.into_iter().map(|(s, end)| (s, end - first)));
        arrival.follow(pool, constants, program);
        arrival
    }

    /// Forgets everything but these arrival times of the state.
    fn restart(&mut self, state: impl IntoIterator<Item = (Expr, u32)>) {
        self.of_symbol.clear();
        self.known.clear();
        self.of_symbol.extend(state);
    }

    fn follow(&mut self, pool: &mut Pool, constants: &mut Constants, program: &Program) {
        for statement in &program.body {
            match statement {
                Statement::Equation(_) | Statement::Pivot { .. } => {}
                Statement::Let { symbol, value } => self.bind(pool, constants, *symbol, *value),
                Statement::Turn(turn) => {
                    let angle = self.get(pool, constants, turn.angle);
                    let ends = match turn.prediction {
                        Prediction::Exact(_) => turn.known.map(|sine| self.get(pool, constants, sine)),
                        Prediction::Corrected(_) => [angle + 4 * TARGET.flat_latency; 2],
                        Prediction::None => [angle + TARGET.call_latency; 2],
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
                    self.known.clear();
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
        if let Some(&symbol) = self.of_symbol.get(e) {
            return symbol;
        }
        if let Some(&known) = self.known.get(e) {
            return known;
        }
        let shape = Shape::of(pool, constants, e);
        let mut of = |&x: &Expr| self.get(pool, constants, x);
        let cycles = match &*shape {
            Shape::Sum(terms) => together(terms.iter().map(|(_, t)| of(t)).collect()),
            Shape::Quotient { constant, over, under } => {
                let over = together(over.iter().map(&mut of).chain(constant.map(|_| 0)).collect());
                over.max(together(under.iter().map(of).collect()))
            }
            _ => {
                let mut last = 0;
                shape.for_each_usual_operand(|x| last = last.max(of(&x)));
                last
            }
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
    times.sort_unstable_by(|a, b| b.cmp(a));
    while let [.., b, a] = times[..] {
        times.truncate(times.len() - 2);
        let sum = after(a, b);
        times.insert(times.partition_point(|&other| other > sum), sum);
    }
    times.first().copied().unwrap_or(0)
}

/// Arrival time of the sum or product of two operands.
pub(crate) fn after(a: u32, b: u32) -> u32 {
    a.max(b) + TARGET.flat_latency
}
