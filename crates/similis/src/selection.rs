//! How many clusters.

use crate::Error;

/// The number of clusters (M).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NClusters {
    /// The model chooses.
    #[default]
    Auto,
    /// This many.
    Exactly(usize),
}

impl NClusters {
    /// Returns an error unless `n_points` points can have this many clusters.
    pub(crate) fn check(self, n_points: usize) -> Result<(), Error> {
        match self {
            Self::Exactly(given) if !(1..=n_points).contains(&given) => {
                Err(Error::NClusters { given, n_points })
            }
            _ => Ok(()),
        }
    }
}
