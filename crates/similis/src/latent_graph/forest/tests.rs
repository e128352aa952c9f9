use rand::RngExt;

use super::*;
use crate::dissimilarity::Dissimilarity;
use crate::latent_graph::likelihood::{LinkLengths, LinkWeight};
use crate::random::{Random, stream};
use crate::{Checks, Metric, Points, Quantity};

/// Points on a small lattice, or anywhere: many ties and duplicates, or none.
fn points(n: usize, lattice: bool, random: &mut Random) -> Points<'static> {
    let place = |x: f64| if lattice { (4.0 * x).floor() } else { x };
    Points::new((0..2 * n).map(|_| place(random.random())).collect::<Vec<f64>>(), n, 2).unwrap()
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

#[test]
fn after_every_move_the_kept_trees_are_prims() {
    for (case, seed) in (0..8).zip(100..) {
        let mut random = stream(seed, 0);
        let n = 26;
        let observed =
            Dissimilarity::from_points(points(n, case % 2 == 0, &mut random), Metric::Euclidean).unwrap();
        let near = Lengths::nearest(&observed, 3, &[]);
        let complete = Lengths::complete(&observed);
        let lengths = if case < 6 { &complete } else { &near };
        let orders = if case % 4 < 2 {
            vec![LinkOrder::BY_LENGTH; 3]
        } else {
            vec![gaussian_order(0.2), gaussian_order(0.5), LinkOrder::BY_LENGTH]
        };
        let labels: Vec<usize> = (0..n).map(|i| i % 3).collect();
        let mut forest = Forest::new(lengths, &labels, orders.clone());
        let mut row = vec![0.0; n];
        for _ in 0..1500 {
            let (i, to) = (random.random_range(0..n), random.random_range(0..3));
            if forest.members(forest.labels()[i]).len() < 2 {
                continue;
            }
            lengths.fill(i, &mut row);
            forest.remove(i);
            let change = forest.insertion(i, to, &row);
            forest.insert(i, to, &change);
            for (cluster, order) in orders.iter().enumerate() {
                let mut members = forest.members(cluster).to_vec();
                members.sort_unstable();
                let prim = spanning_tree(lengths, &members, order);
                assert_eq!(ends(forest.tree(cluster)), ends(prim.into_iter()), "case {case}");
            }
        }
    }
}

#[test]
fn missing_pairs_are_links_at_the_price_of_nothing() {
    // Points 0, 1, 2 on a line; the pair (0, 2) is missing, (0, 1) is short and (1, 2) very long.
    let nan = f64::NAN;
    let checks = Checks { missing: crate::Missing::Unobserved, ..Checks::default() };
    let values = vec![0.0, 1.0, nan, 1.0, 0.0, 90.0, nan, 90.0, 0.0];
    let observed = Dissimilarity::from_square(values, [3, 3], Quantity::Distances, checks).unwrap();
    let lengths = Lengths::complete(&observed);
    let class = LinkLengths::Exponential { scale: 1.0 };
    let order = LinkWeight { class, background: LinkLengths::Exponential { scale: 10.0 } }.order();
    let tree = spanning_tree(&lengths, &[0, 1, 2], &order);
    // At length 90 a link is far dearer than the background; the missing pair costs nothing.
    assert_eq!(ends(tree.into_iter()), [(0, 1), (0, 2)]);
}
