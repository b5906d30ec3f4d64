//! Emitted Rust.

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::pipeline::Derived;

fn derived(text: &str) -> Derived {
    let input = syn::parse_str(text).expect("a struct");
    let declaration = Declaration::parse(&input).expect("no mistakes");
    Derived::new(declaration, &mut BuiltIn).expect("derivable")
}

#[test]
fn show() {
    let d = derived(
        "#[nonholonomic(
            coordinates(theta, x, y),
            lagrangian = J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
            constraints(a*dtheta + sin(theta)*dx - cos(theta)*dy = 0),
            methods(Dla2, Rattle))]
         pub struct Sleigh { pub J: f64, pub m: f64, pub a: f64 }",
    );
    println!("{}", d.pretty());
}
