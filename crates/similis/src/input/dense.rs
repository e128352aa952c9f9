//! Dense matrices of pairs, square or condensed, `f32` or `f64`.

use crate::error::InputError;
use std::borrow::Cow;
use std::ops::Range;

use crate::error::{Error, check_memory};
use crate::input::points::check_n_points;
use crate::input::{Checks, Missing, Quantity, SYMMETRY_TOLERANCE, SYMMETRY_TOLERANCE_F32, Symmetrise};
use crate::run::parallel;

/// The numbers of a dense matrix: `f32` or `f64`, owned or borrowed.
#[derive(Clone, Debug, PartialEq)]
pub enum Values<'a> {
    /// Single precision: half the memory; every sum is still taken in `f64`.
    F32(Cow<'a, [f32]>),
    /// Double precision.
    F64(Cow<'a, [f64]>),
}

impl From<Vec<f64>> for Values<'_> {
    fn from(values: Vec<f64>) -> Self {
        Self::F64(values.into())
    }
}

impl<'a> From<&'a [f64]> for Values<'a> {
    fn from(values: &'a [f64]) -> Self {
        Self::F64(values.into())
    }
}

impl From<Vec<f32>> for Values<'_> {
    fn from(values: Vec<f32>) -> Self {
        Self::F32(values.into())
    }
}

impl<'a> From<&'a [f32]> for Values<'a> {
    fn from(values: &'a [f32]) -> Self {
        Self::F32(values.into())
    }
}

/// A stored number: `f32` or `f64`.
pub(crate) trait Number: Copy + Into<f64> + Send + Sync {
    /// Largest difference of the two entries of a pair, as a fraction of the largest entry.
    const TOLERANCE: f64;
    fn nearest(value: f64) -> Self;
}

impl Number for f32 {
    const TOLERANCE: f64 = SYMMETRY_TOLERANCE_F32;
    fn nearest(value: f64) -> Self {
        value as f32
    }
}

impl Number for f64 {
    const TOLERANCE: f64 = SYMMETRY_TOLERANCE;
    fn nearest(value: f64) -> Self {
        value
    }
}

impl Values<'_> {
    /// How many numbers there are.
    pub fn len(&self) -> usize {
        match self {
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the numbers in double precision, without a copy if they are owned and kept so.
    pub fn into_f64(self) -> Vec<f64> {
        match self {
            Self::F32(values) => values.iter().map(|&value| value.into()).collect(),
            Self::F64(values) => values.into_owned(),
        }
    }

    /// The same numbers, borrowed.
    pub(crate) fn borrowed(&self) -> Values<'_> {
        match self {
            Self::F32(values) => Values::F32((&**values).into()),
            Self::F64(values) => Values::F64((&**values).into()),
        }
    }

    pub(crate) fn get(&self, at: usize) -> f64 {
        match self {
            Self::F32(values) => values[at].into(),
            Self::F64(values) => values[at],
        }
    }

    /// Calls `visit(k, value)` for the `length` numbers from `start` on.
    pub(crate) fn for_each(&self, start: usize, length: usize, mut visit: impl FnMut(usize, f64)) {
        match self {
            Self::F32(values) => {
                values[start..start + length]
                    .iter()
                    .enumerate()
                    .for_each(|(k, &value)| visit(k, value.into()));
            }
            Self::F64(values) => {
                values[start..start + length].iter().enumerate().for_each(|(k, &value)| visit(k, value));
            }
        }
    }

    /// Bytes that a copy takes.
    pub(crate) fn n_bytes(&self) -> u64 {
        match self {
            Self::F32(values) => size_of_val(&values[..]) as u64,
            Self::F64(values) => size_of_val(&values[..]) as u64,
        }
    }
}

/// Where the pair (i, j) stands in a condensed matrix.
pub(crate) fn condensed_index(n_points: usize, i: usize, j: usize) -> usize {
    let (low, high) = if i < j { (i, j) } else { (j, i) };
    low * n_points - low * (low + 1) / 2 + high - low - 1
}

/// The row and column of entry `at` of a condensed matrix.
pub(crate) fn condensed_place(n_points: usize, at: usize) -> (usize, usize) {
    let mut row = 0;
    let mut left = at;
    while left >= n_points - row - 1 {
        left -= n_points - row - 1;
        row += 1;
    }
    (row, row + 1 + left)
}

