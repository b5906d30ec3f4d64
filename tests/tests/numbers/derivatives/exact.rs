//! Derivatives that are known without differences.

use super::differences::duals;
use super::run::{Data, Run};
use nhi_models::{Row, chaotic_r7, euler_disk, vertical_disk};
use nhi_models::{contact_oscillator, lie, magnetic_particle, sleigh_com, snakeboard, snakeboard_free};
use nhi_runtime::prelude::*;
use nhi_runtime::{Dual, Method, Scalar, State, System, Vector};
use nhi_tests::random::Random;

/// y'' = −y is not coupled to the rest of the contact oscillator, and `Dla2` there the leapfrog method:
/// y_n = y₀ cos nθ + v₀ √(1 − h²/4) sin nθ with θ = 2 arcsin(h/2).
#[test]
fn the_leapfrog_method_is_differentiated() {
    const STEPS: u64 = 1000;
    type Number = Dual<f64, 3>;
    let h = 0.05;
    let (mut q, mut v) = ([0.5, 0.3, 0.4].map(Number::constant), [-0.18, 0.8, 0.6].map(Number::constant));
    (q[1], v[1]) = (Dual::variable(0.3, 0), Dual::variable(0.8, 1));
    // The constraint dx + y dz = 0 follows y.
    v[0] = -q[1] * v[2];
    let system = contact_oscillator::ContactOscillator;
    let mut simulation =
        Simulation::with_parameters(system, Dla2, [], q, v, &[], Dual::variable(h, 2)).unwrap();
    (0..STEPS).for_each(|_| simulation.step().unwrap());
    let root = (1.0 - h * h / 4.0_f64).sqrt();
    let angle = STEPS as f64 * 2.0 * (h / 2.0).asin();
    let (sin, cos) = angle.sin_cos();
    let by_angle = -0.3 * sin + 0.8 * root * cos;
    let expected = [cos, root * sin, by_angle * STEPS as f64 / root - 0.8 * sin * h / (4.0 * root)];
    let y = simulation.q()[1];
    assert!((y.re - (0.3 * cos + 0.8 * root * sin)).abs() < 1e-13, "{y:?}");
    for (derivative, expected) in y.eps.into_iter().zip(expected) {
        assert!((derivative - expected).abs() < 1e-13 * STEPS as f64, "{y:?}, {expected}");
    }
}

/// dE/dt = 0 along the motion, and from one node to the next E changes with what E does.
#[test]
fn the_energy_does_not_change_along_the_motion() {
    fn check<S: System>(row: &Row<S>) {
        let (q, v) = row.start(&row.example());
        let p = row.example().parameters();
        let (a, _) = S::acceleration_of(&p, &q, &v, &S::States::splat(0.0), 0.0, &zero::<S>()).unwrap();
        let e: Dual<f64> = S::energy(
            &dual(p.as_ref(), &vec![0.0; p.as_ref().len()]),
            &dual(q.as_ref(), v.as_ref()),
            &dual(v.as_ref(), a.as_ref()),
            Dual::constant(0.0),
        );
        assert_eq!(e.re.to_bits(), S::energy(&p, &q, &v, 0.0).to_bits());
        assert!(e.eps[0].abs() < 1e-13 * (1.0 + e.re.abs()), "{}: {e:?}", row.name);
    }

    fn zero<S: System>() -> S::Inputs<f64> {
        nhi_runtime::Vector::splat(0.0)
    }

    fn dual<V: nhi_runtime::Vector<Dual<f64>>>(x: &[f64], d: &[f64]) -> V {
        super::run::vector(&duals(x, d))
    }

    check(&contact_oscillator::MODEL);
    check(&chaotic_r7::MODEL);
    check(&sleigh_com::MODEL);
    check(&snakeboard_free::MODEL);
    check(&vertical_disk::MODEL);
    check(&euler_disk::MODEL);
    check(&magnetic_particle::MODEL);
}

