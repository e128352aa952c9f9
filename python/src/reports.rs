//! The report.

use std::path::PathBuf;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use similis_cli::io::output::{check_report_path, write_bytes};
use similis_cli::report::html;
use similis_cli::study::Study;

use crate::fits::Fit;
use crate::observed::Observed;
use crate::watch::Run;

/// What a report says beside the answer: Python's `similis._report.Words`.
#[derive(Debug, FromPyObject)]
pub(crate) struct Words {
    /// Where it is written.
    path: PathBuf,
    /// What the data are called.
    name: String,
    /// How to repeat it.
    command: String,
    column_names: Vec<String>,
    item_names: Vec<String>,
    remarks: Vec<String>,
}

/// Writes the report of a fit.
#[pyfunction]
pub(crate) fn report<'py>(
    py: Python<'py>,
    observed: Observed<'py>,
    fit: &Bound<'py, Fit>,
    words: Words,
    run: Run,
) -> PyResult<()> {
    check_report_path(&words.path).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let borrowed = observed.borrow()?;
    let answer = &fit.get().answer;
    let text = run.run(py, |_| {
        let pairs = borrowed.pairs()?;
        let given = borrowed.given_points()?;
        let mut study = Study::new(&words.name, &pairs, answer)?;
        study.points = given.as_ref().or(study.points);
        study.column_names = &words.column_names;
        study.item_names = &words.item_names;
        study.remarks.clone_from(&words.remarks);
        html(&study, &words.command)
    })?;
    write_bytes(&words.path, text.as_bytes()).map_err(|error| PyOSError::new_err(error.to_string()))
}
