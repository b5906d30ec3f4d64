//! Powers of one value share their products.

use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::pipeline::Derived;

/// The number of multiplications in the code of a free particle with this mass.
fn multiplications(mass: &str) -> usize {
    let source = format!(
        "#[nonholonomic(coordinates(x, y), lagrangian = {mass}/2*(dot(x)^2 + dot(y)^2), constraints())]
        struct S {{ m: f64 }}"
    );
    let input: syn::DeriveInput = syn::parse_str(&source).expect("a struct");
    let declaration = Declaration::parse(&input).expect("a declaration");
    let derived = Derived::new(declaration, &mut BuiltIn).expect("a derivation");
    let code = derived.implementation().expect("an implementation").to_string();
    code.matches(" * ").count()
}

/// A polynomial in a parameter takes a few multiplications for each of its powers in each function that it occurs in, not the
/// logarithm of the exponent.
#[test]
fn polynomials_in_parameters() {
    let base = multiplications("m");
    for degree in [100, 400, 1000] {
        let count = multiplications(&format!("sum(i in 0..{degree}, m^i)")) - base;
        assert!(count < 20 * degree, "{count} for degree {degree}");
    }
    // Without the others, a power takes two multiplications for each binary digit at most.
    let alone = multiplications("(1 + m^1000)") - base;
    assert!(alone < 20 * 20, "{alone}");
}
