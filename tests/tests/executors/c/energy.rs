//! Steps in C that end with more kinetic energy than they can explain are refused, as at run time.

use super::compile::builds;
use super::process::Program;
use super::{folder, write_c};
use nhi_jit::{Compiled, Simulation};
use nhi_methods::Variant;
use nhi_runtime::Limits;
use nhi_tests::declarations::{declarations, derive};

/// A snakeboard with a spring at one wheel and a wind: its one-forms are dependent where both wheels are across the board.
const BOARD: &str = "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(x, y, theta, front, rear),
        lagrangian = m/2*(dot(x)^2 + dot(y)^2) + (i + m*l^2)/2*dot(theta)^2
            + i/2*((dot(theta) + dot(front))^2 + (dot(theta) + dot(rear))^2) - k/2*front^2,
        force = wind*cos(t)*dx + u*dtheta,
        inputs(u),
        constraints(
            front: -sin(theta + front)*dx + cos(theta + front)*dy + l*cos(front)*dtheta,
            rear: -sin(theta + rear)*dx + cos(theta + rear)*dy - l*cos(rear)*dtheta
        ),
        methods(Dla2, DlaRattle, GniMidpoint)
    )]
    struct Board {
        l: f64,
        m: f64,
        i: f64,
        k: f64,
        wind: f64,
    }
";

const H: f64 = 0.02;
/// That of a step that ends with more kinetic energy than it can explain.
const STATUS: u32 = 10;
const NOT_CONVERGED: u32 = 1;

/// Starts from which both wheels arrive at the singularity within some dozens of steps and nearly together, so that the
/// admissible directions turn within a step.
fn starts() -> impl Iterator<Item = ([f64; 5], [f64; 5])> {
    (0..96).map(|i| {
        let (x, rate) = (f64::from(i), [0.3, 0.03, 0.01][i as usize % 3]);
        let front = std::f64::consts::FRAC_PI_2 - rate * H * (20.37 + 0.3 * x);
        let apart = 10f64.powi(-1 - i % 7);
        let q = [0.1 * x, -0.05 * x, 0.0, front, apart - front];
        let v = [0.35 * 0.4 / front.tan(), 0.0, 0.4, rate, -rate];
        (q, v)
    })
}

#[test]
fn steps_in_c_explain_their_energy() {
    let parameters = [0.35, 2.0, 0.1, 0.01, 0.2];
    let (derived, optimised) = derive(declarations(BOARD).remove(0));
    let variants: Vec<Variant> = ["dla2", "dla_rattle", "gni_midpoint"]
        .map(|id| Variant::with_id(id).unwrap_or_else(|| panic!("no {id}")))
        .into();
    let folder = folder("energy");
    let header = write_c(&folder, &derived, &optimised, variants.clone());
    let compiled = Compiled::new(&optimised, &variants).expect("Cranelift runs here");
    for build in builds() {
        let program = Program { path: build.program(&folder, &header.name), header: header.clone() };
        let mut process = program.run(&parameters);
        for &variant in &variants {
            let (mut refused, mut accepted) = (0, 0);
            for (q, v) in starts() {
                let (status, v) = process.ask("J", &[&q, &v]);
                assert_eq!(status, 0);
                let mut state = process
                    .begin(&variant.to_string(), [&q, &v, &[], &[0.3]], H)
                    .expect("an admissible start");
                let begun = Simulation::with_inputs(&compiled, variant, &parameters, &q, &v, &[0.3], H);
                let mut expected = begun.expect("an admissible start");
                // The angle between distributions is not tested in C.
                expected.set_limits(Limits { growth: 10.0, cosine: 0.0 });
                for k in 0..80 {
                    let (status, next) = process.step(&[0.3]);
                    let stepped = expected.step_with(&[0.3]);
                    assert_eq!(status == 0, stepped.is_ok(), "{variant}, step {k}: {status}, {stepped:?}");
                    if status != 0 {
                        assert_eq!(next, state, "{variant}: a failed step changes nothing");
                        refused += u32::from(status == STATUS);
                        break;
                    }
                    accepted += 1;
                    state = next;
                }
            }
            assert!(accepted > 5_000, "{variant}: {accepted} steps");
            assert!(refused > 0 || variant.to_string() != "dla2");
        }
    }
}

