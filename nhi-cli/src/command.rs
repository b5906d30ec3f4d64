//! The command line.

use crate::cache::{self, Action};
use crate::check::CheckError;
use crate::completions::completions;
use crate::declared::{self, derived, failed, source, unexpanded};
use crate::failed::Failed;
use crate::files::{create, print, save, warn};
use crate::fit::Fit;
use crate::generate::Generate;
use crate::models;
use crate::plan::Plan;
use crate::progress::LONG_WORK;
use crate::scoreboard::{self, Measured, Selection};
use crate::simulate::Simulate;
use crate::{demo, list, new, progress};
use clap::builder::PossibleValuesParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use nhi_codegen::engine::Engine;
use nhi_codegen::report::Format;
use nhi_codegen::source::ExpandError;
use nhi_run::model::MODELS;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Structure-preserving simulation of mechanical systems with rolling, skating and wheel constraints.
///
/// Without a command, `nhi` simulates the Chaplygin sleigh and the snakeboard with every method. It prints tables and draws
/// figures into `out/`.
#[derive(Parser, Debug)]
#[command(name = "nhi", version)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Integrate a declared system, or a case.
    ///
    /// A declaration is compiled when it is run; no Rust compiler is needed. Each sample contains
    ///
    /// - k and t: the number of steps and the time, with --tolerance the number of the sample and its time;
    /// - q, v = dq/dt and p = ∂L/∂v;
    /// - lambda: the multipliers of the last step, as forces; in the first sample, those of the start;
    /// - reaction: μᵀλ, a force for each coordinate that is a length, a torque for each that is an angle;
    /// - the energy;
    /// - p_pre and p_post: the momenta before and after the reflection, if the method reflects;
    /// - the outputs, among them the conserved quantities of a model.
    ///
    /// All numbers are in the units of the parameters.
    #[command(verbatim_doc_comment, about = "Integrate a declared system, or a case", after_help = examples::RUN)]
    Run(Box<Simulate>),
    /// Run cases and compare the results with their samples.
    #[command(after_help = examples::CHECK)]
    Check {
        /// The cases, JSON files.
        #[arg(required = true)]
        cases: Vec<PathBuf>,
    },
    /// Find the motion of least cost between two states.
    ///
    /// A problem is a JSON file with the fields of a case: `model` or `declaration`, `params`, `method`, `h`, `steps`, and the
    /// start, `q0` and `v0`. It also has
    ///
    /// - `q1` and `v1`: the end. A coordinate that is null is free; without `v1` all velocities are free.
    /// - `cost` and `final_cost`: expressions in coordinates, velocities, inputs, t and parameters. The plan minimises
    ///   h Σ cost(x_k, u_k) + final_cost(x_N). Without them, the cost is half the sum of the squared inputs.
    /// - `bounds`: the least and the largest value, a number or null, of inputs, coordinates and other expressions. They hold
    ///   after every step.
    /// - `guess`: the inputs of every step to begin with.
    /// - `starts`: the number of start guesses, which are `guess` and random variations of it. The best plan is the result;
    ///   the others are listed on standard error.
    ///
    /// The samples are those of the motion. Written as JSON they are a case again. If the conditions cannot be met, the exit
    /// code is 1, and the message says which conditions are missed, and by how much.
    #[command(verbatim_doc_comment, about = "Find the motion of least cost between two states", after_help = examples::PLAN)]
    Plan(Plan),
    /// Find parameters, and the start, from samples of a motion.
    ///
    /// A problem is a JSON file with the fields of a case: `model` or `declaration`, `params`, `method`, `h`, `q0`, `v0` and
    /// `inputs`. Values of unknowns are guesses. It also has
    ///
    /// - `unknowns`: names of parameters, `theta(0)` for a coordinate of the start, and `dot_theta(0)` for a velocity. Without
    ///   it, all parameters are unknown. The motion begins with the nearest admissible velocity in the metric of the kinetic
    ///   energy.
    /// - `measured`: expressions in coordinates, velocities, inputs, t and parameters.
    /// - `samples`: rows with a time and the measured numbers, or the name of a CSV file with the column `t` and one for each
    ///   of these expressions.
    /// - `deviations`: the standard deviations of the measured numbers. Without them, they are equal and are estimated.
    /// - `starts`: the number of start guesses, which are the given one and random variations of it.
    ///
    /// `inputs` is one vector that is held, one for each step, or the name of a CSV file as for `nhi run --inputs`.
    ///
    /// The result is JSON on standard output: values with their standard deviations, covariance, χ², the estimated noise, the
    /// directions that the samples do not determine, and the results of the other starts.
    #[command(verbatim_doc_comment, about = "Find parameters, and the start, from samples of a motion", after_help = examples::FIT)]
    Fit(Fit),
    /// List the models with their parameters, and the methods.
    #[command(after_help = examples::MODELS)]
    Models {
        /// Print the declaration of one model instead, the text of a Rust file.
        #[arg(long, value_name = "NAME")]
        show: Option<String>,
    },
    /// Write a crate with one declared system, a program that runs it, a test and a case.
    #[command(after_help = examples::NEW)]
    New {
        /// The folder of the crate; its last part is the name.
        name: PathBuf,
        /// The folder of the crate `nhi-runtime`, on which the new crate depends. Without it, that is the folder in the
        /// repository in which this program was built, or else the published crate.
        #[arg(long, value_name = "PATH")]
        nhi: Option<PathBuf>,
    },
    /// Measure methods on all models or on a declared system: order, reversal, constraints, energy, parasitic modes.
    #[command(after_help = examples::SCOREBOARD)]
    Scoreboard {
        /// The system that is measured.
        #[command(flatten)]
        measured: Box<Measured>,
        /// The name of a model; may be repeated. Without it, all models.
        #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(scoreboard::names()), hide_possible_values = true)]
        model: Vec<String>,
        /// The id of a method; may be repeated. Without it, all methods.
        #[arg(long, value_name = "ID", value_parser = PossibleValuesParser::new(models::methods()), hide_possible_values = true)]
        method: Vec<String>,
        /// The number of steps of the runs that show a drift of the energy.
        #[arg(long, value_name = "N", default_value_t = 1_000_000)]
        steps: u64,
        /// A folder to write the tables, as Markdown, and the figures to.
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Print the Rust code that the derive generates.
    #[command(after_help = examples::EXPAND)]
    Expand {
        /// A Rust source file with declarations, or the name of a model of `nhi models`.
        file: PathBuf,
        /// The struct to print. Without it, all that derive `Nonholonomic`.
        #[arg(long = "struct", value_name = "NAME")]
        name: Option<String>,
        /// A method by its id (`dla2`) or type (`Dla2`). Without it, the methods of the declaration.
        #[arg(long, value_name = "M")]
        method: Option<String>,
        /// Print the scheme before the optimiser, to compare it with a paper.
        #[arg(long, conflicts_with_all = ["explain", "derivatives"])]
        plain: bool,
        /// Print what each pass of the optimiser did to the step, or why it does not apply.
        #[arg(long, conflicts_with = "derivatives")]
        explain: bool,
        /// Print the derivatives of the steps with their operations, and the basis that they refer to.
        #[arg(long)]
        derivatives: bool,
    },
    /// Write a document on a declared system: equations, structure, symmetries, and what to expect of the methods.
    #[command(after_help = examples::REPORT)]
    Report {
        /// A Rust source file with declarations, or the name of a model of `nhi models`.
        file: PathBuf,
        /// The struct; necessary if several derive `Nonholonomic`.
        #[arg(long = "struct", value_name = "NAME")]
        name: Option<String>,
        /// The format: Markdown, TeX, HTML or JSON.
        #[arg(long, default_value = "md", value_parser = PossibleValuesParser::new(Format::ALL.map(Format::name)))]
        format: String,
        /// Where to write the document. Without it, to standard output.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Write generated code as source files to check in.
    ///
    /// Rust code contains the structs without the derive. It depends on `nhi-runtime` alone, also with
    /// `default-features = false`. C code is a header and a source file for each struct, and `nhi.h`.
    #[command(after_help = examples::GENERATE)]
    Generate(Generate),
    /// Print where systems are cached and how large the cache is, or clear it.
    ///
    /// What takes longer than 0.1 s to derive is kept for later runs, in `nhi` in the user's cache directory (`XDG_CACHE_HOME`, or
    /// `~/.cache`). The Python package uses the same folder. Of more than 256 MiB, the files that were used last stay.
    #[command(after_help = examples::CACHE)]
    Cache {
        #[command(subcommand)]
        action: Option<Action>,
    },
    /// Print a script with which a shell completes commands, flags, models and methods.
    ///
    /// - bash: `source <(nhi completions bash)` in `~/.bashrc`
    /// - zsh: `source <(nhi completions zsh)` in `~/.zshrc`, after `compinit`
    /// - fish: `nhi completions fish > ~/.config/fish/completions/nhi.fish`
    #[command(
        verbatim_doc_comment,
        about = "Print a script with which a shell completes commands, flags, models and methods",
        after_help = examples::COMPLETIONS
    )]
    Completions {
        /// The shell.
        shell: Shell,
    },
}

