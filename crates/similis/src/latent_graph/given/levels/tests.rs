use super::*;
use crate::evaluate::shapes::{Shape, draw};
use crate::input::metric::Metric;
use crate::input::points::Points;
use crate::input::sparse::SparseMatrix;
use crate::input::{Checks, Quantity};
use crate::run::observer::Silent;
use crate::run::random::stream;
use proptest::prelude::*;
use rand::RngExt;

/// Points in the plane: of a lattice many are equal, and many distances tied.
fn points(n: usize, lattice: bool, seed: u64) -> Vec<f64> {
    let mut random = stream(seed, 0);
    let place = |random: &mut rand_chacha::ChaCha8Rng| {
        let x: f64 = random.random_range(0.0..6.0);
        if lattice { x.floor() } else { x }
    };
    (0..2 * n).map(|_| place(&mut random)).collect()
}

fn plane(places: Vec<f64>) -> Dissimilarity<'static> {
    let n = places.len() / 2;
    Dissimilarity::from_points(Points::new(places, n, 2).unwrap(), Metric::Euclidean).unwrap()
}

/// Whether every cluster of the finer partition lies in one of the coarser.
fn is_nested(finer: &Labels, coarser: &Labels) -> bool {
    let mut of = vec![None; finer.n_clusters()];
    finer
        .as_slice()
        .iter()
        .zip(coarser.as_slice())
        .all(|(&fine, &coarse)| *of[fine].get_or_insert(coarse) == coarse)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn levels_are_nested_and_hold_the_given_one(
        n in 2usize..50, lattice in any::<bool>(), seed in 0u64..1000, m in 1usize..5, finest in 1usize..12,
    ) {
        let observed = plane(points(n, lattice, seed));
        let labels = Labels::new(&(0..n).map(|i| (i * 7 + seed as usize) % n % m).collect::<Vec<_>>());
        let levels = LatentGraph::default().levels(&observed, &labels, finest, &Silent).unwrap();
        // Equal points of a cluster are not parted.
        let places: std::collections::BTreeSet<(usize, [u64; 2])> = (0..n)
            .map(|i| (labels.as_slice()[i], [0, 1].map(|k| observed.points().unwrap().points().row(i)[k].to_bits())))
            .collect();
        prop_assert_eq!(levels.n_finest(), finest.max(labels.n_clusters()).min(places.len()));
        prop_assert_eq!(&levels.labels(labels.n_clusters()).unwrap(), &labels);
        let all: Vec<Labels> = (1..=levels.n_finest()).map(|n| levels.labels(n).unwrap()).collect();
        for (at, own) in all.iter().enumerate() {
            prop_assert_eq!(own.n_clusters(), at + 1);
            prop_assert!(at == 0 || is_nested(own, &all[at - 1]));
        }
        let heights: Vec<f64> = levels.linkage().iter().map(|merge| merge.height).collect();
        prop_assert!(heights.windows(2).all(|two| two[0] <= two[1]));
        prop_assert_eq!(levels.linkage().last().map_or(1, |merge| merge.size), levels.n_finest());
    }

    #[test]
    fn the_order_of_rows_does_not_matter(lattice in any::<bool>(), seed in 0u64..1000) {
        let places = points(30, lattice, seed);
        let order: Vec<usize> = (0..30).map(|i| (i * 7 + seed as usize) % 30).collect();
        let moved: Vec<f64> = order.iter().flat_map(|&i| [places[2 * i], places[2 * i + 1]]).collect();
        let side = |x: f64| usize::from(x > 3.0);
        let labels = Labels::new(&(0..30).map(|i| side(places[2 * i])).collect::<Vec<_>>());
        let of_moved = Labels::new(&order.iter().map(|&i| side(places[2 * i])).collect::<Vec<_>>());
        let model = LatentGraph::default();
        let here = model.levels(&plane(places), &labels, 8, &Silent).unwrap();
        let there = model.levels(&plane(moved), &of_moved, 8, &Silent).unwrap();
        prop_assert_eq!(here.levels(), there.levels());
        for n in 1..=here.n_finest() {
            let names: Vec<usize> = order.iter().map(|&i| here.labels(n).unwrap().as_slice()[i]).collect();
            // Equal rows of a cluster can be exchanged: what counts is how many of each go where.
            if !lattice {
                prop_assert_eq!(Labels::new(&names), there.labels(n).unwrap());
            }
        }
    }
}

