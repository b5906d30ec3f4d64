//! Plans: against closed forms, orders of convergence, and what has to be found out about problems.

mod derivatives;
mod driven;
mod guesses;
mod heisenberg;
mod linear;
mod multipliers;
mod noether;
mod others;
mod peers;

use crate::systems;
use nhi_control::{Discrete, Formula, Options, Outcome, Plan, PlanError, Problem, Quadratic, Smooth};
use nhi_runtime::prelude::*;
use nhi_runtime::{Differentiable, ReducedOf, Scalar, Tangential};

/// A minimum, to 1e-9, whose last Newton steps converge with order two.
fn check<X>(name: &str, plan: &Plan<X>) {
    let status = &plan.status;
    println!("{name}: {status}; cost {}", plan.cost);
    assert!(status.is_converged() && status.is_minimum, "{name}: {status}");
    assert!(status.kkt <= 1e-9 && status.infeasibility <= 1e-9, "{name}: {status}");
    let last = |i: usize| status.history[status.history.len() - i];
    // Until rounding: the residual after a step is that before it, squared, times what the third derivatives are.
    assert!(last(1) <= 1e3 * last(2).powi(2) + 1e-11, "{name}: {:?}", status.history);
    assert!(last(2) <= 1e3 * last(3).powi(2), "{name}: {:?}", status.history);
}

/// The costs with steps of size h, h/2 and h/4 converge with order two.
fn have_order_two(name: &str, costs: [f64; 3]) {
    let ratio = (costs[0] - costs[1]) / (costs[1] - costs[2]);
    println!("{name}: {ratio}");
    assert!((3.7..4.4).contains(&ratio), "{name}: {costs:?}, {ratio}");
}

/// The simulation with the inputs of a plan ends in its last state.
fn is_simulated<S: Tangential + Clone, M: Differentiable<S> + Copy>(
    system: &S,
    method: M,
    discrete: &Discrete<S, M>,
    plan: &Plan<ReducedOf<S>>,
) {
    let first = &plan.states[0];
    let v = discrete.velocity(0, first, &plan.inputs[0]);
    let mut sim = Simulation::new(system.clone(), method, first.q, v, discrete.step_size()).expect("a start");
    for u in &plan.inputs {
        let mut inputs = sim.inputs();
        inputs.as_mut().copy_from_slice(u);
        sim.step_with(&inputs).expect("a step");
    }
    let (found, expected) = (sim.reduced(), plan.states.last().expect("states"));
    let left = S::difference(expected, &found);
    assert!(left.as_ref().iter().all(|x| x.abs() < 1e-8), "{}: {left:?}", S::NAME);
}

/// The disk at rest moves sideways by `y` within the time 1 at least effort; how far it rolls is free.
fn sideways(steps: u32, y: f64) -> (Discrete<systems::Disk, Dla2>, Plan<ReducedOf<systems::Disk>>) {
    let h = 1.0 / f64::from(steps);
    let disk = Discrete::new(&systems::disk(), Dla2, h).expect("steps");
    let [start, end] = [0.0, y].map(|y| disk.at_rest(0, [0.0, y, 0.0, 0.0]).expect("rest"));
    let plan = Problem::new(&disk, steps as usize, start)
        .cost("effort", Quadratic::of_inputs(&[h, h]))
        .reach_entries(end, &[0, 1, 2, 4, 5])
        .solve(&Options::default())
        .expect("a problem");
    (disk, plan)
}

