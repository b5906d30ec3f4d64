//! Reference trajectories.

use super::{Equations, motion};
use ode_solvers::dop_shared::OutputType;
use ode_solvers::{DVector, Dop853, System};

/// A point of the phase space.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// Configuration.
    pub q: Vec<f64>,
    /// Velocity.
    pub v: Vec<f64>,
}

impl Point {
    /// Euclidean distance in the coordinates and velocities.
    pub fn distance(&self, q: &[f64], v: &[f64]) -> f64 {
        let own = self.q.iter().chain(&self.v);
        own.zip(q.iter().chain(v)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    }
}

/// Error per step that the reference is allowed, relative and absolute.
const TOLERANCE: f64 = 1e-13;

/// Where the motion that is at `from` at time `t0` is at time `t1`, with the inputs held.
///
/// # Panics
/// If the solver gives up.
pub fn trajectory(equations: &impl Equations, from: &Point, (t0, t1): (f64, f64), inputs: &[f64]) -> Point {
    let n = from.q.len();
    let state = from.q.iter().chain(&from.v).copied().chain([t0]);
    let state = DVector::from_iterator(2 * n + 1, state);
    let flow = Flow { equations, inputs, n };
    let mut solver = Dop853::new(flow, t0, t1, t1 - t0, state, TOLERANCE, TOLERANCE);
    solver.set_output(OutputType::Sparse);
    solver.integrate().expect("a reference trajectory");
    let end = solver.y_out().last().expect("an end").as_slice();
    assert!((end[2 * n] - t1).abs() <= TOLERANCE * t1.abs().max(1.0), "the reference ends at the end");
    Point { q: end[..n].to_vec(), v: end[n..2 * n].to_vec() }
}

/// The state is (q, v, t): of equations that depend on the solver's own time its version 0.6.2
/// evaluates one stage at the wrong moment (its pull request 42).
struct Flow<'a, E> {
    equations: &'a E,
    inputs: &'a [f64],
    n: usize,
}

impl<E: Equations> System<f64, DVector<f64>> for Flow<'_, E> {
    fn system(&self, _: f64, state: &DVector<f64>, rate: &mut DVector<f64>) {
        let (q, rest) = state.as_slice().split_at(self.n);
        let (v, t) = rest.split_at(self.n);
        let motion = motion(self.equations, q, v, t[0], self.inputs);
        for (rate, &x) in rate.iter_mut().zip(v.iter().chain(&motion.acceleration).chain(&[1.0])) {
            *rate = x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::Number;

    /// A mass on a string of length one in the plane, with a force along the string's tangent that
    /// makes the angle t² sin 3t.
    struct Driven;

    impl Driven {
        fn angle(t: f64) -> [f64; 3] {
            let (sin, cos) = (3.0 * t).sin_cos();
            let rate = 2.0 * t * sin + 3.0 * t * t * cos;
            [t * t * sin, rate, 2.0 * sin + 12.0 * t * cos - 9.0 * t * t * sin]
        }

        fn at(t: f64) -> Point {
            let [angle, rate, _] = Self::angle(t);
            let (sin, cos) = angle.sin_cos();
            Point { q: vec![cos, sin], v: vec![-sin * rate, cos * rate] }
        }
    }

    impl Equations for Driven {
        fn lagrangian<D: Number>(&self, _q: &[D], v: &[D]) -> D {
            v[0] * v[0] + v[1] * v[1]
        }

        fn constraints<D: Number>(&self, q: &[D], v: &[D]) -> Vec<D> {
            vec![q[0] * v[0] + q[1] * v[1]]
        }

        fn force(&self, q: &[f64], _v: &[f64], t: f64, inputs: &[f64]) -> Vec<f64> {
            let along = 2.0 * Self::angle(t)[2] * inputs[0];
            vec![-q[1] * along, q[0] * along]
        }
    }

    #[test]
    fn a_known_motion_is_found() {
        for (t0, t1) in [(0.0, 1.0), (0.4, 1.3), (1.0, 0.2)] {
            let end = trajectory(&Driven, &Driven::at(t0), (t0, t1), &[1.0]);
            let expected = Driven::at(t1);
            assert!(end.distance(&expected.q, &expected.v) < 2e-12, "{end:?} instead of {expected:?}");
        }
    }

    #[test]
    fn multipliers_are_the_reaction() {
        // Mass 2 on the unit circle with angular velocity w: the reaction is −2w² along the radius.
        let point = Driven::at(0.7);
        let [_, rate, second] = Driven::angle(0.7);
        let motion = motion(&Driven, &point.q, &point.v, 0.7, &[1.0]);
        assert!((motion.multipliers[0] + 2.0 * rate * rate).abs() < 1e-13);
        let tangential = motion.acceleration[1] * point.q[0] - motion.acceleration[0] * point.q[1];
        assert!((tangential - second).abs() < 1e-13);
    }
}
