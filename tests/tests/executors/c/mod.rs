//! Generated C computes the bits of the derived code, with every compiler, and those of the motions of the reference data.
//!
//! Four models are compared, and their reference data, all with gcc; with `NHI_TESTS=all`, all models and
//! data with the compilers that are installed.

mod compile;
mod composed;
mod derivatives;
mod driver;
mod energy;
mod model;
mod process;
mod project;
mod statistics;

use compile::{builds, compile, write};
use driver::Header;
use model::{in_c, status_of};
use nhi_cli::Problem;
use nhi_codegen::backend::c::{self, Options};
use nhi_codegen::method::StateKind;
use nhi_codegen::optimised::Optimised;
use nhi_codegen::pipeline::Derived;
use nhi_interpreter::Simulation;
use nhi_methods::Variant;
use nhi_models::{MODELS, Method, Model};
use nhi_run::Scheme;
use nhi_run::model::{Declared, loaded};
use nhi_tests::bits::assert_same;
use nhi_tests::declarations::{DRIVEN, declarations, derive, of_model};
use nhi_tests::sample::models;
use nhi_tiers::{amount, exhaustive};
use process::{Process, Program, State};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Steps that are compared from the start of every model with every method.
const STEPS: u64 = 100;
const STEP_SIZE: f64 = 0.01;

/// Trajectories of the reference data, in coordinates and on groups.
fn cases() -> [usize; 2] {
    amount([40, 21], [320, 103])
}

/// Steps after which subnormal numbers are set to zero.
const FLUSH_EVERY: u64 = 4096;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("c").join(name)
}

/// The plain methods of a declaration.
fn declared(derived: &Derived) -> Vec<Variant> {
    derived.methods.iter().map(|method| method.method.into()).collect()
}

/// Writes the C of a declaration with its program into a folder.
fn write_c(folder: &Path, derived: &Derived, optimised: &Optimised, variants: Vec<Variant>) -> Arc<Header> {
    let files = c::files(optimised, &Options { float: false, variants: variants.clone() });
    let header = Header::of(derived, &files, &variants);
    write(folder, &files, &header.program());
    Arc::new(header)
}

/// Does `work` for each index on all processors; the messages of what panics.
fn in_parallel(length: usize, work: impl Fn(usize) + Sync) -> Vec<String> {
    let (begun, messages) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let i = begun.fetch_add(1, Ordering::Relaxed);
                    if i >= length {
                        break;
                    }
                    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| work(i))) {
                        let message = panic.downcast_ref::<String>().cloned();
                        let message = message.or(panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
                        messages.lock().expect("nobody panics here").push(message.unwrap_or_default());
                    }
                }
            });
        }
    });
    messages.into_inner().expect("nobody panics here")
}

/// Compares the functions of a model's system and all its steps from its own start; how many.
fn compare(model: &dyn Model) -> usize {
    let instance = model.instance(&model.defaults());
    let (q, v) = instance.initial();
    let inputs = vec![0.0; model.inputs().len()];
    let moved: Vec<f64> = v.iter().map(|v| v + 0.1).collect();
    for v in [&v, &moved] {
        instance.energy(&q, v);
        instance.momentum(&q, v);
        instance.residual(&q, v);
        instance.project(&q, v).expect("regular constraints");
        instance.acceleration(&q, v, 0.3, &inputs).expect("regular constraints");
    }
    let mut compared = 0;
    for method in model.methods() {
        // What cannot be started is refused with the same status.
        assert!(instance.start(method, &q, &v, &inputs, 0.0).is_err());
        assert!(instance.start(method, &q, &vec![f64::NAN; v.len()], &inputs, STEP_SIZE).is_err());
        if !model.constraints().is_empty() {
            let _ = instance.start(method, &q, &moved, &inputs, STEP_SIZE);
        }
        let start = instance.start(method, &q, &v, &inputs, STEP_SIZE);
        let mut trajectory = start.unwrap_or_else(|error| panic!("{}: {error}", method.id));
        for _ in 0..STEPS {
            if trajectory.step().is_err() {
                break;
            }
            compared += 1;
        }
    }
    compared
}

