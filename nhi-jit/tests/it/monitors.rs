//! What a simulation shows beside its state is what the runtime's shows.

use super::support;
use nhi_jit::Compiled;
use nhi_methods::Variant;
use nhi_runtime::prelude::*;
use nhi_runtime::{Method, System};

/// A sleigh in the plane, driven by a torque.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(theta, x, y),
    inputs(torque),
    lagrangian = inertia/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
    constraints(blade: a*dtheta + sin(theta)*dx - cos(theta)*dy),
    force = torque*dtheta,
    methods(Dla2, Rattle)
)]
struct Sleigh {
    m: f64,
    inertia: f64,
    a: f64,
}

/// The same on SE(2), with a rotor.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(psi),
    group = SE2(theta, x, y; omega, v, v_perp),
    lagrangian = inertia/2*(omega^2 + (omega + dot(psi))^2) + m/2*(v^2 + v_perp^2),
    constraints(blade: a*omega - v_perp),
    methods(Rdp, Rattle)
)]
struct OnSe2 {
    m: f64,
    inertia: f64,
    a: f64,
}

/// A sleigh on SE(2): mass matrix and constraint are constant.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    group = SE2(theta, x, y; omega, v, v_perp),
    lagrangian = inertia/2*omega^2 + m/2*(v^2 + v_perp^2),
    constraints(blade: a*omega - v_perp),
    methods(Rdp)
)]
struct Blade {
    m: f64,
    inertia: f64,
    a: f64,
}

/// Board with a rotor and steered wheels.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(psi, phi),
    group = SE2(theta, x, y; omega, v, v_perp),
    lagrangian = m/2*(v^2 + v_perp^2) + m*l^2/2*omega^2 + i*dot(psi)*(dot(psi)/2 + omega) + j*dot(phi)^2,
    constraints(
        back: -l*cos(phi)*omega - sin(phi)*v + cos(phi)*v_perp = 0,
        front: l*cos(phi)*omega + sin(phi)*v + cos(phi)*v_perp = 0,
    ),
    methods(Rdp)
)]
struct Board {
    m: f64,
    l: f64,
    i: f64,
    j: f64,
}

/// A particle in the plane.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2),
    constraints(dx - x*dy),
    methods(Dla2)
)]
struct Plane {
    m: f64,
}

/// The system of this file with that name.
fn compiled(name: &str) -> Compiled {
    let derived = support::derived(include_str!("monitors.rs"), name);
    let optimised = derived.optimised().expect("finite constants");
    let variants: Vec<Variant> = derived.methods.iter().map(|method| method.method.into()).collect();
    Compiled::new(&optimised, &variants).expect("Cranelift runs here")
}

/// Compares two simulations after some steps.
macro_rules! compare {
    ($derived:expr, $compiled:expr, $steps:expr) => {{
        let (mut derived, mut compiled) = ($derived, $compiled);
        for _ in 0..$steps {
            derived.step().expect("a step");
            compiled.step().expect("a step");
        }
        assert_eq!(compiled.numbers()[..derived.q().as_ref().len()], *derived.q().as_ref());
        assert_eq!(compiled.v(), derived.v());
        assert_eq!(compiled.p(), derived.p());
        assert_eq!(compiled.multipliers(), derived.multipliers());
        assert_eq!(compiled.residual(), derived.residual());
        assert_eq!(compiled.reaction(), derived.reaction());
        assert_eq!(compiled.energy(), derived.energy());
        assert_eq!(compiled.inputs(), derived.inputs());
        assert_eq!(compiled.momenta(), derived.momenta().collect::<Vec<_>>());
        assert_eq!(compiled.nonholonomic_momentum(), derived.nonholonomic_momentum().collect::<Vec<_>>());
        let residuals = compiled.momentum_residuals().expect("regular");
        let expected = derived.momentum_residuals().expect("regular");
        let expected: Vec<_> = expected.map(|(name, residual)| (name.to_owned(), residual)).collect();
        assert!(!residuals.is_empty());
        assert_eq!(residuals, expected);
        let (found, (a, lambda)) =
            (compiled.acceleration().expect("regular"), derived.acceleration().expect("regular"));
        assert_eq!((found.a, found.lambda), (a.to_vec(), lambda.to_vec()));
        (derived, compiled)
    }};
}

