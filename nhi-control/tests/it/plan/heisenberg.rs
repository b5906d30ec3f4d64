//! Sub-Riemannian geodesics of the Heisenberg group: the velocities in the distribution are the inputs.

use crate::systems;
use nhi_control::{Dynamics, Kinematic, Options, Problem, Quadratic, Sizes};
use nhi_runtime::Failure;
use std::f64::consts::PI;

/// dx/dt = u, dy/dt = v, dz/dt = ½ (x v − y u), by the mid-point rule.
struct Heisenberg {
    h: f64,
}

impl Dynamics for Heisenberg {
    type State = [f64; 3];

    fn sizes(&self) -> Sizes {
        Sizes { states: 3, inputs: 2 }
    }

    fn step(&self, _: usize, &[x, y, z]: &[f64; 3], u: &[f64]) -> Result<[f64; 3], Failure> {
        // At the mid-point the terms with h² cancel.
        Ok([x + self.h * u[0], y + self.h * u[1], z + 0.5 * self.h * (x * u[1] - y * u[0])])
    }

    fn linearize(&self, _: usize, &[x, y, _]: &[f64; 3], u: &[f64], ab: &mut [f64]) -> Result<(), Failure> {
        let (h, half) = (self.h, 0.5 * self.h);
        ab.copy_from_slice(
            &[
                [1.0, 0.0, 0.0, h, 0.0],
                [0.0, 1.0, 0.0, 0.0, h],
                [half * u[1], -half * u[0], 1.0, -half * y, half * x],
            ]
            .concat(),
        );
        Ok(())
    }

    fn curvature(
        &self,
        _: usize,
        _: &[f64; 3],
        _: &[f64],
        w: &[f64],
        hessian: &mut [f64],
    ) -> Result<(), Failure> {
        let half = 0.5 * self.h * w[2];
        for (i, j, by) in [(0, 4, half), (1, 3, -half)] {
            hessian[i * 5 + j] += by;
            hessian[j * 5 + i] += by;
        }
        Ok(())
    }

    fn retract(&self, x: &[f64; 3], delta: &[f64]) -> [f64; 3] {
        [0, 1, 2].map(|i| x[i] + delta[i])
    }

    fn difference(&self, from: &[f64; 3], to: &[f64; 3], delta: &mut [f64]) {
        delta.iter_mut().enumerate().for_each(|(i, delta)| *delta = to[i] - from[i]);
    }
}

/// The shortest way to (0, 0, z) in N steps is a regular polygon with the area z, with the energy 2 N tan(π/N) z.
fn is_polygon<D: Dynamics>(system: &D, start: D::State, end: D::State, steps: u32, z: f64) {
    let n = f64::from(steps);
    let h = 1.0 / n;
    let plan = Problem::new(system, steps as usize, start)
        .cost("energy", Quadratic::of_inputs(&[h, h]))
        .reach(end)
        .solve(&Options::default())
        .expect("a problem");
    assert!(plan.status.is_converged(), "{}", plan.status);
    assert_eq!(plan.status.bracket, Some((0, 1)));
    let expected = 2.0 * n * (PI / n).tan() * z;
    assert!((plan.cost / expected - 1.0).abs() < 1e-9, "{} and {expected}", plan.cost);
    // Equal sides and angles.
    let side = (2.0 * expected).sqrt();
    for pair in plan.inputs.windows(2) {
        let ([a, b], [c, d]) = ([pair[0][0], pair[0][1]], [pair[1][0], pair[1][1]]);
        assert!((a.hypot(b) - side).abs() < 1e-6 * side);
        let turn = (a * d - b * c).atan2(a * c + b * d);
        assert!((turn.abs() - 2.0 * PI / n).abs() < 1e-6, "{turn}");
    }
}

#[test]
fn geodesics_are_regular_polygons() {
    let z = 0.7;
    for steps in [5, 12, 50, 200] {
        let system = Heisenberg { h: 1.0 / f64::from(steps) };
        is_polygon(&system, [0.0; 3], [0.0, 0.0, z], steps, z);
    }
    // The same of a declared particle, whose quasi-velocities are dx/dt and dy/dt.
    for steps in [5, 12] {
        let system = Kinematic::new(&systems::particle(), 1.0 / f64::from(steps)).expect("steps");
        is_polygon(&system, [0.0; 3], [0.0, 0.0, z], steps, z);
    }
}

/// On SE(2), with curvature and speed of a disk as inputs: what a wheel does to go sideways at least energy is that of the dynamics
/// without inertia, an arc of Euler's elastica. Its energy converges with order two.
#[test]
fn a_wheel_goes_sideways_on_se2() {
    let costs = [10_u32, 20, 40].map(|steps| {
        let h = 1.0 / f64::from(steps);
        let wheel = Kinematic::new(&systems::posed_disk(), h).expect("steps");
        let [start, end] = [0.0, 0.5].map(|y| [0.0, 0.0, 0.0, y].into());
        let plan = Problem::new(&wheel, steps as usize, start)
            .cost("energy", Quadratic::of_inputs(&[h, h]))
            .reach_entries(end, &[1, 2, 3])
            .solve(&Options::default())
            .expect("a problem");
        println!("{}; cost {}", plan.status, plan.cost);
        assert!(plan.status.is_converged() && plan.status.is_minimum, "{}", plan.status);
        assert!(plan.status.kkt <= 1e-9, "{}", plan.status);
        plan.cost
    });
    let ratio = (costs[0] - costs[1]) / (costs[1] - costs[2]);
    assert!((3.7..4.4).contains(&ratio), "{costs:?}, {ratio}");
}
