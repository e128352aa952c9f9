//! The library's errors in the terms of the command: rows counted from 1, remedies as flags.

use similis::error::{InputError, SettingError};
use similis::{Error, LatentFeature, LatentGraph};

use crate::args::models::dashed;

/// The message, its rows and columns counted from 1, its settings spelled as flags.
pub(super) fn in_file(error: &Error) -> String {
    let placed = error.clone().counted_from(1);
    let counted = if placed == *error { "" } else { " (rows and columns counted from 1)" };
    let flag = match error {
        Error::Input(InputError::NotSquare { .. }) => "; --input points says so",
        Error::Input(
            InputError::Negative { quantity: similis::Quantity::Distances, .. } | InputError::Diagonal { .. },
        ) => ": --input similarities",
        Error::Input(InputError::Negative { .. }) => {
            "; for correlations give --conversion one-minus --model latent-graph"
        }
        Error::Input(InputError::NeedsDistances { .. }) => ", such as --conversion one-minus",
        Error::Input(InputError::Condensed { .. }) => "; for one column of points give --input points",
        Error::Input(InputError::Column { .. } | InputError::Duplicate { .. }) => "; correct the list",
        Error::Settings(SettingError::NClusters { .. }) => "; try --n-clusters auto",
        _ => "",
    };
    format!("{}{flag}{counted}", flags(&placed.to_string()))
}

/// The message, its settings spelled as flags; rows as lists of pairs count them, from 0.
pub(super) fn in_flags(error: &Error) -> String {
    flags(&error.to_string())
}

/// Settings that are flags but in no table of a model.
const OTHER_SETTINGS: [&str; 8] = [
    "memory_limit",
    "symmetrise",
    "missing",
    "known_labels",
    "must_link",
    "cannot_link",
    "n_points",
    "n_neighbours",
];

/// Whether a word of a message is the name of a setting.
fn is_setting(word: &str) -> bool {
    OTHER_SETTINGS.contains(&word)
        || LatentGraph::SETTINGS.iter().any(|row| row.name == word)
        || LatentFeature::SETTINGS.iter().any(|row| row.name == word)
}

/// A message of the library with its settings as flags: `set noise = none` becomes `give --noise none`.
fn flags(message: &str) -> String {
    let words: Vec<&str> = message.split(' ').collect();
    let is = |at: usize, word: &str| words.get(at) == Some(&word);
    let set = |at: usize| {
        words.get(at).is_some_and(|word| is_setting(word)) && (is(at + 1, "=") || is(at + 1, "to"))
    };
    let mut said = Vec::with_capacity(words.len());
    let mut at = 0;
    while let Some(&word) = words.get(at) {
        let name = word.trim_matches([',', ';', ':', '(', ')', '.']);
        at += 1;
        if word == "set" && set(at) {
            said.push("give".to_owned());
        } else if set(at - 1) && (is(at, "=") || is(at.wrapping_sub(2), "set")) {
            said.push(format!("--{}", dashed(word)));
            at += 1;
        } else if name.contains('_') && is_setting(name) {
            said.push(word.replace(name, &format!("--{}", dashed(name))));
        } else if name.contains('_') {
            said.push(word.replace(name, &dashed(name)));
        } else {
            said.push(word.to_owned());
        }
    }
    said.join(" ")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_a_message_are_flags() {
        for (said, flagged) in [
            ("raise memory_limit, use fewer threads", "raise --memory-limit, use fewer threads"),
            ("leave the others out, or set noise = none", "leave the others out, or give --noise none"),
            ("noise = background needs inference = search,", "--noise background needs --inference search,"),
            ("set symmetrise to mean, min or max", "give --symmetrise mean, min or max"),
            ("name a conversion: one_minus, negative_log", "name a conversion: one-minus, negative-log"),
            ("all noise belongs to no score", "all noise belongs to no score"),
            ("components and n_clusters is 2;", "components and --n-clusters is 2;"),
        ] {
            assert_eq!(flags(said), flagged);
        }
    }
}
