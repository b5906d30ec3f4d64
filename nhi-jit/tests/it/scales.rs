//! Accelerations and projections of systems whose masses and one-forms span many decades, or have zeros among them, are as accurate as
//! the equations of motion determine them, and have the same bits in derived, compiled and interpreted code.

use crate::support;
use nhi_codegen::lower::Function;
use nhi_codegen::optimised::{MethodFunctions, Optimised};
use nhi_codegen::program::{Role, StateKind};
use nhi_interpreter::Options;
use nhi_jit::{Compiled, Point};
use nhi_methods::Variant;
use nhi_runtime::prelude::*;
use nhi_runtime::{Failure, Method, System, Vector};
use nhi_tiers::amount;
use num_rational::BigRational;
use num_traits::{FromPrimitive, Signed, ToPrimitive, Zero};

/// A heavy mass that a light one carries along a hyperbola.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y),
    lagrangian = m/2*dot(x)^2 + m/2*dot(y)^2 + heavy/2*dot(x*y)^2 - heavy*y,
    constraints(a: dy),
    methods(Rk4, Dla2, DlaRattle, Rattle, RattleRestarted, GniMidpoint)
)]
struct Carried {
    m: f64,
    heavy: f64,
}

/// One-forms that are nearly parallel for large k, although the motion along them is not.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - 2*y - 3*z,
    constraints(a: k*dx - dy, b: k*dx - dz),
    methods(Rk4)
)]
struct Parallel {
    k: f64,
}

/// One-forms of which one contains the other.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2,
    constraints(a: dx + k*dy + x*dz, b: dx),
    methods(Rk4)
)]
struct Sheared {
    k: f64,
}

/// Anything with four velocities and two one-forms, at rest.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x[4]),
    lagrangian = sum(i in 0..4, m[i]/2*dot(x[i])^2) + c*dot(x[0])*dot(x[1]) + d*dot(x[1])*dot(x[2])
        + sum(i in 0..4, f[i]*x[i]),
    constraints(a: sum(i in 0..4, a[i]*dx[i]), b: sum(i in 0..4, b[i]*dx[i])),
    methods(Rk4)
)]
struct Any {
    m: [f64; 4],
    c: f64,
    d: f64,
    f: [f64; 4],
    a: [f64; 4],
    b: [f64; 4],
}

/// A system in all executors.
struct Executors {
    compiled: Compiled,
    optimised: Optimised,
}

impl Executors {
    fn of<S: System>() -> Executors {
        let derived = support::derived(include_str!("scales.rs"), S::NAME);
        let optimised = derived.optimised().expect("finite constants");
        let variants: Vec<Variant> = derived.methods.iter().map(|method| method.method.into()).collect();
        let compiled = Compiled::new(&optimised, &variants).expect("Cranelift runs here");
        Executors { compiled, optimised }
    }

    fn interpreted(function: &Function, at: &Point<'_>) -> Result<Vec<f64>, Failure> {
        let argument = |role: &Role| match role {
            Role::Parameters => at.parameters.to_vec(),
            Role::Configuration => at.q.to_vec(),
            Role::Velocity => at.v.to_vec(),
            Role::States => at.z.to_vec(),
            Role::Inputs => at.inputs.to_vec(),
            Role::Time => vec![at.t],
            other => panic!("no argument of a system: {other:?}"),
        };
        let arguments: Vec<Vec<f64>> = function.arguments.iter().map(|a| argument(&a.role)).collect();
        nhi_interpreter::run(function, &arguments, Options::default()).map(|outputs| outputs.concat())
    }

    /// dv/dt and λ.
    fn acceleration<S: System>(
        &self,
        parameters: &[f64],
        [q, v]: [&[f64]; 2],
    ) -> Result<[Vec<f64>; 2], Failure> {
        let at = Point { parameters, q, v, z: &[], t: 0.0, inputs: &[] };
        let (z, u) = (S::States::splat(0.0), S::Inputs::splat(0.0));
        let derived = S::acceleration_of(&vector(parameters), &vector(q), &vector(v), &z, 0.0, &u);
        let derived = derived.map(|(a, lambda)| [a.as_ref().to_vec(), lambda.as_ref().to_vec()]);
        let compiled = self.compiled.acceleration(&at).map(|found| [found.a, found.lambda]);
        let interpreted = Self::interpreted(&self.optimised.system.acceleration, &at);
        assert_eq!(compiled, derived, "{} {parameters:?}", S::NAME);
        assert_eq!(interpreted, derived.clone().map(|both| both.concat()), "{} {parameters:?}", S::NAME);
        derived
    }

