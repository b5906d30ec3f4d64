//! Derivatives of steps in C compute the bits of the interpreter.

use super::compile::builds;
use super::process::{Process, Program};
use super::{STEP_SIZE, folder, in_parallel, write_c};
use nhi_codegen::optimised::Optimised;
use nhi_interpreter::{Options, run};
use nhi_jit::Manifold;
use nhi_methods::{Retraction, Variant};
use nhi_tests::bits::assert_same;
use nhi_tests::declarations::{declarations, derive};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A sleigh that is pushed and turned, a snakeboard, a disk that rolls upright in the wind, a body with a rotor that may not
/// turn about its third axis, and one in space with a rotor that may not move along its second axis.
const DECLARATIONS: &str = "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(theta, x, y),
        inputs(push, turn),
        lagrangian = j/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2) - sin(x),
        constraints(a*dtheta + sin(theta)*dx - cos(theta)*dy),
        force = push*(cos(theta)*dx + sin(theta)*dy) + turn*dtheta,
        methods(Dla2 + derivatives, Rk4 + derivatives)
    )]
    pub struct Pushed { pub j: f64, pub m: f64, pub a: f64 }

    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(psi, phi, theta, x, y),
        lagrangian = m/2*(dot(x)^2 + dot(y)^2) + m*l^2/2*dot(theta)^2
                   + i*dot(psi)*(dot(psi)/2 + dot(theta)) + i*dot(phi)^2,
        constraints(
            -sin(theta + phi)*dx + cos(theta + phi)*dy - l*cos(phi)*dtheta = 0,
            -sin(theta - phi)*dx + cos(theta - phi)*dy + l*cos(phi)*dtheta = 0
        ),
        methods(DlaRattle + derivatives)
    )]
    pub struct Board { pub m: f64, pub l: f64, pub i: f64 }

    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(phi),
        inputs(torque),
        group = SE2(theta, x, y; omega, v, w),
        lagrangian = m/2*(v^2 + w^2) + omega^2/4 + dot(phi)^2/3 - sin(t)*x,
        constraints(v - r*dot(phi), w - c*omega),
        force = torque*dphi,
        methods(Rdp + derivatives)
    )]
    pub struct Rolling { pub m: f64, pub r: f64, pub c: f64 }

    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(phi),
        inputs(torque),
        group = SO3(R; w1, w2, w3),
        lagrangian = (a*w1^2 + b*w2^2 + w3^2)/2 + c*(w1 + w2)*w3 + (dot(phi) + w1)^2/4,
        constraints(w3),
        force = torque*dphi,
        methods(Rdp + derivatives)
    )]
    pub struct Turning { pub a: f64, pub b: f64, pub c: f64 }

    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(phi),
        inputs(torque),
        group = SE3(R, x; w1, w2, w3, v1, v2, v3),
        lagrangian = m/2*(v1^2 + v2^2 + v3^2) + (w1^2 + b*w2^2 + c*w3^2)/2 + (dot(phi) + w1)^2/4,
        constraints(v2 - phi*w3/4),
        force = torque*dphi,
        methods(Rdp + derivatives)
    )]
    pub struct Flying { pub m: f64, pub b: f64, pub c: f64 }
";

/// A rotation matrix by rows.
const TURNED: [f64; 9] = [0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6];

#[test]
fn derivatives_are_those_of_the_interpreter() {
    let parameters = [1.3, 0.6, 0.4];
    let starts = [
        (vec![0.3, 0.2, -0.4], vec![0.5, 0.8, 0.1]),
        (vec![0.1, 0.4, -0.3, 0.2, 0.6], vec![0.3, -0.2, 0.4, 0.5, 0.1]),
        (vec![0.2, 0.4, -0.1, 0.3], vec![0.7, 0.5, 0.2, 0.3]),
        ([&[0.2], &TURNED[..]].concat(), vec![0.4, 0.9, -0.7, 0.0]),
        ([&[0.2], &TURNED[..], &[0.3, -0.1, 0.5]].concat(), vec![0.4, 0.9, -0.7, 0.5, 0.3, 0.1, -0.6]),
    ];
    let compared = AtomicUsize::new(0);
    let messages = in_parallel(starts.len(), |i| {
        let (q, v) = &starts[i];
        let (derived, optimised) = derive(declarations(DECLARATIONS).remove(i));
        let system = &derived.mechanics.system;
        let folder = folder(&format!("derivatives_{}", system.name));
        let retractions: &[Retraction] = match system.group.only() {
            Some(_) => &[Retraction::Exp, Retraction::Cayley],
            None => &[Retraction::Exp],
        };
        let variants: Vec<Variant> = derived
            .methods
            .iter()
            .flat_map(|method| {
                retractions.iter().map(|&retraction| Variant { retraction, ..method.method.into() })
            })
            .collect();
        let header = write_c(&folder, &derived, &optimised, variants.clone());
        let inputs: Vec<f64> = (0..system.inputs.len()).map(|i| 0.6 - 0.4 * i as f64).collect();
        let size = 2 * derived.mechanics.n() - derived.mechanics.m();
        let w: Vec<f64> = (0..size).map(|i| (i as f64 + 0.5).sin()).collect();
        for build in builds() {
            let program = Program { path: build.program(&folder, &header.name), header: header.clone() };
            let mut process = program.run(&parameters);
            let (status, v) = process.ask("J", &[q, v]);
            assert_eq!(status, 0);
            check_coordinates(&mut process, &optimised, (q, &inputs, &w), build.name);
            for &variant in &variants {
                let id = &variant.to_string();
                let options = Options { retraction: variant.retraction, ..Options::default() };
                let method = optimised.methods.iter().find(|method| method.method == variant.method);
                let method = method.expect("it is derived");
                let mut state = process.begin(id, [q, &v, &[], &inputs], STEP_SIZE).expect("a start");
                for k in 0..5 {
                    let name = format!("{}, {id}, {}, step {k}", system.name, build.name);
                    let arguments = [
                        parameters.to_vec(),
                        vec![STEP_SIZE],
                        state.q.clone(),
                        state.v.clone(),
                        state.lambda.clone(),
                        Vec::new(),
                        vec![state.t],
                        inputs.clone(),
                    ];
                    let with_w = [&arguments[..], std::slice::from_ref(&w)].concat();
                    for (_, function) in method.all_derivatives() {
                        let arguments = if function.has_covector() { &with_w[..] } else { &arguments };
                        let name = format!("{name}, {}", function.name);
                        let (status, found) = process
                            .derivative((id, &function.name), &inputs, &w)
                            .unwrap_or_else(|| panic!("{name}: no such function"));
                        assert_eq!(status, 0, "{name}");
                        let expected = run(function, arguments, options).expect("regular");
                        assert_same(&name, &found, &expected.concat());
                        compared.fetch_add(1, Ordering::Relaxed);
                    }
                    let (status, next) = process.step(&inputs);
                    assert_eq!(status, 0, "{name}");
                    state = next;
                }
            }
        }
    });
    assert!(messages.is_empty(), "{}", messages.join("\n"));
    assert_eq!(compared.into_inner(), 5 * 36 * builds().len());
}

