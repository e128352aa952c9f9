//! The command line: flags have the names of the settings, with dashes.

mod compare;
mod figures;
mod given;
mod levels;
mod make;
mod measure;
pub(crate) mod models;
mod predict;
mod questions;
mod schema;
mod score;
#[cfg(feature = "serve")]
mod serve;
mod shard;
mod tables;
mod within;

pub use compare::CompareArgs;
pub use figures::FiguresArgs;
pub use given::Given;
pub use levels::{LevelList, MoreArgs};
pub use make::{CompletionsArgs, ConvertArgs, GenerateArgs, MadeArgs, ManArgs, SampleArgs, Sampled, Target};
pub use measure::Measure;
pub use models::{Embedding, Features, Graphs, Group, SHARED, Scoring, SettingArgs};
pub use predict::{NewInput, PredictArgs};
pub use questions::QuestionArgs;
pub use schema::{SchemaArgs, SchemaName};
pub use score::ScoreArgs;
#[cfg(feature = "serve")]
pub use serve::ServeArgs;
pub use shard::{
    ShardArgs, ShardClusterArgs, ShardCommand, ShardMeans, ShardPlanArgs, ShardRunArgs, ShardWorkArgs,
};
pub use tables::{LinkageArgs, LinkageFormat, NeighboursArgs, TableArgs, TreeArgs};
pub use within::WithinArgs;

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use similis::input::{Conversion, Symmetrise};
use similis::settings::Named;
use similis::{Auto, Dissimilarity, LatentFeature, LatentGraph, Metric, NClusters};

use crate::io::output::LabelsFormat;
use crate::io::{Choice, ColumnList, Format};

use crate::study::PictureKind;

/// Clusters things from how alike they are, and learns what alike means from the data.
#[derive(Debug, Parser)]
#[command(name = "similis", version, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find clusters in a file of points, distances or similarities.
    Cluster(Box<ClusterArgs>),
    /// Run both models and their variants on a file, and show them side by side.
    Compare(Box<CompareArgs>),
    /// Print a shell completion script.
    Completions(CompletionsArgs),
    /// Write points, a matrix or pairs in another format, or points as their distances.
    Convert(ConvertArgs),
    /// Turn points, distances or similarities into features: the embedding that spectral clustering groups.
    Embed(EmbedArgs),
    /// Reproduce the paper's figures on similar shapes.
    Figures(FiguresArgs),
    /// Draw points whose clusters people see at once: rings, moons, dense shapes in sparse clouds.
    Generate(GenerateArgs),
    /// Write the single-linkage dendrogram: as SciPy's linkage matrix, or as a Newick tree.
    Linkage(LinkageArgs),
    /// Print a page of the manual.
    Man(ManArgs),
    /// List the nearest neighbours of every point.
    Neighbours(NeighboursArgs),
    /// Assign new items to the clusters of a saved model (cluster --save-model).
    Predict(PredictArgs),
    /// Draw a random matrix and its clusters from one of the two models.
    Sample(SampleArgs),
    /// Print the JSON Schema of an output, or of a saved model.
    Schema(SchemaArgs),
    /// Score a given partition: its score and its log joint, term by term.
    Score(ScoreArgs),
    /// Open a page in the browser: see the clusters, correct them, and see them change.
    #[cfg(feature = "serve")]
    Serve(Box<ServeArgs>),
    /// Cluster points in many files, job by job: more than memory holds, on one machine or on many.
    Shard(ShardArgs),
    /// List the links of the minimum spanning tree: the shortest that join all points.
    Tree(TreeArgs),
}

const CLUSTER_EXAMPLES: &str = "Examples:
  similis cluster testdata/two-scales.csv --n-clusters 2 --plot clusters.svg
  similis cluster testdata/two-scales.csv --affinity gaussian --output labels.csv
  similis cluster testdata/rings-distances.csv --input distances --n-clusters 2
  similis cluster testdata/two-scales.csv --model latent-graph --n-clusters 2 --plot graph.png
  similis cluster testdata/two-scales.csv --n-clusters 2 --report report.html --time-limit 60
  similis cluster testdata/two-scales.csv --n-clusters 2 --save-model clusters.similis";

const EMBED_EXAMPLES: &str = "Examples:
  similis embed testdata/two-scales.csv --n-features 3 --output features.csv
  similis embed testdata/rings-distances.csv --input distances --affinity local --json";

/// Arguments of `similis cluster`.
#[derive(Debug, Args)]
#[command(after_help = CLUSTER_EXAMPLES)]
pub struct ClusterArgs {
    /// Which flags were given.
    #[arg(skip)]
    pub given: Given,

    /// What is read.
    #[command(flatten)]
    pub input: InputArgs,

