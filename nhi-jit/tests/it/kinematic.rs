//! As many constraints as coordinates: inputs and time determine all velocities, with and without a kinetic energy. Right values
//! are closed forms and a fine integration of the rates themselves; steps that are derived, compiled at run time and
//! interpreted are the same, bit for bit.

use super::support;
use nhi_codegen::optimised::Optimised;
use nhi_jit::{Compiled, Point};
use nhi_runtime::prelude::*;
use nhi_runtime::{Method, System};

/// A car that is given by its speed and yaw rate, with a trailer at a distance `l`, without mass.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, theta, psi),
    inputs(speed, rate),
    lagrangian = 0,
    let(u = x - l*cos(psi), v = y - l*sin(psi)),
    constraints(
        side: sin(theta)*dx - cos(theta)*dy,
        ahead: cos(theta)*dx + sin(theta)*dy - speed*dt,
        turn: dtheta - rate*dt,
        hitch: sin(psi)*d(u) - cos(psi)*d(v),
    ),
    methods(Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rdp, RdpMidpoint)
)]
struct Light {
    l: f64,
}

/// The same with masses.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, theta, psi),
    inputs(speed, rate),
    lagrangian = (dot(x)^2 + dot(y)^2)*3/2 + dot(theta)^2/4 + (dot(u)^2 + dot(v)^2)/6 + dot(psi)^2/8,
    let(u = x - l*cos(psi), v = y - l*sin(psi)),
    constraints(
        side: sin(theta)*dx - cos(theta)*dy,
        ahead: cos(theta)*dx + sin(theta)*dy - speed*dt,
        turn: dtheta - rate*dt,
        hitch: sin(psi)*d(u) - cos(psi)*d(v),
    ),
    methods(Dla1, Dla1Adjoint, Dla2, Dla2Midpoint, DlaRattle, DlaRattleMidpoint, Rdp, RdpMidpoint, Rattle, GniMidpoint, GniEulerB)
)]
struct Heavy {
    l: f64,
}

/// A car on SE(2) with a trailer and a wheel that turns with it, where only the car has a mass.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(psi, phi),
    group = SE2(theta, x, y; omega, v, w),
    inputs(speed, rate),
    lagrangian = m/2*(v^2 + w^2) + omega^2/4,
    constraints(v - speed, w, omega - rate, dot(psi) - v*sin(theta - psi), v - dot(phi)/2),
    methods(Rdp, RdpLeft)
)]
struct Posed {
    m: f64,
}

/// The velocity of a car is a function of time, and so is its course.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, theta),
    inputs(ignored, others),
    let(kept = ignored + others),
    lagrangian = 0,
    constraints(dx - (1 + sin(t)*l)*cos(theta)*dt, dy - (1 + sin(t)*l)*sin(theta)*dt, dtheta - cos(2*t)*dt),
    methods(Dla2, DlaRattle, Rk4)
)]
struct Timed {
    l: f64,
}

const H: f64 = 0.02;

/// Inputs of the step with this number.
fn inputs(k: u32) -> [f64; 2] {
    let t = H * f64::from(k);
    [0.8 + (3.0 * t).sin(), (2.0 * t).cos()]
}

/// A system with its functions.
struct Bed<S: System> {
    system: S,
    optimised: Optimised,
    compiled: Compiled,
    q: S::Configuration<f64>,
    v: S::Velocity<f64>,
}

impl<S: System<Inputs<f64> = [f64; 2]> + Clone> Bed<S> {
    fn new(system: S, q: impl Into<S::Configuration<f64>>) -> Bed<S> {
        let derived = support::derived(include_str!("kinematic.rs"), S::NAME);
        let optimised = derived.optimised().expect("finite constants");
        let variants: Vec<_> = optimised.methods.iter().map(|method| method.method.into()).collect();
        let compiled = Compiled::new(&optimised, &variants).expect("Cranelift runs here");
        let (q, zero) = (q.into(), nhi_runtime::Vector::splat(0.0));
        let v = S::project(&system.parameters(), &q, &zero, 0.0, &inputs(0)).expect("regular");
        Bed { system, optimised, compiled, q, v }
    }

