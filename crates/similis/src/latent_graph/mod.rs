//! Model 2: latent graphs (section 3). Each cluster has its own scale of neighbour distance.
//!
//! A hidden graph links neighbours: the distances of neighbours have the scale of their cluster, all other distances are
//! those of the background. Labels, graph and scales are inferred together.

pub(crate) mod context;
pub(crate) mod fit;
pub(crate) mod given;
pub(crate) mod model;
pub(crate) mod noise;
pub(crate) mod paper;
pub(crate) mod posterior;
pub mod predict;
pub(crate) mod search;
pub(crate) mod settings;

pub use fit::cut_short::FirstCost;
pub use fit::in_parts::{
    OpenTrees, Parts, PartsFit, PartsPartition, all_pairs_of_open, is_among, joined_forest, links_of_open,
    listed_forest, trees_of_open,
};
pub use fit::{ClassLink, LatentGraphFit};
pub use given::edge_probabilities::LikelyLink;
pub use model::background::{Background, bound, fitted, of_theorem, widest_background};
// Exported for the benchmarks only: their arguments are not checked.
pub use crate::graph::forest::Forest;
#[doc(hidden)]
pub use crate::graph::forest::change::{Change, Moved};
pub use crate::graph::lengths::{Lengths, Support};
pub use crate::graph::link::{Link, LinkOrder};
pub use crate::graph::spanning::of_clusters::{class_trees, cut_dearest};
pub use context::modes::{DensityModes, Mode};
pub use given::levels::{Level, Levels, Merger};
pub use given::log_joint::{JointOfLabels, log_joint_of};
pub use model::draw::{GraphSample, Sampler};
pub use model::joint::{LogJoint, Model, State};
pub use model::likelihood::{Likelihood, LinkLengths, LinkWeight};
pub use model::prior::{GraphPrior, Prior, SizePrior};
pub use model::scale::{ScalePrior, ScaleStep, ScaleUpdates, WeightedLength};
pub use posterior::co_assignment::CoAssignment;
pub use posterior::summary::{NumberProbability, Posterior};
pub use predict::outlier_scores;
pub use search::number::NumberScore;
pub use search::partition::Proposal;
pub use search::score::{ClassScore, PartitionScore};
pub use search::starts::linkage::Balance;
pub use search::starts::origin::{Origin, Smoothing, Start};
pub use settings::LatentGraph;
pub use settings::inference::{
    Inference, Loss, Noise, PaperSettings, Sampling, Scales, Score, ScoreSettings, SearchPart, SearchParts,
    SearchSettings,
};

use crate::constraints::Constraints;
use crate::constraints::side_information::SideInformation;
use crate::constraints::sizes::SizeBounds;
use crate::error::{Error, InputError, SettingError, check_restarts};
use crate::input::{Dissimilarity, Quantity};
use crate::latent_feature::LatentFeature;
use crate::latent_graph::context::setup::n_tied_parts;
use crate::run::observer::{Observer, Silent};
use crate::run::parallel;
use crate::run::random::stream;
use crate::run::termination::Termination;
use crate::settings::n_clusters::NClusters;
use context::global_tree;
use context::memory::Memory;
use context::task::Range;
use context::task::Task;
use fit::best;
use fit::in_order::fit_canonical;
use paper::{Found, Run};

/// Maximum number of passes over the points in one restart of the paper's algorithm. Not tuned: a guard, since runs converge
/// earlier.
const MAX_PASSES: usize = 1000;

