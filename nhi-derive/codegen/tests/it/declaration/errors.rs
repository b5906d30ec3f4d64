//! What is an error: which mistakes are found, all of them at once. Places and whole texts are seen
//! in the cases of the crate `tests`.

use super::{errors, implemented, parse, three};

const KINETIC: &str = "lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2)";

/// Each case: keys for `three`, then the errors.
fn check(cases: &[(&str, &[&str])]) {
    for (keys, expected) in cases {
        let keys = keys.replace("KINETIC", KINETIC);
        assert_eq!(errors(&three(&keys)), *expected, "{keys}");
    }
}

#[test]
fn forms() {
    check(&[
        ("KINETIC, constraints(dx*dy)", &["this is not linear in the differentials"]),
        ("KINETIC, constraints(sin(dx))", &["this is not linear in the differentials"]),
        ("KINETIC, constraints(dx/dt)", &["this is not linear in the differentials"]),
        ("KINETIC, constraints(x/dy)", &["this is not linear in the differentials"]),
        ("KINETIC, constraints(dx + 3*(dy + 1))", &["this term carries no differential"]),
        (
            "KINETIC, constraints(x + dx + dot(y))",
            &["this term carries no differential", "this term carries no differential"],
        ),
        (
            "KINETIC, constraints(dot(x)*dy + dz)",
            &["the coefficient of a differential may not depend on velocities"],
        ),
        ("KINETIC, constraints(dot(x)^2 + dot(y))", &["this is not linear in the velocities"]),
        ("KINETIC, constraints(dot(x)*dot(y)*dt + dz)", &["this is not linear in the velocities"]),
        ("KINETIC, constraints(x)", &["this constraint has no differential or velocity in it"]),
        ("KINETIC, constraints(x*dt)", &["this constraint has no differential or velocity in it"]),
        ("KINETIC, constraints(dx = dy)", &["the right-hand side of a constraint is `0`"]),
        ("KINETIC, constraints(u: dx, u: dy)", &["the label `u` is used twice"]),
        (
            "KINETIC, inputs(u), let(w = u), constraints(w*dx)",
            &["the coefficient of a velocity or a differential may not depend on inputs"],
        ),
        (
            "KINETIC, inputs(u), constraints(u*dx)",
            &["the coefficient of a velocity or a differential may not depend on inputs"],
        ),
        ("KINETIC, constraints(), force = dx*dy", &["this is not linear in the differentials"]),
        ("KINETIC, constraints(), force = dx + 2", &["this term carries no differential"]),
        ("KINETIC, constraints(), force = 2", &["this term carries no differential"]),
        (
            "KINETIC, constraints(), force = dt",
            &["a force is a one-form in the coordinates, without a `dt` term"],
        ),
    ]);
}

#[test]
fn multipliers() {
    let affine = "the force is not affine in the multipliers of constraints";
    check(&[
        (
            "KINETIC - lambda(a), constraints(a: dx)",
            &["the multiplier of a constraint may not appear in the Lagrangian"],
        ),
        (
            "KINETIC, constraints(a: dx - lambda(a)*dt)",
            &["the multiplier of a constraint may not appear in a constraint"],
        ),
        (
            "KINETIC, let(load = lambda(a)), constraints(a: dx - load*dt)",
            &["the multiplier of a constraint, which `load` depends on, may not appear in a constraint"],
        ),
        ("KINETIC - energy, constraints()", &["the energy may not appear in the Lagrangian"]),
        ("KINETIC, constraints(a: dx), force = lambda(b)*dy", &["no constraint has the label `b`"]),
        ("KINETIC, constraints(dx), force = lambda(dx)*dy", &["no constraint has the label `dx`"]),
        (
            "KINETIC, constraints(a: dx), force = lambda(2*x)*dy",
            &["`lambda` takes the label of a constraint"],
        ),
        (
            "KINETIC, constraints(a: dx), force = lambda(a, a)*dy",
            &["`lambda` takes the label of one constraint, but 2 are given"],
        ),
        ("KINETIC, constraints(a: dx), force = lambda(a)^2*dy", &[affine]),
        ("KINETIC, constraints(a: dx, b: dz), force = lambda(a)*lambda(b)*dy", &[affine]),
        ("KINETIC, constraints(a: dx), force = if(lambda(a) > x, lambda(a)^2, 1)*dy", &[affine]),
        (
            "KINETIC, constraints(a: dx), force = sum(i in 0..6, max(lambda(a), i))*dy",
            &["too many piecewise functions of multipliers"],
        ),
        (
            "KINETIC, inputs(u), constraints(a: dx - u*dt), force = lambda(a)*dy",
            &["the multiplier of a constraint may not act in a force where an input drives a constraint"],
        ),
    ]);
    for keys in [
        "KINETIC, constraints(a: dx - y*dz), force = -max(lambda(a), 0)*tanh(dot(y))*dy",
        "KINETIC, constraints(for i in 0..2 { a[i]: dx + i*dy }), force = sum(i in 0..2, abs(lambda(a[i])))*dz",
        "KINETIC, states(s), constraints(a: dx - y*dz), dynamics(dot(s) = lambda(a)^2 - s*energy)",
        "KINETIC, inputs(u), states(s), constraints(a: dx - u*dt), dynamics(dot(s) = lambda(a))",
    ] {
        parse(&three(&keys.replace("KINETIC", KINETIC))).unwrap();
    }
}

