//! Generated C counts the same safeguarded steps as Rust.

use super::compile::builds;
use super::process::{Process, Program};
use super::{folder, status_of, write_c};
use nhi_methods::Variant;
use nhi_runtime::prelude::*;
use nhi_runtime::{Compose, Error, Method, System};
use nhi_tests::bits::assert_same;
use nhi_tests::declarations::{declarations, derive};

/// Two blocks on a spring, which friction stops.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + m/4*dot(x)*dot(y),
    constraints(),
    force = -f*tanh(dot(x)/eps)*dx - f*tanh((dot(y) + dot(x)/2)/eps)*dy,
    methods(Dla2, DlaRattle)
)]
struct Two {
    m: f64,
    f: f64,
    eps: f64,
}

/// A block that friction stops.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x),
    lagrangian = m/2*dot(x)^2,
    constraints(),
    force = -f*dot(x)/sqrt(dot(x)^2 + eps^2)*dx,
    methods(Dla2, Rk4)
)]
struct Rough {
    m: f64,
    f: f64,
    eps: f64,
}

/// A particle that is driven the faster, the faster it is: a long step has no end.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(y),
    lagrangian = m/2*dot(y)^2 - m*y^2/2,
    constraints(),
    force = f*(1 + (dot(y)/eps)^8)*dy,
    methods(Dla2)
)]
struct Driven {
    m: f64,
    f: f64,
    eps: f64,
}

/// Up to a hundred steps in C beside those in Rust, with the counts after each: the last ones.
fn counts<S: System, M: Method<S>>(process: &mut Process, id: &str, mut sim: Simulation<S, M>) -> [u64; 2] {
    let (q, v) = (sim.q().as_ref().to_vec(), sim.v().as_ref().to_vec());
    process.begin(id, [&q, &v, &[], &[]], sim.h()).expect("a start");
    assert_eq!(process.counts(), [0, 0], "{id}");
    let mut last = [0; 2];
    for k in 0..100 {
        let name = format!("{} {id}, step {k}", S::NAME);
        let expected = match sim.step().map(drop) {
            Ok(()) => 0,
            Err(Error::Step { cause, .. }) => status_of(cause),
            Err(error) => panic!("{name}: {error}"),
        };
        let (status, state) = process.step(&[]);
        assert_eq!(status, expected, "{name}");
        assert_same(&name, &state.q, sim.q().as_ref());
        assert_same(&name, &state.v, sim.v().as_ref());
        let statistics = sim.statistics();
        last = process.counts();
        assert_eq!(last, [statistics.safeguarded(), statistics.evaluations()], "{name}");
        if status != 0 {
            break;
        }
    }
    last
}

#[test]
fn safeguarded_steps_are_counted_as_in_rust() {
    let starts = (0.01, [0.0, 0.0], [1.00137, -0.7]);
    for (name, eps, ids) in [
        ("Two", 1e-4, &["dla2", "dla_rattle", "dla2_suzuki4"][..]),
        ("Rough", 1e-4, &["dla2", "rk4"]),
        ("Driven", 1.0, &["dla2"]),
    ] {
        let declaration = declarations(include_str!("statistics.rs")).into_iter().find(|d| d.ident == name);
        let (derived, optimised) = derive(declaration.expect("it is here"));
        let folder = folder(&format!("statistics_{name}"));
        let variants: Vec<Variant> = ids.iter().map(|id| Variant::with_id(id).expect("a variant")).collect();
        let header = write_c(&folder, &derived, &optimised, variants);
        for build in builds() {
            let program = Program { path: build.program(&folder, &header.name), header: header.clone() };
            let (m, f) = (1.0, 3.0);
            let mut process = program.run(&[m, f, eps]);
            let (h, q, v) = starts;
            let mut found = Vec::new();
            match name {
                "Two" => {
                    let two = Two { m, f, eps };
                    let sim = Simulation::new(two.clone(), Dla2, q, v, h).expect("a start");
                    found.push(counts(&mut process, ids[0], sim));
                    let sim = Simulation::new(two.clone(), DlaRattle, q, v, h).expect("a start");
                    found.push(counts(&mut process, ids[1], sim));
                    let sim = Simulation::new(two, Compose::suzuki4(Dla2), q, v, h).expect("a start");
                    found.push(counts(&mut process, ids[2], sim));
                }
                "Rough" => {
                    let sim = Simulation::new(Rough { m, f, eps }, Dla2, [q[0]], [v[0]], h);
                    found.push(counts(&mut process, ids[0], sim.expect("a start")));
                }
                _ => {
                    let sim = Simulation::new(Driven { m, f, eps }, Dla2, [0.0], [0.0], 1.0);
                    let [safeguarded, evaluations] = counts(&mut process, ids[0], sim.expect("a start"));
                    assert!(safeguarded == 0 && evaluations > 0, "{safeguarded} {evaluations}");
                }
            }
            for [safeguarded, evaluations] in found {
                assert!(safeguarded > 0 && evaluations > safeguarded, "{name}: {safeguarded} {evaluations}");
            }
        }
        // A method without equations that need a safeguard counts nothing.
        assert!(header.counts(ids[0]) && !header.counts("rk4"));
    }
}
