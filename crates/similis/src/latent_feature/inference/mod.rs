//! Greedy inference (Lemma 1), the search for the scale of its affinity, and the fits of greedy and joint inference.

pub(crate) mod fits;

use crate::affinity;
use crate::affinity::Affinity;
use crate::affinity::matrix::SimilarityMatrix;
use crate::constraints::Constraints;
use crate::error::{Error, InputError, check_memory};
use crate::input::labels::Labels;
use crate::input::{Dissimilarity, Quantity};
use crate::latent_feature::embedding::blocks::{NumberBy, is_graph, n_blocks};
use crate::latent_feature::embedding::{Gap, Spectrum, Variant};
use crate::latent_feature::features::Features;
use crate::latent_feature::gamma::{Gamma, GammaTrial, typical_distances};
use crate::latent_feature::kmeans::{KMeans, means, squared_distance};
use crate::latent_feature::likelihood::BoundedPriors;
use crate::latent_feature::mixture::Mixture;
use crate::latent_feature::{Grouping, LatentFeature, NFeatures};
use crate::numeric::linalg::top_eigenpairs::TopEigenpairs;
use crate::run::observer::{Observer, Progress};
use crate::run::termination::Termination;
use crate::settings::n_clusters::NClusters;

/// Relative tolerance of eigenvalues: more precision would only separate eigenvalues that are nearly equal. Not tuned.
const TOLERANCE: f64 = 1e-8;

/// Relative tolerance of eigenvectors where only the rates of a random walk are compared: the error of an eigenvalue is about the
/// square of that of its vector. Not tuned.
const TOLERANCE_OF_RATES: f64 = 1e-3;

/// Maximum number of matrix-vector products for one trial of gamma. Values that are too small have dozens of eigenvalues
/// near 1, converge slowly, and are not chosen. Not tuned.
const PRODUCTS_OF_A_TRIAL: usize = 4000;

/// Number of leading eigenvalues among which the largest gap is searched. Not tuned.
pub(crate) const MOST_BY_GAP: usize = 30;

/// What to try where the eigenvectors take too much memory: with `auto`, every component is a cluster.
const INSTEAD: &str = "set a smaller n_clusters, leave out small components, or raise memory_limit";

/// The greedy answer at one scale.
pub(crate) struct Greedy<'a> {
    spectrum: Spectrum<'a>,
    labels: Labels,
    embedding: Features,
    memberships: Option<Features>,
    number_by: NumberBy,
    ended: Termination,
}

impl Greedy<'_> {
    /// What decided a number of clusters that was counted in the graph.
    fn by_blocks(&self) -> NumberBy {
        let n_components = self.spectrum.n_components;
        let of_components = n_components > 1 && n_components == self.labels.n_clusters();
        if of_components { NumberBy::Components } else { NumberBy::Blocks }
    }
}

/// The greedy answer at the best scale, and all that were tried.
pub(crate) struct Search<'a> {
    best: Greedy<'a>,
    gamma: Option<f64>,
    trials: Vec<GammaTrial>,
}

/// Returns the greedy answer at the given scale, or at the one whose groups are tightest.
///
/// This is the search the paper's baseline uses (caption of Figure 2): the scale of least distortion. `weights` are those of the
/// points, or empty.
pub(crate) fn search_gamma<'a>(
    settings: &LatentFeature,
    observed: &'a Dissimilarity<'_>,
    constraints: &Constraints,
    weights: &[f64],
    observer: &dyn Observer,
) -> Result<Search<'a>, Error> {
    let scales = candidate_scales(settings, observed);
    let mut search: Option<Search> = None;
    let mut trials = Vec::new();
    for (at, &gamma) in scales.iter().enumerate() {
        if search.is_some() && observer.cancelled() {
            break;
        }
        let mut affinity = affinity_of(settings, observed, gamma)?;
        let counted = with_blocks_counted(settings, observed, &affinity, constraints, observer)?;
        weigh(&mut affinity, weights, settings.normalised);
        let mut greedy = infer_greedily(&counted, affinity, constraints, weights, observer)?;
        if counted.n_clusters != settings.n_clusters {
            greedy.number_by = greedy.by_blocks();
        }
        let distortion = looseness(settings, &greedy);
        if let Some(gamma) = gamma {
            trials.push(GammaTrial { gamma, distortion });
        }
        if trials.iter().all(|trial| trial.distortion >= distortion) {
            search = Some(Search { best: greedy, gamma, trials: Vec::new() });
        }
        if scales.len() > 1 {
            let fraction = (at + 1) as f64 / scales.len() as f64;
            observer.progress(Progress { phase: "searching the scale", fraction, log_joint: None });
        }
    }
    search.map(|search| Search { trials, ..search }).ok_or(Error::Input(InputError::NoPoints))
}

