//! Numbers that have to be equal bit for bit.

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

/// Panics if the numbers differ in a bit.
#[track_caller]
pub fn assert_same(name: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(bits(found), bits(expected), "{name}: {found:?} {expected:?}");
}
