//! Of what users do not see.

use super::lane::Lane;
use super::*;
use crate::emitted::{Newton, corrected_sin_cos, small_sin_cos};
use crate::{Dla2, Failure, Rattle, Scalar};
use core::f64::consts::SQRT_2;

#[path = "../../../tests/runtime/tests/it/double.rs"]
mod double;
use double::{SLEIGH, Sleigh};

/// Angles of all sizes, and one velocity that overflows.
fn ensemble<M: Method<Sleigh> + Clone>(method: M) -> Ensemble<Sleigh, M> {
    let all = (0..100).map(|i| {
        let theta = 1e4 * f64::from(i);
        let (s, c) = theta.sin_cos();
        let v = [1.2, 0.7 * c - 0.24 * s, 0.7 * s + 0.24 * c];
        (SLEIGH, [theta, 0.0, 0.0], v, [if i == 50 { 2e306 } else { 0.3 }])
    });
    Ensemble::with_inputs(method, all, 0.5).unwrap()
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    let run = |isa| {
        let (mut closed, mut newton) = (ensemble(Rattle::plain()), ensemble(Dla2));
        closed.advance_on(isa, 2_000);
        newton.advance_on(isa, 200);
        [closed.checkpoint(), newton.checkpoint()]
    };
    let plain = run(Isa::all().next().unwrap());
    assert!(Isa::all().all(|isa| run(isa) == plain));
    assert_eq!(plain[0].stopped.len(), 1);
}

#[test]
fn every_instruction_set_gives_one_trajectory_the_same_bits() {
    fn check<M: Method<Sleigh> + Clone>(method: M) {
        let (s, c) = 1f64.sin_cos();
        let v = [1.2, 0.7 * c - 0.24 * s, 0.7 * s + 0.24 * c];
        let start = Simulation::with_inputs(SLEIGH, method, [1.0, 0.0, 0.0], v, &[0.3], 0.5).unwrap();
        let run = |isa| {
            let mut simulation = start.clone();
            simulation.advance_on::<Separate>(isa, 2_000).unwrap();
            (simulation.q(), simulation.v())
        };
        let mut one_by_one = start.clone();
        (0..2_000).for_each(|_| one_by_one.step().unwrap());
        let state = (one_by_one.q(), one_by_one.v());
        assert!(Isa::all().all(|isa| run(isa) == state));
    }
    check(Rattle::plain());
    check(Dla2);
}

#[test]
fn fused_operations_are_the_same_in_registers_of_every_width() {
    let run = |isa| {
        let (mut closed, mut newton) = (ensemble(Rattle::plain()).fused(), ensemble(Dla2).fused());
        closed.advance_on(isa, 2_000);
        newton.advance_on(isa, 200);
        [closed.checkpoint(), newton.checkpoint()]
    };
    // The first instruction set may lack fused operations.
    let mut all = Isa::all().skip(1).map(run);
    if let Some(first) = all.next() {
        assert!(all.all(|checkpoint| checkpoint == first));
        assert_eq!(first[0].stopped.len(), 1);
    }
}

#[test]
fn fused_operations_round_once() {
    let [a, b, c] = [1.0 + 2f64.powi(-30), 1.0 - 2f64.powi(-30), -1.0];
    let [x, y, z] = [a, b, c].map(Fused::from_f64);
    let exact = -2f64.powi(-60);
    assert_eq!(a * b + c, 0.0);
    assert_eq!(
        [x * y + z, z + x * y, x * y - -z, -(z - -x * y)].map(Fused::to_f64),
        [exact, exact, exact, -exact]
    );
    // A product to which nothing is added is rounded, also as an operand of other operations.
    let all = [(x * y, a * b), (x / y, a / b), (x * y * z, a * b * c), ((x * y).sqrt(), (a * b).sqrt())];
    assert!(all.iter().all(|(fused, plain)| fused.to_f64().to_bits() == plain.to_bits()));
    // In a sum of two products, one product is rounded.
    assert_eq!((x * y + z * z).to_f64(), a.mul_add(b, c * c));
    assert_eq!((-(x * y)).to_f64(), -(a * b));
    assert!(x * y == Fused::from_f64(a * b) && x * y != x);
}

