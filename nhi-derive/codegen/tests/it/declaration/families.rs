//! Families: what they mean is what their items mean, written out; and their mistakes.

use super::parse;
use super::written_out::{meaning, mistakes};

/// A system on `x[4]`, `y[4]`, `th[4]` with parameters `l`, `c: [f64; 4]` and these further keys.
fn four(keys: &str) -> String {
    format!(
        "#[nonholonomic(coordinates(x[4], y[4], th[4]),
            lagrangian = sum(i in 0..4, dot(x[i])^2 + dot(y[i])^2 + dot(th[i])^2)/2 {keys})]
        struct S {{ l: f64, c: [f64; 4] }}"
    )
}

#[test]
fn families_are_what_they_stand_for() {
    for (family, written) in [
        (
            ", constraints(for i in 0..3 { wheel[i]: sin(th[i])*d(x[i]) - cos(th[i])*d(y[i]) })",
            ", constraints(wheel[0]: sin(th[0])*d(x[0]) - cos(th[0])*d(y[0]),
                wheel[1]: sin(th[1])*d(x[1]) - cos(th[1])*d(y[1]),
                wheel[2]: sin(th[2])*d(x[2]) - cos(th[2])*d(y[2]))",
        ),
        // Without labels, negative values, and one item beside the family.
        (
            ", constraints(dth[3], for i in -1..2 { c[i + 1]*dx[1 - i] - 2^i*i*dth[0], } ,)",
            ", constraints(dth[3], c[0]*dx[2] - 2^(-1)*(-1)*dth[0], c[1]*dx[1] - 2^0*0*dth[0],
                c[2]*dx[0] - 2^1*1*dth[0])",
        ),
        // Several items, with and without indices behind the label.
        (
            ", constraints(for i in 0..2 { a[i]: dx[i], b[i][2*i]: dy[i] + l*dt = 0 })",
            ", constraints(a[0]: dx[0], b[0][0]: dy[0] + l*dt, a[1]: dx[1], b[1][2]: dy[1] + l*dt)",
        ),
        // Nested, with bounds made of outer variables; some ranges are empty.
        (
            ", constraints(for i in 0..3 { for j in i + 1..3 { p[i][j]: c[i]*dx[j] + dy[i + j] } })",
            ", constraints(p[0][1]: c[0]*dx[1] + dy[1], p[0][2]: c[0]*dx[2] + dy[2], p[1][2]: c[1]*dx[2] + dy[3])",
        ),
        (", constraints(for i in 2..2 { dx[i] }, dx[3])", ", constraints(dx[3])"),
        (", constraints(for i in 0..4/2 { for j in (i)..i { dx[i] } })", ", constraints()"),
        // Sums inside of families.
        (
            ", constraints(for i in 1..3 { s[i]: sum(j in 0..i, c[j]*dx[j]) + sum(j in i..i, 1/0)*dx[0] + dy[i] })",
            ", constraints(s[1]: sum(j in 0..1, c[j]*dx[j]) + sum(j in 1..1, 1/0)*dx[0] + dy[1],
                s[2]: sum(j in 0..2, c[j]*dx[j]) + sum(j in 2..2, 1/0)*dx[0] + dy[2])",
        ),
    ] {
        assert_eq!(meaning(&four(family)), meaning(&four(written)), "{family}");
    }
}

#[test]
fn families_of_position_constraints() {
    for (family, written) in [
        (
            ", holonomic(for i in 0..3 { rod[i]: (x[i + 1] - x[i])^2 + (y[i + 1] - y[i])^2 - l^2 = 0 })",
            ", holonomic(rod[0]: (x[1] - x[0])^2 + (y[1] - y[0])^2 - l^2,
                rod[1]: (x[2] - x[1])^2 + (y[2] - y[1])^2 - l^2,
                rod[2]: (x[3] - x[2])^2 + (y[3] - y[2])^2 - l^2)",
        ),
        // One-forms come first, wherever they stand; with definitions and without labels.
        (
            ", let(for i in 0..2 { a[i] = y[i]*cos(th[i]) }), holonomic(for i in 0..2 { x[i] - a[i] }, th[3]),
                constraints(for i in 0..2 { dth[i] - c[i]*dt })",
            ", let(a[0] = y[0]*cos(th[0]), a[1] = y[1]*cos(th[1])),
                constraints(dth[0] - c[0]*dt, dth[1] - c[1]*dt), holonomic(x[0] - a[0], x[1] - a[1], th[3])",
        ),
        (", holonomic(for i in 2..2 { x[i] })", ", constraints()"),
    ] {
        assert_eq!(meaning(&four(family)), meaning(&four(written)), "{family}");
    }
    let system = parse(&four(", holonomic(for i in 0..2 { x[i] - l }), constraints(dy[0])")).unwrap().system;
    let positions: Vec<bool> = system.constraints.iter().map(|c| c.position.is_some()).collect();
    assert_eq!(positions, [false, true, true]);
}