/// Returns the number of points of a condensed matrix whose entries are all good.
pub(crate) fn checked_condensed(
    values: &Values<'_>,
    quantity: Quantity,
    checks: Checks,
) -> Result<usize, Error> {
    let given = values.len();
    let n_points = usize::midpoint(1, (1 + 8 * given).isqrt());
    if given == 0 || n_points * (n_points - 1) / 2 != given {
        return Err(Error::Input(InputError::Condensed { given }));
    }
    let place = |at| condensed_place(n_points, at);
    match values {
        Values::F32(values) => check_entries(values, quantity, checks, place),
        Values::F64(values) => check_entries(values, quantity, checks, place),
    }?;
    Ok(n_points)
}

/// Returns the values of a square matrix, symmetric to the bit.
pub(crate) fn checked_square(
    values: Values<'_>,
    [n_rows, n_columns]: [usize; 2],
    quantity: Quantity,
    checks: Checks,
) -> Result<Values<'_>, Error> {
    if n_rows != n_columns {
        return Err(Error::Input(InputError::NotSquare { n_rows, n_columns }));
    }
    check_n_points(n_rows)?;
    if n_rows.checked_mul(n_columns) != Some(values.len()) {
        return Err(Error::Input(InputError::Length { n_rows, n_columns, given: values.len() }));
    }
    let bytes = values.n_bytes();
    let copied = |rule| {
        let instead = "use symmetric input, f32, or a sparse matrix of the near pairs";
        check_memory(bytes, checks.memory_limit, "a symmetrised copy", instead).map(|()| rule)
    };
    Ok(match values {
        Values::F32(values) => Values::F32(symmetric(values, n_rows, quantity, checks, copied)?),
        Values::F64(values) => Values::F64(symmetric(values, n_rows, quantity, checks, copied)?),
    })
}

fn symmetric<T: Number>(
    values: Cow<'_, [T]>,
    n_points: usize,
    quantity: Quantity,
    checks: Checks,
    copied: impl Fn(Symmetrise) -> Result<Symmetrise, Error>,
) -> Result<Cow<'_, [T]>, Error>
where
    [T]: ToOwned<Owned = Vec<T>>,
{
    let greatest = check_entries(&values, quantity, checks, |at| (at / n_points, at % n_points))?;
    let tolerance = T::TOLERANCE * greatest;
    if quantity == Quantity::Distances {
        check_diagonal(&values, n_points, tolerance)?;
    }
    let asymmetry = asymmetry(&values, n_points, tolerance);
    let rule = match (asymmetry.beyond, checks.symmetrise) {
        (Some(error), Symmetrise::Error) => return Err(error),
        (None, _) if asymmetry.exact => return Ok(values),
        (None, Symmetrise::Error) => copied(Symmetrise::Mean)?,
        (_, rule) => copied(rule)?,
    };
    let mut values = values.into_owned();
    symmetrise(&mut values, n_points, rule);
    Ok(values.into())
}

/// Checks every entry; returns the greatest absolute value.
fn check_entries<T: Number>(
    values: &[T],
    quantity: Quantity,
    checks: Checks,
    place: impl Fn(usize) -> (usize, usize),
) -> Result<f64, Error> {
    const PIECE: usize = 1 << 16;
    let least = if quantity == Quantity::Distances { 0.0 } else { f64::MIN };
    let missing = checks.missing == Missing::Unobserved;
    let good = |value: f64| (value >= least && value <= f64::MAX) || (missing && value.is_nan());
    let pieces = parallel::map(values.len().div_ceil(PIECE), |piece| {
        let start = piece * PIECE;
        let part = &values[start..values.len().min(start + PIECE)];
        // Good pieces, which most are, are read without a branch.
        let (mut greatest, mut all_good) = (0.0f64, true);
        for value in part.iter().map(|&value| value.into()) {
            all_good &= good(value);
            greatest = if value.abs() > greatest { value.abs() } else { greatest };
        }
        match part.iter().position(|&value| !all_good && !good(value.into())) {
            Some(k) => Err(start + k),
            None => Ok(greatest),
        }
    });
    let mut greatest = 0.0f64;
    for piece in pieces {
        greatest = greatest.max(piece.map_err(|at| bad_entry(place(at), values[at].into(), quantity))?);
    }
    Ok(greatest)
}

