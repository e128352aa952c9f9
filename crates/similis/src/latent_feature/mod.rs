//! Model 1: latent features (section 2). Greedy inference in it is spectral clustering.
//!
//! Each point has a hidden feature vector $\lambda_i$ drawn from its class, and each similarity is the inner product of
//! two features plus noise. Finding the features first and the classes afterwards is spectral clustering (Lemma 1);
//! finding them together goes beyond it ([`FeatureInference::Joint`]).

pub(crate) mod constrained;
pub(crate) mod draw;
pub(crate) mod embedding;
pub(crate) mod features;
pub(crate) mod gamma;
pub(crate) mod gaussian;
pub(crate) mod inference;
pub(crate) mod joint;
pub(crate) mod kmeans;
pub(crate) mod likelihood;
pub(crate) mod mixture;
pub(crate) mod of_different;
pub(crate) mod scaling;
pub(crate) mod settings;

pub use draw::{Sample, sample};
pub use embedding::blocks::NumberBy;
pub use embedding::{Gap, Spectrum, Variant};
pub use features::Features;
pub use gamma::{Gamma, GammaTrial};
pub use gaussian::Gaussian;
pub use gaussian::covariance::Covariance;
pub use joint::{Joint, JointFit};
pub use kmeans::{KMeans, KMeansFit};
pub use likelihood::{
    BoundedPriors, Conditionals, GaussianConditionals, Latent, LogJoint, PairTerms, log_joint,
};
pub use mixture::{Mixture, MixtureFit};

use crate::error::{ConstraintError, SettingError, check_restarts};
use std::str::FromStr;

use crate::affinity::Affinity;
use crate::affinity::matrix::SimilarityMatrix;
use crate::affinity::random_walk::Staying;
use crate::constraints::Constraints;
use crate::constraints::seen::check_weights;
use crate::constraints::side_information::SideInformation;
use crate::constraints::sizes::{Borders, SizeBounds};
use crate::error::Error;
use crate::input::Dissimilarity;
use crate::input::labels::Labels;
use crate::run::observer::{Observer, Silent};
use crate::run::termination::Termination;
use crate::settings::n_clusters::NClusters;
use crate::settings::{Named, parsed};

/// How many features are used (t).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NFeatures {
    /// As many as clusters, the paper's choice.
    #[default]
    NClusters,
    /// As many as eigenvalues above the largest gap.
    Auto,
    /// This many.
    Exactly(usize),
}

impl FromStr for NFeatures {
    type Err = Error;

    fn from_str(given: &str) -> Result<Self, Error> {
        match given {
            "auto" => Ok(Self::Auto),
            "n_clusters" | "n-clusters" => Ok(Self::NClusters),
            _ => parsed("n_features", given, &["auto", "n_clusters"]).map(Self::Exactly),
        }
    }
}

impl std::fmt::Display for NFeatures {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => out.write_str("auto"),
            Self::NClusters => out.write_str("n_clusters"),
            Self::Exactly(n) => n.fmt(out),
        }
    }
}

/// How features are grouped (step 2 of greedy inference).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grouping {
    /// By k-means, the limit $\psi \to 0$.
    #[default]
    KMeans,
    /// By a mixture of Gaussians.
    Mixture,
}

impl Named for Grouping {
    const SETTING: &'static str = "grouping";
    const VALUES: &'static [(&'static str, Self)] = &[("k_means", Self::KMeans), ("mixture", Self::Mixture)];
}

/// How features and classes are inferred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FeatureInference {
    /// Features first, classes afterwards: Lemma 1.
    #[default]
    Greedy,
    /// Both together, from the greedy answer on: see [`Joint`].
    Joint,
}

impl Named for FeatureInference {
    const SETTING: &'static str = "feature_inference";
    const VALUES: &'static [(&'static str, Self)] = &[("greedy", Self::Greedy), ("joint", Self::Joint)];
}

