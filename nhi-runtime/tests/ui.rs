//! What the compiler says about declarations, right and wrong: every error of the derive on its
//! token. `TRYBUILD=overwrite` writes the expected texts anew; read them before they are kept.
//!
//! The cases are built in a target directory of their own, with everything that they depend on. This takes minutes, and so they
//! are compiled only with `NHI_TESTS=ui`, with `TRYBUILD`, and with `NHI_TESTS=all`. With Symbolica it would
//! take longer still.
//!
//! ```text
//! NHI_TESTS=ui cargo test -p nhi-runtime --test ui
//! ```
#![cfg(all(feature = "derive", feature = "std", feature = "nalgebra", not(feature = "symbolica")))]

use std::env::{var, var_os};
use std::io::{Write, stderr};

#[test]
fn declarations() {
    let wanted = var("NHI_TESTS").is_ok_and(|tests| tests == "ui") || var_os("TRYBUILD").is_some();
    if !wanted && !nhi_tiers::exhaustive() {
        // Not captured with the output of the test.
        writeln!(stderr(), "no declaration is compiled: set NHI_TESTS=ui").expect("an open stderr");
        return;
    }
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
