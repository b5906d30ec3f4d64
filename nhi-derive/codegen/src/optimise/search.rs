//! Search for the best order of local passes.

use super::draft::{Context, Draft};
use super::{BEGINNING, LAST, LocalPass, ORDERS};
use crate::program::Program;
use crate::target::TARGET;
use std::sync::Arc;

/// Largest number of rounds; the first one saves nearly all operations.
const MAX_ROUNDS: usize = 3;

/// Search for the order of local passes with the fewest operations.
#[derive(Clone)]
pub(super) struct Search {
    /// Operations before the passes.
    pub(super) start_weight: usize,
    /// The results of the passes that the first round begins with.
    begun: Vec<Passed>,
    pub(super) best: Arc<Draft>,
    pub(super) cost: (usize, usize),
    /// What is written out of them.
    size: usize,
    /// Orders to try.
    orders: &'static [&'static [LocalPass]],
    /// The order that was kept.
    order: Option<&'static [LocalPass]>,
    /// The passes of all rounds that were kept, with their results.
    pub(super) kept: Vec<Passed>,
}

/// The name of a pass, and its result.
pub(super) type Passed = (&'static str, Arc<Draft>);

/// The results of `passes`, one after the other.
pub(super) fn run(
    cx: &mut Context<'_>,
    passes: impl IntoIterator<Item = &'static LocalPass>,
    start: &Arc<Draft>,
) -> Vec<Passed> {
    let mut results: Vec<Passed> = Vec::new();
    for pass in passes {
        let after = pass.applied(cx, results.last().map_or(start, |(_, before)| before));
        results.push((pass.name, Arc::new(after)));
    }
    results
}

impl Search {
    /// The search after one round in the first order, which suffices to compare programs of the same function.
    pub(super) fn new(cx: &mut Context<'_>, program: &Program) -> Search {
        let best = Arc::new(Draft::new(cx, program));
        let operations = best.operations(cx);
        let (cost, size) = (operations.weight(), operations.size());
        let orders = if size < TARGET.very_long { &ORDERS[..] } else { &ORDERS[1..] };
        let begun = run(cx, BEGINNING, &best);
        let (start_weight, order, kept) = (cost.0, None, Vec::new());
        let mut search = Search { start_weight, begun, best, cost, size, orders, order, kept };
        search.try_order(cx, orders[0]);
        search
    }

    fn try_order(&mut self, cx: &mut Context<'_>, order: &'static [LocalPass]) {
        let mut steps = self.begun.clone();
        if let Some((_, draft)) = self.begun.last() {
            steps.extend(run(cx, order, draft));
        }
        if self.keep_if_better(cx, order, &steps) {
            self.kept = steps;
        }
    }

    /// Runs the first round in every other order, and further rounds while they save operations; in long programs one.
    pub(super) fn other_rounds(&mut self, cx: &mut Context<'_>) {
        self.orders[1..].iter().for_each(|order| self.try_order(cx, order));
        let Some(order) = self.order else { return };
        for _ in 1..if self.is_long() { 2 } else { MAX_ROUNDS } {
            let steps = run(cx, BEGINNING.iter().chain(order), &self.best);
            if !self.keep_if_better(cx, order, &steps) {
                break;
            }
            self.kept.extend(steps);
        }
    }

    /// Whether so much is written out that the passes run again only once.
    pub(super) fn is_long(&self) -> bool {
        self.size >= TARGET.long
    }

    /// Keeps the result of a round if it saves operations. The first round may save none: a shared value counts once
    /// even before it has a name.
    fn keep_if_better(
        &mut self,
        cx: &mut Context<'_>,
        order: &'static [LocalPass],
        steps: &[Passed],
    ) -> bool {
        let Some((_, draft)) = steps.last() else { return false };
        let operations = draft.operations(cx);
        let cost = operations.weight();
        let better = cost < self.cost || (self.order.is_none() && cost == self.cost);
        if better {
            (self.best, self.cost, self.order) = (draft.clone(), cost, Some(order));
            self.size = operations.size();
        }
        better
    }

    /// The program with the fewest operations, with readable names.
    pub(super) fn finish(self, cx: &mut Context<'_>) -> Program {
        let last = run(cx, LAST, &self.best);
        let optimised = last.last().map_or(&self.best, |(_, draft)| draft).finish(cx.pool);
        #[cfg(debug_assertions)]
        optimised.validate(cx.pool);
        optimised
    }
}
