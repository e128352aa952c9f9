//! Rows of a table of settings: what the command line, JSON, Python and the notes on idle settings are made of.

use crate::error::SettingError;
use std::fmt;
use std::str::FromStr;

use super::{Named, parsed};
use crate::error::Error;

/// The word for an automatic setting: the model chooses its value.
const AUTOMATIC: &str = "auto";

/// A row of the table of the settings of a model `M`.
#[derive(Debug)]
pub struct Setting<M: 'static> {
    /// The name in Rust, in JSON and, with dashes, on the command line.
    pub name: &'static str,
    /// What values it has.
    pub kind: Kind,
    /// One or two sentences on what the setting does, without the default.
    pub help: &'static str,
    /// What other settings must be for this one to have an effect; all of them must hold.
    pub needs: &'static [Need],
    /// Whether a value that was given, or is not the default, says which model is meant.
    pub names_model: bool,
    /// Whether help pages and Python leave it out: it is there for measurements.
    pub hidden: bool,
    /// Whether it limits the run and cannot change the answer, so that JSON leaves it out.
    pub of_run: bool,
    /// The name in Python, where custom asks for another one.
    pub python: &'static str,
    get: fn(&M) -> Value,
    set: fn(&mut M, &str) -> Result<(), Error>,
}

/// What values a setting has.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Yes or no; on the command line a flag without a value.
    Flag,
    /// One of these words.
    Word(fn() -> Vec<&'static str>),
    /// Any of these words, separated by commas.
    Words(&'static [&'static str]),
    /// A whole number; the text is how help pages call it.
    Count(&'static str),
    /// A number; the text is how help pages call it.
    Number(&'static str),
    /// A number or a word; the text is how help pages call it.
    NumberOrWord(&'static str),
}

/// The value of a setting.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// The model decides; reads and writes as `auto`.
    Automatic,
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Count(u64),
    /// A number.
    Number(f64),
    /// A word, or what is written like one.
    Word(String),
}

/// A condition for a setting to have an effect: another setting is one of a few values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// The other setting, or `input`: what was observed, `distances` or `similarities`.
    pub setting: &'static str,
    /// The values for which the condition holds.
    pub one_of: &'static [&'static str],
}

/// A setting that was given and has no effect; displayed as the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idle {
    /// The setting without effect.
    pub setting: &'static str,
    /// The condition that does not hold.
    pub need: Need,
    /// What the setting of the condition is instead.
    pub actual: String,
}

impl<M> Setting<M> {
    /// A row; the functions read the value from a model, and write it to one.
    pub(crate) const fn new(
        name: &'static str,
        kind: Kind,
        help: &'static str,
        get: fn(&M) -> Value,
        set: fn(&mut M, &str) -> Result<(), Error>,
    ) -> Self {
        let (needs, names_model, hidden, of_run) = (&[] as &[Need], true, false, false);
        Self { name, kind, help, needs, names_model, hidden, of_run, python: name, get, set }
    }

    /// The same row, with conditions for the setting to have an effect.
    pub(crate) const fn needs(self, needs: &'static [Need]) -> Self {
        Self { needs, ..self }
    }

    /// The same row, of a setting that does not say which model is meant.
    pub(crate) const fn of_any_model(self) -> Self {
        Self { names_model: false, ..self }
    }

    /// The same row, of a setting that limits the run and cannot change the answer.
    pub(crate) const fn of_run(self) -> Self {
        Self { names_model: false, of_run: true, ..self }
    }

    /// The same row, left out by help pages and Python.
    pub(crate) const fn hidden(self) -> Self {
        Self { hidden: true, ..self }
    }

    /// The same row, of a setting with another name in Python.
    pub(crate) const fn python(self, python: &'static str) -> Self {
        Self { python, ..self }
    }

    /// The value in a model; of a setting that this way of inference does not have, its default.
    pub fn get(&self, model: &M) -> Value {
        (self.get)(model)
    }

    /// Writes a value, given as text, to a model. A setting that its way of inference does not have is checked and dropped.
    ///
    /// # Errors
    ///
    /// [`Error::Settings`] if the setting has no such value.
    pub fn set(&self, model: &mut M, text: &str) -> Result<(), Error> {
        (self.set)(model, text)
    }

