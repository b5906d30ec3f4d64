//! Masses and moments of inertia that are zero or negative are told as such, and for the velocities that have them.

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::method::refusal;
use nhi_codegen::pipeline::Derived;
use nhi_codegen::source::structs;
use nhi_jit::{Compiled, Error, Simulation};
use nhi_methods::{Method, Variant};
use nhi_runtime::Failure;

fn derived(attribute: &str, methods: &str) -> Derived {
    let text = format!(
        "#[derive(Nonholonomic)] #[nonholonomic({attribute}, methods({methods}))] struct Parts {{ m: f64, j: f64, r: f64, k: f64 }}"
    );
    let declaration = Declaration::parse(&structs(&text).expect("Rust")[0]).expect("no mistakes");
    Derived::new(declaration, &mut BuiltIn).expect("derivable")
}

/// Why 100 steps of a method fail, from a projected start.
fn failure(attribute: &str, method: Method, parameters: [f64; 4], v: &[f64]) -> Option<Failure> {
    let derived = derived(attribute, method.facts().marker);
    let optimised = derived.optimised().expect("finite constants");
    let variant: Variant = method.into();
    let compiled = Compiled::new(&optimised, &[variant]).expect("Cranelift runs here");
    let q = vec![0.3; compiled.coordinates().len()];
    let inputs = vec![0.0; compiled.inputs().len()];
    let run = Simulation::project(&compiled, variant, &parameters, &q, v, &inputs, 0.01);
    match run.and_then(|mut simulation| simulation.advance(100)) {
        Ok(()) => None,
        Err(Error::Start { cause } | Error::Projection { cause } | Error::Step { cause, .. }) => Some(cause),
        Err(other) => panic!("{other}"),
    }
}

fn methods(attribute: &str) -> Vec<Method> {
    let derived = derived(attribute, "DlaRattle");
    Method::ALL.iter().copied().filter(|&method| refusal(method, &derived.mechanics).is_none()).collect()
}

