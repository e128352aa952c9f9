use std::sync::atomic::{AtomicUsize, Ordering};

use crate::evaluate::agreement::adjusted_rand_index;
use crate::evaluate::shapes::{Shape, draw};
use crate::graph::disjoint_sets::components;
use crate::graph::link::Link;
use crate::input::Dissimilarity;
use crate::input::metric::Metric;
use crate::latent_graph::LatentGraph;
use crate::latent_graph::fit::{ClassLink, LatentGraphFit};
use crate::latent_graph::settings::inference::{Inference, SearchPart, SearchParts, SearchSettings};
use crate::run::observer::Observer;
use crate::run::parallel::with_threads;
use crate::settings::n_clusters::NClusters;

/// Settings that do with few points what is done with many.
fn at_scale(n_clusters: NClusters) -> LatentGraph {
    let parts = SearchParts::ALL.without(SearchPart::WholeSearch);
    let inference = Some(Inference::Search(SearchSettings { parts, ..SearchSettings::default() }));
    LatentGraph { n_clusters, inference, ..LatentGraph::default() }
}

fn score(fit: &LatentGraphFit) -> f64 {
    fit.proposals[0].score.total()
}

#[test]
fn few_starts_and_rounds_come_near_to_the_whole_search() {
    let (mut behind, mut apart, mut n_sets) = (0.0, 0.0, 0.0);
    // Dense shapes in sparse clouds are found by the start of a sample.
    let shapes =
        [Shape::HalfMoons, Shape::TwoRings, Shape::FiveBlobs, Shape::DenseRing, Shape::CrossingLines];
    for shape in shapes {
        for seed in 0..2 {
            let drawn = draw(shape, 600, seed).unwrap();
            let n_clusters = NClusters::Exactly(drawn.labels.n_clusters());
            let observed = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
            let few = at_scale(n_clusters).fit(&observed, &[]).unwrap();
            let all = LatentGraph { n_clusters, ..LatentGraph::default() }.fit(&observed, &[]).unwrap();
            let agreement = |fit: &LatentGraphFit| adjusted_rand_index(&fit.labels, &drawn.labels).unwrap();
            behind += (score(&all) - score(&few)) / score(&all).abs();
            apart += agreement(&all) - agreement(&few);
            n_sets += 1.0;
        }
    }
    assert!(behind / n_sets < 0.005, "{}", behind / n_sets);
    // With the 57 sets of `benchmarks/large_path.py` it is less than 0.01.
    assert!(apart / n_sets < 0.02, "{}", apart / n_sets);
}

#[test]
fn threads_change_no_bit_of_the_answer() {
    let drawn = draw(Shape::HalfMoons, 300, 4).unwrap();
    let observed = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
    for n_clusters in [NClusters::Exactly(3), NClusters::Auto] {
        let fits = [1, 2, 5]
            .map(|threads| with_threads(threads, || at_scale(n_clusters).fit(&observed, &[]).unwrap()));
        assert_eq!((&fits[0], &fits[0]), (&fits[1], &fits[2]));
    }
}

/// Cancels after a number of calls.
struct Patience {
    most: usize,
    n_calls: AtomicUsize,
}

impl Observer for Patience {
    fn cancelled(&self) -> bool {
        self.n_calls.fetch_add(1, Ordering::Relaxed) >= self.most
    }
}

#[test]
fn cancelled_at_any_of_twenty_points_there_is_an_answer() {
    let drawn = draw(Shape::TwoRings, 120, 1).unwrap();
    let observed = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
    for whole in [false, true] {
        for n_clusters in [NClusters::Exactly(3), NClusters::Auto] {
            let all = SearchParts::ALL;
            let parts = if whole { all } else { all.without(SearchPart::WholeSearch) };
            let inference = Some(Inference::Search(SearchSettings { parts, ..SearchSettings::default() }));
            let settings = LatentGraph { n_clusters, inference, ..LatentGraph::default() };
            let run = |most: usize| {
                let patience = Patience { most, n_calls: AtomicUsize::new(0) };
                let fit = with_threads(1, || settings.fit_observed(&observed, &[], &patience).unwrap());
                (fit, patience.n_calls.into_inner())
            };
            let (_, n_calls) = run(usize::MAX);
            for point in 0..20 {
                let (fit, _) = run(point * n_calls / 20);
                assert_eq!((fit.labels.n_points(), score(&fit).is_finite()), (120, true));
                if let NClusters::Exactly(n) = n_clusters {
                    assert_eq!(fit.labels.n_clusters(), n);
                }
            }
        }
    }
}

#[test]
fn every_class_of_the_answer_is_connected_by_its_links() {
    for seed in 0..3 {
        let drawn = draw(Shape::CrossingLines, 2500, seed).unwrap();
        let observed = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
        let fit = at_scale(NClusters::Exactly(3)).fit(&observed, &[]).unwrap();
        assert!(fit.log_joint.total().is_finite());
        assert!(fit.graph.iter().all(|link| observed.pair(link.from, link.to) == Some(link.length)));
        // What the links join are the clusters: each is connected, and no link leaves its cluster.
        let links = fit.graph.iter().map(|&ClassLink { from, to, length, .. }| Link { from, to, length });
        assert_eq!(components(fit.labels.n_points(), links), fit.labels);
    }
}
