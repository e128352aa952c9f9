use super::*;
use crate::input::Dissimilarity;
use crate::input::metric::Metric;
use crate::input::points::Points;
use crate::latent_graph::context::Context;
use crate::run::observer::Silent;
use proptest::prelude::*;

fn pairs(n_points: usize) -> Vec<Link> {
    let pair = |from: usize| (from + 1..n_points).map(move |to| Link { from, to, length: 1.0 });
    (0..n_points).flat_map(pair).collect()
}

/// The log weights of all spanning trees among some links.
fn by_enumeration(n_points: usize, links: &[Link], log_weights: &[f64]) -> f64 {
    let joins_all = |chosen: usize| {
        let own = (0..links.len()).filter(|at| chosen >> at & 1 == 1).map(|at| links[at]);
        crate::graph::disjoint_sets::components(n_points, own).n_clusters() == 1
    };
    let codes = 0..1usize << links.len();
    let trees = codes.filter(|chosen| chosen.count_ones() as usize == n_points - 1 && joins_all(*chosen));
    let weight = |chosen: usize| {
        (0..links.len()).filter(|at| chosen >> at & 1 == 1).map(|at| log_weights[at]).sum::<f64>()
    };
    let terms: Vec<f64> = trees.map(weight).collect();
    if terms.is_empty() { f64::NEG_INFINITY } else { log_sum_exp(&terms) }
}

/// The same by plain elimination of a full matrix, point after point.
fn dense(n_points: usize, links: &[Link], log_weights: &[f64]) -> f64 {
    let mut weights = vec![vec![f64::NEG_INFINITY; n_points]; n_points];
    for (link, &weight) in links.iter().zip(log_weights) {
        weights[link.from][link.to] = weight;
        weights[link.to][link.from] = weight;
    }
    let mut log_sum = 0.0;
    for k in (1..n_points).rev() {
        let total = log_sum_exp(&weights[k][..k]);
        log_sum += total;
        for i in 0..k {
            for j in (0..k).filter(|&j| j != i) {
                weights[i][j] = log_add(weights[i][j], weights[i][k] + weights[k][j] - total);
            }
        }
    }
    log_sum
}

#[test]
fn a_triangle_by_hand() {
    // Weights 2, 3, 5: the trees weigh 6, 10 and 15.
    let log_weights = [2f64.ln(), 3f64.ln(), 5f64.ln()];
    let found = Elimination::new(&pairs(3), 3).log_sum(log_weights.to_vec());
    assert!((found - 31f64.ln()).abs() < 1e-14, "{found}");
}

#[test]
fn there_are_as_many_trees_as_cayley_says() {
    for n in [1, 2, 5, 40] {
        let found = Elimination::new(&pairs(n), n).log_sum(vec![0.0; n * (n - 1) / 2]);
        let expected = if n < 2 { 0.0 } else { (n as f64 - 2.0) * (n as f64).ln() };
        assert!((found - expected).abs() < 1e-11, "{n}: {found} {expected}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn eliminated_trees_are_enumerated_trees(
        n_points in 2usize..8, log_weights in prop::collection::vec(-300.0f64..300.0, 21), kept in 0usize..1 << 21,
    ) {
        let links: Vec<Link> = pairs(n_points).into_iter().enumerate()
            .filter(|(at, _)| kept >> at & 1 == 1 || kept >> (at + 1) & 1 == 1).map(|(_, link)| link).collect();
        let log_weights = &log_weights[..links.len()];
        let expected = by_enumeration(n_points, &links, log_weights);
        let found = Elimination::new(&links, n_points).log_sum(log_weights.to_vec());
        prop_assert!(found == expected || (found - expected).abs() < 1e-10, "{} {}", found, expected);
    }

    #[test]
    fn the_sparse_order_and_a_full_matrix_agree(
        n_points in 20usize..50, log_weights in prop::collection::vec(-400.0f64..400.0, 100), seed in 0usize..1000,
    ) {
        // A ring, and chords.
        let ring = (0..n_points).map(|i| (i, (i + 1) % n_points));
        let chords = (0..n_points).map(|i| (i, (i * (seed + 2) + seed) % n_points));
        let mut ends: Vec<(usize, usize)> =
            ring.chain(chords).filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect();
        ends.sort_unstable();
        ends.dedup();
        let links: Vec<Link> = ends.into_iter().map(|(from, to)| Link { from, to, length: 1.0 }).collect();
        let log_weights = &log_weights[..links.len()];
        let found = Elimination::new(&links, n_points).log_sum(log_weights.to_vec());
        let expected = dense(n_points, &links, log_weights);
        prop_assert!((found - expected).abs() < 1e-10, "{} {}", found, expected);
    }
}

/// The evidence of all points as one cluster, and the tree they have.
fn evidence(places: &[f64], shape: f64) -> (f64, usize) {
    let points = Points::new(places, places.len() / 2, 2).unwrap();
    let observed = Dissimilarity::from_points(points, Metric::Euclidean).unwrap();
    let context = Context::new(&observed, &Silent);
    let members: Vec<usize> = (0..context.n_points()).collect();
    let trees = SupportedTrees::new(&context.neighbours, &members, &context.tree);
    let grid = ScaleGrid::new(&context, shape);
    let all: Vec<f64> = (0..N_SCALES).map(|at| trees.at_scale(&grid, at)).collect();
    let whole = log_sum_exp(&all) - (N_SCALES as f64).ln() - grid.log_units(context.tree.len());
    let found = trees.log_evidence(&grid);
    assert!((found - whole).abs() < 1e-10 * whole.abs().max(1.0), "{found} {whole}");
    // A tree is one of the trees.
    assert!(found >= grid.log_evidence(&context.tree, &[0.0])[0]);
    (found, context.tree.len())
}

#[test]
fn the_unit_of_lengths_shifts_the_evidence_by_its_logarithm() {
    let places: Vec<f64> =
        (0..120u32).map(|at| f64::from(at * at * 37 % 101) + 0.01 * f64::from(at)).collect();
    for shape in [1.0, 2.0] {
        let (one, n_links) = evidence(&places, shape);
        for unit in [1e-12, 1e12] {
            let other: Vec<f64> = places.iter().map(|x| x * unit).collect();
            let shift = -shape * n_links as f64 * f64::ln(unit);
            let (found, _) = evidence(&other, shape);
            assert!((found - one - shift).abs() < 1e-8 * found.abs(), "{found} {}", one + shift);
        }
    }
}

#[test]
fn duplicates_and_lengths_of_all_sizes_keep_the_evidence_finite() {
    assert!(evidence(&[3.0; 80], 2.0).0.is_finite());
    let spread: Vec<f64> = (0..80).map(|at| 10f64.powf(0.3 * f64::from(at) - 12.0)).collect();
    assert!(evidence(&spread, 2.0).0.is_finite());
    assert!(evidence(&spread, 1.0).0.is_finite());
}
