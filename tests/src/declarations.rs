//! Declarations as values, for tests that derive what the macro derives.

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::default_engine;
use nhi_codegen::optimised::Optimised;
use nhi_codegen::pipeline::Derived;
use nhi_codegen::source::structs;
use nhi_models::Model;
use std::path::Path;

/// Time in the Lagrangian and in constraints, which an input drives too.
pub const DRIVEN: &str = "
    #[derive(Nonholonomic)]
    #[nonholonomic(
        coordinates(theta, x, y, s), inputs(u),
        lagrangian = (1 + sin(t)/4)*(dot(x)^2 + dot(y)^2)/2 + dot(theta)^2/4 + dot(s)^2/2 - cos(2*t)*x,
        constraints(blade: a*dtheta + sin(theta)*(dx - sin(3*t)*dt) - cos(theta)*dy, cart: dot(s) - (1 + y/3)*u),
        methods(Dla2, DlaRattle, Rdp, Rattle),
    )]
    struct Pulled { a: f64 }
";

/// The declarations in a text.
pub fn declarations(text: &str) -> Vec<Declaration> {
    let found = structs(text).expect("Rust");
    found.iter().map(|found| Declaration::parse(found).expect("no mistakes")).collect()
}

/// The declaration of a model, in a file of the `models` crate.
pub fn of_model(model: &dyn Model) -> Declaration {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/src");
    let folders = [folder.join("lie"), folder];
    let files =
        folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("the models beside this crate"));
    let paths = files.map(|file| file.expect("a file").path());
    let sources = paths.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let found =
        sources.flat_map(|path| structs(&std::fs::read_to_string(path).expect("text")).expect("Rust"));
    let named = found.filter(|found| found.ident == model.system());
    let mut all = named.map(|found| Declaration::parse(&found).expect("no mistakes"));
    let has_group = |declaration: &Declaration| !declaration.system.group.is_trivial();
    all.find(|declaration| has_group(declaration) == model.group().is_some())
        .expect("the declaration of the model")
}

/// Everything that follows from a declaration.
pub fn derive(declaration: Declaration) -> (Derived, Optimised) {
    let derived = Derived::new(declaration, default_engine().as_mut()).expect("derivable");
    let optimised = derived.optimised().expect("finite constants");
    (derived, optimised)
}