/// The bits of the motions of the reference data, which the command computes: how many cases of a folder C can run, and
/// those that deviate. `models` are those of `bundled` in C.
fn check(folder: &str, models: &[&dyn Model], bundled: &[&'static Declared]) -> (usize, Vec<String>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(folder);
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("data").map(|entry| entry.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.retain(|path| !path.ends_with("group_maps.json"));
    paths.sort();
    let (checked, deviations) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    // Models are shared between threads, their instances are not.
    let mut messages = in_parallel(paths.len(), |i| {
        let text = std::fs::read_to_string(&paths[i]).expect("text");
        let name = paths[i].display();
        let problem =
            Problem::parse(&text, bundled).unwrap_or_else(|malformed| panic!("{name}: {malformed}"));
        let run = problem.to_run().unwrap_or_else(|error| panic!("{name}: {error}"));
        let Scheme::Steps(variant) = run.scheme else { return };
        let is_same = |model: &&&dyn Model| {
            Model::system(**model) == run.system.name()
                && model.group() == run.system.group().notation()
                && model.coordinates() == run.system.coordinates()
        };
        let Some(model) = models.iter().find(is_same) else {
            assert!(!exhaustive(), "{name}: no such model");
            return;
        };
        let instance = model.instance(&run.parameters);
        let method = Method::of_variant(variant);
        let mut in_c = instance
            .start(&method, &run.q0, &run.v0, run.inputs.at(0), run.h)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut deviates = false;
        let done = problem.run(|sample| {
            while in_c.steps() < sample.k {
                let inputs = run.inputs.at(in_c.steps());
                in_c.step_with(inputs).unwrap_or_else(|error| panic!("{name}: {error}"));
            }
            let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
            deviates |= bits(&in_c.q()) != bits(&sample.q) || bits(&in_c.v()) != bits(&sample.v);
        });
        done.unwrap_or_else(|stopped| panic!("{name}: {stopped}"));
        checked.fetch_add(1, Ordering::Relaxed);
        if deviates {
            deviations.lock().expect("nobody panics here").push(name.to_string());
        }
    });
    messages.extend(deviations.into_inner().expect("nobody panics here"));
    (checked.into_inner(), messages)
}

#[test]
fn models_in_c_compute_the_same_bits() {
    let models = models();
    let programs: Vec<Mutex<Option<Program>>> = models.iter().map(|_| Mutex::new(None)).collect();
    let compared: Vec<AtomicUsize> = builds().iter().map(|_| AtomicUsize::new(0)).collect();
    let messages = in_parallel(models.len(), |i| {
        let model = models[i];
        let name = format!("{}{}", model.name(), model.group().map_or("", |_| "_on_group"));
        let (derived, optimised) = derive(of_model(model));
        let is_declared = |variant: &Variant| derived.methods.iter().any(|m| m.method == variant.method);
        let variants = model.methods().iter().filter_map(|method| Variant::with_id(method.id));
        let variants = variants.filter(is_declared).collect();
        let folder = folder(&name);
        let header = write_c(&folder, &derived, &optimised, variants);
        for (build, compared) in builds().iter().zip(&compared) {
            let path = build.program(&folder, &header.name);
            let program = Program { path, header: header.clone() };
            let in_c = in_c(model, &program);
            let done = catch_unwind(AssertUnwindSafe(|| compare(&in_c)));
            let steps = done.unwrap_or_else(|panic| {
                let message = panic.downcast_ref::<String>().cloned().unwrap_or_default();
                panic!("{name}, {}: {message}", build.name)
            });
            compared.fetch_add(steps, Ordering::Relaxed);
            programs[i].lock().expect("nobody panics here").get_or_insert(program);
        }
    });
    assert!(messages.is_empty(), "{}", messages.join("\n"));
    for compared in &compared {
        assert!(compared.load(Ordering::Relaxed) > amount(11_000, 73_000), "{compared:?}");
    }

    let programs = programs.into_iter().map(|program| program.into_inner().expect("not poisoned"));
    let in_c: Vec<_> = models
        .iter()
        .zip(programs)
        .map(|(model, program)| in_c(*model, &program.expect("compiled")))
        .collect();
    let all: Vec<&dyn Model> = in_c.iter().map(|model| model as _).collect();
    let in_coordinates = all.iter().copied().filter(|model| model.group().is_none()).collect();
    let bundled = nhi_run::model::MODELS.iter();
    let bundled: Vec<&Declared> =
        bundled.map(|model| loaded(model.name, model.on_group).expect("a model")).collect();
    let cases = cases();
    for (folder, models, bundled, cases) in
        [("rn", in_coordinates, &bundled[..MODELS.len()], cases[0]), ("lie", all, &bundled[..], cases[1])]
    {
        let (checked, messages) = check(folder, &models, bundled);
        assert!(messages.is_empty(), "{}", messages.join("\n"));
        assert_eq!(checked, cases, "{folder}");
    }
}

/// `float`, and functions of the header instead of `math.h`, compile without warnings.
#[test]
fn options_compile_without_warnings() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(DECLARATIONS)).expect("text");
    let messages = in_parallel(declarations(&text).len(), |i| {
        let (derived, optimised) = derive(declarations(&text).remove(i));
        let variants = derived.methods.iter().flat_map(|method| {
            let composed = Variant::with_id(&format!("{}_suzuki4", method.id()));
            [Some(method.method.into()), composed].into_iter().flatten()
        });
        let variants: Vec<Variant> = variants.collect();
        for float in [false, true] {
            let files = c::files(&optimised, &Options { float, variants: variants.clone() });
            let folder = folder(&format!("{}_{float}", files[0].name));
            write(&folder, &files, "");
            for own in [&[][..], &["-DNHI_OWN_MATH"]] {
                let arguments = [own, &["-std=c99", "-O1", "-c", files[1].name.as_str()]].concat();
                compile(&folder, "gcc", &arguments);
            }
        }
    });
    assert!(messages.is_empty(), "{}", messages.join("\n"));
}

