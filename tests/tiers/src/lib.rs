//! How much of their work tests do.
//!
//! A test that iterates over models, random cases or steps takes a sample of them by default, so that `cargo test` answers
//! within minutes. It takes all of them if the environment variable `NHI_TESTS` is `all` or a list with the test's package, or
//! with its binary, `NHI_TESTS=nhi-jit,nhi-tests/executors`. The head of each such test says what it samples.

use std::ffi::OsStr;
use std::path::Path;

/// Whether tests have to do all their work: `NHI_TESTS` is `all` or names their package or binary.
pub fn exhaustive() -> bool {
    // Cargo sets the name of the package for the tests that it starts.
    let [tests, package] =
        ["NHI_TESTS", "CARGO_PKG_NAME"].map(|name| std::env::var(name).unwrap_or_default());
    let matches = |name: &str| match name.split_once('/') {
        Some((of, binary)) => of == package && binary == target(),
        None => name == "all" || name == package && !name.is_empty(),
    };
    tests.split(',').any(matches)
}

/// The name of the running test binary, to which cargo appends a hash.
fn target() -> String {
    let file = std::env::current_exe().ok();
    let stem = file.as_deref().and_then(Path::file_stem).and_then(OsStr::to_str).unwrap_or_default();
    stem.rsplit_once('-').map_or(stem, |(target, _)| target).to_owned()
}

/// `all` in exhaustive tests, otherwise `sample`: a number of cases, steps or digits.
pub fn amount<T>(sample: T, all: T) -> T {
    if exhaustive() { all } else { sample }
}

/// The items of `all` whose names are in `sample`; all of them in exhaustive tests.
///
/// # Panics
/// If a name of `sample` is none of an item.
pub fn sampled<'a, T>(all: &'a [T], name: impl Fn(&T) -> &str, sample: &[&str]) -> Vec<&'a T> {
    if exhaustive() {
        return all.iter().collect();
    }
    let item = |wanted: &&str| {
        let found = all.iter().find(|item| name(item) == *wanted);
        found.unwrap_or_else(|| panic!("no item is called {wanted}"))
    };
    sample.iter().map(item).collect()
}
