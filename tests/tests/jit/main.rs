//! Steps that are compiled at run time compute the bits of the derived code, and the reference data.

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::default_engine;
use nhi_codegen::expand::structs;
use nhi_codegen::pipeline::Derived;
use nhi_jit::{Compiled, Point, Simulation};
use nhi_methods::Variant;
use nhi_models::{GROUP_MODELS, MODELS, Model};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Steps that are compared.
const STEPS: u64 = 1000;
const STEP_SIZE: f64 = 0.01;

/// The declarations in a text.
fn declarations(text: &str) -> Vec<Declaration> {
    let found = structs(text).expect("Rust");
    found.iter().map(|found| Declaration::parse(found).expect("no mistakes")).collect()
}

/// The declarations in the files of the `models` crate.
fn declarations_of_models() -> Vec<Declaration> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/src");
    let folders = [folder.join("lie"), folder];
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("a folder"));
    let paths = files.map(|file| file.expect("a file").path());
    let sources = paths.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    sources.flat_map(|path| declarations(&std::fs::read_to_string(path).expect("text"))).collect()
}

/// The system of a declaration, with those of its methods that `choose` names.
fn compiled(declaration: &Declaration, choose: impl Fn(&Derived) -> Vec<Variant>) -> Compiled {
    let derived = Derived::new(declaration.clone(), default_engine().as_mut()).expect("derivable");
    let optimised = derived.optimised().expect("finite constants");
    Compiled::new(&derived, &optimised, &choose(&derived)).expect("Cranelift runs here")
}

/// The model's system with its methods and their variants.
fn compiled_model(model: &dyn Model, declarations: &[Declaration]) -> Compiled {
    let declaration = declarations.iter().find(|declaration| {
        declaration.ident == model.system() && declaration.system.group.is_some() == model.group().is_some()
    });
    compiled(declaration.expect("the declaration of the model"), |derived| {
        let variants = model.methods().iter().filter_map(|method| Variant::with_id(method.id));
        let has = |variant: &Variant| derived.methods.iter().any(|method| method.method == variant.method);
        variants.filter(has).collect()
    })
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

#[track_caller]
fn assert_same(name: &str, compiled: &[f64], derived: &[f64]) {
    assert_eq!(bits(compiled), bits(derived), "{name}: {compiled:?} {derived:?}");
}

/// Compares the functions of a model and its methods: how many steps were compared.
fn compare(model: &dyn Model, declarations: &[Declaration]) -> usize {
    let compiled = compiled_model(model, declarations);
    let parameters = model.defaults();
    let instance = model.instance(&parameters);
    let (q, v) = instance.initial();
    let inputs = vec![0.0; model.inputs().len()];
    let name = |what: &str| format!("{}, {what}", model.name());

    let moved: Vec<f64> = v.iter().map(|v| v + 0.1).collect();
    for v in [&v, &moved] {
        let at = Point { parameters: &parameters, q: &q, v, t: 0.3, inputs: &inputs };
        assert_same(&name("energy"), &[compiled.energy(&at)], &[instance.energy(&q, v)]);
        assert_same(&name("momentum"), &compiled.momentum(&at), &instance.momentum(&q, v));
        assert_same(&name("residual"), &compiled.residual(&at), &instance.residual(&q, v));
        let (found, expected) = (compiled.project(&at), instance.project(&q, v));
        assert_same(&name("projection"), &found.expect("regular"), &expected.expect("regular"));
        let found = compiled.acceleration(&at).expect("regular");
        let (a, lambda) = instance.acceleration(&q, v, 0.3, &inputs).expect("regular");
        assert_same(&name("acceleration"), &found.a, &a);
        assert_same(&name("multipliers"), &found.lambda, &lambda);
    }

    let mut compared = 0;
    for variant in compiled.variants() {
        let method = model.methods().iter().find(|method| Variant::with_id(method.id) == Some(variant));
        let method = method.expect("a method of the model");
        let derived = instance.start(method, &q, &v, &inputs, STEP_SIZE);
        let start = Simulation::with_inputs(&compiled, variant, &parameters, &q, &v, &inputs, STEP_SIZE);
        let mut derived = match (derived, &start) {
            (Ok(derived), Ok(_)) => derived,
            (Err(expected), Err(found)) => {
                assert_eq!(found.to_string(), expected.to_string(), "{}", name(method.id));
                continue;
            }
            (derived, start) => panic!("{}: {:?} {start:?}", name(method.id), derived.err()),
        };
        let mut simulation = start.expect("it starts");
        let mut at_once = simulation.clone();
        for k in 0..=STEPS {
            let name = format!("{}, {variant}, step {k}", model.name());
            assert_same(&name, simulation.numbers(), &derived.numbers());
            if k == STEPS {
                break;
            }
            match (simulation.step(), derived.step()) {
                (Ok(()), Ok(())) => compared += 1,
                (Err(found), Err(expected)) => {
                    assert_eq!(found.to_string(), expected.to_string(), "{name}");
                    assert_same(&name, simulation.numbers(), &derived.numbers());
                    break;
                }
                (found, expected) => panic!("{name}: {found:?} {expected:?}"),
            }
        }
        let name = format!("{}, {variant}, at once", model.name());
        let fails = simulation.steps() < STEPS;
        // In several calls, which begin between two re-synchronisations and end between two checks.
        for steps in [1, 2, 100, STEPS - 103] {
            assert_eq!(at_once.advance(steps).is_err() && !fails, false, "{name}");
        }
        assert_eq!(at_once.steps(), simulation.steps(), "{name}");
        assert_same(&name, at_once.numbers(), simulation.numbers());
        assert_same(&name, at_once.q(), &derived.q());
        assert_same(&name, &at_once.v(), &derived.v());
        assert_same(&name, at_once.multipliers(), &derived.multipliers());
        assert_same(&name, &at_once.p(), &derived.p());
        assert_same(&name, &[at_once.energy(), at_once.time()], &[derived.energy(), derived.time()]);
        let (found, expected) = (at_once.momenta(), derived.momenta());
        assert_eq!(found, expected, "{name}");
    }
    compared
}

/// Does `work` for each index on all processors.
fn in_parallel(length: usize, work: impl Fn(usize) + Sync) {
    let begun = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let i = begun.fetch_add(1, Ordering::Relaxed);
                    if i >= length {
                        break;
                    }
                    work(i);
                }
            });
        }
    });
}

#[test]
fn compiled_and_derived_steps_compute_the_same_bits() {
    let models: Vec<&dyn Model> = MODELS.iter().chain(GROUP_MODELS).copied().collect();
    let compared = Mutex::new(0);
    in_parallel(models.len(), |i| {
        // Declarations belong to a thread.
        let steps = compare(models[i], &declarations_of_models());
        *compared.lock().expect("nobody panics here") += steps;
    });
    let compared = compared.into_inner().expect("nobody panics here");
    assert!(compared > 600_000, "{compared}");
}
