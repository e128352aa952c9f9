//! The command that scores a partition.

use std::path::PathBuf;

use clap::Args;
use similis::latent_graph::{Scales, Score, ScoreSettings, SizePrior};

use super::{InputArgs, WorkArgs, flag, named};

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

    /// The partition: a file with one whole number for each point; points with the same number are one class.
    #[arg(long, value_name = "FILE", help_heading = "Score")]
    pub labels: PathBuf,

    /// How the trees of a class are weighed.
    #[arg(long, value_parser = named::<Score>(), default_value = flag(Score::default()), help_heading = "Score")]
    pub score: Score,

    /// Whether the scale may vary within a class.
    #[arg(long, value_parser = named::<Scales>(), default_value = flag(Scales::default()), help_heading = "Score")]
    pub scales: Scales,

    /// How far the logarithm of the scale goes from a point to its neighbour; without it, the mean over several.
    #[arg(long, value_name = "TAU", allow_hyphen_values = true, help_heading = "Score")]
    pub step: Option<f64>,

    /// The shape of link lengths: 1 is exponential, 2 the distance of neighbours in the plane.
    #[arg(long, default_value_t = ScoreSettings::default().shape, allow_hyphen_values = true, help_heading = "Score")]
    pub shape: f64,

    /// How probable the sizes of classes are.
    #[arg(long, value_parser = named::<SizePrior>(), default_value = flag(SizePrior::default()), help_heading = "Score")]
    pub size_prior: SizePrior,

    /// How much the random walk counts.
    #[arg(long, default_value_t = ScoreSettings::default().walk_weight, allow_hyphen_values = true, help_heading = "Score")]
    pub walk_weight: f64,

    /// Means of the run.
    #[command(flatten)]
    pub work: WorkArgs,

    /// Print everything as one line of JSON.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

impl ScoreArgs {
    /// The settings of the score.
    pub fn settings(&self) -> ScoreSettings {
        ScoreSettings {
            score: self.score,
            scales: self.scales,
            step: self.step,
            shape: self.shape,
            size_prior: self.size_prior,
            walk_weight: self.walk_weight,
        }
    }
}
