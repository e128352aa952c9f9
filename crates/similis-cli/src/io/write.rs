//! Points, matrices and lists of pairs, written in every format.

mod binary;
mod text;

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use similis::{Dissimilarity, Quantity};

pub(crate) use self::binary::npy_header;
use self::binary::npz;
use super::format::Format;
use super::output::{Outputs, write_with};
use crate::error::Error;

/// A column of a table that is kept column by column.
#[derive(Clone, Debug)]
pub struct Column<'a> {
    /// Its name.
    pub name: Cow<'a, str>,
    /// What it holds.
    pub data: Data<'a>,
}

/// What a column holds.
#[derive(Clone, Debug)]
pub enum Data<'a> {
    /// Names.
    Text(Cow<'a, [String]>),
    /// Numbers, NaN where one is missing.
    Numbers(Cow<'a, [f64]>),
    /// Whole numbers.
    Whole(Cow<'a, [i64]>),
}

/// What is written.
#[derive(Clone, Copy, Debug)]
pub enum Sheet<'a> {
    /// A row for each point.
    Points(Rows<'a>),
    /// A square, symmetric matrix.
    Matrix(Rows<'a>),
    /// The observed pairs, each once.
    Pairs(Pairs<'a>),
}

/// Rows of numbers, made when they are needed.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// How many rows there are.
    pub n_rows: usize,
    /// How many numbers a row has.
    pub n_columns: usize,
    /// The numbers of a row.
    pub row: &'a dyn Fn(usize) -> Vec<f64>,
    /// The names of the columns, of points only.
    pub names: Option<&'a [String]>,
    /// The name of each row.
    pub ids: Option<&'a [String]>,
    /// The class of each row.
    pub classes: Option<&'a [String]>,
}

/// Pairs that were observed.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'a> {
    /// What was observed.
    pub observed: &'a Dissimilarity<'a>,
    /// The name of each item.
    pub ids: Option<&'a [String]>,
}

impl std::fmt::Debug for Rows<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Rows({} x {})", self.n_rows, self.n_columns)
    }
}

impl Sheet<'_> {
    /// Whether anything has a name that a bare matrix would lose.
    pub fn has_names(&self) -> bool {
        match self {
            Self::Points(rows) | Self::Matrix(rows) => rows.ids.is_some() || rows.classes.is_some(),
            Self::Pairs(pairs) => pairs.ids.is_some(),
        }
    }
}

/// Whether a format has room for names.
pub fn keeps_names(format: Format) -> bool {
    !matches!(format, Format::Npy | Format::Npz | Format::Mtx)
}

/// Writes a sheet to a file, whole or not at all, or to standard output for `-`.
///
/// # Errors
///
/// [`Error::PhylipMatrix`] for a PHYLIP file of anything but a matrix, [`Error::NoParquet`] in a build without it, and those
/// of [`write_with`].
pub fn write(path: &Path, format: Format, sheet: &Sheet<'_>) -> Result<(), Error> {
    write_with(path, writer(path, format, sheet)?)
}

/// As [`write()`], as one of several outputs.
///
/// # Errors
///
/// Those of [`write()`].
pub fn add(outputs: &mut Outputs, path: &Path, format: Format, sheet: &Sheet<'_>) -> Result<(), Error> {
    outputs.add_with(path, writer(path, format, sheet)?)
}

type Writer<'a> = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()> + 'a>;

/// What puts a sheet out.
fn writer<'a>(path: &Path, format: Format, sheet: &'a Sheet<'a>) -> Result<Writer<'a>, Error> {
    Ok(match (format, sheet) {
        (Format::Csv, _) => Box::new(|out| text::fields(out, ',', sheet)),
        (Format::Tsv, _) => Box::new(|out| text::fields(out, '\t', sheet)),
        (Format::Txt, _) => Box::new(|out| text::fields(out, ' ', sheet)),
        (Format::Phylip, Sheet::Matrix(rows)) => Box::new(|out| text::phylip(out, rows)),
        (Format::Phylip, _) => return Err(Error::PhylipMatrix { path: path.into() }),
        (Format::Mtx, _) => Box::new(|out| text::mtx(out, sheet)),
        (Format::Npy, _) => Box::new(|out| npy(out, sheet)),
        (Format::Npz, _) => Box::new(|out| out.write_all(&npz(sheet)?)),
        (Format::Parquet | Format::Arrow, _) => {
            let bytes = columnar(path, format, &columns(sheet))?;
            Box::new(move |out| out.write_all(&bytes))
        }
    })
}

