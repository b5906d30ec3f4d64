//! The programs of all models and methods as the scheme builder writes them and after the passes:
//! both give the same numbers, up to rounding, at random parameters and states.
//!
//! By default of two models and of the systems here; with `NHI_TESTS=all`, of all models.

use crate::files::{self, File};
use crate::support::{Carrying, ROUNDING, Random, Run};
use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::expr::{Expr, Pool};
use nhi_codegen::method::{Method, MethodPrograms};
use nhi_codegen::optimise::{Options, optimise, optimise_step, recurrence, split, weight_in_loop};
use nhi_codegen::parallel::in_parallel;
use nhi_codegen::pipeline::Derived;
use nhi_codegen::program::{
    Binding, Carried, Constants, Input, Operations, Output, Prediction, Program, Role, Statement, StepProgram,
};
use nhi_codegen::source::structs;
use nhi_runtime::Failure;
use nhi_tiers::amount;

/// Parameters and states per model.
const STATES: u64 = 5;

/// Systems with auxiliary states, whose rates are affine in them or not.
const WITH_STATES: &str = "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(theta, x, y, phi),
        states(i),
        inputs(u),
        lagrangian = m/2*(dot(theta)^2 + dot(x)^2 + dot(y)^2) + dot(phi)^2/4 - x^2/2,
        constraints(dx - r*cos(theta)*dphi, dy - r*sin(theta)*dphi),
        force = k*i*dphi,
        dynamics(dot(i) = u - m*i - k*dot(phi))
    )]
    struct MotorCoin { m: f64, r: f64, k: f64 }

    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(x, y, z),
        states(w[2]),
        inputs(u),
        lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) - x^2/2,
        constraints(dz - y*dx),
        force = k*tanh(w[0])*dx - r*w[1]*dy,
        dynamics(dot(w[0]) = u + sin(t) - w[0]^3 - k*dot(x), dot(w[1]) = sin(w[0])*dot(y) - w[1])
    )]
    struct MagnetCart { m: f64, r: f64, k: f64 }
";

/// Models in coordinates, and the systems with auxiliary states. Retractions have no values in a pool: steps on groups are
/// compared with reference trajectories once they are compiled.
fn in_coordinates(mut files: Vec<File>) -> Vec<File> {
    files.retain(File::is_in_coordinates);
    files.push(File { name: "auxiliary states".to_owned(), text: WITH_STATES.to_owned() });
    files
}

/// The declarations in a file, with all methods.
fn declarations(file: &File) -> Vec<Declaration> {
    let declaration = |input| {
        let declaration = Declaration::parse(&input).expect("no mistakes");
        let mut declaration = declaration.with_methods(Method::ALL.to_vec());
        declaration.all_methods = true;
        declaration
    };
    structs(&file.text).expect("Rust").into_iter().map(declaration).collect()
}

fn derived(declaration: Declaration) -> Derived {
    Derived::new(declaration, &mut BuiltIn).expect("derivable")
}

/// What is counted in each model, summed.
fn counted(count: impl Fn(Derived) -> [usize; 2] + Sync) -> [usize; 2] {
    let in_file = |file: &File| declarations(file).into_iter().map(derived).map(&count).collect::<Vec<_>>();
    let counts = in_parallel(&in_coordinates(files::sampled()), |file| &file.name, in_file).concat();
    counts.into_iter().fold([0, 0], |[a, b], [x, y]| [a + x, b + y])
}

/// As many numbers between two.
fn numbers(random: &mut Random, n: usize, low: f64, high: f64) -> Vec<f64> {
    (0..n).map(|_| (low + high) / 2.0 + (high - low) / 2.0 * random.number()).collect()
}

