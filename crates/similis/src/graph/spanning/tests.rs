//! Fast trees against plain ones.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::graph::spanning::minimum_tree::minimum_spanning_tree;
use crate::input::metric::Metric;
use crate::input::points::Points;
use crate::input::sparse::SparseMatrix;
use crate::input::{Checks, Dissimilarity, Quantity};
use crate::run::observer::Silent;
use crate::run::parallel;
use crate::run::random::stream;

/// A link as trees are compared: length, then ends.
type Plain = (f64, usize, usize);

/// Prim's method, one pair after another; where no pair is left to join with, it starts another tree.
fn plain_tree(observed: &Dissimilarity<'_>) -> Vec<Plain> {
    let n = observed.n_points();
    let sign = if observed.quantity() == Quantity::Similarities { -1.0 } else { 1.0 };
    let mut nearest: Vec<Option<Plain>> = vec![None; n];
    let mut waiting: Vec<usize> = (0..n).collect();
    let mut links = Vec::new();
    while !waiting.is_empty() {
        let rank = |&at: &usize| nearest[waiting[at]].unwrap_or((f64::INFINITY, waiting[at], 0));
        let next = (0..waiting.len()).min_by(|a, b| rank(a).partial_cmp(&rank(b)).unwrap()).unwrap();
        let i = waiting.remove(next);
        links.extend(nearest[i]);
        for &j in &waiting {
            let link = observed.pair(i, j).map(|value| (sign * value, i.min(j), i.max(j)));
            if link.is_some_and(|link| nearest[j].is_none_or(|old| link < old)) {
                nearest[j] = link;
            }
        }
    }
    links.sort_by(|a, b| a.partial_cmp(b).unwrap());
    links.into_iter().map(|(length, from, to)| (sign * length, from, to)).collect()
}

fn fast_tree(observed: &Dissimilarity<'_>) -> Vec<Plain> {
    let tree = minimum_spanning_tree(observed, &Silent);
    tree.into_iter().map(|link| (link.length, link.from, link.to)).collect()
}

/// Points of one of six kinds: anywhere, on a lattice, doubled, on a line, all equal, of unlike densities.
fn coordinates(kind: usize, n: usize, d: usize, random: &mut ChaCha8Rng) -> Vec<f64> {
    let mut values: Vec<f64> = (0..n * d).map(|_| random.random::<f64>()).collect();
    match kind {
        0 => {}
        1 => values.iter_mut().for_each(|x| *x = (4.0 * *x).floor()),
        2 => (0..n / 2 * d).for_each(|at| values[n / 2 * d + at] = values[at]),
        3 => (0..n * d).for_each(|at| values[at] = values[at / d * d]),
        4 => values.fill(0.3),
        _ => values.iter_mut().for_each(|x| *x = (12.0 * *x).exp()),
    }
    values
}

const METRICS: [Metric; 6] = [
    Metric::Euclidean,
    Metric::Manhattan,
    Metric::Chebyshev,
    Metric::SquaredEuclidean,
    Metric::Minkowski { p: 3.0 },
    Metric::Hamming,
];

#[test]
fn trees_of_points_are_those_of_prims_method() {
    let failed: Vec<usize> = parallel::map(1000, |case| {
        let mut random = stream(11, case as u64);
        // Few points are where mistakes at the edges show.
        let n = [1, 2, 3, 17, 40, 130, 300, 500][case % 8];
        let d = 1 + case / 8 % 20;
        let metric = if case % 3 == 0 { METRICS[case / 3 % 6] } else { Metric::Euclidean };
        let points = Points::new(coordinates(case / 5 % 6, n, d, &mut random), n, d).unwrap();
        let observed = Dissimilarity::from_points(points, metric).unwrap();
        (fast_tree(&observed) != plain_tree(&observed)).then_some(case)
    })
    .into_iter()
    .flatten()
    .collect();
    assert!(failed.is_empty(), "{failed:?}");
}

#[test]
fn trees_of_places_on_the_globe_are_those_of_prims_method() {
    for case in 0..40 {
        let mut random = stream(12, case);
        let n = 2 + 9 * case as usize;
        // Near a pole, along the date line, around one town, and anywhere.
        let place = |random: &mut ChaCha8Rng| match case % 4 {
            0 => [1.57 + 1e-5 * random.random::<f64>(), 6.3 * random.random::<f64>()],
            1 => [
                random.random::<f64>() - 0.5,
                3.0 + 0.3 * random.random::<f64>()
                    - std::f64::consts::TAU * f64::from(random.random::<bool>()),
            ],
            2 => [0.9 + 1e-9 * random.random::<f64>(), 0.1 + 1e-9 * random.random::<f64>()],
            _ => [3.1 * (random.random::<f64>() - 0.5), 6.2 * random.random::<f64>()],
        };
        let values: Vec<f64> = (0..n).flat_map(|_| place(&mut random)).collect();
        let observed =
            Dissimilarity::from_points(Points::new(values, n, 2).unwrap(), Metric::Haversine).unwrap();
        assert_eq!(fast_tree(&observed), plain_tree(&observed), "case {case}");
    }
}

