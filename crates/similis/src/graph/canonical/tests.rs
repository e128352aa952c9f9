use super::*;
use crate::input::metric::Metric;
use crate::input::points::Points;
use crate::input::sparse::SparseMatrix;
use crate::input::{Checks, Missing, Quantity};
use rand::RngExt;
use rand::seq::SliceRandom;

fn shuffled(n: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(&mut crate::run::random::stream(seed, 0));
    order
}

/// The pairs in canonical order.
fn matrix(observed: &Dissimilarity<'_>) -> Vec<Option<f64>> {
    let order = Canonical::new(observed, &[]).order;
    order.iter().flat_map(|&i| order.iter().map(move |&j| observed.pair(i, j))).collect()
}

fn points(values: Vec<f64>, n_dimensions: usize, metric: Metric) -> Dissimilarity<'static> {
    let n_points = values.len() / n_dimensions;
    Dissimilarity::from_points(Points::new(values, n_points, n_dimensions).unwrap(), metric).unwrap()
}

fn square(observed: &Dissimilarity<'_>) -> Dissimilarity<'static> {
    let n = observed.n_points();
    let values: Vec<f64> = (0..n * n).map(|at| observed.pair(at / n, at % n).unwrap_or(f64::NAN)).collect();
    let checks = Checks { missing: Missing::Unobserved, ..Checks::default() };
    Dissimilarity::from_square(values, [n, n], Quantity::Distances, checks).unwrap()
}

/// A graph of the pairs up to a length.
fn near(observed: &Dissimilarity<'_>, most: f64) -> Dissimilarity<'static> {
    let n = observed.n_points();
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    let edges: Vec<_> =
        pairs.map(|(i, j)| (i, j, observed.pair(i, j).unwrap())).filter(|edge| edge.2 <= most).collect();
    let matrix = SparseMatrix::from_edges(n, &edges).unwrap();
    Dissimilarity::from_sparse(matrix, Quantity::Distances, Checks::default()).unwrap()
}

#[test]
fn rows_in_any_order_have_one_canonical_order() {
    let mut random = crate::run::random::stream(5, 0);
    for (case, n_dimensions) in [(0, 1), (1, 2), (2, 3), (3, 20)] {
        let values: Vec<f64> =
            (0..120 * n_dimensions).map(|_| f64::from(random.random_range(-2..3))).collect();
        // -0 is 0.
        let values: Vec<f64> =
            values.iter().map(|&x| if x == 0.0 && random.random() { -0.0 } else { x }).collect();
        let first = points(values, n_dimensions, Metric::Euclidean);
        let (rows, canonical) = (matrix(&first), Canonical::new(&first, &[]));
        assert_eq!(canonical.equal.n_points(), 120);
        for (place, &i) in canonical.order.iter().enumerate() {
            for (other, &j) in canonical.order.iter().enumerate() {
                let same = canonical.equal.as_slice()[place] == canonical.equal.as_slice()[other];
                assert_eq!(same, first.pair(i, j) == Some(0.0));
            }
        }
        for seed in 0..4 {
            let order = shuffled(120, seed + 10 * case);
            let other = first.restricted(&order).unwrap();
            assert_eq!(matrix(&other), rows);
            assert_eq!(Canonical::new(&other, &[]).equal, canonical.equal);
        }
    }
}

#[test]
fn matrices_and_graphs_in_any_order_have_one_canonical_order_up_to_a_symmetry() {
    let mut random = crate::run::random::stream(6, 0);
    let drawn: Vec<f64> = (0..100).map(|_| f64::from(random.random_range(0..6))).collect();
    // A lattice has eight symmetries, a ring many more; all points of a simplex are alike.
    let lattice: Vec<f64> = (0..49).flat_map(|at| [f64::from(at / 7), f64::from(at % 7)]).collect();
    let simplex: Vec<f64> = (0..100).map(|at| f64::from(u8::from(at % 11 == 0))).collect();
    let ring =
        SparseMatrix::from_edges(24, &(0..24).map(|i| (i, (i + 1) % 24, 1.0)).collect::<Vec<_>>()).unwrap();
    let ring = Dissimilarity::from_sparse(ring, Quantity::Distances, Checks::default()).unwrap();
    // Components of many kinds, each several times, and single items.
    let links = (0..90).filter(|i| i % 9 < 2 || i % 9 == 3 || (5..8).contains(&(i % 9)));
    let mut links: Vec<(usize, usize, f64)> = links.map(|i| (i, i + 1, [1.0, 2.0][i / 45])).collect();
    links.extend((0..5).map(|part| (9 * part + 5, 9 * part + 8, 1.0)));
    let parts = SparseMatrix::from_edges(95, &links).unwrap();
    let parts = Dissimilarity::from_sparse(parts, Quantity::Distances, Checks::default()).unwrap();
    let [drawn, lattice, simplex] =
        [(drawn, 2), (lattice, 2), (simplex, 10)].map(|(values, d)| points(values, d, Metric::Manhattan));
    let inputs = [
        square(&drawn),
        square(&lattice),
        square(&simplex),
        near(&drawn, 2.0),
        near(&lattice, 1.0),
        square(&ring),
        ring,
        parts,
    ];
    for (case, first) in inputs.iter().enumerate() {
        let rows: Vec<String> = matrix(first).iter().map(|pair| format!("{pair:?}")).collect();
        for seed in 0..6 {
            let order = shuffled(first.n_points(), seed);
            let other = first.in_order(&order).unwrap();
            let own: Vec<String> = matrix(&other).iter().map(|pair| format!("{pair:?}")).collect();
            assert!(own == rows, "input {case}, order {seed}");
            assert_eq!(Canonical::new(&other, &[]).equal, Canonical::new(first, &[]).equal);
        }
    }
}

#[test]
fn equal_items_of_a_matrix_are_at_0_and_alike_to_all_others() {
    // 0 and 1 are equal; 2 is at a distance of 0 from 3, but not alike.
    let rows = [[0., 0., 2., 3.], [0., 0., 2., 3.], [2., 2., 0., 0.], [3., 3., 0., 0.]];
    let given =
        Dissimilarity::from_square(rows.concat(), [4, 4], Quantity::Distances, Checks::default()).unwrap();
    let Canonical { order, equal } = Canonical::new(&given, &[]);
    let mut class = [0; 4];
    order.iter().zip(equal.as_slice()).for_each(|(&i, &own)| class[i] = own);
    assert!(class[0] == class[1] && class[2] != class[3] && equal.n_clusters() == 3);
}

#[test]
fn equal_items_of_different_clusters_stand_in_the_order_of_these() {
    let given = points(vec![0.0, 0.0, 0.0, 5.0, 7.0], 1, Metric::Euclidean);
    // Clusters {0, 0, 7} and {0, 5}: as sorted lists of items the first comes first.
    for (names, expected) in
        [([0, 1, 0, 1, 0], [0, 2, 1]), ([0, 0, 1, 1, 0], [0, 1, 2]), ([1, 0, 0, 1, 0], [1, 2, 0])]
    {
        let order = Canonical::new(&given, &[]).with_clusters(&Labels::new(&names)).order;
        assert_eq!(order[..3], expected);
    }
}

#[test]
fn points_have_the_order_of_the_matrix_of_their_distances() {
    let mut random = crate::run::random::stream(8, 0);
    for n_values in [3, 7, 1000] {
        let values: Vec<f64> = (0..180).map(|_| f64::from(random.random_range(0..n_values))).collect();
        let given = points(values, 3, Metric::Euclidean);
        assert_eq!(Canonical::new(&given, &[]), Canonical::new(&square(&given), &[]), "{n_values}");
    }
}
