//! Build script and symbolic engine in one.
//!
//! A build script is an ordinary executable that stays in the target directory. With the feature
//! `symbolica` this one links Symbolica, tells the library its own path, and serves the library
//! when started with the argument `engine`; `rustc` and tests stay free of it.
//!
//! With the feature `serde`, it tells the library a hash of its sources, so that functions that other sources have stored are not read.

#[cfg(feature = "symbolica")]
#[path = "engine/mod.rs"]
mod engine;

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() {
    #[cfg(feature = "symbolica")]
    {
        if env::args().nth(1).as_deref() == Some("engine") {
            return engine::serve();
        }
        let path = env::current_exe().expect("the path of this build script");
        println!("cargo::rustc-env=NHI_SYMBOLICA_ENGINE={}", path.display());
        println!("cargo::rerun-if-changed=engine");
    }
    if env::var_os("CARGO_FEATURE_SERDE").is_some() {
        // The tables of methods, which published packages have apart, with a version.
        let folders = ["src", "../../nhi-methods/src"].map(Path::new);
        let mut files = Vec::new();
        for folder in folders.into_iter().filter(|folder| folder.is_dir()) {
            println!("cargo::rerun-if-changed={}", folder.display());
            list(folder, &mut files).expect("the sources can be listed");
        }
        files.sort();
        let hash = files.iter().fold(OFFSET, |hash, file| {
            let text = fs::read(file).expect("the sources can be read");
            fnv(fnv(hash, file.to_string_lossy().as_bytes()), &text)
        });
        println!("cargo::rustc-env=NHI_SOURCES={hash:016x}");
    }
    println!("cargo::rerun-if-changed=build.rs");
}

/// Adds the files of a folder and of those in it.
fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// The hash of nothing.
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a, 64 bits.
fn fnv(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
