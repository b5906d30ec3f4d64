//! The methods as values.

use crate::compose::composed_ids;
use crate::group::{Cayley, Exp, Exp1, Exp2, Exp4};
use crate::{ComposedIds, Emits, Failure, Fields, Length, Scalar, Start, State, Symmetric, System};
use core::fmt::Debug;
use core::ops::Range;

/// An integration method for the system `S`: what [`Simulation`](crate::Simulation) drives.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a method for `{S}`")]
pub trait Method<S: System> {
    /// What depends on the parameters and the step size alone.
    type Prepared<T: Scalar>: Fields<T> + Debug;
    /// What is carried from step to step.
    type State<T: Scalar>: State<S, T>;
    /// Which numbers of a state, in the order of [`Fields`], steps are known not to depend on: a driver need
    /// not store them at every step.
    const UNREAD: &'static [usize] = &[];
    /// How much a step computes.
    const LENGTH: Length = Length::Short;
    /// Whether a step solves equations by Newton's method.
    const ITERATES: bool = false;
    /// Whether it makes updates of second order there.
    const BENDS: bool = false;
    /// Whether ensembles gain nothing from taking steps side by side: long ones, and those with maps of a group.
    const APART: bool = false;
    /// Whether a state carries sines and cosines that a step turns by little, so that roundings add up: drivers
    /// have it [renewed](Method::renew) now and then.
    const TURNS: bool = false;

    /// Calls `work`, which is compiled apart from the caller and, where the compiler would do one after the other,
    /// beside that of other methods.
    #[doc(hidden)]
    #[inline(never)]
    fn by_itself<Out>(work: impl FnOnce() -> Out) -> Out {
        work()
    }

    /// Name in the literature tables, on the command line and in reference data, such as `dla2`.
    fn id(&self) -> &'static str;

    /// Computes everything that no step needs to compute again.
    fn prepare<T: Scalar>(&self, parameters: &S::Parameters<T>, h: T) -> Result<Self::Prepared<T>, Failure>;

    /// The state at time `t` from a configuration and an admissible velocity.
    fn start<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        h: T,
        q: &S::Configuration<T>,
        v: &S::Velocity<T>,
        t: T,
        inputs: &S::Inputs<T>,
    ) -> Result<Self::State<T>, Failure>;

    /// The state at time `t` at the configuration `q`, with the velocities `(before, after)` a reflection;
    /// one without a reflection has their mean. `lambda` is a guess of the multipliers.
    fn state<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        h: T,
        q: &S::Configuration<T>,
        jump: (&S::Velocity<T>, &S::Velocity<T>),
        lambda: &S::Multipliers<T>,
        t: T,
    ) -> Result<Self::State<T>, Failure>;

    /// One step from time `t` to `t + h`. A state belongs to the step size that it was made with.
    fn step<T: Scalar>(
        &self,
        prepared: &Self::Prepared<T>,
        state: &Self::State<T>,
        t: T,
        inputs: &S::Inputs<T>,
    ) -> Result<Self::State<T>, Failure>;

    /// The same state at time `t` for steps of another size `h`: what it carries that depends on the step size, such as
    /// increments, is computed anew. Not of methods that reflect, whose momentum belongs to the step size.
    #[inline(always)]
    fn resized<T: Scalar>(
        &self,
        _parameters: &S::Parameters<T>,
        _h: T,
        state: &Self::State<T>,
        _t: T,
    ) -> Result<Self::State<T>, Failure> {
        Ok(*state)
    }

    /// The `state` after a step of size `h` from `before` with velocities that have changed as the increments have that
    /// it carries: where the next step has another size, these are made of the velocities anew, which would otherwise
    /// have been made of the increments, and every step would have the same rounding.
    #[inline(always)]
    fn tracked<T: Scalar>(&self, _h: T, _before: &Self::State<T>, state: &Self::State<T>) -> Self::State<T> {
        *state
    }

    /// The same state with the sines and cosines that it carries computed anew.
    #[inline(always)]
    fn renewed<T: Scalar>(&self, state: &Self::State<T>) -> Self::State<T> {
        *state
    }

    /// Before step number `k` + 1: [renews](Method::renewed) the state if the method [turns](Method::TURNS) sines and
    /// cosines and 32 steps have done so.
    #[inline(always)]
    fn renew<T: Scalar>(&self, state: &mut Self::State<T>, k: u64) {
        if is_due::<S, Self>(k) {
            *state = self.renewed(state);
        }
    }
}

