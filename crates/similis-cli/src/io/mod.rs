//! Tables in, labels and pictures out.

pub mod csv;
pub mod npy;
pub mod output;

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

use similis::dissimilarity::Values;

use crate::error::Error;

/// A table of numbers; none is infinite, and NaN stands for a missing one where that was allowed.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The numbers, row after row: `f32` only from a `float32` array.
    pub values: Values<'static>,
    /// How many rows there are, at least 1.
    pub n_rows: usize,
    /// How many columns there are, at least 1.
    pub n_columns: usize,
    /// 1 for a one-dimensional array, which is kept as one column and may be condensed distances; otherwise 2.
    pub n_dimensions: usize,
    /// The names of the columns, where the file has a header.
    pub names: Option<Vec<String>>,
}

/// Returns the table in a file, whose kind its extension tells: `.csv`, `.tsv`, `.txt`, `.npy`.
///
/// With `missing`, an empty field, `NA` or `NaN` is read as NaN; without, it is an error. See [`csv`] and [`npy`] for
/// what each kind may hold.
///
/// # Errors
///
/// [`Error`] says what is wrong with the file and where: it cannot be opened, it has another extension, is empty, or
/// holds something that is not a finite number.
pub fn read_table(path: &Path, missing: bool) -> Result<Table, Error> {
    match extension(path).as_str() {
        "csv" => csv::read(path, csv::Kind::Csv, missing),
        "tsv" => csv::read(path, csv::Kind::Tsv, missing),
        "txt" => csv::read(path, csv::Kind::Txt, missing),
        "npy" => npy::read(path, missing),
        _ if path.is_dir() => Err(Error::Folder { path: path.into() }),
        _ => Err(Error::InputKind { path: path.into() }),
    }
}

/// Returns the extension in lower case, empty if there is none.
fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

fn open(path: &Path) -> Result<File, Error> {
    let file = File::open(path).map_err(|source| match source.kind() {
        ErrorKind::NotFound => Error::NoFile { path: path.into() },
        _ => unreadable(path, source),
    })?;
    let metadata = file.metadata().map_err(|source| unreadable(path, source))?;
    if metadata.is_dir() { Err(Error::Folder { path: path.into() }) } else { Ok(file) }
}

fn unreadable(path: &Path, source: std::io::Error) -> Error {
    Error::Read { path: path.into(), source }
}
