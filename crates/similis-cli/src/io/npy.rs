//! Arrays of NumPy: `.npy` files with one or two dimensions, in C or Fortran order, of either byte order.
//!
//! `float32` stays single precision; `float64`, integers of 8 to 64 bits and `bool` become double precision.

mod header;

use std::io::Read;
use std::path::Path;

use similis::input::Values;

pub(super) use self::header::Header;
use super::budget::Budget;
use super::source::{Source, unreadable};
use super::table::Table;
use crate::error::Error;

/// Returns the table in a `.npy` file; a one-dimensional array becomes one column.
///
/// With `missing`, NaN is kept.
///
/// # Errors
///
/// [`Error`] if the file is no whole `.npy` file, if the array has another number of dimensions or another type, is
/// empty, or holds a value that is infinite or, without `missing`, NaN.
pub(super) fn read(source: Source, missing: bool) -> Result<Table, Error> {
    let (budget, n_bytes) = (source.budget.clone(), source.n_bytes);
    source.read_to_end(|mut reader| read_table(&budget, &mut reader, n_bytes, missing))
}

/// As [`read`], from any bytes, of which there are `n_bytes` where that is known.
pub(super) fn read_table(
    budget: &Budget,
    reader: &mut impl Read,
    n_bytes: Option<u64>,
    missing: bool,
) -> Result<Table, Error> {
    let path = budget.path();
    let header = Header::read(path, reader)?;
    let shape = Shape::of(path, &header)?;
    let items = Items::of(path, &header)?;
    items.check_length(path, &header, n_bytes)?;
    let values = if items.kind == b'f' && items.size == 4 {
        let listed = items.read(budget, &header, reader, of_each(f32::from_le_bytes))?;
        Values::from(shape.by_rows(budget, listed, header.fortran)?)
    } else {
        let listed = items.read_f64(budget, &header, reader)?;
        Values::from(shape.by_rows(budget, listed, header.fortran)?)
    };
    match &values {
        Values::F32(values) => check_values(path, shape, missing, values)?,
        Values::F64(values) => check_values(path, shape, missing, values)?,
    }
    Ok(Table { n_dimensions: shape.n_dimensions, ..Table::new(values, shape.n_rows, shape.n_columns) })
}

/// Returns the numbers of an array of one dimension.
pub(super) fn read_list<T>(
    budget: &Budget,
    reader: &mut impl Read,
    convert: impl Fn(f64) -> T,
) -> Result<Vec<T>, Error> {
    let path = budget.path();
    let header = Header::read(path, reader)?;
    if header.shape.len() != 1 {
        return Err(Error::NpyDimensions { path: path.into(), shape: header.shape });
    }
    let items = Items::of(path, &header)?;
    items.read_with(budget, &header, reader, convert)
}

/// Returns the text of an array that holds one, as SciPy writes the name of a format.
pub(super) fn read_text(path: &Path, reader: &mut impl Read) -> Result<String, Error> {
    let header = Header::read(path, reader)?;
    let mut bytes = Vec::new();
    reader.by_ref().take(64).read_to_end(&mut bytes).map_err(|source| unreadable(path, source))?;
    let is_text = header.dtype.contains(['S', 'U']) && header.shape.iter().product::<u64>() <= 1;
    let text: String =
        bytes.iter().filter(|byte| byte.is_ascii_graphic()).map(|&byte| byte as char).collect();
    if is_text { Ok(text) } else { Err(Error::NpyType { path: path.into(), dtype: header.dtype }) }
}

#[derive(Clone, Copy)]
#[expect(clippy::struct_field_names, reason = "every count begins with n_")]
struct Shape {
    n_rows: usize,
    n_columns: usize,
    n_dimensions: usize,
}

impl Shape {
    fn of(path: &Path, header: &Header) -> Result<Self, Error> {
        let (n_rows, n_columns) = match *header.shape {
            [n_rows] => (n_rows, 1),
            [n_rows, n_columns] => (n_rows, n_columns),
            _ => return Err(Error::NpyDimensions { path: path.into(), shape: header.shape.clone() }),
        };
        if n_rows == 0 || n_columns == 0 {
            return Err(Error::Empty { path: path.into() });
        }
        let (n_rows, n_columns) = (n_rows as usize, n_columns as usize);
        Ok(Self { n_rows, n_columns, n_dimensions: header.shape.len() })
    }

