//! Common-subexpression elimination on flat sums and products.
//!
//! The pass saves one operation for each further sum or product that has the same two operands. The pair with the most
//! occurrences gets a name, until no pair occurs twice. Powers are products of equal factors, so that `x^4` becomes the
//! square of a square; `a - b` and `b - a` are the same pair. A divisor of several products is inverted once.

use crate::expr::{Expr, Node, Rational};
use crate::optimise::draft::{Context, Draft, Levels, Stage, rewrite};
use crate::optimise::flat::Factors;
use crate::optimise::place::place;
use crate::program::Table;
use num_traits::{One, Signed};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Names given to pairs of one program at most, and pairs that are looked at to begin with: far above
/// what models need, to bound the work.
const MAX_NAMES: usize = 20_000;
const MAX_PAIRS: usize = 200_000;

/// Shared parts of products; see the [module documentation](self).
pub(in crate::optimise) fn share_products(cx: &mut Context<'_>, draft: &mut Draft) {
    let mut computed = draft.computed(cx);
    for share in [share_roots, share::<Products>, share_reciprocals] {
        if share(cx, draft, &computed) {
            computed = draft.computed(cx);
        }
    }
}

/// Shared parts of sums; see the [module documentation](self).
pub(in crate::optimise) fn share_sums(cx: &mut Context<'_>, draft: &mut Draft) {
    let computed = draft.computed(cx);
    share::<Sums>(cx, draft, &computed);
}

/// Operands with a number each: how often a factor occurs, the sign of a term.
type Operands = BTreeMap<Expr, i32>;

