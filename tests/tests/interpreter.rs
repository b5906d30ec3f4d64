//! The interpreter of lowered functions and compiled steps compute the same bits.

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::default_engine;
use nhi_codegen::expand::structs;
use nhi_codegen::lower::Function;
use nhi_codegen::pipeline::Derived;
use nhi_interpreter::{Options, Simulation, run};
use nhi_methods::Variant;
use nhi_models::{GROUP_MODELS, MODELS, Model};
use std::path::Path;

/// Steps that are compared.
const STEPS: u64 = 100;

/// Every declaration in the files of the `models` crate.
fn declarations() -> Vec<Declaration> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/src");
    let mut all = Vec::new();
    for folder in [folder.join("lie"), folder] {
        let files = std::fs::read_dir(folder).expect("the models beside this crate");
        let mut files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
        files.sort();
        for file in files {
            let text = std::fs::read_to_string(&file).expect("text");
            let found = structs(&text).expect("Rust");
            all.extend(found.iter().map(|found| Declaration::parse(found).expect("no mistakes")));
        }
    }
    all
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

fn assert_same(name: &str, interpreted: &[f64], compiled: &[f64]) {
    assert_eq!(bits(interpreted), bits(compiled), "{name}: {interpreted:?} {compiled:?}");
}

/// Compares the functions of a model and its methods: how many steps were compared.
fn compare(model: &dyn Model, declarations: &[Declaration]) -> usize {
    let is_of_group = |declaration: &&Declaration| declaration.system.group.is_some();
    let declaration = declarations
        .iter()
        .find(|declaration| {
            declaration.ident == model.system() && is_of_group(declaration) == model.group().is_some()
        })
        .expect("the declaration of the model");
    let derived = Derived::new(declaration.clone(), default_engine().as_mut()).expect("derivable");
    let optimised = derived.optimised().expect("finite constants");
    let instance = model.instance(&model.defaults());
    let ((q, v), h) = (instance.initial(), 0.01);
    let inputs = vec![0.0; model.inputs().len()];

    let of_motion = [model.defaults(), q.clone(), v.clone(), vec![0.0]];
    let with_inputs = [&of_motion[..], std::slice::from_ref(&inputs)].concat();
    let run = |function: &Function, arguments: &[Vec<f64>]| {
        run(function, arguments, Options::default()).expect("the compiled function succeeds").concat()
    };
    let name = |function: &Function| format!("{}, {}", model.name(), function.name);
    let system = &optimised.system;
    let energy = instance.energy(&q, &v);
    assert_same(&name(&system.energy), &run(&system.energy, &of_motion), &[energy]);
    let projected = instance.project(&q, &v).expect("regular constraints");
    assert_same(&name(&system.project), &run(&system.project, &with_inputs), &projected);
    let (a, lambda) = instance.acceleration(&q, &v, 0.0, &inputs).expect("regular constraints");
    let compiled = [a, lambda].concat();
    assert_same(&name(&system.acceleration), &run(&system.acceleration, &with_inputs), &compiled);

    let mut compared = 0;
    for of_table in model.methods() {
        let Some(variant) = Variant::with_id(of_table.id) else { continue };
        let found = optimised.methods.iter().find(|functions| functions.method == variant.method);
        let Some(method) = found else { continue };
        let Ok(mut compiled) = instance.start(of_table, &q, &v, &inputs, h) else { continue };
        let numbers = [&q[..], &v, &inputs];
        let start = Simulation::start(method, variant, &model.defaults(), numbers, h);
        let mut interpreted = start.expect("the compiled start succeeds");
        for k in 0..=STEPS {
            let name = format!("{}, {variant}, step {k}", model.name());
            assert_same(&name, &interpreted.numbers(), &compiled.numbers());
            if compiled.step().is_err() {
                assert!(interpreted.step(&inputs).is_err(), "{name}: the interpreted step succeeds");
                break;
            }
            interpreted.step(&inputs).unwrap_or_else(|failure| panic!("{name}: {failure:?}"));
            compared += 1;
        }
    }
    compared
}

#[test]
fn interpreter_and_compiled_steps_compute_the_same_bits() {
    let declarations = declarations();
    let all = MODELS.iter().chain(GROUP_MODELS);
    let compared: usize = all.map(|model| compare(*model, &declarations)).sum();
    assert!(compared > 60_000, "{compared}");
}
