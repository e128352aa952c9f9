use proptest::prelude::*;
use rand::RngExt;

use super::*;
use crate::graph::forest::change::Change;
use crate::input::metric::Metric;
use crate::input::points::Points;
use crate::input::sparse::SparseMatrix;
use crate::input::{Checks, Dissimilarity, Quantity};
use crate::latent_graph::model::likelihood::{LinkLengths, LinkWeight};
use crate::run::random::{Random, stream};

/// Where points lie.
#[derive(Clone, Copy, Debug)]
enum Places {
    Anywhere,
    /// Many ties and duplicates.
    Lattice,
    /// Every distance is 0.
    Together,
}

fn points(n: usize, places: Places, random: &mut Random) -> Dissimilarity<'static> {
    let place = |x: f64| match places {
        Places::Anywhere => x,
        Places::Lattice => (4.0 * x).floor(),
        Places::Together => 0.5,
    };
    let values: Vec<f64> = (0..2 * n).map(|_| place(random.random())).collect();
    Dissimilarity::from_points(Points::new(values, n, 2).unwrap(), Metric::Euclidean).unwrap()
}

/// Links by their ends, in order.
fn ends(links: impl Iterator<Item = Link>) -> Vec<(usize, usize)> {
    let mut ends: Vec<_> = links.map(|link| (link.from.min(link.to), link.from.max(link.to))).collect();
    ends.sort_unstable();
    ends
}

fn gaussian_order(centre: f64) -> LinkOrder {
    let class = LinkLengths::Gaussian { scale: centre, spread: 0.1 };
    LinkWeight { class, background: LinkLengths::Gaussian { scale: centre, spread: 1.0 } }.order()
}

/// Moves point `i` to cluster `to`; what changes in the tree that it leaves.
fn move_point(forest: &mut Forest<'_>, i: usize, to: usize) -> Change {
    let left = forest.remove(i);
    let joined = forest.insertion(i, to);
    forest.insert(i, to, &joined);
    left
}

/// The sum of the lengths of a cluster's tree.
fn total_length(forest: &Forest<'_>, cluster: usize) -> f64 {
    forest.tree(cluster).map(|link| link.length).sum()
}

/// The dearest link on the path between two points, as the kept paths have it.
fn path_maximum(forest: &mut Forest<'_>, i: usize, j: usize) -> Option<Link> {
    let joined = i != j && forest.labels[i] == forest.labels[j];
    joined.then(|| {
        let slot = forest.trees.dearest(i, j);
        forest.trees.candidate(slot).link()
    })
}

/// Asserts that every tree is the one that is built from nothing, to the last tie.
fn assert_least(forest: &Forest<'_>) {
    for cluster in 0..forest.n_classes() {
        let mut members = forest.members(cluster).to_vec();
        members.sort_unstable();
        assert!(members.iter().all(|&i| forest.labels()[i] == cluster));
        let rebuilt = spanning_tree(forest.lengths, &members, &forest.orders[cluster]);
        assert_eq!(ends(forest.tree(cluster)), ends(rebuilt.into_iter()), "class {cluster}");
    }
}

/// Compares as printed: NaN is not equal to itself.
fn assert_same<T: std::fmt::Debug>(foretold: &T, done: &T) {
    assert_eq!(format!("{foretold:?}"), format!("{done:?}"));
}

/// Moves a random point or subtree to a random cluster, or merges two clusters; what was foretold must come true.
fn random_move(forest: &mut Forest<'_>, random: &mut Random) {
    let (i, to) = (random.random_range(0..forest.labels().len()), random.random_range(0..forest.n_classes()));
    let from = forest.labels()[i];
    let link = forest.links(i).nth(random.random_range(0..3));
    match (random.random_range(0..40), link) {
        (0, _) if forest.n_classes() > 2 => {
            let foretold = forest.merging(from, to);
            assert_same(&foretold, &forest.merge(from, to));
        }
        (1..=19, Some(Link { from, to: other, .. })) => {
            let foretold = forest.subtree_move(from, other, to);
            assert_same(&foretold, &forest.move_subtree(from, other, to));
        }
        _ => {
            let before = ends(forest.tree(from));
            let left = move_point(forest, i, to);
            assert!(left.removed.iter().all(|link| before.contains(&(link.from, link.to))));
            assert_eq!(ends(forest.tree(to)).len() + 1, forest.members(to).len());
            assert!(from != to || before.len() == forest.members(to).len() - 1);
        }
    }
}

