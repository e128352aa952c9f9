//! `similis shard`: points in many files, job by job.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use similis::{LatentFeature, LatentGraph, NClusters};

use super::{Graphs, InputArgs, SettingArgs};
use crate::io::output::LabelsFormat;

const SHARD_EXAMPLES: &str =
    "The input is a folder of files, or one file. Workers run their parts of a step, then one merges.

Examples:
  similis shard cluster testdata/two-scales.csv --n-clusters 2 --output labels/
  similis shard plan testdata/two-scales.csv --work work/ --output parts/
  similis shard run work/ --part 1/2
  similis shard run work/ --part 2/2
  similis shard merge work/";

/// Arguments of `similis shard`.
#[derive(Debug, Args)]
#[command(after_help = SHARD_EXAMPLES)]
pub struct ShardArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: ShardCommand,
}

/// What can be done with points in many files.
#[derive(Debug, Subcommand)]
pub enum ShardCommand {
    /// Cluster the points of a folder on this machine, whatever fits into its memory: plan, run and labels in one.
    Cluster(Box<ShardClusterArgs>),
    /// Make a work folder; nothing is read yet.
    Plan(Box<ShardPlanArgs>),
    /// Run the jobs of the current step; without --part also all further steps, to the labels.
    Run(ShardRunArgs),
    /// Merge what the jobs of the current step wrote, and begin the next one.
    Merge(ShardWorkArgs),
    /// Write the labels of all shards: the last step.
    Labels(ShardWorkArgs),
    /// Say how far a work folder is.
    Status(ShardWorkArgs),
}

/// Arguments of `similis shard plan`.
#[derive(Debug, Args)]
pub struct ShardPlanArgs {
    /// What is read: a folder of .csv, .tsv, .txt, .npy, .npz, .parquet or .arrow files, or one file.
    #[command(flatten)]
    pub input: InputArgs,

    /// The work folder: new or empty. Default: the output folder with .work after it.
    #[arg(long, value_name = "FOLDER", help_heading = "Shards")]
    pub work: Option<PathBuf>,

    /// Where labels go, a file for each shard. Default: the input with -labels after it.
    #[arg(long, short = 'o', value_name = "FOLDER", help_heading = "Shards")]
    pub output: Option<PathBuf>,

    /// Format of the labels. Default: that of the shard, or .csv.
    #[arg(long, value_enum, help_heading = "Shards")]
    pub output_format: Option<LabelsFormat>,

    /// Number of cells that the points are sorted into: it does not change the answer. Of more than 15 columns it is also the number
    /// of overlapping groups within which neighbours are looked for. Default: one for 250,000 points.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_536), help_heading = "Shards")]
    pub n_cells: Option<u32>,

    /// Number of clusters: a number, a range such as 2-8, or auto.
    #[arg(
        long,
        short = 'k',
        default_value_t = LatentFeature::default().n_clusters,
        value_name = "M|LEAST-MOST|auto",
        allow_hyphen_values = true,
        help_heading = "Clusters"
    )]
    pub n_clusters: NClusters,

    /// The latent graph model.
    #[command(flatten)]
    pub graph: SettingArgs<Graphs>,

    /// Random seed: the same seed gives the same answer.
    #[arg(long, default_value_t = LatentFeature::default().seed, help_heading = "Run")]
    pub seed: u64,

    /// Maximum memory for reading a shard and for the search, such as 4GB. Default: 80% of the free memory.
    #[arg(long, value_parser = crate::memory::parse, value_name = "SIZE", help_heading = "Run")]
    pub memory_limit: Option<u64>,
}

/// Arguments of `similis shard cluster`.
#[derive(Debug, Args)]
pub struct ShardClusterArgs {
    /// The plan.
    #[command(flatten)]
    pub plan: ShardPlanArgs,

    /// How it is run.
    #[command(flatten)]
    pub means: ShardMeans,
}

/// What a run may use and say.
#[derive(Debug, Args)]
pub struct ShardMeans {
    /// Number of jobs at a time, 0 for one per core; it does not change the answer.
    #[arg(long, default_value_t = 0, help_heading = "Run")]
    pub threads: usize,

    /// Print nothing.
    #[arg(long, short = 'q', help_heading = "Run")]
    pub quiet: bool,
}

/// Arguments of `similis shard run`.
#[derive(Debug, Args)]
pub struct ShardRunArgs {
    /// The work folder.
    #[arg(value_name = "WORK")]
    pub work: PathBuf,

    /// Run only this part of the current step's jobs, such as 3/16, the third of sixteen; merge between the steps yourself.
    #[arg(long, value_parser = part, value_name = "I/N", help_heading = "Shards")]
    pub part: Option<(usize, usize)>,

    /// How it is run.
    #[command(flatten)]
    pub means: ShardMeans,
}

/// Arguments of commands on a work folder.
#[derive(Debug, Args)]
pub struct ShardWorkArgs {
    /// The work folder.
    #[arg(value_name = "WORK")]
    pub work: PathBuf,

    /// How it is run.
    #[command(flatten)]
    pub means: ShardMeans,
}

/// Reads a part such as 3/16.
fn part(text: &str) -> Result<(usize, usize), String> {
    let numbers = text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
    numbers
        .filter(|&(part, of): &(usize, usize)| (1..=of).contains(&part))
        .ok_or_else(|| format!("must be a part and the number of parts, such as 3/16, got {text:?}"))
}

impl ShardPlanArgs {
    /// The model and its settings.
    ///
    /// # Errors
    ///
    /// Those of [`LatentGraph::with`].
    pub fn model(&self) -> Result<LatentGraph, similis::Error> {
        let graph = LatentGraph::default().with(&self.graph.given())?;
        Ok(LatentGraph { n_clusters: self.n_clusters, seed: self.seed, ..graph })
    }

    /// Where the labels go.
    pub fn output_folder(&self) -> PathBuf {
        self.output.clone().unwrap_or_else(|| beside(&self.input.path, "-labels"))
    }

    /// The work folder.
    pub fn work_folder(&self) -> PathBuf {
        self.work.clone().unwrap_or_else(|| beside(&self.output_folder(), ".work"))
    }
}

/// A name beside another.
fn beside(path: &std::path::Path, ending: &str) -> PathBuf {
    // A folder may be given with a slash at its end.
    let mut name = path.components().as_path().as_os_str().to_owned();
    name.push(ending);
    name.into()
}
