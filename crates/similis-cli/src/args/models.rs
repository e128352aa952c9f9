//! The settings of the models, as flags.

use clap::{Args, ValueEnum};
use similis::affinity::Affinity;
use similis::latent_feature::{Covariance, FeatureInference, Gamma, Grouping, NFeatures, Variant};
use similis::latent_graph::{
    Background, GraphPrior, Inference, Likelihood, Loss, Noise, Sampling, ScalePrior, ScaleUpdates, Scales,
    Score, ScoreSettings, SearchParts, SizePrior, StartSources, Support,
};
use similis::settings::Named;
use similis::{LatentFeature, LatentGraph};

use super::{flag, named};

/// The affinity, and what is made of its eigenvectors.
#[derive(Debug, Args)]
#[command(next_help_heading = "Latent features")]
pub struct AffinityArgs {
    /// The input is a normalised similarity matrix already: it is used as it is.
    #[arg(long)]
    pub normalised: bool,

    /// How distances become similarities.
    #[arg(long, value_parser = named::<Affinity>(), default_value = flag(LatentFeature::default().affinity))]
    pub affinity: Affinity,

    /// The scale of the affinities exponential and gaussian: a number, or search.
    #[arg(long, default_value_t = LatentFeature::default().gamma, value_name = "GAMMA|search", allow_hyphen_values = true)]
    pub gamma: Gamma,

    /// How many neighbours the affinity nearest links.
    #[arg(long, default_value_t = LatentFeature::default().affinity_neighbours, value_name = "K")]
    pub affinity_neighbours: usize,

    /// Which features of the eigenvectors are used.
    #[arg(long, value_parser = named::<Variant>(), default_value = flag(LatentFeature::default().variant))]
    pub variant: Variant,
}

/// The latent feature model.
#[derive(Debug, Args)]
#[command(next_help_heading = "Latent features")]
pub struct FeatureArgs {
    /// The affinity and what is made of its eigenvectors.
    #[command(flatten)]
    pub affinity: AffinityArgs,

    /// Number of features: a number, auto (by the largest gap), or n-clusters.
    #[arg(long, default_value_t = LatentFeature::default().n_features, value_name = "T|auto|n-clusters")]
    pub n_features: NFeatures,

    /// How features are grouped.
    #[arg(long, value_parser = named::<Grouping>(), default_value = flag(LatentFeature::default().grouping))]
    pub grouping: Grouping,

    /// The shape of the classes of features.
    #[arg(long, value_parser = named::<Covariance>(), default_value = flag(LatentFeature::default().covariance))]
    pub covariance: Covariance,

    /// Features first and classes afterwards, or both together.
    #[arg(long, value_parser = named::<FeatureInference>(), default_value = flag(LatentFeature::default().feature_inference))]
    pub feature_inference: FeatureInference,

    /// Least variance of a class, as part of the features' mean variance.
    #[arg(long, default_value_t = LatentFeature::default().psi_floor, value_name = "PART")]
    pub psi_floor: f64,
}

/// The latent graph model; what is not given is the preset's.
#[derive(Debug, Args)]
#[command(next_help_heading = "Latent graphs")]
pub struct GraphArgs {
    /// The family of link lengths.
    #[arg(long, value_parser = named::<Likelihood>(), help = usually("The family of link lengths", LatentGraph::default().likelihood))]
    pub likelihood: Option<Likelihood>,

    /// Which graphs a cluster may have.
    #[arg(long, value_parser = named::<GraphPrior>(), help = usually("Which graphs a cluster may have", LatentGraph::default().graph_prior))]
    pub graph_prior: Option<GraphPrior>,

    /// How many neighbours every point has under the graph prior k-neighbours.
    #[arg(long, value_name = "K", default_value_t = LatentGraph::default().prior_neighbours)]
    pub prior_neighbours: usize,

    /// Which pairs may be links: complete up to 2,000 points, nearest above, given for edges, unless said otherwise.
    #[arg(long, value_parser = named::<Support>())]
    pub support: Option<Support>,

    /// How many neighbours the support nearest has.
    #[arg(long, value_name = "K", default_value_t = LatentGraph::default().support_neighbours)]
    pub support_neighbours: usize,

    /// How the background is found.
    #[arg(long, value_parser = named::<Background>(), help = usually("How the background is found", LatentGraph::default().background))]
    pub background: Option<Background>,

    /// What is known of the scales.
    #[arg(long, value_parser = named::<ScalePrior>(), help = usually("What is known of the scales", LatentGraph::default().scale_prior))]
    pub scale_prior: Option<ScalePrior>,

    /// How long links are beforehand; without it, the mean link of the global tree.
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    pub typical_length: Option<f64>,

    /// Which graphs scales are learned from.
    #[arg(long, value_parser = named::<ScaleUpdates>(), help = usually("Which graphs scales are learned from: the best one, or all trees", LatentGraph::default().scale_updates))]
    pub scale_updates: Option<ScaleUpdates>,