    /// Number of clusters: a number, a range such as 2-8, or auto; latent graphs choose by score, latent features by the
    /// largest gap between eigenvalues, in graphs by blocks and components.
    #[arg(
        long,
        short = 'k',
        default_value_t = LatentFeature::default().n_clusters,
        value_name = "M|LEAST-MOST|auto",
        allow_hyphen_values = true,
        help_heading = "Clusters"
    )]
    pub n_clusters: NClusters,

    /// Fewest points of a cluster.
    #[arg(long, default_value_t = 1, value_name = "N", help_heading = "Clusters")]
    pub min_size: usize,

    /// Most points of a cluster. Default: any number.
    #[arg(long, value_name = "N", help_heading = "Clusters")]
    pub max_size: Option<usize>,

    /// Which model explains the similarities.
    #[arg(long, value_enum, default_value_t = Model::Auto, help_heading = "Clusters")]
    pub model: Model,

    /// All settings of the latent graph model at once; single ones can still be given.
    #[arg(long, value_enum, help_heading = "Clusters")]
    pub preset: Option<Preset>,

    /// Labels that are known: a file with a number or text for each point, -1, NA or nothing where it is not known; matched by
    /// name where its first column names the points. Points with the same label share a cluster; clusters are numbered 0, 1, ..
    /// in the order of the points all the same.
    #[arg(long, value_name = "FILE", help_heading = "Clusters")]
    pub known_labels: Option<PathBuf>,

    /// Pairs that share a cluster: a file of two columns, the points' numbers counted from 0 as in lists of edges, or their
    /// names where the input has names. Chains of pairs share one too.
    #[arg(long, value_name = "FILE", help_heading = "Clusters")]
    pub must_link: Option<PathBuf>,

    /// Pairs that do not share a cluster: a file as for --must-link.
    #[arg(long, value_name = "FILE", help_heading = "Clusters")]
    pub cannot_link: Option<PathBuf>,

    /// Questions about pairs.
    #[command(flatten)]
    pub questions: QuestionArgs,

    /// The latent feature model.
    #[command(flatten)]
    pub feature: SettingArgs<Features>,

    /// The latent graph model.
    #[command(flatten)]
    pub graph: SettingArgs<Graphs>,

    /// Settings of the run.
    #[command(flatten)]
    pub run: RunArgs,

    /// Where to write the labels, - for standard output: .txt (one a line), .csv, .tsv, .parquet, .arrow (with the names of the
    /// points), .npy, or .json (with all that was learned). Without it, labels go to standard output, unless that is a terminal.
    #[arg(long, short = 'o', value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// Format of the labels, if the name of --output does not determine it; without --output they go to standard output.
    #[arg(long, value_enum, help_heading = "Output")]
    pub output_format: Option<LabelsFormat>,

    /// Also write the columns that were read, in their own units, before the labels: in .csv, .tsv, .parquet and .arrow.
    #[arg(long, help_heading = "Output")]
    pub with_input: bool,

    /// What a .json output also holds: graph (every link), candidates (every partition that was considered).
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST", help_heading = "Output")]
    pub include: Vec<Include>,

    /// Also write leave-one-out cluster probabilities: columns p0, p1, .. in .csv, .parquet and .arrow, probabilities in
    /// .json.
    #[arg(long, help_heading = "Output")]
    pub probabilities: bool,

    /// Which items are clustered again.
    #[command(flatten)]
    pub within: WithinArgs,

    /// What is written beside the labels.
    #[command(flatten)]
    pub more: MoreArgs,

    /// Where to save the model, for similis predict: a name such as clusters.similis.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub save_model: Option<PathBuf>,

    /// Where to draw the clusters: .svg, .png or .pdf.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub plot: Option<PathBuf>,

    /// What --plot shows: the report has all of them.
    #[arg(long, value_parser = named::<PictureKind>(), default_value = flag(PictureKind::default()), help_heading = "Output")]
    pub plot_kind: PictureKind,

    /// Heading of --plot. Default: what it shows.
    #[arg(long, value_name = "TEXT", help_heading = "Output")]
    pub plot_title: Option<String>,

    /// Width of --plot: pixels of an .svg or .png, points (1/72 inch) of a .pdf; the height follows.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(10..=20_000), help_heading = "Output")]
    pub plot_width: Option<u32>,

    /// Where to write a report: one .html file with pictures, clusters, settings, score and runners-up.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Option<PathBuf>,

    /// Stop after this many seconds and report the best answer so far.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_hyphen_values = true, help_heading = "Run")]
    pub time_limit: Option<Duration>,

    /// Print more: each phase as it begins (where there is no bar), its time, and the log joint after each pass.
    #[arg(long, short = 'v', conflicts_with = "quiet", help_heading = "Run")]
    pub verbose: bool,
}

