//! Random expressions mean what they say, and nothing makes the parser panic.
//!
//! By default 128 cases each; with `NHI_TESTS=all`, 512.

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

/// A vector in `x`, `y`, `m` and `c`, with the numbers that it stands for.
#[derive(Clone, Debug)]
enum V {
    Literal([E; 3]),
    /// The parameter `c`.
    Name,
    Neg(Box<V>),
    Sum(Box<V>, char, Box<V>),
    Scaled(E, Box<V>),
    Divided(Box<V>, E),
    Cross(Box<V>, Box<V>),
    /// `sum(k in 0..3, c[k]*v)`.
    Loop(Box<V>),
}

fn vector() -> impl Strategy<Value = V> {
    let number = prop_oneof![
        (1..9u32).prop_map(|n| E::Number(n, ".5")),
        prop_oneof![Just("x"), Just("y"), Just("m"), Just("c[2]")].prop_map(E::Name),
        prop_oneof![Just("x"), Just("y")].prop_map(|x| E::Call("sin", Box::new(E::Name(x)))),
    ]
    .boxed();
    let literal = [number.clone(), number.clone(), number.clone()].prop_map(V::Literal);
    prop_oneof![literal, Just(V::Name)].prop_recursive(5, 24, 2, move |inner| {
        let boxed = inner.prop_map(Box::new).boxed();
        prop_oneof![
            boxed.clone().prop_map(V::Neg),
            (boxed.clone(), prop_oneof![Just('+'), Just('-')], boxed.clone())
                .prop_map(|(a, op, b)| V::Sum(a, op, b)),
            (number.clone(), boxed.clone()).prop_map(|(s, a)| V::Scaled(s, a)),
            (boxed.clone(), number.clone()).prop_map(|(a, s)| V::Divided(a, s)),
            (boxed.clone(), boxed.clone()).prop_map(|(a, b)| V::Cross(a, b)),
            boxed.prop_map(V::Loop),
        ]
    })
}

impl V {
    fn text(&self) -> String {
        match self {
            V::Literal(components) => {
                let [a, b, c] = components.each_ref().map(|e| e.text(0));
                format!("[{a}, {b}, {c}]")
            }
            V::Name => "c".to_owned(),
            V::Neg(a) => format!("-({})", a.text()),
            V::Sum(a, op, b) => format!("({} {op} ({}))", a.text(), b.text()),
            V::Scaled(s, a) => format!("{}*({})", s.text(2), a.text()),
            V::Divided(a, s) => format!("({})/{}", a.text(), s.text(2)),
            V::Cross(a, b) => format!("cross({}, {})", a.text(), b.text()),
            V::Loop(a) => format!("sum(k{0} in 0..3, c[k{0}]*({1}))", a.loops(), a.text()),
        }
    }

    /// How many sums are nested in here; loop variables may not repeat.
    fn loops(&self) -> usize {
        match self {
            V::Literal(_) | V::Name => 0,
            V::Neg(a) | V::Scaled(_, a) | V::Divided(a, _) => a.loops(),
            V::Sum(a, _, b) | V::Cross(a, b) => a.loops().max(b.loops()),
            V::Loop(a) => 1 + a.loops(),
        }
    }

    fn value(&self) -> [f64; 3] {
        match self {
            V::Literal(components) => components.each_ref().map(E::value),
            V::Name => C,
            V::Neg(a) => a.value().map(|x| -x),
            V::Sum(a, op, b) => {
                let (a, b) = (a.value(), b.value());
                let sign = if *op == '+' { 1.0 } else { -1.0 };
                [0, 1, 2].map(|i| a[i] + sign * b[i])
            }
            V::Scaled(s, a) => a.value().map(|x| s.value() * x),
            V::Divided(a, s) => a.value().map(|x| x / s.value()),
            V::Cross(a, b) => {
                let ([a, b, c], [x, y, z]) = (a.value(), b.value());
                [b * z - c * y, c * x - a * z, a * y - b * x]
            }
            V::Loop(a) => a.value().map(|x| C.iter().sum::<f64>() * x),
        }
    }

