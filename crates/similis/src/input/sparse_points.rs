//! Points in compressed rows: most of their coordinates are 0, and only the others are kept.

use std::cmp::Ordering;

use crate::error::{Error, InputError};
use crate::input::points::{Points, check_n_points};

/// Points as compressed rows (CSR) of coordinates; those that are not listed are 0. Every coordinate is finite.
#[derive(Clone, Debug, PartialEq)]
pub struct SparsePoints {
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    n_dimensions: usize,
}

/// The coordinates of a point that are not 0, columns rising.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SparseRow<'a> {
    /// Their columns.
    pub columns: &'a [u32],
    /// Their values.
    pub values: &'a [f64],
}

impl SparsePoints {
    /// Returns the points of these compressed rows: row `i` holds entries `offsets[i]..offsets[i + 1]` of `columns` and `values`,
    /// in any order. Listed zeros are dropped.
    ///
    /// ```
    /// use similis::input::SparsePoints;
    /// let points = SparsePoints::new(&[0, 2, 3], &[7, 1, 0], &[0.5, 2.0, 1.0], 9)?;
    /// assert_eq!(points.row(0).columns, [1, 7]);
    /// # Ok::<(), similis::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Input`] if the vectors do not fit together, and at the first coordinate that is not finite, is in no column or is
    /// listed twice.
    pub fn new(
        offsets: &[usize],
        columns: &[u32],
        values: &[f64],
        n_dimensions: usize,
    ) -> Result<Self, Error> {
        let n_points = offsets.len().saturating_sub(1);
        check_n_points(n_points)?;
        if n_dimensions == 0 {
            return Err(Error::Input(InputError::NoDimensions { n_points }));
        }
        check_offsets(offsets, columns.len(), values.len())?;
        let mut kept = Self { offsets: vec![0], columns: Vec::new(), values: Vec::new(), n_dimensions };
        for row in 0..n_points {
            let mut entries: Vec<(u32, f64)> =
                (offsets[row]..offsets[row + 1]).map(|at| (columns[at], values[at])).collect();
            entries.sort_by_key(|&(column, _)| column);
            check_row(row, &entries, n_dimensions)?;
            let some = entries.iter().filter(|&&(_, value)| value != 0.0);
            some.for_each(|&(column, value)| kept.push(column, value));
            kept.end_row();
        }
        Ok(kept)
    }

    /// The same points without their zeros.
    pub fn from_points(points: &Points<'_>) -> Self {
        let n_dimensions = points.n_dimensions();
        let mut kept = Self { offsets: vec![0], columns: Vec::new(), values: Vec::new(), n_dimensions };
        for i in 0..points.n_points() {
            let some = points.row(i).iter().enumerate().filter(|&(_, &value)| value != 0.0);
            some.for_each(|(column, &value)| kept.push(column as u32, value));
            kept.end_row();
        }
        kept
    }

    fn push(&mut self, column: u32, value: f64) {
        self.columns.push(column);
        self.values.push(value);
    }

    fn end_row(&mut self) {
        self.offsets.push(self.columns.len());
    }

    /// The same points with all their zeros: 8 bytes for each coordinate.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for more coordinates than can be counted.
    pub fn to_dense(&self) -> Result<Points<'static>, Error> {
        let (n, d) = (self.n_points(), self.n_dimensions);
        let given = self.values.len();
        let length =
            n.checked_mul(d).ok_or(Error::Input(InputError::Length { n_rows: n, n_columns: d, given }))?;
        let mut values = vec![0.0; length];
        for i in 0..n {
            let row = self.row(i);
            row.columns.iter().zip(row.values).for_each(|(&k, &x)| values[i * d + k as usize] = x);
        }
        Points::new(values, n, d)
    }

    /// Number of points (N).
    pub fn n_points(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of coordinates of each point, zeros included.
    pub fn n_dimensions(&self) -> usize {
        self.n_dimensions
    }

    /// Number of coordinates that are not 0.
    pub fn n_entries(&self) -> usize {
        self.values.len()
    }

    /// The coordinates of point `i` that are not 0.
    pub fn row(&self, i: usize) -> SparseRow<'_> {
        let range = self.offsets[i]..self.offsets[i + 1];
        SparseRow { columns: &self.columns[range.clone()], values: &self.values[range] }
    }

    /// Where each row starts, and the number of entries.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The column of each entry.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// The value of each entry.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Some of the points, in the order given.
    pub(crate) fn some(&self, chosen: &[usize]) -> Self {
        let n_dimensions = self.n_dimensions;
        let mut kept = Self { offsets: vec![0], columns: Vec::new(), values: Vec::new(), n_dimensions };
        for &i in chosen {
            let row = self.row(i);
            kept.columns.extend(row.columns);
            kept.values.extend(row.values);
            kept.end_row();
        }
        kept
    }

    /// The points whose rows `change` has changed.
    pub(crate) fn map_rows(mut self, change: impl Fn(&mut [f64])) -> Self {
        for row in self.offsets.windows(2) {
            change(&mut self.values[row[0]..row[1]]);
        }
        self
    }
}

