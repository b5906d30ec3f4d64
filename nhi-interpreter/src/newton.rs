//! Newton's method of the runtime, for a number of unknowns that is known at run time.

use crate::Frame;
use nhi_codegen::lower::{self, Operand, Value};
use nhi_runtime::{Failure, emitted};
use std::cell::RefCell;

impl Frame {
    pub(crate) fn solve(&mut self, newton: &lower::Newton) -> Result<(), Failure> {
        if let Some((statements, derivatives)) = &newton.derivatives {
            return self.solve_with::<1, 3>(newton, |frame| {
                // Neither pivots nor loops are among them.
                let computed = frame.statements(statements);
                derivatives.map(|x| if computed.is_ok() { frame.get(x) } else { f64::NAN })
            });
        }
        match newton.unknowns.len() {
            // The safeguard of one unknown is another than that of several.
            1 => self.solve_with::<1, 0>(newton, |_| []),
            0 | 2..=4 => self.solve_with::<4, 0>(newton, |_| []),
            5..=12 => self.solve_with::<12, 0>(newton, |_| []),
            13..=32 => self.solve_with::<32, 0>(newton, |_| []),
            33..=128 => self.solve_with::<128, 0>(newton, |_| []),
            n => panic!("Newton's method for {n} unknowns: more than the interpreter is compiled for"),
        }
    }

    /// Solves for at most `N` unknowns. The others are zero and have no weight, so that they change no bit of a norm.
    /// `derivatives` are computed from the values of the last update, where the control asks for them.
    fn solve_with<const N: usize, const B: usize>(
        &mut self,
        newton: &lower::Newton,
        derivatives: impl Fn(&mut Frame) -> [f64; B],
    ) -> Result<(), Failure> {
        let numbers = |frame: &Frame, operands: &[Operand]| -> [f64; N] {
            std::array::from_fn(|i| operands.get(i).map_or(0.0, |&x| frame.get(x)))
        };
        let control = emitted::Newton::weighted(numbers(self, &newton.weights), self.get(newton.scale2));
        let control = if newton.is_sharp { control.sharp() } else { control };
        let control = if newton.jumps { control.jumping() } else { control };
        let guess = numbers(self, &newton.guess);
        let frame = RefCell::new(&mut *self);
        let (frame, derivatives) = (&frame, &derivatives);
        let update = |unknowns: [f64; N]| {
            let mut inside = frame.borrow_mut();
            newton.unknowns.iter().zip(unknowns).for_each(|(&value, x)| inside.set(value, x));
            inside.statements(&newton.body)?;
            Ok((numbers(&inside, &newton.delta), move || derivatives(&mut frame.borrow_mut()), []))
        };
        let solved = if newton.fallback.is_empty() {
            control.solve(guess, update)
        } else {
            let fallback = numbers(&frame.borrow(), &newton.fallback);
            control.solve_or(guess, fallback, update)
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