    /// A bound of the values on the way, which rounding errors are relative to.
    fn scale(&self) -> f64 {
        match self {
            V::Literal(_) | V::Name => 10.0,
            V::Neg(a) => a.scale(),
            V::Sum(a, _, b) => a.scale() + b.scale(),
            V::Scaled(s, a) => (1.0 + s.value().abs()) * a.scale(),
            V::Divided(a, s) => (1.0 + 1.0 / s.value().abs()) * a.scale(),
            V::Cross(a, b) => 2.0 * a.scale() * b.scale(),
            V::Loop(a) => 4.0 * a.scale(),
        }
    }
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
    "dot(c, c)",
    "cross(",
    "norm2(",
    "transpose(R)",
    "[x, y, 1]",
    "for i in 0..3 { ",
    "for ",
    "{ dx }",
    "0..2",
    "i",
    "a[i] = ",
    "a[i - 1]",
    "a",
    "wheel[i]: ",
    "N",
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

/// Declarations with families and vectors, which are correct before they are mutated.
const CORRECT: &[&str] = &[
    "coordinates ( x [ 3 ] , y [ N ] ) , let ( a [ 0 ] = x [ 0 ] , for i in 1 .. N { a [ i ] = a [ i - 1 ] - \
        m * cos ( y [ i ] ) , } ) , lagrangian = sum ( i in 0 .. 3 , dot ( x [ i ] ) ^ 2 + dot ( y [ i ] ) ^ 2 ) , \
        constraints ( for i in 0 .. N { wheel [ i ] : sin ( y [ i ] ) * d ( a [ i ] ) - dy [ i ] = 0 , } )",
    "coordinates ( x [ 3 ] ) , group = SE3 ( R , p ; w1 , w2 , w3 , v1 , v2 , v3 ) , let ( w = [ w1 , w2 , w3 ] , \
        q [ 0 ] = p , for i in 0 .. 2 { q [ i + 1 ] = cross ( q [ i ] , c ) / m , } ) , lagrangian = norm2 ( w ) + \
        norm2 ( dot ( x ) ) + norm2 ( dot ( p ) ) , constraints ( contact : dot ( p ) + cross ( R * w , - m * c ) = 0 \
        , for i in 0 .. 2 { for j in i .. i + 1 { s [ i ] [ j ] : dx [ j ] + dot ( transpose ( R ) * c , dx ) , } } )",
];

fn mutable(tokens: &[&str]) -> String {
    format!("#[nonholonomic({})] struct S<const N: usize = 3> {{ m: f64, c: [f64; 3] }}", balanced(tokens))
}

#[test]
fn what_is_mutated_is_correct() {
    for text in CORRECT {
        let tokens: Vec<&str> = text.split_whitespace().collect();
        assert!(parse(&mutable(&tokens)).is_ok(), "{:?}", parse(&mutable(&tokens)).err());
    }
}

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
    #![proptest_config(ProptestConfig { cases: nhi_tiers::amount(128, 512), failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

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
    fn vectors_mean_what_they_say(v in vector(), w in vector()) {
        let (a, b) = (v.value(), w.value());
        let scale = v.scale() * w.scale();
        let product = format!("dot({}, {})", v.text(), w.text());
        let expected: f64 = (0..3).map(|i| a[i] * b[i]).sum();
        for text in [product, format!("norm2({})", v.text())] {
            let expected = if text.starts_with("norm2") { a.iter().map(|x| x * x).sum() } else { expected };
            match meaning(&text) {
                Ok((value, _)) => prop_assert!(
                    (value - expected).abs() <= 1e-12 * (scale + v.scale().powi(2)),
                    "{text}: {value} {expected}"
                ),
                Err(errors) => prop_assert!(errors.iter().all(|e| e.contains("zero")), "{text}: {errors:?}"),
            }
        }
    }

