//! Vectors: what they mean is what their components mean, written out; and their mistakes.

use super::written_out::{meaning, mistakes, same, values};

/// A system on `x`, `y`, `z`, `u[3]` with parameters `m`, `r`, `c: [f64; 3]`, `e: [f64; 2]`, and these further keys.
fn six(keys: &str) -> String {
    format!(
        "#[nonholonomic(coordinates(x, y, z, u[3]),
            lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2 + sum(i in 0..3, dot(u[i])^2))/2 {keys})]
        struct S {{ m: f64, r: f64, c: [f64; 3], e: [f64; 2] }}"
    )
}

/// A system on R³ × SE(3) with parameters `m`, `r`, `c: [f64; 3]`.
fn body(keys: &str) -> String {
    format!(
        "#[nonholonomic(coordinates(u[3]), group = SE3(R, p; w1, w2, w3, v1, v2, v3),
            lagrangian = (w1^2 + w2^2 + w3^2 + v1^2 + v2^2 + v3^2 + sum(i in 0..3, dot(u[i])^2))/2 {keys})]
        struct S {{ m: f64, r: f64, c: [f64; 3] }}"
    )
}

const LETS: &str = ", let(a = [x, 2*y, z], b = [r, c[1], dot(x)], k = cross(a, b)), constraints()";

#[test]
fn forces_with_vectors() {
    for (vector, written) in [
        ("dot(a, b)*dx", "(x*r + 2*y*c[1] + z*dot(x))*dx"),
        ("norm2(a)*dx", "(x^2 + (2*y)^2 + z^2)*dx"),
        ("norm2(a - [0, 0, z])*dx", "(x^2 + (2*y)^2)*dx"),
        (
            "k[0]*dx + k[1]*dy + k[4 - 2]*dz",
            "(2*y*dot(x) - z*c[1])*dx + (z*r - x*dot(x))*dy + (x*c[1] - 2*y*r)*dz",
        ),
        (
            "dot(a, cross(b, c))*dx",
            "(x*(c[1]*c[2] - dot(x)*c[1]) + 2*y*(dot(x)*c[0] - r*c[2]) + z*(r*c[1] - c[1]*c[0]))*dx",
        ),
        ("dot(2*a/r - -b*3, [1, 0, 0])*dx", "(2*x/r + r*3)*dx"),
        ("dot(a, dot(a))*dx", "(x*dot(x) + 2*y*2*dot(y) + z*dot(z))*dx"),
        ("dot([r, m, x], d(a))", "r*dx + m*2*dy + x*dz"),
        ("dot(c, du)", "c[0]*du[0] + c[1]*du[1] + c[2]*du[2]"),
        ("dot(u, -(c))*dx", "-(u[0]*c[0] + u[1]*c[1] + u[2]*c[2])*dx"),
        ("sum(i in 0..3, a[i]*du[i])", "x*du[0] + 2*y*du[1] + z*du[2]"),
        ("dot(sum(i in 0..3, u[i]*c), a)*dx", "(u[0] + u[1] + u[2])*(x*c[0] + 2*y*c[1] + z*c[2])*dx"),
        ("dot(sum(i in 0..0, u[i]*c) + a, c)*dx", "(x*c[0] + 2*y*c[1] + z*c[2])*dx"),
        ("(norm2(sum(i in 0..0, c)) + r)*dx", "r*dx"),
        ("sqrt(norm2(a))*dx", "sqrt(x^2 + (2*y)^2 + z^2)*dx"),
        ("dot(b, -dot(a)*dt)", "-(r*dx + c[1]*2*dy + dot(x)*dz)"),
    ] {
        same(&six(&format!("{LETS}, force = {vector}")), &six(&format!("{LETS}, force = {written}")));
    }
}

/// Names of three numbers are vectors, and so are entries of arrays.
#[test]
fn arrays_and_vectors() {
    for (lets, force, written) in [
        ("q[0] = x, for i in 1..3 { q[i] = q[i - 1]*r }", "dot(q, c)*dx", "x*(c[0] + r*c[1] + r^2*c[2])*dx"),
        (
            "q[0] = [x, y, z], for i in 1..3 { q[i] = cross(c, q[i - 1]) }",
            "q[1][0]*dx + norm2(q[0])*dy + dot(q[2], q[1])*dz",
            "(c[1]*z - c[2]*y)*dx + (x^2 + y^2 + z^2)*dy",
        ),
    ] {
        let keys = |force: &str| six(&format!(", let({lets}), constraints(), force = {force}"));
        same(&keys(force), &keys(written));
    }
}

