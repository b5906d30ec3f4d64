//! Random systems: what is derived for them, and one step of every method, against an oracle that
//! shares nothing with the derivation (`nhi_tests::oracle`) and the equations of the papers.

mod discrete;
mod energies;
mod recipe;
mod system;

use discrete::{Discrete, LEFT, MIDPOINT, RIGHT, Rule, TRAPEZOID, mean};
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::expr::Pool;
use nhi_codegen::forms::method_programs;
use nhi_codegen::mechanics::Mechanics;
use nhi_codegen::method::{Method, MethodPrograms, StartKind, refusal, system_programs};
use nhi_codegen::optimise::optimise;
use nhi_codegen::optimised::Optimised;
use nhi_codegen::parallel::in_parallel;
use nhi_codegen::program::{Constants, Program};
use nhi_interpreter::{Options, run_program};
use nhi_jit::Compiled;
use nhi_methods::Variant;
use nhi_runtime::Limits;
use nhi_tests::oracle::{self, Equations, Point, trajectory};
use recipe::Random;
use system::{Force, INPUTS, Mass, RandomSystem};

/// Rounding of a few hundred operations on numbers of order one.
const ROUNDING: f64 = 1e-12;

/// A random system, what is derived from it, and a state.
struct Case {
    seed: u64,
    system: RandomSystem,
    mechanics: Mechanics,
    at: Point,
    t: f64,
    inputs: Vec<f64>,
}

impl Case {
    fn new(seed: u64) -> Case {
        let system = RandomSystem::new(seed);
        let mechanics =
            Mechanics::derive(system.declare(), &mut BuiltIn).expect("an engine that never fails");
        let mut random = Random(seed + 1_000_000);
        let q = random.numbers(system.n);
        let v = oracle::project(&system, &q, &random.numbers(system.n));
        let (t, inputs) = (random.number(), random.numbers(INPUTS));
        Case { seed, system, mechanics, at: Point { q, v }, t, inputs }
    }

    /// The results of a program in `pool`.
    fn run(&self, pool: &Pool, program: &Program, arguments: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let result = run_program(pool, program, arguments, Options::default());
        result.unwrap_or_else(|e| panic!("seed {}: {}: {e}", self.seed, program.name))
    }

    fn programs(&self, method: Method) -> MethodPrograms {
        let programs = method_programs(&self.mechanics, method);
        programs.step.validate(&programs.pool);
        programs
    }

    fn start(&self, programs: &MethodPrograms, kind: StartKind, h: f64) -> Vec<Vec<f64>> {
        let (_, start) = programs.starts.iter().find(|(k, _)| *k == kind).expect("a start");
        let Point { q, v } = self.at.clone();
        let given =
            [self.system.parameters.clone(), vec![h], q, v, Vec::new(), vec![self.t], self.inputs.clone()];
        self.run(&programs.pool, start, &given)
    }

    fn step(&self, programs: &MethodPrograms, state: &[Vec<f64>], h: f64, t: f64) -> Vec<Vec<f64>> {
        self.run(&programs.pool, &programs.step, &self.arguments(state, h, t))
    }

    /// Arguments of a step.
    fn arguments(&self, state: &[Vec<f64>], h: f64, t: f64) -> Vec<Vec<f64>> {
        let mut arguments = vec![self.system.parameters.clone(), vec![h]];
        arguments.extend_from_slice(state);
        arguments.extend([vec![t], self.inputs.clone()]);
        arguments
    }

    fn discrete(&self, h: f64) -> Discrete<'_, RandomSystem> {
        Discrete { equations: &self.system, h, inputs: &self.inputs }
    }

    /// `residual` vanishes beside numbers of order `scale`.
    fn assert_zero(&self, what: &str, residual: &[f64], scale: f64) {
        let largest =
            residual.iter().fold(0.0, |a: f64, x| if x.is_nan() { f64::NAN } else { a.max(x.abs()) });
        assert!(
            largest <= ROUNDING * scale.max(1.0),
            "seed {} ({:?}): {what}: {largest:e} beside {scale}, {residual:?}",
            self.seed,
            self.system,
        );
    }

    fn assert_close(&self, what: &str, got: &[f64], expected: &[f64]) {
        assert_eq!(got.len(), expected.len(), "seed {}: {what}", self.seed);
        let difference: Vec<f64> = got.iter().zip(expected).map(|(a, b)| a - b).collect();
        self.assert_zero(what, &difference, size(expected));
    }
}

fn size(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |a, x| a.max(x.abs()))
}

