//! Group factors: what declarations with poses and body velocities mean.

use super::parse;
use nhi_codegen::declaration::Declaration;
use nhi_codegen::expr::{Expr, Symbol};
use nhi_codegen::method::Method;
use nhi_codegen::source::structs;
use nhi_codegen::system::System;
use std::collections::HashMap;

use crate::support::Random;

/// The system that a file of `models/src/lie` declares.
fn model(file: &str) -> System {
    let path = format!("{}/../../models/src/lie/{file}.rs", env!("CARGO_MANIFEST_DIR"));
    let source = std::fs::read_to_string(&path).expect(&path);
    let declaration = Declaration::parse(&structs(&source).expect("Rust")[0]);
    declaration.unwrap_or_else(|rejected| panic!("{file}: {:#?}", rejected.errors)).system
}

fn system(keys: &str) -> System {
    let source = format!("#[nonholonomic({keys})] struct S {{ m: f64, r: f64, c: [f64; 3] }}");
    parse(&source).unwrap_or_else(|errors| panic!("{keys}: {errors:#?}")).system
}

/// Values of everything that a system's expressions depend on.
struct Point {
    q: Vec<f64>,
    v: Vec<f64>,
    p: Vec<f64>,
    u: Vec<f64>,
    t: f64,
}

impl Point {
    /// Numbers away from zero, for poses those of a rotation.
    fn random(s: &System, random: &mut Random) -> Point {
        let mut numbers = |n: usize| -> Vec<f64> { (0..n).map(|_| 1.5 + random.number()).collect() };
        let mut q = numbers(s.coordinates.len());
        let k = q.len() - s.group.pose_len();
        if s.group.only().is_some_and(|g| g.name != "SE2") {
            let rotation = rotation(q[k], q[k + 1], q[k + 2]);
            q[k..k + 9].copy_from_slice(rotation.as_flattened());
        }
        Point {
            q,
            v: numbers(s.velocities.len()),
            p: numbers(s.parameters.len()),
            u: numbers(s.inputs.len()),
            t: 0.7,
        }
    }

    fn values(&self, s: &System) -> HashMap<Symbol, f64> {
        let of = |e: Expr| s.pool.as_symbol(e).expect("a symbol");
        let pairs = [
            (&s.coordinates, &self.q),
            (&s.velocities, &self.v),
            (&s.parameters, &self.p),
            (&s.inputs, &self.u),
        ];
        let pairs = pairs.into_iter().flat_map(|(quantities, values)| quantities.iter().zip(values));
        pairs.map(|(quantity, x)| (of(quantity.symbol), *x)).chain([(of(s.t), self.t)]).collect()
    }

    fn evaluate(&self, s: &System, roots: &[Expr]) -> Vec<f64> {
        s.pool.evaluate(roots, &self.values(s))
    }
}

type Matrix3 = [[f64; 3]; 3];

/// A rotation by three angles about the axes.
fn rotation(a: f64, b: f64, c: f64) -> Matrix3 {
    let ((sa, ca), (sb, cb), (sc, cc)) = (a.sin_cos(), b.sin_cos(), c.sin_cos());
    let x = [[1.0, 0.0, 0.0], [0.0, ca, -sa], [0.0, sa, ca]];
    let y = [[cb, 0.0, sb], [0.0, 1.0, 0.0], [-sb, 0.0, cb]];
    let z = [[cc, -sc, 0.0], [sc, cc, 0.0], [0.0, 0.0, 1.0]];
    times(&times(&x, &y), &z)
}

fn times(a: &Matrix3, b: &Matrix3) -> Matrix3 {
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

fn hat(x: &[f64]) -> Matrix3 {
    [[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]]
}

fn matrix(entries: &[f64]) -> Matrix3 {
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| entries[3 * i + j]))
}

fn apply(a: &Matrix3, x: &[f64]) -> [f64; 3] {
    [0, 1, 2].map(|i| (0..3).map(|j| a[i][j] * x[j]).sum())
}

/// dq/dt, written with matrices.
fn rates(s: &System, q: &[f64], v: &[f64]) -> Vec<f64> {
    let Some(group) = s.group.only() else { return v.to_vec() };
    let k = q.len() - group.pose_len();
    let (pose, xi) = (&q[k..], &v[k..]);
    let mut rates = v[..k].to_vec();
    match group.name {
        "SE2" => {
            let (sin, cos) = pose[0].sin_cos();
            rates.extend([xi[0], cos * xi[1] - sin * xi[2], sin * xi[1] + cos * xi[2]]);
        }
        _ => {
            let r = matrix(pose);
            rates.extend(times(&r, &hat(xi)).as_flattened());
            if group.name == "SE3" {
                rates.extend(apply(&r, &xi[3..]));
            }
        }
    }
    rates
}