#[test]
fn too_many_or_dependent_forms() {
    check(&[
        ("KINETIC, constraints(dx, dy, dz, dx)", &["too many constraints: 4 one-forms for 3 coordinates"]),
        (
            "KINETIC, constraints(dx, dy, dx + dy)",
            &["this one-form depends on the ones before it, everywhere"],
        ),
        ("KINETIC, constraints(dx + dy, 2*dx + 2*dy)", &["this one-form depends on `dx + dy`, everywhere"]),
        (
            "KINETIC, constraints(sin(x)*dx + dy, (1 - cos(x)^2)*dx + sin(x)*dy)",
            &["this one-form depends on `sin(x)*dx + dy`, everywhere"],
        ),
    ]);
}

#[test]
fn lagrangians() {
    check(&[
        (
            "lagrangian = m*dot(x)^3 + dot(y)^2 + sqrt(1 - dot(z)^2), constraints()",
            &["this is not quadratic in the velocities", "this is not quadratic in the velocities"],
        ),
        ("lagrangian = dot(x)^2/dot(y), constraints()", &["this is not quadratic in the velocities"]),
        ("lagrangian = (dot(x) + dot(y))^1000, constraints()", &["this is not quadratic in the velocities"]),
        (
            "lagrangian = sum(i in 0..3, dot(x)^(i + 1)), constraints()",
            &["this is not quadratic in the velocities"],
        ),
        ("lagrangian = sin(x*dot(x)), constraints()", &["this is not quadratic in the velocities"]),
        (
            "lagrangian = dot(x)^2 + dot(y)^2, constraints()",
            &["this Lagrangian is not regular: its mass matrix is singular everywhere"],
        ),
        (
            "lagrangian = 0, constraints(dx, dy)",
            &[
                "this Lagrangian is not regular: its mass matrix is singular on the velocities that the constraints admit",
            ],
        ),
        (
            "lagrangian = (dot(x) + dot(y))^2 + dot(z)^2, constraints()",
            &["this Lagrangian is not regular: its mass matrix is singular everywhere"],
        ),
        (
            "lagrangian = dot(x)^2 + dot(y)^2, constraints(dx + y*dy)",
            &[
                "this Lagrangian is not regular: its mass matrix is singular on the velocities that the constraints admit",
            ],
        ),
        ("KINETIC + dx, constraints()", &["the differential `dx` may not appear in the Lagrangian"]),
        ("KINETIC + dot(dot(x)), constraints()", &["a velocity may not appear inside `dot`"]),
        ("KINETIC + d(x), constraints()", &["a differential may not appear in the Lagrangian"]),
        (
            "KINETIC, constraints(u*dot(x) + t*dot(y)), inputs(u)",
            &["the coefficient of a velocity or a differential may not depend on inputs"],
        ),
        ("KINETIC + u*x, inputs(u), constraints()", &["the input `u` may not appear in the Lagrangian"]),
        ("KINETIC + dot(u*x), inputs(u), constraints()", &["the input `u` may not appear inside `dot`"]),
        (
            "KINETIC + dot(w), let(w = dot(x)), constraints()",
            &["a velocity, which `w` depends on, may not appear inside `dot`"],
        ),
        ("KINETIC, let(w = dx), constraints()", &["the differential `dx` may not appear in `let`"]),
    ]);
}

