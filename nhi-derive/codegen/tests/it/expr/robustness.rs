//! Nothing panics, hangs or grows without bound.

use nhi_codegen::expr::{Expr, Function, MAX_BITS, Node, Pool};
use std::collections::HashMap;

/// Numbers at the edges of every rule.
fn corner_cases(pool: &mut Pool) -> Vec<Expr> {
    let (x, y) = (pool.symbol("x"), pool.symbol("y"));
    let mut all = vec![pool.zero(), pool.one(), pool.int(-1), pool.int(2), pool.int(-2), pool.pi(), x];
    all.extend([pool.ratio(1, 2), pool.ratio(-1, 2), pool.ratio(2, 3), pool.ratio(-5, 2)]);
    all.extend([pool.int(i64::MAX), pool.int(i64::MIN), pool.ratio(1, i64::MAX), pool.ratio(i64::MAX, 7)]);
    let zero = pool.zero();
    all.extend([pool.recip(zero), pool.add(x, y), pool.mul(x, y), pool.sub(y, x), pool.powi(x, 2)]);
    all
}

#[test]
fn corner_cases_of_every_operation() {
    let mut pool = Pool::new();
    let cases = corner_cases(&mut pool);
    let mut all = cases.clone();
    for &a in &cases {
        for &b in &cases {
            all.extend([pool.add(a, b), pool.sub(a, b), pool.mul(a, b), pool.div(a, b), pool.pow(a, b)]);
            all.push(pool.atan2(a, b));
        }
        all.extend(Function::ALL.map(|f| pool.call(f, a)));
    }
    let symbols = [pool.symbol("x"), pool.symbol("y")];
    for e in all {
        assert_eq!(pool.rebuild(e, |c| c), e, "{}", pool.show(e));
        pool.gradient(e, &symbols);
        pool.derivative(e, symbols[0]);
        pool.expand(e, 100);
        pool.vanishes(e);
        pool.cost(&[e]).to_string();
        pool.evaluate(&[e], &HashMap::new());
        pool.show_up_to(e, 1000).to_string();
    }
}

#[test]
fn rules_that_must_not_be_applied() {
    let mut pool = Pool::new();
    let (x, half) = (pool.symbol("x"), pool.ratio(1, 2));
    let square = pool.powi(x, 2);
    let root = pool.pow(square, half);
    assert_ne!(root, x);
    let minus_one = pool.int(-1);
    let imaginary = pool.pow(minus_one, half);
    assert!(pool.as_number(imaginary).is_none());
    assert!(pool.evaluate(&[imaginary], &HashMap::new())[0].is_nan());
    let zero = pool.zero();
    let infinite = pool.recip(zero);
    assert!(pool.as_number(infinite).is_none());
    let also = pool.powi(zero, -3);
    assert_eq!(also, infinite);
    assert_eq!(pool.powi(zero, 0), pool.one());
    let minus_x = pool.neg(x);
    let (ln, acos) = (pool.call(Function::Ln, minus_x), pool.call(Function::Acos, minus_x));
    assert!(matches!(pool.node(ln), Node::Call(Function::Ln, _)));
    assert!(matches!(pool.node(acos), Node::Call(Function::Acos, _)));
}

#[test]
fn symbolic_exponents_merge() {
    let mut pool = Pool::new();
    let (x, a) = (pool.symbol("x"), pool.symbol("a"));
    let minus_a = pool.neg(a);
    let (p, q) = (pool.pow(x, a), pool.pow(x, minus_a));
    assert_eq!(pool.mul(p, q), pool.one());
    let p2 = pool.powi(p, 2);
    assert_eq!(pool.mul(p, p), p2);
    let quotient = pool.div(p2, p);
    assert_eq!(quotient, p);
}

#[test]
fn opposite_differences_meet() {
    let mut pool = Pool::new();
    let (x, a, b) = (pool.symbol("x"), pool.symbol("a"), pool.symbol("b"));
    let (ab, ba) = (pool.sub(a, b), pool.sub(b, a));
    let (p, q) = (pool.mul(x, ab), pool.mul(x, ba));
    assert_eq!(pool.add(p, q), pool.zero());
    let (p, q) = (pool.recip(ab), pool.recip(ba));
    assert_eq!(pool.add(p, q), pool.zero());
    let ratio = pool.div(ab, ba);
    assert_eq!(ratio, pool.int(-1));
}

