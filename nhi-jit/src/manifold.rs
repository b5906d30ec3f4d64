//! Displacements of states: poses by exponentials, all others by addition.

use nhi_codegen::expr::group::{Block, Group, Product};
use nhi_codegen::facts::SystemFacts;
use nhi_runtime::{Dual, Factor, Scalar, Vector};

/// The most directions of one pose.
const MOST: usize = 6;

/// The states of a system as a manifold, with displacements x ⊕ δ and differences b ⊖ a: those of
/// [`Tangential`](nhi_runtime::Tangential), for a system that is known at run time.
///
/// A state is x = (q, ν, z): the configuration, quasi-velocities and auxiliary states. A configuration has coordinates and, with
/// a group factor, a pose last. A tangent vector δ = (δq, δν, δz) has as many entries δq as a velocity has; those of a pose are
/// its displacement in the body.
#[derive(Clone, Debug)]
pub struct Manifold {
    group: Product,
    /// Number of coordinates that are no entries of a pose.
    shape: usize,
}

macro_rules! define_poses {
    ($($group:ident $notation:literal { $($facts:tt)* })*) => {
        /// g exp(σ).
        fn displaced<T: Scalar>(group: &Group, g: &[T], sigma: &[T]) -> Vec<T> {
            match group.runtime {
                $(stringify!($group) => {
                    let moved = <nhi_runtime::group::$group<f64> as Factor>::displaced(&vector(g), &vector(sigma));
                    moved.as_ref().to_vec()
                })*
                name => unreachable!("the runtime has no group {name}"),
            }
        }

        /// log(g⁻¹h).
        fn displacement<T: Scalar>(group: &Group, g: &[T], h: &[T]) -> Vec<T> {
            match group.runtime {
                $(stringify!($group) => {
                    let sigma = <nhi_runtime::group::$group<f64> as Factor>::displacement(&vector(g), &vector(h));
                    sigma.as_ref().to_vec()
                })*
                name => unreachable!("the runtime has no group {name}"),
            }
        }
    };
}

nhi_runtime::for_each_group!(define_poses);

/// Numbers as a vector of that length.
fn vector<T: Scalar, V: Vector<T>>(numbers: &[T]) -> V {
    let mut vector = V::splat(T::from_f64(0.0));
    vector.as_mut().copy_from_slice(numbers);
    vector
}

fn lifted<T: Scalar>(numbers: &[f64]) -> Vec<T> {
    numbers.iter().map(|&x| T::from_f64(x)).collect()
}

/// Entry by entry.
fn sum<T: Scalar>(x: &[T], by: &[T]) -> Vec<T> {
    x.iter().zip(by).map(|(&x, &by)| x + by).collect()
}

impl Manifold {
    /// That of a system.
    pub fn new(facts: &SystemFacts) -> Manifold {
        Manifold { group: facts.group.clone(), shape: facts.shape }
    }

    /// Whether it has no pose, so that x ⊕ δ = x + δ.
    pub fn is_flat(&self) -> bool {
        self.group.is_trivial()
    }

    /// Lengths of q and δq.
    fn lengths(&self) -> [usize; 2] {
        let pose = [self.group.pose_len(), self.group.dimension()];
        pose.map(|length| self.shape + length)
    }

    /// x ⊕ δ for x = (q, ν, z): the state that is displaced by a tangent vector. Poses are displaced by g exp(δg), all others by
    /// addition.
    ///
    /// # Panics
    /// If the lengths are not those of the system, or δ has not the lengths of δq, ν and z together.
    pub fn retract<T: Scalar>(&self, [q, nu, z]: [&[T]; 3], delta: &[T]) -> [Vec<T>; 3] {
        let [_, n] = self.lengths();
        assert_eq!(delta.len(), n + nu.len() + z.len(), "length of a tangent vector");
        let (by, others) = delta.split_at(n);
        let (by_nu, by_z) = others.split_at(nu.len());
        [self.displaced(q, by), sum(nu, by_nu), sum(z, by_z)]
    }

    /// The tangent vector δ with `from` ⊕ δ = `to`: log(g⁻¹g') of poses, with the smallest rotation, so that full turns of an
    /// angle of SE(2) do not count; differences of all others.
    ///
    /// # Panics
    /// If the lengths are not those of the system, or those of the states differ.
    pub fn difference<T: Scalar>(&self, from: [&[T]; 3], to: [&[T]; 3]) -> Vec<T> {
        let [(q, q_to), others @ ..] = [0, 1, 2].map(|part| (from[part], to[part]));
        let mut delta = self.displacement(q, q_to);
        for (from, to) in others {
            assert_eq!(from.len(), to.len(), "lengths of two states");
            delta.extend(from.iter().zip(to).map(|(&from, &to)| to - from));
        }
        delta
    }

    /// q ⊕ δq: the configuration alone.
    ///
    /// # Panics
    /// If the lengths are not those of the system.
    pub fn displaced<T: Scalar>(&self, q: &[T], by: &[T]) -> Vec<T> {
        assert_eq!([q.len(), by.len()], self.lengths(), "lengths of q and δq");
        let mut moved = sum(&q[..self.shape], &by[..self.shape]);
        for Block { group, pose, velocity } in self.group.blocks(self.shape) {
            moved.extend(displaced(group, &q[pose], &by[velocity]));
        }
        moved
    }