#[test]
fn mistakes_in_families_of_position_constraints() {
    for (keys, messages) in [
        (", holonomic(for i in 2..6 { x[«i»] })", &["the index 4 is out of range"][..]),
        (
            ", holonomic(for i in 0..2 { x[i] + «dot(y[i])» + «k» })",
            &["a velocity may not appear in a position constraint", "unknown name `k`"],
        ),
        (
            ", constraints(a[1]: dx[0]), holonomic(for i in 0..2 { «a[i]»: y[i] })",
            &["the label `a[1]` is used twice"],
        ),
        (
            ", holonomic(for i in 0..3 { «x[0] - l» })",
            &["this position constraint depends on the constraints before it"],
        ),
        (
            ", holonomic(for i in 0..3 { «l - i» })",
            &["this position constraint does not depend on the configuration"],
        ),
        (
            ", constraints(for i in 0..4 { dx[i], dy[i] }), holonomic(for i in 0..4 { «th[i]» })",
            &["too many constraints: 12 for 12 coordinates"],
        ),
    ] {
        mistakes(&four(keys), messages);
    }
}

#[test]
fn arrays_of_let() {
    let chain =
        |lets: &str, force: &str| meaning(&four(&format!(", constraints(), {lets}, force = {force}")));
    for (lets, force, written, same) in [
        (
            "let(a[0] = x[0], for i in 1..4 { a[i] = a[i - 1] - l*cos(th[i]) })",
            "a[3]*dx[0] + sum(i in 0..4, a[i]*dy[i])",
            "let(a0 = x[0], a1 = a0 - l*cos(th[1]), a2 = a1 - l*cos(th[2]), a3 = a2 - l*cos(th[3]))",
            "a3*dx[0] + a0*dy[0] + a1*dy[1] + a2*dy[2] + a3*dy[3]",
        ),
        // Two recurrences in one block, over repeated keys, with velocities that come in on the way.
        (
            "let(w[0] = x[0]), let(for i in 1..4 { p[i] = w[i - 1] + 1, w[i] = p[i]*dot(y[i]) })",
            "w[3]*dx[0] + p[1]*dy[2]",
            "let(w0 = x[0], p1 = w0 + 1, w1 = p1*dot(y[1]), p2 = w1 + 1, w2 = p2*dot(y[2]), p3 = w2 + 1,
                w3 = p3*dot(y[3]))",
            "w3*dx[0] + p1*dy[2]",
        ),
        // Two indices.
        (
            "let(for i in 0..3 { for j in 0..i + 1 { b[i][j] = c[i]*x[j] } })",
            "sum(i in 0..3, b[i][0]*dx[i]) + b[2][1]*dy[0]",
            "let(e = l)",
            "sum(i in 0..3, c[i]*x[0]*dx[i]) + c[2]*x[1]*dy[0]",
        ),
        // Counted backwards, and not from 0.
        (
            "let(a[7] = l, for i in 0..3 { a[6 - i] = a[7 - i]*x[i] })",
            "a[4]*dx[0]",
            "let(e = l)",
            "l*x[0]*x[1]*x[2]*dx[0]",
        ),
    ] {
        assert_eq!(chain(lets, force), chain(written, same), "{lets}");
    }
}

