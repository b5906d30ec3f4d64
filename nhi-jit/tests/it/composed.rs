//! Derivatives of composed steps are those of the systems that the derive generates.

use super::support;
use nhi_codegen::optimised::{Optimised, curvature_function, derivative_functions};
use nhi_codegen::pipeline::Derived;
use nhi_jit::{Compiled, Curvature, Derivatives, Error, Linearization, Point, SecondDerivatives};
use nhi_methods::Variant;
use nhi_runtime::prelude::*;
use nhi_runtime::{Differentiable, Tangential, Vector};

/// A sleigh that is turned, and pushed by a motor that lags behind.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(theta, x, y),
    states(i),
    inputs(push, turn),
    lagrangian = j/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2) - x^2/2,
    constraints(a*dtheta + sin(theta)*dx - cos(theta)*dy),
    force = i*(cos(theta)*dx + sin(theta)*dy) + turn*dtheta,
    dynamics(dot(i) = push - i - cos(theta)*dot(x)),
    methods(Dla2 + derivatives, DlaRattle + derivatives)
)]
struct Sleigh {
    j: f64,
    m: f64,
    a: f64,
}

/// A boat on a slope, whose motion sideways belongs to its turning.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    group = SE2(theta, x, y; omega, v, w),
    inputs(u),
    lagrangian = m/2*(k*omega^2 + v^2 + w^2) - m*x*sin(y),
    constraints(r*omega - w),
    force = u*v*dt - k*v*omega*omega*dt,
    methods(Rdp + derivatives)
)]
struct Boat {
    m: f64,
    r: f64,
    k: f64,
}

/// A mass in a force that changes with time.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2),
    constraints(dy - x*dx),
    force = sin(t)*dx,
    methods(Dla2 + derivatives)
)]
struct Shaken {
    m: f64,
}

/// A mass on a belt whose speed is an input.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y),
    inputs(speed),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2),
    constraints(dx - speed*cos(y)*dt),
    methods(Dla2 + derivatives)
)]
struct Belt {
    m: f64,
}

const H: f64 = 0.05;

/// The system of this file with that name.
fn derived(name: &str) -> Derived {
    support::derived(include_str!("composed.rs"), name)
}

fn variant(id: &str) -> Variant {
    Variant::with_id(id).expect("a method")
}

/// The entries of a matrix, row by row.
fn flat<R: AsRef<[f64]>>(matrix: impl AsRef<[R]>) -> Vec<f64> {
    matrix.as_ref().iter().flat_map(|row| row.as_ref().to_vec()).collect()
}

/// Errors are relative to the largest entry, or to 1.
fn assert_close(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let size = expected.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
    let error = found.iter().zip(expected).fold(0.0, |error: f64, (x, y)| error.max((x - y).abs()));
    assert!(error <= tolerance * size, "{what} differs by {:e}", error / size);
}

/// wᵀM of a matrix with as many rows as w has entries.
fn product(w: &[f64], matrix: &[f64]) -> Vec<f64> {
    let columns = matrix.len() / w.len();
    (0..columns).map(|j| w.iter().enumerate().map(|(i, w)| w * matrix[i * columns + j]).sum()).collect()
}

/// The rows of A and B, one beside the other.
fn beside(a: &[f64], b: &[f64], size: usize) -> Vec<f64> {
    let inputs = b.len() / size;
    (0..size).flat_map(|i| [&a[i * size..][..size], &b[i * inputs..][..inputs]].concat()).collect()
}

/// First and second derivatives of a step.
fn derivatives(
    Derived { mechanics, .. }: &Derived,
    optimised: &Optimised,
    variant: Variant,
) -> (Result<Derivatives, Error>, Result<SecondDerivatives, Error>) {
    let first = || derivative_functions(mechanics, variant.method);
    let second = || curvature_function(mechanics, variant.method);
    (Derivatives::new(optimised, variant, first), SecondDerivatives::new(optimised, variant, second))
}

