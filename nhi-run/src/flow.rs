//! The exact flow, to nearly the accuracy of `f64`: what methods are measured against.
//!
//! Gragg's modified midpoint rule with n = 2, 4, …, 16 substeps, extrapolated to n → ∞ in 1/n² by
//! Aitken and Neville's scheme (Hairer, Nørsett & Wanner, *Solving Ordinary Differential Equations I*,
//! section II.9): order 16. The step is halved where the last two extrapolations disagree.

use nhi_runtime::Failure;

/// Columns of the extrapolation table.
const COLUMNS: usize = 8;
/// Accepted difference of the last two extrapolations, relative to 1 + |y|.
const TOLERANCE: f64 = 1e-14;
/// Half the sum of the weights Π |n²/(n² − k²)|, over k ≠ n in 2, 4, …, 16, of the increments in the last extrapolation: 119.03. It
/// multiplies by them the errors of increments, half a unit of rounding.
const AMPLIFIED: f64 = 60.0;
/// Smallest step tried, relative to the largest; beyond it the flow counts as not computable. Forces that jump are followed to the
/// jump, and past it in a step so short that it changes the state by no more than [`TOLERANCE`].
const SMALLEST: f64 = 1e-15;

/// A motion is not stiff as long as a step of the largest size is divided into no more steps than this.
const DIVIDED: f64 = 16.0;
/// Most steps beyond that number: a second or less of work.
const EXCESS: f64 = 4000.0;

/// The right-hand side y' = f(t, y), as `f(t, y, dy)`.
pub type Field<'a> = dyn FnMut(f64, &[f64], &mut [f64]) -> Result<(), Failure> + 'a;

/// y(t1) from y(t0) = `y`, in steps of at most `largest`.
///
/// # Errors
/// A failure of the right-hand side, and [`Failure::NotConverged`] where the solution changes too fast, as at a singularity, or is
/// too stiff for explicit steps.
pub fn flow(field: &mut Field<'_>, t0: f64, y: &[f64], t1: f64, largest: f64) -> Result<Vec<f64>, Failure> {
    let mut motion = Motion::new(t0, y, t1, largest);
    while motion.advance(field)? {}
    Ok(motion.y)
}

/// A motion from t₀ to t₁, step by step.
pub(crate) struct Motion {
    t: f64,
    pub(crate) y: Vec<f64>,
    t1: f64,
    h: f64,
    largest: f64,
    /// Number of steps that were tried beyond those that a motion takes that is not stiff. Runs of many intervals add up.
    pub(crate) excess: f64,
}

impl Motion {
    /// At its start.
    pub(crate) fn new(t0: f64, y: &[f64], t1: f64, largest: f64) -> Motion {
        let largest = largest.min((t1 - t0).abs()).copysign(t1 - t0);
        let excess = -DIVIDED * ((t1 - t0) / largest).abs().max(1.0);
        Motion { t: t0, y: y.to_vec(), t1, h: largest, largest, excess }
    }

    /// Tries a step, unless it is at t₁; whether it was not.
    ///
    /// # Errors
    /// Those of [`flow`].
    pub(crate) fn advance(&mut self, field: &mut Field<'_>) -> Result<bool, Failure> {
        let Motion { t, y, t1, h, largest, excess } = self;
        if t == t1 {
            return Ok(false);
        }
        *excess += 1.0;
        if *excess > EXCESS {
            return Err(Failure::NotConverged);
        }
        let last = (*t1 - *t).abs() <= h.abs();
        let step = if last { *t1 - *t } else { *h };
        let result = match extrapolated(field, *t, y, step) {
            // Shorter steps resolve no more than the numbers of the state do, as of positions far from the origin.
            Ok((next, error)) if error > TOLERANCE && error <= AMPLIFIED * rounding(field, *t, y, step)? => {
                Ok((next, TOLERANCE))
            }
            other => other,
        };
        match result {
            Ok((next, error)) if error <= TOLERANCE => {
                *y = next;
                *t = if last { *t1 } else { *t + step };
                *h = if h.abs() < largest.abs() { 2.0 * *h } else { *largest };
            }
            Ok(_) | Err(_) if h.abs() > SMALLEST * largest.abs() => *h = step / 2.0,
            Ok(_) => return Err(Failure::NotConverged),
            Err(failure) => return Err(failure),
        }
        Ok(true)
    }
}

