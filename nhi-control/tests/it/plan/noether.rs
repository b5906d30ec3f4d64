//! Momenta of discrete sub-Riemannian geodesics: symmetries of the steps and of the cost conserve them exactly.

use crate::systems;
use nhi_control::{Dynamics, Kinematic, Options, Plan, Problem, Quadratic};

/// The largest difference of a momentum from its first value.
fn drift(momentum: impl Iterator<Item = f64>) -> f64 {
    let all: Vec<f64> = momentum.collect();
    all.iter().fold(0.0, |drift, x| drift.max((x - all[0]).abs()))
}

/// On SE(2), the momentum in space, Ad* of the costate in the body.
#[test]
fn geodesics_of_se2_conserve_the_momentum_in_space() {
    let steps = 20;
    let h = 1.0 / f64::from(steps);
    let wheel = Kinematic::new(&systems::posed_disk(), h).expect("steps");
    let plan = Problem::new(&wheel, steps as usize, [0.0, 0.3, 0.1, -0.2].into())
        .cost("energy", Quadratic::of_inputs(&[h, h]))
        .reach_entries([0.0, -0.4, 0.2, 0.6].into(), &[1, 2, 3])
        .solve(&Options::default())
        .expect("a problem");
    assert!(plan.status.is_converged() && plan.status.is_minimum, "{}", plan.status);
    let momenta = plan.states[1..].iter().zip(&plan.costates).map(|(q, costate)| {
        let [_, turn, along, across] = costate[..] else { panic!("four entries") };
        let ([_, theta, x, y], (sin, cos)) = ([0, 1, 2, 3].map(|i| q[i]), q[1].sin_cos());
        assert!(theta.abs() < 2.0);
        let p = [cos * along - sin * across, sin * along + cos * across];
        [p[0], p[1], turn + x * p[1] - y * p[0]]
    });
    let momenta: Vec<[f64; 3]> = momenta.collect();
    println!("{}; momentum {:?}", plan.status, momenta[0]);
    for i in 0..3 {
        assert!(momenta[0][i].abs() > 1e-2, "{momenta:?}");
        let drift = drift(momenta.iter().map(|p| p[i]));
        assert!(drift < 1e-9, "{i}: {drift:e}");
    }
    // Rolling is free.
    assert!(plan.costates.iter().all(|costate| costate[0].abs() < 1e-9));
}

/// A ball on a plate (Brockett; Jurdjevic, *The geometry of the plate-ball problem*, Arch. Rational Mech. Anal. 124, 1993).
pub(crate) fn plate_ball(steps: u32) -> Plan<<Kinematic<systems::Ball> as Dynamics>::State> {
    let h = 1.0 / f64::from(steps);
    let ball = Kinematic::new(&systems::ball(), h).expect("steps");
    // The way of a motion that is not optimal.
    let way = |s: f64| vec![2.0 + (4.0 * s).cos(), 2.5 * (3.0 * s).sin()];
    let inputs: Vec<Vec<f64>> = (0..steps).map(|k| way(h * (f64::from(k) + 0.5))).collect();
    let fine = 320;
    let other = Kinematic::new(&systems::ball(), 1.0 / f64::from(fine)).expect("steps");
    let start = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0].into();
    let mut end = start;
    for k in 0..fine {
        let u = way((f64::from(k) + 0.5) / f64::from(fine));
        end = other.step(k as usize, &end, &u).expect("a step");
    }
    let plan = Problem::new(&ball, steps as usize, start)
        .cost("energy", Quadratic::of_inputs(&[h, h]))
        .reach(end)
        .guess_inputs(inputs)
        .solve(&Options::default())
        .expect("a problem");
    assert!(plan.status.is_converged() && plan.status.is_minimum, "{}", plan.status);
    plan
}

/// The momenta of translations, of rotations of the ball in its own frame and of rotations about the normal are conserved. So the
/// momentum about the normal is an affine function of the place, and so is the curvature of the way of the contact,
/// which is an elastica of Euler, up to errors of order two.
#[test]
fn a_ball_on_a_plate_rolls_along_elastica() {
    let errors = [10, 20, 40].map(|steps| {
        let plan = plate_ball(steps);
        let place = |k: usize| [plan.states[k][0], plan.states[k][1]];
        let p = [plan.costates[0][0], plan.costates[0][1]];
        let stages = || plan.states[1..].iter().zip(&plan.costates);
        for i in 0..2 {
            let drift = drift(stages().map(|(_, costate)| costate[i]));
            assert!(drift < 1e-8, "{steps} steps, {i}: {drift:e}");
        }
        for i in 0..3 {
            // Row i of S times the costate.
            let row = |(q, costate): (_, &Vec<f64>)| {
                let q: &<Kinematic<systems::Ball> as Dynamics>::State = q;
                (0..3).map(|j| q[2 + 3 * i + j] * costate[2 + j]).sum::<f64>()
            };
            let drift = drift(stages().map(row));
            assert!(drift < 1e-8, "{steps} steps, rotation {i}: {drift:e}");
        }
        let drift = drift(stages().map(|(q, costate)| q[0] * costate[1] - q[1] * costate[0] - costate[4]));
        assert!(drift < 1e-8, "{steps} steps: {drift:e}");
        // Turning angles over lengths, and distances along p.
        let all: Vec<[f64; 2]> = (1..plan.states.len() - 1)
            .map(|k| {
                let ([a, b], [c, d]) =
                    (difference(place(k), place(k - 1)), difference(place(k + 1), place(k)));
                let turn = (a * d - b * c).atan2(a * c + b * d);
                let [x, y] = place(k);
                [2.0 * turn / (a.hypot(b) + c.hypot(d)), x * p[1] - y * p[0]]
            })
            .collect();
        let mean = |i: usize| all.iter().map(|x| x[i]).sum::<f64>() / all.len() as f64;
        let means = [mean(0), mean(1)];
        let product =
            |i: usize, j: usize| all.iter().map(|x| (x[i] - means[i]) * (x[j] - means[j])).sum::<f64>();
        let rate = product(0, 1) / product(1, 1);
        let left = (product(0, 0) - rate * product(0, 1)) / product(0, 0);
        println!("{steps} steps: cost {}, curvature off a line by {:e}", plan.cost, left.max(0.0).sqrt());
        left.max(0.0).sqrt()
    });
    let ratios = [errors[0] / errors[1], errors[1] / errors[2]];
    assert!(ratios.iter().all(|ratio| (3.0..5.5).contains(ratio)), "{errors:?}, {ratios:?}");
    assert!(errors[2] < 1e-2, "{errors:?}");
}

fn difference(to: [f64; 2], from: [f64; 2]) -> [f64; 2] {
    [to[0] - from[0], to[1] - from[1]]
}
