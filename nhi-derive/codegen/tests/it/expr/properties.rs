//! What holds for every expression.

use super::recipe::{POINTS, Recipe, SYMBOLS, bind, config, recipe};
use crate::engine::conditioned::evaluate;
use crate::support;
use nhi_codegen::expr::{Expr, Node, Pool};
use num_traits::{One, Signed};
use proptest::prelude::*;
use std::collections::HashMap;

/// `a` and `b` agree wherever both are well conditioned; how often that was.
fn agreements(pool: &mut Pool, a: Expr, b: Expr) -> usize {
    let mut count = 0;
    for point in &POINTS {
        let values = bind(pool, point);
        let [x, y] = evaluate(pool, &[a, b], &values)[..] else { unreachable!() };
        if x.is_usable() && y.is_usable() {
            assert!(x.agrees(y), "{}\n  = {x:?}, but\n{}\n  = {y:?}", pool.show(a), pool.show(b));
            count += 1;
        }
    }
    count
}

/// The invariants that `Node` promises.
fn assert_canonical(pool: &Pool, e: Expr) {
    for x in pool.reachable(&[e]) {
        let shown = pool.show(x);
        let number = |e: &Expr| pool.as_number(*e).is_some();
        match pool.node(x) {
            Node::Sum(terms) => {
                assert!(terms.len() > 1, "{shown}");
                assert!(!terms[1..].iter().any(number), "{shown}");
                assert!(!terms.iter().any(|&t| matches!(pool.node(t), Node::Sum(_))), "{shown}");
                let rests: Vec<Expr> = terms.iter().map(|&t| pool.split_coefficient(t).1).collect();
                assert!(rests.is_sorted_by(|a, b| a < b), "{shown}");
            }
            Node::Product(factors) => {
                assert!(factors.len() > 1, "{shown}");
                assert!(!factors[1..].iter().any(number), "{shown}");
                assert!(!pool.is_one(factors[0]) && !pool.is_zero(factors[0]), "{shown}");
                assert!(!factors.iter().any(|&t| matches!(pool.node(t), Node::Product(_))), "{shown}");
                let factors = &factors[usize::from(number(&factors[0]))..];
                let bases: Vec<Expr> = factors.iter().map(|&t| pool.split_power(t).0).collect();
                assert!(bases.is_sorted_by(|a, b| a < b), "{shown}");
                let sums = factors.iter().filter(|&&f| matches!(pool.node(f), Node::Sum(_)));
                assert!(sums.copied().all(|f| !pool.is_negated(f)), "{shown}");
            }
            Node::Power(b, n) => {
                assert!(!pool.is_zero(*n) && !pool.is_one(*n) && !pool.is_one(*b), "{shown}");
                let integer = pool.as_number(*n).is_some_and(|n| n.is_integer());
                let small = pool.as_number(*n).is_some_and(|n| n.abs() < 1000.into_rational());
                assert!(!(integer && matches!(pool.node(*b), Node::Power(..))), "{shown}");
                assert!(!(integer && small && matches!(pool.node(*b), Node::Product(_))), "{shown}");
            }
            Node::Number(_)
            | Node::Pi
            | Node::Symbol(_)
            | Node::Call(..)
            | Node::Atan2(..)
            | Node::Select(_)
            | Node::Map(..)
            | Node::Saddle(..) => {}
        }
    }
}

trait IntoRational {
    fn into_rational(self) -> nhi_codegen::expr::Rational;
}

impl IntoRational for i64 {
    fn into_rational(self) -> nhi_codegen::expr::Rational {
        nhi_codegen::expr::Rational::from_integer(self.into())
    }
}