#[test]
fn unchecked_numbers_have_the_same_sines_or_nan() {
    let small = [0.0, -0.0, 1e-310, 1.0, -3.0, 1e5, 1_048_576f64.next_down()];
    for x in small.into_iter().flat_map(|x| [x, -x]) {
        let (sin, cos) = Scalar::sin_cos(x);
        let (s, c) = Separate::from_f64(x).sin_cos();
        assert_eq!([s.to_f64().to_bits(), c.to_f64().to_bits()], [sin, cos].map(f64::to_bits), "{x}");
    }
    for x in [1_048_576.0, 1e7, f64::MAX, f64::INFINITY, f64::NAN] {
        let (s, c) = Separate::from_f64(x).sin_cos();
        let (fs, fc) = Fused::from_f64(-x).sin_cos();
        let none = [s.to_f64(), c.to_f64(), fs.to_f64(), fc.to_f64()].iter().all(|x| x.is_nan());
        assert!(none || cfg!(feature = "platform-trigonometry"), "{x}");
    }
}

/// Newton's method for √y from a guess with the relative error `distance`, with B = 3 derivatives or none: the root, the
/// last iterate, and the number of updates.
fn root<T: Scalar, const B: usize>(y: f64, distance: f64) -> (Result<[f64; 2], Failure>, u32) {
    let updates = core::cell::Cell::new(0);
    let y = T::from_f64(y);
    let guess = [y.sqrt() * T::from_f64(1.0 + distance)];
    let root = Newton::new().solve(guess, |[x]| {
        updates.set(updates.get() + 1);
        let slopes = [x + x, T::from_f64(2.0), T::from_f64(0.0)];
        Ok(([(y - x * x) / (x + x)], move || core::array::from_fn::<T, B, _>(|i| slopes[i]), [x]))
    });
    (root.map(|([x], [kept])| [x, kept].map(T::to_f64)), updates.get())
}

#[test]
fn a_fixed_number_of_updates_has_the_result_of_as_many_as_needed() {
    let (mut needed, mut needed_bent) = ([0; 7], [0; 7]);
    for i in 0..400_i32 {
        let (y, distance) = (1.0 + 0.01 * f64::from(i), 10_f64.powi(-(i % 12)));
        let (alone, updates) = root::<f64, 0>(y, distance);
        needed[updates as usize] += 1;
        // The last iterate is that before the last update.
        assert!(alone.is_ok_and(|[x, kept]| (x - kept).abs() < 1e-7 * x), "{y} {distance}: {alone:?}");
        let of_lane = |enough| if updates <= enough { alone } else { Err(Failure::NotConverged) };
        assert_eq!(root::<Lane<f64, 1>, 0>(y, distance), (of_lane(1), 1), "{y} {distance}");
        assert_eq!(root::<Lane<f64, 2>, 0>(y, distance), (of_lane(1), 1), "{y} {distance}");
        assert_eq!(root::<Lane<Separate, 3>, 0>(y, distance), (of_lane(2), 2), "{y} {distance}");

        let (bent, bent_updates) = root::<f64, 3>(y, distance);
        needed_bent[bent_updates as usize] += 1;
        assert!(bent.is_ok_and(|[x, _]| (x - y.sqrt()).abs() <= 4e-16 * x), "{y} {distance}: {bent:?}");
        let of_lane = |enough| if bent_updates <= enough { bent } else { Err(Failure::NotConverged) };
        assert_eq!(root::<Lane<Separate, 2>, 3>(y, distance), (of_lane(1), 1), "{y} {distance}");
        assert_eq!(root::<Lane<f64, 3>, 3>(y, distance), (of_lane(2), 2), "{y} {distance}");
        // A lane with one update does not use the derivatives.
        let of_lane = if updates == 1 { alone } else { Err(Failure::NotConverged) };
        assert_eq!(root::<Lane<f64, 1>, 3>(y, distance), (of_lane, 1), "{y} {distance}");
        assert!(updates > 1 || bent == alone, "{y} {distance}");
    }
    assert!(needed[1..=4].iter().all(|&times| times > 10), "{needed:?}");
    assert!(needed_bent[1] > needed[1] + 50 && needed_bent[5..] == [0, 0], "{needed:?} {needed_bent:?}");
    assert_eq!(root::<Lane<f64, 3>, 0>(-1.0, 0.5).0, Err(Failure::NotConverged));
}

