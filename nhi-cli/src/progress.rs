//! Progress of long runs, on a terminal, and their interruption.

use indicatif::{ProgressBar, ProgressStyle};
use nhi_run::{Observer, Phase};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

/// Shorter runs show no bar.
const PATIENCE: Duration = Duration::from_secs(1);
/// Steps between two readings of the clock.
const LOOK: u64 = 1 << 12;

/// Monitors a run of many steps and shows a bar on standard error if it is long.
pub(crate) struct Progress {
    started: Instant,
    steps: u64,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub(crate) fn new(steps: u64) -> Self {
        Progress { started: Instant::now(), steps, bar: None }
    }

    /// `k` steps have been taken.
    pub(crate) fn at(&mut self, k: u64) {
        if !k.is_multiple_of(LOOK) {
            return;
        }
        if self.bar.is_none() && self.started.elapsed() > PATIENCE {
            let bar = steps(self.steps);
            // The speed is measured from here, not from the start of the run.
            bar.set_position(k);
            bar.reset_eta();
            self.bar = Some(bar);
        }
        if let Some(bar) = &self.bar {
            bar.set_position(k);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A bar for `count` cells of the scoreboard.
pub(crate) fn cells(count: usize) -> ProgressBar {
    bar(count as u64, "{bar:40} {pos} of {len} cells")
}

/// A bar for `count` steps.
pub(crate) fn steps(count: u64) -> ProgressBar {
    bar(count, "{bar:40} {human_pos} of {human_len} steps, {eta} left")
}

/// A bar on standard error, hidden if that is not a terminal.
fn bar(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Whether the user has interrupted the program.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Exit code of a program that is interrupted while it writes what it has.
const INTERRUPTED_TWICE: i32 = 130;

/// Shows derivations and compilations that last as a line on standard error, while they last.
pub(crate) struct LongWork(Mutex<Option<ProgressBar>>);

/// That of the program.
pub(crate) static LONG_WORK: LongWork = LongWork(Mutex::new(None));

impl LongWork {
    fn line(&self) -> MutexGuard<'_, Option<ProgressBar>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for LongWork {
    fn lasts(&self, phase: Phase, taken: Duration) {
        let mut line = self.line();
        let bar = line.get_or_insert_with(|| bar(0, "{msg}"));
        bar.set_message(format!("{phase}: {} s", taken.as_secs()));
        bar.tick();
    }

    fn ends(&self) {
        if let Some(bar) = self.line().take() {
            bar.finish_and_clear();
        }
    }
}

/// From here on, Ctrl-C ends the run, which keeps its samples; a second one ends the program.
pub(crate) struct Interrupt(());

impl Interrupt {
    pub(crate) fn new() -> Self {
        static LISTENS: Once = Once::new();
        LISTENS.call_once(|| {
            // Where no handler can be set, Ctrl-C ends the program, as usual.
            let _ = ctrlc::set_handler(|| {
                if INTERRUPTED.swap(true, Ordering::Relaxed) {
                    std::process::exit(INTERRUPTED_TWICE);
                }
            });
        });
        Interrupt(())
    }

    pub(crate) fn check(&self) -> ControlFlow<()> {
        match INTERRUPTED.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}
