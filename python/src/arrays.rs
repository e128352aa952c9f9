//! Arrays for Python.

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use similis::{Labels, SimilarityMatrix};

/// The labels, as scikit-learn has them.
pub(crate) fn labels<'py>(py: Python<'py>, labels: &Labels) -> Bound<'py, PyArray1<i64>> {
    PyArray1::from_iter(py, labels.as_slice().iter().map(|&label| label as i64))
}

/// Numbers row after row, as a table.
pub(crate) fn table<T: numpy::Element>(
    py: Python<'_>,
    values: Vec<T>,
    n_columns: usize,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    let n_rows = values.len().checked_div(n_columns).unwrap_or(0);
    PyArray1::from_vec(py, values).reshape([n_rows, n_columns])
}

/// A matrix: a dense array, or offsets, columns and values of compressed rows.
pub(crate) fn matrix<'py>(py: Python<'py>, matrix: &SimilarityMatrix<'_>) -> PyResult<Bound<'py, PyAny>> {
    match matrix {
        SimilarityMatrix::Dense { values, n_points } => Ok(table(py, values.to_vec(), *n_points)?.into_any()),
        SimilarityMatrix::Sparse(sparse) => {
            let whole = |values: Vec<i64>| PyArray1::from_vec(py, values);
            let offsets = whole(sparse.offsets().iter().map(|&offset| offset as i64).collect());
            let columns = whole(sparse.columns().iter().map(|&column| i64::from(column)).collect());
            let values = PyArray1::from_slice(py, sparse.values());
            Ok((offsets, columns, values).into_pyobject(py)?.into_any())
        }
    }
}
