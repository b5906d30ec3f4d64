//! Compositions of methods.

use crate::double::{SLEIGH, Sleigh};
use nhi_runtime::prelude::*;
use nhi_runtime::{
    CoefficientFault, ComposedIds, Error, Failure, Forgets, Limits, Method, NodeState, Retracted, Scalar,
    Started, Symmetric,
};
use std::cell::Cell;

/// Initial state of the golden data.
const Q0: [f64; 3] = [0.3, 0.0, 0.0];
const V0: [f64; 3] = [1.2, 0.5978106927892027, 0.43614490205308315];

thread_local! {
    static PREPARED: Cell<usize> = const { Cell::new(0) };
}

/// A method that only keeps time: q₀ is the sum of the steps, v₀ the largest difference to the time
/// it was told, v₁ the input. It fails beyond the time `end`.
#[derive(Clone, Copy)]
struct Clock {
    end: f64,
}

impl Symmetric for Clock {
    const COMPOSED: ComposedIds = Dla2::COMPOSED;
}

impl Method<Sleigh> for Clock {
    type Prepared<T: Scalar> = T;
    type State<T: Scalar> = NodeState<[T; 3], [T; 3], [T; 1], [T; 0]>;
    type Memory = Forgets;

    fn id(&self) -> &'static str {
        "clock"
    }

    fn prepare<T: Scalar>(&self, _: &[T; 3], h: T) -> Result<T, Failure> {
        PREPARED.set(PREPARED.get() + 1);
        Ok(h)
    }

    fn start<T: Scalar>(
        &self,
        _: &[T; 3],
        _: T,
        _: &[T; 3],
        _: &[T; 3],
        _: &[T; 0],
        _: T,
        _: &[T; 1],
    ) -> Result<Self::State<T>, Failure> {
        let zero = T::from_f64(0.0);
        Ok(NodeState { q: [zero; 3], v: [zero; 3], lambda: [zero], states: [], carried: () })
    }

    fn state<T: Scalar>(
        &self,
        _: &[T; 3],
        _: T,
        q: &[T; 3],
        jump: (&[T; 3], &[T; 3]),
        lambda: &[T; 1],
        states: &[T; 0],
        _: T,
    ) -> Result<Self::State<T>, Failure> {
        Ok(NodeState::at(*q, jump, *lambda, *states))
    }

    fn step<T: Scalar>(
        &self,
        h: &T,
        state: &Self::State<T>,
        t: T,
        inputs: &[T; 1],
    ) -> Result<Self::State<T>, Failure> {
        let mut state = *state;
        let difference = state.q[0] - t;
        if (difference * difference).to_f64() > (state.v[0] * state.v[0]).to_f64() {
            state.v[0] = difference;
        }
        state.v[1] = inputs[0];
        state.q[0] = state.q[0] + *h;
        if state.q[0].to_f64() > self.end { Err(Failure::NotConverged) } else { Ok(state) }
    }
}

/// How often a composition is prepared, of which ten steps of 0.1 keep the time.
fn kept<const N: usize>(method: Compose<Clock, N>) -> usize {
    PREPARED.set(0);
    let mut sim = Simulation::new(SLEIGH, method, Q0, V0, 0.1).unwrap();
    // The velocities of this method are times and inputs.
    sim.set_limits(Limits::NONE);
    for k in 0..10 {
        sim.step_with(&[f64::from(k)]).unwrap();
        assert_eq!(sim.v()[1], f64::from(k));
    }
    assert!((sim.q()[0] - 1.0).abs() < 4e-15, "{:?}", sim.q());
    assert!(sim.v()[0].abs() < 4e-15, "{:?}", sim.v());
    PREPARED.get()
}

#[test]
fn substeps_see_their_own_time_and_equal_ones_are_prepared_once() {
    let clock = Clock { end: f64::INFINITY };
    assert_eq!(kept(Compose::triple4(clock)), 2);
    assert_eq!(kept(Compose::suzuki4(clock)), 2);
    assert_eq!(kept(Compose::yoshida6(clock)), 4);
    assert_eq!(kept(Compose::kahanli6(clock)), 5);
    assert_eq!(kept(Compose::suzukiumeno8(clock)), 8);
    assert_eq!(kept(Compose::kahanli8(clock)), 9);
}

#[test]
fn a_substep_that_fails_leaves_the_state_before_the_step() {
    // The first substep of the third step ends at 0.2 + 0.135, beyond the end; of the second, before.
    let method = Compose::triple4(Clock { end: 0.3 });
    let mut sim = Simulation::new(SLEIGH, method, Q0, V0, 0.1).unwrap();
    sim.set_limits(Limits::NONE);
    sim.step().unwrap();
    sim.step().unwrap();
    let before = *sim.state();
    let error = Error::Step { step: 3, time: 0.2, cause: Failure::NotConverged };
    assert_eq!(sim.step(), Err(error));
    assert_eq!(*sim.state(), before);
    assert_eq!((sim.steps(), sim.time()), (2, 0.2));

    // Here the first substep succeeds and the last one fails.
    let halves = Compose::symmetric(Clock { end: 0.07 }, [0.5, 0.5]).unwrap();
    let mut sim = Simulation::new(SLEIGH, halves, Q0, V0, 0.1).unwrap();
    assert!(sim.step().is_err());
    assert_eq!(sim.q()[0], 0.0);
}

