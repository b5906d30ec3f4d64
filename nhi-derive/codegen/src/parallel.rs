//! Independent work on all processors. The results do not depend on how many there are.

use crate::caught::caught;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;

/// Threads at most.
const MAX_THREADS: usize = 8;

/// The results of `run` on all `work`, in its order. What takes longest should come first. A panic in `run` is one of the
/// caller, with the `name` of the work.
pub fn in_parallel<W: Sync, T: Send>(
    work: &[W],
    name: impl Fn(&W) -> &str + Sync,
    run: impl Fn(&W) -> T + Sync,
) -> Vec<T> {
    let begun = AtomicUsize::new(0);
    let next = || {
        let i = begun.fetch_add(1, Ordering::Relaxed);
        let work = work.get(i)?;
        Some((i, caught(name(work), || run(work))))
    };
    let (sender, receiver) = channel();
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS).min(work.len());
        for _ in 1..threads {
            let (sender, next) = (sender.clone(), &next);
            let all = move || while next().is_some_and(|done| sender.send(done).is_ok()) {};
            // Where there are no threads this one does all the work.
            if thread::Builder::new().spawn_scoped(scope, all).is_err() {
                break;
            }
        }
        while next().is_some_and(|done| sender.send(done).is_ok()) {}
    });
    drop(sender);
    let mut done: Vec<_> = receiver.into_iter().collect();
    done.sort_by_key(|(i, _)| *i);
    // A panic goes on here, where the macro's thread catches it.
    done.into_iter()
        .map(|(_, done)| done.unwrap_or_else(|message| resume_unwind(Box::new(message))))
        .collect()
}