/// Derivative along one coordinate by central differences of the recipe's own values, extrapolated
/// twice, with the change in the last extrapolation as its error. Three step sizes must agree.
fn difference(r: &Recipe, point: &[f64; 4], i: usize) -> Option<(f64, f64)> {
    let central = |h: f64| {
        let at = |step: f64| {
            let mut p = *point;
            p[i] += step;
            Some(r.value(&p)).filter(|v| v.is_usable())
        };
        let (a, b) = (at(h)?, at(-h)?);
        Some(((a.value - b.value) / (2.0 * h), (a.error + b.error) / h))
    };
    let h = 2e-3;
    let [d1, d2, d4] = [central(h)?, central(h / 2.0)?, central(h / 4.0)?];
    let extrapolate = |coarse: f64, fine: f64, factor: f64| fine + (fine - coarse) / (factor - 1.0);
    let [e1, e2] = [extrapolate(d1.0, d2.0, 4.0), extrapolate(d2.0, d4.0, 4.0)];
    let best = extrapolate(e1, e2, 16.0);
    Some((best, (e1 - e2).abs() + 8.0 * d4.1))
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn values_are_those_of_the_recipe(r in recipe()) {
        let mut pool = Pool::new();
        let e = r.build(&mut pool);
        for point in &POINTS {
            let expected = r.value(point);
            let values = bind(&mut pool, point);
            let found = evaluate(&pool, &[e], &values)[0];
            let plain = pool.evaluate(&[e], &values)[0];
            prop_assert!(!found.is_usable() || (plain - found.value).abs() <= 4.0 * found.error);
            if expected.is_usable() {
                // Defined as written, so defined as simplified.
                prop_assert!(!found.value.is_nan(), "{}", pool.show(e));
                let error = 8.0 * (expected.error + found.error) + f64::MIN_POSITIVE;
                prop_assert!((found.value - expected.value).abs() <= error,
                    "{}: {found:?} instead of {expected:?}", pool.show(e));
            }
        }
    }

    #[test]
    fn form_is_canonical(r in recipe()) {
        let mut pool = Pool::new();
        let e = r.build(&mut pool);
        assert_canonical(&pool, e);
        for x in pool.reachable(&[e]) {
            let again = pool.rebuild(x, |c| c);
            prop_assert_eq!(again, x, "{} became {}", pool.show(x), pool.show(again));
        }
        let same = r.build(&mut pool);
        prop_assert_eq!(same, e);
    }

    #[test]
    fn order_of_operands_does_not_matter(r in recipe(), seed in any::<u64>()) {
        let mut pool = Pool::new();
        let e = r.build(&mut pool);
        let mut random = support::Random(seed);
        let shuffled = r.build_with(&mut pool, &mut |mut operands| {
            for i in (1..operands.len()).rev() {
                operands.swap(i, random.below(i + 1));
            }
            operands
        });
        prop_assert_eq!(e, shuffled, "{} and {}", pool.show(e), pool.show(shuffled));
    }

    #[test]
    fn derivatives_agree(r in recipe()) {
        let mut pool = Pool::new();
        let e = r.build(&mut pool);
        let symbols: Vec<Expr> = SYMBOLS.iter().map(|s| pool.symbol(s)).collect();
        let reverse = pool.gradient(e, &symbols);
        for (i, &s) in symbols.iter().enumerate() {
            let forward = pool.derivative(e, s);
            assert_canonical(&pool, forward);
            assert_canonical(&pool, reverse[i]);
            agreements(&mut pool, forward, reverse[i]);
            for point in &POINTS {
                let values = bind(&mut pool, point);
                let exact = evaluate(&pool, &[forward], &values)[0];
                if let Some((d, error)) = difference(&r, point, i)
                    && exact.is_usable()
                    && error < 1e-4 * (1.0 + d.abs())
                {
                    prop_assert!((exact.value - d).abs() <= 4.0 * error + exact.error,
                        "d/d{} of {} is {}: {exact:?} instead of {d} +- {error}",
                        SYMBOLS[i], pool.show(e), pool.show(forward));
                }
            }
        }
    }

    #[test]
    fn substitution_is_evaluation(r in recipe(), inner in recipe()) {
        let mut pool = Pool::new();
        let (e, to) = (r.build(&mut pool), inner.build(&mut pool));
        let x = pool.symbol("x");
        let replaced = pool.substitute(&[e], &HashMap::from([(x, to)]))[0];
        assert_canonical(&pool, replaced);
        for point in &POINTS {
            let value = inner.value(point);
            let mut moved = *point;
            moved[0] = value.value;
            // The error of the inserted value as a spread of the outer one.
            let outer = r.value(&moved);
            moved[0] += 4.0 * value.error;
            let spread = (r.value(&moved).value - outer.value).abs();
            let values = bind(&mut pool, point);
            let found = evaluate(&pool, &[replaced], &values)[0];
            let usable = value.is_usable() && outer.is_usable() && found.is_usable();
            if usable && spread < 1e-6 * (1.0 + outer.value.abs()) {
                let error = 8.0 * (outer.error + found.error + spread) + f64::MIN_POSITIVE;
                prop_assert!((found.value - outer.value).abs() <= error,
                    "{}: {found:?} instead of {outer:?}", pool.show(replaced));
            }
        }
        // Nothing to replace, nothing changed.
        let missing = pool.symbol("missing");
        prop_assert_eq!(pool.substitute(&[e], &HashMap::from([(missing, to)]))[0], e);
    }

    #[test]
    fn expanding_keeps_values(r in recipe()) {
        let mut pool = Pool::new();
        let e = r.build(&mut pool);
        if let Some(expanded) = pool.expand(e, 200) {
            assert_canonical(&pool, expanded);
            agreements(&mut pool, e, expanded);
            for x in pool.reachable(&[expanded]) {
                let is_sum = |e: Expr| matches!(pool.node(e), Node::Sum(_));
                if let Node::Product(f) = pool.node(x) {
                    prop_assert!(!f.iter().any(|&f| is_sum(f)), "{}", pool.show(x));
                }
                if let Node::Power(b, n) = pool.node(x)
                    && let Some(n) = pool.as_number(*n)
                {
                    prop_assert!(!(is_sum(*b) && n.is_integer() && n.is_positive()), "{}", pool.show(x));
                }
            }
            let again = pool.expand(expanded, 200);
            prop_assert_eq!(again, Some(expanded));
        }
    }

    #[test]
    fn cost_counts_something(r in recipe()) {
        let mut pool = Pool::new();
        let e = r.build(&mut pool);
        let free = matches!(pool.node(e), Node::Symbol(_)) || pool.symbols_in(&[e]).is_empty();
        let minus = pool.neg(e);
        let (cost, negated) = (pool.cost(&[e]), pool.cost(&[minus]));
        let one = nhi_codegen::expr::Rational::one();
        let signed = pool.split_coefficient(e).0 == -one;
        prop_assert!(free == (cost.weight() == 0) || signed, "{}: {cost}", pool.show(e));
        prop_assert_eq!(negated.calls, cost.calls);
        prop_assert_eq!(negated.divs, cost.divs);
    }
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn zero_test_agrees_with_values(r in recipe()) {
        let mut pool = Pool::new();
        let e = r.build(&mut pool);
        let vanishes = pool.vanishes(e);
        for point in &POINTS {
            let v = r.value(point);
            if v.is_usable() {
                prop_assert!(!vanishes || v.value.abs() <= 8.0 * v.error + f64::MIN_POSITIVE, "{}", pool.show(e));
            }
        }
        if let Some(expanded) = pool.expand(e, 200) {
            let difference = pool.sub(e, expanded);
            let defined = POINTS.iter().all(|p| r.value(p).is_usable());
            prop_assert!(!defined || pool.vanishes(difference), "{}", pool.show(difference));
        }
    }
}