#[test]
fn trees_of_matrices_are_those_of_prims_method() {
    for case in 0..60 {
        let mut random = stream(13, case);
        let n = [1, 2, 5, 33, 90, 200][case as usize % 6];
        let quantity = [Quantity::Distances, Quantity::Similarities][case as usize / 6 % 2];
        // Few values have ties; some pairs are missing.
        let length = |random: &mut ChaCha8Rng| match random.random_range(0..20u32) {
            0 if case % 3 == 0 => f64::NAN,
            draw if case % 4 == 0 => f64::from(draw % 3),
            _ => random.random::<f64>(),
        };
        let mut square = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..i {
                let value = length(&mut random);
                (square[i * n + j], square[j * n + i]) = (value, value);
            }
        }
        let checks = Checks { missing: crate::input::Missing::Unobserved, ..Checks::default() };
        let single: Vec<f32> = square.iter().map(|&value| value as f32).collect();
        let condensed = (0..n).flat_map(|i| square[i * n + i + 1..(i + 1) * n].to_vec()).collect::<Vec<_>>();
        let mut all = vec![
            Dissimilarity::from_square(square, [n, n], quantity, checks).unwrap(),
            Dissimilarity::from_square(single, [n, n], quantity, checks).unwrap(),
        ];
        if n > 1 {
            all.push(Dissimilarity::from_condensed(condensed, quantity, checks).unwrap());
        }
        for observed in all {
            assert_eq!(fast_tree(&observed), plain_tree(&observed), "case {case}");
        }
    }
}

#[test]
fn forests_of_listed_pairs_are_those_of_prims_method() {
    for case in 0..40 {
        let mut random = stream(14, case);
        let n = 2 + 5 * case as usize;
        let mut edges: Vec<(usize, usize, f64)> = (0..case as usize * 6)
            .map(|_| {
                (random.random_range(0..n), random.random_range(0..n), random.random_range(1..9u32).into())
            })
            .filter(|(i, j, _)| i < j)
            .collect();
        edges.sort_by_key(|&(i, j, _)| (i, j));
        edges.dedup_by_key(|&mut (i, j, _)| (i, j));
        let matrix = SparseMatrix::from_edges(n, &edges).unwrap();
        for quantity in [Quantity::Distances, Quantity::Similarities] {
            let observed = Dissimilarity::from_sparse(matrix.clone(), quantity, Checks::default()).unwrap();
            assert_eq!(fast_tree(&observed), plain_tree(&observed), "case {case}");
        }
    }
}

#[test]
fn trees_cut_into_parts_are_whole() {
    // More points than one part of Prim's method has, in more dimensions than boxes are of use in.
    let (n, d) = (5000, 17);
    let values = coordinates(1, n, d, &mut stream(15, 0));
    let observed = Dissimilarity::from_points(Points::new(values, n, d).unwrap(), Metric::Manhattan).unwrap();
    assert_eq!(fast_tree(&observed), plain_tree(&observed));
}

#[test]
fn trees_are_the_same_for_any_number_of_threads() {
    let (n, d) = (20_000, 3);
    let values = coordinates(5, n, d, &mut stream(16, 0));
    let observed = Dissimilarity::from_points(Points::new(values, n, d).unwrap(), Metric::Euclidean).unwrap();
    let trees = [1, 2, 5].map(|threads| parallel::with_threads(threads, || fast_tree(&observed)));
    assert_eq!(trees[0], trees[1]);
    assert_eq!(trees[0], trees[2]);
}

#[test]
fn equal_points_take_no_longer_than_others() {
    let n = 200_000;
    let observed =
        Dissimilarity::from_points(Points::new(vec![7.0; 2 * n], n, 2).unwrap(), Metric::Euclidean).unwrap();
    let tree = fast_tree(&observed);
    assert!(tree.iter().enumerate().all(|(at, &link)| link == (0.0, 0, at + 1)));
}

#[test]
fn powers_that_leave_the_range_of_numbers_do_not_stop_the_tree() {
    for (p, unit) in [(1000.0, 1000.0), (1000.0, 0.1), (7.0, 1e90), (7.0, 1e-90)] {
        let values: Vec<f64> =
            coordinates(0, 60, 2, &mut stream(17, 0)).into_iter().map(|x| unit * x).collect();
        let points = Points::new(values, 60, 2).unwrap();
        let observed = Dissimilarity::from_points(points, Metric::Minkowski { p }).unwrap();
        assert_eq!(fast_tree(&observed), plain_tree(&observed), "exponent {p}, unit {unit}");
    }
}
