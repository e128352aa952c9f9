//! Saved models: JSON that later versions read, written so that every number comes back bit for bit.
//!
//! `docs/guide/prediction.md` describes the file entry by entry.

use std::fmt::Write as _;
use std::io::Read;
use std::path::Path;

use serde_json::{Map, Value};
use similis::error::check_memory;
use similis::input::MeasuredPoints;
use similis::latent_graph::{Link, SizePrior};
use similis::settings::Named;
use similis::{Metric, Points, PredictorParts};

use super::output::write_bytes;
use super::source::{Source, unreadable};
use crate::error::{Error, Excerpt};
use crate::input::Standard;

/// What the first entry of the file says.
const FORMAT: &str = "similis-model";

/// The version that is written, and the only one so far.
const VERSION: u64 = 1;

/// Number of first bytes of a file that is not JSON that are searched for [`FORMAT`]. Not tuned.
const HEAD: usize = 200;

/// A model as a file keeps it: what a predictor is made of, and how the columns of points were made ready.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedModel {
    /// What the predictor is made of.
    pub parts: PredictorParts,
    /// The names of the points' columns, where they have any.
    pub columns: Option<Vec<String>>,
    /// How each column was shifted and scaled, where it was.
    pub standardise: Option<Vec<Standard>>,
}

impl SavedModel {
    /// Returns the model as the text of a file.
    pub fn text(&self) -> String {
        let parts = &self.parts;
        let label = |label: &Option<usize>| label.map_or_else(|| "-1".to_owned(), |label| label.to_string());
        let link = |link: &Link| format!("[{},{},{}]", link.from, link.to, number(link.length));
        let standard = |own: &Standard| numbers(&[own.unit, own.mean, own.deviation]);
        let mut text = format!("{{\n  \"format\": \"{FORMAT}\",\n  \"version\": {VERSION}");
        let mut entry = |name: &str, value: String| {
            let _ = write!(text, ",\n  \"{name}\": {value}");
        };
        entry("similis", quoted(env!("CARGO_PKG_VERSION")));
        entry("unit", number(parts.unit));
        entry("floor", number(parts.floor));
        entry("shape", number(parts.shape));
        entry("step", number(parts.step));
        entry("size_prior", quoted(parts.size_prior.name()));
        entry("noise", quoted(if parts.noise { "background" } else { "none" }));
        entry("columns", or_null(self.columns.as_deref(), |names| list(names, |name| quoted(name))));
        entry("standardise", or_null(self.standardise.as_deref(), |all| list(all, standard)));
        entry("labels", list(&parts.labels, label));
        entry("links", list(&parts.links, link));
        entry("noise_lengths", numbers(&parts.noise_lengths));
        entry("points", or_null(parts.points.as_ref(), points_text));
        text + "\n}\n"
    }

