//! Work that may be nested deeply or take long, and must not take the program down.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// The stack that rustc gives to macros, twice.
const STACK: usize = 16 << 20;

/// Nothing is shown until work has taken so long, earlier work included; from then on, the time is shown as often.
const PATIENCE: Duration = Duration::from_secs(1);

/// Work that is shorter than this is never shown: a line that is erased at once cannot be read.
const READABLE: Duration = Duration::from_millis(100);

/// Whether a terminal shows work that takes long.
static IS_SHOWN: AtomicBool = AtomicBool::new(false);

/// Milliseconds that earlier work has taken while progress is shown.
static SPENT: AtomicU64 = AtomicU64::new(0);

/// From here on, derivations and compilations that take more than a second together show a line on standard error while they last,
/// if that is a terminal. For programs of their own: a library's standard error belongs to its caller.
pub fn show_progress() {
    IS_SHOWN.store(true, Ordering::Relaxed);
}

/// What work is told by while it takes long.
#[derive(Clone, Copy)]
pub(crate) enum Phase {
    /// Equations and steps, and the passes over them.
    Derivation,
    /// Their translation to machine code.
    Compilation,
    /// First derivatives of steps, derived and compiled.
    FirstDerivatives,
    /// Second ones.
    SecondDerivatives,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Phase::Derivation => "derivation",
            Phase::Compilation => "compilation",
            Phase::FirstDerivatives => "first derivatives",
            Phase::SecondDerivatives => "second derivatives",
        })
    }
}

/// What `work` returns, from a thread with a stack of its own, however small that of the caller is. If it takes long, its phase
/// is shown ([`show_progress`]).
///
/// # Errors
/// The message of a panic, which is a bug of this workspace.
pub(crate) fn apart<T: Send>(phase: Phase, work: impl FnOnce() -> T + Send) -> Result<T, String> {
    let (working, ended) = mpsc::channel::<()>();
    let counted = move || {
        // The channel is closed when the work ends, by a panic, too.
        let _working = working;
        work()
    };
    let joined = thread::scope(|scope| {
        let spawned = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, counted);
        spawned.map(|thread| {
            show_on_terminal(phase, &ended);
            thread.join()
        })
    });
    let panicked = match joined {
        Ok(Ok(result)) => return Ok(result),
        Ok(Err(payload)) => payload,
        Err(error) => return Err(format!("no thread can be started: {error}")),
    };
    let text = panicked.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panicked.downcast_ref::<&str>().copied()).unwrap_or("no message");
    Err(format!("a bug of nhi, please report it: {text}"))
}

/// Shows the phase of work until its channel is closed, if that is asked for. Of several threads, one has the line.
fn show_on_terminal(phase: Phase, ended: &Receiver<()>) {
    static LINE: Mutex<()> = Mutex::new(());
    let stderr = io::stderr();
    if !IS_SHOWN.load(Ordering::Relaxed) || !stderr.is_terminal() {
        return;
    }
    let start = Instant::now();
    let spent = Duration::from_millis(SPENT.load(Ordering::Relaxed));
    let patience = PATIENCE.saturating_sub(spent).max(READABLE);
    if ended.recv_timeout(patience) == Err(RecvTimeoutError::Timeout)
        && let Ok(_line) = LINE.try_lock()
    {
        // A terminal that cannot be written to is no reason to stop.
        let _ = show(phase, || spent + start.elapsed(), ended, PATIENCE, stderr);
    }
    SPENT.fetch_add(start.elapsed().as_millis() as u64, Ordering::Relaxed);
}

/// Writes the phase of work and the time that it has taken with earlier work, once in a `period`, and erases the
/// line when its channel is closed.
fn show(
    phase: Phase,
    taken: impl Fn() -> Duration,
    ended: &Receiver<()>,
    period: Duration,
    mut to: impl Write,
) -> io::Result<()> {
    loop {
        write!(to, "\r\x1b[K{phase}: {} s", taken().as_secs())?;
        to.flush()?;
        if ended.recv_timeout(period) != Err(RecvTimeoutError::Timeout) {
            write!(to, "\r\x1b[K")?;
            return to.flush();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Phase, apart, show};
    use std::io::{self, Write};
    use std::sync::mpsc::{self, Sender};
    use std::time::Duration;

    /// A terminal at which the work ends when the second line appears.
    struct Terminal {
        shown: Vec<u8>,
        work: Option<Sender<()>>,
    }

    impl Write for Terminal {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.shown.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            if self.shown.iter().filter(|byte| **byte == b'\r').count() >= 2 {
                self.work = None;
            }
            Ok(())
        }
    }

    #[test]
    fn a_line_is_written_again_while_work_lasts_and_erased_at_its_end() {
        let (work, ended) = mpsc::channel();
        let mut terminal = Terminal { shown: Vec::new(), work: Some(work) };
        let (taken, period) = (|| Duration::from_millis(2500), Duration::from_millis(1));
        show(Phase::SecondDerivatives, taken, &ended, period, &mut terminal).expect("a line");
        let shown = String::from_utf8(terminal.shown).expect("text");
        let lines: Vec<&str> = shown.split("\r\x1b[K").collect();
        assert_eq!(lines.first(), Some(&""));
        assert_eq!(lines.last(), Some(&""), "the line is erased");
        let written = &lines[1..lines.len() - 1];
        assert!(written.len() > 1, "{lines:?}");
        assert!(written.iter().all(|line| *line == "second derivatives: 2 s"));
    }

    #[test]
    fn a_panic_of_the_work_is_an_error() {
        let error = apart(Phase::Derivation, || panic!("a reason")).map(|()| "no error");
        assert_eq!(error, Err("a bug of nhi, please report it: a reason".to_owned()));
    }
}
