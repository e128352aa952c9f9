//! Labels written with the probability of each class.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;
use similis::Prediction;

use super::format::Format;
use super::output::{LabelsFormat, csv_field, labels_columns, labels_json};
use super::write::{Column, Data, columnar};
use crate::error::Error;

/// Returns the labels as files have them: -1 is noise.
pub fn numbered(labels: &[Option<usize>]) -> Vec<i64> {
    labels.iter().map(|label| label.map_or(-1, |label| label as i64)).collect()
}

/// Returns an error unless labels and probabilities can be written in the format that name and flag tell.
///
/// # Errors
///
/// [`Error::NoProbabilities`] for bare labels (`.txt`, `.npy`), and those of [`LabelsFormat::of`].
pub fn check_probabilities(path: &Path, format: Option<LabelsFormat>) -> Result<(), Error> {
    match LabelsFormat::of(path, format)? {
        LabelsFormat::Txt | LabelsFormat::Npy => Err(Error::NoProbabilities { path: path.into() }),
        _ => Ok(()),
    }
}

/// Returns labels and probabilities as the file that `path` names: as
/// [`labels_bytes`](super::output::labels_bytes), with a column `p0`, `p1`, .. for each class, and `noise` where the model
/// knows noise; in `.json` as `probabilities`, a list for each item.
///
/// # Errors
///
/// Those of [`check_probabilities`].
pub fn probabilities_bytes(
    path: &Path,
    format: Option<LabelsFormat>,
    (labels, ids): (&[i64], Option<&[String]>),
    prediction: &Prediction,
    details: &Value,
) -> Result<Vec<u8>, Error> {
    check_probabilities(path, format)?;
    Ok(match LabelsFormat::of(path, format)? {
        LabelsFormat::Parquet => with_columns(path, Format::Parquet, (labels, ids), prediction)?,
        LabelsFormat::Arrow => with_columns(path, Format::Arrow, (labels, ids), prediction)?,
        LabelsFormat::Json => {
            let rows: Vec<Value> =
                (0..prediction.n_items()).map(|i| Value::from(prediction.row(i))).collect();
            let mut details = details.as_object().cloned().unwrap_or_default();
            details.insert("probabilities".to_owned(), Value::from(rows));
            labels_json(labels, ids, &Value::Object(details)).into_bytes()
        }
        _ => csv((labels, ids), prediction).into_bytes(),
    })
}

/// Returns labels and probabilities as CSV.
pub fn csv((labels, ids): (&[i64], Option<&[String]>), prediction: &Prediction) -> String {
    let names = column_names(prediction).join(",");
    let mut text = format!("{},label,{names}\n", if ids.is_some() { "id" } else { "index" });
    for (i, label) in labels.iter().enumerate() {
        let _ = match ids.and_then(|ids| ids.get(i)) {
            Some(id) => write!(text, "{},{label}", csv_field(id)),
            None => write!(text, "{i},{label}"),
        };
        prediction.row(i).iter().for_each(|probability| {
            let _ = write!(text, ",{probability:?}");
        });
        text.push('\n');
    }
    text
}

fn column_names(prediction: &Prediction) -> Vec<String> {
    let classes = (0..prediction.n_classes).map(|class| format!("p{class}"));
    classes.chain((prediction.n_columns > prediction.n_classes).then(|| "noise".to_owned())).collect()
}

fn with_columns(
    path: &Path,
    format: Format,
    (labels, ids): (&[i64], Option<&[String]>),
    prediction: &Prediction,
) -> Result<Vec<u8>, Error> {
    let indices: Vec<i64> = (0..labels.len() as i64).collect();
    let mut columns = labels_columns(labels, ids, &indices);
    for (at, name) in column_names(prediction).into_iter().enumerate() {
        let values: Vec<f64> = (0..prediction.n_items()).map(|i| prediction.row(i)[at]).collect();
        columns.push(Column { name: name.into(), data: Data::Numbers(values.into()) });
    }
    columnar(path, format, &columns)
}
