//! Solutions from several start guesses.

use crate::best::{Best, distinct};
use crate::{Dynamics, Options, Plan, PlanError, Problem};
use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::thread;

/// Plans are the same if their inputs differ by less than this part of the largest one.
const SAME: f64 = 1e-4;

/// Solves `problem(0)`, …, `problem(count - 1)`, which are one problem with several start guesses, on all cores. Returns the
/// minima that were found, each once, the one of least cost first; they do not depend on the number of cores.
///
/// ```
/// # use nhi_control::{multi_start, Dynamics, Options, PlanError, Problem, Quadratic};
/// # fn all<D: Dynamics + Sync>(car: &D, start: D::State, end: D::State) -> Result<(), PlanError>
/// # where D::State: Send + Sync {
/// let plans = multi_start(24, &Options::default(), |i| {
///     Problem::new(car, 80, start.clone())
///         .cost("effort", Quadratic::of_inputs(&[1.0, 1.0]))
///         .reach(end.clone())
///         .vary_guess(i)
/// })?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The first mistake in a problem. Start guesses at which functions are not finite are left out.
pub fn multi_start<'a, D: Dynamics + 'a>(
    count: usize,
    options: &Options,
    problem: impl Fn(usize) -> Problem<'a, D> + Sync,
) -> Result<Vec<Plan<D::State>>, PlanError>
where
    D::State: Send,
{
    let mut plans = Vec::new();
    for plan in solve_all(count, options, problem) {
        match plan {
            Ok(plan) => plans.push(plan),
            Err(PlanError::NonFinite { .. }) => {}
            Err(mistake) => return Err(mistake),
        }
    }
    plans.retain(is_minimum);
    Ok(by_cost(plans))
}

/// Solves problems as [`multi_start`] does. Returns the plan of least cost among the minima, or, if there are none, the one that comes
/// nearest to a solution, and the others in this order. Minima are listed once.
///
/// # Errors
/// A mistake in a problem, and functions that are not finite at all start guesses; none if `count` is zero, for which there is no plan.
pub fn best_of<'a, D: Dynamics + 'a>(
    count: usize,
    options: &Options,
    problem: impl Fn(usize) -> Problem<'a, D> + Sync,
) -> Result<Option<Best<Plan<D::State>>>, PlanError>
where
    D::State: Send,
{
    let (mut plans, mut first_error) = (Vec::new(), None);
    for plan in solve_all(count, options, problem) {
        match plan {
            Ok(plan) => plans.push(plan),
            Err(error @ PlanError::NonFinite { .. }) => first_error = first_error.or(Some(error)),
            Err(mistake) => return Err(mistake),
        }
    }
    let (minima, mut others): (Vec<_>, Vec<_>) = plans.into_iter().partition(is_minimum);
    // Stationary motions first; what has no residual is not a number, which comes last.
    let order = |plan: &Plan<D::State>| (!plan.status.is_converged(), plan.status.infeasibility);
    others.sort_by(|a, b| {
        let ((a, by_a), (b, by_b)) = (order(a), order(b));
        a.cmp(&b).then(by_a.total_cmp(&by_b))
    });
    let mut all = by_cost(minima).into_iter().chain(others);
    match (all.next(), first_error) {
        (Some(best), _) => Ok(Some((best, all.collect()))),
        (None, Some(error)) => Err(error),
        (None, None) => Ok(None),
    }
}

/// The solutions of all problems, in their order.
fn solve_all<'a, D: Dynamics + 'a>(
    count: usize,
    options: &Options,
    problem: impl Fn(usize) -> Problem<'a, D> + Sync,
) -> Vec<Result<Plan<D::State>, PlanError>>
where
    D::State: Send,
{
    let next = AtomicUsize::new(0);
    let solved = Mutex::new(Vec::with_capacity(count));
    let work = || {
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            if i >= count {
                return;
            }
            let plan = problem(i).solve(options);
            solved.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((i, plan));
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(count);
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let mut solved = solved.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    solved.sort_by_key(|(i, _)| *i);
    solved.into_iter().map(|(_, plan)| plan).collect()
}

fn is_minimum<X>(plan: &Plan<X>) -> bool {
    plan.status.is_converged() && plan.status.is_minimum
}

/// Each of the plans once, the one of least cost first.
fn by_cost<X>(mut plans: Vec<Plan<X>>) -> Vec<Plan<X>> {
    plans.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    distinct(plans, is_same)
}

fn is_same<X>(a: &Plan<X>, b: &Plan<X>) -> bool {
    let both = || a.inputs.iter().flatten().zip(b.inputs.iter().flatten());
    let largest = both().fold(0.0_f64, |largest, (x, y)| largest.max(x.abs()).max(y.abs()));
    both().all(|(x, y)| (x - y).abs() <= SAME * largest)
}
