//! A snakeboard with both wheel axes along the board: its one-forms are dependent there.

use super::support;
use nhi_jit::Compiled;
use nhi_methods::Variant;
use nhi_runtime::prelude::*;
use nhi_runtime::{Error, Failure, Forms, Limits, Method, System};

#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(q1, q2, q3, q4, q5),
    let(
        bx = q1 + l/2*cos(q3), by = q2 + l/2*sin(q3),
        cx = q1 - l/2*cos(q3), cy = q2 - l/2*sin(q3)
    ),
    lagrangian = m/2*(dot(q1)^2 + dot(q2)^2 + dot(bx)^2 + dot(by)^2 + dot(cx)^2 + dot(cy)^2)
        + i/2*(dot(q3)^2 + (dot(q3) + dot(q4))^2 + (dot(q3) + dot(q5))^2),
    constraints(
        front: -sin(q3 + q4)*d(bx) + cos(q3 + q4)*d(by),
        rear: -sin(q3 + q5)*d(cx) + cos(q3 + q5)*d(cy)
    ),
    methods(Dla2, DlaRattle)
)]
struct Board {
    l: f64,
    m: f64,
    i: f64,
}

/// The board with a pin behind it that has no mass.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(q1, q2, q3, q4, q5, pin),
    let(
        bx = q1 + l/2*cos(q3), by = q2 + l/2*sin(q3),
        cx = q1 - l/2*cos(q3), cy = q2 - l/2*sin(q3)
    ),
    lagrangian = m/2*(dot(q1)^2 + dot(q2)^2 + dot(bx)^2 + dot(by)^2 + dot(cx)^2 + dot(cy)^2)
        + i/2*(dot(q3)^2 + (dot(q3) + dot(q4))^2 + (dot(q3) + dot(q5))^2),
    constraints(
        front: -sin(q3 + q4)*d(bx) + cos(q3 + q4)*d(by),
        rear: -sin(q3 + q5)*d(cx) + cos(q3 + q5)*d(cy),
        towed: dpin - dq1 - l*sin(q3)*dq3
    ),
    methods(DlaRattle)
)]
struct Towing {
    l: f64,
    m: f64,
    i: f64,
}

/// A slider without mass beside a particle, which moves it unless x = 0.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, slider),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2),
    constraints(link: x*dslider - dy),
    methods(Dla2, DlaRattle)
)]
struct Slider {
    m: f64,
}

/// A particle that falls to infinity in a finite time, with one-forms that are independent everywhere.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z, w),
    lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2 + dot(w)^2)/2 + k*x^4,
    constraints(dz - sin(x)*dy, dw - cos(x)*dy),
    methods(Dla2, Rk4)
)]
struct Falling {
    k: f64,
}

/// Blades on a spring, whose one-forms are independent everywhere, and long far away.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - k/2*x^2,
    constraints(dy - x*dx),
    methods(Dla1, Rk4)
)]
struct Blade {
    k: f64,
}

#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z),
    lagrangian = (dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - k/2*x^2,
    constraints(dy - x*dx, dz),
    methods(Dla1, Rk4)
)]
struct Blades {
    k: f64,
}

const BOARD: Board = Board { l: 0.7, m: 1.0, i: 0.1 };
const H: f64 = 4e-3;

/// Both wheels turn slowly and reach a right angle together, after 149 s.
fn start() -> ([f64; 5], [f64; 5]) {
    let angle = 5f64.to_radians();
    ([0.0, 0.0, 0.0, angle, -angle], [0.1 / angle.tan(), 0.0, 0.2 / 0.7, 0.01, -0.01])
}

/// The failing step, its time, and what it says of the one-forms.
fn refused(error: &Error) -> (u64, f64, Vec<&'static str>, f64) {
    match *error {
        Error::Step { step, time, cause: Failure::NearlySingular { forms, condition } } => {
            (step, time, forms.labels().collect(), condition)
        }
        other => panic!("{other}"),
    }
}

fn compiled(name: &str, variant: Variant) -> Compiled {
    let derived = support::derived(include_str!("singular.rs"), name);
    let optimised = derived.optimised().expect("finite constants");
    Compiled::new(&optimised, &[variant]).expect("Cranelift runs here")
}

