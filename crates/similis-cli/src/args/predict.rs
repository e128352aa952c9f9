//! The command that says where new items belong.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::WorkArgs;
use crate::io::output::LabelsFormat;
use crate::io::{Choice, ColumnList, Format};

const PREDICT_EXAMPLES: &str = "Examples:
  similis cluster testdata/two-scales.csv --n-clusters 2 --save-model clusters.similis
  similis predict clusters.similis testdata/two-scales.csv --output labels.csv
  similis predict clusters.similis testdata/two-scales.csv --probabilities";

/// What a new item is known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum NewInput {
    /// A row of coordinates for each new item, as the model's points have.
    Points,
    /// A row of distances for each new item, one to every point of the model, in their order.
    Distances,
}

/// Arguments of `similis predict`.
#[derive(Debug, Args)]
#[command(after_help = PREDICT_EXAMPLES)]
pub struct PredictArgs {
    /// The model: a file that cluster --save-model wrote.
    #[arg(value_name = "MODEL", help_heading = "Input")]
    pub model: PathBuf,

    /// The new items, or - for standard input: a table in any format that cluster reads.
    #[arg(value_name = "NEW", help_heading = "Input")]
    pub path: PathBuf,

    /// What the new items are given by. Default: points if the model has points, otherwise distances.
    #[arg(long, value_enum, help_heading = "Input")]
    pub input: Option<NewInput>,

    /// File format, if its name and its first bytes do not determine it.
    #[arg(long, value_enum, help_heading = "Input")]
    pub format: Option<Format>,

    /// Which array of a .npz file is read, where there are several.
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub array: Option<String>,

    /// The columns to take, by name or by number counted from 1: a,b,3-5. Without it those that the model was made of, where
    /// both files name their columns.
    #[arg(long, value_name = "LIST", allow_hyphen_values = true, help_heading = "Input")]
    pub columns: Option<ColumnList>,

    /// The column that names the new items; the names come back in the output.
    #[arg(long, value_name = "COLUMN", help_heading = "Input")]
    pub id_column: Option<String>,

    /// Where to write the labels, - for standard output: .txt (one a line), .csv, .parquet, .arrow (with the names of the
    /// items), .npy, or .json. Without it, labels go to standard output. -1 is noise.
    #[arg(long, short = 'o', value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// Format of the labels, if the name of --output does not determine it; without --output they go to standard output.
    #[arg(long, value_enum, help_heading = "Output")]
    pub output_format: Option<LabelsFormat>,

    /// Also write the probability of every cluster: columns p0, p1, .. in the numbering of the labels.
    #[arg(long, help_heading = "Output")]
    pub probabilities: bool,

    /// Also write how far out of the ordinary each item is: column log_density, and for models of points outlier_score (0 is
    /// ordinary, 1 is like no cluster), in .json too.
    #[arg(long, help_heading = "Output")]
    pub scores: bool,

    /// Means of the run.
    #[command(flatten)]
    pub work: WorkArgs,
}

impl PredictArgs {
    /// Which columns are what, those of the model's names where none are chosen.
    pub(crate) fn choice(&self, names: Option<&[String]>) -> Choice {
        let columns = self.columns.clone().or_else(|| names.map(ColumnList::of_names));
        Choice { columns, id: self.id_column.clone(), ..Choice::default() }
    }
}
