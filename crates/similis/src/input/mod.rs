//! What is observed about pairs of points: the one input of both models.

pub(crate) mod convert;
pub(crate) mod dense;
pub(crate) mod derived;
pub(crate) mod gower;
pub(crate) mod labels;
pub(crate) mod metric;
pub(crate) mod points;
pub(crate) mod reordered;
pub(crate) mod sparse;
pub(crate) mod sparse_points;
pub(crate) mod subset;
mod visits;

pub use dense::Values;
pub use gower::{Field, Gower};
pub use labels::{Labels, continued};
pub use metric::sparse::MeasuredSparse;
pub use metric::{MeasuredPoints, Metric};
pub use points::Points;
pub use sparse::SparseMatrix;
pub use sparse_points::{SparsePoints, SparseRow};

use crate::error::Error;
use crate::settings::Named;

pub use crate::quantity::{Conversion, Quantity};
use derived::Derived;
use reordered::Reordered;

/// What to do with a matrix whose two entries of a pair differ by more than [`SYMMETRY_TOLERANCE`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Symmetrise {
    /// Refuse it.
    #[default]
    Error,
    /// Take the mean of the two.
    Mean,
    /// Take the smaller.
    Min,
    /// Take the greater.
    Max,
}

impl Named for Symmetrise {
    const SETTING: &'static str = "symmetrise";
    const VALUES: &'static [(&'static str, Self)] =
        &[("error", Self::Error), ("mean", Self::Mean), ("min", Self::Min), ("max", Self::Max)];
}

/// What NaN in a dense matrix means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// A mistake.
    #[default]
    Error,
    /// The pair was not observed.
    Unobserved,
}

impl Named for Missing {
    const SETTING: &'static str = "missing";
    const VALUES: &'static [(&'static str, Self)] =
        &[("error", Self::Error), ("unobserved", Self::Unobserved)];
}

/// How a matrix of pairs is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Checks {
    /// What to do with an asymmetric matrix; default: refuse it.
    pub symmetrise: Symmetrise,
    /// What NaN means; default: a mistake.
    pub missing: Missing,
    /// Maximum size of a copy in bytes; default: no limit.
    pub memory_limit: Option<u64>,
}

/// Entries of a pair may differ by this fraction of the matrix's largest absolute value, and a diagonal of zeros may be
/// off by it (`f64`; for `f32` [`SYMMETRY_TOLERANCE_F32`]). The mean of the two is then used.
pub const SYMMETRY_TOLERANCE: f64 = 1e-10;

/// [`SYMMETRY_TOLERANCE`] for matrices stored as `f32`.
pub const SYMMETRY_TOLERANCE_F32: f64 = 1e-5;

/// What is observed about the pairs of points: distances or similarities, complete or not, owned or borrowed.
///
/// Square, symmetric, finite, and for distances non-negative with a zero diagonal, by construction: no further checks.
/// A pair that is not listed (sparse) or NaN (dense, on request) is *missing*: neither 0 nor infinite.
///
/// ```
/// use similis::{Dissimilarity, Metric, Points};
/// let points = Points::new(vec![0.0, 0.0, 3.0, 4.0], 2, 2)?;
/// let pairs = Dissimilarity::from_points(points, Metric::Euclidean)?;
/// assert_eq!(pairs.pair(0, 1), Some(5.0));
/// # Ok::<(), similis::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Dissimilarity<'a> {
    quantity: Quantity,
    pairs: Pairs<'a>,
    derived: Derived,
    /// Whether these are distances of numbers and categories together.
    mixed: bool,
}