    /// A family whose items are named in other ways is its items, written out.
    #[test]
    fn families_are_written_out(
        e in expression(),
        (from, length) in (0..3i64, 0..4i64),
        (slope, offset) in (-2..3i64, -3..4i64),
    ) {
        // `j` takes the place of a number in the expression and in an index.
        let item = |j: &str| format!("({})*c[({slope}*({j}) + {offset})]*({j})", e.text(0));
        let family = format!(
            "let(a[0] = m, for j in {from}..{from} + {length} {{ a[j + 1] = {} }})", item("j")
        );
        let written: Vec<String> =
            (from..from + length).map(|j| format!("a[{}] = {}", j + 1, item(&j.to_string()))).collect();
        let written = format!("let(a[0] = m, {})", written.join(", "));
        let keys = |lets: &str| {
            let last = if length > 0 { from + length } else { 0 };
            three(&format!(
                "{lets}, lagrangian = dot(x)^2 + dot(y)^2 + dot(z)^2, constraints(), force = a[{last}]*dx"
            ))
        };
        let shown = |lets: &str| {
            parse(&keys(lets)).map(|d| d.system.pool.show(d.system.force[0]).to_string())
        };
        match (shown(&family), shown(&written)) {
            (Ok(family), Ok(written)) => prop_assert_eq!(family, written),
            // An error for all items stands for one for each.
            (Err(family), Err(written)) => {
                prop_assert!(!family.is_empty() && family.len() <= written.len(), "{family:?} {written:?}");
            }
            (family, written) => prop_assert!(false, "{family:?} {written:?}"),
        }
    }

    /// Edits are where, which token, and how: replaced, inserted, or removed.
    #[test]
    fn mutated_families_and_vectors_are_no_reason_to_panic(
        text in proptest::sample::select(CORRECT),
        edits in proptest::collection::vec(
            (any::<proptest::sample::Index>(), proptest::sample::select(TOKENS), 0..4),
            0..4,
        ),
    ) {
        let mut tokens: Vec<&str> = text.split_whitespace().collect();
        for (at, token, how) in edits {
            let i = at.index(tokens.len());
            match how {
                0 => tokens[i] = token,
                1 => tokens.insert(i, token),
                2 => drop(tokens.remove(i)),
                // Another token of the declaration.
                _ => tokens[i] = tokens[(i + 7 * token.len()) % tokens.len()],
            }
        }
        let source = mutable(&tokens);
        let Ok(input) = syn::parse_str::<syn::DeriveInput>(&source) else { return Ok(()) };
        if let Err(rejected) = Declaration::parse(&input) {
            prop_assert!(!rejected.errors.is_empty(), "{source}");
            let expansion = nhi_codegen::declaration::stub(&input, &rejected);
            prop_assert!(syn::parse2::<syn::File>(expansion).is_ok(), "{source}");
        }
    }

    #[test]
    fn token_soup_is_no_reason_to_panic(tokens in proptest::collection::vec(proptest::sample::select(TOKENS), 0..40)) {
        let soup = balanced(&tokens);
        for source in [
            format!("#[nonholonomic({soup})] struct S<const N: usize = 2> {{ m: f64, c: [f64; 3] }}"),
            format!("#[nonholonomic(coordinates(x, y), {soup})] struct S {{ m: f64, c: [f64; 3] }}"),
            format!("#[nonholonomic(group = SO3(R; w1, w2, w3), lagrangian = w1^2 + w2^2 + w3^2, constraints(), force = {soup})] struct S;"),
            format!("#[nonholonomic(group = SE2({soup}), lagrangian = omega^2, constraints({soup}))] struct S;"),
            three(&format!("lagrangian = {soup}")),
            three(&format!("constraints({soup})")),
            three(&format!("constraints(for i in 0..3 {{ {soup} }})")),
            three(&format!("let({soup}), lagrangian = dot(x)^2 + dot(y)^2 + dot(z)^2, constraints()")),
            three(&format!("let(a[0] = x, for i in 1..3 {{ a[i] = a[i - 1] + {soup} }}), force = a[2]*dx")),
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
