//! Reports: what people read is what runs.

mod formulas;
mod known;
mod printed;

use nhi_codegen::engine::BuiltIn;
use nhi_codegen::expand::structs;
use nhi_codegen::generate::Request;
use nhi_codegen::pipeline::Derived;
use nhi_codegen::report::Report;
use std::path::Path;

/// The models of the `models` crate: name of the file, and source.
fn models() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/src");
    let mut files = Vec::new();
    for folder in [folder.clone(), folder.join("lie")] {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let source = std::fs::read_to_string(&path).expect("a readable file");
            if !structs(&source).expect("Rust").is_empty() {
                let mut names = path.iter().rev().take(2).map(|part| part.to_string_lossy().into_owned());
                let (file, folder) = (names.next().expect("a file"), names.next().expect("a folder"));
                files.push((format!("{folder}/{file}"), source));
            }
        }
    }
    files.sort();
    assert!(files.len() > 25, "{} models", files.len());
    files
}

fn model(name: &str) -> String {
    models().into_iter().find(|(file, _)| file == name).unwrap_or_else(|| panic!("no model {name}")).1
}

/// What follows from the struct of a source file, with one method.
fn derived(source: &str, method: &str) -> Derived {
    let request = Request { name: None, methods: vec![method.to_owned()] };
    request.derive(source, &mut BuiltIn).unwrap_or_else(|e| panic!("{e}")).remove(0).1
}

/// What follows from a declaration with the parameters m, c and r.
fn declared(keys: &str) -> Derived {
    let source =
        format!("#[derive(Nonholonomic)] #[nonholonomic({keys})] struct S {{ m: f64, c: f64, r: f64 }}");
    derived(&source, "rattle")
}

fn report(derived: &Derived) -> Report {
    Report::of(derived, &mut BuiltIn).unwrap_or_else(|rejected| panic!("{:?}", rejected.errors))
}