#[test]
fn pythagorean_sums() {
    let mut pool = Pool::new();
    let (x, y, r) = (pool.symbol("x"), pool.symbol("y"), pool.symbol("r"));
    let square = |pool: &mut Pool, f, x| {
        let e = pool.call(f, x);
        pool.powi(e, 2)
    };
    let [sx, cx, sy, cy] = [(Function::Sin, x), (Function::Cos, x), (Function::Sin, y), (Function::Cos, y)]
        .map(|(f, x)| square(&mut pool, f, x));
    assert_eq!(pool.add(sx, cx), pool.one());
    // r sin(x)^2 sin(y)^2 + r cos(x)^2 sin(y)^2 + r cos(y)^2 = r, with a square on the way.
    let terms = [[r, sx, sy], [r, cx, sy], [r, cy, pool.one()]].map(|f| pool.product(&f));
    assert_eq!(pool.sum(&terms), r);
    // Only with equal coefficients.
    let two = pool.int(2);
    let double = pool.mul(two, sx);
    let sum = pool.add(double, cx);
    assert!(matches!(pool.node(sum), Node::Sum(t) if t.len() == 2));
}

/// Squaring again and again: the numbers stay short, the exponents and graphs small.
#[test]
fn repeated_squaring() {
    let mut pool = Pool::new();
    let x = pool.symbol("x");
    let start = [pool.ratio(3, 2), x, pool.add(x, pool.one())];
    for mut e in start {
        for _ in 0..300 {
            e = pool.mul(e, e);
        }
        for x in pool.reachable(&[e]) {
            if let Some(r) = pool.as_number(x) {
                assert!(r.numer().bits().max(r.denom().bits()) <= MAX_BITS);
            }
        }
        let symbol = pool.symbol("x");
        pool.derivative(e, symbol);
        pool.vanishes(e);
    }
    let mut sum = x;
    for _ in 0..5000 {
        sum = pool.add(sum, sum);
    }
    assert!(pool.node_count() < 20_000);
}

/// Roots in roots, raised to a power that reaches the innermost one.
#[test]
fn nested_roots() {
    let mut pool = Pool::new();
    let (x, y) = (pool.symbol("x"), pool.symbol("y"));
    let mut e = x;
    for _ in 0..200 {
        let product = pool.mul(e, y);
        e = pool.sqrt(product);
    }
    for exponent in [2i64, 1 << 10, 1 << 40, i64::MAX] {
        let power = pool.powi(e, exponent);
        assert_eq!(pool.rebuild(power, |c| c), power);
        pool.gradient(power, &[x, y]);
    }
    let mut huge = pool.int(2);
    for _ in 0..11 {
        huge = pool.mul(huge, huge);
    }
    let power = pool.pow(e, huge);
    let back = pool.recip(power);
    assert_eq!(pool.mul(power, back), pool.one());
}

/// Deep and shared graphs need neither stack nor exponential time.
#[test]
fn deep_graphs() {
    let mut pool = Pool::new();
    let (x, y) = (pool.symbol("x"), pool.symbol("y"));
    let mut e = x;
    for _ in 0..1000 {
        let a = pool.call(Function::Sin, e);
        let b = pool.mul(e, y);
        e = pool.add(a, b);
    }
    let gradient = pool.gradient(e, &[x, y]);
    assert!(pool.reachable(&gradient).len() < 15_000);
    pool.derivative(e, x);
    pool.cost(&gradient);
    pool.substitute(&[e], &HashMap::from([(x, y)]));
    pool.expand(e, 50);
    pool.vanishes(e);
}

/// sum over i of x_i in nested parentheses, and a product alike.
#[test]
fn wide_nodes() {
    let mut pool = Pool::new();
    let symbols: Vec<Expr> = (0..1000).map(|i| pool.symbol(&format!("x[{i}]"))).collect();
    let sum = pool.sum(&symbols);
    assert_eq!(pool.gradient(sum, &symbols), vec![pool.one(); 1000]);
    let (one, two) = symbols.split_at(500);
    let (a, b) = (pool.sum(one), pool.sum(two));
    assert_eq!(pool.add(a, b), sum);
    let minus = pool.neg(sum);
    assert_eq!(pool.add(minus, sum), pool.zero());
    let product = pool.product(&symbols[..200]);
    let gradient = pool.gradient(product, &symbols[..200]);
    assert!(gradient.iter().all(|&g| matches!(pool.node(g), Node::Product(f) if f.len() == 199)));
}

#[test]
fn expanding_goes_on_where_roots_meet() {
    let mut pool = Pool::new();
    let (x, y, z) = (pool.symbol("x"), pool.symbol("y"), pool.symbol("z"));
    // sqrt(x + y) (z sqrt(x + y) + z) z = z^2 x + z^2 y + z^2 sqrt(x + y)
    let sum = pool.add(x, y);
    let root = pool.sqrt(sum);
    let zr = pool.mul(z, root);
    let inner = pool.add(zr, z);
    let product = pool.product(&[root, inner, z]);
    let expanded = pool.expand(product, 10).expect("three terms");
    assert_eq!(pool.show(expanded).to_string(), "z^2*sqrt(x + y) + x*z^2 + y*z^2");
    assert_eq!(pool.expand(product, 2), None);
    let power = pool.powi(sum, 100);
    assert_eq!(pool.expand(power, 99), Some(power));
    assert_eq!(pool.expand(power, 100), None);
    assert_eq!(pool.expand(sum, 1), Some(sum));
}
