//! Model 2: latent graphs (section 3). Each class has its own scale of neighbour distance.
//!
//! A hidden graph says which points are neighbours; neighbours of a class are as far apart as its scale says, all other
//! pairs as the background says. Labels, graph and scales are inferred together.

pub(crate) mod context;
pub(crate) mod fit;
pub(crate) mod given;
pub(crate) mod memory;
pub(crate) mod model;
pub(crate) mod noise;
pub(crate) mod paper;
pub(crate) mod posterior;
pub mod predict;
pub(crate) mod search;

pub use fit::{ClassLink, LatentGraphFit};
pub use given::edge_probabilities::LikelyLink;
pub use model::background::{Background, bound, fitted, of_theorem, widest_background};
// For the benchmarks: what they ask of a caller is not checked.
pub use crate::graph::forest::Forest;
#[doc(hidden)]
pub use crate::graph::forest::change::{Change, Moved};
pub use crate::graph::lengths::{Lengths, Support};
pub use crate::graph::link::Link;
pub use crate::graph::link::LinkOrder;
pub use crate::graph::spanning::of_clusters::{class_trees, cut_dearest};
pub use given::log_joint::{JointOfLabels, log_joint_of};
pub use model::draw::{GraphSample, Sampler};
pub use model::joint::{LogJoint, Model, State};
pub use model::likelihood::{Likelihood, LinkLengths, LinkWeight};
pub use model::prior::{GraphPrior, Prior, SizePrior};
pub use model::scale::{ScalePrior, ScaleStep, ScaleUpdates, WeightedLength};
pub use noise::Noise;
pub use posterior::Sampling;
pub use posterior::co_assignment::CoAssignment;
pub use posterior::estimate::Loss;
pub use posterior::summary::{NumberProbability, Posterior};
pub use search::number::NumberScore;
pub use search::partition::Proposal;
pub use search::score::varying::Scales;
pub use search::score::{ClassScore, PartitionScore, Score, ScoreSettings};
pub use search::starts::linkage::Balance;
pub use search::starts::origin::{Origin, Smoothing, Start};
pub use search::{SearchParts, StartSources};

use crate::constraints::Constraints;
use crate::constraints::side_information::SideInformation;
use crate::error::Error;
use crate::input::{Dissimilarity, Quantity};
use crate::latent_feature::LatentFeature;
use crate::latent_graph::context::setup::n_tied_parts;
use crate::run::observer::{Observer, Silent};
use crate::run::parallel;
use crate::run::random::stream;
use crate::settings::n_clusters::NClusters;
use context::global_tree;
use context::task::Task;
use fit::best;
use memory::Memory;
use paper::{Found, Run};
use search::number::Range;

/// Most passes over the points in one restart.
const MAX_PASSES: usize = 1000;

/// Settings of the latent graph model.
///
/// ```
/// use similis::{Dissimilarity, LatentGraph, Metric, NClusters, Points};
/// let points = Points::new(vec![0.0, 0.1, 0.2, 0.3, 5.0, 6.0, 7.0, 8.0], 8, 1)?;
/// let pairs = Dissimilarity::from_points(points, Metric::Euclidean)?;
/// let model = LatentGraph { n_clusters: NClusters::Exactly(2), ..LatentGraph::default() };
/// let fit = model.fit(&pairs, &[])?;
/// assert_eq!(fit.labels.as_slice(), [0, 0, 0, 0, 1, 1, 1, 1]);
/// assert!(fit.scales[1] > 2.0 * fit.scales[0]);
/// # Ok::<(), similis::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatentGraph {
    /// Number of clusters (M); `Auto`, the default, and a range are decided by [`NumberScore`].
    pub n_clusters: NClusters,
    /// The family of link lengths; default `Exponential`.
    pub likelihood: Likelihood,
    /// Which graphs are admissible; default `Tree`.
    pub graph_prior: GraphPrior,
    /// K of Eq. (9); default 5.
    pub prior_neighbours: usize,
    /// Which pairs may be links; default `None`: every pair up to 2,000 points, near neighbours above, the listed pairs of
    /// a sparse input. Where the posterior of a given number of clusters is sampled, near neighbours.
    pub support: Option<Support>,
    /// How many neighbours the support `Nearest` has; default 15.
    pub support_neighbours: usize,
    /// How the background is found; default `Fitted`. `Theorem` takes the global tree's scale and spread, at which, as at any
    /// learned ones, the condition of Theorem 1 cannot hold: it answers with an error. [`of_theorem`] takes any.
    pub background: Background,
    /// What is known of the scales; default `Weak`.
    pub scale_prior: ScalePrior,
    /// How long links are beforehand: the length that the weak prior on scales is centred at, above 0. The default, `None`, is
    /// the mean link of the global tree: less than the truth where short links between classes are many.
    pub typical_length: Option<f64>,
    /// Which graphs scales are learned from; default `Hard`.
    pub scale_updates: ScaleUpdates,
    /// How the answer is looked for; default `None`: by search, but as the paper prints it where the likelihood is not
    /// exponential or the graphs are not trees.
    pub inference: Option<Inference>,
    /// Whether points may belong to no class; default `None`.
    pub noise: Noise,
    /// How the search weighs partitions, and new items are weighed. Its `size_prior` is that of every inference.
    pub scoring: ScoreSettings,
    /// Parts of the search that can be left out; default: none is.
    pub search: SearchParts,
    /// How the posterior is sampled, where `inference` is `Sample`.
    pub sampling: Sampling,
    /// Number of random starts of the printed algorithm; the most probable answer wins; default 10.
    pub n_restarts: usize,
    /// Where all chance comes from; default 0.
    pub seed: u64,
    /// Most bytes that the input and the work may take together; default no limit. A fit that would take more is refused
    /// before it begins.
    pub memory_limit: Option<u64>,
}