#[test]
fn bounds_may_be_const_parameters() {
    let source = |generics: &str, n: &str| {
        format!(
            "#[nonholonomic(coordinates(x[{n} + 1], y[{n}]),
                lagrangian = sum(i in 0..{n} + 1, dot(x[i])^2) + sum(i in 0..{n}, dot(y[i])^2),
                constraints(for i in 0..{n} {{ link[i]: dx[i + 1] + x[i]*dy[{n} - 1 - i] }}))]
            struct S{generics} {{ m: f64 }}"
        )
    };
    assert_eq!(meaning(&source("<const N: usize = 3>", "N")), meaning(&source("", "3")));
    // The implementation is that for the default values.
    for (generics, implemented) in [
        ("<const N: usize = 3>", ""),
        ("<'a, T: Clone, const N: u8 = 3, U = [T; { N as usize }]>", "<'a,T:Clone>"),
        ("<T: Into<[f64; N]>, const N: usize = 3>", "<T:Into<[f64;{3}]>>"),
    ] {
        let generics = parse(&source(generics, "N")).expect(generics).generics;
        let text: String =
            quote::ToTokens::to_token_stream(&generics).to_string().split_whitespace().collect();
        assert_eq!(text.replace("'aT", "'a,T"), implemented.replace(' ', ""));
    }
    // What a declaration does not use stays free.
    let declaration = parse(&source("<const N: usize = 3>", "2")).expect("a declaration");
    assert_eq!(declaration.generics.params.len(), 1);
}

#[test]
fn mistakes_in_ranges() {
    for (keys, messages) in [
        (", constraints(for i in «3..1» { dx[i] })", &["the range 3..1 ends before it begins"][..]),
        (
            ", constraints(for i in 0..4 { for j in «i + 1..3» { dx[j] + dy[i] } })",
            &["the range 4..3 ends before it begins"],
        ),
        (
            ", constraints(for i in «0..1000000000» { dx[i] })",
            &["these families have more than 4096 values of loop variables, too many to be written out"],
        ),
        (
            ", constraints(for i in 0..4000 { for j in «0..4000» { for k in 0..0 { dx[k] } } })",
            &["these families have more than 4096 values of loop variables, too many to be written out"],
        ),
        (", constraints(for i in 0..«k» { dx[i] })", &["unknown loop variable `k`"]),
        (", constraints(for i in 0..2 { dx[«j»] })", &["unknown loop variable `j`"]),
        (", constraints(for i in 0..«l» { dx[i] })", &["expected an integer, found an expression"]),
        (", constraints(for i in «1/2»..2 { dx[i] })", &["expected an integer, but this is 1/2"]),
        (", constraints(for i in 0..1/«(1 - 1)» { dx[i] })", &["division by zero"]),
        (", constraints(for «l» in 0..2 { dx[0] })", &["the loop variable `l` hides another `l`"]),
        (
            ", constraints(for i in 0..2 { for «i» in 0..2 { dx[i] } })",
            &["the loop variable `i` hides another `i`"],
        ),
        (
            ", constraints(for i in 0..2 { a[i]: sum(«i» in 0..2, dx[i]) })",
            &["the loop variable `i` hides another `i`"],
        ),
        (", constraints(for «t» in 0..2 { dx[0] })", &["`t` is reserved: it is the time"]),
        (", constraints(for i in 0..«N» { dx[i] })", &["unknown loop variable `N`"]),
    ] {
        mistakes(&four(keys), messages);
    }
    for generics in ["<const N: usize>", "<const N: usize = { 1 + 2 }>"] {
        mistakes(
            &format!(
                "#[nonholonomic(coordinates(x[3], y[«N»]), lagrangian = sum(i in 0..3, dot(x[i])^2),
                    constraints(for i in 0..«N» {{ dx[i] }}))]
                struct S{generics};"
            ),
            &["the value of the const parameter `N` is not known when the macro runs"; 2],
        );
    }
    mistakes(
        "#[nonholonomic(coordinates(x), lagrangian = «N»*dot(x)^2, constraints())] struct S<const N: usize = 3>;",
        &["unknown name `N`"],
    );
}

