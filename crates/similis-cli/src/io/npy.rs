//! Arrays of NumPy: `.npy` files with one or two dimensions, in C or Fortran order, of either byte order.
//!
//! `float32` stays single precision; `float64`, integers of 8 to 64 bits and `bool` become double precision.

use std::io::{BufReader, Read};
use std::path::Path;

use npyz::{DType, Deserialize, Endianness, NpyFile, NpyHeader, Order, TypeChar};

use similis::dissimilarity::Values;

use super::{Table, open, unreadable};
use crate::error::{Error, Excerpt};

/// Returns the table in a `.npy` file; a one-dimensional array becomes one column.
///
/// With `missing`, NaN is kept.
///
/// # Errors
///
/// [`Error`] if the file is no whole `.npy` file, if the array has another number of dimensions or another type, is
/// empty, or holds a value that is infinite or, without `missing`, NaN.
pub fn read(path: &Path, missing: bool) -> Result<Table, Error> {
    let file = open(path)?;
    let n_bytes = file.metadata().map_err(|source| unreadable(path, source))?.len();
    let mut reader = Counted { inner: BufReader::with_capacity(1 << 18, file), n_read: 0 };
    let header = read_header(path, &mut reader)?;
    let shape = Shape::of(path, &header)?;
    check_length(path, &header, n_bytes - reader.n_read.min(n_bytes))?;
    let order = header.order();
    let values = read_values(path, NpyFile::with_header(header, reader.inner))?;
    let values = match values {
        Values::F32(values) => Values::from(shape.by_rows(values.into_owned(), order)),
        Values::F64(values) => Values::from(shape.by_rows(values.into_owned(), order)),
    };
    match &values {
        Values::F32(values) => {
            check_values(path, shape, missing, values.iter().map(|value| f64::from(*value)))?;
        }
        Values::F64(values) => check_values(path, shape, missing, values.iter().copied())?,
    }
    let Shape { n_rows, n_columns, n_dimensions } = shape;
    Ok(Table { values, n_rows, n_columns, n_dimensions, names: None })
}

/// A reader that knows how far it has come, to tell the length of the data from the length of the file.
struct Counted<R> {
    inner: R,
    n_read: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.n_read += length as u64;
        Ok(length)
    }
}

const MAGIC: &[u8] = b"\x93NUMPY";

fn read_header(path: &Path, reader: &mut impl Read) -> Result<NpyHeader, Error> {
    let mut magic = Vec::new();
    let length = MAGIC.len() as u64;
    reader.by_ref().take(length).read_to_end(&mut magic).map_err(|source| unreadable(path, source))?;
    match magic.as_slice() {
        MAGIC => NpyHeader::from_reader(MAGIC.chain(reader))
            .map_err(|source| Error::NpyHeader { path: path.into(), source }),
        [] => Err(Error::Empty { path: path.into() }),
        other => Err(Error::NpyMagic { path: path.into(), found: Excerpt::new(other) }),
    }
}

#[derive(Clone, Copy)]
#[expect(clippy::struct_field_names, reason = "every count begins with n_")]
struct Shape {
    n_rows: usize,
    n_columns: usize,
    n_dimensions: usize,
}

impl Shape {
    fn of(path: &Path, header: &NpyHeader) -> Result<Self, Error> {
        let (n_rows, n_columns) = match *header.shape() {
            [n_rows] => (n_rows, 1),
            [n_rows, n_columns] => (n_rows, n_columns),
            _ => return Err(Error::NpyDimensions { path: path.into(), shape: header.shape().to_vec() }),
        };
        if n_rows == 0 || n_columns == 0 {
            return Err(Error::Empty { path: path.into() });
        }
        let (n_rows, n_columns) = (n_rows as usize, n_columns as usize);
        Ok(Self { n_rows, n_columns, n_dimensions: header.shape().len() })
    }

    /// Returns the values row after row, given in the order of the file.
    fn by_rows<T: Copy>(self, values: Vec<T>, order: Order) -> Vec<T> {
        if order == Order::C || self.n_columns == 1 || self.n_rows == 1 {
            return values;
        }
        let mut by_rows = Vec::with_capacity(values.len());
        for row in 0..self.n_rows {
            by_rows.extend(values[row..].iter().step_by(self.n_rows));
        }
        by_rows
    }
}

