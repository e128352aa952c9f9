//! The driver on one machine: jobs, merges and labels, one step after the other.

use std::fs::{File, TryLockError};

use similis::Observer;
use similis::run::parallel;

use super::jobs::{Job, run};
use super::merge::merge;
use super::work::{Step, Work};
use crate::error::Error;
use crate::terminal::tell;

/// Runs jobs of the current step, several at a time: all that are not done, or every `of`-th of them from `part`, counted
/// from 1. Returns how many were run.
///
/// # Errors
///
/// The first error of a job, in the order of the jobs; those that were done stay done.
pub fn run_pending(
    work: &Work,
    part: Option<(usize, usize)>,
    observer: &dyn Observer,
) -> Result<usize, Error> {
    let (part, of) = part.unwrap_or((1, 1));
    let mine = |job: &Job| job.number % of == part - 1;
    let jobs: Vec<Job> = work.pending()?.into_iter().filter(mine).collect();
    let run_one =
        |at: usize| if observer.cancelled() { Ok(false) } else { run(work, jobs[at]).map(|()| true) };
    let mut n_run = 0;
    for result in parallel::map(jobs.len(), run_one) {
        n_run += usize::from(result?);
    }
    Ok(n_run)
}

/// Runs all that is left. Returns whether it came to its end; it did not where the observer cancelled.
///
/// # Errors
///
/// Those of jobs and merges.
pub fn run_all(driver: &Driver, quiet: bool, observer: &dyn Observer) -> Result<bool, Error> {
    let work = driver.work();
    loop {
        let step = work.step()?;
        if step == Step::Done {
            return Ok(true);
        }
        let n_jobs = work.jobs()?.len();
        let n_done = n_jobs - work.pending()?.len();
        if !quiet {
            let again = if n_done > 0 { format!(", {n_done} of them done before") } else { String::new() };
            let round = if let Step::Ways { round } = step {
                format!(", round {}", round + 1)
            } else {
                String::new()
            };
            tell(&format!("{}: {n_jobs} jobs{round}{again}\n", step.name()));
        }
        run_pending(work, None, observer)?;
        if observer.cancelled() {
            return Ok(false);
        }
        merge(work, observer)?;
    }
}

/// A work folder that no other process drives.
#[derive(Debug)]
pub struct Driver {
    work: Work,
    /// Keeps others out as long as it is open.
    _lock: File,
}

impl Driver {
    /// Returns the driver of a work folder.
    ///
    /// # Errors
    ///
    /// [`Error::TwoDrivers`] while another process drives the folder.
    pub fn new(work: Work) -> Result<Self, Error> {
        let path = work.path("driver.lock");
        let unwritable = |source| Error::Write { path: path.clone(), source };
        let file = File::options().create(true).append(true).open(&path).map_err(unwritable)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { work, _lock: file }),
            Err(TryLockError::WouldBlock) => Err(Error::TwoDrivers { path: work.folder.clone() }),
            Err(TryLockError::Error(source)) => Err(unwritable(source)),
        }
    }

    /// The work folder.
    pub fn work(&self) -> &Work {
        &self.work
    }
}
