//! Labels of items: numbers or text, one a line or the column `label` (otherwise the last) of a table, text or columns.

use std::collections::HashMap;
use std::path::Path;

use super::csv::{Delimiter, Field, Lines};
use super::source::Source;
use super::{Format, read_last_column};
#[cfg(feature = "parquet")]
use super::{Request, choice::Choice, columnar};
use crate::agreement::is_known;
#[cfg(feature = "parquet")]
use crate::args::Input;
use crate::error::{Error, Excerpt};

/// The column that holds the labels wherever it stands, as similis writes it.
const LABEL: &str = "label";

/// A label as it stands in a file.
struct Row {
    /// The first field, where there are others.
    name: Option<String>,
    label: String,
    line: usize,
}

/// Returns the class of each of `n_points` items, read with at most `memory_limit` bytes; `None` where it is empty, `NA`, `NaN` or -1.
///
/// Whole numbers are the classes themselves; text is numbered in the order in which it comes up. Where the items have names and
/// the first column holds these, rows are matched by name, and an item without a row has no class; otherwise rows are in the
/// order of the items.
///
/// # Errors
///
/// [`Error::LabelCount`] for another number of rows, [`Error::LabelName`] for a name that no item has, [`Error::KnownLabel`] for a
/// number that is no class, and those of [`read`](super::read).
pub fn read(
    path: &Path,
    ids: Option<&[String]>,
    n_points: usize,
    memory_limit: Option<u64>,
) -> Result<Vec<Option<usize>>, Error> {
    let source = Source::open(path, memory_limit)?;
    let rows = match source.format(None)? {
        format @ (Format::Csv | Format::Tsv | Format::Txt) => text_rows(source, format, n_points)?,
        #[cfg(feature = "parquet")]
        format @ (Format::Parquet | Format::Arrow) => columnar_rows(source, format, memory_limit)?,
        _ => number_rows(path, memory_limit)?,
    };
    let rows = match ids.filter(|ids| is_by_name(&rows, ids)) {
        Some(ids) => by_name(path, rows, ids)?,
        None => rows,
    };
    let classes = classes(path, &rows)?;
    let (path, given) = (path.into(), classes.len());
    if given == n_points { Ok(classes) } else { Err(Error::LabelCount { path, given, n_points }) }
}

fn number_rows(path: &Path, memory_limit: Option<u64>) -> Result<Vec<Row>, Error> {
    let values = read_last_column(path, memory_limit)?.values.into_f64();
    let row = |(row, value): (usize, f64)| Row { name: None, label: value.to_string(), line: row + 1 };
    Ok(values.into_iter().enumerate().map(row).collect())
}

#[cfg(feature = "parquet")]
fn columnar_rows(source: Source, format: Format, memory_limit: Option<u64>) -> Result<Vec<Row>, Error> {
    let path = source.path.clone();
    let (array, edge_values, choice) = (None, None, &Choice::default());
    let (format_given, missing, input) = (Some(format), true, Some(Input::Points));
    let request = Request {
        path: &path,
        format: format_given,
        array,
        missing,
        choice,
        input,
        edge_values,
        memory_limit,
    };
    let found = columnar::read_labels(source, format, &request, LABEL)?;
    let mut names = found.names.into_iter();
    let row = |(row, label): (usize, String)| Row { name: names.next(), label, line: row + 1 };
    Ok(found.labels.into_iter().enumerate().map(row).collect())
}

fn text_rows(source: Source, format: Format, n_points: usize) -> Result<Vec<Row>, Error> {
    let (path, budget) = (source.path.clone(), source.budget.clone());
    let mut lines = Lines::new(source, (format == Format::Txt).then_some(b'#'));
    let Some(first) = lines.peek(0)? else {
        return Err(Error::Empty { path });
    };
    let delimiter = Delimiter::of(format, first.text);
    let names: Vec<String> = first.all_fields(delimiter)?.iter().map(Field::name).collect();
    let first_line = first.number;
    let labelled = names.iter().position(|name| name == LABEL).filter(|_| names.len() > 1);
    let at = labelled.unwrap_or(names.len() - 1);
    let mut rows = Vec::new();
    while let Some(line) = lines.next()? {
        line.check_n_fields(delimiter, names.len(), first_line)?;
        let fields = line.all_fields(delimiter)?;
        let name = (at > 0).then(|| fields[0].name());
        let row = Row { name, label: fields[at].name(), line: line.number };
        row.name.iter().chain([&row.label]).try_for_each(|text| budget.take_text(text))?;
        budget.push(&mut rows, row)?;
    }
    if labelled.is_some() || begins_with_header(&rows, n_points) {
        rows.remove(0);
    }
    Ok(if names.len() == 1 { with_blank_lines(rows, n_points) } else { rows })
}

/// Whether the first row is no label: text above numbers, or text in one row too many.
fn begins_with_header(rows: &[Row], n_points: usize) -> bool {
    let is_number = |row: &Row| !is_known(&row.label) || row.label.parse::<f64>().is_ok();
    let Some((first, others)) = rows.split_first() else { return false };
    !is_number(first) && !others.is_empty() && (rows.len() == n_points + 1 || others.iter().all(is_number))
}

