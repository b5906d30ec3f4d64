//! Problems that other programs have as examples.

use crate::systems::{ParkedCar, parked_car};
use nhi_control::{Discrete, Dynamics, PlanError, Problem, Quadratic, Sizes};
use nhi_runtime::prelude::*;
use nhi_runtime::{Failure, Reduced, System, Tangential};
use std::f64::consts::FRAC_PI_4;

/// The time in which the car parks, in s, and the unit of its cost, in N² s.
const DURATION: f64 = 30.0;
pub(crate) const UNIT: f64 = 1e5;

/// Steps of the car of opty's example `plot_parallel_park`.
pub(crate) fn steps_of_car(steps: usize) -> Result<Discrete<ParkedCar, Dla2>, PlanError> {
    Discrete::new(&parked_car(), Dla2, DURATION / steps as f64)
}

/// Its move by two metres sideways, from rest to rest, with the least ∫ F² + T² dt, the bounds of its inputs and its steering angle,
/// and the start guess of the example: there and back along x, and 1 for all angles, velocities and inputs.
pub(crate) fn park(
    car: &Discrete<ParkedCar, Dla2>,
    steps: usize,
) -> Result<Problem<'_, Discrete<ParkedCar, Dla2>>, PlanError> {
    let start = car.at_rest(0, [0.0; 4])?;
    let parameters = parked_car().parameters();
    let state = |k: usize| {
        let part = k as f64 / steps as f64;
        let there = if k <= steps / 2 { part } else { 1.0 - part };
        let (q, (sin, cos)) = ([6.0 * there, 2.0 * part, 1.0, 1.0], 1f64.sin_cos());
        // Along the body and across.
        let v = [cos - sin, sin + cos, 1.0, 1.0];
        Reduced { q, nu: ParkedCar::quasi_velocity(&parameters, &q, &v, 0.0, &[0.0; 2]), z: [] }
    };
    let weight = 2.0 * car.step_size() / UNIT;
    Ok(Problem::new(car, steps, start)
        .cost("effort", Quadratic::of_inputs(&[weight; 2]))
        .bound_inputs(&[-50.0, -300.0], &[50.0, 300.0])
        .bound_entries(start, &[3], (&[-FRAC_PI_4], &[FRAC_PI_4]))
        .reach(car.at_rest(0, [0.0, 2.0, 0.0, 0.0])?)
        .guess((1..=steps).map(state).collect(), vec![vec![1.0; 2]; steps]))
}

/// The time of a step of the unicycle.
const H: f64 = 0.1;

/// The unicycle of crocoddyl (`ActionModelUnicycle`): x' = x + h v cos θ, y' = y + h v sin θ, θ' = θ + h ω for the inputs v, ω.
pub(crate) struct Unicycle;

impl Dynamics for Unicycle {
    type State = [f64; 3];

    const SIZES: Option<Sizes> = Some(Sizes { states: 3, inputs: 2 });

    fn sizes(&self) -> Sizes {
        Sizes { states: 3, inputs: 2 }
    }

    fn step(&self, _: usize, &[x, y, theta]: &[f64; 3], u: &[f64]) -> Result<[f64; 3], Failure> {
        let (sin, cos) = theta.sin_cos();
        Ok([x + H * u[0] * cos, y + H * u[0] * sin, theta + H * u[1]])
    }

    fn linearize(
        &self,
        _: usize,
        &[_, _, theta]: &[f64; 3],
        u: &[f64],
        ab: &mut [f64],
    ) -> Result<(), Failure> {
        let (sin, cos) = theta.sin_cos();
        let [vx, vy] = [H * u[0] * cos, H * u[0] * sin];
        ab.copy_from_slice(&[
            1.0,
            0.0,
            -vy,
            H * cos,
            0.0, //
            0.0,
            1.0,
            vx,
            H * sin,
            0.0, //
            0.0,
            0.0,
            1.0,
            0.0,
            H,
        ]);
        Ok(())
    }

    fn curvature(
        &self,
        _: usize,
        &[_, _, theta]: &[f64; 3],
        u: &[f64],
        w: &[f64],
        hessian: &mut [f64],
    ) -> Result<(), Failure> {
        let (sin, cos) = theta.sin_cos();
        let (along, across) = (H * (cos * w[0] + sin * w[1]), H * (cos * w[1] - sin * w[0]));
        hessian[2 * 5 + 2] -= u[0] * along;
        hessian[2 * 5 + 3] += across;
        hessian[3 * 5 + 2] += across;
        Ok(())
    }

    fn retract(&self, x: &[f64; 3], delta: &[f64]) -> [f64; 3] {
        [x[0] + delta[0], x[1] + delta[1], x[2] + delta[2]]
    }

    fn difference(&self, from: &[f64; 3], to: &[f64; 3], delta: &mut [f64]) {
        delta.copy_from_slice(&[to[0] - from[0], to[1] - from[1], to[2] - from[2]]);
    }
}

/// Its drive from (−1, −1) with the heading 1 to the origin, with the sum of ½ |10 x|² + ½ |u|² of all stages as cost.
pub(crate) fn drive(unicycle: &Unicycle, steps: usize) -> Problem<'_, Unicycle> {
    let distance = || Quadratic::of_states(&[100.0; 3], [0.0; 3]);
    Problem::new(unicycle, steps, [-1.0, -1.0, 1.0])
        .cost("distance", distance())
        .cost("effort", Quadratic::of_inputs(&[1.0; 2]))
        .final_cost("distance", distance())
}
