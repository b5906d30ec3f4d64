//! One mistake is one message, whatever else is wrong.

use super::{errors, parse};
use nhi_codegen::source::tokens;

/// A system on `x`, `y`, `z` with an input `u`, with these keys.
fn with(lagrangian: &str, constraints: &str, force: &str) -> String {
    format!(
        "#[nonholonomic(coordinates(x, y, z), inputs(u), lagrangian = {lagrangian}, {constraints}, force = {force})]
        struct S {{ m: f64 }}"
    )
}

const LAGRANGIAN: &str = "m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2)";

/// Lagrangians with one mistake.
const LAGRANGIANS: [&str; 7] = [
    "m/2*(dot(x)^2 + dot(y)^3 + dot(z)^2)",
    "m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) + stiffness*x",
    "m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) + floor(x)",
    "m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) + u*x",
    "m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) + x/0",
    "m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) + x y",
    "m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) + dx",
];

/// Constraints with one mistake.
const CONSTRAINTS: [&str; 26] = [
    "constraints(dot(x)^2 + dot(y)^2 - dot(z)^2 = 0)",
    "constraints(dot(x)*dot(y) + dot(y)*dot(z) + dot(z)*dot(x) = 0)",
    "constraints(sqrt(dot(x)^2 + dot(y)^2) - dot(z) = 0)",
    "constraints(sin(dot(x)) - sin(dot(y)) = 0)",
    "constraints(dot(x)*dy - dot(y)*dx + dz = 0)",
    "constraints(dx*dy - dy*dz = 0)",
    "constraints(dx/dt)",
    "constraints(sin(u)*dx - cos(u)*dy = 0)",
    "constraints(sin(u*t)*dx - cos(t)*dy = 0)",
    "constraints(dx + slope*dy = 0)",
    "constraints(dx + floor(y)*dy = 0)",
    "constraints(dx + dy/0 = 0)",
    "constraints(dx + sin(x, y)*dy = 0)",
    "constraints(dx + y dy = 0)",
    "constraints(dx + = 0)",
    "constraints(dx = dy)",
    "constraints(a: dx = 0, a: dy = 0)",
    "constraints(dx = 0, 2*dx = 0)",
    "constraints(dx = 0, dy = 0, dz = 0, dx + dy = 0)",
    "constraints(x = 0)",
    "constraints(dx + x[0]*dy = 0)",
    "constraints(for i in 0..2 { a: dx })",
    "constraints()[0]",
    "constraint(dx = 0)",
    "constraints()",
    "holonomic(dot(x) - y = 0)",
];

/// Forces with one mistake.
const FORCES: [&str; 9] =
    ["dx*dy", "dot(x)", "u*dx + 3", "friction*dx", "floor(x)*dx", "dx/0", "x dx", "sin(x, y)*dx", "x[0]*dx"];

/// The messages of two parts. A function that is missing in both is one mistake.
fn once(parts: [&[String]; 2]) -> Vec<String> {
    let mut all = parts.concat();
    all.dedup_by(|second, first| second == first && first.starts_with("`floor`"));
    all
}

/// Of the mistakes of the parts of a declaration, none hides another, and none has another in its wake.
#[test]
fn parts_are_read_independently() {
    let mut alone = Vec::new();
    for constraints in CONSTRAINTS {
        let found = errors(&with(LAGRANGIAN, constraints, "u*dx"));
        let expected = usize::from(constraints != "constraints()");
        assert_eq!(found.len(), expected, "{constraints}: {found:?}");
        alone.push((constraints, found));
    }
    for lagrangian in LAGRANGIANS {
        let first = errors(&with(lagrangian, "constraints()", "u*dx"));
        assert_eq!(first.len(), 1, "{lagrangian}: {first:?}");
        for (constraints, second) in &alone {
            let all = errors(&with(lagrangian, constraints, "u*dx"));
            assert_eq!(all, once([&first[..], second]), "{lagrangian}, {constraints}");
        }
    }
    for force in FORCES {
        let last = errors(&with(LAGRANGIAN, "constraints()", force));
        assert_eq!(last.len(), 1, "{force}: {last:?}");
        for (constraints, first) in &alone {
            let all = errors(&with(LAGRANGIAN, constraints, force));
            assert_eq!(all, once([first, &last[..]]), "{constraints}, {force}");
        }
    }
}

