//! Which flags stood on the command line.

use std::collections::BTreeSet;

use clap::ArgMatches;
use clap::parser::ValueSource;

/// The names of the settings that were given, defaults left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given(BTreeSet<String>);

impl Given {
    /// Returns what was given to one command.
    pub fn of(matches: &ArgMatches) -> Self {
        let given = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let ids: Vec<&str> = matches.ids().map(clap::Id::as_str).collect();
        Self(ids.iter().filter(|id| given(id)).map(|id| (*id).to_owned()).collect())
    }

    /// Whether the setting was given.
    pub fn has(&self, setting: &str) -> bool {
        self.0.contains(setting)
    }
}
