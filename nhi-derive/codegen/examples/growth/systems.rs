//! What the derive makes of a system.

use nhi_codegen::declaration::Declaration;
use nhi_codegen::emit::{self, Unit};
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::pipeline::Derived;
use std::time::{Duration, Instant};

/// The size of what is generated.
pub(crate) struct Size {
    /// Statements of all generated functions.
    pub(crate) statements: usize,
    /// Operations of a step.
    pub(crate) operations: String,
}

impl Size {
    /// Of a member of a family, and how long the derive took.
    pub(crate) fn of(attribute: &str) -> (Size, Duration) {
        let start = Instant::now();
        let source =
            format!("#[nonholonomic({attribute})] struct S {{ m: f64, inertia: f64, l: f64, k: f64 }}");
        let input = syn::parse_str(&source).expect("a struct");
        let declaration = Declaration::parse(&input).expect("a declaration");
        let derived = Derived::new(declaration, &mut BuiltIn).expect("a system");
        let optimised = derived.optimised().expect("finite constants");
        let unit = Unit { declaration: &derived.declaration, optimised: &optimised, geometry: None };
        let tokens = emit::implementation(&unit);
        let time = start.elapsed();
        assert!(!tokens.is_empty());
        let statements = optimised.statements();
        (Size { statements, operations: optimised.methods[0].step.operations.to_string() }, time)
    }
}

/// The head of the table of sizes.
pub(crate) const HEAD: &str = "| system | N | operations of a step | statements |\n|---|---:|---|---:|\n";

/// A row of the table.
pub(crate) fn row(name: &str, n: usize, size: &Size) -> String {
    format!("| {name} | {n} | {} | {} |\n", size.operations, size.statements)
}
