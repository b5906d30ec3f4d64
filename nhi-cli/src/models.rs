//! The models of the literature, derived when they are first used.

use nhi_run::Error;
use nhi_run::model::{Declared, MODELS, named};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// Why there is no such model.
#[derive(Clone, Debug)]
pub enum Unloaded {
    /// There is none of this name.
    Unknown(String),
    /// It cannot be compiled here.
    Failed(Error),
}

impl fmt::Display for Unloaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unloaded::Unknown(name) => write!(f, "unknown model `{name}`"),
            Unloaded::Failed(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Unloaded {}

/// The model of this name, with or without a group factor where there are both.
///
/// # Errors
/// [`Unloaded`].
pub(crate) fn model(name: &str, on_group: bool) -> Result<&'static Declared, Unloaded> {
    static LOADED: Mutex<Option<HashMap<(&str, bool), &Declared>>> = Mutex::new(None);
    let bundled = named(name, on_group).ok_or_else(|| Unloaded::Unknown(name.to_owned()))?;
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let loaded = loaded.get_or_insert_default();
    let key = (bundled.name, bundled.on_group);
    if let Some(model) = loaded.get(&key) {
        return Ok(model);
    }
    // It lives as long as the program: a scoreboard refers to it.
    let model: &Declared = Box::leak(Box::new(bundled.load().map_err(Unloaded::Failed)?));
    loaded.insert(key, model);
    Ok(model)
}

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
