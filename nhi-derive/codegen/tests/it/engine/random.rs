//! Random expressions: answers are equal to what was asked, and engines agree.

use super::conditioned::evaluate;
use super::engines;
use nhi_codegen::expr::{Expr, Function, Pool};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::HashMap;

const SYMBOLS: [&str; 4] = ["x", "y", "theta", "phi"];

/// Recipe of an expression.
#[derive(Clone, Debug)]
enum Recipe {
    Number(i64, i64),
    Symbol(usize),
    Sum(Vec<Recipe>),
    Product(Vec<Recipe>),
    Power(Box<Recipe>, i64),
    Root(Box<Recipe>),
    Call(Function, Box<Recipe>),
    Atan2(Box<Recipe>, Box<Recipe>),
}

impl Recipe {
    fn build(&self, pool: &mut Pool) -> Expr {
        match self {
            Recipe::Number(n, d) => pool.ratio(*n, *d),
            Recipe::Symbol(i) => pool.symbol(SYMBOLS[*i]),
            Recipe::Sum(r) => {
                let r: Vec<Expr> = r.iter().map(|r| r.build(pool)).collect();
                pool.sum(&r)
            }
            Recipe::Product(r) => {
                let r: Vec<Expr> = r.iter().map(|r| r.build(pool)).collect();
                pool.product(&r)
            }
            Recipe::Power(b, n) => {
                let b = b.build(pool);
                pool.powi(b, *n)
            }
            Recipe::Root(b) => {
                let b = b.build(pool);
                pool.sqrt(b)
            }
            Recipe::Call(f, x) => {
                let x = x.build(pool);
                pool.call(*f, x)
            }
            Recipe::Atan2(y, x) => {
                let (y, x) = (y.build(pool), x.build(pool));
                pool.atan2(y, x)
            }
        }
    }
}

/// Any expression of the grammar, trigonometric functions more often than others.
fn recipe() -> impl Strategy<Value = Recipe> {
    let leaf = prop_oneof![
        1 => (-3i64..=3, 1i64..=3).prop_map(|(n, d)| Recipe::Number(n, d)),
        4 => (0..SYMBOLS.len()).prop_map(Recipe::Symbol),
    ];
    leaf.prop_recursive(5, 40, 3, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        prop_oneof![
            4 => prop::collection::vec(inner.clone(), 2..4).prop_map(Recipe::Sum),
            4 => prop::collection::vec(inner, 2..4).prop_map(Recipe::Product),
            2 => (boxed.clone(), prop::sample::select(vec![-2i64, -1, 2, 3])).prop_map(|(b, n)| Recipe::Power(b, n)),
            1 => boxed.clone().prop_map(Recipe::Root),
            4 => (prop::sample::select(vec![Function::Sin, Function::Cos]), boxed.clone())
                .prop_map(|(f, x)| Recipe::Call(f, x)),
            1 => (prop::sample::select(Function::ALL.to_vec()), boxed.clone())
                .prop_map(|(f, x)| Recipe::Call(f, x)),
            1 => (boxed.clone(), boxed).prop_map(|(y, x)| Recipe::Atan2(y, x)),
        ]
    })
}

/// Numbers without simple relations, in the first quadrant and beyond.
fn points(pool: &mut Pool) -> Vec<HashMap<nhi_codegen::expr::Symbol, f64>> {
    let symbols: Vec<_> = SYMBOLS
        .iter()
        .map(|s| {
            let e = pool.symbol(s);
            pool.as_symbol(e).expect("a symbol")
        })
        .collect();
    [[0.7310, 1.3170, 0.4190, 0.9230], [-1.1870, 0.3370, 2.1310, -0.5470], [1.9310, -0.8630, -2.7710, 1.5130]]
        .iter()
        .map(|p| symbols.iter().copied().zip(p.iter().copied()).collect())
        .collect()
}

/// Values agree at every point where both and what they come from are defined and well conditioned.
fn assert_equal(pool: &mut Pool, origin: Expr, a: Expr, b: Expr) {
    for point in points(pool) {
        let values = evaluate(pool, &[a, b, origin], &point);
        if values.iter().all(|v| v.is_usable()) {
            assert!(
                values[0].agrees(values[1]),
                "{}\n  = {:?}, but\n{}\n  = {:?}",
                pool.show(a),
                values[0],
                pool.show(b),
                values[1]
            );
        }
    }
}

/// The same expressions at every run.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 50,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    }
}

/// Several expressions, for one batch.
fn recipes() -> impl Strategy<Value = Vec<Recipe>> {
    prop::collection::vec(recipe(), 1..9)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn simplified_is_equal_and_not_dearer(recipes in recipes()) {
        for mut engine in engines() {
            let mut pool = Pool::new();
            let asked: Vec<Expr> = recipes.iter().map(|r| r.build(&mut pool)).collect();
            let simple = engine.simplify(&mut pool, &asked).expect("an answer");
            prop_assert!(pool.cost(&simple).weight() <= pool.cost(&asked).weight());
            for (&e, s) in asked.iter().zip(simple) {
                assert_equal(&mut pool, e, e, s);
            }
        }
    }

    #[test]
    fn derivatives_agree(recipes in recipes()) {
        let mut pool = Pool::new();
        let variables: Vec<Expr> = SYMBOLS.iter().map(|s| pool.symbol(s)).collect();
        let requests: Vec<(Expr, Vec<Expr>)> =
            recipes.iter().map(|r| (r.build(&mut pool), variables.clone())).collect();
        for mut engine in engines() {
            let answers = engine.derivatives(&mut pool, &requests).expect("an answer");
            for ((e, variables), answer) in requests.iter().zip(answers) {
                for (&v, d) in variables.iter().zip(answer) {
                    let expected = pool.derivative(*e, v);
                    assert_equal(&mut pool, *e, expected, d);
                }
            }
        }
    }
}
