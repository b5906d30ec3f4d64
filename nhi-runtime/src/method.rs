//! The methods as values.

use crate::compose::composed_ids;
use crate::group::{Cayley, Exp, Exp1, Exp2, Exp4};
use crate::{
    ComposedIds, CurvatureOf, DepartureOf, Differentiable, Differentiates, Emits, Failure, Fields, Length,
    LinearizationOf, Memory, ParameterLinearizationOf, PulledBackOf, Scalar, Start, State, Symmetric, System,
};
use core::fmt::Debug;
use core::ops::Range;

/// An integration method for the system `S`: what [`Simulation`](crate::Simulation) drives.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a method for `{S}`")]
pub trait Method<S: System> {
    /// Values that depend only on the parameters and the step size.
    type Prepared<T: Scalar>: Fields<T> + Debug;
    /// The state of the integration.
    type State<T: Scalar>: State<S, T>;
    /// What a simulation keeps of a step: [`Remembers`](crate::Remembers) if steps are differentiated, else
    /// [`Forgets`](crate::Forgets).
    #[doc(hidden)]
    type Memory: Memory;
    /// Positions, in the order of [`Fields`], of the numbers of a state that steps do not read. A loop over steps need not
    /// store them.
    #[doc(hidden)]
    const DEAD: &'static [usize] = &[];
    /// How much a step computes.
    #[doc(hidden)]
    const LENGTH: Length = Length::Short;
    /// Whether a step solves equations by Newton's method.
    #[doc(hidden)]
    const HAS_NEWTON: bool = false;
    /// Whether its Newton iterations have Chebyshev updates.
    #[doc(hidden)]
    const HAS_DERIVATIVES: bool = false;
    /// Whether a step evaluates maps of a group, by other formulas for large motions.
    #[doc(hidden)]
    const HAS_MAPS: bool = false;
    /// Whether steps of several trajectories are not vectorised, because that does not pay for long ones.
    #[doc(hidden)]
    const SCALAR_ONLY: bool = false;
    /// Whether a state contains sine–cosine pairs that every step rotates. Their rounding errors accumulate, so loops over
    /// steps re-synchronise the state at regular intervals.
    #[doc(hidden)]
    const HAS_RECURRENCE: bool = false;

    /// Calls `work`, which is not inlined. The marker types have it in a codegen unit of their own, so that LLVM can compile
    /// methods in parallel.
    #[doc(hidden)]
    #[inline(never)]
    fn outlined<Out>(work: impl FnOnce() -> Out) -> Out {
        work()
    }

