//! Rows of coordinates in lexicographic order.

use std::cmp::Ordering;

use crate::input::points::Points;

/// Compares two rows, coordinate after coordinate; 0 and -0 are equal.
pub(crate) fn compare(first: &[f64], second: &[f64]) -> Ordering {
    let pairs = first.iter().zip(second);
    pairs.map(|(a, b)| (a + 0.0).total_cmp(&(b + 0.0))).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// The points in the order of their coordinates; equal ones in the order of their numbers.
pub(crate) fn sorted(points: &Points<'_>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.n_points()).collect();
    order.sort_by(|&a, &b| compare(points.row(a), points.row(b)));
    order
}

/// The class of each point: equal points share one. `sorted` is the order of their coordinates.
pub(crate) fn classes(points: &Points<'_>, sorted: &[usize]) -> Vec<usize> {
    let mut class = vec![0; sorted.len()];
    for pair in sorted.windows(2) {
        let same = compare(points.row(pair[0]), points.row(pair[1])).is_eq();
        class[pair[1]] = class[pair[0]] + usize::from(!same);
    }
    class
}
