//! The interpreter while Rust works: signals and progress.

use nhi_run::{Observer, Phase};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Time between two looks at signals: short for people, long beside taking the interpreter lock.
const PERIOD: Duration = Duration::from_millis(50);

/// Time that steps take between two looks at the time.
const ROUND: Duration = Duration::from_millis(20);

/// The text of a derivation or compilation that lasts. The threads that wait for it have no interpreter, and leave it here.
pub(crate) struct LongWork(Mutex<Option<String>>);

/// That of the process.
pub(crate) static LONG_WORK: LongWork = LongWork(Mutex::new(None));

impl LongWork {
    fn text(&self) -> MutexGuard<'_, Option<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for LongWork {
    fn lasts(&self, phase: Phase, taken: Duration) {
        *self.text() = Some(format!("{phase}: {} s", taken.as_secs()));
    }

    fn ends(&self) {
        *self.text() = None;
    }
}

/// The line that a terminal or a notebook shows of work that lasts (`nhi._progress.show`).
#[derive(Default)]
struct Line(Option<String>);

impl Line {
    /// Shows what is known now.
    fn update(&mut self, py: Python<'_>) -> PyResult<()> {
        let text = LONG_WORK.text().clone();
        if text != self.0 {
            py.import("nhi._progress")?.call_method1("show", (text.as_deref(),))?;
            self.0 = text;
        }
        Ok(())
    }

    /// Erases it.
    fn erase(mut self, py: Python<'_>) -> PyResult<()> {
        match self.0.take() {
            Some(_) => py.import("nhi._progress")?.call_method1("show", (None::<&str>,)).map(|_| ()),
            None => Ok(()),
        }
    }
}

/// What `work` returns. It runs on a thread of its own, without the interpreter lock; after a signal whose handler raises,
/// nothing waits for it any more.
///
/// # Errors
/// What a signal's handler raises.
pub(crate) fn waited_for<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = mpsc::channel();
    // Nobody receives after an interrupt.
    thread::spawn(move || sender.send(work()).unwrap_or(()));
    let mut line = Line::default();
    loop {
        let received;
        (received, receiver) = py.detach(move || (receiver.recv_timeout(PERIOD), receiver));
        let looked = match received {
            Ok(result) => line.erase(py).map(|()| result),
            Err(RecvTimeoutError::Timeout) => match py.check_signals().and_then(|()| line.update(py)) {
                Ok(()) => continue,
                Err(raised) => line.erase(py).and(Err(raised)),
            },
            Err(RecvTimeoutError::Disconnected) => line.erase(py).and_then(|()| {
                Err(PyRuntimeError::new_err("a bug of nhi, please report it: a thread has panicked"))
            }),
        };
        return looked;
    }
}

/// Looks at signals, such as Ctrl-C, and reports progress while the interpreter lock is released.
pub(crate) struct Watch {
    progress: Option<Py<PyAny>>,
    pending: u64,
    last: Instant,
    /// Steps that take about as long as `ROUND`.
    round: u64,
}

impl Watch {
    /// `progress` is called with the steps that were taken since the call before.
    pub(crate) fn new(progress: Option<Py<PyAny>>) -> Watch {
        Watch { progress, pending: 0, last: Instant::now(), round: 1 }
    }

    /// Takes `steps` steps by `advance`, in rounds that are short whatever a step costs.
    ///
    /// # Errors
    /// What `advance` and [`Watch::after`] raise.
    pub(crate) fn rounds(
        &mut self,
        steps: u64,
        mut advance: impl FnMut(u64) -> PyResult<()>,
    ) -> PyResult<()> {
        let mut left = steps;
        while left > 0 {
            let count = left.min(self.round);
            let start = Instant::now();
            advance(count)?;
            let elapsed = start.elapsed();
            if elapsed > ROUND {
                self.round = (self.round / 2).max(1);
            } else if count == self.round && elapsed < ROUND / 2 {
                self.round = self.round.saturating_mul(2);
            }
            left -= count;
            self.after(count)?;
        }
        Ok(())
    }

    /// After `steps` steps.
    ///
    /// # Errors
    /// What a signal's handler or `progress` raises.
    pub(crate) fn after(&mut self, steps: u64) -> PyResult<()> {
        self.pending += steps;
        if self.last.elapsed() < PERIOD {
            return Ok(());
        }
        Python::attach(|py| {
            py.check_signals()?;
            self.report(py)
        })?;
        self.last = Instant::now();
        Ok(())
    }

    /// Reports what has not been reported.
    ///
    /// # Errors
    /// What `progress` raises.
    pub(crate) fn report(&mut self, py: Python<'_>) -> PyResult<()> {
        if let Some(progress) = &self.progress {
            progress.call1(py, (std::mem::take(&mut self.pending),))?;
        }
        Ok(())
    }
}
