//! Both models and their variants on the same data, side by side.

mod pages;

pub use self::pages::{Shown, report, sheet};
pub(crate) use self::pages::{aligned, failure};

use similis::error::SettingError;
use std::time::Instant;

use similis::affinity::{Affinity, inverse_distances, staying_probability};
use similis::evaluate::adjusted_rand_index;
use similis::latent_feature::Variant as FeatureVariant;
use similis::latent_graph::{Inference, PaperSettings, ScoreSettings};
use similis::{
    Dissimilarity, Error, Labels, LatentFeature, LatentGraph, NClusters, Observer, Quantity, SimilarityMatrix,
};

use crate::answer::Answer;

/// The settings of one of the models.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Settings {
    /// Latent features.
    Feature(LatentFeature),
    /// Latent graphs.
    Graph(LatentGraph),
}

/// A model with settings that have a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variant {
    /// Its name.
    pub name: &'static str,
    /// Its settings.
    pub settings: Settings,
}

/// The names of all variants, in the order they are run.
pub const VARIANTS: [&str; 9] = [
    "search",
    "paper",
    "paper-exponential",
    "ng-jordan-weiss",
    "lemma1",
    "meila-shi",
    "affinity-gaussian",
    "affinity-exponential",
    "affinity-local",
];

impl Variant {
    /// Returns the variant of this name, or `None` if there is none.
    pub fn named(name: &str, base: &LatentFeature) -> Option<Self> {
        let &name = VARIANTS.iter().find(|&&known| known == name)?;
        let LatentFeature { n_clusters, seed, n_restarts, .. } = *base;
        let paper = Some(Inference::Paper(PaperSettings { n_restarts, ..PaperSettings::default() }));
        let graph = |settings| Settings::Graph(LatentGraph { n_clusters, seed, ..settings });
        let settings = match name {
            "search" => graph(LatentGraph::default()),
            "paper" => graph(LatentGraph { inference: paper, ..LatentGraph::paper() }),
            "paper-exponential" => graph(LatentGraph { inference: paper, ..LatentGraph::default() }),
            "lemma1" => Settings::Feature(LatentFeature { variant: FeatureVariant::Lemma1, ..*base }),
            "meila-shi" => Settings::Feature(LatentFeature { variant: FeatureVariant::MeilaShi, ..*base }),
            "affinity-gaussian" => Settings::Feature(LatentFeature { affinity: Affinity::Gaussian, ..*base }),
            "affinity-exponential" => {
                Settings::Feature(LatentFeature { affinity: Affinity::Exponential, ..*base })
            }
            "affinity-local" => Settings::Feature(LatentFeature { affinity: Affinity::Local, ..*base }),
            _ => Settings::Feature(*base),
        };
        Some(Self { name, settings })
    }

    /// Whether it can be asked about what was observed: similarities need no affinity, and the exponential likelihood needs
    /// distances.
    pub fn suits(&self, observed: &Dissimilarity<'_>) -> bool {
        let needs_distances =
            self.name.starts_with("affinity") || ["search", "paper-exponential"].contains(&self.name);
        observed.quantity() == Quantity::Distances || !needs_distances
    }

    /// Whether it would take many minutes: the paper's algorithm on more points than this.
    pub fn is_slow(&self, observed: &Dissimilarity<'_>) -> bool {
        const MOST_PRINTED: usize = 1000;
        self.name.starts_with("paper") && observed.n_points() > MOST_PRINTED
    }

    fn fit(&self, n_clusters: NClusters, data: &Data<'_>, observer: &dyn Observer) -> Result<Answer, Error> {
        match self.settings {
            Settings::Feature(settings) => {
                let settings = LatentFeature { n_clusters, ..settings };
                let fit = settings.fit_observed(data.pairs, &[], observer)?;
                Ok(Answer::Feature(settings, Box::new(fit)))
            }
            Settings::Graph(settings) => {
                let settings = LatentGraph { n_clusters, ..settings };
                let fit = settings.fit_observed(data.pairs, &[], observer)?;
                Ok(Answer::Graph(settings, Box::new(fit)))
            }
        }
    }
}

