//! The arguments of `similis schema`.

use clap::{Args, ValueEnum};

const EXAMPLES: &str = "Examples:
  similis schema
  similis schema answer
  similis schema model";

/// Arguments of `similis schema`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct SchemaArgs {
    /// What the schema describes; without it, the names are listed.
    #[arg(value_enum)]
    pub name: Option<SchemaName>,
}

/// The files and lines of JSON that have a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemaName {
    /// A .json output of similis cluster.
    Answer,
    /// A saved model.
    Model,
    /// A .json output of similis predict.
    Prediction,
    /// What similis compare --json prints.
    Compare,
    /// What similis score --json prints.
    Score,
    /// What similis embed --json prints.
    Embed,
    /// What similis neighbours --json prints.
    Neighbours,
    /// What similis tree --json prints.
    Tree,
    /// What similis linkage --json prints.
    Linkage,
}
