//! `similis schema`: the JSON Schema of everything that is written as JSON.

use std::process::ExitCode;

use clap::ValueEnum;

use super::print;
use crate::args::{SchemaArgs, SchemaName};
use crate::error::Error;

impl SchemaName {
    /// The schema, as JSON.
    pub fn text(self) -> &'static str {
        match self {
            Self::Answer => include_str!("../../schemas/answer.json"),
            Self::Model => include_str!("../../schemas/model.json"),
            Self::Prediction => include_str!("../../schemas/prediction.json"),
            Self::Compare => include_str!("../../schemas/compare.json"),
            Self::Score => include_str!("../../schemas/score.json"),
            Self::Embed => include_str!("../../schemas/embed.json"),
            Self::Neighbours => include_str!("../../schemas/neighbours.json"),
            Self::Tree => include_str!("../../schemas/tree.json"),
            Self::Linkage => include_str!("../../schemas/linkage.json"),
        }
    }
}

/// Prints a schema, or the names of all.
///
/// # Errors
///
/// [`Error::Write`].
pub fn run(args: &SchemaArgs) -> Result<ExitCode, Error> {
    match args.name {
        Some(name) => print(name.text())?,
        None => print(&names())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A line for each schema: its name, and what it describes.
fn names() -> String {
    let known = SchemaName::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let line = |value: clap::builder::PossibleValue| {
        let help = value.get_help().map(ToString::to_string).unwrap_or_default();
        format!("{:<12}{help}\n", value.get_name())
    };
    known.map(line).collect()
}