/// Compares all derivatives along a motion whose inputs change.
fn compare<S, M>(system: &S, method: M, id: &str, q0: S::Configuration<f64>, v0: S::Velocity<f64>)
where
    S: Tangential + Clone,
    M: Differentiable<S> + Copy,
{
    let derived = derived(S::NAME);
    let (variant, optimised) = (variant(id), derived.optimised().expect("finite constants"));
    let compiled = Compiled::new(&optimised, &[variant]).expect("Cranelift runs here");
    let (first, second) = derivatives(&derived, &optimised, variant);
    let (first, second) = (first.expect("steady"), second.expect("steady"));
    assert_eq!([first.variant(), second.variant()], [variant; 2]);

    let mut inputs = S::Inputs::<f64>::splat(0.3);
    let mut of_rust = Simulation::project(system.clone(), method, q0, v0, H).expect("a start");
    let (q, v, z) = (of_rust.q(), of_rust.v(), of_rust.z());
    let parameters = system.parameters();
    let parameters = parameters.as_ref();
    let at = Point {
        parameters,
        q: q.as_ref(),
        v: v.as_ref(),
        z: z.as_ref(),
        t: 0.0,
        inputs: &vec![0.0; inputs.as_ref().len()],
    };
    let mut steps = nhi_jit::Simulation::at_point(&compiled, variant, &at, H).expect("a start");
    assert_eq!(steps.linearize(&first).unwrap_err(), Error::NoStep);
    let w: Vec<f64> = (0..first.tangent_coordinates()).map(|i| (i as f64 + 0.5).sin()).collect();
    let mut covector = S::Tangent::<f64>::splat(0.0);
    covector.as_mut().copy_from_slice(&w);
    let size = w.len();
    for k in 0..4 {
        inputs.as_mut().iter_mut().enumerate().for_each(|(i, u)| *u -= 0.1 * (1 + i + k) as f64);
        of_rust.advance(7).expect("steps");
        steps.advance(7).expect("steps");
        let before = steps.clone();
        of_rust.step_with(&inputs).expect("a step");
        steps.step_with(inputs.as_ref()).expect("a step");

        let (found, expected) =
            (steps.linearize(&first).expect("regular"), of_rust.linearize().expect("regular"));
        let linear = &found;
        for (what, found, expected) in [
            ("A", &linear.a, flat(expected.a)),
            ("B", &linear.b, flat(expected.b)),
            ("∂λ'/∂x", &linear.lambda_x, flat(expected.lambda_x)),
            ("∂λ'/∂u", &linear.lambda_u, flat(expected.lambda_u)),
        ] {
            assert_close(&format!("{id}: {what}"), found, &expected, 1e-12);
        }
        let by_parameters = steps.linearize_parameters(&first).expect("regular");
        let expected = of_rust.linearize_parameters().expect("regular");
        assert_close(&format!("{id}: C"), &by_parameters.c, &flat(expected.c), 1e-12);
        assert_close(&format!("{id}: ∂x'/∂h"), &by_parameters.h, expected.h.as_ref(), 1e-12);

        let products = steps.pull_back(&first, &w).expect("regular");
        for (found, matrix) in [
            (&products.a, &linear.a),
            (&products.b, &linear.b),
            (&products.c, &by_parameters.c),
            (&vec![products.h], &by_parameters.h),
        ] {
            assert_close(&format!("{id}: a product"), found, &product(&w, matrix), 1e-13);
        }
        let expected = of_rust.pull_back(&covector).expect("regular");
        assert_close(&format!("{id}: wᵀA"), &products.a, expected.a.as_ref(), 1e-12);
        assert_close(&format!("{id}: wᵀC"), &products.c, expected.c.as_ref(), 1e-12);

        let curvature = steps.curvature(&second, &w).expect("regular");
        let expected = of_rust.curvature(&covector).expect("regular");
        for (what, found, expected) in [
            ("∂²/∂x²", &curvature.xx, flat(expected.xx)),
            ("∂²/∂x∂u", &curvature.xu, flat(expected.xu)),
            ("∂²/∂u²", &curvature.uu, flat(expected.uu)),
            ("A beside second derivatives", &curvature.a, linear.a.clone()),
            ("B beside second derivatives", &curvature.b, linear.b.clone()),
        ] {
            assert_close(&format!("{id}: {what}"), found, &expected, 1e-12);
        }
        let (whole, columns) = (curvature.matrix(), size + inputs.as_ref().len());
        let is_symmetric = |i: usize| whole[i] == whole[i % columns * columns + i / columns];
        assert!((0..whole.len()).all(is_symmetric), "{id}");
        assert!(curvature.xx.iter().any(|x| x.abs() > 1e-3), "{id}");

        // The same numbers where a planner needs them.
        let (v, lambda) = (before.v(), before.multipliers());
        let at = Point {
            parameters,
            q: before.q(),
            v: &v,
            z: before.z(),
            t: before.time(),
            inputs: inputs.as_ref(),
        };
        let Linearization { a, b, .. } = linear;
        let mut ab = vec![f64::NAN; size * columns];
        first.linearize_to(&at, lambda, H, &mut ab).expect("regular");
        assert_eq!(ab, beside(a, b, size), "{id}");
        let Curvature { a, b, .. } = &curvature;
        let mut matrix = vec![1.0; columns * columns];
        second.curvature_to(&at, lambda, H, &w, (&mut ab, &mut matrix)).expect("regular");
        assert_eq!(ab, beside(a, b, size), "{id}");
        assert_eq!(matrix, whole.iter().map(|second| 1.0 + second).collect::<Vec<f64>>(), "{id}");
    }
}

#[test]
fn derivatives_of_compositions_are_those_of_derived_code() {
    let sleigh = Sleigh { j: 0.7, m: 1.3, a: 0.2 };
    let (q, v) = ([0.3, 0.2, -0.4], [0.5, 1.0, 0.2]);
    compare(&sleigh, Compose::suzuki4(Dla2), "dla2_suzuki4", q, v);
    compare(&sleigh, Compose::triple4(DlaRattle), "dla_rattle_triple4", q, v);
    let boat = Boat { m: 1.2, r: 0.5, k: 0.8 };
    let (q, v) = ([0.4, 0.3, -0.2].into(), [0.9, 0.7, 0.2]);
    compare(&boat, Compose::suzuki4(Rdp), "rdp_suzuki4", q, v);
    compare(&boat, Compose::triple4(Rdp::new(Cayley)), "rdp_cay_triple4", q, v);
}

#[test]
fn compositions_of_systems_that_are_not_steady_are_refused() {
    for name in ["Shaken", "Belt"] {
        let derived = derived(name);
        let optimised = derived.optimised().expect("finite constants");
        let refused = |variant| {
            let (first, second) = derivatives(&derived, &optimised, variant);
            let (first, second) = (first.err(), second.err());
            assert_eq!(first, second, "{name}");
            first.map(|error| error.to_string())
        };
        assert_eq!(
            refused(variant("dla2_triple4")).as_deref(),
            Some(
                "the method `dla2_triple4` has no derivatives: the system depends on time, or its constraints on inputs: \
                 the derivatives of the parts do not determine those of their composition then"
            )
        );
        assert_eq!(refused(variant("dla2")), None);
    }
}
