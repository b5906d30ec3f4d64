//! Search for the best order of local passes.

use super::draft::{Context, Draft};
use super::{FACTOR, LAST, LocalPass, ORDERS, SHARE_PRODUCTS};
use crate::program::Program;
use crate::target::TARGET;
use std::sync::Arc;

/// Largest number of rounds; the first one saves nearly all operations.
const MAX_ROUNDS: usize = 3;

/// Whether the pass regroups operands.
fn regroups(pass: &LocalPass) -> bool {
    [FACTOR.name, SHARE_PRODUCTS.name].contains(&pass.name)
}

/// Search for the order of local passes with the fewest operations.
#[derive(Clone)]
pub(super) struct Search {
    start: Arc<Draft>,
    pub(super) best: Arc<Draft>,
    pub(super) cost: (usize, usize),
    /// Orders to try.
    orders: &'static [&'static [LocalPass]],
    /// The order that was kept.
    order: Option<&'static [LocalPass]>,
    /// The passes of all rounds that were kept, with their results.
    pub(super) kept: Vec<Passed>,
    /// Before and after every pass of the first round.
    seen: Vec<(Arc<Draft>, Passed)>,
}

/// The name of a pass, and its result.
pub(super) type Passed = (&'static str, Arc<Draft>);

impl Search {
    /// The search after one round in the first order, which suffices to compare programs of the same function.
    pub(super) fn new(cx: &mut Context<'_>, program: &Program) -> Search {
        let start = Arc::new(Draft::new(cx, program));
        let cost = start.operations(cx).weight();
        let best = start.clone();
        let orders = if cost.0 < TARGET.very_long { &ORDERS[..] } else { &ORDERS[1..] };
        let mut search =
            Search { start, best, cost, orders, order: None, kept: Vec::new(), seen: Vec::new() };
        search.try_order(cx, orders[0]);
        search
    }

    /// Runs the first round in every other order.
    pub(super) fn other_orders(&mut self, cx: &mut Context<'_>) {
        self.orders[1..].iter().for_each(|order| self.try_order(cx, order));
    }

    /// Operations before the passes.
    pub(super) fn start_weight(&self, cx: &mut Context<'_>) -> usize {
        self.start.operations(cx).weight().0
    }

    fn try_order(&mut self, cx: &mut Context<'_>, order: &'static [LocalPass]) {
        let mut steps = Vec::new();
        let mut draft = self.start.clone();
        for pass in order {
            // Passes are deterministic, and the orders have the same beginning.
            let known = self.seen.iter().find(|(before, (name, _))| *name == pass.name && *before == draft);
            let after = match known {
                Some((_, (_, after))) => after.clone(),
                None => Arc::new(pass.applied(cx, &draft)),
            };
            self.seen.push((draft, (pass.name, after.clone())));
            steps.push((pass.name, after.clone()));
            draft = after;
        }
        if self.keep_if_better(cx, order, draft) {
            self.kept = steps;
        }
    }

    /// Runs further rounds while they save operations.
    pub(super) fn other_rounds(&mut self, cx: &mut Context<'_>) {
        let Some(order) = self.order else { return };
        let (rounds, first) = match order.iter().position(regroups) {
            Some(first) if self.cost.0 >= TARGET.long => (2, first),
            _ => (MAX_ROUNDS, 0),
        };
        for _ in 1..rounds {
            let mut steps = Vec::new();
            let mut draft = self.best.clone();
            for pass in &order[first..] {
                draft = Arc::new(pass.applied(cx, &draft));
                steps.push((pass.name, draft.clone()));
            }
            if !self.keep_if_better(cx, order, draft) {
                break;
            }
            self.kept.extend(steps);
        }
    }

    /// Keeps the result of a round if it saves operations. The first round may save none: a shared value counts once
    /// even before it has a name.
    fn keep_if_better(
        &mut self,
        cx: &mut Context<'_>,
        order: &'static [LocalPass],
        draft: Arc<Draft>,
    ) -> bool {
        let cost = draft.operations(cx).weight();
        let better = cost < self.cost || (self.order.is_none() && cost == self.cost);
        if better {
            (self.best, self.cost, self.order) = (draft, cost, Some(order));
        }
        better
    }

    /// The program with the fewest operations, with readable names.
    pub(super) fn finish(self, cx: &mut Context<'_>) -> Program {
        let mut draft = Draft::clone(&self.best);
        for pass in LAST {
            draft = pass.applied(cx, &draft);
        }
        let optimised = draft.finish(cx.pool);
        #[cfg(debug_assertions)]
        optimised.validate(cx.pool);
        optimised
    }
}
