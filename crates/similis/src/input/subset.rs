//! Some of the points, as an input of their own.

use crate::error::{Error, InputError};
use crate::input::sparse::SparseMatrix;
use crate::input::{Checks, Dissimilarity, Missing, Quantity};

impl Dissimilarity<'_> {
    /// Returns what was observed of the pairs of `kept` points (rising numbers; of points in space any), in this order.
    ///
    /// ```
    /// use similis::{Dissimilarity, Metric, Points};
    /// let points = Points::new(vec![0.0, 1.0, 5.0, 7.0], 4, 1)?;
    /// let some = Dissimilarity::from_points(points, Metric::Euclidean)?.restricted(&[1, 3])?;
    /// assert_eq!((some.n_points(), some.pair(0, 1)), (2, Some(6.0)));
    /// # Ok::<(), similis::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Input`] if none is kept, or one that does not exist.
    pub fn restricted(&self, kept: &[usize]) -> Result<Dissimilarity<'static>, Error> {
        let restricted = self.restricted_unmarked(kept)?;
        Ok(Dissimilarity { mixed: self.mixed, ..restricted })
    }

    fn restricted_unmarked(&self, kept: &[usize]) -> Result<Dissimilarity<'static>, Error> {
        if let Some(&last) = kept.iter().find(|&&i| i >= self.n_points()) {
            return Err(Error::Input(InputError::NoSuchPoint { given: last, n_points: self.n_points() }));
        }
        if let Some(points) = self.points() {
            return Ok(Dissimilarity::from_measured(points.some(kept)?));
        }
        if let Some(points) = self.sparse_points() {
            return Ok(Dissimilarity::from_measured_sparse(points.some(kept)?));
        }
        if let Some(matrix) = self.sparse() {
            let mut edges = Vec::new();
            for (from, &i) in kept.iter().enumerate() {
                for (j, value) in matrix.row(i).filter(|&(j, _)| j > i) {
                    edges.extend(kept.binary_search(&j).ok().map(|to| (from, to, value)));
                }
            }
            let matrix = SparseMatrix::from_edges(kept.len(), &edges)?;
            return Dissimilarity::from_sparse(matrix, self.quantity(), Checks::default());
        }
        let pair = |(i, j): (usize, usize)| self.pair(i, j).unwrap_or(f64::NAN);
        let checks = Checks { missing: Missing::Unobserved, ..Checks::default() };
        // How alike an item is to itself counts too.
        if self.quantity() == Quantity::Similarities && self.square_values().is_some() {
            let square: Vec<f64> =
                kept.iter().flat_map(|&i| kept.iter().map(move |&j| pair((i, j)))).collect();
            return Dissimilarity::from_square(square, [kept.len(); 2], self.quantity(), checks);
        }
        let above = |at: usize| kept[at + 1..].iter().map(move |&j| (kept[at], j));
        let values: Vec<f64> = (0..kept.len()).flat_map(above).map(pair).collect();
        if kept.len() < 2 {
            let none = SparseMatrix::from_edges(kept.len(), &[])?;
            return Dissimilarity::from_sparse(none, self.quantity(), Checks::default());
        }
        Dissimilarity::from_condensed(values, self.quantity(), checks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::metric::Metric;
    use crate::input::points::Points;

    #[test]
    fn similarities_keep_their_diagonal() {
        let values: Vec<f64> = (0..16).map(|at| if at % 5 == 0 { f64::from(at) } else { 0.5 }).collect();
        let alike =
            Dissimilarity::from_square(values, [4, 4], Quantity::Similarities, Checks::default()).unwrap();
        let some = alike.restricted(&[1, 3]).unwrap();
        assert_eq!([some.pair(0, 0), some.pair(0, 1), some.pair(1, 1)], [Some(5.0), Some(0.5), Some(15.0)]);
    }

    #[test]
    fn pairs_of_kept_points_stay_what_they_are() {
        let places = vec![0.0, 1.0, 3.0, 7.0, 15.0];
        let points =
            Dissimilarity::from_points(Points::new(places, 5, 1).unwrap(), Metric::Manhattan).unwrap();
        let condensed: Vec<f64> = (0..5)
            .flat_map(|i| (i + 1..5).map(move |j| (i, j)))
            .map(|(i, j)| points.pair(i, j).unwrap())
            .collect();
        let dense = Dissimilarity::from_condensed(condensed, Quantity::Distances, Checks::default()).unwrap();
        let edges = [(0, 1, 1.0), (1, 3, 6.0), (3, 4, 8.0)];
        let sparse = SparseMatrix::from_edges(5, &edges).unwrap();
        let sparse = Dissimilarity::from_sparse(sparse, Quantity::Distances, Checks::default()).unwrap();
        let kept = [1, 3, 4];
        for all in [points, dense, sparse] {
            let some = all.restricted(&kept).unwrap();
            assert_eq!((some.n_points(), some.quantity()), (3, all.quantity()));
            for (a, &i) in kept.iter().enumerate() {
                for (b, &j) in kept.iter().enumerate().filter(|&(b, _)| b != a) {
                    assert_eq!(some.pair(a, b), all.pair(i, j), "{i} {j}");
                }
            }
            assert_eq!(all.restricted(&[2]).unwrap().n_points(), 1);
            assert!(all.restricted(&[2, 5]).is_err() && all.restricted(&[]).is_err());
        }
    }
}