#[test]
fn a_disk_moves_sideways() {
    let costs = [20, 40, 80].map(|steps| {
        let (disk, plan) = sideways(steps, 1.0);
        check("disk", &plan);
        // No input moves a disk at rest sideways to first order.
        assert_eq!(plan.status.bracket, Some((0, 1)));
        is_simulated(&systems::disk(), Dla2, &disk, &plan);
        plan.cost
    });
    have_order_two("disk", costs);
    // On SE(2), by another method: the limits of the costs agree.
    let posed = [20_u32, 40].map(|steps| {
        let h = 1.0 / f64::from(steps);
        let disk = Discrete::new(&systems::posed_disk(), Rdp, h).expect("steps");
        let [start, end] = [0.0, 1.0].map(|y| disk.at_rest(0, [0.0, 0.0, 0.0, y]).expect("rest"));
        let plan = Problem::new(&disk, steps as usize, start)
            .cost("effort", Quadratic::of_inputs(&[h, h]))
            .reach_entries(end, &[1, 2, 3, 4, 5])
            .solve(&Options::default())
            .expect("a problem");
        check("posed disk", &plan);
        is_simulated(&systems::posed_disk(), Rdp, &disk, &plan);
        plan.cost
    });
    let limit = |coarse: f64, fine: f64| fine + (fine - coarse) / 3.0;
    let (flat, posed) = (limit(costs[1], costs[2]), limit(posed[0], posed[1]));
    assert!((flat / posed - 1.0).abs() < 2e-4, "{flat} and {posed}");
}

/// Multipliers are derivatives of the cost, and costates as well.
#[test]
fn multipliers_are_derivatives_of_the_cost() {
    let by = 1e-4;
    let [less, more] = [1.0 - by, 1.0 + by].map(|y| sideways(40, y).1.cost);
    let (disk, plan) = sideways(40, 1.0);
    let (name, multiplier) = &plan.multipliers[1];
    assert_eq!(name, "y");
    let expected = (less - more) / (2.0 * by);
    assert!((multiplier / expected - 1.0).abs() < 1e-6, "{multiplier} and {expected}");
    // From the state after ten steps on, for all of its directions.
    let end = disk.at_rest(0, [0.0, 1.0, 0.0, 0.0]).expect("rest");
    let h = disk.step_size();
    for i in 0..6 {
        let [less, more] = [-by, by].map(|by| {
            let mut delta = [0.0; 6];
            delta[i] = by;
            let start = systems::Disk::retract(&plan.states[10], &delta);
            let plan = Problem::new(&disk, 30, start)
                .cost("effort", Quadratic::of_inputs(&[h, h]))
                .reach_entries(end, &[0, 1, 2, 4, 5])
                .guess_inputs(plan.inputs[10..].to_vec())
                .solve(&Options::default())
                .expect("a problem");
            assert!(plan.status.is_converged() && plan.status.bracket.is_none(), "{}", plan.status);
            plan.cost
        });
        let (found, expected) = (plan.costates[9][i], (more - less) / (2.0 * by));
        assert!((found - expected).abs() < 1e-4 * (1.0 + expected.abs()), "{i}: {found} and {expected}");
    }
}

/// Plans of least effort between two states within a time, with steps of three sizes: each is a minimum and what is simulated, and
/// their costs converge with order two.
fn ladder<S: Tangential + Clone>(
    name: &str,
    system: &S,
    (time, steps): (f64, [u32; 3]),
    states: impl Fn(&Discrete<S, Dla2>) -> [ReducedOf<S>; 2],
) where
    Dla2: Differentiable<S>,
{
    let costs = steps.map(|steps| {
        let h = time / f64::from(steps);
        let discrete = Discrete::new(system, Dla2, h).expect("steps");
        let [start, end] = states(&discrete);
        let plan = Problem::new(&discrete, steps as usize, start)
            .cost("effort", Quadratic::of_inputs(&[h, h]))
            .reach(end)
            .solve(&Options::default())
            .expect("a problem");
        check(name, &plan);
        is_simulated(system, Dla2, &discrete, &plan);
        plan.cost
    });
    have_order_two(name, costs);
}

#[test]
fn a_sleigh_moves_sideways() {
    ladder("sleigh", &systems::sleigh(), (2.0, [20, 40, 80]), |sleigh| {
        [0.0, 1.0].map(|y| sleigh.at_rest(0, [0.0, 0.0, y]).expect("rest"))
    });
}

/// From rest to rest, half a metre along its axis, with rotor and wheels as they were.
#[test]
fn a_snakeboard_has_a_gait() {
    ladder("snakeboard", &systems::snakeboard(), (3.0, [30, 60, 120]), |board| {
        [0.0, 0.5].map(|x| board.at_rest(0, [0.0, 0.0, 0.0, x, 0.0]).expect("rest"))
    });
}

