//! The interpreter of lowered functions and compiled steps compute the same bits.

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::default_engine;
use nhi_codegen::expand::structs;
use nhi_codegen::lower::{Function, lower};
use nhi_codegen::method::MethodPrograms;
use nhi_codegen::pass::{optimise_step, split};
use nhi_codegen::pipeline::Derived;
use nhi_codegen::program::{Constants, Role, Statement};
use nhi_interpreter::{Options, Retraction, run};
use nhi_models::{GROUP_MODELS, MODELS, Model};
use std::path::Path;

/// Steps that are compared.
const STEPS: u64 = 100;

/// Steps between two re-synchronisations of carried sines and cosines by the runtime, which come before a step.
const RESYNC_EVERY: u64 = 32;

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

/// A step as it is emitted.
struct Step {
    prepare: Function,
    step: Function,
    /// Whether it updates sines and cosines of the step before.
    has_recurrence: bool,
    options: Options,
}

impl Step {
    fn of(derived: &Derived, method: &MethodPrograms) -> Step {
        let (mut pool, step) = method.step.isolated(&derived.mechanics.system.pool);
        let mut constants = Constants::default();
        let fixed = method.state.belongs_to_step_size();
        let step = optimise_step(&mut pool, &mut constants, &step, fixed).step;
        let has_recurrence = step.body.iter().any(|s| matches!(s, Statement::Turn(_)));
        let parts = split(&pool, &step);
        let [prepare, step] =
            [&parts.prepare, &parts.step].map(|program| lower(&mut pool, &mut constants, program));
        let retraction = method.retraction.map_or_else(Retraction::default, |name| {
            Retraction::named(name).expect("a retraction of the runtime")
        });
        Step { prepare, step, has_recurrence, options: Options { retraction, strict: true } }
    }

    /// The numbers of the state after a step from `state` at the time `t` without inputs.
    fn next(&self, prepared: &[f64], state: &[f64], t: f64) -> Vec<f64> {
        let mut rest = state;
        let arguments = self.step.arguments.iter().map(|argument| {
            let count = argument.values.len();
            match argument.role {
                Role::Prepared => prepared.to_vec(),
                Role::Time => vec![t],
                Role::Inputs => vec![0.0; count],
                _ => {
                    let (numbers, others) = rest.split_at(count);
                    rest = others;
                    numbers.to_vec()
                }
            }
        });
        let arguments: Vec<Vec<f64>> = arguments.collect();
        assert!(rest.is_empty(), "{}: numbers of the state", self.step.name);
        run(&self.step, &arguments, self.options).expect("the compiled step succeeds").concat()
    }
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

/// Compares all methods of a model: how many steps were compared.
fn compare(model: &dyn Model, declarations: &[Declaration]) -> usize {
    let is_of_group = |declaration: &&Declaration| declaration.system.group.is_some();
    let declaration = declarations
        .iter()
        .find(|declaration| {
            declaration.ident == model.system() && is_of_group(declaration) == model.group().is_some()
        })
        .expect("the declaration of the model");
    let derived = Derived::new(declaration.clone(), default_engine().as_mut()).expect("derivable");
    let instance = model.instance(&model.defaults());
    let ((q, v), h) = (instance.initial(), 0.01);
    let inputs = vec![0.0; model.inputs().len()];
    let mut compared = 0;
    for method in &derived.methods {
        // `methods(all)` of a system in coordinates has methods that the models are run with on groups alone.
        let Some(of_table) = model.methods().iter().find(|m| m.id == method.id) else { continue };
        let Ok(mut simulation) = instance.start(of_table, &q, &v, &inputs, h) else { continue };
        let step = Step::of(&derived, method);
        let prepared = run(&step.prepare, &[model.defaults(), vec![h]], Options::default());
        let prepared = prepared.expect("the compiled function succeeds").concat();
        for k in 0..STEPS {
            let before = simulation.numbers();
            if simulation.step().is_err() {
                break;
            }
            if step.has_recurrence && k % RESYNC_EVERY == 0 {
                continue;
            }
            let next = step.next(&prepared, &before, k as f64 * h);
            let name = format!("{}, {}, step {k}", model.name(), method.id);
            assert_eq!(
                bits(&next),
                bits(&simulation.numbers()),
                "{name}: {next:?} {:?}",
                simulation.numbers()
            );
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
    assert!(compared > 25_000, "{compared}");
}
