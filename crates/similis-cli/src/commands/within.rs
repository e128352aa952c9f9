//! Some of the items, clustered again; the labels of the others.

use similis::Points;
use similis::input::continued;

use crate::args::ClusterArgs;
use crate::error::Error;
use crate::input::{Observed, read_known_labels};
use crate::memory;

/// Which items are clustered again, and what there was before.
pub(super) struct Within {
    before: Vec<Option<usize>>,
    /// The items that are clustered again, rising.
    kept: Vec<usize>,
    ids: Option<Vec<String>>,
}

impl Within {
    /// The items that the arguments name, if they name any.
    pub(super) fn read(args: &ClusterArgs, all: &Observed) -> Result<Option<Self>, Error> {
        let Some(path) = &args.within.labels else { return Ok(None) };
        let before = read_known_labels(path, all, memory::limit(args.run.work.memory_limit))?;
        let wanted = |label: &Option<usize>| {
            let number = label.map_or(-1, |label| i64::try_from(label).unwrap_or(i64::MAX));
            args.within.within.contains(&number)
        };
        let kept: Vec<usize> = (0..before.len()).filter(|&i| wanted(&before[i])).collect();
        if kept.is_empty() {
            let labels = args.within.within.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
            return Err(Error::WithinNothing { path: path.clone(), labels });
        }
        Ok(Some(Self { before, kept, ids: all.ids.clone() }))
    }

    /// What was observed of these items alone.
    pub(super) fn part(&self, all: Observed) -> Result<Observed, similis::Error> {
        let some = |names: Option<Vec<String>>| {
            names.map(|names| self.kept.iter().map(|&i| names[i].clone()).collect::<Vec<_>>())
        };
        let original = all.original.as_ref().map(|points| self.rows(points)).transpose()?;
        let note = format!(
            "{} of {} items are clustered again; the others keep their labels",
            self.kept.len(),
            self.before.len()
        );
        Ok(Observed {
            pairs: all.pairs.restricted(&self.kept)?,
            ids: some(all.ids),
            classes: some(all.classes),
            weights: self.kept.iter().filter_map(|&i| all.weights.get(i).copied()).collect(),
            original,
            notes: all.notes.into_iter().chain([note]).collect(),
            ..all
        })
    }

    fn rows(&self, points: &Points<'_>) -> Result<Points<'static>, similis::Error> {
        let values: Vec<f64> = self.kept.iter().flat_map(|&i| points.row(i)).copied().collect();
        Points::new(values, self.kept.len(), points.n_dimensions())
    }

    /// The labels of all items, given those of the part.
    pub(super) fn all(&self, part: &[Option<usize>]) -> Vec<Option<usize>> {
        let (mut stay, mut found) = (self.before.clone(), vec![None; self.before.len()]);
        for (&i, &label) in self.kept.iter().zip(part) {
            (stay[i], found[i]) = (None, label);
        }
        continued(&stay, &found)
    }

    /// The names of all items, where they have any.
    pub(super) fn ids(&self) -> Option<&[String]> {
        self.ids.as_deref()
    }
}
