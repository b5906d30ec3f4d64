//! Runs of methods, against the same methods written by hand.

use nhi_codegen::engine::BuiltIn;
use nhi_codegen::generate::Request;
use nhi_interpreter::Simulation;
use nhi_methods::Variant;
use nhi_runtime::Failure;

/// A pendulum on a rod: x'' = −sin x + u.
const PENDULUM: &str = "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(x),
        inputs(u),
        lagrangian = m/2*dot(x)^2 + m*cos(x),
        constraints(),
        force = m*u*dx,
    )]
    struct Pendulum { m: f64 }";

/// Without constraints `dla_rattle` is the method of Verlet, with half of each force at both ends of a step.
#[test]
fn a_pendulum_is_that_of_verlet() {
    let request = Request { name: None, methods: vec!["dla_rattle".to_owned()] };
    let derived = request.derive(PENDULUM, &mut BuiltIn).expect("a system").remove(0).1;
    let optimised = derived.optimised().expect("finite constants");
    let method = &optimised.methods[0];
    let variant: Variant = method.method.into();
    let (mut x, mut v, h) = (0.7_f64, -0.2, 0.05);
    let start = [&[x][..], &[v], &[], &[0.0]];
    let mut simulation = Simulation::start(method, variant, &[1.7], start, h).expect("a start");
    for k in 0..200 {
        let u = 0.1 * (0.3 * f64::from(k)).cos();
        simulation.step(&[u]).expect("a step");
        let half = v + 0.5 * h * (u - x.sin());
        x += h * half;
        v = half + 0.5 * h * (u - x.sin());
        let numbers = simulation.numbers();
        assert!(
            (numbers[0] - x).abs() < 1e-13 && (numbers[1] - v).abs() < 1e-13,
            "step {k}: {numbers:?} and {x}, {v}"
        );
    }
    // A step that fails leaves the state as it is.
    let before = simulation.numbers();
    assert_eq!(simulation.step(&[f64::NAN]), Err(Failure::NonFinite));
    assert_eq!(simulation.numbers(), before);
}
