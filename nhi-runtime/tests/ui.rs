//! What the compiler says about declarations, right and wrong: every error of the derive on its
//! token. `TRYBUILD=overwrite` writes the expected texts anew; read them before they are kept.
//!
//! With the built-in engine: the cases are built in a target directory of their own, with everything that they
//! depend on, which with Symbolica takes minutes.
//!
//! ```text
//! cargo test -p nhi-runtime --test ui
//! ```
#![cfg(all(feature = "derive", feature = "std", feature = "nalgebra", not(feature = "symbolica")))]

#[test]
fn declarations() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    cases.compile_fail("tests/ui/*.rs");
}

/// One of the cases is the program of the README, which compiles without a warning.
#[test]
fn the_front_page() {
    let case = include_str!("ui/pass/front_page.rs").strip_prefix("#![deny(warnings)]\n");
    assert_eq!(case, Some(include_str!("../../examples/sleigh.rs")));
}
