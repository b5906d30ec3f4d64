//! Standard output, warnings, files that are read, and files that are written as a whole or not at all.

use crate::failed::Failed;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Prints a warning on standard error.
pub(crate) fn warn(text: Option<String>) {
    text.into_iter().for_each(|text| eprintln!("warning: {text}"));
}

/// Writes to standard output.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Failed> {
    Ok(io::stdout().lock().write_all(bytes)?)
}

pub(crate) fn read(path: &Path) -> Result<String, Failed> {
    fs::read_to_string(path).map_err(|error| Failed::Wrong(format!("{}: {error}", path.display())))
}

pub(crate) fn create(folder: &Path) -> Result<(), Failed> {
    fs::create_dir_all(folder).map_err(|error| Failed::Stopped(format!("{}: {error}", folder.display())))
}

/// Writes a file under another name beside it, and renames it: under its own name nobody sees half of it.
/// A pipe or a device is written to as it is, and a link stays one.
pub(crate) fn save(path: &Path, bytes: &[u8]) -> Result<(), Failed> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let written = if target.exists() && !target.is_file() {
        fs::write(&target, bytes)
    } else {
        let begun = unfinished(&target);
        let renamed = fs::write(&begun, bytes).and_then(|()| fs::rename(&begun, &target));
        renamed.inspect_err(|_| {
            // What is left of it is of no use; the error is that of writing.
            let _ = fs::remove_file(&begun);
        })
    };
    written.map_err(|error| Failed::Stopped(format!("{}: {error}", path.display())))
}

/// A name that no other process uses.
fn unfinished(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    path.with_file_name(format!(".{name}.{}.part", std::process::id()))
}

/// The extension of a file name, empty if there is none.
pub(crate) fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or("")
}
