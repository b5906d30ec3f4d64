//! Whatever a projection returns is admissible.
//!
//! Of 100 000 random starts of random systems and of systems whose projections leave nothing but rounding. A sample has 4 000. Some
//! starts are too far from position constraints for Gauss–Newton steps: the projection refuses them.

mod random;

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::parallel::in_parallel;
use nhi_codegen::pipeline::Derived;
use nhi_codegen::source::structs;
use nhi_jit::{Compiled, Error, Point, Simulation as Fast};
use nhi_methods::{Method, Variant};
use nhi_runtime::prelude::*;
use nhi_runtime::{System, group::SO3};
use nhi_tiers::amount;
use random::{KNOWN, Random, declaration, parameters, source};

pub(crate) fn compiled(attribute: &str, method: Method) -> Option<Compiled> {
    let text = source(attribute, method);
    let declaration = Declaration::parse(&structs(&text).expect("Rust")[0]).ok()?;
    let derived = Derived::new(declaration, &mut BuiltIn).ok()?;
    let optimised = derived.optimised().expect("finite constants");
    Some(Compiled::new(&optimised, &[method.into()]).expect("Cranelift runs here"))
}

/// How projections of starts ended.
#[derive(Clone, Copy, Default)]
struct Ended {
    /// At starts that simulations accept.
    accepted: usize,
    /// Too far from position constraints.
    far: usize,
    /// Near dependent one-forms, or without inertia.
    singular: usize,
}

/// Projects random starts of a system, and starts simulations from the results.
fn project(text: &str, compiled: &Compiled, starts: usize, random: &mut Random) -> Ended {
    let variant: Variant = Method::DlaRattle.into();
    let n = compiled.coordinates().len();
    let mut ended = Ended::default();
    for _ in 0..starts {
        let parameters = parameters(random);
        let [q, v] = [0; 2].map(|_| (0..n).map(|_| random.entry()).collect::<Vec<f64>>());
        let inputs: Vec<f64> = compiled.inputs().iter().map(|_| random.entry()).collect();
        let begin = Fast::project(compiled, variant, &parameters, &q, &v, &inputs, 0.01);
        let name = || format!("{text}, {parameters:?}, {q:?}, {v:?}, {inputs:?}");
        let begin = match begin {
            Ok(begin) => begin,
            Err(Error::Position { .. }) if text.contains("holonomic") => {
                ended.far += 1;
                continue;
            }
            Err(Error::Projection { .. } | Error::Start { .. }) => {
                ended.singular += 1;
                continue;
            }
            Err(error) => panic!("{}: {error}", name()),
        };
        ended.accepted += 1;
        let again = Fast::with_inputs(compiled, variant, &parameters, begin.q(), &begin.v(), &inputs, 0.01);
        again.unwrap_or_else(|error| panic!("{}: {error}", name()));
        let at = Point { parameters: &parameters, q: begin.q(), v: &v, z: &[], t: 0.0, inputs: &inputs };
        let v = compiled.project(&at).expect("as above");
        let again = Fast::with_inputs(compiled, variant, &parameters, at.q, &v, &inputs, 0.01);
        again.unwrap_or_else(|error| panic!("{}: {error}", name()));
    }
    ended
}

fn sum(all: &[Ended]) -> Ended {
    all.iter().fold(Ended::default(), |sum, ended| Ended {
        accepted: sum.accepted + ended.accepted,
        far: sum.far + ended.far,
        singular: sum.singular + ended.singular,
    })
}

#[test]
fn whatever_a_projection_returns_is_admissible() {
    let all: Vec<u64> = (0..amount(30, 850)).collect();
    let ended = in_parallel(
        &all,
        |_| "a random system",
        |&i| {
            let random = &mut Random(i);
            // Some have dependent one-forms, and are refused.
            let (text, compiled) = loop {
                let text = declaration(random);
                if let Some(compiled) = compiled(&text, Method::DlaRattle) {
                    break (text, compiled);
                }
            };
            project(&text, &compiled, 100, random)
        },
    );
    let Ended { accepted, far, singular } = sum(&ended);
    println!("{accepted} starts, {far} too far from position constraints, {singular} singular");
    assert!(accepted >= amount(2_000, 77_000), "{accepted}");
    assert!(far * 20 < accepted && singular * 4 < accepted, "{far}, {singular}");
}

#[test]
fn projections_that_leave_rounding_are_admissible() {
    let parts: Vec<(&str, u64)> =
        KNOWN.iter().flat_map(|text| (0..amount(1, 10)).map(move |part| (*text, part))).collect();
    let starts = amount(150, 400);
    let ended = in_parallel(
        &parts,
        |(text, _)| text,
        |(text, part)| {
            let compiled = compiled(text, Method::DlaRattle).expect("a system");
            project(text, &compiled, starts, &mut Random(1000 + part))
        },
    );
    let Ended { accepted, far, singular } = sum(&ended);
    println!("{accepted} starts, {far} too far from position constraints, {singular} singular");
    assert_eq!(accepted + far + singular, parts.len() * starts);
    assert!((far + singular) * 10 < accepted, "{far}, {singular}");
}

