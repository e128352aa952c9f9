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
use crate::latent_graph::context::ground::Ground;
use crate::latent_graph::search::starts::origin::Origin;
use crate::run::observer::Observer;
use crate::run::parallel;
use crate::settings::n_clusters::NClusters;

/// The numbers of neighbours that affinities link.
const NUMBERS: [usize; 6] = [5, 7, 10, 15, 20, 30];

/// Up to here the affinity may link every pair.
const MOST_FOR_PAIRS: usize = 1000;

/// Covariances of more features than this take long.
const MOST_FOR_MIXTURE: usize = 30;

/// The number of neighbours whose eigenvectors are grouped in every way.
const USUAL: usize = 10;

/// Returns what the latent feature model finds with different affinities; those that it cannot have are left out.
pub(crate) fn feature_starts(
    ground: &Ground<'_>,
    n_clusters: usize,
    seed: u64,
    observer: &dyn Observer,
) -> Vec<(Origin, Labels)> {
    let affinities = affinities(ground.n_points());
    let found = parallel::map(affinities.len(), |at| {
        let start = FeatureStart { ground, n_clusters, seed, n_neighbours: affinities[at] };
        start.groupings(observer).unwrap_or_default()
    });
    found.into_iter().flatten().collect()
}

/// Returns what the latent feature model finds with its usual affinity; nothing where it cannot have it.
pub(crate) fn usual_feature_start(
    ground: &Ground<'_>,
    n_clusters: usize,
    seed: u64,
    observer: &dyn Observer,
) -> Vec<(Origin, Labels)> {
    let start = FeatureStart { ground, n_clusters, seed, n_neighbours: Some(USUAL) };
    let ways = [(Variant::NgJordanWeiss, Grouping::KMeans)];
    start.grouped(&ways, observer).unwrap_or_default()
}

/// The numbers of neighbours that affinities link; `None`: every pair, at local scales.
fn affinities(n_points: usize) -> Vec<Option<usize>> {
    let local = (n_points <= MOST_FOR_PAIRS).then_some(None);
    NUMBERS.map(Some).into_iter().chain(local).collect()
}

/// One affinity.
struct FeatureStart<'a> {
    ground: &'a Ground<'a>,
    n_clusters: usize,
    seed: u64,
    n_neighbours: Option<usize>,
}

impl FeatureStart<'_> {
    /// The features of one affinity, grouped in one way or more.
    fn groupings(&self, observer: &dyn Observer) -> Result<Vec<(Origin, Labels)>, Error> {
        let mut ways = vec![(Variant::NgJordanWeiss, Grouping::KMeans)];
        if self.n_neighbours == Some(USUAL) && self.n_clusters <= MOST_FOR_MIXTURE {
            ways.push((Variant::NgJordanWeiss, Grouping::Mixture));
        }
        // Neighbours have no diagonal to set to 0: the eigenvectors are the same.
        if self.n_neighbours == Some(USUAL) {
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
            affinity_neighbours: self.n_neighbours.unwrap_or(USUAL),
            seed: self.seed,
            ..LatentFeature::default()
        };
        let spectrum = settings.spectrum(self.ground.observed, observer)?;
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
        Mixture { seed: self.seed, ..Mixture::new(self.n_clusters, priors) }
    }
}
