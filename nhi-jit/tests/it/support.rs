//! What the tests share.

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::default_engine;
use nhi_codegen::pipeline::Derived;
use nhi_codegen::source::structs;

/// The system with that name in the text of a Rust file.
pub(crate) fn derived(text: &str, name: &str) -> Derived {
    let found = structs(text).expect("Rust");
    let item = found.iter().find(|item| item.ident == name).expect("it is there");
    let declaration = Declaration::parse(item).expect("no mistakes");
    Derived::new(declaration, default_engine().as_mut()).expect("derivable")
}
