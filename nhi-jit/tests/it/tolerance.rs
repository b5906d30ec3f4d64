//! Steps whose sizes follow from a tolerance: compiled at run time and derived, they are the same, bit for bit.

use super::states::{Boat, INPUT, PARAMETERS};
use super::support;
use nhi_codegen::optimised::Optimised;
use nhi_jit::{AdaptiveSimulation, Compiled, Error, Point};
use nhi_methods::Variant;
use nhi_runtime::prelude::*;
use nhi_runtime::{AnyStepSize, Method, System};

/// A coin that a motor drives on a slope that is steep at the origin.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(theta, x, y, phi),
    states(i),
    inputs(u),
    lagrangian = dot(theta)^2/2 + m/2*(dot(x)^2 + dot(y)^2) + dot(phi)^2/4 - exp(-10*x^2) - sin(t)*y,
    constraints(dx - r*cos(theta)*dphi = 0, dy - r*sin(theta)*dphi = 0),
    force = k*i*dphi,
    dynamics(dot(i) = u - i - k*dot(phi)),
    methods(Frame, FrameMidpoint, Dla1, Dla2, DlaRattle, Rattle, RattleRestarted, Rk4)
)]
struct Coin {
    m: f64,
    r: f64,
    k: f64,
}

/// The system of that name in the text of a file.
fn compiled(text: &str, name: &str, variants: &[Variant]) -> Compiled {
    let derived = support::derived(text, name);
    let optimised: Optimised = derived.optimised().expect("finite constants");
    Compiled::new(&optimised, variants).expect("Cranelift runs here")
}

/// Compares all states of a run with 20 samples, by the method of this id.
fn compare<S: System + Clone, M: Method<S>>(
    (system, compiled): (&S, &Compiled),
    (q, v): (S::Configuration<f64>, S::Velocity<f64>),
    (id, method): (&str, M),
) where
    M::State<f64>: AnyStepSize,
    S::Inputs<f64>: From<[f64; 1]>,
    S::States<f64>: From<[f64; 1]>,
{
    let variant = Variant::with_id(id).expect("a method");
    let (inputs, z): (S::Inputs<f64>, S::States<f64>) = (INPUT.into(), [0.4].into());
    let v = S::project(&system.parameters(), &q, &v, 0.0, &inputs).expect("regular");
    let derived = Simulation::builder(system.clone(), method).start(q, v).states(z).inputs(&inputs);
    let mut derived = derived.tolerance(1e-6).build().expect("a start");
    let (q, v, z) = (q.as_ref(), v.as_ref(), z.as_ref());
    let at = Point { parameters: &PARAMETERS, q, v, z, t: 0.0, inputs: &INPUT };
    let start = nhi_jit::Simulation::at_point(compiled, variant, &at, 0.1).expect("a start");
    let mut compiled = AdaptiveSimulation::new(&start, 1e-6).expect("a tolerance");
    let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
    for k in 1..=20 {
        let t = 0.3 * f64::from(k);
        derived.run_until(t).expect("steps");
        compiled.run_until(t).expect("steps");
        let simulation = compiled.simulation();
        assert_eq!(bits(simulation.q()), bits(derived.q().as_ref()), "{variant}: t = {t}");
        assert_eq!(bits(&simulation.v()), bits(derived.v().as_ref()), "{variant}: t = {t}");
        assert_eq!(bits(simulation.z()), bits(derived.z().as_ref()), "{variant}: t = {t}");
        assert_eq!(
            bits(simulation.multipliers()),
            bits(derived.multipliers().as_ref()),
            "{variant}: t = {t}"
        );
        assert_eq!((simulation.h(), simulation.time()), (derived.h(), t), "{variant}");
    }
    assert_eq!(
        (compiled.steps(), compiled.rejections()),
        (derived.steps(), derived.rejections()),
        "{variant}"
    );
}

#[test]
fn in_coordinates() {
    let [m, r, k] = PARAMETERS;
    let ids =
        ["frame", "frame_midpoint", "dla1", "dla2", "dla_rattle", "rattle_restarted", "rk4", "frame_suzuki4"];
    let compiled = compiled(
        include_str!("tolerance.rs"),
        "Coin",
        &ids.map(|id| Variant::with_id(id).expect("a method")),
    );
    let (coin, start) = (Coin { m, r, k }, ([0.4, -1.3, -0.2, 0.1], [0.9, 0.3, 0.2, 0.7]));
    compare((&coin, &compiled), start, ("frame", Frame));
    compare((&coin, &compiled), start, ("frame_midpoint", FrameMidpoint));
    compare((&coin, &compiled), start, ("dla1", Dla1));
    compare((&coin, &compiled), start, ("dla2", Dla2));
    compare((&coin, &compiled), start, ("dla_rattle", DlaRattle));
    compare((&coin, &compiled), start, ("rattle_restarted", RattleRestarted));
    compare((&coin, &compiled), start, ("rk4", Rk4));
    compare((&coin, &compiled), start, ("frame_suzuki4", Compose::suzuki4(Frame)));
}

#[test]
fn on_a_group() {
    let [m, r, k] = PARAMETERS;
    let ids = ["rdp", "rdp_cay", "rkmk4"];
    let compiled =
        compiled(include_str!("states.rs"), "Boat", &ids.map(|id| Variant::with_id(id).expect("a method")));
    let (boat, start) = (Boat { m, r, k }, ([0.4, 0.1, -0.2].into(), [0.9, 1.3, 0.45]));
    compare((&boat, &compiled), start, ("rdp", Rdp));
    compare((&boat, &compiled), start, ("rdp_cay", Rdp::new(Cayley)));
    compare((&boat, &compiled), start, ("rkmk4", Rkmk4));
}

#[test]
fn reflecting_methods_and_impossible_tolerances_are_refused() {
    let rattle = Variant::with_id("rattle").expect("a method");
    let compiled =
        compiled(include_str!("tolerance.rs"), "Coin", &[rattle, nhi_methods::Method::Frame.into()]);
    let at = Point { parameters: &PARAMETERS, q: &[0.0; 4], v: &[0.0; 4], z: &[0.0], t: 0.0, inputs: &INPUT };
    let start = |variant| nhi_jit::Simulation::at_point(&compiled, variant, &at, 0.1).expect("a start");
    let error = AdaptiveSimulation::new(&start(rattle), 1e-6).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a tolerance needs steps of different sizes, and the state of `rattle` belongs to one step size: its momentum is \
         reflected at every node"
    );
    let error = AdaptiveSimulation::new(&start(nhi_methods::Method::Frame.into()), 0.0).unwrap_err();
    assert_eq!(error, Error::Tolerance { tolerance: 0.0 });
}