    /// Compares 200 steps of a method, with inputs that change.
    fn compare<M: Method<S>>(&self, method: M) {
        let id = method.id();
        let name = format!("{} {id}", S::NAME);
        let of_method = self.optimised.methods.iter().find(|functions| functions.id() == id);
        let of_method = of_method.expect("a method");
        let variant: nhi_methods::Variant = of_method.method.into();
        let (parameters, q, v) = (self.system.parameters(), self.q.as_ref(), self.v.as_ref());
        let start = Simulation::with_inputs(self.system.clone(), method, self.q, self.v, &inputs(0), H);
        let mut derived = start.expect("a start");
        let at = Point { parameters: parameters.as_ref(), q, v, z: &[], t: 0.0, inputs: &inputs(0) };
        let mut compiled = nhi_jit::Simulation::at_point(&self.compiled, variant, &at, H).expect("a start");
        let start = [q, v, &[], &inputs(0)];
        let interpreted =
            nhi_interpreter::Simulation::start(of_method, variant, parameters.as_ref(), start, H);
        let mut interpreted = interpreted.expect("a start");
        for k in 0..200 {
            let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
            let snapshot = derived.to_snapshot().state;
            assert_eq!(bits(compiled.numbers()), bits(&snapshot), "{name}: step {k}");
            assert_eq!(bits(&interpreted.numbers()), bits(&snapshot), "{name}: step {k}");
            derived.step_with(&inputs(k)).unwrap_or_else(|error| panic!("{name}, step {k}: {error}"));
            compiled.step_with(&inputs(k)).expect("a step");
            interpreted.step(&inputs(k)).expect("a step");
            let residual = derived.residual();
            // Runge–Kutta methods drift.
            let most = if id == "rk4" { 1e-7 } else { 1e-10 };
            assert!(residual.as_ref().iter().all(|r| r.abs() < most), "{name}: {residual:?}");
        }
    }
}

/// Compares methods with momenta at nodes.
macro_rules! compare_at_nodes {
    ($bed:expr) => {
        $bed.compare(Dla1);
        $bed.compare(Dla1Adjoint);
        $bed.compare(Dla2);
        $bed.compare(Dla2Midpoint);
        $bed.compare(DlaRattle);
        $bed.compare(DlaRattleMidpoint);
        $bed.compare(Rdp);
        $bed.compare(RdpMidpoint);
    };
}

#[test]
fn without_mass() {
    let bed = Bed::new(Light { l: 0.7 }, [0.3, -0.2, 0.4, 0.9]);
    compare_at_nodes!(bed);
}

#[test]
fn with_masses() {
    let bed = Bed::new(Heavy { l: 0.7 }, [0.3, -0.2, 0.4, 0.9]);
    compare_at_nodes!(bed);
    bed.compare(Rattle);
    bed.compare(GniMidpoint);
    bed.compare(GniEulerB);
}

#[test]
fn on_a_group() {
    let bed = Bed::new(Posed { m: 1.3 }, [0.9, 0.1, 0.4, 0.3, -0.2]);
    bed.compare(Rdp);
    bed.compare(RdpLeft);
}

#[test]
fn by_time_alone() {
    let bed = Bed::new(Timed { l: 0.4 }, [0.3, -0.2, 0.4]);
    bed.compare(Dla2);
    bed.compare(DlaRattle);
    bed.compare(Rk4);
}

/// With the speed s and the yaw rate w a car goes round a circle, and a trailer behind it, too, at the angle asin(w l/s).
#[test]
fn a_car_goes_round_a_circle() {
    fn error<S, M>(system: S, method: M, steps: u64) -> f64
    where
        S: System<Inputs<f64> = [f64; 2], Configuration<f64> = [f64; 4], Velocity<f64> = [f64; 4]> + Clone,
        M: Method<S>,
    {
        let (s, w, l): (f64, f64, f64) = (1.2, 0.9, 0.7);
        let (end, behind) = (4.0, (w * l / s).asin());
        let h = end / steps as f64;
        let start = [s, 0.0, w, w];
        let mut sim =
            Simulation::with_inputs(system, method, [0.0, 0.0, 0.0, -behind], start, &[s, w], h).unwrap();
        sim.advance(steps).unwrap();
        let [x, y, theta, psi] = sim.q();
        assert!((theta - w * end).abs() < 1e-12 && (theta - psi - behind).abs() < 1e-3, "{theta} {psi}");
        (x - s / w * (w * end).sin()).hypot(y - s / w * (1.0 - (w * end).cos()))
    }
    let orders = [
        [100, 200].map(|n| error(Light { l: 0.7 }, Dla2, n)),
        [100, 200].map(|n| error(Light { l: 0.7 }, DlaRattle, n)),
        [100, 200].map(|n| error(Heavy { l: 0.7 }, Dla2, n)),
        [100, 200].map(|n| error(Heavy { l: 0.7 }, DlaRattle, n)),
        [100, 200].map(|n| error(Heavy { l: 0.7 }, Rattle, n)),
    ];
    for [coarse, fine] in orders {
        assert!(fine < 1e-3 && ((coarse / fine).log2() - 2.0).abs() < 0.05, "{coarse} {fine}");
    }
}

/// The angle of a trailer behind a car that goes straight on with the speed s: dψ/dt = −s/l sin ψ, by the classical
/// Runge–Kutta method.
fn trailer(s: f64, l: f64, mut psi: f64, end: f64) -> f64 {
    let steps = 100_000;
    let h = end / f64::from(steps);
    let rate = |psi: f64| -s / l * psi.sin();
    for _ in 0..steps {
        let a = rate(psi);
        let b = rate(psi + 0.5 * h * a);
        let c = rate(psi + 0.5 * h * b);
        let d = rate(psi + h * c);
        psi += h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
    }
    psi
}

