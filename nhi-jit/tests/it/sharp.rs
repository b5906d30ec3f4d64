//! Steps with sharp but smooth functions in forces, potentials, constraints and mass matrices solve their equations, or fail.

use crate::support;
use nhi_codegen::lower::{Function, Operand, Operation, Output, Statement};
use nhi_codegen::optimised::MethodFunctions;
use nhi_codegen::parallel::in_parallel;
use nhi_codegen::program::Role;
use nhi_jit::{Compiled, Point};
use nhi_methods::Variant;
use nhi_runtime::System;
use nhi_runtime::prelude::*;
use nhi_tiers::amount;

/// A block that friction stops.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x),
    lagrangian = m/2*dot(x)^2,
    constraints(),
    force = -f*tanh(dot(x)/eps)*dx,
    methods(Dla2, DlaRattle, Dla2Midpoint)
)]
struct Block {
    m: f64,
    f: f64,
    eps: f64,
}

/// The same with another law of friction.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x),
    lagrangian = m/2*dot(x)^2,
    constraints(),
    force = -f*dot(x)/sqrt(dot(x)^2 + eps^2)*dx,
    methods(Dla2, DlaRattle, Dla2Midpoint)
)]
struct Rough {
    m: f64,
    f: f64,
    eps: f64,
}

/// Two blocks on a spring, of which equations are solved together.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + m/4*dot(x)*dot(y),
    constraints(),
    force = -f*tanh(dot(x)/eps)*dx - f*tanh((dot(y) + dot(x)/2)/eps)*dy,
    methods(Dla2, DlaRattle, Dla2Midpoint)
)]
struct Two {
    m: f64,
    f: f64,
    eps: f64,
}

/// A particle that comes to a ramp.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2),
    constraints(ramp: dy - (1 + tanh((x - 1)/eps))/2*dx = 0),
    methods(Dla2)
)]
struct Slope {
    m: f64,
    eps: f64,
}

/// Runs `steps` steps one by one in all executors, and at once, which agree bit by bit: the velocities after each step.
fn run<S, M, const N: usize>(
    system: (S, M),
    variant: Variant,
    parameters: &[f64],
    start: ([f64; N], [f64; N]),
    steps: (f64, u64),
) -> Vec<Vec<f64>>
where
    S: System + Clone,
    S::Configuration<f64>: From<[f64; N]>,
    S::Velocity<f64>: From<[f64; N]>,
    M: nhi_runtime::Method<S> + Clone,
{
    run_of(include_str!("sharp.rs"), system, variant, parameters, start, steps)
}

/// The same for a system of another source file.
pub(crate) fn run_of<S, M, const N: usize>(
    source: &str,
    (system, method): (S, M),
    variant: Variant,
    parameters: &[f64],
    (q, v): ([f64; N], [f64; N]),
    (h, steps): (f64, u64),
) -> Vec<Vec<f64>>
where
    S: System + Clone,
    S::Configuration<f64>: From<[f64; N]>,
    S::Velocity<f64>: From<[f64; N]>,
    M: nhi_runtime::Method<S> + Clone,
{
    let derived = support::derived(source, S::NAME);
    let optimised = derived.optimised().expect("finite constants");
    let compiled = Compiled::new(&optimised, &[variant]).expect("Cranelift runs here");
    let of_method = optimised.methods.iter().find(|functions| functions.method == variant.method);
    let of_method = of_method.expect("a method");
    let name = format!("{} {variant}, {parameters:?}, {h}", S::NAME);
    let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
    let mut derived = Simulation::builder(system, method)
        .start(S::Configuration::from(q), S::Velocity::from(v))
        .step_size(h)
        .build()
        .expect("a start");
    let at = Point { parameters, q: &q, v: &v, z: &[], t: 0.0, inputs: &[] };
    let mut jit = nhi_jit::Simulation::at_point(&compiled, variant, &at, h).expect("a start");
    let mut interpreted =
        nhi_interpreter::Simulation::start(of_method, variant, parameters, [&q, &v, &[], &[]], h)
            .expect("a start");
    let (mut at_once, mut jit_at_once) = (derived.clone(), jit.clone());
    let mut velocities = Vec::new();
    for k in 0..steps {
        derived.step().unwrap_or_else(|e| panic!("{name}: {e}"));
        jit.step().unwrap_or_else(|e| panic!("{name}, at run time: {e}"));
        interpreted.step(&[]).unwrap_or_else(|e| panic!("{name}, interpreted: {e}"));
        let expected = bits(&derived.to_snapshot().state);
        assert_eq!(bits(jit.numbers()), expected, "{name}: step {k} at run time");
        assert_eq!(bits(&interpreted.numbers()), expected, "{name}: step {k} interpreted");
        velocities.push(derived.v().as_ref().to_vec());
    }
    assert_eq!(jit.statistics().evaluations(), derived.statistics().evaluations(), "{name}");
    assert_eq!(jit.statistics().safeguarded(), derived.statistics().safeguarded(), "{name}");
    assert!(jit.statistics().ringing().eq(derived.statistics().ringing()), "{name}");
    at_once.advance(steps).unwrap_or_else(|e| panic!("{name}, at once: {e}"));
    jit_at_once.advance(steps).unwrap_or_else(|e| panic!("{name}, at once at run time: {e}"));
    let expected = bits(&derived.to_snapshot().state);
    assert_eq!(bits(&at_once.to_snapshot().state), expected, "{name}: at once");
    assert_eq!(bits(jit_at_once.numbers()), expected, "{name}: at once at run time");
    velocities
}

