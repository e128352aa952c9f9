//! Settings of the inference and of the score: each inference has its own.

use crate::latent_graph::model::prior::SizePrior;
use crate::latent_graph::model::scale::ScaleUpdates;
use crate::settings::Named;

/// How labels, graph and scales are inferred, with the settings of each inference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Inference {
    /// Local search from many starts, by moves of points and subtrees; a score decides.
    Search(SearchSettings),
    /// The algorithm box of section 3.3, from random labels.
    Paper(PaperSettings),
    /// Draws from the posterior over partitions, trees summed out and scales integrated out; the labels minimise the expected
    /// loss.
    Sample(Sampling),
}

impl Default for Inference {
    fn default() -> Self {
        Self::Search(SearchSettings::DEFAULT)
    }
}

impl Named for Inference {
    const SETTING: &'static str = "inference";
    const VALUES: &'static [(&'static str, Self)] = &[
        ("search", Self::Search(SearchSettings::DEFAULT)),
        ("paper", Self::Paper(PaperSettings::DEFAULT)),
        ("sample", Self::Sample(Sampling::DEFAULT)),
    ];
}

/// Settings of the search.
///
/// Its score has a density of link lengths of its own, of shape `shape`, and integrates scales out: of the model's settings
/// only the support and the prior on sizes reach the labels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchSettings {
    /// How the trees of a cluster are weighted; default `BestTree`.
    pub score: Score,
    /// Whether the scale may vary within a cluster; default `Varying`. With `AllTrees` it may not.
    pub scales: Scales,
    /// As [`ScoreSettings::step`]; default `None`.
    pub step: Option<f64>,
    /// As [`ScoreSettings::shape`]; default 2.
    pub shape: f64,
    /// As [`ScoreSettings::walk_weight`]; default 1.
    pub walk_weight: f64,
    /// As [`ScoreSettings::valley_weight`]; default 1.
    pub valley_weight: f64,
    /// Whether points may belong to no cluster; default `None`.
    pub noise: Noise,
    /// Parts of the search that can be left out; default: none is.
    pub parts: SearchParts,
}

impl SearchSettings {
    /// The default, for constants.
    pub(crate) const DEFAULT: Self = Self {
        score: Score::BestTree,
        scales: Scales::Varying,
        step: None,
        shape: 2.0,
        walk_weight: 1.0,
        valley_weight: 1.0,
        noise: Noise::None,
        parts: SearchParts::ALL,
    };

    /// How partitions are scored, with this prior on sizes.
    pub(crate) fn scoring(&self, size_prior: SizePrior) -> ScoreSettings {
        let Self { score, scales, step, shape, walk_weight, valley_weight, .. } = *self;
        ScoreSettings { score, scales, step, shape, size_prior, walk_weight, valley_weight }
    }
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Settings of the paper's algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaperSettings {
    /// Number of random starts; the most probable answer wins; default 10.
    pub n_restarts: usize,
    /// Which graphs scales are learned from; default `Hard`.
    pub scale_updates: ScaleUpdates,
}

impl PaperSettings {
    /// The default, for constants.
    pub(crate) const DEFAULT: Self = Self { n_restarts: 10, scale_updates: ScaleUpdates::Hard };
}

impl Default for PaperSettings {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// How the posterior is sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Number of chains, each from another start; default 4.
    pub n_chains: usize,
    /// Number of sweeps of each chain, as many moves as there are points; default 1,000.
    pub n_sweeps: usize,
    /// Fraction of sweeps discarded as warm-up, from 0 to below 1; default 0.5.
    pub burn_in: f64,
    /// Largest number of partitions that are kept of all chains together, evenly spaced; default 1,000.
    pub n_samples: usize,
    /// The loss that the labels minimise over the samples; default the variation of information.
    pub loss: Loss,
}

impl Sampling {
    /// The default, for constants.
    pub(crate) const DEFAULT: Self = Self {
        n_chains: 4,
        n_sweeps: 1000,
        burn_in: 0.5,
        n_samples: 1000,
        loss: Loss::VariationOfInformation,
    };
}

impl Default for Sampling {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Number of partitions of a search for trees with exponential lengths from which the paper's algorithm begins under other likelihoods
/// and graphs. Not tuned.
pub(crate) const N_BEGUN: usize = 6;

/// The loss between two partitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Loss {
    /// The variation of information, $H(A) + H(B) - 2 I(A, B)$ in nats (Meila).
    #[default]
    VariationOfInformation,
    /// Binder's loss: the fraction of ordered pairs of points that are together in one partition and apart in the other.
    Binder,
}

impl Named for Loss {
    const SETTING: &'static str = "loss";
    const VALUES: &'static [(&'static str, Self)] =
        &[("variation_of_information", Self::VariationOfInformation), ("binder", Self::Binder)];
}

