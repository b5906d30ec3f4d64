//! Steps with auxiliary states: compiled at run time, interpreted and derived, they are the same, bit for bit.

use super::support;
use nhi_codegen::optimised::Optimised;
use nhi_codegen::pipeline::Derived;
use nhi_jit::{Compiled, Error, Point};
use nhi_methods::{Composition, Variant};
use nhi_runtime::prelude::*;
use nhi_runtime::{Quantity, System};

/// A coin that a motor drives, attracted by the origin.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(theta, x, y, phi),
    states(i),
    inputs(u),
    lagrangian = dot(theta)^2/2 + m/2*(dot(x)^2 + dot(y)^2) + dot(phi)^2/4 - (x^2 + y^2)/2,
    constraints(dx - r*cos(theta)*dphi = 0, dy - r*sin(theta)*dphi = 0),
    force = k*i*dphi,
    dynamics(dot(i) = u - i - k*dot(phi)),
    methods(Dla1, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rattle, GniEulerB, RattleRestarted, Rk4)
)]
struct Coin {
    m: f64,
    r: f64,
    k: f64,
}

/// A cart with a saturating magnet, whose rates are not affine in the states.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z),
    states(w[2]),
    inputs(u),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) - x^2/2,
    constraints(dz - y*dx = 0),
    force = k*tanh(w[0])*dx - r*w[1]*dy,
    dynamics(dot(w[0]) = u - w[0]^3 + sin(t) - k*dot(x), dot(w[1]) = sin(w[0])*dot(y) - w[1]),
    methods(Dla1, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rattle, GniEulerB, RattleRestarted, Rk4)
)]
struct Cart {
    m: f64,
    r: f64,
    k: f64,
}

/// A boat whose thrust lags behind the throttle.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    group = SE2(theta, x, y; omega, v, w),
    states(thrust),
    inputs(u),
    lagrangian = m/2*(omega^2/2 + v^2 + w^2),
    constraints(r*omega - w),
    force = thrust*v*dt - k*v*omega*omega*dt,
    dynamics(dot(thrust) = u + cos(theta) - 2*thrust + omega*v),
    methods(Rdp, RdpMidpoint, Rattle, Rkmk4)
)]
pub(crate) struct Boat {
    pub(crate) m: f64,
    pub(crate) r: f64,
    pub(crate) k: f64,
}

pub(crate) const PARAMETERS: [f64; 3] = [1.2, 0.5, 0.8];
const H: f64 = 0.02;
pub(crate) const INPUT: [f64; 1] = [0.6];

/// The functions of the system of this file with that name.
fn derived(name: &str) -> (Derived, Optimised) {
    let derived = support::derived(include_str!("states.rs"), name);
    let optimised = derived.optimised().expect("finite constants");
    (derived, optimised)
}

/// What is compared of one system.
struct Bed<S: System> {
    system: S,
    optimised: Optimised,
    compiled: Compiled,
    q: S::Configuration<f64>,
    v: S::Velocity<f64>,
    z: S::States<f64>,
}

impl<S: System + Clone> Bed<S> {
    fn new(
        system: S,
        q: impl Into<S::Configuration<f64>>,
        v: impl Into<S::Velocity<f64>>,
        z: impl Into<S::States<f64>>,
        composed: &[Variant],
    ) -> Bed<S>
    where
        S::Inputs<f64>: From<[f64; 1]>,
    {
        let (_, optimised) = derived(S::NAME);
        let variants = optimised.methods.iter().map(|method| method.method.into());
        let variants: Vec<Variant> = variants.chain(composed.iter().copied()).collect();
        let compiled = Compiled::new(&optimised, &variants).expect("Cranelift runs here");
        let q = q.into();
        let v = S::project(&system.parameters(), &q, &v.into(), 0.0, &INPUT.into()).expect("regular");
        Bed { system, optimised, compiled, q, v, z: z.into() }
    }

    /// Compares 300 steps of a method.
    fn compare<M: nhi_runtime::Method<S>>(&self, method: M, variant: Variant)
    where
        S::Inputs<f64>: From<[f64; 1]>,
    {
        let name = format!("{} {variant}", S::NAME);
        let (q, v, z) = (self.q.as_ref(), self.v.as_ref(), self.z.as_ref());
        let inputs: S::Inputs<f64> = INPUT.into();
        let mut derived =
            Simulation::builder(self.system.clone(), method).start(self.q, self.v).states(self.z);
        derived = derived.inputs(&inputs);
        let mut derived = derived.step_size(H).build().expect("a start");
        let at = Point { parameters: &PARAMETERS, q, v, z, t: 0.0, inputs: &INPUT };
        let mut compiled = nhi_jit::Simulation::at_point(&self.compiled, variant, &at, H).expect("a start");
        let of_method = self.optimised.methods.iter().find(|functions| functions.method == variant.method);
        let mut interpreted = nhi_interpreter::Simulation::start(
            of_method.expect("a method"),
            variant,
            &PARAMETERS,
            [q, v, z, &INPUT],
            H,
        )
        .expect("a start");
        for k in 0..300 {
            let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
            let snapshot = derived.to_snapshot().state;
            assert_eq!(bits(compiled.numbers()), bits(&snapshot), "{name}: step {k}");
            assert_eq!(bits(&interpreted.numbers()), bits(&snapshot), "{name}: step {k}");
            assert_eq!(bits(compiled.z()), bits(derived.z().as_ref()), "{name}: step {k}");
            derived.step().expect("a step");
            compiled.step().expect("a step");
            interpreted.step(&INPUT).expect("a step");
        }
        assert_ne!(derived.z(), self.z, "{name}");
        let (mut at_once, before) = (compiled.clone(), compiled.acceleration().expect("regular"));
        at_once.advance(100).expect("steps");
        (0..100).for_each(|_| compiled.step().expect("a step"));
        assert_eq!(at_once.numbers(), compiled.numbers(), "{name}");
        let (dv, lambda) = derived.acceleration().expect("regular");
        assert_eq!((&before.a[..], &before.lambda[..]), (dv.as_ref(), lambda.as_ref()), "{name}");
    }
}