#[test]
fn composed_steps_are_the_steps_of_the_method() {
    let h = 0.1;
    let mut composed = Simulation::new(SLEIGH, Compose::triple4(Dla2), Q0, V0, h).unwrap();
    composed.step().unwrap();
    let (mut q, mut v) = (Q0, V0);
    for gamma in Compose::triple4(Dla2).coefficients() {
        let mut substep = Simulation::new(SLEIGH, Dla2, q, v, gamma * h).unwrap();
        substep.step().unwrap();
        (q, v) = (substep.q(), substep.v());
    }
    // The composition hands the impulse on as a first guess, so rounding differs.
    for (x, y) in composed.q().iter().chain(&composed.v()).zip(q.iter().chain(&v)) {
        assert!((x - y).abs() < 1e-15, "{x} {y}");
    }
}

#[test]
fn a_composition_is_reversible_and_keeps_the_constraint() {
    let run = |q, v, h| {
        let mut sim = Simulation::new(SLEIGH, Compose::kahanli8(Dla2), q, v, h).unwrap();
        for _ in 0..20 {
            sim.step().unwrap();
        }
        (sim.q(), sim.v())
    };
    let (q, v) = run(Q0, V0, 0.2);
    assert!((0.2 * v[0] + q[0].sin() * v[1] - q[0].cos() * v[2]).abs() < 1e-15);
    let (q, v) = run(q, v, -0.2);
    for (x, y) in q.iter().chain(&v).zip(Q0.iter().chain(&V0)) {
        assert!((x - y).abs() < 1e-13, "{x} {y}");
    }
}

#[test]
fn ids_are_those_of_the_reference_data() {
    fn id<M: Method<Sleigh>>(method: M) -> &'static str {
        method.id()
    }
    assert_eq!(id(Compose::suzuki4(Dla2)), "dla2_suzuki4");
    assert_eq!(id(Compose::kahanli6(Dla2)), "dla2_kahanli6");
    assert_eq!(DlaRattle::COMPOSED.triple4, "dla_rattle_triple4");
    assert_eq!(Dla2Midpoint::COMPOSED.suzukiumeno8, "dla2_midpoint_suzukiumeno8");
    assert_eq!(DlaRattleMidpoint::COMPOSED.kahanli8, "dla_rattle_midpoint_kahanli8");
}

#[test]
fn errors_of_coefficients_say_which_and_why() {
    let message = |gamma| Compose::symmetric(Dla2, gamma).unwrap_err().to_string();
    assert_eq!(
        message([1.0, 0.0, 1.0]),
        "coefficient 1 of the composition must be a finite number other than zero, not 0"
    );
    assert_eq!(
        message([1.0, -2.0, 2.0]),
        "coefficient 0 of the composition differs from its mirror image; a symmetric one reads the same \
         backwards"
    );
    assert_eq!(message([1.0, -2.0, 1.0]), "the coefficients of the composition add up to 0 instead of 1");
    let fault = CoefficientFault::Sum { sum: 0.0 };
    assert_eq!(Compose::symmetric(Dla2, [1.0, -2.0, 1.0]), Err(Error::Coefficients { fault }));
}

/// Does not compile if one of the types can be composed: then two traits are meant.
macro_rules! not_composable {
    ($($method:ty),*) => {$(
        const _: fn() = || {
            trait Composable<A> {
                fn ambiguous() {}
            }
            impl<M> Composable<()> for M {}
            struct Symmetry;
            impl<M: Symmetric> Composable<Symmetry> for M {}
            let _ = <$method as Composable<_>>::ambiguous;
        };
    )*};
}

/// Reflecting methods carry more than (q, v); others are not symmetric, or leave the constraints.
macro_rules! by_kinds {
    ([] $(
        $(#[$doc:meta])*
        $method:ident $id:literal { kind: $kind:ident, order: $order:literal, adjoint: $adjoint:ident, $($facts:tt)* }
    )*) => {
        $(by_kinds!(@ $kind $adjoint $method);)*
    };
    (@ Reflecting $adjoint:ident $method:ident) => {
        not_composable!($method, Started<$method>, Retracted<$method, Cayley>);
    };
    (@ $kind:ident Itself $method:ident) => {
        const _: fn() = || {
            fn composable<M: Symmetric>() {}
            composable::<$method>();
        };
    };
    (@ $kind:ident $adjoint:ident $method:ident) => {
        not_composable!($method);
    };
}

nhi_methods::for_each_method!(by_kinds);
not_composable!(Retracted<Rdp, Ccsk>);
