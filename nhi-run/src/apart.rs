//! Work that may be nested deeply, and must not take the program down.

use std::thread;

/// The stack that rustc gives to macros, twice.
const STACK: usize = 16 << 20;

/// What `work` returns, from a thread with a stack of its own, however small that of the caller is.
///
/// # Errors
/// The message of a panic, which is a bug of this workspace.
pub(crate) fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    let joined = thread::scope(|scope| {
        let spawned = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        spawned.map(|thread| thread.join())
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
