//! The command line.

use crate::check::Unchecked;
use crate::generate::Generate;
use crate::problem::Problem;
use crate::run::Stopped;
use crate::scoreboard::Selection;
use crate::{demo, figure, list, output, progress};
use clap::builder::PossibleValuesParser;
use clap::{Parser, Subcommand};
use nhi_codegen::engine::{Engine, default_engine};
use nhi_codegen::expand::ExpandError;
use nhi_models::{GROUP_MODELS, MODELS, Model, common_methods};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Structure-preserving simulation of mechanical systems with rolling, skating and wheel constraints.
///
/// Without a command: the demonstration, the Chaplygin sleigh and the snakeboard with every method, as
/// tables here and as figures in `out/`.
#[derive(Parser, Debug)]
#[command(name = "nhi", version)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Integrate a case.
    ///
    /// A sample has the number of steps k and the time t; q, v = dq/dt and p = ∂L/∂v; lambda, the multipliers of
    /// the last step, which are forces, not impulses (before the first step, those of the start); the reaction
    /// μᵀλ, a force for each coordinate that is a length and a torque for one that is an angle; the energy;
    /// p_pre and p_post, the momenta before and after the reflection, of methods that reflect; and the model's
    /// conserved quantities. All numbers are in the units of the parameters.
    Run {
        /// The case, a JSON file.
        case: PathBuf,
        /// Where to write the samples, `.json` or `.csv`; standard output if left out.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Where to draw the trajectory, `.svg`.
        #[arg(long, value_name = "FILE")]
        plot: Option<PathBuf>,
    },
    /// Run cases and compare the results with their samples.
    Check {
        /// The cases, JSON files.
        #[arg(required = true)]
        cases: Vec<PathBuf>,
    },
    /// List the models with their parameters, and the methods.
    Models,
    /// Measure every method on every model: order, reversal, constraints, energy, parasitic modes.
    Scoreboard {
        /// One model, by its name, or several by repetition; all if left out.
        #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(models()), hide_possible_values = true)]
        model: Vec<String>,
        /// One method, by its id, or several by repetition; all if left out.
        #[arg(long, value_name = "ID", value_parser = PossibleValuesParser::new(methods()), hide_possible_values = true)]
        method: Vec<String>,
        /// Steps of the long runs that show a drift of the energy.
        #[arg(long, value_name = "N", default_value_t = 1_000_000)]
        steps: u64,
        /// A folder for the tables as Markdown and the figures.
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Print the Rust code that the derive generates.
    Expand {
        /// A Rust source file with declarations.
        file: PathBuf,
        /// One struct; all that derive `Nonholonomic` if left out.
        #[arg(long = "struct", value_name = "NAME")]
        name: Option<String>,
        /// One method, by its id (`dla2`) or type (`Dla2`); those of the declaration if left out.
        #[arg(long, value_name = "M")]
        method: Option<String>,
        /// The scheme as it is derived, before the optimiser: what to compare with a paper.
        #[arg(long, conflicts_with = "explain")]
        plain: bool,
        /// What each pass of the optimiser did to the step, or why it does not apply.
        #[arg(long)]
        explain: bool,
    },
    /// Write generated code as source files to check in.
    ///
    /// Rust code contains the structs themselves, without the derive, and depends on `nhi-runtime` alone, also with
    /// `default-features = false`. C code is a header and a source file for each struct, and `nhi.h`.
    Generate(Generate),
}

/// The reason for the failure of a command.
pub(crate) enum Failed {
    /// The request is invalid; exit code 2.
    Wrong(String),
    /// The command failed, or the result is not as expected; exit code 1.
    Stopped(String),
    /// The reader of the output has closed it: no report.
    Unread,
}

impl Failed {
    /// Reports the failure on standard error and returns the exit code.
    fn report(&self) -> u8 {
        let (code, message) = match self {
            Failed::Wrong(message) => (2, message),
            Failed::Stopped(message) => (1, message),
            Failed::Unread => return 0,
        };
        eprintln!("error: {message}");
        code
    }
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failed::Unread,
            _ => Failed::Stopped(error.to_string()),
        }
    }
}

impl From<Stopped> for Failed {
    fn from(stopped: Stopped) -> Self {
        Failed::Stopped(stopped.to_string())
    }
}

impl Arguments {
    /// Executes the command.
    pub fn execute(self) -> ExitCode {
        let done = match self.command {
            None => demonstrate(),
            Some(Command::Run { case, out, plot }) => run(&case, out.as_deref(), plot.as_deref()),
            Some(Command::Check { cases }) => return check(&cases),
            Some(Command::Scoreboard { model, method, steps, out }) => {
                scoreboard(&Selection::new(&model, &method, steps), out.as_deref())
            }
            Some(Command::Models) => print(&list::models()),
            Some(Command::Expand { file, name, method, plain, explain }) => {
                let print = match (plain, explain) {
                    (true, _) => nhi_codegen::expand_plain,
                    (_, true) => nhi_codegen::explain,
                    _ => nhi_codegen::expand,
                };
                expand(&file, name.as_deref(), method.as_deref(), print)
            }
            Some(Command::Generate(generate)) => generate.execute(),
        };
        match done {
            Ok(()) => ExitCode::SUCCESS,
            Err(failed) => failed.report().into(),
        }
    }
}

