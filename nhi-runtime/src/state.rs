use crate::emitted::finite;
use crate::isa::REGISTERS;
use crate::{Failure, Fields, Scalar, System, Vector};
use core::fmt::Debug;

/// The state of an integration, seen as a point of the constraint manifold.
pub trait State<S: System + ?Sized, T: Scalar>: Fields<T> + Debug {
    /// Configuration q.
    fn q(&self) -> S::Configuration<T>;
    /// Velocity v. For methods that reflect, the mean of the two velocities at the node.
    fn v(&self) -> S::Velocity<T>;
    /// Velocities before and after the reflection at the node. They are equal for methods without reflections.
    fn jump(&self) -> (S::Velocity<T>, S::Velocity<T>);
    /// Whether the two may differ.
    #[doc(hidden)]
    #[inline(always)]
    fn reflects(&self) -> bool {
        false
    }
    /// Multipliers λ (forces) of the last step.
    fn lambda(&self) -> S::Multipliers<T>;
    /// Auxiliary states z.
    fn z(&self) -> S::States<T>;
    /// Names of the numbers that a step carries beside these; they come last in the order of [`Fields`].
    #[doc(hidden)]
    const CARRIED: &'static [&'static str] = &[];
}

/// A state from which steps of any size can be taken, one after the other: that of a method without reflections.
#[diagnostic::on_unimplemented(
    message = "the steps of this method have one size",
    label = "its state belongs to one step size, and this needs steps of other sizes",
    note = "`Rattle` and the other reflecting methods carry a momentum that is reflected at every node; `Dla2`, `DlaRattle`, \
            `Rdp` and `RattleRestarted` take steps of any size"
)]
pub trait AnyStepSize {}

impl<Q, V, L, Z, C> AnyStepSize for NodeState<Q, V, L, Z, C> {}

/// ½(a + b), entry by entry.
#[inline]
fn mean<T: Scalar, V: Vector<T>>(mut a: V, b: V) -> V {
    let half = T::from_f64(0.5);
    // By index: `zip` remains a call in builds without link-time optimisation.
    for i in 0..V::LEN {
        a.as_mut()[i] = half * (a.as_ref()[i] + b.as_ref()[i]);
    }
    a
}

/// A new state. With separate operations, its numbers are hidden from the vectoriser where steps take less time that way: if
/// registers hold all of them, since others are loaded and stored once more to be hidden, and in loops without checks if the
/// method `REFLECTS`.
#[inline(always)]
fn hidden<T: Scalar, S: Fields<T>, const REFLECTS: bool>(state: S) -> S {
    let is_faster = const { S::LEN <= REGISTERS || (REFLECTS && !T::DRIVE.checked) };
    if is_faster && const { !T::DRIVE.fused } { state.each(T::opaque) } else { state }
}

/// State of a one-step map on the constraint manifold: (q, v) with μ(q)v + μ₀(q) = 0.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NodeState<Q, V, L, Z, C = ()> {
    /// Configuration.
    pub q: Q,
    /// Velocity.
    pub v: V,
    /// Multipliers (forces) of the last step.
    pub lambda: L,
    /// Auxiliary states.
    pub states: Z,
    /// Cached values for the next step: functions of the other fields.
    pub carried: C,
}

impl<Q, V, L, Z> NodeState<Q, V, L, Z> {
    /// The state at a node, with the mean of the velocities before and after a reflection.
    #[inline]
    pub fn at<T: Scalar>(q: Q, (before, after): (&V, &V), lambda: L, states: Z) -> Self
    where
        V: Vector<T>,
    {
        NodeState { q, v: mean(*before, *after), lambda, states, carried: () }
    }

    /// The same state with cached values.
    #[inline]
    pub fn carrying<C>(self, carried: C) -> NodeState<Q, V, L, Z, C> {
        let NodeState { q, v, lambda, states, carried: () } = self;
        NodeState { q, v, lambda, states, carried }
    }
}

impl<Q: Copy, V: Copy, L: Copy, Z: Copy, C> NodeState<Q, V, L, Z, C> {
    /// The same state without cached values.
    #[inline]
    pub fn with_nothing_carried(&self) -> NodeState<Q, V, L, Z> {
        NodeState { q: self.q, v: self.v, lambda: self.lambda, states: self.states, carried: () }
    }
}