#[test]
fn keys() {
    let missing = "missing `lagrangian = ...`";
    check(&[
        ("constraints()", &[missing]),
        ("KINETIC", &["missing `constraints(...)`"]),
        ("", &["missing `lagrangian = ...` and `constraints(...)`"]),
        (
            "lagrangain = 2, constraints(), methods(Dla3, Foo)",
            &["unknown key `lagrangain`", "unknown method `Dla3`", "unknown method `Foo`"],
        ),
        ("KINETIC constraints()", &["expected `,` before `constraints`"]),
        ("KINETIC,, constraints(), constraints()", &["unexpected `,`", "`constraints` is given twice"]),
        ("KINETIC, constraints() force", &["expected `,`, found `force`"]),
        ("lagrangian = , constraints()", &["expected an expression after this"]),
        (
            "lagrangian, constraints",
            &["expected `=` after `lagrangian`", "expected a list after `constraints`"],
        ),
        ("KINETIC, constraints = 3", &["expected `(` after `constraints`, found `=`"]),
        ("KINETIC, constraints(), group = SE2(a)", &["expected `;` and the body velocities after this"]),
        ("KINETIC, constraints(), coordinates(x)", &["`coordinates` is given twice"]),
        ("KINETIC, constraints(), methods(Dla2, Dla2)", &["the method `Dla2` is named twice"]),
        (
            "KINETIC, constraints(), methods(dla2, 3)",
            &["unknown method `dla2`", "expected the name of a method, found `3`"],
        ),
        (
            "KINETIC, constraints(), methods(Dla2, all)",
            &["`all` stands alone: it means every method that applies"],
        ),
        ("KINETIC, constraints(), crate = 3", &["expected a path"]),
        ("KINETIC, constraints(), crate", &["expected `=` and a path after `crate`"]),
        ("KINETIC, constraints(), t", &["`t` is the time and need not be declared"]),
        ("KINETIC, constraints(), 3 = 4", &["expected a key, found `3`"]),
    ]);
    assert_eq!(errors("struct S;"), ["`S` has no `#[nonholonomic(...)]` attribute"]);
    assert_eq!(errors("#[nonholonomic] struct S;"), ["expected `#[nonholonomic(...)]`"]);
    assert_eq!(errors("#[nonholonomic = 3] struct S;"), ["expected `#[nonholonomic(...)]`"]);
}

#[test]
fn names() {
    check(&[
        ("KINETIC + k, constraints(dw)", &["unknown name `k`", "unknown name `dw`"]),
        (
            "KINETIC, constraints(), let(t = 3, a = b, b = 2, m = 4, sin = 1)",
            &[
                "`t` is reserved: it is the time",
                "`b` is defined only after it is used here",
                "the name `m` is declared twice",
                "`sin` is reserved: it is a function",
            ],
        ),
        (
            "KINETIC, constraints(), inputs(dx)",
            &["the name `dx` clashes with the differential of the coordinate `x`"],
        ),
        ("KINETIC, constraints(), let(a = a)", &["`a` is defined only after it is used here"]),
        ("KINETIC + sin, constraints()", &["`sin` needs its argument in parentheses"]),
        ("KINETIC + sum(m in 0..2, 1), constraints()", &["the loop variable `m` hides another `m`"]),
        (
            "KINETIC + sum(i in 0..2, sum(i in 0..2, 1)), constraints()",
            &["the loop variable `i` hides another `i`"],
        ),
        ("KINETIC + sum(dx in 0..2, 1), constraints()", &["the loop variable `dx` hides another `dx`"]),
        ("KINETIC, constraints(), let(if = 2)", &["`if` is a keyword and cannot be a name"]),
        ("KINETIC, constraints(), let(a = k, b = a + a)", &["unknown name `k`"]),
    ]);
    assert_eq!(
        errors("#[nonholonomic(coordinates(ot), lagrangian = dot(ot)^2, constraints())] struct S;"),
        ["the differential of `ot` would read `dot`, which is reserved"]
    );
}

