//! Projections in C are those of the runtime, and starts are admissible after them.
//!
//! Of 100 000 starts of random systems. A sample has 1 000.

#[path = "../../../../nhi-jit/tests/it/starts/random.rs"]
mod random;

use super::compile::builds;
use super::process::Program;
use super::{folder, in_parallel, write_c};
use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::optimised::Optimised;
use nhi_codegen::pipeline::Derived;
use nhi_codegen::source::structs;
use nhi_jit::{Compiled, Error, Point, Simulation};
use nhi_methods::Method;
use nhi_tiers::amount;
use random::{KNOWN, Random, declaration, source};
use std::sync::atomic::{AtomicUsize, Ordering};

const METHOD: Method = Method::DlaRattle;

/// What follows from a declaration with this attribute; none if its one-forms are dependent.
fn derived(attribute: &str) -> Option<(Derived, Optimised)> {
    let declaration = Declaration::parse(&structs(&source(attribute, METHOD)).expect("Rust")[0]).ok()?;
    let derived = Derived::new(declaration, &mut BuiltIn).ok()?;
    let optimised = derived.optimised().expect("finite constants");
    Some((derived, optimised))
}

/// Compares projections of random starts of a system, and begins after them; how many there are.
fn compare(name: &str, attribute: &str, (derived, optimised): &(Derived, Optimised), starts: usize) -> usize {
    let folder = folder(name);
    let header = write_c(&folder, derived, optimised, vec![METHOD.into()]);
    let compiled = Compiled::new(optimised, &[METHOD.into()]).expect("Cranelift runs here");
    let n = compiled.coordinates().len();
    let mut compared = 0;
    for build in builds() {
        let program = Program { path: build.program(&folder, &header.name), header: header.clone() };
        let random = &mut Random(starts as u64);
        let mut parameters = random::parameters(random);
        let mut process = program.run(&parameters);
        for i in 0..starts {
            if i % 10 == 0 {
                parameters = random::parameters(random);
                process = program.run(&parameters);
            }
            let [q, v] = [0; 2].map(|_| (0..n).map(|_| random.entry()).collect::<Vec<f64>>());
            let u: Vec<f64> = compiled.inputs().iter().map(|_| random.entry()).collect();
            let begin = Simulation::project(&compiled, METHOD.into(), &parameters, &q, &v, &u, 0.01);
            let name = || format!("{attribute}, {}, {parameters:?}, {q:?}, {v:?}, {u:?}", build.name);
            // On the position constraints, if Gauss–Newton steps lead there.
            let on_positions = match &begin {
                Ok(begin) => begin.q(),
                Err(Error::Position { .. }) => continue,
                Err(_) => &q,
            };
            // For its inputs.
            process.ask("A", &[on_positions, &v, &[], &[0.0], &u]);
            let at = Point { parameters: &parameters, q: on_positions, v: &v, z: &[], t: 0.0, inputs: &u };
            let expected = compiled.project(&at);
            let (status, projected) = process.ask("J", &[on_positions, &v]);
            let Ok(expected) = expected else {
                assert_ne!(status, 0, "{}: {expected:?}", name());
                continue;
            };
            assert_eq!(status, 0, "{}", name());
            let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
            assert_eq!(bits(&projected), bits(&expected), "{}", name());
            let started = process.begin(METHOD.facts().id, [on_positions, &projected, &[], &u], 0.01);
            match begin {
                Ok(_) => assert!(started.is_ok(), "{}: status {started:?}", name()),
                Err(_) => assert!(started.is_err(), "{}", name()),
            }
            compared += 1;
        }
    }
    compared
}

#[test]
fn starts_are_admissible_after_projections_in_c() {
    let (systems, starts) = (amount(4, 100), amount(150, 1_300));
    let compared = AtomicUsize::new(0);
    let messages = in_parallel(KNOWN.len() + systems, |i| {
        let random = &mut Random(i as u64);
        let (attribute, derived) = match KNOWN.get(i) {
            Some(known) => ((*known).to_owned(), derived(known).expect("a system")),
            None => loop {
                let attribute = declaration(random);
                if let Some(derived) = derived(&attribute) {
                    break (attribute, derived);
                }
            },
        };
        let count = compare(&format!("projected_{i}"), &attribute, &derived, starts);
        compared.fetch_add(count, Ordering::Relaxed);
    });
    assert!(messages.is_empty(), "{}", messages.join("\n"));
    assert!(compared.load(Ordering::Relaxed) >= amount(1_000, 100_000), "{compared:?}");
}
