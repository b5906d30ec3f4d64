//! Methods whose steps are to be differentiated: `methods(Dla2 + derivatives)`.

use super::{implemented, parse, three};
use nhi_codegen::method::Method;

const KINETIC: &str = "lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2), constraints(dx - y*dz)";

fn with(methods: &str) -> String {
    three(&format!("{KINETIC}, methods({methods})"))
}

/// The errors, each with the text that it underlines.
fn underlined(methods: &str) -> Vec<(String, String)> {
    let source = with(methods);
    let errors = parse(&source).err().or_else(|| implemented(&source).err()).unwrap_or_default();
    errors
        .into_iter()
        .map(|error| {
            // 1:column: message
            let mut parts = error.splitn(3, ':');
            let column: usize = parts.nth(1).expect("a column").parse().expect("a number");
            let rest = &source[column - 1..];
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let end = rest.find(|c| !is_word(c)).filter(|&end| end > 0).unwrap_or(1);
            (rest[..end].to_owned(), parts.next().expect("a message").trim().to_owned())
        })
        .collect()
}

#[test]
fn derivatives_belong_to_the_method_before_them() {
    let declaration = parse(&with("Dla1, Dla2 + derivatives, Rk4 + derivatives,")).expect("no mistakes");
    assert_eq!(declaration.system.methods, [Method::Dla1, Method::Dla2, Method::Rk4]);
    assert_eq!(declaration.system.differentiated, [Method::Dla2, Method::Rk4]);
    assert_eq!(declaration.extents.derivatives.len(), 2);
    let one = declaration.with_methods(vec![Method::Rk4, Method::Dla1]);
    assert_eq!(one.system.differentiated, [Method::Rk4]);
    assert_eq!(one.extents.derivatives.len(), 1);
    assert!(parse(&with("Dla1")).expect("no mistakes").system.differentiated.is_empty());
}

#[test]
fn anything_else_is_an_error_where_it_stands() {
    let asks = "asks for the derivatives of its steps";
    for (methods, at, message) in [
        (
            "Dla2 + derivative",
            "derivative",
            "expected `derivatives`, found `derivative`\n= help: did you mean `derivatives`?",
        ),
        (
            "Dla2 + Derivatives",
            "Derivatives",
            "expected `derivatives`, found `Derivatives`\n= help: did you mean `derivatives`?",
        ),
        ("Dla2 + Rk4", "Rk4", "expected `derivatives`, found `Rk4`\n= help: methods are separated by commas"),
        (
            "Dla2 + curvature",
            "curvature",
            &format!("expected `derivatives`, found `curvature`\n= help: `Dla2 + derivatives` {asks}"),
        ),
        ("Dla2 + 2", "2", &format!("expected `derivatives`, found `2`\n= help: `Dla2 + derivatives` {asks}")),
        ("Rk4 +", "+", &format!("expected `derivatives` after this\n= help: `Rk4 + derivatives` {asks}")),
        ("Dla2 + derivatives + derivatives", "+", "expected `,`, found `+`"),
        ("Dla2 derivatives", "derivatives", "expected `,`, found `derivatives`"),
        (
            "all + derivatives",
            "derivatives",
            "derivatives are asked for method by method, because they are long\n\
             = help: name the methods: `methods(Dla2 + derivatives, Rk4)`",
        ),
    ] {
        assert_eq!(underlined(methods), [(at.to_owned(), message.to_owned())], "{methods}");
    }
    let both = underlined("Dla2 + deriatives, Dla7 + derivatives");
    assert_eq!(both.len(), 2, "{both:?}");
    assert_eq!(both[1], ("Dla7".into(), "unknown method `Dla7`\n= help: did you mean `Dla1`?".into()));
}

#[test]
fn methods_without_derivatives_say_why() {
    let reflecting = "its state has two velocities";
    assert_eq!(
        underlined("Rattle + derivatives, Dla2, GniEulerA + derivatives"),
        ["Rattle", "GniEulerA"].map(|method| (
            "derivatives".to_owned(),
            format!("there are no derivatives of the steps of `{method}`: {reflecting}"),
        ))
    );
    let body = "#[nonholonomic(group = SO3(R; w1, w2, w3), \
                lagrangian = (a*w1^2 + b*w2^2 + c*w3^2)/2 - b*R[2][2], constraints(w1 + w2), \
                methods(Rkmk4 + derivatives, Rdp + derivatives))] struct Body { a: f64, b: f64, c: f64 }";
    let errors = implemented(body).expect_err("a map without a derivative");
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(
        errors[0].ends_with(
            "there are no derivatives of the steps of `Rkmk4`: \
             they need the derivative of a map of the group that is not known"
        ),
        "{errors:?}"
    );
}
