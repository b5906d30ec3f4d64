//! Configurations with a pose: R^k × G.

use crate::fields::array;
use crate::group::*;
use crate::{Dual, Scalar, Vector};
use core::fmt::Debug;
use core::marker::PhantomData;
use core::ops::{Index, IndexMut};

/// A Lie group as a factor of configuration spaces, independent of the scalar type of its poses.
pub trait Factor: Copy + Debug + PartialEq {
    /// Its name, such as `SE(2)`.
    const NAME: &'static str;
    /// The entries of a pose.
    type Entries<T: Scalar>: Vector<T>;
    /// The coordinates of a velocity of the body.
    type Algebra<T: Scalar>: Vector<T>;
    /// A linear map of velocities, by rows.
    type Operator<T: Scalar>: Vector<T>;
    /// The derivatives of a linear map along velocities: those of each entry one after the other.
    type Tensor<T: Scalar>: Vector<T>;

    /// The distance of `entries` from those of a pose: the largest entry of |RᵀR − 1| for rotation matrices, 0 for other
    /// poses.
    fn defect(entries: &Self::Entries<f64>) -> f64;
    /// The nearest pose, to first order in the defect.
    fn normalized<T: Scalar>(entries: &Self::Entries<T>) -> Self::Entries<T>;
    /// dg/dt = g ξ̂, entry by entry.
    fn rates<T: Scalar>(g: &Self::Entries<T>, xi: &Self::Algebra<T>) -> Self::Entries<T>;
    /// g exp(σ), on the group to rounding.
    fn displaced<T: Scalar>(g: &Self::Entries<T>, sigma: &Self::Algebra<T>) -> Self::Entries<T>;
    /// log(g⁻¹h), with the smallest rotation.
    fn displacement<T: Scalar>(g: &Self::Entries<T>, h: &Self::Entries<T>) -> Self::Algebra<T>;
    /// (dexpᴸ_σ)⁻¹ ξ: the derivative of the logarithm of a motion along the velocity at its end.
    fn dexp_left_inv<T: Scalar>(sigma: &Self::Algebra<T>, xi: &Self::Algebra<T>) -> Self::Algebra<T>;
}

/// A [`Retraction`] of the group `G` for every scalar type, the type parameter of steps on groups. The rotation of τ(σ)
/// does not depend on the translation in σ, and the position is linear in it: steps omit the entries that are therefore
/// zero.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a retraction of `{G}`",
    label = "not a retraction",
    note = "the retractions are `Exp`, `Cayley`, `Ccsk`, `Exp1`, `Exp2` and `Exp4`"
)]
pub trait Retracts<G: Factor>: Copy + Debug + Default {
    /// Name in reference data.
    const NAME: &'static str;

    /// g τ(σ), on the group to rounding.
    fn moved<T: Scalar>(g: &G::Entries<T>, sigma: &G::Algebra<T>) -> G::Entries<T>;
    /// dτᴸ_σ, by rows.
    fn dtau_left<T: Scalar>(sigma: &G::Algebra<T>) -> G::Operator<T>;
    /// dτ⁻¹_σ, by rows.
    fn dtau_inv<T: Scalar>(sigma: &G::Algebra<T>) -> G::Operator<T>;
    /// (dτ⁻¹_σ)* ν: the covector ν at the beginning of the step.
    fn dtau_inv_star<T: Scalar>(sigma: &G::Algebra<T>, nu: &G::Algebra<T>) -> G::Algebra<T>;
    /// ((dτᴸ_σ)⁻¹)* ν: the covector ν at the end of the step.
    fn dtau_left_inv_star<T: Scalar>(sigma: &G::Algebra<T>, nu: &G::Algebra<T>) -> G::Algebra<T>;
    /// K(σ, ν) = ∂/∂σ (dτ⁻¹_σ)* ν, by rows.
    fn k<T: Scalar>(sigma: &G::Algebra<T>, nu: &G::Algebra<T>) -> G::Operator<T>;
    /// ∂K/∂σ, the derivatives of each entry of K(σ, ν) one after the other.
    fn k_tangent<T: Scalar>(sigma: &G::Algebra<T>, nu: &G::Algebra<T>) -> G::Tensor<T>;
}

/// A retraction whose maps are called instead of inlined.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Called<R>(R);

#[diagnostic::do_not_recommend]
impl<G: Factor, R: Retracts<G>> Retracts<G> for Called<R> {
    const NAME: &'static str = R::NAME;

