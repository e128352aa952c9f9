use super::*;
use crate::error::{Error, SettingError};
use crate::evaluate::shapes::{Shape, draw};
use crate::input::metric::Metric;
use crate::input::points::Points;
use crate::input::sparse::SparseMatrix;
use crate::input::{Checks, Dissimilarity, Quantity};
use crate::latent_graph::LatentGraph;
use crate::latent_graph::model::prior::SizePrior;
use crate::latent_graph::search::score::varying::N_SCALES;
use crate::latent_graph::settings::inference::Scales;
use crate::run::observer::Silent;
use crate::run::random::stream;
use crate::settings::n_clusters::NClusters;
use rand::RngExt;

fn row(n_clusters: usize, prior: f64) -> NumberScore {
    let labels = Labels::new(&[0; 3]);
    NumberScore {
        n_clusters,
        prior,
        evidence: 0.0,
        walk: 0.0,
        valleys: 0.0,
        side: 0.0,
        searched: false,
        probability: 0.0,
        partition: RowPartition { labels, representatives: None },
    }
}

fn points(places: Vec<f64>, n_columns: usize) -> Dissimilarity<'static> {
    let n_points = places.len() / n_columns;
    let points = Points::new(places, n_points, n_columns).unwrap();
    Dissimilarity::from_points(points, Metric::Euclidean).unwrap()
}

fn square(n_points: usize, number: u64) -> Dissimilarity<'static> {
    let mut random = stream(11, number);
    points((0..2 * n_points).map(|_| random.random_range(0.0..1.0)).collect(), 2)
}

#[test]
fn numbers_of_classes_have_probabilities() {
    for n_points in [1, 8, 300, 1_000_000] {
        let total: f64 = (1..20_000).map(|m| log_number(m, n_points).exp()).sum();
        assert!((total - 1.0).abs() < 1e-9, "{n_points}: {total}");
    }
}

#[test]
fn partitions_of_each_number_have_probabilities() {
    // Every labelling of up to eight points in order of first appearance is a partition.
    fn extend(labels: &mut Vec<usize>, n: usize, sums: &mut [f64], prior: &Prior) {
        if labels.len() == n {
            let labels = Labels::new(labels);
            sums[labels.n_clusters()] += prior.log_labels(&labels).exp();
            return;
        }
        let next = labels.iter().max().map_or(0, |last| last + 1);
        for label in 0..=next {
            labels.push(label);
            extend(labels, n, sums, prior);
            labels.pop();
        }
    }
    for n in 1..=8 {
        let prior = Prior::new(GraphPrior::Tree, SizePrior::Dirichlet, 1, n);
        let mut sums = vec![0.0; n + 1];
        extend(&mut Vec::new(), n, &mut sums, &prior);
        assert!(sums[1..].iter().all(|sum| (sum - 1.0).abs() < 1e-12), "{n}: {sums:?}");
    }
}

#[test]
fn the_score_is_its_parts_and_its_evidence_an_integral() {
    let mut random = stream(3, 0);
    let observed = points((0..24).map(|_| random.random_range(0.0..1.0)).collect(), 2);
    let labels: Vec<usize> = (0..12).map(|i| i % 3 / 2).collect();
    let context = Context::new(&observed, &Silent);
    let settings = ScoreSettings { scales: Scales::PerClass, ..ScoreSettings::default() };
    let found = NumberScorer::new(settings, &context).score(&labels, false);
    let (mut evidence, mut background) = (0.0, 0.0);
    let square = (0..12)
        .flat_map(|i| (0..12).filter(move |&j| j != i).map(move |j| (i, j)))
        .map(|(i, j)| observed.pair(i, j).unwrap().powi(2))
        .sum::<f64>()
        / 132.0;
    for class in 0..2 {
        let members: Vec<usize> = (0..12).filter(|&i| labels[i] == class).collect();
        let tree = crate::latent_graph::context::cluster_trees::ClassTrees::new(&context).of(&members);
        let total: f64 = tree.iter().map(|link| link.length).sum();
        let n = tree.len() as f64;
        // The scale is uniform in its logarithm over the grid: the midpoint rule with many pieces for each cell.
        let (least, width) = (-4.0 - 0.075, 0.15 * N_SCALES as f64);
        let pieces = 200_000;
        let density = |at: usize| {
            let scale = context.mean_link * (least + width * (at as f64 + 0.5) / f64::from(pieces)).exp();
            (-n * scale.ln() - total / scale).exp()
        };
        evidence += ((0..pieces as usize).map(density).sum::<f64>() / f64::from(pieces)).ln();
        background += tree
            .iter()
            .map(|link| (2.0 * link.length / square).ln() - link.length.powi(2) / square)
            .sum::<f64>();
    }
    // The sum over the grid is that integral: the likelihood is smooth and falls off at both ends.
    assert!((found.evidence - evidence + background).abs() < 1e-8, "{} {}", found.evidence, evidence);
    let log = |n: usize| (1..=n).map(|k| (k as f64).ln()).sum::<f64>();
    // Sizes 8 and 4: 2! 8! 4! / (12! 11), trees 8^-6 4^-2.
    let partition = log(2) + log(8) + log(4) - log(12) - 11f64.ln();
    let trees = -6.0 * 8f64.ln() - 2.0 * 4f64.ln();
    assert!((found.prior - log_number(2, 12) - partition - trees).abs() < 1e-10);
    assert!(found.walk < 0.0 && found.n_clusters == 2);
}