/// Width of the friction's smooth part relative to the first velocity.
const WIDTHS: [f64; 4] = [1e-2, 1e-3, 1e-4, 1e-6];

/// The end of a step of the trapezoidal rule v' = v − h/(2m) (F(v) + F(v')), by bisection.
fn trapezoidal(v: f64, friction: impl Fn(f64) -> f64, h: f64) -> f64 {
    let gap = |end: f64| end - v + 0.5 * h * (friction(v) + friction(end));
    let (mut low, mut high) = (-2.0 * v.abs() - h, 2.0 * v.abs() + h);
    while low < 0.5 * (low + high) && 0.5 * (low + high) < high {
        let middle = 0.5 * (low + high);
        if gap(middle) < 0.0 { low = middle } else { high = middle }
    }
    high
}

#[test]
fn friction_stops_a_block_and_keeps_it_at_rest() {
    use nhi_methods::Method;
    let (m, f, h) = (1.0, 3.0, 0.01);
    for eps in WIDTHS {
        let start = ([0.0], [1.00137]);
        let parameters = [m, f, eps];
        let block = || Block { m, f, eps };
        let rough = || Rough { m, f, eps };
        let mut all = vec![
            run((block(), Dla2), Method::Dla2.into(), &parameters, start, (h, 100)),
            run((block(), DlaRattle), Method::DlaRattle.into(), &parameters, start, (h, 100)),
            run((block(), Dla2Midpoint), Method::Dla2Midpoint.into(), &parameters, start, (h, 100)),
            run((rough(), Dla2), Method::Dla2.into(), &parameters, start, (h, 100)),
            run((rough(), DlaRattle), Method::DlaRattle.into(), &parameters, start, (h, 100)),
            run((rough(), Dla2Midpoint), Method::Dla2Midpoint.into(), &parameters, start, (h, 100)),
        ];
        for (i, velocities) in all.iter().enumerate() {
            let last = velocities.last().expect("steps")[0];
            // Velocities of `dla_rattle` at nodes ring, and die out slowly.
            let most = if i % 3 == 1 { 0.02 } else { eps };
            assert!(last.abs() < most, "{i}, {eps}: {last}");
        }
        let two = ([0.0, 0.0], [1.00137, -0.7]);
        let of_two = |velocities: &[Vec<f64>], most: f64| {
            velocities.last().expect("steps").iter().all(|v| v.abs() < most)
        };
        all.clear();
        all.push(run((Two { m, f, eps }, Dla2), Method::Dla2.into(), &parameters, two, (h, 100)));
        all.push(run((Two { m, f, eps }, DlaRattle), Method::DlaRattle.into(), &parameters, two, (h, 100)));
        for (i, velocities) in all.iter().enumerate() {
            assert!(
                of_two(velocities, if i == 1 { 0.03 } else { eps }),
                "{i}, {eps}: {:?}",
                velocities.last()
            );
        }
    }
}

