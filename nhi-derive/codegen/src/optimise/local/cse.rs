//! Common-subexpression elimination on flat sums and products.
//!
//! The pass saves one operation for each further sum or product that has the same two operands. The pair with the most
//! occurrences gets a name, until no pair occurs twice. Powers are products of equal factors, so that `x^4` becomes the
//! square of a square; `a - b` and `b - a` are the same pair. A divisor of several products is inverted once.

use crate::expr::Table;
use crate::expr::{Expr, Node, Pool, Rational};
use crate::optimise::draft::{Context, Draft, rewrite};
use crate::optimise::flat::Factors;
use crate::optimise::place::place;
use num_traits::{One, Signed};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Names given to pairs of one program at most, and pairs that are looked at to begin with: far above
/// what models need, to bound the work.
const MAX_NAMES: usize = 20_000;
const MAX_PAIRS: usize = 200_000;

/// Shared parts of products; see the [module documentation](self).
pub(in crate::optimise) fn share_products(cx: &mut Context<'_>, draft: &mut Draft) {
    share_factors(cx, draft, root);
    share::<Products>(cx, draft);
    share_factors(cx, draft, reciprocal);
}

/// Shared parts of sums; see the [module documentation](self).
pub(in crate::optimise) fn share_sums(cx: &mut Context<'_>, draft: &mut Draft) {
    share::<Sums>(cx, draft);
}

/// Operands in order with a number each that is not zero: how often a factor occurs, the sign of a term.
#[derive(Clone, Debug, Default)]
struct Operands(Vec<(Expr, i32)>);

impl Operands {
    fn place(&self, x: Expr) -> Result<usize, usize> {
        self.0.binary_search_by_key(&x, |&(operand, _)| operand)
    }

    /// The number of an operand, or zero.
    fn number(&self, x: Expr) -> i32 {
        self.place(x).map_or(0, |i| self.0[i].1)
    }

    /// Sets the number of an operand.
    fn set(&mut self, x: Expr, n: i32) {
        match (self.place(x), n) {
            (Ok(i), 0) => {
                self.0.remove(i);
            }
            (Ok(i), n) => self.0[i].1 = n,
            (Err(_), 0) => {}
            (Err(i), n) => self.0.insert(i, (x, n)),
        }
    }

    fn keys(&self) -> impl Iterator<Item = Expr> {
        self.0.iter().map(|&(x, _)| x)
    }
}

/// What sums and products differ in.
trait Flat {
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
    operands.set(a, operands.number(a) + times);
    operands.set(b, operands.number(b) + times * relative);
    operands
}

struct Products;

impl Flat for Products {
    fn operands(cx: &mut Context<'_>, e: Expr) -> Option<Operands> {
        if !matches!(cx.pool.node(e), Node::Product(_) | Node::Power(..)) {
            return None;
        }
        let product = Factors::of(cx, e);
        let mut operands = Operands(product.factors.iter().map(|(&f, &n)| (f, n as i32)).collect());
        let coefficient = cx.pool.number(product.coefficient.abs());
        if !cx.pool.is_one(coefficient) {
            operands.set(coefficient, 1);
        }
        (operands.0.iter().map(|&(_, n)| n).sum::<i32>() > 1).then_some(operands)
    }

    fn occurrences(operands: &Operands, a: Expr, b: Expr) -> (i32, i32) {
        let n = |x| operands.number(x);
        (if a == b { n(a) / 2 } else { n(a).min(n(b)) }, 1)
    }

    fn build(cx: &mut Context<'_>, operands: &Operands, image: &Table<Expr>) -> Expr {
        let factors = operands.0.iter().map(|&(f, n)| (f, n as u32)).collect();
        Factors { coefficient: Rational::one(), factors }.build_from(cx, |f| image[f])
    }
}

struct Sums;

impl Flat for Sums {
    fn operands(cx: &mut Context<'_>, e: Expr) -> Option<Operands> {
        let Node::Sum(terms) = cx.pool.node(e).clone() else { return None };
        let mut operands = Operands(Vec::with_capacity(terms.len()));
        for t in terms {
            let (negative, abs) = cx.signed(t);
            operands.set(abs, if negative { -1 } else { 1 });
        }
        (operands.0.len() > 1).then_some(operands)
    }

    fn occurrences(operands: &Operands, a: Expr, b: Expr) -> (i32, i32) {
        match (operands.number(a), operands.number(b)) {
            (x, y) if a != b && x != 0 && y != 0 => (x, x * y),
            _ => (0, 1),
        }
    }

