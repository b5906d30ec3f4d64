//! Instructions per step, counted by callgrind: reproducible, independent of other load on the machine.
//!
//! The program runs itself under `valgrind --tool=callgrind` with the argument of a [`Set`]. There every case
//! takes two different numbers of steps, each between two calls of `write_profile`; the difference of the counts
//! does not contain the fixed cost of a call.

use crate::Start;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs, io};

/// The instructions that [`Simulation::advance`](nhi_runtime::Simulation::advance) may use in a counted run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Set {
    /// The instructions of the program's compilation target.
    Plain,
    /// The instructions chosen at run time among those that valgrind supports.
    Chosen,
}

impl Set {
    /// Both.
    pub const ALL: [Set; 2] = [Set::Plain, Set::Chosen];

    /// First argument of the counted run; the second names models.
    pub fn argument(self) -> &'static str {
        match self {
            Set::Plain => "--counted",
            Set::Chosen => "--counted-as-chosen",
        }
    }
}

/// Numbers of steps of the two calls.
const STEPS: [u64; 2] = [500, 1500];

/// Steps before counting.
const BEFORE: u64 = 10;

/// At a call of this function, which callgrind recognises by name, it writes a profile of everything since the last call.
#[inline(never)]
fn write_profile() {
    black_box(());
}

/// The counted run: all cases in order.
pub fn child(set: Set, cases: &[Start<'_>]) {
    if set == Set::Plain {
        nhi_runtime::emitted::use_plain_instructions();
    }
    for start in cases {
        for steps in STEPS {
            let mut run = start();
            run.advance(BEFORE);
            write_profile();
            run.advance(steps);
            write_profile();
        }
    }
}

/// Runs this program with the argument of `set` and `models` under callgrind; returns the instructions per step of
/// `cases` cases.
///
/// # Errors
/// If valgrind is missing, or the run or its output is not as expected.
pub fn instructions(set: Set, cases: usize, models: &str) -> io::Result<Vec<f64>> {
    let folder = env::temp_dir().join(format!("nhi-benches-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let counted = count_in(&folder, set, cases, models);
    fs::remove_dir_all(&folder)?;
    counted
}

fn count_in(folder: &Path, set: Set, cases: usize, models: &str) -> io::Result<Vec<f64>> {
    let profile = folder.join("profile");
    let output = Command::new("valgrind")
        .arg("--tool=callgrind")
        .arg(format!("--callgrind-out-file={}", profile.display()))
        .arg("--dump-before=*write_profile*")
        .arg(env::current_exe()?)
        .arg(set.argument())
        .arg(models)
        .stdout(Stdio::null())
        .output()?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(io::Error::other(format!("the counted run failed: {text}")));
    }
    // Profiles are numbered from 1; every other one contains steps.
    let total = |n: usize| -> io::Result<f64> {
        let text = fs::read_to_string(folder.join(format!("profile.{n}")))?;
        let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
        let total = total.and_then(|total| total.trim().parse().ok());
        total.ok_or_else(|| io::Error::other("no totals in the profile"))
    };
    let further = (STEPS[1] - STEPS[0]) as f64;
    (0..cases).map(|i| Ok((total(4 * i + 4)? - total(4 * i + 2)?) / further)).collect()
}