/// Arguments of `similis embed`.
#[derive(Debug, Args)]
#[command(after_help = EMBED_EXAMPLES)]
pub struct EmbedArgs {
    /// What is read.
    #[command(flatten)]
    pub input: InputArgs,

    /// Number of features.
    #[arg(long, short = 't', default_value_t = 2, value_name = "T", help_heading = "Latent features")]
    pub n_features: usize,

    /// The affinity and what is made of its eigenvectors.
    #[command(flatten)]
    pub affinity: SettingArgs<Embedding>,

    /// Settings of the run.
    #[command(flatten)]
    pub run: RunArgs,

    /// Where to write the features: .csv. Without it, they go to standard output.
    #[arg(long, short = 'o', value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// Print eigenvalues and seconds as one line of JSON, and features only with --output.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// Which model explains the similarities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Model {
    /// Latent graph for points and distances, latent feature for similarities or if one of its flags is given.
    Auto,
    /// Latent features: spectral clustering and beyond.
    LatentFeature,
    /// Latent graphs: each cluster has its own scale.
    LatentGraph,
}

/// What a `.json` output holds only if it is asked for: it can be most of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Include {
    /// Every link of the graph that was found.
    Graph,
    /// Every partition that was considered.
    Candidates,
}

/// Settings that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Preset {
    /// The latent graph model of the paper, with the paper's algorithm.
    Paper,
}

/// What the numbers of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Input {
    /// A row for each point, a column for each coordinate.
    Points,
    /// A square matrix, or a one-dimensional array in SciPy's condensed order.
    Distances,
    /// A square matrix; large means alike.
    Similarities,
    /// A row for each pair that was observed: two points, by number counted from 0 or by name, and a value.
    Edges,
}

/// What a missing value means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// A mistake.
    #[default]
    Error,
    /// In a matrix: the pair was not observed.
    Unobserved,
    /// In points: the row is left out.
    Drop,
}

impl Named for Missing {
    const SETTING: &'static str = "missing";
    const VALUES: &'static [(&'static str, Self)] =
        &[("error", Self::Error), ("unobserved", Self::Unobserved), ("drop", Self::Drop)];
}

impl Missing {
    /// What it means in a matrix.
    pub fn in_matrix(self) -> similis::Missing {
        if self == Self::Unobserved { similis::Missing::Unobserved } else { similis::Missing::Error }
    }
}

/// What the values of edges are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EdgeValues {
    /// Small means alike.
    Distances,
    /// Large means alike.
    Similarities,
}

/// What is read, and as what.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// The file, or - for standard input: .csv, .tsv, .txt, .npy, .npz, .parquet, .arrow, .mtx, .phy, also with .gz.
    #[arg(value_name = "INPUT")]
    pub path: PathBuf,

    /// File format, if its name and its first bytes do not determine it.
    #[arg(long, value_enum)]
    pub format: Option<Format>,

    /// Which array of a .npz file is read, where there are several.
    #[arg(long, value_name = "NAME")]
    pub array: Option<String>,

    /// The columns to cluster on, by name or by number counted from 1: a,b,3-5.
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub columns: Option<ColumnList>,

    /// The column that names the points; the names come back in the output.
    #[arg(long, value_name = "COLUMN")]
    pub id_column: Option<String>,

    /// A column of known classes: not clustered on, but compared with the clusters.
    #[arg(long, value_name = "COLUMN")]
    pub label_column: Option<String>,

    /// A column of weights, 0 or more: a weight of w is w equal points. It is not clustered on. Of points and matrices.
    #[arg(long, value_name = "COLUMN")]
    pub weight_column: Option<String>,

    /// Shift and scale every column of points to mean 0 and standard deviation 1.
    #[arg(long)]
    pub standardise: bool,

    /// What the numbers are. Default: guessed if that is safe, and reported.
    #[arg(long, value_enum)]
    pub input: Option<Input>,

    /// What the values of --input edges are; required for edges.
    #[arg(long, value_enum)]
    pub edge_values: Option<EdgeValues>,

    /// How the distance between points is measured; haversine takes latitude and longitude in radians, gower columns of numbers and
    /// of text, with missing fields.
    #[arg(long, value_parser = Measure::parser(), default_value = flag(Metric::default()))]
    pub metric: Measure,

    /// The exponent of the metric minkowski.
    #[arg(long, default_value_t = 3.0, value_name = "P")]
    pub minkowski_p: f64,

    /// How similarities become distances, where a model needs distances.
    #[arg(long, value_parser = named::<Conversion>())]
    pub conversion: Option<Conversion>,

    /// What to do with an asymmetric matrix.
    #[arg(long, value_parser = named::<Symmetrise>(), default_value = flag(Symmetrise::default()))]
    pub symmetrise: Symmetrise,

    /// What an empty field, NA or NaN means: a mistake; in a matrix a pair that was not observed; in points a row to leave out.
    #[arg(long, value_parser = named::<Missing>(), default_value = flag(Missing::default()))]
    pub missing: Missing,
}

