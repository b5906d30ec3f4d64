//! Auxiliary states: what they mean, and what is an error.

use super::{errors, parse, three};

const KINETIC: &str = "lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2), constraints()";

/// Each case: keys for `three` beside the Lagrangian, then the errors.
fn check(cases: &[(&str, &[&str])]) {
    for (keys, expected) in cases {
        assert_eq!(errors(&three(&format!("{KINETIC}, {keys}"))), *expected, "{keys}");
    }
}

#[test]
fn states_have_names_rates_and_texts() {
    let source = three(&format!(
        "{KINETIC}, inputs(u), states(i, w[2]), let(drop = r*i, load = drop + dot(x)), force = i*dx + w[1]*load*dy,
         dynamics(for n in 0..2 {{ dot(w[n]) = w[1 - n] + c[n]*t }}, dot(i) = u - load - w[0]^2)"
    ));
    let system = parse(&source).unwrap().system;
    let names: Vec<&str> = system.states.iter().map(|state| state.name.as_str()).collect();
    assert_eq!(names, ["i", "w[0]", "w[1]"]);
    let shown: Vec<String> = system.dynamics.iter().map(|&e| system.pool.show(e).to_string()).collect();
    assert_eq!(shown, ["-dot(x) + u - r*i - w[0]^2", "w[1] + c[0]*t", "w[0] + c[1]*t"]);
    assert_eq!(system.source.dynamics, ["u - load - w[0]^2", "w[1] + c[0]*t", "w[0] + c[1]*t"]);
    let plain = parse(&three(KINETIC)).unwrap().system;
    assert!(plain.states.is_empty() && plain.dynamics.is_empty());
}

#[test]
fn every_state_has_dynamics_once() {
    check(&[
        ("states(i)", &["there are no dynamics of `i`"]),
        ("states(i, j[2]), dynamics()", &["there are no dynamics of `i`", "there are no dynamics of `j[0]`"]),
        ("states(i, j[2]), dynamics(dot(j[0]) = 0, dot(i) = 1)", &["there are no dynamics of `j[1]`"]),
        ("states(i), dynamics(dot(i) = 1, dot(i) = 2)", &["the dynamics of `i` are given twice"]),
        (
            "states(w[2]), dynamics(for n in 0..2 { dot(w[n]) = 0 }, dot(w[1]) = 2)",
            &["the dynamics of `w[1]` are given twice"],
        ),
        (
            "states(w[2]), dynamics(for n in 0..2 { dot(w[0]) = 0 }, dot(w[1]) = 2)",
            &["the dynamics of `w[0]` are given twice"],
        ),
        ("dynamics(dot(i) = 1)", &["there are no auxiliary states that this could be the dynamics of"]),
        ("states(i), states(j), dynamics(dot(i) = 1)", &["`states` is given twice"]),
    ]);
}

#[test]
fn only_states_have_dynamics() {
    check(&[
        ("states(current), dynamics(dot(curent) = 1)", &["unknown name `curent`"]),
        ("states(i), dynamics(dot(x) = 1, dot(i) = 0)", &["`x` is no auxiliary state"]),
        ("states(i), dynamics(dot(i[0]) = 1)", &["`i` is not an array"]),
        ("states(w[2]), dynamics(dot(w) = 1)", &["`w` is an array of 2"]),
        ("states(w[1]), dynamics(dot(w[0]) = 1, dot(w[1]) = 1)", &["the index 1 is out of range"]),
        ("states(w[1]), dynamics(dot(w[0][0]) = 1)", &["`w` has one index, but 2 are given"]),
        ("states(w[1]), dynamics(dot(w[x]) = 1)", &["expected an integer, found an expression"]),
    ]);
}

