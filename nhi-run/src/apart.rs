//! Work that may be nested deeply or take long, and must not take the program down.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

/// The stack that rustc gives to macros, twice.
const STACK: usize = 16 << 20;

/// Nobody is told of work until it has taken so long, earlier work included; from then on, the observer is told as often.
const PATIENCE: Duration = Duration::from_secs(1);

/// Work that is shorter than this is never told: a line that is erased at once cannot be read.
const READABLE: Duration = Duration::from_millis(100);

/// Is told of derivations and compilations that take long, from the threads that wait for them; of several at once, of one of them.
pub trait Observer: Sync {
    /// Work of this phase goes on, and has taken so long, together with earlier work. Called once in a second.
    fn lasts(&self, phase: Phase, taken: Duration);
    /// It has ended.
    fn ends(&self);
}

/// Who is told.
static OBSERVER: OnceLock<&'static dyn Observer> = OnceLock::new();

/// Milliseconds that observed work has taken.
static SPENT: AtomicU64 = AtomicU64::new(0);

/// From here on, `observer` is told of derivations and compilations that take more than a second together. A program has one observer:
/// the first one stays.
pub fn observe(observer: &'static dyn Observer) {
    let _ = OBSERVER.set(observer);
}

/// What work is told by while it takes long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
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

/// What `work` returns, from a thread with a stack of its own, however small that of the caller is. If it takes long, the observer is
/// told ([`observe`]).
///
/// # Errors
/// The message of a panic, which is a bug of this workspace.
pub fn apart<T: Send>(phase: Phase, work: impl FnOnce() -> T + Send) -> Result<T, String> {
    let (working, ended) = mpsc::channel::<()>();
    let counted = move || {
        // The channel is closed when the work ends, by a panic, too.
        let _working = working;
        work()
    };
    let joined = thread::scope(|scope| {
        let spawned = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, counted);
        spawned.map(|thread| {
            wait(phase, &ended);
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

/// Waits until the channel of work is closed, and tells the observer if there is one. Of several threads, one does.
fn wait(phase: Phase, ended: &Receiver<()>) {
    static ONE: Mutex<()> = Mutex::new(());
    let Some(observer) = OBSERVER.get() else { return };
    let start = Instant::now();
    let spent = Duration::from_millis(SPENT.load(Ordering::Relaxed));
    let patience = PATIENCE.saturating_sub(spent).max(READABLE);
    if ended.recv_timeout(patience) == Err(RecvTimeoutError::Timeout)
        && let Ok(_one) = ONE.try_lock()
    {
        tell(*observer, phase, || spent + start.elapsed(), ended, PATIENCE);
    }
    SPENT.fetch_add(start.elapsed().as_millis() as u64, Ordering::Relaxed);
}

/// Tells the observer once in a `period`, until the channel is closed.
fn tell(
    observer: &dyn Observer,
    phase: Phase,
    taken: impl Fn() -> Duration,
    ended: &Receiver<()>,
    period: Duration,
) {
    loop {
        observer.lasts(phase, taken());
        if ended.recv_timeout(period) != Err(RecvTimeoutError::Timeout) {
            return observer.ends();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Observer, Phase, apart, tell};
    use std::sync::Mutex;
    use std::sync::mpsc::{self, Sender};
    use std::time::Duration;

    /// An observer that ends the work when it is told for the second time.
    struct Second {
        told: Mutex<Vec<Option<(Phase, Duration)>>>,
        work: Mutex<Option<Sender<()>>>,
    }

    impl Observer for Second {
        fn lasts(&self, phase: Phase, taken: Duration) {
            let mut told = self.told.lock().expect("no panic");
            told.push(Some((phase, taken)));
            if told.len() == 2 {
                self.work.lock().expect("no panic").take();
            }
        }

        fn ends(&self) {
            self.told.lock().expect("no panic").push(None);
        }
    }

    #[test]
    fn an_observer_is_told_while_work_lasts_and_of_its_end() {
        let (work, ended) = mpsc::channel();
        let observer = Second { told: Mutex::default(), work: Mutex::new(Some(work)) };
        let taken = Duration::from_millis(2500);
        tell(&observer, Phase::SecondDerivatives, || taken, &ended, Duration::from_millis(1));
        let lasts = Some((Phase::SecondDerivatives, taken));
        assert_eq!(*observer.told.lock().expect("no panic"), [lasts, lasts, None]);
    }

    #[test]
    fn a_panic_of_the_work_is_an_error() {
        let error = apart(Phase::Derivation, || panic!("a reason")).map(|()| "no error");
        assert_eq!(error, Err("a bug of nhi, please report it: a reason".to_owned()));
    }
}
