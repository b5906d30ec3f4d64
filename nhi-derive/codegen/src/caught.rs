//! Panics, which are bugs of this crate, as messages.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// What `run` returns, or where it panics the message, after what it was at: `stage: message`.
///
/// The panic hook has run by then. It prints the place of the panic, if not within the compiler, whose hook is silent
/// about panics of a macro's own thread.
pub(crate) fn caught<T>(stage: &str, run: impl FnOnce() -> T) -> Result<T, String> {
    // After a panic nothing but what `run` owns is used again.
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        format!("{stage}: {}", text.unwrap_or("panic without a message"))
    })
}
