//! What takes long to derive, kept on disk for later processes.
//!
//! A file contains one part of a system, such as the functions of a method, after the passes. Machine code is not kept: it is compiled
//! anew, for the processor at hand. The name of a file is the hash of its key. The key contains the declaration, as the generator reads
//! it, the part, and the hash of the generator's sources, and is compared as a whole. Files that are damaged, of another generator or of
//! another key count as missing, and are written anew.
//!
//! Processes need no locks: a file is written beside its place and then renamed, and a reader of a file that is replaced or removed
//! meanwhile has the old one. No error of the file system prevents a derivation.

mod file;
#[cfg(test)]
mod tests;

use crate::error::Error;
use etcetera::{BaseStrategy, choose_base_strategy};
use nhi_codegen::facts::SystemFacts;
use nhi_codegen::functions::{FirstDerivatives, OfState, OfSystem};
use nhi_codegen::generate::hash;
use nhi_codegen::lower::Function;
use nhi_codegen::optimised::MethodFunctions;
use nhi_codegen::stored::SOURCES;
use nhi_methods::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::env::consts::{ARCH, OS};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use std::{fs, io};

/// Raised when this crate keeps other things: the hash of the generator's sources does not change then.
const LAYOUT: u32 = 1;

/// Largest size of all files. If they are larger, those that have not been used for the longest time are removed.
const MOST_BYTES: u64 = 256 << 20;

/// Systems that are derived faster are never on disk.
const PATIENCE: Duration = Duration::from_millis(100);

/// What the names of files end with.
const EXTENSION: &str = "derived";

/// Whether systems are kept.
static IS_USED: AtomicBool = AtomicBool::new(false);

/// From here on, this process keeps what takes long to derive in the user's cache directory, and reads what others have kept there.
/// For programs of their own: the files of a user do not belong to a library.
pub fn use_cache() {
    IS_USED.store(true, Ordering::Relaxed);
}

/// A folder with parts of derived systems.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cache {
    folder: PathBuf,
    most_bytes: u64,
    patience: Duration,
}

/// Number and size of the files of a cache.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Contents {
    /// Their number.
    pub files: usize,
    /// Their size.
    pub bytes: u64,
}

/// A file of a cache.
struct Kept {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

impl Kept {
    /// Removes it; whether this process did, and not another one.
    fn remove(&self) -> io::Result<bool> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            removed => removed.map(|()| true),
        }
    }
}

impl Cache {
    /// The folder `nhi` in the user's cache directory: of `XDG_CACHE_HOME` or `~/.cache`, on Windows of the local application data.
    /// None without a home directory.
    pub fn of_user() -> Option<Cache> {
        let folder = choose_base_strategy().ok()?.cache_dir().join("nhi");
        Some(Cache { folder, most_bytes: MOST_BYTES, patience: PATIENCE })
    }

    /// That of this process, if it has one.
    pub(crate) fn used() -> Option<Cache> {
        IS_USED.load(Ordering::Relaxed).then(Cache::of_user).flatten()
    }

    /// The folder, which need not exist.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What is kept.
    ///
    /// # Errors
    /// A folder that exists and cannot be read.
    pub fn contents(&self) -> io::Result<Contents> {
        let files = self.files()?;
        Ok(Contents { files: files.len(), bytes: files.iter().map(|file| file.bytes).sum() })
    }

    /// Removes all files, and says what they were.
    ///
    /// # Errors
    /// A folder that cannot be read, and files that cannot be removed.
    pub fn clear(&self) -> io::Result<Contents> {
        let mut removed = Contents::default();
        for file in self.files()? {
            if file.remove()? {
                removed.files += 1;
                removed.bytes += file.bytes;
            }
        }
        Ok(removed)
    }

