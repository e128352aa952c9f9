//! The fits of greedy and joint inference.

use crate::affinity::matrix::SimilarityMatrix;
use crate::constraints::Constraints;
use crate::latent_feature::constrained::Obeyed;
use crate::latent_feature::features::Features;
use crate::latent_feature::inference::{Greedy, Search, mixture, of_a_copy};
use crate::latent_feature::joint::{Joint, log_similarities};
use crate::latent_feature::likelihood::{GaussianConditionals, LogJoint, PairTerms, residual};
use crate::latent_feature::mixture::{Mixture, Numbered};
use crate::latent_feature::{LatentFeature, LatentFeatureFit};
use crate::run::observer::Observer;
use crate::run::termination::Termination;

/// The fit of the greedy answer.
pub(crate) fn greedy_fit(settings: &LatentFeature, search: Search<'_>) -> LatentFeatureFit {
    let t = search.best.embedding.n_columns();
    let features = search.best.spectrum.lemma_1(t);
    let noise = noise(&search.best.spectrum.normalised.matrix, &features);
    let features = features.weighted(search.best.embedding.weights()).scaled(of_a_copy);
    let mixture = mixture(settings, &features, search.best.labels.n_clusters());
    let classes = mixture.classes_of(&features, &search.best.labels);
    finished(&mixture, search, features, GaussianConditionals { noise, classes })
}

/// The fit of joint inference, started from the greedy answer.
pub(crate) fn joint_fit(
    settings: &LatentFeature,
    search: Search<'_>,
    constraints: &Constraints,
    observer: &dyn Observer,
) -> LatentFeatureFit {
    let greedy = &search.best;
    let features = greedy.spectrum.lemma_1(greedy.embedding.n_columns());
    let matrix = &greedy.spectrum.normalised.matrix;
    let mixture = mixture(settings, &features, greedy.labels.n_clusters());
    let noise = noise(matrix, &features);
    let joint = Joint { mixture, noise, max_iterations: 200, tolerance: 1e-9 };
    let obeyed = Obeyed { constraints, labels: greedy.labels.as_slice() };
    let fit = joint.fit_obeying(matrix, features, obeyed, observer);
    let numbered = Numbered::new(&fit.memberships, &fit.classes, constraints);
    let best = Greedy {
        labels: numbered.labels,
        embedding: fit.features.clone(),
        memberships: Some(numbered.memberships),
        number_by: greedy.number_by,
        ended: fit.ended,
        spectrum: search.best.spectrum,
    };
    let conditionals = GaussianConditionals { noise, classes: numbered.classes };
    let search = Search { best, ..search };
    LatentFeatureFit { trace: fit.trace, ..finished(&mixture, search, fit.features, conditionals) }
}

/// The variance of the similarities about the features' inner products, with a floor where these explain all.
fn noise(matrix: &SimilarityMatrix<'_>, features: &Features) -> f64 {
    let residual = residual(matrix, features, PairTerms::Upper);
    (residual.sum / residual.n_pairs.max(1.0)).max(1e-16)
}

fn finished(
    mixture: &Mixture,
    search: Search<'_>,
    features: Features,
    conditionals: GaussianConditionals,
) -> LatentFeatureFit {
    let Greedy { spectrum, labels, embedding, memberships, number_by, ended } = search.best;
    let ended = if ended == Termination::Converged { spectrum.eigenpairs.ended } else { ended };
    let matrix = &spectrum.normalised.matrix;
    let class_of =
        |(i, &cluster): (usize, &usize)| conditionals.classes[cluster].log_density(features.row(i));
    let log_joint = LogJoint {
        parameters: mixture.priors.log_density(&conditionals.classes, mixture.covariance),
        similarities: log_similarities(matrix, &features.clone().scaled(f64::sqrt), conditionals.noise),
        features: labels.as_slice().iter().enumerate().map(class_of).sum(),
        labels: -(labels.n_points() as f64) * (labels.n_clusters() as f64).ln(),
    };
    LatentFeatureFit {
        staying: spectrum.staying(&labels),
        n_negative: spectrum.n_negative(features.n_columns()),
        eigenvalues: spectrum.eigenpairs.values,
        isolated: spectrum.normalised.isolated,
        n_components: spectrum.n_components,
        component_sizes: spectrum.component_sizes,
        gamma: search.gamma,
        gamma_trials: search.trials,
        trace: Vec::new(),
        labels,
        embedding,
        features,
        conditionals,
        memberships,
        log_joint,
        number_by,
        ended,
    }
}
