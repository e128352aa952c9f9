//! Starts by the latent feature model: spectral clustering.

use crate::affinity::Affinity;
use crate::error::Error;
use crate::input::labels::Labels;
use crate::latent_feature::embedding::{Spectrum, Variant};
use crate::latent_feature::features::Features;
use crate::latent_feature::kmeans::KMeans;
use crate::latent_feature::likelihood::BoundedPriors;
use crate::latent_feature::mixture::Mixture;
use crate::latent_feature::{Grouping, LatentFeature};
use crate::latent_graph::context::Context;
use crate::latent_graph::search::starts::Starts;
use crate::latent_graph::search::starts::origin::Origin;
use crate::plan::Spectral;
use crate::run::observer::Observer;
use crate::run::parallel;
use crate::settings::n_clusters::NClusters;

/// Greatest number of clusters, and so of features, for which a mixture with full covariances is fitted: the time grows with the
/// fourth power. Not tuned.
const MOST_FOR_MIXTURE: usize = 10;

/// Number of restarts of a mixture, and the gain in log likelihood for each point below which one ends. Not tuned: its clusters
/// are refined anyway.
const N_RESTARTS: usize = 3;
const TOLERANCE: f64 = 1e-6;

/// Most dimensions of classical-scaling space in which a mixture is fitted. Not tuned.
pub(crate) const MOST_DIMENSIONS: usize = 10;

/// Least number of points for each dimension of a cluster, on average, for a full covariance. Not tuned.
const LEAST_PER_DIMENSION: usize = 5;

/// Number of neighbours of the default affinity, whose eigenvectors are grouped in every way. The latent feature model's
/// default.
const DEFAULT: usize = 10;

/// Numbers of neighbours of the affinities of a whole search. Not tuned.
const NUMBERS: [Option<usize>; 6] = [Some(5), Some(7), Some(DEFAULT), Some(15), Some(20), Some(30)];

/// Returns what the latent feature model finds with the affinities of the plan; those that it cannot have are left out.
pub(crate) fn feature_starts(
    context: &Context<'_>,
    starts: &Starts<'_>,
    observer: &dyn Observer,
) -> Vec<(Origin, Labels)> {
    let (n_clusters, seed, in_many_ways) = (starts.n_clusters, starts.seed, starts.plan.is_whole);
    let affinities = affinities(starts.plan.spectral);
    let found = parallel::map(affinities.len(), |at| {
        let start = FeatureStart { context, n_clusters, seed, n_neighbours: affinities[at], in_many_ways };
        start.groupings(observer).unwrap_or_default()
    });
    found.into_iter().flatten().collect()
}

/// The numbers of neighbours that affinities link; `None`: every pair, at local scales.
fn affinities(spectral: Spectral) -> Vec<Option<usize>> {
    match spectral {
        Spectral::None => Vec::new(),
        Spectral::Default => vec![Some(DEFAULT)],
        Spectral::Neighbours => NUMBERS.to_vec(),
        Spectral::AllPairs => NUMBERS.into_iter().chain([None]).collect(),
    }
}

/// One affinity.
struct FeatureStart<'a> {
    context: &'a Context<'a>,
    n_clusters: usize,
    seed: u64,
    n_neighbours: Option<usize>,
    /// Whether the default affinity's eigenvectors are grouped in more than one way.
    in_many_ways: bool,
}

impl FeatureStart<'_> {
    /// The features of one affinity, grouped in one way or more.
    fn groupings(&self, observer: &dyn Observer) -> Result<Vec<(Origin, Labels)>, Error> {
        let mut ways = vec![(Variant::NgJordanWeiss, Grouping::KMeans)];
        let in_many_ways = self.in_many_ways && self.n_neighbours == Some(DEFAULT);
        if in_many_ways && self.n_clusters <= MOST_FOR_MIXTURE {
            ways.push((Variant::NgJordanWeiss, Grouping::Mixture));
        }
        // Neighbours have no diagonal to set to 0: the eigenvectors are the same.
        if in_many_ways {
            ways.push((Variant::MeilaShi, Grouping::KMeans));
        }
        self.grouped(&ways, observer)
    }

    /// The features grouped in these ways.
    fn grouped(
        &self,
        ways: &[(Variant, Grouping)],
        observer: &dyn Observer,
    ) -> Result<Vec<(Origin, Labels)>, Error> {
        let settings = LatentFeature {
            n_clusters: NClusters::Exactly(self.n_clusters),
            affinity: if self.n_neighbours.is_some() { Affinity::Nearest } else { Affinity::Local },
            affinity_neighbours: self.n_neighbours.unwrap_or(DEFAULT),
            seed: self.seed,
            ..LatentFeature::default()
        };
        let spectrum = settings.spectrum(self.context.observed, observer)?;
        let grouped = |&(variant, grouping): &(Variant, Grouping)| {
            let origin = Origin::Features { n_neighbours: self.n_neighbours, variant, grouping };
            Ok((origin, self.group(&spectrum, variant, grouping, observer)?))
        };
        ways.iter().map(grouped).collect()
    }

    fn group(
        &self,
        spectrum: &Spectrum<'_>,
        variant: Variant,
        grouping: Grouping,
        observer: &dyn Observer,
    ) -> Result<Labels, Error> {
        let features = spectrum.features(self.n_clusters, variant);
        match grouping {
            Grouping::KMeans => {
                let k_means = KMeans { n_clusters: self.n_clusters, seed: self.seed, ..KMeans::default() };
                Ok(k_means.fit(&features, observer)?.labels)
            }
            Grouping::Mixture => Ok(self.mixture(&features).fit(&features, observer)?.labels),
        }
    }

    /// A mixture for features of length 1.
    fn mixture(&self, features: &Features) -> Mixture {
        let psi_floor = LatentFeature::default().psi_floor / features.n_columns() as f64;
        let priors = BoundedPriors { mean_bound: 1.0, psi_floor, psi_ceiling: 1.0 };
        short(self.n_clusters, priors, self.seed)
    }
}

/// A mixture with few restarts.
fn short(n_clusters: usize, priors: BoundedPriors, seed: u64) -> Mixture {
    let tolerance = TOLERANCE;
    Mixture { seed, n_restarts: N_RESTARTS, tolerance, ..Mixture::new(n_clusters, priors) }
}

/// The clusters of a mixture of Gaussians in classical-scaling space: the latent feature model where L is the centred Gram matrix.
/// No Gaussian is thinner than the mean link of the minimum spanning tree.
pub(crate) fn mixture_start(
    coordinates: &Features,
    mean_link: f64,
    starts: &Starts<'_>,
    observer: &dyn Observer,
) -> Option<(Origin, Labels)> {
    let n_dimensions = coordinates.n_columns();
    if coordinates.n_rows() < LEAST_PER_DIMENSION * n_dimensions * starts.n_clusters {
        return None;
    }
    let variance = coordinates.mean_variance() * n_dimensions as f64;
    let mean_bound = coordinates.as_slice().iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let priors =
        BoundedPriors { mean_bound, psi_floor: mean_link.powi(2).min(variance), psi_ceiling: variance };
    let usable = variance.is_finite() && priors.psi_floor > 0.0;
    let mixture = usable.then(|| short(starts.n_clusters, priors, starts.seed))?;
    Some((Origin::Mixture { n_dimensions }, mixture.fit(coordinates, observer).ok()?.labels))
}
