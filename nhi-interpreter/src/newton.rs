//! Newton's method of the runtime, for a number of unknowns that is known at run time.

use crate::Frame;
use nhi_codegen::lower::{self, Operand, Value};
use nhi_runtime::{Failure, emitted};
use std::cell::RefCell;

impl Frame {
    pub(crate) fn solve(&mut self, newton: &lower::Newton) -> Result<(), Failure> {
        macro_rules! by_length {
            ($($n:literal)*) => {
                match newton.unknowns.len() {
                    $($n => self.solve_for::<$n>(newton),)*
                    n => panic!("Newton's method for {n} unknowns: more than the interpreter is compiled for"),
                }
            };
        }
        by_length!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32)
    }

    fn solve_for<const N: usize>(&mut self, newton: &lower::Newton) -> Result<(), Failure> {
        let numbers = |frame: &Frame, operands: &[Operand]| -> [f64; N] {
            std::array::from_fn(|i| frame.get(operands[i]))
        };
        let control = emitted::Newton::weighted(numbers(self, &newton.weights), self.get(newton.scale2));
        let guess = numbers(self, &newton.guess);
        let fallback = (!newton.fallback.is_empty()).then(|| numbers(self, &newton.fallback));
        // An update leaves the values of its iterate; derivatives are computed from them where the control asks.
        let frame = RefCell::new(&mut *self);
        let update = |unknowns: [f64; N]| -> Result<[f64; N], Failure> {
            let mut frame = frame.borrow_mut();
            newton.unknowns.iter().zip(unknowns).for_each(|(&value, x)| frame.set(value, x));
            frame.statements(&newton.body)?;
            Ok(numbers(&frame, &newton.delta))
        };
        let solved = match &newton.derivatives {
            None => {
                let update = |unknowns| Ok((update(unknowns)?, || [], []));
                match fallback {
                    Some(fallback) => control.solve_or(guess, fallback, update),
                    None => control.solve(guess, update),
                }
            }
            Some((statements, derivatives)) => {
                let update = |unknowns| {
                    let delta = update(unknowns)?;
                    let derivatives = || -> [f64; 3] {
                        let mut frame = frame.borrow_mut();
                        // Neither pivots nor loops are among them.
                        let computed = frame.statements(statements);
                        derivatives.map(|x| if computed.is_ok() { frame.get(x) } else { f64::NAN })
                    };
                    Ok((delta, derivatives, []))
                };
                match fallback {
                    Some(fallback) => control.solve_or(guess, fallback, update),
                    None => control.solve(guess, update),
                }
            }
        };
        let (solution, []): ([f64; N], [f64; 0]) = solved?;
        newton.solution.iter().zip(solution).for_each(|(&value, x)| self.set(value, x));
        let kept: Vec<(Value, f64)> = (newton.last_iterate.iter())
            .map(|&(inside, after)| (after, self.get(Operand::Value(inside))))
            .collect();
        kept.into_iter().for_each(|(value, x)| self.set(value, x));
        Ok(())
    }
}