    /// How probable the sizes of clusters are.
    #[arg(long, value_parser = named::<SizePrior>(), help = usually("How probable the sizes of clusters are", LatentGraph::default().scoring.size_prior))]
    pub size_prior: Option<SizePrior>,

    /// How the answer is looked for: search, or paper where the likelihood is gaussian or the graphs are no trees; sample
    /// draws from the posterior and says how sure the answer is.
    #[arg(long, value_parser = named::<Inference>())]
    pub inference: Option<Inference>,

    /// Whether points may belong to no cluster; they are labelled -1.
    #[arg(long, value_parser = named::<Noise>(), default_value = flag(LatentGraph::default().noise))]
    pub noise: Noise,

    /// How the search weighs the trees of a cluster.
    #[arg(long, value_parser = named::<Score>(), default_value = flag(ScoreSettings::default().score))]
    pub score: Score,

    /// Whether scales may vary within a cluster, in the search.
    #[arg(long, value_parser = named::<Scales>(), default_value = flag(ScoreSettings::default().scales))]
    pub scales: Scales,

    /// How far the logarithm of the scale goes from a point to its neighbour; without it, the mean over several.
    #[arg(long, value_name = "TAU", allow_hyphen_values = true)]
    pub step: Option<f64>,

    /// The shape of link lengths in the score: 1 is exponential, 2 the distance of neighbours in the plane.
    #[arg(long, value_name = "M", default_value_t = ScoreSettings::default().shape, allow_hyphen_values = true)]
    pub shape: f64,

    /// How much the random walk counts in the score.
    #[arg(long, value_name = "WEIGHT", default_value_t = ScoreSettings::default().walk_weight, allow_hyphen_values = true)]
    pub walk_weight: f64,

    /// How many chains the inference sample runs, each from another start.
    #[arg(long, value_name = "N", default_value_t = Sampling::default().n_chains)]
    pub n_chains: usize,

    /// How many sweeps each chain makes, as many moves as there are points.
    #[arg(long, value_name = "N", default_value_t = Sampling::default().n_sweeps)]
    pub n_sweeps: usize,

    /// The part of the sweeps that is left out as the way from the start.
    #[arg(long, value_name = "PART", default_value_t = Sampling::default().burn_in, allow_hyphen_values = true)]
    pub burn_in: f64,

    /// Most partitions that are kept of all chains.
    #[arg(long, value_name = "N", default_value_t = Sampling::default().n_samples)]
    pub n_samples: usize,

    /// What the labels of the inference sample are the least expected loss of.
    #[arg(long, value_parser = named::<Loss>(), default_value = flag(Sampling::default().loss))]
    pub loss: Loss,

    /// Parts of the search to leave out, to see what they are worth.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PART", hide = true)]
    pub without: Vec<SearchPart>,
}

/// A part of the search that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SearchPart {
    /// Moves of whole subtrees of class trees.
    SubtreeMoves,
    /// Making two classes one and cutting another.
    SplitMerge,
    /// All starts but likelihood linkage.
    ManyStarts,
    /// What the latent feature model proposes.
    Features,
    /// Whatever is not done with more than 3,000 points.
    WholeSearch,
}

impl GraphArgs {
    /// How partitions are scored; the prior on sizes is that of `base` unless it was given.
    pub(super) fn scoring(&self, base: ScoreSettings) -> ScoreSettings {
        ScoreSettings {
            score: self.score,
            scales: self.scales,
            step: self.step,
            shape: self.shape,
            size_prior: self.size_prior.unwrap_or(base.size_prior),
            walk_weight: self.walk_weight,
        }
    }

    /// How the posterior is sampled.
    pub(super) fn sampling(&self) -> Sampling {
        Sampling {
            n_chains: self.n_chains,
            n_sweeps: self.n_sweeps,
            burn_in: self.burn_in,
            n_samples: self.n_samples,
            loss: self.loss,
        }
    }

    /// What is left of the search.
    pub(super) fn parts(&self) -> SearchParts {
        let kept = |part: SearchPart| !self.without.contains(&part);
        SearchParts {
            subtree_moves: kept(SearchPart::SubtreeMoves),
            split_merge: kept(SearchPart::SplitMerge),
            whole: kept(SearchPart::WholeSearch),
            starts: match (kept(SearchPart::ManyStarts), kept(SearchPart::Features)) {
                (false, _) => StartSources::Linkage,
                (true, false) => StartSources::WithoutFeatures,
                (true, true) => StartSources::All,
            },
        }
    }

    /// Whether any setting of the latent graph model was given.
    pub(super) fn any_given(&self) -> bool {
        self.likelihood.is_some()
            || self.graph_prior.is_some()
            || self.support.is_some()
            || self.background.is_some()
            || self.scale_prior.is_some()
            || self.scale_updates.is_some()
            || self.typical_length.is_some()
            || self.size_prior.is_some()
            || self.inference.is_some()
            || self.noise != Noise::default()
    }
}

/// A help text with the default, which a preset may replace.
fn usually<T: Named>(words: &str, value: T) -> String {
    format!("{words} [default: {}]", flag(value))
}