    #[inline(never)]
    fn moved<T: Scalar>(g: &G::Entries<T>, sigma: &G::Algebra<T>) -> G::Entries<T> {
        R::moved(g, sigma)
    }
    #[inline(never)]
    fn dtau_left<T: Scalar>(sigma: &G::Algebra<T>) -> G::Operator<T> {
        R::dtau_left(sigma)
    }
    #[inline(never)]
    fn dtau_inv<T: Scalar>(sigma: &G::Algebra<T>) -> G::Operator<T> {
        R::dtau_inv(sigma)
    }
    #[inline(never)]
    fn dtau_inv_star<T: Scalar>(sigma: &G::Algebra<T>, nu: &G::Algebra<T>) -> G::Algebra<T> {
        R::dtau_inv_star(sigma, nu)
    }
    #[inline(never)]
    fn dtau_left_inv_star<T: Scalar>(sigma: &G::Algebra<T>, nu: &G::Algebra<T>) -> G::Algebra<T> {
        R::dtau_left_inv_star(sigma, nu)
    }
    #[inline(never)]
    fn k<T: Scalar>(sigma: &G::Algebra<T>, nu: &G::Algebra<T>) -> G::Operator<T> {
        R::k(sigma, nu)
    }
    #[inline(never)]
    fn k_tangent<T: Scalar>(sigma: &G::Algebra<T>, nu: &G::Algebra<T>) -> G::Tensor<T> {
        R::k_tangent(sigma, nu)
    }
}

/// The rows of a matrix, one after the other.
#[inline(always)]
fn rows<T: Scalar, const N: usize, const SQUARE: usize>(matrix: [[T; N]; N]) -> [T; SQUARE] {
    array(matrix[0][0], |i| matrix[i / N][i % N])
}

macro_rules! factors {
    ($(
        $group:ident $name:literal {
            entries: $entries:literal,
            dimension: $dim:literal,
            square: $square:literal,
            cube: $cube:literal,
            $($conversions:tt)*
        }
    )*) => {$(
        impl Factor for $group<f64> {
            const NAME: &'static str = $name;
            type Entries<T: Scalar> = [T; $entries];
            type Algebra<T: Scalar> = [T; $dim];
            type Operator<T: Scalar> = [T; $square];
            type Tensor<T: Scalar> = [T; $cube];

            fn defect(entries: &[f64; $entries]) -> f64 {
                $group::of(*entries).defect()
            }
            fn normalized<T: Scalar>(entries: &[T; $entries]) -> [T; $entries] {
                $group::of(*entries).normalized().flat()
            }
            #[inline(always)]
            fn rates<T: Scalar>(g: &[T; $entries], xi: &[T; $dim]) -> [T; $entries] {
                $group::<T>::of(*g).rates(*xi)
            }
            #[inline(always)]
            fn displaced<T: Scalar>(g: &[T; $entries], sigma: &[T; $dim]) -> [T; $entries] {
                $group::<T>::of(*g).moved::<Exp>(*sigma).flat()
            }
            #[inline]
            fn displacement<T: Scalar>(g: &[T; $entries], h: &[T; $entries]) -> [T; $dim] {
                let [g, h] = [g, h].map(|entries| $group::<T>::of(*entries));
                <Exp as Retraction<$group<T>>>::tau_inv(g.inverse().product(h))
            }
            #[inline(always)]
            fn dexp_left_inv<T: Scalar>(sigma: &[T; $dim], xi: &[T; $dim]) -> [T; $dim] {
                <Exp as Retraction<$group<T>>>::dtau_left_inv_of(*sigma, *xi)
            }
        }

        factors!(@retractions $group $entries $dim $square $cube:
            Exp "exp", Cayley "cay", Ccsk "ccsk", Exp1 "exp1", Exp2 "exp2", Exp4 "exp4");
    )*};
    (@retractions $group:ident $entries:literal $dim:literal $square:literal $cube:literal: $($tau:ident $name:literal),*) => {$(
        impl Retracts<$group<f64>> for $tau {
            const NAME: &'static str = $name;

            #[inline(always)]
            fn moved<T: Scalar>(g: &[T; $entries], sigma: &[T; $dim]) -> [T; $entries] {
                $group::<T>::of(*g).moved::<$tau>(*sigma).flat()
            }
            #[inline(always)]
            fn dtau_left<T: Scalar>(sigma: &[T; $dim]) -> [T; $square] {
                rows(<$tau as Retraction<$group<T>>>::dtau_left(*sigma))
            }
            #[inline(always)]
            fn dtau_inv<T: Scalar>(sigma: &[T; $dim]) -> [T; $square] {
                rows(<$tau as Retraction<$group<T>>>::dtau_inv(*sigma))
            }
            #[inline(always)]
            fn dtau_inv_star<T: Scalar>(sigma: &[T; $dim], nu: &[T; $dim]) -> [T; $dim] {
                <$tau as Retraction<$group<T>>>::dtau_inv_star(*sigma, *nu)
            }
            #[inline(always)]
            fn dtau_left_inv_star<T: Scalar>(sigma: &[T; $dim], nu: &[T; $dim]) -> [T; $dim] {
                <$tau as Retraction<$group<T>>>::dtau_left_inv_star(*sigma, *nu)
            }
            #[inline(always)]
            fn k<T: Scalar>(sigma: &[T; $dim], nu: &[T; $dim]) -> [T; $square] {
                rows(<$tau as Retraction<$group<T>>>::k(*sigma, *nu))
            }
            #[inline]
            fn k_tangent<T: Scalar>(sigma: &[T; $dim], nu: &[T; $dim]) -> [T; $cube] {
                factors!(@k_tangent $tau $group $dim sigma nu)
            }
        }
    )*};
    // In closed form, or by dual numbers through K.
    (@k_tangent Exp SO3 $dim:literal $sigma:ident $nu:ident) => { SO3::exp_k_tangent(*$sigma, *$nu) };
    (@k_tangent Exp SE3 $dim:literal $sigma:ident $nu:ident) => { SE3::exp_k_tangent(*$sigma, *$nu) };
    (@k_tangent Cayley $group:ident $dim:literal $sigma:ident $nu:ident) => { $group::cay_k_tangent(*$sigma, *$nu) };
    (@k_tangent $tau:ident $group:ident $dim:literal $sigma:ident $nu:ident) => {{
        let one = T::from_f64(1.0);
        let sigma = array(Dual::constant($sigma[0]), |i| {
            let mut moved: Dual<T, $dim> = Dual::constant($sigma[i]);
            moved.eps[i] = one;
            moved
        });
        let nu = array(Dual::constant($nu[0]), |i| Dual::constant($nu[i]));
        let k = <$tau as Retraction<$group<Dual<T, $dim>>>>::k(sigma, nu);
        array(one, |i| k[i / ($dim * $dim)][i / $dim % $dim].eps[i % $dim])
    }};
}