/// How partitions are scored: settings for a partition that is given, and for predictions.
///
/// Those of a model are [`LatentGraph::score_settings`](crate::LatentGraph::score_settings).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreSettings {
    /// How the trees of a cluster are weighed; default `BestTree`.
    pub score: Score,
    /// Whether the scale may vary within a cluster; default `Varying`. With `AllTrees` it may not.
    pub scales: Scales,
    /// Standard deviation of the change of $\log s$ from a point to its neighbour ($\tau$), where scales vary; 0 or more. The
    /// default, `None`, is the mean of the evidence over 0, 0.05, 0.1, 0.2 and 0.4, the same for all clusters.
    pub step: Option<f64>,
    /// The shape $m$ of the link lengths, above 0: 1 is the exponential of Eq. (8), 2, the default, are distances between
    /// nearest neighbours of a uniform cloud in the plane.
    pub shape: f64,
    /// How probable the sizes of clusters are; default `Dirichlet`; `Constant` drops the first term.
    pub size_prior: SizePrior,
    /// $\lambda$: how much the random walk counts, 0 or more; default 1. From 0.8 to 1.3 answers hardly differ.
    pub walk_weight: f64,
    /// How much the valleys of the density inside clusters count, 0 or more; default 1. With one scale for each cluster, and
    /// with all trees, they do not.
    pub valley_weight: f64,
}

impl Default for ScoreSettings {
    fn default() -> Self {
        SearchSettings::DEFAULT.scoring(SizePrior::default())
    }
}

/// How the trees of a cluster are weighed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Score {
    /// The sum over all trees of near neighbours in the cluster, one scale for each cluster.
    AllTrees,
    /// The minimum spanning tree alone.
    #[default]
    BestTree,
}

impl Named for Score {
    const SETTING: &'static str = "score";
    const VALUES: &'static [(&'static str, Self)] =
        &[("all_trees", Self::AllTrees), ("best_tree", Self::BestTree)];
}

/// Whether the scale may vary within a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scales {
    /// One scale for each cluster, as in the paper.
    PerClass,
    /// The scale changes slowly along the tree of a cluster.
    #[default]
    Varying,
}

impl Named for Scales {
    const SETTING: &'static str = "scales";
    const VALUES: &'static [(&'static str, Self)] =
        &[("per_class", Self::PerClass), ("varying", Self::Varying)];
}

/// Whether points may belong to no cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Noise {
    /// Every point belongs to a cluster.
    #[default]
    None,
    /// Points that no cluster explains are noise.
    Background,
}

impl Named for Noise {
    const SETTING: &'static str = "noise";
    const VALUES: &'static [(&'static str, Self)] = &[("none", Self::None), ("background", Self::Background)];
}

/// A part of the search that can be left out, to measure what it contributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchPart {
    /// Moves of whole subtrees of cluster trees.
    SubtreeMoves,
    /// Merging two clusters and splitting another, where local search maximises the score itself.
    SplitMerge,
    /// The whole search of up to 3,000 points; without it they are searched as larger inputs are
    /// ([`Plan`](crate::plan::Plan)).
    WholeSearch,
    /// All starts but one likelihood linkage.
    ManyStarts,
    /// Starts by the latent feature model.
    Features,
    /// Starts, and partitions into each number of clusters, by modes of the density.
    Modes,
    /// Starts by mixtures of Gaussians.
    Mixtures,
    /// Starts, and partitions into each number of clusters, by excess of mass.
    ExcessOfMass,
}

/// The parts of the search that are not left out; by default all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchParts {
    /// A bit for each part that is left out.
    left_out: u16,
}

impl SearchParts {
    /// All parts.
    pub const ALL: Self = Self { left_out: 0 };

    /// The names of the parts, in the order of [`SearchPart`].
    pub(crate) const NAMES: &'static [&'static str] = &[
        "subtree_moves",
        "split_merge",
        "whole_search",
        "many_starts",
        "features",
        "modes",
        "mixtures",
        "excess_of_mass",
    ];

    /// The same without a part.
    #[must_use]
    pub const fn without(self, part: SearchPart) -> Self {
        Self { left_out: self.left_out | (1 << part as u16) }
    }

    /// Whether a part is not left out.
    pub const fn has(self, part: SearchPart) -> bool {
        self.left_out & (1 << part as u16) == 0
    }

    /// Whether no source of starts is left out.
    pub(crate) fn has_all_starts(self) -> bool {
        use SearchPart::{ExcessOfMass, Features, ManyStarts, Mixtures, Modes};
        [ManyStarts, Features, Modes, Mixtures, ExcessOfMass].into_iter().all(|part| self.has(part))
    }

    /// The parts but those of these names.
    pub(crate) fn without_named(names: &[String]) -> Self {
        let is_left_out = |at: &usize| names.iter().any(|name| name == Self::NAMES[*at]);
        let left_out = (0..Self::NAMES.len()).filter(is_left_out).map(|at| 1 << at).sum();
        Self { left_out }
    }

    /// The names of the parts that are left out.
    pub(crate) fn left_out(self) -> Vec<&'static str> {
        let is_left_out = |at: &usize| self.left_out & (1 << at) != 0;
        (0..Self::NAMES.len()).filter(is_left_out).map(|at| Self::NAMES[at]).collect()
    }
}
