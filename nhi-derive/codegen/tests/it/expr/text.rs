//! The textual form.

use super::recipe::{config, recipe};
use crate::support::expression;
use nhi_codegen::expr::Pool;
use proptest::prelude::*;

/// (as written, as printed)
const EXAMPLES: &[(&str, &str)] = &[
    ("x + y", "x + y"),
    ("y - x", "-x + y"),
    ("1 - x", "1 - x"),
    ("x - 1", "x - 1"),
    ("1 + x", "x + 1"),
    ("0 - 1 - x", "-x - 1"),
    ("2*x - 3/2*y", "2*x - 3*y/2"),
    ("x*1/2", "x/2"),
    ("(1/2)^x", "(1/2)^x"),
    ("2^x", "2^x"),
    ("(-2)^x", "(-2)^x"),
    ("-x^2", "-x^2"),
    ("(-x)^2", "x^2"),
    ("(-x)^3", "-x^3"),
    ("x^2^3", "x^8"),
    ("x^y^z", "x^(y^z)"),
    ("(x^y)^z", "(x^y)^z"),
    ("x^(-y)", "x^(-y)"),
    ("x^-1", "1/x"),
    ("x^-3", "1/x^3"),
    ("x^(1/2)", "sqrt(x)"),
    ("x^(-1/2)", "1/sqrt(x)"),
    ("x^(3/2)", "x^(3/2)"),
    ("x^(-3/2)", "1/x^(3/2)"),
    ("y*x^(-3/2)", "y/x^(3/2)"),
    ("(x/y)/z", "x/(y*z)"),
    ("x/(y*z)", "x/(y*z)"),
    ("x/(y/z)", "x*z/y"),
    ("1/(2*x)", "1/(2*x)"),
    ("3/(2*x)", "3/(2*x)"),
    ("-x/2", "-x/2"),
    ("(-2)*x", "-2*x"),
    ("-(x + y)*z", "-z*(x + y)"),
    ("(x + y)*z", "z*(x + y)"),
    ("(y - x)*z", "-z*(x - y)"),
    ("(y - x)^2", "(x - y)^2"),
    ("(y - x)^3", "-(x - y)^3"),
    ("1/(y - x)", "-1/(x - y)"),
    ("z/(x + y)", "z/(x + y)"),
    ("z/(x + y)^2", "z/(x + y)^2"),
    ("(1/x)^y", "(1/x)^y"),
    ("sqrt(x)^y", "sqrt(x)^y"),
    ("(x^2)^(1/2)", "sqrt(x^2)"),
    ("sqrt(2)*x", "sqrt(2)*x"),
    ("1/sqrt(2)", "sqrt(2)/2"),
    ("sqrt(x/2)", "sqrt(x/2)"),
    ("sin(-x)", "-sin(x)"),
    ("sin(x - y)^2", "sin(x - y)^2"),
    ("cos(y - x)", "cos(x - y)"),
    ("exp(-x)", "exp(-x)"),
    ("atan2(-y, x + 1)", "atan2(-y, x + 1)"),
    ("pi/4*x", "pi*x/4"),
    ("sin(pi/6) + cos(2*pi/3)", "0"),
    ("1 + cos(2*pi/3) + cos(4*pi/3)", "0"),
    ("sin(2*pi/3) + sin(-8*pi/3)", "0"),
    ("sin(pi/4)^2", "1/2"),
    ("cos(5*pi/4)", "-sqrt(2)/2"),
    ("tan(4*pi/3)", "sqrt(3)"),
    ("tan(5*pi/6)", "-sqrt(3)/3"),
    ("tan(pi)", "0"),
    ("tan(pi/2)", "tan(pi/2)"),
    ("cos(pi/12)", "cos(pi/12)"),
    ("2*(x + y)", "2*(x + y)"),
    ("x + -1*(y + z)", "x - y - z"),
    ("dot(theta)^2*m/2 + y[0]", "m*dot(theta)^2/2 + y[0]"),
];

fn pool() -> Pool {
    let mut pool = Pool::new();
    for name in ["x", "y", "z", "m"] {
        pool.symbol(name);
    }
    pool
}

#[test]
fn examples() {
    let mut pool = pool();
    for (written, printed) in EXAMPLES {
        let e = expression(&mut pool, written);
        assert_eq!(pool.show(e).to_string(), *printed, "for {written}");
        assert_eq!(expression(&mut pool, printed), e, "{printed} read again");
    }
}

#[test]
fn long_texts_are_cut_off() {
    let mut pool = pool();
    let e = expression(&mut pool, "x^2 + y*sin(x)");
    for longest in 0..14 {
        let text: String = "x^2 + y*sin(x)".chars().take(longest).chain(['…']).collect();
        assert_eq!(pool.show_up_to(e, longest).to_string(), text);
    }
    assert_eq!(pool.show_up_to(e, 14).to_string(), "x^2 + y*sin(x)");
}

/// A graph of a hundred nodes that is a tree of 2^50 leaves, and one that is very deep.
#[test]
fn printing_is_bounded() {
    let mut pool = pool();
    let (x, y) = (pool.symbol("x"), pool.symbol("y"));
    let mut e = x;
    for _ in 0..50 {
        let a = pool.call(nhi_codegen::expr::Function::Sin, e);
        let b = pool.mul(e, y);
        e = pool.add(a, b);
    }
    assert_eq!(pool.show_up_to(e, 100).to_string().chars().count(), 101);
    assert_eq!(pool.show(e).to_string().chars().count(), (1 << 20) + 1);
    let mut deep = x;
    for _ in 0..100_000 {
        deep = pool.call(nhi_codegen::expr::Function::Sin, deep);
    }
    assert!(pool.show(deep).to_string().starts_with("sin(sin(sin("));
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn texts_are_read_back(r in recipe()) {
        let mut pool = Pool::new();
        let e = r.build(&mut pool);
        let text = pool.show(e).to_string();
        let again = expression(&mut pool, &text);
        prop_assert_eq!(again, e, "{} became {}", text, pool.show(again));
    }
}
