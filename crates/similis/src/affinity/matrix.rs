//! The similarity matrix **L** in memory, and which points it connects.

use crate::error::InputError;
use std::borrow::Cow;

use crate::error::{Error, check_memory};
use crate::input::sparse::SparseMatrix;
use crate::input::{Dissimilarity, Quantity};
use crate::run::parallel;

/// The remedy in the error message if a dense matrix does not fit into memory.
const INSTEAD: &str = "use affinity nearest, which holds only near pairs";

/// Bytes of a dense matrix of `n_points` rows.
fn dense_bytes(n_points: usize) -> u64 {
    let n = n_points as u64;
    n.saturating_mul(n).saturating_mul(8)
}

/// An affinity matrix **L**: dense row after row, or sparse, where a pair that is not listed has similarity 0.
#[derive(Clone, Debug, PartialEq)]
pub enum SimilarityMatrix<'a> {
    /// Every entry, row after row.
    Dense {
        /// The entries.
        values: Cow<'a, [f64]>,
        /// Number of points.
        n_points: usize,
    },
    /// The entries that are not 0.
    Sparse(SparseMatrix<'a>),
}

impl<'a> SimilarityMatrix<'a> {
    /// Returns the observed similarities as they are, borrowed where that is possible; a missing pair has similarity 0.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] at the first negative similarity: no random walk takes such a step.
    /// [`Error::Input`], [`Error::Settings`].
    pub fn observed(similarities: &'a Dissimilarity<'_>, memory_limit: Option<u64>) -> Result<Self, Error> {
        let matrix = Self::as_given(similarities, memory_limit)?;
        if matches!(matrix, Self::Dense { .. }) {
            // Normalisation will make a copy of what is borrowed here.
            check_memory(dense_bytes(matrix.n_points()), memory_limit, "a dense affinity matrix", INSTEAD)?;
        }
        for i in 0..matrix.n_points() {
            if let Some((column, given)) = matrix.row(i).find(|&(_, value)| value < 0.0) {
                return Err(Error::Input(InputError::Negative {
                    row: i,
                    column,
                    given,
                    quantity: Quantity::Similarities,
                }));
            }
        }
        Ok(matrix)
    }

    /// As [`SimilarityMatrix::observed`], negative similarities too.
    ///
    /// # Errors
    ///
    /// [`Error::Input`], [`Error::Settings`].
    pub fn as_given(similarities: &'a Dissimilarity<'_>, memory_limit: Option<u64>) -> Result<Self, Error> {
        if similarities.quantity() == Quantity::Distances {
            return Err(Error::Input(InputError::NeedsSimilarities { purpose: "a similarity matrix" }));
        }
        let n_points = similarities.n_points();
        if let Some(matrix) = similarities.sparse() {
            return Ok(Self::Sparse(matrix.borrowed()));
        }
        if let Some(values) = similarities.square() {
            return Ok(Self::Dense { values: values.into(), n_points });
        }
        Self::dense(n_points, memory_limit, |i, row| {
            similarities.for_each_pair(i, |j, similarity| row[j] = similarity);
            row[i] = similarities.pair(i, i).unwrap_or(0.0);
        })
    }

    /// Returns the dense matrix whose rows `fill(i, row)` writes over zeros, in parallel.
    pub(crate) fn dense(
        n_points: usize,
        memory_limit: Option<u64>,
        fill: impl Fn(usize, &mut [f64]) + Sync + Send,
    ) -> Result<Self, Error> {
        check_memory(dense_bytes(n_points), memory_limit, "a dense affinity matrix", INSTEAD)?;
        let mut values = vec![0.0; n_points * n_points];
        parallel::for_each_piece(&mut values, n_points, fill);
        Ok(Self::Dense { values: values.into(), n_points })
    }

    /// Number of points.
    pub fn n_points(&self) -> usize {
        match self {
            Self::Dense { n_points, .. } => *n_points,
            Self::Sparse(matrix) => matrix.n_points(),
        }
    }

    /// The entries `(j, similarity)` of row `i` that are not 0, in the order of `j`.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let (dense, sparse) = match self {
            Self::Dense { values, n_points } => (Some(&values[i * n_points..(i + 1) * n_points]), None),
            Self::Sparse(matrix) => (None, Some(matrix.row(i))),
        };
        let dense = dense.into_iter().flatten().copied().enumerate();
        dense.chain(sparse.into_iter().flatten()).filter(|&(_, value)| value != 0.0)
    }

    /// The entry at (i, j).
    pub fn get(&self, i: usize, j: usize) -> f64 {
        match self {
            Self::Dense { values, n_points } => values[i * n_points + j],
            Self::Sparse(matrix) => matrix.get(i, j).unwrap_or(0.0),
        }
    }

    /// Replaces every stored entry by `change(i, j, entry)`, in parallel for a dense matrix.
    pub(crate) fn map(&mut self, change: impl Fn(usize, usize, f64) -> f64 + Sync + Send) {
        match self {
            Self::Dense { values, n_points } => {
                parallel::for_each_piece(values.to_mut(), *n_points, |i, row| {
                    row.iter_mut().enumerate().for_each(|(j, value)| *value = change(i, j, *value));
                });
            }
            Self::Sparse(matrix) => {
                let places: Vec<(usize, usize)> =
                    (0..matrix.n_points()).flat_map(|i| matrix.row(i).map(move |(j, _)| (i, j))).collect();
                let values = matrix.values_mut().iter_mut();
                places.into_iter().zip(values).for_each(|((i, j), value)| *value = change(i, j, *value));
            }
        }
    }

    /// The row sums, $s_{ii} = \sum_j L_{ij}$ (footnote 1).
    pub fn degrees(&self) -> Vec<f64> {
        parallel::map(self.n_points(), |i| self.row(i).map(|(_, similarity)| similarity).sum())
    }

    /// The points that are similar to no other point.
    pub fn isolated(&self) -> Vec<usize> {
        (0..self.n_points()).filter(|&i| self.row(i).all(|(j, _)| j == i)).collect()
    }

    /// The connected component of each point, numbered in order of first appearance.
    pub fn components(&self) -> Vec<usize> {
        let n = self.n_points();
        let mut component = vec![usize::MAX; n];
        let mut found = 0;
        let mut waiting = Vec::new();
        for start in 0..n {
            if component[start] != usize::MAX {
                continue;
            }
            component[start] = found;
            waiting.push(start);
            while let Some(i) = waiting.pop() {
                for (j, _) in self.row(i) {
                    if component[j] == usize::MAX {
                        component[j] = found;
                        waiting.push(j);
                    }
                }
            }
            found += 1;
        }
        component
    }
}