/// One step of length `h` and its estimated error. Increments are extrapolated, not states: their
/// rounding errors are smaller.
fn extrapolated(field: &mut Field<'_>, t: f64, y: &[f64], h: f64) -> Result<(Vec<f64>, f64), Failure> {
    // Row j of the table, T(j, 0), …, T(j, j).
    let mut row: Vec<Vec<f64>> = Vec::with_capacity(COLUMNS);
    let mut error = f64::INFINITY;
    for j in 0..COLUMNS {
        let mut entry = increment(field, t, y, h, 2 * (j + 1))?;
        for (k, above) in row.iter_mut().enumerate() {
            let ratio = ((j + 1) as f64 / (j - k) as f64).powi(2);
            let next =
                entry.iter().zip(&*above).map(|(new, old)| new + (new - old) / (ratio - 1.0)).collect();
            *above = std::mem::replace(&mut entry, next);
        }
        if let Some(before) = row.last() {
            let difference =
                entry.iter().zip(before).zip(y).map(|((a, b), y)| (a - b).abs() / (1.0 + y.abs()));
            error = difference.fold(0.0, f64::max);
        }
        row.push(entry);
    }
    let y: Vec<f64> = y.iter().zip(&row[COLUMNS - 1]).map(|(y, increment)| y + increment).collect();
    if y.iter().all(|y| y.is_finite()) { Ok((y, error)) } else { Err(Failure::NonFinite) }
}

/// By how much a rounding of each entry of the state and of the time changes the increment h f, relative to 1 + |y|.
fn rounding(field: &mut Field<'_>, t: f64, y: &[f64], h: f64) -> Result<f64, Failure> {
    let (mut here, mut there) = (vec![0.0; y.len()], vec![0.0; y.len()]);
    field(t, y, &mut here)?;
    let mut total = vec![0.0; y.len()];
    let mut state = y.to_vec();
    for i in 0..=y.len() {
        let mut time = t;
        match state.get_mut(i) {
            Some(entry) => *entry += f64::EPSILON * entry.abs(),
            None => time += f64::EPSILON * t.abs(),
        }
        field(time, &state, &mut there)?;
        if let (Some(entry), Some(y)) = (state.get_mut(i), y.get(i)) {
            *entry = *y;
        }
        total.iter_mut().zip(there.iter().zip(&here)).for_each(|(total, (a, b))| *total += (a - b).abs());
    }
    Ok(total.iter().zip(y).fold(0.0, |largest, (total, y)| largest.max(h.abs() * total / (1.0 + y.abs()))))
}

/// y(t + h) − y(t) by Gragg's modified midpoint rule with `n` (even) substeps. The smoothing step evaluates f at t + h: a force
/// that jumps after the last midpoint of all rules would not show in their difference.
fn increment(field: &mut Field<'_>, t: f64, y: &[f64], h: f64, n: usize) -> Result<Vec<f64>, Failure> {
    let substep = h / n as f64;
    let mut slope = vec![0.0; y.len()];
    field(t, y, &mut slope)?;
    let mut previous = vec![0.0; y.len()];
    let mut current: Vec<f64> = slope.iter().map(|f| substep * f).collect();
    for i in 1..n {
        let state: Vec<f64> = y.iter().zip(&current).map(|(y, increment)| y + increment).collect();
        field(t + i as f64 * substep, &state, &mut slope)?;
        for (previous, f) in previous.iter_mut().zip(&slope) {
            *previous += 2.0 * substep * f;
        }
        std::mem::swap(&mut previous, &mut current);
    }
    let state: Vec<f64> = y.iter().zip(&current).map(|(y, increment)| y + increment).collect();
    field(t + h, &state, &mut slope)?;
    let ends = current.iter().zip(&previous).zip(&slope);
    Ok(ends.map(|((last, before), f)| 0.5 * (last + before + substep * f)).collect())
}
