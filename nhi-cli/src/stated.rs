//! Problems of planning and identification as JSON: a case without its run, and fields of their own.

use crate::bodies;
use crate::case::{Case, Malformed, deserialize, unknown, vector};
use crate::declared::{failed, model};
use crate::failed::Failed;
use crate::files::{read, warn};
use crate::number::Number;
use crate::problem::{given, method_or_first, missing_parameters, one_missing, parameters, pose};
use crate::simulate::{beside, params};
use nhi_methods::Variant;
use nhi_run::model::{Declared, Model};
use nhi_run::{Bodies, Body, Error, Inputs, Pose, Run, Scheme, System};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// The fields that both have in common with cases.
const COMMON: [&str; 12] = [
    "model",
    "declaration",
    "struct",
    "outputs",
    "pose",
    "bodies",
    "params",
    "method",
    "h",
    "q0",
    "v0",
    "every",
];

/// A problem, before it is stated for a system.
pub(crate) struct Stated<T> {
    pub(crate) file: PathBuf,
    pub(crate) system: System,
    pub(crate) variant: Variant,
    pub(crate) parameters: Vec<f64>,
    pub(crate) q0: Vec<f64>,
    pub(crate) v0: Vec<f64>,
    pub(crate) h: f64,
    every: u64,
    pose: Option<Pose>,
    /// Bodies in pictures.
    pub(crate) bodies: Bodies,
    /// Those that the problem names.
    drawn: Vec<Body>,
    /// The common fields as they were given.
    common: Map<String, Value>,
    /// The other fields.
    pub(crate) own: T,
}

/// Numbers that may be left out one by one.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct Free(pub(crate) Vec<Option<Number>>);

/// A motion that a problem leads to.
pub(crate) struct Motion<'a> {
    pub(crate) parameters: &'a [f64],
    pub(crate) q0: &'a [f64],
    pub(crate) v0: &'a [f64],
    pub(crate) inputs: Vec<Vec<f64>>,
    pub(crate) steps: u64,
}

impl<T: DeserializeOwned> Stated<T> {
    /// Reads a problem that has these fields of its own, some of which are required.
    pub(crate) fn read(file: &Path, fields: &[&str], required: &[&str]) -> Result<Stated<T>, Failed> {
        let text = read(file)?;
        let wrong = |malformed: Malformed| Failed::Wrong(format!("{}: {malformed}", file.display()));
        let all: Map<String, Value> =
            deserialize(&mut serde_json::Deserializer::from_str(&text), "").map_err(wrong)?;
        let known = [&COMMON[..], fields].concat();
        if let Some(name) = all.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(wrong(unknown(name, "field", &known, "")));
        }
        let required = ["q0", "v0", "h"].iter().chain(required).copied();
        let missing: Vec<String> =
            required.filter(|name| !all.contains_key(*name)).map(str::to_owned).collect();
        let has_system = all.contains_key("declaration") || all.contains_key("model");
        let (common, own): (Map<_, _>, Map<_, _>) =
            all.into_iter().partition(|(name, _)| COMMON.contains(&name.as_str()));
        let case: Case = deserialize(Value::Object(common.clone()), "").map_err(wrong)?;
        let own: T = deserialize(Value::Object(own), "").map_err(wrong)?;
        if !has_system {
            one_missing(&["declaration".to_owned()].into_iter().chain(missing).collect::<Vec<_>>())
                .map_err(wrong)?;
            return Err(wrong(Malformed::new("declaration", "missing: a file, or the name of a `model`")));
        }
        let model: &Declared = model(file, &case)?;
        let parameters_too = missing_parameters(&case, model).into_iter().chain(missing);
        one_missing(&parameters_too.collect::<Vec<_>>()).map_err(wrong)?;
        let drawn = case.bodies.as_ref().map_or(Ok(Vec::new()), bodies::of_case).map_err(wrong)?;
        let bodies = bodies::read(model.system(), &drawn)?;
        let read = || {
            let (n, m) = (model.coordinates().len(), model.velocities().len());
            let system = model.system().clone();
            let id = method_or_first(&case, model)?;
            let every = case.every.map_or(Ok(1), |every| crate::problem::count(every, "every"))?;
            if every == 0 {
                return Err(Malformed::new("every", "must be at least 1"));
            }
            Ok(Stated {
                file: file.to_path_buf(),
                variant: system.variant(id).map_err(|error| Malformed::new("method", error.to_string()))?,
                system,
                parameters: parameters(&case, model)?,
                q0: vector(given(&case.q0, "q0")?, n, "q0")?,
                v0: vector(given(&case.v0, "v0")?, m, "v0")?,
                h: given(&case.h, "h")?.0,
                every,
                pose: case.pose.clone().map(|names| pose(names, model.coordinates(), "pose")).transpose()?,
                bodies,
                drawn,
                common,
                own,
            })
        };
        read().map_err(wrong)
    }
}

impl<T> Stated<T> {
    /// Warns of parameters and inputs that no formula uses, neither one of the declaration nor of pictures nor one of these texts.
    pub(crate) fn warn_of_unused<'t>(&'t self, texts: impl Iterator<Item = &'t String>) {
        let places = self.drawn.iter().flat_map(|body| &body.place);
        warn(self.system.unused(texts.chain(places).map(String::as_str)));
    }

    /// A mistake of the problem.
    pub(crate) fn wrong(&self, malformed: Malformed) -> Failed {
        Failed::Wrong(format!("{}: {malformed}", self.file.display()))
    }

    /// Why it was not solved.
    pub(crate) fn unsolved(&self, error: Error) -> Failed {
        match error {
            Error::Unsolved(reason) => Failed::Stopped(format!("{}: {reason}", self.file.display())),
            Error::Argument { name, problem } => {
                let field = if name == "parameters" { "params" } else { name };
                self.wrong(Malformed::new(field, problem))
            }
            error => match failed(error) {
                Failed::Wrong(message) => Failed::Wrong(format!("{}: {message}", self.file.display())),
                failed => failed,
            },
        }
    }

    /// The run of a motion, and the case that describes it in a file `out`.
    pub(crate) fn run(&self, motion: Motion<'_>, out: Option<&Path>) -> (Run, Map<String, Value>) {
        let Motion { parameters, q0, v0, inputs, steps } = motion;
        let mut case = Map::new();
        for (name, value) in &self.common {
            let value = match (name.as_str(), value) {
                ("declaration", Value::String(file)) => {
                    let folder = self.file.parent().unwrap_or(Path::new(""));
                    beside(out, &folder.join(file)).into()
                }
                ("params", _) => params(self.system.parameters(), parameters).into(),
                ("q0", _) => q0.into(),
                ("v0", _) => v0.into(),
                _ => value.clone(),
            };
            case.insert(name.clone(), value);
        }
        case.insert("steps".to_owned(), steps.into());
        if !self.system.inputs().is_empty() {
            let rows = inputs.iter().map(|inputs| Value::from(inputs.as_slice()));
            case.insert("inputs".to_owned(), rows.collect());
        }
        let run = Run {
            system: self.system.clone(),
            scheme: Scheme::Steps(self.variant),
            parameters: parameters.to_vec(),
            q0: q0.to_vec(),
            v0: v0.to_vec(),
            z0: Vec::new(),
            inputs: Inputs::PerStep(inputs),
            h: self.h,
            steps,
            every: self.every,
            project: false,
            pose: self.pose.clone(),
        };
        (run, case)
    }
}