#[test]
fn the_greatest_total_wins_and_of_equal_ones_the_fewest_clusters() {
    let totals = |totals: &[f64]| {
        let rows: Vec<NumberScore> =
            totals.iter().enumerate().map(|(at, &total)| row(at + 1, total)).collect();
        best_row(&rows).map(|at| at + 1)
    };
    assert_eq!(totals(&[0.0, 80.0, 177.0, 312.0, 311.0]), Some(4));
    assert_eq!(totals(&[5.0, 3.0, 5.0]), Some(1));
    assert_eq!(totals(&[]), None);
}

#[test]
fn clusters_that_touch_are_counted() {
    // Four Gaussians of standard deviation 1 on a square of side 4.5, 150 points each.
    let mut n_right = 0;
    for number in 0..5 {
        let mut random = stream(21, number);
        let mut normal = || (0..12).map(|_| random.random_range(0.0..1.0)).sum::<f64>() - 6.0;
        let places: Vec<f64> = (0..600)
            .flat_map(|i| [4.5 * f64::from(i % 2) + normal(), 4.5 * f64::from(i / 2 % 2) + normal()])
            .collect();
        let fit = LatentGraph::default().fit(&points(places, 2), &[]).unwrap();
        n_right += usize::from(fit.labels.n_clusters() == 4);
    }
    assert!(n_right >= 4, "{n_right}");
}

#[test]
fn merging_modes_costs_their_valley_and_separating_them_nothing() {
    let places: Vec<f64> =
        (0..80).map(|i| (f64::from(i % 40) / 40.0 - 0.5).powi(3) + f64::from(i / 40) * 2.0).collect();
    let observed = points(places, 1);
    let context = Context::new(&observed, &Silent);
    let modes = context.modes();
    assert_eq!(modes.n_significant(), 2);
    let halves: Vec<usize> = (0..80).map(|i| i / 40).collect();
    let nats = modes.valleys(|_| 0);
    assert!(nats > 0.0);
    assert_eq!(modes.valleys(|i| halves[i]), 0.0);
    assert_eq!(modes.labels(2).unwrap(), Labels::new(&halves));
    let scorer = NumberScorer::new(ScoreSettings::default(), &context);
    assert!((scorer.score(&[0; 80], false).valleys + nats).abs() < 1e-12);
    let without = ScoreSettings { valley_weight: 0.0, ..ScoreSettings::default() };
    assert_eq!(NumberScorer::new(without, &context).score(&[0; 80], false).valleys, 0.0);
}

#[test]
fn shapes_have_as_many_clusters_as_were_drawn_and_a_square_has_one() {
    for (shape, n_clusters) in [(Shape::TwoRings, 2), (Shape::FiveBlobs, 5)] {
        let drawn = draw(shape, 300, 4).unwrap();
        let observed = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
        let fit = LatentGraph::default().fit(&observed, &[]).unwrap();
        assert_eq!(fit.labels.n_clusters(), n_clusters, "{shape:?}");
        assert_eq!(fit.numbers[0].n_clusters, 1);
        assert!(fit.numbers.len() > n_clusters && fit.numbers[n_clusters - 1].searched);
    }
    for number in 0..5 {
        let fit = LatentGraph::default().fit(&square(150, number), &[]).unwrap();
        assert_eq!(fit.labels.n_clusters(), 1, "draw {number}");
    }
}

