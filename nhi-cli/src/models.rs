//! The models of the literature.

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