/// Smallest `psi_floor`: below it a covariance matrix could not be factorised in `f64`.
const LEAST_PSI_FLOOR: f64 = 1e-12;

/// Settings of the latent feature model.
///
/// ```
/// use similis::{Dissimilarity, LatentFeature, Metric, NClusters, Points};
/// let points = Points::new(vec![0.0, 0.1, 0.2, 5.0, 5.1, 5.2], 6, 1)?;
/// let pairs = Dissimilarity::from_points(points, Metric::Euclidean)?;
/// let model = LatentFeature { n_clusters: NClusters::Exactly(2), affinity_neighbours: 2, ..LatentFeature::default() };
/// assert_eq!(model.fit(&pairs, &[])?.labels.as_slice(), [0, 0, 0, 1, 1, 1]);
/// # Ok::<(), similis::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatentFeature {
    /// Number of clusters (M); default `Auto`: the blocks of a graph, otherwise by the largest gap between eigenvalues.
    pub n_clusters: NClusters,
    /// The observed similarities are normalised already and used as they are, negative ones too; default no.
    pub normalised: bool,
    /// Which features are grouped; default `NgJordanWeiss`.
    pub variant: Variant,
    /// How distances become similarities; default `Nearest`. Not used where similarities are observed.
    pub affinity: Affinity,
    /// The width γ of the affinities `Exponential` and `Gaussian`; default `Search`.
    pub gamma: Gamma,
    /// Number of neighbours that the affinity `Nearest` links, at most half the points; default 10.
    pub affinity_neighbours: usize,
    /// Number of features (t); default as many as clusters.
    pub n_features: NFeatures,
    /// How features are grouped; default `KMeans`.
    pub grouping: Grouping,
    /// The covariance of the features of a cluster; default `Full`.
    pub covariance: Covariance,
    /// Whether features and clusters are inferred one after the other or jointly; default `Greedy`.
    pub feature_inference: FeatureInference,
    /// Lower bound on the variance of a cluster, as a fraction of the features' mean variance; from 1e-12 to 1, default 1e-6.
    pub psi_floor: f64,
    /// Number of random restarts of the grouping; default 10.
    pub n_restarts: usize,
    /// Fewest points of a cluster; default 1.
    pub min_size: usize,
    /// Most points of a cluster; default any number.
    pub max_size: Option<usize>,
    /// Random seed; default 0.
    pub seed: u64,
    /// Maximum size of a dense matrix, in bytes; default no limit.
    pub memory_limit: Option<u64>,
}

impl Default for LatentFeature {
    fn default() -> Self {
        Self {
            n_clusters: NClusters::default(),
            normalised: false,
            variant: Variant::default(),
            affinity: Affinity::default(),
            gamma: Gamma::default(),
            affinity_neighbours: 10,
            n_features: NFeatures::default(),
            grouping: Grouping::default(),
            covariance: Covariance::default(),
            feature_inference: FeatureInference::default(),
            psi_floor: 1e-6,
            n_restarts: 10,
            min_size: 1,
            max_size: None,
            seed: 0,
            memory_limit: None,
        }
    }
}