#[test]
fn the_step_that_stops_a_block_solves_the_trapezoidal_equation() {
    let (m, f, eps, h) = (1.0, 3.0, 1e-4, 0.01);
    let friction = |v: f64| f / m * (v / eps).tanh();
    let found = run(
        (Block { m, f, eps }, Dla2),
        nhi_methods::Method::Dla2.into(),
        &[m, f, eps],
        ([0.0], [1.00137]),
        (h, 100),
    );
    let mut before = 1.00137;
    for v in &found {
        let end = trapezoidal(before, friction, h);
        assert!((v[0] - end).abs() <= 1e-13, "{} {end}", v[0]);
        before = v[0];
    }
    // One step leads from 0.01137 into the smooth part.
    assert!(found.iter().any(|v| v[0].abs() < 1e-4), "{found:?}");
    let mut simulation = Simulation::new(Block { m, f, eps }, Dla2, [0.0], [1.00137], h).expect("a start");
    assert_eq!(simulation.statistics().evaluations(), 0);
    (0..100).for_each(|_| simulation.step().expect("a step"));
    let statistics = simulation.statistics();
    assert!(
        statistics.safeguarded() > 0 && statistics.evaluations() > statistics.safeguarded(),
        "{statistics:?}"
    );
}

#[test]
fn a_ramp_turns_a_particle() {
    for (eps, h) in [(1e-3, 0.02), (1e-4, 0.01), (1e-2, 0.02)] {
        let parameters = [1.0, eps];
        let system = Slope { m: 1.0, eps };
        let mut simulation =
            Simulation::new(system.clone(), Dla2, [0.0, 0.0], [1.0137, 0.0], h).expect("a start");
        for _ in 0..120 {
            if simulation.step().is_err() {
                break;
            }
            let residual = simulation.residual()[0].abs();
            assert!(residual < 1e-9, "{eps}, {h}: {residual}");
        }
        let steps = simulation.steps();
        assert_eq!(steps, 120, "{eps}, {h}");
        run(
            (system, Dla2),
            nhi_methods::Method::Dla2.into(),
            &parameters,
            ([0.0; 2], [1.0137, 0.0]),
            (h, steps),
        );
    }
}

/// Two coupled particles that are driven the faster, the faster they are: a long step has no end.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) - m*(x - y)^2/2,
    constraints(),
    force = f*exp(dot(y)/eps)*dy,
    methods(Dla2)
)]
struct Driven {
    m: f64,
    f: f64,
    eps: f64,
}

/// One of these particles, held at a point.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(y),
    lagrangian = m/2*dot(y)^2 - m*y^2/2,
    constraints(),
    force = f*(1 + (dot(y)/eps)^8)*dy,
    methods(Dla2)
)]
struct Alone {
    m: f64,
    f: f64,
    eps: f64,
}

/// The same with a force that no update passes unseen: the iteration has no safeguard.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(y),
    lagrangian = m/2*dot(y)^2,
    constraints(),
    force = f*(1 + (dot(y)/eps)^2)*dy,
    methods(Dla2)
)]
struct Smooth {
    m: f64,
    f: f64,
    eps: f64,
}

/// What is told of a step that has no end, derived and compiled at run time.
fn refusal<S, const N: usize>(system: S) -> String
where
    S: System + Clone,
    S::Configuration<f64>: From<[f64; N]>,
    S::Velocity<f64>: From<[f64; N]>,
    Dla2: nhi_runtime::Method<S>,
{
    let derived = support::derived(include_str!("sharp.rs"), S::NAME);
    let optimised = derived.optimised().expect("finite constants");
    let variant: Variant = nhi_methods::Method::Dla2.into();
    let compiled = Compiled::new(&optimised, &[variant]).expect("Cranelift runs here");
    let (at, h) = ([0.0; N], 1.0);
    let mut sim = Simulation::builder(system, Dla2)
        .start(S::Configuration::from(at), S::Velocity::from(at))
        .step_size(h)
        .build()
        .expect("a start");
    let point = Point { parameters: &[1.0, 3.0, 1.0], q: &at, v: &at, z: &[], t: 0.0, inputs: &[] };
    let mut jit = nhi_jit::Simulation::at_point(&compiled, variant, &point, h).expect("a start");
    let before = sim.to_snapshot().state;
    let refusals = [
        sim.step().map(drop).expect_err("no end").to_string(),
        jit.step().map(drop).expect_err("no end").to_string(),
        sim.advance(3).map(drop).expect_err("no end").to_string(),
        jit.advance(3).map(drop).expect_err("no end").to_string(),
    ];
    assert_eq!(sim.to_snapshot().state, before);
    assert!(refusals.iter().all(|refusal| *refusal == refusals[0]), "{refusals:?}");
    refusals[0].clone()
}

