//! The report, pictures, the summary and profiles: what the command shows of an answer.

use std::path::PathBuf;

use numpy::PyArray1;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use similis::settings::Named;
use similis::{Error, Metric};
use similis_cli::input::{Grid, Suspect, suspects};
use similis_cli::io::output::{check_picture_path, check_report_path, picture_bytes, write_bytes};
use similis_cli::report::{card as card_html, html};
use similis_cli::study::{PictureKind, Study};
use similis_cli::summary;

use crate::fits::Fit;
use crate::observed::Observed;
use crate::watch::Run;
use crate::wrong;

/// What is said beside the answer: Python's `similis._report.Words`.
#[derive(Debug, FromPyObject)]
pub(crate) struct Words {
    /// What the data are called.
    name: String,
    /// What was read, in words.
    read: String,
    /// How long the fit took.
    seconds: f64,
    /// How the fit ended, in words.
    ended: String,
    column_names: Vec<String>,
    item_names: Vec<String>,
    notes: Vec<String>,
    /// The heading of a picture.
    title: Option<String>,
}

/// An answer and what it was found in.
type Answered<'a, 'py> = (Observed<'py>, &'a Bound<'py, Fit>, Words);

/// Calls `view` with the study of an answer.
fn with_study<'py, T: Send>(
    py: Python<'py>,
    (observed, fit, words): Answered<'_, 'py>,
    run: &Run,
    view: impl FnOnce(&Study<'_>) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let borrowed = observed.borrow()?;
    let answer = &fit.get().answer;
    run.run(py, |_| {
        let pairs = borrowed.pairs()?;
        let given = borrowed.given_points()?;
        let mut study = Study::new(&words.name, &pairs, answer)?;
        study.points = given.as_ref().or(study.points);
        study.column_names = &words.column_names;
        study.item_names = &words.item_names;
        study.notes.clone_from(&words.notes);
        study.read = Some(words.read.clone());
        study.ended.clone_from(&words.ended);
        study.plot_title = words.title.as_deref();
        view(&study)
    })
}

/// Writes the report of a fit; `command` is how to repeat it.
#[pyfunction]
pub(crate) fn report<'py>(
    py: Python<'py>,
    answered: (Observed<'py>, Bound<'py, Fit>, Words),
    path: PathBuf,
    command: String,
    run: Run,
) -> PyResult<()> {
    check_report_path(&path).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let (observed, fit, words) = answered;
    let text = with_study(py, (observed, &fit, words), &run, |study| html(study, &command))?;
    write_bytes(&path, text.as_bytes()).map_err(|error| PyOSError::new_err(error.to_string()))
}

/// Returns the answer as a piece of HTML, for a notebook.
#[pyfunction]
pub(crate) fn card<'py>(
    py: Python<'py>,
    answered: (Observed<'py>, Bound<'py, Fit>, Words),
    run: Run,
) -> PyResult<String> {
    let (observed, fit, words) = answered;
    with_study(py, (observed, &fit, words), &run, card_html)
}

/// Returns a picture of a fit as an SVG document; none if the answer has nothing of that kind to show.
#[pyfunction]
pub(crate) fn picture<'py>(
    py: Python<'py>,
    answered: (Observed<'py>, Bound<'py, Fit>, Words),
    kind: &str,
    run: Run,
) -> PyResult<Option<String>> {
    let kind = PictureKind::named(&kind.replace('-', "_")).map_err(wrong)?;
    let (observed, fit, words) = answered;
    with_study(py, (observed, &fit, words), &run, |study| study.picture(kind))
}

/// Writes a picture to a file, as its ending says: .svg, .png or .pdf.
#[pyfunction]
pub(crate) fn save_picture(svg: String, path: PathBuf, width: Option<u32>) -> PyResult<()> {
    let wrong = |error: similis_cli::error::Error| PyValueError::new_err(error.to_string());
    check_picture_path(&path).map_err(wrong)?;
    let bytes = picture_bytes(&path, svg, width).map_err(wrong)?;
    write_bytes(&path, &bytes).map_err(|error| PyOSError::new_err(error.to_string()))
}

