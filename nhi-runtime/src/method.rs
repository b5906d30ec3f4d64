//! The methods as values.

use crate::compose::composed_ids;
use crate::group::{Cayley, Exp, Exp1, Exp2, Exp4};
use crate::{ComposedIds, Failure, Fields, Memory, Scalar, Start, State, Symmetric, System};
use core::fmt::Debug;
use core::ops::Range;

/// An integration method for the system `S`: what [`Simulation`](crate::Simulation) drives. `#[derive(Nonholonomic)]`
/// implements it for each method that the declaration names.
#[diagnostic::on_unimplemented(
    message = "`{S}` has no step functions for `{Self}`",
    label = "`{Self}` was not emitted for this system",
    note = "a system has the methods that its declaration names, #[nonholonomic(methods(Dla2, Rk4, ...))]; \
            left out, it is `Dla2`, with a group factor `Rdp`, with position constraints `DlaRattle`",
    note = "methods with a retraction, such as `Rdp::new(Cayley)`, are for systems with a group factor"
)]
pub trait Method<S: System> {
    /// Values that depend only on the parameters and the step size.
    type Prepared<T: Scalar>: Fields<T> + Debug;
    /// The state of the integration: [`NodeState`](crate::NodeState) or [`JumpState`](crate::JumpState).
    type State<T: Scalar>: State<S, T>;
    /// What a simulation keeps of a step: [`Remembers`](crate::Remembers) if steps are differentiated, else
    /// [`Forgets`](crate::Forgets).
    #[doc(hidden)]
    type Memory: Memory;
    /// What loops over steps depend on.
    #[doc(hidden)]
    const TRAITS: StepTraits = StepTraits::PLAIN;

    /// Name in the literature tables, on the command line and in reference data, such as `dla2`. Choices are suffixes of it, such as
    /// `rdp_cay` and `rattle_plain_cay`.
    fn id(&self) -> &'static str;

    /// The id with a start, which `id` is without the retraction.
    #[doc(hidden)]
    fn started_id(&self, _start: Start, id: &'static str) -> &'static str {
        id
    }

    /// The coefficients of a composition by [`Compose::symmetric`](crate::Compose::symmetric), which its id does not tell.
    #[doc(hidden)]
    fn own_coefficients(&self) -> &[f64] {
        &[]
    }

    /// Computes the values that all steps have in common.
    fn prepare<T: Scalar>(&self, parameters: &S::Parameters<T>, h: T) -> Result<Self::Prepared<T>, Failure>;

    /// The state at time `t` from a configuration, an admissible velocity and auxiliary states.
    #[expect(clippy::too_many_arguments, reason = "the numbers that a state is made of")]
    fn start<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        h: T,
        q: &S::Configuration<T>,
        v: &S::Velocity<T>,
        z: &S::States<T>,
        t: T,
        inputs: &S::Inputs<T>,
    ) -> Result<Self::State<T>, Failure>;

    /// As [`Method::start`], in one of several ways. Only reflecting methods have a choice.
    #[doc(hidden)]
    #[expect(clippy::too_many_arguments, reason = "the numbers that a state is made of")]
    fn start_as<T: Scalar>(
        &self,
        _start: Start,
        parameters: &S::Parameters<T>,
        h: T,
        q: &S::Configuration<T>,
        v: &S::Velocity<T>,
        z: &S::States<T>,
        t: T,
        inputs: &S::Inputs<T>,
    ) -> Result<Self::State<T>, Failure> {
        self.start(parameters, h, q, v, z, t, inputs)
    }

