//! Meanings, compared with expressions built by hand.

use super::{parse, three};
use nhi_codegen::expr::{Expr, Function};
use nhi_codegen::method::Method;
use nhi_codegen::system::System;

fn system(source: &str) -> System {
    match parse(source) {
        Ok(declaration) => declaration.system,
        Err(errors) => panic!("{source}: {errors:#?}"),
    }
}

/// The Lagrangian with this potential, at zero velocity.
fn potential(expression: &str) -> (System, Expr) {
    let mut s = system(&three(&format!(
        "lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) + ({expression}), constraints()"
    )));
    let zero = s.pool.zero();
    let at_rest = s.velocities.iter().map(|c| (c.symbol, zero)).collect();
    let e = s.pool.substitute(&[s.lagrangian], &at_rest)[0];
    (s, e)
}

fn shown(expression: &str) -> String {
    let (s, e) = potential(expression);
    s.pool.show(e).to_string()
}

#[test]
fn the_front_page() {
    let mut s = system(
        "#[nonholonomic(
            coordinates(theta, x, y),
            lagrangian  = J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
            constraints(a*dtheta + sin(theta)*dx - cos(theta)*dy = 0),
        )]
        pub struct ChaplyginSleigh { pub J: f64, pub m: f64, pub a: f64 }",
    );
    assert_eq!(s.name, "ChaplyginSleigh");
    assert_eq!(s.coordinates.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["theta", "x", "y"]);
    assert_eq!(s.parameters.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["J", "m", "a"]);
    assert_eq!(s.methods, [Method::Dla2]);
    assert_eq!(s.source.lagrangian, "J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2)");
    assert_eq!(s.constraints.len(), 1);
    assert_eq!(s.constraints[0].label, "a*dtheta + sin(theta)*dx - cos(theta)*dy");
    let theta = s.coordinates[0].symbol;
    let sin = s.pool.call(Function::Sin, theta);
    let cos = s.pool.call(Function::Cos, theta);
    let minus_cos = s.pool.neg(cos);
    assert_eq!(s.constraints[0].form, [s.parameters[2].symbol, sin, minus_cos]);
    assert!(s.pool.is_zero(s.constraints[0].dt));
    let [vt, vx, vy] = [s.velocities[0].symbol, s.velocities[1].symbol, s.velocities[2].symbol];
    let (j, m) = (s.parameters[0].symbol, s.parameters[1].symbol);
    let p = &mut s.pool;
    let half = p.ratio(1, 2);
    let squares = [vt, vx, vy].map(|v| p.powi(v, 2));
    let xy = p.add(squares[1], squares[2]);
    let rotation = p.product(&[half, j, squares[0]]);
    let translation = p.product(&[half, m, xy]);
    assert_eq!(s.lagrangian, p.add(rotation, translation));
}

#[test]
fn precedence_and_numbers() {
    for (written, meant) in [
        ("-x^2", "-(x*x)"),
        ("2^-1*x", "x/2"),
        ("2^3^2*x", "512*x"),
        ("x^y^z", "x^(y^z)"),
        ("x - y - z", "x - (y + z)"),
        ("x/y/z", "x/(y*z)"),
        ("x/y*z", "(x*z)/y"),
        ("-x*-y", "x*y"),
        ("2.^2*x", "4*x"),
        ("1e-3*x", "x/1000"),
        ("0.1*x", "x/10"),
        ("x^(3/2)", "x^1.5"),
        ("x - -y", "x + y"),
        ("1_000*x", "1000*x"),
        ("sum(i in 0..3, c[i]*x^i)", "c[0] + c[1]*x + c[2]*x^2"),
        ("sum(i in 0..2, sum(j in i..2, c[i+j]*x))", "c[0]*x + c[1]*x + c[2]*x"),
        ("sum(i in 1..3, c[(2*i - 2)/2]*i)", "c[0] + 2*c[1]"),
        ("sum(i in 2..2, c[i])*x", "0*x"),
        ("sqrt(x)", "x^(1/2)"),
        ("atan2(y, x,)", "atan2(y, x)"),
        ("pi*x", "x*pi"),
    ] {
        assert_eq!(shown(written), shown(meant), "{written}");
    }
}

#[test]
fn total_derivatives() {
    let mut s = system(&three(
        "let(w = x*cos(y)),
        lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) + r*dot(w),
        constraints(height: d(z - w) = 0)",
    ));
    let [x, y] = [s.coordinates[0].symbol, s.coordinates[1].symbol];
    let p = &mut s.pool;
    let (sin, cos) = (p.call(Function::Sin, y), p.call(Function::Cos, y));
    let x_sin = p.mul(x, sin);
    let minus_cos = p.neg(cos);
    assert_eq!(s.constraints[0].form, [minus_cos, x_sin, p.one()]);
    assert_eq!(s.constraints[0].label, "height");
    assert_eq!(s.source.constraints, ["d(z - w)"]);
    let v: Vec<Expr> = s.velocities.iter().map(|c| c.symbol).collect();
    let gradient = s.pool.gradient(s.lagrangian, &[v[0]])[0];
    let (m, r) = (s.parameters[0].symbol, s.parameters[1].symbol);
    let p = &mut s.pool;
    let mv = p.mul(m, v[0]);
    let r_cos = p.mul(r, cos);
    assert_eq!(gradient, p.add(mv, r_cos));
}