/// With a term of the Lagrangian that a parameter multiplies, the velocities that it belongs to, what is zero, the parameters at which it
/// vanishes, and the same without the term.
type Part = (&'static str, &'static [&'static str], &'static [&'static str], [f64; 4], &'static str);

/// Parts of machines that have no inertia.
const PARTS: [Part; 4] = [
    // The wheels of a cart.
    (
        "coordinates(x, y, phi), lagrangian = m/2*(dot(x)^2 + dot(y)^2) + j/2*dot(phi)^2, constraints(rolling: dx - r*dphi)",
        &["phi"],
        &["j"],
        [1.3, 0.0, 0.4, 1.0],
        "coordinates(x, y, phi), lagrangian = m/2*(dot(x)^2 + dot(y)^2), constraints(rolling: dx - r*dphi)",
    ),
    // A driven angle.
    (
        "coordinates(x, phi), inputs(u), lagrangian = m/2*dot(x)^2 + j/2*dot(phi)^2 - k/2*(x - phi)^2,
         constraints(dphi - u*dt)",
        &["phi"],
        &["j"],
        [1.3, 0.0, 0.4, 1.0],
        "coordinates(x, phi), inputs(u), lagrangian = m/2*dot(x)^2 - k/2*(x - phi)^2, constraints(dphi - u*dt)",
    ),
    // A hoop in a plane on which a mass slides, without mass of its own.
    (
        "coordinates(x, y, s), lagrangian = m/2*(dot(x)^2 + dot(y)^2) + m/2*dot(x + r*sin(s))^2 + j/2*dot(s)^2,
         constraints(dot(s) - cos(y)*dot(x) = 0)",
        &["s"],
        &["j", "r"],
        [1.3, 0.0, 0.0, 1.0],
        "coordinates(x, y, s), lagrangian = m/2*(dot(x)^2 + dot(y)^2) + m/2*dot(x)^2,
         constraints(dot(s) - cos(y)*dot(x) = 0)",
    ),
    // The two wheels of a robot: half the sum and half the difference of their constraints are simpler.
    (
        "coordinates(x, y, th, a, b), lagrangian = m/2*(dot(x)^2 + dot(y)^2) + m/2*dot(th)^2 + j/2*(dot(a)^2 + dot(b)^2),
         constraints(sin(th)*dx - cos(th)*dy, cos(th)*dx + sin(th)*dy + k*dth - r*da, cos(th)*dx + sin(th)*dy - k*dth - r*db)",
        &["a", "b"],
        &["j"],
        [1.3, 0.0, 0.2, 0.4],
        "coordinates(x, y, th, a, b), lagrangian = m/2*(dot(x)^2 + dot(y)^2) + m/2*dot(th)^2,
         constraints(sin(th)*dx - cos(th)*dy, cos(th)*dx + sin(th)*dy + k*dth - r*da, cos(th)*dx + sin(th)*dy - k*dth - r*db)",
    ),
];

#[test]
fn a_vanishing_inertia_that_constraints_make_up_for_has_a_name() {
    for (text, of_term, of_parameters, parameters, without) in PARTS {
        let mut told = 0;
        for method in methods(text) {
            match failure(text, method, parameters, &vec![0.0; count(text)]) {
                Some(Failure::Massless { velocities, parameters: zeros }) => {
                    assert_eq!(zeros.labels().collect::<Vec<_>>(), of_parameters, "{method:?}: {text}");
                    assert_eq!(velocities.labels().collect::<Vec<_>>(), of_term, "{method:?}: {text}");
                    told += 1;
                }
                None => {}
                Some(other) => panic!("{method:?}: {other}"),
            }
        }
        assert!(told > 0, "{text}");
        for method in methods(without) {
            assert_eq!(
                failure(without, method, parameters, &vec![0.0; count(without)]),
                None,
                "{method:?}: {without}"
            );
        }
    }
}

#[test]
fn explicit_methods_move_parts_without_inertia_as_if_these_had_no_term() {
    let mut moved = 0;
    for (text, of_term, _, parameters, without) in PARTS {
        let explicit =
            |method: &Method| matches!(method, Method::Rk2Midpoint | Method::Rk2Heun | Method::Rk4);
        for method in methods(text).into_iter().filter(explicit) {
            let end = |text: &str| {
                let derived = derived(text, method.facts().marker);
                let optimised = derived.optimised().expect("finite constants");
                let variant: Variant = method.into();
                let compiled = Compiled::new(&optimised, &[variant]).expect("Cranelift runs here");
                let q = vec![0.3; compiled.coordinates().len()];
                let v: Vec<f64> = (0..q.len()).map(|i| 0.4 - 0.3 * i as f64).collect();
                let inputs = vec![0.2; compiled.inputs().len()];
                let mut run = Simulation::project(&compiled, variant, &parameters, &q, &v, &inputs, 0.01)
                    .expect("a start");
                run.advance(100).unwrap_or_else(|e| panic!("{method:?}, {of_term:?}: {e}"));
                [run.q().to_vec(), run.v()].concat()
            };
            for (x, y) in end(text).iter().zip(end(without)) {
                assert!((x - y).abs() <= 1e-13 * (1.0 + y.abs()), "{method:?}, {of_term:?}: {x} {y}");
            }
            moved += 1;
        }
    }
    // All but for the angle that is driven by an input, whose rate these methods would need.
    assert_eq!(moved, 9);
}

/// A velocity that the constraints admit, and factors of an inertia that are zero together.
#[test]
fn parameters_that_are_zero_have_their_names() {
    let wheel =
        "coordinates(x, phi), lagrangian = m/2*dot(x)^2 + j/2*dot(phi)^2 - k*x^2, constraints(dx - r*dphi)";
    for method in methods(wheel) {
        let Some(Failure::NoInertia { velocities, parameters }) =
            failure(wheel, method, [0.0, 0.0, 0.4, 1.0], &[0.0; 2])
        else {
            panic!("{method:?}")
        };
        assert_eq!(velocities.labels().collect::<Vec<_>>(), ["x", "phi"], "{method:?}");
        assert_eq!(parameters.labels().collect::<Vec<_>>(), ["m", "j"], "{method:?}");
    }
    let product =
        "coordinates(x, phi), lagrangian = k/2*dot(x)^2 + m*j/2*dot(phi)^2, constraints(dphi - r*dx)";
    let mut told = 0;
    for method in methods(product) {
        if let Some(failure) = failure(product, method, [0.0, 0.0, 0.4, 1.0], &[0.0; 2]) {
            let said = failure.to_string();
            assert!(said.contains("with `m`, `j` = 0 a combination of the velocities of `phi` "), "{said}");
            // What works is for those to say who try.
            assert!(!said.contains("rk4") && !said.contains("frame"), "{said}");
            told += 1;
        }
    }
    assert!(told > 0);
}

/// The number of coordinates.
fn count(text: &str) -> usize {
    let all =
        text.split_once("coordinates(").and_then(|(_, rest)| rest.split_once(')')).expect("coordinates").0;
    all.split(',').count()
}

#[test]
fn a_negative_mass_is_told_as_such() {
    let text = "coordinates(x, y, phi), lagrangian = m/2*(dot(x)^2 + dot(y)^2) + j/2*dot(phi)^2,
                constraints(rolling: dx - r*dphi, dy - x*dphi)";
    let coupled =
        "coordinates(x, y, phi), lagrangian = (dot(x)^2 + dot(y)^2)/2 + k*dot(x)*dot(y) + j/2*dot(phi)^2,
                   constraints(dphi - x*dy)";
    let cases = [
        (text, [-1.3, 0.2, 0.4, 1.0], vec!["x", "y"], vec!["m"]),
        (text, [1.3, -0.2, 0.4, 1.0], vec!["phi"], vec!["j"]),
        // No parameter is negative.
        (coupled, [1.0, 0.2, 0.4, 2.0], vec!["x", "y"], vec![]),
    ];
    for (text, parameters, names, of_parameters) in cases {
        let mut told = 0;
        for method in methods(text) {
            match failure(text, method, parameters, &[0.1, 0.2, 0.3]) {
                Some(Failure::NegativeInertia { velocities, parameters: negative }) => {
                    assert_eq!(velocities.labels().collect::<Vec<_>>(), names, "{method:?}");
                    assert_eq!(negative.labels().collect::<Vec<_>>(), of_parameters, "{method:?}");
                    told += 1;
                }
                Some(
                    other
                    @ (Failure::SingularConstraints | Failure::SingularMass | Failure::NoInertia { .. }),
                ) => {
                    panic!("{method:?}: {other}")
                }
                _ => {}
            }
        }
        assert!(told > 0, "{text}, {parameters:?}");
    }
}

/// Masses that cancel in the equations of a step: no other velocity, constraint or force couples to theirs.
#[test]
fn masses_that_cancel_in_a_step_are_told_as_well() {
    let blade = "coordinates(x, y, phi), lagrangian = m/2*(dot(x)^2 + dot(y)^2) + j/2*dot(phi)^2,
                 constraints(blade: sin(phi)*dx - cos(phi)*dy)";
    let disc = "coordinates(x, y, phi, s), lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(s)^2) + j/2*dot(phi)^2 - k/2*x^2,
                constraints(dx - r*cos(phi)*ds, dy - r*sin(phi)*ds)";
    // Two velocities without inertia, and one constraint on them.
    let pair = "coordinates(x, y, phi), lagrangian = m/2*dot(x)^2 + j/2*(dot(y)^2 + dot(phi)^2),
                constraints(dy - r*dphi)";
    for (text, of) in [(blade, &["phi"][..]), (disc, &["phi"]), (pair, &["y", "phi"])] {
        for j in [0.0, -0.4] {
            for method in methods(text) {
                let failure = failure(text, method, [1.3, j, 0.4, 1.0], &vec![0.2; count(text)]);
                let (velocities, parameters) = match failure {
                    Some(Failure::NoInertia { velocities, parameters }) if j == 0.0 => {
                        (velocities, parameters)
                    }
                    Some(Failure::NegativeInertia { velocities, parameters }) if j < 0.0 => {
                        (velocities, parameters)
                    }
                    other => panic!("{method:?}, j = {j}, {text}: {other:?}"),
                };
                assert_eq!(velocities.labels().collect::<Vec<_>>(), of, "{method:?}, j = {j}, {text}");
                assert_eq!(parameters.labels().collect::<Vec<_>>(), ["j"], "{method:?}, j = {j}, {text}");
            }
        }
    }
}

/// A drive that starts, stops and reverses takes the kinetic energy of all parts, also if one of them has no inertia.
#[test]
fn drives_of_parts_without_inertia_start_stop_and_reverse() {
    let wheel = "coordinates(x, phi), inputs(u), lagrangian = m/2*dot(x)^2 + j/2*dot(phi)^2,
                 constraints(motor: dphi - u*dt, roll: dx - r*dphi)";
    let mut moved = 0;
    for parameters in [[0.0, 0.7, 0.4, 1.0], [1.3, 0.0, 0.4, 1.0], [0.0, 0.0, 0.4, 1.0]] {
        for method in [Method::Frame, Method::FrameMidpoint, Method::Dla1] {
            let derived = derived(wheel, method.facts().marker);
            let variant: Variant = method.into();
            let compiled = Compiled::new(&derived.optimised().expect("finite constants"), &[variant])
                .expect("Cranelift runs here");
            let mut run = Simulation::new(&compiled, variant, &parameters, &[0.0; 2], &[0.0; 2], 0.01)
                .expect("a start at rest");
            for speed in [0.0, 1.0, 1.0, 0.0, 0.0, -1e3, 1e3, 1e-6, 0.0, 0.0] {
                run.step_with(&[speed]).unwrap_or_else(|e| panic!("{method:?}, {parameters:?}: {e}"));
                let [vx, vphi] = run.v()[..] else { panic!("two velocities") };
                assert!((vphi - speed).abs() <= 1e-12 * 1e3 && (vx - 0.4 * speed).abs() <= 1e-12 * 1e3);
            }
            moved += 1;
        }
    }
    assert_eq!(moved, 9);
}
