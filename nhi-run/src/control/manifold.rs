//! Displacements of configurations: poses by exponentials, coordinates by addition.

use nhi_codegen::group::Group;
use nhi_runtime::group::{SE2, SE3, SO3};
use nhi_runtime::{Dual, Factor, Scalar, Vector};

/// The most directions of a pose.
const MOST: usize = 6;

/// The configurations of a system: coordinates, then a pose if there is a group factor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manifold {
    pub(super) group: Option<&'static Group>,
    /// Number of coordinates.
    pub(super) shape: usize,
}

macro_rules! define_poses {
    ($($group:ident $notation:literal { $($facts:tt)* })*) => {
        /// g exp(σ).
        fn displaced<T: Scalar>(group: &Group, g: &[T], sigma: &[T]) -> Vec<T> {
            match group.runtime {
                $(stringify!($group) => {
                    let moved = <$group<f64> as Factor>::displaced(&vector(g), &vector(sigma));
                    moved.as_ref().to_vec()
                })*
                name => unreachable!("the runtime has no group {name}"),
            }
        }

        /// log(g⁻¹h).
        fn displacement<T: Scalar>(group: &Group, g: &[T], h: &[T]) -> Vec<T> {
            match group.runtime {
                $(stringify!($group) => {
                    let sigma = <$group<f64> as Factor>::displacement(&vector(g), &vector(h));
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

impl Manifold {
    /// Number of directions.
    fn directions(&self) -> usize {
        self.shape + self.group.map_or(0, |group| group.dimension)
    }

    /// q ⊕ δ.
    pub(super) fn displaced<T: Scalar>(&self, q: &[T], by: &[T]) -> Vec<T> {
        let (coordinates, pose) = q.split_at(self.shape);
        let mut moved: Vec<T> = coordinates.iter().zip(by).map(|(&q, &by)| q + by).collect();
        if let Some(group) = self.group {
            moved.extend(displaced(group, pose, &by[self.shape..self.directions()]));
        }
        moved
    }

    /// δ with `from` ⊕ δ = `to`.
    pub(super) fn displacement<T: Scalar>(&self, from: &[T], to: &[T]) -> Vec<T> {
        let mut by: Vec<T> = from.iter().zip(to).take(self.shape).map(|(&a, &b)| b - a).collect();
        if let Some(group) = self.group {
            by.extend(displacement(group, &from[self.shape..], &to[self.shape..]));
        }
        by
    }

    /// The tangent vector at q ⊕ δ along which it moves with the entry `i` of δ.
    pub(super) fn moved(&self, q: &[f64], by: &[f64], i: usize) -> Vec<f64> {
        let mut along: Vec<Dual<f64>> = lifted(by);
        along[i].eps = [1.0];
        let moved = self.displaced(&lifted(q), &along);
        let at = lifted(&self.displaced(q, by));
        self.displacement(&at, &moved).iter().map(|x| x.eps[0]).collect()
    }

    /// Sets the rows of `jacobian`, of width `n`, to the derivatives of (`to` ⊕ δ) ⊖ `from` by the directions of the pose, and
    /// adds the second ones of their product with `w` to those of `hessian`.
    pub(super) fn difference_derivatives(
        &self,
        (from, to): (&[f64], &[f64]),
        w: &[f64],
        n: usize,
        (jacobian, hessian): (&mut [f64], &mut [f64]),
    ) {
        let pose = self.shape..self.directions();
        for i in pose.clone() {
            let mut by = vec![Dual::<Dual<f64, MOST>>::from_f64(0.0); self.directions()];
            by[i].eps[0].re = 1.0;
            for (direction, by) in by[pose.clone()].iter_mut().enumerate() {
                by.re.eps[direction] = 1.0;
            }
            let moved = self.displaced(&lifted(to), &by);
            let difference = self.displacement(&lifted(from), &moved);
            for l in pose.clone() {
                jacobian[l * n + i] = difference[l].eps[0].re;
                for (j, second) in pose.clone().zip(difference[l].eps[0].eps) {
                    hessian[i * n + j] += w[l] * second;
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
        let manifold = Manifold { group: Group::named("SE2"), shape: 1 };
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
