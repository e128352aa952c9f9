//! Side information: every start is made to obey it.

use crate::constraints::Constraints;
use crate::graph::neighbours::Neighbours;

/// Number of neighbours that vote on the cluster of a point that cannot stay in its own. Not tuned.
const N_ASKED: usize = 10;

/// Returns the labels changed so that they obey, with every cluster that they had.
///
/// A must-link group goes where most of its points are, cannot-link points to where their neighbours are; unconstrained
/// points stay. There must be a partition into `n_clusters` clusters that obeys.
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
