//! The composition of the two Euler variants of the geometric nonholonomic integrator.

use crate::{Emits, Failure, Forgets, GniEulerA, GniEulerB, Method, Scalar, Start, State};

/// Half a step of [`GniEulerB`], then half a step of [`GniEulerA`] from the momentum after the reflection: order 2,
/// symmetric. It is available for systems that emit both methods.
///
/// Ferraro, Jiménez and Martín de Diego (Remark 5.5) compose the triples (q, p̃, λ) of the two methods. That composition is
/// of order 1 unless V = 0, and does not converge on some systems. Because it passes on the momentum after the reflection,
/// this one has order 2. Its state has this momentum in addition to (q, v), so it is not a [`Symmetric`] map on the
/// constraint manifold, and composition does not raise its order further. Its parasitic mode grows and decays like that of
/// [`Rattle`](crate::Rattle). Two reflections per step preserve the sign of the mode, however, so the monitor for that
/// method could not distinguish it from the motion.
///
/// [`Symmetric`]: crate::Symmetric
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GniEulerAb;

impl GniEulerAb {
    /// Name in tables and on the command line.
    pub const ID: &'static str = "gni_euler_ab";
}

fn half<T: Scalar>(h: T) -> T {
    T::from_f64(0.5) * h
}

impl<S: Emits<GniEulerA> + Emits<GniEulerB>> Method<S> for GniEulerAb {
    /// The prepared values of both methods for half the step size, the parameters, and half the step size.
    type Prepared<T: Scalar> =
        (<S as Emits<GniEulerA>>::Prepared<T>, <S as Emits<GniEulerB>>::Prepared<T>, (S::Parameters<T>, T));
    type State<T: Scalar> = <S as Emits<GniEulerA>>::State<T>;
    type Memory = Forgets;

    fn id(&self) -> &'static str {
        Self::ID
    }

    fn prepare<T: Scalar>(&self, parameters: &S::Parameters<T>, h: T) -> Result<Self::Prepared<T>, Failure> {
        let h = half(h);
        Ok((
            <S as Emits<GniEulerA>>::prepare(parameters, h)?,
            <S as Emits<GniEulerB>>::prepare(parameters, h)?,
            (*parameters, h),
        ))
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
        <S as Emits<GniEulerA>>::start::<{ Start::PLAIN }, T>(parameters, half(h), q, v, z, t, inputs)
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
        <S as Emits<GniEulerA>>::state(parameters, half(h), q, jump, lambda, z, t)
    }

    #[inline(always)]
    fn step<T: Scalar>(
        &self,
        (a, b, (parameters, half)): &Self::Prepared<T>,
        state: &Self::State<T>,
        t: T,
        inputs: &S::Inputs<T>,
    ) -> Result<Self::State<T>, Failure> {
        let first = convert_state::<S, GniEulerB, T>(state, parameters, *half, t)?;
        let first = <S as Emits<GniEulerB>>::step(b, &first, t, inputs)?;
        let middle = t + *half;
        let second = convert_state::<S, GniEulerA, T>(&first, parameters, *half, middle)?;
        <S as Emits<GniEulerA>>::step(a, &second, middle, inputs)
    }
}

/// Converts the state of one method to that of the method `To`.
#[inline(always)]
fn convert_state<S: Emits<To>, To, T: Scalar>(
    state: &impl State<S, T>,
    parameters: &S::Parameters<T>,
    h: T,
    t: T,
) -> Result<<S as Emits<To>>::State<T>, Failure> {
    let (before, after) = state.jump();
    <S as Emits<To>>::state(parameters, h, &state.q(), (&before, &after), &state.lambda(), &state.z(), t)
}