/// Returns an error unless offsets rise from 0 to the number of entries.
fn check_offsets(offsets: &[usize], n_entries: usize, n_values: usize) -> Result<(), Error> {
    if n_entries != n_values {
        let (n_rows, n_columns) = (1, n_entries);
        return Err(Error::Input(InputError::Length { n_rows, n_columns, given: n_values }));
    }
    let last = offsets.len() - 1;
    for (position, &given) in offsets.iter().enumerate() {
        let before = if position == 0 { 0 } else { offsets[position - 1] };
        let wrong_end = (position == 0 && given != 0) || (position == last && given != n_entries);
        if given < before || given > n_entries || wrong_end {
            return Err(Error::Input(InputError::Offsets { position, given, n_entries }));
        }
    }
    Ok(())
}

/// Returns an error unless the entries of a row, columns rising, are finite, each in a column of its own.
fn check_row(row: usize, entries: &[(u32, f64)], n_dimensions: usize) -> Result<(), Error> {
    if let Some(&(column, _)) = entries.last().filter(|&&(column, _)| column as usize >= n_dimensions) {
        let column = column as usize;
        return Err(Error::Input(InputError::PointColumn { row, column, n_dimensions }));
    }
    if let Some(twice) = entries.windows(2).find(|two| two[0].0 == two[1].0) {
        return Err(Error::Input(InputError::Repeated { row, column: twice[0].0 as usize }));
    }
    match entries.iter().find(|(_, value)| !value.is_finite()) {
        Some(&(column, given)) => {
            Err(Error::Input(InputError::Coordinate { row, column: column as usize, given }))
        }
        None => Ok(()),
    }
}

impl SparseRow<'_> {
    /// Calls `visit(x, y)` for the coordinates of two rows, column after column, but for those that are 0 in both.
    #[inline]
    fn for_each(self, other: SparseRow<'_>, mut visit: impl FnMut(f64, f64)) {
        let (mut p, mut q) = (0, 0);
        while p < self.columns.len() && q < other.columns.len() {
            let (a, b) = (self.columns[p], other.columns[q]);
            visit(if a <= b { self.values[p] } else { 0.0 }, if b <= a { other.values[q] } else { 0.0 });
            p += usize::from(a <= b);
            q += usize::from(b <= a);
        }
        self.values[p..].iter().for_each(|&x| visit(x, 0.0));
        other.values[q..].iter().for_each(|&y| visit(0.0, y));
    }

    /// The sum of the squared differences, in the order of the columns: what is left out of the sum over all columns is 0, so the
    /// bits are those of rows with all their zeros.
    #[inline]
    pub(crate) fn squared(self, other: SparseRow<'_>) -> f64 {
        let mut sum = 0.0;
        self.for_each(other, |x, y| sum += (x - y) * (x - y));
        sum
    }

    /// Compares two rows coordinate after coordinate, as rows with all their zeros are compared.
    pub(crate) fn compare(self, other: SparseRow<'_>) -> Ordering {
        let mut found = Ordering::Equal;
        self.for_each(other, |x, y| found = found.then((x + 0.0).total_cmp(&(y + 0.0))));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_construction_error_names_what_was_given() {
        let wrong = |offsets: &[usize], columns: &[u32], values: &[f64], n| {
            let found = SparsePoints::new(offsets, columns, values, n);
            match found.unwrap_err() {
                Error::Input(error) => error,
                other => panic!("{other}"),
            }
        };
        assert_eq!(wrong(&[], &[], &[], 3), InputError::NoPoints);
        assert_eq!(wrong(&[0, 0], &[], &[], 0), InputError::NoDimensions { n_points: 1 });
        assert!(matches!(wrong(&[0, 1], &[1, 2], &[1.0, 1.0], 3), InputError::Offsets { position: 1, .. }));
        assert!(matches!(wrong(&[0, 2], &[1, 2], &[1.0], 3), InputError::Length { given: 1, .. }));
        let outside = InputError::PointColumn { row: 0, column: 3, n_dimensions: 3 };
        assert_eq!(wrong(&[0, 2], &[3, 2], &[1.0, 1.0], 3), outside);
        assert_eq!(wrong(&[0, 0, 2], &[2, 2], &[1.0, 1.0], 3), InputError::Repeated { row: 1, column: 2 });
        let infinite = InputError::Coordinate { row: 0, column: 1, given: f64::INFINITY };
        assert_eq!(wrong(&[0, 1], &[1], &[f64::INFINITY], 3), infinite);
    }
}
