//! Derivatives of steps compute the bits of the interpreter, for the step just taken.
//!
//! Four models are compared; with `NHI_TESTS=all`, all of them.

use super::compare_all;
use nhi_codegen::optimised::{curvature_function, derivative_functions};
use nhi_codegen::system::System;
use nhi_interpreter::{Options, run};
use nhi_jit::{Compiled, Derivatives, Error, Point, SecondDerivatives, Simulation};
use nhi_methods::{Method, Variant};
use nhi_models::Model;
use nhi_tests::bits::assert_same;
use nhi_tests::declarations::{derive, of_model};
use nhi_tests::sample::models;
use nhi_tiers::amount;

/// The methods that are differentiated, where they apply.
const METHODS: [Method; 5] = [Method::Dla2, Method::DlaRattle, Method::Rdp, Method::Rk4, Method::Dla1];

/// Steps before the one that is differentiated.
const BEFORE: u64 = 40;
const H: f64 = 0.01;

/// Compares the derivatives of the methods of a model: how many were compared.
fn compare(model: &dyn Model) -> usize {
    let mut declaration = of_model(model).with_methods(METHODS.to_vec());
    declaration.all_methods = true;
    let (derived, optimised) = derive(declaration);
    let System { methods, .. } = &derived.declaration.system;
    let variants: Vec<Variant> = methods.iter().map(|&method| method.into()).collect();
    let compiled = Compiled::new(&optimised, &variants).expect("Cranelift runs here");
    let parameters = model.defaults();
    let (q, v) = model.instance(&parameters).initial();
    let inputs: Vec<f64> = (0..model.inputs().len()).map(|i| 0.1 + 0.2 * i as f64).collect();
    let mut compared = 0;
    for variant in variants {
        let name = format!("{}, {variant}", model.name());
        let functions = derivative_functions(&derived.mechanics, variant.method);
        let derivatives = match Derivatives::new(&optimised, variant, || functions.clone()) {
            Ok(derivatives) => derivatives,
            Err(Error::NoDerivatives { .. }) => continue,
            Err(error) => panic!("{name}: {error}"),
        };
        let start = Simulation::with_inputs(&compiled, variant, &parameters, &q, &v, &inputs, H);
        let mut simulation = start.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(simulation.linearize(&derivatives).unwrap_err(), Error::NoStep, "{name}");
        let mut other = simulation.clone();
        simulation.advance(BEFORE + 1).expect("steps");
        other.advance(BEFORE).expect("steps");
        let (before, t) = (other.clone(), other.time());
        other.step_with(&inputs).expect("a step");
        // What happens to inputs later is not part of the step.
        let moved: Vec<f64> = inputs.iter().map(|u| u + 1.0).collect();
        other.set_inputs(&moved).expect("finite");

        let functions = functions.expect("differentiated before");
        let arguments = [
            parameters.clone(),
            vec![H],
            before.q().to_vec(),
            before.v(),
            before.multipliers().to_vec(),
            before.z().to_vec(),
            vec![t],
            inputs.clone(),
        ];
        let run =
            |function, arguments: &[Vec<f64>]| run(function, arguments, Options::default()).expect("regular");
        let expected = run(&functions.linearize, &arguments);
        for simulation in [&simulation, &other] {
            let found = simulation.linearize(&derivatives).expect("regular");
            for (found, expected) in
                [&found.a, &found.b, &found.lambda_x, &found.lambda_u].into_iter().zip(&expected)
            {
                assert_same(&name, found, expected);
            }
        }
        let found = other.linearize_parameters(&derivatives).expect("regular");
        let expected = run(&functions.linearize_parameters, &arguments);
        assert_same(&name, &[found.c, found.h].concat(), &expected.concat());
        let w: Vec<f64> = (0..derivatives.tangent_coordinates()).map(|i| (i as f64 + 0.5).sin()).collect();
        let found = other.pull_back(&derivatives, &w).expect("regular");
        let arguments = [&arguments[..], std::slice::from_ref(&w)].concat();
        let expected = run(&functions.pull_back, &arguments);
        assert_same(&name, &[&found.a[..], &found.b, &found.c, &[found.h]].concat(), &expected.concat());
        let curvature = curvature_function(&derived.mechanics, variant.method);
        let second = SecondDerivatives::new(&optimised, variant, || curvature.clone());
        let second = second.expect("beside first ones");
        let found = other.curvature(&second, &w).expect("regular");
        let expected = run(&curvature.expect("beside first ones"), &arguments);
        let all = [&found.xx[..], &found.xu, &found.uu, &found.a, &found.b].concat();
        assert_same(&name, &all, &expected.concat());

        // The same numbers where a planner needs them.
        let (q, v, z) = (before.q(), before.v(), before.z());
        let at = Point { parameters: &parameters, q, v: &v, z, t, inputs: &inputs };
        let (size, k) = (derivatives.tangent_coordinates(), inputs.len());
        let [mut ab, mut of_both] = [(); 2].map(|()| vec![f64::NAN; size * (size + k)]);
        derivatives.linearize_to(&at, before.multipliers(), H, &mut ab).expect("regular");
        let linear = other.linearize(&derivatives).expect("regular");
        let rows = (0..size).flat_map(|i| [&linear.a[i * size..][..size], &linear.b[i * k..][..k]].concat());
        assert_same(&name, &ab, &rows.collect::<Vec<f64>>());
        let mut matrix = vec![1.0; (size + k) * (size + k)];
        let to = (&mut of_both[..], &mut matrix[..]);
        second.curvature_to(&at, before.multipliers(), H, &w, to).expect("regular");
        let rows = (0..size).flat_map(|i| [&found.a[i * size..][..size], &found.b[i * k..][..k]].concat());
        assert_same(&name, &of_both, &rows.collect::<Vec<f64>>());
        let expected: Vec<f64> = found.matrix().iter().map(|second| 1.0 + second).collect();
        assert_same(&name, &matrix, &expected);
        let whole = found.matrix();
        for (i, j) in (0..size + k).flat_map(|i| (0..size + k).map(move |j| (i, j))) {
            let block = match (i < size, j < size) {
                (true, true) => found.xx[i * size + j],
                (true, false) => found.xu[i * k + j - size],
                (false, true) => found.xu[j * k + i - size],
                (false, false) => found.uu[(i - size) * k + j - size],
            };
            assert_eq!(whole[i * (size + k) + j], block, "{name}");
        }
        compared += 1;
    }
    compared
}

#[test]
fn derivatives_are_those_of_the_interpreter() {
    let compared = compare_all(&models(), compare);
    println!("{compared} steps");
    assert!(compared > amount(8, 60), "{compared}");
}
