//! The command that makes the paper's figures again.

use std::path::PathBuf;

use clap::Args;

use super::WorkArgs;
use crate::figures::N_POINTS;

const FIGURES_EXAMPLES: &str = "Examples:
  similis figures figures --n-points 60
  similis figures figures --n-points 40 --seed 1 --quiet";

/// Arguments of `similis figures`.
#[derive(Debug, Args)]
#[command(after_help = FIGURES_EXAMPLES)]
pub struct FiguresArgs {
    /// The folder to write to, made if it does not exist: a .svg and a .png for each panel, figures.svg and figures.png with
    /// those of the paper's figures, models.svg and models.png with those of its other models, and the tables of agreements,
    /// agreement.md and models.md, which are also printed.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,

    /// Points in each panel; the time grows with its third power.
    #[arg(long, default_value_t = N_POINTS, value_name = "N", help_heading = "Run")]
    pub n_points: usize,

    /// Random seed: another seed draws other points of the same shapes.
    #[arg(long, default_value_t = 0, help_heading = "Run")]
    pub seed: u64,

    /// Means of the run.
    #[command(flatten)]
    pub work: WorkArgs,
}