/// What sums and products differ in.
trait Flat {
    /// Whether pairs in short nodes come first among those that save as much.
    const SHORTEST_FIRST: bool;
    /// The operands of a node of this kind, its sign apart.
    fn operands(cx: &mut Context<'_>, e: Expr) -> Option<Operands>;
    /// How often the pair occurs in `operands`, with the sign of the first, and the relative sign of the second.
    fn occurrences(operands: &Operands, a: Expr, b: Expr) -> (i32, i32);
    /// The node of these operands, each replaced by its image.
    fn build(cx: &mut Context<'_>, operands: &Operands, image: &Table<Expr>) -> Expr;
}

/// Two operands, the older first, and their relative sign.
type Pair = (Expr, Expr, i32);

/// `operands` with `times` occurrences of the pair more.
fn with_pair(operands: &Operands, (a, b, relative): Pair, times: i32) -> Operands {
    let mut operands = operands.clone();
    *operands.entry(a).or_default() += times;
    *operands.entry(b).or_default() += times * relative;
    operands.retain(|_, n| *n != 0);
    operands
}

struct Products;

impl Flat for Products {
    const SHORTEST_FIRST: bool = false;

    fn operands(cx: &mut Context<'_>, e: Expr) -> Option<Operands> {
        if !matches!(cx.pool.node(e), Node::Product(_) | Node::Power(..)) {
            return None;
        }
        let product = Factors::of(cx, e);
        let (known, factors): (BTreeMap<Expr, u32>, BTreeMap<Expr, u32>) =
            product.factors.iter().partition(|&(&f, _)| cx.constants.contains(cx.pool, f));
        let mut operands: Operands = factors.into_iter().map(|(f, n)| (f, n as i32)).collect();
        let constant = Factors { coefficient: product.coefficient.abs(), factors: known }.build(cx);
        if !cx.pool.is_one(constant) {
            operands.insert(constant, 1);
        }
        (operands.values().sum::<i32>() > 1).then_some(operands)
    }

    fn occurrences(operands: &Operands, a: Expr, b: Expr) -> (i32, i32) {
        let n = |x| operands.get(&x).copied().unwrap_or(0);
        (if a == b { n(a) / 2 } else { n(a).min(n(b)) }, 1)
    }

    fn build(cx: &mut Context<'_>, operands: &Operands, image: &Table<Expr>) -> Expr {
        let factors = operands.iter().map(|(&f, &n)| (f, n as u32)).collect();
        Factors { coefficient: Rational::one(), factors }.build_from(cx, |f| image[f])
    }
}

struct Sums;

impl Flat for Sums {
    const SHORTEST_FIRST: bool = true;

    fn operands(cx: &mut Context<'_>, e: Expr) -> Option<Operands> {
        let Node::Sum(terms) = cx.pool.node(e).clone() else { return None };
        let mut operands = Operands::new();
        // All that is known at compile time is one operand.
        let (known, terms): (Vec<Expr>, Vec<Expr>) =
            terms.into_iter().partition(|&t| cx.constants.contains(cx.pool, t));
        let known = cx.pool.sum(&known);
        for t in terms.into_iter().chain([known]) {
            let (negative, abs) = cx.signed(t);
            if !cx.pool.is_zero(abs) {
                operands.insert(abs, if negative { -1 } else { 1 });
            }
        }
        (operands.len() > 1).then_some(operands)
    }

    fn occurrences(operands: &Operands, a: Expr, b: Expr) -> (i32, i32) {
        match (operands.get(&a), operands.get(&b)) {
            (Some(&x), Some(y)) if a != b => (x, x * y),
            _ => (0, 1),
        }
    }

    fn build(cx: &mut Context<'_>, operands: &Operands, image: &Table<Expr>) -> Expr {
        let terms: Vec<Expr> = operands.iter().map(|(&t, &sign)| cx.with_sign(sign < 0, image[t])).collect();
        cx.pool.sum(&terms)
    }
}

/// The nodes that a pair occurs in.
#[derive(Default)]
struct Places {
    nodes: BTreeSet<Expr>,
    /// Summed weight of its occurrences.
    weight: i64,
    /// Operands that the nodes had when it was found in them.
    operands: usize,
}

/// Where pairs occur.
#[derive(Default)]
struct Index {
    /// Operands of every node.
    nodes: BTreeMap<Expr, Operands>,
    /// Where each pair occurs.
    places: BTreeMap<Pair, Places>,
    /// Pairs that a name saves something for, by what it saves; between equals those in the shortest sums, which
    /// share least with others, and then the oldest.
    queue: BTreeSet<(i64, Reverse<(usize, Pair)>)>,
    /// Operands of one node that are looked at.
    most: usize,
}

/// The nodes of this kind with their operands.
fn nodes<F: Flat>(cx: &mut Context<'_>, computed: &[Expr]) -> BTreeMap<Expr, Operands> {
    computed.iter().filter_map(|&e| Some((e, F::operands(cx, e)?))).collect()
}

/// Names pairs of operands among the `computed` expressions of the draft; whether there are any to be shared.
fn share<F: Flat>(cx: &mut Context<'_>, draft: &mut Draft, computed: &[Expr]) -> bool {
    let mut levels = draft.levels(cx);
    let mut index = Index { nodes: nodes::<F>(cx, computed), ..Index::default() };
    let mut occurs: Table<i32> = Table::new();
    for (&x, &n) in index.nodes.values().flatten() {
        *occurs.entry(x) += n.abs();
    }
    let common = |operands: &Operands| operands.keys().copied().filter(|&x| occurs[x] > 1).collect();
    let candidates: Vec<(Expr, Vec<Expr>)> =
        index.nodes.iter().map(|(&node, operands)| (node, common(operands))).collect();
    index.most = most_operands(candidates.iter().map(|(_, common)| common.len()));
    for (node, mut common) in candidates {
        common.truncate(index.most);
        for (i, &a) in common.iter().enumerate() {
            for &b in &common[i..] {
                index.note::<F>(cx, &mut levels, node, a, b);
            }
        }
    }
    let mut defined: Vec<(Expr, Pair)> = Vec::new();
    while defined.len() < MAX_NAMES {
        let Some(&(_, Reverse((_, pair)))) = index.queue.last() else { break };
        let symbol = draft.fresh(cx);
        let level = levels.of(cx.pool, pair.0).max(levels.of(cx.pool, pair.1));
        levels.insert(symbol, level);
        defined.push((symbol, pair));
        index.apply::<F>(cx, &mut levels, pair, symbol);
    }
    if defined.is_empty() {
        return false;
    }
    let mut image: Table<Expr> = defined.iter().map(|&(s, _)| (s, s)).collect();
    let mut roots = draft.program.values();
    roots.extend(defined.iter().flat_map(|&(_, (a, b, _))| [a, b]));
    regroup::<F>(cx, &index.nodes, &roots, &mut image);
    let mut definitions = Vec::new();
    for (symbol, pair) in defined {
        definitions.push((symbol, F::build(cx, &with_pair(&Operands::new(), pair, 1), &image)));
    }
    draft.replace(&image);
    place(cx, draft, definitions);
    true
}

/// Completes `image` for everything in `roots`, where `nodes` have the operands given there.
fn regroup<F: Flat>(
    cx: &mut Context<'_>,
    nodes: &BTreeMap<Expr, Operands>,
    roots: &[Expr],
    image: &mut Table<Expr>,
) {
    let operands = |cx: &mut Context<'_>, e: Expr| match nodes.get(&cx.signed(e).1) {
        Some(operands) => operands.keys().copied().collect(),
        None => cx.pool.children(e),
    };
    rewrite(cx, roots, image, operands, |cx, e, image| {
        let (negative, abs) = cx.signed(e);
        let Some(operands) = nodes.get(&abs) else { return cx.pool.rebuild(e, |c| image[c]) };
        let new = F::build(cx, operands, image);
        cx.with_sign(negative, new)
    });
}

/// How many operands of each node can be looked at, given how many there are.
fn most_operands(lengths: impl Iterator<Item = usize> + Clone) -> usize {
    let mut most = MAX_PAIRS;
    while most > 2 && lengths.clone().map(|n| n.min(most).saturating_pow(2)).sum::<usize>() > MAX_PAIRS {
        most /= 2;
    }
    most
}

fn weight(levels: &mut Levels, cx: &Context<'_>, e: Expr) -> i64 {
    match levels.stage(cx.pool, e) {
        // Small beside the others, but still worth sharing.
        Stage::Prepared => 1,
        Stage::Once => 1000,
        Stage::Iterated => 3000,
    }
}

impl Index {
    /// Changes the summed weight of a pair, and the operands beside which it is found.
    fn change(&mut self, cx: &Context<'_>, levels: &mut Levels, pair: Pair, by: i64, operands: usize) {
        let cost = weight(levels, cx, pair.0).max(weight(levels, cx, pair.1));
        let places = self.places.entry(pair).or_default();
        let before = places.weight - cost;
        if before > 0 {
            self.queue.remove(&(before, Reverse((places.operands, pair))));
        }
        places.weight += by;
        places.operands += operands;
        let after = places.weight - cost;
        if after > 0 {
            self.queue.insert((after, Reverse((places.operands, pair))));
        }
    }