    /// Returns the values row after row, given in the order of the file.
    fn by_rows<T: Copy>(self, budget: &Budget, mut values: Vec<T>, fortran: bool) -> Result<Vec<T>, Error> {
        let n = self.n_rows;
        if !fortran || self.n_columns == 1 || n == 1 {
            return Ok(values);
        }
        // A matrix of pairs is the largest that is read: it is turned where it stands.
        if n == self.n_columns {
            for row in 0..n {
                for column in 0..row {
                    values.swap(row * n + column, column * n + row);
                }
            }
            return Ok(values);
        }
        let mut by_rows = Vec::new();
        budget.reserve(&mut by_rows, values.len())?;
        for row in 0..n {
            by_rows.extend(values[row..].iter().step_by(n));
        }
        Ok(by_rows)
    }
}

/// What each item of an array is.
struct Items {
    /// NumPy's letter: f, i, u or b.
    kind: u8,
    /// Bytes of an item.
    size: usize,
    big_endian: bool,
}

impl Items {
    fn of(path: &Path, header: &Header) -> Result<Self, Error> {
        let items = match header.dtype.as_bytes() {
            &[order @ (b'<' | b'>' | b'|' | b'='), kind, size] => {
                Some(Self { kind, size: usize::from(size.wrapping_sub(b'0')), big_endian: order == b'>' })
            }
            _ => None,
        };
        let known = |items: &Self| match items.kind {
            b'f' => matches!(items.size, 4 | 8),
            b'i' | b'u' => matches!(items.size, 1 | 2 | 4 | 8),
            b'b' => items.size == 1,
            _ => false,
        };
        items.filter(known).ok_or_else(|| Error::NpyType { path: path.into(), dtype: header.dtype.clone() })
    }

    /// How many bytes the items take; more than any file has where the shape is made up.
    fn n_bytes(&self, header: &Header) -> u128 {
        let n_values = header.shape.iter().fold(1u128, |n, &length| n.saturating_mul(length.into()));
        n_values.saturating_mul(self.size as u128)
    }

    /// Checks that the file is as long as its header says, so that a broken header cannot ask for all memory.
    fn check_length(&self, path: &Path, header: &Header, n_bytes: Option<u64>) -> Result<(), Error> {
        match n_bytes.map(|n| n.saturating_sub(header.n_bytes)) {
            Some(found) if u128::from(found) < self.n_bytes(header) => {
                Err(self.cut_short(path, header, found))
            }
            _ => Ok(()),
        }
    }

    fn cut_short(&self, path: &Path, header: &Header, found: u64) -> Error {
        let (shape, expected) = (header.shape.clone(), self.n_bytes(header));
        Error::NpyTruncated { path: path.into(), shape, expected, found }
    }

    fn read_f64(&self, budget: &Budget, header: &Header, reader: &mut impl Read) -> Result<Vec<f64>, Error> {
        match (self.kind, self.size) {
            // What large matrices are: no call for each number.
            (b'f', 8) => self.read(budget, header, reader, of_each(f64::from_le_bytes)),
            _ => self.read_with(budget, header, reader, |value| value),
        }
    }

    /// Returns what `convert` makes of the items, in the order of the file.
    fn read_with<T>(
        &self,
        budget: &Budget,
        header: &Header,
        reader: &mut impl Read,
        convert: impl Fn(f64) -> T,
    ) -> Result<Vec<T>, Error> {
        let mut read = |number: fn(&[u8]) -> f64| {
            self.read(budget, header, reader, |bytes, values| {
                values.extend(bytes.chunks_exact(self.size).map(|item| convert(number(item))));
            })
        };
        match (self.kind, self.size) {
            (b'f', 8) => read(|bytes| f64::from_le_bytes(array(bytes))),
            (b'f', _) => read(|bytes| f32::from_le_bytes(array(bytes)).into()),
            (b'i', 1) => read(|bytes| i8::from_le_bytes(array(bytes)).into()),
            (b'i', 2) => read(|bytes| i16::from_le_bytes(array(bytes)).into()),
            (b'i', 4) => read(|bytes| i32::from_le_bytes(array(bytes)).into()),
            (b'i', _) => read(|bytes| i64::from_le_bytes(array(bytes)) as f64),
            (b'u', 2) => read(|bytes| u16::from_le_bytes(array(bytes)).into()),
            (b'u', 4) => read(|bytes| u32::from_le_bytes(array(bytes)).into()),
            (b'u', 8) => read(|bytes| u64::from_le_bytes(array(bytes)) as f64),
            (b'b', _) => read(|bytes| f64::from(u8::from(bytes[0] != 0))),
            _ => read(|bytes| bytes[0].into()),
        }
    }