/// Everything that was learned.
#[derive(Clone, Debug)]
pub struct LatentFeatureFit {
    /// The cluster of each point.
    pub labels: Labels,
    /// What was grouped: the features as `variant` makes them, or those of joint inference.
    pub embedding: Features,
    /// The features $\Lambda$ of the model: those of Lemma 1, or of joint inference.
    pub features: Features,
    /// The eigenvalues that were found, greatest first.
    pub eigenvalues: Vec<f64>,
    /// How many of the features used have a negative eigenvalue, and so are 0 in $\Lambda$.
    pub n_negative: usize,
    /// The class distributions $(\mu_c, \psi_c)$ of $\Lambda$ and the noise $\Sigma_\Lambda$.
    pub conditionals: GaussianConditionals,
    /// The probability of each cluster for each point, if the grouping gives it: a row for each point.
    pub memberships: Option<Features>,
    /// The log joint of Eq. (1), pairs $i < j$.
    pub log_joint: LogJoint,
    /// The objective of joint inference, step by step; empty for greedy inference.
    pub trace: Vec<f64>,
    /// The gamma that was used, if the affinity has one.
    pub gamma: Option<f64>,
    /// The values of gamma that were tried.
    pub gamma_trials: Vec<GammaTrial>,
    /// How likely a random walk over the affinity stays in its cluster.
    pub staying: Staying,
    /// Points that are similar to no other point.
    pub isolated: Vec<usize>,
    /// Number of connected components of the affinity graph.
    pub n_components: usize,
    /// How many points each of them has, largest first.
    pub component_sizes: Vec<usize>,
    /// What decided the number of clusters.
    pub number_by: NumberBy,
    /// Why it stopped: converged only if eigenvectors and grouping both did.
    pub ended: Termination,
}

impl LatentFeature {
    /// Returns the clusters of what was observed. The labels obey the side information `side`, `&[]` if there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Settings`], [`Error::Input`] for negative similarities, [`Error::Input`],
    /// [`Error::Settings`], and those of side information: see [`LatentGraph::fit`](crate::latent_graph::LatentGraph::fit).
    pub fn fit(
        &self,
        observed: &Dissimilarity<'_>,
        side: impl Into<SideInformation>,
    ) -> Result<LatentFeatureFit, Error> {
        self.fit_observed(observed, side, &Silent)
    }

    /// As [`LatentFeature::fit`], watched by `observer`.
    ///
    /// # Errors
    ///
    /// Those of [`LatentFeature::fit`].
    pub fn fit_observed(
        &self,
        observed: &Dissimilarity<'_>,
        side: impl Into<SideInformation>,
        observer: &dyn Observer,
    ) -> Result<LatentFeatureFit, Error> {
        self.check(observed.n_points())?;
        let side = side.into().settled(observed.n_points())?;
        if !side.soft_pairs.is_empty() {
            let purpose = "pairs that are probable, not certain,";
            return Err(Error::Settings(SettingError::NeedsSearch { purpose }));
        }
        check_weights(&side, observed.n_points())?;
        if !side.weights.is_empty() && self.feature_inference == FeatureInference::Joint {
            return Err(Error::Settings(SettingError::WeightsOfJoint));
        }
        match SizeBounds::new(self.min_size, self.max_size, observed.n_points())? {
            Some(bounds) => self.fit_sized(bounds, observed, &side, observer),
            None => self.fit_different(observed, &side, observer),
        }
    }

    /// The fit whose labels are changed at the borders of clusters until their sizes obey.
    fn fit_sized(
        &self,
        bounds: SizeBounds,
        observed: &Dissimilarity<'_>,
        side: &SideInformation,
        observer: &dyn Observer,
    ) -> Result<LatentFeatureFit, Error> {
        let n_clusters = bounds.allowed(self.n_clusters, observed.n_points())?;
        let free = Self { n_clusters, min_size: 1, max_size: None, ..*self };
        let found = free.fit_different(observed, side, observer)?;
        if bounds.hold(&found.labels.sizes()) {
            return Ok(found);
        }
        let constraints = Constraints::new(side, observed.n_points())?;
        let borders = Borders::new(observed, observer);
        let labels = bounds.made_to_obey(&found.labels, n_clusters, &constraints, &borders);
        let labels = labels.into_iter().next().ok_or(Error::Constraints(ConstraintError::SizesNotMet))?;
        let known_labels = labels.as_slice().iter().copied().map(Some).collect();
        let given = Self { n_clusters: NClusters::Exactly(labels.n_clusters()), ..free };
        let side = SideInformation { known_labels, ..SideInformation::default() };
        let fit = given.fit_free(observed, &side, observer)?;
        Ok(LatentFeatureFit { number_by: found.number_by, ..fit })
    }

