//! How many clusters.

use crate::error::Error;

/// The number of clusters (M).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NClusters {
    /// The model chooses.
    #[default]
    Auto,
    /// This many.
    Exactly(usize),
    /// The model chooses from the first to the second.
    Between(usize, usize),
}

impl NClusters {
    /// Returns an error unless `n_points` points can have this many clusters.
    pub(crate) fn check(self, n_points: usize) -> Result<(), Error> {
        match self {
            Self::Exactly(given) if !(1..=n_points).contains(&given) => {
                Err(Error::NClusters { given, n_points })
            }
            Self::Between(least, most) if !(1..=most).contains(&least) || most > n_points => {
                Err(Error::NClustersRange { least, most, n_points })
            }
            _ => Ok(()),
        }
    }

    /// The least and the greatest number.
    pub(crate) fn bounds(self, n_points: usize) -> (usize, usize) {
        match self {
            Self::Auto => (1, n_points),
            Self::Exactly(n) => (n, n),
            Self::Between(least, most) => (least, most),
        }
    }
}
