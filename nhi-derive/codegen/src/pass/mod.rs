//! Passes: from a program as the scheme is written to one as an expert would write it.
//!
//! Every pass leaves the values as they are, up to rounding. `ORDERS` lists them in the orders in
//! which they run; a round of them is repeated while it saves operations.

mod angles;
mod binding;
mod carry;
mod coefficients;
mod content;
mod draft;
mod factor;
mod flat;
mod latency;
mod names;
mod numbering;
mod positive;
mod schedule;
mod share;
mod split;
mod temporaries;

pub(crate) use carry::CARRIED;
pub use carry::{Step, carry, optimise_step};
pub use draft::Context;
pub(crate) use latency::{Latency, after};
pub use names::identifier;
pub use split::{Prepared, split};

use crate::expr::Pool;
use crate::program::{Constants, Program};
use draft::Draft;

/// One pass: its name and what it does.
struct Pass {
    name: &'static str,
    run: fn(&mut Context<'_>, &mut Draft),
}

const ANGLES: Pass = Pass { name: "angles", run: angles::angles };
const NUMBERING: Pass = Pass { name: "numbering", run: numbering::numbering };
const CONTENT: Pass = Pass { name: "content", run: content::content };
const COEFFICIENTS: Pass = Pass { name: "coefficients", run: coefficients::coefficients };
const BINDING: Pass = Pass { name: "binding", run: binding::binding };
const POSITIVE: Pass = Pass { name: "positive", run: positive::positive };
const FACTOR: Pass = Pass { name: "factor", run: factor::factor };
const PRODUCTS: Pass = Pass { name: "products", run: share::share_products };
const SUMS: Pass = Pass { name: "sums", run: share::share_sums };
const TEMPORARIES: Pass = Pass { name: "temporaries", run: temporaries::temporaries };
const NAMES: Pass = Pass { name: "names", run: names::names };

/// Orders of the passes that save operations. Factors and divisors taken out of a sum hide products that
/// are shared, and the other way round: which order is better depends on the program, and is kept.
const ORDERS: [&[Pass]; 2] = [
    &[
        POSITIVE,
        NUMBERING,
        ANGLES,
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

/// What always comes last.
const LAST: &[Pass] = &[TEMPORARIES, NUMBERING, NAMES];

/// Rounds at most; the first one does nearly everything.
const MAX_ROUNDS: usize = 3;

/// `program` with fewer operations.
pub fn optimise(pool: &mut Pool, constants: &mut Constants, program: &Program) -> Program {
    run(pool, constants, program, None)
}

/// As [`optimise`], telling `observe` the name of every pass that was kept and its result.
pub fn trace(
    pool: &mut Pool,
    constants: &mut Constants,
    program: &Program,
    mut observe: impl FnMut(&mut Pool, &str, &Program),
) -> Program {
    run(pool, constants, program, Some(&mut observe))
}

/// What is told the name of a pass and its result.
type Observer<'a> = &'a mut dyn FnMut(&mut Pool, &str, &Program);

fn run(
    pool: &mut Pool,
    constants: &mut Constants,
    program: &Program,
    mut observe: Option<Observer<'_>>,
) -> Program {
    let cx = &mut Context::new(pool, constants);
    let mut best = Draft::new(cx, program);
    let mut cost = best.operations(cx).weight();
    // A shared value counts once even before it has a name: the first round need save nothing.
    let mut accept_equal = true;
    let mut orders: Vec<&[Pass]> = ORDERS.to_vec();
    for _ in 0..MAX_ROUNDS {
        let start = best.clone();
        let before = cost;
        let mut better = None;
        for &order in &orders {
            let mut draft = start.clone();
            let mut steps = Vec::new();
            for pass in order {
                (pass.run)(cx, &mut draft);
                if observe.is_some() {
                    steps.push((pass.name, draft.clone()));
                }
            }
            let after = draft.operations(cx).weight();
            if after < cost || (accept_equal && after == cost) {
                accept_equal = false;
                (best, cost) = (draft, after);
                better = Some((order, steps));
            }
        }
        let Some((order, steps)) = better else { break };
        if let Some(observe) = &mut observe {
            for (name, step) in steps {
                let program = step.finish(cx.pool);
                observe(cx.pool, name, &program);
            }
        }
        orders = vec![order];
        if cost == before {
            break;
        }
    }
    for pass in LAST {
        (pass.run)(cx, &mut best);
        if let Some(observe) = &mut observe {
            let program = best.clone().finish(cx.pool);
            observe(cx.pool, pass.name, &program);
        }
    }
    let optimised = best.finish(cx.pool);
    #[cfg(debug_assertions)]
    optimised.validate(cx.pool);
    optimised
}
