//! `similis completions` and `similis man`: what packages install beside the command.

use std::process::ExitCode;

use clap::CommandFactory;

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::error::Error;
use crate::io::output::print_with;

/// Prints the completions of a shell.
///
/// # Errors
///
/// [`Error::Write`].
pub fn completions(args: &CompletionsArgs) -> Result<ExitCode, Error> {
    let mut bytes = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "similis", &mut bytes);
    print_with(|out| out.write_all(&bytes))?;
    Ok(ExitCode::SUCCESS)
}

/// Prints a page of the manual.
///
/// # Errors
///
/// [`Error::NoCommand`], [`Error::Write`].
pub fn man(args: &ManArgs) -> Result<ExitCode, Error> {
    let mut all = Cli::command();
    all.build();
    let page = match &args.command {
        None => all,
        Some(name) => {
            let known: Vec<&str> = all.get_subcommands().map(clap::Command::get_name).collect();
            let unknown = Error::NoCommand { given: name.clone(), known: known.join(", ") };
            let command = all.find_subcommand(name).cloned().ok_or(unknown)?;
            command.name(format!("similis-{name}"))
        }
    };
    print_with(|out| clap_mangen::Man::new(page).render(out))?;
    Ok(ExitCode::SUCCESS)
}
