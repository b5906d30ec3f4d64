//! Random expressions mean what they say, and nothing makes the parser panic.

use super::{parse, three};
use nhi_codegen::declaration::Declaration;
use nhi_codegen::expr::Symbol;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::HashMap;

/// An expression in `x`, `y`, `m`, `c[0..3]` and small numbers.
#[derive(Clone, Debug)]
enum E {
    Number(u32, &'static str),
    Name(&'static str),
    Neg(Box<E>),
    Binary(Box<E>, char, Box<E>),
    Power(Box<E>, i32),
    Call(&'static str, Box<E>),
    Sum(Box<E>),
}

fn expression() -> impl Strategy<Value = E> {
    let leaf = prop_oneof![
        (0..20u32, prop_oneof![Just(""), Just(".5"), Just("."), Just("e-1")])
            .prop_map(|(n, tail)| E::Number(n, tail)),
        prop_oneof![Just("x"), Just("y"), Just("m"), Just("c[2]"), Just("pi"), Just("c[(4 - 3)]")]
            .prop_map(E::Name),
    ];
    leaf.prop_recursive(6, 40, 3, |inner| {
        let boxed = inner.prop_map(Box::new).boxed();
        prop_oneof![
            boxed.clone().prop_map(E::Neg),
            (boxed.clone(), prop_oneof![Just('+'), Just('-'), Just('*'), Just('/')], boxed.clone())
                .prop_map(|(a, op, b)| E::Binary(a, op, b)),
            (boxed.clone(), -3..4i32).prop_map(|(a, n)| E::Power(a, n)),
            (prop_oneof![Just("sin"), Just("cos"), Just("tanh"), Just("atan"), Just("exp")], boxed.clone())
                .prop_map(|(f, a)| E::Call(f, a)),
            boxed.prop_map(E::Sum),
        ]
    })
}

const X: f64 = 0.7;
const Y: f64 = -1.3;
const M: f64 = 1.9;
const C: [f64; 3] = [0.3, -0.8, 2.1];

impl E {
    /// Precedence: sums 0, products 1, signs 2, powers 3, atoms 4.
    fn level(&self) -> u8 {
        match self {
            E::Binary(_, '+' | '-', _) => 0,
            E::Binary(..) => 1,
            E::Neg(_) => 2,
            E::Power(..) => 3,
            _ => 4,
        }
    }

    /// With as few parentheses as the grammar allows.
    fn text(&self, least: u8) -> String {
        let text = match self {
            E::Number(n, tail) => format!("{n}{tail}"),
            E::Name(name) => (*name).to_owned(),
            E::Neg(a) => format!("-{}", a.text(2)),
            E::Binary(a, op @ ('+' | '-'), b) => format!("{} {op} {}", a.text(0), b.text(1)),
            E::Binary(a, op, b) => format!("{}{op}{}", a.text(1), b.text(2)),
            E::Power(a, n) => format!("{}^{n}", a.text(4)),
            E::Call(f, a) => format!("{f}({})", a.text(0)),
            E::Sum(a) => {
                let i = format!("i{}", a.sums());
                format!("sum({i} in 0..3, c[{i}]*{})", a.text(2))
            }
        };
        if self.level() < least { format!("({text})") } else { text }
    }

    /// How many sums are nested in here; loop variables may not repeat.
    fn sums(&self) -> usize {
        match self {
            E::Number(..) | E::Name(_) => 0,
            E::Neg(a) | E::Power(a, _) | E::Call(_, a) => a.sums(),
            E::Sum(a) => 1 + a.sums(),
            E::Binary(a, _, b) => a.sums().max(b.sums()),
        }
    }

    fn value(&self) -> f64 {
        match self {
            E::Number(n, tail) => format!("{n}{tail}").parse().unwrap(),
            E::Name("x") => X,
            E::Name("y") => Y,
            E::Name("m") => M,
            E::Name("c[2]") => C[2],
            E::Name("c[(4 - 3)]") => C[1],
            E::Name(_) => std::f64::consts::PI,
            E::Neg(a) => -a.value(),
            E::Binary(a, '+', b) => a.value() + b.value(),
            E::Binary(a, '-', b) => a.value() - b.value(),
            E::Binary(a, '*', b) => a.value() * b.value(),
            E::Binary(a, _, b) => a.value() / b.value(),
            E::Power(a, n) => a.value().powi(*n),
            E::Call("sin", a) => a.value().sin(),
            E::Call("cos", a) => a.value().cos(),
            E::Call("tanh", a) => a.value().tanh(),
            E::Call("atan", a) => a.value().atan(),
            E::Call(_, a) => a.value().exp(),
            E::Sum(a) => C.iter().sum::<f64>() * a.value(),
        }
    }

    /// The largest value on the way, which rounding errors are relative to.
    fn scale(&self) -> f64 {
        let inner = match self {
            E::Number(..) | E::Name(_) => 0.0,
            E::Neg(a) | E::Power(a, _) | E::Call(_, a) | E::Sum(a) => a.scale(),
            E::Binary(a, _, b) => a.scale().max(b.scale()),
        };
        let own = self.value().abs();
        inner.max(own).max(1.0 / own)
    }
}

/// What `expression` means as a coefficient, evaluated.
fn meaning(expression: &str) -> Result<(f64, String), Vec<String>> {
    let declaration = parse(&three(&format!(
        "lagrangian = dot(x)^2 + dot(y)^2 + dot(z)^2, constraints(), let(e = {expression}), force = e*dx"
    )))?;
    let s = &declaration.system;
    let symbol = |name: &str| -> Symbol {
        let all = s.coordinates.iter().map(|c| (c.name.as_str(), c.symbol));
        let all = all.chain(s.parameters.iter().map(|p| (p.name.as_str(), p.symbol)));
        all.filter(|(n, _)| *n == name).filter_map(|(_, e)| s.pool.as_symbol(e)).next().unwrap()
    };
    let values: HashMap<Symbol, f64> = HashMap::from([
        (symbol("x"), X),
        (symbol("y"), Y),
        (symbol("m"), M),
        (symbol("c[0]"), C[0]),
        (symbol("c[1]"), C[1]),
        (symbol("c[2]"), C[2]),
    ]);
    Ok((s.pool.evaluate(&[s.force[0]], &values)[0], s.pool.show(s.force[0]).to_string()))
}

const TOKENS: &[&str] = &[
    "x",
    "y",
    "dx",
    "dt",
    "t",
    "m",
    "c",
    "c[0]",
    "[1]",
    "(",
    ")",
    "(x)",
    "(dx, dy)",
    "[",
    "]",
    "{",
    "}",
    "+",
    "-",
    "*",
    "/",
    "^",
    "=",
    ",",
    ":",
    "::",
    "..",
    ".",
    "..=",
    "1",
    "2.",
    "1e-3",
    "1e999",
    "0x1",
    "\"s\"",
    "'a",
    "'c'",
    "#",
    "!",
    "&",
    "?",
    "in",
    "let",
    "sum",
    "sum(i in 0..3, ",
    "dot",
    "dot(",
    "d(",
    "sin(",
    "atan2(",
    "coordinates",
    "lagrangian",
    "constraints",
    "force",
    "methods",
    "inputs",
    "group",
    ";",
    "group = SE2(theta, x, y; omega, v, w)",
    "group = SO3(R; w1, w2, w3)",
    "SE3(R, p; w1, w2, w3, v1, v2, v3)",
    "SO3(",
    "R[0][1]",
    "dR[1][i]",
    "omega*dt",
    "omega",
    "w1",
    "crate",
    "let(",
    "coordinates(x, y)",
    "lagrangian = dot(x)^2 + dot(y)^2",
    "constraints()",
    "constraints(",
    "force = ",
    "methods(Dla2)",
    "pi",
    "self",
    "r#type",
    "_",
    "if",
];

/// Closes what is open and drops what closes nothing.
fn balanced(tokens: &[&str]) -> String {
    let mut text = String::new();
    let mut open = Vec::new();
    for token in tokens {
        let mut kept = String::new();
        for c in token.chars() {
            match c {
                '(' => open.push(')'),
                '[' => open.push(']'),
                '{' => open.push('}'),
                ')' | ']' | '}' if open.last() == Some(&c) => {
                    open.pop();
                }
                ')' | ']' | '}' => continue,
                _ => {}
            }
            kept.push(c);
        }
        text.push_str(&kept);
        text.push(' ');
    }
    text.extend(open.into_iter().rev());
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn expressions_mean_what_they_say(e in expression()) {
        let text = e.text(0);
        match meaning(&text) {
            Ok((value, _)) => {
                let (expected, scale) = (e.value(), e.scale());
                // Where numbers stay moderate the order of operations matters little.
                if scale < 1e4 && value.is_finite() {
                    prop_assert!((value - expected).abs() <= 1e-9 * scale * scale, "{text}: {value} {expected}");
                }
            }
            // Constants that are not finite and divisions by zero.
            Err(errors) => prop_assert!(
                errors.iter().all(|e| e.contains("zero") || e.contains("finite") || e.contains("too long")),
                "{text}: {errors:?}"
            ),
        }
    }

    /// What the derive keeps as the author's words, and what the pool prints, means the same again.
    #[test]
    fn printed_expressions_parse_again(e in expression()) {
        let keys = |force: &str| three(&format!("lagrangian = dot(x)^2 + dot(y)^2 + dot(z)^2, constraints(), force = ({force})*dx"));
        if let Ok(first) = parse(&keys(&e.text(0))) {
            let force = |d: &Declaration| d.system.pool.show(d.system.force[0]).to_string();
            let words = first.system.source.force.clone().unwrap();
            let words = words.strip_suffix("*dx").unwrap();
            prop_assert_eq!(words, format!("({})", e.text(0)));
            let (value, shown) = meaning(words).unwrap();
            prop_assert_eq!(&shown, &force(&first));
            let (again, _) = meaning(&shown).unwrap();
            if value.is_finite() && e.scale() < 1e4 {
                prop_assert!((value - again).abs() <= 1e-9 * e.scale().powi(2), "{shown}: {value} {again}");
            }
        }
    }

    #[test]
    fn token_soup_is_no_reason_to_panic(tokens in proptest::collection::vec(proptest::sample::select(TOKENS), 0..40)) {
        let soup = balanced(&tokens);
        for source in [
            format!("#[nonholonomic({soup})] struct S {{ m: f64, c: [f64; 3] }}"),
            format!("#[nonholonomic(coordinates(x, y), {soup})] struct S {{ m: f64, c: [f64; 3] }}"),
            format!("#[nonholonomic(group = SO3(R; w1, w2, w3), lagrangian = w1^2 + w2^2 + w3^2, constraints(), force = {soup})] struct S;"),
            format!("#[nonholonomic(group = SE2({soup}), lagrangian = omega^2, constraints({soup}))] struct S;"),
            three(&format!("lagrangian = {soup}")),
            three(&format!("constraints({soup})")),
        ] {
            // What rustc's lexer refuses never gets here.
            let Ok(input) = syn::parse_str::<syn::DeriveInput>(&source) else { continue };
            if let Err(rejected) = Declaration::parse(&input) {
                let expansion = nhi_codegen::declaration::stub(&input, &rejected);
                prop_assert!(syn::parse2::<syn::File>(expansion).is_ok(), "{source}");
            }
        }
    }
}