/// The equations that a step satisfies.
enum Kind {
    /// Quadratures of the Lagrangian and of the forces, and where in a step the constraint holds.
    Staggered(Rule, Rule, f64),
    Nodal(Rule),
    /// Whether the gradient of the potential is averaged.
    InFrame(bool),
    Reflecting(Rule),
    Restarted(Rule),
    RungeKutta(&'static [&'static [f64]], &'static [f64]),
}

const KINDS: &[(Method, Kind)] = &[
    (Method::Dla1, Kind::Staggered(LEFT, RIGHT, 0.0)),
    (Method::Dla1Adjoint, Kind::Staggered(RIGHT, LEFT, 1.0)),
    (Method::Dla2, Kind::Staggered(TRAPEZOID, TRAPEZOID, 0.5)),
    (Method::Dla2Midpoint, Kind::Staggered(MIDPOINT, MIDPOINT, 0.5)),
    (Method::DlaRattle, Kind::Nodal(TRAPEZOID)),
    (Method::DlaRattleMidpoint, Kind::Nodal(MIDPOINT)),
    (Method::Frame, Kind::InFrame(true)),
    (Method::FrameMidpoint, Kind::InFrame(false)),
    (Method::DiscreteGradient, Kind::InFrame(true)),
    (Method::Rattle, Kind::Reflecting(TRAPEZOID)),
    (Method::GniMidpoint, Kind::Reflecting(MIDPOINT)),
    (Method::GniEulerA, Kind::Reflecting(LEFT)),
    (Method::GniEulerB, Kind::Reflecting(RIGHT)),
    (Method::RattleRestarted, Kind::Restarted(TRAPEZOID)),
    (Method::Rk2Midpoint, Kind::RungeKutta(&[&[], &[0.5]], &[0.0, 1.0])),
    (Method::Rk2Heun, Kind::RungeKutta(&[&[], &[1.0]], &[0.5, 0.5])),
    (
        Method::Rk4,
        Kind::RungeKutta(
            &[&[], &[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0]],
            &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
        ),
    ),
];

/// The k-th of the methods that take a system, which are counted round and round.
fn one_of(mechanics: &Mechanics, k: u64) -> Method {
    let applies = |method: &Method| refusal(*method, mechanics).is_none();
    let all: Vec<Method> = KINDS.iter().map(|(method, _)| *method).filter(applies).collect();
    all[k as usize % all.len()]
}

/// Energy, momentum, projection, accelerations and multipliers.
fn equations_of_motion(case: &mut Case) {
    let programs = system_programs(&mut case.mechanics);
    let v = Random(case.seed).numbers(case.system.n);
    let (p, q) = (case.system.parameters.clone(), case.at.q.clone());
    let arguments = [p, q.clone(), v.clone(), vec![case.t], case.inputs.clone()];
    let (equations, pool) = (&case.system, &case.mechanics.system.pool);
    let check = |what: &str, program: &Program, expected: &[f64]| {
        case.assert_close(what, &case.run(pool, program, &arguments[..program.inputs.len()])[0], expected);
    };
    check("energy", &programs.energy, &[oracle::energy(equations, &q, &v)]);
    check("momentum", &programs.momentum, &oracle::momentum(equations, &q, &v));
    check("residual", &programs.residual, &equations.constraints(&q, &v));
    check("projection", &programs.project, &oracle::project(equations, &q, &v));
    let got =
        case.run(pool, &programs.acceleration, &[&arguments[..3], &[Vec::new()], &arguments[3..]].concat());
    let expected = oracle::motion(equations, &q, &v, case.t, &case.inputs);
    case.assert_close("acceleration", &got[0], &expected.acceleration);
    case.assert_close("multipliers", &got[1], &expected.multipliers);
}

