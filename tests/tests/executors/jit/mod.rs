//! Steps that are compiled at run time compute the bits of the derived code.
//!
//! All methods of all models are compared over 100 steps; with `NHI_TESTS=all`, over 1000.

mod derivatives;
mod model;

use model::at_run_time;
use nhi_codegen::declaration::Declaration;
use nhi_codegen::optimised::Optimised;
use nhi_codegen::parallel::in_parallel;
use nhi_jit::{Compiled, Error, Point, Simulation};
use nhi_methods::Variant;
use nhi_models::{GROUP_MODELS, Instance, MODELS, Model, Node};
use nhi_runtime::{Failure, Limits};
use nhi_tests::bits::assert_same;
use nhi_tests::declarations::{DRIVEN, declarations, derive, of_model};
use nhi_tiers::amount;
use std::path::Path;

/// Steps that are compared.
fn steps() -> u64 {
    amount(100, 1000)
}

const STEP_SIZE: f64 = 0.01;

/// The system of a declaration with its plain methods, and the functions that were compiled.
fn compiled(declaration: Declaration) -> (Compiled, Optimised) {
    let (derived, optimised) = derive(declaration);
    let variants: Vec<Variant> = derived.methods.iter().map(|method| method.method.into()).collect();
    (Compiled::new(&optimised, &variants).expect("Cranelift runs here"), optimised)
}

/// The only declaration in a text.
fn declaration(text: &str) -> Declaration {
    declarations(text).pop().expect("a declaration")
}

/// The model's system with its methods and their variants.
fn compiled_model(model: &dyn Model) -> Compiled {
    let (derived, optimised) = derive(of_model(model));
    let variants = model.methods().iter().filter_map(|method| Variant::with_id(method.id));
    let has = |variant: &Variant| derived.methods.iter().any(|method| method.method == variant.method);
    let variants: Vec<Variant> = variants.filter(has).collect();
    Compiled::new(&optimised, &variants).expect("Cranelift runs here")
}