/// A mass at a spring, alone, beside a turning blade, and on a table that may move.
const SPRINGS: [&str; 3] = [
    "#[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(x, y, z),
        lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) - k/2*x^2, constraints(), methods(Dla2, Dla1Adjoint)
    )]
    struct Free { m: f64, k: f64, speed: f64 }",
    "#[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(x, y, z),
        lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) - k/2*x^2, constraints(dy - cos(z)*dx), methods(Dla2, Dla1Adjoint)
    )]
    struct Bladed { m: f64, k: f64, speed: f64 }",
    "#[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(x, y, z),
        lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) - k/2*x^2,
        constraints(dy - cos(z)*dx - speed*z*dt), methods(Dla2, Dla1Adjoint)
    )]
    struct Carried { m: f64, k: f64, speed: f64 }",
];

/// Without forces and drives, the energy at rest must not grow with the kinetic one: where a drive stands still, too.
#[test]
fn unstable_steps_in_c_are_refused() {
    let mut refused = 0;
    for (i, text) in SPRINGS.into_iter().enumerate() {
        let (derived, optimised) = derive(declarations(text).remove(0));
        let variants: Vec<Variant> =
            ["dla2", "dla1_adjoint"].into_iter().filter_map(Variant::with_id).collect();
        let folder = folder(&format!("springs_{i}"));
        let header = write_c(&folder, &derived, &optimised, variants.clone());
        let compiled = Compiled::new(&optimised, &variants).expect("Cranelift runs here");
        for build in builds() {
            let program = Program { path: build.program(&folder, &header.name), header: header.clone() };
            for speed in [0.0, 0.3] {
                let parameters = [1.0, 1.0, speed];
                let mut process = program.run(&parameters);
                for &variant in &variants {
                    // The frequency of the spring is 1.
                    for h in [0.1, 0.5, 1.0, 1.5, 1.9, 2.1, 3.0, 5.0, 10.0, 100.0] {
                        let q = [1.0, 0.0, 0.2];
                        let (status, v) = process.ask("J", &[&q, &[0.0, 0.0, 0.1]]);
                        assert_eq!(status, 0);
                        process.begin(&variant.to_string(), [&q, &v, &[], &[]], h).expect("a start");
                        let begun = Simulation::new(&compiled, variant, &parameters, &q, &v, h);
                        let mut expected = begun.expect("a start");
                        expected.set_limits(Limits { growth: 10.0, cosine: 0.0 });
                        for k in 0..100 {
                            let (status, _) = process.step(&[]);
                            let stepped = expected.step();
                            let name = format!("{text}, {speed}, {variant}, h = {h}, step {k}");
                            assert_eq!(status == 0, stepped.is_ok(), "{name}: {status}, {stepped:?}");
                            assert!(status == 0 || h > 1.0, "{name}: {stepped:?}");
                            if status != 0 {
                                refused +=
                                    u32::from(status == STATUS && variant.to_string() == "dla1_adjoint");
                                break;
                            }
                            let drives = speed != 0.0 && text.contains("speed*z*dt");
                            assert!(
                                drives || h < 3.0 || expected.q()[0].abs() < 1e3,
                                "{name}: {:?}",
                                expected.q()
                            );
                        }
                    }
                }
            }
        }
    }
    assert!(refused >= 16, "{refused} refused");
}

/// The board of the tests at run time, whose wheels reach a right angle together after 149 s.
#[test]
fn steps_in_c_end_before_the_same_singularity() {
    let h = 4e-3;
    let angle = 5f64.to_radians();
    let (q, v) = ([0.0, 0.0, 0.0, angle, -angle], [0.1 / angle.tan(), 0.0, 0.2 / 0.7, 0.01, -0.01]);
    let text = include_str!("../../../../nhi-jit/tests/it/singular.rs");
    let board = declarations(text).into_iter().find(|d| d.ident == "Board").expect("it is there");
    let (derived, optimised) = derive(board);
    // Newton's method of a substep fails before the step of a composition is tested.
    let steps = [
        ("dla_rattle", 37_231_u32, STATUS),
        ("dla2", 37_232, STATUS),
        ("dla_rattle_triple4", 37_230, NOT_CONVERGED),
        ("dla2_suzuki4", 37_231, NOT_CONVERGED),
    ];
    let variants: Vec<Variant> = steps.iter().filter_map(|(id, ..)| Variant::with_id(id)).collect();
    let folder = folder("board");
    let header = write_c(&folder, &derived, &optimised, variants);
    for build in builds() {
        let program = Program { path: build.program(&folder, &header.name), header: header.clone() };
        let mut process = program.run(&[0.7, 1.0, 0.1]);
        for (id, last, expected) in steps {
            process.begin(id, [&q, &v, &[], &[]], h).expect("an admissible start");
            let (status, state) = process.steps(40_000, &[]);
            assert_eq!((status, state.t), (expected, f64::from(last - 1) * h), "{}, {id}", build.name);
        }
    }
}