    /// The value that a model has by default.
    pub fn default(&self) -> Value
    where
        M: Default,
    {
        self.get(&M::default())
    }

    /// The words that the setting may be; empty for numbers.
    pub fn words(&self) -> Vec<&'static str> {
        match self.kind {
            Kind::Word(names) => names(),
            Kind::Words(names) => names.to_vec(),
            _ => Vec::new(),
        }
    }

    /// The first condition that does not hold, if what `actual` knows about the other settings contradicts one.
    pub(crate) fn unmet(&self, actual: &dyn Fn(&str) -> Option<String>) -> Option<Idle> {
        self.needs.iter().find_map(|&need| {
            let actual = actual(need.setting)?;
            (!need.one_of.contains(&&*actual)).then_some(Idle { setting: self.name, need, actual })
        })
    }
}

impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Automatic => out.write_str(AUTOMATIC),
            Self::Flag(value) => value.fmt(out),
            Self::Count(value) => value.fmt(out),
            Self::Number(value) => value.fmt(out),
            Self::Word(value) => value.fmt(out),
        }
    }
}

impl Value {
    /// The name of a value.
    pub(crate) fn name<T: Named>(value: T) -> Self {
        Self::Word(value.name().to_owned())
    }

    /// A number of things.
    pub(crate) fn count(value: usize) -> Self {
        Self::Count(value as u64)
    }
}

impl fmt::Display for Idle {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Need { setting, one_of } = self.need;
        write!(out, "{setting} is {}, not {}", self.actual, one_of.join(" or "))
    }
}

/// The names of all values of a type.
pub(crate) fn names<T: Named>() -> Vec<&'static str> {
    T::VALUES.iter().map(|&(name, _)| name).collect()
}

/// Returns the row of a setting.
///
/// # Errors
///
/// [`Error::Settings`], which lists the names.
pub(crate) fn row<M>(rows: &'static [Setting<M>], name: &str) -> Result<&'static Setting<M>, Error> {
    rows.iter().find(|row| row.name == name).ok_or_else(|| {
        Error::Settings(SettingError::Setting {
            setting: "the name of a setting",
            given: name.to_owned(),
            known: rows.iter().map(|row| row.name).collect(),
        })
    })
}

/// Writes the settings that are given to a model, in the order of the table, whatever the order in which they are given.
///
/// # Errors
///
/// [`Error::Settings`] for a name that is not in the table, and those of [`Setting::set`].
pub(crate) fn apply<M>(
    rows: &'static [Setting<M>],
    model: &mut M,
    given: &[(&str, &str)],
) -> Result<(), Error> {
    given.iter().try_for_each(|(name, _)| row(rows, name).map(|_| ()))?;
    for row in rows {
        // As on a command line, of two values for one setting the last counts.
        if let Some((_, text)) = given.iter().rfind(|(name, _)| *name == row.name) {
            row.set(model, text)?;
        }
    }
    Ok(())
}

/// Reads a value, or `auto`, in Python `None`, as none.
pub(crate) fn optional<T>(
    text: &str,
    read: impl FnOnce(&str) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    if [AUTOMATIC, "None"].contains(&text) { Ok(None) } else { read(text).map(Some) }
}

/// Reads yes or no.
pub(crate) fn flag(setting: &'static str, text: &str) -> Result<bool, Error> {
    match text {
        "true" | "True" => Ok(true),
        "false" | "False" => Ok(false),
        _ => Err(Error::Settings(SettingError::Setting {
            setting,
            given: text.to_owned(),
            known: vec!["true", "false"],
        })),
    }
}

/// Reads a whole number.
pub(crate) fn count<T: FromStr>(setting: &'static str, text: &str) -> Result<T, Error> {
    let given = text.to_owned();
    text.parse()
        .map_err(|_| Error::Settings(SettingError::Setting { setting, given, known: vec!["a whole number"] }))
}

/// Reads a number.
pub(crate) fn number(setting: &'static str, text: &str) -> Result<f64, Error> {
    parsed(setting, text, &[])
}
