//! Build time of a model: the derive's time, the size of the generated code, and the time that a crate
//! with the model adds to that of its dependencies.
//!
//! Such a crate is created under `target/compile-time`: the model and, for each method, a function that takes
//! steps, so that the step functions are compiled. It is built as users build it, with the derive compiled by
//! cargo's defaults for procedural macros. The build time of the same crate without a model is subtracted; a
//! crate with the generated code in place of the derive gives the derive's share.

use crate::document::Table;
use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::default_engine;
use nhi_codegen::pipeline::Derived;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::quote;
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use std::{env, fs, io};

/// Builds of each kind; the fastest counts.
const BUILDS: usize = 2;

/// Builds without a model, the reference of all others.
const EMPTY_BUILDS: usize = 4;

/// The profiles of cargo and their output folders.
pub(crate) const PROFILES: [(&str, &str); 2] = [("dev", "debug"), ("release", "release")];

/// The table of the named models (all if no name is given): with the two default methods, and on request also with
/// all methods that they declare.
///
/// # Errors
/// An unknown model name; a model that cannot be read, derived or built.
pub fn table(names: &[String], all_methods: bool) -> Result<Table, Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let models = chosen(models(&root)?, names)?;
    let scratch = Scratch::new(&root, "lib.rs", "//! Nothing.")?;
    let mut text = String::from(
        "| model | methods | derive, ms | lines | kB | debug build, s | derive's part | release build, s | derive's part |\n\
         |---|---|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for model in models {
        for declared in std::iter::once(model.with_two_methods()).chain(all_methods.then_some(model)) {
            let cost = Cost::of(&declared, &scratch).map_err(|e| format!("{}: {e}", declared.name))?;
            let row = row(&declared, &cost);
            // Shows the progress.
            eprintln!("{row}");
            let _ = writeln!(text, "{row}");
        }
    }
    Ok(Table { name: "builds", text })
}

fn row(model: &Model, cost: &Cost) -> String {
    let mut row = format!("| {} | {} | {:.0} |", model.name, model.label(), cost.derive * 1e3);
    let _ = write!(row, " {} | {:.0} |", cost.lines, cost.bytes as f64 / 1e3);
    for (derived, pasted) in cost.builds {
        let part = pasted.map_or("–".into(), |pasted| format!("{:.2}", derived - pasted));
        let _ = write!(row, " {derived:.2} | {part} |");
    }
    row
}

/// A struct that derives `Nonholonomic`.
struct Model {
    /// Its file in `models/src`, such as `lie/snakeboard`.
    name: String,
    item: syn::DeriveInput,
    /// The methods that it declares, as written in the source.
    methods: Vec<Ident>,
    all: bool,
}

impl Model {
    fn label(&self) -> String {
        if self.all {
            return format!("all {}", self.methods.len());
        }
        self.methods.iter().map(Ident::to_string).collect::<Vec<_>>().join(", ")
    }

