//! Graphs in more parts than clusters.

use crate::error::SettingError;
use rand::RngExt;

use super::super::*;
use crate::graph::lengths::Lengths;
use crate::input::Checks;
use crate::input::labels::Labels;
use crate::input::sparse::SparseMatrix;
use crate::latent_graph::context::Context;
use crate::latent_graph::search::score::Scorer;
use crate::run::observer::Silent;
use crate::run::random::Random;

/// A graph of a few components, some of them single points.
fn graph(n_points: usize, random: &mut Random) -> Dissimilarity<'static> {
    let part: Vec<usize> = (0..n_points).map(|_| random.random_range(0..4)).collect();
    let mut edges = Vec::new();
    for i in 0..n_points {
        for j in 0..i {
            if part[i] == part[j] && part[i] > 0 && random.random_bool(0.7) {
                edges.push((i, j, (part[i] * part[i]) as f64 * random.random_range(0.2..2.0)));
            }
        }
    }
    let matrix = SparseMatrix::from_edges(n_points, &edges).unwrap();
    Dissimilarity::from_sparse(matrix, Quantity::Distances, Checks::default()).unwrap()
}

/// All partitions of a number of points.
fn partitions(n_points: usize) -> Vec<Labels> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..n_points {
        all = all
            .into_iter()
            .flat_map(|labels| {
                let n_classes = labels.iter().max().map_or(0, |&last| last + 1);
                (0..=n_classes).map(move |class| [&labels[..], &[class]].concat())
            })
            .collect();
    }
    all.iter().map(|labels| Labels::new(labels)).collect()
}

fn exactly(n_clusters: usize) -> LatentGraph {
    LatentGraph { n_clusters: NClusters::Exactly(n_clusters), ..LatentGraph::default() }
}

#[test]
fn the_search_finds_the_best_of_all_partitions_of_small_graphs() {
    let mut random = stream(21, 0);
    let all = partitions(7);
    let (mut n_right, mut n_all) = (0, 0);
    for _ in 0..40 {
        let observed = graph(7, &mut random);
        let n_parts = Lengths::given(&observed).n_parts();
        let context = Context::new(&observed, &Silent).joining();
        let scorer = Scorer::new(ScoreSettings::default(), &context);
        let scores: Vec<f64> = all.iter().map(|labels| scorer.score(labels.as_slice()).total()).collect();
        for n_clusters in 1..n_parts {
            let fit = exactly(n_clusters).fit(&observed, &[]).unwrap();
            let found = scorer.score(fit.labels.as_slice()).total();
            let own = all.iter().zip(&scores).filter(|(labels, _)| labels.n_clusters() == n_clusters);
            let best = own.fold(f64::NEG_INFINITY, |best, (_, &score)| best.max(score));
            assert!(found.is_finite() && found <= best + 1e-9);
            assert!(fit.log_joint.total().is_finite());
            n_all += 1;
            n_right += usize::from(found > best - 1e-9);
        }
    }
    assert!(10 * n_right > 9 * n_all, "{n_right} of {n_all}");
}

#[test]
fn a_join_weighs_what_the_background_says_of_the_mean_link_by_hand() {
    // Two links of length 2 and a single point: mean 2, five points; the plane's scale, the root of 5 times the mean, is above
    // that of the pairs, 2. In units of the mean link: -m log s - s^-m.
    let matrix = SparseMatrix::from_edges(5, &[(0, 1, 2.0), (2, 3, 2.0)]).unwrap();
    let observed = Dissimilarity::from_sparse(matrix, Quantity::Distances, Checks::default()).unwrap();
    let context = Context::new(&observed, &Silent).joining();
    for shape in [1.0, 2.0] {
        let expected = -0.5 * shape * 5f64.ln() - 5f64.powf(-0.5 * shape);
        assert!((context.log_join(shape) - expected).abs() < 1e-12);
    }
}

/// Two grids that nothing joins, a pair and some single points: six components and more.
fn two_grids(n_single: usize) -> Dissimilarity<'static> {
    let mut edges = Vec::new();
    for grid in 0..2 {
        let at = |row: usize, column: usize| 100 * grid + 10 * row + column;
        let length = |i: usize| (1 + 3 * grid) as f64 * (1.0 + 0.01 * (i * 37 % 23) as f64);
        for (row, column) in (0..10).flat_map(|row| (0..9).map(move |column| (row, column))) {
            edges.push((at(row, column), at(row, column + 1), length(at(row, column))));
            edges.push((at(column, row), at(column + 1, row), length(at(row, column) + 7)));
        }
    }
    edges.push((200, 201, 1.5));
    let matrix = SparseMatrix::from_edges(202 + n_single, &edges).unwrap();
    Dissimilarity::from_sparse(matrix, Quantity::Distances, Checks::default()).unwrap()
}