/// What is declared a second time does not leave its names unknown.
#[test]
fn second_declarations() {
    let declared = |keys: &str| {
        format!(
            "#[nonholonomic({keys}, lagrangian = m*(omega^2 + v^2 + w^2)/2 + m*(w1^2 + w2^2 + w3^2)/2 + R[0][0],
                constraints(w = 0, w1*dt - omega*dt = 0), force = w2*dt)]
            struct S {{ m: f64 }}"
        )
    };
    let two = declared("group = SE2(theta, x, y; omega, v, w), group = SO3(R; w1, w2, w3)");
    assert_eq!(errors(&two), ["`group` is given twice"]);
    for keys in [
        "group = SE2(theta, x, y; omega, v, w)*SO3(R; w1, w2, w3)",
        "group = SE2(theta, x, y; omega, v, w) x SO3(R; w1, w2, w3)",
        "group = SE2(theta, x, y; omega, v, w), SO3(R; w1, w2, w3)",
        "group = SE2(theta, x, y; omega, v, w) SO3(R; w1, w2, w3)",
    ] {
        let found = errors(&declared(keys));
        assert_eq!(found, ["several groups are written in parentheses"], "{keys}");
    }
    let list = declared("group = (SE2(theta, x, y; omega, v, w), SO3(R; w1, w2, w3))");
    assert!(errors(&list).is_empty());
    let same = declared("group = (SE2(theta, x, y; omega, v, w), SO3(R; w1, w2, w))");
    assert_eq!(errors(&same), ["the name `w` is declared twice", "unknown name `w3`"]);
    assert_eq!(errors(&declared("group = ()")), ["expected a group in here"]);
    let coordinates = "#[nonholonomic(coordinates(x), coordinates(y), lagrangian = dot(x)^2 + dot(y)^2, constraints(dx - dy = 0))]
        struct S;";
    assert_eq!(errors(coordinates), ["`coordinates` is given twice"]);
}

/// A name that is not declared is one mistake, however often it is used, and is shown where it stands first.
#[test]
fn names_that_are_used_often() {
    let kinetic = "m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2)";
    let often = with(&format!("{kinetic} - k/2*x^2 - k*y"), "constraints(dx + k*dy)", "-k*dx - c*dot(y)*dy");
    let found = parse(&often).expect_err("two names are unknown");
    let [k, c] = &found[..] else { panic!("{found:?}") };
    let column = often.find("k/2").expect("a use") + 1;
    assert!(k.starts_with(&format!("1:{column}: unknown name `k`")), "{k}");
    assert!(k.ends_with("; it stands in 3 other places, too"), "{k}");
    assert!(c.contains("unknown name `c`") && !c.contains("place"), "{c}");
    // Also where definitions, which are read first, stand last.
    let before = "#[nonholonomic(coordinates(x), lagrangian = dot(x)^2/2 - k*x, constraints(), let(a = k*x))] struct S;";
    let found = parse(before).expect_err("a name is unknown");
    let [k] = &found[..] else { panic!("{found:?}") };
    assert!(k.starts_with(&format!("1:{}:", before.find("k*x,").expect("a use") + 1)), "{k}");
    assert!(k.ends_with("; it stands in another place, too"), "{k}");
}

/// So is a name that is called and no function, beside a name that is not declared.
#[test]
fn functions_that_are_used_often() {
    let kinetic = "m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2)";
    let often = with(
        &format!("{kinetic} - sinus(x) - sinus(y)*m"),
        "constraints(dx + sinus(z)*dy)",
        "-m(x)*dx - m(y)*dy + sinus*dz",
    );
    let found = parse(&often).expect_err("a function and a name are unknown, and a parameter is called");
    let [sinus, m, name] = &found[..] else { panic!("{found:?}") };
    let column = often.find("sinus").expect("a use") + 1;
    assert!(sinus.starts_with(&format!("1:{column}: unknown function `sinus`")), "{sinus}");
    assert!(sinus.ends_with("it stands in 2 other places, too"), "{sinus}");
    assert!(m.contains("`m` is not a function") && m.ends_with("it stands in another place, too"), "{m}");
    assert!(name.contains("unknown name `sinus`") && !name.contains("place"), "{name}");
}

fn help_of(source: &str) -> String {
    let errors = parse(source).err().unwrap_or_default();
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors[0].split_once("= help: ").map(|(_, help)| help.to_owned()).unwrap_or_default()
}

#[test]
fn functions_of_other_languages() {
    let cases = [
        ("sgn(x)", "write `sign(x)`"),
        ("heaviside(x)", "write `step(x)`"),
        ("Heaviside(x)", "write `step(x)`"),
        ("relu(x)", "write `max(0, x)`"),
        ("floor(x)", "the piecewise functions are `abs sign min max clamp step table` and `if(x < y, a, b)`"),
    ];
    for (written, help) in cases {
        assert_eq!(help_of(&with(LAGRANGIAN, "constraints()", &format!("{written}*dx"))), help);
    }
}