#[cfg(feature = "parquet")]
pub(super) fn columnar(path: &Path, format: Format, columns: &[Column<'_>]) -> Result<Vec<u8>, Error> {
    let failed = |message: String| Error::Write { path: path.into(), source: io::Error::other(message) };
    match format {
        Format::Parquet => super::columnar::parquet(columns).map_err(|error| failed(error.to_string())),
        _ => super::columnar::arrow(columns).map_err(|error| failed(error.to_string())),
    }
}

#[cfg(not(feature = "parquet"))]
pub(super) fn columnar(path: &Path, format: Format, _columns: &[Column<'_>]) -> Result<Vec<u8>, Error> {
    Err(Error::NoParquet { path: path.into(), format })
}

/// Numbers of an array of two dimensions, row after row.
fn npy(out: &mut dyn Write, sheet: &Sheet<'_>) -> io::Result<()> {
    match sheet {
        Sheet::Points(rows) | Sheet::Matrix(rows) => {
            out.write_all(&npy_header("<f8", &[rows.n_rows, rows.n_columns]))?;
            (0..rows.n_rows).try_for_each(|i| binary::numbers(out, &(rows.row)(i)))
        }
        Sheet::Pairs(pairs) => {
            out.write_all(&npy_header("<f8", &[pairs.count(), 3]))?;
            pairs.try_each(|i, j, value| binary::numbers(out, &[i as f64, j as f64, value]))
        }
    }
}

impl Pairs<'_> {
    /// Calls `visit(i, j, value)` for every observed pair, i below j, and for the diagonal of similarities.
    fn try_each(&self, mut visit: impl FnMut(usize, usize, f64) -> io::Result<()>) -> io::Result<()> {
        for i in 0..self.observed.n_points() {
            let mut done = Ok(());
            let own = self.observed.pair(i, i).filter(|_| self.observed.quantity() == Quantity::Similarities);
            if let Some(value) = own {
                visit(i, i, value)?;
            }
            self.observed.for_each_pair(i, |j, value| {
                if j > i && done.is_ok() {
                    done = visit(i, j, value);
                }
            });
            done?;
        }
        Ok(())
    }

    /// How many pairs there are.
    fn count(&self) -> usize {
        let mut n = 0;
        // Counting cannot fail.
        let _ = self.try_each(|_, _, _| {
            n += 1;
            Ok(())
        });
        n
    }

    /// An item as the file names it.
    fn item(&self, i: usize) -> Cow<'_, str> {
        self.ids.map_or_else(|| i.to_string().into(), |ids| ids[i].as_str().into())
    }

    /// What the value of a pair is called.
    fn value_name(&self) -> &'static str {
        if self.observed.quantity() == Quantity::Similarities { "similarity" } else { "distance" }
    }
}

impl Rows<'_> {
    /// The names of the columns: of points those they have or `x1`, `x2`, .., of a matrix those of its items.
    fn column_names(&self, is_matrix: bool) -> Vec<Cow<'_, str>> {
        let given = if is_matrix { self.ids } else { self.names };
        let numbered = |k: usize| if is_matrix { k.to_string() } else { format!("x{}", k + 1) };
        (0..self.n_columns)
            .map(|k| given.map_or_else(|| numbered(k).into(), |names| names[k].as_str().into()))
            .collect()
    }
}

/// The sheet column by column.
fn columns<'a>(sheet: &'a Sheet<'a>) -> Vec<Column<'a>> {
    let named = |name: &'static str, texts: Option<&'a [String]>| {
        texts.map(|texts| Column { name: name.into(), data: Data::Text(texts.into()) })
    };
    match sheet {
        Sheet::Points(rows) | Sheet::Matrix(rows) => {
            let mut numbers = vec![Vec::with_capacity(rows.n_rows); rows.n_columns];
            for i in 0..rows.n_rows {
                (rows.row)(i).into_iter().zip(&mut numbers).for_each(|(value, column)| column.push(value));
            }
            let names = rows.column_names(matches!(sheet, Sheet::Matrix(_)));
            let numbers = names
                .into_iter()
                .zip(numbers)
                .map(|(name, numbers)| Column { name, data: Data::Numbers(numbers.into()) });
            named("id", rows.ids).into_iter().chain(numbers).chain(named("label", rows.classes)).collect()
        }
        Sheet::Pairs(pairs) => pair_columns(pairs),
    }
}

/// Two items, by name or by number, and a value.
fn pair_columns<'a>(pairs: &Pairs<'a>) -> Vec<Column<'a>> {
    let (mut items, mut values) = ([Vec::new(), Vec::new()], Vec::new());
    // Collecting cannot fail.
    let _ = pairs.try_each(|i, j, value| {
        items[0].push(i);
        items[1].push(j);
        values.push(value);
        Ok(())
    });
    let column = |name: &'static str, items: &[usize]| {
        let data = match pairs.ids {
            Some(ids) => Data::Text(items.iter().map(|&item| ids[item].clone()).collect::<Vec<_>>().into()),
            None => Data::Numbers(items.iter().map(|&item| item as f64).collect::<Vec<_>>().into()),
        };
        Column { name: name.into(), data }
    };
    let value = Column { name: pairs.value_name().into(), data: Data::Numbers(values.into()) };
    vec![column("i", &items[0]), column("j", &items[1]), value]
}