    /// The files, those of processes that were killed while they wrote among them.
    fn files(&self) -> io::Result<Vec<Kept>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut files = Vec::new();
        for entry in entries {
            let path = entry?.path();
            let is_kept = path.extension().is_some_and(|is| is == EXTENSION || is == file::UNFINISHED);
            // Files may be removed meanwhile.
            if let (true, Ok(metadata)) = (is_kept, fs::metadata(&path)) {
                let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                files.push(Kept { path, bytes: metadata.len(), used });
            }
        }
        Ok(files)
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{:016x}.{EXTENSION}", hash(key)))
    }

    fn read<T: Part>(&self, key: &str) -> Option<T> {
        let path = self.path(key);
        let part: T = postcard::from_bytes(&file::read(&path, key)?).ok()?;
        if !part.is_sound() {
            return None;
        }
        // The time at which it was used, for `make_room`. A file of another user cannot be marked.
        let _ = fs::File::options()
            .append(true)
            .open(&path)
            .and_then(|file| file.set_modified(SystemTime::now()));
        Some(part)
    }

    /// Writes files of these keys and contents, and removes others if there is no room. A cache that cannot be written is none.
    fn write(&self, all: &[(String, Vec<u8>)]) {
        let written = fs::create_dir_all(&self.folder).and_then(|()| {
            all.iter().try_for_each(|(key, content)| file::write(&self.path(key), key, content))
        });
        if written.is_ok() {
            let _ = self.make_room();
        }
    }

    fn make_room(&self) -> io::Result<()> {
        let mut files = self.files()?;
        let mut bytes: u64 = files.iter().map(|file| file.bytes).sum();
        files.sort_by_key(|file| file.used);
        for file in files {
            if bytes <= self.most_bytes {
                break;
            }
            file.remove()?;
            bytes -= file.bytes;
        }
        Ok(())
    }

    /// The parts of the system of a declaration.
    pub(crate) fn parts_of(self, declaration: &str) -> Parts {
        let version = env!("CARGO_PKG_VERSION");
        Parts {
            key: format!("{version} {SOURCES} {LAYOUT} {ARCH} {OS}\n{declaration}"),
            cache: self,
            work: Mutex::new(Work { taken: Duration::ZERO, waiting: Vec::new() }),
        }
    }
}

/// The parts of one system in a cache.
pub(crate) struct Parts {
    cache: Cache,
    /// What the keys of all parts begin with.
    key: String,
    work: Mutex<Work>,
}

/// What deriving a system has taken so far, and parts that are written when it has taken long. Of a system that takes long, short
/// parts are kept, too: one that is missing may need the whole derivation.
struct Work {
    taken: Duration,
    waiting: Vec<(String, Vec<u8>)>,
}

impl Parts {
    /// A part from the cache, or else what `make` returns, which is kept if the system takes long.
    ///
    /// # Errors
    /// Those of `make`.
    pub(crate) fn get<T: Part>(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        if let Some(part) = self.read(name) {
            return Ok(part);
        }
        let begun = Instant::now();
        let made = make()?;
        self.keep(name, &made, begun.elapsed());
        Ok(made)
    }

    /// A part from the cache.
    pub(crate) fn read<T: Part>(&self, name: &str) -> Option<T> {
        self.cache.read(&self.key_of(name))
    }

    /// Keeps a part that has `taken` so long.
    pub(crate) fn keep<T: Part>(&self, name: &str, part: &T, taken: Duration) {
        let Ok(content) = postcard::to_allocvec(part) else { return };
        let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        work.taken += taken;
        work.waiting.push((self.key_of(name), content));
        if work.taken >= self.cache.patience {
            let waiting = std::mem::take(&mut work.waiting);
            drop(work);
            self.cache.write(&waiting);
        }
    }

    fn key_of(&self, name: &str) -> String {
        format!("{name}\n{}", self.key)
    }
}

/// A part of a system that can be kept.
pub(crate) trait Part: Serialize + DeserializeOwned {
    /// Whether it can be used, after it was read.
    fn is_sound(&self) -> bool;
}

fn are_sound<'a>(functions: impl IntoIterator<Item = &'a Function>) -> bool {
    functions.into_iter().all(|function| function.check().is_ok())
}

/// A number of operations.
impl Part for usize {
    fn is_sound(&self) -> bool {
        true
    }
}

/// Facts about a system, and why methods do not apply, in the order of all methods.
impl Part for (SystemFacts, Vec<Option<String>>) {
    fn is_sound(&self) -> bool {
        self.1.len() == Method::ALL.len()
    }
}

impl Part for Function {
    fn is_sound(&self) -> bool {
        are_sound([self])
    }
}

impl Part for Option<Function> {
    fn is_sound(&self) -> bool {
        are_sound(self)
    }
}

impl Part for OfSystem<Function> {
    fn is_sound(&self) -> bool {
        are_sound(self.iter().map(|(_, function)| function))
    }
}

impl Part for OfState<Function> {
    fn is_sound(&self) -> bool {
        are_sound(self.iter().map(|(_, function)| function))
    }
}

impl Part for MethodFunctions {
    fn is_sound(&self) -> bool {
        are_sound(self.all())
    }
}

impl Part for Option<FirstDerivatives<Function>> {
    fn is_sound(&self) -> bool {
        are_sound(self.iter().flat_map(FirstDerivatives::iter).map(|(_, function)| function))
    }
}