/// Returns the command's summary of a fit.
#[pyfunction]
pub(crate) fn summary_text<'py>(
    py: Python<'py>,
    answered: (Observed<'py>, Bound<'py, Fit>, Words),
    run: Run,
) -> PyResult<String> {
    let (observed, fit, words) = answered;
    let (read, seconds) = (words.read.clone(), words.seconds);
    with_study(py, (observed, &fit, words), &run, |study| {
        Ok(summary::text(study, &format!("{read}; model {}", study.answer.model()), seconds))
    })
}

/// Where items lie in a picture.
type Places<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, [String; 2]);

/// Returns where each item lies in a picture, and what the axes show.
#[pyfunction]
pub(crate) fn places<'py>(
    py: Python<'py>,
    answered: (Observed<'py>, Bound<'py, Fit>, Words),
    run: Run,
) -> PyResult<Places<'py>> {
    let (observed, fit, words) = answered;
    let (x, y, names) = with_study(py, (observed, &fit, words), &run, |study| {
        let found = study.places()?;
        Ok((found.x.to_vec(), found.y.to_vec(), found.names))
    })?;
    Ok((PyArray1::from_vec(py, x), PyArray1::from_vec(py, y), names))
}

/// Returns a row for each cluster and column: what the points of the cluster are like.
#[pyfunction]
pub(crate) fn profiles<'py>(
    py: Python<'py>,
    answered: (Observed<'py>, Bound<'py, Fit>, Words),
    run: Run,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let (observed, fit, words) = answered;
    let found = with_study(py, (observed, &fit, words), &run, |study| {
        let named = |profile: &similis_cli::profile::Profile| {
            let columns = profile.columns.iter().map(|own| (study.column(own.column), *own));
            (profile.label, profile.size, columns.collect::<Vec<_>>())
        };
        Ok(study.profiles().iter().map(named).collect::<Vec<_>>())
    })?;
    let rows = found.into_iter().flat_map(|(label, size, columns)| {
        columns.into_iter().map(move |(name, column)| (label, size, name, column))
    });
    rows.map(|(label, size, name, column)| {
        let row = PyDict::new(py);
        row.set_item("cluster", label)?;
        row.set_item("size", size)?;
        row.set_item("column", name)?;
        row.set_item("mean", column.mean)?;
        row.set_item("standard_deviation", column.deviation)?;
        row.set_item("overall_mean", column.overall)?;
        row.set_item("difference", column.difference)?;
        Ok(row)
    })
    .collect()
}

/// Returns what looks like a mistake to cluster on, in words; `names` are those of the columns, or none.
#[pyfunction]
pub(crate) fn column_notes(observed: Observed<'_>, names: Vec<String>) -> PyResult<Vec<String>> {
    let borrowed = observed.borrow()?;
    let Some(points) = borrowed.given_points().map_err(wrong)? else { return Ok(Vec::new()) };
    let get = |row: usize, column: usize| points.row(row)[column];
    let grid = Grid { n_rows: points.n_points(), n_columns: points.n_dimensions(), get: &get };
    let named = |column: usize| {
        names.get(column).map_or_else(|| format!("column {column}"), |name| format!("column {name:?}"))
    };
    let words = |suspect: Suspect| match suspect {
        Suspect::Counts(column) => {
            format!("{} counts the rows, and is clustered on; drop it if it only names them", named(column))
        }
        Suspect::Unequal(most, least, ratio) => format!(
            "{} varies {ratio:.0} times as much as {}, which hardly counts beside it; to give all columns the same weight, use \
             sklearn.preprocessing.StandardScaler",
            named(most),
            named(least)
        ),
    };
    let metric: Metric = borrowed.metric();
    Ok(suspects(&grid, metric).into_iter().map(words).collect())
}
