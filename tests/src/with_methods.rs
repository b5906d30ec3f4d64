//! Models with steps of another origin.

use nhi_models::{Instance, Method, Model};

struct WithMethods<'a, F> {
    model: &'a dyn Model,
    methods: &'static [Method],
    instance: F,
}

/// The model with those of its methods that `has`, and with this `instance` for parameters, which takes the steps in another
/// way.
pub fn with_methods<'a, F: Fn(&[f64]) -> Box<dyn Instance> + Sync>(
    model: &'a dyn Model,
    has: &dyn Fn(&Method) -> bool,
    instance: F,
) -> impl Model + use<'a, F> {
    let methods: Vec<Method> = model.methods().iter().filter(|&method| has(method)).copied().collect();
    WithMethods { model, methods: Vec::leak(methods), instance }
}

impl<F: Fn(&[f64]) -> Box<dyn Instance> + Sync> Model for WithMethods<'_, F> {
    fn name(&self) -> &'static str {
        self.model.name()
    }
    fn system(&self) -> &'static str {
        self.model.system()
    }
    fn summary(&self) -> &'static str {
        self.model.summary()
    }
    fn coordinates(&self) -> &'static [&'static str] {
        self.model.coordinates()
    }
    fn velocities(&self) -> &'static [&'static str] {
        self.model.velocities()
    }
    fn group(&self) -> Option<String> {
        self.model.group()
    }
    fn shape(&self) -> usize {
        self.model.shape()
    }
    fn methods(&self) -> &'static [Method] {
        self.methods
    }
    fn reference_coordinates(&self) -> &'static [&'static str] {
        self.model.reference_coordinates()
    }
    fn constraints(&self) -> &'static [&'static str] {
        self.model.constraints()
    }
    fn inputs(&self) -> &'static [&'static str] {
        self.model.inputs()
    }
    fn parameters(&self) -> &'static [&'static str] {
        self.model.parameters()
    }
    fn defaults(&self) -> Vec<f64> {
        self.model.defaults()
    }
    fn conservative(&self) -> bool {
        self.model.conservative()
    }
    fn invariants(&self) -> Vec<&'static str> {
        self.model.invariants()
    }
    fn instance(&self, parameters: &[f64]) -> Box<dyn Instance> {
        (self.instance)(parameters)
    }
}
