//! Sparse matrices in compressed rows.

use crate::error::InputError;
use std::borrow::Cow;

use crate::error::Error;
use crate::input::dense::{bad_entry, combined};
use crate::input::points::check_n_points;
use crate::input::{Checks, Quantity, SYMMETRY_TOLERANCE, Symmetrise};

/// A square sparse matrix in compressed rows (CSR): three vectors, owned or borrowed.
///
/// Row `i` holds entries `offsets[i]..offsets[i + 1]` of `columns` and `values`, columns rising.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseMatrix<'a> {
    offsets: Cow<'a, [usize]>,
    columns: Cow<'a, [u32]>,
    values: Cow<'a, [f64]>,
}

impl<'a> SparseMatrix<'a> {
    /// Returns the matrix of these compressed rows; entries of a row may stand in any order.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] if `columns` and `values`
    /// differ in length, [`Error::Input`].
    pub fn new(
        offsets: impl Into<Cow<'a, [usize]>>,
        columns: impl Into<Cow<'a, [u32]>>,
        values: impl Into<Cow<'a, [f64]>>,
    ) -> Result<Self, Error> {
        let mut matrix = Self { offsets: offsets.into(), columns: columns.into(), values: values.into() };
        matrix.check_offsets()?;
        matrix.sort_rows();
        matrix.check_columns()?;
        Ok(matrix)
    }

    /// Returns the matrix of the edges `(i, j, value)` of an undirected graph.
    ///
    /// An edge listed once is entered both ways; one listed as (i, j) and as (j, i) keeps the two values, which
    /// [`Dissimilarity::from_sparse`](crate::input::Dissimilarity::from_sparse) compares.
    ///
    /// # Errors
    ///
    /// [`Error::Input`], and [`Error::Input`] where (i, j) is listed
    /// twice.
    pub fn from_edges(
        n_points: usize,
        edges: &[(usize, usize, f64)],
    ) -> Result<SparseMatrix<'static>, Error> {
        check_n_points(n_points)?;
        let outside = |&&(i, j, _): &&(usize, usize, f64)| i.max(j) >= n_points;
        if let Some(&(i, j, _)) = edges.iter().find(outside) {
            return Err(Error::Input(InputError::Column { row: i.min(j), column: i.max(j), n_points }));
        }
        let mut entries = edges.to_vec();
        entries.sort_by_key(|&(i, j, _)| (i, j));
        let listed = |i, j| entries.binary_search_by_key(&(i, j), |&(i, j, _)| (i, j)).is_ok();
        let once = edges.iter().filter(|&&(i, j, _)| i != j && !listed(j, i));
        let mirrored: Vec<_> = once.map(|&(i, j, value)| (j, i, value)).collect();
        entries.extend(mirrored);
        entries.sort_by_key(|&(i, j, _)| (i, j));
        let mut offsets = vec![0; n_points + 1];
        entries.iter().for_each(|&(i, ..)| offsets[i + 1] += 1);
        for i in 0..n_points {
            offsets[i + 1] += offsets[i];
        }
        let columns: Vec<u32> = entries.iter().map(|&(_, j, _)| j as u32).collect();
        let values: Vec<f64> = entries.iter().map(|&(.., value)| value).collect();
        SparseMatrix::new(offsets, columns, values)
    }

    /// The same matrix, its parts borrowed.
    pub(crate) fn borrowed(&self) -> SparseMatrix<'_> {
        SparseMatrix {
            offsets: (&*self.offsets).into(),
            columns: (&*self.columns).into(),
            values: (&*self.values).into(),
        }
    }

    /// A matrix whose parts are known to be good: offsets of its rows, columns rising within each.
    pub(crate) fn from_sorted_rows(offsets: Vec<usize>, columns: Vec<u32>, values: Vec<f64>) -> Self {
        Self { offsets: offsets.into(), columns: columns.into(), values: values.into() }
    }

    /// Number of points: rows, and columns.
    pub fn n_points(&self) -> usize {
        self.offsets.len() - 1
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

    /// The values, to be changed; the pattern stays.
    pub(crate) fn values_mut(&mut self) -> &mut [f64] {
        self.values.to_mut()
    }

    /// The entries `(column, value)` of row `i`, columns rising.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.offsets[i]..self.offsets[i + 1];
        self.columns[range.clone()].iter().map(|&j| j as usize).zip(self.values[range].iter().copied())
    }

    /// The entry at (i, j), if it is listed.
    pub fn get(&self, i: usize, j: usize) -> Option<f64> {
        let start = self.offsets[i];
        let row = &self.columns[start..self.offsets[i + 1]];
        row.binary_search(&(j as u32)).ok().map(|at| self.values[start + at])
    }

    fn check_offsets(&self) -> Result<(), Error> {
        let n_entries = self.columns.len();
        check_n_points(self.offsets.len().saturating_sub(1))?;
        if n_entries != self.values.len() {
            return Err(Error::Input(InputError::Length {
                n_rows: 1,
                n_columns: n_entries,
                given: self.values.len(),
            }));
        }
        let last = self.offsets.len() - 1;
        for (position, &given) in self.offsets.iter().enumerate() {
            let before = if position == 0 { 0 } else { self.offsets[position - 1] };
            let wrong_end = (position == 0 && given != 0) || (position == last && given != n_entries);
            if given < before || given > n_entries || wrong_end {
                return Err(Error::Input(InputError::Offsets { position, given, n_entries }));
            }
        }
        Ok(())
    }

    fn sort_rows(&mut self) {
        for i in 0..self.n_points() {
            let range = self.offsets[i]..self.offsets[i + 1];
            if self.columns[range.clone()].is_sorted() {
                continue;
            }
            let mut entries: Vec<(u32, f64)> =
                range.clone().map(|at| (self.columns[at], self.values[at])).collect();
            entries.sort_by_key(|&(column, _)| column);
            for (at, (column, value)) in range.zip(entries) {
                self.columns.to_mut()[at] = column;
                self.values.to_mut()[at] = value;
            }
        }
    }

    fn check_columns(&self) -> Result<(), Error> {
        let n_points = self.n_points();
        for row in 0..n_points {
            let columns = &self.columns[self.offsets[row]..self.offsets[row + 1]];
            if let Some(&column) = columns.last().filter(|&&column| column as usize >= n_points) {
                return Err(Error::Input(InputError::Column { row, column: column as usize, n_points }));
            }
            if let Some(pair) = columns.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(Error::Input(InputError::Duplicate { row, column: pair[0] as usize }));
            }
        }
        Ok(())
    }

    /// Whether every entry has a mirror image of the same bits.
    fn is_symmetric(&self) -> bool {
        (0..self.n_points()).all(|i| self.row(i).all(|(j, value)| self.get(j, i) == Some(value)))
    }
}

