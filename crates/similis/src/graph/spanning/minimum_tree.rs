//! The minimum spanning tree of everything that was observed.

use crate::graph::link::Link;
use crate::graph::neighbours::kd_tree::KdTree;
use crate::graph::spanning::kruskal::{Ranked, minimum_forest};
use crate::graph::spanning::rows::{InBlocks, Pairwise, Square};
use crate::graph::spanning::{boruvka, prim, sparse_rows};
use crate::input::dense::Values;
use crate::input::sparse::SparseMatrix;
use crate::input::{Dissimilarity, Quantity};
use crate::run::observer::{Observer, Silent};

/// Returns the links of the minimum spanning tree, shortest first; of equally short ones that with the lowest numbers, so
/// that the tree is unique. Where similarities are observed the most similar come first.
///
/// Where the observed pairs do not join all points there are fewer links, one tree for each part; and where `observer`
/// cancels.
///
/// Points in few dimensions take $O(n \log n)$ by Boruvka's method on a kd-tree, all others $O(n^2)$ by Prim's, in memory
/// that grows with n alone; a sparse matrix takes one sort of its entries.
///
/// ```
/// use similis::{Dissimilarity, Metric, Points, Silent, minimum_spanning_tree};
/// let points = Points::new(vec![0.0, 1.0, 3.0], 3, 1)?;
/// let pairs = Dissimilarity::from_points(points, Metric::Euclidean)?;
/// let tree = minimum_spanning_tree(&pairs, &Silent);
/// assert_eq!(tree.iter().map(|link| link.length).sum::<f64>(), 3.0);
/// # Ok::<(), similis::Error>(())
/// ```
pub fn minimum_spanning_tree(observed: &Dissimilarity<'_>, observer: &dyn Observer) -> Vec<Link> {
    let sign = if observed.quantity() == Quantity::Similarities { -1.0 } else { 1.0 };
    let link = |ranked: Ranked| Link {
        from: ranked.ends.0 as usize,
        to: ranked.ends.1 as usize,
        length: sign * ranked.length,
    };
    ranked_links(observed, sign, observer).into_iter().map(link).collect()
}

/// As [`minimum_spanning_tree`] of points, where some of its links are known: in few dimensions only the others are looked for.
pub(crate) fn completed_tree(observed: &Dissimilarity<'_>, known: &[[usize; 2]]) -> Vec<Link> {
    let Some(tree) = observed.points().and_then(KdTree::new) else {
        return minimum_spanning_tree(observed, &Silent);
    };
    let link = |ranked: Ranked| Link {
        from: ranked.ends.0 as usize,
        to: ranked.ends.1 as usize,
        length: ranked.length,
    };
    boruvka::links_with(&tree, known, &Silent).into_iter().map(link).collect()
}

/// The links as they are ordered: similarities with the sign turned.
fn ranked_links(observed: &Dissimilarity<'_>, sign: f64, observer: &dyn Observer) -> Vec<Ranked> {
    let n_points = observed.n_points();
    if let Some(matrix) = observed.sparse() {
        return minimum_forest(n_points, listed(matrix, sign));
    }
    if let Some(points) = observed.points() {
        if let Some(tree) = KdTree::new(points) {
            return boruvka::links(&tree, observer);
        }
        if let Some(rows) = InBlocks::new(points) {
            return prim::links(&rows, observer);
        }
    }
    if let Some(points) = observed.sparse_points() {
        return sparse_rows::links(points, observer);
    }
    match observed.square_values() {
        Some((Values::F64(values), order)) => {
            prim::links(&Square { values, n_points, order, sign }, observer)
        }
        Some((Values::F32(values), order)) => {
            prim::links(&Square { values, n_points, order, sign }, observer)
        }
        None => prim::links(&Pairwise { observed, sign }, observer),
    }
}

/// The pairs that a sparse matrix lists.
fn listed(matrix: &SparseMatrix<'_>, sign: f64) -> Vec<Ranked> {
    let of = |i: usize| {
        let above = matrix.row(i).filter(move |&(j, _)| j > i);
        above.map(move |(j, value)| Ranked::new(sign * value, i as u32, j as u32))
    };
    (0..matrix.n_points()).flat_map(of).collect()
}
