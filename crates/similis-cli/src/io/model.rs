//! Saved models: JSON that later versions read, written so that every number comes back bit for bit.
//!
//! `docs/guide/prediction.md` describes the file entry by entry.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;
use serde_json::value::RawValue;
use similis::input::{MeasuredPoints, MeasuredSparse, SparsePoints};
use similis::latent_graph::{Link, SizePrior};
use similis::settings::Named;
use similis::{Metric, Points, PredictorParts};

use super::budget::Budget;
use super::output::write_bytes;
use super::source::Source;
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
        let points = match &parts.sparse_points {
            Some(points) => sparse_text(points),
            None => or_null(parts.points.as_ref(), points_text),
        };
        entry("points", points);
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
        let source = Source::open(path, memory_limit)?;
        let budget = source.budget.clone();
        Self::parsed(&budget, &source.into_bytes()?)
    }

    /// Returns the model that the bytes of a file hold; `path` is for messages.
    ///
    /// # Errors
    ///
    /// [`Error::NotModel`], [`Error::ModelDamaged`] if it was cut short, [`Error::ModelVersion`], [`Error::ModelEntry`] for an
    /// entry that is missing or none.
    pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Self, Error> {
        Self::parsed(&Budget::new(path, None), bytes)
    }

    fn parsed(budget: &Budget, bytes: &[u8]) -> Result<Self, Error> {
        let path = budget.path();
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]).into_owned();
        // Entries stay text until they are wanted: as values of any kind they would take 12 times as much.
        let entries: Map<'_> = serde_json::from_slice(bytes).map_err(|source| {
            if head.contains(FORMAT) {
                Error::ModelDamaged { path: path.into(), line: source.line(), column: source.column() }
            } else {
                Error::NotModel { path: path.into() }
            }
        })?;
        if entries.get("format").and_then(|&raw| text(raw)).as_deref() != Some(FORMAT) {
            return Err(Error::NotModel { path: path.into() });
        }
        match entries.get("version") {
            Some(&version) if whole(version) == Some(VERSION) => Entries { budget, of: &entries }.model(),
            other => {
                let given = other.map_or("none", |&raw| raw.get());
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

fn sparse_text(points: &MeasuredSparse) -> String {
    let (metric, unit, rows) = (quoted(points.metric().name()), number(points.unit()), points.points());
    format!(
        "{{\"metric\": {metric}, \"unit\": {unit}, \"n_columns\": {}, \"offsets\": {}, \"columns\": {}, \"values\": {}}}",
        rows.n_dimensions(),
        list(rows.offsets(), usize::to_string),
        list(rows.columns(), u32::to_string),
        numbers(rows.values())
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
    budget: &'a Budget,
    of: &'a Map<'a>,
}

/// Names, and the text of the value of each.
type Map<'a> = BTreeMap<String, &'a RawValue>;

impl<'a> Entries<'a> {
    fn model(self) -> Result<SavedModel, Error> {
        let size_prior =
            self.entry("size_prior", "dirichlet or constant", |raw| SizePrior::named(&text(raw)?).ok())?;
        let noise = self.entry("noise", "none or background", |raw| match text(raw)?.as_str() {
            "none" => Some(false),
            "background" => Some(true),
            _ => None,
        })?;
        let parts = PredictorParts {
            labels: self.labels()?,
            links: self.list("links", "a list of two points and a length each", links)?,
            unit: self.number("unit")?,
            floor: self.number("floor")?,
            shape: self.number("shape")?,
            step: self.number("step")?,
            size_prior,
            noise_lengths: self.list("noise_lengths", "a list of lengths", lengths)?,
            noise,
            points: None,
            sparse_points: None,
        };
        let parts = self.with_points(parts)?;
        let model = SavedModel { parts, columns: self.columns()?, standardise: self.standardise()? };
        self.check_columns(&model)?;
        Ok(model)
    }

    /// What `read` makes of an entry.
    fn entry<T>(
        self,
        entry: &'static str,
        wanted: &'static str,
        read: impl FnOnce(&'a RawValue) -> Option<T>,
    ) -> Result<T, Error> {
        let found = self.of.get(entry).and_then(|&raw| read(raw));
        found.ok_or_else(|| Error::ModelEntry { path: self.budget.path().into(), entry, wanted })
    }

    /// As [`Entries::entry`], of a list, whose memory is checked first.
    fn list<T>(
        self,
        entry: &'static str,
        wanted: &'static str,
        read: impl FnOnce(&'a RawValue) -> Option<T>,
    ) -> Result<T, Error> {
        // An item as it is read, twice over while the list grows, and as it is kept.
        const PER_ITEM: u64 = 40;
        let text = self.of.get(entry).map_or("", |raw| raw.get());
        let n_items = 1 + text.bytes().filter(|&byte| byte == b',').count() as u64;
        self.budget.check(n_items.saturating_mul(PER_ITEM))?;
        self.entry(entry, wanted, read)
    }

    fn number(self, entry: &'static str) -> Result<f64, Error> {
        self.entry(entry, "a number", |raw| serde_json::from_str(raw.get()).ok())
    }

    fn labels(self) -> Result<Vec<Option<usize>>, Error> {
        // -1 is noise.
        let labels = |raw: &RawValue| {
            let labels = serde_json::from_str::<Vec<i64>>(raw.get()).ok()?;
            labels.iter().all(|&label| label >= -1).then_some(labels)
        };
        let labels = self.list("labels", "a list of whole numbers from -1 on", labels)?;
        Ok(labels.into_iter().map(|label| usize::try_from(label).ok()).collect())
    }

    fn columns(self) -> Result<Option<Vec<String>>, Error> {
        self.list("columns", "null or a list of names", |raw| serde_json::from_str(raw.get()).ok())
    }

    fn standardise(self) -> Result<Option<Vec<Standard>>, Error> {
        if self.of.get("standardise").is_some_and(|raw| raw.get() == "null") {
            return Ok(None);
        }
        self.list("standardise", "null or a unit, a mean and a deviation for each column", standards)
            .map(Some)
    }

    fn with_points(self, parts: PredictorParts) -> Result<PredictorParts, Error> {
        let object = |raw: &'a RawValue| serde_json::from_str::<Option<Map<'a>>>(raw.get()).ok();
        let Some(of) = self.entry("points", "null or an object", object)? else { return Ok(parts) };
        let entries = Entries { budget: self.budget, of: &of };
        let metric =
            entries.entry("metric", "the name of a metric", |raw| Metric::named(&text(raw)?).ok())?;
        let metric = match metric {
            Metric::Minkowski { .. } => Metric::Minkowski { p: entries.number("minkowski_p")? },
            other => other,
        };
        let n_columns = entries.entry("n_columns", "a whole number above 0", |raw| {
            whole(raw).and_then(|n| usize::try_from(n).ok()).filter(|&n| n > 0)
        })?;
        let numbers = |raw: &RawValue| serde_json::from_str::<Vec<f64>>(raw.get()).ok();
        let wrong = |source| Error::Content { path: self.budget.path().into(), source };
        let unit = entries.number("unit").unwrap_or(f64::NAN);
        if of.contains_key("values") {
            let points = PredictorParts::kept_sparse_points(entries.sparse(n_columns)?, metric, unit);
            return Ok(PredictorParts { sparse_points: Some(points.map_err(wrong)?), ..parts });
        }
        let coordinates = entries.list("coordinates", "a list of numbers", numbers)?;
        let n_points = coordinates.len() / n_columns;
        let points = Points::new(coordinates, n_points, n_columns)
            .and_then(|points| PredictorParts::kept_points(points, metric, unit));
        Ok(PredictorParts { points: Some(points.map_err(wrong)?), ..parts })
    }

    /// The rows of sparse points.
    fn sparse(self, n_columns: usize) -> Result<SparsePoints, Error> {
        let whole = "a list of whole numbers";
        let offsets: Vec<usize> = self.list("offsets", whole, |raw| serde_json::from_str(raw.get()).ok())?;
        let columns: Vec<u32> = self.list("columns", whole, |raw| serde_json::from_str(raw.get()).ok())?;
        let values: Vec<f64> =
            self.list("values", "a list of numbers", |raw| serde_json::from_str(raw.get()).ok())?;
        SparsePoints::new(&offsets, &columns, &values, n_columns)
            .map_err(|source| Error::Content { path: self.budget.path().into(), source })
    }

    /// Names and units must be of the points' columns.
    fn check_columns(self, model: &SavedModel) -> Result<(), Error> {
        let n_columns = model.parts.n_dimensions();
        let fits = |given: Option<usize>| given.is_none() || given == n_columns;
        let wrong = |entry| Error::ModelEntry {
            path: self.budget.path().into(),
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

fn text(raw: &RawValue) -> Option<String> {
    serde_json::from_str(raw.get()).ok()
}

fn whole(raw: &RawValue) -> Option<u64> {
    serde_json::from_str(raw.get()).ok()
}

fn links(raw: &RawValue) -> Option<Vec<Link>> {
    let listed = serde_json::from_str::<Vec<(usize, usize, Option<f64>)>>(raw.get()).ok()?;
    let link = |(from, to, length): (usize, usize, Option<f64>)| Link { from, to, length: known(length) };
    Some(listed.into_iter().map(link).collect())
}

fn lengths(raw: &RawValue) -> Option<Vec<f64>> {
    let listed = serde_json::from_str::<Vec<Option<f64>>>(raw.get()).ok()?;
    Some(listed.into_iter().map(known).collect())
}

/// A length; null is one that was not observed.
fn known(length: Option<f64>) -> f64 {
    length.unwrap_or(f64::NAN)
}

fn standards(raw: &RawValue) -> Option<Vec<Standard>> {
    let standard = |(unit, mean, deviation)| {
        (unit > 0.0 && deviation >= 0.0).then_some(Standard { unit, mean, deviation })
    };
    serde_json::from_str::<Vec<(f64, f64, f64)>>(raw.get()).ok()?.into_iter().map(standard).collect()
}

#[cfg(test)]
mod tests;