    /// Returns what `decode` adds for the bytes of some whole items, the lowest byte of each first; read in large pieces.
    fn read<T>(
        &self,
        budget: &Budget,
        header: &Header,
        reader: &mut impl Read,
        decode: impl Fn(&[u8], &mut Vec<T>),
    ) -> Result<Vec<T>, Error> {
        const PIECE: usize = 1 << 18;
        // A multiple of the items of any piece. Not tuned.
        const FIRST: usize = 1 << 22;
        let mut left = self.n_bytes(header);
        let n_values = u64::try_from(left / self.size as u128).unwrap_or(u64::MAX);
        budget.check(n_values.saturating_mul(size_of::<T>() as u64))?;
        let mut values = Vec::new();
        let mut buffer = vec![0; left.min(PIECE as u128) as usize];
        while left > 0 {
            let piece = &mut buffer[..left.min(PIECE as u128) as usize];
            let n_read = fill(reader, piece).map_err(|source| unreadable(budget.path(), source))?;
            if n_read < piece.len() {
                let found = self.n_bytes(header) - left + n_read as u128;
                return Err(self.cut_short(budget.path(), header, found as u64));
            }
            if values.capacity() - values.len() < piece.len() / self.size {
                // As much again, up to the end: how long an array is, its header may make up.
                let n_left = usize::try_from(left / self.size as u128).unwrap_or(usize::MAX);
                let n_more = n_left.min(values.len().max(FIRST));
                budget.reserve(&mut values, n_more)?;
            }
            left -= n_read as u128;
            if self.big_endian {
                piece.chunks_mut(self.size).for_each(<[u8]>::reverse);
            }
            decode(piece, &mut values);
        }
        Ok(values)
    }
}

/// Reads until the buffer is full or there is no more; returns how many bytes came.
fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut n_read = 0;
    while n_read < buffer.len() {
        match reader.read(&mut buffer[n_read..])? {
            0 => break,
            n => n_read += n,
        }
    }
    Ok(n_read)
}

/// Decodes items of N bytes one after the other.
fn of_each<const N: usize, T>(decode: impl Fn([u8; N]) -> T) -> impl Fn(&[u8], &mut Vec<T>) {
    move |bytes, values| values.extend(bytes.as_chunks::<N>().0.iter().map(|item| decode(*item)))
}

/// The first N bytes.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut all = [0; N];
    all.copy_from_slice(&bytes[..N]);
    all
}

fn check_values<T: Copy + Into<f64>>(
    path: &Path,
    shape: Shape,
    missing: bool,
    values: &[T],
) -> Result<(), Error> {
    // Nearly always all are finite, which is seen fast where no single value is looked for.
    const PIECE: usize = 1 << 12;
    let is_finite = |piece: &[T]| piece.iter().fold(true, |all, &value| all & value.into().is_finite());
    let is_bad = |value: f64| !(value.is_finite() || (value.is_nan() && missing));
    let bad_in = |(piece, values): (usize, &[T])| {
        let mut values = values.iter().map(|&value| value.into());
        values.position(is_bad).map(|at| piece * PIECE + at)
    };
    let mut pieces = values.chunks(PIECE).enumerate().filter(|(_, piece)| !is_finite(piece));
    let Some(index) = pieces.find_map(bad_in) else {
        return Ok(());
    };
    let value: f64 = values[index].into();
    let (path, row, column) = (path.into(), index / shape.n_columns + 1, index % shape.n_columns + 1);
    if value.is_nan() {
        Err(Error::ArrayMissing { path, row, column })
    } else {
        Err(Error::ArrayInfinite { path, row, column })
    }
}

#[cfg(test)]
mod tests;
