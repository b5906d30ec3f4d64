use crate::{Fields, Scalar, System, Vector};
use core::fmt::Debug;

/// What a method carries from step to step, seen as a point of the constraint manifold.
pub trait State<S: System + ?Sized, T: Scalar>: Fields<T> + Debug {
    /// Configuration q.
    fn q(&self) -> S::Configuration<T>;
    /// Velocity v; of a method that reflects, the mean of the two velocities at the node.
    fn v(&self) -> S::Velocity<T>;
    /// Velocities before and after the reflection at the node; equal where there is none.
    fn jump(&self) -> (S::Velocity<T>, S::Velocity<T>);
    /// Multipliers λ (forces) of the last step.
    fn lambda(&self) -> S::Multipliers<T>;
    /// The state at a node with the velocities `(before, after)` a reflection; one without a
    /// reflection keeps their mean.
    fn of(q: S::Configuration<T>, jump: (S::Velocity<T>, S::Velocity<T>), lambda: S::Multipliers<T>) -> Self;
}

/// ½(a + b), entry by entry.
#[inline]
fn mean<T: Scalar, V: Vector<T>>(mut a: V, b: V) -> V {
    let half = T::from_f64(0.5);
    for (a, &b) in a.as_mut().iter_mut().zip(b.as_ref()) {
        *a = half * (*a + b);
    }
    a
}

/// State of a one-step map on the constraint manifold: (q, v) with μ(q)v + μ₀(q) = 0.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NodeState<Q, V, L> {
    /// Configuration.
    pub q: Q,
    /// Velocity.
    pub v: V,
    /// Multipliers (forces) of the last step.
    pub lambda: L,
}

impl<S: System + ?Sized, T: Scalar> State<S, T>
    for NodeState<S::Configuration<T>, S::Velocity<T>, S::Multipliers<T>>
{
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
    fn of(
        q: S::Configuration<T>,
        (before, after): (S::Velocity<T>, S::Velocity<T>),
        lambda: S::Multipliers<T>,
    ) -> Self {
        NodeState { q, v: mean(before, after), lambda }
    }
}

/// State of a method that reflects the momentum at every node: the velocities
/// v∓ = M⁻¹(p∓ − a) before and after the jump. Their mean is on the constraint manifold.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct JumpState<Q, V, L> {
    /// Configuration.
    pub q: Q,
    /// Velocity before the reflection.
    pub v_pre: V,
    /// Velocity after the reflection.
    pub v_post: V,
    /// Multipliers (forces): p_post − p_pre = h μᵀλ.
    pub lambda: L,
}

impl<S: System + ?Sized, T: Scalar> State<S, T>
    for JumpState<S::Configuration<T>, S::Velocity<T>, S::Multipliers<T>>
{
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
    #[inline]
    fn lambda(&self) -> S::Multipliers<T> {
        self.lambda
    }
    #[inline]
    fn of(
        q: S::Configuration<T>,
        (v_pre, v_post): (S::Velocity<T>, S::Velocity<T>),
        lambda: S::Multipliers<T>,
    ) -> Self {
        JumpState { q, v_pre, v_post, lambda }
    }
}
