//! Many steps at once are the same steps.

use crate::double::{SLEIGH, Sleigh};
use nhi_runtime::prelude::*;
use nhi_runtime::{ComposedIds, Error, Failure, Length, Method, Scalar, StepTraits, Symmetric};

const Q0: [f64; 3] = [0.3, 0.0, 0.0];
const V0: [f64; 3] = [1.2, 0.5978106927892027, 0.43614490205308315];

#[track_caller]
fn check<M: Method<Sleigh> + Copy>(method: M)
where
    M::State<f64>: PartialEq,
{
    let inputs = [0.3];
    let start = || Simulation::with_inputs(SLEIGH, method, Q0, V0, &inputs, 0.02).unwrap();
    // Around the number of steps between two looks at the results.
    for steps in [0, 1, 2, 1000, 4095, 4096, 4097] {
        let (mut one_by_one, mut at_once) = (start(), start());
        for _ in 0..steps {
            one_by_one.step().unwrap();
        }
        at_once.advance(steps).unwrap();
        assert_eq!(at_once.state(), one_by_one.state(), "{steps} steps");
        assert_eq!((at_once.steps(), at_once.time()), (steps, one_by_one.time()));
    }
}

#[test]
fn many_steps_are_the_same_steps() {
    check(Dla2);
    check(Rattle);
    check(Compose::suzuki4(Dla2));
    check(Longer::<_, true>(Dla2));
    check(Longer::<_, false>(Dla2));
    check(Longer::<_, true>(Rattle));
    check(Longer::<_, false>(Rattle));
    check(Compose::suzuki4(Longer::<_, true>(Dla2)));
}

#[cfg(feature = "std")]
#[track_caller]
fn check_fused<M: Method<Sleigh> + Copy>(method: M, is_fused: bool)
where
    M::State<f64>: PartialEq,
{
    // A torque that adds little energy: steps that add much are repeated with a test after each, which is not fused.
    let start = || Simulation::with_inputs(SLEIGH, method, Q0, V0, &[0.03], 0.02).unwrap();
    for steps in [0, 1, 2, 500] {
        let (mut separate, mut fused) = (start(), start());
        separate.advance(steps).unwrap();
        fused.advance_fused(steps).unwrap();
        assert_eq!((fused.steps(), fused.time()), (steps, separate.time()));
        let (a, b) = (separate.sample(), fused.sample());
        // Every step adds a few roundings of numbers of order ten, whose effect grows with time at most.
        let bound = steps as f64 * 100.0 * f64::EPSILON;
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= bound);
        assert!(close(&a.q, &b.q) && close(&a.v, &b.v), "{steps} steps: {a:?} and {b:?}");
        if steps == 500 {
            assert_eq!(a != b, is_fused, "{a:?}");
        }
    }
    // Divided where results are looked at anyway.
    let (mut at_once, mut in_parts) = (start(), start());
    at_once.advance_fused(4097).unwrap();
    [4096, 1].into_iter().for_each(|steps| in_parts.advance_fused(steps).unwrap());
    assert_eq!(at_once.state(), in_parts.state());
}

#[cfg(feature = "std")]
#[test]
fn fused_steps_differ_by_rounding() {
    #[cfg(not(target_arch = "x86_64"))]
    let has_fused = cfg!(target_arch = "aarch64");
    #[cfg(target_arch = "x86_64")]
    let has_fused = std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma");
    check_fused(Dla2, has_fused);
    check_fused(Rattle, has_fused);
    check_fused(Compose::suzuki4(Dla2), has_fused);
    check_fused(Longer::<_, false>(Rattle), has_fused);
    check_fused(Longer::<_, true>(Rattle), false);
}

#[test]
fn the_step_that_fails_is_found() {
    check_failure(Rattle::plain());
    check_failure(Longer::<_, true>(Rattle::plain()));
    check_failure(Longer::<_, false>(Rattle::plain()));
}

#[track_caller]
fn check_failure<M: Method<Sleigh> + Copy>(method: M)
where
    M::State<f64>: PartialEq,
{
    // The torque accelerates until the velocity overflows.
    let start = || Simulation::with_inputs(SLEIGH, method, Q0, V0, &[2e305], 10.0).unwrap();
    let (mut one_by_one, mut at_once) = (start(), start());
    let error = loop {
        if let Err(error) = one_by_one.step() {
            break error;
        }
    };
    let failed = one_by_one.steps() + 1;
    assert!(failed > 2, "{failed}");
    assert_eq!(at_once.advance(1000), Err(error));
    let time = 10.0 * one_by_one.steps() as f64;
    assert_eq!(error, Error::Step { step: failed, time, cause: Failure::NonFinite });
    assert_eq!(at_once.state(), one_by_one.state());
    assert_eq!(at_once.steps(), one_by_one.steps());
    // And found again.
    assert_eq!(at_once.advance(5), Err(error));
    #[cfg(feature = "std")]
    {
        let mut fused = start();
        assert_eq!(fused.advance_fused(1000), Err(error));
        assert_eq!(fused.state(), one_by_one.state());
    }
}

/// A method whose steps are said to take long.
#[derive(Clone, Copy, Debug)]
struct Longer<M, const LONG: bool>(M);

impl<const LONG: bool, M: Symmetric> Symmetric for Longer<M, LONG> {
    const COMPOSED: ComposedIds = M::COMPOSED;
}

impl<const LONG: bool, M: Method<Sleigh>> Method<Sleigh> for Longer<M, LONG> {
    type Prepared<T: Scalar> = M::Prepared<T>;
    type State<T: Scalar> = M::State<T>;
    type Memory = M::Memory;
    const TRAITS: StepTraits =
        StepTraits { length: if LONG { Length::Long } else { Length::Middle }, ..StepTraits::PLAIN };

    fn id(&self) -> &'static str {
        self.0.id()
    }

    fn prepare<T: Scalar>(&self, c: &[T; 3], h: T) -> Result<M::Prepared<T>, Failure> {
        self.0.prepare(c, h)
    }

    fn start<T: Scalar>(
        &self,
        c: &[T; 3],
        h: T,
        q: &[T; 3],
        v: &[T; 3],
        z: &[T; 0],
        t: T,
        u: &[T; 1],
    ) -> Result<M::State<T>, Failure> {
        self.0.start(c, h, q, v, z, t, u)
    }

    fn state<T: Scalar>(
        &self,
        c: &[T; 3],
        h: T,
        q: &[T; 3],
        jump: (&[T; 3], &[T; 3]),
        lambda: &[T; 1],
        z: &[T; 0],
        t: T,
    ) -> Result<M::State<T>, Failure> {
        self.0.state(c, h, q, jump, lambda, z, t)
    }

    fn step<T: Scalar>(
        &self,
        prepared: &M::Prepared<T>,
        state: &M::State<T>,
        t: T,
        u: &[T; 1],
    ) -> Result<M::State<T>, Failure> {
        self.0.step(prepared, state, t, u)
    }

    fn rescale<T: Scalar>(
        &self,
        c: &[T; 3],
        h: T,
        state: &M::State<T>,
        t: T,
    ) -> Result<M::State<T>, Failure> {
        self.0.rescale(c, h, state, t)
    }
}
