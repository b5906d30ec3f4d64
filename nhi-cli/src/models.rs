//! The models of the literature.

use nhi_methods::Method;
use nhi_run::System;
use nhi_run::model::MODELS;

/// All names, each once.
pub(crate) fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    for model in MODELS {
        if !names.contains(&model.name) {
            names.push(model.name);
        }
    }
    names
}

/// The method of a model where none is named, the default of the derive: models declare all methods, in the order of a table.
pub(crate) fn usual_method(system: &System) -> Option<Method> {
    let usual = if system.group().is_some() { Method::Rdp } else { Method::Dla2 };
    let declared = system.declared();
    declared.iter().find(|&&method| method == usual).or(declared.first()).copied()
}