#[test]
fn monitors_are_those_of_the_runtime() {
    let sleigh = Sleigh { m: 1.0, inertia: 0.5, a: 0.2 };
    let (parameters, q, v) = ([1.0, 0.5, 0.2], [0.3, 0.0, 0.0], [1.2, 0.6, 0.4]);
    let at_run_time = compiled("Sleigh");
    let start = |id: &str| {
        let variant = Variant::with_id(id).expect("a method");
        nhi_jit::Simulation::project(&at_run_time, variant, &parameters, &q, &v, &[0.0], 0.01)
    };
    let derived = Simulation::project(sleigh.clone(), Dla2, q, v, 0.01).expect("it starts");
    let (mut derived, mut found) = compare!(derived, start("dla2").expect("it starts"), 40);
    assert_eq!(found.parasite(), Ok(None));
    derived.step_with(&[0.7]).expect("a step");
    found.step_with(&[0.7]).expect("a step");
    compare!(derived, found, 5);
    let derived = Simulation::project(sleigh, Rattle, q, v, 0.01).expect("it starts");
    let (derived, found) = compare!(derived, start("rattle").expect("it starts"), 40);
    assert_eq!(found.parasite(), Ok(Some(derived.parasite().expect("regular"))));
}

#[test]
fn monitors_on_groups_are_those_of_the_runtime() {
    let system = OnSe2 { m: 1.0, inertia: 0.5, a: 0.2 };
    let (parameters, q, v) = ([1.0, 0.5, 0.2], [0.1, 0.3, 0.0, 0.0], [0.4, 0.8, 1.2, 0.1]);
    let at_run_time = compiled("OnSe2");
    let start = |id: &str| {
        let variant = Variant::with_id(id).expect("a method");
        nhi_jit::Simulation::project(&at_run_time, variant, &parameters, &q, &v, &[], 0.01)
    };
    let derived = Simulation::project(system.clone(), Rdp, q, v, 0.01).expect("it starts");
    let (_, found) = compare!(derived, start("rdp").expect("it starts"), 40);
    assert!(!found.nonholonomic_momentum().is_empty());
    let derived = Simulation::project(system, Rattle, q, v, 0.01).expect("it starts");
    let (derived, found) = compare!(derived, start("rattle").expect("it starts"), 40);
    assert_eq!(found.parasite(), Ok(Some(derived.parasite().expect("regular"))));
}

/// The names of the residuals of the momentum equations, and their largest values, at the nodes up to t = 1.
fn residuals<S: System + Clone, M: Method<S>>(
    mut simulation: Simulation<S, M>,
) -> (Vec<&'static str>, Vec<f64>) {
    let (mut names, mut worst) = (Vec::new(), Vec::new());
    while simulation.time() < 1.0 {
        let before = (simulation.steps(), simulation.q());
        let found = simulation.momentum_residuals().expect("a step").collect::<Vec<_>>();
        assert_eq!((simulation.steps(), simulation.q()), before);
        names = found.iter().map(|(name, _)| *name).collect();
        worst.resize(names.len(), 0.0f64);
        worst.iter_mut().zip(&found).for_each(|(worst, (_, found))| *worst = worst.max(found.abs()));
        simulation.step().expect("a step");
    }
    (names, worst)
}

/// Whether the largest of these residuals is of order 2.
fn assert_second_order(residual: impl Fn(f64) -> f64) {
    let (coarse, fine) = (residual(0.01), residual(0.005));
    let order = (coarse / fine).log2();
    assert!(fine > 1e-9 && (order - 2.0).abs() < 0.1, "{coarse:e}, {fine:e}, order {order}");
}

