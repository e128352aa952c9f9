//! What the page shows, whatever the answer: the items, their names, places and columns.

use std::sync::Arc;

use serde_json::{Value, json};
use similis::{Dissimilarity, Error, Metric, Points};

use crate::input::{Observed, Standard};
use crate::study::Study;
use crate::study::place::{Placed, placed};

/// The input, and where its items lie on the map.
#[derive(Debug)]
pub(super) struct Data {
    pub(super) name: String,
    pub(super) observed: Observed,
    /// What was read, in words.
    pub(super) described: String,
    pub(super) pairs: Arc<Dissimilarity<'static>>,
    pub(super) placed: Placed,
    /// Marks the input in saved states: other items make another.
    pub(super) fingerprint: String,
    /// Whether the input is a program's own, and no file.
    pub(super) in_memory: bool,
}

/// A column that the map can be coloured by.
pub(super) enum Column<'a> {
    Numbers(Vec<f64>),
    Words(&'a [String]),
}

impl Data {
    pub(super) fn new(name: String, mut observed: Observed, seed: u64) -> Result<Self, Error> {
        let described = observed.described();
        let empty =
            Dissimilarity::from_fn(0, |_, _| 0.0).or_else(|_| Dissimilarity::from_fn(1, |_, _| 0.0))?;
        let pairs = Arc::new(std::mem::replace(&mut observed.pairs, empty));
        let points = points(&observed, &pairs);
        let columns = observed.names.as_deref().unwrap_or_default();
        let placed = placed(&pairs, points, columns, (seed, false))?;
        let fingerprint = fingerprint(&placed, observed.ids.as_deref());
        Ok(Self { name, observed, described, pairs, placed, fingerprint, in_memory: false })
    }

    pub(super) fn n_items(&self) -> usize {
        self.pairs.n_points()
    }

    /// The points as they were given, if there are any.
    pub(super) fn points(&self) -> Option<&Points<'static>> {
        points(&self.observed, &self.pairs)
    }

    /// The metric of points.
    pub(super) fn metric(&self) -> Option<Metric> {
        self.pairs.metric()
    }

    /// The pairs as another metric measures them.
    pub(super) fn measured_by(&self, metric: Option<Metric>) -> Result<Arc<Dissimilarity<'static>>, Error> {
        match (metric, self.points()) {
            (Some(metric), Some(points)) if Some(metric) != self.metric() => {
                Dissimilarity::from_points(points.clone(), metric).map(Arc::new)
            }
            _ => Ok(Arc::clone(&self.pairs)),
        }
    }

    /// The name of an item, or its number.
    pub(super) fn item(&self, i: usize) -> String {
        self.observed.ids.as_ref().map_or_else(|| i.to_string(), |ids| ids[i].clone())
    }

    /// The names of the columns; the last is that of known classes, where there are any.
    pub(super) fn column_names(&self) -> Vec<String> {
        let n = self.points().map_or(0, Points::n_dimensions);
        let name = |k: usize| {
            let name =
                self.observed.names.as_ref().and_then(|names| names.get(k)).filter(|name| !name.is_empty());
            name.cloned().unwrap_or_else(|| format!("column {}", k + 1))
        };
        let classes = self.observed.classes.is_some().then(|| "class".to_owned());
        (0..n).map(name).chain(classes).collect()
    }

    /// A number of a column, in its own unit.
    fn number(&self, points: &Points<'_>, i: usize, k: usize) -> f64 {
        let standard = self.observed.standardise.as_ref().and_then(|standards| standards.get(k));
        let value = points.row(i)[k];
        standard.map_or(value, |standard: &Standard| standard.back(value))
    }

    /// The values of a column.
    pub(super) fn column(&self, k: usize) -> Option<Column<'_>> {
        let n_columns = self.points().map_or(0, Points::n_dimensions);
        match (self.points(), self.observed.classes.as_deref()) {
            (Some(points), _) if k < n_columns => {
                Some(Column::Numbers((0..self.n_items()).map(|i| self.number(points, i, k)).collect()))
            }
            (_, Some(classes)) if k == n_columns => Some(Column::Words(classes)),
            _ => None,
        }
    }

    /// Everything about one item: its name and the value of each column.
    pub(super) fn details(&self, i: usize) -> Value {
        let points = self.points();
        let n_columns = points.map_or(0, Points::n_dimensions);
        let numbers =
            points.into_iter().flat_map(|points| (0..n_columns).map(|k| json!(self.number(points, i, k))));
        let class = self.observed.classes.as_ref().map(|classes| json!(classes[i]));
        json!({"item": i, "name": self.item(i), "values": numbers.chain(class).collect::<Vec<_>>()})
    }

    /// The items whose name, number or class holds a text, the first `most` of them.
    pub(super) fn search(&self, text: &str, most: usize) -> Vec<usize> {
        let wanted = text.trim().to_lowercase();
        let class = |i: usize| self.observed.classes.as_ref().map(|classes| classes[i].to_lowercase());
        let fits = |i: &usize| {
            let name = self.item(*i).to_lowercase();
            name.contains(&wanted) || class(*i).is_some_and(|class| class.contains(&wanted))
        };
        if wanted.is_empty() {
            return Vec::new();
        }
        // A name that is exactly this comes first.
        let exact = (0..self.n_items()).filter(|&i| self.item(i).to_lowercase() == wanted).take(1);
        let mut found: Vec<usize> = exact.collect();
        let first = found.first().copied();
        found.extend((0..self.n_items()).filter(fits).filter(|i| Some(*i) != first).take(most));
        found.truncate(most);
        found
    }

    /// The study of an answer to some of the items; `on_page` leaves out what every picture would repeat.
    pub(super) fn dress<'a>(&'a self, study: &mut Study<'a>, all: bool) {
        if all {
            study.points = self.points().or(study.points);
            study.item_names = self.observed.ids.as_deref().unwrap_or_default();
            study.standards = self.observed.standardise.as_deref();
            study.place_at(self.placed.clone());
        }
        study.column_names = self.observed.names.as_deref().unwrap_or_default();
        study.on_page = true;
    }
}

fn points<'a>(observed: &'a Observed, pairs: &'a Dissimilarity<'static>) -> Option<&'a Points<'static>> {
    observed.original.as_ref().or_else(|| pairs.points().map(similis::input::MeasuredPoints::points))
}

/// A hash (FNV-1a) of places and names.
fn fingerprint(placed: &Placed, ids: Option<&[String]>) -> String {
    let places = placed.projection.x.iter().chain(&placed.projection.y);
    let bytes = places.flat_map(|place| place.to_le_bytes());
    let names = ids.into_iter().flatten().flat_map(|name| name.bytes().chain([0]));
    let hash = bytes.chain(names).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}
