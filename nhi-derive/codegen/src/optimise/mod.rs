//! The optimiser.
//!
//! Every pass preserves values up to rounding. Local passes rewrite one function (`ORDERS`, `LAST`). Passes over steps
//! change the carried state or the order of operations (`OPENING`, `STAGES`, `FINISHING`, `CLOSING` in `step/mod.rs`). The
//! driver (`step/driver.rs`) runs them and keeps the result of a stage if it improves the measure that its row states.

mod cost;
mod draft;
mod flat;
mod local;
mod names;
mod place;
mod search;
mod step;

pub use crate::expr::identifier;
pub use crate::program::{Prepared, recurrence, split};
pub use cost::{Cost, weight_in_loop};
pub use step::{Decision, Outcome, optimise_step, state_cache};

use crate::expr::Pool;
use crate::program::{Constants, Program};
use draft::{Context, Draft};
use search::{Search, run};

/// A pass over one function.
struct LocalPass {
    /// Its name.
    name: &'static str,
    /// What it does, in one line.
    does: &'static str,
    run: fn(&mut Context<'_>, &mut Draft),
}

impl LocalPass {
    /// The result of the pass on `draft`.
    fn applied(&self, cx: &mut Context<'_>, draft: &Draft) -> Draft {
        let mut draft = draft.clone();
        if cx.options.has(self.name) {
            (self.run)(cx, &mut draft);
        }
        draft
    }
}

/// Options of the optimiser.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Options {
    /// A pass that is left out, to measure its gain.
    pub without: Option<&'static str>,
    /// Whether the decisions list the local passes as well.
    pub explains: bool,
}

impl Options {
    /// Whether the pass of this name runs.
    fn has(self, pass: &str) -> bool {
        self.without != Some(pass)
    }
}

macro_rules! local_passes {
    ($($constant:ident $name:ident: $does:literal;)*) => {
        $(const $constant: LocalPass =
            LocalPass { name: stringify!($name), does: $does, run: local::$name };)*

        /// Every local pass.
        const LOCAL: &[LocalPass] = &[$($constant),*];
    };
}

local_passes! {
    SIGN_ANALYSIS sign_analysis: "removes checks of pivots that are sums of positive terms";
    VALUE_NUMBERING value_numbering: "computes equal expressions once";
    ANGLE_ADDITION angle_addition: "computes sines of sums of angles from those of the angles";
    SMALL_ROTATION small_rotation: "rotates sines and cosines by the small increment of an angle";
    BODY_FRAME body_frame: "rewrites forms in the frame that rotates with an angle";
    PRIMITIVE_PART primitive_part: "divides sums by the common factor of their coefficients";
    COEFFICIENTS coefficients: "moves numeric coefficients to where they cost nothing";
    HOIST hoist: "moves computations out of the step, or out of the loop";
    FACTOR factor: "takes common factors out of sums";
    SHARE_PRODUCTS share_products: "computes common parts of products once";
    SHARE_SUMS share_sums: "computes common parts of sums once";
    MATERIALISE materialise: "names values that are used several times";
    FOLD_NEGATIONS fold_negations: "moves changes of sign into additions";
}

/// Gives generated symbols readable names.
const NAMES: LocalPass =
    LocalPass { name: "names", does: "names values after their formulas", run: names::names };

/// Local passes that every round begins with.
const BEGINNING: &[LocalPass] = &[SIGN_ANALYSIS, VALUE_NUMBERING, ANGLE_ADDITION, SMALL_ROTATION, BODY_FRAME];

/// Orders of the local passes after those. Factorisation hides common products, and naming common products hides common
/// factors. The better order depends on the program; the search keeps it.
const ORDERS: [&[LocalPass]; 2] = [
    &[COEFFICIENTS, HOIST, VALUE_NUMBERING, FACTOR, HOIST, SHARE_PRODUCTS, SHARE_SUMS, VALUE_NUMBERING],
    &[
        PRIMITIVE_PART,
        COEFFICIENTS,
        HOIST,
        VALUE_NUMBERING,
        SHARE_PRODUCTS,
        FACTOR,
        HOIST,
        SHARE_PRODUCTS,
        SHARE_SUMS,
        VALUE_NUMBERING,
    ],
];

/// Local passes that run once, after the search. Values that cancel leave constants, which the next pass puts in their place.
const LAST: &[LocalPass] = &[MATERIALISE, VALUE_NUMBERING, VALUE_NUMBERING, FOLD_NEGATIONS, NAMES];

/// Name and description of every pass, in the order of the pipeline.
pub fn passes() -> Vec<(&'static str, &'static str)> {
    let of_steps = step::passes();
    LOCAL.iter().map(|pass| (pass.name, pass.does)).chain(of_steps).collect()
}

/// `program` with fewer operations, after one round in one order: for functions that run once per simulation.
pub fn optimise(pool: &mut Pool, constants: &mut Constants, program: &Program) -> Program {
    let cx = &mut Context::new(pool, constants, Options::default());
    Search::new(cx, program).finish(cx)
}

/// The same after as many rounds as for a step: for functions that run as often.
pub fn optimise_often(pool: &mut Pool, constants: &mut Constants, program: &Program) -> Program {
    let cx = &mut Context::new(pool, constants, Options::default());
    let mut search = Search::new(cx, program);
    search.other_rounds(cx);
    search.finish(cx)
}

/// `program` with fewer operations, after as many rounds as for a step. `observe` is called with the name of every pass
/// that was kept and its result.
pub fn trace(
    pool: &mut Pool,
    constants: &mut Constants,
    program: &Program,
    mut observe: impl FnMut(&mut Pool, &str, &Program),
) -> Program {
    let cx = &mut Context::new(pool, constants, Options::default());
    let mut search = Search::new(cx, program);
    search.other_rounds(cx);
    search.kept.extend(run(cx, LAST, &search.best));
    let mut program = program.clone();
    for (name, step) in search.kept {
        program = step.finish(cx.pool);
        observe(cx.pool, name, &program);
    }
    program
}

/// A measure to compare programs of the same function by: [`Operations::weight`](crate::program::Operations::weight)
/// after one round of the passes.
pub(crate) fn estimate(pool: &mut Pool, constants: &mut Constants, program: &Program) -> (usize, usize) {
    Search::new(&mut Context::new(pool, constants, Options::default()), program).cost
}