#[test]
fn functions_and_arrays() {
    check(&[
        (
            "KINETIC + abs(x) + floor(y), constraints()",
            &["`floor` jumps at infinitely many places, and is not in the grammar"],
        ),
        (
            "KINETIC + log(x) + sine(x) + sin(x, y), constraints()",
            &[
                "unknown function `log`",
                "unknown function `sine`",
                "`sin` takes one argument, but 2 are given",
            ],
        ),
        (
            "KINETIC + atan2(x) + x(y), constraints()",
            &["`atan2` takes two arguments, `atan2(y, x)`, but 1 are given", "`x` is not a function"],
        ),
        (
            "KINETIC + c + x[0] + c[x] + c[3], constraints()",
            &[
                "`c` is a vector, and a number is needed here",
                "`x` is not an array",
                "expected an integer, found an expression",
                "the index 3 is out of range",
            ],
        ),
        (
            "KINETIC + c[3] + c[1/2] + c[-1], constraints()",
            &[
                "the index 3 is out of range",
                "expected an integer, but this is 1/2",
                "the index -1 is out of range",
            ],
        ),
        ("KINETIC + sum(i in 0..4, c[i]), constraints()", &["the index 3 is out of range"]),
    ]);
}

#[test]
fn numbers() {
    check(&[
        ("KINETIC + x/(y - y) + x/(1 - 1), constraints()", &["division by zero", "division by zero"]),
        (
            "KINETIC + x/((x + y)^2 - x^2 - 2*x*y - y^2), constraints()",
            &["division by zero: this is zero everywhere"],
        ),
        (
            "KINETIC + 0^-1 + 0^x, constraints()",
            &["division by zero", "zero to a power that is not a number"],
        ),
        (
            "KINETIC + ln(0) + ln(x - x), constraints()",
            &["the logarithm of zero is not finite", "the logarithm of zero is not finite"],
        ),
        ("KINETIC + tan(pi/2) + tan(pi/4), constraints()", &["this tangent is not finite"]),
        ("KINETIC + 1e400, constraints()", &["`1e400` is not finite as f64"]),
        ("KINETIC + 1e200*1e200*z, constraints()", &["a constant in here is not finite as f64"]),
        ("KINETIC + exp(1000), constraints()", &["this constant is not finite as f64: inf"]),
        ("KINETIC + sqrt(-1), constraints()", &["this constant is not finite as f64: NaN"]),
        ("KINETIC + 10^400, constraints()", &["a constant in here is not finite as f64"]),
        ("KINETIC + atan2(0, x - x), constraints()", &["`atan2(0, 0)` is not defined"]),
        (
            "KINETIC + 2f64*x + 1, constraints()",
            &["numbers are exact and have no type, but this one has the suffix `f64`"],
        ),
        ("KINETIC + 2x, constraints()", &["unexpected suffix `x` of a number"]),
        ("KINETIC + 0x1F, constraints()", &["numbers are written in decimal"]),
    ]);
}

#[test]
fn syntax() {
    check(&[
        (
            "KINETIC + x**2, constraints(x y)",
            &["powers are written with `^`", "expected an operator before `y`"],
        ),
        ("KINETIC + 2(x), constraints()", &["expected an operator before `(`"]),
        ("KINETIC + c[0][1], constraints()", &["`c` has one index, but 2 are given"]),
        ("KINETIC + (x)[0], constraints()", &["only a name can be indexed"]),
        ("KINETIC + self.m, constraints()", &["parameters are written by name alone, without `self`"]),
        ("KINETIC + x.y, constraints()", &["unexpected `.`"]),
        (
            "KINETIC + x %2, constraints()",
            &["the remainder `%` jumps at infinitely many places, and is not in the grammar"],
        ),
        ("KINETIC + \"a\", constraints()", &["expected an expression, found the literal `\"a\"`"]),
        ("KINETIC + (), constraints()", &["expected an expression in here"]),
        ("KINETIC + if x, constraints()", &["`if` needs its arguments in parentheses"]),
        ("KINETIC + 'a, constraints()", &["expected an expression, found `'`"]),
        ("KINETIC + sum(i, c[i]), constraints()", &["expected `in`, found `,`"]),
        (
            "KINETIC + sum(i in 0..=2, c[i]), constraints()",
            &["expected the end of the range, which is not included, found `=`"],
        ),
        ("KINETIC + sum(), constraints()", &["expected a loop variable in here"]),
        ("KINETIC + , constraints()", &["expected an expression after this"]),
    ]);
}

