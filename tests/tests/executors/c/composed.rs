//! Derivatives of composed steps in C are those of Rust, bit for bit.

use super::compile::builds;
use super::process::{Process, Program};
use super::{STEP_SIZE, folder, write_c};
use nhi_methods::Variant;
use nhi_runtime::prelude::*;
use nhi_runtime::{Compose, Differentiable, Fits, Tangential, Vector};
use nhi_tests::bits::assert_same;
use nhi_tests::declarations::{declarations, derive};

/// A sleigh that is pushed and turned.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(theta, x, y),
    inputs(push, turn),
    lagrangian = j/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2) - sin(x),
    constraints(a*dtheta + sin(theta)*dx - cos(theta)*dy),
    force = push*(cos(theta)*dx + sin(theta)*dy) + turn*dtheta,
    methods(Dla2 + derivatives, DlaRattle + derivatives),
)]
struct Pushed {
    j: f64,
    m: f64,
    a: f64,
}

/// A disk that rolls upright.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(phi),
    group = SE2(theta, x, y; omega, v, w),
    lagrangian = m/2*(v^2 + w^2) + omega^2/4 + dot(phi)^2/3 - cos(theta)*x,
    constraints(v - r*dot(phi), w - c*omega),
    methods(Rdp + derivatives),
)]
struct Rolling {
    m: f64,
    r: f64,
    c: f64,
}

/// The same with a force that depends on time.
const DRIVEN: &str = "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(theta, x, y),
        lagrangian = dot(theta)^2/2 + m/2*(dot(x)^2 + dot(y)^2) - sin(t)*x,
        constraints(sin(theta)*dx - cos(theta)*dy),
        methods(Dla2 + derivatives)
    )]
    struct Driven { m: f64 }
";

/// The declaration of the system of this file with that name.
fn declared(name: &str) -> nhi_codegen::declaration::Declaration {
    let all = declarations(include_str!("composed.rs")).into_iter();
    all.into_iter().find(|declaration| declaration.ident == name).expect("it is here")
}

fn flat<R: AsRef<[f64]>>(rows: impl AsRef<[R]>) -> Vec<f64> {
    rows.as_ref().iter().flat_map(|row| row.as_ref().to_vec()).collect()
}

/// Compares all derivatives of three steps; how many.
fn compare<S: Tangential + Clone, M: Differentiable<S> + Copy>(
    process: &mut Process,
    (name, id): (&str, &str),
    (system, method): (&S, M),
    q: impl Fits<S::Configuration<f64>>,
    v: &[f64],
) -> usize {
    let mut start = S::Velocity::splat(0.0);
    start.as_mut().copy_from_slice(v);
    let mut inputs = S::Inputs::splat(0.0);
    inputs.as_mut().iter_mut().enumerate().for_each(|(i, u)| *u = 0.6 - 0.4 * i as f64);
    let mut w = S::Tangent::splat(0.0);
    w.as_mut().iter_mut().enumerate().for_each(|(i, w)| *w = (i as f64 + 0.5).sin());
    let q = q.fit();
    let u = inputs.as_ref();
    process.begin(id, [q.as_ref(), v, &[], u], STEP_SIZE).expect("a start");
    let mut sim = Simulation::builder(system.clone(), method)
        .start(q, start)
        .inputs(&inputs)
        .step_size(STEP_SIZE)
        .build()
        .expect("a start");
    let mut compared = 0;
    for k in 0..3 {
        sim.step_with(&inputs).expect("a step");
        let (first, by_p) = (sim.linearize().expect("A"), sim.linearize_parameters().expect("C"));
        let (pulled, second) = (sim.pull_back(&w).expect("wA"), sim.curvature(&w).expect("H"));
        let expected = [
            (
                "linearize",
                [flat(first.a), flat(first.b), flat(first.lambda_x), flat(first.lambda_u)].concat(),
            ),
            ("linearize_parameters", [flat(by_p.c), by_p.h.as_ref().to_vec()].concat()),
            ("pull_back", [pulled.a.as_ref(), pulled.b.as_ref(), pulled.c.as_ref(), &[pulled.h]].concat()),
            (
                "curvature",
                [flat(second.xx), flat(second.xu), flat(second.uu), flat(second.a), flat(second.b)].concat(),
            ),
        ];
        for (function, expected) in expected {
            let what = format!("{name}, {id}, step {k}, {function}");
            let answer = process.derivative((id, function), u, w.as_ref());
            let (status, found) = answer.unwrap_or_else(|| panic!("{what}: no such function"));
            assert_eq!(status, 0, "{what}");
            assert_same(&what, &found, &expected);
            compared += 1;
        }
        process.step(u);
    }
    compared
}

#[test]
fn derivatives_of_compositions_are_those_of_rust() {
    let mut compared = 0;
    for (name, ids) in
        [("Pushed", &["dla2_suzuki4", "dla_rattle_triple4"][..]), ("Rolling", &["rdp_suzuki4"])]
    {
        let (derived, optimised) = derive(declared(name));
        let folder = folder(&format!("composed_{name}"));
        let variants: Vec<Variant> = ids.iter().map(|id| Variant::with_id(id).expect("a variant")).collect();
        let header = write_c(&folder, &derived, &optimised, variants);
        for build in builds() {
            let program = Program { path: build.program(&folder, &header.name), header: header.clone() };
            let mut process = program.run(&[1.3, 0.6, 0.4]);
            let at = |id| (build.name, id);
            compared += match name {
                "Pushed" => {
                    let (system, q) = (Pushed { j: 1.3, m: 0.6, a: 0.4 }, [0.3, 0.2, -0.4]);
                    let (_, v) = process.ask("J", &[&q, &[0.5, 0.8, 0.1]]);
                    let suzuki = (&system, Compose::suzuki4(Dla2));
                    let triple = (&system, Compose::triple4(DlaRattle));
                    compare(&mut process, at(ids[0]), suzuki, q, &v)
                        + compare(&mut process, at(ids[1]), triple, q, &v)
                }
                _ => {
                    let (system, q) = (Rolling { m: 1.3, r: 0.6, c: 0.4 }, [0.2, 0.4, -0.1, 0.3]);
                    let (_, v) = process.ask("J", &[&q, &[0.7, 0.5, 0.2, 0.3]]);
                    compare(&mut process, at(ids[0]), (&system, Compose::suzuki4(Rdp)), q, &v)
                }
            };
        }
    }
    assert_eq!(compared, 3 * 12 * builds().len());
}

/// Where time drives a system, the derivatives of the parts do not determine those of their composition.
#[test]
fn derivatives_of_driven_compositions_are_left_out() {
    let (derived, optimised) = derive(declarations(DRIVEN).remove(0));
    let variants = ["dla2", "dla2_suzuki4"].map(|id| Variant::with_id(id).expect("a variant")).to_vec();
    let header = write_c(&folder("composed_driven"), &derived, &optimised, variants);
    assert!(header.derivative("dla2", "linearize").is_some());
    assert!(header.derivative("dla2_suzuki4", "linearize").is_none());
}
