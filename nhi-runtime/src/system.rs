use crate::{Failure, Fields, Scalar, admissible};
use core::fmt::Debug;
use core::ops::{Index, IndexMut};

/// A fixed-length array of `T`: configurations, velocities, multipliers, inputs, auxiliary states, parameters.
pub trait Vector<T>:
    Fields<T> + Debug + PartialEq + Index<usize, Output = T> + IndexMut<usize> + AsRef<[T]> + AsMut<[T]>
{
    /// All entries equal to `x`.
    fn splat(x: T) -> Self;
    /// Distance of the entries from those of a configuration: 0, except for [rotation
    /// matrices](crate::Factor::defect).
    fn defect(&self) -> f64 {
        0.0
    }
    /// The same configuration with the rotation nearest to its matrix, to first order in the defect.
    #[doc(hidden)]
    fn normalized(&self) -> Self
    where
        T: Scalar,
    {
        *self
    }
    /// A configuration that is displaced by a tangent vector with these entries: the sum, except for poses.
    #[doc(hidden)]
    fn displaced(&self, by: &[T]) -> Self
    where
        T: Scalar,
    {
        let mut q = *self;
        q.as_mut().iter_mut().zip(by).for_each(|(q, &by)| *q = *q + by);
        q
    }
    /// Sets `by` to the tangent vector with which a configuration is displaced to `to`.
    #[doc(hidden)]
    fn displacement(&self, to: &Self, by: &mut [T])
    where
        T: Scalar,
    {
        let both = to.as_ref().iter().zip(self.as_ref());
        by.iter_mut().zip(both).for_each(|(by, (&to, &from))| *by = to - from);
    }
}

impl<T: Scalar, const N: usize> Vector<T> for [T; N] {
    fn splat(x: T) -> Self {
        [x; N]
    }
}

/// Arrays of the length of a vector, with entries of another type.
#[doc(hidden)]
pub trait Rows {
    /// Such an array.
    type Of<X: Copy + Debug + PartialEq>: AsRef<[X]> + AsMut<[X]> + Copy + Debug + PartialEq;
    /// All entries equal to `x`.
    fn rows<X: Copy + Debug + PartialEq>(x: X) -> Self::Of<X>;
}