    /// The projection of a velocity, once.
    fn projection<S: System>(&self, parameters: &[f64], [q, v]: [&[f64]; 2]) -> Result<Vec<f64>, Failure> {
        let at = Point { parameters, q, v, z: &[], t: 0.0, inputs: &[] };
        let u = S::Inputs::splat(0.0);
        let derived = S::project_once(&vector(parameters), &vector(q), &vector(v), 0.0, &u);
        let derived = derived.map(|v| v.as_ref().to_vec());
        let interpreted = Self::interpreted(&self.optimised.system.project, &at);
        assert_eq!(interpreted, derived, "{} {parameters:?}", S::NAME);
        let settled = S::project(&vector(parameters), &vector(q), &vector(v), 0.0, &u);
        assert_eq!(
            self.compiled.project(&at),
            settled.map(|v| v.as_ref().to_vec()),
            "{} {parameters:?}",
            S::NAME
        );
        derived
    }
}

fn vector<V: Vector<f64>>(numbers: &[f64]) -> V {
    let mut vector = V::splat(0.0);
    vector.as_mut().copy_from_slice(numbers);
    vector
}

fn assert_close(found: &[f64], expected: &[f64], what: &str) {
    let largest = expected.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    for (x, y) in found.iter().zip(expected) {
        assert!((x - y).abs() <= 8.0 * f64::EPSILON * largest, "{what}: {found:?} {expected:?}");
    }
}

#[test]
fn a_reaction_that_cancels_a_heavy_mass_costs_no_digits() {
    let executors = Executors::of::<Carried>();
    for m in [1e3, 1.0, 1e-3, 1e-6, 1e-9, 1e-15, 0.0] {
        let found = executors.acceleration::<Carried>(&[m, 1000.0], [&[0.3, 0.7], &[1.0, 0.0]]);
        let [a, lambda] = found.expect("regular");
        assert_close(&[&a[..], &lambda].concat(), &[0.0, 0.0, 1000.0], &format!("m = {m}"));
        let projected =
            executors.projection::<Carried>(&[m, 1000.0], [&[0.3, 0.7], &[1.0, 2.0]]).expect("regular");
        // The momentum along x is kept: (m + M y²) x' = (m + M y²) + 2 M x y.
        let x = 1.0 + 2000.0 * 0.3 * 0.7 / (m + 1000.0 * 0.7 * 0.7);
        assert_close(&projected, &[x, 0.0], &format!("m = {m}"));
    }
}

#[test]
fn steps_find_the_motion_beside_a_reaction_that_a_light_mass_makes_large() {
    fn error<M: Method<Carried>>(method: M, m: f64) -> f64 {
        let system = Carried { m, heavy: 1000.0 };
        let sim = Simulation::builder(system, method).start([0.3, 0.7], [1.0, 0.0]).step_size(0.01).build();
        let mut sim = sim.expect("an admissible start");
        sim.advance(100).expect("a regular motion");
        // The momentum (m + M y²) x' is conserved.
        (sim.q()[0] - 1.3).abs().max((sim.q()[1] - 0.7).abs())
    }
    for m in [1.0, 1e-2, 1e-3, 1e-4] {
        // The condition number of the mass matrix. In methods that reflect, velocities have as large a factor.
        let condition = 1000.0 / m;
        let resolved = f64::EPSILON * condition;
        assert!(error(Dla2, m) < 1e-14);
        assert!(error(DlaRattle, m) < resolved);
        assert!(error(RattleRestarted, m) < resolved * condition);
        assert!(error(Rattle, m) < resolved * condition);
        assert!(error(GniMidpoint, m) < resolved * condition);
    }
}

/// A heavy mass at functions of s, w, u and r whose motion constraints hold with a large reaction, while light masses move on uniformly.
struct Held {
    /// With S, W, U and R for s, w, u and r.
    lagrangian: &'static str,
    constraints: &'static str,
    /// ds/dt, and so on.
    rates: &'static [f64],
}

