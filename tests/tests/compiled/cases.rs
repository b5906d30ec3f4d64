//! Cases of a model with control inputs and array parameters, and models as tables.

use nhi_cli::{Problem, Sample};
use nhi_models::{
    GROUP_METHODS, GROUP_MODELS, METHODS, MODELS, Method, Model, common_methods, contact_oscillator,
};
use nhi_run::System;
use nhi_run::model::Declared;
use nhi_runtime::prelude::*;
use std::sync::LazyLock;

/// A skate pushed by its rider, with friction of three kinds.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, phi),
    inputs(push, twist),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + dot(phi)^2/2,
    constraints(blade: sin(phi)*dx - cos(phi)*dy = 0),
    force = push*(cos(phi)*dx + sin(phi)*dy) + twist*dphi - c[0]*dot(x)*dx - c[1]*dot(y)*dy - c[2]*dot(phi)*dphi,
    methods(Dla2, Rattle, Rk4),
)]
struct Skate {
    m: f64,
    c: [f64; 3],
}

/// The same, as the command runs it.
static MODEL: LazyLock<Declared> = LazyLock::new(|| {
    let system = System::parse(include_str!("cases.rs"), "cases.rs", Some("Skate")).expect("a declaration");
    let parameters = vec![2.0, 0.1, 0.2, 0.3];
    Declared::of(system).expect("a model").starting(parameters, vec![0.0; 3], vec![1.0, 0.0, 0.5], false)
});

/// Fields of samples in reference data and in the output of `nhi run`.
const FIELDS: [&str; 18] = [
    "k", "t", "q", "v", "p", "r", "g", "z", "M", "E", "Ec", "om", "res", "energy", "lambda", "reaction",
    "p_pre", "p_post",
];

