//! Sparse points, measured.

use std::sync::Arc;

use crate::error::{Error, InputError};
use crate::input::dense::condensed_index;
use crate::input::derived::Derived;
use crate::input::metric::{MeasuredPoints, Metric, power_of_two};
use crate::input::points::check_n_points;
use crate::input::sparse_points::{SparsePoints, SparseRow};
use crate::input::{Dissimilarity, Pairs, Quantity};
use crate::plan::crossover;
use crate::run::parallel;
use crate::settings::Named;

/// Sparse points with the metric that measures them; the distances of a few are kept, those of many computed when asked for.
///
/// Distances have the bits of those of the same points with all their zeros ([`MeasuredPoints`]).
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredSparse {
    points: Arc<SparsePoints>,
    metric: Metric,
    /// What a computed distance is multiplied by: 1, or the power of two that extreme coordinates were divided by.
    unit: f64,
    /// All distances, condensed, where there are few points.
    kept: Option<Arc<Vec<f64>>>,
}

impl MeasuredSparse {
    /// Returns the points made ready for `metric`: unit rows for angles, rescaled where squares would overflow.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for a metric but cosine, euclidean and squared-euclidean, for a point without a direction, and if a
    /// distance could be infinite.
    pub fn new(points: SparsePoints, metric: Metric) -> Result<Self, Error> {
        match metric {
            Metric::Cosine => Ok(Self::with_kept(directions(points)?, metric, 1.0)),
            Metric::Euclidean | Metric::SquaredEuclidean => rescaled(points, metric),
            other => Err(Error::Input(InputError::SparseMetric { metric: other.name() })),
        }
    }

    /// Returns points that were prepared before: what [`MeasuredSparse::points`] and [`MeasuredSparse::unit`] gave.
    pub(crate) fn of_prepared(points: SparsePoints, metric: Metric, unit: f64) -> Result<Self, Error> {
        if !Self::measures(metric) {
            return Err(Error::Input(InputError::SparseMetric { metric: metric.name() }));
        }
        Ok(Self { points: Arc::new(points), metric, unit, kept: None })
    }

    /// Whether sparse points can be measured by a metric.
    pub fn measures(metric: Metric) -> bool {
        matches!(metric, Metric::Cosine | Metric::Euclidean | Metric::SquaredEuclidean)
    }

    fn with_kept(points: SparsePoints, metric: Metric, unit: f64) -> Self {
        let n = points.n_points();
        let measured = Self { points: Arc::new(points), metric, unit, kept: None };
        if !crossover::keeps_sparse_distances(n) {
            return measured;
        }
        let of_row = |i: usize| (i + 1..n).map(|j| measured.measured(i, j)).collect::<Vec<_>>();
        let kept = parallel::map(n, of_row).concat();
        Self { kept: Some(Arc::new(kept)), ..measured }
    }

    /// The same points, no distance kept.
    #[cfg(test)]
    pub(crate) fn without_kept(self) -> Self {
        Self { kept: None, ..self }
    }

    /// The metric.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The points, as prepared for the metric.
    pub fn points(&self) -> &SparsePoints {
        &self.points
    }

    /// Number of points.
    pub fn n_points(&self) -> usize {
        self.points.n_points()
    }

    /// What extreme coordinates were divided by, as a factor of distances: 1, or a power of two.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// How many bytes the points take once they are measured, and the distances that are kept beside them; of a table where the columns
    /// are so few that one is made.
    pub fn n_bytes_of(points: &SparsePoints, metric: Metric) -> u64 {
        let (n, d) = (points.n_points() as u64, points.n_dimensions());
        if crossover::few_dimensions(d) {
            let copies = if metric == Metric::Cosine { 2 } else { 1 };
            return 8 * copies * n.saturating_mul(d as u64);
        }
        // Distances are computed row by row, then put together.
        let kept = if crossover::keeps_sparse_distances(points.n_points()) { 8 * n * n } else { 0 };
        24 * points.n_entries() as u64 + 8 * n + kept
    }

    /// How many bytes it takes.
    pub(crate) fn n_bytes(&self) -> u64 {
        let kept = self.kept.as_ref().map_or(0, |kept| kept.len());
        (12 * self.points.n_entries() + 8 * self.n_points() + 8 * kept) as u64
    }

    /// The sum of the squared differences of the prepared coordinates at a distance, up to rounding.
    pub(crate) fn squared(&self, distance: f64) -> f64 {
        let prepared = distance / self.unit;
        match self.metric {
            Metric::Euclidean => prepared * prepared,
            Metric::Cosine => 2.0 * prepared,
            _ => prepared,
        }
    }

    /// The distance between points `i` and `j`: the same bits for (j, i), and 0 for (i, i).
    pub fn distance(&self, i: usize, j: usize) -> f64 {
        match &self.kept {
            _ if i == j => 0.0,
            Some(kept) => kept[condensed_index(self.n_points(), i, j)],
            None => self.measured(i, j),
        }
    }