/// Compares the functions of a model and its methods: how many steps were compared.
fn compare(model: &dyn Model) -> usize {
    let compiled = compiled_model(model);
    let parameters = model.defaults();
    let instance = model.instance(&parameters);
    let (q, v) = instance.initial();
    let inputs = vec![0.0; model.inputs().len()];
    let name = |what: &str| format!("{}, {what}", model.name());

    let moved: Vec<f64> = v.iter().map(|v| v + 0.1).collect();
    for v in [&v, &moved] {
        let at = Point { parameters: &parameters, q: &q, v, z: &[], t: 0.3, inputs: &inputs };
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
        let all = steps();
        for k in 0..=all {
            let name = format!("{}, {variant}, step {k}", model.name());
            assert_same(&name, simulation.numbers(), &derived.numbers());
            if k == all {
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
        let fails = simulation.steps() < all;
        // In several calls, which begin between two re-synchronisations and end between two checks.
        for steps in [1, 2, all / 10, all - 3 - all / 10] {
            assert!(at_once.advance(steps).is_ok() || fails, "{name}");
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

/// The sum of what `compare` compares for each of these models, on all processors.
fn compare_all(models: &[&dyn Model], compare: impl Fn(&dyn Model) -> usize + Sync) -> usize {
    in_parallel(models, |model| model.name(), |model| compare(*model)).iter().sum()
}

#[test]
fn compiled_and_derived_steps_compute_the_same_bits() {
    let models: Vec<&dyn Model> = GROUP_MODELS.iter().chain(MODELS).copied().collect();
    let compared = compare_all(&models, compare);
    assert!(compared > amount(73_000, 728_000), "{compared}");
}

/// The interpreter's simulation beside a compiled one.
fn interpreted<'a>(
    optimised: &'a Optimised,
    variant: Variant,
    parameters: &[f64],
    [q, v, inputs]: [&[f64]; 3],
    h: f64,
) -> nhi_interpreter::Simulation<'a> {
    let method = optimised.methods.iter().find(|method| method.method == variant.method).expect("a method");
    nhi_interpreter::Simulation::start(method, variant, parameters, [q, v, &[], inputs], h)
        .expect("it starts")
}

/// Declarations with inputs, affine constraints and arrays of parameters.
const DECLARATIONS: &str = "../nhi-derive/codegen/tests/expansions/declarations.rs";

#[test]
fn inputs_reach_the_steps() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(DECLARATIONS)).expect("text");
    let text = text + DRIVEN;
    for (name, parameters, q, v) in [
        ("Cart", vec![2.0, 0.4, 0.5, 0.1, 0.3], vec![0.8, 0.1, -0.2], vec![0.3, 0.9, 0.4]),
        ("Coin", vec![2.0, 0.4, 0.5, 0.6], vec![0.1, 0.8, 0.1, -0.2], vec![0.3, 0.9, 0.4, 0.0]),
        ("Pulled", vec![0.2], vec![0.3, 0.1, -0.2, 0.0], vec![0.4, 0.5, 0.3, 0.6]),
    ] {
        let declaration = declarations(&text).into_iter().find(|d| d.ident == name).expect("it is there");
        let (compiled, optimised) = compiled(declaration);
        let inputs = |k: u32| -> Vec<f64> {
            (0..compiled.inputs().len()).map(|i| 0.7 - 0.03 * f64::from(k) + 0.2 * i as f64).collect()
        };
        for variant in compiled.variants() {
            let mut simulation =
                Simulation::project(&compiled, variant, &parameters, &q, &v, &inputs(0), 0.02)
                    .expect("it starts");
            let (v, numbers) = (simulation.v(), inputs(0));
            let mut interpreted = interpreted(&optimised, variant, &parameters, [&q, &v, &numbers], 0.02);
            for k in 0..200 {
                let name = format!("{name}, {variant}, step {k}");
                assert_same(&name, simulation.numbers(), &interpreted.numbers());
                simulation.step_with(&inputs(k)).expect("a step");
                interpreted.step(&inputs(k)).expect("a step");
            }
            let before = (simulation.numbers().to_vec(), simulation.inputs().to_vec(), simulation.steps());
            let refused = simulation.step_with(&vec![f64::NAN; compiled.inputs().len()]);
            assert!(compiled.inputs().is_empty() || matches!(refused, Err(Error::NonFinite { .. })));
            if refused.is_err() {
                let after = (simulation.numbers().to_vec(), simulation.inputs().to_vec(), simulation.steps());
                assert_eq!(before, after);
            }
            let wrong = vec![0.0; compiled.inputs().len() + 1];
            assert!(matches!(simulation.step_with(&wrong), Err(Error::Length { .. })));
        }
    }
}

/// Steps backwards from the end of a trajectory, and from another time, are those of the derived code.
#[test]
fn simulations_begin_at_any_node() {
    let names = ["snakeboard", "rotating_table_skate", "chaplygin_sleigh"];
    let models: Vec<&dyn Model> = MODELS.iter().chain(GROUP_MODELS).copied().collect();
    let mut compared = 0;
    for model in models.into_iter().filter(|model| names.contains(&model.name())) {
        let at_run_time = at_run_time(model, &compiled_model(model));
        let [derived, compiled] = [model, &at_run_time as &dyn Model].map(|m| m.instance(&m.defaults()));
        let (q, v) = derived.initial();
        for method in at_run_time.methods() {
            let start =
                |instance: &dyn Instance| instance.start(method, &q, &v, &[], STEP_SIZE).expect("a start");
            let (mut derived, mut compiled) = (start(&*derived), start(&*compiled));
            let name = format!("{}, {}", model.name(), method.id);
            derived.advance(10).expect("steps");
            compiled.advance(10).expect("steps");
            let node = derived.node();
            assert_eq!(compiled.node(), node, "{name}");
            // Fewer steps than up to the next re-synchronisation.
            let back = node.clone().reversed();
            let (found, expected) =
                (compiled.follow(&back, -STEP_SIZE, 20), derived.follow(&back, -STEP_SIZE, 20));
            assert_eq!(found, expected, "{name}");
            let later = Node { t: 0.37, ..node };
            assert_eq!(compiled.follow(&later, 0.02, 20), derived.follow(&later, 0.02, 20), "{name}");
            compared += 1;
        }
    }
    assert!(compared > 60, "{compared}");
}

/// A skate with a potential that is not defined for x < 0, where it is heading.
const WALL: &str = "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(x, y, theta),
        lagrangian = (dot(x)^2 + dot(y)^2 + dot(theta)^2)/2 - k*x*sqrt(x),
        constraints(sin(theta)*dx - cos(theta)*dy),
        methods(all)
    )]
    struct Wall { k: f64 }
";