    /// The state at time `t` at the configuration `q`, with the velocities `(before, after)` the reflection. The state of a
    /// method without reflections has their mean. `lambda` is a guess of the multipliers.
    #[expect(clippy::too_many_arguments, reason = "the numbers that a state is made of")]
    fn state<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        h: T,
        q: &S::Configuration<T>,
        jump: (&S::Velocity<T>, &S::Velocity<T>),
        lambda: &S::Multipliers<T>,
        z: &S::States<T>,
        t: T,
    ) -> Result<Self::State<T>, Failure>;

    /// One step from time `t` to `t + h`. The state must have been made with the same step size.
    fn step<T: Scalar>(
        &self,
        prepared: &Self::Prepared<T>,
        state: &Self::State<T>,
        t: T,
        inputs: &S::Inputs<T>,
    ) -> Result<Self::State<T>, Failure>;

    /// The same state at time `t` for steps of another size `h`: values that depend on the step size, such as increments,
    /// are recomputed. Not for methods that reflect, whose momentum depends on the step size.
    #[doc(hidden)]
    #[inline(always)]
    fn rescale<T: Scalar>(
        &self,
        _parameters: &S::Parameters<T>,
        _h: T,
        state: &Self::State<T>,
        _t: T,
    ) -> Result<Self::State<T>, Failure> {
        Ok(*state)
    }

    /// The `state` after a step of size `h` from `before`, with velocities that are advanced by the change of the
    /// increments. Needed before a step of another size, which computes its increments from the velocities: otherwise
    /// velocities would be quotients of increments, and every step would repeat the same rounding error.
    #[doc(hidden)]
    #[inline(always)]
    fn update_velocity<T: Scalar>(
        &self,
        _h: T,
        _before: &Self::State<T>,
        state: &Self::State<T>,
    ) -> Self::State<T> {
        *state
    }

    /// The same state with recomputed sine–cosine pairs.
    #[doc(hidden)]
    #[inline(always)]
    fn resync<T: Scalar>(&self, state: &Self::State<T>) -> Self::State<T> {
        *state
    }

    /// Before step number `k` + 1: re-synchronises the sine–cosine pairs of the state if that is due.
    #[doc(hidden)]
    #[inline(always)]
    fn resync_if_due<T: Scalar>(&self, state: &mut Self::State<T>, k: u64) {
        if resync_is_due::<S, Self>(k) {
            *state = self.resync(state);
        }
    }
}

/// Properties of a step on which loops over steps depend.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct StepTraits {
    /// Positions, in the order of [`Fields`], of the numbers of a state that steps do not read. A loop over steps need not
    /// store them.
    pub dead: &'static [usize],
    /// How much a step computes.
    pub length: Length,
    /// Whether a step solves equations by Newton's method.
    pub has_newton: bool,
    /// Whether its Newton iterations have Chebyshev updates.
    pub has_derivatives: bool,
    /// Whether a step evaluates maps of a group, by other formulas for large motions.
    pub has_maps: bool,
    /// Whether steps of several trajectories are not vectorised, because that does not pay for long ones.
    pub scalar_only: bool,
    /// Whether a state contains sine–cosine pairs that every step rotates. Their rounding errors accumulate, so loops over
    /// steps re-synchronise the state at regular intervals.
    pub has_recurrence: bool,
}

impl StepTraits {
    /// Those of short steps of explicit formulas, which read all numbers of a state.
    pub const PLAIN: Self = StepTraits {
        dead: &[],
        length: Length::Short,
        has_newton: false,
        has_derivatives: false,
        has_maps: false,
        scalar_only: false,
        has_recurrence: false,
    };
}

/// How much a step computes. It decides where steps are inlined, because compiling steps takes most of the time of a build.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Length {
    /// Little: inlined at every call.
    Short,
    /// So much that inlining gains little: compiled once for single steps, and inlined into the loops with a deferred check.
    Middle,
    /// So much that it does not gain from a loop with a deferred check: compiled once.
    Long,
}

impl Length {
    pub(crate) const fn is_short(self) -> bool {
        matches!(self, Length::Short)
    }

    pub(crate) const fn is_long(self) -> bool {
        matches!(self, Length::Long)
    }
}

/// Steps between two re-synchronisations of sine–cosine pairs. It bounds the accumulated rounding error to a few units in
/// the last place.
pub(crate) const RESYNC_EVERY: u64 = 32;

/// Whether the state is re-synchronised before step number `k` + 1.
#[inline(always)]
pub(crate) fn resync_is_due<S: System, M: Method<S> + ?Sized>(k: u64) -> bool {
    M::TRAITS.has_recurrence && k.is_multiple_of(RESYNC_EVERY)
}

/// Steps between two flushes of subnormal numbers to zero. A quantity that decays, such as the angular velocity of a sleigh
/// that approaches a straight line, remains subnormal otherwise, and subnormal operands cost about a hundred cycles.
pub(crate) const FLUSH_EVERY: u64 = 4096;

/// After `steps` steps: replaces subnormal numbers of the state by zero if that is due. Derivatives are kept.
#[inline(always)]
pub(crate) fn flush_subnormals<T: Scalar>(state: &mut impl Fields<T>, steps: u64) {
    if steps.is_multiple_of(FLUSH_EVERY) {
        // Opaque, because the compiler would pack the numbers where the two branches meet.
        *state = state.each(|x| flushed(x).opaque());
    }
}

