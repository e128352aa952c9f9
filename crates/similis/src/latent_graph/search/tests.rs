use std::sync::atomic::{AtomicUsize, Ordering};

use crate::evaluate::agreement::adjusted_rand_index;
use crate::evaluate::shapes::{Shape, draw};
use crate::graph::disjoint_sets::components;
use crate::graph::link::Link;
use crate::input::Dissimilarity;
use crate::input::labels::Labels;
use crate::input::metric::Metric;
use crate::input::points::Points;
use crate::latent_graph::LatentGraph;
use crate::latent_graph::context::Context;
use crate::latent_graph::context::cluster_trees::ClassTrees;
use crate::latent_graph::fit::{ClassLink, LatentGraphFit};
use crate::latent_graph::search::score::{Scorer, members};
use crate::latent_graph::settings::inference::{Inference, SearchPart, SearchParts, SearchSettings};
use crate::run::observer::{Observer, Silent};
use crate::run::parallel::with_threads;
use crate::run::random::stream;
use crate::settings::n_clusters::NClusters;
use rand::RngExt;
use rand_distr::StandardNormal;

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

/// Gaussians of unlike size, density and number, some of which touch.
fn planted(seed: u64) -> (Dissimilarity<'static>, usize) {
    let mut random = stream(seed, 0);
    let n_clusters = random.random_range(2..5);
    let mut values = Vec::new();
    for _ in 0..n_clusters {
        let centre: [f64; 2] = std::array::from_fn(|_| random.random_range(0.0..8.0));
        let scale = 4f64.powf(random.random_range(-1.0..0.5));
        for _ in 0..random.random_range(8..25) {
            values.extend(centre.map(|at| at + scale * random.sample::<f64, _>(StandardNormal)));
        }
    }
    let points = Points::new(values.clone(), values.len() / 2, 2).unwrap();
    (Dissimilarity::from_points(points, Metric::Euclidean).unwrap(), n_clusters)
}

/// The labels where the points below a link of a cluster's tree have a new one, for each link.
fn splits(labels: &[usize], trees: &ClassTrees<'_>) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    for members in members(labels) {
        let tree = trees.of(&members);
        for left_out in 0..tree.len() {
            let links = tree.iter().enumerate().filter(|&(at, _)| at != left_out).map(|(_, &link)| link);
            let parts = components(labels.len(), links);
            let beyond = parts.as_slice()[tree[left_out].to];
            let split = |i: usize| if parts.as_slice()[i] == beyond { usize::MAX } else { labels[i] };
            found.push((0..labels.len()).map(split).collect());
        }
    }
    found
}

/// The partitions that one split with one merge makes of these labels.
fn one_move_away(labels: &[usize], n_clusters: usize, trees: &ClassTrees<'_>) -> Vec<Labels> {
    let names: Vec<usize> = (0..n_clusters).chain([usize::MAX]).collect();
    let merged = |split: &[usize], [one, other]: [usize; 2]| {
        Labels::new(&split.iter().map(|&name| if name == one { other } else { name }).collect::<Vec<_>>())
    };
    let mut found = Vec::new();
    for split in splits(labels, trees) {
        for (at, &one) in names.iter().enumerate() {
            found.extend(names[..at].iter().map(|&other| merged(&split, [one, other])));
        }
    }
    found.retain(|labels| labels.n_clusters() == n_clusters);
    found
}

#[test]
fn no_split_with_a_merge_improves_the_answer() {
    let gains = crate::run::parallel::map(200, |seed| {
        let (observed, n_clusters) = planted(seed as u64);
        let model = LatentGraph { n_clusters: NClusters::Exactly(n_clusters), ..LatentGraph::default() };
        let fit = model.fit(&observed, &[]).unwrap();
        let context = Context::new(&observed, &Silent);
        let scorer = Scorer::new(model.score_settings(), &context);
        let score = |labels: &Labels| scorer.score(labels.as_slice()).total();
        let others = one_move_away(fit.labels.as_slice(), n_clusters, &ClassTrees::new(&context));
        assert!(!others.is_empty());
        others.iter().map(score).fold(f64::NEG_INFINITY, f64::max) - score(&fit.labels)
    });
    let improved: Vec<(usize, f64)> =
        gains.into_iter().enumerate().filter(|&(_, gain)| gain > 1e-6).collect();
    assert!(improved.is_empty(), "{improved:?}");
}
