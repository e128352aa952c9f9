//! The library's errors in the terms of the command: rows counted from 1, remedies as flags.

use similis::Error;
use similis::error::{InputError, SettingError};

/// The message, its rows and columns counted from 1, with the flag that helps.
pub(super) fn in_file(error: &Error) -> String {
    let placed = error.clone().counted_from(1);
    let counted = if placed == *error { "" } else { " (rows and columns counted from 1)" };
    let flag = match error {
        Error::Input(InputError::NotSquare { .. }) => "; --input points says so",
        Error::Input(InputError::Missing { .. }) => ": --missing unobserved",
        Error::Input(
            InputError::Negative { quantity: similis::Quantity::Distances, .. } | InputError::Diagonal { .. },
        ) => ": --input similarities",
        Error::Input(InputError::Asymmetric { .. }) => ": --symmetrise mean",
        Error::Input(InputError::NeedsDistances { .. }) => ": --conversion one-minus",
        Error::Input(InputError::Condensed { .. }) => "; for one column of points give --input points",
        Error::Input(InputError::Column { .. } | InputError::Duplicate { .. }) => "; correct the list",
        Error::Settings(SettingError::NClusters { .. }) => "; try --n-clusters auto",
        _ => "",
    };
    format!("{placed}{flag}{counted}")
}

/// The message, its settings spelled as flags; rows as lists of pairs count them, from 0.
pub(super) fn in_flags(error: &Error) -> String {
    let flags =
        [("must_link", "--must-link"), ("cannot_link", "--cannot-link"), ("known_labels", "--known-labels")];
    flags.iter().fold(error.to_string(), |words, (setting, flag)| words.replace(setting, flag))
}

/// Which rows have which names.
pub(super) fn of_names(names: &[(usize, String)]) -> String {
    let words: Vec<String> = names.iter().map(|(row, name)| format!("row {row} is {name:?}")).collect();
    if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) }
}

/// Which files and lines it is about.
pub(super) fn of_places(places: &[String]) -> String {
    if places.is_empty() { String::new() } else { format!(": {}", places.join("; ")) }
}
