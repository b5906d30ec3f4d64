//! How much of their work tests do.
//!
//! A test that iterates over models, random cases or steps takes a sample of them by default, so that `cargo test` answers
//! within minutes. With the environment variable `NHI_TESTS=all` it takes all of them; `.ci/run` sets this variable. The head
//! of each such test says what it samples.

/// Whether tests have to do all their work: `NHI_TESTS=all`.
pub fn exhaustive() -> bool {
    std::env::var_os("NHI_TESTS").is_some_and(|value| value == "all")
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
