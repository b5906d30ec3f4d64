//! Fewer samples for the eye.

use std::collections::BTreeSet;

/// The samples that are shown, in order: all of them, or about `limit`. One half of these are evenly spaced, so that a
/// motion remains one; the other half are the extremes of every column in stretches of equal lengths, so that no
/// peak is lost. The first and the last sample are kept, and all columns keep the same samples.
pub(super) fn kept(columns: &[&[f64]], limit: usize) -> Vec<usize> {
    let samples = columns.first().map_or(0, |column| column.len());
    if samples <= limit {
        return (0..samples).collect();
    }
    let stride = samples.div_ceil((limit / 2).max(1));
    let mut kept: BTreeSet<usize> = (0..samples).step_by(stride).chain([samples - 1]).collect();
    let stretches = (limit / (4 * columns.len())).max(1);
    let length = samples.div_ceil(stretches);
    for column in columns {
        for start in (0..samples).step_by(length) {
            let finite = || (start..samples.min(start + length)).filter(|&k| column[k].is_finite());
            kept.extend(finite().min_by(|&a, &b| column[a].total_cmp(&column[b])));
            kept.extend(finite().max_by(|&a, &b| column[a].total_cmp(&column[b])));
        }
    }
    kept.into_iter().collect()
}