/// From one straight motion to another one beside it, with the trailer behind.
#[test]
fn a_car_with_a_trailer_changes_its_lane() {
    ladder("car", &systems::car(), (4.0, [25, 50, 100]), |car| {
        let forward = [1.0, 0.0, 0.0, 0.0, 0.0];
        [[0.0; 5], [4.0, 1.0, 0.0, 0.0, 0.0]].map(|q| car.state(0, q, forward).expect("a state"))
    });
}

/// A body in free fall turns by the motion of its limbs. Its angular momentum is zero at all times, so that of three velocities
/// that shall vanish at the end one combination vanishes anyway.
#[test]
fn a_cat_turns() {
    ladder("cat", &systems::cat(), (1.0, [20, 40, 80]), |cat| {
        [0.0, 0.2].map(|theta| cat.at_rest(0, [theta, 0.5, -0.5]).expect("rest"))
    });
}

#[test]
fn a_cat_turns_and_a_conserved_momentum_makes_a_condition_redundant() {
    let h = 1.0 / 40.0;
    let cat = Discrete::new(&systems::cat(), Dla2, h).expect("steps");
    let [start, end] = [0.0, 0.2].map(|theta| cat.at_rest(0, [theta, 0.5, -0.5]).expect("rest"));
    let plan = Problem::new(&cat, 40, start)
        .cost("effort", Quadratic::of_inputs(&[h, h]))
        .reach(end)
        .solve(&Options::default())
        .expect("a problem");
    check("cat", &plan);
    is_simulated(&systems::cat(), Dla2, &cat, &plan);
    assert_eq!(plan.status.dependent, [[("p_theta".to_owned(), 1.0)]], "{}", plan.status);
    assert!(plan.status.to_string().ends_with("; no inputs change p_theta"), "{}", plan.status);
}

/// If it spins, no motion of its limbs ends at rest.
#[test]
fn a_spinning_cat_cannot_come_to_rest() {
    let h = 1.0 / 20.0;
    let cat = Discrete::new(&systems::cat(), Dla2, h).expect("steps");
    let start = cat.state(0, [0.0, 0.5, -0.5], [1.0, 0.0, 0.0]).expect("a state");
    let end = cat.at_rest(0, [0.0, 0.5, -0.5]).expect("rest");
    let plan = Problem::new(&cat, 20, start)
        .cost("effort", Quadratic::of_inputs(&[h, h]))
        .reach_entries(end, &[1, 2, 3, 4, 5])
        .solve(&Options::default())
        .expect("a problem");
    println!("{}", plan.status);
    let Outcome::CannotMeet(violated) = &plan.status.outcome else { panic!("{}", plan.status) };
    // With the limbs at rest the body keeps its speed; that is least.
    assert!(violated.iter().any(|(name, by)| name == "nu[0]" && (by - 1.0).abs() < 1e-3), "{violated:?}");
    // It would take another momentum.
    assert_eq!(plan.status.dependent, [[("p_theta".to_owned(), 1.0)]], "{}", plan.status);
}

#[test]
fn inputs_stay_within_their_bounds() {
    let h = 1.0 / 40.0;
    let disk = Discrete::new(&systems::disk(), Dla2, h).expect("steps");
    let [start, end] = [0.0, 1.0].map(|y| disk.at_rest(0, [0.0, y, 0.0, 0.0]).expect("rest"));
    let (_, free) = sideways(40, 1.0);
    let mut last = free.cost;
    for bound in [14.0, 12.0, 10.0] {
        let plan = Problem::new(&disk, 40, start)
            .cost("effort", Quadratic::of_inputs(&[h, h]))
            .bound_inputs(&[-bound, -bound], &[bound, bound])
            .reach_entries(end, &[0, 1, 2, 4, 5])
            .solve(&Options::default())
            .expect("a problem");
        println!("{bound}: {}; cost {}", plan.status, plan.cost);
        assert!(plan.status.is_converged() && plan.status.is_minimum, "{}", plan.status);
        let all = || plan.inputs.iter().flatten().map(|u| u.abs());
        assert!(all().all(|u| u < bound));
        // Inputs at the bound, and others inside.
        let active = all().filter(|u| bound - u < 1e-6).count();
        assert!((1..60).contains(&active), "{bound}: {active}");
        assert!(plan.cost > last, "{} and {last}", plan.cost);
        last = plan.cost;
    }
}