#[test]
fn a_lane_fails_if_the_fallback_is_closer_than_the_guess() {
    fn root<T: Scalar>(guess: f64, fallback: f64) -> Result<f64, Failure> {
        let [guess, fallback, two] = [guess, fallback, 2.0].map(T::from_f64);
        let update = |[x]: [T; 1]| Ok(([(two - x * x) / (x + x)], || [], []));
        Newton::new().solve_or([guess], [fallback], update).map(|([x], [])| x.to_f64())
    }
    for near in [SQRT_2 - 1e-5, SQRT_2 + 1e-6] {
        for far in [1.40, 1.43] {
            assert_eq!(root::<f64>(far, near), root::<f64>(near, near), "{near} {far}");
            assert_eq!(root::<Lane<f64, 3>>(far, near), Err(Failure::NotConverged), "{near} {far}");
            assert_eq!(root::<Lane<f64, 3>>(near, far), root::<f64>(near, far), "{near} {far}");
        }
    }
}

#[test]
fn lanes_have_the_same_sines_of_small_angles() {
    for x in [0.0, 1e-300, -1e-9, 0.1, -0.1875, 0.1875] {
        let (sin, cos) = small_sin_cos(x);
        let (s, c) = small_sin_cos(Lane::<Separate, 2>::from_f64(x));
        assert_eq!([s.to_f64().to_bits(), c.to_f64().to_bits()], [sin, cos].map(f64::to_bits), "{x}");
    }
    for x in [0.1875_f64.next_up(), -0.1876, -3.0, 1e9, f64::INFINITY, f64::NAN] {
        let (s, c) = small_sin_cos(Lane::<Separate, 2>::from_f64(x));
        assert!(s.to_f64().is_nan() && c.to_f64().is_nan() || cfg!(feature = "platform-trigonometry"), "{x}");
    }
}

#[test]
fn lanes_have_the_same_sines_of_predicted_angles_or_nan() {
    fn lane<const UPDATES: u32>(x: f64, from: f64, by: f64, sines: (f64, f64)) -> [f64; 2] {
        let [x, from, by, sin, cos] =
            [x, from, by, sines.0, sines.1].map(Lane::<Separate, UPDATES>::from_f64);
        let (sin, cos) = corrected_sin_cos(x, from, by, (sin, cos));
        [sin.to_f64(), cos.to_f64()]
    }
    if cfg!(feature = "platform-trigonometry") {
        return;
    }
    let (from, by) = (0.375_f64, 0.125_f64);
    let sines = Scalar::sin_cos(from + by);
    for off in [0.0, 1e-16, 2.9e-9, 3.1e-9, 1e-7, 3.9e-6, 4.1e-6, 1e-3, 0.1874, 0.1876, 2.0] {
        for x in [from + by + off, from + by - off] {
            let (sin, cos) = corrected_sin_cos(x, from, by, sines);
            let check = |[s, c]: [f64; 2], most: f64| {
                let known = [s.to_bits(), c.to_bits()] == [sin.to_bits(), cos.to_bits()];
                assert!(if off < most { known } else { s.is_nan() && c.is_nan() }, "{x} {s} {c}");
            };
            check(lane::<1>(x, from, by, sines), 3e-9);
            check(lane::<2>(x, from, by, sines), 4e-6);
            check(lane::<3>(x, from, by, sines), 0.1875);
            check(lane::<0>(x, from, by, sines), f64::INFINITY);
        }
    }
}

/// Among the lanes are some that rotate by more than a small angle in a step, and whose steps need many updates.
#[test]
fn lanes_that_need_more_than_the_others_are_repeated_alone() {
    for every in [1, 2, 9, 70] {
        let data = |i: usize| {
            let omega = if i.is_multiple_of(every) { 4.0 + 0.03 * i as f64 } else { 0.1 };
            (SLEIGH, [0.0; 3], [omega, 0.5, SLEIGH.a * omega], [0.3])
        };
        let mut together = Ensemble::with_inputs(Dla2, (0..70).map(data), 0.1).unwrap();
        together.advance(500);
        let mut fused = Ensemble::with_inputs(Dla2, (0..70).map(data), 0.1).unwrap().fused();
        fused.advance(500);
        for i in 0..70 {
            let (system, q, v, u) = data(i);
            let mut alone = Simulation::with_inputs(system, Dla2, q, v, &u, 0.1).unwrap();
            alone.advance(500).unwrap();
            assert_eq!(&together.state(i), alone.state(), "{every} {i}");
            // The result does not depend on the other lanes.
            let mut one = Ensemble::with_inputs(Dla2, [data(i)], 0.1).unwrap().fused();
            one.advance(500);
            assert_eq!(fused.state(i), one.state(0), "{every} {i}");
        }
    }
}
