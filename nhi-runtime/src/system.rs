use crate::{Failure, Fields, Scalar, State};
use core::fmt::Debug;
use core::ops::{Index, IndexMut};

/// A fixed-length array of `T`: configurations, velocities, multipliers, inputs, parameters.
pub trait Vector<T>:
    Fields<T> + Debug + PartialEq + Index<usize, Output = T> + IndexMut<usize> + AsRef<[T]> + AsMut<[T]>
{
    /// All entries equal to `x`.
    fn splat(x: T) -> Self;
    /// How far the entries are from those of a configuration: 0 but for [rotation
    /// matrices](crate::Factor::defect).
    fn defect(&self) -> f64 {
        0.0
    }
}

impl<T: Scalar, const N: usize> Vector<T> for [T; N] {
    fn splat(x: T) -> Self {
        [x; N]
    }
}

/// A mechanical system with linear or affine velocity constraints; implemented by
/// `#[derive(Nonholonomic)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not declared as a mechanical system",
    note = "declare it with #[derive(Nonholonomic)]"
)]
pub trait System {
    /// Name of the declared struct.
    const NAME: &'static str;
    /// Entries of a configuration: coordinates, flattened (`y[0]`), and those of a pose (`R[0][2]`).
    const COORDINATES: &'static [&'static str];
    /// Entries of a velocity: those of coordinates have their names.
    const VELOCITIES: &'static [&'static str] = Self::COORDINATES;
    /// Parameters, flattened.
    const PARAMETERS: &'static [&'static str];
    /// Control inputs.
    const INPUTS: &'static [&'static str];
    /// Labels of the constraints, or their text.
    const CONSTRAINTS: &'static [&'static str];
    /// Horizontal symmetries whose direction is constant, as far as they were found.
    const SYMMETRIES: &'static [Symmetry] = &[];

    /// q, with as many entries as [`System::COORDINATES`]: an array, or with a group factor a
    /// [`Posed`](crate::Posed).
    type Configuration<T: Scalar>: Vector<T>;
    /// v, length n: dq/dt, and the velocity of the body ξ = g⁻¹ dg/dt of a pose.
    type Velocity<T: Scalar>: Vector<T>;
    /// λ, one per constraint, length m.
    type Multipliers<T: Scalar>: Vector<T>;
    /// u, control inputs.
    type Inputs<T: Scalar>: Vector<T>;
    /// Parameters, flattened.
    type Parameters<T: Scalar>: Vector<T>;

    /// The values of the parameter fields.
    fn parameters(&self) -> Self::Parameters<f64>;

    /// E = ∂L/∂v · v − L.
    fn energy<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &Self::Configuration<T>,
        v: &Self::Velocity<T>,
    ) -> T;

    /// p = ∂L/∂v.
    fn momentum<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &Self::Configuration<T>,
        v: &Self::Velocity<T>,
    ) -> Self::Velocity<T>;

    /// μ(q) v + μ₀(q), zero on the constraint manifold.
    fn residual<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &Self::Configuration<T>,
        v: &Self::Velocity<T>,
    ) -> Self::Multipliers<T>;

    /// The sums of absolute values of the terms of [`System::residual`]: what rounding is relative to.
    fn residual_scale<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &Self::Configuration<T>,
        v: &Self::Velocity<T>,
    ) -> Self::Multipliers<T>;

    /// The admissible velocity nearest to `v` in the kinetic-energy metric.
    fn project<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &Self::Configuration<T>,
        v: &Self::Velocity<T>,
    ) -> Result<Self::Velocity<T>, Failure>;

    /// dv/dt and the multipliers λ of the continuous equations, index reduced
    /// (λ = −C⁻¹(μM⁻¹b + γ), dv/dt = M⁻¹(b + μᵀλ)).
    fn acceleration_of<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &Self::Configuration<T>,
        v: &Self::Velocity<T>,
        t: T,
        inputs: &Self::Inputs<T>,
    ) -> Result<Acceleration<Self, T>, Failure>;

    /// A basis (0, e_b(q)) of the admissible velocities of the pose alone, vectors of length n; none
    /// without a group factor, or where the constraints leave the pose no freedom of its own.
    ///
    /// The e_b span 𝔤^q = ker b of one-forms a u + b ξ: the directions in which no reaction acts, of the
    /// nonholonomic momentum [`Simulation::nonholonomic_momentum`](crate::Simulation::nonholonomic_momentum).
    /// They are polynomials of the coefficients b, finite everywhere, and vanish at most where the rank of
    /// b is lower than elsewhere. The first lines of what `nhi expand` prints show them as formulas.
    fn momentum_basis<T: Scalar>(
        _parameters: &Self::Parameters<T>,
        _q: &Self::Configuration<T>,
    ) -> impl AsRef<[Self::Velocity<T>]> + use<Self, T> {
        []
    }
}