/// The basis, its derivative, and displacements of states by w, which are undone.
fn check_coordinates(
    process: &mut Process,
    Optimised { facts, basis, basis_derivative, .. }: &Optimised,
    (q, inputs, w): (&[f64], &[f64], &[f64]),
    build: &str,
) {
    let (name, basis) = (format!("{}, {build}", facts.name), basis.as_ref().expect("it is asked for"));
    let t = 0.7;
    let (_, found) = process.ask("B", &[q, &[t], inputs]);
    let arguments = [[1.3, 0.6, 0.4].to_vec(), q.to_vec(), vec![t], inputs.to_vec()];
    let expected = run(basis, &arguments, Options::default()).expect("a basis");
    assert_same(&format!("{name}, basis"), &found, &expected.concat());
    let manifold = Manifold::new(facts);
    let nu: Vec<f64> = (0..w.len() - facts.velocities.len()).map(|i| 0.3 - 0.5 * i as f64).collect();
    let (status, found) = process.ask("X", &[q, &nu, &[t], inputs]);
    assert_eq!(status, 0, "{name}");
    let derivative = basis_derivative.as_ref().expect("it comes with the basis");
    let arguments = [[1.3, 0.6, 0.4].to_vec(), q.to_vec(), nu.clone(), vec![t], inputs.to_vec()];
    let expected = run(derivative, &arguments, Options::default()).expect("finite");
    assert_same(&format!("{name}, derivative of the basis"), &found, &expected.concat());
    // It is the slope of X ν + v₀.
    let (n, by) = (facts.velocities.len(), 1e-4);
    for column in 0..n {
        let mut at = |by: f64| {
            let mut delta = vec![0.0; w.len()];
            delta[column] = by;
            let (_, x) = process.ask("+", &[q, &nu, &delta]);
            let (_, frame) = process.ask("B", &[&x[..q.len()], &[t], inputs]);
            let [rows, drift] = [&frame[..n * nu.len()], &frame[n * nu.len()..]];
            let along = |i: usize| rows[i * nu.len()..].iter().zip(&nu).map(|(x, nu)| x * nu).sum::<f64>();
            (0..n).map(|i| drift[i] + along(i)).collect::<Vec<f64>>()
        };
        let (before, after) = (at(-by), at(by));
        for i in 0..n {
            let (slope, found) = ((after[i] - before[i]) / (2.0 * by), found[i * n + column]);
            assert!((slope - found).abs() < 1e-6, "{name}, {i}, {column}: {slope} and {found}");
        }
    }
    // From small turns to more than half a one, about several axes.
    for (k, factor) in [1e-9, 0.05, 0.4, 1.0, 1.9, 2.8, 3.4].into_iter().enumerate() {
        let mut delta: Vec<f64> = w.iter().map(|w| factor * w).collect();
        let last = delta.len() - 1;
        delta[k % last] *= -1.5;
        let (_, x) = process.ask("+", &[q, &nu, &delta]);
        let expected = manifold.retract([q, &nu, &[]], &delta);
        assert_same(&format!("{name}, retract by {factor}"), &x, &expected.concat());
        let (_, found) = process.ask("-", &[q, &nu, &x]);
        let between = manifold.difference([q, &nu, &[]], expected.each_ref().map(Vec::as_slice));
        assert_same(&format!("{name}, difference of {factor}"), &found, &between);
        if factor < 1.0 {
            let back = found.iter().zip(&delta).all(|(found, delta)| (found - delta).abs() < 1e-14);
            assert!(back, "{name}: {found:?} and {delta:?}");
        }
    }
}
