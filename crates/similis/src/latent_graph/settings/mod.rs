//! The settings of the latent graph model.

pub(crate) mod inference;
pub(crate) mod table;

use crate::error::Error;
use crate::graph::lengths::Support;
use crate::latent_graph::model::background::Background;
use crate::latent_graph::model::likelihood::Likelihood;
use crate::latent_graph::model::prior::{GraphPrior, SizePrior};
use crate::latent_graph::model::scale::ScalePrior;
use crate::settings::n_clusters::NClusters;
use crate::settings::table::{Value, apply, row};
use inference::{Inference, PaperSettings, Sampling, ScoreSettings, SearchSettings};

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
///
/// Settings of one inference only are in [`Inference`]:
///
/// ```
/// use similis::LatentGraph;
/// use similis::latent_graph::{Inference, Noise, SearchSettings};
/// let search = SearchSettings { noise: Noise::Background, ..SearchSettings::default() };
/// let model = LatentGraph { inference: Some(Inference::Search(search)), ..LatentGraph::default() };
/// assert_eq!(model.get("noise")?.to_string(), "background");
/// # Ok::<(), similis::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatentGraph {
    /// Number of clusters (M); `Auto`, the default, and a range are decided by
    /// [`NumberScore`](crate::latent_graph::NumberScore).
    pub n_clusters: NClusters,
    /// The family of link lengths (Eqs. (7), (8)); default `Exponential`. It governs the labels under `Paper` and `Sample`, and
    /// always the reported scales and log joint. The labels of the search come from a score of exponential lengths with a shape of
    /// its own ([`SearchSettings::shape`]); under `Gaussian` the paper's algorithm goes on from there.
    pub likelihood: Likelihood,
    /// Which graphs are admissible; default `Tree`.
    pub graph_prior: GraphPrior,
    /// K of Eq. (9), where `graph_prior` is `KNeighbours`; default 5.
    pub prior_neighbours: usize,
    /// Which pairs may be links; default `None`: every pair up to 2,000 points, near neighbours above, the listed pairs of
    /// a sparse input. Where the posterior is sampled, and where graphs are connected, near neighbours: see
    /// [`GraphPrior::Connected`].
    pub support: Option<Support>,
    /// How many neighbours the support `Nearest` has; default 15.
    pub support_neighbours: usize,
    /// How the background is found; default `Fitted`. `Theorem` takes the scale and spread of the minimum spanning tree, at
    /// which, as at any learned ones, the condition of Theorem 1 cannot hold: it answers with an error.
    /// [`of_theorem`](crate::latent_graph::of_theorem) takes any. Under the search it changes the reported scales and log joint,
    /// not the labels.
    pub background: Background,
    /// Prior on the scales of clusters; default `Weak`. Under the search it changes the reported scales and log joint, not the
    /// labels.
    pub scale_prior: ScalePrior,
    /// Mean link length under the weak prior on scales, above 0. The default, `None`, is the mean link of the minimum spanning
    /// tree, which is too small where clusters overlap. Under the search it changes the reported scales and log joint, not the
    /// labels.
    pub typical_length: Option<f64>,
    /// How probable the sizes of clusters are; default `None`: `Dirichlet`, but `Constant`, the T of Eqs. (9) and (10), for connected
    /// graphs and for K neighbours at exponential lengths. [`LatentGraph::size_prior`] says which, and why.
    pub size_prior: Option<SizePrior>,
    /// How the answer is looked for; default `None`: by search, or by the paper's algorithm where the search does not know the
    /// likelihood or the graph prior. [`LatentGraph::inference`] says which.
    pub inference: Option<Inference>,
    /// Fewest points of a cluster; default 1.
    pub min_size: usize,
    /// Most points of a cluster; default any number.
    pub max_size: Option<usize>,
    /// The seed of all random numbers; default 0.
    pub seed: u64,
    /// Most bytes that the input and the work may take together; default no limit. A fit that would take more is refused
    /// before it begins.
    pub memory_limit: Option<u64>,
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
            size_prior: None,
            inference: None,
            min_size: 1,
            max_size: None,
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
            size_prior: Some(SizePrior::Constant),
            inference: Some(Inference::Paper(PaperSettings::default())),
            ..Self::default()
        }
    }

    /// How the answer is looked for: as `inference` says, or by the default for this likelihood and graph prior.
    pub fn inference(&self) -> Inference {
        let default = if self.is_searchable() {
            Inference::Search(SearchSettings::default())
        } else {
            Inference::Paper(PaperSettings::default())
        };
        self.inference.unwrap_or(default)
    }

    /// How probable the sizes of clusters are under this likelihood and graph prior: as `size_prior` says, or the default.
    ///
    /// $\log P(\nu | C) + \log P(C)$ with graphs and partitions counted is, up to terms in $\log n_c$ and a constant,
    ///
    /// | graphs | it adds |
    /// |---|---|
    /// | trees | nothing |
    /// | K neighbours, Eq. (9) | $-(K - 1) \sum_c n_c \log n_c$ |
    /// | connected, Eq. (10) | $\sum_c n_c \log n_c - \frac{\log 2}{2} \sum_c n_c^2$ |
    ///
    /// The last two prefer two clusters of equal sizes to one with nearly all points, by $(K - 1) \log 2$ nats a point and by
    /// $\frac{\log 2}{4} N$ nats a point, whatever was observed. So there the default is the paper's constant T: every pair of a
    /// partition and a graph is equally probable. Under Gaussian lengths K neighbours
    /// are counted all the same: a point of a large cluster finds K links of nearly any one length, and the count is what it pays for
    /// the choice.
    pub fn size_prior(&self) -> SizePrior {
        let default = match (self.graph_prior, self.likelihood) {
            (GraphPrior::Tree, _) | (GraphPrior::KNeighbours, Likelihood::Gaussian) => SizePrior::Dirichlet,
            (GraphPrior::KNeighbours, Likelihood::Exponential) | (GraphPrior::Connected, _) => {
                SizePrior::Constant
            }
        };
        self.size_prior.unwrap_or(default)
    }

    /// How partitions are scored, and new items are weighed: the settings of the search, or the defaults of another inference,
    /// with the prior on sizes. The score is of trees, whatever the graph prior.
    pub fn score_settings(&self) -> ScoreSettings {
        self.search_settings().scoring(self.size_prior.unwrap_or_default())
    }

    /// The value of a setting, by the name it has in [`LatentGraph::SETTINGS`]; of a setting that this way of inference does
    /// not have, the default.
    ///
    /// # Errors
    ///
    /// [`Error::Settings`] if there is no such setting.
    pub fn get(&self, name: &str) -> Result<Value, Error> {
        row(Self::SETTINGS, name).map(|row| row.get(self))
    }

    /// Sets a setting, by the name it has in [`LatentGraph::SETTINGS`], to a value as the command line spells it. What this way
    /// of inference does not have is checked and dropped; so `inference` comes first.
    ///
    /// # Errors
    ///
    /// [`Error::Settings`] if there is no such setting or value, [`Error::Settings`], and [`Error::Settings`] for noise
    /// without the search.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Error> {
        row(Self::SETTINGS, name)?.set(self, value)
    }

    /// Returns these settings with others set by name, whatever their order: see [`LatentGraph::set`].
    ///
    /// # Errors
    ///
    /// Those of [`LatentGraph::set`].
    pub fn with(mut self, given: &[(&str, &str)]) -> Result<Self, Error> {
        apply(Self::SETTINGS, &mut self, given)?;
        Ok(self)
    }

    /// The settings of the search: its own, or the defaults where another inference begins with a search.
    pub(crate) fn search_settings(&self) -> SearchSettings {
        match self.inference() {
            Inference::Search(search) => search,
            _ => SearchSettings::default(),
        }
    }

    /// The settings of the paper's algorithm: its own, or the defaults where another inference begins or ends with it.
    pub(crate) fn paper_settings(&self) -> PaperSettings {
        match self.inference() {
            Inference::Paper(paper) => paper,
            _ => PaperSettings::default(),
        }
    }

    /// How the posterior is sampled, or the defaults where it is not.
    pub(crate) fn sampling(&self) -> Sampling {
        match self.inference() {
            Inference::Sample(sampling) => sampling,
            _ => Sampling::default(),
        }
    }

    /// Whether the score of the search is of this likelihood and these graphs.
    pub(crate) fn is_searchable(&self) -> bool {
        self.likelihood == Likelihood::Exponential && self.graph_prior == GraphPrior::Tree
    }
}

#[cfg(test)]
mod tests;
