//! `nhi cache`: what takes long to derive, kept for later runs.

use crate::failed::Failed;
use crate::files::print;
use clap::Subcommand;
use nhi_run::{Cache, Contents};
use std::io;

/// What is done with the cache.
#[derive(Subcommand, Clone, Copy, Debug)]
pub(crate) enum Action {
    /// Remove all files of the cache.
    Clear,
}

/// Prints the folder and the size of the cache, or clears it.
pub(crate) fn cache(action: Option<Action>) -> Result<(), Failed> {
    let Some(cache) = Cache::of_user() else {
        return Err(Failed::Stopped("there is no home directory, and so no cache".to_owned()));
    };
    let folder = cache.folder().display();
    let failed = |error: io::Error| Failed::Stopped(format!("{folder}: {error}"));
    let text = match action {
        None => size(cache.contents().map_err(failed)?),
        Some(Action::Clear) => format!("{} removed", size(cache.clear().map_err(failed)?)),
    };
    print(format!("{folder}: {text}\n").as_bytes())
}

/// Number and size of files, in words.
fn size(Contents { files, bytes }: Contents) -> String {
    let noun = if files == 1 { "file" } else { "files" };
    format!("{files} {noun}, {:.1} MB", bytes as f64 / 1e6)
}
