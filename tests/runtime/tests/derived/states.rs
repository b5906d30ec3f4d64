//! Auxiliary first-order states beside the motion.

use nhi_runtime::prelude::*;
use nhi_runtime::{Error, Failure, Method, Snapshot, System};

/// A coin that rolls upright on a plane with a harmonic attraction, driven by a direct-current motor at its axle.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(theta, x, y, phi),
    states(i),
    inputs(u),
    lagrangian = j/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2) + a/2*dot(phi)^2 - s/2*(x^2 + y^2),
    constraints(dx - r*cos(theta)*dphi = 0, dy - r*sin(theta)*dphi = 0),
    force = k*i*dphi,
    dynamics(dot(i) = (u - resistance*i - k*dot(phi))/inductance),
    methods(all),
)]
struct Motor {
    j: f64,
    m: f64,
    a: f64,
    r: f64,
    s: f64,
    k: f64,
    resistance: f64,
    inductance: f64,
}

/// A sleigh on a blade that is pushed sideways by a tyre with a relaxation length.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(theta, x, y),
    states(alpha),
    let(
        forwards = cos(theta)*dot(x) + sin(theta)*dot(y),
        sideways = cos(theta)*dot(y) - sin(theta)*dot(x) + l*dot(theta),
    ),
    lagrangian = j/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
    constraints(cos(theta)*dy - sin(theta)*dx - b*dtheta = 0),
    force = -c*alpha*(cos(theta)*dy - sin(theta)*dx + l*dtheta) - drag*(dot(x)*dx + dot(y)*dy),
    dynamics(dot(alpha) = (sideways - sqrt(forwards^2 + slow^2)*alpha)/sigma),
    methods(all),
)]
struct Tyre {
    j: f64,
    m: f64,
    b: f64,
    l: f64,
    c: f64,
    drag: f64,
    sigma: f64,
    slow: f64,
}

/// A cart with a saturating magnet and an observer, whose rates are not affine in the states.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, z),
    states(i, w[2]),
    inputs(u),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) - s/2*x^2,
    constraints(dz - y*dx = 0),
    force = k*tanh(i)*dx - c*w[0]^2*dot(y)*dy,
    dynamics(
        dot(i) = (u + sin(t) - i - i^3 - k*dot(x)/cosh(i)^2)/inductance,
        for n in 0..2 { dot(w[n]) = sin(w[1 - n]) - w[n] + x*dot(y) },
    ),
    methods(all),
)]
struct Magnet {
    m: f64,
    s: f64,
    k: f64,
    c: f64,
    inductance: f64,
}

/// A boat on a keel whose thrust lags behind the throttle.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(psi),
    group = SE2(theta, x, y; omega, v, w),
    states(thrust),
    inputs(u),
    lagrangian = j/2*(omega^2 + (omega + dot(psi))^2) + m/2*(v^2 + w^2) - s/2*psi^2,
    constraints(keel: a*omega - w),
    force = thrust*v*dt - c*v*omega*omega*dt + k*thrust*dpsi,
    dynamics(dot(thrust) = (u + 0.3*cos(theta) - thrust)/lag + omega*v),
    methods(all),
)]
struct Boat {
    j: f64,
    m: f64,
    s: f64,
    a: f64,
    c: f64,
    k: f64,
    lag: f64,
}

/// A free body with a filtered measurement of its angular velocity.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    group = SO3(R; w1, w2, w3),
    states(f[3]),
    lagrangian = (i1*w1^2 + i2*w2^2 + i3*w3^2)/2,
    constraints(w1 - b*w3 = 0),
    dynamics(dot(f[0]) = w1 - f[0], dot(f[1]) = R[0][0]*w2 - f[1], dot(f[2]) = sin(f[1] + w3) - f[2]),
    methods(all),
)]
struct Gyroscope {
    i1: f64,
    i2: f64,
    i3: f64,
    b: f64,
}