const HELD: [Held; 6] = [
    Held {
        lagrangian: "m/2*dot(S)^2 + m/2*dot(W)^2 + heavy/2*dot(S*W)^2 - heavy*W",
        constraints: "constraints(d(W))",
        rates: &[1.0, 0.0],
    },
    Held {
        lagrangian: "m/2*dot(S)^2 + m/2*dot(W)^2 + heavy/2*(dot(S) + dot(W))^2 - heavy*W",
        constraints: "constraints(d(W))",
        rates: &[1.0, 0.0],
    },
    Held {
        lagrangian: "m/2*dot(S)^2 + m/2*dot(W)^2 + heavy/2*dot(S*W)^2 - heavy*W",
        constraints: "holonomic(W - 7/10)",
        rates: &[1.0, 0.0],
    },
    Held {
        lagrangian: "m/2*dot(S)^2 + m/2*dot(W)^2 + m/2*dot(U)^2 + heavy/2*dot(S*W)^2 - heavy*W",
        constraints: "constraints(d(W))",
        rates: &[1.0, 0.0, 0.5],
    },
    Held {
        lagrangian: "m/2*dot(S)^2 + m/2*dot(W)^2 + dot(U)^2/2 + heavy/2*dot(S*W + U*S)^2 - heavy*W - heavy*U",
        constraints: "constraints(d(W), d(U))",
        rates: &[1.0, 0.0, 0.0],
    },
    Held {
        lagrangian: "m/2*dot(S)^2 + m/2*dot(W)^2 + dot(U)^2/2 + dot(R)^2/2 + heavy/2*dot(S*W + U*S)^2 - heavy*W - heavy*U",
        constraints: "constraints(d(W), d(U))",
        rates: &[1.0, 0.0, 0.0, -0.4],
    },
];