fn all_orders(n_classes: usize, kind: usize) -> Vec<LinkOrder> {
    (0..n_classes)
        .map(|cluster| match (kind, cluster) {
            (0, _) | (1, 2) => LinkOrder::BY_LENGTH,
            (2, _) => gaussian_order(0.3),
            _ => gaussian_order(0.2 + 0.3 * cluster as f64),
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn after_every_move_the_kept_trees_are_the_least(
        n in 1usize..30, n_classes in 1usize..5, support in 0usize..4, kind in 0usize..3, seed in 0u64..1_000_000,
        places in prop_oneof![Just(Places::Anywhere), Just(Places::Lattice), Just(Places::Together)],
    ) {
        let mut random = stream(seed, 0);
        let observed = points(n, places, &mut random);
        let lengths = match support {
            0 => Lengths::complete(&observed),
            1 => Lengths::complete_with_lists(&observed),
            // Falls into parts.
            2 => Lengths::nearest(&observed, 1, &[]),
            _ => Lengths::nearest(&observed, 4, &[]),
        };
        let labels: Vec<usize> = (0..n).map(|_| random.random_range(0..n_classes)).collect();
        let mut forest = Forest::new(&lengths, &labels, all_orders(n_classes, kind));
        for _ in 0..60 {
            random_move(&mut forest, &mut random);
            assert_least(&forest);
        }
    }

    #[test]
    fn similarities_and_missing_pairs_have_least_trees_too(
        n in 3usize..20, quantity in prop_oneof![Just(Quantity::Distances), Just(Quantity::Similarities)],
        any_missing in any::<bool>(), seed in 0u64..1_000_000,
    ) {
        let mut random = stream(seed, 0);
        let mut value = || match random.random_range(0..10) {
            0..3 if any_missing => f64::NAN,
            whole => f64::from(whole) / 10.0,
        };
        let values: Vec<f64> = (0..n * (n - 1) / 2).map(|_| value()).collect();
        let checks = Checks { missing: crate::input::Missing::Unobserved, ..Checks::default() };
        let observed = Dissimilarity::from_condensed(values, quantity, checks).unwrap();
        let lengths = Lengths::complete_with_lists(&observed);
        let order = match quantity {
            Quantity::Distances => LinkOrder::BY_LENGTH,
            Quantity::Similarities => LinkOrder::BY_SIMILARITY,
        };
        let labels: Vec<usize> = (0..n).map(|i| i % 3).collect();
        let mut forest = Forest::new(&lengths, &labels, vec![order, order, gaussian_order(0.5)]);
        for _ in 0..60 {
            random_move(&mut forest, &mut random);
            assert_least(&forest);
        }
    }
}

/// 100,000 moves of 2,000 points among `n_classes` clusters; 1,000 of the states are compared with rebuilt trees.
fn many_moves(lengths: &Lengths<'_>, n_classes: usize, seed: u64) {
    let (n, n_moves) = (2000, 100_000);
    let mut random = stream(seed, 0);
    let labels: Vec<usize> = (0..n).map(|_| random.random_range(0..n_classes)).collect();
    let mut forest = Forest::new(lengths, &labels, vec![LinkOrder::BY_LENGTH; n_classes]);
    for done in 0..n_moves {
        let (i, to) = (random.random_range(0..n), random.random_range(0..n_classes));
        let link = forest.links(i).next().filter(|_| done % 4 == 0);
        match link {
            Some(link) => drop(forest.move_subtree(link.from, link.to, to)),
            None => drop(move_point(&mut forest, i, to)),
        }
        if done % 100 == 99 {
            assert_least(&forest);
        }
    }
}

#[test]
fn after_100_000_moves_dense_trees_are_prims() {
    let observed = points(2000, Places::Anywhere, &mut stream(1, 0));
    many_moves(&Lengths::complete_with_lists(&observed), 40, 2);
}

#[test]
fn after_100_000_moves_sparse_trees_are_kruskals() {
    let observed = points(2000, Places::Anywhere, &mut stream(3, 0));
    many_moves(&Lengths::nearest(&observed, 15, &[]), 12, 4);
}

#[test]
fn the_path_maximum_is_the_dearest_link_between_two_points() {
    // Points 0 - 3 - 1 - 2 in a row, 1, 5 and 2 apart; 4 is another cluster.
    let edges = [(0, 3, 1.0), (1, 3, 5.0), (1, 2, 2.0), (2, 4, 1.0)];
    let matrix = SparseMatrix::from_edges(5, &edges).unwrap();
    let observed = Dissimilarity::from_sparse(matrix, Quantity::Distances, Checks::default()).unwrap();
    let lengths = Lengths::given(&observed);
    let mut forest = Forest::new(&lengths, &[0, 0, 0, 0, 1], vec![LinkOrder::BY_LENGTH; 2]);
    assert_eq!(path_maximum(&mut forest, 0, 2), Some(Link { from: 1, to: 3, length: 5.0 }));
    assert_eq!(path_maximum(&mut forest, 2, 1), Some(Link { from: 1, to: 2, length: 2.0 }));
    assert_eq!(path_maximum(&mut forest, 0, 4), None);
    assert_eq!(path_maximum(&mut forest, 0, 0), None);
}

proptest! {
    #[test]
    fn path_maxima_are_those_of_a_walk(n in 2usize..40, seed in 0u64..1_000_000) {
        let mut random = stream(seed, 0);
        let observed = points(n, Places::Lattice, &mut random);
        let lengths = Lengths::complete(&observed);
        let mut forest = Forest::new(&lengths, &vec![0; n], vec![LinkOrder::BY_LENGTH; 2]);
        for _ in 0..20 {
            random_move(&mut forest, &mut random);
            let (i, j) = (random.random_range(0..n), random.random_range(0..n));
            let mut walk = Walk::default();
            walk.fill(&forest.trees, i);
            let mut dearest: Vec<Option<Candidate>> = vec![None; walk.points.len()];
            for at in 1..walk.points.len() {
                let (up, before) = (forest.trees.candidate(walk.up[at]), dearest[walk.above[at] as usize]);
                dearest[at] = Some(before.filter(|before| up.before(before)).unwrap_or(up));
            }
            let there = walk.points.iter().position(|&point| point == j);
            let slow = there.and_then(|at| dearest[at]).map(|candidate| candidate.link());
            prop_assert_eq!(path_maximum(&mut forest, i, j), slow);
        }
    }
}

#[test]
fn a_cut_link_has_a_smaller_side_and_may_split_its_class() {
    // Points 0, 1, 2 | 5, 6 on a line.
    let line = Points::new(vec![0.0, 1.0, 2.0, 5.0, 6.0], 5, 1).unwrap();
    let observed = Dissimilarity::from_points(line, Metric::Euclidean).unwrap();
    let lengths = Lengths::complete(&observed);
    let mut forest = Forest::new(&lengths, &[0; 5], vec![LinkOrder::BY_LENGTH; 2]);
    let mut side = forest.smaller_side(3, 2).unwrap();
    side.sort_unstable();
    assert_eq!(side, [3, 4]);
    assert_eq!(forest.smaller_side(0, 4), None);
    let moved = forest.move_subtree(2, 3, 1).unwrap();
    assert_eq!(ends(moved.left.removed.into_iter()), [(2, 3), (3, 4)]);
    assert_eq!(ends(moved.joined.added.into_iter()), [(3, 4)]);
    assert_eq!(forest.labels(), [0, 0, 0, 1, 1]);
    assert_eq!((total_length(&forest, 0), total_length(&forest, 1)), (2.0, 1.0));
    let merged = forest.merge(1, 0);
    assert_eq!(ends(merged.joined.added.into_iter()), [(2, 3), (3, 4)]);
    assert_eq!(total_length(&forest, 0), 6.0);
    assert!(forest.members(1).is_empty());
}

#[test]
fn a_clone_moves_on_its_own() {
    let observed = points(50, Places::Anywhere, &mut stream(5, 0));
    let lengths = Lengths::nearest(&observed, 5, &[]);
    let mut forest = Forest::new(&lengths, &[0; 50], vec![LinkOrder::BY_LENGTH; 2]);
    let before = ends(forest.tree(0));
    let mut copy = forest.clone();
    (0..25).for_each(|i| drop(move_point(&mut copy, i, 1)));
    assert_least(&copy);
    assert_eq!(ends(forest.tree(0)), before);
    move_point(&mut forest, 3, 1);
    assert_least(&forest);
}

#[test]
fn a_change_of_order_builds_the_tree_anew() {
    let observed = points(30, Places::Anywhere, &mut stream(6, 0));
    let lengths = Lengths::complete(&observed);
    let mut forest = Forest::new(&lengths, &[0; 30], vec![LinkOrder::BY_LENGTH]);
    for order in [gaussian_order(0.4), gaussian_order(0.2), LinkOrder::BY_LENGTH] {
        forest.set_order(0, order);
        assert_least(&forest);
    }
}

#[test]
fn missing_pairs_are_links_at_the_price_of_nothing() {
    // Points 0, 1, 2 on a line; the pair (0, 2) is missing, (0, 1) is short and (1, 2) very long.
    let nan = f64::NAN;
    let checks = Checks { missing: crate::input::Missing::Unobserved, ..Checks::default() };
    let values = vec![0.0, 1.0, nan, 1.0, 0.0, 90.0, nan, 90.0, 0.0];
    let observed = Dissimilarity::from_square(values, [3, 3], Quantity::Distances, checks).unwrap();
    let lengths = Lengths::complete(&observed);
    let class = LinkLengths::Exponential { scale: 1.0 };
    let order = LinkWeight { class, background: LinkLengths::Exponential { scale: 10.0 } }.order();
    let tree = spanning_tree(&lengths, &[0, 1, 2], &order);
    // At length 90 a link is far dearer than the background; the missing pair costs nothing.
    assert_eq!(ends(tree.into_iter()), [(0, 1), (0, 2)]);
}

#[test]
fn trees_from_that_of_all_points_are_those_built_anew() {
    for number in 0..60 {
        let mut random = stream(number, 0);
        let places = [Places::Anywhere, Places::Lattice, Places::Together][number as usize % 3];
        let n = random.random_range(1..60);
        let observed = points(n, places, &mut random);
        // Few neighbours leave parts of clusters that nothing joins.
        let tree = crate::graph::spanning::minimum_tree::minimum_spanning_tree(
            &observed,
            &crate::run::observer::Silent,
        );
        let lengths = Lengths::nearest(&observed, 1 + number as usize % 5, &tree).with_tree(&tree);
        assert!(
            lengths.tree_in(&LinkOrder::BY_LENGTH).is_some()
                && lengths.tree_in(&gaussian_order(0.3)).is_none()
        );
        assert_eq!(lengths.n_parts(), 1);
        let labels: Vec<usize> = (0..n).map(|_| random.random_range(0..4)).collect();
        assert_least(&Forest::new(&lengths, &labels, vec![LinkOrder::BY_LENGTH; 5]));
    }
}
