//! Symbolica in its own process: many at once, always the same answer, clear errors.

use crate::support::expression;
use nhi_codegen::engine::{Engine, Symbolica};
use nhi_codegen::expr::{Expr, Pool};
use std::path::Path;

const ASKED: [&str; 4] = [
    "(1/m + l^2*cos(phi)^2/(m*l^2 - I))^2 - ((cos(t + phi)*cos(t - phi) - sin(t + phi)*sin(phi - t))/m - l^2*cos(phi)^2/(m*l^2 - I))^2",
    "x^2 + 2*x*y + y^2 + 2*x*z + 2*y*z + z^2",
    "a*sin(x)^2*tan(y) + a*cos(x)^2*tan(y) + exp(x)/(1 + y) + exp(x)*y/(1 + y)",
    "sqrt(x^2 + y^2)*atan2(y, x) + x^c",
];

/// Everything an engine says about the expressions above, in a pool of its own.
fn answers(engine: &mut dyn Engine) -> String {
    let mut pool = Pool::new();
    let asked: Vec<Expr> = ASKED.iter().map(|e| expression(&mut pool, e)).collect();
    let variables: Vec<Expr> = ["phi", "t", "x", "y"].iter().map(|s| pool.symbol(s)).collect();
    let requests: Vec<(Expr, Vec<Expr>)> = asked.iter().map(|&e| (e, variables.clone())).collect();
    let derivatives = engine.derivatives(&mut pool, &requests).expect("derivatives").concat();
    let simple = engine.simplify(&mut pool, &asked).expect("simplified");
    derivatives.iter().chain(&simple).map(|&e| format!("{}\n", pool.show(e))).collect()
}

#[test]
fn many_at_once_give_one_answer() {
    let expected = answers(&mut Symbolica::new());
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let mut engines = [Symbolica::new(), Symbolica::new()];
                    engines.each_mut().map(|e| answers(e))
                })
            })
            .collect();
        for thread in threads {
            for answer in thread.join().expect("no panic") {
                assert_eq!(answer, expected);
            }
        }
    });
}

#[test]
fn a_missing_engine_is_explained() {
    let mut engine = Symbolica::at(Path::new("/nowhere/build-script-build"));
    let mut pool = Pool::new();
    let e = expression(&mut pool, "x*y + x*z");
    let message = engine.simplify(&mut pool, &[e]).expect_err("no engine").to_string();
    assert!(message.contains("/nowhere/build-script-build is gone"), "{message}");
    assert!(message.contains("cargo clean -p nhi-codegen"), "{message}");
    assert!(message.contains("default-features = false"), "{message}");
}