    /// Notes that the pair may occur in `node`.
    fn note<F: Flat>(&mut self, cx: &Context<'_>, levels: &mut Levels, node: Expr, a: Expr, b: Expr) {
        let operands = &self.nodes[&node];
        let (times, relative) = F::occurrences(operands, a, b);
        let by = i64::from(times.abs()) * weight(levels, cx, node);
        let pair = (a.min(b), a.max(b), relative);
        if times != 0 && self.places.entry(pair).or_default().nodes.insert(node) {
            let operands = if F::SHORTEST_FIRST { operands.len() } else { 0 };
            self.change(cx, levels, pair, by, operands);
        }
    }

    /// Replaces the pair by `symbol` wherever it occurs.
    fn apply<F: Flat>(&mut self, cx: &Context<'_>, levels: &mut Levels, pair: Pair, symbol: Expr) {
        let places = self.places[&pair].nodes.clone();
        for &node in &places {
            let old = self.nodes[&node].clone();
            let (times, _) = F::occurrences(&old, pair.0, pair.1);
            let mut new = with_pair(&old, pair, -times);
            new.insert(symbol, times);
            let mut touched = BTreeSet::new();
            for &x in old.keys() {
                for y in [pair.0, pair.1] {
                    let (a, b) = (x.min(y), x.max(y));
                    touched.insert((a, b, F::occurrences(&old, a, b).1));
                }
            }
            for p in touched {
                let [before, after] = [&old, &new].map(|operands| F::occurrences(operands, p.0, p.1).0.abs());
                let Some(Places { nodes: at, .. }) = self.places.get_mut(&p) else { continue };
                if before == after || !at.contains(&node) {
                    continue;
                }
                if after == 0 {
                    at.remove(&node);
                }
                let by = i64::from(after - before) * weight(levels, cx, node);
                self.change(cx, levels, p, by, 0);
            }
            self.nodes.insert(node, new);
        }
        for node in places {
            let others: Vec<Expr> = self.nodes[&node].keys().copied().take(self.most).collect();
            for other in others {
                self.note::<F>(cx, levels, node, symbol, other);
            }
        }
    }
}

/// A square root that several products hold, above or below the bar, is taken once.
fn share_roots(cx: &mut Context<'_>, draft: &mut Draft, computed: &[Expr]) -> bool {
    let half = cx.pool.ratio(1, 2);
    let minus_half = cx.pool.ratio(-1, 2);
    let bases = holders(cx, computed, |cx, f| {
        let (base, x) = cx.pool.split_power(f);
        (x == half || x == minus_half).then_some(base)
    });
    let mut image = Table::new();
    let mut definitions = Vec::new();
    for base in bases {
        let symbol = draft.fresh(cx);
        let (root, inverse) = (cx.pool.pow(base, half), cx.pool.pow(base, minus_half));
        image.insert(root, symbol);
        image.insert(inverse, cx.pool.recip(symbol));
        definitions.push((symbol, root));
    }
    name_factors(cx, draft, computed, image, definitions)
}

/// What more than one product divides by is inverted once.
fn share_reciprocals(cx: &mut Context<'_>, draft: &mut Draft, computed: &[Expr]) -> bool {
    let reciprocals = holders(cx, computed, |cx, f| {
        let (_, x) = cx.pool.split_power(f);
        cx.pool.as_number(x).is_some_and(Signed::is_negative).then_some(f)
    });
    let definitions: Vec<(Expr, Expr)> = reciprocals.into_iter().map(|r| (draft.fresh(cx), r)).collect();
    let image = definitions.iter().map(|&(symbol, r)| (r, symbol)).collect();
    name_factors(cx, draft, computed, image, definitions)
}

/// What `select` finds in the factors of more than one product.
fn holders(
    cx: &mut Context<'_>,
    computed: &[Expr],
    select: impl Fn(&mut Context<'_>, Expr) -> Option<Expr>,
) -> Vec<Expr> {
    let mut places: BTreeMap<Expr, usize> = BTreeMap::new();
    for &e in computed {
        if !matches!(cx.pool.node(e), Node::Product(_) | Node::Power(..)) {
            continue;
        }
        let product = Factors::of(cx, e);
        let found: BTreeSet<Expr> = product.factors.keys().filter_map(|&f| select(cx, f)).collect();
        for found in found {
            *places.entry(found).or_default() += 1;
        }
    }
    let several = places.into_iter().filter(|&(_, n)| n > 1).map(|(found, _)| found);
    several.filter(|&found| !cx.constants.contains(cx.pool, found)).collect()
}

/// Replaces factors of products as `image` says and binds `definitions`; whether there are any.
fn name_factors(
    cx: &mut Context<'_>,
    draft: &mut Draft,
    computed: &[Expr],
    mut image: Table<Expr>,
    mut definitions: Vec<(Expr, Expr)>,
) -> bool {
    if definitions.is_empty() {
        return false;
    }
    let nodes = nodes::<Products>(cx, computed);
    regroup::<Products>(cx, &nodes, &draft.program.values(), &mut image);
    for (_, value) in &mut definitions {
        let children = cx.pool.children(*value);
        regroup::<Products>(cx, &nodes, &children, &mut image);
        *value = cx.pool.rebuild(*value, |c| image[c]);
    }
    draft.replace(&image);
    place(cx, draft, definitions);
    true
}