/// Settings of the run.
#[derive(Debug, Args)]
#[command(next_help_heading = "Run")]
pub struct RunArgs {
    /// Number of random restarts: of k-means, or of the paper's algorithm.
    #[arg(long, default_value_t = LatentFeature::default().n_restarts, value_name = "N")]
    pub n_restarts: usize,

    /// Random seed: the same seed gives the same answer.
    #[arg(long, default_value_t = LatentFeature::default().seed)]
    pub seed: u64,

    /// Means of the run.
    #[command(flatten)]
    pub work: WorkArgs,
}

/// What a run may use and say.
#[derive(Debug, Args)]
#[command(next_help_heading = "Run")]
pub struct WorkArgs {
    /// Number of threads, 0 for one per core; it does not change the answer.
    #[arg(long, default_value_t = 0)]
    pub threads: usize,

    /// Maximum memory for input and work, such as 4GB; a run that would need more is refused. Default: 80% of the free memory.
    #[arg(long, value_parser = crate::memory::parse, value_name = "SIZE")]
    pub memory_limit: Option<u64>,

    /// Print nothing but the answer.
    #[arg(long, short = 'q')]
    pub quiet: bool,

    /// Put an apostrophe before names in text outputs that a spreadsheet would take for formulas: = + - or @ first.
    #[arg(long)]
    pub protect_formulas: bool,
}

/// Reads a number of seconds above 0.
fn seconds(text: &str) -> Result<Duration, String> {
    let given = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
    let limit = given.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    limit.ok_or_else(|| format!("a number of seconds above 0, got {text}"))
}

/// The name of a value as a flag spells it.
fn flag<T: Named>(value: T) -> String {
    value.name().replace('_', "-")
}

/// Reads a named value, and lists the names in the help.
fn named<T: Named + Send + Sync>() -> impl TypedValueParser<Value = T> {
    let names: Vec<String> = T::VALUES.iter().map(|&(name, _)| name.replace('_', "-")).collect();
    PossibleValuesParser::new(names).try_map(|name| T::named(&name))
}

impl InputArgs {
    /// Which columns are what.
    pub fn choice(&self) -> Choice {
        let (id, label) = (self.id_column.clone(), self.label_column.clone());
        Choice {
            columns: self.columns.clone(),
            id,
            label,
            weight: self.weight_column.clone(),
            mixed: self.is_mixed(),
        }
    }

    /// What the column of names is called in outputs: as in the input where it was named, otherwise `id`.
    pub fn id_name(&self) -> &str {
        let named = self.id_column.as_deref().filter(|name| name.parse::<usize>().is_err());
        named.unwrap_or("id")
    }

    /// The metric, its exponent set; that of the coordinates of mixed columns.
    pub fn metric(&self) -> Metric {
        match self.metric {
            Measure::Gower => Metric::Manhattan,
            Measure::Metric(Metric::Minkowski { .. }) => Metric::Minkowski { p: self.minkowski_p },
            Measure::Metric(metric) => metric,
        }
    }

    /// Whether columns may hold numbers, text and missing fields.
    pub fn is_mixed(&self) -> bool {
        self.metric == Measure::Gower
    }
}

impl ClusterArgs {
    /// The model that is asked for, or the better one for what was observed.
    pub fn chosen(&self, auto: &Auto, observed: &Dissimilarity<'_>) -> similis::auto::Model {
        match self.model {
            // A flag names its model even if its value is the default.
            Model::Auto => auto.choose_given(observed, &|name| self.given.has(name)),
            Model::LatentGraph => similis::auto::Model::LatentGraph,
            Model::LatentFeature => similis::auto::Model::LatentFeature,
        }
    }

    /// The settings of both models.
    ///
    /// # Errors
    ///
    /// Those of [`LatentGraph::set`].
    pub fn auto(&self, memory_limit: Option<u64>) -> Result<Auto, similis::Error> {
        let Self { n_clusters, min_size, max_size, run: RunArgs { n_restarts, seed, .. }, .. } = *self;
        let graph = match self.preset {
            Some(Preset::Paper) => LatentGraph::paper(),
            None => LatentGraph::default(),
        };
        let graph = graph.with(&self.graph.given())?.with(&[("n_restarts", &n_restarts.to_string())])?;
        let feature = LatentFeature::default().with(&self.feature.given())?;
        Ok(Auto {
            graph: LatentGraph { n_clusters, min_size, max_size, seed, memory_limit, ..graph },
            feature: LatentFeature {
                n_clusters,
                min_size,
                max_size,
                n_restarts,
                seed,
                memory_limit,
                ..feature
            },
        })
    }
}
