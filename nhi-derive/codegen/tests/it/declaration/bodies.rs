//! Bodies that pictures show: `bodies(truck: pose(x, y, theta))`.

use super::{errors, implemented, parse, three};
use nhi_codegen::system::BodyShape;

const KINETIC: &str =
    "lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2), constraints(dx - y*dz), let(s = x + r, first = c[0])";

fn with(bodies: &str) -> String {
    three(&format!("{KINETIC}, bodies({bodies})"))
}

#[test]
fn bodies_are_texts_of_a_declaration() {
    let declaration = parse(&with(
        "truck: pose(s, y - r*sin(z), z), for i in 0..2 { ball[i + 1]: ball(i*x, dot(y), t + c[i]) },",
    ));
    let system = declaration.expect("no mistakes").system;
    let found: Vec<_> =
        system.bodies.iter().map(|body| (body.name.as_str(), body.shape, body.place.join("; "))).collect();
    let text = |text: &str| text.to_owned();
    assert_eq!(
        found,
        [
            ("truck", BodyShape::Pose, text("s; y - r*sin(z); z")),
            ("ball[1]", BodyShape::Ball, text("0*x; dot(y); t + c[0]")),
            ("ball[2]", BodyShape::Ball, text("1*x; dot(y); t + c[1]")),
        ]
    );
}

/// No step depends on what pictures show, nor does the order of terms in it.
#[test]
fn steps_do_not_depend_on_bodies() {
    let without = implemented(&three(KINETIC)).expect("no mistakes");
    let with =
        implemented(&with("a: pose(y*sin(z) + x^2, cos(z)*dot(x), table(y, c, c))")).expect("no mistakes");
    assert_eq!(without, with);
}

/// Nor do multipliers and the energy act in a step because a picture shows them.
#[test]
fn steps_do_not_depend_on_multipliers_in_bodies() {
    for force in ["", ", force = -m*lambda(load)*dy"] {
        let written = |bodies: &str| {
            let constrained = KINETIC.replace("constraints(dx", "constraints(load: dx");
            implemented(&three(&format!("{constrained}{force}{bodies}"))).expect("no mistakes")
        };
        let with = written(", bodies(a: pose(energy, lambda(load), abs(lambda(load))))");
        assert_eq!(written(""), with, "{force}");
    }
}

#[test]
fn mistakes_are_found() {
    for (bodies, message) in [
        ("a: pose(x, y)", "`pose` takes three expressions, but 2 are given"),
        ("a: ball(x, y, z, x)", "`ball` takes three expressions, but 4 are given"),
        ("a: pos(x, y, z)", "unknown shape `pos`"),
        ("a pose(x, y, z)", "expected `:` and the shape of the body, found `pose`"),
        ("a: pose", "expected `(` after `pose` after this"),
        ("a: pose(x, q, z)", "unknown name `q`"),
        ("a: pose(x, c, z)", "`c` is a vector, and a number is needed here"),
        ("a: pose(x, [x, y, z], z)", "a number is needed here"),
        ("a: pose(x, y, dz)", "the differential `dz` may not appear in the place of a body"),
        ("a: pose(x, y, z), a: ball(x, y, z)", "the body `a` is declared twice"),
        ("for i in 0..2 { a: pose(x, y, z) }", "the body `a` is declared twice"),
        ("a: pose(x, y, z/(x - x))", "division by zero"),
    ] {
        let found = errors(&with(bodies));
        assert!(found.len() == 1 && found[0].contains(message), "{bodies}: {found:?}");
    }
}
