//! Derivatives of systems in discrete time against differences.

use crate::systems;
use nhi_control::{Difference, Discrete, Dynamics, Formula, Function, Kinematic, Quadratic, Sizes, Smooth};
use nhi_runtime::prelude::*;
use nhi_runtime::{ReducedOf, Scalar};

/// Half the width of central differences: errors are of the order of its square, and of rounding over it, or over its square.
const WIDTH: f64 = 1e-4;

/// f at (x ⊕ δ, u + υ).
struct At<'d, D: Dynamics> {
    dynamics: &'d D,
    x: &'d D::State,
    u: &'d [f64],
}

impl<D: Dynamics> At<'_, D> {
    fn displaced(&self, by: &[(usize, f64)]) -> (D::State, Vec<f64>) {
        let Sizes { states, .. } = self.dynamics.sizes();
        let (mut delta, mut u) = (vec![0.0; states], self.u.to_vec());
        for &(i, by) in by {
            if i < states { delta[i] += by } else { u[i - states] += by }
        }
        (self.dynamics.retract(self.x, &delta), u)
    }

    /// First derivatives of the values, by rows of directions, and second ones of w·f.
    fn differences(
        &self,
        w: &[f64],
        f: impl Fn(&D::State, &[f64]) -> Vec<f64>,
    ) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
        let Sizes { states, inputs } = self.dynamics.sizes();
        let n = states + inputs;
        let value = |by: &[(usize, f64)]| {
            let (x, u) = self.displaced(by);
            f(&x, &u)
        };
        let first = (0..n).map(|i| {
            let both = value(&[(i, WIDTH)]).into_iter().zip(value(&[(i, -WIDTH)]));
            both.map(|(more, less)| (more - less) / (2.0 * WIDTH)).collect()
        });
        let product = |by: &[(usize, f64)]| -> f64 { value(by).iter().zip(w).map(|(f, w)| f * w).sum() };
        let second = |i: usize, j: usize| {
            let corner = |a: f64, b: f64| product(&[(i, a * WIDTH), (j, b * WIDTH)]);
            (corner(1.0, 1.0) - corner(1.0, -1.0) - corner(-1.0, 1.0) + corner(-1.0, -1.0))
                / (4.0 * WIDTH * WIDTH)
        };
        (first.collect(), (0..n).map(|i| (0..n).map(|j| second(i, j)).collect()).collect())
    }

    fn compare(
        &self,
        name: &str,
        w: &[f64],
        f: impl Fn(&D::State, &[f64]) -> Vec<f64>,
        (jacobian, hessian): (&[f64], &[f64]),
    ) {
        let (first, second) = self.differences(w, f);
        let n = first.len();
        let size = second.iter().flatten().fold(1.0, |size: f64, x| size.max(x.abs()));
        for i in 0..n {
            for (row, expected) in first[i].iter().enumerate() {
                let found = jacobian[row * n + i];
                assert!(
                    (found - expected).abs() < 1e-6,
                    "{name}: value {row} by {i}: {found} and {expected}"
                );
            }
            for j in 0..n {
                let (found, expected) = (hessian[i * n + j], second[i][j]);
                let bound = 2e-6 * size;
                assert!((found - expected).abs() < bound, "{name}: by {i} and {j}: {found} and {expected}");
            }
        }
        assert!(second.iter().flatten().any(|x| x.abs() > 1e-3), "{name} has no curvature");
    }
}

/// A, B and the curvature of a step, and of differences and squares of them.
fn check<D: Dynamics>(name: &str, discrete: &D, x: &D::State, other: &D::State, u: &[f64]) {
    let Sizes { states, inputs } = discrete.sizes();
    let n = states + inputs;
    let w: Vec<f64> = (0..states).map(|i| 0.4 - 0.3 * i as f64).collect();
    let at = At { dynamics: discrete, x, u };
    let after = discrete.step(3, x, u).expect("a step");
    let (mut ab, mut hessian) = (vec![0.0; states * n], vec![0.0; n * n]);
    discrete.linearize(3, x, u, &mut ab).expect("derivatives");
    discrete.curvature(3, x, u, &w, &mut hessian).expect("derivatives");
    let step = |x: &D::State, u: &[f64]| {
        let mut delta = vec![0.0; states];
        discrete.difference(&after, &discrete.step(3, x, u).expect("a step"), &mut delta);
        delta
    };
    at.compare(&format!("a step of {name}"), &w, step, (&ab, &hessian));
    let entries: Vec<usize> = (0..states).collect();
    let squares = Quadratic::of_states(&w.iter().map(|w| w.abs() + 0.1).collect::<Vec<_>>(), other.clone());
    let difference = Difference { from: other.clone(), entries };
    functions(&format!("squares of {name}"), &at, &squares, &[0.7]);
    if !discrete.is_flat() {
        functions(&format!("differences of {name}"), &at, &difference, &w);
    }
}