/// Steps that fail leave the state before them, whether they are taken one by one or at once.
#[test]
fn failing_steps_leave_the_state() {
    let (compiled, optimised) = compiled(declaration(WALL));
    let (q, v) = ([1.0, 0.0, 0.1], [-0.5 * 0.1_f64.cos(), -0.5 * 0.1_f64.sin(), 0.3]);
    let mut failed = 0;
    for variant in compiled.variants() {
        let start = Simulation::new(&compiled, variant, &[0.01], &q, &v, 0.01).expect("it starts");
        let mut interpreted = interpreted(&optimised, variant, &[0.01], [&q, &v, &[]], 0.01);
        let mut simulation = start.clone();
        let error = loop {
            if let Err(error) = simulation.step() {
                break error;
            }
            interpreted.step(&[]).expect("a step");
            assert!(simulation.steps() < 10_000, "{variant}: x stays positive");
        };
        let cause = interpreted.step(&[]).expect_err("the compiled step fails");
        let (step, time) = (simulation.steps() + 1, simulation.time());
        assert_eq!(error, Error::Step { step, time, cause });
        let name = format!("{variant}, step {step}");
        assert_same(&name, simulation.numbers(), &interpreted.numbers());
        // Again, and several at once, which fail in the middle.
        assert_eq!(simulation.step(), Err(error.clone()));
        assert_eq!(simulation.advance(5), Err(error.clone()));
        assert_same(&name, simulation.numbers(), &interpreted.numbers());
        let mut at_once = start;
        at_once.advance(7).expect("steps");
        assert_eq!(at_once.advance(100_000), Err(error), "{name}");
        assert_same(&name, at_once.numbers(), &interpreted.numbers());
        assert_eq!(at_once.steps(), simulation.steps(), "{name}");
        failed += usize::from(cause == Failure::NonFinite);
    }
    assert!(failed > 5, "{failed}");
}

/// Angles for which sines are computed by the platform's library.
#[test]
fn angles_may_be_huge() {
    let text = "
        #[derive(Nonholonomic)]
        #[nonholonomic(
            coordinates(theta, x, y),
            lagrangian = J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
            constraints(a*dtheta + sin(theta)*dx - cos(theta)*dy),
            methods(all)
        )]
        struct Sleigh { J: f64, m: f64, a: f64 }
    ";
    let (compiled, optimised) = compiled(declaration(text));
    let parameters = [1.0, 1.0, 0.2];
    // Beyond 2²⁰, and so that it is crossed.
    for theta in [3.0e6_f64, 1_048_575.9, -1_048_575.9] {
        let (q, v) = ([theta, 0.0, 0.0], [theta.signum(), 0.5, 0.2]);
        for variant in compiled.variants() {
            let start = Simulation::project(&compiled, variant, &parameters, &q, &v, &[], STEP_SIZE);
            let (mut simulation, mut at_once) =
                (start.clone().expect("it starts"), start.expect("it starts"));
            let v = simulation.v();
            let mut interpreted = interpreted(&optimised, variant, &parameters, [&q, &v, &[]], STEP_SIZE);
            for _ in 0..100 {
                simulation.step().expect("a step");
                interpreted.step(&[]).expect("a step");
            }
            at_once.advance(100).expect("steps");
            let name = format!("{variant} from {theta}");
            assert_same(&name, simulation.numbers(), &interpreted.numbers());
            assert_same(&name, at_once.numbers(), &interpreted.numbers());
        }
    }
}

