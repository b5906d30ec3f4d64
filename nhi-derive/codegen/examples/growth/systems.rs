//! Systems of any size, and what the derive makes of them.

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::pipeline::Derived;
use std::time::{Duration, Instant};

/// A family of systems: its name, and the attribute of the system with N bodies.
pub(crate) type Family = (&'static str, fn(usize) -> String);

/// Every family.
pub(crate) const FAMILIES: [Family; 3] =
    [("car with N trailers", trailers), ("snake of N links", snake), ("N oscillators", oscillators)];

/// A car that pulls trailers. Every axle rolls without slipping sideways.
fn trailers(n: usize) -> String {
    format!(
        "coordinates(x, y, theta[{n} + 1]),
         let(
             px[0] = x,
             py[0] = y,
             for i in 1..{n} + 1 {{
                 px[i] = px[i - 1] - l*cos(theta[i]),
                 py[i] = py[i - 1] - l*sin(theta[i]),
             }},
         ),
         lagrangian = sum(i in 0..{n} + 1, m/2*(dot(px[i])^2 + dot(py[i])^2) + inertia/2*dot(theta[i])^2),
         constraints(for i in 0..{n} + 1 {{ axle[i]: sin(theta[i])*d(px[i]) - cos(theta[i])*d(py[i]) }}),
         methods(Dla2)"
    )
}

/// Links in the plane, joined end to end, each on wheels at its middle, with springs in the joints.
fn snake(n: usize) -> String {
    format!(
        "coordinates(x, y, phi[{n}]),
         let(
             cx[0] = x,
             cy[0] = y,
             for i in 1..{n} {{
                 cx[i] = cx[i - 1] - l/2*(cos(phi[i - 1]) + cos(phi[i])),
                 cy[i] = cy[i - 1] - l/2*(sin(phi[i - 1]) + sin(phi[i])),
             }},
         ),
         lagrangian = sum(i in 0..{n}, m/2*(dot(cx[i])^2 + dot(cy[i])^2) + inertia/2*dot(phi[i])^2)
             - k/2*sum(i in 1..{n}, (phi[i] - phi[i - 1])^2),
         constraints(for i in 0..{n} {{ wheels[i]: cos(phi[i])*d(cy[i]) - sin(phi[i])*d(cx[i]) }}),
         methods(Dla2)"
    )
}

/// Oscillators in pairs with one constraint (McLachlan and Perlmutter 2006, section 5.3).
fn oscillators(n: usize) -> String {
    format!(
        "coordinates(x, y[{n}], z[{n}]),
         lagrangian = (dot(x)^2 + sum(i in 0..{n}, dot(y[i])^2 + dot(z[i])^2))/2
             - (x^2 + sum(i in 0..{n}, y[i]^2 + z[i]^2 + y[i]^2*z[i]^2))/2,
         constraints(dx + sum(i in 0..{n}, y[i]*dz[i])),
         methods(Dla2)"
    )
}

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
        let tokens = derived.implementation().expect("finite constants");
        let time = start.elapsed();
        assert!(!tokens.is_empty());
        let optimised = derived.optimised().expect("finite constants");
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