/// A configuration (r, g): `K` coordinates and the entries of a pose of `G`, `N` numbers in all.
///
/// It converts from its `N` entries, from the pair of coordinates and pose, or, without coordinates, from a
/// pose. A pose is an element of the group ([`SE2`], [`SO3`], [`SE3`]) or a type that converts into it: `[θ, x, y]`,
/// rows of a rotation matrix, rotations and isometries of nalgebra. The pose converts back into these types.
///
/// ```
/// use nhi_runtime::{Posed, group::SE2};
/// let q: Posed<SE2<f64>, f64, 2, 5> = ([0.1, 0.2], [0.5, 1.0, 2.0]).into();
/// assert_eq!(q, [0.1, 0.2, 0.5, 1.0, 2.0].into());
/// assert_eq!(q[2], 0.5);
/// assert_eq!(SE2::from(q), SE2 { theta: 0.5, x: 1.0, y: 2.0 });
/// # #[cfg(feature = "nalgebra")]
/// assert_eq!(nalgebra::Isometry2::from(q).translation.x, 1.0);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Posed<G, T, const K: usize, const N: usize> {
    entries: [T; N],
    group: PhantomData<G>,
}

impl<G, T, const K: usize, const N: usize> Posed<G, T, K, N> {
    /// All entries, those of the pose last.
    #[inline(always)]
    pub fn entries(&self) -> &[T; N] {
        &self.entries
    }

    /// The entries of the pose.
    pub fn pose(&self) -> &[T] {
        self.entries.get(K..).unwrap_or_default()
    }
}

impl<G: Factor, T: Scalar, const K: usize, const N: usize> Posed<G, T, K, N> {
    /// The entries of the pose, as many as a pose has.
    fn factor(&self) -> G::Entries<T> {
        let mut pose = G::Entries::splat(T::from_f64(0.0));
        pose.as_mut().iter_mut().zip(self.pose()).for_each(|(entry, &x)| *entry = x);
        pose
    }
}

impl<G, T, const K: usize, const N: usize> From<[T; N]> for Posed<G, T, K, N> {
    #[inline(always)]
    fn from(entries: [T; N]) -> Self {
        Posed { entries, group: PhantomData }
    }
}

