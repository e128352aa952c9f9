//! Side information is never broken: whatever is known, whichever model, however it is inferred.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used)]

use similis::input::Quantity;
use similis::latent_feature::{Covariance, FeatureInference, Grouping, NFeatures, Variant};
use similis::latent_graph::{GraphPrior, Likelihood, Support};
use similis::run::random::stream;
use similis::{
    Affinity, Auto, Checks, Dissimilarity, Error, Labels, LatentFeature, LatentGraph, Metric, NClusters,
    Points, SideInformation, SparseMatrix,
};

use rand::RngExt;

/// Points, and what is known of them: by a random truth that has nothing to do with where they lie.
struct Case {
    observed: Dissimilarity<'static>,
    side: SideInformation,
    n_classes: usize,
}

/// Known labels, must-links and cannot-links, some or all of them.
fn case(number: u64) -> Case {
    let mut random = stream(11, number);
    let n_points = random.random_range(12..36);
    let n_classes = random.random_range(2..5);
    let places: Vec<f64> = (0..2 * n_points).map(|_| random.random::<f64>()).collect();
    let points = Points::new(places, n_points, 2).unwrap();
    let truth: Vec<usize> =
        (0..n_points).map(|i| if i < n_classes { i } else { random.random_range(0..n_classes) }).collect();
    let mut side = SideInformation::default();
    if number % 3 != 1 {
        let known = |&class: &usize| (random.random::<f64>() < 0.2).then_some(7 * class + 1);
        side.known_labels = truth.iter().map(known).collect();
    }
    for _ in 0..if number.is_multiple_of(3) { 0 } else { n_points / 2 } {
        let pair = (random.random_range(0..n_points), random.random_range(0..n_points));
        let same = truth[pair.0] == truth[pair.1];
        if same { side.must_link.push(pair) } else { side.cannot_link.push(pair) }
    }
    let observed = Dissimilarity::from_points(points, Metric::Euclidean).unwrap();
    Case { observed, side, n_classes }
}

/// Whether labels keep to side information, word by word.
fn obeys(side: &SideInformation, labels: &Labels) -> bool {
    let labels = labels.as_slice();
    let known: Vec<(usize, usize)> =
        side.known_labels.iter().enumerate().filter_map(|(i, known)| Some((i, (*known)?))).collect();
    let labelled =
        |&(i, a): &(usize, usize)| known.iter().all(|&(j, b)| (a == b) == (labels[i] == labels[j]));
    known.iter().all(labelled)
        && side.must_link.iter().all(|&(i, j)| labels[i] == labels[j])
        && side.cannot_link.iter().all(|&(i, j)| labels[i] != labels[j])
}

/// Fits all cases for each kind of number: as many as the truth has, a range around that, and as many as are found.
fn check(name: &str, cases: std::ops::Range<u64>, fit: impl Fn(&Case, NClusters) -> Result<Labels, Error>) {
    for number in cases {
        let case = case(number);
        let m = case.n_classes;
        for wanted in [NClusters::Exactly(m), NClusters::Between(m.max(3) - 1, m + 2), NClusters::Auto] {
            let labels = fit(&case, wanted).unwrap();
            assert!(obeys(&case.side, &labels), "{name}, {wanted:?}, case {number}: {labels:?}");
            if wanted == NClusters::Exactly(m) {
                assert_eq!(labels.n_clusters(), m, "{name}, case {number}");
            }
        }
    }
}

fn check_graph(name: &str, cases: std::ops::Range<u64>, settings: LatentGraph) {
    check(name, cases, |case, n_clusters| {
        let settings = LatentGraph { n_clusters, ..settings }.with(&[("n_restarts", "2")])?;
        Ok(settings.fit(&case.observed, &case.side)?.labels)
    });
}