/// A trailer that is pushed backwards turns round, until it is drawn.
#[test]
fn a_trailer_that_is_pushed_jackknifes() {
    fn angle<S, M>(system: S, method: M, steps: u64) -> f64
    where
        S: System<Inputs<f64> = [f64; 2], Configuration<f64> = [f64; 4], Velocity<f64> = [f64; 4]> + Clone,
        M: Method<S>,
    {
        let (q, u) = ([0.0, 0.0, 0.0, 0.05], [-1.0, 0.0]);
        let v = S::project(&system.parameters(), &q, &[0.0; 4], 0.0, &u).unwrap();
        let mut sim = Simulation::with_inputs(system, method, q, v, &u, 3.0 / steps as f64).unwrap();
        sim.advance(steps).unwrap();
        assert!((sim.q()[0] + 3.0).abs() < 1e-12 && sim.q()[1].abs() < 1e-12);
        sim.q()[3]
    }
    let exact = trailer(-1.0, 0.7, 0.05, 3.0);
    assert!(exact > 1.8, "{exact}");
    let l = 0.7;
    for [coarse, fine] in [
        [200, 400].map(|n| angle(Light { l }, Dla2, n)),
        [200, 400].map(|n| angle(Light { l }, Rdp, n)),
        [200, 400].map(|n| angle(Light { l }, DlaRattleMidpoint, n)),
        [200, 400].map(|n| angle(Heavy { l }, Dla2, n)),
        [200, 400].map(|n| angle(Heavy { l }, Rdp, n)),
    ] {
        let [coarse, fine] = [coarse, fine].map(|psi| (psi - exact).abs());
        assert!(fine < 1e-3 && ((coarse / fine).log2() - 2.0).abs() < 0.05, "{coarse} {fine}");
    }
}

/// A car alone, with a mass.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, y, theta),
    inputs(speed, rate),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + j/2*dot(theta)^2,
    constraints(
        side: sin(theta)*dx - cos(theta)*dy,
        ahead: cos(theta)*dx + sin(theta)*dy - speed*dt,
        turn: dtheta - rate*dt,
    ),
    methods(Dla2, DlaRattle)
)]
struct Car {
    m: f64,
    j: f64,
}

/// Multipliers are the forces of the drives: m ds/dt ahead, J dw/dt against the turn, and m s w towards the centre of curvature.
#[test]
fn multipliers_are_the_forces_of_the_drives() {
    let (m, j, h) = (2.0, 0.3, 1e-3);
    let (speed, rate) = (|t: f64| 1.0 + 0.5 * t, |t: f64| 0.4 - 0.2 * t);
    let (q, v) = ([0.0; 3], [speed(0.0), 0.0, rate(0.0)]);
    let first = [speed(0.0), rate(0.0)];
    let mut sim = Simulation::with_inputs(Car { m, j }, Dla2, q, v, &first, h).unwrap();
    for k in 1..=500 {
        let t = h * f64::from(k);
        sim.step_with(&[speed(t), rate(t)]).unwrap();
        // Those of a step are means over the step.
        let t = t - 0.5 * h;
        let [side, ahead, turn] = sim.multipliers();
        assert!((ahead - m * 0.5).abs() < 1e-6 && (turn + j * 0.2).abs() < 1e-12, "{ahead} {turn}");
        assert!((side + m * speed(t) * rate(t)).abs() < 1e-5, "{side}");
        let power = ahead * speed(sim.time()) + turn * rate(sim.time());
        assert!((sim.constraint_power() - power).abs() < 1e-12);
    }
    let energy = m / 2.0 * speed(0.5).powi(2) + j / 2.0 * rate(0.5).powi(2);
    assert!((sim.energy() - energy).abs() < 1e-12);
}

/// A drive does all the work: no step is refused because of the energy, and without a kinetic energy there is none.
#[test]
fn drives_start_stop_and_reverse() {
    let jumps = [[0.0, 0.0], [3.0, 0.0], [0.0, 0.0], [-2.0, 5.0], [2.0, -5.0], [0.0, 0.0]];
    let q = [0.3, -0.2, 0.4, 0.5];
    let mut heavy = Simulation::with_inputs(Heavy { l: 0.7 }, Dla2, q, [0.0; 4], &[0.0; 2], H).unwrap();
    let mut light = Simulation::with_inputs(Light { l: 0.7 }, DlaRattle, q, [0.0; 4], &[0.0; 2], H).unwrap();
    for inputs in jumps {
        for _ in 0..20 {
            heavy.step_with(&inputs).unwrap();
            light.step_with(&inputs).unwrap();
        }
        assert_eq!(heavy.energy() > 1e-3, inputs != [0.0; 2], "{}", heavy.energy());
        assert!(light.energy() == 0.0 && light.multipliers().iter().all(|lambda| lambda.abs() < 1e-9));
    }
    heavy.advance(5000).unwrap();
    light.advance(5000).unwrap();
    assert!(heavy.v().iter().chain(&light.v()).all(|v| v.abs() < 1e-12));
}