/// A rotor that a motor drives, with the work of the motor.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(phi),
    states(i, work, charge),
    inputs(u),
    lagrangian = a/2*dot(phi)^2,
    constraints(),
    force = k*i*dphi,
    dynamics(
        dot(i) = (u - resistance*i - k*dot(phi))/inductance,
        dot(work) = k*i*dot(phi),
        dot(charge) = (u - charge/capacity)/resistance,
    ),
    methods(all),
)]
struct Rotor {
    a: f64,
    k: f64,
    resistance: f64,
    inductance: f64,
    capacity: f64,
}

/// A system with data to start from.
struct Case<S: System> {
    system: S,
    q: S::Configuration<f64>,
    v: S::Velocity<f64>,
    z: S::States<f64>,
    u: S::Inputs<f64>,
}

impl<S: System + Clone> Case<S> {
    /// `v` is projected onto the constraints.
    fn new(
        system: S,
        q: impl Into<S::Configuration<f64>>,
        v: impl Into<S::Velocity<f64>>,
        z: impl Into<S::States<f64>>,
        u: impl Into<S::Inputs<f64>>,
    ) -> Self {
        let (q, u) = (q.into(), u.into());
        let v = S::project(&system.parameters(), &q, &v.into(), 0.0, &u).unwrap();
        Case { system, q, v, z: z.into(), u }
    }

    fn start<M: Method<S>>(&self, method: M, h: f64) -> Simulation<S, M> {
        let builder = Simulation::builder(self.system.clone(), method).start(self.q, self.v);
        builder.states(self.z).inputs(&self.u).step_size(h).build().unwrap()
    }

    /// (q, v, z) at t = 1.
    fn end<M: Method<S>>(&self, method: M, steps: u64) -> Vec<f64> {
        let mut sim = self.start(method, 1.0 / steps as f64);
        sim.advance(steps).unwrap();
        numbers(&sim)
    }

    /// Measures the order from the errors with two step sizes.
    fn has_order<M: Method<S> + Copy>(&self, method: M, order: f64, reference: &[f64]) {
        let error = |steps| distance(&self.end(method, steps), reference);
        let measured = (error(80) / error(160)).log2();
        assert!((measured - order).abs() < 0.1, "{} {}: {measured}", S::NAME, method.id());
    }

    /// As many steps back as forth: 360 of the parts of the longest composition, whose rounding errors stay below the bound.
    fn is_symmetric<M: Method<S>>(&self, method: M) {
        let mut sim = self.start(method, 0.05);
        let before = numbers(&sim);
        sim.advance(20).unwrap();
        assert!(distance(&numbers(&sim), &before) > 0.1);
        sim.set_step_size(-0.05).unwrap();
        sim.advance(20).unwrap();
        let error = distance(&numbers(&sim), &before);
        assert!(error < 1e-13, "{} {}: {error:e}", S::NAME, sim.method().id());
    }
}

