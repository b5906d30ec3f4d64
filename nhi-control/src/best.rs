//! Results from several start guesses.

use alloc::vec::Vec;

/// The best of several results, and the others.
pub type Best<T> = (T, Vec<T>);

/// Each of several results once: the first one of those that are the same.
pub(crate) fn distinct<T>(all: impl IntoIterator<Item = T>, is_same: impl Fn(&T, &T) -> bool) -> Vec<T> {
    let mut distinct: Vec<T> = Vec::new();
    for result in all {
        if !distinct.iter().any(|other| is_same(other, &result)) {
            distinct.push(result);
        }
    }
    distinct
}