impl<G, T, const K: usize, const N: usize> From<Posed<G, T, K, N>> for [T; N] {
    #[inline(always)]
    fn from(q: Posed<G, T, K, N>) -> Self {
        q.entries
    }
}

/// The entries of coordinates and pose in one array.
#[inline(always)]
fn joined<T: Scalar, const K: usize, const P: usize, const N: usize>(r: [T; K], g: [T; P]) -> [T; N] {
    const { assert!(K + P == N, "a configuration has as many entries as its coordinates and its pose") };
    array(T::from_f64(f64::NAN), |i| if i < K { r[i] } else { g[i - K] })
}

/// The pose of such an array.
#[inline(always)]
fn last<T: Scalar, const K: usize, const P: usize, const N: usize>(entries: [T; N]) -> [T; P] {
    const { assert!(K + P == N, "a configuration has as many entries as its coordinates and its pose") };
    array(T::from_f64(f64::NAN), |i| entries[K + i])
}

macro_rules! posed {
    ($(
        $group:ident $name:literal {
            entries: $entries:literal,
            dimension: $dim:literal,
            square: $square:literal,
            cube: $cube:literal,
            from: [$($alone:ty),*],
            nalgebra: [$($type:ident),*],
        }
    )*) => {$(
        impl<T: Scalar, P: Into<$group<T>>, const K: usize, const N: usize> From<([T; K], P)>
            for Posed<$group<f64>, T, K, N>
        {
            fn from((r, pose): ([T; K], P)) -> Self {
                joined::<T, K, $entries, N>(r, pose.into().flat()).into()
            }
        }

        impl<T: Scalar, const K: usize, const N: usize> From<Posed<$group<f64>, T, K, N>> for $group<T> {
            fn from(q: Posed<$group<f64>, T, K, N>) -> Self {
                $group::of(last::<T, K, $entries, N>(q.entries))
            }
        }

        $(
            impl<T: Scalar> From<$alone> for Posed<$group<f64>, T, 0, $entries> {
                fn from(pose: $alone) -> Self {
                    $group::from(pose).flat().into()
                }
            }
        )*
    )*};
}

#[cfg(feature = "nalgebra")]
macro_rules! posed_nalgebra {
    ($(
        $group:ident $name:literal {
            entries: $entries:literal,
            dimension: $dim:literal,
            square: $square:literal,
            cube: $cube:literal,
            from: [$($from:ty),*],
            nalgebra: [$($alone:ident),*],
        }
    )*) => {$($(
        impl<T: Scalar + nalgebra::RealField> From<nalgebra::$alone<T>> for Posed<$group<f64>, T, 0, $entries> {
            fn from(pose: nalgebra::$alone<T>) -> Self {
                $group::from(pose).flat().into()
            }
        }

        impl<T: Scalar + nalgebra::RealField, const K: usize, const N: usize> From<Posed<$group<f64>, T, K, N>>
            for nalgebra::$alone<T>
        {
            fn from(q: Posed<$group<f64>, T, K, N>) -> Self {
                $group::from(q).into()
            }
        }
    )*)*};
}

crate::for_each_group!(factors);
crate::for_each_group!(posed);
#[cfg(feature = "nalgebra")]
crate::for_each_group!(posed_nalgebra);

impl<G, T, const K: usize, const N: usize> Index<usize> for Posed<G, T, K, N> {
    type Output = T;
    #[inline(always)]
    fn index(&self, i: usize) -> &T {
        &self.entries[i]
    }
}

impl<G, T, const K: usize, const N: usize> IndexMut<usize> for Posed<G, T, K, N> {
    #[inline(always)]
    fn index_mut(&mut self, i: usize) -> &mut T {
        &mut self.entries[i]
    }
}

impl<G, T, const K: usize, const N: usize> AsRef<[T]> for Posed<G, T, K, N> {
    #[inline(always)]
    fn as_ref(&self) -> &[T] {
        &self.entries
    }
}

impl<G, T, const K: usize, const N: usize> AsMut<[T]> for Posed<G, T, K, N> {
    #[inline(always)]
    fn as_mut(&mut self) -> &mut [T] {
        &mut self.entries
    }
}

