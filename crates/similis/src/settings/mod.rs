//! Settings: one name everywhere, in Rust, Python, on the command line and in files, and one row in a table for each.

pub(crate) mod n_clusters;
pub(crate) mod table;

use crate::error::SettingError;
use std::str::FromStr;

use crate::error::Error;

pub use n_clusters::NClusters;
pub use table::{Idle, Kind, Need, Setting, Value};

/// A setting that is one of a few named values.
pub trait Named: Copy + PartialEq + Sized + 'static {
    /// The setting's name.
    const SETTING: &'static str;
    /// The values and their names.
    const VALUES: &'static [(&'static str, Self)];

    /// The name of this value.
    fn name(self) -> &'static str {
        // A value that carries a number (minkowski's exponent) has the name of its kind.
        let same =
            |value: &Self| *value == self || std::mem::discriminant(value) == std::mem::discriminant(&self);
        Self::VALUES.iter().find(|(_, value)| same(value)).map_or("", |(name, _)| name)
    }

    /// Returns the value of this name; dashes and underscores are the same.
    ///
    /// # Errors
    ///
    /// [`Error::Settings`], which lists the names.
    fn named(name: &str) -> Result<Self, Error> {
        let wanted = name.replace('-', "_");
        let found = Self::VALUES.iter().find(|(known, _)| *known == wanted);
        found.map(|&(_, value)| value).ok_or_else(|| {
            Error::Settings(SettingError::Setting {
                setting: Self::SETTING,
                given: name.to_owned(),
                known: Self::VALUES.iter().map(|&(known, _)| known).collect(),
            })
        })
    }
}

/// Returns the number that `given` spells, or the error that names what may stand there.
pub(crate) fn parsed<T: FromStr>(
    setting: &'static str,
    given: &str,
    words: &[&'static str],
) -> Result<T, Error> {
    given.parse().map_err(|_| {
        Error::Settings(SettingError::Setting {
            setting,
            given: given.to_owned(),
            known: words.iter().copied().chain(["a number"]).collect(),
        })
    })
}

#[cfg(test)]
mod tests;