/// By all methods of the systems in coordinates.
fn compare_all<S>(bed: &Bed<S>, composed: Variant)
where
    S: System + Clone,
    Dla1: nhi_runtime::Method<S>,
    Dla2: nhi_runtime::Method<S>,
    Dla2Midpoint: nhi_runtime::Method<S>,
    DlaRattle: nhi_runtime::Method<S>,
    DlaRattleMidpoint: nhi_runtime::Method<S>,
    Rattle: nhi_runtime::Method<S>,
    GniEulerB: nhi_runtime::Method<S>,
    RattleRestarted: nhi_runtime::Method<S>,
    Rk4: nhi_runtime::Method<S>,
    S::Inputs<f64>: From<[f64; 1]>,
{
    use nhi_methods::Method;
    bed.compare(Dla1, Method::Dla1.into());
    bed.compare(Dla2, Method::Dla2.into());
    bed.compare(Dla2Midpoint, Method::Dla2Midpoint.into());
    bed.compare(DlaRattle, Method::DlaRattle.into());
    bed.compare(DlaRattleMidpoint, Method::DlaRattleMidpoint.into());
    bed.compare(Rattle, Method::Rattle.into());
    bed.compare(GniEulerB, Method::GniEulerB.into());
    bed.compare(RattleRestarted, Method::RattleRestarted.into());
    bed.compare(Rk4, Method::Rk4.into());
    bed.compare(Compose::suzuki4(Dla2), composed);
}

fn suzuki4() -> Variant {
    Variant { composition: Some(Composition::Suzuki4), ..nhi_methods::Method::Dla2.into() }
}

#[test]
fn with_a_motor() {
    let [m, r, k] = PARAMETERS;
    let composed = suzuki4();
    let (q, v) = ([0.4, 0.3, -0.2, 0.1], [0.9, 0.3, 0.2, 0.7]);
    compare_all(&Bed::new(Coin { m, r, k }, q, v, [0.4], &[composed]), composed);
}

#[test]
fn with_rates_that_are_not_affine_in_the_states() {
    let [m, r, k] = PARAMETERS;
    let composed = suzuki4();
    let (q, v) = ([0.3, 0.5, -0.2], [0.7, -0.4, 0.1]);
    compare_all(&Bed::new(Cart { m, r, k }, q, v, [0.6, -0.3], &[composed]), composed);
}

#[test]
fn on_a_group() {
    use nhi_methods::Method;
    let [m, r, k] = PARAMETERS;
    let bed = Bed::new(Boat { m, r, k }, [0.4, 0.3, -0.2], [0.9, 0.7, 0.2], [0.4], &[]);
    bed.compare(Rdp, Method::Rdp.into());
    bed.compare(RdpMidpoint, Method::RdpMidpoint.into());
    bed.compare(Rattle, Method::Rattle.into());
    bed.compare(Rkmk4, Method::Rkmk4.into());
}

#[test]
fn states_are_checked() {
    let (_, optimised) = derived("Coin");
    let variant = nhi_methods::Method::Dla2.into();
    let compiled = Compiled::new(&optimised, &[variant]).expect("Cranelift runs here");
    assert_eq!(compiled.states(), ["i"]);
    let at =
        Point { parameters: &PARAMETERS, q: &[0.0; 4], v: &[0.0; 4], inputs: &INPUT, ..Point::default() };
    let start = |at: &Point<'_>| nhi_jit::Simulation::at_point(&compiled, variant, at, H);
    assert!(matches!(start(&at), Err(Error::Length { .. })));
    let error = start(&Point { z: &[f64::NAN], ..at }).unwrap_err();
    assert!(matches!(error, Error::NonFinite { quantity: Quantity::State, .. }), "{error}");
    let error = start(&Point { z: &[0.0], t: f64::INFINITY, ..at }).unwrap_err();
    assert!(matches!(error, Error::NonFinite { quantity: Quantity::Time, .. }), "{error}");
    assert!(start(&Point { z: &[0.0], t: 2.0, ..at }).is_ok_and(|simulation| simulation.time() == 2.0));
    let zero =
        nhi_jit::Simulation::with_inputs(&compiled, variant, &PARAMETERS, &[0.0; 4], &[0.0; 4], &INPUT, H);
    assert_eq!(zero.expect("a start").z(), [0.0]);
}
