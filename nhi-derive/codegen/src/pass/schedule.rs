//! Where every value is computed.

use super::draft::{Context, Draft, Level, Levels};
use crate::expr::{Expr, Function, Node, Pool};
use crate::group::Map;
use crate::program::{Statement, Table};
use std::collections::{BTreeMap, BTreeSet};

/// Pivots above this fraction of their diagonal entry are regular in every precision.
const ALWAYS_REGULAR: f64 = 1e-3;

/// Writes the program's statements anew, with `definitions` as further `Let`s.
///
/// A `Let` stays in its place, or moves up to its first use; what does not depend on the unknowns of
/// a loop is computed before it, what nothing needs not at all. What one call computes, such as the
/// sine and cosine of an angle, stands side by side.
pub(super) fn schedule(cx: &mut Context<'_>, draft: &mut Draft, definitions: &[(Expr, Expr)]) {
    let mut values: BTreeMap<Expr, Expr> = draft.lets().into_iter().collect();
    values.extend(definitions.iter().copied());
    let levels = draft.levels_with(cx, &values);
    let live = live(cx.pool, &values, draft.results());
    let mut scheduler = Scheduler { together: together(cx.pool, &values, &live), values, levels, live };
    let mut placed = Table::new();
    let mut body = Vec::new();
    let mut loops = 0;
    for statement in std::mem::take(&mut draft.program.body) {
        match statement {
            Statement::Equation(_) => body.push(statement),
            Statement::Let { symbol, .. } => {
                if scheduler.live.contains(&symbol) {
                    scheduler.place(cx.pool, &[symbol], &mut placed, &mut body, None);
                }
            }
            Statement::Pivot { pivot, diagonal, .. } if is_regular(cx, pivot, diagonal) => {}
            Statement::Pivot { pivot, diagonal, what } => {
                scheduler.place(cx.pool, &[pivot, diagonal], &mut placed, &mut body, None);
                let again = Statement::Pivot { pivot, diagonal, what };
                if !body.contains(&again) {
                    body.push(again);
                }
            }
            Statement::Newton(mut newton) => {
                scheduler.place(cx.pool, &newton.before(), &mut placed, &mut body, None);
                let mut inside = Vec::new();
                for s in std::mem::take(&mut newton.body) {
                    let Statement::Let { symbol, .. } = s else {
                        inside.push(s);
                        continue;
                    };
                    if scheduler.live.contains(&symbol) {
                        let inner = Some((&mut inside, Level::inside(loops)));
                        scheduler.place(cx.pool, &[symbol], &mut placed, &mut body, inner);
                    }
                }
                let inner = Some((&mut inside, Level::inside(loops)));
                scheduler.place(cx.pool, &newton.delta, &mut placed, &mut body, inner);
                newton.body = without_idle_equations(inside);
                body.push(Statement::Newton(newton));
                loops += 1;
            }
        }
    }
    for output in &draft.program.outputs {
        scheduler.place(cx.pool, &output.values, &mut placed, &mut body, None);
    }
    draft.program.body = without_idle_equations(body);
}

/// Whether a pivot is positive, as far as that is known at compile time.
fn is_regular(cx: &mut Context<'_>, pivot: Expr, diagonal: Expr) -> bool {
    match [pivot, diagonal].map(|e| cx.constants.value(cx.pool, e)) {
        [Some(pivot), Some(diagonal)] => pivot > 0.0 && pivot > ALWAYS_REGULAR * diagonal,
        _ => false,
    }
}

struct Scheduler {
    values: BTreeMap<Expr, Expr>,
    levels: Levels,
    live: BTreeSet<Expr>,
    /// What one call computes together: the sine and cosine of an angle, the numbers of a map.
    together: Table<Vec<Expr>>,
}

impl Scheduler {
    /// Binds every symbol in `roots` that is not bound yet, after what its value needs: values of
    /// the level of `inner` there, others in `outer`.
    fn place(
        &mut self,
        pool: &Pool,
        roots: &[Expr],
        placed: &mut Table<()>,
        outer: &mut Vec<Statement>,
        mut inner: Option<(&mut Vec<Statement>, Level)>,
    ) {
        let open = |values: &BTreeMap<Expr, Expr>, placed: &Table<()>, e: &[Expr]| -> Vec<Expr> {
            let all = pool.reachable(e).into_iter();
            all.filter(|s| values.contains_key(s) && !placed.contains(*s)).collect()
        };
        let mut stack = open(&self.values, placed, roots);
        stack.reverse();
        while let Some(&symbol) = stack.last() {
            if placed.contains(symbol) {
                stack.pop();
                continue;
            }
            let value = self.values[&symbol];
            let mut needed = open(&self.values, placed, &[value]);
            if !needed.is_empty() {
                needed.reverse();
                stack.extend(needed);
                continue;
            }
            stack.pop();
            let level = self.levels.of(pool, symbol);
            let target = match &mut inner {
                Some((body, at)) if *at == level => &mut **body,
                _ => &mut *outer,
            };
            let alone = vec![symbol];
            for &symbol in self.together.get(symbol).unwrap_or(&alone) {
                placed.insert(symbol, ());
                target.push(Statement::Let { symbol, value: self.values[&symbol] });
            }
        }
    }
}

/// The symbols that `results` need, directly or through other values.
fn live(pool: &Pool, values: &BTreeMap<Expr, Expr>, results: Vec<Expr>) -> BTreeSet<Expr> {
    let mut live = BTreeSet::new();
    let mut seen = Table::new();
    let mut stack = results;
    while let Some(e) = stack.pop() {
        if seen.insert(e, ()).is_some() {
            continue;
        }
        match values.get(&e) {
            Some(&value) => {
                live.insert(e);
                stack.push(value);
            }
            None => stack.extend(pool.children(e)),
        }
    }
    live
}

/// For every live symbol the symbols that are computed together with it, itself among them.
fn together(pool: &Pool, values: &BTreeMap<Expr, Expr>, live: &BTreeSet<Expr>) -> Table<Vec<Expr>> {
    let mut angles: BTreeMap<Expr, Vec<Expr>> = BTreeMap::new();
    let mut maps: BTreeMap<(Map, &[Expr]), Vec<Expr>> = BTreeMap::new();
    for (&symbol, &value) in values.iter().filter(|(s, _)| live.contains(s)) {
        match pool.node(value) {
            Node::Call(Function::Sin | Function::Cos, x) => angles.entry(*x).or_default().push(symbol),
            Node::Map(entry, arguments) => maps.entry((entry.map, arguments)).or_default().push(symbol),
            _ => {}
        }
    }
    let mut together = Table::new();
    for group in angles.into_values().chain(maps.into_values()) {
        for &symbol in &group {
            together.insert(symbol, group.clone());
        }
    }
    together
}

/// Drops an equation that no statement is left of, which is one directly before another.
fn without_idle_equations(body: Vec<Statement>) -> Vec<Statement> {
    let mut kept: Vec<Statement> = Vec::with_capacity(body.len());
    for statement in body {
        if let (Some(Statement::Equation(_)), Statement::Equation(_)) = (kept.last(), &statement) {
            kept.pop();
        }
        kept.push(statement);
    }
    kept
}
