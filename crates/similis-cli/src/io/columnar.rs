//! Tables kept column by column: Parquet and Arrow IPC (Feather), file or stream.
//!
//! Numbers of any width and booleans are numbers; text and dictionaries of text are names or classes. The column in which
//! pandas kept its index names the rows.

mod column;
mod messages;
mod write;

use std::io::{BufReader, Seek};
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, Type as PhysicalType};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::ChunkReader;
use similis::input::Values;

pub(super) use self::write::{arrow, parquet};
use super::budget::Budget;
use super::choice::{Columns, Role, Roles};
use super::edges::{self, Edges};
use super::source::{Source, Whole, unreadable};
use super::table::Table;
use super::{Content, Format, Request};
use crate::args::Input;
use crate::error::{Error, Excerpt};

/// Number of rows decoded at a time. Not tuned.
const BATCH: usize = 8192;

/// Returns what a Parquet or Arrow file holds.
pub(super) fn read(source: Source, format: Format, request: &Request<'_>) -> Result<Content, Error> {
    if source.head().is_empty() {
        return Err(Error::Empty { path: request.path.into() });
    }
    guarded(request.path, || {
        let (plan, rows) = rows_of(source, format, request, &|schema| Plan::of(schema, request))?;
        plan.finished(request, rows)
    })
}

/// The names and the labels of items, as text, both empty where there is none.
pub(super) struct Labelled {
    /// Empty where the labels are the only column.
    pub(super) names: Vec<String>,
    pub(super) labels: Vec<String>,
}

/// Returns the column called `name`, otherwise the last one, and the first one as the names of the items.
pub(super) fn read_labels(
    source: Source,
    format: Format,
    request: &Request<'_>,
    name: &str,
) -> Result<Labelled, Error> {
    guarded(request.path, || {
        let plan = |schema: &Schema| Plan::of_labels(schema, name, request.path);
        let (_, rows) = rows_of(source, format, request, &plan)?;
        Ok(Labelled { names: rows.ids, labels: rows.labels })
    })
}

/// Makes a plan of the columns of a file.
type Planned<'a> = &'a dyn Fn(&Schema) -> Result<Plan, Error>;

/// The rows of a file, and the plan by which they were read.
fn rows_of(
    source: Source,
    format: Format,
    request: &Request<'_>,
    planned: Planned<'_>,
) -> Result<(Plan, Rows), Error> {
    let budget = source.budget.clone();
    match format {
        Format::Parquet => match source.into_whole()? {
            Whole::File(file) => read_parquet(file, request, &budget, planned),
            Whole::Bytes(bytes) => read_parquet(Bytes::from(bytes), request, &budget, planned),
        },
        _ => read_arrow(source, request, planned),
    }
}

/// Reads, and takes a panic of the readers, which trust the lengths that a damaged file states, for the damage that it is.
fn guarded<T>(path: &Path, read: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read));
    std::panic::set_hook(hook);
    done.unwrap_or_else(|_| Err(broken(path, &"its parts do not fit together")))
}

fn read_parquet(
    reader: impl ChunkReader + 'static,
    request: &Request<'_>,
    budget: &Budget,
    planned: Planned<'_>,
) -> Result<(Plan, Rows), Error> {
    let wrong = |error: ParquetError| broken(request.path, &error);
    let builder = ParquetRecordBatchReaderBuilder::try_new(reader).map_err(wrong)?;
    let plan = planned(builder.schema())?;
    Plan::check_codecs(builder.metadata(), request.path)?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), plan.used());
    let n_rows = plan.batch_size(builder.metadata(), budget)?;
    let batches = builder.with_projection(mask).with_batch_size(n_rows).build().map_err(wrong)?;
    let rows = plan.collect(batches, request, budget)?;
    Ok((plan, rows))
}

fn read_arrow(source: Source, request: &Request<'_>, planned: Planned<'_>) -> Result<(Plan, Rows), Error> {
    let wrong = |error: ArrowError| broken(request.path, &error);
    let (is_file, budget) = (source.head().starts_with(b"ARROW1"), source.budget.clone());
    let mut reader = BufReader::new(source.into_seekable()?);
    messages::check(&mut reader, is_file, &budget)?;
    reader.rewind().map_err(|source| unreadable(request.path, source))?;
    if is_file {
        let schema = FileReader::try_new(&mut reader, None).map_err(wrong)?.schema();
        let plan = planned(&schema)?;
        let batches = FileReader::try_new(&mut reader, Some(plan.used())).map_err(wrong)?;
        let rows = plan.collect(batches, request, &budget)?;
        return Ok((plan, rows));
    }
    let whole = StreamReader::try_new(reader, None).map_err(wrong)?;
    let plan = planned(&whole.schema())?;
    let used = plan.used();
    let batches = whole.map(|batch| batch.and_then(|batch| batch.project(&used)));
    let rows = plan.collect(batches, request, &budget)?;
    Ok((plan, rows))
}