/// From rest to rest in the time 1 a disk that is driven by u ≤ b with the inertia j can roll by b/(4 j).
#[test]
fn how_much_is_missing_to_a_target_out_of_reach_is_told() {
    let h = 1.0 / 40.0;
    let disk = Discrete::new(&systems::disk(), Dla2, h).expect("steps");
    let [start, end] = [0.0, 1.0].map(|x| disk.at_rest(0, [x, 0.0, 0.0, 0.0]).expect("rest"));
    for bound in [3.0, 1.0] {
        let plan = Problem::new(&disk, 40, start)
            .cost("effort", Quadratic::of_inputs(&[h, h]))
            .bound_inputs(&[-bound, -bound], &[bound, bound])
            .reach_entries(end, &[0, 1, 2, 4, 5])
            .solve(&Options::default())
            .expect("a problem");
        println!("{}", plan.status);
        let expected = bound / (4.0 * 1.5) - 1.0;
        let Outcome::CannotMeet(violated) = &plan.status.outcome else { panic!("{}", plan.status) };
        let [(name, by)] = &violated[..] else { panic!("{}", plan.status) };
        assert!(name == "x" && (by - expected).abs() < 1e-5, "{}, expected {expected}", plan.status);
    }
}

/// The square of the distance from a pillar.
#[derive(Clone, Copy)]
struct FromPillar {
    at: [f64; 2],
}

impl Formula<systems::Disk> for FromPillar {
    fn count(&self) -> usize {
        1
    }

    fn value<T: Scalar>(&self, _: usize, x: &ReducedOf<systems::Disk, T>, _: &[T; 2], out: &mut [T]) {
        let [x, y] = [0, 1].map(|i| x.q[i] - T::from_f64(self.at[i]));
        out[0] = x * x + y * y;
    }
}

/// A disk on its way forwards passes a pillar at a distance, which is the least at one step or two.
#[test]
fn an_obstacle_is_passed() {
    let h = 1.0 / 40.0;
    let disk = Discrete::new(&systems::disk(), Dla2, h).expect("steps");
    let start = disk.state(0, [0.0; 4], [2.0, 0.0, 0.0, 2.0]).expect("a state");
    let end = disk.state(0, [2.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 2.0]).expect("a state");
    let pillar = FromPillar { at: [1.0, -0.05] };
    let radius = 0.2;
    let plan = Problem::new(&disk, 40, start)
        .cost("effort", Quadratic::of_inputs(&[h, h]))
        .within(1..40, ["pillar"], (&[radius * radius], &[f64::INFINITY]), Smooth(pillar))
        .reach_entries(end, &[0, 1, 2, 4, 5])
        .solve(&Options::default())
        .expect("a problem");
    println!("{}; cost {}", plan.status, plan.cost);
    assert!(plan.status.is_converged() && plan.status.is_minimum, "{}", plan.status);
    let distances = plan.states.iter().map(|x| (x.q[0] - 1.0).hypot(x.q[1] + 0.05));
    let least = distances.fold(f64::INFINITY, f64::min);
    assert!((least - radius).abs() < 1e-7, "{least}");
    // On the left, as the pillar is right of the straight line.
    assert!(plan.states[20].q[1] > 0.1);
    let multipliers = || plan.multipliers.iter().filter(|(name, _)| name.starts_with("pillar"));
    let active: Vec<&str> =
        multipliers().filter(|(_, y)| y.abs() > 1e-3).map(|(name, _)| name.as_str()).collect();
    assert!((1..=3).contains(&active.len()), "{active:?}");
}

/// The heading of a sleigh stays within bounds, and its cost as a formula is the one in closed form.
struct Effort {
    h: f64,
}

impl Formula<systems::Sleigh> for Effort {
    fn count(&self) -> usize {
        1
    }

    fn value<T: Scalar>(&self, _: usize, _: &ReducedOf<systems::Sleigh, T>, u: &[T; 2], out: &mut [T]) {
        out[0] = T::from_f64(0.5 * self.h) * (u[0] * u[0] + u[1] * u[1]);
    }
}

