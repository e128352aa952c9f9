//! Symmetric matrices as what they do to a block of vectors.

use crate::numeric::linalg::product;
use crate::numeric::linalg::product::View;
use crate::numeric::linalg::renumbered::Renumbered;
use crate::run::parallel;

/// Number of rows of a sparse product that one thread computes at a time. Not tuned.
const SPARSE_PIECE: usize = 1024;

/// Number of rows of a dense product that one thread computes at a time. Not tuned.
const DENSE_PIECE: usize = 256;

/// A symmetric matrix $A$ that can multiply a block of vectors.
pub trait SymmetricOperator: Sync {
    /// The number of rows $n$, which is the number of columns.
    fn n_points(&self) -> usize;

    /// Writes `out` $= A \cdot$ `block`; both are row-major, `n_points` rows of `width` numbers.
    fn apply(&self, block: &[f64], width: usize, out: &mut [f64]);

    /// The matrix with its points in an order that makes products faster, where there is one.
    fn renumbered(&self) -> Option<Renumbered> {
        None
    }
}

/// A dense symmetric matrix, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct DenseOperator<'a> {
    /// The matrix, row-major, `n_points` times `n_points` numbers.
    pub values: &'a [f64],
    /// The number of rows.
    pub n_points: usize,
}

impl SymmetricOperator for DenseOperator<'_> {
    fn n_points(&self) -> usize {
        self.n_points
    }

    fn apply(&self, block: &[f64], width: usize, out: &mut [f64]) {
        let n = self.n_points;
        let block = View::new(block, n, width);
        parallel::for_each_piece(out, DENSE_PIECE * width, |piece, out| {
            let first = piece * DENSE_PIECE * n;
            let n_rows = out.len() / width.max(1);
            let rows = View::new(&self.values[first..first + n_rows * n], n_rows, n);
            product::multiply(rows, block, out);
        });
    }
}

/// A sparse symmetric matrix in compressed rows, borrowed.
///
/// Row `i` holds `values[e]` in column `columns[e]` for `e` in `offsets[i]..offsets[i + 1]`; both triangles are stored.
#[derive(Clone, Copy, Debug)]
pub struct SparseOperator<'a> {
    /// Where each row starts, and at the end the number of entries: `n_points + 1` numbers.
    pub offsets: &'a [usize],
    /// The column of each entry.
    pub columns: &'a [u32],
    /// The value of each entry.
    pub values: &'a [f64],
}

impl SymmetricOperator for SparseOperator<'_> {
    fn n_points(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    fn apply(&self, block: &[f64], width: usize, out: &mut [f64]) {
        parallel::for_each_piece(out, SPARSE_PIECE * width, |piece, out| {
            let rows = out.chunks_exact_mut(width.max(1)).enumerate();
            rows.for_each(|(row, out)| self.apply_row(piece * SPARSE_PIECE + row, block, out));
        });
    }

    fn renumbered(&self) -> Option<Renumbered> {
        Renumbered::new(self)
    }
}

impl SparseOperator<'_> {
    /// Writes one row of the product, in strips whose sums fit the registers.
    fn apply_row(&self, row: usize, block: &[f64], out: &mut [f64]) {
        let width = out.len();
        let mut first = 0;
        while first < width {
            first += match width - first {
                16.. => self.apply_strip::<16>(row, block, out, first),
                12.. => self.apply_strip::<12>(row, block, out, first),
                8.. => self.apply_strip::<8>(row, block, out, first),
                4.. => self.apply_strip::<4>(row, block, out, first),
                _ => self.apply_strip::<1>(row, block, out, first),
            };
        }
    }

    /// Writes columns `first..first + STRIP` of one row of the product; returns `STRIP`.
    fn apply_strip<const STRIP: usize>(
        &self,
        row: usize,
        block: &[f64],
        out: &mut [f64],
        first: usize,
    ) -> usize {
        let width = out.len();
        let entries = self.offsets[row]..self.offsets[row + 1];
        let mut sums = [0.0; STRIP];
        for (&column, &value) in self.columns[entries.clone()].iter().zip(&self.values[entries]) {
            let from = column as usize * width + first;
            let others = &block[from..from + STRIP];
            sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += value * other);
        }
        out[first..first + STRIP].copy_from_slice(&sums);
        STRIP
    }
}
