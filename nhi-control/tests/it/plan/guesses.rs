//! Start guesses: what inputs change at rest first, brackets for what is left, variations, and guesses that cannot be simulated.

use super::is_simulated;
use crate::systems;
use nhi_control::{Discrete, Options, Outcome, Plan, Problem, Quadratic, best_of};
use nhi_runtime::ReducedOf;
use nhi_runtime::prelude::*;

fn rest<S, M>(system: &Discrete<S, M>, q: impl nhi_runtime::Fits<S::Configuration<f64>>) -> ReducedOf<S>
where
    S: nhi_runtime::Tangential,
    M: nhi_runtime::Differentiable<S>,
{
    system.at_rest(0, q).expect("rest")
}

/// A change of the lane, from rest to rest, in 5 s.
fn lane(tug: &Discrete<systems::Tug, Dla2>, steps: usize) -> Problem<'_, Discrete<systems::Tug, Dla2>> {
    let h = tug.step_size();
    Problem::new(tug, steps, rest(tug, [0.0; 5]))
        .cost("effort", Quadratic::of_inputs(&[h / 100.0, h]))
        .reach(rest(tug, [4.0, 1.0, 0.0, 0.0, 0.0]))
}

/// At rest inputs do not change y, but along the straight motion that meets the condition on x they do. Zero inputs lead to the minimum
/// to which the plan with twice the steps leads.
#[test]
fn a_lane_is_changed_from_zero_inputs() {
    let options = Options::default();
    let mut costs = Vec::new();
    for steps in [25, 50, 100, 200] {
        let tug = Discrete::new(&systems::tug(), Dla2, 5.0 / steps as f64).expect("steps");
        let plan = lane(&tug, steps).solve(&options).expect("a problem");
        println!("{steps}: {}, {}", plan.cost, plan.status);
        assert!(plan.status.is_converged() && plan.status.is_minimum, "{steps}: {}", plan.status);
        assert!(plan.status.bracket.is_none() && plan.status.iterations < 10, "{steps}: {}", plan.status);
        is_simulated(&systems::tug(), Dla2, &tug, &plan);
        costs.push(plan.cost);
        let fine = Discrete::new(&systems::tug(), Dla2, 2.5 / steps as f64).expect("steps");
        let good = lane(&fine, 2 * steps).solve(&options).expect("a problem");
        let guess = good.inputs.iter().step_by(2).cloned().collect();
        let guessed = lane(&tug, steps).guess_inputs(guess).solve(&options).expect("a problem");
        assert!(guessed.status.is_converged(), "{steps}: {}", guessed.status);
        assert!((plan.cost / guessed.cost - 1.0).abs() < 1e-8, "{steps}: {} and {}", plan.cost, guessed.cost);
    }
    for costs in costs.windows(3) {
        let ratio = (costs[0] - costs[1]) / (costs[1] - costs[2]);
        assert!((3.6..4.4).contains(&ratio), "{costs:?}");
    }
}

/// Where forces cost a hundred times as much, the best motion flings the steering beyond a right angle within a tenth of a second. Steps
/// that resolve this find it; of longer ones, what they cannot resolve is told.
#[test]
fn a_plan_that_its_steps_do_not_resolve_says_why() {
    let mut costs = Vec::new();
    for steps in [25, 50, 200, 400] {
        let h = 5.0 / steps as f64;
        let tug = Discrete::new(&systems::tug(), Dla2, h).expect("steps");
        let plan = Problem::new(&tug, steps, rest(&tug, [0.0; 5]))
            .cost("effort", Quadratic::of_inputs(&[h, h]))
            .reach(rest(&tug, [4.0, 1.0, 0.0, 0.0, 0.0]))
            .solve(&Options::default())
            .expect("a problem");
        println!("{steps}: {}, {}", plan.cost, plan.status);
        if steps < 100 {
            assert!(!plan.status.is_converged(), "{steps}: {}", plan.status);
            let Some((step, _)) = plan.status.refusal else { panic!("{steps}: {}", plan.status) };
            assert!(plan.status.to_string().contains(&format!("a simulation refuses step {step}: ")));
        } else {
            assert!(plan.status.is_converged() && plan.status.refusal.is_none(), "{steps}: {}", plan.status);
            let most = plan.states.iter().map(|x| x.q[3].abs()).fold(0.0, f64::max);
            assert!(most > 1.6, "{most}");
            costs.push(plan.cost);
        }
    }
    assert!((costs[0] / costs[1] - 1.0).abs() < 0.1, "{costs:?}");
}