fn functions<D: Dynamics>(name: &str, at: &At<'_, D>, function: &impl Function<D>, w: &[f64]) {
    let Sizes { states, inputs } = at.dynamics.sizes();
    let n = states + inputs;
    let (mut jacobian, mut hessian) = (vec![0.0; w.len() * n], vec![0.0; n * n]);
    function.derivatives(at.dynamics, 3, at.x, at.u, w, &mut jacobian, &mut hessian);
    let value = |x: &D::State, u: &[f64]| {
        let mut out = vec![0.0; w.len()];
        function.value(at.dynamics, 3, x, u, &mut out);
        out
    };
    at.compare(name, w, value, (&jacobian, &hessian));
}

#[test]
fn steps_and_differences_have_their_derivatives() {
    let state = |nu: &[f64]| [nu[0], nu[1]];
    let disk = Discrete::new(&systems::posed_disk(), Rdp, 0.3).expect("steps");
    let at = |q: [f64; 4], nu: &[f64]| {
        let mut x = disk.at_rest(0, q).expect("rest");
        x.nu = state(nu);
        x
    };
    let (x, other) = (at([0.2, 0.7, 0.4, -0.3], &[1.1, -0.8]), at([0.5, -0.6, 0.1, 0.6], &[0.3, 0.4]));
    check("the posed disk", &disk, &x, &other, &[0.8, -0.5]);

    let sleigh = Discrete::new(&systems::sleigh(), Dla2, 0.3).expect("steps");
    let at = |q: [f64; 3], nu: &[f64]| {
        let mut x = sleigh.at_rest(0, q).expect("rest");
        x.nu = state(nu);
        x
    };
    let (x, other) = (at([0.7, 0.4, -0.3], &[1.1, -0.8]), at([0.5, -0.6, 0.1], &[0.3, 0.4]));
    check("the sleigh", &sleigh, &x, &other, &[0.8, -0.5]);
}

/// Inputs that drive constraints: the velocity before a step is one of its inputs.
#[test]
fn steps_with_drives_have_their_derivatives() {
    let sliding = Discrete::new(&systems::sliding(), DlaRattle, 0.3).expect("steps");
    let at = |q: [f64; 4], nu: [f64; 2]| {
        let mut x = sliding.at_rest(0, q).expect("rest");
        x.nu = nu;
        x
    };
    let (x, other) = (at([0.7, 0.4, -0.3, 0.2], [1.1, -0.8]), at([0.5, -0.6, 0.1, 0.4], [0.3, 0.4]));
    check("a slide that is driven", &sliding, &x, &other, &[0.8, -0.5]);

    let cruiser = Discrete::new(&systems::cruiser(), Rdp, 0.3).expect("steps");
    let at = |q: [f64; 4], nu: f64| {
        let mut x = cruiser.at_rest(0, q).expect("rest");
        x.nu = [nu];
        x
    };
    let (x, other) = (at([0.2, 0.7, 0.4, -0.3], 1.1), at([0.5, -0.6, 0.1, 0.6], 0.3));
    check("a car whose speed is given", &cruiser, &x, &other, &[0.8, -0.5]);

    let steered = Discrete::new(&systems::steered(), DlaRattle, 0.3).expect("steps");
    let [x, other] =
        [[0.2, 0.7, 0.4, -0.3], [0.5, -0.6, 0.1, 0.2]].map(|q| steered.at_rest(0, q).expect("rest"));
    check("a car that is steered", &steered, &x, &other, &[0.8, -0.5]);
}

#[test]
fn kinematic_steps_have_their_derivatives() {
    let disk = Kinematic::new(&systems::posed_disk(), 0.3).expect("steps");
    let (x, other) = ([0.2, 0.7, 0.4, -0.3].into(), [0.5, -0.6, 0.1, 0.6].into());
    check("the kinematics of the posed disk", &disk, &x, &other, &[0.8, -0.5]);
    let sleigh = Kinematic::new(&systems::sleigh(), 0.3).expect("steps");
    check("the kinematics of the sleigh", &sleigh, &[0.7, 0.4, -0.3], &[0.5, -0.6, 0.1], &[0.8, -0.5]);
}

/// Two values that depend on all of x and u.
struct Values;

impl Formula<systems::PosedDisk> for Values {
    fn count(&self) -> usize {
        2
    }

    fn value<T: Scalar>(&self, k: usize, x: &ReducedOf<systems::PosedDisk, T>, u: &[T; 2], out: &mut [T]) {
        let time = T::from_f64(k as f64);
        out[0] = x.q[0].sin() * x.q[1].cos() + x.q[2] * x.q[3] * x.nu[0] + time * u[0] * u[1];
        out[1] = (x.nu[1] * x.q[2] + u[0]).exp() / (x.q[1] * x.q[1] + u[1] * u[1]);
    }
}

#[test]
fn formulas_have_their_derivatives() {
    let disk = Discrete::new(&systems::posed_disk(), Rdp, 0.3).expect("steps");
    let mut x = disk.at_rest(0, [0.2, 0.7, 0.4, -0.3]).expect("rest");
    x.nu = [1.1, -0.8];
    let at = At { dynamics: &disk, x: &x, u: &[0.8, -0.5] };
    functions("a formula", &at, &Smooth(Values), &[0.7, -0.4]);
}
