//! Costs by which steps are compared.

use crate::expr::{Expr, Pool};
use crate::program::liveness::{drop_unused, read_again};
use crate::program::{Constants, Operations, Program, recurrence};
use std::collections::BTreeSet;

/// [Weight](crate::program::Operations::weight) of the operations in a loop over steps. Results that no step reads,
/// such as a velocity whose increment is carried, do not count.
pub fn weight_in_loop(pool: &mut Pool, constants: &mut Constants, step: &Program) -> usize {
    let mut step = step.clone();
    let read: BTreeSet<Expr> = read_again(pool, &step).into_iter().collect();
    step.outputs.iter_mut().for_each(|output| output.values.retain(|value| read.contains(value)));
    drop_unused(pool, &mut step);
    Operations::of(pool, constants, &step).weight().0
}

/// The cost of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cost {
    /// Length of the recurrence: cycles that each step of a loop adds to the critical path.
    pub recurrence: usize,
    /// Operations of a step in a loop, where results that no step reads are dead.
    pub in_loop: usize,
    /// Operations of a single step.
    pub single: usize,
}

impl Cost {
    /// The cost of `step`.
    pub fn of(pool: &mut Pool, constants: &mut Constants, step: &Program) -> Cost {
        Cost {
            recurrence: recurrence(pool, constants, step) as usize,
            in_loop: weight_in_loop(pool, constants, step),
            single: Operations::of(pool, constants, step).weight().0,
        }
    }

    /// Largest number of operations in a loop that is allowed for a shorter recurrence: an eighth more than now, and at
    /// most those of a single step.
    pub(super) fn most_in_loop(self) -> usize {
        (self.in_loop * 9 / 8).min(self.single)
    }

    /// Estimated cycles of a step in a loop: those of the recurrence, and one for each operation.
    pub(super) fn cycles(self) -> usize {
        self.recurrence + self.in_loop
    }

    /// Whether a loop saves a twelfth of its cycles with at most [`Cost::most_in_loop`] operations.
    pub(super) fn is_worth(self, before: Cost) -> bool {
        self.in_loop <= before.most_in_loop() && 12 * self.cycles() <= 11 * before.cycles()
    }

    /// Whether a loop saves an eighth of its cycles, and a single step has at most a third more operations.
    pub(super) fn is_worth_another_state(self, before: Cost) -> bool {
        3 * self.single <= 4 * before.single
            && self.in_loop <= before.most_in_loop()
            && 8 * self.cycles() <= 7 * before.cycles()
    }
}
