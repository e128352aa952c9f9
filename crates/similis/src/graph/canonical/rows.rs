//! Rows of coordinates in lexicographic order.

use std::cmp::Ordering;

use crate::input::Dissimilarity;

/// Compares two rows, coordinate after coordinate; 0 and -0 are equal.
pub(crate) fn compare(first: &[f64], second: &[f64]) -> Ordering {
    let pairs = first.iter().zip(second);
    pairs.map(|(a, b)| (a + 0.0).total_cmp(&(b + 0.0))).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// The points in the order of their coordinates, given how two compare; equal ones in the order of their numbers.
pub(crate) fn sorted(n_points: usize, compare: impl Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n_points).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

/// The class of each point: equal points share one. `sorted` is the order of their coordinates.
pub(crate) fn classes(sorted: &[usize], compare: impl Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut class = vec![0; sorted.len()];
    for pair in sorted.windows(2) {
        class[pair[1]] = class[pair[0]] + usize::from(compare(pair[0], pair[1]).is_ne());
    }
    class
}

/// How the coordinates of two points compare; `None` where the input is no points.
pub(crate) fn comparison(observed: &Dissimilarity<'_>) -> Option<impl Fn(usize, usize) -> Ordering> {
    let (dense, sparse) = (observed.points(), observed.sparse_points());
    let compare = move |a: usize, b: usize| match (dense, sparse) {
        (Some(dense), _) => compare(dense.points().row(a), dense.points().row(b)),
        (_, Some(sparse)) => sparse.points().row(a).compare(sparse.points().row(b)),
        _ => Ordering::Equal,
    };
    observed.is_measured().then_some(compare)
}
