//! Reports: what people read is what runs.
//!
//! By default formulas of four models are compared, and reports of two are printed. `NHI_TESTS=all`,
//! takes all. TeX is compiled where there is LaTeX.

mod formulas;
mod known;
mod printed;

use crate::files;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::generate::Request;
use nhi_codegen::pipeline::Derived;
use nhi_codegen::report::Report;

fn model(name: &str) -> String {
    let file = files::all().into_iter().find(|file| file.name == name);
    file.unwrap_or_else(|| panic!("no model {name}")).text
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
