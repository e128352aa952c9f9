//! Products of tall row-major matrices, cut into row pieces of fixed length.

use crate::run::parallel;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// Number of rows that one thread handles at a time; sums over rows are taken piece by piece, in order. Not tuned.
pub(crate) const PIECE: usize = 2048;

/// A row-major matrix inside a slice, whose rows may lie further apart than they are long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    values: &'a [f64],
    n_rows: usize,
    n_columns: usize,
    stride: usize,
}

impl<'a> View<'a> {
    /// A matrix that fills its slice.
    pub(crate) fn new(values: &'a [f64], n_rows: usize, n_columns: usize) -> Self {
        Self { values, n_rows, n_columns, stride: n_columns }
    }

    /// The first `n_columns` of every row of `stride` numbers.
    pub(crate) fn leading(values: &'a [f64], n_columns: usize, stride: usize) -> Self {
        Self { values, n_rows: values.len() / stride.max(1), n_columns, stride }
    }

    fn piece(&self, piece: usize) -> Self {
        let first = (piece * PIECE).min(self.n_rows);
        let last = (first + PIECE).min(self.n_rows);
        let values = &self.values[first * self.stride..last * self.stride];
        Self { values, n_rows: last - first, ..*self }
    }

    fn as_faer(&self) -> MatRef<'a, f64> {
        MatRef::from_row_major_slice_with_stride(self.values, self.n_rows, self.n_columns, self.stride)
    }
}

/// Writes `out` = `left` `right` on this thread.
pub(crate) fn multiply(left: View<'_>, right: View<'_>, out: &mut [f64]) {
    let out = MatMut::from_row_major_slice_mut(out, left.n_rows, right.n_columns);
    matmul(out, Accum::Replace, left.as_faer(), right.as_faer(), 1.0, Par::Seq);
}

/// Writes `out` $= L R^T$ on this thread: the product of every row of `left` with every row of `right`, which are both
/// `n_columns` long.
pub(crate) fn row_products(left: &[f64], right: &[f64], n_columns: usize, out: &mut [f64]) {
    let rows = |values: &[f64]| values.len() / n_columns.max(1);
    let (left, right) = (View::new(left, rows(left), n_columns), View::new(right, rows(right), n_columns));
    let out = MatMut::from_row_major_slice_mut(out, left.n_rows, right.n_rows);
    matmul(out, Accum::Replace, left.as_faer(), right.as_faer().transpose(), 1.0, Par::Seq);
}

/// Returns $L^T R$ for two tall matrices: row-major, `left.n_columns` times `right.n_columns`.
pub(crate) fn transposed_product(left: View<'_>, right: View<'_>) -> Vec<f64> {
    let (n_rows, n_columns) = (left.n_columns, right.n_columns);
    let partial = |piece| {
        let mut sum = vec![0.0; n_rows * n_columns];
        let out = MatMut::from_row_major_slice_mut(&mut sum, n_rows, n_columns);
        let left = left.piece(piece).as_faer();
        matmul(out, Accum::Replace, left.transpose(), right.piece(piece).as_faer(), 1.0, Par::Seq);
        sum
    };
    let mut total = vec![0.0; n_rows * n_columns];
    for part in parallel::map(left.n_rows.div_ceil(PIECE), partial) {
        total.iter_mut().zip(part).for_each(|(total, part)| *total += part);
    }
    total
}

/// Subtracts $L C$ from `out`, where `left` $= L$ is tall and `coefficients` $= C$ has `width` columns.
pub(crate) fn subtract_product(out: &mut [f64], left: View<'_>, coefficients: &[f64], width: usize) {
    let coefficients = View::new(coefficients, left.n_columns, width).as_faer();
    parallel::for_each_piece(out, PIECE * width, |piece, out| {
        let left = left.piece(piece);
        let out = MatMut::from_row_major_slice_mut(out, left.n_rows, width);
        matmul(out, Accum::Add, left.as_faer(), coefficients, -1.0, Par::Seq);
    });
}

/// Writes `out` $= L C$, where `left` $= L$ is tall and `coefficients` $= C$ has `width` columns.
pub(crate) fn tall_product(left: View<'_>, coefficients: &[f64], width: usize, out: &mut [f64]) {
    let coefficients = View::new(coefficients, left.n_columns, width);
    parallel::for_each_piece(out, PIECE * width, |piece, out| multiply(left.piece(piece), coefficients, out));
}

/// Replaces the first columns of every row of `stride` numbers by row times `factor` (row-major, `n_in` by `n_out`).
pub(crate) fn transform_rows(values: &mut [f64], stride: usize, factor: &[f64], n_in: usize) {
    let n_out = factor.len() / n_in.max(1);
    let factor = View::new(factor, n_in, n_out);
    parallel::for_each_piece(values, PIECE * stride, |_, rows| {
        let mut transformed = vec![0.0; rows.len() / stride * n_out];
        multiply(View::leading(rows, n_in, stride), factor, &mut transformed);
        for (row, new) in rows.chunks_exact_mut(stride).zip(transformed.chunks_exact(n_out)) {
            row[..n_out].copy_from_slice(new);
        }
    });
}

/// Returns the sum over all rows of what `add(row number, sums)` adds to `width` sums.
pub(crate) fn sum_rows(
    n_rows: usize,
    width: usize,
    add: impl Fn(usize, &mut [f64]) + Sync + Send,
) -> Vec<f64> {
    let partial = |piece: usize| {
        let mut sums = vec![0.0; width];
        (piece * PIECE..((piece + 1) * PIECE).min(n_rows)).for_each(|row| add(row, &mut sums));
        sums
    };
    let mut total = vec![0.0; width];
    for part in parallel::map(n_rows.div_ceil(PIECE), partial) {
        total.iter_mut().zip(part).for_each(|(total, part)| *total += part);
    }
    total
}
