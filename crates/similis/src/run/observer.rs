//! Progress and cancellation of long runs.

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// What is being done, in a word or two a user understands.
    pub phase: &'static str,
    /// The part of the phase that is done, from 0 to 1.
    pub fraction: f64,
    /// The log joint after the last step, where the phase has one: of sampling, and of restarts side by side, it may fall.
    pub log_joint: Option<f64>,
}

/// Watches a run: the command draws a bar, Python calls back, a test counts.
///
/// Called from several threads at once; what it does never changes a result, except that a cancelled run ends early.
pub trait Observer: Sync {
    /// Receives progress.
    fn progress(&self, _progress: Progress) {}

    /// Whether the run should stop and return the best answer so far.
    fn cancelled(&self) -> bool {
        false
    }
}

/// Forwards progress but ignores cancellation: for the first stage, without which there is no result.
pub(crate) struct Uncancelled<'a>(pub(crate) &'a dyn Observer);

impl Observer for Uncancelled<'_> {
    fn progress(&self, progress: Progress) {
        self.0.progress(progress);
    }
}

/// Forwards cancellation but not progress: for one of many small steps.
pub(crate) struct Quiet<'a>(pub(crate) &'a dyn Observer);

impl Observer for Quiet<'_> {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

/// An observer that neither watches nor cancels.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}