/// The numbers of an interpreted state that C shows.
fn shown(simulation: &Simulation<'_>, state: &State) -> Vec<f64> {
    let length = state.q.len() + state.v.len() + state.lambda.len() + state.z.len();
    simulation.numbers()[..length].to_vec()
}

/// Declarations with inputs, affine constraints and arrays of parameters.
const DECLARATIONS: &str = "../nhi-derive/codegen/tests/expansions/declarations.rs";

/// Steps with inputs that change, against the interpreter.
#[test]
fn inputs_reach_the_steps() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(DECLARATIONS)).expect("text");
    let mut compared = 0;
    for (name, parameters, q, v) in [
        ("Cart", vec![2.0, 0.4, 0.5, 0.1, 0.3], vec![0.8, 0.1, -0.2], vec![0.3, 0.9, 0.4]),
        ("Coin", vec![2.0, 0.4, 0.5, 0.6], vec![0.1, 0.8, 0.1, -0.2], vec![0.3, 0.9, 0.4, 0.0]),
    ] {
        let declaration = declarations(&text).into_iter().find(|d| d.ident == name).expect("it is there");
        let (derived, optimised) = derive(declaration);
        let folder = folder(name);
        let header = write_c(&folder, &derived, &optimised, declared(&derived));
        let inputs = |k: u32| -> Vec<f64> {
            (0..header.lengths[3]).map(|i| 0.7 - 0.03 * f64::from(k) + 0.2 * i as f64).collect()
        };
        for build in builds() {
            let program = Program { path: build.program(&folder, &header.name), header: header.clone() };
            let mut process = program.run(&parameters);
            let (status, v) = process.ask("J", &[&q, &v]);
            assert_eq!(status, 0);
            for method in &optimised.methods {
                let start = [&q[..], &v, &[], &inputs(0)];
                let mut state = process.begin(method.id(), [&q, &v, &[], &inputs(0)], 0.02).expect("a start");
                let simulation = Simulation::start(method, method.method.into(), &parameters, start, 0.02);
                let mut simulation = simulation.expect("a start");
                for k in 0..100 {
                    let name = format!("{name}, {}, {}, step {k}", build.name, method.id());
                    let numbers = &state.numbers()[..state.numbers().len() - 1];
                    assert_same(&name, numbers, &shown(&simulation, &state));
                    let (status, next) = process.step(&inputs(k));
                    assert_eq!(status, 0, "{name}");
                    simulation.step(&inputs(k)).expect("a step");
                    state = next;
                    compared += 1;
                }
                // Refused, and nothing has changed.
                let (status, after) = process.step(&vec![f64::NAN; header.lengths[3]]);
                assert_eq!((status, &after), (6, &state));
            }
        }
    }
    assert!(compared >= 400, "{compared}");
}

