//! Long formulas in named parts.

use super::math::math;
use crate::expr::{Expr, Node, Pool};
use std::collections::HashMap;

/// Widths beyond which a part of a formula has a name: of a sum inside of a term, and of a term.
const WIDEST_SUM: usize = 48;
const WIDEST_TERM: usize = 80;
/// Deepest nesting without names.
const DEEPEST: usize = 12;

/// The symbols of the parts that have names, by what they stand for: the same part has the same name everywhere.
pub(super) type Names = HashMap<Expr, Expr>;

/// `roots` with what is long in them replaced by symbols, and the values of these in order.
pub(super) fn cut(pool: &mut Pool, names: &mut Names, roots: &[Expr]) -> (Vec<Expr>, Vec<(Expr, Expr)>) {
    let mut images: HashMap<Expr, Expr> = HashMap::new();
    let mut depths: HashMap<Expr, usize> = HashMap::new();
    let mut parts: Vec<(Expr, Expr)> = Vec::new();
    for e in pool.reachable(roots) {
        let children = pool.children(e);
        // Operands of an exponent and the like, which are numbers, have no images.
        let image =
            if children.is_empty() { e } else { pool.rebuild(e, |c| images.get(&c).copied().unwrap_or(c)) };
        let inner = pool.children(image).iter().map(|c| depths.get(c).copied().unwrap_or(0)).max();
        let depth = inner.map_or(0, |inner| inner + 1);
        let widest = match pool.node(image) {
            Node::Sum(_) => WIDEST_SUM,
            _ => WIDEST_TERM,
        };
        let is_long = depth > 0 && (depth > DEEPEST || math(pool, image).width() > widest);
        if is_long && !roots.contains(&e) {
            let next = names.len() + 1;
            let symbol = *names.entry(image).or_insert_with(|| pool.fresh_symbol(&format!("s_{next}")));
            parts.push((symbol, image));
            images.insert(e, symbol);
            depths.insert(symbol, 0);
        } else {
            images.insert(e, image);
            depths.insert(image, depth);
        }
    }
    let roots: Vec<Expr> = roots.iter().map(|root| images[root]).collect();
    (roots, parts)
}