impl Arguments {
    /// Those of the program; where they have mistakes, it ends with a message.
    pub fn read() -> Arguments {
        Arguments::try_parse().unwrap_or_else(|error| suggesting(error).exit())
    }

    /// Executes the command.
    pub fn execute(self) -> ExitCode {
        nhi_run::observe(&LONG_WORK);
        nhi_run::use_cache();
        let done = match self.command {
            None => demonstrate(),
            Some(Command::Run(run)) => run.execute(),
            Some(Command::Plan(plan)) => plan.execute(),
            Some(Command::Fit(fit)) => fit.execute(),
            Some(Command::Check { cases }) => return check(&cases),
            Some(Command::Scoreboard { measured, model, method, steps, out }) => {
                scoreboard(&measured, &model, &method, steps, out.as_deref())
            }
            Some(Command::Models { show: None }) => {
                list::models().map_err(failed).and_then(|list| print(list.as_bytes()))
            }
            Some(Command::Models { show: Some(name) }) => show(&name),
            Some(Command::New { name, nhi }) => new::new(&name, nhi.as_deref()),
            Some(Command::Expand { file, name, method, plain, explain, derivatives }) => {
                let print = match (plain, explain, derivatives) {
                    (true, ..) => nhi_codegen::expand_plain,
                    (_, true, _) => nhi_codegen::explain,
                    (.., true) => nhi_codegen::expand_derivatives,
                    _ => nhi_codegen::expand,
                };
                expand(&file, name.as_deref(), method.as_deref(), print)
            }
            Some(Command::Report { file, name, format, out }) => {
                report(&file, name.as_deref(), &format, out.as_deref())
            }
            Some(Command::Generate(generate)) => generate.execute(),
            Some(Command::Cache { action }) => cache::cache(action),
            Some(Command::Completions { shell }) => completions(shell),
        };
        match done {
            Ok(()) => ExitCode::SUCCESS,
            Err(failed) => failed.report().into(),
        }
    }
}