/// How the most probable labels, graph and scales are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inference {
    /// From many starts, by moves of points and subtrees; a score decides.
    #[default]
    Search,
    /// The algorithm box of section 3.3, from random labels.
    Paper,
    /// Draws from the posterior over partitions, trees summed out and scales integrated out; the labels are the partition of the
    /// least expected loss.
    Sample,
}

impl Default for LatentGraph {
    fn default() -> Self {
        Self {
            n_clusters: NClusters::default(),
            likelihood: Likelihood::default(),
            graph_prior: GraphPrior::default(),
            prior_neighbours: 5,
            support: None,
            support_neighbours: 15,
            background: Background::default(),
            scale_prior: ScalePrior::default(),
            typical_length: None,
            scale_updates: ScaleUpdates::default(),
            inference: None,
            noise: Noise::default(),
            scoring: ScoreSettings::default(),
            search: SearchParts::default(),
            sampling: Sampling::default(),
            n_restarts: 10,
            seed: 0,
            memory_limit: None,
        }
    }
}

impl LatentGraph {
    /// The paper's exact setting: Gaussian lengths, no prior on scales or sizes, every pair may be a link.
    ///
    /// Eq. (10)'s best graph is taken to be a tree, as Corollary 1 says and the algorithm box uses.
    pub fn paper() -> Self {
        Self {
            likelihood: Likelihood::Gaussian,
            graph_prior: GraphPrior::Tree,
            support: Some(Support::Complete),
            scale_prior: ScalePrior::None,
            inference: Some(Inference::Paper),
            scoring: ScoreSettings { size_prior: SizePrior::Constant, ..ScoreSettings::default() },
            ..Self::default()
        }
    }

    /// Returns the clusters of what was observed, and the scale of each (section 4).
    ///
    /// Distances or similarities are taken as they are (section 3.2). `side` is what is known beforehand (section 5), `&[]`
    /// if nothing is: every partition that is considered obeys it.
    ///
    /// # Errors
    ///
    /// [`Error::NClusters`], [`Error::NRestarts`], [`Error::ZeroNeighbours`], [`Error::Theorem`], [`Error::TypicalLength`], [`Error::NeedsTrees`] for soft
    /// updates of other graphs and for sampling them, [`Error::Memory`], [`Error::NeedsScalePrior`], [`Error::ZeroSampling`] and
    /// [`Error::BurnIn`] for sampling without it, [`Error::NoStart`] where it finds no partition that the support allows,
    /// [`Error::Parts`] where the support falls into more parts than clusters and these settings know no way to join parts,
    /// [`Error::NeedsDistances`] where an exponential likelihood meets
    /// similarities, and where side information contradicts itself or the number of clusters [`Error::KnownLabels`],
    /// [`Error::KnownClasses`], [`Error::KnownTooMany`], [`Error::LinkRange`], [`Error::CannotLinkSelf`],
    /// [`Error::MustLinkLabels`], [`Error::CannotLinkLabels`], [`Error::LinkContradiction`], [`Error::MustLinkTooMany`],
    /// [`Error::CannotLinkClique`], [`Error::CannotLinkTooMany`].
    pub fn fit(
        &self,
        observed: &Dissimilarity<'_>,
        side: impl Into<SideInformation>,
    ) -> Result<LatentGraphFit, Error> {
        self.fit_observed(observed, side, &Silent)
    }

    /// As [`LatentGraph::fit`], watched by `observer`.
    ///
    /// # Errors
    ///
    /// Those of [`LatentGraph::fit`].
    pub fn fit_observed(
        &self,
        observed: &Dissimilarity<'_>,
        side: impl Into<SideInformation>,
        observer: &dyn Observer,
    ) -> Result<LatentGraphFit, Error> {
        self.check(observed)?;
        Memory::new(self, observed).check(self)?;
        let side = side.into();
        if self.noise == Noise::Background {
            return self.fit_with_noise(observed, &side, observer);
        }
        let constraints = Constraints::new(&side, observed.n_points())?;
        let range = self.range(observed, &constraints)?;
        let task = Task { observed, range, constraints: &constraints, observer };
        match self.inference() {
            Inference::Search => self.search(task),
            Inference::Paper => self.as_printed(task, self.number_beforehand(task)?),
            // A range has a posterior of its own; `auto` is the number that the search finds.
            Inference::Sample if range.open => {
                let found = self.number_beforehand(task)?;
                let given = Self { n_clusters: NClusters::Exactly(found), ..*self };
                given.sample(Task { range: Range { least: found, most: found, ..range }, ..task })
            }
            Inference::Sample => self.sample(task),
        }
    }