#[test]
fn time_and_inputs_drive_constraints() {
    let q = [0.3_f64, 0.1, -0.2, 0.0];
    // Admissible with u = 0.6: dθ/dt follows from the others.
    let (x, y) = (0.5_f64, 0.3_f64);
    let v = [-(q[0].sin() * x - q[0].cos() * y) / 0.2, x, y, (1.0 - 0.2 / 3.0) * 0.6];
    are_driven("driven", DRIVEN, &q, &v);
}

/// A car whose speed and yaw rate are given, without and with masses.
const KINEMATIC: [&str; 2] = [
    "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(x, y, theta), inputs(speed),
        lagrangian = 0,
        constraints(dx - speed*cos(theta)*dt, dy - speed*sin(theta)*dt, dtheta - (a + sin(t)*x)*dt),
        methods(Dla1, Dla2, DlaRattle, Rdp),
    )]
    struct Light { a: f64 }
",
    "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(x, y, theta), inputs(speed),
        lagrangian = (dot(x)^2 + dot(y)^2)/2*(1 + x^2) + dot(theta)^2/4 - y,
        constraints(dx - speed*cos(theta)*dt, dy - speed*sin(theta)*dt, dtheta - (a + sin(t)*x)*dt),
        methods(Dla1, Dla2, DlaRattle, Rdp, Rattle),
    )]
    struct Heavy { a: f64 }
",
];

#[test]
fn constraints_determine_all_velocities() {
    let q = [0.3, -0.2, 0.4_f64];
    let v = [0.6 * q[2].cos(), 0.6 * q[2].sin(), 0.2];
    are_driven("without_mass", KINEMATIC[0], &q, &v);
    are_driven("with_masses", KINEMATIC[1], &q, &v);
}

/// Compares steps, and starts with inputs that do not belong to the velocity. The declared system has the parameter 0.2 and one input,
/// with which the velocity is admissible at 0.6.
fn are_driven(name: &str, text: &str, q: &[f64], v: &[f64]) {
    let (derived, optimised) = derive(declarations(text).remove(0));
    let folder = folder(name);
    let header = write_c(&folder, &derived, &optimised, declared(&derived));
    let parameters = [0.2];
    for build in builds() {
        let program = Program { path: build.program(&folder, &header.name), header: header.clone() };
        let mut process = program.run(&parameters);
        for method in &optimised.methods {
            assert_eq!(process.begin(method.id(), [q, v, &[], &[0.5]], STEP_SIZE).err(), Some(8));
            let mut state = process.begin(method.id(), [q, v, &[], &[0.6]], STEP_SIZE).expect("a start");
            let start = [q, v, &[], &[0.6]];
            let simulation = Simulation::start(method, method.method.into(), &parameters, start, STEP_SIZE);
            let mut simulation = simulation.expect("a start");
            let name = format!("{name}, {}, {}", build.name, method.id());
            same_steps(
                &name,
                method.state,
                &mut process,
                &mut simulation,
                &mut state,
                |process, k, state| {
                    if k % 20 == 0 {
                        let (status, residual) = process.ask("R", &[&state.q, &state.v]);
                        assert!(
                            status == 0 && residual.iter().all(|r| r.abs() < 1e-13),
                            "{name}, step {k}: {residual:?}"
                        );
                    }
                },
            );
        }
    }
}

/// A hundred steps of a process beside those of the interpreter, with inputs that change; `after` sees each state.
fn same_steps(
    name: &str,
    kind: StateKind,
    process: &mut Process,
    simulation: &mut Simulation<'_>,
    state: &mut State,
    mut after: impl FnMut(&mut Process, u32, &State),
) {
    for k in 0..100 {
        let name = format!("{name}, step {k}");
        if kind == StateKind::Node {
            let numbers = &state.numbers()[..state.numbers().len() - 1];
            assert_same(&name, numbers, &shown(simulation, state));
        }
        assert_same(&name, &state.q, &simulation.numbers()[..state.q.len()]);
        let input = [0.6 + 0.01 * f64::from(k)];
        let (status, next) = process.step(&input);
        assert_eq!(status, 0, "{name}");
        simulation.step(&input).expect("a step");
        *state = next;
        after(process, k, state);
    }
}

