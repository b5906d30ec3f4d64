//! Many trajectories on all cores.

use crate::error::Error;
use crate::recording::{Column, Quantity, Recording};
use crate::run::Run;
use rayon::prelude::*;
use std::ops::ControlFlow;

/// The recordings of all runs, in their order: no number depends on the number of threads. `progress` is called with the
/// steps that were taken since the call before, from any thread, and may end all runs.
pub fn record_all(
    runs: &[Run],
    progress: &(dyn Fn(u64) -> ControlFlow<()> + Sync),
) -> Vec<Result<Recording, Error>> {
    // One thread compiles what the others would wait for.
    for run in runs {
        if let Some(variant) = run.scheme.variant()
            && let Err(error) = run.system.compiled(variant)
        {
            return runs.iter().map(|_| Err(error.clone())).collect();
        }
    }
    let record = |run: &Run| {
        let mut before = 0;
        run.record(&mut |k| {
            let taken = k - before;
            before = k;
            progress(taken)
        })
    };
    runs.par_iter().map(record).collect()
}

/// Recordings of one system one below the other, with what distinguishes the runs in columns after `k` and `t`: for each of
/// `names` a value per run. The facts of the table are those of the first run; `stopped` tells of the first that ended early,
/// `warnings` of the first that has any.
pub fn table(names: &[String], runs: Vec<(Vec<f64>, Recording)>) -> Option<Recording> {
    let mut runs = runs.into_iter();
    let (values, first) = runs.next()?;
    let tags = |values: &[f64], samples: usize| -> Vec<Column> {
        let column = |(name, &value): (&String, &f64)| Column {
            name: name.clone(),
            quantity: Quantity::Swept,
            values: vec![value; samples],
        };
        names.iter().zip(values).map(column).collect()
    };
    let place = 2.min(first.columns.len());
    let tagged = |values: &[f64], recording: &mut Recording| {
        let tags = tags(values, recording.samples());
        recording.columns.splice(place..place, tags);
    };
    let mut all = first;
    tagged(&values, &mut all);
    for (values, mut recording) in runs {
        tagged(&values, &mut recording);
        for (column, more) in all.columns.iter_mut().zip(recording.columns) {
            column.values.extend(more.values);
        }
        for (body, more) in all.bodies.iter_mut().zip(recording.bodies) {
            for (column, more) in body.place.iter_mut().zip(more.place) {
                column.values.extend(more.values);
            }
        }
        if all.about.stopped.is_none() {
            all.about.stopped = recording.about.stopped;
        }
        if all.about.warnings.is_empty() {
            all.about.warnings = recording.about.warnings;
        }
    }
    all.about.parameters.retain(|(name, _)| !names.contains(name));
    Some(all)
}