    /// Name in the literature tables, on the command line and in reference data, such as `dla2`.
    fn id(&self) -> &'static str;

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

/// Steps between two re-synchronisations of sine–cosine pairs. It bounds the accumulated rounding error to a few units in
/// the last place.
pub(crate) const RESYNC_EVERY: u64 = 32;

/// Whether the state is re-synchronised before step number `k` + 1.
#[inline(always)]
pub(crate) fn resync_is_due<S: System, M: Method<S> + ?Sized>(k: u64) -> bool {
    M::HAS_RECURRENCE && k.is_multiple_of(RESYNC_EVERY)
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
    let (mut from, length) = (steps.start, if M::HAS_RECURRENCE { RESYNC_EVERY } else { FLUSH_EVERY });
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
pub struct Started<K> {
    method: K,
    start: Start,
    id: &'static str,
}

impl<K: Reflecting> Reflecting for Started<K> {}

/// A method for systems on groups with a choice of the retraction, such as `Rdp::new(Cayley)` or `Rattle.with(Cayley)`.
/// Without a choice, methods use the exponential map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

/// `Emits::start` with a start that is known at compile time, or with an expression in parentheses.
macro_rules! start {
    (($start:expr), $emits:path, $t:ty, $arguments:tt) => {
        match $start {
            Start::Consistent => start!(Consistent, $emits, $t, $arguments),
            Start::Projected => start!(Projected, $emits, $t, $arguments),
            Start::Plain => start!(Plain, $emits, $t, $arguments),
            Start::Stepped => start!(Stepped, $emits, $t, $arguments),
        }
    };
    ($start:ident, $emits:path, $t:ty, $arguments:tt) => {
        <S as $emits>::start::<{ Start::$start as u8 }, $t> $arguments
    };
}

/// `impl Method for $type` by the step functions of the marker `$method`, outlined in the codegen unit `$unit`.
macro_rules! by_step_functions_of {
    ([$($generic:tt)*] $method:ty, for $type:ty, in $unit:ident, |$this:ident| $id:expr, $start:tt) => {
        impl<S: Emits<$method> $($generic)*> Method<S> for $type {
            type Prepared<T: Scalar> = <S as Emits<$method>>::Prepared<T>;
            type State<T: Scalar> = <S as Emits<$method>>::State<T>;
            type Memory = <S as Emits<$method>>::Memory;
            const DEAD: &'static [usize] = <S as Emits<$method>>::DEAD;
            const LENGTH: Length = <S as Emits<$method>>::LENGTH;
            const HAS_NEWTON: bool = <S as Emits<$method>>::HAS_NEWTON;
            const HAS_DERIVATIVES: bool = <S as Emits<$method>>::HAS_DERIVATIVES;
            const HAS_MAPS: bool = <S as Emits<$method>>::HAS_MAPS;
            const SCALAR_ONLY: bool = <S as Emits<$method>>::SCALAR_ONLY;
            const HAS_RECURRENCE: bool = <S as Emits<$method>>::HAS_RECURRENCE;

            #[inline(always)]
            fn outlined<Out>(work: impl FnOnce() -> Out) -> Out {
                codegen_unit::$unit::call(work)
            }

            fn id(&self) -> &'static str {
                let $this = self;
                $id
            }

            fn prepare<T: Scalar>(
                &self,
                parameters: &S::Parameters<T>,
                h: T,
            ) -> Result<Self::Prepared<T>, Failure> {
                <S as Emits<$method>>::prepare(parameters, h)
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
                let $this = self;
                start!($start, Emits<$method>, T, (parameters, h, q, v, z, t, inputs))
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
                <S as Emits<$method>>::state(parameters, h, q, jump, lambda, z, t)
            }

            #[inline(always)]
            fn step<T: Scalar>(
                &self,
                prepared: &Self::Prepared<T>,
                state: &Self::State<T>,
                t: T,
                inputs: &S::Inputs<T>,
            ) -> Result<Self::State<T>, Failure> {
                <S as Emits<$method>>::step(prepared, state, t, inputs)
            }

            #[inline(always)]
            fn rescale<T: Scalar>(
                &self,
                parameters: &S::Parameters<T>,
                h: T,
                state: &Self::State<T>,
                t: T,
            ) -> Result<Self::State<T>, Failure> {
                <S as Emits<$method>>::rescale(parameters, h, state, t)
            }

            #[inline(always)]
            fn update_velocity<T: Scalar>(
                &self,
                h: T,
                before: &Self::State<T>,
                state: &Self::State<T>,
            ) -> Self::State<T> {
                <S as Emits<$method>>::update_velocity(h, before, state)
            }

            #[inline(always)]
            fn resync<T: Scalar>(&self, state: &Self::State<T>) -> Self::State<T> {
                <S as Emits<$method>>::resync(state)
            }
        }

        impl<S: Differentiates<$method> $($generic)*> Differentiable<S> for $type {
            #[inline(always)]
            fn linearize_to<T: Scalar>(
                &self,
                parameters: &S::Parameters<T>,
                from: &DepartureOf<S, Self, T>,
                to: &mut LinearizationOf<S, T>,
            ) -> Result<(), Failure> {
                <S as Differentiates<$method>>::linearize_to(parameters, from, to)
            }

            #[inline(always)]
            fn linearize_parameters_to<T: Scalar>(
                &self,
                parameters: &S::Parameters<T>,
                from: &DepartureOf<S, Self, T>,
                to: &mut ParameterLinearizationOf<S, T>,
            ) -> Result<(), Failure> {
                <S as Differentiates<$method>>::linearize_parameters_to(parameters, from, to)
            }

            #[inline(always)]
            fn pull_back_to<T: Scalar>(
                &self,
                parameters: &S::Parameters<T>,
                from: &DepartureOf<S, Self, T>,
                w: &S::Tangent<T>,
                to: &mut PulledBackOf<S, T>,
            ) -> Result<(), Failure> {
                <S as Differentiates<$method>>::pull_back_to(parameters, from, w, to)
            }

            #[inline(always)]
            fn curvature_to<T: Scalar>(
                &self,
                parameters: &S::Parameters<T>,
                from: &DepartureOf<S, Self, T>,
                w: &S::Tangent<T>,
                to: &mut CurvatureOf<S, T>,
            ) -> Result<(), Failure> {
                <S as Differentiates<$method>>::curvature_to(parameters, from, w, to)
            }
        }
    };
    ($method:ty, for $type:ty, in $unit:ident, |$this:ident| $id:expr, $start:tt) => {
        by_step_functions_of!([] $method, for $type, in $unit, |$this| $id, $start);
    };
}

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

