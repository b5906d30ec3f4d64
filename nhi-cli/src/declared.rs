//! Declarations and the cases that name them.

use crate::case::{Case, Malformed, unknown};
use crate::failed::Failed;
use crate::files::{extension, read};
use crate::models;
use crate::problem::Problem;
use nhi_codegen::engine::{Engine, default_engine};
use nhi_codegen::source::{ExpandError, structs};
use nhi_run::model::{Bundled, Declared, Unloaded, loaded, named};
use nhi_run::{Error, Phase, System, apart};
use std::io::{IsTerminal, stderr};
use std::path::Path;

/// The system that is declared in a file, with outputs: names, or names with expressions.
pub(crate) fn system(
    file: &Path,
    name: Option<&str>,
    outputs: &[(&str, Option<&str>)],
) -> Result<System, Failed> {
    let text = read(file)?;
    System::with_outputs(&text, &file.display().to_string(), name, outputs)
        .map_err(|error| failed(error.into()))
}

/// The model that stands in the place of a file which does not exist.
pub(crate) fn bundled(file: &Path) -> Result<&'static Bundled, Failed> {
    let name = file.to_string_lossy();
    named(&name, false).ok_or_else(|| {
        let problem = unknown(&name, "model", &models::names(), "");
        Failed::Wrong(format!("{name}: no such file, and {problem}"))
    })
}

/// The text of a file with declarations, or of the model of that name where there is no such file.
pub(crate) fn source(file: &Path) -> Result<String, Failed> {
    match extension(file).is_empty() && !file.exists() {
        true => Ok(bundled(file)?.declaration.to_owned()),
        false => read(file),
    }
}

/// What is derived from the text of a file. If that takes long, a terminal shows it.
pub(crate) fn derived<T: Send>(
    derive: impl FnOnce(&mut dyn Engine) -> Result<T, Failed> + Send,
) -> Result<T, Failed> {
    apart(Phase::Derivation, || derive(default_engine().as_mut()))
        .unwrap_or_else(|bug| Err(Failed::Stopped(bug)))
}

/// An error of a declaration as rustc prints it, any other in a line.
pub(crate) fn failed(error: Error) -> Failed {
    match error {
        Error::Declaration(error) => Failed::Rejected(error.render(stderr().is_terminal())),
        error => Failed::Wrong(error.to_string()),
    }
}

impl From<Unloaded> for Failed {
    fn from(unloaded: Unloaded) -> Self {
        match unloaded {
            Unloaded::Failed(error) => failed(error),
            unknown => Failed::Wrong(unknown.to_string()),
        }
    }
}

/// Why code or a report could not be made of a file with this text: mistakes of declarations as [`failed`] prints them.
pub(crate) fn unexpanded(file: &Path, text: &str, name: Option<&str>, error: &ExpandError) -> Failed {
    let path = file.display().to_string();
    let names = match name {
        Some(name) => vec![name.to_owned()],
        None => structs(text).unwrap_or_default().iter().map(|item| item.ident.to_string()).collect(),
    };
    let parsed = names.iter().map(|name| System::parse(text, &path, Some(name)));
    let rejected: Vec<String> = match error {
        ExpandError::Syntax(_) => {
            let rejected = System::parse(text, &path, name).err();
            rejected.map(|error| error.render(stderr().is_terminal())).into_iter().collect()
        }
        ExpandError::Declaration(_) => {
            parsed.filter_map(Result::err).map(|error| error.render(stderr().is_terminal())).collect()
        }
        _ => Vec::new(),
    };
    match rejected.is_empty() {
        // The declarations are sound; a method does not apply, say.
        true => Failed::Wrong(format!("{path}: {error}")),
        false => Failed::Rejected(rejected.join("\n\n")),
    }
}

/// Reads a case.
pub(crate) fn case(path: &Path) -> Result<Problem<'static>, Failed> {
    let text = read(path)?;
    let wrong = |malformed: Malformed| Failed::Wrong(format!("{}: {malformed}", path.display()));
    let case = Case::parse(&text).map_err(wrong)?;
    let model = model(path, &case)?;
    Problem::of(case, &text, model).map_err(wrong)
}

/// The model of a case. Its declaration stands in a file relative to that of the case.
pub(crate) fn model(path: &Path, case: &Case) -> Result<&'static Declared, Failed> {
    let wrong = |malformed: Malformed| Failed::Wrong(format!("{}: {malformed}", path.display()));
    let outputs: Vec<_> = case.outputs.iter().flatten().collect();
    let outputs: Vec<(&str, Option<&str>)> = outputs
        .into_iter()
        .map(|(name, text)| (name.as_str(), Some(text.as_str()).filter(|text| text != name)))
        .collect();
    match (&case.model, &case.declaration) {
        (Some(_), Some(_)) => {
            Err(wrong(Malformed::new("declaration", "a case has a model or a declaration")))
        }
        (None, None) => Err(wrong(Malformed::new("model", "missing"))),
        (None, Some(file)) => {
            let file = path.parent().unwrap_or(Path::new("")).join(file);
            let system = system(&file, case.name.as_deref(), &outputs)?;
            Ok(Box::leak(Box::new(Declared::of(system).map_err(failed)?)))
        }
        (Some(name), None) => {
            let on_group = case.group.as_ref().is_some_and(|group| group != "R^0");
            let bundled = named(name, on_group)
                .ok_or_else(|| wrong(unknown(name, "model", &models::names(), "model")))?;
            match outputs.is_empty() {
                true => Ok(loaded(name, on_group)?),
                false => Ok(Box::leak(Box::new(bundled.load_with(&outputs).map_err(failed)?))),
            }
        }
    }
}