fn broken(path: &Path, error: &impl std::fmt::Display) -> Error {
    Error::Damaged { path: path.into(), source: std::io::Error::other(error.to_string()) }
}

/// What is made of which column.
struct Plan {
    names: Vec<String>,
    roles: Roles,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Table,
    /// The first column is text: right for a square matrix, a mistake for points.
    NamedMatrix,
    /// Items that are edges' ends stand where names and classes stand in a table.
    NamedEdges,
}

impl Plan {
    fn of(schema: &Schema, request: &Request<'_>) -> Result<Self, Error> {
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let n = names.len();
        if n == 0 {
            return Err(Error::Empty { path: request.path.into() });
        }
        let columns = Columns { path: request.path, names: Some(&names), n };
        let is_text = |at: usize| column::is_text(schema.field(at).data_type());
        let (mut roles, mut kind) = (request.choice.resolve(&columns)?, Kind::Table);
        if request.choice.is_open() {
            columns.check_names()?;
            if let Some(index) = pandas_index(schema, &names) {
                roles = Roles::with_names(n, index);
            } else if n > 1 && is_text(0) && !matches!(request.input, Some(Input::Points | Input::Edges)) {
                (roles, kind) = (Roles::with_names(n, 0), Kind::NamedMatrix);
            }
        }
        if request.input == Some(Input::Edges) {
            if roles.n_values != 3 {
                return Err(Error::EdgeColumns { path: request.path.into(), given: roles.n_values });
            }
            if (0..n).any(|at| matches!(roles.of[at], Role::Value(0 | 1)) && is_text(at)) {
                (roles, kind) = (roles.as_edges(), Kind::NamedEdges);
            }
        }
        let plan = Self { names, roles, kind };
        plan.check_types(schema, request.path)?;
        Ok(plan)
    }

    /// The plan of a file of labels: the column `name` or the last, and the first as names.
    fn of_labels(schema: &Schema, name: &str, path: &Path) -> Result<Self, Error> {
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let Some(last) = names.len().checked_sub(1) else {
            return Err(Error::Empty { path: path.into() });
        };
        let label = names.iter().position(|other| other == name).unwrap_or(last);
        let mut of = vec![Role::Skipped; names.len()];
        of[0] = Role::Id;
        of[label] = Role::Label;
        let plan = Self { names, roles: Roles { of, n_values: 0 }, kind: Kind::Table };
        plan.check_types(schema, path)?;
        Ok(plan)
    }

    /// Checks that numbers can be had where they are wanted.
    fn check_types(&self, schema: &Schema, path: &Path) -> Result<(), Error> {
        let wanted = schema.fields().iter().zip(&self.roles.of).enumerate();
        for (at, (field, role)) in wanted {
            let good = match role {
                Role::Value(_) => column::is_number(field.data_type()),
                Role::Skipped => true,
                _ => column::is_number(field.data_type()) || column::is_text(field.data_type()),
            };
            if !good {
                return Err(wrong_type(path, at, field));
            }
        }
        Ok(())
    }

    /// Checks that this build can unpack the columns.
    fn check_codecs(metadata: &ParquetMetaData, path: &Path) -> Result<(), Error> {
        let chunks = metadata.row_groups().iter().flat_map(RowGroupMetaData::columns);
        let unread = |codec: &Compression| matches!(codec, Compression::BROTLI(_) | Compression::LZO);
        let found = chunks.map(ColumnChunkMetaData::compression).find(unread);
        let name =
            |codec: Compression| format!("{codec:?}").split('(').next().unwrap_or_default().to_lowercase();
        match found {
            Some(codec) => Err(Error::ParquetCodec { path: path.into(), codec: name(codec) }),
            None => Ok(()),
        }
    }

    /// How many rows are decoded at a time.
    ///
    /// The pages of a chunk are decoded one after another, so the largest chunk must fit beside all numbers. A text may
    /// stand in many rows and be kept once, so the longest is taken to be in all.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`].
    fn batch_size(&self, metadata: &ParquetMetaData, budget: &Budget) -> Result<usize, Error> {
        let schema = metadata.file_metadata().schema_descr();
        let is_used = |leaf: usize| self.roles.of[schema.get_column_root_idx(leaf)] != Role::Skipped;
        let is_text = |leaf: usize| schema.column(leaf).physical_type() == PhysicalType::BYTE_ARRAY;
        let largest = |wanted: &dyn Fn(usize) -> bool| {
            let chunks = metadata.row_groups().iter().flat_map(|group| group.columns().iter().enumerate());
            let sizes = chunks.filter(|&(leaf, _)| wanted(leaf)).map(|(_, chunk)| chunk.uncompressed_size());
            sizes.max().map_or(0, |size| u64::try_from(size).unwrap_or(0))
        };
        let n_rows = u64::try_from(metadata.file_metadata().num_rows()).unwrap_or(0);
        let numbers = n_rows.saturating_mul(8 * self.roles.n_values as u64);
        budget.check(numbers.saturating_add(largest(&is_used)))?;
        let text = largest(&|leaf| is_used(leaf) && is_text(leaf));
        let most = budget.left() / 8 / text.max(1);
        Ok(usize::try_from(most).unwrap_or(BATCH).clamp(1, BATCH))
    }