/// Steps of methods that promise the constraints at their states keep them up to the rounding of their own terms, however near to a
/// singular matrix their equations are, and say what is singular where they cannot.
#[test]
fn states_satisfy_constraints_up_to_the_rounding_of_their_terms() {
    // With whether their one-forms are constant.
    const SYSTEMS: [(&str, bool, &[f64], &[f64]); 6] = [
        // A heavy mass on a hyperbola, with light ones.
        (
            "coordinates(x[3]), lagrangian = m/2*(dot(x[0])^2 + dot(x[1])^2 + dot(x[2])^2) + heavy/2*dot(x[0]*x[1])^2 - heavy*x[1],
             constraints(a: dx[1], b: dx[2] - x[0]*dx[1])",
            false,
            &[0.3, 0.7, -0.2],
            &[1.0, 0.0, 0.0],
        ),
        (
            "coordinates(x[4]), lagrangian = sum(i in 0..4, m/2*dot(x[i])^2) + heavy/2*dot(x[0]*x[1] + x[2]*x[0])^2 - heavy*x[1] - heavy*x[2],
             constraints(a: x[0]*dx[1] + dx[2] - dx[3], b: dx[1] - cos(x[3])*dx[2])",
            false,
            &[0.3, 0.7, -0.2, 0.1],
            &[1.0, 0.2, 0.3, -0.4],
        ),
        (
            "coordinates(x[3]), lagrangian = m/2*(dot(x[0])^2 + dot(x[1])^2) + dot(x[2])^2/2 + heavy/2*(dot(x[0]) + dot(x[1]))^2 - heavy*x[0],
             constraints(a: dx[0] + x[1]*dx[2], b: dx[1] - sin(x[0])*dx[2])",
            false,
            &[0.3, 0.7, -0.2],
            &[1.0, 0.0, 0.5],
        ),
        // Nearly parallel one-forms.
        (
            "coordinates(x[3]), lagrangian = (dot(x[0])^2 + dot(x[1])^2 + dot(x[2])^2)/2 - 2*x[1] - 3*x[2],
             constraints(a: heavy/m*dx[0] - dx[1], b: heavy/m*dx[0] - dx[2])",
            true,
            &[0.0, 0.0, 0.0],
            &[0.0, 0.0, 0.0],
        ),
        (
            "coordinates(x[4]), lagrangian = sum(i in 0..4, dot(x[i])^2/2) - 2*x[1] - 3*x[2] - x[3]^2/2,
             constraints(a: heavy/m*dx[0] - dx[1] + dx[3]/3, b: heavy/m*dx[0] - dx[2], c: heavy/m*(dx[0] + dx[3]) - dx[1])",
            true,
            &[0.0, 0.0, 0.0, 0.4],
            &[0.0, 0.0, 0.0, 0.0],
        ),
        // One that turns.
        (
            "coordinates(x[3]), lagrangian = (dot(x[0])^2 + dot(x[1])^2 + dot(x[2])^2)/2 - 2*x[1] - 3*x[2],
             constraints(a: heavy/m*dx[0] - cos(x[2])*dx[1], b: heavy/m*dx[0] - dx[2])",
            false,
            &[0.0, 0.0, 0.2],
            &[0.0, 0.0, 0.0],
        ),
    ];
    let (mut right, mut refused) = (0, 0);
    for (system, has_constant_forms, q, v) in SYSTEMS {
        let text = format!(
            "#[nonholonomic({system}, methods(Dla1, Dla2, DlaRattle, DlaRattleMidpoint, RattleRestarted))]
            #[derive(Nonholonomic)]
            struct Near {{ m: f64, heavy: f64 }}"
        );
        let derived = support::derived(&text, "Near");
        let optimised = derived.optimised().expect("finite constants");
        let variants: Vec<Variant> = optimised.methods.iter().map(|method| method.method.into()).collect();
        let compiled = Compiled::new(&optimised, &variants).expect("Cranelift runs here");
        for exponent in 0..16 {
            let parameters = [10f64.powi(-exponent), if system.contains("heavy/m") { 1.0 } else { 1000.0 }];
            let point = Point { parameters: &parameters, q, v, z: &[], t: 0.0, inputs: &[] };
            for (&variant, method) in variants.iter().zip(&optimised.methods) {
                let name = format!("{variant}, m = 1e-{exponent}: {system}");
                // The impulses of these methods follow from μM⁻¹μᵀ of two configurations where one-forms turn.
                let is_staggered = matches!(method.method.facts().id, "dla1" | "dla2");
                if is_staggered && !has_constant_forms {
                    continue;
                }
                let run = nhi_jit::Simulation::project_point(&compiled, variant, &point, 0.01);
                let Ok(mut run) = run else {
                    refused += 1;
                    continue;
                };
                let parts = [q, run.v().as_slice(), &[], &[]].map(<[f64]>::to_vec);
                let interpreted = nhi_interpreter::Simulation::start(
                    method,
                    variant,
                    &parameters,
                    [&parts[0], &parts[1], &parts[2], &parts[3]],
                    0.01,
                );
                let mut interpreted = interpreted.expect("the same start");
                for k in 0..100 {
                    if let Err(error) = run.step() {
                        let error = error.to_string();
                        let is_told = ["singular", "dependent", "inertia", "kinetic energy"];
                        assert!(is_told.iter().any(|part| error.contains(part)), "{error}, {name}");
                        refused += 1;
                        break;
                    }
                    interpreted.step(&[]).expect("the same step");
                    let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
                    assert_eq!(bits(run.numbers()), bits(&interpreted.numbers()), "{name}: step {k}");
                    let velocity = run.v();
                    let largest = velocity.iter().fold(0.0, |largest: f64, v| largest.max(v.abs()));
                    let at = Point { q: run.q(), v: &velocity, t: run.time(), ..point };
                    let all = vec![largest; q.len()];
                    let scales = [&velocity, &all].map(|v| compiled.residual_scale(&Point { v, ..at }));
                    for (a, residual) in compiled.residual(&at).iter().enumerate() {
                        // Velocities that are rounding of others are no motion.
                        let resolved = 1e-11 * scales[0][a] + 64.0 * f64::EPSILON * scales[1][a];
                        assert!(
                            residual.abs() <= resolved,
                            "{residual:e} of {resolved:e} in step {k}: {name}"
                        );
                    }
                    right += 1;
                }
            }
        }
    }
    assert!(right > 100 * refused, "{right} and {refused}");
}

/// A matrix of sixteenths.
fn sixteenths(random: &mut Random, n: usize) -> Vec<Vec<f64>> {
    let entry = |random: &mut Random, i: usize, j: usize| {
        (random.next() % 17) as f64 / 16.0 - 0.5 + if i == j { 1.5 } else { 0.0 }
    };
    (0..n).map(|i| (0..n).map(|j| entry(random, i, j)).collect()).collect()
}

/// A text in the coordinates x[i], of which s, w, u and r are linear functions with these rows.
fn in_coordinates(text: &str, rows: &[Vec<f64>]) -> String {
    let mut text = text.to_owned();
    for (letter, row) in ["S", "W", "U", "R"].into_iter().zip(rows) {
        let terms: Vec<String> = row.iter().enumerate().map(|(i, c)| format!("({c})*x[{i}]")).collect();
        text = text.replace(letter, &format!("({})", terms.join(" + ")));
    }
    text
}