#[track_caller]
fn assert_close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-12 * (1.0 + a.abs().max(b.abs())), "{what}: {found:?} {expected:?}");
    }
}

/// What a declaration should mean at a point: L, the forms μ, the right-hand side c of μ v = c, the
/// force.
struct Expected {
    lagrangian: f64,
    forms: Vec<Vec<f64>>,
    right: Vec<f64>,
    force: Vec<f64>,
}

fn check(file: &str, expected: impl Fn(&Point) -> Expected) {
    let s = model(file);
    let mut random = Random(7);
    for _ in 0..5 {
        let point = Point::random(&s, &mut random);
        let e = expected(&point);
        assert_close(&point.evaluate(&s, &[s.lagrangian]), &[e.lagrangian], file);
        assert_eq!(s.constraints.len(), e.forms.len(), "{file}");
        for (constraint, form) in s.constraints.iter().zip(&e.forms) {
            assert_close(&point.evaluate(&s, &constraint.form), form, file);
        }
        let affine: Vec<Expr> = s.constraints.iter().map(|c| c.dt).collect();
        let right: Vec<f64> = point.evaluate(&s, &affine).iter().map(|x| -x).collect();
        assert_close(&right, &e.right, file);
        assert_close(&point.evaluate(&s, &s.force), &e.force, file);
    }
}

/// ½ vᵀ G v for the upper triangle of G.
fn kinetic(entries: &[(usize, usize, f64)], v: &[f64]) -> f64 {
    let factor = |i, j| if i == j { 0.5 } else { 1.0 };
    entries.iter().map(|&(i, j, g)| factor(i, j) * g * v[i] * v[j]).sum()
}

#[test]
fn chaplygin_sleigh() {
    check("chaplygin_sleigh", |Point { v, p, .. }| {
        let [m, i, a] = p[..] else { unreachable!() };
        Expected {
            lagrangian: kinetic(&[(0, 0, i), (1, 1, m), (2, 2, m)], v),
            forms: vec![vec![a, 0.0, -1.0]],
            right: vec![0.0],
            force: vec![0.0; 3],
        }
    });
    let s = model("chaplygin_sleigh");
    let names = |quantities: &[nhi_codegen::system::Quantity]| -> Vec<String> {
        quantities.iter().map(|c| c.name.clone()).collect()
    };
    assert_eq!(names(&s.coordinates), ["theta", "x", "y"]);
    assert_eq!(names(&s.velocities), ["omega", "v", "v_perp"]);
    assert_eq!(s.group.only().unwrap().name, "SE2");
    // Those that do not apply are left out when the mechanics are derived.
    assert_eq!(s.methods, Method::ALL);
    assert_eq!(s.constraints[0].label, "blade");
    assert_eq!(s.source.constraints, ["a*omega - v_perp"]);
}

#[test]
fn snakeboard() {
    check("snakeboard", |Point { q, v, p, t, .. }| {
        let [m, l, i, j, c1, w1, c2, w2] = p[..] else { unreachable!() };
        let (sin, cos) = q[1].sin_cos();
        let metric = [(0, 0, i), (0, 2, i), (1, 1, 2.0 * j), (2, 2, m * l * l), (3, 3, m), (4, 4, m)];
        Expected {
            lagrangian: kinetic(&metric, v),
            forms: vec![vec![0.0, 0.0, -l * cos, -sin, cos], vec![0.0, 0.0, l * cos, sin, cos]],
            right: vec![0.0; 2],
            force: vec![c1 * (w1 * t).cos(), c2 * (w2 * t).sin(), 0.0, 0.0, 0.0],
        }
    });
    let s = model("snakeboard");
    let names: Vec<&str> = s.coordinates.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["psi", "phi", "theta", "x", "y"]);
    let names: Vec<&str> = s.velocities.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["dot(psi)", "dot(phi)", "omega", "v", "v_perp"]);
}