#[test]
fn steps_without_a_solution_tell_what_was_tried_and_which_equation_is_left() {
    let together = refusal(Driven { m: 1.0, f: 3.0, eps: 1.0 });
    for part in ["a line search with ", " evaluations left a relative residual of ", "the equation of `y`"] {
        assert!(together.contains(part), "{together}");
    }
    let alone = refusal(Alone { m: 1.0, f: 3.0, eps: 1.0 });
    for part in ["bisection with ", " evaluations left a relative residual of ", "the equation of `y`"] {
        assert!(alone.contains(part), "{alone}");
    }
    let smooth = refusal(Smooth { m: 1.0, f: 3.0, eps: 1.0 });
    for part in ["Newton's method did not converge and left a relative residual of ", "the equation of `y`"] {
        assert!(smooth.contains(part), "{smooth}");
    }
    println!("{together}\n{alone}\n{smooth}");
}

/// Random numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Between 10^low and 10^high.
    fn scale(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(low + (high - low) * self.next())
    }
}

/// The step function with what its Newton's method computes at a multiple of its solution as a last output: the update, the
/// weights and the solution, and the scale.
fn with_update_at_solution(step: &Function, multiple: f64) -> Option<Function> {
    let mut function = step.clone();
    let at = function.body.iter().position(|statement| matches!(statement, Statement::Newton(_)))?;
    let Statement::Newton(newton) = function.body[at].clone() else { return None };
    let mut again = Vec::new();
    for (&to, &solution) in newton.unknowns.iter().zip(&newton.solution) {
        let operation = Operation::Mul(Operand::Value(solution), Operand::Constant(multiple));
        again.push(Statement::Let { to, operation });
    }
    // The interpreter can assign the values of the loop twice.
    again.extend(newton.body.iter().cloned());
    function.body.splice(at + 1..at + 1, again);
    let solution = newton.solution.iter().map(|&x| Operand::Value(x));
    let values =
        newton.delta.iter().copied().chain(newton.weights).chain(solution).chain([newton.scale2]).collect();
    function.outputs.push(Output { role: Role::named("check"), values, scalar: false });
    Some(function)
}

/// Updates that rounding causes in an ill-conditioned iteration, which Newton's method accepts up to half of this.
const NOISE: f64 = 3e-11;

/// Distances from a solution, relative to it, at which its equations are evaluated as well: some roundings of the unknowns, and more,
/// since equations whose terms are larger than the unknowns are constant over many of their roundings.
const BESIDE: [f64; 2] = [8.0 * f64::EPSILON, 1.0 / (1u64 << 33) as f64];

/// Counts of random steps.
#[derive(Default, Debug)]
struct Counts {
    solved: usize,
    failed: usize,
    largest: f64,
}