/// The mass matrix, from an energy that is quadratic in the velocities.
fn mass(n: usize, energy: impl Fn(Vec<f64>) -> f64) -> Vec<Vec<f64>> {
    let at = |ones: &[usize]| {
        energy((0..n).map(|i| ones.iter().filter(|&&one| one == i).count() as f64).collect())
    };
    let entry = |i: usize, j: usize| at(&[i, j]) - at(&[i]) - at(&[j]) + at(&[]);
    (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
}

/// Whether no pivot of a symmetric matrix is negative beyond rounding.
fn is_semidefinite(matrix: &[Vec<f64>]) -> bool {
    let mut a = matrix.to_vec();
    let scale = a.iter().flatten().fold(0.0, |scale: f64, entry| scale.max(entry.abs()));
    let tolerance = 1e-12 * scale;
    for k in 0..a.len() {
        let pivot = a[k].clone();
        if pivot[k] < -tolerance {
            return false;
        }
        if pivot[k] > tolerance {
            for row in &mut a[k + 1..] {
                let factor = row[k] / pivot[k];
                row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
            }
        }
    }
    true
}

/// A program before the passes, after them, and in its two parts.
struct Forms {
    raw: (Pool, Program),
    pool: Pool,
    optimised: Program,
    parts: Option<(Program, Program)>,
}

impl Forms {
    fn new(of: &Pool, program: &Program, in_parts: bool) -> Forms {
        let (mut pool, isolated) = program.isolated(of);
        let optimised = optimise(&mut pool, &mut Constants::default(), &isolated);
        optimised.validate(&pool);
        let parts = in_parts.then(|| {
            let parts = split(&pool, &optimised);
            (parts.prepare, parts.step)
        });
        Forms { raw: (of.clone(), program.clone()), pool, optimised, parts }
    }

    /// Checks the forms against each other; the values, unless the raw program fails, and then the
    /// others fail as well.
    fn compare(&self, derived: &Derived, arguments: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
        let (pool, raw) = &self.raw;
        let name = format!("{}, {}", derived.mechanics.system.name, raw.name);
        let raw = raw.run(pool, arguments);
        let mut others = vec![self.optimised.run(&self.pool, arguments)];
        if let Some((prepare, step)) = &self.parts {
            // Parameters and step size come first.
            others.push(prepare.run(&self.pool, &arguments[..2]).and_then(|kept| {
                let arguments = [&[kept.concat()], &arguments[2..]].concat();
                step.run(&self.pool, &arguments)
            }));
        }
        let Ok(raw) = raw else {
            assert!(others.iter().all(Result::is_err), "{name}: fails before the passes only");
            return None;
        };
        let scale = raw.iter().flatten().fold(1.0, |a: f64, x| a.max(x.abs()));
        for other in others {
            let other = other.unwrap_or_else(|e| panic!("{name}: {e} after the passes"));
            assert_eq!(raw.len(), other.len(), "{name}");
            for (x, y) in raw.iter().flatten().zip(other.iter().flatten()) {
                assert!((x - y).abs() <= ROUNDING * scale, "{name}: {x} and {y} beside {scale}");
            }
        }
        Some(raw)
    }
}

/// A body on an axis, whose steps have one equation in one unknown, with maps that are differentiated once alone.
const AXIS: &str = "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        group = SO3(R; w1, w2, w3),
        lagrangian = (w1^2 + 2*w2^2 + 3*w3^2)/2 - R[2][2],
        constraints(w3 = 0, w2 - w1/2 = 0)
    )]
    struct Axis;
";

/// Programs on groups have no values here, but satisfy the same.
#[test]
fn programs_on_groups_are_valid() {
    let mut files = files::sampled();
    files.retain(|file| !file.is_in_coordinates());
    files.push(File { name: "axis".to_owned(), text: AXIS.to_owned() });
    let check = |file: &File| {
        let methods = declarations(file).into_iter().map(derived).flat_map(|derived| derived.methods);
        methods.map(|method| method.step.validate(&method.pool)).count()
    };
    let checked = in_parallel(&files, |file| &file.name, check);
    assert!(checked.iter().sum::<usize>() >= 10, "{checked:?}");
}

/// A step that carries values.
fn carrying(method: &MethodPrograms) -> Option<Carrying> {
    let (pool, step) = method.step_with_components().isolated(&method.pool);
    let carrying = Carrying::new(pool, &step, method.state.belongs_to_step_size());
    carrying.carries().then_some(carrying)
}

