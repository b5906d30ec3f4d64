//! Energy with step sizes that vary: each is drawn at random, so that no symmetry under h → −h holds along the run.

use super::Course;
use super::course::Conserved;
use super::energy::reason;
use nhi_run::model::{Instance, Method, Node};
use nhi_runtime::Error;

/// Number of steps.
const STEPS: u64 = 10_000;
/// The largest step size over the smallest one; the largest is that of the course.
const RANGE: f64 = 20.0;

/// Runs `method` with random step sizes, uniform on a logarithmic scale, and returns the largest error of the energy relative to
/// its initial value, or why a step failed; `None` if no energy is conserved.
pub fn variable(course: &Course, method: &Method) -> Option<Result<f64, String>> {
    let conserved = course.conserved()?;
    Some(largest(course, method, conserved).map_err(|error| reason(&error)))
}

fn largest(course: &Course, method: &Method, conserved: Conserved) -> Result<f64, Error> {
    let instance = course.instance();
    let start = course.start(&*instance, method)?;
    let mut node = start.node();
    let initial = value(&*instance, &node, conserved);
    let mut largest: f64 = 0.0;
    for (step, fraction) in (1..=STEPS).zip(fractions()) {
        let (time, h) = (node.t, course.h * RANGE.powf(fraction - 1.0));
        node = start.follow(&node, h, 1).map_err(|cause| Error::Step { step, time, cause })?;
        largest = largest.max((value(&*instance, &node, conserved) / initial - 1.0).abs());
    }
    Ok(largest)
}

/// Numbers between 0 and 1, the same in every run: Knuth's linear congruential generator (MMIX).
fn fractions() -> impl Iterator<Item = f64> {
    let next = |seed: &u64| {
        Some(seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407))
    };
    std::iter::successors(next(&11), next).map(|seed| (seed >> 11) as f64 / (1u64 << 53) as f64)
}

fn value(instance: &dyn Instance, node: &Node, conserved: Conserved) -> f64 {
    // The velocity at a node is the mean of those at its reflection.
    let (before, after) = &node.jump;
    let v: Vec<f64> = before.iter().zip(after).map(|(before, after)| (before + after) / 2.0).collect();
    match conserved {
        Conserved::Energy => instance.energy(&node.q, &v),
        Conserved::Invariant(i) => instance.invariants(&node.q, &v)[i],
    }
}
