//! Source files of generated code.

use crate::declared::{derived, source, unexpanded};
use crate::failed::Failed;
use crate::files::{create, save};
use clap::{Args, ValueEnum};
use nhi_codegen::generate::Request;
use nhi_codegen::source::ExpandError;
use std::path::{Path, PathBuf};

/// What to generate from which file.
#[derive(Args, Debug)]
pub(crate) struct Generate {
    /// A Rust source file with declarations, or the name of a model of `nhi models`.
    file: PathBuf,
    /// The language of the generated code.
    #[arg(long, value_name = "LANGUAGE", value_enum, default_value_t = Language::Rust)]
    lang: Language,
    /// Where to write the code: a file for Rust, a folder for C.
    #[arg(long, value_name = "PATH")]
    out: PathBuf,
    /// The struct to generate. Without it, all that derive `Nonholonomic`.
    #[arg(long = "struct", value_name = "NAME")]
    name: Option<String>,
    /// A method by its id (`dla2`; in C also `dla2_suzuki4`, `rdp_cay`) or type (`Dla2`); may be repeated. Without it, the
    /// methods of the declaration.
    #[arg(long, value_name = "M")]
    method: Vec<String>,
    /// The type of numbers in C.
    #[arg(long, value_name = "TYPE", value_enum, default_value_t = Real::Double)]
    real: Real,
    /// Write nothing; fail if the code is missing or stale: of another declaration, other methods or another version.
    #[arg(long)]
    check: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Language {
    Rust,
    C,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Real {
    Double,
    Float,
}

impl Generate {
    /// Writes or checks the files.
    pub(crate) fn execute(&self) -> Result<(), Failed> {
        let source = source(&self.file)?;
        let request = Request { name: self.name.clone(), methods: self.method.clone() };
        match self.lang {
            Language::Rust if self.real == Real::Float => {
                Err(Failed::Wrong("--real float: Rust code is generic over the type of numbers".to_owned()))
            }
            Language::Rust => self.rust(&request, &source),
            Language::C => self.c(&request, &source),
        }
    }

    fn rust(&self, request: &Request, source: &str) -> Result<(), Failed> {
        if is_same(&self.file, &self.out) {
            return Err(Failed::Wrong(format!("--out {}: that is the declaration", self.out.display())));
        }
        if self.check {
            let generated = std::fs::read_to_string(&self.out).unwrap_or_default();
            let is_current =
                request.is_current(source, &generated).map_err(|error| self.wrong(source, &error))?;
            return if is_current { Ok(()) } else { Err(self.stale(&self.out)) };
        }
        let code =
            derived(|engine| request.rust(source, engine).map_err(|error| self.wrong(source, &error)))?;
        save(&self.out, code.as_bytes())
    }

    fn c(&self, request: &Request, source: &str) -> Result<(), Failed> {
        let is_float = self.real == Real::Float;
        let files = derived(|engine| {
            request.c(source, is_float, engine).map_err(|error| self.wrong(source, &error))
        })?;
        if !self.check {
            create(&self.out)?;
        }
        for file in files {
            let path = self.out.join(&file.name);
            if !self.check {
                save(&path, file.text.as_bytes())?;
            } else if std::fs::read(&path).ok().as_deref() != Some(file.text.as_bytes()) {
                return Err(self.stale(&path));
            }
        }
        Ok(())
    }

    /// An invalid declaration or request.
    fn wrong(&self, source: &str, error: &ExpandError) -> Failed {
        unexpanded(&self.file, source, self.name.as_deref(), error)
    }

    fn stale(&self, path: &Path) -> Failed {
        Failed::Stopped(format!(
            "{} is stale: generate it again from {}",
            path.display(),
            self.file.display()
        ))
    }
}

/// Whether both are the same existing file.
fn is_same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}
