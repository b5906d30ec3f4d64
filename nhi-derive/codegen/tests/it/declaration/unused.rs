//! Parameters and inputs that no formula uses.

use super::{implemented, parse};

fn unused(source: &str) -> Vec<String> {
    let declaration = parse(source).expect("no mistakes");
    let kind = |is_input| if is_input { "input" } else { "parameter" };
    declaration.unused.iter().map(|unused| format!("{} {}", kind(unused.is_input), unused.name)).collect()
}

#[test]
fn what_no_formula_uses_is_listed() {
    let declared = |keys: &str, fields: &str| {
        format!("#[nonholonomic(coordinates(x, y), {keys})] struct S {{ {fields} }}")
    };
    let lagrangian = "lagrangian = m/2*(dot(x)^2 + dot(y)^2), constraints()";
    assert_eq!(unused(&declared(lagrangian, "m: f64")), [""; 0]);
    // `u` is a parameter here, not the input `u1`.
    let mistyped = declared(&format!("inputs(u1), {lagrangian}, force = u*dx"), "m: f64, u: f64, c: f64");
    assert_eq!(unused(&mistyped), ["parameter c", "input u1"]);
    let arrays = declared(&format!("inputs(u[2]), {lagrangian}"), "m: f64, c: [f64; 2], k: [f64; 2]");
    assert_eq!(unused(&arrays), ["parameter c", "parameter k", "input u"]);
    // One entry of an array is enough.
    let entries =
        declared(&format!("inputs(u[2]), {lagrangian}, force = c[0]*u[1]*dx"), "m: f64, c: [f64; 2]");
    assert_eq!(unused(&entries), [""; 0]);
    for used in [
        "let(both = k + u)",
        "force = sum(i in 0..2, k*u)*dx",
        "force = table(x, xs, ys)*dx + k*u*dx",
        "bodies(a: pose(x + k, y, u))",
        "states(z), dynamics(dot(z) = u - k*z)",
        "let(a = k), force = u*d(a*x)",
    ] {
        let text = declared(
            &format!("inputs(u), {lagrangian}, {used}"),
            "m: f64, k: f64, xs: [f64; 3], ys: [f64; 3], #[nonholonomic(skip)] note: bool",
        );
        let expected: &[&str] = if used.contains("table") { &[] } else { &["parameter xs", "parameter ys"] };
        assert_eq!(unused(&text), expected, "{used}");
    }
    let holonomic = "lagrangian = (dot(x)^2 + dot(y)^2)/2, holonomic(rod: x^2 + y^2 - l^2 = 0)";
    assert_eq!(unused(&declared(holonomic, "l: f64, m: f64")), ["parameter m"]);
}

/// The macro makes the compiler say it.
#[test]
fn the_derive_warns() {
    let code = implemented(
        "#[nonholonomic(coordinates(x), inputs(u), lagrangian = m/2*dot(x)^2, constraints())] struct S { m: f64, c: f64 }",
    );
    let code = code.expect("no mistakes");
    assert!(code.contains("no formula uses the parameter `c`; "), "{code}");
    assert!(code.contains("no formula uses the input `u`"), "{code}");
    assert_eq!(code.matches("deprecated").count(), 2, "{code}");
}