#[test]
fn poses_and_vectors() {
    let row = |i: usize| format!("(R[{i}][0]*w1 + R[{i}][1]*w2 + R[{i}][2]*w3)");
    let column = |i: usize| format!("(R[0][{i}]*u[0] + R[1][{i}]*u[1] + R[2][{i}]*u[2])");
    for (vector, written) in [
        ("dot(R*w, du)".to_owned(), format!("{}*du[0] + {}*du[1] + {}*du[2]", row(0), row(1), row(2))),
        (
            "dot(m*(-R)*w/2, du)".to_owned(),
            format!("-m/2*({}*du[0] + {}*du[1] + {}*du[2])", row(0), row(1), row(2)),
        ),
        (
            "dot(transpose(R)*u, w)*dt".to_owned(),
            format!("{}*w1*dt + {}*w2*dt + {}*w3*dt", column(0), column(1), column(2)),
        ),
        ("dot(p, dp)".to_owned(), "p[0]*dp[0] + p[1]*dp[1] + p[2]*dp[2]".to_owned()),
        (
            "dot(dot(p), c)*du[0]".to_owned(),
            "(dot(p[0])*c[0] + dot(p[1])*c[1] + dot(p[2])*c[2])*du[0]".to_owned(),
        ),
        ("dot(u, d(R*c))".to_owned(), "sum(i in 0..3, sum(j in 0..3, u[i]*c[j]*dR[i][j]))".to_owned()),
    ] {
        let keys = |force: &str| body(&format!(", let(w = [w1, w2, w3]), constraints(), force = {force}"));
        same(&keys(&vector), &keys(&written));
    }
}

#[test]
fn constraints_by_vectors() {
    let lets = ", let(w = [w1, w2, w3])";
    let vector = body(&format!("{lets}, constraints(contact: dot(p) + cross(R*w, [0, 0, -r]))"));
    let written = body(
        ", constraints(
            dot(p[0]) - r*(R[1][0]*w1 + R[1][1]*w2 + R[1][2]*w3),
            dot(p[1]) + r*(R[0][0]*w1 + R[0][1]*w2 + R[0][2]*w3),
            dot(p[2]))",
    );
    same(&vector, &written);
    assert_eq!(values(&vector).0, ["contact[0]", "contact[1]", "contact[2]"]);
    // In differentials, without a label, and with one constraint beside it.
    let differentials = body(&format!("{lets}, constraints(dp + cross(R*w, [0, 0, -r])*dt = 0, du[0])"));
    same(&differentials, &body(&format!("{lets}, constraints(dot(p) + cross(R*w, [0, 0, -r]), dot(u[0]))")));
    let text = "dp + cross(R*w, [0, 0, -r])*dt";
    assert_eq!(
        values(&differentials).0,
        [format!("({text})[0]"), format!("({text})[1]"), format!("({text})[2]"), "du[0]".to_owned()]
    );
    // In a family.
    let family = six(
        ", let(n[0] = [1, 0, x], n[1] = [0, 1, y]), constraints(for i in 0..1 { pin[i]: d([x, y, z]) + du[i]*n[i] })",
    );
    assert_eq!(values(&family).0, ["pin[0][0]", "pin[0][1]", "pin[0][2]"]);
    same(&family, &six(", constraints(dx + du[0], dy, dz + x*du[0])"));
    assert!(meaning(&family)[1].ends_with("from (d([x, y, z]) + du[0]*n[0])[0]"));
}

/// A position constraint by a vector is one for each component.
#[test]
fn position_constraints_by_vectors() {
    for (keys, written, labels) in [
        (
            ", holonomic(joint: u - r*[x, y, z] = 0)",
            ", holonomic(u[0] - r*x, u[1] - r*y, u[2] - r*z)",
            ["joint[0]", "joint[1]", "joint[2]"],
        ),
        (
            ", holonomic(u - c)",
            ", holonomic(u[0] - c[0], u[1] - c[1], u[2] - c[2])",
            ["(u - c)[0]", "(u - c)[1]", "(u - c)[2]"],
        ),
    ] {
        same(&six(keys), &six(written));
        assert_eq!(values(&six(keys)).0, labels, "{keys}");
    }
    let row = |i: usize| format!("p[{i}] + R[{i}][0]*c[0] + R[{i}][1]*c[1] + R[{i}][2]*c[2] - u[{i}]");
    same(
        &body(", holonomic(p + R*c - u), constraints(w1)"),
        &body(&format!(", constraints(w1), holonomic({}, {}, {})", row(0), row(1), row(2))),
    );
    for (keys, messages) in [
        (
            ", holonomic(«[x, y, r]»)",
            &["component 2 of this position constraint does not depend on the configuration"][..],
        ),
        (
            ", constraints(dx), holonomic(«[y, x, z]»)",
            &["component 1 of this position constraint depends on the constraints before it"],
        ),
        (", holonomic(u, «[x, y, z]»)", &["too many constraints: 6 for 6 coordinates"]),
        (", holonomic([x, «dot(y)», z])", &["a velocity may not appear in a position constraint"]),
    ] {
        mistakes(&six(keys), messages);
    }
    mistakes(&body(", holonomic(«R»)"), &["`R` is a matrix, 3 by 3"]);
}