/// A hundred steps of all methods of a declaration beside those of the interpreter, with every compiler and all these parameters, from
/// the admissible velocity nearest to `v`.
fn same_motions(
    folder: &Path,
    (derived, optimised): (&Derived, &Optimised),
    all_parameters: &[impl AsRef<[f64]>],
    [q, v]: [&[f64]; 2],
    h: f64,
) {
    let header = write_c(folder, derived, optimised, declared(derived));
    for build in builds() {
        let program = Program { path: build.program(folder, &header.name), header: header.clone() };
        for parameters in all_parameters.iter().map(AsRef::as_ref) {
            let mut process = program.run(parameters);
            let (status, v) = process.ask("J", &[q, v]);
            assert_eq!(status, 0, "{} {parameters:?}", build.name);
            let start = [q, &v, &[], &[0.6]];
            for method in &optimised.methods {
                let name = format!("{}, {}, {parameters:?}", build.name, method.id());
                let mut state = process.begin(method.id(), start, h).expect("a start");
                let simulation = Simulation::start(method, method.method.into(), parameters, start, h);
                let mut simulation = simulation.expect("a start");
                same_steps(&name, method.state, &mut process, &mut simulation, &mut state, |_, _, _| ());
            }
        }
    }
}

/// A coin driven by a motor, and a cart whose magnet saturates: its states are unknowns of Newton's method.
const WITH_STATES: &str = "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(theta, x, y, phi),
        states(i),
        inputs(u),
        lagrangian = dot(theta)^2/2 + m/2*(dot(x)^2 + dot(y)^2) + dot(phi)^2/4 - x^2/2,
        constraints(dx - r*cos(theta)*dphi, dy - r*sin(theta)*dphi),
        force = k*i*dphi,
        dynamics(dot(i) = u - i - k*dot(phi)),
        methods(all)
    )]
    pub struct MotorCoin { pub m: f64, pub r: f64, pub k: f64 }

    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(x, y, z),
        states(w[2]),
        inputs(u),
        lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) - x^2/2,
        constraints(dz - y*dx),
        force = k*tanh(w[0])*dx - r*w[1]*dy,
        dynamics(dot(w[0]) = u - w[0]^3 - k*dot(x), dot(w[1]) = sin(w[0])*dot(y) - w[1]),
        methods(all)
    )]
    pub struct MagnetCart { pub m: f64, pub r: f64, pub k: f64 }
";

/// Auxiliary states start and step with the motion.
#[test]
fn auxiliary_states_are_those_of_the_interpreter() {
    let parameters = [1.2, 0.5, 0.8];
    for (i, q, v, z) in [
        (0, vec![0.4, 0.3, -0.2, 0.1], vec![0.9, 0.3, 0.2, 0.7], vec![0.4]),
        (1, vec![0.3, 0.5, -0.2], vec![0.7, -0.4, 0.1], vec![0.6, -0.3]),
    ] {
        let (derived, optimised) = derive(declarations(WITH_STATES).remove(i));
        let folder = folder(&format!("with_states_{i}"));
        let header = write_c(&folder, &derived, &optimised, declared(&derived));
        for build in builds() {
            let program = Program { path: build.program(&folder, &header.name), header: header.clone() };
            let mut process = program.run(&parameters);
            let (_, v) = process.ask("J", &[&q, &v]);
            let nan = vec![f64::NAN; z.len()];
            for method in &optimised.methods {
                let id = method.id();
                assert_eq!(process.begin(id, [&q, &v, &nan, &[0.6]], STEP_SIZE).err(), Some(6), "{id}");
                let mut state = process.begin(id, [&q, &v, &z, &[0.6]], STEP_SIZE).expect("a start");
                let start = [&q[..], &v, &z, &[0.6]];
                let simulation =
                    Simulation::start(method, method.method.into(), &parameters, start, STEP_SIZE);
                let mut simulation = simulation.expect("a start");
                let name = format!("{}, {id}", build.name);
                same_steps(&name, method.state, &mut process, &mut simulation, &mut state, |_, _, _| ());
                assert_ne!(state.z, z, "{id}");
            }
        }
    }
}