/// Steps with the same sines and cosines but for turns: few enough that what roundings add up to is rounding.
pub(crate) const RENEWAL: u64 = 32;

/// Whether step number `k` + 1 begins with the state [renewed](Method::renewed).
#[inline(always)]
pub(crate) fn is_due<S: System, M: Method<S> + ?Sized>(k: u64) -> bool {
    M::TURNS && k.is_multiple_of(RENEWAL)
}

/// After every so many steps what has died out, such as the turning of a sleigh that runs straight, is set to zero. It
/// is a subnormal number else for ever, and operations with those take a hundred cycles.
pub(crate) const SETTLING: u64 = 4096;

/// In the state after `steps` steps: zero for subnormal numbers if it is time to; derivatives stay.
#[inline(always)]
pub(crate) fn settle<T: Scalar>(state: &mut impl Fields<T>, steps: u64) {
    if steps.is_multiple_of(SETTLING) {
        // Apart again: where both states meet the compiler would pack their numbers.
        *state = state.each(|x| settled(x).opaque());
    }
}

/// `x`, or zero where it is subnormal.
#[inline(always)]
pub(crate) fn settled<T: Scalar>(x: T) -> T {
    let value = x.to_f64();
    if value.is_subnormal() { x - T::from_f64(value) } else { x }
}

/// Step number `k` + 1; if it fails, the state stays as it is.
#[inline(always)]
pub(crate) fn step<S: System, M: Method<S>, T: Scalar>(
    method: &M,
    prepared: &M::Prepared<T>,
    state: &mut M::State<T>,
    k: u64,
    t: T,
    inputs: &S::Inputs<T>,
) -> Result<(), Failure> {
    // In place: a copy would wait for what the last step has stored.
    let before = is_due::<S, M>(k).then_some(*state);
    method.renew(state, k);
    // Apart: two numbers loaded at once wait for both where they were stored one by one.
    let now = state.each(|x| x.opaque());
    match method.step(prepared, &now, t, inputs) {
        Ok(next) => {
            *state = next;
            settle(state, k + 1);
            Ok(())
        }
        Err(failure) => {
            if let Some(before) = before {
                *state = before;
            }
            Err(failure)
        }
    }
}

/// `steps` in parts; only the first step of each can be due, and only after the last one it can be time to settle.
pub(crate) fn renewals<S: System, M: Method<S>>(steps: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let (mut from, length) = (steps.start, if M::TURNS { RENEWAL } else { SETTLING });
    core::iter::from_fn(move || {
        let start = from;
        from = steps.end.min((start / length + 1) * length);
        (start < from).then_some(start..from)
    })
}

/// A method that reflects the momentum at every node (GNI). It carries parasitic modes, which
/// [`Simulation::parasite`](crate::Simulation::parasite) monitors.
pub trait Reflecting {}

/// A reflecting method together with the choice of its start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Started<K> {
    method: K,
    start: Start,
    id: &'static str,
}

impl<K: Reflecting> Reflecting for Started<K> {}

/// A method of group systems together with the retraction of its steps; `Rdp::new(Cayley)`,
/// `Rattle.with(Cayley)`. By themselves the methods use the exponential map.
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

/// `Emits::start` with a start that is known, or any in parentheses.
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

