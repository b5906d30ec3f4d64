//! Costs by which steps are compared.

use super::arrival::recurrence;
use super::draft::{Context, Draft};
use super::liveness::{drop_unused, read_again};
use super::place::place;
use crate::expr::{Expr, Pool};
use crate::program::{Constants, Operations, Program};
use std::collections::BTreeSet;

/// [Weight](crate::program::Operations::weight) of the operations that a loop over steps repeats: without results that
/// no step reads, such as a velocity beside its increment.
pub fn weight_in_loop(pool: &mut Pool, constants: &mut Constants, step: &Program) -> usize {
    let mut step = step.clone();
    keep_read(pool, &mut step);
    drop_unused(pool, &mut step);
    Operations::of(pool, constants, &step).weight().0
}

/// The same of a draft.
pub(super) fn draft_weight_in_loop(cx: &mut Context<'_>, draft: &Draft) -> usize {
    let mut draft = draft.clone();
    keep_read(cx.pool, &mut draft.program);
    // Placement removes what is not used.
    place(cx, &mut draft, &[]);
    draft.operations(cx).weight().0
}

fn keep_read(pool: &Pool, step: &mut Program) {
    let read: BTreeSet<Expr> = read_again(pool, step).into_iter().collect();
    for output in &mut step.outputs {
        output.values.retain(|value| read.contains(value));
    }
}

/// The cost of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cost {
    /// Length of the recurrence: cycles that each step of a loop waits for the one before.
    pub recurrence: usize,
    /// Operations that a loop over steps repeats.
    pub in_loop: usize,
    /// Operations of a single step.
    pub single: usize,
}

impl Cost {
    /// Of `step`.
    pub fn of(pool: &mut Pool, constants: &mut Constants, step: &Program) -> Cost {
        Cost {
            recurrence: recurrence(pool, constants, step) as usize,
            in_loop: weight_in_loop(pool, constants, step),
            single: Operations::of(pool, constants, step).weight().0,
        }
    }

    /// The largest number of operations in a loop that a shorter recurrence is worth: an eighth more, and no more than
    /// those of a single step.
    pub(super) fn most_in_loop(self) -> usize {
        (self.in_loop * 9 / 8).min(self.single)
    }

    /// Cycles of the recurrence, and one for each operation beside it.
    pub(super) fn cycles(self) -> usize {
        self.recurrence + self.in_loop
    }

    /// Whether a loop saves a twelfth of its cycles by not many more operations.
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