#[test]
fn structs() {
    let declared = |item: &str| {
        errors(&format!("#[nonholonomic(coordinates(x), lagrangian = dot(x)^2, constraints())] {item}"))
    };
    assert_eq!(
        declared("enum S { A }"),
        ["a system is declared on a struct with named fields, not on an enum"]
    );
    assert_eq!(
        declared("union S { a: f64 }"),
        ["a system is declared on a struct with named fields, not on a union"]
    );
    assert_eq!(
        declared("struct S(f64);"),
        ["a system is declared on a struct with named fields, not on a tuple struct"]
    );
    assert_eq!(
        declared("struct S { m: f32, c: Vec<f64>, d: [f64; N], x: f64, dx: f64, pi: f64 }"),
        [
            "the parameter field `m` must be `f64` or `[f64; N]`",
            "the parameter field `c` must be `f64` or `[f64; N]`",
            "the length of a parameter array must be an integer literal",
            "the name `x` is declared twice",
            "the name `dx` clashes with the differential of the coordinate `x`",
            "`pi` is reserved: it is the circle constant",
        ]
    );
    assert_eq!(
        errors("#[nonholonomic(coordinates(), lagrangian = 1, constraints())] struct S;"),
        ["a system has at least one coordinate"]
    );
    assert_eq!(declared("struct S<f64> { m: f64 }"), ["the parameter field `m` depends on `f64`"]);
    assert_eq!(
        declared("struct S<T, const N: usize> { m: T, c: [f64; N] }"),
        ["the parameter field `m` depends on `T`", "the parameter field `c` depends on `N`"]
    );
    assert_eq!(
        declared(
            "struct S { #[nonholonomic(skip, skip)] a: u8, #[nonholonomic(foo)] b: f64, #[nonholonomic] c: f64 }"
        ),
        ["`skip` is given twice", "unknown key `foo` on a field", "expected `#[nonholonomic(skip)]`"]
    );
}

/// What would take for ever, or all memory, is refused.
#[test]
fn bounded_work() {
    check(&[
        (
            "KINETIC + sum(i in 0..1000000000, x), constraints()",
            &["a sum of 1000000000 terms is too long to be written out"],
        ),
        (
            "KINETIC + sum(i in 0..9999, sum(j in 0..9999, x*i*j)), constraints()",
            &["the declaration is too large: more than 50000 operations"],
        ),
    ]);
    let nested = format!("KINETIC + {}x{}, constraints()", "(".repeat(200), ")".repeat(200));
    let minuses = format!("KINETIC + {}x, constraints()", "-".repeat(5000));
    let powers = format!("KINETIC + x{}, constraints()", "^x".repeat(5000));
    for keys in [nested, minuses, powers] {
        check(&[(&keys, &["expressions may be nested at most 100 deep"])]);
    }
    let chain = |first: &str, next: &str| {
        let lets: Vec<String> =
            (1..200).map(|i| format!("a{i} = {}", next.replace('@', &format!("a{}", i - 1)))).collect();
        format!("{KINETIC} + a199, let(a0 = {first}, {}), constraints()", lets.join(", "))
    };
    assert_eq!(errors(&three(&chain("x", "@*@"))), [""; 0]);
    assert_eq!(errors(&three(&chain("x + y", "@ + sin(@)"))), [""; 0]);
    assert_eq!(errors(&three(&chain("x + y", "@*(@ + z)"))), [""; 0]);
    assert_eq!(errors(&three(&chain("1/3", "@*@"))).len(), 1);
    assert_eq!(errors(&three(&chain("3", "@^@"))).len(), 1);
    assert_eq!(errors(&three(&format!("{KINETIC} + (x + y + z)^1000, constraints()"))), [""; 0]);
    assert_eq!(
        errors(
            "#[nonholonomic(coordinates(x[1000000000]), lagrangian = 1, constraints())] struct S { c: [f64; 99999999999] }"
        ),
        ["a system has at most 256 coordinates", "a system has at most 4096 parameters",]
    );
}

