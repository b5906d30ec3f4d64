//! One file: a mark, the key, the content, and a checksum of all that.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// What files begin with.
const MARK: &[u8] = b"nhi derived\n";

/// What the names of files that are being written end with.
pub(super) const UNFINISHED: &str = "unfinished";

/// The content of a file of this key; none if there is no such file, or if it is damaged.
pub(super) fn read(path: &Path, key: &str) -> Option<Vec<u8>> {
    let bytes = fs::read(path).ok()?;
    let (body, checksum) = bytes.split_last_chunk::<4>()?;
    if crc32fast::hash(body) != u32::from_le_bytes(*checksum) {
        return None;
    }
    let (length, rest) = body.strip_prefix(MARK)?.split_first_chunk::<8>()?;
    let (found, content) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    (found == key.as_bytes()).then(|| content.to_vec())
}

/// Writes a file, which other processes see when it is complete.
///
/// # Errors
/// Those of the file system.
pub(super) fn write(path: &Path, key: &str, content: &[u8]) -> io::Result<()> {
    static WRITTEN: AtomicU64 = AtomicU64::new(0);
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let length = (key.len() as u64).to_le_bytes();
    let mut bytes = [MARK, &length, key.as_bytes(), content].concat();
    bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
    // In the same folder, so that it can be renamed.
    let beside = path.with_extension(format!("{}.{number}.{UNFINISHED}", process::id()));
    let written = File::create(&beside).and_then(|mut file| file.write_all(&bytes));
    written.and_then(|()| fs::rename(&beside, path)).inspect_err(|_| {
        let _ = fs::remove_file(&beside);
    })
}
