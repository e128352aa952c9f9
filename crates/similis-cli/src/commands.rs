//! What the command does.

mod ask;
mod beside;
pub mod cluster;
pub mod compare;
pub mod convert;
pub mod embed;
pub mod figures;
mod foreseen;
pub mod generate;
pub mod linkage;
pub mod neighbours;
pub mod predict;
pub mod sample;
mod saved;
pub mod schema;
pub mod score;
pub mod shard;
pub mod shell;
pub(crate) mod side;
pub mod tree;
mod unused;
mod wanted;
mod within;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::args::{InputArgs, TableArgs};
use crate::error::Error;
use crate::input::Observed;
use crate::io::STANDARD_INPUT;
use crate::io::output::{check_csv_path, csv_field, print_with, write_bytes};
use crate::terminal::tell;

/// Writes to standard output; a reader that has gone away (as `head` does) is no mistake.
pub(crate) fn print(text: &str) -> Result<(), Error> {
    print_with(|out| out.write_all(text.as_bytes()))
}

/// Prints notes on what was assumed.
pub(crate) fn say(notes: &[String], quiet: bool) {
    if !quiet {
        notes.iter().for_each(|note| tell(&format!("note: {note}\n")));
    }
}

/// Whether a name stands for standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path == Path::new(STANDARD_INPUT)
}

/// Checks before a long run that CSV can be written, and not over its input.
fn check_csv_output(input: &InputArgs, output: Option<&PathBuf>) -> Result<(), Error> {
    let Some(path) = output.filter(|path| !is_standard(path)) else { return Ok(()) };
    check_csv_path(path)?;
    cluster::check_not_over(&[Some(&input.path)], &[Some(path)])
}

/// Writes a table where it was asked for, then the line of JSON.
fn write_table(
    args: &TableArgs,
    csv: impl FnOnce() -> String,
    json: &serde_json::Value,
) -> Result<(), Error> {
    match &args.output {
        Some(path) => write_bytes(path, csv().as_bytes())?,
        None if args.json => {}
        None => print(&csv())?,
    }
    if args.json { print(&format!("{json}\n")) } else { Ok(()) }
}

/// An item as the input names it, or its number.
fn item(observed: &Observed, i: usize) -> Cow<'_, str> {
    observed.ids.as_ref().map_or_else(|| i.to_string().into(), |ids| csv_field(&ids[i]))
}

/// What was read, in words.
fn read_as(args: &InputArgs, observed: &Observed) -> String {
    let guessed = if observed.guessed { " (guessed; use --input to override)" } else { "" };
    format!("{}: {}{guessed}", args.path.display(), observed.described())
}