/// The error for an entry that is not allowed.
pub(crate) fn bad_entry((row, column): (usize, usize), given: f64, quantity: Quantity) -> Error {
    if given.is_nan() {
        Error::Input(InputError::Missing { row, column, quantity })
    } else if given.is_infinite() {
        Error::Input(InputError::Infinite { row, column, given, quantity })
    } else {
        Error::Input(InputError::Negative { row, column, given, quantity })
    }
}

fn check_diagonal<T: Number>(values: &[T], n_points: usize, tolerance: f64) -> Result<(), Error> {
    for row in 0..n_points {
        let given: f64 = values[row * n_points + row].into();
        if given > tolerance {
            return Err(Error::Input(InputError::Diagonal { row, given }));
        }
    }
    Ok(())
}

/// How far a matrix is from its mirror image.
struct Asymmetry {
    /// Every entry equals its mirror image to the bit (or both are missing).
    exact: bool,
    /// The first pair whose entries differ by more than the tolerance.
    beyond: Option<Error>,
}

/// Compares the matrix with its mirror image tile by tile, so that both stay in the cache.
fn asymmetry<T: Number>(values: &[T], n_points: usize, tolerance: f64) -> Asymmetry {
    const TILE: usize = 64;
    let tile = |number: usize| number * TILE..n_points.min((number + 1) * TILE);
    let n_tiles = n_points.div_ceil(TILE);
    let rows = parallel::map(n_tiles, |row| {
        let mut found = Asymmetry { exact: true, beyond: None };
        // Most tiles are symmetric to the bit: no pair of theirs need be looked at.
        for column in (row..n_tiles).filter(|&column| !mirrored(values, n_points, [tile(row), tile(column)]))
        {
            found.add(values, n_points, tolerance, [tile(row), tile(column)]);
        }
        found
    });
    Asymmetry { exact: rows.iter().all(|row| row.exact), beyond: rows.into_iter().find_map(|row| row.beyond) }
}

/// Whether every entry of a tile equals its mirror image; NaN equals nothing.
fn mirrored<T: Number>(values: &[T], n_points: usize, [rows, columns]: [Range<usize>; 2]) -> bool {
    rows.into_iter().all(|row| {
        let line = &values[row * n_points..][columns.clone()];
        let mirror = values[columns.start * n_points + row..].iter().step_by(n_points);
        line.iter()
            .zip(mirror)
            .fold(true, |same, (&given, &mirrored)| same & (given.into() == mirrored.into()))
    })
}

impl Asymmetry {
    /// Takes account of the pairs of a tile that are above the diagonal.
    fn add<T: Number>(
        &mut self,
        values: &[T],
        n_points: usize,
        tolerance: f64,
        [rows, columns]: [Range<usize>; 2],
    ) {
        for row in rows {
            for column in columns.start.max(row + 1)..columns.end {
                let given: f64 = values[row * n_points + column].into();
                let mirrored: f64 = values[column * n_points + row].into();
                if given == mirrored || (given.is_nan() && mirrored.is_nan()) {
                    continue;
                }
                self.exact = false;
                if !((given - mirrored).abs() <= tolerance) && self.beyond.is_none() {
                    self.beyond = Some(Error::Input(InputError::Asymmetric { row, column, given, mirrored }));
                }
            }
        }
    }
}

/// Gives both entries of every pair the value that `rule` names; where one is missing, the other's.
fn symmetrise<T: Number>(values: &mut [T], n_points: usize, rule: Symmetrise) {
    for row in 0..n_points {
        for column in row + 1..n_points {
            let one = values[row * n_points + column].into();
            let other = values[column * n_points + row].into();
            let value = T::nearest(combined(one, other, rule));
            values[row * n_points + column] = value;
            values[column * n_points + row] = value;
        }
    }
}

/// The one value of a pair that has two.
pub(crate) fn combined(one: f64, other: f64, rule: Symmetrise) -> f64 {
    match rule {
        _ if one.is_nan() => other,
        _ if other.is_nan() => one,
        Symmetrise::Error | Symmetrise::Mean => 0.5 * one + 0.5 * other,
        Symmetrise::Min => one.min(other),
        Symmetrise::Max => one.max(other),
    }
}