                by_step_functions_of!($name, for $name, in $name, |_this| Self::ID, $start);
                kind!($kind $name $id $start);
                symmetric!($kind $adjoint $name $id);
            )*

            // The compiler divides a crate into codegen units by modules.
            #[allow(non_snake_case, reason = "named as the method")]
            mod codegen_unit {
                $(
                    pub(super) mod $name {
                        #[inline(never)]
                        pub(crate) fn call<Out>(work: impl FnOnce() -> Out) -> Out {
                            work()
                        }
                    }
                )*
            }
        };
    }

    /// The choices of a kind of methods: a retraction, a start.
    macro_rules! kind {
        (Reduced $name:ident $id:literal $start:ident) => {
            retracted!($name $start);

            impl $name {
                #[doc = concat!("With the given retraction. `", stringify!($name), "` alone means [`Exp`].")]
                pub const fn new<R: Copy>(retraction: R) -> Retracted<Self, R> {
                    Retracted { method: $name, retraction }
                }
            }
        };
        (Restarted $name:ident $id:literal $start:ident) => {
            retracted!($name $start);
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

            by_step_functions_of!($name, for Started<$name>, in $name, |this| this.id, (this.start));
            retracted!($name $start);
            by_step_functions_of!(
                [, R: Copy] Retracted<$name, R>, for Retracted<Started<$name>, R>, in $name,
                |this| this.method.id, (this.method.start)
            );
        };
        ($kind:ident $name:ident $id:literal $start:ident) => {};
    }

    /// The choice of a retraction.
    macro_rules! retracted {
        ($name:ident $start:ident) => {
            impl $name {
                /// With the given retraction instead of the exponential map, for systems on groups.
                pub const fn with<R: Copy>(self, retraction: R) -> Retracted<Self, R> {
                    Retracted { method: self, retraction }
                }
            }

            by_step_functions_of!(
                [, R: Copy] Retracted<$name, R>, for Retracted<$name, R>, in $name, |_this| $name::ID, $start
            );
        };
    }

    /// `Symmetric` for the one-step maps that are their own adjoints.
    macro_rules! symmetric {
        (Reflecting $adjoint:ident $name:ident $id:literal) => {};
        (Reduced Itself $name:ident $id:literal) => {
            symmetric!(Dla Itself $name $id);
            symmetric!(@with $name: Exp Cayley Exp1 Exp2 Exp4);
        };
        ($kind:ident Itself $name:ident $id:literal) => {
            impl Symmetric for $name {
                const COMPOSED: ComposedIds = composed_ids!($id);
            }
        };
        ($kind:ident $adjoint:ident $name:ident $id:literal) => {};
        // Retractions with τ(−x) = τ(x)⁻¹.
        (@with $name:ident: $($retraction:ident)*) => {$(
            impl Symmetric for Retracted<$name, $retraction> {
                const COMPOSED: ComposedIds = $name::COMPOSED;
            }
        )*};
    }

    nhi_methods::for_each_method!(methods);
}

impl<K> Started<K> {
    /// With the given retraction instead of the exponential map, for systems on groups.
    pub const fn with<R>(self, retraction: R) -> Retracted<Self, R>
    where
        K: Copy,
        R: Copy,
    {
        Retracted { method: self, retraction }
    }
}