#[test]
fn two_wheeled_robot() {
    check("two_wheeled_robot", |Point { v, p, t, .. }| {
        let [m, j, jw, rho, w, d, c, c2, w1] = p[..] else { unreachable!() };
        let metric = [(0, 0, jw), (1, 1, jw), (2, 2, j + m * d * d), (2, 4, m * d), (3, 3, m), (4, 4, m)];
        let turn = rho / (2.0 * w);
        Expected {
            lagrangian: kinetic(&metric, v),
            forms: vec![
                vec![turn, -turn, 1.0, 0.0, 0.0],
                vec![-rho / 2.0, -rho / 2.0, 0.0, 1.0, 0.0],
                vec![0.0, 0.0, 0.0, 0.0, 1.0],
            ],
            right: vec![0.0; 3],
            force: vec![c * (w1 * t).cos(), c2 * (w1 * t).sin(), 0.0, 0.0, 0.0],
        }
    });
}

#[test]
fn roller_racer() {
    check("roller_racer", |Point { q, v, p, t, .. }| {
        let [m1, i1, m2, i2, d1, d2, c, w] = p[..] else { unreachable!() };
        let (sin, cos) = q[0].sin_cos();
        let [dphi, omega, along, across] = v[..] else { unreachable!() };
        let lon = along * cos + (across + d1 * omega) * sin;
        let lat = -along * sin + (across + d1 * omega) * cos + d2 * (omega + dphi);
        Expected {
            lagrangian: m1 / 2.0 * (along * along + across * across)
                + i1 / 2.0 * omega * omega
                + i2 / 2.0 * (omega + dphi).powi(2)
                + m2 / 2.0 * (lon * lon + lat * lat),
            forms: vec![vec![0.0, 0.0, 0.0, 1.0], vec![d2, d1 * cos + d2, -sin, cos]],
            right: vec![0.0; 2],
            force: vec![c * (w * t).cos(), 0.0, 0.0, 0.0],
        }
    });
}

#[test]
fn vertical_disk() {
    check("vertical_disk", |Point { v, p, .. }| {
        let [m, i, j, r] = p[..] else { unreachable!() };
        Expected {
            lagrangian: kinetic(&[(0, 0, i), (1, 1, j), (2, 2, m), (3, 3, m)], v),
            forms: vec![vec![-r, 0.0, 1.0, 0.0], vec![0.0, 0.0, 0.0, 1.0]],
            right: vec![0.0; 2],
            force: vec![0.0; 4],
        }
    });
}

#[test]
fn ball_as_printed() {
    check("ball_as_printed", |Point { q, v, p, .. }| {
        let [m, i1, i2, i3, r, table] = p[..] else { unreachable!() };
        Expected {
            lagrangian: kinetic(&[(0, 0, m), (1, 1, m), (2, 2, i1), (3, 3, i2), (4, 4, i3)], v),
            forms: vec![vec![1.0, 0.0, 0.0, -r, 0.0], vec![0.0, 1.0, r, 0.0, 0.0]],
            right: vec![-table * q[1], table * q[0]],
            force: vec![0.0; 5],
        }
    });
}

/// The affine constraints depend on the attitude.
#[test]
fn chaplygin_ball() {
    check("chaplygin_ball", |Point { q, v, p, .. }| {
        let [m, i1, i2, i3, r, table, c1, c2, c3, gravity] = p[..] else { unreachable!() };
        let (attitude, omega) = (matrix(&q[2..]), &v[2..]);
        // The velocity of the centre of mass is (x', y', 0) + R (ω × χ).
        let centre = apply(&attitude, &apply(&hat(omega), &[c1, c2, c3]));
        let square = (v[0] + centre[0]).powi(2) + (v[1] + centre[1]).powi(2) + centre[2].powi(2);
        let height = apply(&attitude, &[c1, c2, c3])[2];
        let [row1, row2, _] = attitude;
        Expected {
            lagrangian: m / 2.0 * square + kinetic(&[(0, 0, i1), (1, 1, i2), (2, 2, i3)], omega)
                - m * gravity * height,
            forms: vec![
                vec![1.0, 0.0, -r * row2[0], -r * row2[1], -r * row2[2]],
                vec![0.0, 1.0, r * row1[0], r * row1[1], r * row1[2]],
            ],
            right: vec![-table * q[1], table * q[0]],
            force: vec![0.0; 5],
        }
    });
}