/// A sleigh with friction.
const DAMPED: &str = "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(theta, x, y),
        lagrangian = J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
        constraints(a*dtheta + sin(theta)*dx - cos(theta)*dy),
        force = -c*dot(theta)*dtheta - c*dot(x)*dx - c*dot(y)*dy,
        methods(Dla2, DlaRattle)
    )]
    pub struct Damped { pub J: f64, pub m: f64, pub a: f64, pub c: f64 }
";

/// A motion that dies out: subnormal numbers are set to zero by the same steps as in the runtime.
#[test]
fn subnormal_numbers_are_flushed_by_the_same_steps() {
    let (derived, optimised) = derive(declarations(DAMPED).remove(0));
    let folder = folder("damped");
    let header = write_c(&folder, &derived, &optimised, declared(&derived));
    let (parameters, q, v) = ([0.5, 1.0, 0.2, 20.0], [0.3, 0.0, 0.0], [0.0, 0.7, 0.2]);
    for build in builds() {
        let program = Program { path: build.program(&folder, &header.name), header: header.clone() };
        let mut process = program.run(&parameters);
        let (_, v) = process.ask("J", &[&q, &v]);
        for method in &optimised.methods {
            let name = format!("{}, {}", build.name, method.id());
            let mut state = process.begin(method.id(), [&q, &v, &[], &[]], STEP_SIZE).expect("a start");
            let start =
                Simulation::start(method, method.method.into(), &parameters, [&q, &v, &[], &[]], STEP_SIZE);
            let mut simulation = start.expect("a start");
            let mut flushed = 0;
            for k in 1..=2 * FLUSH_EVERY + 10 {
                let (status, next) = process.step(&[]);
                let expected = simulation.step(&[]).err().map_or(0, status_of);
                assert_eq!(status, expected, "{name}, step {k}");
                let numbers = &next.numbers()[..next.numbers().len() - 1];
                assert_same(&format!("{name}, step {k}"), numbers, &shown(&simulation, &next));
                if k.is_multiple_of(FLUSH_EVERY) {
                    let both = state.v.iter().zip(&next.v);
                    flushed += both.filter(|(old, new)| old.is_subnormal() && **new == 0.0).count();
                }
                state = next;
            }
            assert!(flushed > 0, "{name}: the motion has not died out: {state:?}");
            // The same in one call.
            process.begin(method.id(), [&q, &v, &[], &[]], STEP_SIZE).expect("a start");
            assert_eq!(process.steps(2 * FLUSH_EVERY + 10, &[]), (0, state), "{name}");
        }
    }
}

/// A point on a circle in the plane and a body that is pinned at a point.
const ON_POSITIONS: &str = "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(x, y),
        lagrangian = m/2*(dot(x)^2 + dot(y)^2) - m*g*y,
        holonomic(x^2 + y^2 - r^2),
        methods(DlaRattle, Rattle)
    )]
    pub struct OnCircle { pub m: f64, pub g: f64, pub r: f64 }

    #[derive(Nonholonomic)]
    #[nonholonomic(
        group = SE2(th, x, y; w, u, v),
        lagrangian = m/2*(u^2 + v^2 + w^2/2) - m*g*y,
        holonomic(x + r*cos(th), y + r*sin(th)),
        methods(Rdp, Rattle)
    )]
    pub struct Pinned { pub m: f64, pub g: f64, pub r: f64 }
";

/// Steps on position constraints, and starts off them.
#[test]
fn position_constraints_are_kept_and_required() {
    let parameters = [1.5, 9.81, 0.5];
    for (i, q, v) in [(0, vec![0.3, -0.4], vec![0.8, 0.6]), (1, vec![0.0, -0.5, 0.0], vec![1.2, 0.0, -0.6])] {
        let (derived, optimised) = derive(declarations(ON_POSITIONS).remove(i));
        let folder = folder(&format!("on_positions_{i}"));
        let header = write_c(&folder, &derived, &optimised, declared(&derived));
        for build in builds() {
            let program = Program { path: build.program(&folder, &header.name), header: header.clone() };
            let mut process = program.run(&parameters);
            let off: Vec<f64> = q.iter().map(|q| q + 1e-3).collect();
            for method in &optimised.methods {
                assert_eq!(
                    process.begin(method.id(), [&off, &v, &[], &[]], STEP_SIZE).err(),
                    Some(9),
                    "{}",
                    method.id()
                );
                let mut state = process.begin(method.id(), [&q, &v, &[], &[]], STEP_SIZE).expect("a start");
                let start = [&q[..], &v, &[], &[]];
                let simulation =
                    Simulation::start(method, method.method.into(), &parameters, start, STEP_SIZE);
                let mut simulation = simulation.expect("a start");
                for k in 0..200 {
                    let name = format!("{}, {}, step {k}", build.name, method.id());
                    if method.state == StateKind::Node {
                        let numbers = &state.numbers()[..state.numbers().len() - 1];
                        assert_same(&name, numbers, &shown(&simulation, &state));
                    }
                    assert_same(&name, &state.q, &simulation.numbers()[..q.len()]);
                    simulation.step(&[]).expect("a step");
                    let (status, next) = process.step(&[]);
                    assert_eq!(status, 0, "{name}");
                    state = next;
                }
            }
        }
    }
}