#[test]
fn mistakes_in_shapes() {
    for (keys, messages) in [
        (", constraints(), force = «[x, y, z]»", &["this is a vector, and a number is needed here"][..]),
        (", constraints(), force = «x*c*dx»", &["this is a vector, and a number is needed here"]),
        (", constraints(), force = sin(«c»)*dx", &["`c` is a vector, and a number is needed here"]),
        (", constraints(), force = «c»^2*dx", &["`c` is a vector, and a number is needed here"]),
        (", constraints(), force = (x + «c»)*dx", &["`c` is a vector, and a number is needed here"]),
        (", constraints(dx + «c»)", &["`c` is a vector, and a number is needed here"]),
        (", constraints(c*dt + «dx»)", &["this is a number, but the terms before it are vectors"]),
        (
            ", constraints(), force = dot(c*«u», u)*dx",
            &["a vector cannot be multiplied by a vector with `*`"],
        ),
        (", constraints(), force = x/«c»*dx", &["this is a vector, and only numbers can divide"]),
        (", constraints(), force = dot(c, «x»)*dx", &["this is a number, and `dot` takes two vectors"]),
        (", constraints(cross(«x», «y»))", &["this is a number, and `cross` takes two vectors"; 2]),
        (", constraints(), force = norm2(«x + y»)*dx", &["this is a number, and `norm2` takes a vector"]),
        (", constraints(), force = dot(c, «e»)*dx", &["`e` is an array of 2"]),
        (", constraints(), force = dot(c, «[x, y]»)*dx", &["a vector has three components, but 2 are given"]),
        (", constraints(), force = dot(c, «[x]»)*dx", &["a vector has three components, but 1 is given"]),
        (
            ", constraints(), force = dot(c, [x, «c», «u»])*dx",
            &["`c` is a vector, and a number is needed here", "`u` is a vector, and a number is needed here"],
        ),
        (
            ", constraints(), force = «dot(c, c, c)»*dx",
            &[
                "`dot` takes one argument, as the time derivative `dot(x)`, or two vectors, `dot(a, b)`, but 3 are given",
            ],
        ),
        (
            ", constraints(), force = «cross(c)»*dx",
            &["`cross` takes two vectors, `cross(a, b)`, but 1 are given"],
        ),
        (", constraints(), force = «norm»(c)*dx", &["unknown function `norm`"]),
        (", let(a = [x, y, z]), constraints(a[«3»]*dx)", &["the index 3 is out of range"]),
        (", let(a = [x, y, z]), constraints(«a»[0][1]*dx)", &["`a` is not an array"]),
        (
            ", let(a[0] = [x, y, z], «a[1]» = x), constraints()",
            &["this entry is a number, but the entries of `a` before it are vectors"],
        ),
        (
            ", let(a[0] = x, for i in 1..4 { «a[i]» = c }), constraints()",
            &["this entry is a vector, but the entries of `a` before it are numbers"],
        ),
        (", let(a = [x, «k», z]), constraints(a[1]*dx)", &["unknown name `k`"]),
        (
            ", constraints(), let(«cross» = 1, «norm2» = 1, «transpose» = 1)",
            &[
                "`cross` is reserved: it is a function",
                "`norm2` is reserved: it is a function",
                "`transpose` is reserved: it is a function",
            ],
        ),
        (", constraints(d([x, y, z]) + [0, 0, «r»])", &["this term carries no differential"]),
        (", constraints(d([x, y, z]) + [0, 0, «dx*dy»])", &["this is not linear in the differentials"]),
        (
            ", constraints(«d([x, y, 0])»)",
            &["component 2 of this constraint has no differential or velocity in it"],
        ),
        (
            ", constraints(dx, «d([x, y, z])»)",
            &["component 0 of this constraint depends on `dx`, everywhere"],
        ),
        (", constraints(d(u), d([x, y, z]), «dx»)", &["too many constraints: 7 one-forms for 6 coordinates"]),
    ] {
        mistakes(&six(keys), messages);
    }
    for (keys, messages) in [
        (", constraints(), force = dot(p*«R», p)*du[0]", &["a vector cannot be multiplied by a matrix"][..]),
        (", constraints(), force = dot(R*«R»*p, p)*du[0]", &["a matrix cannot be multiplied by a matrix"]),
        (", constraints(), force = «R»[0]*du[0]", &["`R` has two indices, but one is given"]),
        (", constraints(), force = «R*du[0]»", &["this is a matrix"]),
        (", constraints(), force = dot(«R», p)*du[0]", &["this is a matrix, and `dot` takes two vectors"]),
        (
            ", constraints(), force = norm2(transpose(«p»)*p)*du[0]",
            &["this is a vector, and `transpose` takes a matrix"],
        ),
        (", constraints(), let(a = «R»)", &["`R` is a matrix, 3 by 3"]),
        (", constraints(), let(a = [1, «transpose(R)», 2])", &["this is a matrix"]),
        (", constraints(d(«R»))", &["`R` is a matrix, 3 by 3"]),
    ] {
        mistakes(&body(keys), messages);
    }
}
