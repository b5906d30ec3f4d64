//! `nhi new`: a crate with one declared system.

use crate::failed::Failed;
use crate::files::{create, print, save};
use std::path::{Path, PathBuf};

// Not `Cargo.toml`: a package does not contain the folders of others.
const MANIFEST: &str = include_str!("../template/manifest.toml");
const DECLARATION: &str = include_str!("../template/src/sleigh.rs");
const PROGRAM: &str = include_str!("../template/src/main.rs");
const CASE: &str = include_str!("../template/sleigh.json");

/// Writes the crate into a folder of its name. `runtime` is the folder of the crate `nhi-runtime`; without one, that of the
/// repository that the program was built in, and where there is none, the published crate of the program's version.
pub(crate) fn new(folder: &Path, runtime: Option<&Path>) -> Result<(), Failed> {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if !is_name {
        return Err(Failed::Wrong(format!("`{name}` is no name of a crate: letters, digits, `-` and `_`")));
    }
    if folder.exists() {
        return Err(Failed::Wrong(format!("{} exists already", folder.display())));
    }
    let found = found(runtime.unwrap_or(&built_with()));
    if found.is_none() && runtime.is_some() {
        let message = "--nhi: expected the folder `nhi-runtime` of a copy of nhi's repository";
        return Err(Failed::Wrong(message.to_owned()));
    }
    let dependency = found.map_or_else(
        || format!("\"{}\"", env!("CARGO_PKG_VERSION")),
        |path| format!("{{ path = \"{}\" }}", toml(&path)),
    );
    let manifest = MANIFEST.replace("NAME", name).replace("RUNTIME", &dependency);
    create(&folder.join("src"))?;
    for (file, text) in [
        ("Cargo.toml", manifest.as_str()),
        ("src/sleigh.rs", DECLARATION),
        ("src/main.rs", PROGRAM),
        ("sleigh.json", CASE),
    ] {
        save(&folder.join(file), text.as_bytes())?;
    }
    let shown = folder.display();
    print(
        format!(
            "{shown}: a Chaplygin sleigh. Run it as a program or without rustc:\n  \
             cargo run --release --manifest-path {shown}/Cargo.toml\n  \
             nhi run {shown}/sleigh.json --view sleigh.html\n"
        )
        .as_bytes(),
    )
}

fn built_with() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../nhi-runtime")
}

/// The folder, if it is one of a crate.
fn found(folder: &Path) -> Option<PathBuf> {
    folder.canonicalize().ok().filter(|path| path.join("Cargo.toml").is_file())
}

/// The path as the inside of a string of TOML.
fn toml(path: &Path) -> String {
    path.display().to_string().replace('\\', "\\\\").replace('"', "\\\"")
}
