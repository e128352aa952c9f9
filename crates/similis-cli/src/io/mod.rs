//! Files in, files out.

mod budget;
mod choice;
#[cfg(feature = "parquet")]
mod columnar;
pub mod csv;
pub mod edges;
mod faults;
pub(crate) mod format;
pub mod label_table;
pub mod labels;
pub mod model;
pub mod mtx;
pub mod npy;
pub mod npz;
pub mod output;
pub mod pairs;
pub mod phylip;
pub mod predictions;
mod source;
pub mod sparse;
mod table;
mod whole;
pub mod write;

use std::path::Path;

pub use choice::{Choice, ColumnList};
pub use edges::Edges;
pub use format::Format;
pub use source::STANDARD_INPUT;
use source::Source;
pub use sparse::Compressed;
pub use table::Table;

use similis::error::check_memory;

use crate::args::{EdgeValues, Input};
use crate::error::Error;

/// What is wanted of a file.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The file, or `-` for standard input.
    pub path: &'a Path,
    /// Its layout, where name and first bytes do not tell.
    pub format: Option<Format>,
    /// Which array of a `.npz` file.
    pub array: Option<&'a str>,
    /// Whether an empty field, `NA` or `NaN` is read as NaN instead of refused.
    pub missing: bool,
    /// Which columns are what.
    pub choice: &'a Choice,
    /// What the numbers are, as far as that was said.
    pub input: Option<Input>,
    /// What the values of edges are, as far as that was said.
    pub edge_values: Option<EdgeValues>,
    /// Most bytes that a matrix may take.
    pub memory_limit: Option<u64>,
}

impl Request<'_> {
    /// Returns an error if `needed` bytes are more than allowed: sizes in a file may be made up.
    fn check_memory(&self, needed: u64, what: &'static str) -> Result<(), Error> {
        check_memory(needed, self.memory_limit, what, "check the sizes in the file, or raise --memory-limit")
            .map_err(|source| Error::Content { path: self.path.into(), source })
    }
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A table of numbers.
    Table(Table),
    /// A sparse matrix.
    Sparse(Compressed),
    /// Edges between items.
    Edges(Edges),
}

/// Returns what a file holds.
///
/// See [`csv`], [`npy`], [`npz`], [`mtx`] and [`phylip`] for what each format may hold.
///
/// # Errors
///
/// [`Error`] says what is wrong with the file and where: it cannot be opened, its format is not known, it is empty, or it
/// holds something that is not a finite number.
pub fn read(request: &Request<'_>) -> Result<Content, Error> {
    let source = Source::open(request.path, request.memory_limit)?;
    let format = source.format(request.format)?;
    let choice = request.choice;
    let table = match format {
        Format::Csv | Format::Tsv | Format::Txt if request.input == Some(Input::Edges) => {
            return edges::read(source, format, request).map(Content::Edges);
        }
        Format::Csv | Format::Tsv | Format::Txt => {
            return csv::read(source, format, request).map(Content::Table);
        }
        Format::Phylip => return phylip::read(source, request).map(Content::Table),
        Format::Npy => npy::read(source, request.missing)?,
        Format::Npz | Format::Mtx => {
            let content = match format {
                Format::Npz => npz::read(source, request)?,
                _ => mtx::read(source, request)?,
            };
            match content {
                Content::Table(table) => table,
                sparse => return Ok(sparse),
            }
        }
        Format::Parquet | Format::Arrow => return read_columnar(source, format, request),
    };
    table.chosen(request.path, choice).map(Content::Table)
}

#[cfg(feature = "parquet")]
fn read_columnar(source: Source, format: Format, request: &Request<'_>) -> Result<Content, Error> {
    columnar::read(source, format, request)
}

#[cfg(not(feature = "parquet"))]
fn read_columnar(_source: Source, format: Format, request: &Request<'_>) -> Result<Content, Error> {
    Err(Error::NoParquet { path: request.path.into(), format })
}

/// Returns the table of numbers in a file whose name tells its format; all columns are numbers.
///
/// # Errors
///
/// Those of [`read`], and [`Error::SparseTable`] for a sparse matrix.
pub fn read_table(path: &Path, missing: bool) -> Result<Table, Error> {
    read_columns(path, missing, &Choice::default(), crate::memory::limit(None))
}

/// Returns the last column of a table, whatever the others hold; reading it takes at most `memory_limit` bytes.
///
/// # Errors
///
/// Those of [`read_table`].
pub fn read_last_column(path: &Path, memory_limit: Option<u64>) -> Result<Table, Error> {
    let choice = Choice { columns: Some(ColumnList::last()), ..Choice::default() };
    read_columns(path, false, &choice, memory_limit)
}

fn read_columns(
    path: &Path,
    missing: bool,
    choice: &Choice,
    memory_limit: Option<u64>,
) -> Result<Table, Error> {
    let input = Some(Input::Points);
    let (format, array, edge_values) = (None, None, None);
    match read(&Request { path, format, array, missing, choice, input, edge_values, memory_limit })? {
        Content::Table(table) => Ok(table),
        Content::Sparse(matrix) => {
            let (n_rows, n_columns) = (matrix.n_rows(), matrix.n_columns);
            Err(Error::SparseTable { path: path.into(), n_rows, n_columns })
        }
        Content::Edges(_) => Err(Error::Empty { path: path.into() }),
    }
}
