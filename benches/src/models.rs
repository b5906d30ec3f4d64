//! Every model, driven by `Simulation::advance` and step by step.

use crate::{H, Phase, Run};
use nhi_models::{GROUP_MODELS, MODELS, Method, Model, Trajectory};
use nhi_runtime::Error;

/// Methods with a row for every model that declares them, unless all methods are requested.
const SHOWN: [&str; 4] = ["dla2", "dla_rattle", "rattle", "rk4"];

/// The same for models with a group factor.
const SHOWN_ON_GROUPS: [&str; 5] = ["rdp", "rdp_cay", "rattle", "gni_midpoint", "rkmk4"];

/// Steps after which a trajectory restarts.
pub const MOST_STEPS: u64 = 5000;

/// Step sizes: the first one with which a method completes a trajectory is used. Some motions are too
/// fast for the workloads' step size, and some methods fail on them.
const STEP_SIZES: [f64; 4] = [H, H / 4.0, H / 16.0, H / 64.0];

/// A model and a method that integrates it.
#[derive(Clone, Copy)]
pub struct Generated {
    /// The model.
    pub model: &'static dyn Model,
    /// The method.
    pub method: &'static Method,
    /// Step size.
    pub h: f64,
}

impl Generated {
    /// The model's name, with its group if it has one: some names occur in both tables.
    pub fn name(self) -> String {
        match self.model.group() {
            Some(group) => format!("{} on {group}", self.model.name()),
            None => self.model.name().to_owned(),
        }
    }

    /// A trajectory from the model's initial data, driven by `Simulation::advance` or by
    /// `Simulation::step`.
    ///
    /// # Panics
    /// If it does not start.
    pub fn start(self, stepwise: bool) -> Box<dyn Run> {
        match self.trajectory() {
            Ok(trajectory) if stepwise => Box::new(Stepwise(trajectory)),
            Ok(trajectory) => Box::new(AtOnce(trajectory)),
            Err(error) => panic!("{} {}: {error}", self.name(), self.method.id),
        }
    }

    fn trajectory(self) -> Result<Box<dyn Trajectory>, Error> {
        let instance = self.model.instance(&self.model.defaults());
        let (q, v) = instance.initial();
        let inputs = vec![0.0; self.model.inputs().len()];
        instance.start(self.method, &q, &v, &inputs, self.h)
    }

    /// With the step size that the method needs; `None` if all step sizes are too large.
    fn with_step_size(self) -> Option<Self> {
        let sizes = STEP_SIZES.iter().map(|&h| Generated { h, ..self });
        sizes.into_iter().find(|case| case.trajectory().and_then(|mut t| t.advance(MOST_STEPS)).is_ok())
    }
}

/// Every model with its shown methods, or with all; those with a group factor last.
fn candidates(all_methods: bool) -> impl Iterator<Item = Generated> {
    let of = move |models: &'static [&'static dyn Model], shown: &'static [&'static str]| {
        models.iter().flat_map(move |&model| {
            let methods = model.methods().iter().filter(move |m| all_methods || shown.contains(&m.id));
            methods.map(move |method| Generated { model, method, h: H })
        })
    };
    of(MODELS, &SHOWN).chain(of(GROUP_MODELS, &SHOWN_ON_GROUPS))
}

/// Every model with its shown methods, or with all, and the step sizes that they need; those with
/// a group factor last.
pub fn generated(all_methods: bool) -> Vec<Generated> {
    candidates(all_methods).filter_map(Generated::with_step_size).collect()
}

/// Names of `cases` for [`chosen`].
pub fn names(cases: &[Generated]) -> String {
    let names = cases.iter().map(|case| format!("{}/{}/{}", case.name(), case.method.id, case.h));
    names.collect::<Vec<_>>().join(",")
}

/// The cases named by [`names`] in another run of the program, which therefore skips the search for step sizes.
pub fn chosen(names: &str) -> Vec<Generated> {
    let cases: Vec<Generated> = candidates(true).collect();
    let one = |name: &str| {
        let mut parts = name.split('/');
        let (model, method, h) = (parts.next()?, parts.next()?, parts.next()?.parse().ok()?);
        let case = cases.iter().find(|case| case.name() == model && case.method.id == method)?;
        Some(Generated { h, ..*case })
    };
    names.split(',').filter_map(one).collect()
}

struct AtOnce(Box<dyn Trajectory>);

impl Run for AtOnce {
    fn advance(&mut self, steps: u64) {
        if let Err(error) = self.0.advance(steps) {
            panic!("{error}");
        }
    }

    fn phase(&self) -> Phase {
        (self.0.q(), self.0.v())
    }
}

struct Stepwise(Box<dyn Trajectory>);

impl Run for Stepwise {
    fn advance(&mut self, steps: u64) {
        for _ in 0..steps {
            if let Err(error) = self.0.step() {
                panic!("{error}");
            }
        }
    }

    fn phase(&self) -> Phase {
        (self.0.q(), self.0.v())
    }
}