#[test]
fn entries_of_states_stay_within_bounds() {
    let h = 2.0 / 40.0;
    let sleigh = Discrete::new(&systems::sleigh(), Dla2, h).expect("steps");
    let [start, end] = [0.0, 1.0].map(|y| sleigh.at_rest(0, [0.0, 0.0, y]).expect("rest"));
    let mut last = 0.0;
    for bound in [2.0, 0.9, 0.8] {
        let problem =
            || Problem::new(&sleigh, 40, start).bound_entries(start, &[0], (&[-bound], &[bound])).reach(end);
        let plan = problem().cost("effort", Quadratic::of_inputs(&[h, h])).solve(&Options::default());
        let plan = plan.expect("a problem");
        println!("{bound}: {}; cost {}", plan.status, plan.cost);
        assert!(plan.status.is_converged(), "{}", plan.status);
        let largest = plan.states.iter().fold(0.0_f64, |largest, x| largest.max(x.q[0].abs()));
        assert!(largest < bound + 1e-9 && plan.cost > last, "{largest}, {}", plan.cost);
        if last > 0.0 {
            assert!(largest > bound - 1e-5, "{largest}");
        }
        last = plan.cost;
        let other = problem().cost("effort", Smooth(Effort { h })).solve(&Options::default());
        let other = other.expect("a problem");
        assert_eq!(other.status.iterations, plan.status.iterations);
        assert!((other.cost / plan.cost - 1.0).abs() < 1e-9, "{} and {}", other.cost, plan.cost);
    }
}

#[test]
fn states_that_are_none_are_errors() {
    let disk = Discrete::new(&systems::disk(), Dla2, 0.1).expect("steps");
    let error = disk.state(0, [0.0; 4], [0.0, 1.0, 0.0, 0.0]).expect_err("an error");
    assert_eq!(error, PlanError::Constraints { violated: vec![("across".to_owned(), 1.0)] });
    assert_eq!(error.to_string(), "the velocity violates the constraint `across` by 1.000e0");
    let error = Discrete::new(&systems::disk(), Dla2, f64::NAN).expect_err("an error").to_string();
    assert_eq!(error, "no steps can be taken: a value became infinite or not a number");
    let belt = Discrete::new(&systems::belt(), Dla2, 0.1).expect("steps");
    let error = belt.at_rest(0, [0.7, 0.2, -0.4]).err();
    assert_eq!(error, Some(PlanError::Velocity { is_driven: true }));
    // Without free velocities, too: the step begins in the middle of two inputs.
    let steered = Discrete::new(&systems::steered(), Dla2, 0.1).expect("steps");
    assert_eq!(steered.at_rest(0, [0.0; 4]).err(), Some(PlanError::Velocity { is_driven: true }));
    let steered = Discrete::new(&systems::steered(), DlaRattle, 0.1).expect("steps");
    let error = steered.state(0, [0.0; 4], [1.0, 0.0, 0.0, 2.0]).expect_err("an error").to_string();
    assert_eq!(error, "the velocity violates the constraints `ahead` by 1.000e0, `steer` by 2.000e0");
    let error = disk.state(0, [0.0; 4], [f64::NAN, 0.0, 0.0, 0.0]).err();
    assert_eq!(error, Some(PlanError::Velocity { is_driven: false }));
}

