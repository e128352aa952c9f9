//! Some of the items, as an input of their own.

use similis::{Checks, Dissimilarity, Error, Missing, Points, SparseMatrix};

/// Returns what was observed of the pairs of `kept` items (rising numbers).
///
/// # Errors
///
/// [`Error::Input`] if none is kept.
pub(super) fn restricted(pairs: &Dissimilarity<'_>, kept: &[usize]) -> Result<Dissimilarity<'static>, Error> {
    if let Some(measured) = pairs.points() {
        let points = measured.points();
        let rows: Vec<f64> = kept.iter().flat_map(|&i| points.row(i)).copied().collect();
        return Dissimilarity::from_points(
            Points::new(rows, kept.len(), points.n_dimensions())?,
            measured.metric(),
        );
    }
    if let Some(matrix) = pairs.sparse() {
        let mut edges = Vec::new();
        for (from, &i) in kept.iter().enumerate() {
            let above = matrix.row(i).filter(|&(j, _)| j > i);
            edges.extend(above.filter_map(|(j, value)| Some((from, kept.binary_search(&j).ok()?, value))));
        }
        let matrix = SparseMatrix::from_edges(kept.len(), &edges)?;
        return Dissimilarity::from_sparse(matrix, pairs.quantity(), Checks::default());
    }
    let value = |i: usize, j: usize| if i == j { own(pairs) } else { pairs.pair(i, j).unwrap_or(f64::NAN) };
    let square: Vec<f64> = kept.iter().flat_map(|&i| kept.iter().map(move |&j| value(i, j))).collect();
    let checks = Checks { missing: Missing::Unobserved, ..Checks::default() };
    Dissimilarity::from_square(square, [kept.len(), kept.len()], pairs.quantity(), checks)
}

/// What stands on the diagonal.
fn own(pairs: &Dissimilarity<'_>) -> f64 {
    if pairs.quantity() == similis::Quantity::Distances { 0.0 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use similis::{Metric, Quantity};

    use super::*;

    #[test]
    fn pairs_of_kept_items_stay_what_they_are() {
        let points = Points::new(vec![0.0, 1.0, 3.0, 7.0, 15.0], 5, 1).unwrap();
        let points = Dissimilarity::from_points(points, Metric::Manhattan).unwrap();
        let square: Vec<f64> = (0..25).map(|k| points.pair(k / 5, k % 5).unwrap_or(0.0)).collect();
        let dense =
            Dissimilarity::from_square(square, [5, 5], Quantity::Distances, Checks::default()).unwrap();
        let edges = SparseMatrix::from_edges(5, &[(0, 1, 1.0), (1, 3, 6.0), (3, 4, 8.0)]).unwrap();
        let sparse = Dissimilarity::from_sparse(edges, Quantity::Distances, Checks::default()).unwrap();
        let kept = [1, 3, 4];
        for all in [points, dense, sparse] {
            let some = restricted(&all, &kept).unwrap();
            for (i, &from) in kept.iter().enumerate() {
                for (j, &to) in kept.iter().enumerate().filter(|&(j, _)| j != i) {
                    assert_eq!(some.pair(i, j), all.pair(from, to));
                }
            }
        }
    }
}
