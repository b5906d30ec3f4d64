//! Passes: from a program as the scheme is written to one as an expert would write it.
//!
//! Every pass leaves the values as they are, up to rounding. `ORDERS` lists them in the orders in
//! which they run; of a step a round of them is repeated while it saves operations.

mod angles;
mod binding;
mod carry;
mod coefficients;
mod content;
mod draft;
mod ends;
mod factor;
mod flat;
mod frames;
mod guesses;
mod increments;
mod late;
mod latency;
mod middle;
mod midpoints;
mod names;
mod near;
mod numbering;
mod positive;
mod reciprocals;
mod schedule;
mod shallow;
mod share;
mod signs;
mod sines;
mod split;
mod temporaries;
mod turns;

pub use carry::{carry, optimise_step};
pub use draft::Context;
pub use increments::in_a_loop;
pub use latency::recurrence;
pub(crate) use latency::{Latency, after};
pub use names::identifier;
pub use split::{Prepared, split};

use crate::expr::Pool;
use crate::program::{Constants, Program};
use draft::Draft;
use std::sync::Arc;

/// One pass: its name and what it does.
struct Pass {
    name: &'static str,
    run: fn(&mut Context<'_>, &mut Draft),
}

impl Pass {
    /// What becomes of `draft`.
    fn of(&self, cx: &mut Context<'_>, draft: &Draft) -> Draft {
        let mut draft = draft.clone();
        (self.run)(cx, &mut draft);
        draft
    }
}

const ANGLES: Pass = Pass { name: "angles", run: angles::angles };
const TURNS: Pass = Pass { name: "turns", run: turns::turns };
const FRAMES: Pass = Pass { name: "frames", run: frames::frames };
const NUMBERING: Pass = Pass { name: "numbering", run: numbering::numbering };
const CONTENT: Pass = Pass { name: "content", run: content::content };
const COEFFICIENTS: Pass = Pass { name: "coefficients", run: coefficients::coefficients };
const BINDING: Pass = Pass { name: "binding", run: binding::binding };
const POSITIVE: Pass = Pass { name: "positive", run: positive::positive };
const FACTOR: Pass = Pass { name: "factor", run: factor::factor };
const PRODUCTS: Pass = Pass { name: "products", run: share::share_products };
const SUMS: Pass = Pass { name: "sums", run: share::share_sums };
const TEMPORARIES: Pass = Pass { name: "temporaries", run: temporaries::temporaries };
const SIGNS: Pass = Pass { name: "signs", run: signs::signs };
const NAMES: Pass = Pass { name: "names", run: names::names };

/// Orders of the passes that save operations. Factors and divisors taken out of a sum hide products that
/// are shared, and the other way round: which order is better depends on the program, and is kept.
const ORDERS: [&[Pass]; 2] = [
    &[
        POSITIVE,
        NUMBERING,
        ANGLES,
        TURNS,
        FRAMES,
        COEFFICIENTS,
        BINDING,
        NUMBERING,
        FACTOR,
        BINDING,
        PRODUCTS,
        SUMS,
        NUMBERING,
    ],
    &[
        POSITIVE,
        NUMBERING,
        ANGLES,
        TURNS,
        FRAMES,
        CONTENT,
        COEFFICIENTS,
        BINDING,
        NUMBERING,
        PRODUCTS,
        FACTOR,
        BINDING,
        PRODUCTS,
        SUMS,
        NUMBERING,
    ],
];

/// From this weight on, before the passes, the last order alone is tried, as an order takes a fifth of the derive's
/// time. For all such programs of the models it is the better one.
const VERY_LONG: usize = 4000;

/// What always comes last.
const LAST: &[Pass] = &[TEMPORARIES, NUMBERING, SIGNS, NAMES];

/// Rounds at most of a step; the first one does nearly everything.
const MAX_ROUNDS: usize = 3;

/// From this [weight](crate::program::Operations::weight) on a step gets a single further round, of the passes
/// that regroup alone: more saves at most 0.4 % of any model's operations, and takes a fifth of the derive's time.
const LONG: usize = 800;

/// The first pass that regroups.
fn regroups(pass: &Pass) -> bool {
    [FACTOR.name, PRODUCTS.name].contains(&pass.name)
}

/// `program` with fewer operations, after one round in one order: for what runs once per simulation.
pub fn optimise(pool: &mut Pool, constants: &mut Constants, program: &Program) -> Program {
    let cx = &mut Context::new(pool, constants);
    Search::new(cx, program).finish(cx)
}

/// `program` with fewer operations, after as many rounds as a step, telling `observe` the name of every pass
/// that was kept and its result.
pub fn trace(
    pool: &mut Pool,
    constants: &mut Constants,
    program: &Program,
    mut observe: impl FnMut(&mut Pool, &str, &Program),
) -> Program {
    let cx = &mut Context::new(pool, constants);
    let mut search = Search::new(cx, program);
    search.other_orders(cx);
    search.other_rounds(cx);
    let mut draft = search.best.clone();
    for pass in LAST {
        draft = Arc::new(pass.of(cx, &draft));
        search.kept.push((pass.name, draft.clone()));
    }
    for (name, step) in search.kept {
        let program = Draft::clone(&step).finish(cx.pool);
        observe(cx.pool, name, &program);
    }
    Draft::clone(&draft).finish(cx.pool)
}

/// What to compare programs of the same function by: [`Operations::weight`](crate::program::Operations::weight)
/// when the passes have run once.
pub(crate) fn estimate(pool: &mut Pool, constants: &mut Constants, program: &Program) -> (usize, usize) {
    Search::new(&mut Context::new(pool, constants), program).cost
}

/// The search for the order of passes that leaves fewest operations.
struct Search {
    start: Arc<Draft>,
    best: Arc<Draft>,
    cost: (usize, usize),
    /// Orders to try.
    orders: &'static [&'static [Pass]],
    /// The order that was kept.
    order: Option<&'static [Pass]>,
    /// The passes of all rounds that were kept, with their results.
    kept: Vec<Passed>,
    /// Before and after every pass of the first round.
    seen: Vec<(Arc<Draft>, Passed)>,
}