    fn build(cx: &mut Context<'_>, operands: &Operands, image: &Table<Expr>) -> Expr {
        let terms: Vec<Expr> = operands.0.iter().map(|&(t, sign)| cx.with_sign(sign < 0, image[t])).collect();
        cx.pool.sum(&terms)
    }
}

/// The nodes that a pair occurs in, in order.
#[derive(Default)]
struct Places {
    nodes: Vec<Expr>,
    /// How often it occurs.
    times: i32,
    /// Whether a node has no other operands.
    is_whole: bool,
}

impl Places {
    /// By which pairs are taken: those that occur more often first. Of equals, one that is a node by itself takes no operands from
    /// other pairs there. The oldest comes last.
    fn rank(&self, pair: Pair) -> Option<Rank> {
        (self.times > 1).then_some((self.times, self.is_whole, Reverse(pair)))
    }
}

/// See [`Places::rank`].
type Rank = (i32, bool, Reverse<Pair>);

/// Where pairs occur.
#[derive(Default)]
struct Index {
    /// Operands of every node.
    nodes: Table<Operands>,
    /// Where each pair occurs.
    places: FxHashMap<Pair, Places>,
    /// Pairs that occur several times.
    queue: BTreeSet<Rank>,
    /// Operands of one node that are looked at.
    most: usize,
}

/// The nodes of this kind with their operands.
fn nodes<F: Flat>(cx: &mut Context<'_>, computed: &[Expr]) -> Table<Operands> {
    computed.iter().filter_map(|&e| Some((e, F::operands(cx, e)?))).collect()
}

/// Names pairs of operands that the expressions of the draft share.
fn share<F: Flat>(cx: &mut Context<'_>, draft: &mut Draft) {
    let computed = draft.computed(cx);
    let mut index = Index { nodes: nodes::<F>(cx, &computed), ..Index::default() };
    let all = index.nodes.keys();
    let mut occurs: Table<i32> = Table::new();
    for &(x, n) in all.iter().flat_map(|&node| &index.nodes[node].0) {
        *occurs.entry(x) += n.abs();
    }
    let common = |operands: &Operands| operands.keys().filter(|&x| occurs[x] > 1).collect();
    let candidates: Vec<(Expr, Vec<Expr>)> =
        all.iter().map(|&node| (node, common(&index.nodes[node]))).collect();
    index.most = most_operands(candidates.iter().map(|(_, common)| common.len()));
    for (node, mut common) in candidates {
        common.truncate(index.most);
        for (i, &a) in common.iter().enumerate() {
            for &b in &common[i..] {
                index.note::<F>(node, a, b);
            }
        }
    }
    index.queue = index.places.iter().filter_map(|(&pair, places)| places.rank(pair)).collect();
    let mut defined: Vec<(Expr, Pair)> = Vec::new();
    while defined.len() < MAX_NAMES {
        let Some(&(.., Reverse(pair))) = index.queue.last() else { break };
        let symbol = draft.fresh(cx);
        defined.push((symbol, pair));
        index.apply::<F>(pair, symbol);
    }
    if defined.is_empty() {
        return;
    }
    let mut image: Table<Expr> = defined.iter().map(|&(s, _)| (s, s)).collect();
    let mut roots = draft.program.values();
    roots.extend(defined.iter().flat_map(|&(_, (a, b, _))| [a, b]));
    regroup::<F>(cx, &index.nodes, &roots, &mut image);
    let mut definitions = Vec::new();
    for (symbol, pair) in defined {
        definitions.push((symbol, F::build(cx, &with_pair(&Operands::default(), pair, 1), &image)));
    }
    draft.replace(&image);
    place(cx, draft, definitions);
}

