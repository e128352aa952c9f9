//! The command that compares models.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::PossibleValuesParser;
use similis::{LatentFeature, NClusters};

use super::{InputArgs, RunArgs, seconds};
use crate::compare::VARIANTS;

const COMPARE_EXAMPLES: &str = "Examples:
  similis compare testdata/two-scales.csv -k 2 --labels testdata/two-scales-labels.txt
  similis compare testdata/two-scales.csv -k 2 --variants search,ng-jordan-weiss --plot compared.png
  similis compare testdata/rings-distances.csv -k 2 --report compared.html";

/// Arguments of `similis compare`.
#[derive(Debug, Args)]
#[command(after_help = COMPARE_EXAMPLES)]
pub struct CompareArgs {
    /// What is read.
    #[command(flatten)]
    pub input: InputArgs,

    /// Number of clusters: a number, or auto (what the first variant finds).
    #[arg(
        long,
        short = 'k',
        default_value_t = LatentFeature::default().n_clusters,
        value_name = "M|LEAST-MOST|auto",
        allow_hyphen_values = true,
        help_heading = "Comparison"
    )]
    pub n_clusters: NClusters,

    /// Variants to compare. Default: all that suit the input; the paper's algorithm only up to 1,000 points.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = PossibleValuesParser::new(VARIANTS), help_heading = "Comparison")]
    pub variants: Vec<String>,

    /// The true classes: a file with a number or text for each point, -1, NA or nothing where it is not known. Every variant is
    /// compared with them, as with --label-column.
    #[arg(long, value_name = "FILE", conflicts_with = "label_column", help_heading = "Comparison")]
    pub labels: Option<PathBuf>,

    /// Settings of the run.
    #[command(flatten)]
    pub run: RunArgs,

    /// Stop after this many seconds; variants that have not finished report their best answer so far.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_hyphen_values = true, help_heading = "Run")]
    pub time_limit: Option<Duration>,

    /// Where to draw a small picture of each: .svg, .png or .pdf.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub plot: Option<PathBuf>,

    /// Where to write a report: one .html file.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Option<PathBuf>,

    /// Print everything as one line of JSON.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}
