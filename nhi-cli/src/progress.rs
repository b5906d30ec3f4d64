//! Progress of long runs, on a terminal.

use indicatif::{ProgressBar, ProgressStyle};
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
            let bar = bar(self.steps, "{bar:40} {human_pos} of {human_len} steps, {eta} left");
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

/// A bar on standard error, hidden if that is not a terminal.
fn bar(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