/// A car on casters and a body with a pin: forks and pin have no mass.
const WITHOUT_MASS: &str = "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(x, y, theta, fork),
        inputs(u),
        lagrangian = m/2*(dot(x)^2 + dot(y)^2) + dot(theta)^2/4 - x^2/2 + sin(y)/3,
        constraints(
            axle: sin(theta)*dx - cos(theta)*dy,
            caster: -sin(theta + fork)*d(x + c*cos(theta)) + cos(theta + fork)*d(y + c*sin(theta))
                - e*(dtheta + dfork) - cos(t)/5*dt = 0,
        ),
        force = (u - dot(theta))*dtheta,
        methods(all)
    )]
    pub struct Fork { pub m: f64, pub c: f64, pub e: f64 }

    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(a, b),
        inputs(u),
        group = SE2(theta, x, y; omega, v, w),
        lagrangian = m/2*(v^2 + w^2) + omega^2/4 - a^2/2,
        constraints(
            blade: c*omega - w,
            pin_x: dot(a) - cos(theta)*v + sin(theta)*(w + e*omega),
            pin_y: dot(b) - sin(theta)*v - cos(theta)*(w + e*omega),
        ),
        force = u*da,
        methods(all)
    )]
    pub struct Towed { pub m: f64, pub c: f64, pub e: f64 }
";

/// Starts and steps of systems with a singular mass matrix.
#[test]
fn parts_without_mass_move_as_in_the_interpreter() {
    let parameters = [1.3, 0.4, 0.7];
    for (i, q, v) in [
        (0, vec![0.3, -0.2, 0.4, 0.2], vec![0.8, 0.3, 0.5, 0.0]),
        (1, vec![0.7, 0.1, 0.4, 0.3, -0.2], vec![0.5, 0.4, 0.6, 0.9, 0.2]),
    ] {
        let (derived, optimised) = derive(declarations(WITHOUT_MASS).remove(i));
        assert!(derived.mechanics.stiffness.is_some() && optimised.methods.len() > 4);
        let folder = folder(&format!("without_mass_{i}"));
        same_motions(&folder, (&derived, &optimised), &[parameters], [&q, &v], STEP_SIZE);
    }
}

/// Wheels, an angle that turns with them and a hoop, whose inertia may vanish, and a mass that may be light beside another.
const SCALES: &str = "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(x, y, phi, turned),
        inputs(u),
        lagrangian = m/2*(dot(x)^2 + dot(y)^2) + j/2*dot(phi)^2 + j/2*dot(turned)^2 - m*x - sin(turned - y)/3,
        constraints(rolling: dx + sin(y)*dy - r*dphi, turning: dturned - cos(x)*dy),
        force = u*dy,
        methods(Rk2Midpoint, Rk2Heun, Rk4)
    )]
    pub struct Wheels { pub m: f64, pub j: f64, pub r: f64 }

    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(x, y, s, w),
        inputs(u),
        lagrangian = m/2*(dot(x)^2 + dot(y)^2) + dot(x*y + s)^2/2 + j/2*(dot(s) + dot(x))^2 + dot(w)^2/2 - y - x^2/2,
        constraints(a: dy + j*ds, b: r*dx - dw - y*ds),
        force = u*dx,
        methods(Rk2Midpoint, Rk2Heun, Rk4)
    )]
    pub struct Hoop { pub m: f64, pub j: f64, pub r: f64 }
";