impl<G: Factor, T: Scalar, const K: usize, const N: usize> Vector<T> for Posed<G, T, K, N> {
    fn splat(x: T) -> Self {
        [x; N].into()
    }
    fn defect(&self) -> f64 {
        let mut pose = G::Entries::splat(0.0);
        for (x, entry) in pose.as_mut().iter_mut().zip(self.pose()) {
            *x = entry.to_f64();
        }
        G::defect(&pose)
    }
    fn normalized(&self) -> Self {
        let mut q = *self;
        let pose = G::normalized(&self.factor());
        q.entries.iter_mut().skip(K).zip(pose.as_ref()).for_each(|(entry, &x)| *entry = x);
        q
    }
    fn displaced(&self, by: &[T]) -> Self {
        let (mut q, mut sigma) = (*self, G::Algebra::splat(T::from_f64(0.0)));
        let by_pose = by.get(K..).unwrap_or_default();
        sigma.as_mut().iter_mut().zip(by_pose).for_each(|(sigma, &by)| *sigma = by);
        let pose = G::displaced(&self.factor(), &sigma);
        let coordinates = self.entries.iter().zip(by).take(K).map(|(&q, &by)| q + by);
        let all = coordinates.chain(pose.as_ref().iter().copied());
        q.entries.iter_mut().zip(all).for_each(|(q, x)| *q = x);
        q
    }
    fn displacement(&self, to: &Self, by: &mut [T]) {
        let both = to.entries.iter().zip(&self.entries).take(K);
        let sigma = G::displacement(&self.factor(), &to.factor());
        let all = both.map(|(&to, &from)| to - from).chain(sigma.as_ref().iter().copied());
        by.iter_mut().zip(all).for_each(|(by, x)| *by = x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_derivative_of_k<R, G, const N: usize>()
    where
        G: Factor<Algebra<f64> = [f64; N], Algebra<Dual<f64>> = [Dual<f64>; N]>,
        R: Retracts<G>,
    {
        // Where the series of D is summed, and beyond.
        for scale in [0.0, 0.2, 1.3] {
            let sigma: [f64; N] = array(0.0, |i| scale * (1.0 + 2.0 * i as f64).sin());
            let nu: [f64; N] = array(0.0, |i| (2.0 + 3.0 * i as f64).cos());
            let tangent = R::k_tangent::<f64>(&sigma, &nu);
            for along in 0..N {
                let moved = array(Dual::constant(0.0), |i| Dual {
                    re: sigma[i],
                    eps: [f64::from(u8::from(i == along))],
                });
                let nu = array(Dual::constant(0.0), |i| Dual::constant(nu[i]));
                let k = R::k::<Dual<f64>>(&moved, &nu);
                for (entry, k) in k.as_ref().iter().enumerate() {
                    let (found, expected) = (tangent.as_ref()[N * entry + along], k.eps[0]);
                    assert!((found - expected).abs() < 1e-14, "{entry}, {along}: {found} {expected}");
                }
            }
        }
    }

    /// In closed form as by dual numbers.
    #[test]
    fn k_tangents_are_derivatives_of_k() {
        is_derivative_of_k::<Exp, SE2<f64>, 3>();
        is_derivative_of_k::<Cayley, SE2<f64>, 3>();
        is_derivative_of_k::<Exp, SO3<f64>, 3>();
        is_derivative_of_k::<Cayley, SO3<f64>, 3>();
        is_derivative_of_k::<Exp, SE3<f64>, 6>();
        is_derivative_of_k::<Cayley, SE3<f64>, 6>();
    }

    /// The maps of a group are the same wherever they are compiled.
    #[test]
    fn maps_are_called_as_they_are_inlined() {
        type Maps = (Vec<f64>, [Vec<f64>; 2], [Vec<f64>; 2], [Vec<f64>; 2]);
        fn maps<R: Retracts<SE3<f64>>>() -> Maps {
            let sigma = array(0.0, |i| (1.0 + 2.0 * i as f64).sin());
            let nu = array(0.0, |i| (2.0 + 3.0 * i as f64).cos());
            let moved = R::moved(&array(0.0, |i| f64::from(u8::from(i % 4 == 0))), &sigma);
            (
                moved.to_vec(),
                [R::dtau_left(&sigma).to_vec(), R::dtau_inv(&sigma).to_vec()],
                [R::dtau_inv_star(&sigma, &nu).to_vec(), R::dtau_left_inv_star(&sigma, &nu).to_vec()],
                [R::k(&sigma, &nu).to_vec(), R::k_tangent(&sigma, &nu).to_vec()],
            )
        }
        assert_eq!(maps::<Called<Exp>>(), maps::<Exp>());
        assert_eq!(maps::<Called<Cayley>>(), maps::<Cayley>());
        assert_eq!(<Called<Exp> as Retracts<SE3<f64>>>::NAME, "exp");
    }
}