#[test]
fn components_are_told_and_never_joined_where_there_are_clusters_enough() {
    let observed = two_grids(3);
    for n_clusters in [6, 8] {
        let fit = exactly(n_clusters).fit(&observed, &[]).unwrap();
        assert_eq!(fit.component_sizes, [100, 100, 2, 1, 1, 1]);
        assert_eq!((fit.n_components(), fit.n_isolated(), fit.n_unobserved_links()), (6, 3, 0));
    }
    let auto = LatentGraph::default().fit(&observed, &[]).unwrap();
    assert_eq!((auto.labels.n_clusters() >= 6, auto.n_unobserved_links()), (true, 0));
    let between = LatentGraph { n_clusters: NClusters::Between(2, 9), ..LatentGraph::default() };
    assert_eq!(between.fit(&observed, &[]).unwrap().n_unobserved_links(), 0);
    // Of a range that is too low, the most.
    let few = LatentGraph { n_clusters: NClusters::Between(2, 4), ..LatentGraph::default() };
    assert_eq!(few.fit(&observed, &[]).unwrap().labels.n_clusters(), 4);
}

#[test]
fn every_way_to_few_clusters_keeps_the_grids_apart() {
    let observed = two_grids(3);
    let whole = exactly(2);
    let at_scale = whole.with(&[("without", "whole-search")]).unwrap();
    let scores = whole.with(&[("score", "all_trees")]).unwrap();
    let paper = whole.with(&[("inference", "paper"), ("n_restarts", "2")]).unwrap();
    for settings in [whole, at_scale, scores, paper] {
        let fit = settings.fit(&observed, &[]).unwrap();
        assert_eq!((fit.labels.n_clusters(), fit.n_components()), (2, 6));
        assert!(fit.log_joint.total().is_finite(), "{settings:?}");
        assert!(fit.graph.iter().all(|link| link.length.is_nan() || link.length.is_finite()));
        assert_eq!(fit.graph.len(), 205 - 2);
        if matches!(settings.inference(), Inference::Search(_)) {
            let joint = log_joint_of(&observed, &fit.labels, SizePrior::Dirichlet, &Silent).unwrap();
            assert!(joint.log_joint.total().is_finite());
            assert_eq!(fit.n_unobserved_links(), 4);
            assert_ne!(fit.labels.as_slice()[0], fit.labels.as_slice()[100]);
        }
    }
}

#[test]
fn ties_between_components_are_joins_and_one_cluster_less() {
    let observed = two_grids(0);
    let side = SideInformation { must_link: vec![(0, 200)], ..SideInformation::default() };
    for n_clusters in [NClusters::Auto, NClusters::Exactly(2), NClusters::Exactly(3)] {
        let fit = LatentGraph { n_clusters, ..LatentGraph::default() }.fit(&observed, side.clone()).unwrap();
        let labels = fit.labels.as_slice();
        assert_eq!((labels[0], labels[1]), (labels[200], labels[201]));
        assert!(fit.log_joint.total().is_finite());
        assert!(fit.n_unobserved_links() >= 1);
    }
}

#[test]
fn thousands_of_isolated_points_leave_the_grids_apart_and_threads_change_no_bit() {
    let observed = two_grids(12_000);
    let fit =
        |n_threads: usize| parallel::with_threads(n_threads, || exactly(3).fit(&observed, &[]).unwrap());
    let one = fit(1);
    assert_eq!((one.n_isolated(), one.labels.n_clusters()), (12_000, 3));
    assert_ne!(one.labels.as_slice()[0], one.labels.as_slice()[100]);
    // Lengths that were not observed are NaN, which equals nothing.
    let (one, two) = (format!("{one:?}"), format!("{:?}", fit(2)));
    assert!(one == two);
}

#[test]
fn what_needs_whole_clusters_says_so() {
    let observed = two_grids(3);
    let sample = exactly(2).with(&[("inference", "sample")]).unwrap();
    let neighbours = LatentGraph { graph_prior: GraphPrior::KNeighbours, ..exactly(2) };
    let soft = exactly(2).with(&[("inference", "paper"), ("scale_updates", "soft")]).unwrap();
    for settings in [sample, neighbours, soft] {
        let error = settings.fit(&observed, &[]).unwrap_err();
        assert!(matches!(error, Error::Settings(SettingError::Parts { n_parts: 6, n_clusters: 2, .. })));
        assert!(error.to_string().contains("ask for at least 6 clusters"));
    }
    let fit = exactly(2).fit(&observed, &[]).unwrap();
    assert!(matches!(
        exactly(2).edge_probabilities(&observed, &fit, 0.0, &Silent),
        Err(Error::Settings(SettingError::Parts { .. }))
    ));
}

#[test]
fn a_new_item_finds_the_cluster_of_a_component_that_was_joined() {
    let observed = two_grids(3);
    let fit = exactly(2).fit(&observed, &[]).unwrap();
    let labels: Vec<Option<usize>> = fit.labels.as_slice().iter().copied().map(Some).collect();
    let predictor =
        crate::latent_graph::predict::Predictor::new(&observed, &labels, &exactly(2).score_settings(), false)
            .unwrap();
    let said = predictor.memberships(&observed).unwrap();
    // Each point of a grid is nearest to its own.
    let right = (0..200).filter(|&i| said.labels[i] == labels[i]).count();
    assert_eq!(right, 200);
}