/// Zero inputs lead to the costs of the best minima that hundreds of random guesses found, and no guess to a better one.
#[test]
fn a_car_parks_from_few_start_guesses() {
    for (steps, least) in [(40, 6.717045), (80, 6.745434), (160, 6.746620)] {
        let h = 6.0 / steps as f64;
        let car = Discrete::new(&systems::car(), Dla2, h).expect("steps");
        let [start, end] = [0.0, 0.5].map(|y| rest(&car, [0.0, y, 0.0, 0.0, 0.0]));
        let problem = |number: usize| {
            Problem::new(&car, steps, start)
                .cost("effort", Quadratic::of_inputs(&[h, h]))
                .bound_inputs(&[-8.0, -8.0], &[8.0, 8.0])
                .bound_entries(start, &[3], (&[-0.6], &[0.6]))
                .reach(end)
                .vary_guess(number)
        };
        let options = Options::default();
        let alone = problem(0).solve(&options).expect("a problem");
        assert!(alone.status.is_converged() && alone.status.is_minimum, "{steps}: {}", alone.status);
        let (best, others) = best_of(6, &options, problem).expect("a problem").expect("plans");
        let costs: Vec<f64> = others.iter().map(|plan| plan.cost).collect();
        println!("{steps}: {} from zero inputs, {}, others {costs:?}", alone.cost, best.cost);
        assert!(alone.cost < least + 1e-6, "{steps}: {}", alone.cost);
        assert!(best.cost <= alone.cost && best.cost > least - 1e-6, "{steps}: {}", best.cost);
        is_simulated(&systems::car(), Dla2, &car, &best);
        // Minima are listed once, by their costs.
        let minima: Vec<&Plan<_>> =
            [&best].into_iter().chain(&others).filter(|plan| plan.status.is_minimum).collect();
        assert!(minima.windows(2).all(|pair| pair[0].cost < pair[1].cost), "{steps}: {costs:?}");
    }
}

/// The first order of a turned cat would be met by limbs that move a little on, but only by inputs that are much too large.
#[test]
fn a_cat_turns_with_limbs_in_any_position() {
    let h = 1.0 / 20.0;
    let cat = Discrete::new(&systems::cat(), Dla2, h).expect("steps");
    for (alpha, beta) in [(0.3, -0.2), (0.5, 0.1), (-0.4, 0.2), (0.7, -0.7)] {
        for theta in [0.01, 0.1, 0.3] {
            let [start, end] = [0.0, theta].map(|theta| rest(&cat, [theta, alpha, beta]));
            let plan = Problem::new(&cat, 20, start)
                .cost("effort", Quadratic::of_inputs(&[h, h]))
                .reach(end)
                .solve(&Options::default())
                .expect("a problem");
            let case = format!("{theta} from {alpha}, {beta}: {}", plan.status);
            assert!(plan.status.is_converged() && plan.status.bracket == Some((0, 1)), "{case}");
            assert_eq!(plan.status.dependent, [[("p_theta".to_owned(), 1.0)]], "{case}");
        }
    }
}

/// Whatever the guess of inputs, a plan is no error, and what has converged is a motion of a simulation.
#[test]
fn guesses_that_cannot_be_simulated_are_shortened() {
    let mut converged = 0;
    for (number, size) in [1e1, 1e2, 1e3, 1e4, 1e6, 1e9].into_iter().enumerate() {
        let tug = Discrete::new(&systems::tug(), Dla2, 0.1).expect("steps");
        let plan = lane(&tug, 50).guess_waves(number as u64, &[size, size]);
        let plan = plan.solve(&Options { iterations: 100, ..Options::default() }).expect("a problem");
        println!("{size:e}: {}, {}", plan.cost, plan.status);
        if plan.status.is_converged() {
            is_simulated(&systems::tug(), Dla2, &tug, &plan);
            converged += 1;
        } else {
            assert!(matches!(plan.status.outcome, Outcome::Refused { .. }) || !plan.status.missed.is_empty());
        }
    }
    assert!(converged > 0);
}

/// Random ends of motions with few and many steps, from bad guesses as well as from none.
#[test]
fn what_has_converged_is_simulated() {
    let mut seed = 3_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let mut converged = 0;
    for case in 0..40 {
        let steps = [10, 20, 40, 80][case % 4];
        let h = 4.0 / steps as f64;
        let tug = Discrete::new(&systems::tug(), Dla2, h).expect("steps");
        let q = [4.0 * random(), random(), 0.5 * random(), 0.0, 0.5 * random()];
        let mut problem = Problem::new(&tug, steps, rest(&tug, [0.0; 5]))
            .cost("effort", Quadratic::of_inputs(&[h / 100.0, h]))
            .reach(rest(&tug, q))
            .vary_guess(case % 3);
        if case % 5 == 4 {
            problem = problem.bound_inputs(&[-40.0, -8.0], &[40.0, 8.0]);
        }
        let plan = problem.solve(&Options { iterations: 100, ..Options::default() }).expect("a problem");
        if plan.status.is_converged() {
            is_simulated(&systems::tug(), Dla2, &tug, &plan);
            converged += 1;
        }
    }
    println!("{converged} of 40 converged");
    assert!(converged >= 10, "{converged}");
}
