//! Side information: known labels, pairs that share a cluster or do not.

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use similis::{SideInformation, SoftPair};

/// Pairs of rows.
type Pairs<'py> = Option<PyReadonlyArray2<'py, i64>>;

/// Pairs of rows that are probable: how probable each is, and how many are of must-links; those of cannot-links follow.
type Soft<'py> = (PyReadonlyArray2<'py, i64>, PyReadonlyArray1<'py, f64>, usize);

/// Known labels, must-links, cannot-links, weights, pairs that are probable.
pub(crate) type Side<'py> = (
    Option<PyReadonlyArray1<'py, i64>>,
    Pairs<'py>,
    Pairs<'py>,
    Option<PyReadonlyArray1<'py, f64>>,
    Option<Soft<'py>>,
);

/// Returns the side information; the package has checked the shapes.
pub(crate) fn side_information(
    (known_labels, must_link, cannot_link, weights, soft): Side<'_>,
) -> PyResult<SideInformation> {
    Ok(SideInformation {
        known_labels: known_labels.map_or(Ok(Vec::new()), |labels| known(labels.as_slice()?))?,
        must_link: pairs("must_link", must_link.as_ref())?,
        cannot_link: pairs("cannot_link", cannot_link.as_ref())?,
        soft_pairs: soft.as_ref().map_or(Ok(Vec::new()), soft_pairs)?,
        weights: weights.map_or(Ok(Vec::new()), |weights| weights.as_slice().map(<[f64]>::to_vec))?,
    })
}

fn soft_pairs((rows, probabilities, n_must): &Soft<'_>) -> PyResult<Vec<SoftPair>> {
    let pairs = pairs("pairs", Some(rows))?;
    let pair = |(at, (&(i, j), &probability)): (usize, (&(usize, usize), &f64))| {
        if at < *n_must { SoftPair::together(i, j, probability) } else { SoftPair::apart(i, j, probability) }
    };
    Ok(pairs.iter().zip(probabilities.as_slice()?).enumerate().map(pair).collect())
}

fn pairs(name: &str, rows: Option<&PyReadonlyArray2<'_, i64>>) -> PyResult<Vec<(usize, usize)>> {
    let point = |given: i64| {
        usize::try_from(given).map_err(|_| {
            PyValueError::new_err(format!("{name} must hold the rows of points, from 0 on, got {given}"))
        })
    };
    let Some(rows) = rows else { return Ok(Vec::new()) };
    rows.as_slice()?.chunks(2).map(|pair| Ok((point(pair[0])?, point(pair[1])?))).collect()
}

/// Known labels, -1 where a label is not known.
pub(crate) fn known(labels: &[i64]) -> PyResult<Vec<Option<usize>>> {
    let label = |(row, &given): (usize, &i64)| match usize::try_from(given) {
        Ok(label) => Ok(Some(label)),
        Err(_) if given == -1 => Ok(None),
        Err(_) => Err(PyValueError::new_err(format!(
            "row {row}: a known label is a whole number, or -1 where it is not known, got {given}"
        ))),
    };
    labels.iter().enumerate().map(label).collect()
}