/// Random steps of one method: from resolved to absurd ones.
fn random_steps(
    (name, methods, variant): (&str, &[MethodFunctions; 3], Variant),
    compiled: &Compiled,
    random: &mut Random,
    draws: usize,
    counts: &mut Counts,
) {
    'draws: for _ in 0..draws {
        let n = compiled.coordinates().len();
        let width = random.scale(-6.0, 0.0);
        let size = random.scale(-3.0, 3.0);
        let parameters =
            [random.scale(-6.0, 6.0), random.scale(-3.0, 3.0), random.scale(-3.0, 3.0), width * size];
        let parameters =
            [parameters[0], parameters[0] * parameters[1], parameters[0] * parameters[2], parameters[3]];
        let h = random.scale(-5.0, 2.0);
        let q: Vec<f64> = (0..n).map(|_| size * (2.0 * random.next() - 1.0)).collect();
        let v: Vec<f64> = (0..n).map(|_| size * (2.0 * random.next() - 1.0)).collect();
        let at = Point { parameters: &parameters, q: &q, v: &v, z: &[], t: 0.0, inputs: &[] };
        let Ok(q) = compiled.correct(&at) else { continue };
        let Ok(v) = compiled.project(&Point { q: &q, ..at }) else { continue };
        let start = methods.each_ref().map(|method| {
            nhi_interpreter::Simulation::start(method, variant, &parameters, [&q, &v, &[], &[]], h)
        });
        let [Ok(mut simulation), Ok(beside), Ok(further)] = start else { continue };
        let mut beside = [beside, further];
        let unknowns = methods[0].step.outputs.last().expect("the check").values.len() / 3;
        for step in 0..20 {
            if simulation.step(&[]).is_err() {
                counts.failed += 1;
                break;
            }
            let numbers = simulation.numbers();
            let check = &numbers[numbers.len() - 3 * unknowns - 1..];
            let (update, rest) = check.split_at(unknowns);
            let (weights, rest) = rest.split_at(unknowns);
            let (x, scale2) = rest.split_at(unknowns);
            let norm2 = |x: &[f64]| x.iter().zip(weights).map(|(x, w)| w * x * x).sum::<f64>();
            let relative = |x: &[f64], size: &[f64]| (norm2(x) / (norm2(size) + scale2[0])).sqrt();
            let found = relative(update, x);
            // How the update beside the solution differs from that of a linear equation.
            let mut noise: f64 = 0.0;
            for (beside, near) in beside.iter_mut().zip(BESIDE) {
                if beside.step(&[]).is_err() {
                    continue 'draws;
                }
                let moved = beside.numbers();
                let moved = &moved[numbers.len() - 3 * unknowns - 1..][..unknowns];
                let linear = update.iter().zip(x).map(|(update, x)| update - near * x);
                let difference: Vec<f64> =
                    moved.iter().zip(linear).map(|(moved, linear)| moved - linear).collect();
                noise = noise.max(relative(&difference, x));
            }
            // Sines are off by as much as rounding moves their angles.
            let largest = numbers.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
            let has_angles = matches!(name, "Smooth" | "Pendulum");
            let angle = if has_angles { (1.0 + h) * largest / parameters[3] } else { 0.0 };
            counts.solved += 1;
            counts.largest = counts.largest.max(found);
            assert!(
                found <= NOISE * (1.0 + angle / 16.0) + 64.0 * noise,
                "{name} {variant} {parameters:?} h = {h}, q = {q:?}, v = {v:?}, step {step}: update {update:?} of {x:?}, \
                 {found:e} where rounding is {noise:e}"
            );
        }
    }
}

/// 30 draws of parameters and starts for each system and method, about 30,000 steps; with `NHI_TESTS=all`, more than 10⁶ steps.
#[test]
fn each_random_step_solves_its_equations_or_fails() {
    let text = include_str!("sharp/systems.rs");
    let names = ["Blocks", "Groove", "Walls", "Growing", "Ramp", "Wire", "Sleigh", "Smooth", "Pendulum"];
    let counts = in_parallel(
        &names,
        |name| name,
        |name| {
            let derived = support::derived(text, name);
            let optimised = derived.optimised().expect("finite constants");
            let variants: Vec<Variant> =
                optimised.methods.iter().map(|method| method.method.into()).collect();
            let compiled = Compiled::new(&optimised, &variants).expect("Cranelift runs here");
            let (mut random, mut solved) = (Random(7), 0);
            for method in &optimised.methods {
                let at = |near: f64| with_update_at_solution(&method.step, 1.0 + near);
                let [Some(step), Some(beside), Some(further)] = [at(0.0), at(BESIDE[0]), at(BESIDE[1])]
                else {
                    continue;
                };
                let methods = [step, beside, further].map(|step| MethodFunctions { step, ..method.clone() });
                let mut counts = Counts::default();
                let variant: Variant = method.method.into();
                random_steps(
                    (name, &methods, variant),
                    &compiled,
                    &mut random,
                    amount(30, 1200),
                    &mut counts,
                );
                println!("{name} {variant}: {counts:?}");
                solved += counts.solved;
            }
            solved
        },
    );
    assert!(counts.iter().sum::<usize>() > amount(25_000, 1_000_000), "{counts:?}");
}