/// What variants are compared on.
#[derive(Clone, Copy, Debug)]
pub struct Data<'a> {
    /// What was observed.
    pub pairs: &'a Dissimilarity<'a>,
    /// The true class of each item where it is known; may be empty.
    pub truth: &'a [Option<usize>],
    /// Most bytes that a dense matrix may take.
    pub memory_limit: Option<u64>,
}

/// What a variant found.
#[derive(Debug)]
pub struct Outcome {
    /// The name of the variant.
    pub name: &'static str,
    /// Its answer, or why it has none.
    pub answer: Result<Answer, Error>,
    /// The score of its partition, where distances were observed.
    pub score: Option<f64>,
    /// How likely the random walk by inverse distances, or by the similarities, stays in its cluster (section 3.1).
    pub staying: Option<f64>,
    /// The adjusted Rand index with the true classes, where they are known.
    pub truth: Option<f64>,
    /// How long it took.
    pub seconds: f64,
}

impl Outcome {
    /// The partition, if there is one.
    pub fn labels(&self) -> Option<&Labels> {
        self.answer.as_ref().ok().map(Answer::labels)
    }
}

/// What all variants found.
#[derive(Debug)]
pub struct Comparison {
    /// The variants in their order.
    pub outcomes: Vec<Outcome>,
    /// Which has the greatest score; without scores, the greatest probability of staying.
    pub winner: usize,
    /// The adjusted Rand index of each two variants, row by row; `None` where one has no answer.
    pub agreement: Vec<Vec<Option<f64>>>,
}

/// Runs the variants one after the other and compares their partitions.
///
/// With [`NClusters::Auto`] all get the number that the first one finds. A variant that fails has its error in place of an
/// answer.
///
/// # Errors
///
/// That of the first variant, if none has an answer.
pub fn compare(data: &Data<'_>, variants: &[Variant], observer: &dyn Observer) -> Result<Comparison, Error> {
    let walk = walk(data);
    let mut n_clusters = None;
    let mut outcomes = Vec::with_capacity(variants.len());
    for variant in variants {
        // After a cancellation the variants that were begun are reported.
        if observer.cancelled() && !outcomes.is_empty() {
            break;
        }
        let asked = match variant.settings {
            Settings::Feature(settings) => settings.n_clusters,
            Settings::Graph(settings) => settings.n_clusters,
        };
        let outcome = outcome(variant, n_clusters.unwrap_or(asked), data, walk.as_ref(), observer);
        n_clusters = n_clusters.or(outcome.labels().map(|labels| NClusters::Exactly(labels.n_clusters())));
        outcomes.push(outcome);
    }
    if outcomes.iter().all(|outcome| outcome.answer.is_err()) {
        let first = outcomes.into_iter().find_map(|outcome| outcome.answer.err());
        return Err(first.unwrap_or(Error::Settings(SettingError::NRestarts)));
    }
    let rank = |outcome: &Outcome| outcome.score.or(outcome.staying).unwrap_or(f64::NEG_INFINITY);
    let better = |best: usize, at: usize| {
        let gains = outcomes[best].answer.is_err() || rank(&outcomes[at]) > rank(&outcomes[best]);
        if outcomes[at].answer.is_ok() && gains { at } else { best }
    };
    let winner = (0..outcomes.len()).fold(0, better);
    let agree = |a: &Outcome, b: &Outcome| adjusted_rand_index(a.labels()?, b.labels()?).ok();
    let agreement = outcomes.iter().map(|a| outcomes.iter().map(|b| agree(a, b)).collect()).collect();
    Ok(Comparison { outcomes, winner, agreement })
}

