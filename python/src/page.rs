//! The page of `similis.explore`: requests of a front end, answered by the routes of `similis serve`.

use std::time::Duration;

use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use similis::input::MeasuredPoints;
use similis::{Error, SideInformation};
use similis_cli::input::Observed as Input;
use similis_cli::io::predictions::numbered;
use similis_cli::serve;

use crate::arrays::table;
use crate::fits::answered;
use crate::observed::{Borrowed, Observed};
use crate::settings::Settings;
use crate::side::{Side, side_information};

/// What the page says beside the numbers: Python's `similis._widget.Names`.
#[derive(Debug, FromPyObject)]
pub(crate) struct Names {
    /// What the data are called.
    name: String,
    columns: Option<Vec<String>>,
    items: Option<Vec<String>>,
    classes: Option<Vec<String>>,
    /// Items whose labels are known, and the labels.
    known_labels: Vec<(usize, String)>,
    /// Flags of the run: threads, memory and time.
    flags: Vec<String>,
}

/// A page: its fits run in a thread of their own.
#[pyclass(frozen)]
#[derive(Debug)]
pub(crate) struct Page(serve::Page);

#[pymethods]
impl Page {
    /// Opens a page on what was observed, with the settings of both models.
    #[new]
    fn new<'py>(
        py: Python<'py>,
        observed: Observed<'py>,
        settings: &Bound<'py, PyDict>,
        side: Side<'py>,
        names: Names,
    ) -> PyResult<Self> {
        let borrowed = observed.borrow()?;
        // What is wrong with a setting is said in the library's words.
        Settings(settings).auto(borrowed.memory_limit())?;
        let flags = [Settings(settings).flags()?, names.flags.clone()].concat();
        let side = side_information(side)?;
        let opened = py.detach(|| open(borrowed, names, flags, side));
        opened.map(Self).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Answers a request: status, media type and content.
    fn answer<'py>(
        &self,
        py: Python<'py>,
        method: &str,
        target: &str,
        body: Vec<u8>,
    ) -> (u16, &'static str, Bound<'py, PyBytes>) {
        let reply = py.detach(|| self.0.answer(method, target, body));
        (reply.status, reply.kind, PyBytes::new(py, &reply.body))
    }

    /// Waits until no fit runs and none is asked for, at most some seconds; whether that is so.
    fn settle(&self, py: Python<'_>, seconds: f64) -> bool {
        let limit = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        py.detach(|| self.0.settle(limit))
    }

    /// Number of items.
    #[getter]
    fn n_items(&self) -> usize {
        self.0.n_items()
    }

    /// The cluster of each item under the numbers of the page, -1 for noise and what is left out; None before the first answer.
    fn labels<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<i64>>> {
        self.0.labels().map(|labels| PyArray1::from_vec(py, numbered(&labels)))
    }

    /// What is shown, once there is an answer: what `fit` returns, and with it what was fitted.
    fn showing<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(showing) = py.detach(|| self.0.showing()) else { return Ok(None) };
        let found = answered(py, showing.answer, showing.seconds)?;
        let of_page = PyDict::new(py);
        of_page.set_item("kept", PyArray1::from_iter(py, showing.kept.iter().map(|&item| item as i64)))?;
        of_page.set_item("choices", showing.choices)?;
        let SideInformation { known_labels, must_link, cannot_link, weights, .. } = showing.side;
        let known = known_labels.iter().map(|label| label.map_or(-1, |label| label as i64));
        of_page.set_item("known_labels", PyArray1::from_iter(py, known))?;
        of_page.set_item("must_link", pairs(py, &must_link)?)?;
        of_page.set_item("cannot_link", pairs(py, &cannot_link)?)?;
        of_page.set_item("weights", PyArray1::from_vec(py, weights))?;
        of_page.set_item("found", found)?;
        Ok(Some(of_page))
    }

    /// Ends the fit that runs, and the page.
    fn end(&self) {
        self.0.end();
    }
}

fn pairs<'py>(py: Python<'py>, pairs: &[(usize, usize)]) -> PyResult<Bound<'py, PyArray2<i64>>> {
    table(py, pairs.iter().flat_map(|&(i, j)| [i as i64, j as i64]).collect(), 2)
}

fn open(
    borrowed: Borrowed<'_>,
    names: Names,
    flags: Vec<String>,
    side: SideInformation,
) -> Result<serve::Page, similis_cli::error::Error> {
    let mistake = |error: Error| similis_cli::error::Error::Fit { message: error.to_string() };
    let pairs = borrowed.owned().map_err(mistake)?;
    let given = borrowed.given_points().map_err(mistake)?;
    // Some metrics measure directions alone, and keep only these of the points.
    let is_same =
        given.as_ref().is_none_or(|given| pairs.points().map(MeasuredPoints::points) == Some(given));
    let original = if is_same { None } else { borrowed.copied_points().map_err(mistake)? };
    let observed = Input {
        pairs,
        input: borrowed.input(),
        guessed: false,
        names: names.columns,
        ids: names.items,
        classes: names.classes,
        weights: Vec::new(),
        original,
        standardise: None,
        notes: Vec::new(),
    };
    let (name, known_labels) = (names.name, names.known_labels);
    serve::Page::open(serve::Opening { name, observed, flags, side, known_labels })
}

/// The front end as a module.
#[pyfunction]
pub(crate) fn page_script() -> &'static str {
    serve::SCRIPT
}