/// Steps whose state carries values give the states of the raw program, with step sizes that differ where
/// the state does not belong to one, and with other inputs at every step.
#[test]
fn carried_values_are_those_of_the_step() {
    let sizes = [0.02, 0.03, -0.01, 0.02];
    let [carry, compared] = counted(|derived| {
        let (mut carry, mut compared) = (0, 0);
        let system = &derived.mechanics.system;
        for method in &derived.methods {
            let fixed = method.state.belongs_to_step_size();
            let Some(by) = carrying(method) else { continue };
            carry += 1;
            for seed in 0..STATES {
                let mut random = Random(seed);
                let mut numbers = |n: usize, low: f64, high: f64| numbers(&mut random, n, low, high);
                let parameters = numbers(system.parameters.len(), 0.5, 1.5);
                let q = numbers(system.coordinates.len(), -1.0, 1.0);
                let v = numbers(system.velocities.len(), -1.0, 1.0);
                let z = numbers(system.states.len(), -1.0, 1.0);
                let mut t = 0.3;
                let inputs = numbers(system.inputs.len(), -1.0, 1.0);
                let start = [parameters.clone(), vec![sizes[0]], q, v, z, vec![t], inputs];
                let Ok(mut state) = method.starts[0].1.run(&method.pool, &start) else { continue };
                let mut steps = Vec::new();
                for size in sizes {
                    let h = if fixed { sizes[0] } else { size };
                    let mut arguments = vec![parameters.clone(), vec![h]];
                    arguments.extend(state);
                    arguments.extend([vec![t], numbers(system.inputs.len(), -1.0, 1.0)]);
                    let Ok(next) = method.step.run(&method.pool, &arguments) else { break };
                    steps.push((arguments, next.clone()));
                    state = next;
                    t += h;
                }
                if !steps.is_empty() {
                    by.compare(&format!("{}, {}", system.name, method.id()), &steps);
                    compared += 1;
                }
            }
        }
        [carry, compared]
    });
    assert!(carry > amount(60, 20) && compared > 3 * carry, "{carry} methods carry, {compared} compared");
}

/// What a step carries, and what else is done for chains of operations, costs a loop of steps nothing but the
/// multiplications by reciprocals; better guesses cost two additions for each number that they are made of, by the last
/// solutions six operations.
#[test]
fn steps_in_a_loop_are_no_more_than_by_themselves() {
    let [compared, begun] = counted(|derived| {
        let (mut compared, mut begun) = (0, 0);
        for method in &derived.methods {
            let (mut pool, step) = method.step.isolated(&method.pool);
            let mut constants = Constants::default();
            let alone = optimise(&mut pool, &mut constants, &step);
            let operations = Operations::of(&mut pool, &mut constants, &alone);
            let fixed = method.state.belongs_to_step_size();
            let optimised = StepProgram::new(&pool, step.clone(), fixed);
            let optimised = optimise_step(&mut pool, &mut constants, optimised, Options::default()).0;
            let entries = optimised.entries().iter();
            let count = |is: fn(&Carried) -> bool| entries.clone().filter(|entry| is(&entry.role)).count();
            let errors = count(|role| *role == Carried::OlderErrors);
            let is_begun = count(|role| matches!(role, Carried::Intermediate | Carried::Midpoint)) > 0;
            let step = optimised.program;
            let in_a_loop = weight_in_loop(&mut pool, &mut constants, &step);
            // One multiplication more for each of two divisions, one operation for angles that are prediction.
            let prediction = step
                .body
                .iter()
                .filter(|s| matches!(s, Statement::Turn(turn) if turn.prediction.by().is_some()))
                .count();
            let most = operations.weight().0 + 2 + 6 * errors + prediction;
            let name = &derived.mechanics.system.name;
            assert!(in_a_loop <= most, "{name}, {}: {in_a_loop}, by itself {operations}", method.id());
            compared += 1;
            // Where steps begin elsewhere, they wait less for each other.
            if is_begun {
                let [before, after] = [&alone, &step].map(|step| recurrence(&mut pool, &mut constants, step));
                assert!(after < before, "{name}, {}: {after} cycles, by itself {before}", method.id());
                begun += 1;
            }
        }
        [compared, begun]
    });
    assert!(compared > amount(60, 200) && begun > amount(2, 20), "{compared}, {begun}");
}