#[test]
fn the_search_never_breaks_side_information() {
    let usual = LatentGraph::default();
    check_graph("search", 0..6, usual);
    let one_scale = usual.with(&[("scales", "per_class")]).unwrap();
    check_graph("search, one scale a class", 0..3, one_scale);
    check_graph("search, all trees", 0..3, usual.with(&[("score", "all_trees")]).unwrap());
    let support = Some(Support::Nearest);
    check_graph("search, nearest", 0..3, LatentGraph { support, support_neighbours: 3, ..usual });
}

#[test]
fn points_of_which_something_is_said_are_no_noise() {
    check("noise", 0..3, |case, n_clusters| {
        let settings =
            LatentGraph { n_clusters, ..LatentGraph::default() }.with(&[("noise", "background")])?;
        let fit = settings.fit(&case.observed, &case.side)?;
        let SideInformation { known_labels, must_link, cannot_link, .. } = &case.side;
        for &i in &fit.noise {
            let paired = |pair: &(usize, usize)| (pair.0 == i || pair.1 == i) && pair.0 != pair.1;
            assert!(!must_link.iter().chain(cannot_link).any(paired));
            assert_eq!(known_labels.get(i).copied().flatten(), None);
        }
        Ok(fit.labels)
    });
}

#[test]
fn the_printed_algorithm_never_breaks_side_information() {
    let printed = LatentGraph::default().with(&[("inference", "paper")]).unwrap();
    check_graph("printed", 0..6, printed);
    check_graph("the paper's settings", 0..6, LatentGraph::paper());
    check_graph("gaussian", 0..3, LatentGraph { likelihood: Likelihood::Gaussian, ..LatentGraph::default() });
    for graph_prior in [GraphPrior::KNeighbours, GraphPrior::Connected] {
        check_graph("other graphs", 0..6, LatentGraph { graph_prior, ..printed });
    }
}

#[test]
fn graphs_that_are_given_never_break_side_information() {
    for inference in ["search", "paper"] {
        check("given", 0..6, |case, n_clusters| {
            let n = case.observed.n_points();
            let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
            let near = pairs.map(|(i, j)| (i, j, case.observed.pair(i, j).unwrap_or(1.0)));
            // A ring connects it.
            let edges: Vec<_> = near.filter(|&(i, j, length)| length < 0.4 || j == (i + 1) % n).collect();
            let graph = SparseMatrix::from_edges(n, &edges)?;
            let observed = Dissimilarity::from_sparse(graph, Quantity::Distances, Checks::default())?;
            let settings = LatentGraph { n_clusters, ..LatentGraph::default() };
            let settings = settings.with(&[("inference", inference), ("n_restarts", "2")])?;
            Ok(settings.fit(&observed, &case.side)?.labels)
        });
    }
}

#[test]
fn latent_features_never_break_side_information() {
    let usual = LatentFeature { n_restarts: 2, ..LatentFeature::default() };
    let mut settings = vec![
        usual,
        LatentFeature { affinity: Affinity::Local, n_features: NFeatures::Auto, ..usual },
        LatentFeature { variant: Variant::Lemma1, affinity: Affinity::Exponential, ..usual },
        LatentFeature { variant: Variant::MeilaShi, ..usual },
        LatentFeature { feature_inference: FeatureInference::Joint, ..usual },
    ];
    for covariance in [Covariance::Spherical, Covariance::Diagonal, Covariance::Full] {
        let mixture = LatentFeature { grouping: Grouping::Mixture, covariance, ..usual };
        settings.push(mixture);
        settings.push(LatentFeature { feature_inference: FeatureInference::Joint, ..mixture });
    }
    for settings in settings {
        check(&format!("{settings:?}"), 0..6, |case, n_clusters| {
            Ok(LatentFeature { n_clusters, ..settings }.fit(&case.observed, &case.side)?.labels)
        });
    }
}

#[test]
fn the_chosen_model_never_breaks_side_information() {
    check("auto", 9..12, |case, n_clusters| {
        let auto = Auto {
            graph: LatentGraph { n_clusters, ..LatentGraph::default() },
            feature: LatentFeature { n_clusters, ..LatentFeature::default() },
        };
        Ok(auto.fit(&case.observed, &case.side)?.labels().clone())
    });
}
