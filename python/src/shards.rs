//! Points in many files, job by job: what the drivers in Python call.

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use similis_cli::error::Error;
use similis_cli::shard::{self, Driver, Work};

use crate::watch::Run;

fn wrong(error: Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Makes a work folder for the arguments that `similis shard plan` has.
#[pyfunction]
pub(crate) fn shard_plan(arguments: Vec<OsString>) -> PyResult<PathBuf> {
    shard::plan(&arguments).map(|work| work.folder).map_err(wrong)
}

/// Runs a job of a work folder's current step.
#[pyfunction]
pub(crate) fn shard_run(py: Python<'_>, work: PathBuf, name: &str, run: Run) -> PyResult<()> {
    let done = || {
        let work = Work::open(&work)?;
        shard::run(&work, work.job(name)?)
    };
    run.run(py, |_| Ok(done()))?.map_err(wrong)
}

/// Drives a work folder: no other driver does as long as it lives.
#[pyclass(name = "ShardDriver", module = "similis._lib", frozen)]
pub(crate) struct ShardDriver {
    driver: Driver,
}

#[pymethods]
impl ShardDriver {
    #[new]
    fn new(work: PathBuf) -> PyResult<Self> {
        let driver = Work::open(&work).and_then(Driver::new).map_err(wrong)?;
        Ok(Self { driver })
    }

    /// The name of the current step: scan, scatter, cells, groups, near, lists, ways, labels, done.
    #[getter]
    fn step(&self) -> PyResult<&'static str> {
        self.driver.work().step().map(shard::Step::name).map_err(wrong)
    }

    /// The names of the jobs of the current step that are not done.
    fn pending(&self) -> PyResult<Vec<String>> {
        let jobs = self.driver.work().pending().map_err(wrong)?;
        Ok(jobs.iter().map(shard::Job::name).collect())
    }

    /// The files of labels, one for each shard.
    fn labels(&self) -> Vec<PathBuf> {
        let work = self.driver.work();
        (0..work.shards.len()).map(|number| work.labels_of(number)).collect()
    }

    /// Merges what the jobs of the current step wrote, and begins the next one.
    fn merge(&self, py: Python<'_>, run: Run) -> PyResult<()> {
        run.run(py, |observer| Ok(shard::merge(self.driver.work(), observer)))?.map(drop).map_err(wrong)
    }
}