fn case(fields: &str) -> String {
    format!(r#"{{"model": "Skate", "q0": [0, 0, 0], "v0": [1, 0, 0.5], {fields}}}"#)
}

fn run(fields: &str) -> Vec<Sample> {
    let case = case(fields);
    let problem = Problem::parse(&case, &[&MODEL]).unwrap();
    let mut samples = Vec::new();
    problem.run(|sample| samples.push(sample)).unwrap();
    samples
}

fn mistake(fields: &str) -> String {
    Problem::parse(&case(fields), &[&MODEL]).err().unwrap().to_string()
}

#[test]
fn inputs_are_held_or_given_per_step() {
    let held = run(r#""method": "dla2", "h": 0.1, "steps": 3, "inputs": [2, -1]"#);
    let each = run(r#""method": "dla2", "h": 0.1, "steps": 3, "inputs": [[2, -1], [2, -1], ["2", "-1"]]"#);
    assert_eq!(held, each);
    // By hand, with a start that uses the inputs.
    let steps = [[2.0, -1.0], [0.0, 3.0], [1.0, 1.0]];
    let skate = Skate { m: 2.0, c: [0.1, 0.2, 0.3] };
    let mut rattle =
        Simulation::with_inputs(skate, Rattle, [0.0; 3], [1.0, 0.0, 0.5], &steps[0], 0.1).unwrap();
    let samples = run(r#""method": "rattle", "h": 0.1, "steps": 3, "inputs": [[2, -1], [0, 3], [1, 1]]"#);
    for (sample, inputs) in samples.iter().zip(steps) {
        assert_eq!((&sample.q[..], &sample.v[..]), (&rattle.q()[..], &rattle.v()[..]));
        rattle.step_with(&inputs).unwrap();
    }
    // Left out, they are zero.
    assert_eq!(
        run(r#""method": "dla2", "h": 0.1, "steps": 3"#),
        run(r#""method": "dla2", "h": 0.1, "steps": 3, "inputs": [0, 0]"#)
    );
}

/// Methods approach the exact flow of the same inputs.
#[test]
fn inputs_reach_the_exact_flow() {
    let inputs = r#""inputs": [[2, -1], [0, 3], [1, 1], [-3, 0]]"#;
    let exact = run(&format!(r#""method": "exact", "h": 0.05, "steps": 4, {inputs}"#));
    let found = run(&format!(r#""method": "rk4", "h": 0.05, "steps": 4, {inputs}"#));
    for (exact, found) in exact.iter().zip(&found) {
        for (x, y) in exact.q.iter().chain(&exact.v).zip(found.q.iter().chain(&found.v)) {
            assert!((x - y).abs() < 1e-6, "{exact:?} {found:?}");
        }
    }
    let unforced = run(r#""method": "exact", "h": 0.05, "steps": 4"#);
    assert!((exact[4].v[2] - unforced[4].v[2]).abs() > 0.05);
}

#[test]
fn mistakes_in_inputs_are_named() {
    let steps = r#""method": "dla2", "h": 0.1, "steps": 2"#;
    assert_eq!(mistake(&format!(r#"{steps}, "inputs": [1]"#)), "inputs: expected 2 numbers, found 1");
    assert_eq!(
        mistake(&format!(r#"{steps}, "inputs": [[1, 2], [1]]"#)),
        "inputs[1]: expected 2 numbers, found 1"
    );
    assert_eq!(
        mistake(&format!(r#"{steps}, "inputs": [[1, 2]]"#)),
        "inputs: expected one vector for each of 2 steps, found 1"
    );
    assert_eq!(
        mistake(r#""method": "exact", "samples": [{"k": 0, "t": 0}], "inputs": [[1, 2]]"#),
        "inputs: one vector per step needs `h` and `steps`"
    );
    assert_eq!(
        mistake(r#""method": "exact""#),
        "h: missing: the exact flow needs `h` and `steps`, or samples with times"
    );
}

#[test]
fn array_parameters_are_arrays() {
    let steps = r#""method": "dla2", "h": 0.1, "steps": 2"#;
    let given = run(&format!(r#"{steps}, "params": {{"c": ["1/10", 0.2, 0.3]}}"#));
    assert_eq!(given, run(steps));
    assert_ne!(given, run(&format!(r#"{steps}, "params": {{"c": [0, 0, 0]}}"#)));
    let mistake = |params: &str| mistake(&format!(r#"{steps}, "params": {params}"#));
    assert_eq!(mistake(r#"{"c": 1}"#), "params.c: expected an array of 3 numbers");
    assert_eq!(mistake(r#"{"c": [1, 2]}"#), "params.c: expected 3 numbers, found 2");
    assert_eq!(mistake(r#"{"c[0]": 1}"#), "params: unknown parameter `c[0]`, expected one of m, c");
    assert_eq!(mistake(r#"{"m": [1]}"#), "params.m: expected a number, found an array");
}

/// A model has the methods that it declares, and one has all.
#[test]
fn models_have_the_methods_that_they_declare() {
    let ids = |methods: &[Method]| methods.iter().map(|method| method.id).collect::<Vec<_>>();
    assert_eq!(ids(contact_oscillator::MODEL.methods()), ids(&METHODS));
    for model in MODELS {
        assert!(ids(model.methods()).iter().all(|id| ids(&METHODS).contains(id)), "{}", model.name());
    }
    assert!(["dla2", "gni_euler_a", "rk4"].iter().all(|id| ids(common_methods()).contains(id)));
    let all = ids(&GROUP_METHODS);
    for model in GROUP_MODELS {
        let (name, declared) = (model.name(), ids(model.methods()));
        assert!(declared.iter().all(|id| all.contains(id)), "{name}");
        assert!(["rdp", "rattle_stepped", "rkmk4"].iter().all(|id| declared.contains(id)), "{name}");
        assert_eq!(declared.contains(&"rdp_cay"), model.group().is_some(), "{name}");
        assert_eq!(declared == all, name == "suslov", "{name}");
    }
}

/// A row's `build` gives every parameter its own value, and names are those of the declaration.
#[test]
fn rows_agree_with_their_declarations() {
    let mut names: Vec<_> = MODELS.iter().map(|model| model.name()).collect();
    for model in MODELS.iter().chain(GROUP_MODELS) {
        let name = model.name();
        assert_eq!(model.coordinates().len(), model.reference_coordinates().len(), "{name}");
        let values: Vec<_> = (0..model.parameters().len()).map(|i| 1.0 + 0.1 * i as f64).collect();
        assert_eq!(model.instance(&values).parameters(), values, "{name}");
        // Conserved quantities stand among the fields of samples.
        for invariant in model.invariants() {
            assert!(!FIELDS.contains(&invariant), "{name}: {invariant}");
        }
        assert_eq!(model.instance(&model.defaults()).parameters(), model.defaults(), "{name}");
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), MODELS.len());
}