/// The same error with the command that was meant. Clap suggests none where letters have changed their places.
fn suggesting(mut error: clap::Error) -> clap::Error {
    let is_wanted =
        error.kind() == ErrorKind::InvalidSubcommand && error.get(ContextKind::SuggestedSubcommand).is_none();
    if let (true, Some(ContextValue::String(mistyped))) =
        (is_wanted, error.get(ContextKind::InvalidSubcommand))
    {
        let command = Arguments::command();
        let distances = command
            .get_subcommands()
            .map(|of| (strsim::damerau_levenshtein(mistyped, of.get_name()), of.get_name()));
        if let Some((_, name)) = distances.min().filter(|(distance, _)| *distance <= 2) {
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![name.to_owned()]));
        }
    }
    error
}

fn demonstrate() -> Result<(), Failed> {
    let folder = Path::new("out");
    create(folder)?;
    for example in demo::examples()? {
        let shown = example.show()?;
        print(shown.text.as_bytes())?;
        let (name, svg) = &shown.figure;
        let path = folder.join(name);
        save(&path, svg.as_bytes())?;
        print(format!("{}\n\n", path.display()).as_bytes())?;
    }
    Ok(())
}

/// The declaration of a model; of two with one name, both.
fn show(name: &str) -> Result<(), Failed> {
    let mut texts: Vec<&str> =
        MODELS.iter().filter(|model| model.name == name).map(|model| model.declaration).collect();
    texts.dedup();
    if texts.is_empty() {
        let problem = crate::case::unknown(name, "model", &models::names(), "");
        return Err(Failed::Wrong(format!("--show: {problem}")));
    }
    print(texts.join("\n").as_bytes())
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
    let report = declared::case(case)?.check().map_err(|unchecked| match unchecked {
        CheckError::Malformed(malformed) => Failed::Wrong(format!("{}: {malformed}", case.display())),
        CheckError::Stopped(stopped) => Failed::Stopped(format!("{}: {stopped}", case.display())),
    })?;
    if report.agrees() {
        print(format!("ok {}: {report}\n", case.display()).as_bytes())
    } else {
        Err(Failed::Stopped(format!("{}: {report}", case.display())))
    }
}