/// The scales to try: none for affinities that have no scale.
fn candidate_scales(settings: &LatentFeature, observed: &Dissimilarity<'_>) -> Vec<Option<f64>> {
    if observed.quantity() == Quantity::Similarities || !has_scale(settings) {
        return vec![None];
    }
    match settings.gamma {
        Gamma::Given(gamma) => vec![Some(gamma)],
        Gamma::Search => {
            // The square of gamma is a distance where the affinity is exponential.
            let root = |distance: f64| {
                if settings.affinity == Affinity::Exponential { distance.sqrt() } else { distance }
            };
            typical_distances(observed).into_iter().map(|distance| Some(root(distance))).collect()
        }
    }
}

/// Whether the affinity has a scale.
fn has_scale(settings: &LatentFeature) -> bool {
    matches!(settings.affinity, Affinity::Exponential | Affinity::Gaussian)
}

/// Returns the spectrum at the given scale, or at the one whose groups are tightest.
pub(crate) fn spectrum<'a>(
    settings: &LatentFeature,
    observed: &'a Dissimilarity<'_>,
    observer: &dyn Observer,
) -> Result<Spectrum<'a>, Error> {
    match candidate_scales(settings, observed)[..] {
        [gamma] => find_spectrum(settings, affinity_of(settings, observed, gamma)?, observer),
        _ => Ok(search_gamma(settings, observed, &Constraints::default(), &[], observer)?.best.spectrum),
    }
}

/// Returns the largest eigengap of the affinity that has no scale, as a ratio of rates; eigenvectors are rough.
pub(super) fn rough_gap(
    settings: &LatentFeature,
    observed: &Dissimilarity<'_>,
    observer: &dyn Observer,
) -> Result<Gap, Error> {
    let affinity = affinity_of(settings, observed, None)?;
    let spectrum = find_spectrum_to(TOLERANCE_OF_RATES, settings, affinity, observer)?;
    Ok(spectrum.largest_gap(MOST_BY_GAP))
}

pub(super) fn find_spectrum<'a>(
    settings: &LatentFeature,
    affinity: SimilarityMatrix<'a>,
    observer: &dyn Observer,
) -> Result<Spectrum<'a>, Error> {
    find_spectrum_to(TOLERANCE, settings, affinity, observer)
}

/// The eigenpairs that are needed, to this tolerance.
fn find_spectrum_to<'a>(
    tolerance: f64,
    settings: &LatentFeature,
    affinity: SimilarityMatrix<'a>,
    observer: &dyn Observer,
) -> Result<Spectrum<'a>, Error> {
    let searched = settings.gamma == Gamma::Search && has_scale(settings);
    let default = TopEigenpairs::default();
    let solver = TopEigenpairs {
        n_wanted: n_wanted(settings),
        tolerance,
        max_products: if searched { PRODUCTS_OF_A_TRIAL } else { default.max_products },
        seed: settings.seed,
    };
    let needed = solver.n_bytes(affinity.n_points());
    check_memory(needed, settings.memory_limit, "the eigenvectors, one for each cluster,", INSTEAD)?;
    if settings.normalised {
        return Ok(Spectrum::of_normalised(affinity, &solver, observer));
    }
    Ok(Spectrum::new(affinity, settings.variant, &solver, observer))
}

/// Turns the affinity of points into that of all their copies: $w_i w_j L_{ij}$ for weights w. Eigenvectors of the normalised matrix of
/// all copies are the same on the copies of a point; with $\sqrt{w_i}$ times its entry, they are those of the normalised
/// $w_i w_j L_{ij}$, and have the same eigenvalues.
fn weigh(affinity: &mut SimilarityMatrix<'_>, weights: &[f64], normalised: bool) {
    if weights.is_empty() {
        return;
    }
    affinity.map(|i, j, value| {
        let both = weights[i] * weights[j];
        value * if normalised { both.sqrt() } else { both }
    });
}

