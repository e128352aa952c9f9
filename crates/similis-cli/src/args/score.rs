//! The command that scores a partition.

use std::path::PathBuf;

use clap::Args;
use similis::LatentGraph;
use similis::latent_graph::ScoreSettings;

use super::{InputArgs, Scoring, SettingArgs, WorkArgs};

const SCORE_EXAMPLES: &str = "Examples:
  similis score testdata/two-scales.csv --labels testdata/two-scales-labels.txt
  similis score testdata/two-scales.csv --labels testdata/two-scales-labels.txt --score all-trees --json";

/// Arguments of `similis score`.
#[derive(Debug, Args)]
#[command(after_help = SCORE_EXAMPLES)]
pub struct ScoreArgs {
    /// What is read.
    #[command(flatten)]
    pub input: InputArgs,

    /// The partition: a file with a number or text for each point; points with the same one are one class.
    #[arg(long, value_name = "FILE", help_heading = "Score")]
    pub labels: PathBuf,

    /// The settings of the score.
    #[command(flatten)]
    pub scoring: SettingArgs<Scoring>,

    /// Means of the run.
    #[command(flatten)]
    pub work: WorkArgs,

    /// Print everything as one line of JSON.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

impl ScoreArgs {
    /// The settings of the score.
    ///
    /// # Errors
    ///
    /// Those of [`LatentGraph::set`].
    pub fn settings(&self) -> Result<ScoreSettings, similis::Error> {
        LatentGraph::default().with(&self.scoring.given()).map(|model| model.score_settings())
    }
}
