//! Whatever a projection returns is admissible.
//!
//! Of 3 000 random starts. Among 100 000 some are too far from position constraints for Gauss–Newton steps, and are refused as starts.

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::expand::structs;
use nhi_codegen::pipeline::Derived;
use nhi_jit::{Compiled, Error, Point, Simulation as Fast};
use nhi_methods::{Method, Variant};
use nhi_runtime::prelude::*;
use nhi_runtime::{System, group::SO3};

/// Numbers by splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [−1, 1).
    fn number(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// Zeros now and then, of any order of magnitude between 10⁻⁶ and 10⁶ or about one.
    fn entry(&mut self) -> f64 {
        match self.below(6) {
            0 => 0.0,
            1 => self.number() * 10.0_f64.powi(self.below(13) as i32 - 6),
            _ => self.number(),
        }
    }
}

fn compiled(attribute: &str, method: Method) -> Option<Compiled> {
    let fields = "m: f64, j: f64, k: f64, r: f64";
    let text = format!(
        "#[derive(Nonholonomic)] #[nonholonomic({attribute}, methods({}))] struct Random {{ {fields} }}",
        method.facts().marker
    );
    let declaration = Declaration::parse(&structs(&text).expect("Rust")[0]).ok()?;
    let derived = Derived::new(declaration, &mut BuiltIn).ok()?;
    let optimised = derived.optimised().expect("finite constants");
    Some(Compiled::new(&derived.mechanics, &optimised, &[method.into()]).expect("Cranelift runs here"))
}

/// A random declaration with n coordinates.
fn declaration(random: &mut Random) -> String {
    let n = 2 + random.below(4);
    let coordinates: Vec<String> = (0..n).map(|i| format!("q{i}")).collect();
    let mut lagrangian: Vec<String> = (0..n)
        .map(|i| format!("{}/2*dot(q{i})^2", ["m", "j", "m*(1 + q0^2)", "1"][random.below(4)]))
        .collect();
    if random.below(2) == 0 {
        lagrangian.push(format!("m/5*dot(q0)*dot(q{})", n - 1));
    }
    let coefficient = |random: &mut Random| {
        let i = random.below(n);
        match random.below(7) {
            0 => "1".to_owned(),
            1 => "k".to_owned(),
            2 => "-r".to_owned(),
            3 => format!("q{i}"),
            4 => format!("sin(q{i})"),
            5 => format!("cos(q{i})"),
            _ => format!("k*cos(q{i})"),
        }
    };
    let mut forms = Vec::new();
    for _ in 0..1 + random.below(n - 1) {
        let first = random.below(n);
        let mut terms = vec![format!("{}*dq{first}", coefficient(random))];
        for _ in 0..random.below(3) {
            let (c, i) = (coefficient(random), random.below(n));
            terms.push(format!("{c}*dq{i}"));
        }
        if random.below(4) == 0 {
            terms.push("u*dt".to_owned());
        }
        forms.push(terms.join(" + "));
    }
    let positions = match random.below(4) {
        0 if forms.len() < n - 1 => ", holonomic(q0 - k*sin(q1) - r*q0*q1 = 0)",
        _ => "",
    };
    format!(
        "coordinates({}), inputs(u), lagrangian = {}, constraints({}){positions}",
        coordinates.join(", "),
        lagrangian.join(" + "),
        forms.join(", ")
    )
}

#[test]
fn whatever_a_projection_returns_is_admissible() {
    let (systems, each) = (40, 100);
    let (variant, mut starts): (Variant, usize) = (Method::DlaRattle.into(), 0);
    let random = &mut Random(1);
    for _ in 0..systems {
        // Some have dependent one-forms, and are refused.
        let (text, compiled) = loop {
            let text = declaration(random);
            if let Some(compiled) = compiled(&text, Method::DlaRattle) {
                break (text, compiled);
            }
        };
        let n = compiled.coordinates().len();
        for _ in 0..each {
            let k = 10.0_f64.powi(random.below(9) as i32 - 4);
            let parameters = [1.7, 0.3, k, 0.7 + 0.1 * random.number()];
            let [q, v] = [0; 2].map(|_| (0..n).map(|_| random.entry()).collect::<Vec<f64>>());
            let inputs = [random.entry()];
            let begin = Fast::project(&compiled, variant, &parameters, &q, &v, &inputs, 0.01);
            let name = || format!("{text}, {parameters:?}, {q:?}, {v:?}, {inputs:?}");
            let begin = match begin {
                Ok(begin) => begin,
                Err(error @ (Error::Constraint { .. } | Error::Position { .. })) => {
                    panic!("{}: {error}", name())
                }
                // Dependent one-forms.
                Err(_) => continue,
            };
            starts += 1;
            let again =
                Fast::with_inputs(&compiled, variant, &parameters, begin.q(), &begin.v(), &inputs, 0.01);
            again.unwrap_or_else(|error| panic!("{}: {error}", name()));
            let at = Point { parameters: &parameters, q: begin.q(), v: &v, z: &[], t: 0.0, inputs: &inputs };
            let v = compiled.project(&at).expect("as above");
            let again = Fast::with_inputs(&compiled, variant, &parameters, at.q, &v, &inputs, 0.01);
            again.unwrap_or_else(|error| panic!("{}: {error}", name()));
        }
    }
    println!("{starts} starts");
    assert!(starts >= 3_000, "{starts}");
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