/// Primitive types by their paths: a declaration's surroundings may give `str` another meaning.
#[test]
fn stubs_use_no_name_of_their_surroundings() {
    let stub = nhi_codegen::derive("#[nonholonomic] struct Wrong { a: f64 }".parse().expect("tokens"));
    let text: String = stub.to_string().split_whitespace().collect();
    assert!(text.contains("compile_error!") && text.contains("&'static::core::primitive::str"));
    for name in ["str", "f64"] {
        for (at, _) in text.match_indices(name) {
            let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            let (before, after) = (&text[..at], &text[at + name.len()..]);
            if !is_word(before.chars().next_back()) && !is_word(after.chars().next()) {
                assert!(before.ends_with("::core::primitive::"), "{}", &text[at.saturating_sub(60)..]);
            }
        }
    }
}

#[test]
fn position_constraints() {
    let declared = |holonomic: &str| {
        errors(&format!(
            "#[nonholonomic(coordinates(x, y, z), inputs(u), let(speed = dot(x), slope = y - x), \
             lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2, {holonomic})] struct S {{ r: f64 }}"
        ))
    };
    assert!(declared("holonomic(rod: x^2 + y^2 - r^2 = 0, slope)").is_empty());
    assert!(declared("constraints(dz - y*dx), holonomic(x^2 + y^2 - r^2)").is_empty());
    assert!(declared("constraints(dz - y*dx - u*dt), holonomic((x - t)^2 + y^2 - r^2*cos(t))").is_empty());
    assert_eq!(
        declared("holonomic(r - sin(t), x - x)"),
        [
            "this position constraint does not depend on the configuration",
            "this position constraint does not depend on the configuration",
        ]
    );
    let depends = "this position constraint depends on the constraints before it";
    assert_eq!(declared("holonomic(x + y, 2*x + 2*y - r)"), [depends]);
    assert_eq!(declared("constraints(x*dx + y*dy), holonomic(x^2 + y^2 - r^2)"), [depends]);
    assert_eq!(declared("holonomic(x - y, y - z, x + z)"), ["too many constraints: 3 for 3 coordinates"]);
    assert_eq!(
        declared("holonomic(dot(x) - y, speed - u*y)"),
        [
            "a velocity may not appear in a position constraint",
            "a velocity, which `speed` depends on, may not appear in a position constraint",
            "the input `u` may not appear in a position constraint",
        ]
    );
    assert_eq!(
        declared("holonomic(dx + dy + d(x), x - t)"),
        [
            "the differential `dx` may not appear in a position constraint",
            "the differential `dy` may not appear in a position constraint",
            "a differential may not appear in a position constraint",
        ]
    );
    assert_eq!(declared("holonomic(a: x - y, a: y - z)"), ["the label `a` is used twice"]);
}

/// A term without a meaning hides nothing about the others.
#[test]
fn all_terms_are_checked() {
    check(&[
        (
            "KINETIC, constraints(), force = k*dx + dy*dz + (dx + x*dx^2)",
            &[
                "unknown name `k`",
                "this is not linear in the differentials",
                "this is not linear in the differentials",
            ],
        ),
        (
            "KINETIC, constraints(), force = x*dt + dy*dz + dy",
            &[
                "a force is a one-form in the coordinates, without a `dt` term",
                "this is not linear in the differentials",
            ],
        ),
        (
            "KINETIC, constraints(), force = x*dt + dot(x)*dot(y)*dt + dot(x)^2*dt + dy",
            &[
                "a force is a one-form in the coordinates, without a `dt` term",
                "this is not linear in the velocities",
            ],
        ),
        (
            "KINETIC, constraints(), force = dx/(x - x) + dy*dz",
            &["division by zero", "this is not linear in the differentials"],
        ),
        (
            "KINETIC + k*x + dot(y)^3, constraints()",
            &["unknown name `k`", "this is not quadratic in the velocities"],
        ),
        (
            "KINETIC, constraints(k*dx + dy*dz, dot(x) + l - dot(y)^2)",
            &[
                "unknown name `k`",
                "this is not linear in the differentials",
                "unknown name `l`",
                "this is not linear in the velocities",
            ],
        ),
    ]);
}

#[test]
fn remedies_are_named() {
    let text = |keys: &str| parse(&three(&keys.replace("KINETIC", KINETIC))).err().unwrap().join("\n");
    let position = text("KINETIC, constraints(x^2 + y^2 - r^2 = 0)");
    assert!(position.contains("`holonomic(...)`") && position.contains("`d(...)`"), "{position}");
    for index in ["x", "1/2", "m + 1"] {
        let index = text(&format!("KINETIC, constraints(), force = c[{index}]*dx"));
        assert!(index.contains("constants or loop variables"), "{index}");
    }
}