impl<T, const N: usize> Rows for [T; N] {
    type Of<X: Copy + Debug + PartialEq> = [X; N];
    fn rows<X: Copy + Debug + PartialEq>(x: X) -> [X; N] {
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
    /// Entries of a velocity. Those of coordinates have the names of the coordinates.
    const VELOCITIES: &'static [&'static str] = Self::COORDINATES;
    /// Parameters, flattened.
    const PARAMETERS: &'static [&'static str];
    /// Control inputs.
    const INPUTS: &'static [&'static str];
    /// Auxiliary states, flattened.
    const STATES: &'static [&'static str];
    /// Labels of the constraints; without a label, their text. Position constraints come last.
    const CONSTRAINTS: &'static [&'static str];
    /// Whether the momentum ∂L/∂v of a system at rest may differ from zero: L has terms that are linear in the velocities.
    #[doc(hidden)]
    const GYROSCOPIC: bool = true;
    /// Whether the system may lose energy: there is a force, time in the Lagrangian or in a constraint, or an input in a
    /// constraint.
    #[doc(hidden)]
    const FORCED: bool = true;
    /// The nodes of tables, by the first of them among the parameters and their number: they have to increase.
    #[doc(hidden)]
    const TABLES: &'static [(usize, usize)] = &[];
    /// Whether the mass matrix M is singular everywhere, and M + s μᵀμ with s = tr M, or 1 for M = 0, is inverted in its
    /// place.
    #[doc(hidden)]
    const MASSLESS: bool = false;
    /// The horizontal symmetries with a constant direction that were found in the declaration.
    const SYMMETRIES: &'static [Symmetry] = &[];
    /// Further constant directions ξ with ∂L/∂q·ξ = f·ξ = 0. Reactions act along them: d/dt (p·ξ) = (μξ)·λ.
    const INVARIANCES: &'static [Symmetry] = &[];

    /// q, with the entries [`System::COORDINATES`]: an array, or a [`Posed`](crate::Posed) if there is a group factor.
    type Configuration<T: Scalar>: Vector<T>;
    /// v, length n: dq/dt, and the body velocity ξ = g⁻¹ dg/dt of a pose.
    type Velocity<T: Scalar>: Vector<T> + Rows;
    /// λ, one per constraint, length m.
    type Multipliers<T: Scalar>: Vector<T> + Rows;
    /// u, control inputs.
    type Inputs<T: Scalar>: Vector<T> + Rows;
    /// z, auxiliary states with rates of their own, dz/dt = F(q, v, z, t, u), on which forces may depend.
    type States<T: Scalar>: Vector<T>;
    /// Parameters, flattened.
    type Parameters<T: Scalar>: Vector<T>;

    /// The values of the parameter fields.
    fn parameters(&self) -> Self::Parameters<f64>;

    /// E = ∂L/∂v · v − L at time `t`.
    fn energy<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &Self::Configuration<T>,
        v: &Self::Velocity<T>,
        t: T,
    ) -> T;

    /// p = ∂L/∂v at time `t`.
    fn momentum<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &Self::Configuration<T>,
        v: &Self::Velocity<T>,
        t: T,
    ) -> Self::Velocity<T>;

    /// μ v + μ₀, zero on the constraint manifold.
    fn residual<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &Self::Configuration<T>,
        v: &Self::Velocity<T>,
        t: T,
        inputs: &Self::Inputs<T>,
    ) -> Self::Multipliers<T>;

    /// The sums of absolute values of the terms of [`System::residual`], to which rounding errors are relative.
    fn residual_scale<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &Self::Configuration<T>,
        v: &Self::Velocity<T>,
        t: T,
        inputs: &Self::Inputs<T>,
    ) -> Self::Multipliers<T>;

    /// The admissible velocity nearest to `v` in the kinetic-energy metric. [`Simulation::new`](crate::Simulation::new) accepts
    /// it: errors are rounding of the result itself, also where it is smaller than `v` by many orders of magnitude.
    ///
    /// # Errors
    /// A singular mass matrix or singular constraints.
    fn project<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &Self::Configuration<T>,
        v: &Self::Velocity<T>,
        t: T,
        inputs: &Self::Inputs<T>,
    ) -> Result<Self::Velocity<T>, Failure>
    where
        Self: Sized,
    {
        admissible::on_constraints::<Self, T>(parameters, q, v, t, inputs)
    }

    /// The same with errors that are rounding of `v`.
    #[doc(hidden)]
    fn project_once<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &Self::Configuration<T>,
        v: &Self::Velocity<T>,
        t: T,
        inputs: &Self::Inputs<T>,
    ) -> Result<Self::Velocity<T>, Failure>;

    /// dv/dt and the multipliers λ of the continuous equations, index reduced
    /// (λ = −C⁻¹(μM⁻¹b + γ), dv/dt = M⁻¹(b + μᵀλ)).
    fn acceleration_of<T: Scalar>(
        parameters: &Self::Parameters<T>,
        q: &Self::Configuration<T>,
        v: &Self::Velocity<T>,
        z: &Self::States<T>,
        t: T,
        inputs: &Self::Inputs<T>,
    ) -> Result<Acceleration<Self, T>, Failure>;

    /// g(q, t) of the position constraints, which vanishes where they hold. It is empty for a system without any.
    fn position<T: Scalar>(
        _parameters: &Self::Parameters<T>,
        _q: &Self::Configuration<T>,
        _t: T,
    ) -> impl AsRef<[T]> + use<Self, T> {
        []
    }

    /// The sums of absolute values of the terms of [`System::position`], to which rounding errors are relative.
    fn position_scale<T: Scalar>(
        _parameters: &Self::Parameters<T>,
        _q: &Self::Configuration<T>,
        _t: T,
    ) -> impl AsRef<[T]> + use<Self, T> {
        []
    }

    /// The configuration after a Gauss–Newton step towards g(q, t) = 0 in the kinetic-energy metric.
    fn correct<T: Scalar>(
        _parameters: &Self::Parameters<T>,
        q: &Self::Configuration<T>,
        _t: T,
    ) -> Result<Self::Configuration<T>, Failure> {
        Ok(*q)
    }

    /// A basis (0, e_b(q)) of the admissible velocities with which only the pose moves, as vectors of length n. It is
    /// empty without a group factor, and if the constraints admit no such velocity.
    ///
    /// For one-forms a u + b ξ the vectors e_b span 𝔤^q = ker b. No reaction acts in these directions;
    /// [`Simulation::nonholonomic_momentum`](crate::Simulation::nonholonomic_momentum) is the momentum along them. They
    /// are polynomials in the coefficients b, finite everywhere, and can vanish only where the rank of b is lower than
    /// elsewhere. `nhi expand` prints their formulas in its first lines.
    fn momentum_basis<T: Scalar>(
        _parameters: &Self::Parameters<T>,
        _q: &Self::Configuration<T>,
        _t: T,
    ) -> impl AsRef<[Self::Velocity<T>]> + use<Self, T> {
        []
    }

    /// (∂J_b/∂q) dq/dt + ∂J_b/∂t of the momenta J_b = ⟨∂L/∂v, (0, e_b)⟩ along this basis, at constant velocity.
    fn momentum_drift<T: Scalar>(
        _parameters: &Self::Parameters<T>,
        _q: &Self::Configuration<T>,
        _v: &Self::Velocity<T>,
        _t: T,
    ) -> impl AsRef<[T]> + use<Self, T> {
        []
    }
}

/// A horizontal symmetry with the constant direction ξ: ∂L/∂q·ξ = f·ξ = 0, and μξ = 0 for all one-forms. The momentum p·ξ
/// is conserved.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Symmetry {
    /// The momentum as text, such as `p_phi` or `p_x + p_y`.
    pub momentum: &'static str,
    /// ξ, length n.
    pub direction: &'static [f64],
}

/// dv/dt and the multipliers λ.
pub type Acceleration<S, T> = (<S as System>::Velocity<T>, <S as System>::Multipliers<T>);

/// How a method is started from (q₀, v₀) on the constraint manifold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Start {
    /// With the multiplier of the continuous equations. For methods without a choice, their only start.
    #[default]
    Consistent,
    /// With the projected force.
    Projected,
    /// Without any reaction.
    Plain,
    /// With the velocity v₀ as the mean velocity of the first step.
    Stepped,
}
