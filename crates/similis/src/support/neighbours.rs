//! Nearest neighbours.

use crate::dissimilarity::Dissimilarity;
use crate::parallel;

/// The nearest neighbours of every point, nearest first; of equally near ones the lower number comes first.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbours {
    offsets: Vec<usize>,
    indices: Vec<u32>,
    distances: Vec<f64>,
}

impl Neighbours {
    /// The neighbours `(j, distance)` of point `i`, nearest first.
    pub fn of(&self, i: usize) -> impl DoubleEndedIterator<Item = (usize, f64)> + '_ {
        let range = self.offsets[i]..self.offsets[i + 1];
        self.indices[range.clone()].iter().map(|&j| j as usize).zip(self.distances[range].iter().copied())
    }

    /// Number of points.
    pub fn n_points(&self) -> usize {
        self.offsets.len() - 1
    }
}

/// Returns the `n_neighbours` nearest neighbours of every point: fewer where fewer pairs were observed.
///
/// All pairs are looked at: $O(n^2)$ time, $O(n k)$ memory. `distances` must hold distances.
pub fn nearest_neighbours(distances: &Dissimilarity<'_>, n_neighbours: usize) -> Neighbours {
    const PIECE: usize = 64;
    let n = distances.n_points();
    let pieces = parallel::map(n.div_ceil(PIECE), |piece| {
        let mut row: Vec<(f64, u32)> = Vec::with_capacity(n);
        let mut lists = Vec::with_capacity(PIECE);
        for i in piece * PIECE..n.min((piece + 1) * PIECE) {
            row.clear();
            distances.for_each_pair(i, |j, distance| row.push((distance, j as u32)));
            lists.push(nearest(&mut row, n_neighbours).to_vec());
        }
        lists
    });
    let mut found = Neighbours { offsets: vec![0], indices: Vec::new(), distances: Vec::new() };
    for list in pieces.into_iter().flatten() {
        found.indices.extend(list.iter().map(|&(_, j)| j));
        found.distances.extend(list.iter().map(|&(distance, _)| distance));
        found.offsets.push(found.indices.len());
    }
    found
}

/// The first `count` of `row` in the order of distance, then number.
fn nearest(row: &mut [(f64, u32)], count: usize) -> &[(f64, u32)] {
    let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    let count = count.min(row.len());
    if count < row.len() {
        row.select_nth_unstable_by(count, order);
    }
    row[..count].sort_unstable_by(order);
    &row[..count]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Checks, Metric, Points, Quantity, SparseMatrix};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn neighbours_are_the_first_of_all_others_sorted(
            whole in prop::collection::vec(0i32..6, 2..60), k in 1usize..12
        ) {
            let coordinates: Vec<f64> = whole.iter().map(|&x| f64::from(x)).collect();
            let n = coordinates.len() / 2;
            let points = Points::new(coordinates[..2 * n].to_vec(), n, 2).unwrap();
            let distances = Dissimilarity::from_points(points, Metric::Manhattan).unwrap();
            let found = nearest_neighbours(&distances, k);
            for i in 0..n {
                let mut all: Vec<(f64, usize)> =
                    (0..n).filter(|&j| j != i).map(|j| (distances.pair(i, j).unwrap(), j)).collect();
                all.sort_by(|a, b| a.partial_cmp(b).unwrap());
                all.truncate(k);
                let listed: Vec<(f64, usize)> = found.of(i).map(|(j, distance)| (distance, j)).collect();
                prop_assert_eq!(listed, all);
            }
        }
    }

    #[test]
    fn only_observed_pairs_are_neighbours() {
        let edges = SparseMatrix::from_edges(4, &[(0, 1, 2.0), (0, 2, 1.0)]).unwrap();
        let pairs = Dissimilarity::from_sparse(edges, Quantity::Distances, Checks::default()).unwrap();
        let found = nearest_neighbours(&pairs, 3);
        assert_eq!(found.of(0).collect::<Vec<_>>(), [(2, 1.0), (1, 2.0)]);
        assert_eq!(found.of(3).count(), 0);
    }
}