#[test]
fn where_states_stand() {
    let with = |keys: &str| three(&format!("states(i), dynamics(dot(i) = -i), {keys}"));
    let kinetic = "lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2)";
    for (keys, expected) in [
        (
            format!("{kinetic} - i*x, constraints()"),
            "the auxiliary state `i` may not appear in the Lagrangian",
        ),
        (
            format!("{kinetic}, constraints(dx - i*dt)"),
            "the auxiliary state `i` may not appear in a constraint",
        ),
        (
            format!("{kinetic}, holonomic(x - i)"),
            "the auxiliary state `i` may not appear in a position constraint",
        ),
        (
            format!("{kinetic} - w*x, let(w = 2*i), constraints()"),
            "an auxiliary state, which `w` depends on, may not appear in the Lagrangian",
        ),
        (
            format!("{kinetic}, let(w = 2*i), constraints(dx - w*dt)"),
            "an auxiliary state, which `w` depends on, may not appear in a constraint",
        ),
        (
            format!("{kinetic}, constraints(), force = dot(i)*dx"),
            "the auxiliary state `i` may not appear inside `dot`",
        ),
        (
            format!("{kinetic}, constraints(), force = dx + d(i)"),
            "the auxiliary state `i` may not appear inside `d`",
        ),
        (
            format!("{kinetic}, let(w = 2*i), constraints(), force = dot(w)*dx"),
            "an auxiliary state, which `w` depends on, may not appear inside `dot`",
        ),
        (format!("{kinetic}, constraints(), force = di"), "unknown name `di`"),
    ] {
        assert_eq!(errors(&with(&keys)), [expected], "{keys}");
    }
    let with = |rate: &str| three(&format!("{KINETIC}, states(i), dynamics(dot(i) = {rate})"));
    for (rate, expected) in [
        ("dot(i)", "the auxiliary state `i` may not appear inside `dot`"),
        ("dx", "the differential `dx` may not appear in the dynamics of an auxiliary state"),
        ("d(x)", "a differential may not appear in the dynamics of an auxiliary state"),
        ("dt", "the differential `dt` may not appear in the dynamics of an auxiliary state"),
        ("j", "unknown name `j`"),
        ("1/0", "division by zero"),
        ("[1, 2, 3]", "this is a vector, and a number is needed here"),
        ("floor(x)", "`floor` jumps at infinitely many places, and is not in the grammar"),
    ] {
        assert_eq!(errors(&with(rate)), [expected], "{rate}");
    }
}

#[test]
fn syntax() {
    check(&[
        ("states = i", &["expected `(` after `states`, found `=`"]),
        ("states(i), dynamics = 2", &["expected `(` after `dynamics`, found `=`"]),
        ("states(i), dynamics(i = 2)", &["expected `dot(...)`, found `i`"]),
        ("states(i), dynamics(dot = 2)", &["expected `(` after `dot`, found `=`"]),
        ("states(i), dynamics(dot(i + 1) = 2)", &["expected `)`, found `+`"]),
        ("states(i), dynamics(dot(i))", &["expected `=` after this"]),
        ("states(i), dynamics(dot(i) = )", &["expected an expression after this"]),
        ("states(x), dynamics()", &["the name `x` is declared twice"]),
        ("states(w[0])", &["an array has at least one entry"]),
        ("state(i), dynamics(dot(i) = 1)", &["unknown key `state`"]),
    ]);
}

/// The token behind `@` is the one that the error is about.
#[test]
fn errors_stand_on_their_tokens() {
    let kinetic = "lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2)";
    for keys in [
        format!("{kinetic}, constraints(), states(i, @j)  , dynamics(dot(i) = j)"),
        format!("{kinetic}, constraints(), @dynamics(dot(i) = 1)"),
        format!("{kinetic}, constraints(), states(i), dynamics(dot(i) = 1, dot(@i) = 2)"),
        format!("{kinetic}, constraints(), states(w[2]), dynamics(dot(w[0]) = 1, dot(w[@2]) = 2)"),
        format!("{kinetic}, constraints(), states(i), dynamics(dot(i) = 1 + @volts)"),
        format!("{kinetic}, constraints(), states(i), dynamics(dot(i) = 1, dot(@x) = 2)"),
        format!("{kinetic}, constraints(), states(i), dynamics(dot(i) = 1), force = dot(@i)*dx"),
        format!("{kinetic}, constraints(dx + 2*@i*dt), states(i), dynamics(dot(i) = 1)"),
        format!("{kinetic}, holonomic(x + @i), states(i), dynamics(dot(i) = 1)"),
        format!("{kinetic} - @i*x, constraints(), states(i), dynamics(dot(i) = 1)"),
    ] {
        let marked = three(&keys);
        let column = marked.find('@').expect("a mark") + 1;
        let errors = parse(&marked.replace('@', "")).expect_err("a mistake");
        assert_eq!(errors.len(), 1, "{keys}: {errors:?}");
        assert!(errors[0].starts_with(&format!("1:{column}: ")), "{keys}: {errors:?}");
    }
}
