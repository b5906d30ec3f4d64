//! The interpreter of lowered functions and compiled steps compute the same bits.
//!
//! Four models are compared; with `NHI_TESTS=all`, all of them.

use nhi_codegen::lower::Function;
use nhi_codegen::parallel::in_parallel;
use nhi_interpreter::{Options, Simulation, run};
use nhi_methods::Variant;
use nhi_models::Model;
use nhi_runtime::{Error, Limits};
use nhi_tests::bits::assert_same;
use nhi_tests::declarations::{derive, of_model};
use nhi_tests::reason::is_shown;
use nhi_tests::sample::models;
use nhi_tiers::amount;

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
        let variant = Variant::with_id(of_table.id).expect("the id of a variant");
        let name = format!("{}, {variant}", model.name());
        let found = optimised.methods.iter().find(|functions| functions.method == variant.method);
        let method = found.unwrap_or_else(|| panic!("{name}: no functions"));
        let numbers = [&q[..], &v, &[], &inputs];
        let start = Simulation::start(method, variant, &model.defaults(), numbers, h);
        let (mut compiled, mut interpreted) = match (instance.start(of_table, &q, &v, &inputs, h), start) {
            (Ok(compiled), Ok(interpreted)) => (compiled, interpreted),
            (Err(Error::Start { cause }), Err(found)) if is_shown(found, cause) => continue,
            (compiled, interpreted) => panic!("{name}: {:?} {:?}", compiled.err(), interpreted.err()),
        };
        // The interpreter runs functions, and does not test energies.
        compiled.set_limits(Limits::NONE);
        for k in 0..=STEPS {
            let name = format!("{name}, step {k}");
            assert_same(&name, &interpreted.numbers(), &compiled.numbers());
            match (compiled.step(), interpreted.step(&inputs)) {
                (Ok(()), Ok(())) => compared += 1,
                (Err(Error::Step { cause, .. }), Err(found)) if is_shown(found, cause) => {
                    assert_same(&name, &interpreted.numbers(), &compiled.numbers());
                    break;
                }
                (compiled, interpreted) => panic!("{name}: {compiled:?} {interpreted:?}"),
            }
        }
    }
    compared
}

#[test]
fn interpreter_and_compiled_steps_compute_the_same_bits() {
    let models = models();
    let compared: usize = in_parallel(&models, |model| model.name(), |model| compare(*model)).iter().sum();
    assert!(compared > amount(11_000, 73_000), "{compared}");
}