#[test]
fn mistakes_in_the_syntax_of_families() {
    for (keys, messages) in [
        (", constraints(for «0» in 0..2 { dx[0] })", &["expected a loop variable, found `0`"][..]),
        (", constraints(for i «of» 0..2 { dx[0] })", &["expected `in`, found `of`"]),
        (
            ", constraints(for i in 0..«=»2 { dx[i] })",
            &["expected the end of the range, which is not included, found `=`"],
        ),
        (", constraints(for i in 0..2 «(»dx[i]))", &["expected `{`, found `(`"]),
        (", constraints(for i in 0..«2»)", &["expected `{` after this"]),
        (", constraints(for i in 0..2 «{ }»)", &["expected an item in here"]),
        (", constraints(for i in 0..2 { dx[i] } «dy»[0])", &["expected `,`, found `dy`"]),
        (", constraints(for i in 0..2 { dx[i] «dy»[i] })", &["expected an operator before `dy`"]),
        (", constraints(for i in 0..2 { dx[i],«,» dy[i] })", &["unexpected `,`"]),
        (", constraints(), let(«for») ", &["expected a loop variable after this"]),
    ] {
        mistakes(&four(keys), messages);
    }
    let nested = format!("{}dx[0]{}", "for i in 0..1 { ".repeat(200), " }".repeat(200));
    let errors = parse(&four(&format!(", constraints({nested})"))).expect_err("too deep");
    assert!(errors.iter().any(|e| e.contains("nested at most 100 deep")), "{errors:?}");
}

#[test]
fn mistakes_in_items() {
    for (keys, messages) in [
        // One error for all values of the loop variable.
        (", constraints(for i in 2..6 { dx[«i»] })", &["the index 4 is out of range"][..]),
        (
            ", constraints(for i in 0..2 { «k»*dx[i] + «f»(x[i]) })",
            &["unknown name `k`", "unknown function `f`"],
        ),
        (", constraints(for i in 0..2 { «dx[i]*dy[i]» })", &["this is not linear in the differentials"]),
        (", constraints(for i in 0..2 { dx[i] + «l» })", &["this term carries no differential"]),
        (", constraints(for i in 0..2 { dx[i]/«(i - i)» })", &["division by zero"]),
        (", constraints(for i in 0..2 { «wheel»: dx[i] })", &["the label `wheel` is used twice"]),
        (
            ", constraints(wheel[1]: dy[0], for i in 0..2 { «wheel[i]»: dx[i] })",
            &["the label `wheel[1]` is used twice"],
        ),
        (", constraints(for i in 0..2 { wheel[«x»]: dx[i] })", &["expected an integer, found an expression"]),
        (", constraints(for i in 0..2 { wheel[«i/2»]: dx[i] })", &["expected an integer, but this is 1/2"]),
        (
            ", constraints(for i in 0..3 { «dx[0] + dy[0]» })",
            &["this one-form depends on `dx[0] + dy[0]`, everywhere"],
        ),
        (
            ", constraints(for i in 0..4 { dx[i], dy[i], dth[i] }, «dx[0]»)",
            &["too many constraints: 13 one-forms for 12 coordinates"],
        ),
    ] {
        mistakes(&four(keys), messages);
    }
}

