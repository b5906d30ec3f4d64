//! Code placement: the statement at which every value is computed.

use super::draft::{Context, Draft};
use crate::expr::Table;
use crate::expr::{Expr, Node, Pool};
use crate::program::liveness::live;
use crate::program::{Level, Levels, Statement, without_idle_headings};
use std::collections::BTreeMap;

/// Pivots above this fraction of their diagonal entry are regular in every precision.
const ALWAYS_REGULAR: f64 = 1e-3;

/// Heading of values that a loop needs and that do not change in it.
const CONSTANT: &str = "constants of the iteration";

/// Rebuilds the statements of the program, with `definitions` as further `Let`s, or as other values of
/// those that there are.
///
/// A `Let` stays in its place, or moves up to its first use. Values that do not depend on the unknowns of a loop are
/// computed before it; unused values are removed. Results of one call, such as the sine and cosine of an angle, are
/// bound by adjacent statements.
pub(super) fn place(
    cx: &mut Context<'_>,
    draft: &mut Draft,
    definitions: impl IntoIterator<Item = (Expr, Expr)>,
) {
    let mut values: Table<Expr> = draft.lets().into_iter().collect();
    values.extend(definitions);
    // Levels decide what is computed before a loop.
    let levels = draft.program.has_loop().then(|| draft.levels_with(cx, &values));
    let live = live(cx.pool, &values, draft.results());
    let mut scheduler = Scheduler {
        pairs: pairs(cx.pool, &values, &live),
        values,
        levels,
        live,
        found: Table::new(),
        searches: 0,
    };
    let mut body = Vec::new();
    let mut loops = 0;
    for statement in std::mem::take(&mut draft.program.body) {
        match statement {
            Statement::Equation(_) | Statement::Turn(_) => body.push(statement),
            Statement::Let { symbol, .. } => {
                if scheduler.is_open(symbol) {
                    scheduler.place(cx.pool, &[symbol], &mut body, None);
                }
            }
            Statement::Pivot { pivot, diagonal, .. } if is_regular(cx, pivot, diagonal) => {}
            Statement::Pivot { pivot, diagonal, what } => {
                scheduler.place(cx.pool, &[pivot, diagonal], &mut body, None);
                let again = Statement::Pivot { pivot, diagonal, what };
                if !body.contains(&again) {
                    body.push(again);
                }
            }
            Statement::Newton(mut newton) => {
                let of_constants = Statement::Equation(CONSTANT.into());
                // The heading of the loop.
                let heading = body.pop_if(|statement| matches!(statement, Statement::Equation(_)));
                let (mut constant, mut inside) = (Vec::new(), Vec::new());
                scheduler.place(cx.pool, &newton.before(), &mut constant, None);
                for statement in std::mem::take(&mut newton.body) {
                    match statement {
                        Statement::Let { symbol, .. } if scheduler.is_open(symbol) => {
                            let inner = Some((&mut inside, Level::inside(loops)));
                            scheduler.place(cx.pool, &[symbol], &mut constant, inner);
                        }
                        Statement::Let { .. } => {}
                        heading => inside.push(heading),
                    }
                }
                inside = without_idle_headings(inside);
                let inner = Some((&mut inside, Level::inside(loops)));
                scheduler.place(cx.pool, &newton.updates(), &mut constant, inner);
                newton.body = inside;
                let above = body.iter().rfind(|s| matches!(s, Statement::Equation(_)));
                if !constant.is_empty() && above.is_some_and(|above| *above != of_constants) {
                    body.push(of_constants.clone());
                }
                body.append(&mut constant);
                body.extend(heading.filter(|heading| *heading != of_constants));
                body.push(Statement::Newton(newton));
                loops += 1;
            }
        }
    }
    body = without_idle_headings(body);
    for output in &draft.program.outputs {
        scheduler.place(cx.pool, &output.values, &mut body, None);
    }
    draft.program.body = body;
}

/// Whether a pivot is positive, as far as that is known at compile time.
fn is_regular(cx: &mut Context<'_>, pivot: Expr, diagonal: Expr) -> bool {
    match [pivot, diagonal].map(|e| cx.constants.value(cx.pool, e)) {
        [Some(pivot), Some(diagonal)] => pivot > 0.0 && pivot > ALWAYS_REGULAR * diagonal,
        _ => false,
    }
}