    /// Writes the model, whole or not at all.
    ///
    /// # Errors
    ///
    /// Those of [`write_bytes`].
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        write_bytes(path, self.text().as_bytes())
    }

    /// Reads a model of at most this many bytes; the predictor made from it checks whether its parts fit together.
    ///
    /// # Errors
    ///
    /// [`Error::NoFile`], [`Error::Read`], [`Error::Damaged`], and those of [`SavedModel::from_bytes`].
    pub fn read(path: &Path, memory_limit: Option<u64>) -> Result<Self, Error> {
        let source = Source::open(path)?;
        let mut bytes = Vec::new();
        // What was packed small may be large.
        let most = memory_limit.unwrap_or(u64::MAX);
        let mut reader = source.into_reader().take(most.saturating_add(1));
        reader.read_to_end(&mut bytes).map_err(|source| unreadable(path, source))?;
        check_memory(bytes.len() as u64, memory_limit, "the model", "raise the memory limit")
            .map_err(|source| Error::Content { path: path.into(), source })?;
        Self::from_bytes(path, &bytes)
    }

    /// Returns the model that the bytes of a file hold; `path` is for messages.
    ///
    /// # Errors
    ///
    /// [`Error::NotModel`], [`Error::ModelDamaged`] if it was cut short, [`Error::ModelVersion`], [`Error::ModelEntry`] for an
    /// entry that is missing or none.
    pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Self, Error> {
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]).into_owned();
        let value: Value = serde_json::from_slice(bytes).map_err(|source| {
            if head.contains(FORMAT) {
                Error::ModelDamaged { path: path.into(), line: source.line(), column: source.column() }
            } else {
                Error::NotModel { path: path.into() }
            }
        })?;
        let entries =
            value.as_object().filter(|entries| entries.get("format").and_then(Value::as_str) == Some(FORMAT));
        let entries = Entries { path, of: entries.ok_or_else(|| Error::NotModel { path: path.into() })? };
        match entries.of.get("version") {
            Some(version) if version.as_u64() == Some(VERSION) => entries.model(),
            other => {
                let given = other.map_or_else(|| "none".to_owned(), ToString::to_string);
                Err(Error::ModelVersion { path: path.into(), given: Excerpt::new(given.as_bytes()) })
            }
        }
    }

    /// Bytes that a predictor made of it takes: mostly what is known of the scale of each point.
    pub fn memory(&self) -> u64 {
        const BYTES_PER_POINT: u64 = 1_500;
        BYTES_PER_POINT.saturating_mul(self.parts.labels.len() as u64)
    }

    /// Returns rows of coordinates, as a user gives them, made ready as the model's points were.
    pub fn standardised(&self, mut values: Vec<f64>) -> Vec<f64> {
        if let Some(columns) = &self.standardise {
            values
                .iter_mut()
                .zip(columns.iter().cycle())
                .for_each(|(value, column)| *value = column.of(*value));
        }
        values
    }
}

fn points_text(points: &MeasuredPoints<'_>) -> String {
    let metric = points.metric();
    let power = match metric {
        Metric::Minkowski { p } => format!("\"minkowski_p\": {}, ", number(p)),
        _ => String::new(),
    };
    let rows = points.points();
    format!(
        "{{\"metric\": {}, {power}\"unit\": {}, \"n_columns\": {}, \"coordinates\": {}}}",
        quoted(metric.name()),
        number(points.unit()),
        rows.n_dimensions(),
        numbers(rows.as_slice())
    )
}

/// A number in the fewest digits that come back as it; null for one that is not known.
fn number(value: f64) -> String {
    if value.is_finite() { format!("{value:?}") } else { "null".to_owned() }
}

fn numbers(values: &[f64]) -> String {
    list(values, |&value| number(value))
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn list<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
    format!("[{}]", items.iter().map(text).collect::<Vec<_>>().join(","))
}

fn or_null<T>(value: Option<T>, text: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "null".to_owned(), text)
}

/// The entries of a file, or of one of its entries.
#[derive(Clone, Copy)]
struct Entries<'a> {
    path: &'a Path,
    of: &'a Map<String, Value>,
}

impl<'a> Entries<'a> {
    fn model(self) -> Result<SavedModel, Error> {
        let size_prior = self.entry("size_prior", "dirichlet or constant", |value| {
            value.as_str().and_then(|name| SizePrior::named(name).ok())
        })?;
        let noise = self.entry("noise", "none or background", |value| match value.as_str()? {
            "none" => Some(false),
            "background" => Some(true),
            _ => None,
        })?;
        let parts = PredictorParts {
            labels: self.labels()?,
            links: self
                .entry("links", "a list of two points and a length each", |value| each(value, link))?,
            unit: self.number("unit")?,
            floor: self.number("floor")?,
            shape: self.number("shape")?,
            step: self.number("step")?,
            size_prior,
            noise_lengths: self.entry("noise_lengths", "a list of lengths", |value| each(value, length))?,
            noise,
            points: self.points()?,
        };
        let model = SavedModel { parts, columns: self.columns()?, standardise: self.standardise()? };
        self.check_columns(&model)?;
        Ok(model)
    }

    /// What `read` makes of an entry.
    fn entry<T>(
        self,
        entry: &'static str,
        wanted: &'static str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<T, Error> {
        let found = self.of.get(entry).and_then(read);
        found.ok_or_else(|| Error::ModelEntry { path: self.path.into(), entry, wanted })
    }