fn scoreboard(
    measured: &Measured,
    models: &[String],
    methods: &[String],
    steps: u64,
    out: Option<&Path>,
) -> Result<(), Failed> {
    let chosen = |name: &str| models.is_empty() || models.iter().any(|known| known == name);
    let courses = match measured.course()? {
        Some(course) => vec![course],
        None => scoreboard::courses(chosen)?,
    };
    let selection = Selection::new(courses, methods, steps);
    let bar = progress::cells(selection.cells());
    let board = selection.measure(|| bar.inc(1));
    bar.finish_and_clear();
    print(board.text().as_bytes())?;
    let Some(folder) = out else { return Ok(()) };
    create(folder)?;
    let figures = board.figures();
    for figure in &figures {
        save(&folder.join(figure.name), figure.svg.as_bytes())?;
    }
    let captions: Vec<_> = figures.iter().map(|figure| (figure.name, figure.caption)).collect();
    save(&folder.join("README.md"), board.markdown(&captions).as_bytes())
}

/// Prints something of the structs of a file.
type Expand = fn(&str, Option<&str>, Option<&str>, &mut dyn Engine) -> Result<String, ExpandError>;

fn expand(file: &Path, name: Option<&str>, method: Option<&str>, expand: Expand) -> Result<(), Failed> {
    let text = source(file)?;
    let code = derived(|engine| {
        expand(&text, name, method, engine).map_err(|error| unexpanded(file, &text, name, &error))
    })?;
    print(code.as_bytes())
}

fn report(file: &Path, name: Option<&str>, format: &str, out: Option<&Path>) -> Result<(), Failed> {
    let format = Format::named(format).unwrap_or(Format::Markdown);
    let text = source(file)?;
    let (warning, report) = derived(|engine| {
        let report = nhi_codegen::report::read(&text, name, engine);
        let report = report.map_err(|error| unexpanded(file, &text, name, &error))?;
        Ok((report.warning.clone(), format.print(&report)))
    })?;
    warn(warning);
    match out {
        Some(path) => save(path, report.as_bytes()),
        None => print(report.as_bytes()),
    }
}

/// Examples shown after the help of each command. They run as they stand in the root of the repository; a test runs them.
mod examples {
    pub(super) const RUN: &str = "Examples:
  nhi run sleigh_com --h 0.01 --steps 1000 --view sleigh.html
  nhi run sleigh_com --method frame --tolerance 1e-6 --until 10 --every-time 0.1 --out sleigh.csv
  nhi run examples/sleigh.rs --set J=1,m=1,a=0.2 --q0 0,0,0 --v0 1,0.5,0.2 --h 0.01 --steps 1000 --every 10 --out sleigh.csv
  nhi run examples/sleigh.rs --set J=1,m=1 --sweep a=0.1:0.5:5 --q0 0,0,0 --v0 1,0.5,0 --project --h 0.01 --steps 1000 --every 1000 --out sweep.csv";
    pub(super) const PLAN: &str = concat!(
        "Example:
  nhi plan examples/sideways.json --out sideways.csv --view sideways.html

where sideways.json says that a disk that cannot slide moves sideways:
",
        include_str!("sideways.json")
    );
    pub(super) const FIT: &str = concat!(
        "Example:
  nhi fit examples/identify.json --out fitted.csv --plot fitted.svg

where identify.json has positions of a disk with constant torques:
",
        include_str!("identify.json")
    );
    pub(super) const REPORT: &str = "Example:
  nhi report examples/sleigh.rs --format html --out sleigh.html";
    pub(super) const CHECK: &str = "Example:
  nhi run sleigh_com --h 0.01 --steps 100 --out samples.json
  nhi check samples.json";
    pub(super) const MODELS: &str = "Example:
  nhi models --show sleigh_com";
    pub(super) const NEW: &str = "Example:
  nhi new sleigh
  nhi run sleigh/sleigh.json --view sleigh.html";
    pub(super) const SCOREBOARD: &str = "Examples:
  nhi scoreboard --model nh_particle --method dla2 --steps 2000
  nhi scoreboard examples/sleigh.rs --set J=1,m=1,a=0.2 --q0 0,0,0 --v0 1,0.5,0.2 --h 0.05 --span 10 --method dla2 --steps 2000";
    pub(super) const EXPAND: &str = "Example:
  nhi expand examples/sleigh.rs --method dla2";
    pub(super) const GENERATE: &str = "Example:
  nhi generate examples/sleigh.rs --lang c --out c";
    pub(super) const CACHE: &str = "Examples:
  nhi cache
  nhi cache clear";
    pub(super) const COMPLETIONS: &str = "Example:
  nhi completions bash";
}
