//! What the compiler says about declarations, right and wrong: every error of the derive on its
//! token. `TRYBUILD=overwrite` writes the expected texts anew; read them before they are kept.
#![cfg(all(feature = "derive", feature = "std", feature = "nalgebra"))]

#[test]
fn declarations() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    cases.compile_fail("tests/ui/*.rs");
}
