//! Sparse matrices on their way in: entries as they are listed, then compressed rows.

use similis::SparseMatrix;
use similis::input::Values;

use super::budget::Budget;
use super::table::Table;
use crate::error::Error;

/// Bytes that a row of a sparse matrix takes on its way to the models, without its entries: twice the 16 that were measured,
/// because rows and columns may be exchanged.
pub(super) const PER_ROW: u64 = 32;

/// Entries of a matrix in the order of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entries {
    /// The row of each, counted from 0.
    pub rows: Vec<u32>,
    /// The column of each, counted from 0.
    pub columns: Vec<u32>,
    /// The value of each.
    pub values: Vec<f64>,
}

/// A matrix in compressed rows: entries `offsets[i]..offsets[i + 1]` are those of row `i`.
#[derive(Clone, Debug, PartialEq)]
pub struct Compressed {
    /// Where each row begins, and the last ends.
    pub offsets: Vec<usize>,
    /// The column of each entry.
    pub columns: Vec<u32>,
    /// The value of each entry.
    pub values: Vec<f64>,
    /// How many columns there are.
    pub n_columns: usize,
}

impl Entries {
    /// Adds an entry, as far as the memory may go.
    pub(super) fn add(
        &mut self,
        budget: &Budget,
        row: usize,
        column: usize,
        value: f64,
    ) -> Result<(), Error> {
        budget.grow(&mut self.rows, 1)?;
        budget.grow(&mut self.columns, 1)?;
        budget.grow(&mut self.values, 1)?;
        self.push(row, column, value);
        Ok(())
    }

    /// Returns an error if [`Entries::compressed`], beside these entries, takes more memory than there may be.
    pub(super) fn check_compressed(&self, budget: &Budget, n_rows: usize) -> Result<(), Error> {
        let (n_rows, n_entries) = (n_rows as u64, self.values.len() as u64);
        budget.check(n_rows.saturating_mul(16).saturating_add(n_entries.saturating_mul(12)))
    }

    /// Adds an entry.
    pub fn push(&mut self, row: usize, column: usize, value: f64) {
        self.rows.push(row as u32);
        self.columns.push(column as u32);
        self.values.push(value);
    }

    /// Returns the entries row by row, those of a row in the order they had.
    pub fn compressed(self, n_rows: usize, n_columns: usize) -> Compressed {
        let mut offsets = vec![0; n_rows + 1];
        self.rows.iter().for_each(|&row| offsets[row as usize + 1] += 1);
        for row in 0..n_rows {
            offsets[row + 1] += offsets[row];
        }
        let mut next = offsets.clone();
        let (mut columns, mut values) = (vec![0; self.rows.len()], vec![0.0; self.rows.len()]);
        for ((&row, &column), &value) in self.rows.iter().zip(&self.columns).zip(&self.values) {
            let at = &mut next[row as usize];
            (columns[*at], values[*at]) = (column, value);
            *at += 1;
        }
        Compressed { offsets, columns, values, n_columns }
    }
}

impl Compressed {
    /// How many rows there are.
    pub fn n_rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The entries of a row: column and value.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (u32, f64)> {
        let range = self.offsets[row]..self.offsets[row + 1];
        self.columns[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// Returns the matrix with rows and columns exchanged, its columns rising in every row.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let mut entries = Entries::default();
        for row in 0..self.n_rows() {
            self.row(row).for_each(|(column, value)| entries.push(column as usize, row, value));
        }
        entries.compressed(self.n_columns, self.n_rows())
    }

    /// Returns the matrix in which a pair that is listed one way only is listed both ways.
    ///
    /// Where both ways are listed, each keeps its value. The matrix is square.
    ///
    /// # Errors
    ///
    /// The row and column of an entry that is listed twice.
    pub fn both_ways(&self) -> Result<Self, (usize, usize)> {
        let mirrored = self.transposed();
        // Twice transposed, the columns of every row rise.
        let given = mirrored.transposed();
        if let Some(place) = given.twice() {
            return Err(place);
        }
        let n = self.n_rows();
        let mut all = Self { offsets: vec![0], columns: Vec::new(), values: Vec::new(), n_columns: n };
        for row in 0..n {
            let (mut own, mut others) = (given.row(row).peekable(), mirrored.row(row).peekable());
            while let Some((column, value)) = lower(&mut own, &mut others) {
                all.columns.push(column);
                all.values.push(value);
            }
            all.offsets.push(all.columns.len());
        }
        Ok(all)
    }

    /// The place of an entry that is listed twice, where the columns of every row rise.
    fn twice(&self) -> Option<(usize, usize)> {
        (0..self.n_rows()).find_map(|row| {
            let columns = &self.columns[self.offsets[row]..self.offsets[row + 1]];
            let at = columns.windows(2).position(|pair| pair[0] == pair[1])?;
            Some((row, columns[at] as usize))
        })
    }

    /// Returns the matrix as a table, 0 where nothing is listed.
    pub fn dense(&self) -> Table {
        let mut values = vec![0.0; self.n_rows() * self.n_columns];
        for row in 0..self.n_rows() {
            self.row(row).for_each(|(column, value)| values[row * self.n_columns + column as usize] += value);
        }
        Table::new(Values::from(values), self.n_rows(), self.n_columns)
    }

    /// Returns the matrix as the models take it.
    ///
    /// # Errors
    ///
    /// Those of [`SparseMatrix::new`].
    pub fn into_matrix(self) -> Result<SparseMatrix<'static>, similis::Error> {
        SparseMatrix::new(self.offsets, self.columns, self.values)
    }
}

type Row<I> = std::iter::Peekable<I>;

/// Takes the lower column of two rows whose columns rise; of equal ones the first row's, and the second's is dropped.
fn lower(
    own: &mut Row<impl Iterator<Item = (u32, f64)>>,
    others: &mut Row<impl Iterator<Item = (u32, f64)>>,
) -> Option<(u32, f64)> {
    match (own.peek().copied(), others.peek().copied()) {
        (Some((column, _)), Some((other, _))) if column == other => {
            others.next();
            own.next()
        }
        (Some((column, _)), Some((other, _))) if other < column => others.next(),
        (None, _) => others.next(),
        _ => own.next(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(entries: &[(usize, usize, f64)], n: usize) -> Compressed {
        let mut listed = Entries::default();
        entries.iter().for_each(|&(row, column, value)| listed.push(row, column, value));
        listed.compressed(n, n)
    }

    #[test]
    fn pairs_listed_once_are_entered_both_ways() {
        let all = matrix(&[(2, 0, 5.0), (0, 1, 1.0), (1, 0, 2.0), (1, 1, 9.0)], 3).both_ways().unwrap();
        let rows: Vec<Vec<(u32, f64)>> = (0..3).map(|row| all.row(row).collect()).collect();
        assert_eq!(rows, [vec![(1, 1.0), (2, 5.0)], vec![(0, 2.0), (1, 9.0)], vec![(0, 5.0)]]);
    }

    #[test]
    fn an_entry_listed_twice_is_found() {
        assert!(matrix(&[(0, 1, 1.0), (1, 0, 1.0)], 2).both_ways().is_ok());
        assert_eq!(matrix(&[(1, 2, 1.0), (0, 1, 1.0), (1, 2, 3.0)], 3).both_ways(), Err((1, 2)));
    }

    #[test]
    fn a_dense_copy_has_zeros_where_nothing_is_listed() {
        let table = matrix(&[(1, 0, 4.0)], 2).dense();
        assert_eq!(table.values.into_f64(), [0.0, 0.0, 4.0, 0.0]);
    }
}