/// The second of two steps satisfies the discrete equations, and the adjoint method undoes it.
fn discrete_equations(case: &mut Case, method: Method, kind: &Kind) {
    let h = 0.04;
    let programs = case.programs(method);
    let start = case.start(&programs, StartKind::Consistent, h);
    let first = case.step(&programs, &start, h, case.t);
    let t = case.t + h;
    let second = case.step(&programs, &first, h, t);
    let discrete = case.discrete(h);
    // Impulses hλ are found to rounding.
    let scale = size(&first.concat());
    let residual = match *kind {
        Kind::Staggered(rule, forces, place) => discrete.staggered((rule, forces, place), t, &first, &second),
        Kind::Nodal(rule) => discrete.nodal(rule, t, &first, &second),
        Kind::InFrame(averages) => discrete.in_frame(averages, t, &first, &second),
        Kind::Reflecting(rule) => discrete.reflecting(rule, t, &first, &second),
        Kind::Restarted(rule) => discrete.restarted(rule, t, &first, &second),
        Kind::RungeKutta(a, b) => {
            let (q, v) = discrete.runge_kutta((a, b), t, &first);
            case.assert_close(method.facts().id, &second[0], &q);
            case.assert_close(method.facts().id, &second[1], &v);
            Vec::new()
        }
    };
    case.assert_zero(method.facts().id, &residual, scale);
    if let Some(adjoint) = method.facts().adjoint {
        let programs = case.programs(adjoint);
        let mut turned = second.clone();
        if let Kind::Reflecting(_) = kind {
            turned.swap(1, 2);
        }
        let mut back = case.step(&programs, &turned, -h, t + h);
        if let Kind::Reflecting(_) = kind {
            back.swap(1, 2);
        }
        case.assert_close(&format!("{method:?} undone: q"), &back[0], &first[0]);
        let after = back.len() - 3;
        case.assert_close(&format!("{method:?} undone: v"), &back[after], &first[after]);
    }
}

/// The program as it is emitted, after the passes, takes the same step.
fn optimised_step(case: &mut Case, method: Method) {
    let h = 0.1;
    let programs = case.programs(method);
    let start = case.start(&programs, StartKind::Consistent, h);
    let expected = case.step(&programs, &start, h, case.t);
    let (mut pool, program) = programs.step.isolated(&programs.pool);
    let program = optimise(&mut pool, &mut Constants::default(), &program);
    program.validate(&pool);
    let got =
        run_program(&pool, &program, &case.arguments(&start, h, case.t), Options::default()).expect("a step");
    for (got, expected) in got.iter().zip(&expected) {
        case.assert_close(&format!("{method:?}, optimised"), got, expected);
    }
}

/// Steps that are compiled at run time compute the bits of the interpreter, and fail where it fails: those of the method, and
/// of a composition of it.
fn compiled_steps(case: &mut Case, method: Method) {
    let (system, programs) = (system_programs(&mut case.mechanics), [case.programs(method)]);
    let optimised = Optimised::of(&case.mechanics, &system, &programs);
    let composed = Variant::with_id(&format!("{}_suzuki4", method.facts().id));
    let variants: Vec<Variant> = [Some(method.into()), composed].into_iter().flatten().collect();
    let compiled = Compiled::new(&optimised, &variants).expect("Cranelift runs here");
    let (Point { q, v }, parameters, inputs, h) = (&case.at, &case.system.parameters, &case.inputs, 0.02);
    // Once more: an entry that the constraints make zero may be a rounding error of larger numbers.
    let v = &compiled.project(&nhi_jit::Point { parameters, q, v, z: &[], t: 0.0, inputs }).expect("regular");
    for variant in variants {
        let start = nhi_jit::Simulation::with_inputs(&compiled, variant, parameters, q, v, inputs, h);
        let mut simulation = start.unwrap_or_else(|error| panic!("seed {}: {variant}: {error}", case.seed));
        // The interpreter runs functions, and does not test energies.
        simulation.set_limits(Limits::NONE);
        let mut at_once = simulation.clone();
        let numbers = [&q[..], v, &[], inputs];
        let start =
            nhi_interpreter::Simulation::start(&optimised.methods[0], variant, parameters, numbers, h);
        let mut interpreted = start.expect("the compiled start succeeds");
        let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        for k in 0..70 {
            let name = format!("seed {} ({:?}): {variant}, step {k}", case.seed, case.system);
            assert_eq!(bits(simulation.numbers()), bits(&interpreted.numbers()), "{name}");
            let (found, expected) = (simulation.step(), interpreted.step(inputs));
            assert_eq!(found.is_ok(), expected.is_ok(), "{name}: {found:?} {expected:?}");
            if found.is_err() {
                break;
            }
        }
        assert_eq!(at_once.advance(70).is_ok(), simulation.steps() == 70, "seed {}: {variant}", case.seed);
        assert_eq!(at_once.steps(), simulation.steps(), "seed {}: {variant}", case.seed);
        assert_eq!(bits(at_once.numbers()), bits(simulation.numbers()), "seed {}: {variant}", case.seed);
    }
}

/// Errors of one step below this are roundings and those of the reference.
const NOISE: f64 = 1e-13;

