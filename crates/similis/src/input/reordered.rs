//! The same items numbered otherwise.

use crate::error::Error;
use crate::input::dense::{Values, condensed_index};
use crate::input::derived::Derived;
use crate::input::sparse::SparseMatrix;
use crate::input::{Dissimilarity, Pairs};

/// A dense matrix read in another order of its items: nothing is copied.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reordered<'a> {
    pub(crate) values: Values<'a>,
    is_square: bool,
    /// The row of the matrix that each item has.
    pub(crate) order: &'a [usize],
}

impl Reordered<'_> {
    pub(crate) fn n_points(&self) -> usize {
        self.order.len()
    }

    pub(crate) fn is_square(&self) -> bool {
        self.is_square
    }

    /// The value of a pair; NaN where it is missing, or on a diagonal that is not stored.
    pub(crate) fn get(&self, i: usize, j: usize) -> f64 {
        let (row, column) = (self.order[i], self.order[j]);
        match self.is_square {
            true => self.values.get(row * self.order.len() + column),
            false if i == j => f64::NAN,
            false => self.values.get(condensed_index(self.order.len(), row, column)),
        }
    }

    /// The pairs as a condensed matrix of their own.
    pub(crate) fn copied(&self) -> Pairs<'static> {
        let n = self.order.len();
        let above = |i: usize| (i + 1..n).map(move |j| self.get(i, j));
        Pairs::Condensed { values: (0..n).flat_map(above).collect::<Vec<f64>>().into(), n_points: n }
    }
}

impl Dissimilarity<'_> {
    /// Returns the same items in another order: `order[place]` is the number here of the item at `place` there. Points and
    /// sparse matrices are copied, dense matrices are read through the order.
    ///
    /// # Errors
    ///
    /// None for a permutation.
    pub(crate) fn in_order<'b>(&'b self, order: &'b [usize]) -> Result<Dissimilarity<'b>, Error> {
        let (values, is_square) = match &self.pairs {
            Pairs::Points(_) | Pairs::SparsePoints(_) | Pairs::Reordered(_) => return self.restricted(order),
            Pairs::Sparse(matrix) => {
                let pairs = Pairs::Sparse(permuted(matrix, order));
                return Ok(Dissimilarity {
                    quantity: self.quantity,
                    pairs,
                    derived: Derived::default(),
                    mixed: false,
                });
            }
            Pairs::Square { values, .. } => (values, true),
            Pairs::Condensed { values, .. } => (values, false),
        };
        let pairs = Pairs::Reordered(Reordered { values: values.borrowed(), is_square, order });
        Ok(Dissimilarity { quantity: self.quantity, pairs, derived: Derived::default(), mixed: false })
    }
}

/// A sparse matrix with its rows and columns in another order.
fn permuted(matrix: &SparseMatrix<'_>, order: &[usize]) -> SparseMatrix<'static> {
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, &i)| place[i] = at as u32);
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for &i in order {
        let mut row: Vec<(u32, f64)> = matrix.row(i).map(|(j, value)| (place[j], value)).collect();
        row.sort_unstable_by_key(|&(column, _)| column);
        columns.extend(row.iter().map(|&(column, _)| column));
        values.extend(row.iter().map(|&(_, value)| value));
        offsets.push(columns.len());
    }
    SparseMatrix::from_sorted_rows(offsets, columns, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::metric::Metric;
    use crate::input::points::Points;
    use crate::input::{Checks, Missing, Quantity};

    #[test]
    fn every_kind_of_input_has_the_same_pairs_in_another_order() {
        let places = vec![0.0, 1.0, 3.0, 7.0, 15.0];
        let points =
            Dissimilarity::from_points(Points::new(places, 5, 1).unwrap(), Metric::Manhattan).unwrap();
        let pair = |i: usize, j: usize| points.pair(i, j).unwrap();
        let square: Vec<f64> = (0..25).map(|at| pair(at / 5, at % 5)).collect();
        let single: Vec<f32> = square.iter().map(|&value| value as f32).collect();
        let mut condensed: Vec<f64> =
            (0..5).flat_map(|i| (i + 1..5).map(move |j| (i, j))).map(|(i, j)| pair(i, j)).collect();
        condensed[3] = f64::NAN;
        let checks = Checks { missing: Missing::Unobserved, ..Checks::default() };
        let distances = Quantity::Distances;
        let edges = SparseMatrix::from_edges(5, &[(0, 1, 1.0), (1, 3, 6.0), (3, 4, 8.0)]).unwrap();
        let inputs = [
            Dissimilarity::from_square(square, [5, 5], distances, checks).unwrap(),
            Dissimilarity::from_square(single, [5, 5], distances, checks).unwrap(),
            Dissimilarity::from_condensed(condensed, distances, checks).unwrap(),
            Dissimilarity::from_sparse(edges, distances, checks).unwrap(),
            points.clone(),
        ];
        let order = [3, 0, 4, 1, 2];
        for given in inputs {
            let other = given.in_order(&order).unwrap();
            assert_eq!((other.n_points(), other.quantity()), (5, distances));
            assert_eq!(other.is_complete(), given.is_complete());
            let copy = other.restricted(&[0, 2, 3]).unwrap();
            for i in 0..5 {
                let mut met = Vec::new();
                other.for_each_pair(i, |j, value| met.push((j, value)));
                let others = (0..5).filter(|&j| j != i);
                let expected: Vec<(usize, f64)> =
                    others.filter_map(|j| Some((j, given.pair(order[i], order[j])?))).collect();
                assert_eq!(met, expected);
                (0..5).for_each(|j| assert_eq!(other.pair(i, j), given.pair(order[i], order[j])));
            }
            assert_eq!(copy.pair(0, 1), given.pair(3, 4));
        }
    }
}