#[test]
fn mistakes_in_arrays_of_let() {
    for (keys, messages) in [
        (", let(a[0] = l, a[1] = l, «a[1]» = 2), constraints()", &["`a[1]` is defined twice"][..]),
        (", let(a[1] = l, for i in 0..3 { «a[i]» = l }), constraints()", &["`a[1]` is defined twice"]),
        (", let(for i in 0..3 { «a[0]» = l }), constraints()", &["`a[0]` is defined twice"]),
        (", let(for i in 0..3 { «a» = l }), constraints()", &["`a` is defined twice"]),
        (
            ", let(for i in 0..3 { a[i] = «a»[i + 1] }, a[3] = l), constraints()",
            &["`a` is defined only after it is used here"],
        ),
        (
            ", let(a[0] = l, for i in 1..3 { a[i] = «a[i + 1]» }, a[3] = l), constraints()",
            &["`a[2]` is defined only after it is used here"],
        ),
        (
            ", let(for i in 1..3 { a[i] = «a»[i - 1] }), constraints()",
            &["`a` is defined only after it is used here"],
        ),
        (
            ", let(a[0] = l, for i in 2..4 { a[i] = a[«i - 1»] }), constraints()",
            &["the index 1 is out of range"],
        ),
        (
            ", let(a[0] = l, a[1] = 2), constraints(a[«2»]*dx[0], a[«-1»]*dx[0])",
            &["the index 2 is out of range", "the index -1 is out of range"],
        ),
        (", let(a[0][1] = l, a[1][0] = l), constraints(«a[1][1]»*dx[0])", &["`a[1][1]` is not defined"]),
        (", let(a[0][1] = l), constraints(«a»[0]*dx[0])", &["`a` has 2 indices, but 1 is given"]),
        (", let(a[0] = l), constraints(«a»*dx[0])", &["`a` is an array"]),
        (", let(a[0] = l), constraints(«a»[0][0]*dx[0])", &["`a` has 1 index, but 2 are given"]),
        (", let(a = l), constraints(«a»[0]*dx[0])", &["`a` is not an array"]),
        (", let(for i in 1..1 { a[i] = l }), constraints(«a»[0]*dx[0])", &["`a` has no entries"]),
        (
            ", let(a[0] = l, «a» = l), constraints()",
            &["`a` is defined both as an array and as a single value"],
        ),
        (
            ", let(a = l, «a[0]» = l), constraints()",
            &["`a` is defined both as an array and as a single value"],
        ),
        (
            ", let(a[0] = l, «a[0][1]» = l), constraints()",
            &["`a` is defined with different numbers of indices"],
        ),
        (", let(«x»[0] = l), constraints()", &["the name `x` is declared twice"]),
        (", let(a[«-1»] = l), constraints()", &["the index -1 is negative"]),
        (", let(a[«l»] = l), constraints()", &["expected an integer, found an expression"]),
        (", let(a[«j»] = l), constraints()", &["unknown loop variable `j`"]),
        // A mistake in one entry does not make others of those that use it.
        (
            ", let(a[0] = «k», for i in 1..3 { a[i] = a[i - 1]*«f»(x[0]) }), constraints(a[2]*dx[0])",
            &["unknown name `k`", "unknown function `f`"],
        ),
        (
            ", let(a[0] = l, for i in 0..«k» { a[i] = l }), constraints(a[2]*dx[0])",
            &["unknown loop variable `k`"],
        ),
        // Velocities that come in on the way are seen.
        (
            ", let(w[0] = x[0], for i in 1..3 { w[i] = w[i - 1]*dot(x[i]) }), constraints(d(«w»[2]))",
            &["a velocity, which `w` depends on, may not appear inside `d`"],
        ),
    ] {
        mistakes(&four(keys), messages);
    }
}

/// What a short text can ask for takes no time, or is refused.
#[test]
fn bounded_work() {
    let too_large = "the declaration is too large: more than 50000 operations";
    for (keys, message) in [
        ("let(a[0] = l, for i in 1..4000 { a[i] = a[i - 1] + sin(i*x[0])*(x[1] - i)*l })", Some(too_large)),
        ("let(a[0] = l, for i in 1..1000 { a[i] = a[i - 1] + sin(i*x[0]) })", None),
        ("let(a[0] = l, for i in 1..1000 { a[i] = a[i - 1]*cos(i*x[0]) + x[1] })", None),
        (
            "let(a[0] = [x[0], x[1], x[2]], for i in 1..300 { a[i] = cross(a[i - 1], [l, x[0], i]) + a[i - 1] })",
            None,
        ),
        ("let(for i in 0..4000 { a[i] = sum(j in 0..1000, j*x[0]) })", Some(too_large)),
        ("let(for i in 1..60 { for j in 0..60 { b[i][j] = sum(k in 0..i, k*j*x[0]) } })", Some(too_large)),
    ] {
        let errors = parse(&four(&format!(", constraints(), {keys}"))).err().unwrap_or_default();
        assert_eq!(errors.is_empty(), message.is_none(), "{keys}: {errors:?}");
        assert!(message.is_none_or(|message| errors[0].contains(message)), "{keys}: {errors:?}");
    }
}
