//! Every mistake a caller can make, by kind.

mod constraint;
mod input;
mod model;
mod setting;

pub use constraint::ConstraintError;
pub use input::InputError;
pub use model::ModelError;
pub use setting::SettingError;

/// A mistake of a caller: what must hold, what was given, what to try.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// What was given: points, matrices, labels.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Settings: a value, or settings that do not go together or do not fit the input; more memory than may be taken.
    #[error(transparent)]
    Settings(#[from] SettingError),
    /// Side information that contradicts itself or the number of clusters.
    #[error(transparent)]
    Constraints(#[from] ConstraintError),
    /// A saved model, or new items for it.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl Error {
    /// Returns the rows that contradict each other, where pairs of points do; counted from 0.
    pub fn rows_of_pairs(&self) -> &[usize] {
        use ConstraintError as Mistake;
        let Self::Constraints(mistake) = self else { return &[] };
        match mistake {
            Mistake::CannotLinkSelf { row } => std::slice::from_ref(row),
            Mistake::CannotLinkLabels { rows, .. } => rows,
            Mistake::MustLinkLabels { chain: rows, .. }
            | Mistake::LinkContradiction { chain: rows }
            | Mistake::CannotLinkClique { points: rows, .. } => rows,
            _ => &[],
        }
    }

    /// Returns the error with rows and columns counted from `first` instead of 0, as people and files count.
    #[must_use]
    pub fn counted_from(mut self, first: usize) -> Self {
        match &mut self {
            Self::Input(mistake) => mistake.count_from(first),
            Self::Constraints(mistake) => mistake.count_from(first),
            Self::Model(ModelError::NewDistance { row, column, .. }) => {
                *row += first;
                *column += first;
            }
            _ => {}
        }
        self
    }
}

/// Returns a number of bytes as people write it.
pub fn bytes(n: u64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"];
    let mut value = n as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{n} bytes") } else { format!("{value:.1} {}", units[unit]) }
}

/// Greatest number of restarts. Each keeps its answer to the end, and none that was ever useful is near it.
const MOST_RESTARTS: usize = 100_000;

/// Returns an error unless `given` restarts can be made.
pub(crate) fn check_restarts(given: usize) -> Result<(), Error> {
    let (setting, most) = ("n_restarts", MOST_RESTARTS);
    match given {
        0 => Err(Error::Settings(SettingError::NRestarts)),
        given if given > most => Err(Error::Settings(SettingError::TooMany { setting, given, most })),
        _ => Ok(()),
    }
}

/// Returns an error if `needed` bytes are more than `limit`.
///
/// # Errors
///
/// [`Error::Settings`], made of the arguments.
pub fn check_memory(
    needed: u64,
    limit: Option<u64>,
    what: &'static str,
    instead: &'static str,
) -> Result<(), Error> {
    match limit {
        Some(limit) if needed > limit => {
            Err(Error::Settings(SettingError::Memory { what, needed, limit, instead }))
        }
        _ => Ok(()),
    }
}
