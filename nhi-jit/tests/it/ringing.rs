//! Steps that are taken together are watched for velocities that ring, alike in derived steps and in those compiled at run time.

use crate::support;
use nhi_jit::{Compiled, Point};
use nhi_methods::{Method, Variant};
use nhi_runtime::System;
use nhi_runtime::prelude::*;

/// A cart with a brake on its wheel, which is pulled now and then.
#[derive(Nonholonomic, Clone, Debug)]
#[nonholonomic(
    coordinates(x, w, y),
    inputs(u),
    lagrangian = m/2*(dot(x)^2 + dot(w)^2 + dot(y)^2) - y^2/2,
    constraints(roll: dx - r*cos(y)*dw),
    force = (u - c*dot(w))*dw,
    methods(Dla2, DlaRattle, Dla2Midpoint, Rattle)
)]
struct Braked {
    m: f64,
    c: f64,
    r: f64,
}

/// The same derived and compiled at run time.
struct Both<M: nhi_runtime::Method<Braked>> {
    derived: Simulation<Braked, M>,
    jit: nhi_jit::Simulation,
}

impl<M: nhi_runtime::Method<Braked> + Clone> Both<M> {
    fn new(compiled: &Compiled, (method, variant): (M, Variant), c: f64, w: f64) -> Self {
        let (system, r) = (Braked { m: 1.3, c, r: 0.5 }, 0.5);
        let (q, y) = ([0.0, 0.0, 0.3], 0.3_f64);
        let v = [r * y.cos() * w, w, 0.2];
        let derived = Simulation::new(system.clone(), method, q, v, 0.1).expect("a start");
        let parameters = &system.parameters()[..];
        let at = Point { parameters, q: &q, v: &v, z: &[], t: 0.0, inputs: &[0.0] };
        let jit = nhi_jit::Simulation::at_point(compiled, variant, &at, 0.1).expect("a start");
        Both { derived, jit }
    }

    fn advance(&mut self, steps: u64) {
        self.derived.advance(steps).expect("steps");
        self.jit.advance(steps).expect("steps");
        self.compare();
    }

    fn step_with(&mut self, u: f64) {
        self.derived.step_with(&[u]).expect("a step");
        self.jit.step_with(&[u]).expect("a step");
        self.compare();
    }

    /// One step in which the wheel is pulled.
    fn pull(&mut self) {
        self.step_with(1.0);
        self.step_with(0.0);
    }

    fn compare(&self) {
        let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
        assert_eq!(bits(self.jit.numbers()), bits(&self.derived.to_snapshot().state));
        let ringing = [self.ringing(), self.jit.statistics().ringing().collect()];
        assert_eq!(ringing[0], ringing[1], "after {} steps", self.jit.steps());
    }

    fn ringing(&self) -> Vec<usize> {
        self.derived.statistics().ringing().collect()
    }
}

fn compiled(variants: &[Variant]) -> Compiled {
    let derived = support::derived(include_str!("ringing.rs"), "Braked");
    let optimised = derived.optimised().expect("finite constants");
    Compiled::new(&optimised, variants).expect("Cranelift runs here")
}

/// Places of the velocities that the brake stops.
const STOPPED: [usize; 2] = [0, 1];

fn ringing_is_seen_of(method: impl nhi_runtime::Method<Braked> + Clone, variant: Variant) {
    let compiled = compiled(&[variant]);
    let both = |c, w| Both::new(&compiled, (method.clone(), variant), c, w);
    // From the start on.
    for (c, steps) in [(300.0, 20), (300.0, 1000), (2000.0, 13), (2000.0, 100), (1e7, 10_000)] {
        let mut ringing = both(c, 1.0);
        ringing.advance(steps);
        assert_eq!(ringing.ringing(), STOPPED, "{variant}, c = {c}, {steps} steps");
    }
    for call in [1, 2, 5, 9] {
        let mut ringing = both(2000.0, 1.0);
        (0..20 / call).for_each(|_| ringing.advance(call));
        assert_eq!(ringing.ringing(), STOPPED, "{variant}, calls of {call} steps");
    }
    for c in [0.0, 0.1, 2.0] {
        let mut resolved = both(c, 1.0);
        resolved.advance(10_000);
        assert_eq!(resolved.ringing(), [0; 0], "{variant}, c = {c}");
    }
    // Later, if it goes on until steps are watched.
    let mut late = both(1e7, 0.0);
    late.advance(3000);
    late.pull();
    late.advance(1000);
    assert_eq!(late.ringing(), [0; 0], "{variant}");
    late.advance(100);
    assert_eq!(late.ringing(), STOPPED, "{variant}, before step 4096");
    let mut last = both(1e7, 0.0);
    last.advance(4096);
    last.pull();
    last.advance(3000);
    assert_eq!(last.ringing(), STOPPED, "{variant}, the last of many steps");
}

#[test]
fn ringing_is_seen_in_steps_taken_together() {
    ringing_is_seen_of(Dla2, Method::Dla2.into());
    ringing_is_seen_of(DlaRattle, Method::DlaRattle.into());
    ringing_is_seen_of(Dla2Midpoint, Method::Dla2Midpoint.into());
}

/// Watching changes no step.
fn watched_steps_are_the_same(method: impl nhi_runtime::Method<Braked> + Clone, variant: Variant) {
    let (compiled, c) = (compiled(&[variant]), 0.7);
    let both = || Both::new(&compiled, (method.clone(), variant), c, 1.0);
    let mut single = both();
    (0..10_000).for_each(|_| single.step_with(0.0));
    for calls in [&[10_000][..], &[1, 3, 8, 12, 13, 30, 4000, 20, 5, 4, 1, 1, 3000, 2902]] {
        let mut together = both();
        calls.iter().for_each(|&steps| together.advance(steps));
        assert_eq!(together.jit.steps(), 10_000);
        assert_eq!(together.derived.to_snapshot().state, single.derived.to_snapshot().state, "{variant}");
    }
}

#[test]
fn watched_steps_are_the_same_steps() {
    watched_steps_are_the_same(Dla2, Method::Dla2.into());
    watched_steps_are_the_same(Rattle, Method::Rattle.into());
}