    /// The clusters of what was observed under these constraints.
    pub(crate) fn grouped(
        &self,
        observed: &Dissimilarity<'_>,
        constraints: &Constraints,
        observer: &dyn Observer,
    ) -> Result<Vec<usize>, Error> {
        let search = inference::search_gamma(self, observed, constraints, &[], observer)?;
        Ok(inference::fits::greedy_fit(self, search).labels.as_slice().to_vec())
    }

    /// The fit without bounds on sizes.
    fn fit_free(
        &self,
        observed: &Dissimilarity<'_>,
        side: &SideInformation,
        observer: &dyn Observer,
    ) -> Result<LatentFeatureFit, Error> {
        let constraints = Constraints::new(side, observed.n_points())?;
        if let NClusters::Exactly(n_clusters) = self.n_clusters {
            constraints.check(n_clusters)?;
        }
        let search = inference::search_gamma(self, observed, &constraints, &side.weights, observer)?;
        match self.feature_inference {
            FeatureInference::Greedy => Ok(inference::fits::greedy_fit(self, search)),
            FeatureInference::Joint => Ok(inference::fits::joint_fit(self, search, &constraints, observer)),
        }
    }

    /// Returns the eigenvectors that are grouped, at the given scale or the one that the search finds.
    ///
    /// # Errors
    ///
    /// Those of [`LatentFeature::fit`].
    pub fn spectrum<'a>(
        &self,
        observed: &'a Dissimilarity<'_>,
        observer: &dyn Observer,
    ) -> Result<Spectrum<'a>, Error> {
        self.check(observed.n_points())?;
        inference::spectrum(self, observed, observer)
    }

    /// Returns the largest eigengap of the nearest-neighbour affinity at default settings, its rates to about a hundredth.
    ///
    /// # Errors
    ///
    /// Those of [`LatentFeature::fit`].
    pub(crate) fn gap_by_neighbours(
        observed: &Dissimilarity<'_>,
        observer: &dyn Observer,
    ) -> Result<Gap, Error> {
        inference::rough_gap(&Self::default(), observed, observer)
    }

    /// Returns the number of clusters by the eigenvalues: the blocks of a graph; otherwise the number of components of the affinity
    /// graph if there are many, or the position of the largest eigengap.
    ///
    /// # Errors
    ///
    /// Those of [`LatentFeature::fit`].
    pub(crate) fn n_clusters_by_gap(
        &self,
        observed: &Dissimilarity<'_>,
        observer: &dyn Observer,
    ) -> Result<usize, Error> {
        if self.n_clusters == NClusters::Auto && embedding::blocks::is_graph(observed) {
            let affinity = SimilarityMatrix::observed(observed, self.memory_limit)?;
            if let Some(n_blocks) = embedding::blocks::n_blocks(self, &affinity, observer)? {
                return Ok(n_blocks);
            }
        }
        let spectrum = self.spectrum(observed, observer)?;
        if let NClusters::Between(least, most) = self.n_clusters {
            return Ok(spectrum.largest_gap_between(least, most).above);
        }
        let many = spectrum.n_components > inference::MOST_BY_GAP;
        Ok(if many { spectrum.n_components } else { spectrum.largest_gap(inference::MOST_BY_GAP).above })
    }

    fn check(&self, n_points: usize) -> Result<(), Error> {
        match self.n_features {
            NFeatures::Exactly(given) if !(1..=n_points).contains(&given) => {
                return Err(Error::Settings(SettingError::NFeatures { given, n_points }));
            }
            _ => self.n_clusters.check(n_points)?,
        }
        check_restarts(self.n_restarts)?;
        if !(self.psi_floor >= LEAST_PSI_FLOOR && self.psi_floor <= 1.0) {
            return Err(Error::Settings(SettingError::PsiFloor { given: self.psi_floor }));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
