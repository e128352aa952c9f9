//! Labels written with the probability of each class.

use std::path::Path;

use serde_json::Value;
use similis::Prediction;

use super::label_table::LabelTable;
use super::output::{LabelsFormat, labels_json};
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
    let table =
        LabelTable { id_name: "id", ids, labels, prediction: Some(prediction), ..LabelTable::default() };
    Ok(match table.bytes(path, format)? {
        Some(bytes) => bytes,
        None => labels_json(labels, ids, &with_rows(details, prediction)).into_bytes(),
    })
}

/// The entries of a JSON file, and a list of probabilities for each item.
pub(crate) fn with_rows(details: &Value, prediction: &Prediction) -> Value {
    let rows: Vec<Value> = (0..prediction.n_items()).map(|i| Value::from(prediction.row(i))).collect();
    let mut details = details.as_object().cloned().unwrap_or_default();
    details.insert("probabilities".to_owned(), Value::from(rows));
    Value::Object(details)
}

/// Returns labels and probabilities as CSV.
pub fn csv((labels, ids): (&[i64], Option<&[String]>), prediction: &Prediction) -> String {
    let table =
        LabelTable { id_name: "id", ids, labels, prediction: Some(prediction), ..LabelTable::default() };
    table.text(',')
}

/// What the columns of probabilities are called.
pub(super) fn column_names(prediction: &Prediction) -> Vec<String> {
    let classes = (0..prediction.n_classes).map(|class| format!("p{class}"));
    classes.chain((prediction.n_columns > prediction.n_classes).then(|| "noise".to_owned())).collect()
}
