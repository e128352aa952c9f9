//! Side information: every start is made to obey it.

use crate::constraints::Constraints;
use crate::graph::neighbours::Neighbours;

/// How many neighbours have a say in where a point goes that cannot stay.
const N_ASKED: usize = 10;

/// Returns the labels changed so that they obey, with every class that they had.
///
/// Points that are tied to each other go where most of them are, those that are parted to where their neighbours are; points
/// of which nothing is said stay. There must be a partition into `n_clusters` classes that obeys.
pub(crate) fn honour(
    labels: &[usize],
    constraints: &Constraints,
    n_clusters: usize,
    neighbours: &Neighbours,
) -> Vec<usize> {
    if constraints.is_empty() {
        return labels.to_vec();
    }
    let prices = constraints.prices(n_clusters, |i, row| {
        row[labels[i]] -= 1.0;
        let near = neighbours.of(i).take(N_ASKED);
        near.for_each(|(j, _)| row[labels[j]] -= 1.0 / N_ASKED as f64);
    });
    constraints.obeying(labels.to_vec(), &prices)
}
