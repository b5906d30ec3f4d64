//! The test of a step of a compiled system; see [`nhi_runtime::balance`].

use crate::compiled::{Compiled, Point};
use crate::manifold::Manifold;
use nhi_runtime::balance::{End, Passage};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The ends of a step.
pub(crate) struct Ends<'a> {
    pub(crate) compiled: &'a Compiled,
    pub(crate) parameters: &'a [f64],
    pub(crate) inputs: &'a [f64],
    pub(crate) h: f64,
    /// At the [nodes](End).
    pub(crate) q: [Vec<f64>; 3],
    /// Auxiliary states, before and after.
    pub(crate) z: [Vec<f64>; 2],
    pub(crate) times: [f64; 3],
}

impl<'a> Ends<'a> {
    /// A step that stays at a point.
    pub(crate) fn at_point(compiled: &'a Compiled, at: &Point<'a>, h: f64) -> Self {
        let Point { parameters, q, z, t, inputs, .. } = *at;
        let (q, z) = ([q; 3].map(<[f64]>::to_vec), [z; 2].map(<[f64]>::to_vec));
        Ends { compiled, parameters, inputs, h, q, z, times: [t; 3] }
    }

    /// The velocity `v` at the configuration of one end and the time of another.
    fn at<'b>(&'b self, place: End, time: End, v: &'b [f64]) -> Point<'b> {
        let (q, t) = (&self.q[place as usize], self.times[time as usize]);
        let z = &self.z[usize::from(time == End::Last)];
        Point { parameters: self.parameters, q, v, z, t, inputs: self.inputs }
    }

    fn count(&self) -> usize {
        self.compiled.velocities().len()
    }

    fn constraints(&self) -> usize {
        self.compiled.constraints().len()
    }
}

impl Passage for Ends<'_> {
    type Velocity = Vec<f64>;
    type Multipliers = Vec<f64>;
    type Mass = Vec<Vec<f64>>;
    type Forms = Vec<Vec<f64>>;
    type Square = Vec<Vec<f64>>;

    fn names(&self) -> &'static [&'static str] {
        interned(self.compiled.constraints())
    }

    fn velocity_names(&self) -> &'static [&'static str] {
        interned(self.compiled.velocities())
    }

    fn is_massless(&self) -> bool {
        self.compiled.facts().massless
    }

    fn is_forced(&self) -> bool {
        self.compiled.facts().forced
    }

    fn h(&self) -> f64 {
        self.h
    }

    fn epsilon(&self) -> f64 {
        f64::EPSILON
    }

    fn size(&self) -> f64 {
        self.q[0].iter().fold(0.0, |size: f64, x| size.max(x.abs()))
    }

    fn velocities(&self, x: f64) -> Vec<f64> {
        vec![x; self.count()]
    }

    fn mass(&self) -> Vec<Vec<f64>> {
        vec![self.velocities(0.0); self.count()]
    }

    fn forms(&self) -> Vec<Vec<f64>> {
        vec![self.velocities(0.0); self.constraints()]
    }

    fn square(&self) -> Vec<Vec<f64>> {
        vec![vec![0.0; self.constraints()]; self.constraints()]
    }

    fn parameter_names(&self) -> &'static [&'static str] {
        interned(self.compiled.parameters())
    }

    fn parameter(&self, i: usize) -> f64 {
        self.parameters.get(i).copied().unwrap_or(f64::NAN)
    }

    fn momentum(&self, end: End, v: &Vec<f64>) -> Vec<f64> {
        self.compiled.momentum(&self.at(end, end, v))
    }

    fn momentum_with(&self, which: u64, end: End, v: &Vec<f64>) -> Vec<f64> {
        let mut parameters = self.parameters.to_vec();
        let set = parameters.iter_mut().take(64).enumerate();
        set.filter(|(i, _)| which >> i & 1 == 1).for_each(|(_, x)| *x = 1.0);
        self.compiled.momentum(&Point { parameters: &parameters, ..self.at(end, end, v) })
    }

    fn potential(&self, place: End, time: End) -> f64 {
        let rest = self.velocities(0.0);
        self.compiled.energy(&self.at(place, time, &rest))
    }

    fn residual(&self, end: End, v: &Vec<f64>) -> Vec<f64> {
        self.compiled.residual(&self.at(end, end, v))
    }

    fn slowest(&self, end: End) -> Option<Vec<f64>> {
        let rest = self.velocities(0.0);
        self.compiled.project_once(&self.at(end, end, &rest)).ok()
    }

    fn acceleration(&self, time: End, v: &Vec<f64>, after: f64) -> Option<Vec<f64>> {
        let by: Vec<f64> = v.iter().map(|v| after * v).collect();
        let q = &Manifold::new(self.compiled.facts()).displaced(&self.q[0], &by);
        let acceleration = self.compiled.acceleration(&Point { q, ..self.at(End::First, time, v) });
        acceleration.ok().map(|acceleration| acceleration.a)
    }
}

/// Labels as failures hold them, which are copied and outlive the system: each list is kept for the rest of the process, once.
pub(crate) fn interned(labels: &[String]) -> &'static [&'static str] {
    static KEPT: Mutex<BTreeMap<Vec<String>, &'static [&'static str]>> = Mutex::new(BTreeMap::new());
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.entry(labels.to_vec()).or_insert_with(|| {
        let names = labels.iter().map(|label| &*label.clone().leak());
        names.collect::<Vec<&'static str>>().leak()
    })
}