    /// From how many to how many clusters there may be, given side information and the parts of a graph.
    fn range(&self, observed: &Dissimilarity<'_>, constraints: &Constraints) -> Result<Range, Error> {
        let n_points = observed.n_points();
        let (least, most) = self.n_clusters.bounds(n_points);
        let open = self.n_clusters == NClusters::Auto;
        let n_parts = match observed.sparse() {
            Some(_) if open => n_tied_parts(&Lengths::given(observed), constraints),
            _ => 1,
        };
        let feasible = constraints.n_clusters_near(least.max(n_parts));
        if feasible > most || least == most {
            constraints.check(most)?;
        }
        Ok(Range { least: feasible.min(most), most: most.min(constraints.most_clusters_of(n_points)), open })
    }

    /// The number of clusters for an algorithm that must be told: what the search finds; for similarities, of which there is
    /// no search, what the eigenvalues of the latent feature model say.
    fn number_beforehand(&self, task: Task<'_>) -> Result<usize, Error> {
        let Task { observed, range, constraints, observer } = task;
        if range.least == range.most {
            return Ok(range.least);
        }
        if observed.quantity() == Quantity::Similarities {
            let Self { n_clusters, seed, memory_limit, .. } = *self;
            let features = LatentFeature { n_clusters, seed, memory_limit, ..LatentFeature::default() };
            let by_gap = features.n_clusters_by_gap(observed, observer)?;
            return Ok(constraints.n_clusters_near(by_gap.clamp(range.least, range.most)));
        }
        // The search knows exponential lengths and trees only; all other settings are the caller's.
        let search = Self {
            likelihood: Likelihood::Exponential,
            graph_prior: GraphPrior::Tree,
            inference: Some(Inference::Search),
            noise: Noise::None,
            ..*self
        };
        Ok(search.search(task)?.labels.n_clusters())
    }

    /// How the answer is looked for: as was said, or as is usual for these settings.
    pub fn inference(&self) -> Inference {
        let usual = if self.is_searchable() { Inference::Search } else { Inference::Paper };
        self.inference.unwrap_or(usual)
    }

    /// Whether the search knows this likelihood and these graphs.
    fn is_searchable(&self) -> bool {
        self.likelihood == Likelihood::Exponential && self.graph_prior == GraphPrior::Tree
    }

    /// Inference by the algorithm box of section 3.3.
    fn as_printed(&self, task: Task<'_>, n_clusters: usize) -> Result<LatentGraphFit, Error> {
        let Task { observed, constraints, observer, .. } = task;
        let tree = global_tree(observed, observer);
        let lengths = self.joined(self.lengths(observed, &tree), n_clusters, constraints)?;
        let model = self.model(&lengths, &tree)?;
        let found = best(self.restarts(&model, n_clusters, constraints, observer), model.background)?;
        Ok(LatentGraphFit { component_sizes: lengths.part_sizes(), ..found })
    }

    /// What each restart of the printed algorithm found.
    fn restarts(
        &self,
        model: &Model<'_>,
        n_clusters: usize,
        constraints: &Constraints,
        observer: &dyn Observer,
    ) -> Vec<Found> {
        let runs = parallel::map(self.n_restarts, |restart| {
            // The first restart always runs, so that a cancelled fit still has an answer.
            (restart == 0 || !observer.cancelled()).then(|| {
                let mut random = stream(self.seed, restart as u64);
                let run = Run::from_random_labels(model, n_clusters, constraints, &mut random);
                run.run(MAX_PASSES, &mut random, observer)
            })
        });
        runs.into_iter().flatten().collect()
    }

    /// Checks all settings.
    fn check(&self, observed: &Dissimilarity<'_>) -> Result<(), Error> {
        self.n_clusters.check(observed.n_points())?;
        if self.n_restarts == 0 {
            return Err(Error::NRestarts);
        }
        for (setting, given) in
            [("prior_neighbours", self.prior_neighbours), ("support_neighbours", self.support_neighbours)]
        {
            if given == 0 {
                return Err(Error::ZeroNeighbours { setting });
            }
        }
        if let Some(given) = self.typical_length.filter(|length| !(length.is_finite() && *length > 0.0)) {
            return Err(Error::TypicalLength { given });
        }
        if self.scale_updates == ScaleUpdates::Soft && self.graph_prior != GraphPrior::Tree {
            return Err(Error::NeedsTrees { purpose: "the soft update of scales" });
        }
        // Small similarities are not short links.
        if self.likelihood == Likelihood::Exponential && observed.quantity() == Quantity::Similarities {
            return Err(Error::NeedsDistances { purpose: "the exponential likelihood" });
        }
        if self.inference() == Inference::Search && !self.is_searchable() {
            return Err(Error::Inference);
        }
        if self.inference() == Inference::Sample {
            self.check_sampling()?;
        }
        self.scoring.check()
    }
}

#[cfg(test)]
mod joined_tests;
#[cfg(test)]
mod tests;