fn outcome(
    variant: &Variant,
    n_clusters: NClusters,
    data: &Data<'_>,
    walk: Option<&SimilarityMatrix<'_>>,
    observer: &dyn Observer,
) -> Outcome {
    let started = Instant::now();
    let answer = variant.fit(n_clusters, data, observer);
    let seconds = started.elapsed().as_secs_f64();
    let labels = answer.as_ref().ok().map(Answer::labels);
    let score = labels.and_then(|labels| ScoreSettings::default().score(data.pairs, labels, observer).ok());
    let staying = labels.and_then(|labels| staying_probability(walk?, labels).ok());
    Outcome {
        name: variant.name,
        score: score.map(|score| score.total()).filter(|score| score.is_finite()),
        staying: staying.map(|staying| staying.overall),
        truth: labels.and_then(|labels| agreement_with(labels, data.truth)),
        seconds,
        answer,
    }
}

/// The measure of the random walk, where it fits into memory.
fn walk<'a>(data: &Data<'a>) -> Option<SimilarityMatrix<'a>> {
    match data.pairs.quantity() {
        Quantity::Distances => inverse_distances(data.pairs, data.memory_limit).ok(),
        Quantity::Similarities => SimilarityMatrix::observed(data.pairs, data.memory_limit).ok(),
    }
}

/// Returns the adjusted Rand index with classes of which some may not be known; `None` if none is.
pub fn agreement_with(labels: &Labels, truth: &[Option<usize>]) -> Option<f64> {
    let known = || labels.as_slice().iter().zip(truth).filter_map(|(&label, class)| Some((label, (*class)?)));
    let found: Vec<usize> = known().map(|(label, _)| label).collect();
    let true_classes: Vec<usize> = known().map(|(_, class)| class).collect();
    if found.is_empty() {
        None
    } else {
        adjusted_rand_index(&Labels::new(&found), &Labels::new(&true_classes)).ok()
    }
}

#[cfg(test)]
mod tests {
    use similis::evaluate::shapes::{Shape, draw};
    use similis::{Metric, Silent};

    use super::*;

    #[test]
    fn every_name_has_a_variant_and_no_two_are_the_same() {
        let base = LatentFeature::default();
        let variants: Vec<Variant> =
            VARIANTS.iter().map(|name| Variant::named(name, &base).unwrap()).collect();
        for (at, one) in variants.iter().enumerate() {
            assert!(variants[..at].iter().all(|other| other.settings != one.settings), "{}", one.name);
        }
        assert!(Variant::named("k-means", &base).is_none());
    }

    #[test]
    fn the_winner_has_the_greatest_score_and_all_the_same_number_of_clusters() {
        let drawn = draw(Shape::FiveBlobs, 150, 0).unwrap();
        let truth: Vec<Option<usize>> = drawn.labels.as_slice().iter().map(|&label| Some(label)).collect();
        let pairs = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
        let variant = |name| Variant::named(name, &LatentFeature::default()).unwrap();
        let data = Data { pairs: &pairs, truth: &truth, memory_limit: None };
        let variants = ["search", "ng-jordan-weiss", "affinity-gaussian"].map(variant);
        let found = compare(&data, &variants, &Silent).unwrap();
        assert_eq!(found.outcomes[found.winner].truth, Some(1.0));
        for (at, outcome) in found.outcomes.iter().enumerate() {
            assert!(outcome.score.unwrap() <= found.outcomes[found.winner].score.unwrap());
            assert_eq!(outcome.labels().unwrap().n_clusters(), 5);
            assert_eq!(found.agreement[at][at], Some(1.0));
            assert!((0.0..=1.0).contains(&outcome.staying.unwrap()));
        }
    }

    #[test]
    fn only_known_classes_count() {
        let labels = Labels::new(&[0, 0, 1, 1]);
        assert_eq!(agreement_with(&labels, &[Some(7), None, Some(3), None]), Some(1.0));
        assert_eq!(agreement_with(&labels, &[None; 4]), None);
        assert_eq!(agreement_with(&labels, &[]), None);
    }
}
