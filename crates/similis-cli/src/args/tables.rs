//! The commands that write a table of pairs, or a dendrogram.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{InputArgs, WorkArgs};

const NEIGHBOURS_EXAMPLES: &str = "Examples:
  similis neighbours testdata/two-scales.csv -k 5 --output neighbours.csv
  similis neighbours testdata/two-scales.csv -k 5 --metric cosine --exact --json
  similis neighbours testdata/rings-distances.csv --input distances -k 3";

const TREE_EXAMPLES: &str = "Examples:
  similis tree testdata/two-scales.csv --output tree.csv
  similis tree testdata/rings-distances.csv --input distances --json";

const LINKAGE_EXAMPLES: &str = "Examples:
  similis linkage testdata/two-scales.csv --output linkage.csv
  similis linkage testdata/string-distances.csv --input distances --output tree.nwk";

/// Arguments of `similis neighbours`.
#[derive(Debug, Args)]
#[command(after_help = NEIGHBOURS_EXAMPLES)]
pub struct NeighboursArgs {
    /// What is read.
    #[command(flatten)]
    pub input: InputArgs,

    /// How many neighbours of each point; fewer are listed where fewer pairs were observed.
    #[arg(long, short = 'k', default_value_t = 10, value_name = "K", help_heading = "Neighbours")]
    pub n_neighbours: usize,

    /// Exact search, whatever it costs. Without it a few neighbours may be missed among many points in more than 15
    /// dimensions, or under another metric; the summary says so.
    #[arg(long, help_heading = "Neighbours")]
    pub exact: bool,

    /// Random seed of a search that is not exact.
    #[arg(long, default_value_t = 0, help_heading = "Run")]
    pub seed: u64,

    /// Means of the run.
    #[command(flatten)]
    pub work: WorkArgs,

    /// What is written.
    #[command(flatten)]
    pub table: TableArgs,
}

/// Arguments of `similis tree`.
#[derive(Debug, Args)]
#[command(after_help = TREE_EXAMPLES)]
pub struct TreeArgs {
    /// What is read.
    #[command(flatten)]
    pub input: InputArgs,

    /// Means of the run.
    #[command(flatten)]
    pub work: WorkArgs,

    /// What is written.
    #[command(flatten)]
    pub table: TableArgs,
}

/// How a dendrogram is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LinkageFormat {
    /// SciPy's linkage matrix, with a header.
    Csv,
    /// A tree in brackets, with names and lengths of branches.
    Newick,
}

/// Arguments of `similis linkage`.
#[derive(Debug, Args)]
#[command(after_help = LINKAGE_EXAMPLES)]
pub struct LinkageArgs {
    /// What is read.
    #[command(flatten)]
    pub input: InputArgs,

    /// Means of the run.
    #[command(flatten)]
    pub work: WorkArgs,

    /// Where to write the dendrogram: .csv (SciPy's linkage matrix), .nwk or .tree (Newick). Without it, it goes to standard
    /// output.
    #[arg(long, short = 'o', value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// Format, if the name of --output does not determine it. Default: csv.
    #[arg(long, value_enum, help_heading = "Output")]
    pub output_format: Option<LinkageFormat>,

    /// Print a summary as one line of JSON, and the dendrogram only with --output.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// Where a table goes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct TableArgs {
    /// Where to write the table: .csv. Without it, it goes to standard output.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Print a summary as one line of JSON, and the table only with --output.
    #[arg(long)]
    pub json: bool,
}
