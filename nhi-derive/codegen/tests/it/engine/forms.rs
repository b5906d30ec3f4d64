//! What engines make of single expressions.

use super::engines;
use crate::support::expression;
use nhi_codegen::engine::Engine;
use nhi_codegen::expr::{Expr, Function, Pool};

fn simplify(engine: &mut dyn Engine, text: &str) -> String {
    let mut pool = Pool::new();
    let e = expression(&mut pool, text);
    let s = engine.simplify(&mut pool, &[e]).expect("an answer")[0];
    pool.show(s).to_string()
}

/// Every engine turns the left into the right.
fn assert_forms(table: &[(&str, &str)]) {
    for mut engine in engines() {
        for (from, to) in table {
            assert_eq!(simplify(engine.as_mut(), from), *to, "{} on {from}", engine.name());
        }
    }
}

#[test]
fn trigonometric_identities() {
    assert_forms(&[
        ("1 - sin(x)^2", "cos(x)^2"),
        ("a*sin(x)^2 + a*cos(x)^2 + b*cos(y)^2 + b*sin(y)^2", "a + b"),
        ("sin(a)*cos(b) + cos(a)*sin(b)", "sin(a + b)"),
        ("cos(a)*cos(b) - sin(a)*sin(b)", "cos(a + b)"),
        ("sin(t + p)*sin(t - p) + cos(t + p)*cos(t - p)", "cos(2*p)"),
        ("sin(x)^4 - cos(x)^4 + 2*cos(x)^2", "1"),
        ("(cos(a)*x - sin(a)*y)^2 + (sin(a)*x + cos(a)*y)^2", "x^2 + y^2"),
        ("(1 - cos(x)^2)/sin(x)", "sin(x)"),
    ]);
}

#[test]
fn common_factors() {
    assert_forms(&[
        ("a*x + a*y", "a*(x + y)"),
        ("a*x + a*y + b*x + b*y", "(a + b)*(x + y)"),
        ("2*a*x - 2*a*y + 3*b*x - 3*b*y", "(2*a + 3*b)*(x - y)"),
        ("a/c + b/c", "(a + b)/c"),
    ]);
}

#[test]
fn fraction_bars() {
    assert_forms(&[
        ("(x^2 - y^2)/(x - y)", "x + y"),
        ("1/(x - 1) - 1/(x + 1) - 2/((x - 1)*(x + 1))", "0"),
        ("x/(x + y) + y/(x + y)", "1"),
        ("(a*b + b*c)/(a + c)", "b"),
    ]);
}

/// What is neither polynomial nor trigonometric is left alone, whatever it is in the complex plane.
#[test]
fn branch_cuts_stay() {
    assert_forms(&[
        ("sqrt(x^2)", "sqrt(x^2)"),
        ("ln(exp(x)*y)", "ln(exp(x)*y)"),
        ("asin(sin(x))", "asin(sin(x))"),
        ("atan2(a*y, a*x)", "atan2(a*y, a*x)"),
        ("sqrt(x)*sqrt(y) - sqrt(x*y)", "sqrt(x)*sqrt(y) - sqrt(x*y)"),
    ]);
}

/// What takes factorisation and greatest common divisors of polynomials.
#[cfg(feature = "symbolica")]
#[test]
fn polynomial_algebra() {
    let mut engine = nhi_codegen::engine::Symbolica::new();
    for (from, to) in [
        ("x^3 + 3*x^2*y + 3*x*y^2 + y^3 - z^3", "-(z - x - y)*(x^2 + 2*x*y + x*z + y^2 + y*z + z^2)"),
        ("x^2 + 2*x*y + y^2 + 2*x*z + 2*y*z + z^2", "(x + y + z)^2"),
        ("(x^4 - y^4)/(x^3 + x^2*y + x*y^2 + y^3)", "x - y"),
    ] {
        let mut pool = Pool::new();
        let e = expression(&mut pool, from);
        let target = expression(&mut pool, to);
        let s = engine.simplify(&mut pool, &[e]).expect("an answer")[0];
        assert!(pool.cost(&[s]).weight() <= pool.cost(&[target]).weight(), "{from} became {}", pool.show(s));
    }
}

/// Names of any kind, also those that the engine uses itself.
#[test]
fn names_do_not_clash() {
    for mut engine in engines() {
        let mut pool = Pool::new();
        let symbols: Vec<Expr> = ["s1", "s0", "θ", "nhi_sin", "pi", "dot(x)", "y[0]", "e", "i", "𝜋"]
            .map(|n| pool.symbol(n))
            .to_vec();
        let pi = pool.pi();
        let sum = pool.sum(&symbols);
        let e = pool.mul(sum, pi);
        let d = engine.derivatives(&mut pool, &[(e, symbols.clone())]).expect("an answer").remove(0);
        assert!(d.iter().all(|&d| d == pi), "{}", engine.name());
        let products: Vec<Expr> = symbols[1..].iter().map(|&s| pool.mul(symbols[0], s)).collect();
        let e = pool.sum(&products);
        let s = engine.simplify(&mut pool, &[e]).expect("an answer")[0];
        let rest = pool.sum(&symbols[1..]);
        assert_eq!(s, pool.mul(symbols[0], rest), "{}", engine.name());
    }
}

/// Expressions that are small as graphs and huge as trees or when multiplied out.
#[test]
fn no_blow_up() {
    for mut engine in engines() {
        let mut pool = Pool::new();
        let x = pool.symbol("x");
        let one = pool.one();
        let mut deep = x;
        for _ in 0..100 {
            let square = pool.powi(deep, 2);
            let sine = pool.call(Function::Sin, deep);
            deep = pool.add(square, sine);
        }
        let factors: Vec<Expr> = (0..20)
            .map(|i| {
                let terms: Vec<Expr> = (0..5).map(|j| pool.symbol(&format!("x{i}_{j}"))).collect();
                pool.sum(&terms)
            })
            .collect();
        let wide = pool.product(&factors);
        let wide = pool.add(wide, one);
        let s = engine.simplify(&mut pool, &[deep, wide]).expect("an answer");
        assert!(pool.cost(&s).weight() <= pool.cost(&[deep, wide]).weight());
        let d = engine.derivatives(&mut pool, &[(deep, vec![x]), (wide, vec![x])]).expect("an answer");
        assert!(pool.cost(&d[0]).weight() < 2 * pool.cost(&[deep]).weight());
        assert_eq!(d[1], [pool.zero()]);
    }
}