/// A car with a trailer at rest moves sideways. That takes brackets of brackets, of which the effect is no square of the amplitude.
#[test]
fn a_car_with_a_trailer_parks() {
    let h = 6.0 / 80.0;
    let car = Discrete::new(&systems::car(), Dla2, h).expect("steps");
    let [start, end] = [0.0, 0.5].map(|y| car.at_rest(0, [0.0, y, 0.0, 0.0, 0.0]).expect("rest"));
    let plan = Problem::new(&car, 80, start)
        .cost("effort", Quadratic::of_inputs(&[h, h]))
        .reach(end)
        .solve(&Options::default())
        .expect("a problem");
    check("parking", &plan);
    assert_eq!(plan.status.bracket, Some((0, 1)));
    is_simulated(&systems::car(), Dla2, &car, &plan);
    // It turns its front wheels around. With bounds it cannot.
    assert!(plan.states.iter().any(|x| x.q[3].abs() > 1.0));
    let bounded = Problem::new(&car, 80, start)
        .cost("effort", Quadratic::of_inputs(&[h, h]))
        .bound_inputs(&[-8.0, -8.0], &[8.0, 8.0])
        .bound_entries(start, &[3], (&[-0.6], &[0.6]))
        .reach(end)
        // A minimum near which there is no other one, unlike the best.
        .guess_inputs(vec![vec![0.0; 2]; 80])
        .solve(&Options::default())
        .expect("a problem");
    println!("parking with bounds: {}; cost {}", bounded.status, bounded.cost);
    assert!(bounded.status.is_converged() && bounded.status.is_minimum, "{}", bounded.status);
    assert!(bounded.status.kkt <= 1e-9 && bounded.cost > plan.cost, "{}", bounded.status);
    let largest = bounded.states.iter().fold(0.0_f64, |largest, x| largest.max(x.q[3].abs()));
    assert!(largest < 0.6 + 1e-9 && largest > 0.6 - 1e-5, "{largest}");
    is_simulated(&systems::car(), Dla2, &car, &bounded);
    // The same minimum with smaller steps.
    let costs = [80, 160, 320].map(|steps: usize| {
        let h = 6.0 / steps as f64;
        let car = Discrete::new(&systems::car(), Dla2, h).expect("steps");
        let near = |k: usize| bounded.inputs[k * 80 / steps].iter().map(|u| 0.99 * u).collect();
        let plan = Problem::new(&car, steps, start)
            .cost("effort", Quadratic::of_inputs(&[h, h]))
            .bound_inputs(&[-8.0, -8.0], &[8.0, 8.0])
            .bound_entries(start, &[3], (&[-0.6], &[0.6]))
            .reach(end)
            .guess_inputs((0..steps).map(near).collect())
            .solve(&Options::default())
            .expect("a problem");
        assert!(plan.status.is_converged() && plan.status.is_minimum, "{}", plan.status);
        plan.cost
    });
    have_order_two("parking with bounds", costs);
}

/// A disk and a sleigh reach any place from rest to rest, the disk also with bounded torques.
#[test]
fn random_targets_are_reached() {
    let mut seed = 5_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let options = Options::default();
    let disk = Discrete::new(&systems::disk(), Dla2, 1.0 / 40.0).expect("steps");
    let h = disk.step_size();
    let start = disk.at_rest(0, [0.0; 4]).expect("rest");
    let mut iterations = 0;
    for case in 0..40 {
        let q = [2.0 * random(), 2.0 * random(), 3.0 * random(), 0.0];
        let mut problem = Problem::new(&disk, 40, start)
            .cost("effort", Quadratic::of_inputs(&[h, h]))
            .reach_entries(disk.at_rest(0, q).expect("rest"), &[0, 1, 2, 4, 5]);
        if case % 2 == 1 {
            problem = problem.bound_inputs(&[-30.0, -30.0], &[30.0, 30.0]);
        }
        let plan = problem.solve(&options).expect("a problem");
        assert!(plan.status.is_converged() && plan.status.is_minimum, "disk to {q:?}: {}", plan.status);
        iterations += plan.status.iterations;
    }
    let sleigh = Discrete::new(&systems::sleigh(), Dla2, 2.0 / 40.0).expect("steps");
    let h = sleigh.step_size();
    let start = sleigh.at_rest(0, [0.0; 3]).expect("rest");
    for _ in 0..20 {
        let q = [3.0 * random(), 2.0 * random(), 2.0 * random()];
        let plan = Problem::new(&sleigh, 40, start)
            .cost("effort", Quadratic::of_inputs(&[h, h]))
            .reach(sleigh.at_rest(0, q).expect("rest"))
            .solve(&options)
            .expect("a problem");
        assert!(plan.status.is_converged() && plan.status.is_minimum, "sleigh to {q:?}: {}", plan.status);
        iterations += plan.status.iterations;
    }
    let mean = iterations as f64 / 60.0;
    println!("{mean} Newton steps on average");
    assert!(mean < 10.0, "{mean}");
}
