//! Orders of compositions.
//!
//! Errors of order 6 and 8 meet the rounding of `f64` after one or two halvings of the step. In
//! numbers of 32 digits they can be followed to where only the leading term is left.

use nhi_models::{
    Row, chaotic_r7, contact_oscillator, contact_oscillator_gauged, euler_disk, gearbox, knife_incline,
    magnetic_particle, mobile_robot, nh_particle, perturbed_oscillator, rotating_table_skate, sleigh_com,
    sleigh_contact, sleigh_moving_mass, snakeboard, snakeboard_free, tractor, vertical_disk,
};
use nhi_runtime::prelude::*;
use nhi_runtime::{Method, Scalar, State, System, Vector};
use nhi_tests::double_double::DoubleDouble;

/// A system with initial data.
trait Started<S: System> {
    fn name(&self) -> &str;
    fn system(&self) -> S;
    fn initial(&self) -> (S::Configuration<f64>, S::Velocity<f64>);
}

impl<S: System> Started<S> for Row<S> {
    fn name(&self) -> &str {
        self.name
    }

    fn system(&self) -> S {
        self.example()
    }

    fn initial(&self) -> (S::Configuration<f64>, S::Velocity<f64>) {
        self.start(&self.example())
    }
}

/// (q, v) at the end of `steps` steps from the initial data of `model`, in the numbers `T`.
fn run<T: Scalar, S: System, M: Method<S>>(
    model: &impl Started<S>,
    method: M,
    end: f64,
    steps: u32,
) -> Vec<T> {
    let zero = T::from_f64(0.0);
    let (q0, v0) = model.initial();
    let (mut q, mut v) = (S::Configuration::splat(zero), S::Velocity::splat(zero));
    let (mut parameters, inputs) = (S::Parameters::splat(zero), S::Inputs::splat(zero));
    copy(&mut parameters, &model.system().parameters());
    copy(&mut q, &q0);
    copy(&mut v, &v0);
    // The initial data are on the constraint manifold up to the rounding of `f64`.
    let v = S::project(&parameters, &q, &v, zero, &inputs).unwrap();
    let h = T::from_f64(end) / T::from_f64(f64::from(steps));
    let prepared = method.prepare(&parameters, h).unwrap();
    let mut state = method.start(&parameters, h, &q, &v, &S::States::splat(zero), zero, &inputs).unwrap();
    for k in 0..steps {
        state = method.step(&prepared, &state, h * T::from_f64(f64::from(k)), &inputs).unwrap();
    }
    state.q().as_ref().iter().chain(state.v().as_ref()).copied().collect()
}

fn copy<T: Scalar>(to: &mut impl Vector<T>, from: &impl Vector<f64>) {
    for (to, &from) in to.as_mut().iter_mut().zip(from.as_ref()) {
        *to = T::from_f64(from);
    }
}

/// Largest difference.
fn distance<T: Scalar>(a: &[T], b: &[T]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| (a - b).to_f64().abs()).fold(0.0, f64::max)
}

/// Asserts the order that the differences between the solutions with `steps`, 2 `steps` and
/// 4 `steps` steps show.
fn assert_order<S: System, M: Method<S> + Copy>(
    expected: f64,
    model: &impl Started<S>,
    method: M,
    (end, steps): (f64, u32),
) {
    let [a, b, c] = [1, 2, 4].map(|k| run::<DoubleDouble, S, M>(model, method, end, k * steps));
    let order = (distance(&a, &b) / distance(&b, &c)).log2();
    assert!((order - expected).abs() < 0.05, "{} {}: order {order}", model.name(), method.id());
}

/// One set of coefficients for each order, on both packagings of the trapezoidal scheme, whose Newton
/// equations differ.
fn assert_orders<S: System>(model: &impl Started<S>, interval: (f64, u32))
where
    Dla2: Method<S>,
    DlaRattle: Method<S>,
{
    assert_order(4.0, model, Compose::suzuki4(Dla2), interval);
    assert_order(6.0, model, Compose::kahanli6(Dla2), interval);
    assert_order(8.0, model, Compose::suzukiumeno8(Dla2), interval);
    assert_order(4.0, model, Compose::suzuki4(DlaRattle), interval);
    assert_order(6.0, model, Compose::kahanli6(DlaRattle), interval);
    assert_order(8.0, model, Compose::suzukiumeno8(DlaRattle), interval);
}

#[test]
fn all_coefficients_have_their_order() {
    fn check<S: System>(model: &Row<S>)
    where
        Dla2: Method<S>,
    {
        assert_order(4.0, model, Compose::triple4(Dla2), (2.0, 32));
        assert_order(4.0, model, Compose::suzuki4(Dla2), (2.0, 16));
        assert_order(6.0, model, Compose::yoshida6(Dla2), (2.0, 16));
        assert_order(6.0, model, Compose::kahanli6(Dla2), (2.0, 16));
        assert_order(8.0, model, Compose::suzukiumeno8(Dla2), (2.0, 16));
        assert_order(8.0, model, Compose::kahanli8(Dla2), (2.0, 16));
    }
    check(&contact_oscillator::MODEL);
    check(&chaotic_r7::MODEL);
}

