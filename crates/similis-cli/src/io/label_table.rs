//! Labels as a table: the name of each item, what was read of it, its label, and how probable each cluster is.

use std::fmt::Write as _;
use std::path::Path;

use similis::Prediction;

use super::format::Format;
use super::output::{LabelsFormat, csv_field};
use super::predictions::column_names;
use super::write::{Column, Data, columnar};
use crate::error::Error;

/// Labels, and what is written beside them.
#[derive(Clone, Debug, Default)]
pub struct LabelTable<'a> {
    /// What the column of names is called.
    pub id_name: &'a str,
    /// The name of each item; without them, items are counted from 0 in a column `index`.
    pub ids: Option<&'a [String]>,
    /// Columns of the input, between the names and the labels.
    pub input: Vec<Column<'a>>,
    /// The label of each item, -1 for noise.
    pub labels: &'a [i64],
    /// Columns after the labels.
    pub more: Vec<Column<'a>>,
    /// How probable each cluster is for each item.
    pub prediction: Option<&'a Prediction>,
}

impl LabelTable<'_> {
    /// Returns the table as a file of this format; `None` for formats that are no table.
    ///
    /// # Errors
    ///
    /// Those of [`LabelsFormat::of`].
    pub fn bytes(&self, path: &Path, format: Option<LabelsFormat>) -> Result<Option<Vec<u8>>, Error> {
        Ok(match LabelsFormat::of(path, format)? {
            LabelsFormat::Csv => Some(self.text(',').into_bytes()),
            LabelsFormat::Tsv => Some(self.text('\t').into_bytes()),
            LabelsFormat::Parquet => Some(self.columnar(path, Format::Parquet)?),
            LabelsFormat::Arrow => Some(self.columnar(path, Format::Arrow)?),
            LabelsFormat::Txt | LabelsFormat::Json | LabelsFormat::Npy => None,
        })
    }

    /// What the column of labels is called: `label`, or `cluster` where the input has a column `label`.
    fn label_name(&self) -> &'static str {
        let taken = self.input.iter().any(|column| column.name == "label") || self.id_name == "label";
        if taken { "cluster" } else { "label" }
    }

    /// Returns the table as text.
    pub(super) fn text(&self, delimiter: char) -> String {
        let probabilities = self.prediction.map(column_names).unwrap_or_default();
        let first = if self.ids.is_some() { self.id_name } else { "index" };
        let names = std::iter::once(first)
            .chain(self.input.iter().map(|column| column.name.as_ref()))
            .chain([self.label_name()])
            .chain(self.more.iter().map(|column| column.name.as_ref()))
            .chain(probabilities.iter().map(String::as_str));
        let names: Vec<_> = names.map(csv_field).collect();
        let mut text = names.join(&delimiter.to_string()) + "\n";
        for (i, label) in self.labels.iter().enumerate() {
            match self.ids.and_then(|ids| ids.get(i)) {
                Some(id) => text += &csv_field(id),
                None => text += &i.to_string(),
            }
            for column in &self.input {
                text.push(delimiter);
                text += &field(&column.data, i);
            }
            let _ = write!(text, "{delimiter}{label}");
            for column in &self.more {
                text.push(delimiter);
                text += &field(&column.data, i);
            }
            for probability in self.prediction.map_or(&[][..], |prediction| prediction.row(i)) {
                let _ = write!(text, "{delimiter}{probability:?}");
            }
            text.push('\n');
        }
        text
    }

    fn columnar(&self, path: &Path, format: Format) -> Result<Vec<u8>, Error> {
        let indices: Vec<i64> = (0..self.labels.len() as i64).collect();
        let first = match self.ids {
            Some(ids) => Column { name: self.id_name.into(), data: Data::Text(ids.into()) },
            None => Column { name: "index".into(), data: Data::Whole((&indices[..]).into()) },
        };
        let mut columns = vec![first];
        columns.extend(self.input.iter().cloned());
        columns.push(Column { name: self.label_name().into(), data: Data::Whole(self.labels.into()) });
        columns.extend(self.more.iter().cloned());
        if let Some(prediction) = self.prediction {
            for (at, name) in column_names(prediction).into_iter().enumerate() {
                let values: Vec<f64> = (0..prediction.n_items()).map(|i| prediction.row(i)[at]).collect();
                columns.push(Column { name: name.into(), data: Data::Numbers(values.into()) });
            }
        }
        columnar(path, format, &columns)
    }
}

/// An entry of a column as a field of a text file: empty where it is missing.
fn field(data: &Data<'_>, i: usize) -> String {
    match data {
        Data::Text(texts) => texts.get(i).map(|text| csv_field(text).into_owned()).unwrap_or_default(),
        Data::Numbers(numbers) => match numbers.get(i) {
            Some(number) if !number.is_nan() => number.to_string(),
            _ => String::new(),
        },
        Data::Whole(numbers) => numbers.get(i).map(ToString::to_string).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_names_and_columns_of_the_input() {
        let ids = ["a b", "c,d"].map(str::to_owned);
        let numbers = [0.1, f64::NAN];
        let column =
            |name: &'static str| Column { name: name.into(), data: Data::Numbers((&numbers[..]).into()) };
        let table = LabelTable {
            id_name: "customer_id",
            ids: Some(&ids),
            input: vec![column("age")],
            labels: &[1, -1],
            more: Vec::new(),
            prediction: None,
        };
        let text = |table: &LabelTable<'_>, name: &str| {
            String::from_utf8(table.bytes(Path::new(name), None).unwrap().unwrap()).unwrap()
        };
        assert_eq!(text(&table, "l.csv"), "customer_id,age,label\na b,0.1,1\n\"c,d\",,-1\n");
        assert_eq!(text(&table, "l.tsv"), "customer_id\tage\tlabel\na b\t0.1\t1\n\"c,d\"\t\t-1\n");
        let levels = Column { name: "level_2".into(), data: Data::Whole((&[0, 1][..]).into()) };
        let more = LabelTable { more: vec![levels], input: Vec::new(), ..table.clone() };
        assert_eq!(text(&more, "l.csv"), "customer_id,label,level_2\na b,1,0\n\"c,d\",-1,1\n");
        let taken = LabelTable { ids: None, input: vec![column("label")], ..table.clone() };
        assert_eq!(text(&taken, "l.csv"), "index,label,cluster\n0,0.1,1\n1,,-1\n");
        assert_eq!(table.bytes(Path::new("l.txt"), None).unwrap(), None);
    }
}