/// Takes blank lines between the labels for items without one, if that makes a label for each.
fn with_blank_lines(rows: Vec<Row>, n_points: usize) -> Vec<Row> {
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return rows };
    let first = first.line;
    if rows.len() == n_points || last.line + 1 - first != n_points {
        return rows;
    }
    let empty = |line: usize| Row { name: None, label: String::new(), line };
    let mut all: Vec<Row> = (first..first + n_points).map(empty).collect();
    rows.into_iter().for_each(|row| {
        let at = row.line - first;
        all[at] = row;
    });
    all
}

/// Whether rows are named as items are: some name is that of an item, and the names do not just count the rows.
fn is_by_name(rows: &[Row], ids: &[String]) -> bool {
    let names: Vec<&str> = rows.iter().filter_map(|row| row.name.as_deref()).collect();
    let counts =
        names.len() == ids.len() && names.iter().enumerate().all(|(row, name)| *name == row.to_string());
    let known: std::collections::HashSet<&str> = ids.iter().map(String::as_str).collect();
    !counts && names.iter().any(|name| known.contains(name))
}

/// The rows in the order of the items.
fn by_name(path: &Path, rows: Vec<Row>, ids: &[String]) -> Result<Vec<Row>, Error> {
    let place: HashMap<&str, usize> = ids.iter().enumerate().map(|(at, id)| (id.as_str(), at)).collect();
    let mut all: Vec<Row> = ids.iter().map(|_| Row { name: None, label: String::new(), line: 0 }).collect();
    let name = |row: &Row| row.name.clone().unwrap_or_default();
    // The words of a header are neither a name nor a label.
    let is_header = |first: &Row| {
        !place.contains_key(name(first).as_str()) && rows[1..].iter().all(|row| row.label != first.label)
    };
    let n_headers = usize::from(rows.first().is_some_and(is_header));
    for row in rows.into_iter().skip(n_headers) {
        let name = row.name.as_deref().unwrap_or_default();
        let Some(&at) = place.get(name) else {
            let (path, line, found) = (path.into(), row.line, Excerpt::new(name.as_bytes()));
            return Err(Error::LabelName { path, line, found });
        };
        all[at] = row;
    }
    Ok(all)
}

/// The class of each row.
fn classes(path: &Path, rows: &[Row]) -> Result<Vec<Option<usize>>, Error> {
    let known = |row: &Row| is_known(&row.label);
    if rows.iter().filter(|row| known(row)).all(|row| row.label.parse::<f64>().is_ok()) {
        return rows.iter().enumerate().map(|(at, row)| number(path, at, row)).collect();
    }
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    Ok(rows
        .iter()
        .map(|row| {
            let next = numbers.len();
            (known(row) && row.label != "-1").then(|| *numbers.entry(row.label.as_str()).or_insert(next))
        })
        .collect())
}

/// The class that a number is.
fn number(path: &Path, at: usize, row: &Row) -> Result<Option<usize>, Error> {
    match row.label.parse::<f64>() {
        Err(_) => Ok(None),
        Ok(given) if given == -1.0 || given.is_nan() => Ok(None),
        Ok(whole) if whole >= 0.0 && whole.fract() == 0.0 && whole < f64::from(u32::MAX) => {
            Ok(Some(whole as usize))
        }
        Ok(given) => Err(Error::KnownLabel { path: path.into(), row: at + 1, given }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str, ids: Option<&[&str]>, n: usize) -> Result<Vec<Option<usize>>, String> {
        let file = tempfile::NamedTempFile::with_suffix(".csv").unwrap();
        std::fs::write(file.path(), text).unwrap();
        let ids: Option<Vec<String>> = ids.map(|ids| ids.iter().map(ToString::to_string).collect());
        read(file.path(), ids.as_deref(), n, None).map_err(|error| error.to_string())
    }

    #[test]
    fn labels_are_text_or_numbers_and_a_header_is_none() {
        let text = Ok(vec![Some(0), Some(1), None, Some(0)]);
        assert_eq!(labels("Yers\nVib\nNA\nYers\n", None, 4), text);
        assert_eq!(labels("family\nYers\nVib\nNA\nYers\n", None, 4), text);
        assert_eq!(labels("Yers\nVib\n\nYers\n", None, 4), text);
        assert_eq!(labels("label\n7\n-1\nNaN\n", None, 3), Ok(vec![Some(7), None, None]));
        // What similis writes, with probabilities behind the labels.
        assert_eq!(labels("index,label,p0\n0,3,0.5\n1,2,0.1\n", None, 2), Ok(vec![Some(3), Some(2)]));
    }

    #[test]
    fn rows_are_matched_by_name_where_items_have_names() {
        let ids = Some(&["b", "a", "c"][..]);
        assert_eq!(labels("id,family\na,x\nb,y\n", ids, 3), Ok(vec![Some(0), Some(1), None]));
        assert_eq!(labels("0,x\n1,x\n2,y\n", ids, 3), Ok(vec![Some(0), Some(0), Some(1)]));
        assert!(labels("a,x\nd,y\n", ids, 3).unwrap_err().contains("line 2"));
        assert!(labels("d,x\na,x\n", ids, 3).unwrap_err().contains("line 1"));
    }

    #[test]
    fn what_is_no_label_is_refused() {
        assert!(labels("1\n0.5\n", None, 2).unwrap_err().contains("row 2"));
        assert!(labels("1\n2\n", None, 3).unwrap_err().contains("each of the 3 points, got 2"));
    }
}