/// The first ones are reported, the others counted; names are not searched for again.
#[test]
fn many_errors_are_counted() {
    let unknown: String = (0..20_000).map(|i| format!(" + unknown{i}")).collect();
    let found = errors(&three(&format!("KINETIC{unknown}, constraints()").replace("KINETIC", KINETIC)));
    assert_eq!(found.len(), 51);
    assert_eq!(found[0], "unknown name `unknown0`");
    assert_eq!(found[49], "unknown name `unknown49`");
    assert_eq!(found[50], "there are 19950 more errors, from here on");
    let few = format!("KINETIC{}, constraints()", &unknown[..unknown.find("51").unwrap() - 10]);
    let found = errors(&three(&few.replace("KINETIC", KINETIC)));
    assert_eq!(found.last().unwrap(), "there is one more error, from here on");
}

/// Numbers that only the equations of motion have.
#[test]
fn constants_of_the_equations_are_finite() {
    let of_term = "a constant in the derivatives of this is not finite as f64";
    let of_system = "a constant in the equations of motion of this Lagrangian is not finite as f64";
    for (lagrangian, expected, text) in [
        ("dot(x)^2/2 - 1e308*x^2", of_term, "1e308*x^2"),
        ("dot(x)^2/2 - x + (1e300*sin(1e10*x) + x)", of_term, "1e300*sin(1e10*x)"),
        ("1e-300*dot(x)^2/2 - 1e100*x^2", of_system, "1e-300*dot(x)^2/2 - 1e100*x^2"),
    ] {
        let source =
            format!("#[nonholonomic(coordinates(x), lagrangian = {lagrangian}, constraints())] struct S;");
        let found = implemented(&source).expect_err(&source);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains(expected), "{source}: {found:?}");
        let column = source.find(text).unwrap() + 1;
        assert!(found[0].starts_with(&format!("1:{column}:")), "{source}: {found:?}");
    }
}

/// Types are read as tokens: neither depth nor length of what is passed through ends the process.
#[test]
fn deeply_nested_types() {
    use proc_macro2::TokenStream;
    // What such types are to rustc does not matter, and printing them recurses in the parser of tests.
    let expand = |fields: &str| {
        let source = format!(
            "#[nonholonomic(coordinates(x), lagrangian = dot(x)^2/2, constraints())] struct S {{ {fields} }}"
        );
        let tokens: TokenStream = source.parse().unwrap();
        nhi_codegen::pipeline::derive(tokens).to_string()
    };
    let skip = "#[nonholonomic(skip)]";
    for depth in [300, 10_000] {
        let nested = |open: &str, inner: &str, close: &str| {
            format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
        };
        let types = [
            nested("(", "f64", ")"),
            nested("[", "f64", "; 2]"),
            nested("Option<", "f64", ">"),
            nested("&'static ", "f64", ""),
            nested("fn() -> ", "f64", ""),
            format!("[f64; {}]", nested("(", "3", ")")),
        ];
        for (i, ty) in types.iter().enumerate() {
            let skipped = expand(&format!("{skip} a: {ty}, pub(crate) b: fn(Vec<(u8, u8)>) -> f64, c: f64,"));
            let message = "the parameter field `b` must be `f64` or `[f64; N]`";
            assert_eq!(skipped.matches("compile_error").count(), 1, "{skipped:.300}");
            assert!(skipped.contains(message), "{skipped:.300}");
            assert!(!expand(&format!("{skip} a: {ty}, m: f64")).contains("compile_error"));
            let parameter = expand(&format!("m: f64, a: {ty}"));
            assert_eq!(parameter.contains("the parameter field `a` must be"), i > 0, "{parameter:.300}");
        }
        let items =
            ["enum S { A(T), B = 3 }", "struct S(T);", "union S { a: T }", "struct S<X: A<T>> { a: f64 }"];
        for item in items {
            let item = item.replace('T', &types[0]);
            let tokens: TokenStream = format!("#[nonholonomic(coordinates(x))] {item}").parse().unwrap();
            assert!(nhi_codegen::pipeline::derive(tokens).to_string().contains("compile_error"));
        }
    }
}