/// Bodies on groups whose steps are so large that maps take other formulas, or fail.
#[test]
fn motions_of_a_step_may_be_large() {
    let text = "
        #[derive(Nonholonomic)]
        #[nonholonomic(
            group = SE2(theta, x, y; omega, v, v_perp),
            lagrangian = I/2*omega^2 + m/2*(v^2 + v_perp^2),
            constraints(a*omega - v_perp),
            methods(all)
        )]
        struct OnSe2 { I: f64, m: f64, a: f64 }

        #[derive(Nonholonomic)]
        #[nonholonomic(
            group = SO3(R; w1, w2, w3),
            lagrangian = (I*w1^2 + m*w2^2 + 3*w3^2)/2 + a*w1*w3,
            constraints(w3),
            methods(all)
        )]
        struct OnSo3 { I: f64, m: f64, a: f64 }

        #[derive(Nonholonomic)]
        #[nonholonomic(
            group = SE3(R, p; w1, w2, w3, v1, v2, v3),
            lagrangian = (I*w1^2 + 2*I*w2^2 + 3*w3^2)/2 + m/2*(v1^2 + v2^2 + v3^2),
            constraints(v3 - a*w1),
            methods(Rdp, Rkmk4)
        )]
        struct OnSe3 { I: f64, m: f64, a: f64 }
    ";
    let (mut steps, mut failed) = (0, 0);
    for declaration in declarations(text) {
        let (derived, optimised) = derive(declaration);
        let choices = ["", "_cay", "_ccsk", "_exp2"];
        let ids = derived.methods.iter().flat_map(|m| choices.map(|choice| format!("{}{choice}", m.id())));
        let variants: Vec<Variant> = ids.filter_map(|id| Variant::with_id(&id)).collect();
        let compiled = Compiled::new(&optimised, &variants).expect("Cranelift runs here");
        let n = compiled.velocities().len();
        let mut q = vec![0.0; compiled.coordinates().len()];
        if q.len() >= 9 {
            [0, 4, 8].into_iter().for_each(|i| q[i] = 1.0);
        }
        let (parameters, v) = ([1.1, 2.0, 0.3], [1.3, -0.9, 0.7, 0.4, 0.2, 0.5]);
        for (variant, h) in variants.iter().flat_map(|variant| [0.4, 1.1, 2.5].map(|h| (*variant, h))) {
            let at = Point { parameters: &parameters, q: &q, v: &v[..n], z: &[], t: 0.0, inputs: &[] };
            let v = compiled.project(&at).expect("regular");
            let start = Simulation::new(&compiled, variant, &parameters, &q, &v, h);
            let mut simulation = start.expect("it starts");
            // The interpreter runs functions, and does not test energies.
            simulation.set_limits(Limits::NONE);
            let mut at_once = simulation.clone();
            let mut interpreted = interpreted(&optimised, variant, &parameters, [&q, &v, &[]], h);
            for k in 0..40 {
                let name = format!("{compiled:?}, {variant}, h = {h}, step {k}");
                assert_same(&name, simulation.numbers(), &interpreted.numbers());
                let (found, expected) = (simulation.step(), interpreted.step(&[]));
                assert_eq!(found.is_ok(), expected.is_ok(), "{name}: {found:?} {expected:?}");
                if found.is_err() {
                    failed += 1;
                    break;
                }
                steps += 1;
            }
            assert_eq!(at_once.advance(40).is_ok(), simulation.steps() == 40, "{variant}, h = {h}");
            assert_same(&format!("{variant}, h = {h}, at once"), at_once.numbers(), simulation.numbers());
        }
    }
    assert!(steps > 2000 && failed > 5, "{steps} steps, {failed} failed");
}

/// A motion that dies out: subnormal numbers are set to zero by the same steps as in the runtime.
#[test]
fn subnormal_numbers_are_flushed_by_the_same_steps() {
    let text = "
        #[derive(Nonholonomic)]
        #[nonholonomic(
            coordinates(theta, x, y),
            lagrangian = J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
            constraints(a*dtheta + sin(theta)*dx - cos(theta)*dy),
            force = -c*dot(theta)*dtheta - c*dot(x)*dx - c*dot(y)*dy,
            methods(Dla2, DlaRattle, Rk4)
        )]
        struct Damped { J: f64, m: f64, a: f64, c: f64 }
    ";
    let (compiled, optimised) = compiled(declaration(text));
    let (parameters, q) = ([0.5, 1.0, 0.2, 20.0], [0.3, 0.0, 0.0]);
    for variant in compiled.variants() {
        let start =
            Simulation::project(&compiled, variant, &parameters, &q, &[0.0, 0.7, 0.2], &[], STEP_SIZE);
        let mut simulation = start.expect("it starts");
        let mut at_once = simulation.clone();
        let v = simulation.v();
        let mut interpreted = interpreted(&optimised, variant, &parameters, [&q, &v, &[]], STEP_SIZE);
        for k in 1..=8200_u64 {
            simulation.step().expect("a step");
            interpreted.step(&[]).expect("a step");
            assert_same(&format!("{variant}, step {k}"), simulation.numbers(), &interpreted.numbers());
        }
        at_once.advance(8200).expect("steps");
        assert_same(&format!("{variant}, at once"), at_once.numbers(), simulation.numbers());
    }
}

