//! The commands that make files: convert, generate, sample, completions, man.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use similis::evaluate::shapes::Shape;
use similis::latent_graph::{GraphPrior, Likelihood};

use super::{InputArgs, WorkArgs, flag, named};
use crate::io::Format;

const CONVERT_EXAMPLES: &str = "Examples:
  similis convert testdata/two-scales.csv points.npy
  similis convert testdata/two-scales.csv distances.mtx --to matrix --metric manhattan
  similis convert testdata/rings-distances.csv rings.phy --input distances
  similis convert testdata/rings-distances.csv pairs.csv.gz --input distances --to edges";

const GENERATE_EXAMPLES: &str = "Examples:
  similis generate dense-ring --n-points 500 --output ring.csv
  similis generate five-blobs --seed 7 --output blobs.npy
  similis generate half-moons --n-points 20";

const SAMPLE_EXAMPLES: &str = "Examples:
  similis sample latent-graph --class-scales 0.1,1 --output drawn.csv --labels classes.txt
  similis sample latent-graph --likelihood gaussian --class-scales 1,2,4 --output drawn.npy
  similis sample latent-feature --n-clusters 4 --noise 0.05 --output drawn.mtx";

const COMPLETIONS_EXAMPLES: &str = "Examples:
  similis completions bash
  similis completions fish";

const MAN_EXAMPLES: &str = "Examples:
  similis man
  similis man cluster";

/// What a file is converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// A row for each point, as it was read.
    Points,
    /// A square matrix; of points, their distances by --metric.
    Matrix,
    /// A row for each observed pair: two items and a value.
    Edges,
}

/// Arguments of `similis convert`.
#[derive(Debug, Args)]
#[command(after_help = CONVERT_EXAMPLES)]
pub struct ConvertArgs {
    /// What is read.
    #[command(flatten)]
    pub input: InputArgs,

    /// The file to write, or - for standard output: .csv, .tsv, .txt, .npy, .npz, .parquet, .arrow, .mtx, .phy, also with
    /// .gz.
    #[arg(value_name = "OUTPUT")]
    pub output: PathBuf,

    /// What is written; without it, what was read.
    #[arg(long, value_enum, help_heading = "Output")]
    pub to: Option<Target>,

    /// Format of the output, if its name does not determine it.
    #[arg(long, value_enum, help_heading = "Output")]
    pub output_format: Option<Format>,

    /// Means of the run.
    #[command(flatten)]
    pub work: WorkArgs,
}

/// Arguments of `similis generate`.
#[derive(Debug, Args)]
#[command(after_help = GENERATE_EXAMPLES)]
pub struct GenerateArgs {
    /// The shape.
    #[arg(value_name = "NAME", value_parser = named::<Shape>())]
    pub shape: Shape,

    /// Number of points.
    #[arg(long, short = 'n', default_value_t = 400, value_name = "N")]
    pub n_points: usize,

    /// Random seed.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,

    /// Leave out the column with the class of each point.
    #[arg(long)]
    pub no_labels: bool,

    /// Where the points go.
    #[command(flatten)]
    pub output: MadeArgs,
}

/// Where something that was made goes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct MadeArgs {
    /// The file to write, as for convert; without it, CSV goes to standard output.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Format of the output, if its name does not determine it.
    #[arg(long, value_enum)]
    pub output_format: Option<Format>,

    /// Print nothing but what was made.
    #[arg(long, short = 'q')]
    pub quiet: bool,
}

/// Which model is drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sampled {
    /// Latent graphs: distances along hidden trees, one scale a class.
    LatentGraph,
    /// Latent features: similarities of hidden features, one Gaussian a class.
    LatentFeature,
}

/// Arguments of `similis sample`.
#[derive(Debug, Args)]
#[command(after_help = SAMPLE_EXAMPLES)]
pub struct SampleArgs {
    /// The model.
    #[arg(value_enum)]
    pub model: Sampled,

    /// Number of points.
    #[arg(long, short = 'n', default_value_t = 100, value_name = "N")]
    pub n_points: usize,

    /// Random seed.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,

    /// The scale of each class: the mean length of its links.
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "0.1,1",
        help_heading = "Latent graphs",
        allow_hyphen_values = true
    )]
    pub class_scales: Vec<f64>,

    /// The mean of all other lengths.
    #[arg(
        long,
        default_value_t = 5.0,
        value_name = "SCALE",
        help_heading = "Latent graphs",
        allow_hyphen_values = true
    )]
    pub background: f64,

    /// The family of the lengths.
    #[arg(long, value_parser = named::<Likelihood>(), default_value = flag(Likelihood::default()), help_heading = "Latent graphs")]
    pub likelihood: Likelihood,

    /// The spread of gaussian lengths, as part of their scale.
    #[arg(
        long,
        default_value_t = 0.1,
        value_name = "PART",
        help_heading = "Latent graphs",
        allow_hyphen_values = true
    )]
    pub relative_spread: f64,

    /// Which graph a class has.
    #[arg(long, value_parser = named::<GraphPrior>(), default_value = flag(GraphPrior::default()), help_heading = "Latent graphs")]
    pub graph_prior: GraphPrior,

    /// How many neighbours every point has under the graph prior k-neighbours.
    #[arg(long, default_value_t = 5, value_name = "K", help_heading = "Latent graphs")]
    pub prior_neighbours: usize,

    /// Number of classes, each with a feature of its own.
    #[arg(long, short = 'k', default_value_t = 3, value_name = "M", help_heading = "Latent features")]
    pub n_clusters: usize,

    /// The standard deviation of features about their class.
    #[arg(
        long,
        default_value_t = 0.1,
        value_name = "SPREAD",
        help_heading = "Latent features",
        allow_hyphen_values = true
    )]
    pub spread: f64,

    /// The standard deviation of similarities about the product of their features.
    #[arg(
        long,
        default_value_t = 0.1,
        value_name = "NOISE",
        help_heading = "Latent features",
        allow_hyphen_values = true
    )]
    pub noise: f64,

    /// Where to write the class of each point: .txt, .csv or .npy.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub labels: Option<PathBuf>,

    /// Where the matrix goes.
    #[command(flatten)]
    pub output: MadeArgs,
}

/// Arguments of `similis completions`.
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// Arguments of `similis man`.
#[derive(Debug, Args)]
#[command(after_help = MAN_EXAMPLES)]
pub struct ManArgs {
    /// The command whose page is wanted; without it, the page of similis itself.
    pub command: Option<String>,
}