fn numbers<S: System, M: Method<S>>(sim: &Simulation<S, M>) -> Vec<f64> {
    [sim.q().as_ref(), sim.v().as_ref(), sim.z().as_ref()].concat()
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

fn motor() -> Case<Motor> {
    let system = Motor { j: 0.6, m: 1.2, a: 0.4, r: 0.5, s: 0.9, k: 0.8, resistance: 0.7, inductance: 0.5 };
    Case::new(system, [0.4, 0.3, -0.2, 0.1], [0.9, 0.6, 0.3, 1.3], [0.4], [0.7])
}

fn tyre() -> Case<Tyre> {
    let system = Tyre { j: 0.5, m: 1.1, b: 0.3, l: 0.7, c: 2.0, drag: 0.1, sigma: 0.4, slow: 0.2 };
    Case::new(system, [0.4, 0.3, -0.2], [0.8, 1.0, 0.7], [0.3], [])
}

fn magnet() -> Case<Magnet> {
    let system = Magnet { m: 1.1, s: 0.8, k: 0.9, c: 0.3, inductance: 0.6 };
    Case::new(system, [0.3, 0.5, -0.2], [0.7, -0.4, 0.35], [0.4, -0.3, 0.2], [0.7])
}

fn boat() -> Case<Boat> {
    let system = Boat { j: 0.5, m: 1.2, s: 0.6, a: 0.3, c: 0.2, k: 0.4, lag: 0.5 };
    Case::new(system, [0.2, 0.4, 0.3, -0.2], [0.3, 0.9, 0.7, 0.2], [0.4], [0.8])
}

fn gyroscope() -> Case<Gyroscope> {
    let turned = [0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6];
    let system = Gyroscope { i1: 1.0, i2: 1.4, i3: 1.9, b: 0.5 };
    Case::new(system, turned, [0.4, 0.9, 0.7], [0.3, -0.2, 0.5], [])
}

fn rotor(inductance: f64) -> Case<Rotor> {
    let system = Rotor { a: 0.4, k: 0.8, resistance: 0.7, inductance, capacity: 0.9 };
    Case::new(system, [0.1], [1.3], [0.4, 0.0, 0.2], [0.7])
}

/// Measures the orders of all methods for systems in coordinates.
macro_rules! orders {
    ($case:expr) => {
        let case = $case;
        let end = case.end(Rk4, 4000);
        case.has_order(Dla1, 1.0, &end);
        case.has_order(Dla1Adjoint, 1.0, &end);
        case.has_order(Dla2, 2.0, &end);
        case.has_order(Dla2Midpoint, 2.0, &end);
        case.has_order(DlaRattle, 2.0, &end);
        case.has_order(DlaRattleMidpoint, 2.0, &end);
        case.has_order(Rdp, 2.0, &end);
        case.has_order(RdpMidpoint, 2.0, &end);
        case.has_order(RdpLeft, 1.0, &end);
        case.has_order(RdpRight, 1.0, &end);
        case.has_order(Rattle, 2.0, &end);
        case.has_order(Rattle::projected(), 2.0, &end);
        case.has_order(Rattle::stepped(), 1.0, &end);
        case.has_order(GniMidpoint, 2.0, &end);
        case.has_order(GniMidpoint::stepped(), 1.0, &end);
        case.has_order(GniEulerA, 1.0, &end);
        case.has_order(GniEulerB, 1.0, &end);
        case.has_order(RattleRestarted, 2.0, &end);
        case.has_order(Rk2Midpoint, 2.0, &end);
        case.has_order(Rk2Heun, 2.0, &end);
        case.has_order(Rk4, 4.0, &end);
        case.has_order(Compose::suzuki4(Dla2), 4.0, &end);
        case.has_order(Compose::suzuki4(Dla2Midpoint), 4.0, &end);
        case.has_order(Compose::triple4(DlaRattle), 4.0, &end);
        case.has_order(Compose::suzuki4(DlaRattleMidpoint), 4.0, &end);
        case.has_order(Compose::suzuki4(Rdp), 4.0, &end);
    };
}

#[test]
fn methods_keep_their_order_with_a_motor() {
    orders!(motor());
}

#[test]
fn methods_keep_their_order_with_a_relaxing_tyre() {
    orders!(tyre());
}

#[test]
fn methods_keep_their_order_if_rates_are_not_affine_in_the_states() {
    orders!(magnet());
}

#[test]
fn methods_keep_their_order_on_groups() {
    let case = boat();
    let end = case.end(Rkmk4, 4000);
    case.has_order(Rdp, 2.0, &end);
    case.has_order(Rdp::new(Cayley), 2.0, &end);
    case.has_order(RdpMidpoint, 2.0, &end);
    case.has_order(RdpLeft, 1.0, &end);
    case.has_order(RdpRight, 1.0, &end);
    case.has_order(Rattle, 2.0, &end);
    case.has_order(GniMidpoint, 2.0, &end);
    case.has_order(RattleRestarted, 2.0, &end);
    case.has_order(Rkmk2, 2.0, &end);
    case.has_order(Rkmk4, 4.0, &end);
    case.has_order(Compose::suzuki4(Rdp), 4.0, &end);
    let case = gyroscope();
    let end = case.end(Rkmk4, 4000);
    case.has_order(MvMp, 1.0, &end);
    case.has_order(SuslovMv, 2.0, &end);
    case.has_order(SuslovCay, 2.0, &end);
    case.has_order(Rdp, 2.0, &end);
    case.has_order(Rkmk4, 4.0, &end);
}

#[test]
fn symmetric_methods_stay_symmetric() {
    fn check<S: System + Clone>(case: &Case<S>)
    where
        Dla2: Method<S>,
        Dla2Midpoint: Method<S>,
        DlaRattle: Method<S>,
        DlaRattleMidpoint: Method<S>,
        Rdp: Method<S>,
        RdpMidpoint: Method<S>,
    {
        case.is_symmetric(Dla2);
        case.is_symmetric(Dla2Midpoint);
        case.is_symmetric(DlaRattle);
        case.is_symmetric(DlaRattleMidpoint);
        case.is_symmetric(Rdp);
        case.is_symmetric(RdpMidpoint);
        case.is_symmetric(Compose::suzuki4(Dla2));
        case.is_symmetric(Compose::kahanli6(DlaRattle));
    }
    check(&motor());
    check(&tyre());
    check(&magnet());
    boat().is_symmetric(Rdp);
    boat().is_symmetric(RdpMidpoint);
    gyroscope().is_symmetric(SuslovMv);
}

/// The rates in Rust: what a constraint does to the motor's torque is the coin's own inertia m r² + a.
#[test]
fn the_motion_is_that_of_the_motor_equations() {
    let case = motor();
    let p = &case.system;
    let rates = |[theta, x, y, spin, i, turn]: [f64; 6]| {
        let (s, c) = theta.sin_cos();
        let torque = p.k * i - p.s * p.r * (x * c + y * s);
        [
            turn,
            p.r * c * spin,
            p.r * s * spin,
            torque / (p.a + p.m * p.r * p.r),
            (case.u[0] - p.resistance * i - p.k * spin) / p.inductance,
            0.0,
        ]
    };
    let mut y = [case.q[0], case.q[1], case.q[2], case.v[3], case.z[0], case.v[0]];
    let h = 1e-3;
    for _ in 0..1000 {
        let add = |k: [f64; 6], c: f64| std::array::from_fn(|j| y[j] + c * k[j]);
        let a = rates(y);
        let b = rates(add(a, h / 2.0));
        let c = rates(add(b, h / 2.0));
        let d = rates(add(c, h));
        y = std::array::from_fn(|j| y[j] + h / 6.0 * (a[j] + 2.0 * b[j] + 2.0 * c[j] + d[j]));
    }
    let mut sim = case.start(Compose::suzukiumeno8(Dla2), 0.02);
    sim.advance(50).unwrap();
    let (q, v, z) = (sim.q(), sim.v(), sim.z());
    let error = distance(&[q[0], q[1], q[2], v[3], z[0], v[0]], &y);
    assert!(error < 1e-11, "{error:e}");
}

/// A current with a time constant of a tenth of the step size.
#[test]
fn symmetric_methods_are_stable_with_stiff_states() {
    fn check<M: Method<Rotor>>(method: M) {
        let (h, case) = (0.01, rotor(0.01 / 10.0 * 0.7));
        let mut sim = case.start(method, h);
        for _ in 0..100 {
            sim.step().unwrap();
            assert!(sim.z()[0].abs() < 4.0, "{}: {}", sim.method().id(), sim.z()[0]);
        }
        // The transient has gone: the current is that of the resistance alone, up to its slow change.
        let p = sim.system().clone();
        let still = (0.7 - p.k * sim.v()[0]) / p.resistance;
        assert!((sim.z()[0] - still).abs() < 0.01, "{}: {} {still}", sim.method().id(), sim.z()[0]);
        sim.advance(10_000).unwrap();
        // The rotor turns so fast that the voltages cancel.
        assert!(sim.z()[0].abs() < 1e-12 && (sim.v()[0] - 0.7 / p.k).abs() < 1e-12);
    }
    check(Dla2);
    check(Dla2Midpoint);
    check(DlaRattle);
    check(DlaRattleMidpoint);
    check(Rdp);
    check(RdpMidpoint);
    check(Rattle);
    check(GniMidpoint);
    let mut explicit = rotor(0.01 / 10.0 * 0.7).start(Rk4, 0.01);
    let failed = explicit.advance(10_000);
    assert!(matches!(failed, Err(Error::Step { cause: Failure::NonFinite, .. })), "{failed:?}");
}

/// A capacitor is charged through a resistor, c u (1 − e^(−t/rc)), beside the rotor.
#[test]
fn a_capacitor_is_charged_as_by_its_closed_form() {
    fn check<M: Method<Rotor>>(method: M) {
        let (h, n, case) = (0.01, 200, rotor(0.5));
        let mut sim = case.start(method, h);
        sim.advance(n).unwrap();
        let (end, from) = (0.9 * 0.7, 0.2);
        let rate = h / (0.7 * 0.9);
        // Of trapezoidal and mid-point rule alike.
        let discrete = end + (from - end) * ((1.0 - rate / 2.0) / (1.0 + rate / 2.0)).powi(n as i32);
        let exact = end + (from - end) * (-rate * n as f64).exp();
        let charge = sim.z()[2];
        assert!((charge - discrete).abs() < 1e-14, "{}: {charge} {discrete}", sim.method().id());
        assert!((charge - exact).abs() < 1e-5 && discrete != exact, "{charge} {exact}");
    }
    check(Dla2);
    check(Dla2Midpoint);
    check(DlaRattle);
    check(DlaRattleMidpoint);
    check(Rdp);
    check(Rattle);
    let mut sim = rotor(0.5).start(Rk4, 0.01);
    sim.advance(200).unwrap();
    assert!((sim.z()[2] - (0.63 - 0.43 * (-2.0_f64 / 0.63).exp())).abs() < 1e-10);
}

/// The change of the energy is the work of the force: exactly by the mid-point rule without constraints, to the order of
/// the method with them.
#[test]
fn the_power_of_the_motor_adds_up() {
    let case = rotor(0.5);
    let mut sim = case.start(Dla2, 0.05);
    let before = sim.energy();
    sim.advance(200).unwrap();
    let change = sim.energy() - before;
    assert!(change.abs() > 0.1 && (change - sim.z()[1]).abs() < 1e-14, "{change} {:?}", sim.z());
    // (L i²/2 + E)˙ = u i − R i².
    let case = motor();
    let total = |sim: &Simulation<Motor, Dla2>| sim.energy() + 0.5 * 0.5 * sim.z()[0].powi(2);
    let defect = |steps: u64| {
        let h = 1.0 / steps as f64;
        let mut sim = case.start(Dla2, h);
        let (before, mut supplied) = (total(&sim), 0.0);
        for _ in 0..steps {
            let i = sim.z()[0];
            sim.step().unwrap();
            let mean = 0.5 * (i + sim.z()[0]);
            supplied += h * (0.7 * mean - 0.7 * mean * mean);
        }
        (total(&sim) - before - supplied).abs()
    };
    let order = (defect(50) / defect(100)).log2();
    assert!((order - 2.0).abs() < 0.1, "{order}");
}

#[test]
fn states_are_zero_unless_given() {
    let case = motor();
    let sim = Simulation::with_inputs(case.system.clone(), Dla2, case.q, case.v, &case.u, 0.01).unwrap();
    assert_eq!(sim.z(), [0.0]);
    assert_eq!(Motor::STATES, ["i"]);
    assert_eq!(Magnet::STATES, ["i", "w[0]", "w[1]"]);
    let refused = Simulation::builder(case.system.clone(), Dla2).start(case.q, case.v).states([f64::NAN]);
    let error = refused.step_size(0.01).build().unwrap_err();
    assert!(matches!(error, Error::NonFinite { name: "i", .. }), "{error:?}");
    assert_eq!(error.to_string(), "auxiliary state `i` must be finite, not NaN");
}

#[test]
fn forces_of_states_accelerate() {
    let case = motor();
    let sim = case.start(Dla2, 0.01);
    let p = &case.system;
    let (s, c) = case.q[0].sin_cos();
    let torque = p.k * case.z[0] - p.s * p.r * (case.q[1] * c + case.q[2] * s);
    let (a, _) = sim.acceleration().unwrap();
    assert!((a[3] - torque / (p.a + p.m * p.r * p.r)).abs() < 1e-14);
    // Of a system alone they are zero.
    let (a, _) = p.acceleration(case.q, case.v, 0.0, case.u).unwrap();
    assert!((a[3] - (torque - p.k * case.z[0]) / (p.a + p.m * p.r * p.r)).abs() < 1e-14);
}

#[test]
fn states_live_with_the_simulation() {
    fn check<M: Method<Magnet> + Copy>(method: M) {
        let case = magnet();
        let (mut sim, mut one_by_one) = (case.start(method, 0.01), case.start(method, 0.01));
        sim.advance(50).unwrap();
        (0..50).for_each(|_| one_by_one.step().unwrap());
        assert_eq!(numbers(&sim), numbers(&one_by_one));
        assert_eq!(sim.sample().z, sim.z());
        // A snapshot continues bit for bit.
        let snapshot: Snapshot = sim.to_snapshot();
        let mut again = Simulation::from_snapshot(case.system.clone(), method, &snapshot).unwrap();
        sim.advance(50).unwrap();
        again.advance(50).unwrap();
        assert_eq!(numbers(&sim), numbers(&again));
        // The motion jumps, the states stay, and the other way round.
        let (q, z) = (sim.q(), sim.z());
        sim.set_state(q, [0.5, 0.2, q[1] * 0.5]).unwrap();
        assert_eq!((sim.q(), sim.z()), (q, z));
        sim.set_states([0.0, 0.1, 0.2]).unwrap();
        assert_eq!((sim.q(), sim.v(), sim.z()), (q, [0.5, 0.2, q[1] * 0.5], [0.0, 0.1, 0.2]));
        sim.set_parameters(|p| p.k = 0.4).unwrap();
        assert_eq!(sim.z(), [0.0, 0.1, 0.2]);
        assert!(matches!(
            sim.set_states([0.0, f64::INFINITY, 0.2]),
            Err(Error::NonFinite { name: "w[0]", .. })
        ));
        sim.step().unwrap();
    }
    check(Dla2);
    check(DlaRattle);
    check(Rattle);
    check(Rk4);
    check(Compose::suzuki4(Dla2));
    // The time at which a state crosses a value, and steps of any size to it.
    let mut sim = motor().start(Dla2, 0.01);
    let t = sim.advance_until(|sample| sample.z[0] <= 0.2).unwrap();
    assert!(t > 0.1 && (sim.z()[0] - 0.2).abs() < 1e-14, "{t} {:?}", sim.z());
    sim.run_until(1.0).unwrap();
    assert_eq!(sim.time(), 1.0);
}

#[test]
fn trajectories_of_ensembles_are_simulations() {
    fn check<S: System + Clone, M: Method<S> + Copy + Sync>(case: &Case<S>, method: M) {
        let shifted = |i: usize| {
            let mut z = case.z;
            z.as_mut().iter_mut().for_each(|z| *z += 0.1 * i as f64);
            z
        };
        let data = (0..5).map(|i| (case.system.clone(), case.q, case.v, shifted(i), case.u));
        let mut ensemble = Ensemble::with_states(method, data, 0.01).unwrap();
        ensemble.advance(200);
        for i in 0..5 {
            let mut alone = case.start(method, 0.01);
            alone.set_states(shifted(i)).unwrap();
            alone.advance(200).unwrap();
            assert_eq!(ensemble.z(i), alone.z(), "{} {i}", S::NAME);
            assert_eq!((ensemble.q(i), ensemble.v(i)), (alone.q(), alone.v()));
            assert_eq!(ensemble.sample(i).z, alone.z());
        }
    }
    check(&motor(), Dla2);
    check(&motor(), Rattle);
    check(&tyre(), Dla2);
    check(&tyre(), Compose::triple4(DlaRattle));
    check(&magnet(), Dla2);
    check(&boat(), Rdp);
}
