//! The interpreter of lowered functions and compiled steps compute the same bits.

use nhi_codegen::lower::Function;
use nhi_interpreter::{Options, Simulation, run};
use nhi_methods::Variant;
use nhi_models::{GROUP_MODELS, MODELS, Model};
use nhi_runtime::{Error, Failure};
use nhi_tests::bits::assert_same;
use nhi_tests::declarations::{derive, of_model};

/// Steps that are compared.
const STEPS: u64 = 100;

/// Compares the functions of a model and its methods: how many steps were compared.
fn compare(model: &dyn Model) -> usize {
    let (_, optimised) = derive(of_model(model));
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
    let with_states = [&of_motion[..3], &[Vec::new()], &with_inputs[3..]].concat();
    assert_same(&name(&system.acceleration), &run(&system.acceleration, &with_states), &compiled);

    let mut compared = 0;
    for of_table in model.methods() {
        let Some(variant) = Variant::with_id(of_table.id) else { continue };
        let found = optimised.methods.iter().find(|functions| functions.method == variant.method);
        let Some(method) = found else { continue };
        let Ok(mut compiled) = instance.start(of_table, &q, &v, &inputs, h) else { continue };
        let numbers = [&q[..], &v, &[], &inputs];
        let start = Simulation::start(method, variant, &model.defaults(), numbers, h);
        let mut interpreted = start.expect("the compiled start succeeds");
        for k in 0..=STEPS {
            let name = format!("{}, {variant}, step {k}", model.name());
            assert_same(&name, &interpreted.numbers(), &compiled.numbers());
            if let Err(error) = compiled.step() {
                // Whether a step explains its energy is tested outside of its function, which is what is interpreted.
                let is_refused = matches!(
                    error,
                    Error::Step { cause: Failure::NearlySingular { .. } | Failure::EnergyJump { .. }, .. }
                );
                assert!(
                    is_refused || interpreted.step(&inputs).is_err(),
                    "{name}: the interpreted step succeeds"
                );
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
    let all = MODELS.iter().chain(GROUP_MODELS);
    let compared: usize = all.map(|model| compare(*model)).sum();
    assert!(compared > 60_000, "{compared}");
}
