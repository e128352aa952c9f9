//! How many clusters.

use crate::error::SettingError;
use std::str::FromStr;

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
                Err(Error::Settings(SettingError::NClusters { given, n_points }))
            }
            Self::Between(least, most) if !(1..=most).contains(&least) || most > n_points => {
                Err(Error::Settings(SettingError::NClustersRange { least, most, n_points }))
            }
            _ => Ok(()),
        }
    }

    /// The least and the greatest number.
    pub fn bounds(self, n_points: usize) -> (usize, usize) {
        match self {
            Self::Auto => (1, n_points),
            Self::Exactly(n) => (n, n),
            Self::Between(least, most) => (least, most),
        }
    }
}

/// The error of an invalid number of clusters.
fn unknown_number(given: &str) -> Error {
    let known = vec!["auto", "a number from 1", "a range like 2-8"];
    Error::Settings(SettingError::Setting { setting: "n_clusters", given: given.to_owned(), known })
}

impl FromStr for NClusters {
    type Err = Error;

    fn from_str(given: &str) -> Result<Self, Error> {
        match given {
            "auto" => Ok(Self::Auto),
            _ => match given.split_once("..").or_else(|| given.split_once('-')) {
                Some((least, most)) => {
                    let end = |end: &str| end.parse().map_err(|_| unknown_number(given));
                    Ok(Self::Between(end(least)?, end(most)?))
                }
                None => given.parse().map(Self::Exactly).map_err(|_| unknown_number(given)),
            },
        }
    }
}

impl std::fmt::Display for NClusters {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => out.write_str("auto"),
            Self::Exactly(n) => n.fmt(out),
            Self::Between(least, most) => write!(out, "{least}-{most}"),
        }
    }
}