/// Returns the affinity matrix **L** of what was observed: similarities as they are, distances by the set affinity.
fn affinity_of<'a>(
    settings: &LatentFeature,
    observed: &'a Dissimilarity<'_>,
    gamma: Option<f64>,
) -> Result<SimilarityMatrix<'a>, Error> {
    if settings.normalised {
        return match observed.quantity() {
            Quantity::Similarities => SimilarityMatrix::as_given(observed, settings.memory_limit),
            Quantity::Distances => Err(Error::Input(InputError::NormalisedDistances)),
        };
    }
    if observed.quantity() == Quantity::Similarities {
        return SimilarityMatrix::observed(observed, settings.memory_limit);
    }
    // Affinities without a scale ignore it.
    let scale = gamma.unwrap_or(1.0);
    match settings.affinity {
        Affinity::Exponential => affinity::exponential(observed, scale, settings.memory_limit),
        Affinity::Gaussian => affinity::gaussian(observed, scale, settings.memory_limit),
        Affinity::Local => affinity::local(observed, settings.memory_limit),
        // More would link most pairs, and a graph of all pairs tells nothing apart.
        Affinity::Nearest => {
            let most = (observed.n_points() / 2).max(1);
            affinity::nearest(observed, settings.affinity_neighbours.min(most))
        }
    }
}

/// Returns the greedy answer, Lemma 1: first the features that explain **L** best, then the classes of the features.
fn infer_greedily<'a>(
    settings: &LatentFeature,
    affinity: SimilarityMatrix<'a>,
    constraints: &Constraints,
    weights: &[f64],
    observer: &dyn Observer,
) -> Result<Greedy<'a>, Error> {
    let given = settings.n_clusters;
    let settings = &with_many_components(settings, &affinity, constraints);
    let number_by = match (given, settings.n_clusters) {
        (NClusters::Exactly(_), _) => NumberBy::Given,
        (_, NClusters::Exactly(_)) => NumberBy::Components,
        _ => NumberBy::Gap,
    };
    let spectrum = find_spectrum(settings, affinity, observer)?;
    let n_clusters = match settings.n_clusters {
        NClusters::Exactly(n) => n,
        NClusters::Auto => constraints.n_clusters_near(spectrum.largest_gap(MOST_BY_GAP).above),
        NClusters::Between(least, most) => {
            constraints.n_clusters_near(spectrum.largest_gap_between(least, most).above)
        }
    };
    let n_features = match settings.n_features {
        NFeatures::NClusters => n_clusters,
        NFeatures::Auto => spectrum.largest_gap(MOST_BY_GAP).above,
        NFeatures::Exactly(t) => t,
    };
    let embedding = spectrum.features(n_features, settings.variant).weighted(weights);
    let embedding = if settings.variant == Variant::Lemma1 { embedding.scaled(of_a_copy) } else { embedding };
    let grouped = group(settings, &embedding, n_clusters, constraints, observer)?;
    let (labels, memberships, ended) = (grouped.labels, grouped.memberships, grouped.ended);
    Ok(Greedy { spectrum, labels, embedding, memberships, number_by, ended })
}

/// What an entry of an eigenvector is divided by for one copy of a point with this weight.
fn of_a_copy(weight: f64) -> f64 {
    1.0 / weight.sqrt()
}

/// The settings, with the number of blocks where `auto` meets a graph that has blocks.
fn with_blocks_counted(
    settings: &LatentFeature,
    observed: &Dissimilarity<'_>,
    affinity: &SimilarityMatrix<'_>,
    constraints: &Constraints,
    observer: &dyn Observer,
) -> Result<LatentFeature, Error> {
    if settings.n_clusters != NClusters::Auto || settings.normalised || !is_graph(observed) {
        return Ok(*settings);
    }
    let n_blocks = n_blocks(settings, affinity, observer)?;
    let exactly = |n: usize| NClusters::Exactly(constraints.n_clusters_near(n));
    Ok(LatentFeature { n_clusters: n_blocks.map_or(NClusters::Auto, exactly), ..*settings })
}