#[test]
fn passes_keep_every_method_of_every_model() {
    let h = 0.05;
    let [compared, failed] = counted(|derived| {
        let (mut compared, mut failed) = (0, 0);
        let system = &derived.mechanics.system;
        let project = Forms::new(&system.pool, &derived.system.project, false);
        let plain: Vec<(Forms, usize)> = [
            &derived.system.energy,
            &derived.system.momentum,
            &derived.system.residual,
            &derived.system.residual_scale,
        ]
        .map(|program| (Forms::new(&system.pool, program, false), program.inputs.len()))
        .into();
        let acceleration = Forms::new(&system.pool, &derived.system.acceleration, false);
        let methods: Vec<(Vec<Forms>, Forms)> = derived
            .methods
            .iter()
            .map(|m| {
                let starts = m.starts.iter().map(|(_, start)| Forms::new(&m.pool, start, false));
                (starts.collect(), Forms::new(&m.pool, &m.step, true))
            })
            .collect();
        for seed in 0..STATES {
            let mut random = Random(seed);
            let mut numbers = |n: usize, low: f64, high: f64| numbers(&mut random, n, low, high);
            let (t, inputs) = (numbers(1, 0.0, 1.0), numbers(system.inputs.len(), -1.0, 1.0));
            // Square roots of a mass matrix that is indefinite have no value.
            let [energy, ..] = &plain[..] else { unreachable!("there is an energy") };
            let (parameters, q) = std::iter::repeat_with(|| {
                (numbers(system.parameters.len(), 0.5, 1.5), numbers(system.coordinates.len(), -1.0, 1.0))
            })
            .find(|(parameters, q)| {
                let energy_at = |v: Vec<f64>| {
                    let arguments = [parameters.clone(), q.clone(), v, t.clone(), inputs.clone()];
                    energy.0.raw.1.run(&energy.0.raw.0, &arguments[..energy.1]).expect("an energy")[0][0]
                };
                is_semidefinite(&mass(system.velocities.len(), energy_at))
            })
            .expect("an endless iterator");
            let v = numbers(system.velocities.len(), -1.0, 1.0);
            let Some(projected) =
                project.compare(&derived, &[parameters.clone(), q.clone(), v, t.clone(), inputs.clone()])
            else {
                failed += 1;
                continue;
            };
            let v = projected.concat();
            let state = [parameters.clone(), q.clone(), v.clone(), t.clone(), inputs.clone()];
            for (forms, arguments) in &plain {
                assert!(forms.compare(&derived, &state[..*arguments]).is_some());
            }
            let z = numbers(system.states.len(), -1.0, 1.0);
            let forced = [&state[..3], std::slice::from_ref(&z), &state[3..]].concat();
            acceleration.compare(&derived, &forced);
            for (starts, step) in &methods {
                for start in starts {
                    let arguments = [
                        vec![parameters.clone(), vec![h], q.clone(), v.clone(), z.clone()],
                        vec![t.clone(), inputs.clone()],
                    ];
                    let Some(state) = start.compare(&derived, &arguments.concat()) else {
                        failed += 1;
                        continue;
                    };
                    let arguments =
                        [vec![parameters.clone(), vec![h]], state, vec![t.clone(), inputs.clone()]].concat();
                    match step.compare(&derived, &arguments) {
                        Some(_) => compared += 1,
                        None => failed += 1,
                    }
                }
            }
        }
        [compared, failed]
    });
    assert!(compared > amount(500, 1000) && failed < compared / 20, "{compared} compared, {failed} failed");
}

/// Impulses that do not move what constraints depend on are no unknowns of Newton's method, and sines of its last
/// iteration serve the next step.
#[test]
fn newton_finds_motions_and_foresees_angles() {
    let declarations: Vec<Declaration> = in_coordinates(files::all()).iter().flat_map(declarations).collect();
    let found = |name: &str, id: &str| -> (usize, usize, usize) {
        let declaration = declarations.iter().find(|d| d.system.name == name).expect("a model");
        let derived = derived(declaration.clone());
        let method = derived.methods.iter().find(|m| m.id() == id).expect("a method");
        let (mut pool, step) = method.step_with_components().isolated(&method.pool);
        let fixed = method.state.belongs_to_step_size();
        let step = StepProgram::new(&pool, step.clone(), fixed);
        let step = optimise_step(&mut pool, &mut Constants::default(), step, Options::default()).0.program;
        let mut unknowns = 0;
        let (mut prediction, mut known) = (0, 0);
        for statement in &step.body {
            match statement {
                Statement::Newton(newton) => unknowns += newton.unknowns.len(),
                Statement::Turn(turn) => {
                    prediction += usize::from(turn.prediction.by().is_some());
                    known += usize::from(matches!(turn.prediction, Prediction::Exact(_)));
                }
                _ => {}
            }
        }
        (unknowns, prediction, known)
    };
    // Of two constraints one impulse turns the board. Its heading at the node and in the middle of the step and the
    // wheels', which no impulse turns, and two phases.
    assert_eq!(found("Snakeboard", "dla2"), (1, 5, 1));
    assert_eq!(found("SnakeboardFree", "dla2"), (1, 3, 1));
    // Explicit steps: the phases alone.
    assert_eq!(found("Snakeboard", "rattle"), (0, 2, 0));
    assert_eq!(found("SleighCom", "dla2"), (1, 1, 0));
    // All impulses turn this robot.
    assert_eq!(found("MobileRobot", "dla2").0, 3);
}