    fn number(self, entry: &'static str) -> Result<f64, Error> {
        self.entry(entry, "a number", Value::as_f64)
    }

    /// As [`Entries::entry`], nothing for null.
    fn optional<T>(
        self,
        entry: &'static str,
        wanted: &'static str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        self.entry(entry, wanted, |value| if value.is_null() { Some(None) } else { read(value).map(Some) })
    }

    fn labels(self) -> Result<Vec<Option<usize>>, Error> {
        // -1 is noise.
        let whole = |value: &Value| value.as_i64().filter(|&label| label >= -1);
        let labels =
            self.entry("labels", "a list of whole numbers from -1 on", |value| each(value, whole))?;
        Ok(labels.into_iter().map(|label| usize::try_from(label).ok()).collect())
    }

    fn columns(self) -> Result<Option<Vec<String>>, Error> {
        let name = |value: &Value| value.as_str().map(str::to_owned);
        self.optional("columns", "null or a list of names", |value| each(value, name))
    }

    fn standardise(self) -> Result<Option<Vec<Standard>>, Error> {
        self.optional("standardise", "null or a unit, a mean and a deviation for each column", |value| {
            each(value, standard)
        })
    }

    fn points(self) -> Result<Option<MeasuredPoints<'static>>, Error> {
        let found = self.optional("points", "null or an object", Value::as_object)?;
        let Some(of) = found else { return Ok(None) };
        let entries = Entries { path: self.path, of };
        let metric = entries.entry("metric", "the name of a metric", |value| {
            value.as_str().and_then(|name| Metric::named(name).ok())
        })?;
        let metric = match metric {
            Metric::Minkowski { .. } => Metric::Minkowski { p: entries.number("minkowski_p")? },
            other => other,
        };
        let n_columns = entries.entry("n_columns", "a whole number above 0", |value| {
            value.as_u64().and_then(|n| usize::try_from(n).ok()).filter(|&n| n > 0)
        })?;
        let coordinates =
            entries.entry("coordinates", "a list of numbers", |value| each(value, Value::as_f64))?;
        let n_points = coordinates.len() / n_columns;
        let points = Points::new(coordinates, n_points, n_columns).and_then(|points| {
            PredictorParts::kept_points(points, metric, entries.number("unit").unwrap_or(f64::NAN))
        });
        points.map(Some).map_err(|source| Error::Content { path: self.path.into(), source })
    }

    /// Names and units must be of the points' columns.
    fn check_columns(self, model: &SavedModel) -> Result<(), Error> {
        let n_columns = model.parts.points.as_ref().map(|points| points.points().n_dimensions());
        let fits = |given: Option<usize>| given.is_none() || given == n_columns;
        let wrong = |entry| Error::ModelEntry {
            path: self.path.into(),
            entry,
            wanted: "one for each column of the points",
        };
        if !fits(model.columns.as_ref().map(Vec::len)) {
            return Err(wrong("columns"));
        }
        if !fits(model.standardise.as_ref().map(Vec::len)) {
            return Err(wrong("standardise"));
        }
        Ok(())
    }
}

fn each<'a, T>(value: &'a Value, read: impl Fn(&'a Value) -> Option<T>) -> Option<Vec<T>> {
    value.as_array()?.iter().map(read).collect()
}

fn link(value: &Value) -> Option<Link> {
    let [from, to, length] = value.as_array()?.as_slice() else { return None };
    let point = |value: &Value| value.as_u64().and_then(|point| usize::try_from(point).ok());
    Some(Link { from: point(from)?, to: point(to)?, length: self::length(length)? })
}

/// A length; null is one that was not observed.
fn length(value: &Value) -> Option<f64> {
    if value.is_null() { Some(f64::NAN) } else { value.as_f64() }
}

fn standard(value: &Value) -> Option<Standard> {
    let [unit, mean, deviation] = value.as_array()?.as_slice() else { return None };
    let (unit, mean, deviation) = (unit.as_f64()?, mean.as_f64()?, deviation.as_f64()?);
    (unit > 0.0 && deviation >= 0.0).then_some(Standard { unit, mean, deviation })
}

#[cfg(test)]
mod tests;
