//! Starts by the latent feature model: spectral clustering.

use crate::affinity::Affinity;
use crate::error::Error;
use crate::input::labels::Labels;
use crate::latent_feature::LatentFeature;
use crate::latent_feature::embedding::Variant;
use crate::latent_feature::features::Features;
use crate::latent_feature::kmeans::KMeans;
use crate::latent_feature::likelihood::BoundedPriors;
use crate::latent_feature::mixture::Mixture;
use crate::latent_graph::context::Context;
use crate::latent_graph::search::starts::Starts;
use crate::latent_graph::search::starts::origin::Origin;
use crate::numeric::linalg::top_eigenpairs::TopEigenpairs;
use crate::plan::Spectral;
use crate::run::observer::Observer;
use crate::run::parallel;
use crate::settings::n_clusters::NClusters;

/// Number of restarts of a mixture, and the gain in log likelihood for each point below which one ends. Not tuned: its clusters
/// are refined anyway.
const N_RESTARTS: usize = 1;
const TOLERANCE: f64 = 1e-4;

/// Most dimensions of classical-scaling space in which a mixture is fitted. Not tuned.
pub(crate) const MOST_DIMENSIONS: usize = 10;

/// Least number of points for each dimension of a cluster, on average, for a full covariance. Not tuned.
const LEAST_PER_DIMENSION: usize = 5;

/// Numbers of neighbours of the affinities of a whole search; the second is the latent feature model's default. More numbers,
/// other variants and mixtures added nothing (`docs/evidence/what-was-tried.md`).
const NUMBERS: [usize; 3] = [5, 10, 15];

/// Returns what the latent feature model finds with the affinities of the plan; those that it cannot have are left out.
/// There are none if the number of clusters is so large that the eigenvectors would take longer than the whole search.
pub(crate) fn feature_starts(
    context: &Context<'_>,
    starts: &Starts<'_>,
    observer: &dyn Observer,
) -> Vec<(Origin, Labels)> {
    let costly = TopEigenpairs::decomposes_large(context.n_points(), starts.n_clusters);
    let numbers = if costly { &[] } else { numbers(starts.plan.spectral) };
    let found = parallel::map(numbers.len(), |at| {
        let n_neighbours = numbers[at];
        let labels = grouped(context, starts, n_neighbours, observer).ok()?;
        Some((Origin::Features { n_neighbours }, labels))
    });
    found.into_iter().flatten().collect()
}

/// The numbers of neighbours that affinities link.
fn numbers(spectral: Spectral) -> &'static [usize] {
    match spectral {
        Spectral::None => &[],
        Spectral::Default => &NUMBERS[1..2],
        Spectral::Neighbours => &NUMBERS,
    }
}

/// The features of the affinity of this number of neighbours, by the variant of Ng, Jordan and Weiss, grouped by k-means.
fn grouped(
    context: &Context<'_>,
    starts: &Starts<'_>,
    n_neighbours: usize,
    observer: &dyn Observer,
) -> Result<Labels, Error> {
    let (n_clusters, seed) = (starts.n_clusters, starts.seed);
    let settings = LatentFeature {
        n_clusters: NClusters::Exactly(n_clusters),
        affinity: Affinity::Nearest,
        affinity_neighbours: n_neighbours,
        seed,
        ..LatentFeature::default()
    };
    let spectrum = settings.spectrum(context.observed, observer)?;
    let features = spectrum.features(n_clusters, Variant::NgJordanWeiss);
    Ok(KMeans { n_clusters, seed, ..KMeans::default() }.fit(&features, observer)?.labels)
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
    let short = || Mixture {
        seed: starts.seed,
        n_restarts: N_RESTARTS,
        tolerance: TOLERANCE,
        ..Mixture::new(starts.n_clusters, priors)
    };
    let mixture = usable.then(short)?;
    Some((Origin::Mixture { n_dimensions }, mixture.fit(coordinates, observer).ok()?.labels))
}
