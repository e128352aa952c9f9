//! Levels around a partition, outlier scores, mixed columns.

use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use similis::input::{Field, Gower};
use similis::latent_graph::{self, Levels};

use crate::arrays::{labels as labels_of, table};
use crate::fits::Fit;
use crate::observed::Observed;
use crate::settings::Settings;
use crate::watch::Run;
use crate::wrong;

/// Nested partitions of the same points.
#[pyclass(name = "Levels", frozen)]
#[derive(Debug)]
pub(crate) struct PyLevels(Levels);

/// Returns the levels around a partition of all points, down to `finest` clusters.
#[pyfunction]
pub(crate) fn levels<'py>(
    py: Python<'py>,
    observed: Observed<'py>,
    fit: &Fit,
    how: (Bound<'py, PyDict>, usize),
    run: Run,
) -> PyResult<PyLevels> {
    let borrowed = observed.borrow()?;
    let (settings, finest) = how;
    let graph = Settings(&settings).graph()?;
    let labels = fit.answer.labels();
    run.run(py, |observer| graph.levels(&borrowed.pairs()?, labels, finest, observer)).map(PyLevels)
}

#[pymethods]
impl PyLevels {
    /// The partition into this many clusters.
    fn labels<'py>(&self, py: Python<'py>, n_clusters: usize) -> PyResult<Bound<'py, PyArray1<i64>>> {
        Ok(labels_of(py, &self.0.labels(n_clusters).map_err(wrong)?))
    }

    /// Number of clusters of the finest level.
    #[getter]
    fn n_finest(&self) -> usize {
        self.0.n_finest()
    }

    /// The mergers as SciPy's linkage matrix over the clusters of the finest level.
    fn linkage<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let row = |merge: similis::graph::Merge| {
            [merge.first as f64, merge.second as f64, merge.height, merge.size as f64]
        };
        table(py, self.0.linkage().into_iter().flat_map(row).collect(), 4)
    }

    /// The score of each level, from one cluster on.
    fn scores<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_iter(py, self.0.levels().into_iter().map(|level| level.score))
    }
}

/// Returns how far out of the ordinary items are, given their log densities and those of the model's own items.
#[pyfunction]
pub(crate) fn outlier_scores<'py>(
    py: Python<'py>,
    log_density: PyReadonlyArray1<'py, f64>,
    of_model: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    Ok(PyArray1::from_vec(py, latent_graph::outlier_scores(log_density.as_slice()?, of_model.as_slice()?)))
}

/// The measure of mixed columns, learned from a table.
#[pyclass(name = "Gower", frozen)]
#[derive(Debug)]
pub(crate) struct PyGower(Gower);

/// A column as Python has it.
#[derive(FromPyObject)]
pub(crate) enum Column<'py> {
    Numbers(PyReadonlyArray1<'py, f64>),
    Categories(Vec<Option<String>>),
}

fn fields(columns: Vec<Column<'_>>) -> PyResult<Vec<Field>> {
    let field = |column: Column<'_>| match column {
        Column::Numbers(values) => Ok(Field::Numbers(values.as_slice()?.to_vec())),
        Column::Categories(values) => Ok(Field::Categories(values)),
    };
    columns.into_iter().map(field).collect()
}

#[pymethods]
impl PyGower {
    /// Learns ranges and categories.
    #[new]
    fn new(columns: Vec<Column<'_>>) -> PyResult<Self> {
        Gower::new(&fields(columns)?).map(Self).map_err(wrong)
    }

    /// Coordinates whose Manhattan distance is Gower's; NaN where a field is missing.
    fn coordinates<'py>(
        &self,
        py: Python<'py>,
        columns: Vec<Column<'py>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let values = self.0.coordinates(&fields(columns)?).map_err(wrong)?;
        table(py, values, self.0.n_coordinates())
    }

    /// The names of the coordinates.
    fn names(&self, columns: Vec<String>) -> Vec<String> {
        self.0.names(&columns)
    }

    /// The distance of each of some rows of coordinates to each of others.
    fn between<'py>(
        &self,
        py: Python<'py>,
        rows: PyReadonlyArray2<'py, f64>,
        others: PyReadonlyArray2<'py, f64>,
        run: Run,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        if rows.shape()[1] != self.0.n_coordinates() || others.shape()[1] != self.0.n_coordinates() {
            return Err(PyValueError::new_err("rows must be coordinates of this measure"));
        }
        let (rows, n_others, others) = (rows.as_slice()?, others.shape()[0], others.as_slice()?);
        let block = run.run(py, |_| Ok(self.0.between(rows, others)))?;
        table(py, block, n_others)
    }
}