/// The settings, with a cluster for each component where `auto` meets more components than the largest gap is looked for
/// among: then more eigenvectors are needed, of the affinity before it is normalised.
fn with_many_components(
    settings: &LatentFeature,
    affinity: &SimilarityMatrix<'_>,
    constraints: &Constraints,
) -> LatentFeature {
    if settings.n_clusters != NClusters::Auto {
        return *settings;
    }
    let n_components = affinity.components().iter().max().map_or(0, |last| last + 1);
    if n_components <= MOST_BY_GAP {
        return *settings;
    }
    LatentFeature { n_clusters: NClusters::Exactly(constraints.n_clusters_near(n_components)), ..*settings }
}

/// How many eigenpairs are needed.
fn n_wanted(settings: &LatentFeature) -> usize {
    let by_gap = MOST_BY_GAP + 1;
    match (settings.n_features, settings.n_clusters) {
        (NFeatures::Exactly(t), NClusters::Exactly(_)) => t,
        (NFeatures::Exactly(t), NClusters::Auto) => t.max(by_gap),
        (NFeatures::Exactly(t), NClusters::Between(_, most)) => t.max(most + 1),
        (NFeatures::NClusters, NClusters::Exactly(n)) => n,
        (_, NClusters::Between(_, most)) => by_gap.max(most + 1),
        _ => by_gap,
    }
}

/// What step 2 of greedy inference finds.
struct Grouped {
    labels: Labels,
    memberships: Option<Features>,
    ended: Termination,
}

/// Groups the features by k-means or a mixture.
fn group(
    settings: &LatentFeature,
    embedding: &Features,
    n_clusters: usize,
    constraints: &Constraints,
    observer: &dyn Observer,
) -> Result<Grouped, Error> {
    match settings.grouping {
        Grouping::KMeans => {
            let k_means = KMeans {
                n_clusters,
                n_restarts: settings.n_restarts,
                seed: settings.seed,
                ..KMeans::default()
            };
            let fit = k_means.fit_obeying(embedding, constraints, observer)?;
            Ok(Grouped { labels: fit.labels, memberships: None, ended: fit.ended })
        }
        Grouping::Mixture => {
            let mixture = mixture(settings, embedding, n_clusters);
            let fit = mixture.fit_obeying(embedding, constraints, observer)?;
            Ok(Grouped { labels: fit.labels, memberships: Some(fit.memberships), ended: fit.ended })
        }
    }
}

/// The mixture that the settings ask for, its bounds fitted to the features.
fn mixture(settings: &LatentFeature, features: &Features, n_clusters: usize) -> Mixture {
    let most = features.as_slice().iter().fold(1.0, |most: f64, x| most.max(x.abs()));
    let floor = settings.psi_floor * features.mean_variance();
    let priors = BoundedPriors {
        mean_bound: most,
        // Features that all coincide have no variance to take a part of.
        psi_floor: if floor > 0.0 { floor } else { settings.psi_floor },
        psi_ceiling: (most * most).max(2.0 * floor),
    };
    Mixture {
        covariance: settings.covariance,
        n_restarts: settings.n_restarts,
        seed: settings.seed,
        ..Mixture::new(n_clusters, priors)
    }
}

/// What the search over scales makes least: the distortion of rows of length 1, as Ng, Jordan & Weiss proposed; for
/// features of other sizes its part of their scatter; where the number of clusters is chosen too, the narrowness of the
/// gap that chooses it.
fn looseness(settings: &LatentFeature, greedy: &Greedy<'_>) -> f64 {
    match settings.n_clusters {
        NClusters::Exactly(_) => {}
        NClusters::Auto => return -greedy.spectrum.largest_gap(MOST_BY_GAP).width,
        NClusters::Between(least, most) => {
            return -greedy.spectrum.largest_gap_between(least, most).width;
        }
    }
    let features = &greedy.embedding;
    let distortion = |labels: &[usize], n_clusters: usize| {
        let centres = means(features, labels, n_clusters);
        let squared =
            |i: usize| features.weight(i) * squared_distance(features.row(i), centres.row(labels[i]));
        (0..features.n_rows()).map(squared).sum::<f64>()
    };
    let within = distortion(greedy.labels.as_slice(), greedy.labels.n_clusters());
    if settings.variant == Variant::NgJordanWeiss {
        return within;
    }
    let all = distortion(&vec![0; features.n_rows()], 1);
    if all > 0.0 { within / all } else { 0.0 }
}