#[test]
fn suslov() {
    check("suslov", |Point { v, p, .. }| {
        let [i11, i22, i33, i13, i23] = p[..] else { unreachable!() };
        Expected {
            lagrangian: kinetic(&[(0, 0, i11), (1, 1, i22), (2, 2, i33), (0, 2, i13), (1, 2, i23)], v),
            forms: vec![vec![0.0, 0.0, 1.0]],
            right: vec![0.0],
            force: vec![0.0; 3],
        }
    });
}

#[test]
fn se3_body() {
    check("se3_body", |Point { v, p, .. }| {
        let [j1, j2, j3, m, q1, q2, q3, c] = p[..] else { unreachable!() };
        // G = (J + m q̂ᵀq̂, m q̂; −m q̂, m).
        let offset = hat(&[q1, q2, q3]);
        let turned = apply(&offset, &v[..3]);
        let mixed = apply(&offset, &v[3..]);
        let rotation = kinetic(&[(0, 0, j1), (1, 1, j2), (2, 2, j3)], v);
        let steiner = m / 2.0 * turned.iter().map(|x| x * x).sum::<f64>();
        let coupling = m * (0..3).map(|i| v[i] * mixed[i]).sum::<f64>();
        Expected {
            lagrangian: rotation + steiner + coupling + kinetic(&[(3, 3, m), (4, 4, m), (5, 5, m)], v),
            forms: vec![vec![0.0, 0.0, 0.0, 0.0, 1.0, 0.0], vec![0.0, -c, 0.0, 0.0, 0.0, 1.0]],
            right: vec![0.0; 2],
            force: vec![0.0; 6],
        }
    });
}

#[test]
fn rattleback() {
    check("rattleback", |Point { q, v, p, .. }| {
        let [a, b, c, h, i1, i2, i3, i12, g] = p[..] else { unreachable!() };
        let vertical = &q[6..9];
        let squares = [a * a, b * b, c * c];
        let eps = (0..3).map(|i| squares[i] * vertical[i] * vertical[i]).sum::<f64>().sqrt();
        let mut rho = [0, 1, 2].map(|i| -squares[i] * vertical[i] / eps);
        rho[2] += h;
        // ω × ρ = −ρ̂ ω.
        let lever = hat(&rho);
        let row = |i: usize| {
            let mut row = lever[i].map(|x| -x).to_vec();
            row.extend([0, 1, 2].map(|j| f64::from(i == j)));
            row
        };
        let metric = [(0, 0, i1), (1, 1, i2), (2, 2, i3), (0, 1, i12), (3, 3, 1.0), (4, 4, 1.0), (5, 5, 1.0)];
        Expected {
            lagrangian: kinetic(&metric, v) - g * q[11],
            forms: vec![row(0), row(1), row(2)],
            right: vec![0.0; 3],
            force: vec![0.0; 6],
        }
    });
}

#[test]
fn nonholonomic_particle() {
    check("nonholonomic_particle", |Point { q, v, p, .. }| Expected {
        lagrangian: kinetic(&[(0, 0, p[0]), (1, 1, p[0]), (2, 2, p[0])], v)
            - p[1] / 2.0 * q.iter().map(|x| x * x).sum::<f64>(),
        forms: vec![vec![-q[1], 0.0, 1.0]],
        right: vec![0.0],
        force: vec![0.0; 3],
    });
}

const PLANE: &str = "coordinates(s, y[2]), group = SE2(theta, x, z; omega, v, w),
    lagrangian = m/2*(omega^2 + v^2 + w^2 + dot(s)^2 + dot(y[0])^2 + dot(y[1])^2)";
const BALL: &str = "group = SO3(R; w1, w2, w3), lagrangian = m*(w1^2 + w2^2 + w3^2)";
const BODY: &str = "coordinates(s), group = SE3(R, p; w1, w2, w3, v1, v2, v3),
    lagrangian = m*(w1^2 + w2^2 + w3^2 + v1^2 + v2^2 + v3^2 + dot(s)^2)";