    /// The columns that are read, in the order of the file.
    fn used(&self) -> Vec<usize> {
        (0..self.names.len()).filter(|&at| self.roles.of[at] != Role::Skipped).collect()
    }

    /// Puts the columns of all batches into rows.
    fn collect<E: std::fmt::Display>(
        &self,
        batches: impl Iterator<Item = Result<RecordBatch, E>>,
        request: &Request<'_>,
        budget: &Budget,
    ) -> Result<Rows, Error> {
        let used = self.used();
        let n = self.roles.n_values;
        let (mut values, mut ids, mut labels, mut n_rows) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for batch in batches {
            let batch = batch.map_err(|error| broken(request.path, &error))?;
            budget.grow(&mut values, n.saturating_mul(batch.num_rows()))?;
            values.resize(values.len() + n * batch.num_rows(), 0.0);
            for (array, &at) in batch.columns().iter().zip(&used) {
                match self.roles.of[at] {
                    Role::Value(place) => {
                        let column =
                            column::Column { path: request.path, number: at + 1, missing: request.missing };
                        let out = values[n * n_rows + place..].iter_mut().step_by(n);
                        column.numbers(array, n_rows, out)?;
                    }
                    Role::Id => add_texts(budget, &mut ids, column::texts(array))?,
                    Role::Label => add_texts(budget, &mut labels, column::texts(array))?,
                    Role::Skipped => {}
                }
            }
            n_rows += batch.num_rows();
        }
        if n_rows == 0 {
            return Err(Error::Empty { path: request.path.into() });
        }
        Ok(Rows { values, ids, labels, n_rows })
    }

    fn finished(self, request: &Request<'_>, rows: Rows) -> Result<Content, Error> {
        let n = self.roles.n_values;
        if self.kind == Kind::NamedEdges {
            return Ok(Content::Edges(rows.into_edges()));
        }
        let has = |role: Role| self.roles.of.contains(&role);
        let found = Excerpt::new(rows.ids.first().map(String::as_bytes).unwrap_or_default());
        let is_matrix = self.kind == Kind::NamedMatrix;
        let table = Table {
            names: Some(self.roles.value_names(&self.names)),
            ids: has(Role::Id).then_some(rows.ids),
            labels: has(Role::Label).then_some(rows.labels),
            is_matrix,
            ..Table::new(Values::from(rows.values), rows.n_rows, n)
        };
        // Without a word on it, only a matrix that is seen to be one may have names that were not announced.
        let said = request.input.is_some() && table.n_rows == n;
        if is_matrix && !said && !(n > 1 && table.is_symmetric()) {
            let name = Excerpt::new(self.names[0].as_bytes());
            return Err(Error::ColumnType { path: request.path.into(), column: 1, name, found });
        }
        Ok(Content::Table(table))
    }
}

#[expect(clippy::struct_field_names, reason = "the number of rows is one")]
struct Rows {
    values: Vec<f64>,
    ids: Vec<String>,
    labels: Vec<String>,
    n_rows: usize,
}

impl Rows {
    fn into_edges(self) -> Edges {
        let pairs = self.ids.iter().zip(&self.labels).zip(&self.values);
        edges::of_names(pairs.map(|((from, to), &value)| (from.as_str(), to.as_str(), value)))
    }
}

/// Adds the texts of a batch to a list.
fn add_texts(budget: &Budget, list: &mut Vec<String>, texts: Vec<String>) -> Result<(), Error> {
    budget.grow(list, texts.len())?;
    texts.iter().try_for_each(|text| budget.take_text(text))?;
    list.extend(texts);
    Ok(())
}

/// The column in which pandas kept the names of rows, as its own note in the file tells.
fn pandas_index(schema: &Schema, names: &[String]) -> Option<usize> {
    let note: serde_json::Value = serde_json::from_str(schema.metadata().get("pandas")?).ok()?;
    let index = note["index_columns"].as_array()?.first()?.as_str()?.to_owned();
    names.iter().position(|name| *name == index).filter(|_| names.len() > 1)
}

fn wrong_type(path: &Path, at: usize, field: &Field) -> Error {
    let kind = match field.data_type() {
        kind if column::is_text(kind) => "text".to_owned(),
        DataType::Dictionary(..) => "categories".to_owned(),
        kind => kind.to_string(),
    };
    Error::ColumnType {
        path: path.into(),
        column: at + 1,
        name: Excerpt::new(field.name().as_bytes()),
        found: Excerpt::new(kind.as_bytes()),
    }
}

#[cfg(test)]
mod tests;