#[test]
fn a_projection_to_rest_is_admissible() {
    for (text, q, v) in [
        (
            "coordinates(x, y, z), lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) + m/3*dot(x)*dot(z),
             constraints(a: dz = 0, b: dx + x*dy = 0)",
            [0.3, 0.0, 0.0],
            [-0.82, -0.25, -0.23],
        ),
        (
            "coordinates(x, y, z), lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2), constraints(a: dx + k*dy, b: dy)",
            [0.0; 3],
            [1.3, -0.7, 0.0],
        ),
    ] {
        let compiled = compiled(text, Method::Dla2).expect("a system");
        let variant = Method::Dla2.into();
        let begin = Fast::project(&compiled, variant, &[1.7, 0.3, 10.0, 0.7], &q, &v, &[], 0.01);
        let begin = begin.expect("admissible");
        Fast::new(&compiled, variant, &[1.7, 0.3, 10.0, 0.7], begin.q(), &begin.v(), 0.01).expect("the same");
    }
}

/// A particle that moves along a line.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) + m/3*dot(x)*dot(z),
    constraints(b: dx + k*dy = 0, c: dy + dz/7 = 0),
)]
struct Stopped {
    m: f64,
    k: f64,
}

#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    group = SO3(R; w1, w2, w3),
    lagrangian = j/2*(w1^2 + 2*w2^2 + 3*w3^2),
    constraints(w1 - k*w2)
)]
struct Body {
    j: f64,
    k: f64,
}

#[test]
fn derived_systems_project_alike() {
    for k in [1e-3, 10.0, 1e4] {
        let (system, q, v) = (Stopped { m: 1.7, k }, [0.3, 0.0, 0.0], [-0.82, -0.25, -0.23]);
        let mut begin = Simulation::project(system.clone(), Dla2, q, v, 0.01).expect("admissible");
        Simulation::new(system.clone(), Dla2, begin.q(), begin.v(), 0.01).expect("the same");
        let nearest = Stopped::project(&system.parameters(), &q, &v, 0.0, &[]).expect("admissible");
        begin.set_state(q, nearest).expect("admissible");
    }
    let rounded = SO3([[0.792, -0.377, 0.480], [0.480, 0.870, -0.108], [-0.377, 0.316, 0.870]]);
    let system = Body { j: 1.0, k: 2.0 };
    assert!(Simulation::new(system.clone(), Rdp, rounded, [0.4, 0.2, 0.3], 0.01).is_err());
    let begin = Simulation::project(system.clone(), Rdp, rounded, [0.4, 0.2, 0.3], 0.01).expect("a rotation");
    Simulation::new(system, Rdp, begin.q(), begin.v(), 0.01).expect("the same");
    let compiled = compiled(BODY, Method::Rdp).expect("a system");
    let parameters = [1.0, 1.0, 2.0, 0.7];
    let flat = rounded.0.concat();
    let fast = Fast::project(&compiled, Method::Rdp.into(), &parameters, &flat, &[0.4, 0.2, 0.3], &[], 0.01);
    let fast = fast.expect("a rotation");
    assert_eq!((fast.q(), fast.v()), (&begin.q().entries()[..], begin.v().to_vec()));
}

/// A body whose rotation is known to three decimals.
const BODY: &str =
    "group = SO3(R; w1, w2, w3), lagrangian = j/2*(w1^2 + 2*w2^2 + 3*w3^2), constraints(w1 - k*w2)";

#[test]
fn a_matrix_of_three_decimals_is_projected_onto_a_rotation() {
    let compiled = compiled(BODY, Method::Rdp).expect("a system");
    let variant = Method::Rdp.into();
    // About (1, 2, 2)/3 by an angle of 40°.
    let rounded = [0.792, -0.377, 0.480, 0.480, 0.870, -0.108, -0.377, 0.316, 0.870];
    let (parameters, v) = ([1.0, 0.3, 2.0, 0.7], [0.2, 0.3, 0.4]);
    let refused = Fast::new(&compiled, variant, &parameters, &rounded, &v, 0.01).unwrap_err();
    assert!(matches!(refused, Error::Pose { .. }), "{refused}");
    let begin = Fast::project(&compiled, variant, &parameters, &rounded, &v, &[], 0.01).expect("a rotation");
    let distance = begin.q().iter().zip(rounded).fold(0.0, |most: f64, (x, y)| most.max((x - y).abs()));
    assert!(distance < 1e-3, "{distance}");
    Fast::new(&compiled, variant, &parameters, begin.q(), &begin.v(), 0.01).expect("the same");
    // A reflection is no rotation with an error.
    let mirrored = rounded.map(|x| -x);
    let refused = Fast::project(&compiled, variant, &parameters, &mirrored, &v, &[], 0.01).unwrap_err();
    assert!(matches!(refused, Error::Pose { .. }), "{refused}");
}

#[test]
fn a_constraint_without_a_value_is_told_as_such() {
    let text = "coordinates(x, y, tilt), lagrangian = m/2*(dot(x)^2 + dot(y)^2) + j/2*dot(tilt)^2,
                constraints(rolling: dx - dy/sin(tilt))";
    let compiled = compiled(text, Method::Dla2).expect("a system");
    let error = Fast::new(&compiled, Method::Dla2.into(), &[1.0; 4], &[0.0; 3], &[0.0; 3], 0.01).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the constraint `rolling` has no finite value at the initial configuration: a formula in it is singular or undefined \
         there"
    );
}