/// The loop's update of a program with updates of second order, and derivatives, as functions of the unknown too.
fn of_unknown(program: &Program) -> Option<Program> {
    let (at, newton) = program.body.iter().enumerate().find_map(|(i, s)| match s {
        Statement::Newton(newton) if !newton.derivatives.is_empty() => Some((i, newton)),
        _ => None,
    })?;
    let mut function = program.clone();
    function.body.truncate(at);
    function.body.extend(newton.body.clone());
    let output = |values: &[Expr]| Output { role: Role::named("of"), values: values.to_vec(), scalar: false };
    function.outputs = vec![output(&newton.delta), output(&newton.derivatives)];
    let symbols = newton.unknowns.clone();
    function.inputs.push(Input { role: Role::named("x"), symbols, binding: Binding::Step, scalar: false });
    Some(function)
}

/// What updates of second order are made of is F′, F″ and F‴ of the F that the update −F/F′ is for, up to one factor:
/// by differences, in a step as it is written, after the passes, and with what it carries.
#[test]
fn updates_of_second_order_are_of_the_equation() {
    let (h, e) = (0.05, 1e-4);
    let [compared, with_carried] = counted(|derived| {
        let (mut compared, mut with_carried) = (0, 0);
        let system = &derived.mechanics.system;
        for method in &derived.methods {
            let Some(raw) = of_unknown(&method.step) else { continue };
            let (mut pool, isolated) = method.step.isolated(&method.pool);
            let optimised = optimise(&mut pool, &mut Constants::default(), &isolated);
            let by = carrying(method);
            for seed in 0..STATES {
                let mut random = Random(seed);
                let mut numbers = |n: usize, low: f64, high: f64| numbers(&mut random, n, low, high);
                let start = [
                    numbers(system.parameters.len(), 0.5, 1.5),
                    vec![h],
                    numbers(system.coordinates.len(), -1.0, 1.0),
                    numbers(system.velocities.len(), -1.0, 1.0),
                    numbers(system.states.len(), -1.0, 1.0),
                    vec![0.3],
                    numbers(system.inputs.len(), -1.0, 1.0),
                ];
                let Ok(state) = method.starts[0].1.run(&method.pool, &start) else { continue };
                let arguments = [&start[..2], &state, &start[5..]].concat();
                // A mass matrix that is positive for admissible velocities alone suffices for starts.
                let first = [&arguments[..], &[vec![0.0]]].concat();
                if let Err(Failure::SingularMass) = raw.run(&method.pool, &first) {
                    continue;
                }
                let mut forms = vec![
                    (raw.clone(), &method.pool, arguments.clone()),
                    (of_unknown(&optimised).expect("still"), &pool, arguments.clone()),
                ];
                if let Some(Carrying { pool, step, initial: Some(initial), .. }) = &by {
                    let step = &step.program;
                    let carried =
                        initial.run(pool, &arguments[..arguments.len() - 1]).expect("a start").concat();
                    let place = step.inputs.iter().position(|i| i.role == Role::Carried).expect("an input");
                    let mut arguments = arguments.clone();
                    arguments.insert(place, carried);
                    forms.push((of_unknown(step).expect("still"), pool, arguments));
                    with_carried += 1;
                }
                for (function, pool, arguments) in forms {
                    let at = |x: f64| {
                        let arguments = [&arguments[..], &[vec![x]]].concat();
                        let [delta, slopes] = &function.run(pool, &arguments).expect("a value")[..] else {
                            unreachable!("two results")
                        };
                        // F, F′, F″ and F‴.
                        [-delta[0] * slopes[0], slopes[0], slopes[1], slopes[2]]
                    };
                    let x = 0.1 * random.number();
                    let (before, here, after) = (at(x - e), at(x), at(x + e));
                    let scale = here.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
                    for i in 0..3 {
                        let difference = (after[i] - before[i]) / (2.0 * e);
                        let expected = here[i + 1];
                        let name = format!("{}, {}", system.name, method.id());
                        assert!(
                            (difference - expected).abs() < 1e-6 * scale,
                            "{name}: {difference} {expected}"
                        );
                    }
                    compared += 1;
                }
            }
        }
        [compared, with_carried]
    });
    assert!(compared > amount(80, 60) && with_carried > amount(30, 20), "{compared}, {with_carried}");
}