/// Equations that formulas do not solve, or not to all digits, have the same solution in C.
#[test]
fn masses_and_lengths_of_any_scale_move_as_in_the_interpreter() {
    for (i, q, v, parameters) in [
        (
            0,
            vec![0.3, 0.2, 0.4, 0.2],
            vec![0.8, 0.3, 0.5, 0.1],
            vec![[1.3, 0.0, 0.4], [1.3, 1e-9, 1e-6], [1e9, 0.2, 1e3]],
        ),
        (
            1,
            vec![0.3, 0.7, 0.1, 0.2],
            vec![0.5, 0.0, 0.3, 0.2],
            vec![[1e-6, 1e6, 0.7], [0.0, 1e-3, 1e5], [1e-3, 0.7, 1e-6]],
        ),
    ] {
        let (derived, optimised) = derive(declarations(SCALES).remove(i));
        let folder = folder(&format!("scales_{i}"));
        same_motions(&folder, (&derived, &optimised), &parameters, [&q, &v], 1e-4);
    }
}

/// One-forms that turn and are nearly parallel for large k: in the first system both impulses are unknowns of Newton's method, in the
/// second one is.
const TURNING: &str = "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(x, y, z),
        inputs(u),
        lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - x - 2*y - 3*z,
        constraints(a: k*dx - cos(x)*dy, b: k*dx - dz),
        force = u*dy,
        methods(Dla1Adjoint, Dla2, DlaRattle, Rdp, Rattle)
    )]
    pub struct Both { pub k: f64 }

    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(x, y, z),
        inputs(u),
        lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - x - 2*y - 3*z,
        constraints(a: k*dx - cos(z)*dy, b: k*dx - dz),
        force = u*dy,
        methods(Dla1Adjoint, Dla2, DlaRattle, Rdp, Rattle)
    )]
    pub struct Single { pub k: f64 }
";

/// Steps in which reactions act along other one-forms than those of the constraints have the same solution in C.
#[test]
fn nearly_parallel_one_forms_turn_as_in_the_interpreter() {
    for i in 0..2 {
        let (derived, optimised) = derive(declarations(TURNING).remove(i));
        let folder = folder(&format!("turning_{i}"));
        let parameters = [[1.0], [1e3], [1e5], [1e7], [1e8]];
        same_motions(&folder, (&derived, &optimised), &parameters, [&[0.3, 0.1, 0.2], &[0.0; 3]], STEP_SIZE);
    }
}

/// A block with dry friction and a drive with a dead zone, and a blade with a cushion, a limited drive and a table of drag.
const PIECEWISE: &str = "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(x),
        inputs(u),
        lagrangian = m/2*dot(x)^2,
        constraints(),
        force = (if(abs(u) < 1, 0, u - sign(u)) - r*sign(dot(x)))*dx,
        methods(Dla1Adjoint, Dla2)
    )]
    pub struct Block { pub m: f64, pub r: f64, pub c: [f64; 3], pub d: [f64; 3] }

    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(theta, x, y),
        inputs(u),
        lagrangian = m/2*(dot(x)^2 + dot(y)^2) + dot(theta)^2/2 - max(0, x - 1)^2 - min(abs(y), 1)/5,
        constraints(blade: sin(theta)*dx - cos(theta)*dy),
        force = clamp(u, -r, r)*dx - if(x <= y || !(dot(theta) > 0), 1, 2)*table(dot(theta), c, d)*dtheta,
        methods(all)
    )]
    pub struct Blade { pub m: f64, pub r: f64, pub c: [f64; 3], pub d: [f64; 3] }
";

/// Choices take the same branches in C, and steps in which friction stops a block end at the same place.
#[test]
fn piecewise_functions_are_those_of_the_interpreter() {
    let parameters = [1.3, 0.5, -1.0, 0.0, 2.0, -0.3, 0.1, 0.4];
    for (i, q, v) in [(0, vec![0.3], vec![0.4]), (1, vec![0.3, 0.99, -0.01], vec![0.5, 0.6, 0.3])] {
        let (derived, optimised) = derive(declarations(PIECEWISE).remove(i));
        let folder = folder(&format!("piecewise_{i}"));
        same_motions(&folder, (&derived, &optimised), &[parameters], [&q, &v], STEP_SIZE);
    }
}