#[test]
fn ranges_are_kept_and_bad_ones_refused() {
    let observed = square(40, 9);
    let between = |least, most| {
        let n_clusters = NClusters::Between(least, most);
        LatentGraph { n_clusters, ..LatentGraph::default() }.fit(&observed, &[])
    };
    let fit = between(2, 4).unwrap();
    assert!((2..=4).contains(&fit.labels.n_clusters()));
    assert_eq!(fit.numbers.iter().map(|row| row.n_clusters).collect::<Vec<_>>(), [2, 3, 4]);
    assert_eq!(between(3, 3).unwrap().labels.n_clusters(), 3);
    for (least, most) in [(0, 3), (4, 2), (2, 41)] {
        assert_eq!(
            between(least, most).unwrap_err(),
            Error::Settings(SettingError::NClustersRange { least, most, n_points: 40 })
        );
    }
}

#[test]
fn odd_inputs_have_a_number() {
    for places in [vec![2.0], vec![1.0, 2.0], vec![5.0; 9], vec![0.0, 1e-300, 1.0, 1e300]] {
        let n = places.len();
        let fit = LatentGraph::default().fit(&points(places, 1), &[]).unwrap();
        assert!((1..=n).contains(&fit.labels.n_clusters()));
    }
    // Known labels are a lower bound.
    let known: Vec<Option<usize>> = (0..40).map(|i| (i < 3).then_some(i)).collect();
    let fit = LatentGraph::default().fit(&square(40, 2), &known).unwrap();
    assert!(fit.labels.n_clusters() >= 3);
}

/// Number of components of [`many_components`].
const N_PARTS: usize = 12;

/// Paths of random sizes whose links have few lengths, some of them 0; a hub, and single points.
fn many_components(number: u64) -> Dissimilarity<'static> {
    let mut random = stream(29, number);
    let (mut edges, mut n) = (Vec::new(), 0);
    for part in 0..N_PARTS {
        let size = random.random_range(1..9);
        for at in 1..size {
            let from = if part == 3 { n } else { n + at - 1 };
            let at_random = random.random_range(0..4);
            let length = if number.is_multiple_of(2) {
                f64::from(at_random)
            } else {
                1.0 + 0.1 * f64::from(at_random)
            };
            edges.push((from, n + at, length));
        }
        n += size;
    }
    let matrix = SparseMatrix::from_edges(n, &edges).unwrap();
    Dissimilarity::from_sparse(matrix, Quantity::Distances, Checks::default()).unwrap()
}

#[test]
fn joined_clusters_score_as_the_cuts_of_their_linkage() {
    let mut n_finite = 0;
    for number in 0..30 {
        let observed = many_components(number);
        let context = Context::new(&observed, &Silent).joining();
        let plan = Plan::new(observed.n_points(), false).of_many(20_000);
        let sources = Sources::new(&context, &plan, &Silent);
        let (_, linkage) = sources.only_linkage(&context).expect("of many clusters one linkage is looked at");
        let scorer = NumberScorer::new(ScoreSettings::default(), &context);
        let n_fine = observed.n_points().min(24);
        let joined = Joined::new(&scorer, linkage, [N_PARTS, n_fine]);
        assert_eq!(joined.n_fine(), n_fine);
        for n_clusters in N_PARTS..=n_fine {
            let (row, cut) = (joined.row(n_clusters), linkage.cut(n_clusters));
            let whole = scorer.score(cut.as_slice(), false);
            assert_eq!(row.labels(), cut);
            n_finite += usize::from(whole.total().is_finite());
            let other = NumberScore { partition: row.partition.clone(), ..whole };
            // As text: where a link between components is inside a cluster, both are not a number.
            assert_eq!(format!("{row:?}"), format!("{other:?}"), "input {number}, {n_clusters} clusters");
        }
    }
    assert!(n_finite > 30, "{n_finite} scores can tell");
}
