//! The `similis` command: reads files, runs the models of the crate `similis`, writes answers and pictures.
//!
//! The binary only calls [`run`]; everything is a library so that other front ends can use it.

pub mod agreement;
pub mod answer;
pub mod args;
pub mod ask;
pub mod commands;
pub mod compare;
pub mod error;
pub mod figures;
pub mod input;
pub mod io;
pub mod layout;
pub mod linkage;
pub mod memory;
pub mod plot;
pub mod profile;
pub mod progress;
pub mod projection;
pub mod report;
#[cfg(feature = "serve")]
pub mod serve;
pub mod shard;
pub mod signals;
pub mod study;
pub mod summary;
pub mod terminal;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use crate::args::{Cli, Command, Given};
use crate::error::Error;

/// The exit code for every mistake.
const MISTAKE: u8 = 2;

/// Runs the command line and returns its exit code: 0, 2 for a mistake, 3 for an answer that lacks something, 130 after Ctrl-C or
/// another signal.
pub fn run() -> ExitCode {
    memory::check_address_space().and_then(|()| run_command()).unwrap_or_else(|error| {
        terminal::tell(&format!("error: {error}\n"));
        ExitCode::from(MISTAKE)
    })
}

fn run_command() -> Result<ExitCode, Error> {
    signals::end_at_interrupts();
    let matches = Cli::command().get_matches();
    let mut cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let given = matches.subcommand().map(|(_, given)| given);
    match (&mut cli.command, given) {
        (Command::Cluster(args), Some(given)) => args.given = Given::of(given),
        #[cfg(feature = "serve")]
        (Command::Serve(args), Some(given)) => args.cluster.given = Given::of(given),
        _ => {}
    }
    // Commands that read no names have no such flag.
    let protects = given.and_then(|given| given.try_get_one::<bool>("protect_formulas").ok().flatten());
    if protects == Some(&true) {
        io::output::protect_formulas();
    }
    dispatch(cli.command)
}

/// Runs one command.
fn dispatch(command: Command) -> Result<ExitCode, Error> {
    match command {
        Command::Cluster(args) => commands::cluster::run(&args),
        Command::Completions(args) => commands::shell::completions(&args),
        Command::Convert(args) => commands::convert::run(&args),
        Command::Generate(args) => commands::generate::run(&args),
        Command::Predict(args) => commands::predict::run(&args),
        Command::Man(args) => commands::shell::man(&args),
        Command::Sample(args) => commands::sample::run(&args),
        Command::Compare(args) => commands::compare::run(&args),
        Command::Embed(args) => commands::embed::run(&args),
        Command::Figures(args) => commands::figures::run(&args),
        Command::Linkage(args) => commands::linkage::run(&args),
        Command::Neighbours(args) => commands::neighbours::run(&args),
        Command::Schema(args) => commands::schema::run(&args),
        Command::Score(args) => commands::score::run(&args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(*args),
        Command::Shard(args) => commands::shard::run(&args),
        Command::Tree(args) => commands::tree::run(&args),
    }
}
