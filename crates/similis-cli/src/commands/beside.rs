//! What is written beside the labels: the columns of the input, levels, outlier scores.

use std::path::Path;

use serde_json::Value;

use super::cluster::wrong;
use crate::args::ClusterArgs;
use crate::error::Error;
use crate::input::Observed;
use crate::io::output::LabelsFormat;
use crate::io::write::{Column, Data};
use crate::study::Study;
use crate::study::levels;
use crate::study::outliers::Outliers;

/// What the arguments ask for beside the labels, but for the columns of the input.
#[derive(Debug, Default)]
pub(super) struct Beside {
    /// The labels of each level, by its number of clusters.
    levels: Vec<(usize, Vec<i64>)>,
    tree: Option<Value>,
    outliers: Option<Outliers>,
}

/// Returns an error if the format has no room for what is asked for.
///
/// # Errors
///
/// [`Error::NoInputColumns`], [`Error::NoRoom`], and those of [`LabelsFormat::of`].
pub(super) fn check(args: &ClusterArgs, path: &Path, format: Option<LabelsFormat>) -> Result<(), Error> {
    let format = LabelsFormat::of(path, format)?;
    if args.with_input && format.is_bare() {
        return Err(Error::NoInputColumns { path: path.into() });
    }
    let flag = if args.more.levels.is_some() { "--levels" } else { "--scores" };
    match format {
        LabelsFormat::Txt | LabelsFormat::Npy if args.more.scores || args.more.levels.is_some() => {
            Err(Error::NoRoom { flag, path: path.into() })
        }
        _ => Ok(()),
    }
}

impl Beside {
    /// Finds what the arguments ask for.
    pub(super) fn of(args: &ClusterArgs, study: &Study<'_>) -> Result<Self, Error> {
        let wrong = |source| wrong(args, source);
        let mut found = Self::default();
        if args.more.scores {
            found.outliers = Some(study.outlier_scores().map_err(wrong)?);
        }
        if let Some(wanted) = &args.more.levels {
            let finest = wanted.0.last().copied().unwrap_or(1);
            let levels = study.levels(finest).map_err(wrong)?;
            for &n in &wanted.0 {
                found.levels.push((n, study.level(n, levels).map_err(wrong)?));
            }
            found.tree = Some(levels::json(levels, &found.levels));
        }
        Ok(found)
    }

    /// The columns after the labels.
    pub(super) fn columns(&self) -> Vec<Column<'_>> {
        let level = |(n, labels): &'_ (usize, Vec<i64>)| (format!("level_{n}"), labels.clone());
        let levels = self.levels.iter().map(level);
        let mut columns: Vec<Column<'_>> = levels
            .map(|(name, labels)| Column { name: name.into(), data: Data::Whole(labels.into()) })
            .collect();
        if let Some(outliers) = &self.outliers {
            let column = |name: &'static str, values: &'_ [f64]| (name, values.to_vec());
            let both =
                [column("log_density", &outliers.log_density), column("outlier_score", &outliers.scores)];
            columns.extend(
                both.map(|(name, values)| Column { name: name.into(), data: Data::Numbers(values.into()) }),
            );
        }
        columns
    }

    /// The entries of a JSON file, and these.
    pub(super) fn added_to(&self, details: Value) -> Value {
        let Value::Object(mut entries) = details else { return details };
        if let Some(Value::Object(tree)) = self.tree.clone() {
            entries.extend(tree);
        }
        if let Some(outliers) = &self.outliers {
            entries.insert("log_density".to_owned(), outliers.log_density.clone().into());
            entries.insert("outlier_scores".to_owned(), outliers.scores.clone().into());
        }
        Value::Object(entries)
    }
}

/// A number without the last digits, which shifting and scaling it back and forth have changed.
fn twelve_digits(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

/// The columns that were read, in their own units, and the known classes.
pub(super) fn input_columns<'a>(
    args: &'a ClusterArgs,
    observed: &'a Observed,
    study: &Study<'a>,
) -> Vec<Column<'a>> {
    let Some(points) = study.points else { return Vec::new() };
    let standard = |column: usize| study.standards.and_then(|standards| standards.get(column));
    let column = |k: usize| {
        let value = |i: usize| {
            let value = points.row(i)[k];
            standard(k).map_or(value, |standard| twelve_digits(standard.back(value)))
        };
        let values: Vec<f64> = (0..points.n_points()).map(value).collect();
        Column { name: study.column(k).into(), data: Data::Numbers(values.into()) }
    };
    let classes = observed.classes.as_deref();
    let named = args.input.label_column.as_deref().filter(|name| name.parse::<usize>().is_err());
    let name = named.unwrap_or("class");
    let classes = classes.map(|classes| Column { name: name.into(), data: Data::Text(classes.into()) });
    (0..points.n_dimensions()).map(column).chain(classes).collect()
}