/// Rates and differentials of functions of the configuration: difference quotients along q' = g ξ.
#[test]
fn total_derivatives() {
    for (space, functions) in [
        (PLANE, &["theta", "x", "z", "x*cos(theta) + s*z", "y[1]*theta^2/x", "atan2(z, x)*y[0]"][..]),
        (BALL, &["R[0][0]", "R[2][1]", "R[1][2]*exp(R[0][0])", "sum(i in 0..3, R[i][0]*R[1][i])"]),
        (BODY, &["p[0]", "p[2]", "R[2][2]*s", "sum(i in 0..3, R[i][1]*p[i]^2)", "sqrt(p[0]^2 + s^2)"]),
    ] {
        for function in functions {
            let mut s = system(&format!(
                "{space}, constraints(d({function})), let(rate = dot({function})), force = rate*d({function}) + ({function})*d({function})"
            ));
            let mut random = Random(3);
            let point = Point::random(&s, &mut random);
            let form = s.constraints[0].form.clone();
            let gradient = point.evaluate(&s, &form);
            let along: f64 = gradient.iter().zip(&point.v).map(|(a, b)| a * b).sum();

            // force = (rate + f) form, so f is found where a form's coefficient is one of the factors.
            let j = gradient.iter().position(|x| x.abs() > 1e-3).expect("a form");
            let quotient = s.pool.div(s.force[j], form[j]);
            let rate_and_value = |point: &Point| point.evaluate(&s, &[quotient])[0];
            let resting = |q: &[f64]| Point {
                q: q.to_vec(),
                v: vec![0.0; point.v.len()],
                p: point.p.clone(),
                u: Vec::new(),
                t: 0.0,
            };
            let value = rate_and_value(&resting(&point.q));
            let rate = rate_and_value(&point) - value;
            assert!((rate - along).abs() < 1e-10 * (1.0 + along.abs()), "{function}: {rate} {along}");

            let shifted = |by: f64| -> Vec<f64> {
                let rates = rates(&s, &point.q, &point.v);
                point.q.iter().zip(rates).map(|(q, r)| q + by * r).collect()
            };
            let h = 1e-5;
            let [after, before] = [h, -h].map(|by| rate_and_value(&resting(&shifted(by))));
            let expected = (after - before) / (2.0 * h);
            assert!((rate - expected).abs() < 1e-6 * (1.0 + expected.abs()), "{function}: {rate} {expected}");
        }
    }
}

