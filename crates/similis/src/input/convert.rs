//! Conversion of similarities to distances.

use crate::error::{Error, InputError, check_memory};
use crate::input::dense::{Number, Values, condensed_place};
use crate::input::sparse::SparseMatrix;
use crate::input::{Conversion, Pairs};
use crate::settings::Named;

impl Conversion {
    /// What must hold for a similarity that is to be converted.
    pub(crate) fn needs(self) -> &'static str {
        match self {
            Self::OneMinus => "a similarity of at most 1",
            Self::NegativeLog => "a similarity above 0 and of at most 1",
            Self::Inverse => "a similarity above 0 whose inverse is finite",
            Self::Kernel => "a pair whose similarity is no greater than the mean of its two on the diagonal",
        }
    }

    /// The distance for similarity `s` off the diagonal, if it has one; `mean` is the mean of the two on the diagonal.
    ///
    /// `tolerance` is the part of a kernel's diagonal by which rounding may exceed its bound.
    fn distance(self, s: f64, mean: f64, tolerance: f64) -> Option<f64> {
        let rounding = tolerance * mean.abs();
        let distance = match self {
            Self::OneMinus if s <= 1.0 => 1.0 - s,
            // `max` turns the -0 of log 1 into 0.
            Self::NegativeLog if s > 0.0 && s <= 1.0 => (-s.ln()).max(0.0),
            Self::Inverse if s > 0.0 => 1.0 / s,
            Self::Kernel if s <= mean + rounding => (2.0 * (mean - s)).max(0.0).sqrt(),
            _ => return None,
        };
        distance.is_finite().then_some(distance)
    }
}

impl Named for Conversion {
    const SETTING: &'static str = "conversion";
    const VALUES: &'static [(&'static str, Self)] = &[
        ("one_minus", Self::OneMinus),
        ("negative_log", Self::NegativeLog),
        ("inverse", Self::Inverse),
        ("kernel", Self::Kernel),
    ];
}

impl std::fmt::Display for Conversion {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name())
    }
}

/// Returns the distances that `conversion` makes of similarities; a missing pair stays missing.
pub(crate) fn to_distances(
    pairs: Pairs<'_>,
    conversion: Conversion,
    memory_limit: Option<u64>,
) -> Result<Pairs<'_>, Error> {
    let check = |bytes| check_memory(bytes, memory_limit, "a converted copy", "give a matrix of distances");
    match pairs {
        Pairs::Points(_) | Pairs::SparsePoints(_) => Ok(pairs),
        Pairs::Square { values, n_points } => {
            check(values.n_bytes())?;
            let values = match values {
                Values::F32(values) => convert_square(values.into_owned(), n_points, conversion)?.into(),
                Values::F64(values) => convert_square(values.into_owned(), n_points, conversion)?.into(),
            };
            Ok(Pairs::Square { values, n_points })
        }
        Pairs::Condensed { .. } | Pairs::Sparse(_) if conversion == Conversion::Kernel => {
            Err(Error::Input(InputError::KernelDiagonal))
        }
        Pairs::Condensed { values, n_points } => {
            check(values.n_bytes())?;
            let values = match values {
                Values::F32(values) => convert_condensed(values.into_owned(), n_points, conversion)?.into(),
                Values::F64(values) => convert_condensed(values.into_owned(), n_points, conversion)?.into(),
            };
            Ok(Pairs::Condensed { values, n_points })
        }
        Pairs::Reordered(matrix) => to_distances(matrix.copied(), conversion, memory_limit),
        Pairs::Sparse(matrix) => convert_sparse(&matrix, conversion).map(Pairs::Sparse),
    }
}

fn convert_sparse(matrix: &SparseMatrix<'_>, conversion: Conversion) -> Result<SparseMatrix<'static>, Error> {
    let mut edges = Vec::with_capacity(matrix.values().len() / 2);
    for i in 0..matrix.n_points() {
        for (j, s) in matrix.row(i).filter(|&(j, _)| j > i) {
            edges.push((i, j, converted(s, 0.0, (i, j), conversion)?));
        }
    }
    SparseMatrix::from_edges(matrix.n_points(), &edges)
}

fn convert_square<T: Number>(
    mut values: Vec<T>,
    n_points: usize,
    conversion: Conversion,
) -> Result<Vec<T>, Error> {
    let diagonal: Vec<f64> = (0..n_points).map(|i| values[i * n_points + i].into()).collect();
    for (at, value) in values.iter_mut().enumerate() {
        let (i, j) = (at / n_points, at % n_points);
        let mean = 0.5 * (diagonal[i] + diagonal[j]);
        *value = if i == j { T::nearest(0.0) } else { converted(*value, mean, (i, j), conversion)? };
    }
    Ok(values)
}

fn convert_condensed<T: Number>(
    mut values: Vec<T>,
    n_points: usize,
    conversion: Conversion,
) -> Result<Vec<T>, Error> {
    for (at, value) in values.iter_mut().enumerate() {
        *value = converted(*value, 0.0, condensed_place(n_points, at), conversion)?;
    }
    Ok(values)
}

/// The distance for a similarity, finite as it is stored; missing stays missing.
fn converted<T: Number>(s: T, mean: f64, place: (usize, usize), conversion: Conversion) -> Result<T, Error> {
    let given: f64 = s.into();
    if given.is_nan() {
        return Ok(s);
    }
    let stored = conversion.distance(given, mean, T::TOLERANCE).map(T::nearest);
    stored.filter(|&distance| distance.into().is_finite()).ok_or_else(|| refused(given, place, conversion))
}

fn refused(given: f64, (row, column): (usize, usize), conversion: Conversion) -> Error {
    Error::Input(InputError::Conversion { row, column, given, conversion })
}