/// `x`, or zero if it is subnormal.
#[inline(always)]
pub(crate) fn flushed<T: Scalar>(x: T) -> T {
    let value = x.to_f64();
    if value.is_subnormal() { x - T::from_f64(value) } else { x }
}

/// Step number `k` + 1; if it fails, or `test` refuses the states before and after it, the state stays as it is.
#[inline(always)]
pub(crate) fn step<S: System, M: Method<S>, T: Scalar>(
    method: &M,
    prepared: &M::Prepared<T>,
    state: &mut M::State<T>,
    (k, t): (u64, T),
    inputs: &S::Inputs<T>,
    test: impl FnOnce(&M::State<T>, &M::State<T>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    // In place: loading a copy would stall on the stores of the last step.
    let before = resync_is_due::<S, M>(k).then_some(*state);
    method.resync_if_due(state, k);
    // Opaque: a vector load of two numbers that were stored separately cannot be forwarded from the stores.
    let now = state.each(|x| x.opaque());
    let failure = match method.step(prepared, &now, t, inputs) {
        Ok(next) => match test(state, &next) {
            Ok(()) => {
                *state = next;
                flush_subnormals(state, k + 1);
                return Ok(());
            }
            Err(failure) => failure,
        },
        Err(failure) => failure,
    };
    if let Some(before) = before {
        *state = before;
    }
    Err(failure)
}

/// `steps` divided such that re-synchronisations are due only before the first step of a part, and flushes of subnormal
/// numbers only after the last one.
pub(crate) fn parts<S: System, M: Method<S>>(steps: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let (mut from, length) = (steps.start, if M::TRAITS.has_recurrence { RESYNC_EVERY } else { FLUSH_EVERY });
    core::iter::from_fn(move || {
        let start = from;
        from = steps.end.min((start / length + 1) * length);
        (start < from).then_some(start..from)
    })
}

/// A method that reflects the momentum at every node (GNI). It has parasitic modes, which
/// [`Simulation::parasite`](crate::Simulation::parasite) monitors.
pub trait Reflecting {}

/// A reflecting method with a choice of its start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Started<M> {
    method: M,
    start: Start,
    /// Without a retraction.
    id: &'static str,
}

impl<M: Reflecting> Reflecting for Started<M> {}

impl<S: System, M: Method<S> + Reflecting> Method<S> for Started<M> {
    type Prepared<T: Scalar> = M::Prepared<T>;
    type State<T: Scalar> = M::State<T>;
    type Memory = M::Memory;
    const TRAITS: StepTraits = M::TRAITS;

    fn id(&self) -> &'static str {
        self.method.started_id(self.start, self.id)
    }

    fn prepare<T: Scalar>(&self, parameters: &S::Parameters<T>, h: T) -> Result<Self::Prepared<T>, Failure> {
        self.method.prepare(parameters, h)
    }

    fn start<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        h: T,
        q: &S::Configuration<T>,
        v: &S::Velocity<T>,
        z: &S::States<T>,
        t: T,
        inputs: &S::Inputs<T>,
    ) -> Result<Self::State<T>, Failure> {
        self.method.start_as(self.start, parameters, h, q, v, z, t, inputs)
    }

    #[inline]
    fn state<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        h: T,
        q: &S::Configuration<T>,
        jump: (&S::Velocity<T>, &S::Velocity<T>),
        lambda: &S::Multipliers<T>,
        z: &S::States<T>,
        t: T,
    ) -> Result<Self::State<T>, Failure> {
        self.method.state(parameters, h, q, jump, lambda, z, t)
    }

    #[inline(always)]
    fn step<T: Scalar>(
        &self,
        prepared: &Self::Prepared<T>,
        state: &Self::State<T>,
        t: T,
        inputs: &S::Inputs<T>,
    ) -> Result<Self::State<T>, Failure> {
        self.method.step(prepared, state, t, inputs)
    }

    #[inline(always)]
    fn resync<T: Scalar>(&self, state: &Self::State<T>) -> Self::State<T> {
        self.method.resync(state)
    }
}

impl<K: Copy> Started<K> {
    /// With the given retraction instead of the exponential map, for systems on groups.
    pub const fn with<R: Copy>(self, retraction: R) -> Started<Retracted<K, R>> {
        let Started { method, start, id } = self;
        Started { method: Retracted { method, retraction }, start, id }
    }
}

/// A method for systems on groups with a choice of the retraction, such as `Rdp::new(Cayley)` or `Rattle.with(Cayley)`.
/// Without a choice, methods use the exponential map.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Retracted<K, R> {
    method: K,
    retraction: R,
}