    /// With the two default methods.
    fn with_two_methods(&self) -> Model {
        let has = |name: &str| self.methods.iter().any(|m| m == name);
        let names = [if has("Dla2") { "Dla2" } else { "Rdp" }, "Rattle"];
        let methods: Vec<Ident> = names.iter().map(|name| Ident::new(name, Span::call_site())).collect();
        let item = with_methods(self.item.clone(), &quote!(#(#methods),*));
        Model { name: self.name.clone(), item, methods, all: false }
    }

    /// Functions that take steps, numbered like the methods.
    fn functions(&self) -> TokenStream {
        let name = &self.item.ident;
        let functions = self.methods.iter().enumerate().map(|(i, method)| {
            let function = Ident::new(&format!("steps_{i}"), Span::call_site());
            let simulation = quote!(nhi_runtime::Simulation<#name, nhi_runtime::#method>);
            quote! {
                pub fn #function(
                    system: #name,
                    q: <#name as nhi_runtime::System>::Configuration<f64>,
                    v: <#name as nhi_runtime::System>::Velocity<f64>,
                    h: f64,
                ) -> Result<#simulation, nhi_runtime::Error> {
                    let mut simulation = nhi_runtime::Simulation::new(system, nhi_runtime::#method, q, v, h)?;
                    simulation.step()?;
                    simulation.advance(1000)?;
                    Ok(simulation)
                }
            }
        });
        quote!(#(#functions)*)
    }

    /// A crate's source with the derive.
    fn with_derive(&self) -> syn::Result<String> {
        let (item, functions) = (&self.item, self.functions());
        formatted(quote!(use nhi_runtime::prelude::*; #item #functions))
    }

    /// The same with the output of the derive.
    fn with_code(&self, code: &TokenStream) -> syn::Result<String> {
        let mut item = self.item.clone();
        item.attrs.retain(|a| !a.path().is_ident("nonholonomic") && !a.path().is_ident("derive"));
        let functions = self.functions();
        formatted(quote!(#[derive(Clone, Debug)] #item #code #functions))
    }
}

/// Breaks the code into lines: for code on a single line the compiler counts characters at every position.
pub(crate) fn formatted(source: TokenStream) -> syn::Result<String> {
    Ok(prettyplease::unparse(&syn::parse2(source)?))
}

/// A declaration with these `methods` in place of its own.
pub(crate) fn with_methods(mut item: syn::DeriveInput, methods: &TokenStream) -> syn::DeriveInput {
    for attribute in item.attrs.iter_mut().filter(|a| a.path().is_ident("nonholonomic")) {
        if let syn::Meta::List(list) = &mut attribute.meta {
            let mut named = false;
            let replaced = list.tokens.clone().into_iter().map(|token| match token {
                TokenTree::Group(_) if named => {
                    named = false;
                    Group::new(Delimiter::Parenthesis, methods.clone()).into()
                }
                token => {
                    named = matches!(&token, TokenTree::Ident(name) if name == "methods");
                    token
                }
            });
            list.tokens = replaced.collect();
        }
    }
    item
}

/// The models of the literature, in the order of their files.
fn models(root: &Path) -> Result<Vec<Model>, Box<dyn Error>> {
    let mut files = Vec::new();
    let source = root.join("models").join("src");
    for folder in ["", "lie"] {
        let entries = fs::read_dir(source.join(folder))?.map(|entry| Ok(entry?.path()));
        let mut of_folder = entries.collect::<io::Result<Vec<PathBuf>>>()?;
        of_folder.sort();
        files.extend(of_folder.into_iter().filter(|path| path.extension().is_some_and(|e| e == "rs")));
    }
    let mut models = Vec::new();
    for path in files {
        let name = path.strip_prefix(&source)?.with_extension("").to_string_lossy().replace('\\', "/");
        for item in syn::parse_file(&fs::read_to_string(&path)?)?.items {
            let syn::Item::Struct(item) = item else { continue };
            if item.attrs.iter().any(|a| a.path().is_ident("nonholonomic")) {
                let item = syn::DeriveInput::from(item);
                let declaration = Declaration::parse(&item).map_err(|rejected| first_error(&rejected))?;
                let derived = Derived::new(declaration, default_engine().as_mut())
                    .map_err(|rejected| first_error(&rejected))?;
                let methods =
                    derived.methods.iter().map(|m| Ident::new(m.method.facts().marker, Span::call_site()));
                models.push(Model { name: name.clone(), methods: methods.collect(), item, all: true });
            }
        }
    }
    Ok(models)
}

/// The models of these names, in their order; all if no name is given.
fn chosen(mut models: Vec<Model>, names: &[String]) -> Result<Vec<Model>, String> {
    if names.is_empty() {
        return Ok(models);
    }
    let all: Vec<String> = models.iter().map(|model| model.name.clone()).collect();
    let take = |name: &String| {
        let model = models.iter().position(|model| model.name == *name);
        model.map(|i| models.remove(i)).ok_or(format!("no model {name}; there are {}", all.join(", ")))
    };
    names.iter().map(take).collect()
}

pub(crate) fn first_error(rejected: &nhi_codegen::declaration::Rejected) -> String {
    rejected.errors.iter().map(ToString::to_string).next().unwrap_or_default()
}

/// The measurements of one model.
struct Cost {
    /// Seconds of the derive, optimised.
    derive: f64,
    /// Lines of the formatted generated code.
    lines: usize,
    /// Kilobytes of its tokens.
    bytes: usize,
    /// For each profile, seconds of the build with the derive and, if measured, with the generated
    /// code in its place, minus those of a build without a model.
    builds: [(f64, Option<f64>); 2],
}

impl Cost {
    fn of(model: &Model, scratch: &Scratch) -> Result<Cost, Box<dyn Error>> {
        let mut engine = default_engine();
        let start = Instant::now();
        let declaration = Declaration::parse(&model.item).map_err(|rejected| first_error(&rejected))?;
        let derived =
            Derived::new(declaration, engine.as_mut()).map_err(|rejected| first_error(&rejected))?;
        let code = derived.implementation().map_err(|rejected| first_error(&rejected))?;
        let derive = start.elapsed().as_secs_f64();
        // Builds with all methods take long: only one, without the parts.
        let rounds = if model.all { 1 } else { BUILDS };
        let with_derive = model.with_derive()?;
        let with_code = (!model.all).then(|| model.with_code(&code)).transpose()?;
        let mut builds = [(f64::INFINITY, None); 2];
        for ((profile, empty), build) in PROFILES.into_iter().zip(scratch.empty).zip(&mut builds) {
            for _ in 0..rounds {
                build.0 = build.0.min(scratch.build(profile, &with_derive)? - empty);
                if let Some(source) = &with_code {
                    let seconds = scratch.build(profile, source)? - empty;
                    build.1 = Some(build.1.map_or(seconds, |least: f64| least.min(seconds)));
                }
            }
        }
        let bytes = code.to_string().len();
        let pretty = derived.pretty(engine.as_mut()).map_err(|rejected| first_error(&rejected))?;
        Ok(Cost { derive, lines: pretty.lines().count(), bytes, builds })
    }
}

/// A crate that depends on the runtime; the dependencies are already built.
pub(crate) struct Scratch {
    folder: PathBuf,
    /// Its only file.
    file: &'static str,
    /// Seconds of a build without a model, for each profile.
    pub(crate) empty: [f64; 2],
}

impl Scratch {
    /// A library or a program, by the name of its file, and its source without a model.
    pub(crate) fn new(root: &Path, file: &'static str, nothing: &str) -> Result<Scratch, Box<dyn Error>> {
        let folder = root.join("target").join("compile-time");
        let sources = folder.join("src");
        if sources.exists() {
            fs::remove_dir_all(&sources)?;
        }
        fs::create_dir_all(sources)?;
        let symbolica = if cfg!(feature = "symbolica") { ", \"symbolica\"" } else { "" };
        let manifest = format!(
            "[package]\nname = \"model\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies.nhi-runtime]\n\
             path = \"../../nhi-runtime\"\ndefault-features = false\nfeatures = [\"derive\", \"std\"{symbolica}]\n\n\
             [workspace]\n",
        );
        fs::write(folder.join("Cargo.toml"), manifest)?;
        let lock = root.join("Cargo.lock");
        if lock.exists() {
            fs::copy(lock, folder.join("Cargo.lock"))?;
        }
        let mut scratch = Scratch { folder, file, empty: [f64::INFINITY; 2] };
        for (i, profile) in PROFILES.into_iter().enumerate() {
            // This one builds the dependencies.
            scratch.build(profile, nothing)?;
            for _ in 0..EMPTY_BUILDS {
                scratch.empty[i] = scratch.empty[i].min(scratch.build(profile, nothing)?);
            }
        }
        Ok(scratch)
    }

    /// Where the last build of the release profile has put a program.
    pub(crate) fn program(&self) -> PathBuf {
        let name = format!("model{}", env::consts::EXE_SUFFIX);
        self.folder.join("target").join("release").join(name)
    }

    /// Seconds of a clean build of the crate with this source.
    pub(crate) fn build(&self, profile: (&str, &str), source: &str) -> Result<f64, Box<dyn Error>> {
        self.build_with(&[], profile, source)
    }

    /// The same with options of rustc for this crate.
    pub(crate) fn build_with(
        &self,
        options: &[&str],
        (profile, folder): (&str, &str),
        source: &str,
    ) -> Result<f64, Box<dyn Error>> {
        fs::write(self.folder.join("src").join(self.file), source)?;
        let target = self.folder.join("target");
        let incremental = target.join(folder).join("incremental");
        if incremental.exists() {
            fs::remove_dir_all(incremental)?;
        }
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(["rustc", "--quiet", "--profile", profile, "--target-dir"]).arg(target);
        command.arg("--").args(options);
        command.current_dir(&self.folder);
        let start = Instant::now();
        let output = command.output()?;
        let seconds = start.elapsed().as_secs_f64();
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        Ok(seconds)
    }
}