/// Every method is right after t = 1, or says what is singular, whatever the ratio of masses is.
#[test]
fn motions_beside_large_reactions_are_right_or_refused() {
    let mut random = Random(26);
    let (mut right, mut refused) = (0, 0);
    for Held { lagrangian, constraints, rates } in &HELD[..amount(4, HELD.len())] {
        let n = rates.len();
        for is_mixed in [false, true] {
            let unit = |i: usize| (0..n).map(|j| f64::from(u8::from(i == j))).collect();
            let rows = if is_mixed { sixteenths(&mut random, n) } else { (0..n).map(unit).collect() };
            let [lagrangian, constraints] = [lagrangian, constraints].map(|text| in_coordinates(text, &rows));
            let text = format!(
                "#[nonholonomic(coordinates(x[{n}]), lagrangian = {lagrangian}, {constraints}, methods(all))]
                #[derive(Nonholonomic)]
                struct Mixed {{ m: f64, heavy: f64 }}"
            );
            let derived = support::derived(&text, "Mixed");
            let optimised = derived.optimised().expect("finite constants");
            // Reflections of order 1 have an error of their own, by the half of a step's impulse that a start leaves out.
            let reflects = |method: &&MethodFunctions| method.state == StateKind::Jump;
            let has_error = |method: &&MethodFunctions| reflects(method) && method.method.facts().order == 1;
            let methods: Vec<&MethodFunctions> =
                optimised.methods.iter().filter(|method| !has_error(method)).collect();
            let variants: Vec<Variant> = methods.iter().map(|method| method.method.into()).collect();
            let compiled = Compiled::new(&optimised, &variants).expect("Cranelift runs here");
            let exact = |x: f64| BigRational::from_f64(x).expect("finite");
            let matrix: Vec<Vec<BigRational>> =
                rows.iter().map(|row| row.iter().copied().map(exact).collect()).collect();
            let at = |s: &[f64]| -> Vec<f64> {
                let s: Vec<BigRational> = s.iter().copied().map(exact).collect();
                let (x, _) = solved(&matrix, &s).expect("regular");
                x.iter().map(|x| x.to_f64().expect("in range")).collect()
            };
            let start = &[0.3, 0.7, -0.2, 0.1][..n];
            let end: Vec<f64> = start.iter().zip(*rates).map(|(s, rate)| s + rate).collect();
            let (q, v, end) = (at(start), at(rates), at(&end));
            for exponent in 0..16 {
                let parameters = [10f64.powi(-exponent), 1000.0];
                let point = Point { parameters: &parameters, q: &q, v: &v, z: &[], t: 0.0, inputs: &[] };
                for (&variant, method) in variants.iter().zip(&methods) {
                    let name = format!("{variant}, m = 1e-{exponent}: {text}");
                    let run = nhi_jit::Simulation::project_point(&compiled, variant, &point, 0.01);
                    let run = run.and_then(|mut sim| sim.advance(100).map(|()| sim));
                    match run {
                        Ok(sim) => {
                            let off = sim.q().iter().zip(&end).map(|(x, end)| (x - end).abs());
                            let off = off.fold(0.0, f64::max);
                            // The condition number of the mass matrix; and what is lost by velocities of reflections.
                            let condition = parameters[1] / parameters[0];
                            let resolved = 10.0 * f64::EPSILON * condition;
                            let bound = if reflects(method) { f64::max(resolved, 1e-3) } else { resolved };
                            assert!(off < bound, "{off:e}, {name}");
                            right += 1;
                        }
                        Err(error) => {
                            let error = error.to_string();
                            let is_told = ["singular", "dependent", "inertia", "kinetic energy"];
                            assert!(is_told.iter().any(|part| error.contains(part)), "{error}, {name}");
                            refused += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(right > refused, "{right} and {refused}");
}

#[test]
fn one_forms_may_be_as_parallel_as_their_numbers_tell() {
    let executors = Executors::of::<Parallel>();
    for k in [1.0, 1e1, 1e2, 1e3, 1e5, 1e7, 1e8, 1e12, 1e16] {
        let [a, _] = executors.acceleration::<Parallel>(&[k], [&[0.0; 3], &[0.0; 3]]).expect("regular");
        let x = -5.0 * k / (1.0 + 2.0 * k * k);
        for (found, expected) in a.iter().zip([x, k * x, k * x]) {
            // Each by itself, although they are of different sizes.
            assert!(
                (found - expected).abs() <= 32.0 * f64::EPSILON * expected.abs(),
                "k = {k}: {found} {expected}"
            );
        }
    }
    let variant = Variant::from(nhi_methods::Method::Rk4);
    for k in [1.0, 1e3, 1e5, 1e7, 1e8, 1e10, 1e12] {
        let mut run =
            nhi_jit::Simulation::new(&executors.compiled, variant, &[k], &[0.0; 3], &[0.0; 3], 0.01)
                .unwrap_or_else(|error| panic!("k = {k}: {error}"));
        run.advance(100).unwrap_or_else(|error| panic!("k = {k}: {error}"));
        let x = -5.0 * k / (1.0 + 2.0 * k * k) / 2.0;
        for (found, expected) in run.q().iter().zip([x, k * x, k * x]) {
            assert!((found - expected).abs() <= 1e-13 * expected.abs(), "k = {k}: {found} {expected}");
        }
    }
    let executors = Executors::of::<Sheared>();
    for k in [1.0, 1e2, 1e4, 1e6, 1e9] {
        let v = executors.projection::<Sheared>(&[k], [&[0.7, 0.0, 0.0], &[1.0, 2.0, 3.0]]).expect("regular");
        // k y' + x z' = 0 and x' = 0, nearest to (2, 3).
        let along = (3.0 * k - 0.7 * 2.0) / (k * k + 0.7 * 0.7);
        assert_close(&v, &[0.0, -0.7 * along, k * along], &format!("k = {k}"));
    }
}

/// The solution s of A s = b, and A⁻¹; none if A is singular.
fn solved(
    matrix: &[Vec<BigRational>],
    b: &[BigRational],
) -> Option<(Vec<BigRational>, Vec<Vec<BigRational>>)> {
    let n = b.len();
    let one = |i: usize| (0..n).map(move |j| BigRational::from_u8(u8::from(i == j)).expect("a number"));
    let mut rows: Vec<Vec<BigRational>> =
        (0..n).map(|i| matrix[i].iter().cloned().chain(one(i)).chain([b[i].clone()]).collect()).collect();
    for k in 0..n {
        let pivot = (k..n).find(|&i| !rows[i][k].is_zero())?;
        rows.swap(k, pivot);
        let scaled: Vec<BigRational> = rows[k].iter().map(|x| x / &rows[k][k]).collect();
        for (i, row) in rows.iter_mut().enumerate() {
            let factor = row[k].clone();
            if i == k {
                row.clone_from(&scaled);
            } else if !factor.is_zero() {
                row.iter_mut().zip(&scaled).for_each(|(x, y)| *x -= &factor * y);
            }
        }
    }
    let solution = rows.iter().map(|row| row[2 * n].clone()).collect();
    Some((solution, rows.into_iter().map(|row| row[n..2 * n].to_vec()).collect()))
}

/// A pseudo-random sequence (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn scale(&mut self) -> f64 {
        10f64.powf(6.0 * self.unit())
    }
}

/// Parameters of [`Any`]: masses and rows that span twelve decades, and in some cases a velocity without mass.
fn parameters(random: &mut Random) -> Vec<f64> {
    let mut m: Vec<f64> = (0..4).map(|_| random.scale()).collect();
    let kind = random.next() % 4;
    let mut c = 0.99 * random.unit() * (m[0] * m[1]).sqrt();
    let d = if kind < 2 { 0.0 } else { 0.1 * random.unit() * (m[1] * m[2]).sqrt() };
    match kind {
        0 => c = 0.0,
        1 => (m[3], m[0], c) = (0.0, m[0], c),
        _ => {}
    }
    let f: Vec<f64> = m.iter().map(|m| if kind == 2 { m * random.unit() } else { random.unit() }).collect();
    let rows: Vec<f64> = (0..2)
        .flat_map(|_| {
            let size = random.scale();
            (0..4).map(|_| size * random.unit()).collect::<Vec<f64>>()
        })
        .collect();
    [m, vec![c, d], f, rows].concat()
}

#[test]
fn accelerations_are_exact_up_to_the_condition_of_the_scaled_problem() {
    let executors = Executors::of::<Any>();
    let mut random = Random(27);
    let exact = |x: f64| BigRational::from_f64(x).expect("finite");
    let mut solved_cases = 0;
    for case in 0..amount(300, 3000) {
        let parameters = parameters(&mut random);
        let [m, rest] = [&parameters[..4], &parameters[4..]];
        let ([c, d], f, [a, b]) = ([rest[0], rest[1]], &rest[2..6], [&rest[6..10], &rest[10..14]]);
        let mut matrix = vec![vec![exact(0.0); 6]; 6];
        for i in 0..4 {
            matrix[i][i] = exact(m[i]);
            for (row, form) in [(4, a), (5, b)] {
                matrix[row][i] = exact(form[i]);
                matrix[i][row] = exact(-form[i]);
            }
        }
        for (i, j, x) in [(0, 1, c), (1, 2, d)] {
            (matrix[i][j], matrix[j][i]) = (exact(x), exact(x));
        }
        let rhs: Vec<BigRational> = f.iter().copied().chain([0.0; 2]).map(exact).collect();
        let found = executors.acceleration::<Any>(&parameters, [&[0.0; 4], &[0.0; 4]]);
        let Some((truth, inverse)) = solved(&matrix, &rhs) else {
            assert!(found.is_err(), "case {case} is singular");
            continue;
        };
        let [a, _] = found.unwrap_or_else(|e| panic!("case {case}: {parameters:?}: {e}"));
        // What relative errors of the numbers in the equations do to each velocity, however equations and velocities are scaled.
        let times = |row: &[BigRational], x: &[BigRational]| -> BigRational {
            row.iter().zip(x).map(|(a, x)| a.abs() * x.abs()).sum()
        };
        let terms: Vec<BigRational> =
            matrix.iter().zip(&rhs).map(|(row, b)| times(row, &truth) + b.abs()).collect();
        // In units in which velocities are comparable.
        let unit = |i: usize| if m[i] > 0.0 { m[i].sqrt() } else { 1.0 };
        let to_f64 = |x: BigRational| x.to_f64().expect("in range");
        let allowed = (0..4).map(|i| unit(i) * to_f64(times(&inverse[i], &terms))).fold(0.0, f64::max);
        for i in 0..4 {
            let error = unit(i) * to_f64((exact(a[i]) - &truth[i]).abs());
            let rounding =
                f64::EPSILON * if m[i] > 0.0 { allowed } else { to_f64(times(&inverse[i], &terms)) };
            assert!(
                error <= 100.0 * rounding,
                "case {case}, {i}: {} roundings, {parameters:?}",
                error / rounding
            );
        }
        solved_cases += 1;
    }
    assert!(solved_cases > amount(280, 2800), "{solved_cases}");
}

#[test]
fn what_is_singular_is_told() {
    let executors = Executors::of::<Any>();
    let with = |m: [f64; 4], a: [f64; 4], b: [f64; 4]| {
        let parameters = [&m[..], &[0.0; 2], &[1.0; 4], &a, &b].concat();
        executors.acceleration::<Any>(&parameters, [&[0.0; 4], &[0.0; 4]]).err()
    };
    let (a, b) = ([1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0]);
    assert_eq!(with([1.0; 4], a, b), None);
    assert_eq!(with([1.0; 4], a, a.map(|x| 0.1 * x)), Some(Failure::SingularConstraints));
    assert_eq!(with([1.0; 4], a, [0.0; 4]), Some(Failure::SingularConstraints));
    assert_eq!(with([0.0, 0.0, 1.0, 1.0], a, b), None);
    assert_eq!(with([0.0, 0.0, 0.0, 1.0], a, b), Some(Failure::SingularMass));
    assert_eq!(with([0.0; 4], a, b), Some(Failure::SingularMass));
    assert_eq!(
        with([-1.0, 1.0, 1.0, 1.0], [1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0]),
        Some(Failure::SingularMass)
    );
}

/// One-forms that turn, which are nearly parallel for large k.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - x - 2*y - 3*z,
    constraints(a: k*dx - cos(x)*dy, b: k*dx - dz),
    methods(Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, Rdp, Rattle, GniMidpoint)
)]
struct Turning {
    k: f64,
}

/// k from 1 to 10⁸.
fn disparities() -> impl Iterator<Item = f64> {
    (0..=8).map(|exponent| 10f64.powi(exponent))
}

/// Reactions act along one-forms at one place, and constraints hold at another. States satisfy these up to the rounding of their terms.
#[test]
fn one_forms_that_turn_may_be_as_parallel_as_their_numbers_tell() {
    const CONSTRAINTS: [&str; 5] = [
        "a: k*dx - dy, b: k*dx - dz",
        "a: k*dx - cos(x)*dy, b: k*dx - dz",
        "a: k*dx - cos(z)*dy, b: k*dx - dz",
        "a: k*dx - cos(z)*dy, b: k*dx - cos(y)*dz",
        "a: k*dx - cos(z)*dy, b: k*dx - (1 + x)*dz",
    ];
    for constraints in CONSTRAINTS {
        let text = format!(
            "#[nonholonomic(
                coordinates(x, y, z), lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - x - 2*y - 3*z,
                constraints({constraints}), methods(all)
            )]
            #[derive(Nonholonomic)]
            struct Turned {{ k: f64 }}"
        );
        let derived = support::derived(&text, "Turned");
        let optimised = derived.optimised().expect("finite constants");
        // Runge–Kutta methods leave the constraints.
        let keeps = |method: &&MethodFunctions| !method.method.facts().id.starts_with("rk");
        let methods: Vec<&MethodFunctions> = optimised.methods.iter().filter(keeps).collect();
        assert!(methods.len() > 15);
        let variants: Vec<Variant> = methods.iter().map(|method| method.method.into()).collect();
        let compiled = Compiled::new(&optimised, &variants).expect("Cranelift runs here");
        let (q, v) = ([0.3, 0.1, 0.2], [0.0; 3]);
        for k in disparities() {
            let parameters = [k];
            let point = Point { parameters: &parameters, q: &q, v: &v, z: &[], t: 0.0, inputs: &[] };
            for (&variant, method) in variants.iter().zip(&methods) {
                let name = format!("{variant}, k = {k}: {constraints}");
                let run = nhi_jit::Simulation::new(&compiled, variant, &parameters, &q, &v, 0.01);
                let mut run = run.unwrap_or_else(|error| panic!("{name}: {error}"));
                let start = [&q[..], &v, &[], &[]];
                let interpreted =
                    nhi_interpreter::Simulation::start(method, variant, &parameters, start, 0.01);
                let mut interpreted = interpreted.expect("the same start");
                for step in 0..100 {
                    run.step().unwrap_or_else(|error| panic!("{name}: {error}"));
                    interpreted.step(&[]).expect("the same step");
                    let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
                    assert_eq!(bits(run.numbers()), bits(&interpreted.numbers()), "{name}: step {step}");
                    let velocity = run.v();
                    let at = |v| Point { q: run.q(), v, t: run.time(), ..point };
                    // Velocities before and after a reflection have terms of their own.
                    let terms: Vec<Vec<f64>> = match method.state {
                        StateKind::Jump => {
                            let both = run.numbers()[3..9].chunks(3);
                            both.map(|v| compiled.residual_scale(&at(v))).collect()
                        }
                        _ => vec![compiled.residual_scale(&at(&velocity))],
                    };
                    for (a, residual) in compiled.residual(&at(&velocity)).iter().enumerate() {
                        let size = terms.iter().map(|terms| terms[a]).fold(0.0, f64::max);
                        // Formulas may lose six bits.
                        assert!(
                            residual.abs() <= 256.0 * f64::EPSILON * size,
                            "{residual:e} of {size:e} in step {step}: {name}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn derived_steps_with_one_forms_that_turn_are_those_that_are_compiled() {
    fn compare<M: Method<Turning> + Clone>(executors: &Executors, method: M) {
        let variant = Variant::with_id(method.id()).expect("a method");
        for k in disparities() {
            let (q, v) = ([0.3, 0.1, 0.2], [0.0; 3]);
            let begin =
                Simulation::builder(Turning { k }, method.clone()).start(q, v).step_size(0.01).build();
            let mut derived = begin.expect("an admissible start");
            let mut compiled =
                nhi_jit::Simulation::new(&executors.compiled, variant, &[k], &q, &v, 0.01).expect("the same");
            for step in 0..100 {
                derived.step().unwrap_or_else(|error| panic!("{variant}, k = {k}: {error}"));
                compiled.step().expect("the same step");
                assert_eq!(derived.q(), *compiled.q(), "{variant}, k = {k}: step {step}");
                assert_eq!(derived.v().to_vec(), compiled.v(), "{variant}, k = {k}: step {step}");
            }
        }
    }
    let executors = Executors::of::<Turning>();
    compare(&executors, Dla1Adjoint);
    compare(&executors, Dla2);
    compare(&executors, Dla2Midpoint);
    compare(&executors, DlaRattle);
    compare(&executors, Rdp);
    compare(&executors, Rattle);
    compare(&executors, GniMidpoint);
}
