use std::collections::HashSet;

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use super::*;
use crate::graph::neighbours::all_pairs;
use crate::input::points::Points;
use crate::run::observer::Silent;

/// Points about `n_centres` centres; with `whole`, coordinates are whole numbers, so that many are equal.
fn mixture(n: usize, d: usize, n_centres: usize, whole: bool) -> Points<'static> {
    let mut random = random::stream(9, 0);
    let centres: Vec<f64> = (0..n_centres * d).map(|_| 4.0 * random.random::<f64>()).collect();
    let value = |at: usize| {
        let noise: f64 = StandardNormal.sample(&mut random);
        let x = centres[(at / d) % n_centres * d + at % d] + noise;
        if whole { x.round() } else { x }
    };
    Points::new((0..n * d).map(value).collect::<Vec<f64>>(), n, d).unwrap()
}

/// The lists of a search that nobody cancels.
fn listed(points: &MeasuredPoints<'_>, count: usize, seed: u64) -> Vec<Vec<Found>> {
    lists(points, count, seed, &Silent).unwrap()
}

fn exactly(points: &MeasuredPoints<'_>, count: usize) -> Vec<Vec<Found>> {
    all_pairs::lists(points, count, &Silent).unwrap()
}

/// The part of the true neighbours that is found; as near counts as found.
fn recall(points: &MeasuredPoints<'_>, count: usize) -> f64 {
    let (found, exact) = (listed(points, count, 0), exactly(points, count));
    let hits = found.iter().zip(&exact).map(|(found, exact)| {
        let farthest = exact.last().map_or(0.0, |last| last.0);
        found.iter().filter(|neighbour| neighbour.0 <= farthest).count()
    });
    hits.sum::<usize>() as f64 / exact.iter().map(Vec::len).sum::<usize>() as f64
}

const METRICS: [Metric; 9] = [
    Metric::Euclidean,
    Metric::SquaredEuclidean,
    Metric::Manhattan,
    Metric::Chebyshev,
    Metric::Minkowski { p: 3.0 },
    Metric::Cosine,
    Metric::Correlation,
    Metric::Hamming,
    Metric::Jaccard,
];

#[test]
fn nearly_all_neighbours_are_found_under_every_metric() {
    for metric in METRICS {
        let whole = matches!(metric, Metric::Hamming | Metric::Jaccard);
        let points = MeasuredPoints::new(mixture(500, 8, 4, whole), metric).unwrap();
        let found = recall(&points, 15);
        assert!(found > 0.97, "{metric:?}: {found}");
    }
    let globe: Vec<f64> = mixture(500, 2, 4, false).as_slice().iter().map(|x| 0.1 * x).collect();
    let globe = MeasuredPoints::new(Points::new(globe, 500, 2).unwrap(), Metric::Haversine).unwrap();
    assert!(recall(&globe, 15) > 0.97);
}

#[test]
fn nearly_all_neighbours_are_found_in_fifty_dimensions() {
    let points = MeasuredPoints::new(mixture(2500, 50, 4, false), Metric::Euclidean).unwrap();
    for count in [1, 15, 40] {
        let found = recall(&points, count);
        assert!(found > 0.97, "{count}: {found}");
    }
}

#[test]
fn threads_change_no_bit_and_seeds_may() {
    let points = MeasuredPoints::new(mixture(1500, 30, 3, false), Metric::Euclidean).unwrap();
    let run = |threads, seed| parallel::with_threads(threads, || listed(&points, 10, seed));
    let one = run(1, 4);
    assert_eq!(one, run(2, 4));
    assert_eq!(one, run(5, 4));
    // Two searches miss different ones of the hardest neighbours.
    assert_ne!(one, run(2, 5));
}

#[test]
fn lists_are_in_order_without_repetition_and_without_the_point_itself() {
    for whole in [false, true] {
        let points = MeasuredPoints::new(mixture(700, 3, 2, whole), Metric::Chebyshev).unwrap();
        for (i, list) in listed(&points, 12, 1).iter().enumerate() {
            assert_eq!(list.len(), 12);
            assert!(list.is_sorted_by(|a, b| a < b), "{list:?}");
            assert!(list.iter().all(|&(distance, j)| distance == points.distance(i, j as usize)));
            let others: HashSet<u32> = list.iter().map(|&(_, j)| j).collect();
            assert!(others.len() == 12 && !others.contains(&(i as u32)));
        }
    }
}

#[test]
fn equal_points_have_full_lists_at_distance_0() {
    let points =
        MeasuredPoints::new(Points::new(vec![3.5; 8000], 400, 20).unwrap(), Metric::Euclidean).unwrap();
    for list in listed(&points, 9, 0) {
        assert!(list.len() == 9 && list.iter().all(|&(distance, _)| distance == 0.0));
    }
}

#[test]
fn a_few_points_have_all_others_as_neighbours() {
    for n in [1, 2, 3, 20] {
        let points = MeasuredPoints::new(mixture(n, 18, 1, false), Metric::Euclidean).unwrap();
        for count in [n - 1, n, n + 40] {
            assert_eq!(listed(&points, count, 0), exactly(&points, count), "{n}, {count}");
        }
    }
}
