//! Every model, driven step by step by `Simulation`.

use crate::{H, Phase, Run};
use nhi_models::{METHODS, MODELS, Method, Model, Trajectory};

/// Methods that are shown of every model unless all are asked for.
const SHOWN: [&str; 4] = ["dla2", "dla_rattle", "rattle", "rk4"];

/// A model and a method that integrates it.
#[derive(Clone, Copy)]
pub struct Generated {
    /// The model.
    pub model: &'static dyn Model,
    /// The method.
    pub method: &'static Method,
}

impl Generated {
    /// A trajectory from the model's initial data.
    ///
    /// # Panics
    /// If it does not start.
    pub fn start(self) -> Box<dyn Run> {
        let instance = self.model.instance(&self.model.defaults());
        let (q, v) = instance.initial();
        let inputs = vec![0.0; self.model.inputs().len()];
        match instance.start(self.method, &q, &v, &inputs, H) {
            Ok(trajectory) => Box::new(OfModel(trajectory)),
            Err(error) => panic!("{} {}: {error}", self.model.name(), self.method.id),
        }
    }
}

/// Every model with the methods of `SHOWN`, or with all.
pub fn generated(all_methods: bool) -> Vec<Generated> {
    let methods = || METHODS.iter().filter(move |m| all_methods || SHOWN.contains(&m.id));
    MODELS.iter().flat_map(|&model| methods().map(move |method| Generated { model, method })).collect()
}

struct OfModel(Box<dyn Trajectory>);

impl Run for OfModel {
    fn advance(&mut self, steps: u64) {
        if let Err(error) = self.0.advance(steps) {
            panic!("{error}");
        }
    }

    fn phase(&self) -> Phase {
        (self.0.q(), self.0.v())
    }
}