    #[inline]
    fn measured(&self, i: usize, j: usize) -> f64 {
        self.unit * self.of_squared(self.points.row(i).squared(self.points.row(j)))
    }

    #[inline]
    fn of_squared(&self, squared: f64) -> f64 {
        match self.metric {
            Metric::Euclidean => squared.sqrt(),
            Metric::Cosine => 0.5 * squared,
            _ => squared,
        }
    }

    /// The distance from a prepared row to point `j`; where it overflows, the greatest number there is.
    pub(crate) fn distance_to(&self, row: SparseRow<'_>, j: usize) -> f64 {
        let distance = self.unit * self.of_squared(row.squared(self.points.row(j)));
        if distance.is_finite() { distance } else { f64::MAX }
    }

    /// Some of the points, in the order given, where not every pair will be looked at: no distance is computed now.
    pub(crate) fn members(&self, chosen: &[usize]) -> Self {
        Self { points: Arc::new(self.points.some(chosen)), metric: self.metric, unit: self.unit, kept: None }
    }

    /// Some of the points, in the order given.
    pub(crate) fn some(&self, chosen: &[usize]) -> Result<Self, Error> {
        check_n_points(chosen.len())?;
        let points = self.points.some(chosen);
        if self.kept.is_none() {
            return Ok(Self::with_kept(points, self.metric, self.unit));
        }
        let above = |at: usize| chosen[at + 1..].iter().map(move |&j| self.distance(chosen[at], j));
        let kept: Vec<f64> = (0..chosen.len()).flat_map(above).collect();
        let (metric, unit, kept) = (self.metric, self.unit, Some(Arc::new(kept)));
        Ok(Self { points: Arc::new(points), metric, unit, kept })
    }

    /// Returns other points made ready as these were, so that [`MeasuredSparse::distance_to`] measures them.
    pub(crate) fn prepare(&self, others: &SparsePoints) -> Result<SparsePoints, Error> {
        let others = others.clone();
        if self.metric == Metric::Cosine {
            return directions(others);
        }
        let squared = self.metric == Metric::SquaredEuclidean;
        let divisor = if squared { self.unit.sqrt() } else { self.unit };
        Ok(others.map_rows(|row| row.iter_mut().for_each(|x| *x /= divisor)))
    }
}

/// Rows divided by their lengths.
fn directions(points: SparsePoints) -> Result<SparsePoints, Error> {
    let (metric, state) = (Metric::Cosine.name(), "zero");
    if let Some(row) = (0..points.n_points()).find(|&i| points.row(i).values.is_empty()) {
        return Err(Error::Input(InputError::Direction { row, metric, state }));
    }
    Ok(points.map_rows(|row| {
        let scale = row.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        row.iter_mut().for_each(|x| *x /= scale);
        let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        row.iter_mut().for_each(|x| *x /= length);
    }))
}

/// Divides by a power of two, which costs no digits, where squares of the coordinates would leave the range of `f64`.
fn rescaled(points: SparsePoints, metric: Metric) -> Result<MeasuredSparse, Error> {
    let greatest = points.values().iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let (points, scale) = match power_of_two(greatest) {
        Some(scale) => (points.map_rows(|row| row.iter_mut().for_each(|x| *x /= scale)), scale),
        None => (points, 1.0),
    };
    let unit = if metric == Metric::SquaredEuclidean { scale * scale } else { scale };
    let measured = MeasuredSparse { points: Arc::new(points), metric, unit, kept: None };
    if !measured.widest().is_finite() {
        return Err(Error::Input(InputError::Overflow { divisor: scale }));
    }
    let MeasuredSparse { points, .. } = measured;
    Ok(MeasuredSparse::with_kept(Arc::unwrap_or_clone(points), metric, unit))
}

impl MeasuredSparse {
    /// The length of the diagonal of the points' box: no distance is greater.
    fn widest(&self) -> f64 {
        let mut entries: Vec<(u32, f64)> =
            self.points.columns().iter().copied().zip(self.points.values().iter().copied()).collect();
        entries.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let width = |column: &[(u32, f64)]| {
            let (low, high) = (column[0].1, column[column.len() - 1].1);
            if column.len() == self.n_points() { high - low } else { high.max(0.0) - low.min(0.0) }
        };
        let widths = entries.chunk_by(|a, b| a.0 == b.0).map(width);
        self.unit * self.of_squared(widths.map(|width| width * width).sum::<f64>())
    }
}

