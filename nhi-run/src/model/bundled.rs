//! The models of the literature: declarations like any other, each with a file of facts.

use super::declared::{Declared, Facts, Start};
use crate::error::{DeclarationError, Error, Mistake};
use crate::expressions::Initial;
use crate::system::System;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A model of the literature.
#[derive(Clone, Copy, Debug)]
pub struct Bundled {
    /// Its name, also in reference data.
    pub name: &'static str,
    /// Whether it is one of the models for methods on groups. Two models of one name differ in this.
    pub on_group: bool,
    /// The text of the file with its declaration.
    pub declaration: &'static str,
    /// Its facts, JSON.
    pub facts: &'static str,
}

macro_rules! bundled {
    ($($name:literal $folder:literal $file:literal)*) => {
        &[$(Bundled {
            name: $name,
            on_group: !$folder.is_empty(),
            declaration: include_str!(concat!("../../models/", $folder, $file, ".rs")),
            facts: include_str!(concat!("../../models/", $folder, $name, ".json")),
        },)*]
    };
}

/// All of them: those in coordinates, then those for methods on groups.
pub const MODELS: &[Bundled] = bundled! {
    "contact_oscillator" "" "contact_oscillator"
    "contact_oscillator_gauged" "" "contact_oscillator_gauged"
    "perturbed_oscillator" "" "perturbed_oscillator"
    "chaotic_r7" "" "chaotic_r7"
    "sleigh_com" "" "sleigh_com"
    "sleigh_contact" "" "sleigh_contact"
    "snakeboard" "" "snakeboard"
    "snakeboard_free" "" "snakeboard_free"
    "vertical_disk" "" "vertical_disk"
    "knife_incline" "" "knife_incline"
    "rotating_table_skate" "" "rotating_table_skate"
    "nh_particle" "" "nh_particle"
    "nh_particle_harmonic" "" "nh_particle"
    "euler_disk" "" "euler_disk"
    "mobile_robot" "" "mobile_robot"
    "sleigh_moving_mass" "" "sleigh_moving_mass"
    "magnetic_particle" "" "magnetic_particle"
    "gearbox_reversible" "" "gearbox"
    "gearbox" "" "gearbox"
    "gearbox_asymmetric" "" "gearbox"
    "gearbox_both" "" "gearbox"
    "tractor" "" "tractor"
    "chaplygin_sleigh" "lie/" "chaplygin_sleigh"
    "snakeboard" "lie/" "snakeboard"
    "two_wheeled_robot" "lie/" "two_wheeled_robot"
    "roller_racer" "lie/" "roller_racer"
    "vertical_disk" "lie/" "vertical_disk"
    "ball_as_printed" "lie/" "ball_as_printed"
    "chaplygin_ball" "lie/" "chaplygin_ball"
    "chaplygin_top" "lie/" "chaplygin_ball"
    "suslov" "lie/" "suslov"
    "se3_body" "lie/" "se3_body"
    "nonholonomic_particle" "lie/" "nonholonomic_particle"
    "rattleback" "lie/" "rattleback"
};

/// The model of this name, with or without a group factor where there are both.
pub fn named(name: &str, on_group: bool) -> Option<&'static Bundled> {
    let mut named = MODELS.iter().filter(|model| model.name == name);
    let first = named.next()?;
    Some(if first.on_group == on_group { first } else { named.next().unwrap_or(first) })
}

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

/// The model of this name, with or without a group factor where there are both, derived when it is first used. It lives as
/// long as the process.
///
/// # Errors
/// [`Unloaded`].
pub fn loaded(name: &str, on_group: bool) -> Result<&'static Declared, Unloaded> {
    static LOADED: Mutex<Option<HashMap<(&str, bool), &Declared>>> = Mutex::new(None);
    let bundled = named(name, on_group).ok_or_else(|| Unloaded::Unknown(name.to_owned()))?;
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let loaded = loaded.get_or_insert_default();
    let key = (bundled.name, bundled.on_group);
    if let Some(model) = loaded.get(&key) {
        return Ok(model);
    }
    let model: &Declared = Box::leak(Box::new(bundled.load().map_err(Unloaded::Failed)?));
    loaded.insert(key, model);
    Ok(model)
}

impl Bundled {
    /// Reads and derives it.
    ///
    /// # Errors
    /// None but where no machine code can be run: the texts are those of this program, and tests read them all.
    pub fn load(&self) -> Result<Declared, Error> {
        self.load_with(&[])
    }

    /// The same with further outputs.
    ///
    /// # Errors
    /// Mistakes in the outputs.
    pub fn load_with(&self, outputs: &[(&str, Option<&str>)]) -> Result<Declared, Error> {
        let facts: Map<String, Value> =
            serde_json::from_str(self.facts).map_err(|error| self.wrong(&error.to_string()))?;
        let text = |name: &str| facts.get(name).and_then(Value::as_str).ok_or_else(|| self.wrong(name));
        let list = |name: &str| facts.get(name).and_then(Value::as_array).ok_or_else(|| self.wrong(name));
        let object = |name: &str| facts.get(name).and_then(Value::as_object).ok_or_else(|| self.wrong(name));
        let (file, name) = (text("declaration")?, text("struct")?);
        let mut all: Vec<(&str, Option<&str>)> = Vec::new();
        for (output, expression) in object("outputs")? {
            let expression = expression.as_str().ok_or_else(|| self.wrong(output))?;
            all.push((output, Some(expression).filter(|expression| expression != output)));
        }
        all.extend(outputs);
        let system = System::with_outputs(self.declaration, file, Some(name), &all)?;
        let expression = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let params = object("params")?;
        // As parameters of themselves, numbers and expressions are read in one way.
        let values = system.parameters().iter().map(|name| params.get(name).map(expression));
        let values: Option<Vec<String>> = values.collect();
        let defaults = self.constants(file, name, &values.ok_or_else(|| self.wrong("params"))?)?;
        let start: Vec<String> = list("q0")?.iter().chain(list("v0")?).map(expression).collect();
        if start.len() != system.coordinates().len() + system.velocities().len() {
            return Err(self.wrong("q0 and v0"));
        }
        let reference = list("coordinates")?.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let start = Initial::read(self.declaration, file, name, &start)?;
        let facts = Facts {
            name: text("name")?.to_owned(),
            summary: text("summary")?.to_owned(),
            reference,
            defaults,
            start: Start::Computed(Arc::new(start)),
            conservative: facts
                .get("conservative")
                .and_then(Value::as_bool)
                .ok_or_else(|| self.wrong("conservative"))?,
        };
        Declared::new(system, facts)
    }

    fn constants(&self, file: &str, name: &str, values: &[String]) -> Result<Vec<f64>, Error> {
        Ok(Initial::read(self.declaration, file, name, values)?.constants())
    }

    fn wrong(&self, what: &str) -> Error {
        DeclarationError::one(Mistake::new(format!("the facts of `{}`: {what}", self.name))).into()
    }
}
