//! `nhi completions`: scripts with which shells complete what is typed.

use crate::command::Arguments;
use crate::failed::Failed;
use crate::files::print;
use crate::models;
use clap::builder::PossibleValuesParser;
use clap::{Arg, CommandFactory};
use clap_complete::{Shell, generate};

/// Prints the script for a shell.
pub(crate) fn completions(shell: Shell) -> Result<(), Failed> {
    // Further compositions and variants of retractions are too many to choose from.
    let method = |arg: Arg| arg.value_parser(PossibleValuesParser::new(models::methods().chain(["exact"])));
    let model = |arg: Arg| arg.value_parser(PossibleValuesParser::new(models::names()));
    let mut command = Arguments::command()
        .mut_subcommand("run", |run| run.mut_arg("method", method))
        .mut_subcommand("expand", |expand| expand.mut_arg("method", method))
        .mut_subcommand("generate", |generate| generate.mut_arg("method", method))
        .mut_subcommand("models", |models| models.mut_arg("show", model));
    // bash completes names of files where none of the values fits. In zsh there would be no files.
    if shell == Shell::Bash {
        for name in ["run", "expand", "report", "generate"] {
            command = command.mut_subcommand(name, |of| of.mut_arg("file", model));
        }
    }
    let mut script = Vec::new();
    generate(shell, &mut command, "nhi", &mut script);
    print(&script)
}
