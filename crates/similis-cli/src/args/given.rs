//! Which flags stood on the command line.

use std::collections::BTreeMap;

use clap::ArgMatches;
use clap::parser::ValueSource;

/// The settings that were given, defaults left out, with their values as they were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given(BTreeMap<String, Vec<String>>);

impl Given {
    /// Returns what was given to one command.
    pub fn of(matches: &ArgMatches) -> Self {
        let given = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let values = |id: &str| {
            let raw = matches.try_get_raw(id).ok().flatten().into_iter().flatten();
            raw.map(|value| value.to_string_lossy().into_owned()).collect()
        };
        let ids: Vec<&str> = matches.ids().map(clap::Id::as_str).collect();
        Self(ids.iter().filter(|id| given(id)).map(|id| ((*id).to_owned(), values(id))).collect())
    }

    /// Whether the setting was given.
    pub fn has(&self, setting: &str) -> bool {
        self.0.contains_key(setting)
    }

    /// What was given for the setting.
    pub fn values(&self, setting: &str) -> &[String] {
        self.0.get(setting).map_or(&[], Vec::as_slice)
    }
}