impl<K, R> Retracted<K, R> {
    /// The method.
    pub fn method(&self) -> &K {
        &self.method
    }

    /// The retraction.
    pub fn retraction(&self) -> &R {
        &self.retraction
    }
}

impl<K: Reflecting, R> Reflecting for Retracted<K, R> {}

/// The marker types of the methods.
pub(crate) mod markers {
    use super::*;

    /// The marker types, from the rows of the table of methods, with the constructors and traits of their kinds.
    macro_rules! methods {
        ([] $(
            $(#[$doc:meta])*
            $name:ident $id:literal {
                kind: $kind:ident,
                order: $order:literal,
                adjoint: $adjoint:ident,
                start: $start:ident,
                $($facts:tt)*
            }
        )*) => {
            $(
                $(#[$doc])*
                #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
                pub struct $name;

                impl $name {
                    /// Name in the literature tables, on the command line and in reference data.
                    pub const ID: &'static str = $id;
                }

                kind!($kind $name $id $start);
                symmetric!($kind $adjoint $name $id);
            )*
        };
    }

    /// The choices of a kind of methods: a retraction, a start.
    macro_rules! kind {
        (Reduced $name:ident $id:literal $start:ident) => {
            retracted!($name);

            impl $name {
                #[doc = concat!("With the given retraction. `", stringify!($name), "` alone means [`Exp`].")]
                pub const fn new<R: Copy>(retraction: R) -> Retracted<Self, R> {
                    Retracted { method: $name, retraction }
                }
            }
        };
        (Restarted $name:ident $id:literal $start:ident) => {
            retracted!($name);
        };
        (Reflecting $name:ident $id:literal $start:ident) => {
            impl Reflecting for $name {}

            impl $name {
                /// Started with the multiplier of the continuous equations, which excites the
                /// parasitic modes least, O(h³).
                pub const fn consistent() -> Started<Self> {
                    Self::started(Start::Consistent, concat!($id, "_consistent"))
                }

                /// Started with the projected force, p₀⁻ = p₀ − ½h Qᵀ F₀.
                pub const fn projected() -> Started<Self> {
                    Self::started(Start::Projected, concat!($id, "_projected"))
                }

                /// Started without any reaction, p₀⁻ = p₀.
                pub const fn plain() -> Started<Self> {
                    Self::started(Start::Plain, concat!($id, "_plain"))
                }

                /// Started with v₀ as the velocity of the first step, as integrators on pairs of
                /// configurations are: order 1 (Ferraro, Jiménez & Martín de Diego, section 7.4).
                pub const fn stepped() -> Started<Self> {
                    Self::started(Start::Stepped, concat!($id, "_stepped"))
                }

                const fn started(start: Start, id: &'static str) -> Started<Self> {
                    // The id of the default start has no suffix.
                    let id = if start as u8 == Start::$start as u8 { Self::ID } else { id };
                    Started { method: $name, start, id }
                }
            }

            retracted!($name);
        };
        ($kind:ident $name:ident $id:literal $start:ident) => {};
    }

    /// The choice of a retraction.
    macro_rules! retracted {
        ($name:ident) => {
            impl $name {
                /// With the given retraction instead of the exponential map, for systems on groups.
                pub const fn with<R: Copy>(self, retraction: R) -> Retracted<Self, R> {
                    Retracted { method: self, retraction }
                }
            }
        };
    }

    /// `Symmetric` for the one-step maps that are their own adjoints.
    macro_rules! symmetric {
        (Reflecting $adjoint:ident $name:ident $id:literal) => {};
        (Reduced Itself $name:ident $id:literal) => {
            symmetric!(Dla Itself $name $id);
            symmetric!(@with $name $id: Exp "", Cayley "_cay", Exp1 "_exp1", Exp2 "_exp2", Exp4 "_exp4");
        };
        ($kind:ident Itself $name:ident $id:literal) => {
            impl Symmetric for $name {
                const COMPOSED: ComposedIds = composed_ids!($id "");
            }
        };
        ($kind:ident $adjoint:ident $name:ident $id:literal) => {};
        // Retractions with τ(−x) = τ(x)⁻¹.
        (@with $name:ident $id:literal: $($retraction:ident $suffix:literal),*) => {$(
            impl Symmetric for Retracted<$name, $retraction> {
                const COMPOSED: ComposedIds = composed_ids!($id $suffix);
            }
        )*};
    }

    nhi_methods::for_each_method!(methods);
}