    /// δq with `from` ⊕ δq = `to`, for configurations.
    ///
    /// # Panics
    /// If the lengths are not those of the system.
    pub fn displacement<T: Scalar>(&self, from: &[T], to: &[T]) -> Vec<T> {
        let [length, _] = self.lengths();
        assert_eq!([from.len(), to.len()], [length; 2], "lengths of two configurations");
        let mut by: Vec<T> = from.iter().zip(to).take(self.shape).map(|(&a, &b)| b - a).collect();
        for Block { group, pose, .. } in self.group.blocks(self.shape) {
            by.extend(displacement(group, &from[pose.clone()], &to[pose]));
        }
        by
    }

    /// The tangent vector δq at q ⊕ `by` along which this configuration moves with the entry `i` of `by`.
    ///
    /// # Panics
    /// If the lengths are not those of the system, or `by` has no entry `i`.
    pub fn moved(&self, q: &[f64], by: &[f64], i: usize) -> Vec<f64> {
        let mut along: Vec<Dual<f64>> = lifted(by);
        along[i].eps = [1.0];
        let moved = self.displaced(&lifted(q), &along);
        let at = lifted(&self.displaced(q, by));
        self.displacement(&at, &moved).iter().map(|x| x.eps[0]).collect()
    }

    /// The derivatives of d(δ) = (`to` ⊕ δ) ⊖ `from` of configurations at δ = 0, by the directions of the pose; those by
    /// coordinates are constant.
    ///
    /// `jacobian` and `hessian` have shape `n` × `n`, where `n` is the length of δ, or of δq. In the rows and columns of the
    /// pose, `jacobian` is set to the derivatives of d, and the second derivatives of w·d are added to `hessian`.
    ///
    /// # Panics
    /// If the lengths are not those of the system, or shorter than `n` asks for.
    pub fn difference_derivatives(
        &self,
        (from, to): (&[f64], &[f64]),
        w: &[f64],
        n: usize,
        (jacobian, hessian): (&mut [f64], &mut [f64]),
    ) {
        let [_, directions] = self.lengths();
        // Displacements of a pose do not depend on those of others.
        for Block { velocity, .. } in self.group.blocks(self.shape) {
            for i in velocity.clone() {
                let mut by = vec![Dual::<Dual<f64, MOST>>::from_f64(0.0); directions];
                by[i].eps[0].re = 1.0;
                for (direction, by) in by[velocity.clone()].iter_mut().enumerate() {
                    by.re.eps[direction] = 1.0;
                }
                let moved = self.displaced(&lifted(to), &by);
                let difference = self.displacement(&lifted(from), &moved);
                for l in velocity.clone() {
                    jacobian[l * n + i] = difference[l].eps[0].re;
                    for (j, second) in velocity.clone().zip(difference[l].eps[0].eps) {
                        hessian[i * n + j] += w[l] * second;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against differences, for an angle that is not small.
    #[test]
    fn differences_of_poses_are_differentiated() {
        let manifold = Manifold { group: Product::new(Group::named("SE2").into_iter().collect()), shape: 1 };
        let (from, to) = ([0.3, 0.5, 1.0, -0.4], [0.9, -0.7, 0.2, 0.6]);
        let (w, by) = ([0.4, 1.0, -0.3, 0.8], [0.2, 0.7, -0.5, 0.3]);
        let close = |a: &[f64], b: &[f64], tolerance: f64| {
            assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < tolerance), "{a:?} {b:?}");
        };
        close(&manifold.displaced(&from, &manifold.displacement(&from, &to)), &to, 1e-14);
        let derivatives = |to: &[f64]| {
            let (mut jacobian, mut hessian) = (vec![0.0; 16], vec![0.0; 16]);
            jacobian[0] = 1.0;
            manifold.difference_derivatives((&from, to), &w, 4, (&mut jacobian, &mut hessian));
            (jacobian, hessian)
        };
        let along = |size: f64| -> Vec<f64> { by.iter().map(|x| x * size).collect() };
        let times = |matrix: &[f64]| -> Vec<f64> {
            matrix.chunks(4).map(|row| row.iter().zip(by).map(|(a, b)| a * b).sum()).collect()
        };
        let [before, after] = [-1e-4, 1e-4].map(|size| manifold.displaced(&to, &along(size)));
        let [low, middle, high] = [&before, &to.to_vec(), &after].map(|to| manifold.displacement(&from, to));
        let slope: Vec<f64> = high.iter().zip(&low).map(|(a, b)| (a - b) / 2e-4).collect();
        let (jacobian, hessian) = derivatives(&to);
        close(&times(&jacobian), &slope, 1e-8);
        let second: f64 = (0..4).map(|i| w[i] * (high[i] - 2.0 * middle[i] + low[i]) / 1e-8).sum();
        let product: f64 = times(&hessian).iter().zip(by).map(|(a, b)| a * b).sum();
        assert!((product - second).abs() < 1e-6, "{product} {second}");
        // The entries of δ at a displaced pose.
        let moved: Vec<f64> = (0..4)
            .map(|i| {
                let mut by = by;
                by[i] += 1e-6;
                let at = manifold.displaced(&to, &along(1.0));
                manifold
                    .displacement(&at, &manifold.displaced(&to, &by))
                    .iter()
                    .zip(&w)
                    .map(|(a, b)| a * b / 1e-6)
                    .sum()
            })
            .collect();
        let exact: Vec<f64> =
            (0..4).map(|i| manifold.moved(&to, &by, i).iter().zip(&w).map(|(a, b)| a * b).sum()).collect();
        close(&moved, &exact, 1e-5);
    }
}
