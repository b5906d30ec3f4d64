//! Mistakes in the texts of outputs.

use nhi_run::System;

const DECLARATION: &str = "#[derive(Nonholonomic)]
#[nonholonomic(coordinates(x), lagrangian = m/2*dot(x)^2, constraints())]
struct S { m: f64 }";

fn refused(name: &str, expression: &str) -> String {
    let system = System::with_outputs(DECLARATION, "s.rs", None, &[(name, Some(expression))]);
    system.expect_err(expression).render(false)
}

#[test]
fn names() {
    let keyword = refused("use", "x");
    assert!(keyword.contains("`use` is a keyword"), "{keyword}");
    let none = refused("a b", "x");
    assert!(none.contains("expected an identifier"), "{none}");
}

#[test]
fn expressions() {
    let cases = [
        ("(x", "this `(` is not closed: `)` is missing"),
        ("x)", "this `)` closes nothing"),
        ("dot_x", "the velocity of `x` is `dot(x)`"),
        ("floor(x)", "jumps at infinitely many places"),
    ];
    for (expression, message) in cases {
        let text = refused("a", expression);
        assert!(text.contains(message) && text.contains("a:1:") && text.contains('^'), "{text}");
        assert!(!text.contains("token stream") && !text.contains("struct"), "{text}");
    }
    let file =
        System::parse("#[derive(Nonholonomic)]\n#[nonholonomic(coordinates(x)]\nstruct S;", "s.rs", None);
    let file = file.expect_err("a bracket").render(false);
    assert!(file.contains("expected `)`, found `]`") && file.contains("s.rs:2:30"), "{file}");
}