/// Runs into the singularity in every way, which all end before the step that is returned.
fn run<M: Method<Board> + Copy>(method: M) -> u64 {
    let (q0, v0) = start();
    let begin = Simulation::new(BOARD, method, q0, v0, H).expect("an admissible start");
    let energy = begin.energy();

    let mut one_by_one = begin.clone();
    let error = loop {
        let before = (one_by_one.q(), one_by_one.v());
        if let Err(error) = one_by_one.step() {
            assert_eq!((one_by_one.q(), one_by_one.v()), before);
            break error;
        }
    };
    let (step, time, labels, condition) = refused(&error);
    assert_eq!((step, time), (one_by_one.steps() + 1, one_by_one.time()));
    assert_eq!(labels, ["front", "rear"]);
    assert!((1e3..1e6).contains(&condition), "{condition}");
    assert!((one_by_one.energy() / energy - 1.0).abs() < 0.05, "{}", one_by_one.energy());

    let mut at_once = begin.clone();
    assert_eq!(at_once.advance(40_000), Err(error));
    assert_eq!((at_once.q(), at_once.v()), (one_by_one.q(), one_by_one.v()));

    let variant = Variant::with_id(method.id()).expect("a method");
    let compiled = compiled("Board", variant);
    let begin = nhi_jit::Simulation::new(&compiled, variant, &[0.7, 1.0, 0.1], &q0, &v0, H);
    let mut fast = begin.expect("an admissible start");
    let nhi_jit::Error::Step { step, time, cause } = fast.advance(40_000).expect_err("as above") else {
        panic!("a step that failed")
    };
    assert_eq!(Error::Step { step, time, cause }, error);
    assert_eq!((fast.q(), fast.v()), (&one_by_one.q()[..], one_by_one.v().to_vec()));
    step
}

#[test]
fn steps_fail_where_one_forms_are_nearly_dependent() {
    assert_eq!(run(DlaRattle), 37_231);
    assert_eq!(run(Dla2), 37_232);
    assert_eq!(run(Compose::triple4(DlaRattle)), 37_230);
    assert_eq!(run(Compose::suzuki4(Dla2)), 37_231);
}

#[test]
fn without_limits_a_step_multiplies_the_energy() {
    let (q0, v0) = start();
    let mut sim = Simulation::new(BOARD, DlaRattle, q0, v0, H).expect("an admissible start");
    sim.advance(37_230).expect("regular steps");
    let energy = sim.energy();
    sim.set_limits(Limits::NONE);
    sim.step().expect("finite results");
    assert!(sim.energy() > 1e6 * energy);
}

#[test]
fn trajectories_of_an_ensemble_stop_there() {
    let (q0, v0) = start();
    let mut slower = v0;
    slower.iter_mut().for_each(|v| *v *= 0.5);
    let mut ensemble = Ensemble::new(BOARD, Dla2, [(q0, v0), (q0, slower)], H).expect("admissible starts");
    ensemble.advance(40_000);
    let stopped: Vec<_> = ensemble.failures().collect();
    let [stop] = &stopped[..] else { panic!("{stopped:?}") };
    assert_eq!(stop.index, 0);
    let (step, _, labels, _) = refused(&stop.error);
    assert_eq!((step, &labels[..]), (37_232, &["front", "rear"][..]));
}

/// Sines of infinity are no numbers, and neither are pivots that contain them.
#[test]
fn a_motion_that_blows_up_is_not_called_singular() {
    let (q0, v0) = ([1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]);
    let mut sim = Simulation::new(Falling { k: 1e5 }, Rk4, q0, v0, 0.01).expect("an admissible start");
    let error = sim.advance(1_000).expect_err("infinity within a second");
    assert!(matches!(error, Error::Step { cause: Failure::NonFinite, .. }), "{error}");
    let variant = Variant::with_id("rk4").expect("a method");
    let compiled = compiled("Falling", variant);
    let fast = nhi_jit::Simulation::new(&compiled, variant, &[1e5], &q0, &v0, 0.01);
    let error = fast.expect("an admissible start").advance(1_000).expect_err("as above");
    assert!(matches!(error, nhi_jit::Error::Step { cause: Failure::NonFinite, .. }), "{error}");
}