impl<Q, V, L, Z, C> NodeState<Q, V, L, Z, C> {
    /// The state, if it is finite. Cached values are not checked: if one is not finite, the next step fails.
    #[doc(hidden)]
    #[inline(always)]
    pub fn checked<T: Scalar>(self) -> Result<Self, Failure>
    where
        Self: Fields<T>,
        Q: Fields<T>,
        V: Fields<T>,
        L: Fields<T>,
        Z: Fields<T>,
    {
        let state = hidden::<T, Self, false>(self);
        let is_finite =
            finite(&state.q) && finite(&state.v) && finite(&state.lambda) && finite(&state.states);
        if is_finite { Ok(state) } else { Err(Failure::NonFinite) }
    }
}

impl<S: System + ?Sized, T: Scalar, C: Fields<T> + Debug> State<S, T>
    for NodeState<S::Configuration<T>, S::Velocity<T>, S::Multipliers<T>, S::States<T>, C>
{
    const CARRIED: &'static [&'static str] = C::NAMES;

    #[inline]
    fn q(&self) -> S::Configuration<T> {
        self.q
    }
    #[inline]
    fn v(&self) -> S::Velocity<T> {
        self.v
    }
    #[inline]
    fn jump(&self) -> (S::Velocity<T>, S::Velocity<T>) {
        (self.v, self.v)
    }
    #[inline]
    fn lambda(&self) -> S::Multipliers<T> {
        self.lambda
    }
    #[inline]
    fn z(&self) -> S::States<T> {
        self.states
    }
}

/// State of a method that reflects the momentum at every node: the velocities
/// v∓ = M⁻¹(p∓ − a) before and after the jump. Their mean is on the constraint manifold.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct JumpState<Q, V, L, Z, C = ()> {
    /// Configuration.
    pub q: Q,
    /// Velocity before the reflection.
    pub v_pre: V,
    /// Velocity after the reflection.
    pub v_post: V,
    /// Multipliers (forces): p_post − p_pre = h μᵀλ.
    pub lambda: L,
    /// Auxiliary states.
    pub states: Z,
    /// Cached values for the next step: functions of the other fields, of time and of the step size.
    pub carried: C,
}

impl<Q, V, L, Z> JumpState<Q, V, L, Z> {
    /// The state at a node with these velocities before and after the reflection.
    #[inline]
    pub fn at(q: Q, (v_pre, v_post): (&V, &V), lambda: L, states: Z) -> Self
    where
        V: Copy,
    {
        JumpState { q, v_pre: *v_pre, v_post: *v_post, lambda, states, carried: () }
    }

    /// The same state with cached values.
    #[inline]
    pub fn carrying<C>(self, carried: C) -> JumpState<Q, V, L, Z, C> {
        let JumpState { q, v_pre, v_post, lambda, states, carried: () } = self;
        JumpState { q, v_pre, v_post, lambda, states, carried }
    }
}

impl<Q, V, L, Z, C> JumpState<Q, V, L, Z, C> {
    /// The state, if it is finite, as for [`NodeState`].
    #[doc(hidden)]
    #[inline(always)]
    pub fn checked<T: Scalar>(self) -> Result<Self, Failure>
    where
        Self: Fields<T>,
        Q: Fields<T>,
        V: Fields<T>,
        L: Fields<T>,
        Z: Fields<T>,
    {
        let state = hidden::<T, Self, true>(self);
        let is_finite = finite(&state.q)
            && finite(&state.v_pre)
            && finite(&state.v_post)
            && finite(&state.lambda)
            && finite(&state.states);
        if is_finite { Ok(state) } else { Err(Failure::NonFinite) }
    }
}

impl<S: System + ?Sized, T: Scalar, C: Fields<T> + Debug> State<S, T>
    for JumpState<S::Configuration<T>, S::Velocity<T>, S::Multipliers<T>, S::States<T>, C>
{
    const CARRIED: &'static [&'static str] = C::NAMES;

    #[inline]
    fn q(&self) -> S::Configuration<T> {
        self.q
    }
    #[inline]
    fn v(&self) -> S::Velocity<T> {
        mean(self.v_pre, self.v_post)
    }
    #[inline]
    fn jump(&self) -> (S::Velocity<T>, S::Velocity<T>) {
        (self.v_pre, self.v_post)
    }
    #[inline(always)]
    fn reflects(&self) -> bool {
        true
    }
    #[inline]
    fn lambda(&self) -> S::Multipliers<T> {
        self.lambda
    }
    #[inline]
    fn z(&self) -> S::States<T> {
        self.states
    }
}