#[test]
fn choices() {
    let form = "choices are written `if(x < y, a, b)`, with `< <= > >= == != && || !` in the condition";
    let cases = [
        ("if(x, 1, 2)", "expected a comparison such as `<` after this", form),
        ("if(x < 1, 2)", "`if` takes a condition and two values, but 2 are given", form),
        (
            "if(0 < x < 1, 2, 3)",
            "comparisons cannot be chained",
            "write `0 < x && x < 1` for a number between two others",
        ),
        ("if(x = 1, 2, 3)", "two numbers are compared by `==`", form),
        ("if x < 1", "`if` needs its arguments in parentheses", "choices are written `if(x < y, a, b)`"),
        (
            "x < 1",
            "unexpected `<` in an expression",
            "comparisons stand in the condition of `if(x < y, a, b)`",
        ),
    ];
    for (written, message, help) in cases {
        let source = with(LAGRANGIAN, "constraints()", &format!("({written})*dx"));
        assert_eq!(errors(&source), [message], "{written}");
        assert_eq!(help_of(&source), help, "{written}");
    }
}

#[test]
fn piecewise_functions_in_the_wrong_places() {
    let lagrangian = |term: &str| with(&format!("{LAGRANGIAN} + {term}"), "constraints()", "dx");
    assert_eq!(
        errors(&lagrangian("abs(x)*dot(x)^2")),
        ["a piecewise function may not stand in the kinetic energy"]
    );
    assert_eq!(errors(&lagrangian("abs(dot(x))")), ["this is not quadratic in the velocities"]);
    assert_eq!(errors(&lagrangian("step(x)")), ["the potential energy jumps where `x` is zero"]);
    assert_eq!(
        errors(&lagrangian("if(x < 2*y, x, y)")),
        ["the potential energy jumps where `x - 2*y` is zero"]
    );
    for continuous in ["abs(x)", "max(0, x)^2", "x*step(x)", "if(x < y, x, y)", "min(x, clamp(y, -1, 1))"] {
        assert_eq!(errors(&lagrangian(continuous)), [""; 0], "{continuous}");
    }
    assert_eq!(
        errors(&with(LAGRANGIAN, "constraints(abs(x)*dx - dy = 0)", "dx")),
        ["a piecewise function may not stand in the coefficient of a constraint"]
    );
}

/// A table without a value for each node is reported, and not evaluated.
#[test]
fn tables_of_the_wrong_lengths() {
    for (nodes, values, expected) in [
        (4, 3, "a table has as many abscissas as values, but 4 and 3 are given"),
        (3, 4, "a table has as many abscissas as values, but 3 and 4 are given"),
        (1, 1, "a table needs two nodes at least"),
    ] {
        let found = errors(&format!(
            "#[nonholonomic(coordinates(x), lagrangian = dot(x)^2, constraints(), force = table(x, xs, ys)*dx)]
            struct S {{ xs: [f64; {nodes}], ys: [f64; {values}] }}"
        ));
        assert_eq!(found, [expected]);
    }
}

#[test]
fn remedies() {
    let input = help_of(&with(LAGRANGIAN, "constraints(sin(u)*dx - cos(u)*dy = 0)", "dx"));
    assert!(input.contains("`dot(s) - rate`"), "{input}");
    for velocity in ["dot_x", "dotx", "x_dot", "xdot"] {
        let help = help_of(&with(LAGRANGIAN, "constraints()", &format!("-{velocity}*dx")));
        assert_eq!(help, "the velocity of `x` is `dot(x)`", "{velocity}");
    }
}

/// What the lexer cannot read is said by the character, and where it is.
#[test]
fn characters() {
    let cases = [
        ("m*(x + 1", 1, 3, "this `(` is not closed: `)` is missing"),
        ("m*(x[0 + 1)", 1, 11, "expected `]`, found `)`"),
        ("m*x) + 1", 1, 4, "this `)` closes nothing"),
        ("θ +\n  (x]", 2, 5, "expected `)`, found `]`"),
        ("θ×x", 1, 2, "`×` is no character of a formula"),
        ("x' + 1", 1, 2, "formulas have no primes"),
        ("\"x", 1, 1, "this text in quotes does not end"),
    ];
    for (text, line, column, message) in cases {
        let error = tokens(text).expect_err(text);
        let at = error.at().first.start();
        assert_eq!((at.line, at.column + 1, error.message()), (line, column, message), "{text}");
    }
    assert!(tokens("m*(x[0] + 1)^2").is_ok());
}