/// A constant direction ξ along which neither L nor a force changes the motion, ∂L/∂q·ξ = f·ξ = 0, and
/// which all one-forms annihilate, μξ = 0: the momentum p·ξ is conserved.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Symmetry {
    /// The momentum in words, such as `p_phi` or `p_x + p_y`.
    pub momentum: &'static str,
    /// ξ, length n.
    pub direction: &'static [f64],
}

/// dv/dt and the multipliers λ.
pub type Acceleration<S, T> = (<S as System>::Velocity<T>, <S as System>::Multipliers<T>);

/// How a method is started from (q₀, v₀) on the constraint manifold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Start {
    /// The method's own: `Consistent` where there is a choice.
    #[default]
    Consistent,
    /// With the projected force.
    Projected,
    /// Without any reaction.
    Plain,
    /// With the velocity as that of the first step.
    Stepped,
}

impl Start {
    /// [`Start::Consistent`] as a number, as [`Emits::start`] takes it.
    pub const CONSISTENT: u8 = Start::Consistent as u8;
    /// [`Start::Projected`].
    pub const PROJECTED: u8 = Start::Projected as u8;
    /// [`Start::Plain`].
    pub const PLAIN: u8 = Start::Plain as u8;
    /// [`Start::Stepped`].
    pub const STEPPED: u8 = Start::Stepped as u8;
}

/// How much a step computes, which says where it is compiled: that is most of what a build takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Length {
    /// Little: compiled wherever steps are taken.
    #[default]
    Short,
    /// So much that it gains little from being compiled where it is taken: once where its results are looked at, and
    /// into a loop where they are not.
    Middle,
    /// So much that it gains nothing from a loop: compiled once.
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

/// The step functions of method `K`, emitted for a system.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no step functions for `{K}`",
    label = "`{K}` was not emitted for this system",
    note = "a system has the methods that its declaration names, #[nonholonomic(methods(Dla2, Rk4, ...))]; \
            left out, they are `Dla2` and `Rattle`, with a group factor `Rdp` and `Rattle`",
    note = "methods with a retraction, such as `Rdp::new(Cayley)`, are for systems with a group factor"
)]
pub trait Emits<K>: System {
    /// What depends on the parameters and the step size alone.
    type Prepared<T: Scalar>: Fields<T> + Debug;
    /// What the method carries from step to step: [`NodeState`](crate::NodeState) or
    /// [`JumpState`](crate::JumpState).
    type State<T: Scalar>: State<Self, T>;
    /// Which numbers of a state, in the order of [`Fields`], steps do not depend on.
    const UNREAD: &'static [usize] = &[];
    /// How much a step computes.
    const LENGTH: Length = Length::Short;
    /// Whether a step solves equations by Newton's method.
    const ITERATES: bool = false;
    /// Whether it makes updates of second order there.
    const BENDS: bool = false;
    /// Whether ensembles gain nothing from taking steps side by side: long ones, and those with maps of a group.
    const APART: bool = false;
    /// Whether a state carries sines and cosines that a step turns.
    const TURNS: bool = false;

    /// Computes everything that no step needs to compute again.
    fn prepare<T: Scalar>(parameters: &Self::Parameters<T>, h: T) -> Result<Self::Prepared<T>, Failure>;

    /// The state at time `t` from a configuration and an admissible velocity. `START` is a [`Start`] as a number:
    /// the compiler knows it, and compiles no other.
    fn start<const START: u8, T: Scalar>(
        parameters: &Self::Parameters<T>,
        h: T,
        q: &Self::Configuration<T>,
        v: &Self::Velocity<T>,
        t: T,
        inputs: &Self::Inputs<T>,
    ) -> Result<Self::State<T>, Failure>;

    /// The state at time `t` at the configuration `q`, with the velocities `(before, after)` a reflection;
    /// one without a reflection has their mean.
    fn state<T: Scalar>(
        parameters: &Self::Parameters<T>,
        h: T,
        q: &Self::Configuration<T>,
        jump: (&Self::Velocity<T>, &Self::Velocity<T>),
        lambda: &Self::Multipliers<T>,
        t: T,
    ) -> Result<Self::State<T>, Failure>;

    /// One step from time `t` to `t + h`.
    fn step<T: Scalar>(
        prepared: &Self::Prepared<T>,
        state: &Self::State<T>,
        t: T,
        inputs: &Self::Inputs<T>,
    ) -> Result<Self::State<T>, Failure>;

    /// The same state at time `t` for steps of another size `h`.
    #[inline(always)]
    fn resized<T: Scalar>(
        _parameters: &Self::Parameters<T>,
        _h: T,
        state: &Self::State<T>,
        _t: T,
    ) -> Result<Self::State<T>, Failure> {
        Ok(*state)
    }

    /// The `state` after a step of size `h` from `before` with velocities that have changed as increments have.
    #[inline(always)]
    fn tracked<T: Scalar>(_h: T, _before: &Self::State<T>, state: &Self::State<T>) -> Self::State<T> {
        *state
    }

    /// The same state with the sines and cosines that it carries computed anew.
    #[inline(always)]
    fn renewed<T: Scalar>(state: &Self::State<T>) -> Self::State<T> {
        *state
    }
}
