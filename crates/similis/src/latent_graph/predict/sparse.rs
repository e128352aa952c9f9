//! Prediction of sparse points.

use crate::error::{Error, ModelError};
use crate::graph::neighbours::sparse_rows::Index;
use crate::input::metric::sparse::MeasuredSparse;
use crate::input::sparse_points::{SparsePoints, SparseRow};
use crate::latent_graph::predict::near::{GroupOf, Near};
use crate::latent_graph::predict::{Prediction, Predictor, Weighing};
use crate::run::parallel::vectorised;

/// Looks for the nearest points of each group among sparse points.
pub(crate) struct SparseSearch<'a> {
    index: Index<'a>,
    group: GroupOf,
}

impl<'a> SparseSearch<'a> {
    pub(crate) fn new(points: &'a MeasuredSparse, groups: &[&[usize]]) -> Self {
        Self { index: Index::new(points), group: GroupOf::new(groups, points.n_points()) }
    }

    /// The nearest points to a prepared row, but for one.
    pub(crate) fn of_row(&self, row: SparseRow<'_>, left_out: Option<usize>) -> Near {
        let (points, mut products) = (self.index.points(), Vec::new());
        let asked = self.index.asked(row, &mut products);
        self.group.among(points.n_points(), |j, reach| {
            let near = Some(j) != left_out && asked.may_be_within(points.squared(reach), j);
            near.then(|| points.distance_to(row, j))
        })
    }
}

impl Predictor {
    /// Returns where new sparse points belong: as [`Predictor::predict_points`] of the same points with all their zeros.
    ///
    /// # Errors
    ///
    /// Those of [`Predictor::predict_points`].
    pub fn predict_sparse_points(&self, points: &SparsePoints) -> Result<Prediction, Error> {
        let Some(old) = &self.parts.sparse_points else { return self.predict_points(&points.to_dense()?) };
        let (given, expected) = (points.n_dimensions(), old.points().n_dimensions());
        if given != expected {
            return Err(Error::Model(ModelError::NewColumns { given, expected }));
        }
        let points = old.prepare(points)?;
        let search = SparseSearch::new(old, &self.groups());
        Ok(self.rows(points.n_points(), |i| {
            let near = search.of_row(points.row(i), None);
            vectorised(Weighing { predictor: self, near: &near, left_out: None })
        }))
    }
}
