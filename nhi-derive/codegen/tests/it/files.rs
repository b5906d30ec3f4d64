//! The files of the `models` crate.

use nhi_codegen::source::structs;
use std::path::Path;

/// Models that tests take by default: two in coordinates and two on groups.
const SAMPLE: [&str; 4] =
    ["lie/suslov.rs", "lie/chaplygin_sleigh.rs", "src/sleigh_com.rs", "src/mobile_robot.rs"];

/// A file with its folder as `name`: `src/sleigh_com.rs` and `lie/suslov.rs`.
#[derive(Clone)]
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) text: String,
}

impl File {
    /// Whether the test takes this model by default.
    pub(crate) fn is_sample(&self) -> bool {
        SAMPLE.contains(&self.name.as_str())
    }

    pub(crate) fn is_in_coordinates(&self) -> bool {
        self.name.starts_with("src/")
    }
}

/// All files with declarations in the order of their names, so that models on groups, which take longest, come first.
pub(crate) fn all() -> Vec<File> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/src");
    let in_folder = |folder: &Path| {
        let files = std::fs::read_dir(folder).expect("the models beside this crate");
        let files = files.map(|file| file.expect("a file").path());
        let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
        let read = |path: &Path| {
            let part = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
            let text = std::fs::read_to_string(path).expect("a readable file");
            File { name: format!("{}/{}", part(folder), part(path)), text }
        };
        files.map(|path| read(&path)).collect::<Vec<File>>()
    };
    let mut files = [&folder.join("lie"), &folder].map(|folder| in_folder(folder)).concat();
    files.retain(|file| !structs(&file.text).expect("Rust").is_empty());
    files.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(files.len() > 25, "{} models", files.len());
    files
}

/// Two models in coordinates and two on groups; all in exhaustive tests.
pub(crate) fn sampled() -> Vec<File> {
    nhi_tiers::sampled(&all(), |file| &file.name, &SAMPLE).into_iter().cloned().collect()
}