/// `impl Method for $type` by the step functions of the marker `$method`, compiled in its `$unit`.
macro_rules! by_step_functions_of {
    ([$($generic:tt)*] $method:ty, for $type:ty, in $unit:ident, |$this:ident| $id:expr, $start:tt) => {
        impl<S: Emits<$method> $($generic)*> Method<S> for $type {
            type Prepared<T: Scalar> = <S as Emits<$method>>::Prepared<T>;
            type State<T: Scalar> = <S as Emits<$method>>::State<T>;
            const UNREAD: &'static [usize] = <S as Emits<$method>>::UNREAD;
            const LENGTH: Length = <S as Emits<$method>>::LENGTH;
            const ITERATES: bool = <S as Emits<$method>>::ITERATES;
            const BENDS: bool = <S as Emits<$method>>::BENDS;
            const APART: bool = <S as Emits<$method>>::APART;
            const TURNS: bool = <S as Emits<$method>>::TURNS;

            #[inline(always)]
            fn by_itself<Out>(work: impl FnOnce() -> Out) -> Out {
                unit::$unit::call(work)
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
                t: T,
                inputs: &S::Inputs<T>,
            ) -> Result<Self::State<T>, Failure> {
                let $this = self;
                start!($start, Emits<$method>, T, (parameters, h, q, v, t, inputs))
            }

            #[inline]
            fn state<T: Scalar>(
                &self,
                parameters: &S::Parameters<T>,
                h: T,
                q: &S::Configuration<T>,
                jump: (&S::Velocity<T>, &S::Velocity<T>),
                lambda: &S::Multipliers<T>,
                t: T,
            ) -> Result<Self::State<T>, Failure> {
                <S as Emits<$method>>::state(parameters, h, q, jump, lambda, t)
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
            fn resized<T: Scalar>(
                &self,
                parameters: &S::Parameters<T>,
                h: T,
                state: &Self::State<T>,
                t: T,
            ) -> Result<Self::State<T>, Failure> {
                <S as Emits<$method>>::resized(parameters, h, state, t)
            }

            #[inline(always)]
            fn tracked<T: Scalar>(
                &self,
                h: T,
                before: &Self::State<T>,
                state: &Self::State<T>,
            ) -> Self::State<T> {
                <S as Emits<$method>>::tracked(h, before, state)
            }

            #[inline(always)]
            fn renewed<T: Scalar>(&self, state: &Self::State<T>) -> Self::State<T> {
                <S as Emits<$method>>::renewed(state)
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

    /// The marker types, from the rows of the table of methods, and what their kinds bring along.
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

            // The compiler divides code that it optimises at once by modules.
            #[allow(non_snake_case, reason = "named as the method")]
            mod unit {
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

    /// Choices that methods of a kind have: a retraction, a start.
    macro_rules! kind {
        (Reduced $name:ident $id:literal $start:ident) => {
            retracted!($name $start);

            impl $name {
                #[doc = concat!("With that retraction; `", stringify!($name), "` by itself means [`Exp`].")]
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
                    // The start that the plain value means adds nothing to the id.
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
                /// On groups: with another retraction than the exponential map.
                pub const fn with<R: Copy>(self, retraction: R) -> Retracted<Self, R> {
                    Retracted { method: self, retraction }
                }
            }

            by_step_functions_of!(
                [, R: Copy] Retracted<$name, R>, for Retracted<$name, R>, in $name, |_this| $name::ID, $start
            );
        };
    }

    /// `Symmetric` for the methods that are one-step maps and their own adjoints.
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
        // Retractions for which τ(−x) is τ(x)⁻¹.
        (@with $name:ident: $($retraction:ident)*) => {$(
            impl Symmetric for Retracted<$name, $retraction> {
                const COMPOSED: ComposedIds = $name::COMPOSED;
            }
        )*};
    }

    nhi_methods::for_each_method!(methods);
}

impl<K> Started<K> {
    /// On groups: with another retraction than the exponential map.
    pub const fn with<R>(self, retraction: R) -> Retracted<Self, R>
    where
        K: Copy,
        R: Copy,
    {
        Retracted { method: self, retraction }
    }
}