/// Checks that the file is as long as its header says, so that a broken header cannot ask for all memory.
fn check_length(path: &Path, header: &NpyHeader, found: u64) -> Result<(), Error> {
    let DType::Plain(item) = header.dtype() else {
        return Err(unknown_type(path, &header.dtype()));
    };
    let n_values = header.shape().iter().map(|length| u128::from(*length)).product::<u128>();
    let expected = n_values.saturating_mul(item.num_bytes().unwrap_or(0) as u128);
    if u128::from(found) < expected {
        return Err(Error::NpyTruncated {
            path: path.into(),
            shape: header.shape().to_vec(),
            expected,
            found,
        });
    }
    Ok(())
}

fn unknown_type(path: &Path, dtype: &DType) -> Error {
    Error::NpyType { path: path.into(), dtype: dtype.descr() }
}

fn read_values<R: Read>(path: &Path, array: NpyFile<R>) -> Result<Values<'static>, Error> {
    let dtype = array.header().dtype();
    let DType::Plain(item) = &dtype else {
        return Err(unknown_type(path, &dtype));
    };
    match (item.type_char(), item.size_field()) {
        (TypeChar::Float, 4) if item.endianness() == Endianness::Little => {
            return little_endian(path, array, f32::from_le_bytes).map(Values::from);
        }
        (TypeChar::Float, 8) if item.endianness() == Endianness::Little => {
            little_endian(path, array, f64::from_le_bytes)
        }
        (TypeChar::Float, 4) => return collect(path, array, |value: f32| value).map(Values::from),
        (TypeChar::Float, 8) => collect(path, array, |value: f64| value),
        (TypeChar::Int, 1) => collect(path, array, |value: i8| f64::from(value)),
        (TypeChar::Int, 2) => collect(path, array, |value: i16| f64::from(value)),
        (TypeChar::Int, 4) => collect(path, array, |value: i32| f64::from(value)),
        (TypeChar::Int, 8) => collect(path, array, |value: i64| value as f64),
        (TypeChar::Uint, 1) => collect(path, array, |value: u8| f64::from(value)),
        (TypeChar::Uint, 2) => collect(path, array, |value: u16| f64::from(value)),
        (TypeChar::Uint, 4) => collect(path, array, |value: u32| f64::from(value)),
        (TypeChar::Uint, 8) => collect(path, array, |value: u64| value as f64),
        (TypeChar::Bool, _) => collect(path, array, |value: bool| f64::from(u8::from(value))),
        _ => Err(unknown_type(path, &dtype)),
    }
    .map(Values::from)
}

/// Returns the values of an array of `N` bytes each, as they stand in the file: what large matrices are, read in large pieces.
fn little_endian<U, R: Read, const N: usize>(
    path: &Path,
    array: NpyFile<R>,
    convert: impl Fn([u8; N]) -> U,
) -> Result<Vec<U>, Error> {
    const VALUES: usize = 1 << 15;
    let mut n_left = array.header().shape().iter().product::<u64>() as usize;
    let mut values = Vec::with_capacity(n_left);
    let mut bytes = vec![0; N * VALUES.min(n_left)];
    let mut reader = array.into_inner();
    while n_left > 0 {
        let piece = &mut bytes[..N * VALUES.min(n_left)];
        reader.read_exact(piece).map_err(|source| unreadable(path, source))?;
        values.extend(piece.as_chunks::<N>().0.iter().map(|&bytes| convert(bytes)));
        n_left -= piece.len() / N;
    }
    Ok(values)
}

/// Returns the values of an array in the order of the file.
fn collect<T: Deserialize, U, R: Read>(
    path: &Path,
    array: NpyFile<R>,
    convert: impl Fn(T) -> U,
) -> Result<Vec<U>, Error> {
    let dtype = array.header().dtype();
    let reader = array.data::<T>().map_err(|_| unknown_type(path, &dtype))?;
    // `check_length` has seen that the file holds this many.
    let mut values = Vec::with_capacity(reader.len() as usize);
    for value in reader {
        values.push(convert(value.map_err(|source| unreadable(path, source))?));
    }
    Ok(values)
}

fn check_values(
    path: &Path,
    shape: Shape,
    missing: bool,
    values: impl Iterator<Item = f64>,
) -> Result<(), Error> {
    let is_bad = |value: f64| !(value.is_finite() || (value.is_nan() && missing));
    let Some((index, value)) = values.enumerate().find(|(_, value)| is_bad(*value)) else {
        return Ok(());
    };
    let (path, row, column) = (path.into(), index / shape.n_columns + 1, index % shape.n_columns + 1);
    if value.is_nan() {
        Err(Error::ArrayMissing { path, row, column })
    } else {
        Err(Error::ArrayInfinite { path, row, column })
    }
}

#[cfg(test)]
mod tests;
