//! The compilers.

use nhi_codegen::backend::c::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

const WARNINGS: [&str; 5] = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"];

/// A way to compile.
pub(crate) struct Build {
    /// Its name, that of the program.
    pub(crate) name: &'static str,
    compiler: &'static str,
    arguments: &'static [&'static str],
}

/// All ways. Only gcc and clang optimise: an optimiser may change results, or find what deserves a warning.
const BUILDS: [Build; 4] = [
    Build { name: "gcc", compiler: "gcc", arguments: &["-std=c99", "-O1"] },
    Build { name: "clang", compiler: "clang", arguments: &["-std=c99", "-O1"] },
    Build { name: "g++", compiler: "g++", arguments: &["-x", "c++", "-std=c++11"] },
    Build {
        name: "sanitized",
        compiler: "gcc",
        arguments: &["-std=c99", "-fsanitize=undefined,address", "-fno-sanitize-recover=all"],
    },
];

/// The ways that are tested: all with `NHI_COMPILERS=all` in the environment, else gcc, and in exhaustive tests also those
/// whose compilers are there.
pub(crate) fn builds() -> &'static [&'static Build] {
    static BUILT: LazyLock<Vec<&Build>> = LazyLock::new(|| {
        let all = std::env::var_os("NHI_COMPILERS").is_some_and(|value| value == "all");
        let exists = |build: &&Build| {
            nhi_tiers::exhaustive() && Command::new(build.compiler).arg("--version").output().is_ok()
        };
        BUILDS.iter().filter(|build| all || build.name == "gcc" || exists(build)).collect()
    });
    &BUILT
}

/// Writes the files into an empty `folder`.
pub(crate) fn write(folder: &Path, files: &[File], program: &str) {
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir_all(folder).expect("a folder");
    for file in files {
        std::fs::write(folder.join(&file.name), &file.text).expect("a file");
    }
    std::fs::write(folder.join("main.c"), program).expect("a file");
}

/// Runs a compiler in `folder`.
pub(crate) fn compile(folder: &Path, compiler: &str, arguments: &[&str]) {
    let output = Command::new(compiler)
        .args(WARNINGS)
        .arg("-ffp-contract=off")
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap_or_else(|error| panic!("{compiler}: {error}"));
    let messages = String::from_utf8_lossy(&output.stderr);
    let first: String = messages.lines().take(30).map(|line| format!("{line}\n")).collect();
    assert!(output.status.success(), "{}, {compiler} {arguments:?}:\n{first}", folder.display());
}

impl Build {
    /// The program of `main.c` and the source file `NAME.c` in `folder`.
    pub(crate) fn program(&self, folder: &Path, name: &str) -> PathBuf {
        let source = format!("{name}.c");
        let end = [source.as_str(), "main.c", "-o", self.name, "-lm"];
        compile(folder, self.compiler, &[self.arguments, &end].concat());
        folder.join(self.name)
    }
}
