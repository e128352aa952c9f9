//! Why a run stopped.

/// Why a run stopped. Stopping early is not an error: the answer so far is returned with its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Termination {
    /// Nothing changed any more, within the stated tolerance.
    Converged,
    /// The limit on iterations was reached first.
    IterationLimit,
    /// The observer asked to stop; the answer is the best so far.
    Cancelled,
}

impl std::fmt::Display for Termination {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Converged => "converged",
            Self::IterationLimit => "stopped at the iteration limit",
            Self::Cancelled => "stopped early, best answer so far",
        })
    }
}
