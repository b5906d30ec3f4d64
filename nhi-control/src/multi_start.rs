//! Solutions from several start guesses.

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
///         .guess_waves(i as u64, &[1.0, 0.5])
/// })?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The first mistake in a problem. Start guesses whose steps cannot be taken are left out.
pub fn multi_start<'a, D: Dynamics + 'a>(
    count: usize,
    options: &Options,
    problem: impl Fn(usize) -> Problem<'a, D> + Sync,
) -> Result<Vec<Plan<D::State>>, PlanError>
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
    let mut plans: Vec<Plan<D::State>> = Vec::new();
    for (_, plan) in solved {
        match plan {
            Ok(plan) if plan.status.is_converged() && plan.status.is_minimum => plans.push(plan),
            Ok(_) | Err(PlanError::Step { .. } | PlanError::NonFinite { .. }) => {}
            Err(mistake) => return Err(mistake),
        }
    }
    plans.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let mut distinct: Vec<Plan<D::State>> = Vec::new();
    for plan in plans {
        if !distinct.iter().any(|other| is_same(other, &plan)) {
            distinct.push(plan);
        }
    }
    Ok(distinct)
}

fn is_same<X>(a: &Plan<X>, b: &Plan<X>) -> bool {
    let both = || a.inputs.iter().flatten().zip(b.inputs.iter().flatten());
    let largest = both().fold(0.0_f64, |largest, (x, y)| largest.max(x.abs()).max(y.abs()));
    both().all(|(x, y)| (x - y).abs() <= SAME * largest)
}