/// A symmetric step forth and one back change nothing, so that the product of their Jacobians is the
/// identity on the tangent space of the constraint manifold.
#[test]
fn jacobians_of_steps_forth_and_back_are_inverse() {
    fn check<S: System + Clone, M: Method<S> + Copy>(row: &Row<S>, method: M, h: f64) {
        let run = Run::new(row, method, h);
        let [_, q, v, _] = run.places();
        let mut random = Random(2);
        for _ in 0..3 {
            let mut direction = vec![0.0; run.x.len()];
            // Matrices that are no rotations are made such, which is not undone.
            let matrix = q.len() > S::VELOCITIES.len();
            for place in q.clone().chain(v.clone()).filter(|place| !(matrix && q.contains(place))) {
                direction[place] = random.next();
            }
            let x = run.admissible(&duals(&run.x, &direction)).unwrap();
            let Data { parameters, q, v, inputs, h } = run.data(&x);
            let zero = Dual::constant(0.0);
            let [forth, back] = [h, -h].map(|h| method.prepare(&parameters, h).unwrap());
            let start = method.start(&parameters, h, &q, &v, &S::States::splat(zero), zero, &inputs).unwrap();
            let there = method.step(&forth, &start, zero, &inputs).unwrap();
            let turned = method.rescale(&parameters, -h, &there, h).unwrap();
            let here = method.step(&back, &turned, h, &inputs).unwrap();
            let pairs = here.q().as_ref().iter().zip(q.as_ref()).map(|(&a, &b)| (a, b)).collect::<Vec<_>>();
            let velocities =
                here.v().as_ref().iter().zip(v.as_ref()).map(|(&a, &b)| (a, b)).collect::<Vec<_>>();
            for (end, start) in pairs.into_iter().chain(velocities) {
                assert!((end.re - start.re).abs() < 1e-12, "{}: {end:?}, {start:?}", run.name);
                let error = (end.eps[0] - start.eps[0]).abs();
                assert!(error < 1e-11, "{}: {end:?}, {start:?}", run.name);
            }
        }
    }

    check(&contact_oscillator::MODEL, Dla2, 0.3);
    check(&contact_oscillator::MODEL, Dla2Midpoint, 0.3);
    check(&chaotic_r7::MODEL, DlaRattle, 0.1);
    check(&sleigh_com::MODEL, Dla2, 0.1);
    check(&sleigh_com::MODEL, Compose::kahanli6(Dla2), 0.1);
    check(&snakeboard::MODEL, DlaRattleMidpoint, 0.02);
    check(&euler_disk::MODEL, Dla2, 0.01);
    check(&lie::chaplygin_sleigh::MODEL, Rdp, 0.1);
    check(&lie::roller_racer::MODEL, Rdp::new(Cayley), 0.1);
    check(&lie::suslov::MODEL, SuslovMv, 0.1);
}

/// A body at rest stays there, whatever retraction it does not move by: all of them are evaluated at zero,
/// where the derivatives of q₁ by v₀ are h dq/dv.
#[test]
fn retractions_have_derivatives_at_rest() {
    fn check<S: System + Clone, M: Method<S> + Copy>(row: &Row<S>, method: M) {
        let mut run = Run::new(row, method, 0.1);
        let [_, q, v, _] = run.places();
        let mut direction = vec![0.0; run.x.len()];
        let mut random = Random(3);
        for place in v.clone() {
            run.x[place] = 0.0;
            direction[place] = random.next();
        }
        let x = run.admissible(&duals(&run.x, &direction)).unwrap();
        let Data { parameters, q: q0, v: v0, inputs, h } = run.data(&x);
        let zero = Dual::constant(0.0);
        let prepared = method.prepare(&parameters, h).unwrap();
        let start = method.start(&parameters, h, &q0, &v0, &S::States::splat(zero), zero, &inputs).unwrap();
        let end = method.step(&prepared, &start, zero, &inputs).unwrap();
        let name = &run.name;
        for (end, start) in end.v().as_ref().iter().zip(v0.as_ref()) {
            assert_eq!(end.re, 0.0, "{name}");
            assert!((end.eps[0] - start.eps[0]).abs() < 1e-15, "{name}: {end:?}, {start:?}");
        }
        // dR = R ω̂ at R = 1, and on SE(2) dθ = ω, d(x, y) = R(θ)(v, w).
        let xi: Vec<f64> = v0.as_ref().iter().map(|x| x.eps[0]).collect();
        let (sin, cos) = q0.as_ref()[0].re.sin_cos();
        let rates = match xi[..] {
            [a, b, c] if q.len() == 9 => vec![0.0, -c, b, c, 0.0, -a, -b, a, 0.0],
            [omega, v, w] => vec![omega, cos * v - sin * w, sin * v + cos * w],
            _ => unreachable!("two systems"),
        };
        for ((end, start), rate) in end.q().as_ref().iter().zip(q0.as_ref()).zip(rates) {
            assert_eq!(end.re, start.re, "{name}");
            assert!((end.eps[0] - h.to_f64() * rate).abs() < 1e-15, "{name}: {end:?}, {rate}");
        }
    }

    macro_rules! by_all {
        ($row:expr) => {
            check(&$row, Rdp);
            check(&$row, Rdp::new(Cayley));
            check(&$row, Rdp::new(Ccsk));
            check(&$row, Rdp::new(Exp1));
            check(&$row, Rdp::new(Exp2));
            check(&$row, Rdp::new(Exp4));
            check(&$row, RdpMidpoint);
            check(&$row, Rkmk4);
        };
    }
    by_all!(lie::suslov::MODEL);
    by_all!(lie::chaplygin_sleigh::MODEL);
    check(&lie::suslov::MODEL, SuslovMv);
    check(&lie::suslov::MODEL, SuslovCay);
}
