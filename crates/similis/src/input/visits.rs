//! Visits of many pairs: the kind of input is looked up once for each row.

use crate::input::{Dissimilarity, Pairs};

impl Dissimilarity<'_> {
    /// Calls `visit(j, value)` for each of `others`, none of which is `i`; NaN where the pair is missing.
    pub(crate) fn for_each_among(&self, i: usize, others: &[usize], mut visit: impl FnMut(usize, f64)) {
        match &self.pairs {
            Pairs::Points(points) => points.for_each_of(i, others.iter().copied(), visit),
            Pairs::Square { values, n_points } => {
                others.iter().for_each(|&j| visit(j, values.get(i * n_points + j)));
            }
            Pairs::Reordered(matrix) => others.iter().for_each(|&j| visit(j, matrix.get(i, j))),
            _ => others.iter().for_each(|&j| visit(j, self.pair(i, j).unwrap_or(f64::NAN))),
        }
    }

    /// Calls `visit(j, value)` for every observed pair of `i` with another point, in the order of `j`.
    pub fn for_each_pair(&self, i: usize, mut visit: impl FnMut(usize, f64)) {
        match &self.pairs {
            Pairs::Points(points) => {
                points.for_each_of(i, (0..i).chain(i + 1..points.n_points()), visit);
            }
            Pairs::SparsePoints(points) => {
                (0..points.n_points()).filter(|&j| j != i).for_each(|j| visit(j, points.distance(i, j)));
            }
            Pairs::Square { values, n_points } => values.for_each(i * n_points, *n_points, |j, value| {
                if j != i && !value.is_nan() {
                    visit(j, value);
                }
            }),
            Pairs::Condensed { n_points, .. } => {
                let others = (0..*n_points).filter(|&j| j != i);
                others
                    .filter_map(|j| self.pair(i, j).map(|value| (j, value)))
                    .for_each(|(j, value)| visit(j, value));
            }
            Pairs::Reordered(matrix) => {
                let others = (0..matrix.n_points()).filter(|&j| j != i).map(|j| (j, matrix.get(i, j)));
                others.filter(|(_, value)| !value.is_nan()).for_each(|(j, value)| visit(j, value));
            }
            Pairs::Sparse(matrix) => {
                matrix.row(i).filter(|&(j, _)| j != i).for_each(|(j, value)| visit(j, value));
            }
        }
    }

    /// Calls `visit(j, value)` for every observed pair of `i` with a point of a greater number, in the order of `j`.
    pub(crate) fn for_each_pair_above(&self, i: usize, mut visit: impl FnMut(usize, f64)) {
        match &self.pairs {
            Pairs::Points(points) => points.for_each_of(i, i + 1..points.n_points(), visit),
            _ => self.for_each_pair(i, |j, value| {
                if j > i {
                    visit(j, value);
                }
            }),
        }
    }
}
