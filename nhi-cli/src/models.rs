//! The models of the literature, and the methods.

use nhi_methods::Method;
use nhi_run::System;
use nhi_run::model::{GROUP_METHODS, METHODS, MODELS};

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

/// Ids of all methods of the tables, each once.
pub(crate) fn methods() -> impl Iterator<Item = &'static str> {
    let is_new = |id: &&str| METHODS.iter().all(|method| method.id != *id);
    let on_groups = GROUP_METHODS.iter().map(|method| method.id).filter(is_new);
    METHODS.iter().map(|method| method.id).chain(on_groups)
}

/// The method of a model where none is named, the default of the derive: models declare all methods, in the order of a table.
pub(crate) fn usual_method(system: &System) -> Option<Method> {
    let usual = if !system.group().is_trivial() { Method::Rdp } else { Method::Dla2 };
    let declared = system.declared();
    declared.iter().find(|&&method| method == usual).or(declared.first()).copied()
}
