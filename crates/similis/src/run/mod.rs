//! How work is run: threads, random streams, progress, cancellation, why it ended.

pub(crate) mod observer;
pub mod parallel;
pub mod random;
pub(crate) mod termination;

pub use observer::{Observer, Progress, Silent};
pub use termination::Termination;