#[test]
fn orders_hold_for_constant_masses() {
    assert_orders(&perturbed_oscillator::MODEL, (2.0, 16));
    assert_orders(&sleigh_com::MODEL, (2.0, 16));
    assert_orders(&snakeboard_free::MODEL, (2.0, 16));
    // Longer: with smaller errors the rounding of the coefficients, which are f64, would be seen.
    assert_orders(&vertical_disk::MODEL, (8.0, 16));
    assert_orders(&knife_incline::MODEL, (1.0, 16));
    assert_orders(&nh_particle::MODEL, (2.0, 16));
    assert_orders(&nh_particle::HARMONIC, (2.0, 16));
    assert_orders(&gearbox::BOTH, (1.0, 16));
}

#[test]
fn orders_hold_for_varying_masses() {
    assert_orders(&sleigh_contact::MODEL, (2.0, 16));
    assert_orders(&sleigh_moving_mass::MODEL, (1.0, 16));
    assert_orders(&euler_disk::MODEL, (0.5, 16));
    assert_orders(&tractor::MODEL, (1.0, 16));
}

#[test]
fn orders_hold_for_affine_constraints_and_gyroscopic_terms() {
    assert_orders(&rotating_table_skate::MODEL, (2.0, 16));
    assert_orders(&magnetic_particle::MODEL, (2.0, 16));
    assert_orders(&contact_oscillator_gauged::MODEL, (2.0, 16));
}

#[test]
fn orders_hold_for_forces_of_time() {
    assert_orders(&mobile_robot::MODEL, (2.0, 16));
    // The rotor's torque swings ten times in a unit of time.
    assert_orders(&snakeboard::MODEL, (0.2, 32));
}

/// A skate on a spring, with a drag that is cubic in the velocity and a torque that depends on time.
#[derive(Nonholonomic, Clone)]
#[nonholonomic(
    coordinates(x, y, phi),
    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + j/2*dot(phi)^2 - k/2*(x^2 + y^2),
    constraints(sin(phi)*dx - cos(phi)*dy = 0),
    force = -c*(1 + dot(x)^2 + dot(y)^2)*(dot(x)*dx + dot(y)*dy) + (sin(2*t) - c*dot(phi))*dphi,
    methods(Dla2, DlaRattle),
)]
struct Skate {
    m: f64,
    j: f64,
    k: f64,
    c: f64,
}

/// Such a skate in motion.
struct Damped;

impl Started<Skate> for Damped {
    fn name(&self) -> &str {
        "skate with drag"
    }

    fn system(&self) -> Skate {
        Skate { m: 1.3, j: 0.4, k: 0.8, c: 0.6 }
    }

    fn initial(&self) -> ([f64; 3], [f64; 3]) {
        ([0.3, -0.4, 0.0], [0.9, 0.0, 1.1])
    }
}

#[test]
fn orders_hold_for_damping() {
    assert_order(2.0, &Damped, Dla2, (1.0, 32));
    assert_orders(&Damped, (1.0, 32));
}

/// A disk rolls at a constant rate: turning that into increments of every substep and back does not change it by the
/// same rounding in every step.
#[test]
fn velocities_do_not_drift() {
    fn check<M: Method<vertical_disk::VerticalDisk>>(method: M, h: f64) {
        let model = &vertical_disk::MODEL;
        let (_, before) = model.start(&model.example());
        let after = run::<f64, _, M>(model, method, 20_000.0 * h, 20_000);
        let change = after[6] / before[2] - 1.0;
        assert!(change.abs() < 1e-13, "{change:e}");
    }

    check(Compose::yoshida6(Dla2), 0.02);
    check(Compose::kahanli8(Dla2), 0.0217);
}

#[test]
fn the_midpoint_schemes_compose_too() {
    fn check<S: System>(model: &Row<S>)
    where
        Dla2Midpoint: Method<S>,
        DlaRattleMidpoint: Method<S>,
    {
        assert_order(6.0, model, Compose::kahanli6(Dla2Midpoint), (2.0, 16));
        assert_order(6.0, model, Compose::kahanli6(DlaRattleMidpoint), (2.0, 16));
    }
    check(&contact_oscillator::MODEL);
    check(&rotating_table_skate::MODEL);
    check(&sleigh_contact::MODEL);
    check(&mobile_robot::MODEL);
}

#[test]
fn coefficients_of_ones_own_have_the_order_of_their_conditions() {
    // Σ γ = 1 alone is order 2, with Σ γ³ = 0 it is 4.
    let thirds = Compose::symmetric(Dla2, [0.25, 0.5, 0.25]).unwrap();
    assert_order(2.0, &contact_oscillator::MODEL, thirds, (2.0, 32));
    let cbrt2 = 2f64.cbrt();
    let outer = 1.0 / (2.0 - cbrt2);
    let triple = Compose::symmetric(Dla2, [outer, -cbrt2 * outer, outer]).unwrap();
    assert_order(4.0, &contact_oscillator::MODEL, triple, (2.0, 32));
}
