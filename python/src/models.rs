//! Models that say where new items belong, and their files.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use similis::error::check_memory;
use similis::input::SparsePoints;
use similis::latent_graph::{Inference, Noise};
use similis::{Error, Points, Prediction, Predictor, PredictorParts};
use similis_cli::error::Error as FileError;
use similis_cli::io::model::SavedModel;
use similis_cli::io::predictions::numbered;
use similis_cli::memory;

use crate::arrays::table;
use crate::observed::Observed;
use crate::settings::Settings;
use crate::side::known;
use crate::watch::Run;

/// Labels, and the probability of each class.
type Found<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);

/// Compressed rows: offsets, columns, values, number of columns.
type SparseRows<'py> =
    (PyReadonlyArray1<'py, usize>, PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, f64>, usize);

/// What is kept of a fit. The predictor is made of it when the first item is asked for.
#[pyclass(frozen)]
#[derive(Debug)]
pub(crate) struct Model {
    saved: SavedModel,
    predictor: Mutex<Option<Arc<Predictor>>>,
}

/// Returns the model of a partition: a label for each point, -1 for noise.
#[pyfunction]
pub(crate) fn model<'py>(
    py: Python<'py>,
    observed: Observed<'py>,
    labels: PyReadonlyArray1<'py, i64>,
    settings: &Bound<'py, PyDict>,
    run: Run,
) -> PyResult<Model> {
    let borrowed = observed.borrow()?;
    let graph = Settings(settings).graph()?;
    let noise = matches!(graph.inference(), Inference::Search(search) if search.noise == Noise::Background);
    let labels = known(labels.as_slice()?)?;
    let asked = |name: &str| Ok::<_, PyErr>(settings.get_item(name)?.filter(|value| !value.is_none()));
    let columns = asked("columns")?.map(|names| names.extract::<Vec<String>>()).transpose()?;
    let parts =
        run.run(py, |_| PredictorParts::new(&borrowed.pairs()?, &labels, &graph.score_settings(), noise))?;
    let columns = columns.filter(|_| parts.points.is_some());
    Ok(Model::new(SavedModel { parts, columns, standardise: None }))
}

/// Reads a model from a file.
#[pyfunction]
pub(crate) fn load_model(path: PathBuf) -> PyResult<Model> {
    SavedModel::read(&path, memory::limit(None)).map(Model::new).map_err(not_read)
}

/// Returns the model that `Model.bytes` gave.
#[pyfunction]
pub(crate) fn model_of_bytes(bytes: &[u8]) -> PyResult<Model> {
    SavedModel::from_bytes(Path::new("the pickled model"), bytes).map(Model::new).map_err(not_read)
}

/// What cannot be opened is an `OSError`, what is no model a `ValueError`.
fn not_read(error: FileError) -> PyErr {
    let words = error.to_string();
    match error {
        FileError::NoFile { .. } | FileError::Folder { .. } | FileError::Read { .. } => {
            PyOSError::new_err(words)
        }
        _ => PyValueError::new_err(words),
    }
}

impl Model {
    fn new(saved: SavedModel) -> Self {
        Self { saved, predictor: Mutex::new(None) }
    }

    fn predictor(&self) -> Result<Arc<Predictor>, Error> {
        let known = || self.predictor.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(predictor) = known().as_ref() {
            return Ok(Arc::clone(predictor));
        }
        check_memory(self.saved.memory(), memory::limit(None), "the model", "predict with fewer points")?;
        // Not under the lock: threads that wait for it could be those that do the work.
        let predictor = Arc::new(Predictor::try_from(self.saved.parts.clone())?);
        *known() = Some(Arc::clone(&predictor));
        Ok(predictor)
    }

    fn found<'py>(
        &self,
        py: Python<'py>,
        run: &Run,
        work: impl FnOnce(&Predictor) -> Result<Prediction, Error> + Send,
    ) -> PyResult<Found<'py>> {
        let found = run.run(py, |_| work(&*self.predictor()?))?;
        let labels = PyArray1::from_vec(py, numbered(&found.labels));
        let log_density = PyArray1::from_vec(py, found.log_density);
        Ok((labels, table(py, found.probabilities, found.n_columns)?, log_density))
    }
}

#[pymethods]
impl Model {
    /// Labels and probabilities of new points.
    fn predict_points<'py>(
        &self,
        py: Python<'py>,
        rows: PyReadonlyArray2<'py, f64>,
        run: Run,
    ) -> PyResult<Found<'py>> {
        let (values, shape) = (rows.as_slice()?, [rows.shape()[0], rows.shape()[1]]);
        self.found(py, &run, |predictor| {
            let points = match self.saved.standardise {
                Some(_) => Points::new(self.saved.standardised(values.to_vec()), shape[0], shape[1]),
                None => Points::new(values, shape[0], shape[1]),
            };
            predictor.predict_points(&points?)
        })
    }

    /// Labels and probabilities of new sparse points: offsets of the rows, columns, values, number of columns.
    fn predict_sparse<'py>(&self, py: Python<'py>, rows: SparseRows<'py>, run: Run) -> PyResult<Found<'py>> {
        let (offsets, columns, values, n_columns) = rows;
        if self.saved.standardise.is_some() {
            return Err(PyValueError::new_err(
                "the columns of this model were standardised, so new points must be dense: X.toarray()",
            ));
        }
        let (offsets, columns, values) = (offsets.as_slice()?, columns.as_slice()?, values.as_slice()?);
        self.found(py, &run, |predictor| {
            predictor.predict_sparse_points(&SparsePoints::new(offsets, columns, values, n_columns)?)
        })
    }

    /// Labels and probabilities of items whose distances to all points of the model are known.
    fn predict_distances<'py>(
        &self,
        py: Python<'py>,
        block: PyReadonlyArray2<'py, f64>,
        run: Run,
    ) -> PyResult<Found<'py>> {
        let (values, n_new) = (block.as_slice()?, block.shape()[0]);
        self.found(py, &run, |predictor| predictor.predict_distances(values, n_new))
    }

    /// Leave-one-out labels and probabilities of the model's own points.
    fn memberships<'py>(&self, py: Python<'py>, observed: Observed<'py>, run: Run) -> PyResult<Found<'py>> {
        let borrowed = observed.borrow()?;
        self.found(py, &run, |predictor| predictor.memberships(&borrowed.pairs()?))
    }

    /// Writes the model to a file, whole or not at all.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.saved.write(&path).map_err(|error| PyOSError::new_err(error.to_string()))
    }

    /// The model as the text of its file.
    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.saved.text().as_bytes())
    }

    /// The class of each point, -1 for noise.
    #[getter]
    fn labels<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_vec(py, numbered(&self.saved.parts.labels))
    }

    /// Number of columns of its points; nothing if it has none.
    #[getter]
    fn n_columns(&self) -> Option<usize> {
        self.saved.parts.n_dimensions()
    }

    /// The names of its points' columns, where they have any.
    #[getter]
    fn columns(&self) -> Option<Vec<String>> {
        self.saved.columns.clone()
    }

    /// Whether an item may be noise.
    #[getter]
    fn noise(&self) -> bool {
        self.saved.parts.noise || self.saved.parts.labels.contains(&None)
    }
}
