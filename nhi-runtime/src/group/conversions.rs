//! Poses as the types of nalgebra, and back.

use super::{SE2, SE3, SO3};
use crate::Scalar;
use core::array::from_fn;
use nalgebra::{
    Isometry2, Isometry3, Matrix3, RealField, Rotation3, Translation2, Translation3, UnitComplex,
    UnitQuaternion,
};

impl<T: Scalar + RealField> From<Rotation3<T>> for SO3<T> {
    #[inline]
    fn from(rotation: Rotation3<T>) -> Self {
        SO3(from_fn(|i| from_fn(|j| rotation[(i, j)])))
    }
}

/// The entries as they are.
impl<T: Scalar + RealField> From<SO3<T>> for Rotation3<T> {
    #[inline]
    fn from(rotation: SO3<T>) -> Self {
        Rotation3::from_matrix_unchecked(Matrix3::from_fn(|i, j| rotation.0[i][j]))
    }
}

impl<T: Scalar + RealField> From<UnitQuaternion<T>> for SO3<T> {
    #[inline]
    fn from(rotation: UnitQuaternion<T>) -> Self {
        rotation.to_rotation_matrix().into()
    }
}

/// Of the two quaternions the one with a scalar part that is not negative.
impl<T: Scalar + RealField> From<SO3<T>> for UnitQuaternion<T> {
    fn from(rotation: SO3<T>) -> Self {
        let (w, [x, y, z]) = rotation.quaternion();
        UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(w, x, y, z))
    }
}

/// θ in (−π, π].
impl<T: Scalar + RealField> From<Isometry2<T>> for SE2<T> {
    #[inline]
    fn from(isometry: Isometry2<T>) -> Self {
        let position = isometry.translation.vector;
        SE2 { theta: isometry.rotation.angle(), x: position.x, y: position.y }
    }
}

impl<T: Scalar + RealField> From<SE2<T>> for Isometry2<T> {
    #[inline]
    fn from(g: SE2<T>) -> Self {
        Isometry2::from_parts(Translation2::new(g.x, g.y), UnitComplex::new(g.theta))
    }
}

impl<T: Scalar + RealField> From<Isometry3<T>> for SE3<T> {
    #[inline]
    fn from(isometry: Isometry3<T>) -> Self {
        SE3 { rotation: isometry.rotation.into(), position: isometry.translation.vector.into() }
    }
}

impl<T: Scalar + RealField> From<SE3<T>> for Isometry3<T> {
    #[inline]
    fn from(g: SE3<T>) -> Self {
        Isometry3::from_parts(Translation3::from(g.position), g.rotation.into())
    }
}