/// The name of a pass, and its result.
type Passed = (&'static str, Arc<Draft>);

impl Search {
    /// After a round in the first one of its orders, which tells programs of the same function from each other.
    fn new(cx: &mut Context<'_>, program: &Program) -> Search {
        let start = Arc::new(Draft::new(cx, program));
        let cost = start.operations(cx).weight();
        let best = start.clone();
        let orders = if cost.0 < VERY_LONG { &ORDERS[..] } else { &ORDERS[1..] };
        let mut search =
            Search { start, best, cost, orders, order: None, kept: Vec::new(), seen: Vec::new() };
        search.try_order(cx, orders[0]);
        search
    }

    /// The first round in every other order.
    fn other_orders(&mut self, cx: &mut Context<'_>) {
        self.orders[1..].iter().for_each(|order| self.try_order(cx, order));
    }

    fn try_order(&mut self, cx: &mut Context<'_>, order: &'static [Pass]) {
        let mut steps = Vec::new();
        let mut draft = self.start.clone();
        for pass in order {
            // A pass makes the same of the same program, and the orders begin alike.
            let known = self.seen.iter().find(|(before, (name, _))| *name == pass.name && *before == draft);
            let after = match known {
                Some((_, (_, after))) => after.clone(),
                None => Arc::new(pass.of(cx, &draft)),
            };
            self.seen.push((draft, (pass.name, after.clone())));
            steps.push((pass.name, after.clone()));
            draft = after;
        }
        if self.keep_if_better(cx, order, draft) {
            self.kept = steps;
        }
    }

    /// Further rounds while they save anything.
    fn other_rounds(&mut self, cx: &mut Context<'_>) {
        let Some(order) = self.order else { return };
        let (rounds, first) = match order.iter().position(regroups) {
            Some(first) if self.cost.0 >= LONG => (2, first),
            _ => (MAX_ROUNDS, 0),
        };
        for _ in 1..rounds {
            let mut steps = Vec::new();
            let mut draft = self.best.clone();
            for pass in &order[first..] {
                draft = Arc::new(pass.of(cx, &draft));
                steps.push((pass.name, draft.clone()));
            }
            if !self.keep_if_better(cx, order, draft) {
                break;
            }
            self.kept.extend(steps);
        }
    }

    /// Keeps what a round came to if it saves anything. A shared value counts once even before it has a name:
    /// the first round need save nothing.
    fn keep_if_better(&mut self, cx: &mut Context<'_>, order: &'static [Pass], draft: Arc<Draft>) -> bool {
        let cost = draft.operations(cx).weight();
        let better = cost < self.cost || (self.order.is_none() && cost == self.cost);
        if better {
            (self.best, self.cost, self.order) = (draft, cost, Some(order));
        }
        better
    }

    /// The program of fewest operations, with its names.
    fn finish(self, cx: &mut Context<'_>) -> Program {
        let mut draft = Draft::clone(&self.best);
        for pass in LAST {
            (pass.run)(cx, &mut draft);
        }
        let optimised = draft.finish(cx.pool);
        #[cfg(debug_assertions)]
        optimised.validate(cx.pool);
        optimised
    }
}
