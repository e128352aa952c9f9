//! Work without Python's lock, watched: progress, Ctrl-C, callbacks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use similis::run::parallel::{self, Stop};
use similis::{Error, Observer, Progress};

use crate::wrong;

/// Time between two checks for signals and reports of progress. Not tuned.
const PATIENCE: Duration = Duration::from_millis(50);

/// State shared with the workers: their progress, and requests to stop. They never wait for Python.
#[derive(Debug, Default)]
struct Watcher {
    /// The best answer so far is wanted.
    cancelled: AtomicBool,
    /// No answer is wanted any more.
    stop: Stop,
    news: Mutex<Option<Progress>>,
}

impl Watcher {
    /// The latest progress, if it was not told yet.
    fn news(&self) -> Option<Progress> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Tells the callback; it stops the work by returning true.
    fn tell(&self, py: Python<'_>, callback: Option<&Py<PyAny>>) -> PyResult<()> {
        let (Some(callback), Some(news)) = (callback, self.news()) else { return Ok(()) };
        let answer = callback.bind(py).call1((news.phase, news.fraction, news.log_joint))?;
        if answer.is_truthy()? {
            self.cancelled.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

impl Observer for Watcher {
    fn progress(&self, progress: Progress) {
        *self.news.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
    }

    fn cancelled(&self) -> bool {
        parallel::heed_stop();
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// How work is run.
#[derive(Debug, FromPyObject)]
pub(crate) struct Run {
    /// Number of threads, 0 for one on each core.
    threads: usize,
    /// Called with phase, fraction and log joint.
    callback: Option<Py<PyAny>>,
    /// Stop after this many seconds with the best answer so far.
    time_limit: Option<f64>,
}

impl Run {
    /// Returns what `work` returns, computed by other threads while this one looks after signals and the callback.
    ///
    /// # Errors
    ///
    /// What the work says, as a `ValueError`; `KeyboardInterrupt` after Ctrl-C; what the callback raises.
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&dyn Observer) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let watcher = Watcher::default();
        let started = Instant::now();
        let watched = || {
            thread::scope(|scope| {
                let (done, waiting) = mpsc::channel::<()>();
                let worker = scope.spawn(|| {
                    let result = parallel::with_threads_until(self.threads, &watcher.stop, || work(&watcher));
                    drop(done);
                    result
                });
                let mut stopped = None;
                while stopped.is_none() && waiting.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                    if self.is_over(started) {
                        watcher.cancelled.store(true, Ordering::Relaxed);
                    }
                    stopped = Python::attach(|py| self.look_up(py, &watcher)).err();
                }
                if stopped.is_some() {
                    watcher.stop.raise();
                }
                (worker.join(), stopped)
            })
        };
        let (result, stopped) = py.detach(watched);
        stopped.map_or(Ok(()), Err)?;
        let result = result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        // Nothing but an error stops the work.
        let result = result.ok_or_else(|| PyKeyboardInterrupt::new_err(()))?.map_err(wrong)?;
        watcher.tell(py, self.callback.as_ref())?;
        Ok(result)
    }

    /// Whether the time limit has passed.
    pub(crate) fn is_over(&self, started: Instant) -> bool {
        self.time_limit.is_some_and(|limit| started.elapsed().as_secs_f64() >= limit)
    }

    fn look_up(&self, py: Python<'_>, watcher: &Watcher) -> PyResult<()> {
        py.check_signals()?;
        watcher.tell(py, self.callback.as_ref())
    }
}