impl LatentGraph {
    /// Returns the clusters of the observed points, and the scale of each (section 4).
    ///
    /// Distances or similarities are taken as they are (section 3.2). `side` is the side information (section 5), what is
    /// known before clustering, `&[]` if there is none: every partition that is considered obeys it.
    ///
    /// # Errors
    ///
    /// [`Error::Settings`] for soft
    /// updates of other graphs and for sampling them, [`Error::Settings`] for sampling without it, [`Error::Settings`] where it
    /// finds no partition that the support allows, [`Error::Settings`] where the support falls into more parts than clusters and
    /// these settings know no way to join parts, [`Error::Input`] where an exponential likelihood meets
    /// similarities, and where side information contradicts itself or the number of clusters [`Error::Constraints`].
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
        let side = side.into().settled(observed.n_points())?;
        self.check_weights(&side, observed.n_points())?;
        self.check_soft_pairs(&side)?;
        match SizeBounds::new(self.min_size, self.max_size, observed.n_points())? {
            Some(bounds) => self.fit_sized(bounds, observed, &side, observer),
            None => self.fit_free(observed, side, observer),
        }
    }

    /// The fit without bounds on sizes.
    fn fit_free(
        &self,
        observed: &Dissimilarity<'_>,
        side: SideInformation,
        observer: &dyn Observer,
    ) -> Result<LatentGraphFit, Error> {
        let fit = |model: &Self, observed: &Dissimilarity<'_>, side: SideInformation| {
            let constraints = Constraints::new(&side, observed.n_points())?;
            let range = model.range(observed, &constraints)?;
            let task = Task { observed, range, constraints: &constraints, weights: &side.weights, observer };
            fit_canonical(task, &side, |task, side| model.fit_in_order(task, side))
        };
        match self.seen(observed, &side) {
            Some(seen) => self.fit_seen(observed, &seen, fit),
            None => fit(self, observed, side),
        }
    }

    /// The fit of points in the order they have.
    fn fit_in_order(&self, task: Task<'_>, side: &SideInformation) -> Result<LatentGraphFit, Error> {
        match self.cut_short(task, side)? {
            Some(fit) => Ok(fit),
            None => self.fit_prepared(task, side),
        }
    }

    /// As [`LatentGraph::fit_in_order`], where neighbours and tree are known, or are found even if the observer cancels.
    fn fit_prepared(&self, task: Task<'_>, side: &SideInformation) -> Result<LatentGraphFit, Error> {
        match self.inference() {
            Inference::Search(search) if search.noise == Noise::Background => {
                self.fit_with_noise(task.observed, side, task.observer)
            }
            Inference::Search(_) if !self.is_searchable() => self.search_joint(task),
            Inference::Search(_) => self.search(task),
            Inference::Paper(_) => self.by_paper_algorithm(task, self.estimated_number(task)?),
            // A range has a posterior of its own; `auto` is the number that the search finds.
            Inference::Sample(_) if task.range.open => {
                let found = self.estimated_number(task)?;
                let n_points = task.observed.n_points();
                let bounds = SizeBounds::new(self.min_size, self.max_size, n_points)?;
                let (fewest, most) = bounds.map_or((1, n_points), |bounds| bounds.n_clusters(n_points));
                let found = found.clamp(fewest, most);
                let given = Self { n_clusters: NClusters::Exactly(found), ..*self };
                given.sample(Task { range: Range { least: found, most: found, ..task.range }, ..task })
            }
            Inference::Sample(_) => self.sample(task),
        }
    }

    /// The range of numbers of clusters, given side information and the components of a graph.
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

    /// The number of clusters for an algorithm that needs it as an input: the one that the search finds; for similarities,
    /// which the search does not support, the eigengap of the latent feature model.
    fn estimated_number(&self, task: Task<'_>) -> Result<usize, Error> {
        let Task { observed, range, constraints, observer, .. } = task;
        if range.least == range.most {
            return Ok(range.least);
        }
        if observed.quantity() == Quantity::Similarities {
            let Self { n_clusters, seed, memory_limit, .. } = *self;
            let features = LatentFeature { n_clusters, seed, memory_limit, ..LatentFeature::default() };
            let by_gap = features.n_clusters_by_gap(observed, observer)?;
            return Ok(constraints.n_clusters_near(by_gap.clamp(range.least, range.most)));
        }
        // The search supports exponential lengths and trees only; all other settings are kept.
        let search = Self {
            likelihood: Likelihood::Exponential,
            graph_prior: GraphPrior::Tree,
            inference: Some(Inference::Search(SearchSettings::default())),
            ..*self
        };
        Ok(search.search(task)?.labels.n_clusters())
    }

    /// Inference by the algorithm box of section 3.3.
    fn by_paper_algorithm(&self, task: Task<'_>, n_clusters: usize) -> Result<LatentGraphFit, Error> {
        let Task { observed, constraints, observer, .. } = task;
        let tree = global_tree(observed, observer);
        let lengths = self.joined(self.lengths(observed, &tree), n_clusters, constraints)?;
        let model = self.model(&lengths, &tree)?;
        let found = best(self.restarts(&model, n_clusters, constraints, observer), model.background)?;
        Ok(LatentGraphFit { component_sizes: lengths.part_sizes(), ..found })
    }

    /// The result of each restart of the paper's algorithm.
    fn restarts(
        &self,
        model: &Model<'_>,
        n_clusters: usize,
        constraints: &Constraints,
        observer: &dyn Observer,
    ) -> Vec<Found> {
        let runs = parallel::map(self.paper_settings().n_restarts, |restart| {
            // The first restart always runs, so that a cancelled fit still has an answer.
            (restart == 0 || !observer.cancelled()).then(|| {
                let mut random = stream(self.seed, restart as u64);
                let run = Run::from_random_labels(model, n_clusters, constraints, &mut random);
                run.run(MAX_PASSES, &mut random, observer)
            })
        });
        let mut found: Vec<Found> = runs.into_iter().flatten().collect();
        let is_cut = |run: &Found| run.ended == Termination::Cancelled;
        if found.len() < self.paper_settings().n_restarts || found.iter().any(is_cut) {
            // Whichever is the best, more of them might have been better.
            found.iter_mut().for_each(|run| run.ended = Termination::Cancelled);
        }
        found
    }

    /// Checks all settings.
    fn check(&self, observed: &Dissimilarity<'_>) -> Result<(), Error> {
        self.n_clusters.check(observed.n_points())?;
        let PaperSettings { n_restarts, scale_updates } = self.paper_settings();
        check_restarts(n_restarts)?;
        for (setting, given) in
            [("prior_neighbours", self.prior_neighbours), ("support_neighbours", self.support_neighbours)]
        {
            if given == 0 {
                return Err(Error::Settings(SettingError::ZeroNeighbours { setting }));
            }
        }
        if let Some(given) = self.typical_length.filter(|length| !(length.is_finite() && *length > 0.0)) {
            return Err(Error::Settings(SettingError::TypicalLength { given }));
        }
        if scale_updates == ScaleUpdates::Soft && self.graph_prior != GraphPrior::Tree {
            return Err(Error::Settings(SettingError::NeedsTrees { purpose: "the soft update of scales" }));
        }
        // Small similarities are not short links.
        if self.likelihood == Likelihood::Exponential && observed.quantity() == Quantity::Similarities {
            return Err(Error::Input(InputError::NeedsDistances { purpose: "the exponential likelihood" }));
        }
        match self.inference() {
            Inference::Search(search) if !self.is_searchable() && search.noise == Noise::Background => {
                Err(Error::Settings(SettingError::NoiseInference))
            }
            Inference::Search(_) => self.score_settings().check(),
            Inference::Paper(_) => Ok(()),
            Inference::Sample(_) => self.check_sampling(),
        }
    }
}

#[cfg(test)]
mod tests;
