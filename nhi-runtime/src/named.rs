use crate::{Method, Scalar, Simulation, System};
use core::fmt::Debug;

/// The numbers of a state by the names of the declaration; implemented by `#[derive(Nonholonomic)]`.
pub trait Named: System {
    /// A struct with fields for the coordinates and the pose, their velocities, the auxiliary states, and the multipliers.
    type View<T: Scalar>: Copy + Debug + PartialEq;

    /// The numbers of a configuration, a velocity, multipliers and auxiliary states, such as those of a
    /// [`Sample`](crate::Sample).
    fn named<T: Scalar>(
        q: &Self::Configuration<T>,
        v: &Self::Velocity<T>,
        lambda: &Self::Multipliers<T>,
        z: &Self::States<T>,
    ) -> Self::View<T>;
}

impl<S: Named, M: Method<S>, T: Scalar> Simulation<S, M, T> {
    /// The present configuration, velocity, [multipliers](Simulation::multipliers) and auxiliary states by name:
    /// `sim.named().theta`.
    ///
    /// | field | number |
    /// |---|---|
    /// | `theta` | a coordinate, a part of the pose, a body velocity, or an auxiliary state |
    /// | `dot_theta` | the velocity of a coordinate |
    /// | `lambda_blade` | the multiplier of the constraint with the label `blade` |
    /// | `lambda_0` | the multiplier of the first constraint, if that has no label |
    ///
    /// Arrays of coordinates and families of labels that count from 0 are arrays here: `y[1]`, `dot_y[1]`,
    /// `lambda_wheel[2]`; a pose has its rotation matrix `R[i][j]`. Of a label with other indices, `wheel[1]`, the field is
    /// `lambda_wheel_1`. A name that another field has gets an underscore, `dot_x_`; declared names are
    /// kept. Keywords are raw identifiers, `r#type`.
    #[inline]
    pub fn named(&self) -> S::View<T> {
        S::named(&self.q(), &self.v(), &self.multipliers(), &self.z())
    }
}