/// Where the value of a pair comes from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Pairs<'a> {
    Points(MeasuredPoints<'a>),
    SparsePoints(MeasuredSparse),
    Square { values: Values<'a>, n_points: usize },
    Condensed { values: Values<'a>, n_points: usize },
    Sparse(SparseMatrix<'a>),
    Reordered(Reordered<'a>),
}

impl<'a> Dissimilarity<'a> {
    /// Returns the distances between points; each is computed when it is needed.
    ///
    /// # Errors
    ///
    /// Those of [`MeasuredPoints::new`].
    pub fn from_points(points: Points<'a>, metric: Metric) -> Result<Self, Error> {
        Ok(Self::from_measured(MeasuredPoints::new(points, metric)?))
    }

    /// Returns points that were prepared for their metric before.
    pub fn from_prepared(points: MeasuredPoints<'a>) -> Self {
        Self::from_measured(points)
    }

    pub(crate) fn from_measured(points: MeasuredPoints<'a>) -> Self {
        Self {
            quantity: Quantity::Distances,
            pairs: Pairs::Points(points),
            derived: Derived::default(),
            mixed: false,
        }
    }

    /// Returns what a square matrix holds, row after row.
    ///
    /// # Errors
    ///
    /// [`Error::Input`], and at the first bad entry [`Error::Input`]; [`Error::Settings`] if a
    /// symmetrised copy would not fit.
    pub fn from_square(
        values: impl Into<Values<'a>>,
        [n_rows, n_columns]: [usize; 2],
        quantity: Quantity,
        checks: Checks,
    ) -> Result<Self, Error> {
        let values = dense::checked_square(values.into(), [n_rows, n_columns], quantity, checks)?;
        Ok(Self {
            quantity,
            pairs: Pairs::Square { values, n_points: n_rows },
            derived: Derived::default(),
            mixed: false,
        })
    }

    /// Returns what a condensed matrix holds: the entries above the diagonal, row after row, as SciPy's `pdist`.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] unless the length is n (n - 1) / 2 for some n of at least 2, and at the first bad entry
    /// [`Error::Input`].
    pub fn from_condensed(
        values: impl Into<Values<'a>>,
        quantity: Quantity,
        checks: Checks,
    ) -> Result<Self, Error> {
        let values = values.into();
        let n_points = dense::checked_condensed(&values, quantity, checks)?;
        Ok(Self {
            quantity,
            pairs: Pairs::Condensed { values, n_points },
            derived: Derived::default(),
            mixed: false,
        })
    }

    /// Returns the distances of `n_points` items that `distance` measures, each pair once, the lower number first.
    ///
    /// ```
    /// use similis::{Auto, Dissimilarity, NClusters};
    /// let words = ["cat", "cart", "car", "elephant", "elephants"];
    /// let unlike = |i: usize, j: usize| words[i].len().abs_diff(words[j].len()) as f64;
    /// let fit = Auto::new(NClusters::Exactly(2)).fit(&Dissimilarity::from_fn(5, unlike)?, &[])?;
    /// assert_eq!(fit.labels().as_slice(), [0, 0, 0, 1, 1]);
    /// # Ok::<(), similis::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Input`] without items, and at the first distance that is negative, infinite or NaN.
    pub fn from_fn(n_points: usize, distance: impl Fn(usize, usize) -> f64) -> Result<Self, Error> {
        if n_points < 2 {
            let (alone, shape) = (vec![0.0; n_points], [n_points, n_points]);
            return Self::from_square(alone, shape, Quantity::Distances, Checks::default());
        }
        let row = |i: usize| (i + 1..n_points).map(move |j| (i, j));
        let values: Vec<f64> = (0..n_points).flat_map(row).map(|(i, j)| distance(i, j)).collect();
        Self::from_condensed(values, Quantity::Distances, Checks::default())
    }

    /// Returns what a sparse matrix lists; a pair it does not list is missing.
    ///
    /// # Errors
    ///
    /// [`Error::Input`], and [`Error::Input`]
    /// where a pair is listed once or with two values; with a symmetrisation a pair listed once has that value.
    pub fn from_sparse(matrix: SparseMatrix<'a>, quantity: Quantity, checks: Checks) -> Result<Self, Error> {
        let matrix = sparse::checked_symmetric(matrix, quantity, checks)?;
        Ok(Self { quantity, pairs: Pairs::Sparse(matrix), derived: Derived::default(), mixed: false })
    }

    /// How many bytes the numbers take.
    pub(crate) fn n_bytes(&self) -> u64 {
        match &self.pairs {
            Pairs::Points(measured) => 8 * measured.points().as_slice().len() as u64,
            Pairs::SparsePoints(measured) => measured.n_bytes(),
            Pairs::Square { values, .. } | Pairs::Condensed { values, .. } => values.n_bytes(),
            Pairs::Reordered(matrix) => matrix.values.n_bytes(),
            Pairs::Sparse(matrix) => (12 * matrix.columns().len() + 8 * matrix.n_points()) as u64,
        }
    }

    /// Returns these similarities turned into distances; distances stay as they are.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] at the first similarity outside the conversion's domain, [`Error::Input`],
    /// [`Error::Settings`].
    pub fn into_distances(self, conversion: Conversion, memory_limit: Option<u64>) -> Result<Self, Error> {
        if self.quantity == Quantity::Distances {
            return Ok(self);
        }
        let pairs = convert::to_distances(self.pairs, conversion, memory_limit)?;
        Ok(Self { quantity: Quantity::Distances, pairs, derived: Derived::default(), mixed: false })
    }

    /// What other modules computed from this input.
    pub(crate) fn derived(&self) -> &Derived {
        &self.derived
    }

    /// What the numbers are.
    pub fn quantity(&self) -> Quantity {
        self.quantity
    }

    /// Number of points (N).
    pub fn n_points(&self) -> usize {
        match &self.pairs {
            Pairs::Points(points) => points.n_points(),
            Pairs::SparsePoints(points) => points.n_points(),
            Pairs::Square { n_points, .. } | Pairs::Condensed { n_points, .. } => *n_points,
            Pairs::Sparse(matrix) => matrix.n_points(),
            Pairs::Reordered(matrix) => matrix.n_points(),
        }
    }

    /// The points behind the distances, if there are any.
    pub fn points(&self) -> Option<&MeasuredPoints<'a>> {
        match &self.pairs {
            Pairs::Points(points) => Some(points),
            _ => None,
        }
    }

    /// Whether a matrix with a place for every pair was given.
    pub(crate) fn is_dense(&self) -> bool {
        !self.is_measured() && !matches!(self.pairs, Pairs::Sparse(_))
    }

    /// Whether every pair was observed.
    pub fn is_complete(&self) -> bool {
        match &self.pairs {
            Pairs::Points(_) | Pairs::SparsePoints(_) => true,
            Pairs::Square { values, n_points } => {
                (0..*n_points).all(|i| (0..i).all(|j| !values.get(i * n_points + j).is_nan()))
            }
            Pairs::Condensed { values, .. } => (0..values.len()).all(|at| !values.get(at).is_nan()),
            Pairs::Reordered(matrix) => {
                (0..matrix.n_points()).all(|i| (0..i).all(|j| !matrix.get(i, j).is_nan()))
            }
            Pairs::Sparse(matrix) => {
                let n = matrix.n_points();
                let on_diagonal = (0..n).filter(|&i| matrix.get(i, i).is_some()).count();
                matrix.values().len() - on_diagonal == n * (n - 1)
            }
        }
    }

    /// The square matrix of observed pairs, row after row, if that is what was given, in `f64` and without a gap.
    pub(crate) fn square(&self) -> Option<&[f64]> {
        match &self.pairs {
            Pairs::Square { values: Values::F64(values), .. }
                if !values.iter().any(|value| value.is_nan()) =>
            {
                Some(values)
            }
            _ => None,
        }
    }

    /// The square matrix, row after row, NaN where a pair is missing, if that is what was given; and the row of each item,
    /// if the items stand in another order.
    pub(crate) fn square_values(&self) -> Option<(&Values<'a>, Option<&[usize]>)> {
        match &self.pairs {
            Pairs::Square { values, .. } => Some((values, None)),
            Pairs::Reordered(matrix) if matrix.is_square() => Some((&matrix.values, Some(matrix.order))),
            _ => None,
        }
    }

    /// The sparse matrix of observed pairs, if that is what was given.
    pub fn sparse(&self) -> Option<&SparseMatrix<'a>> {
        match &self.pairs {
            Pairs::Sparse(matrix) => Some(matrix),
            _ => None,
        }
    }

    /// What was observed about points `i` and `j`; `None` where the pair is missing.
    ///
    /// The diagonal is 0 for distances, and what was given for similarities.
    pub fn pair(&self, i: usize, j: usize) -> Option<f64> {
        if i == j && self.quantity == Quantity::Distances {
            return Some(0.0);
        }
        match &self.pairs {
            Pairs::Points(points) => Some(points.distance(i, j)),
            Pairs::SparsePoints(points) => Some(points.distance(i, j)),
            Pairs::Square { values, n_points } => present(values.get(i * n_points + j)),
            Pairs::Condensed { .. } if i == j => None,
            Pairs::Condensed { values, n_points } => {
                present(values.get(dense::condensed_index(*n_points, i, j)))
            }
            Pairs::Reordered(matrix) => present(matrix.get(i, j)),
            Pairs::Sparse(matrix) => matrix.get(i, j),
        }
    }
}

fn present(value: f64) -> Option<f64> {
    (!value.is_nan()).then_some(value)
}

#[cfg(test)]
mod tests;