fn demonstrate() -> Result<(), Failed> {
    let folder = Path::new("out");
    create(folder)?;
    for example in demo::examples()? {
        let shown = example.show()?;
        print(&shown.text)?;
        let (name, svg) = &shown.figure;
        let path = folder.join(name);
        save(&path, svg.as_bytes())?;
        print(&format!("{}\n\n", path.display()))?;
    }
    Ok(())
}

fn run(case: &Path, out: Option<&Path>, plot: Option<&Path>) -> Result<(), Failed> {
    let write = match out.map(|path| (path, extension(path))) {
        None | Some((_, "json")) => output::json,
        Some((_, "csv")) => output::csv,
        Some((path, _)) => {
            return Err(Failed::Wrong(format!("--out {}: expected .json or .csv", path.display())));
        }
    };
    if let Some(path) = plot
        && extension(path) != "svg"
    {
        return Err(Failed::Wrong(format!("--plot {}: expected .svg", path.display())));
    }
    let text = read(case)?;
    let problem = parse(case, &text)?;
    let mut samples = Vec::new();
    let done = problem.run(|sample| samples.push(sample));
    let mut bytes = Vec::new();
    write(&mut bytes, &problem, &samples)?;
    match out {
        None => io::stdout().lock().write_all(&bytes)?,
        Some(path) => save(path, &bytes)?,
    }
    if let Some(path) = plot {
        let svg =
            figure::trajectory(&problem, &samples).map_err(|error| Failed::Stopped(error.to_string()))?;
        save(path, svg.as_bytes())?;
    }
    done.map_err(|stopped| Failed::Stopped(format!("{}: {stopped}", case.display())))
}

/// Checks all cases, whether or not each succeeds.
fn check(cases: &[PathBuf]) -> ExitCode {
    let codes = cases.iter().map(|case| match check_one(case) {
        Ok(()) => 0,
        Err(failed) => failed.report(),
    });
    codes.max().unwrap_or(0).into()
}

fn check_one(case: &Path) -> Result<(), Failed> {
    let text = read(case)?;
    let problem = parse(case, &text)?;
    let report = problem.check().map_err(|unchecked| match unchecked {
        Unchecked::Malformed(malformed) => Failed::Wrong(format!("{}: {malformed}", case.display())),
        Unchecked::Stopped(stopped) => Failed::Stopped(format!("{}: {stopped}", case.display())),
    })?;
    if report.agrees() {
        print(&format!("ok {}: {report}\n", case.display()))
    } else {
        Err(Failed::Stopped(format!("{}: {report}", case.display())))
    }
}

fn scoreboard(selection: &Selection, out: Option<&Path>) -> Result<(), Failed> {
    let bar = progress::cells(selection.cells());
    let board = selection.measure(|| bar.inc(1));
    bar.finish_and_clear();
    print(&board.text())?;
    let Some(folder) = out else { return Ok(()) };
    create(folder)?;
    let figures = board.figures().map_err(|error| Failed::Stopped(error.to_string()))?;
    for figure in &figures {
        save(&folder.join(figure.name), figure.svg.as_bytes())?;
    }
    let captions: Vec<_> = figures.iter().map(|figure| (figure.name, figure.caption)).collect();
    save(&folder.join("README.md"), board.markdown(&captions).as_bytes())
}

fn models() -> impl Iterator<Item = &'static str> {
    MODELS.iter().map(|model| model.name())
}

fn methods() -> impl Iterator<Item = &'static str> {
    common_methods().iter().map(|method| method.id)
}

/// Prints something of the structs of a file.
type Expand = fn(&str, Option<&str>, Option<&str>, &mut dyn Engine) -> Result<String, ExpandError>;

fn expand(file: &Path, name: Option<&str>, method: Option<&str>, expand: Expand) -> Result<(), Failed> {
    let code = expand(&read(file)?, name, method, default_engine().as_mut());
    print(&code.map_err(|error| Failed::Wrong(format!("{}: {error}", file.display())))?)
}

fn parse<'a>(path: &Path, text: &str) -> Result<Problem<'a>, Failed> {
    let models: Vec<&dyn Model> = MODELS.iter().chain(GROUP_MODELS).copied().collect();
    Problem::parse(text, &models)
        .map_err(|malformed| Failed::Wrong(format!("{}: {malformed}", path.display())))
}

pub(crate) fn read(path: &Path) -> Result<String, Failed> {
    fs::read_to_string(path).map_err(|error| Failed::Wrong(format!("{}: {error}", path.display())))
}

pub(crate) fn create(folder: &Path) -> Result<(), Failed> {
    fs::create_dir_all(folder).map_err(|error| Failed::Stopped(format!("{}: {error}", folder.display())))
}

pub(crate) fn save(path: &Path, bytes: &[u8]) -> Result<(), Failed> {
    fs::write(path, bytes).map_err(|error| Failed::Stopped(format!("{}: {error}", path.display())))
}

fn print(text: &str) -> Result<(), Failed> {
    Ok(io::stdout().lock().write_all(text.as_bytes())?)
}

/// The extension of a file name, empty if there is none.
fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or("")
}
