//! Operation counts of straightforward code for a set of expressions.

use super::group::{Group, Map};
use super::{Expr, Function, Node, Pool, table_size};
use num_traits::{One, Signed, ToPrimitive};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::AddAssign;

/// Scalar operations of a piece of code. Signs and compile-time constants are free.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct OperationCount {
    /// Additions and subtractions.
    pub adds: usize,
    /// Multiplications.
    pub muls: usize,
    /// Divisions.
    pub divs: usize,
    /// Function calls by name: `sin_cos` for both of one argument, `sqrt`, `powf`, `atan2` and the
    /// names of [`Function`].
    pub calls: BTreeMap<&'static str, usize>,
    /// Calls of maps of groups. What a map does inside is none of the operations above; [`OperationCount::total`] adds it.
    pub maps: BTreeMap<(&'static Group, Map), usize>,
}

impl OperationCount {
    /// All operations, those that maps of groups do inside among them: [`Map::operations`].
    pub fn total(&self) -> OperationCount {
        let mut total = OperationCount { maps: BTreeMap::new(), ..self.clone() };
        for (&(group, map), &n) in &self.maps {
            let inside = map.operations(group);
            total.adds += n * inside.adds;
            total.muls += n * inside.muls;
            if inside.sin_cos > 0 {
                *total.calls.entry("sin_cos").or_default() += n * inside.sin_cos;
            }
        }
        total
    }

    /// One number for comparing candidates, in units of an addition or multiplication, with what maps of groups do inside.
    pub fn weight(&self) -> usize {
        self.total().weight_with_maps_as_calls()
    }

    /// The same with a map of a group as one call: the size of what is written out where the operations are.
    ///
    /// On Zen 5: FMA latency 4 cycles, division 13 and pipelined less, hence
    /// 4; a `sin_cos` pair is 14 ns, 56 cycles, on the critical path even where it is inlined,
    /// hence 15, and half of that of an angle that is small. A square root is hardly slower than a division; other
    /// calls go to libm.
    pub fn weight_with_maps_as_calls(&self) -> usize {
        let calls: usize = self
            .calls
            .iter()
            .map(|(&name, n)| {
                n * match name {
                    "sqrt" => 5,
                    "sin_cos" | "sin" | "cos" | "rotated_sin_cos" => 15,
                    "corrected_sin_cos" => 4,
                    "small_sin_cos" | "small_sin" | "small_cos" => 7,
                    _ => 20,
                }
            })
            .sum();
        self.adds + self.muls + 4 * self.divs + calls + 20 * self.maps.values().sum::<usize>()
    }

    fn call(&mut self, name: &'static str) {
        *self.calls.entry(name).or_default() += 1;
    }
}

impl AddAssign<&OperationCount> for OperationCount {
    fn add_assign(&mut self, other: &OperationCount) {
        self.adds += other.adds;
        self.muls += other.muls;
        self.divs += other.divs;
        for (&name, n) in &other.calls {
            *self.calls.entry(name).or_default() += n;
        }
        for (&map, n) in &other.maps {
            *self.maps.entry(map).or_default() += n;
        }
    }
}

impl fmt::Display for OperationCount {
    /// `2 add, 1 mul`, or `40 add, 52 mul, 1 sin_cos with those of 1 moved`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.total();
        let arithmetic = [("add", total.adds), ("mul", total.muls), ("div", total.divs)];
        let calls = total.calls.iter().map(|(&name, &n)| (name, n));
        let operations = arithmetic.into_iter().chain(calls).filter(|&(_, n)| n > 0);
        let operations: Vec<String> = operations.map(|(name, n)| format!("{n} {name}")).collect();
        let maps: Vec<String> = self.maps.iter().map(|((_, map), n)| format!("{n} {}", map.name())).collect();
        f.write_str(if operations.is_empty() { "0" } else { "" })?;
        f.write_str(&operations.join(", "))?;
        if maps.is_empty() { Ok(()) } else { write!(f, " with those of {}", maps.join(", ")) }
    }
}

/// A power as a chain of multiplications of its base, of the base's square root, or of the
/// reciprocal of either.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Chain {
    base: Expr,
    root: bool,
    reciprocal: bool,
}