impl Dissimilarity<'_> {
    /// Returns the distances between sparse points; so few columns that a dense table is faster are made one.
    ///
    /// ```
    /// use similis::input::SparsePoints;
    /// use similis::{Dissimilarity, Metric};
    /// // Two of a million columns are not 0 in the first row, one in the second.
    /// let points = SparsePoints::new(&[0, 2, 3], &[7, 999_999, 7], &[3.0, 4.0, 3.0], 1_000_000)?;
    /// assert_eq!(Dissimilarity::from_sparse_points(points, Metric::Euclidean)?.pair(0, 1), Some(4.0));
    /// # Ok::<(), similis::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`MeasuredSparse::new`].
    pub fn from_sparse_points(points: SparsePoints, metric: Metric) -> Result<Self, Error> {
        if crossover::few_dimensions(points.n_dimensions()) {
            return Self::from_points(points.to_dense()?, metric);
        }
        Ok(Self::from_measured_sparse(MeasuredSparse::new(points, metric)?))
    }

    /// Returns sparse points that were prepared for their metric before.
    pub fn from_measured_sparse(points: MeasuredSparse) -> Self {
        let pairs = Pairs::SparsePoints(points);
        Self { quantity: Quantity::Distances, pairs, derived: Derived::default(), mixed: false }
    }

    /// The sparse points behind the distances, if there are any.
    pub fn sparse_points(&self) -> Option<&MeasuredSparse> {
        match &self.pairs {
            Pairs::SparsePoints(points) => Some(points),
            _ => None,
        }
    }

    /// Whether distances are measured between points, dense or sparse.
    pub(crate) fn is_measured(&self) -> bool {
        matches!(self.pairs, Pairs::Points(_) | Pairs::SparsePoints(_))
    }

    /// How points are measured, if there are any.
    pub fn metric(&self) -> Option<Metric> {
        let sparse = || self.sparse_points().map(MeasuredSparse::metric);
        self.points().map(MeasuredPoints::metric).or_else(sparse)
    }

    /// Number of columns of the points behind the distances, if there are any.
    pub fn n_dimensions(&self) -> Option<usize> {
        match &self.pairs {
            Pairs::Points(measured) => Some(measured.points().n_dimensions()),
            Pairs::SparsePoints(measured) => Some(measured.points().n_dimensions()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::points::Points;
    use proptest::prelude::*;

    /// Rows of `n_dimensions` columns, most of them 0.
    fn rows(cells: &[i8], n_dimensions: usize) -> Points<'static> {
        let n = cells.len() / n_dimensions;
        let value = |&cell: &i8| if cell.abs() > 2 { 0.0 } else { f64::from(cell) / 3.0 };
        Points::new(cells[..n * n_dimensions].iter().map(value).collect::<Vec<_>>(), n, n_dimensions).unwrap()
    }

    proptest! {
        #[test]
        fn sparse_points_have_the_bits_of_the_same_points_with_all_their_zeros(
            cells in prop::collection::vec(-6i8..6, 20..200), exponent in -160i32..160
        ) {
            let dense = rows(&cells, 20);
            let scale = 2f64.powi(exponent);
            let dense = dense.map_rows(|row| row.iter_mut().for_each(|x| *x *= scale));
            let sparse = SparsePoints::from_points(&dense);
            prop_assert_eq!(&sparse.to_dense().unwrap(), &dense);
            let n = dense.n_points();
            for metric in [Metric::Euclidean, Metric::SquaredEuclidean, Metric::Cosine] {
                let both = (MeasuredPoints::new(dense.clone(), metric), MeasuredSparse::new(sparse.clone(), metric));
                let (expected, found) = match both {
                    (Ok(expected), Ok(found)) => (expected, found),
                    (expected, found) => {
                        prop_assert_eq!(expected.err(), found.err());
                        continue;
                    }
                };
                let order: Vec<usize> = (0..n).rev().collect();
                let turned = found.some(&order).unwrap();
                let (new, new_dense) = (found.prepare(&sparse).unwrap(), expected.prepare(&dense).unwrap());
                for i in 0..n {
                    for j in 0..n {
                        prop_assert_eq!(found.distance(i, j), expected.distance(i, j));
                        prop_assert_eq!(found.measured(i, j), expected.distance(i, j));
                        prop_assert_eq!(turned.distance(n - 1 - i, n - 1 - j), expected.distance(i, j));
                        prop_assert_eq!(found.distance_to(new.row(i), j), expected.distance_to(new_dense.row(i), j));
                    }
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_measured_is_told() {
        let points = SparsePoints::new(&[0, 1, 1], &[1], &[1.0], 3).unwrap();
        let zero = InputError::Direction { row: 1, metric: "cosine", state: "zero" };
        assert_eq!(MeasuredSparse::new(points.clone(), Metric::Cosine), Err(Error::Input(zero)));
        let metric = InputError::SparseMetric { metric: "manhattan" };
        assert_eq!(MeasuredSparse::new(points, Metric::Manhattan), Err(Error::Input(metric)));
    }
}