/// Of a symbol that is placed, and of an expression all of whose symbols are.
const DONE: usize = usize::MAX;

struct Scheduler {
    values: Table<Expr>,
    /// None without a loop.
    levels: Option<Levels>,
    live: Table<()>,
    /// The results of one call, the sine and cosine of an angle.
    pairs: BTreeMap<(&'static str, Expr), Vec<Expr>>,
    /// For each expression the last of the `searches` that found it, or [`DONE`].
    found: Table<usize>,
    searches: usize,
}

impl Scheduler {
    /// Whether this symbol is needed and has no place yet.
    fn is_open(&self, symbol: Expr) -> bool {
        self.live.contains(symbol) && !self.is_done(symbol)
    }

    fn is_done(&self, e: Expr) -> bool {
        self.found.get(e) == Some(&DONE)
    }

    fn level(&mut self, pool: &Pool, symbol: Expr) -> Option<Level> {
        self.levels.as_mut().map(|levels| levels.level(pool, symbol))
    }

    /// Binds every symbol in `roots` that is not bound yet, after the symbols that its value needs. Values of the level
    /// of `inner` go there, others into `outer`.
    fn place(
        &mut self,
        pool: &Pool,
        roots: &[Expr],
        outer: &mut Vec<Statement>,
        mut inner: Option<(&mut Vec<Statement>, Level)>,
    ) {
        let (symbols, parts_of_roots) = self.open(pool, roots);
        // A symbol, and once what it needs is on the stack above it what its value is made of.
        let mut stack: Vec<(Expr, Option<Vec<Expr>>)> =
            symbols.into_iter().rev().map(|s| (s, None)).collect();
        while let Some((symbol, parts)) = stack.pop() {
            if self.is_done(symbol) {
                continue;
            }
            let value = self.values[symbol];
            let Some(parts) = parts else {
                let (needed, parts) = self.open(pool, &[value]);
                stack.push((symbol, Some(parts)));
                stack.extend(needed.into_iter().rev().map(|s| (s, None)));
                continue;
            };
            self.found.extend(parts.into_iter().map(|e| (e, DONE)));
            let level = self.level(pool, symbol);
            let target = match &mut inner {
                Some((body, at)) if Some(*at) == level => &mut **body,
                _ => &mut *outer,
            };
            let alone = [symbol];
            for &symbol in call(pool, value).map_or(&alone[..], |call| &self.pairs[&call]) {
                self.found.insert(symbol, DONE);
                target.push(Statement::Let { symbol, value: self.values[symbol] });
            }
        }
        self.found.extend(parts_of_roots.into_iter().map(|e| (e, DONE)));
    }

    /// The symbols in `roots` that are not placed yet, in order, and everything that they are found in.
    fn open(&mut self, pool: &Pool, roots: &[Expr]) -> (Vec<Expr>, Vec<Expr>) {
        self.searches += 1;
        let mut all = Vec::with_capacity(16);
        let mut visit = |all: &mut Vec<Expr>, e: Expr| {
            let last = self.found.entry(e);
            if *last != DONE && *last != self.searches {
                *last = self.searches;
                all.push(e);
            }
        };
        roots.iter().for_each(|&root| visit(&mut all, root));
        let mut visited = 0;
        while let Some(&e) = all.get(visited) {
            visited += 1;
            pool.for_each_child(e, |c| visit(&mut all, c));
        }
        let mut symbols: Vec<Expr> = all.iter().copied().filter(|&e| self.values.contains(e)).collect();
        symbols.sort_unstable();
        (symbols, all)
    }
}

/// The live symbols of every call with two results.
fn pairs(pool: &Pool, values: &Table<Expr>, live: &Table<()>) -> BTreeMap<(&'static str, Expr), Vec<Expr>> {
    let mut pairs: BTreeMap<_, Vec<Expr>> = BTreeMap::new();
    for symbol in live.keys() {
        if let Some(call) = call(pool, values[symbol]) {
            pairs.entry(call).or_default().push(symbol);
        }
    }
    pairs
}

/// The function with two results of which `e` is one, and its argument.
fn call(pool: &Pool, e: Expr) -> Option<(&'static str, Expr)> {
    let &Node::Call(f, x) = pool.node(e) else { return None };
    f.partner().map(|(.., both)| (both, x))
}