impl Pool {
    /// Operations of straightforward code that computes every node below `roots` once.
    ///
    /// `sin` and `cos` of one argument are one call; integer and half-integer powers are chains of
    /// multiplications that share their links; the denominators of a product are multiplied and
    /// divided by once, unless the reciprocal is used again: then it is computed once.
    pub fn cost(&self, roots: &[Expr]) -> OperationCount {
        let mut order = self.reachable(roots);
        let mut is_reached = vec![false; table_size(roots)];
        let mut is_constant = vec![false; table_size(roots)];
        for &e in &order {
            is_reached[e.index()] = true;
            let mut constant = self.as_symbol(e).is_none();
            self.for_each_child(e, |c| constant &= is_constant[c.index()]);
            is_constant[e.index()] = constant;
        }
        let constant = |e: &&Expr| is_constant[e.index()];
        let variable = |e: &&Expr| !is_constant[e.index()];
        // Of an expression and its negative only one is computed.
        order.retain(|&e| !self.known_negative(e).is_some_and(|n| n < e && is_reached[n.index()]));
        // How often the reciprocal at the head of a chain is asked for.
        let mut asked: FxHashMap<Chain, usize> = FxHashMap::default();
        let mut ask = |e: Expr| {
            if let Some((chain, _)) = self.chain(e).filter(|(chain, _)| chain.reciprocal) {
                *asked.entry(chain).or_default() += 1;
            }
        };
        order.iter().for_each(|&e| self.for_each_child(e, &mut ask));
        roots.iter().copied().for_each(ask);
        let mut count = OperationCount::default();
        let mut powers: BTreeMap<Chain, BTreeSet<u64>> = BTreeMap::new();
        let mut angles: BTreeMap<(Expr, &'static str), Vec<Function>> = BTreeMap::new();
        let mut maps: BTreeSet<(Map, Vec<Expr>)> = BTreeSet::new();
        let mut is_divided_by = vec![false; table_size(roots)];
        // Parents first, so that a product can take a power below it as its denominator.
        for &e in order.iter().rev().filter(variable) {
            match self.node(e) {
                Node::Number(_) | Node::Pi | Node::Symbol(_) => {}
                Node::Sum(terms) => {
                    let added = terms.iter().filter(variable).count();
                    count.adds += added - usize::from(added == terms.len());
                }
                Node::Product(factors) => {
                    let (mut over, mut under) = (0, 0);
                    for &f in factors.iter().filter(variable) {
                        match self.chain(f) {
                            Some((chain, n)) if chain.reciprocal && asked[&chain] == 1 => {
                                under += 1;
                                is_divided_by[f.index()] = true;
                                powers.entry(Chain { reciprocal: false, ..chain }).or_default().insert(n);
                            }
                            _ => over += 1,
                        }
                    }
                    let sign = self.as_number(factors[0]).is_some_and(|c| c.abs().is_one());
                    let coefficients = factors.iter().filter(constant).count();
                    over += usize::from(coefficients > usize::from(sign));
                    count.muls += usize::saturating_sub(over, 1) + usize::saturating_sub(under, 1);
                    count.divs += usize::from(under > 0);
                }
                Node::Power(..) if is_divided_by[e.index()] => {}
                Node::Power(..) => match self.chain(e) {
                    Some((chain, n)) => {
                        powers.entry(chain).or_default().insert(n);
                    }
                    None => count.call("powf"),
                },
                &Node::Call(f, x) => match f.partner() {
                    Some((.., both)) => angles.entry((x, both)).or_default().push(f),
                    None => count.call(f.name()),
                },
                Node::Atan2(..) => count.call("atan2"),
                Node::Select(_) => count.call("select"),
                // One call gives all numbers.
                Node::Map(entry, arguments) => {
                    if maps.insert((entry.map, arguments.clone())) {
                        *count.maps.entry((entry.group, entry.map)).or_default() += 1;
                    }
                }
                // Its formulas are below it; other equations are solved rarely.
                Node::Saddle(..) => {}
            }
        }
        for ((_, both), functions) in &angles {
            count.call(if functions.len() == 2 { both } else { functions[0].name() });
        }
        let rooted: BTreeSet<Expr> = powers.keys().filter(|c| c.root).map(|c| c.base).collect();
        rooted.iter().for_each(|_| count.call("sqrt"));
        for (chain, exponents) in &powers {
            count.divs += usize::from(chain.reciprocal);
            let mut links = BTreeSet::from([1]);
            if chain.root && !chain.reciprocal {
                links.insert(2);
            }
            count.muls += exponents.iter().map(|&n| extend_chain(&mut links, n)).sum::<usize>();
        }
        count
    }

    /// `-e` for a sum or product, if it was made before.
    fn known_negative(&self, e: Expr) -> Option<Expr> {
        match self.node(e) {
            Node::Sum(terms) => {
                let negatives = terms.iter().map(|&t| self.known_negative_term(t)).collect::<Option<_>>()?;
                self.known(&Node::Sum(negatives))
            }
            Node::Product(_) => self.known_negative_term(e),
            _ => None,
        }
    }

    fn known_negative_term(&self, t: Expr) -> Option<Expr> {
        let (c, rest) = self.split_coefficient(t);
        match (self.known(&Node::Number(-c))?, rest) {
            (c, Expr::ONE) => Some(c),
            (Expr::ONE, _) => Some(rest),
            (c, _) => {
                let factors = [c].into_iter().chain(self.factors(&rest).iter().copied()).collect();
                self.known(&Node::Product(factors))
            }
        }
    }

    /// The chain that computes this power, and how many factors long it is.
    fn chain(&self, e: Expr) -> Option<(Chain, u64)> {
        let Node::Power(base, exponent) = *self.node(e) else { return None };
        let exponent = self.as_number(exponent)?;
        let root = match exponent.denom().to_u8()? {
            1 => false,
            2 => true,
            _ => return None,
        };
        let n = exponent.numer().abs().to_u64()?;
        Some((Chain { base, root, reciprocal: exponent.is_negative() }, n))
    }
}

/// Adds `n` and what it is made from to the known `links`; multiplications needed.
fn extend_chain(links: &mut BTreeSet<u64>, n: u64) -> usize {
    let mut muls = 0;
    let mut n = n;
    while links.insert(n) {
        muls += 1;
        n = if n.is_multiple_of(2) { n / 2 } else { n - 1 };
    }
    muls
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(build: impl FnOnce(&mut Pool, Expr, Expr, Expr) -> Vec<Expr>) -> String {
        let mut p = Pool::new();
        let (x, y, z) = (p.symbol("x"), p.symbol("y"), p.symbol("z"));
        let roots = build(&mut p, x, y, z);
        p.cost(&roots).to_string()
    }

    #[test]
    fn sums_and_products() {
        assert_eq!(count(|_, x, _, _| vec![x]), "0");
        assert_eq!(count(|p, x, y, z| vec![p.sum(&[x, y, z])]), "2 add");
        assert_eq!(count(|p, x, y, _| vec![p.sub(x, y)]), "1 add");
        assert_eq!(count(|p, x, y, z| vec![p.product(&[x, y, z])]), "2 mul");
        assert_eq!(
            count(|p, x, y, z| {
                let (xy, half) = (p.mul(x, y), p.ratio(1, 2));
                let sum = p.add(xy, z);
                let scaled = p.mul(half, sum);
                vec![xy, p.neg(xy), p.neg(sum), sum, p.neg(scaled), scaled]
            }),
            "1 add, 2 mul"
        );
    }

    #[test]
    fn constants_are_free() {
        assert_eq!(
            count(|p, x, _, _| {
                let (two, pi) = (p.int(2), p.pi());
                let root = p.sqrt(two);
                let c = p.add(pi, root);
                let a = p.product(&[two, pi, x]);
                vec![p.sum(&[c, a, two])]
            }),
            "1 add, 1 mul"
        );
    }

    #[test]
    fn a_shared_node_counts_once() {
        assert_eq!(
            count(|p, x, y, z| {
                let s = p.add(x, y);
                let a = p.mul(s, z);
                let c = p.call(Function::Exp, s);
                vec![a, c, a]
            }),
            "1 add, 1 mul, 1 exp"
        );
    }

    #[test]
    fn sine_and_cosine_of_one_argument_are_a_pair() {
        let all = |p: &mut Pool, x, y| {
            vec![p.call(Function::Sin, x), p.call(Function::Cos, x), p.call(Function::Cos, y)]
        };
        assert_eq!(count(|p, x, y, _| all(p, x, y)), "1 cos, 1 sin_cos");
    }

    #[test]
    fn powers_share_their_chain() {
        assert_eq!(count(|p, x, _, _| vec![p.powi(x, 2), p.powi(x, 3), p.powi(x, 4)]), "3 mul");
        assert_eq!(count(|p, x, _, _| vec![p.powi(x, 15)]), "6 mul");
        // x^(5/2) = (x x) sqrt(x)
        assert_eq!(
            count(|p, x, _, _| {
                let e = p.ratio(5, 2);
                vec![p.pow(x, e), p.sqrt(x)]
            }),
            "2 mul, 1 sqrt"
        );
        assert_eq!(
            count(|p, x, y, _| {
                let third = p.ratio(1, 3);
                vec![p.pow(x, third), p.pow(x, y)]
            }),
            "2 powf"
        );
    }

    #[test]
    fn reciprocals_are_shared() {
        assert_eq!(count(|p, x, y, _| vec![p.div(x, y)]), "1 div");
        assert_eq!(
            count(|p, x, y, z| {
                let yz = p.mul(y, z);
                vec![p.div(x, yz)]
            }),
            "1 mul, 1 div"
        );
        assert_eq!(count(|p, x, y, z| vec![p.div(x, z), p.div(y, z)]), "2 mul, 1 div");
        assert_eq!(
            count(|p, x, y, _| {
                let e = p.ratio(-3, 2);
                let d = p.pow(y, e);
                vec![p.mul(x, d)]
            }),
            "1 mul, 1 div, 1 sqrt"
        );
        assert_eq!(count(|p, x, _, _| vec![p.powi(x, -2), p.recip(x)]), "1 mul, 1 div");
    }

    #[test]
    fn weights_order_candidates() {
        let mut p = Pool::new();
        let (x, y) = (p.symbol("x"), p.symbol("y"));
        let (product, quotient, sine) = (p.mul(x, y), p.div(x, y), p.call(Function::Sin, x));
        let [a, b, c] = [product, quotient, sine].map(|e| p.cost(&[e]));
        assert!(a.weight() < b.weight() && b.weight() < c.weight());
        let mut total = a.clone();
        total += &b;
        total += &c;
        assert_eq!(total.weight(), a.weight() + b.weight() + c.weight());
    }
}