/// Position constraints are required of the start, and kept.
#[test]
fn position_constraints_are_kept_and_required() {
    let text = "
        #[derive(Nonholonomic)]
        #[nonholonomic(
            group = SE2(th, x, y; w, u, v),
            lagrangian = m/2*(u^2 + v^2 + w^2/2) - m*g*y,
            holonomic(x + r*cos(th), y + r*sin(th)),
            methods(Rdp, Rattle)
        )]
        struct Pinned { m: f64, g: f64, r: f64 }
    ";
    let (compiled, optimised) = compiled(declaration(text));
    let (parameters, q, v) = ([1.5, 9.81, 0.5], [0.0, -0.5, 0.0], [1.2, 0.0, -0.6]);
    for variant in compiled.variants() {
        let off = [0.0, -0.5 + 1e-3, 0.0];
        let refused = Simulation::new(&compiled, variant, &parameters, &off, &v, STEP_SIZE);
        assert!(matches!(refused, Err(Error::Position { .. })), "{refused:?}");
        let projected = Simulation::project(&compiled, variant, &parameters, &off, &v, &[], STEP_SIZE);
        let residual = projected.expect("it starts").position_residual();
        assert!(residual.iter().all(|g| g.abs() < 1e-14), "{residual:?}");
        let start = Simulation::new(&compiled, variant, &parameters, &q, &v, STEP_SIZE);
        let mut simulation = start.expect("it starts");
        let mut interpreted = interpreted(&optimised, variant, &parameters, [&q, &v, &[]], STEP_SIZE);
        for k in 0..200 {
            assert_same(&format!("{variant}, step {k}"), simulation.numbers(), &interpreted.numbers());
            simulation.step().expect("a step");
            interpreted.step(&[]).expect("a step");
        }
    }
}

/// What is wrong with initial values is named.
#[test]
fn starts_are_refused_with_a_reason() {
    let (compiled, _) = compiled(declaration(WALL));
    let dla2 = Variant::with_id("dla2").expect("a method");
    let (q, v) = ([1.0, 0.0, 0.0], [0.5, 0.0, 0.3]);
    let refused = |parameters: &[f64], q: &[f64], v: &[f64], h: f64| {
        Simulation::new(&compiled, dla2, parameters, q, v, h).expect_err("it is refused").to_string()
    };
    assert_eq!(refused(&[], &q, &v, 0.1), "expected 1 parameters, found 0");
    assert_eq!(refused(&[0.1], &q[..2], &v, 0.1), "expected 3 entries of the configuration, found 2");
    assert_eq!(refused(&[0.1], &q, &v, 0.0), "the step size must be a finite number other than zero, not 0");
    assert_eq!(refused(&[f64::NAN], &q, &v, 0.1), "parameter `k` must be finite, not NaN");
    let infinite = [f64::INFINITY, 0.0, 0.0];
    assert_eq!(refused(&[0.1], &infinite, &v, 0.1), "coordinate `x` must be finite, not inf");
    assert_eq!(refused(&[0.1], &q, &infinite, 0.1), "velocity of `x` must be finite, not inf");
    let message = refused(&[0.1], &q, &[0.5, 0.1, 0.3], 0.1);
    assert!(message.starts_with("the initial velocity violates the constraint `sin(theta)*dx"), "{message}");
    let rdp_cay = Variant::with_id("rdp_cay").expect("a method");
    let missing = Simulation::new(&compiled, rdp_cay, &[0.1], &q, &v, 0.1).expect_err("it is refused");
    assert_eq!(missing.to_string(), "the method `rdp_cay` is not among the compiled ones");
}

/// Simulations of one compiled system run on several threads, and after the others are gone.
#[test]
fn threads_share_the_code() {
    let (compiled, _) = compiled(declaration(WALL));
    let dla2 = Variant::with_id("dla2").expect("a method");
    let run = |simulation: &mut Simulation| {
        simulation.advance(100).expect("steps");
        simulation.numbers().to_vec()
    };
    let start = Simulation::new(&compiled, dla2, &[0.01], &[1.0, 0.0, 0.0], &[0.5, 0.0, 0.3], 0.01);
    let mut start = start.expect("it starts");
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let mut simulation = start.clone();
            std::thread::spawn(move || run(&mut simulation))
        })
        .collect();
    drop(compiled);
    let expected = run(&mut start);
    for thread in threads {
        assert_same("a thread", &thread.join().expect("no panic"), &expected);
    }
}