#[test]
fn every_level_has_the_score_of_its_number() {
    let drawn = draw(Shape::FiveBlobs, 150, 5).unwrap();
    let observed = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
    let order = Canonical::new(&observed, &[]).order;
    let observed = observed.restricted(&order).unwrap();
    let labels = Labels::new(&order.iter().map(|&i| drawn.labels.as_slice()[i]).collect::<Vec<_>>());
    let model = LatentGraph::default();
    let levels = model.levels(&observed, &labels, 9, &Silent).unwrap();
    let context = Context::planned(&observed, &model.plan(&observed), &Silent);
    let scorer = NumberScorer::new(model.score_settings(), &context);
    for level in levels.levels() {
        let by_hand = scorer.score(levels.labels(level.n_clusters).unwrap().as_slice(), false).total();
        assert!((level.score / by_hand - 1.0).abs() < 1e-9, "{level:?}, by hand {by_hand}");
    }
    for (before, merger) in levels.levels().iter().rev().zip(levels.mergers()) {
        let after = levels.levels()[before.n_clusters - 2].score;
        assert!((merger.loss - (before.score - after)).abs() < 1e-9);
    }
    // Five blobs apart: any other number is worse.
    let best = levels.levels().into_iter().max_by(|a, b| a.score.total_cmp(&b.score)).unwrap();
    assert_eq!(best.n_clusters, 5);
}

#[test]
fn a_graph_of_components_and_a_single_point_have_levels() {
    let edges: Vec<(usize, usize, f64)> =
        (0..9).filter(|i| i % 5 != 4).map(|i| (i, i + 1, 1.0 + i as f64 / 10.0)).collect();
    let matrix = SparseMatrix::from_edges(10, &edges).unwrap();
    let graph = Dissimilarity::from_sparse(matrix, Quantity::Distances, Checks::default()).unwrap();
    let halves = Labels::new(&(0..10).map(|i| i / 5).collect::<Vec<_>>());
    let levels = LatentGraph::default().levels(&graph, &halves, 4, &Silent).unwrap();
    assert_eq!(levels.labels(1).unwrap().n_clusters(), 1);
    assert!(is_nested(&levels.labels(4).unwrap(), &halves));
    let one = plane(vec![1.0, 2.0]);
    let levels = LatentGraph::default().levels(&one, &Labels::new(&[0]), 5, &Silent).unwrap();
    assert_eq!((levels.n_finest(), levels.linkage().len()), (1, 0));
    let error = levels.labels(2).unwrap_err().to_string();
    assert!(error.contains("levels of 1 to 1 clusters, got 2"), "{error}");
    assert!(levels.labels(0).is_err());
}

#[test]
fn points_go_with_their_representatives_or_with_the_largest_part_of_their_cluster() {
    // A chain of eight of which every second is in the sample; 5 was given to the other cluster than its representative.
    let lengths = [1.0, 9.0, 1.0, 9.0, 1.0, 9.0, 1.0];
    let link = |(from, &length): (usize, &f64)| crate::graph::link::Link { from, to: from + 1, length };
    let mut tree: Vec<_> = lengths.iter().enumerate().map(link).collect();
    tree.sort_by(|a, b| a.length.total_cmp(&b.length));
    let sample = Sample::new(&tree, 8, 4);
    assert_eq!(sample.members, [0, 2, 4, 6]);
    let labels = [0, 0, 0, 0, 1, 0, 0, 0];
    let path = Path { finest: vec![0, 2, 1, 2], steps: vec![[0, 2], [0, 1]], scores: vec![1.0, 2.0, 0.0] };
    assert_eq!(path.extended(&sample, &labels).finest, [0, 0, 2, 2, 1, 2, 2, 2]);
}