/// What constraints mean in each notation: coefficients along the velocities and of dt.
#[test]
fn notations_of_constraints() {
    let plane = |q: &[f64]| q[3].sin_cos();
    type Row = (&'static str, fn(&[f64], (f64, f64)) -> [f64; 7]);
    // q = (s, y0, y1, theta, x, z), v = (s', y0', y1', omega, v, w).
    let rows: &[Row] = &[
        ("dtheta", |_, _| [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
        ("omega*dt", |_, _| [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
        ("omega", |_, _| [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
        ("dot(theta) = 0", |_, _| [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
        ("dx", |_, (sin, cos)| [0.0, 0.0, 0.0, 0.0, cos, -sin, 0.0]),
        ("dz - 2*w*dt", |_, (sin, cos)| [0.0, 0.0, 0.0, 0.0, sin, cos - 2.0, 0.0]),
        ("dot(x)*cos(theta) + dot(z)*sin(theta) - v + dot(s)", |_, _| [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        ("ds - (w + theta)*dt + x*dy[1]", |q, _| [1.0, 0.0, q[4], 0.0, 0.0, -1.0, -q[3]]),
        ("dot(s) - w - theta + x*dot(y[1])", |q, _| [1.0, 0.0, q[4], 0.0, 0.0, -1.0, -q[3]]),
        ("slip: -lateral*dt + z*dt", |q, (sin, cos)| [0.0, 0.0, 0.0, 0.0, -sin, -cos, q[5]]),
    ];
    for (form, expected) in rows {
        let s = system(&format!("{PLANE}, let(lateral = sin(theta)*v + cos(theta)*w), constraints({form})"));
        let point = Point::random(&s, &mut Random(11));
        let all: Vec<Expr> = s.constraints[0].form.iter().copied().chain([s.constraints[0].dt]).collect();
        assert_close(&point.evaluate(&s, &all), &expected(&point.q, plane(&point.q)), form);
    }
    let s = system(&format!("{BODY}, constraints(sum(i in 0..3, R[i][0]*dp[i]), dR[2][0] - s*dt)"));
    let point = Point::random(&s, &mut Random(5));
    let r = matrix(&point.q[1..]);
    assert_close(&point.evaluate(&s, &s.constraints[0].form), &[0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0], "Rᵀdp");
    assert_close(
        &point.evaluate(&s, &s.constraints[1].form),
        &[0.0, 0.0, -r[2][2], r[2][1], 0.0, 0.0, 0.0],
        "dR = R ω̂",
    );
    assert_close(&point.evaluate(&s, &[s.constraints[1].dt]), &[-point.q[0]], "affine");
}

/// A factor `dt` directly behind a velocity makes its one-form; what else there is belongs to the
/// coefficient.
#[test]
fn forces_along_velocities() {
    type Row = (&'static str, fn(&Point) -> [f64; 6]);
    let rows: &[Row] = &[
        ("torque*omega*dt", |p| [0.0, 0.0, 0.0, p.u[0], 0.0, 0.0]),
        ("torque*dtheta", |p| [0.0, 0.0, 0.0, p.u[0], 0.0, 0.0]),
        ("-r*v*w*dt", |p| [0.0, 0.0, 0.0, 0.0, 0.0, -p.p[1] * p.v[4]]),
        ("-r*w*v*dt", |p| [0.0, 0.0, 0.0, 0.0, -p.p[1] * p.v[5], 0.0]),
        ("-r*omega*omega*dt", |p| [0.0, 0.0, 0.0, -p.p[1] * p.v[3], 0.0, 0.0]),
        ("torque*(v - r*omega)*dt", |p| [0.0, 0.0, 0.0, -p.p[1] * p.u[0], p.u[0], 0.0]),
        ("torque*slip*dt", |p| [0.0, 0.0, 0.0, p.p[1] * p.u[0], 0.0, p.u[0]]),
        ("slip*(slip*dt)", |p| {
            let slip = p.v[5] + p.p[1] * p.v[3];
            [0.0, 0.0, 0.0, p.p[1] * slip, 0.0, slip]
        }),
        ("dot(s)*ds + t*dot(s)*dt - w*dt", |p| [p.v[0] + p.t, 0.0, 0.0, 0.0, 0.0, -1.0]),
        ("torque*dot(x)*dt - torque*dx + dy[1]", |_| [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
        ("torque*dx", |p| {
            let (sin, cos) = p.q[3].sin_cos();
            [0.0, 0.0, 0.0, 0.0, p.u[0] * cos, -p.u[0] * sin]
        }),
    ];
    for (force, expected) in rows {
        let s = system(&format!(
            "{PLANE}, constraints(), inputs(torque), let(slip = w + r*omega), force = {force}"
        ));
        let point = Point::random(&s, &mut Random(13));
        assert_close(&point.evaluate(&s, &s.force), &expected(&point), force);
    }
    // The same in coordinates.
    let s = system(
        "coordinates(x, y), lagrangian = dot(x)^2 + dot(y)^2, constraints(), force = -m*dot(y)*dot(x)*dt",
    );
    let point = Point::random(&s, &mut Random(13));
    assert_close(&point.evaluate(&s, &s.force), &[-point.p[0] * point.v[1], 0.0], "coordinates");
}

#[test]
fn entries_and_names() {
    let s = system(&format!("{BODY}, constraints()"));
    let names: Vec<&str> = s.coordinates.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "s", "R[0][0]", "R[0][1]", "R[0][2]", "R[1][0]", "R[1][1]", "R[1][2]", "R[2][0]", "R[2][1]",
            "R[2][2]", "p[0]", "p[1]", "p[2]"
        ]
    );
    let names: Vec<&str> = s.velocities.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["dot(s)", "w1", "w2", "w3", "v1", "v2", "v3"]);
    // The order of keys does not matter, and neither does an empty list of coordinates.
    for keys in [
        "group = SO3(Q; a, b, c1,), coordinates(), constraints(a,), lagrangian = a^2 + b^2 + c1^2,",
        "constraints(a), lagrangian = a^2 + b^2 + c1^2, group = SO3(Q,; a, b, c1)",
    ] {
        let s = system(keys);
        assert_eq!((s.coordinates.len(), s.velocities.len()), (9, 3), "{keys}");
    }
    // Names that mean something elsewhere.
    system(
        "group = SE2(θ, q, p; dt1, lambda, h), constraints(h - q*dt1), lagrangian = dt1^2 + lambda^2 + h^2",
    );
    // The differential of a body velocity has no name that could clash.
    let s = system(
        "group = SE2(a, x, y; omega, v, w), coordinates(domega), constraints(dx + ddomega), lagrangian = omega^2 + v^2 + w^2 + dot(domega)^2",
    );
    assert_eq!(s.velocities[0].name, "dot(domega)");
}