/// Completes `image` for everything in `roots`, where `nodes` have the operands given there.
fn regroup<F: Flat>(cx: &mut Context<'_>, nodes: &Table<Operands>, roots: &[Expr], image: &mut Table<Expr>) {
    let operands = |pool: &Pool, e: Expr| match nodes.get(e) {
        Some(operands) => operands.keys().collect(),
        None => pool.children(e),
    };
    rewrite(cx, roots, image, operands, |cx, e, image| match nodes.get(e) {
        Some(operands) => F::build(cx, operands, image),
        None => cx.pool.rebuild(e, |c| image[c]),
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

impl Index {
    /// Changes how often a pair occurs.
    fn change(&mut self, pair: Pair, by: i32) {
        let Some(places) = self.places.get_mut(&pair) else { return };
        places.rank(pair).map(|rank| self.queue.remove(&rank));
        places.times += by;
        self.queue.extend(places.rank(pair));
    }

    /// Notes that the pair may occur in `node`; the pair, if it does.
    fn note<F: Flat>(&mut self, node: Expr, a: Expr, b: Expr) -> Option<Pair> {
        let operands = &self.nodes[node];
        let (times, relative) = F::occurrences(operands, a, b);
        if times == 0 {
            return None;
        }
        let pair = (a.min(b), a.max(b), relative);
        let places = self.places.entry(pair).or_default();
        let place = places.nodes.binary_search(&node).err()?;
        places.nodes.insert(place, node);
        places.times += times.abs();
        places.is_whole |= operands.0.iter().map(|&(_, n)| n.abs()).sum::<i32>() == 2;
        Some(pair)
    }

    /// Replaces the pair by `symbol` wherever it occurs.
    fn apply<F: Flat>(&mut self, pair: Pair, symbol: Expr) {
        let places = self.places[&pair].nodes.clone();
        let mut touched: Vec<Pair> = Vec::new();
        for &node in &places {
            let old = self.nodes[node].clone();
            let (times, _) = F::occurrences(&old, pair.0, pair.1);
            let mut new = with_pair(&old, pair, -times);
            new.set(symbol, times);
            touched.clear();
            for x in old.keys() {
                for y in [pair.0, pair.1] {
                    let (a, b) = (x.min(y), x.max(y));
                    touched.push((a, b, F::occurrences(&old, a, b).1));
                }
            }
            touched.sort_unstable();
            touched.dedup();
            for &p in &touched {
                let [before, after] = [&old, &new].map(|operands| F::occurrences(operands, p.0, p.1).0.abs());
                if before == after {
                    continue;
                }
                let Some(Places { nodes: at, .. }) = self.places.get_mut(&p) else { continue };
                let Ok(place) = at.binary_search(&node) else { continue };
                if after == 0 {
                    at.remove(place);
                }
                self.change(p, after - before);
            }
            self.nodes.insert(node, new);
        }
        // Pairs with the symbol are in no queue yet.
        let mut found: BTreeSet<Pair> = BTreeSet::new();
        for node in places {
            let others: Vec<Expr> = self.nodes[node].keys().take(self.most).collect();
            for other in others {
                found.extend(self.note::<F>(node, symbol, other));
            }
        }
        for pair in found {
            self.change(pair, 0);
        }
    }
}

/// The square root that is a factor, above or below the bar.
fn root(cx: &mut Context<'_>, f: Expr) -> Option<Expr> {
    let Node::Power(base, x) = *cx.pool.node(f) else { return None };
    let half = cx.pool.ratio(1, 2);
    let minus_half = cx.pool.ratio(-1, 2);
    [half, minus_half].contains(&x).then(|| cx.pool.pow(base, half))
}

/// The factor, if it is a reciprocal.
fn reciprocal(cx: &mut Context<'_>, f: Expr) -> Option<Expr> {
    let (_, x) = cx.pool.split_power(f);
    cx.pool.as_number(x).is_some_and(Signed::is_negative).then_some(f)
}

/// Names what `part` finds in the factors of more than one product.
fn share_factors(cx: &mut Context<'_>, draft: &mut Draft, part: fn(&mut Context<'_>, Expr) -> Option<Expr>) {
    let (computed, mut products) = (draft.computed(cx), BTreeMap::<Expr, usize>::new());
    for &e in &computed {
        if matches!(cx.pool.node(e), Node::Product(_) | Node::Power(..)) {
            let product = Factors::of(cx, e);
            let parts: BTreeSet<Expr> = product.factors.keys().filter_map(|&f| part(cx, f)).collect();
            parts.into_iter().for_each(|part| *products.entry(part).or_default() += 1);
        }
    }
    products.retain(|&value, count| *count > 1 && !cx.constants.contains(cx.pool, value));
    if products.is_empty() {
        return;
    }
    let (mut image, mut definitions): (Table<Expr>, Vec<(Expr, Expr)>) = Default::default();
    for value in products.into_keys() {
        let symbol = draft.fresh(cx);
        let inverse = cx.pool.recip(value);
        if part(cx, inverse) == Some(value) {
            image.insert(inverse, cx.pool.recip(symbol));
        }
        image.insert(value, symbol);
        definitions.push((symbol, value));
    }
    let nodes = nodes::<Products>(cx, &computed);
    regroup::<Products>(cx, &nodes, &draft.program.values(), &mut image);
    for (_, value) in &mut definitions {
        let children = cx.pool.children(*value);
        regroup::<Products>(cx, &nodes, &children, &mut image);
        *value = cx.pool.rebuild(*value, |c| image[c]);
    }
    draft.replace(&image);
    place(cx, draft, definitions);
}
