//! Writes a page and a plot of each of some recordings into a folder.
//!
//! ```text
//! cargo run -p nhi-run --example pages -- target/pages
//! ```

#[path = "../tests/browser/recordings.rs"]
mod recordings;

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(env::args_os().nth(1).ok_or("the folder is missing")?);
    fs::create_dir_all(&folder)?;
    for (name, recording) in recordings::recordings().into_iter().chain(recordings::unusual()) {
        fs::write(folder.join(format!("{name}.html")), nhi_run::page(&recording, None))?;
        fs::write(folder.join(format!("{name}.svg")), nhi_run::plot(&recording, None))?;
    }
    Ok(())
}