/// Returns the matrix, symmetric to the bit, without a diagonal if it holds distances.
pub(crate) fn checked_symmetric(
    matrix: SparseMatrix<'_>,
    quantity: Quantity,
    checks: Checks,
) -> Result<SparseMatrix<'_>, Error> {
    let greatest = check_entries(&matrix, quantity)?;
    let tolerance = SYMMETRY_TOLERANCE * greatest;
    let has_diagonal = check_diagonal(&matrix, quantity, tolerance)?;
    if !has_diagonal && matrix.is_symmetric() {
        return Ok(matrix);
    }
    let drop_diagonal = quantity == Quantity::Distances;
    let mut edges = Vec::with_capacity(matrix.values.len());
    for i in 0..matrix.n_points() {
        for (j, given) in matrix.row(i) {
            let mirrored = matrix.get(j, i).unwrap_or(f64::NAN);
            let agree = (given - mirrored).abs() <= tolerance;
            if checks.symmetrise == Symmetrise::Error && !agree {
                return Err(Error::Input(InputError::Asymmetric { row: i, column: j, given, mirrored }));
            }
            // The other direction adds the edge when this one is its mirror image.
            if i < j || (i == j && !drop_diagonal) || (i > j && mirrored.is_nan()) {
                let rule = if agree { Symmetrise::Mean } else { checks.symmetrise };
                edges.push((i, j, combined(given, mirrored, rule)));
            }
        }
    }
    SparseMatrix::from_edges(matrix.n_points(), &edges)
}

/// Checks every listed value; returns the greatest absolute one.
fn check_entries(matrix: &SparseMatrix<'_>, quantity: Quantity) -> Result<f64, Error> {
    let least = if quantity == Quantity::Distances { 0.0 } else { f64::MIN };
    let mut greatest = 0.0f64;
    for i in 0..matrix.n_points() {
        for (j, value) in matrix.row(i) {
            if !(value >= least && value <= f64::MAX) {
                return Err(bad_entry((i, j), value, quantity));
            }
            greatest = greatest.max(value.abs());
        }
    }
    Ok(greatest)
}

/// Whether distances list their diagonal, which then has to be 0.
fn check_diagonal(matrix: &SparseMatrix<'_>, quantity: Quantity, tolerance: f64) -> Result<bool, Error> {
    if quantity == Quantity::Similarities {
        return Ok(false);
    }
    let mut listed = false;
    for row in 0..matrix.n_points() {
        if let Some(given) = matrix.get(row, row) {
            listed = true;
            if given > tolerance {
                return Err(Error::Input(InputError::Diagonal { row, given }));
            }
        }
    }
    Ok(listed)
}