/// Constraints in every notation of the rulings mean the same.
#[test]
fn notations_of_constraints() {
    let forms = [
        "dx - r*y*dt + c[0]*dz",
        "dot(x) - r*y + c[0]*dot(z)",
        "dot(x)*dt - r*y*dt + c[0]*dz = 0",
        "(dot(x) - r*y)*dt + c[0]*dz",
        "v + c[0]*w",
        "(v + c[0]*dot(z))*dt = 0",
        "named: d(x) - r*y*dt + c[0]*d(z) = 0.0",
        "(dx + y*dt)*(y - r) - (y - 1 - r)*(dx + y*dt) - y*(1 + r)*dt + c[0]*dz",
    ];
    let constraint = |form: &str| {
        let s = system(&three(&format!(
            "let(v = dot(x) - r*y, w = dot(z)),
            lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2), constraints({form})"
        )));
        let c = &s.constraints[0];
        let mut pool = s.pool.clone();
        let dt = pool.expand(c.dt, 100).unwrap();
        (
            c.form
                .iter()
                .map(|e| {
                    let e = pool.expand(*e, 100).unwrap();
                    pool.show(e).to_string()
                })
                .collect::<Vec<_>>(),
            pool.show(dt).to_string(),
        )
    };
    for form in forms {
        assert_eq!(constraint(form), (vec!["1".into(), "0".into(), "c[0]".into()], "-r*y".into()), "{form}");
    }
}

#[test]
fn forces_may_use_everything() {
    let s = system(&three(
        "inputs(u, w[2]), let(lever = u*sin(t)), force = lever*dx + w[1]*(dy - r*dz) - dot(x)^3*dx,
        lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2), constraints(), methods(Dla2, Rk4,)",
    ));
    let shown: Vec<String> = s.force.iter().map(|e| s.pool.show(*e).to_string()).collect();
    assert_eq!(shown, ["u*sin(t) - dot(x)^3", "w[1]", "-r*w[1]"]);
    assert_eq!(s.inputs.iter().map(|u| u.name.as_str()).collect::<Vec<_>>(), ["u", "w[0]", "w[1]"]);
    assert_eq!(s.methods, [Method::Dla2, Method::Rk4]);
}

#[test]
fn array_coordinates() {
    let s = system(
        "#[nonholonomic(coordinates(x, y[2], z[2]))]
        #[nonholonomic(constraints(dx + sum(i in 0..2, y[i]*dz[i])))]
        #[nonholonomic(lagrangian = dot(x)^2/2 + sum(i in 0..2, dot(y[i])^2 + dot(z[i])^2)/2)]
        struct S;",
    );
    assert_eq!(
        s.coordinates.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(),
        ["x", "y[0]", "y[1]", "z[0]", "z[1]"]
    );
    let shown: Vec<String> = s.constraints[0].form.iter().map(|e| s.pool.show(*e).to_string()).collect();
    assert_eq!(shown, ["1", "0", "0", "y[0]", "y[1]"]);
    assert_eq!(s.pool.name(s.pool.as_symbol(s.velocities[2].symbol).unwrap()), "dot(y[1])");
}

/// Names that mean something elsewhere in this project, keywords written raw, and other scripts.
#[test]
fn legal_names() {
    for name in
        ["q", "p", "v", "h", "mu", "lambda", "n", "e", "d", "i", "abs", "θ", "力", "r#type", "_x", "N"]
    {
        system(&format!(
            "#[nonholonomic(coordinates({name}), lagrangian = dot({name})^2 - {name}^2, constraints(), force = -dot({name})*d({name}))] struct S;"
        ));
        system(&format!(
            "#[nonholonomic(coordinates(x), lagrangian = {name}*dot(x)^2, constraints())] struct S {{ {name}: f64 }}"
        ));
    }
    let s = system(
        "#[nonholonomic(coordinates(θ), lagrangian = dot(θ)^2, constraints(), force = θ*dθ)] struct S;",
    );
    assert_eq!(s.force, [s.coordinates[0].symbol]);
}

#[test]
fn structs() {
    for fields in [
        ";",
        "{}",
        "{ m: f64, #[nonholonomic(skip)] name: String }",
        "{ c: [f64; 3], m: core::primitive::f64 }",
    ] {
        system(&format!(
            "#[nonholonomic(coordinates(x), lagrangian = dot(x)^2, constraints(),)] struct S {fields}"
        ));
    }
    system(
        "#[nonholonomic(coordinates(x), lagrangian = dot(x)^2, constraints())]
        struct S<'a, T: Clone, const N: usize> where T: Copy { m: f64, #[nonholonomic(skip)] tag: &'a [T; N] }",
    );
}