/// With constant coefficients the equations of Rdp with Exp1 are the mid-point rule for the momentum equations. With the
/// tangents of the exponential map they differ from it by O(h²).
#[test]
fn residuals_of_momentum_equations_with_constant_coefficients() {
    let blade = Blade { m: 1.0, inertia: 0.5, a: 0.2 };
    let (q, v) = ([0.3, 0.0, 0.0], [0.8, 1.2, 0.16]);
    let (names, worst) =
        residuals(Simulation::new(blade.clone(), Rdp::new(Exp1), q, v, 0.01).expect("it starts"));
    assert_eq!(names, ["J_1", "J_2"]);
    assert!(worst.iter().all(|x| *x < 1e-12), "{worst:?}");
    for b in 0..2 {
        let start = |h| Simulation::new(blade.clone(), Rdp, q, v, h).expect("it starts");
        assert_second_order(|h| residuals(start(h)).1[b]);
    }
}

/// Two symmetries, whose momenta are kept, and one vector, which turns with the wheels.
#[test]
fn residuals_of_the_board() {
    let board = Board { m: 1.3, l: 0.8, i: 0.5, j: 0.125 };
    let (phi, omega): (f64, f64) = (0.9, 0.4);
    let (q, v) = ([0.3, phi, 0.1, -0.2, 0.5], [1.5, 0.6, omega, -board.l * omega / phi.tan(), 0.0]);
    let start = |h| Simulation::new(board.clone(), Rdp, q, v, h).expect("it starts");
    let (names, worst) = residuals(start(0.01));
    assert_eq!(names, ["p_psi", "p_phi", "J_1"]);
    assert!(worst[..2].iter().all(|x| *x < 1e-12), "{worst:?}");
    assert_second_order(|h| residuals(start(h)).1[2]);
}

/// Reactions act along x and along y.
#[test]
fn residuals_of_directions_with_reactions() {
    let start = |h| Simulation::new(Plane { m: 1.3 }, Dla2, [0.3, 0.0], [0.3, 1.0], h).expect("it starts");
    assert_eq!(residuals(start(0.01)).0, ["p_x", "p_y"]);
    assert_eq!(Plane::INVARIANCES.len(), 2);
    assert_eq!(Plane::SYMMETRIES, []);
    for i in 0..2 {
        assert_second_order(|h| residuals(start(h)).1[i]);
    }
}

#[test]
fn a_restored_simulation_goes_on_with_the_same_bits() {
    let at_run_time = compiled("Sleigh");
    for id in ["dla2", "rattle"] {
        let variant = Variant::with_id(id).expect("a method");
        let (parameters, v) = ([1.0, 0.5, 0.2], [1.2, 0.6, 0.24]);
        let begun =
            nhi_jit::Simulation::project(&at_run_time, variant, &parameters, &[0.0; 3], &v, &[0.0], 0.01);
        let mut simulation = begun.expect("it starts");
        simulation.advance(20).expect("steps");
        simulation.step_with(&[0.3]).expect("a step");
        let restored = nhi_jit::Simulation::restore(
            &at_run_time,
            variant,
            simulation.parameters(),
            simulation.inputs(),
            simulation.h(),
            simulation.numbers(),
            simulation.steps(),
        );
        let mut restored = restored.expect("numbers of a simulation");
        for simulation in [&mut simulation, &mut restored] {
            simulation.advance(100).expect("steps");
        }
        assert_eq!(restored.numbers(), simulation.numbers(), "{id}");
        assert_eq!(restored.time(), simulation.time());
    }
    let variant = Variant::with_id("dla2").expect("a method");
    let short = nhi_jit::Simulation::restore(&at_run_time, variant, &[1.0; 3], &[0.0], 0.01, &[0.0; 2], 1);
    assert!(matches!(short, Err(nhi_jit::Error::Length { found: 2, .. })));
}