/// A step from a consistent start is off by a power of h, one more than the order. Its slope between two sizes is off by a
/// multiple of h: the median of three is that between the second and the third size, unless errors drown in noise.
fn local_order(case: &mut Case, method: Method) {
    let programs = case.programs(method);
    let order = method.facts().order;
    let h = if order == 4 { 0.05 } else { 0.02 };
    let errors = [h, h / 2.0, h / 4.0, h / 8.0].map(|h| {
        let start = case.start(&programs, StartKind::Consistent, h);
        let end = case.step(&programs, &start, h, case.t);
        let reference = trajectory(&case.system, &case.at, (case.t, case.t + h), &case.inputs);
        reference.distance(&end[0], &mean(&end))
    });
    let pairs = errors.windows(2).filter(|pair| pair[1] >= NOISE);
    let mut slopes: Vec<f64> = pairs.map(|pair| (pair[0] / pair[1]).log2()).collect();
    // The slope at h = 0: the difference from it is proportional to h, and halved with it.
    let limit = if let [.., coarse, fine] = slopes[..] { 2.0 * fine - coarse } else { f64::NEG_INFINITY };
    slopes.sort_by(f64::total_cmp);
    let fine = match slopes.get(slopes.len() / 2) {
        Some(slope) => slope.max(limit) > f64::from(order + 1) - 0.05,
        // The system is so simple that the method is nearly exact.
        None => errors[0] < 100.0 * NOISE,
    };
    assert!(fine, "seed {} ({:?}): {method:?}: slopes {slopes:?}, errors {errors:?}", case.seed, case.system);
}

/// The three starts of a method that reflects.
fn starts(case: &mut Case, method: Method) {
    let h = 0.1;
    let programs = case.programs(method);
    let Point { q, v } = case.at.clone();
    let forces = oracle::forces(&case.system, &q, &v, case.t, &case.inputs);
    let continuous = oracle::motion(&case.system, &q, &v, case.t, &case.inputs).multipliers;
    let expected = [
        (StartKind::Consistent, continuous),
        (StartKind::Projected, oracle::reaction(&case.system, &q, &forces)),
        (StartKind::Plain, vec![0.0; case.system.m]),
    ];
    for (kind, lambda) in expected {
        let state = case.start(&programs, kind, h);
        case.assert_close("start: q", &state[0], &q);
        case.assert_close("start: v", &mean(&state), &v);
        case.assert_close("start: multipliers", &state[3], &lambda);
        case.assert_zero("start: jump", &case.discrete(h).jump(&state), size(&state.concat()));
    }
}

/// The methods of order two are products of the methods of order one.
fn products(case: &mut Case) {
    let constant = matches!(case.system.mass, Mass::Constant | Mass::Coupled) && !case.system.gyroscopic;
    if !constant || case.system.force_kind == Force::Damped {
        return;
    }
    let (h, t) = (0.1, case.t);
    let [forward, backward, dla2, nodal] =
        [Method::Dla1, Method::Dla1Adjoint, Method::Dla2, Method::DlaRattle]
            .map(|method| case.programs(method));
    let start = case.start(&dla2, StartKind::Consistent, h);
    for (whole, first, second) in [(&dla2, &forward, &backward), (&nodal, &backward, &forward)] {
        let half = case.step(first, &start, h / 2.0, t);
        let product = case.step(second, &half, h / 2.0, t + h / 2.0);
        let whole = case.step(whole, &start, h, t);
        case.assert_close("product: q", &whole[0], &product[0]);
        case.assert_close("product: v", &whole[1], &product[1]);
    }
}

fn everything(seeds: std::ops::Range<u64>) {
    let seeds: Vec<u64> = seeds.collect();
    in_parallel(
        &seeds,
        |_| "a random system",
        |&seed| {
            let mut case = Case::new(seed);
            equations_of_motion(&mut case);
            for (method, kind) in KINDS {
                if refusal(*method, &case.mechanics).is_some() {
                    continue;
                }
                discrete_equations(&mut case, *method, kind);
                local_order(&mut case, *method);
                if let Kind::Reflecting(_) = kind {
                    starts(&mut case, *method);
                }
            }
            products(&mut case);
            // Passes take their time: one method for each system, another for the next.
            let [one, next] = [seed, seed + 3].map(|k| one_of(&case.mechanics, k));
            optimised_step(&mut case, one);
            compiled_steps(&mut case, next);
        },
    );
}

#[test]
fn every_method_is_tested() {
    let tested: Vec<Method> = KINDS.iter().map(|(method, _)| *method).collect();
    // The methods that are for groups, where the tests of groups have them.
    let all: Vec<Method> =
        Method::ALL.iter().copied().filter(|method| !method.facts().kind.is_for_groups()).collect();
    assert_eq!(tested, all);
}

#[test]
fn systems_of_two_or_three_coordinates() {
    everything(0..16);
}

#[test]
fn systems_of_up_to_four_coordinates() {
    everything(16..32);
}