/// One-forms that are longer where a step ends than where it begins are not dependent there.
#[test]
fn steps_that_are_too_long_are_not_called_singular() {
    let (q0, v0) = ([1e-3, 0.0, 0.0], [1.0, 1e-3, 0.0]);
    let refused = |name: &str, id: &str, k: f64, h: f64, derived: Result<(), Error>| {
        let variant = Variant::with_id(id).expect("a method");
        let compiled = compiled(name, variant);
        let fast = nhi_jit::Simulation::new(&compiled, variant, &[k], &q0, &v0, h);
        let fast = fast.expect("an admissible start").advance(100);
        let Err(error) = derived else {
            assert!(fast.is_ok(), "{name}, {id}, h = {h}");
            return false;
        };
        assert_eq!(fast.expect_err("as above").to_string(), error.to_string());
        let is_near = matches!(error, Error::Step { cause: Failure::NearlySingular { .. }, .. });
        assert!(!is_near, "{name}, {id}, h = {h}: {error}");
        true
    };
    let mut count = 0;
    for h in [0.1, 1.0, 10.0] {
        for k in [1e2, 1e4] {
            macro_rules! run {
                ($name:ident, $method:ident, $id:literal) => {
                    let sim = Simulation::new($name { k }, $method, q0, v0, h);
                    let derived = sim.expect("an admissible start").advance(100);
                    count += usize::from(refused(stringify!($name), $id, k, h, derived));
                };
            }
            run!(Blade, Dla1, "dla1");
            run!(Blade, Rk4, "rk4");
            run!(Blades, Dla1, "dla1");
            run!(Blades, Rk4, "rk4");
        }
    }
    assert!(count > 12, "{count}");
}

/// The metric of these one-forms is that of M + s μᵀμ. Some of these motions end near the singularity, others happen to pass it.
#[test]
fn parts_without_mass_do_not_hide_it() {
    let variant = nhi_methods::Method::DlaRattle.into();
    let at_run_time = compiled("Towing", variant);
    let mut refusals = 0;
    for k in 0..5 {
        let angle = (5.0 + 0.05 * f64::from(k)).to_radians();
        let along = 0.1 / angle.tan();
        let (q, v) = ([0.0, 0.0, 0.0, angle, -angle, 0.0], [along, 0.0, 0.2 / 0.7, 0.01, -0.01, along]);
        let towing = Towing { l: BOARD.l, m: BOARD.m, i: BOARD.i };
        let mut simulation = Simulation::new(towing, DlaRattle, q, v, H).expect("an admissible start");
        let begin = nhi_jit::Simulation::new(&at_run_time, variant, &[0.7, 1.0, 0.1], &q, &v, H);
        let mut fast = begin.expect("an admissible start");
        let Err(error) = simulation.advance(40_000) else {
            assert!(fast.advance(40_000).is_ok());
            continue;
        };
        let (_, _, labels, condition) = refused(&error);
        assert_eq!(labels, ["front", "rear"]);
        assert!(condition > 100.0, "{condition}");
        assert_eq!(fast.advance(40_000).expect_err("as above").to_string(), error.to_string());
        refusals += 1;
    }
    assert!(refusals > 0);
}

/// At x = 0 the slider is free, and nothing has inertia that moves with it.
#[test]
fn a_direction_without_inertia_has_a_name() {
    let (q, v) = ([0.0, 0.3, 0.1], [0.0, 0.0, 0.7]);
    let velocities = Forms::new(Slider::VELOCITIES, 0b100);
    assert_eq!(velocities.to_string(), "`slider`");
    let error = Simulation::new(Slider { m: 2.0 }, DlaRattle, q, v, 0.01).unwrap_err();
    let parameters = Forms::new(Slider::PARAMETERS, 0);
    assert_eq!(error, Error::Start { cause: Failure::NoInertia { velocities, parameters } });
    let variant = nhi_methods::Method::DlaRattle.into();
    let compiled = compiled("Slider", variant);
    let found = nhi_jit::Simulation::new(&compiled, variant, &[2.0], &q, &v, 0.01).unwrap_err();
    assert_eq!(found.to_string(), error.to_string());
}
