//! Numbers in text: fields between commas, semicolons, tabs or blanks, with or without a header.
//!
//! Blank lines are skipped, even in a file with one column, and in `.txt` also lines that begin with `#`. A field may stand in quotation marks, which
//! close on the same line. Blanks around a number, Windows line ends and a byte order mark do not matter. A number has
//! a decimal point; `1e-3`, `.5` and `+2` are numbers.
//!
//! # What is a header
//!
//! The first record is a header if it holds text and no number. Whole numbers among the names (`site,1990,1991`) are
//! names too, unless some field begins like a number: `1.5,2.o` is a mistyped row, and to take it for a header would
//! lose a point without a word. An empty field, `NA` and `NaN` are neither text nor number.

mod fields;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use self::fields::{Delimiter, Field, Fields};
use super::{Table, open, unreadable};
use crate::error::{Error, Excerpt, Place};

/// What separates the fields of a file, as far as its extension tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Semicolons if the first line has one, else commas if it has one, else tabs.
    Csv,
    /// Tabs.
    Tsv,
    /// Like [`Kind::Csv`], else blanks; lines that begin with `#` are comments.
    Txt,
}

/// Returns the table in a text file; with `missing`, empty fields, `NA` and `NaN` become NaN.
///
/// # Errors
///
/// [`Error`] with line and column if a row has another number of fields than the first, if a field is not a finite
/// number, or if the file is no UTF-8 text, empty, or cannot be opened.
pub fn read(path: &Path, kind: Kind, missing: bool) -> Result<Table, Error> {
    let mut lines = Lines::open(path, kind)?;
    let Some(first) = lines.next()? else {
        return Err(Error::Empty { path: path.into() });
    };
    let first_line = first.number;
    let first_excerpt = Excerpt::new(first.text.as_bytes());
    let delimiter = Delimiter::of(kind, first.text);
    let names = header(&first, delimiter)?;
    let n_columns = first.n_fields(delimiter)?;
    let mut rows = Rows { delimiter, missing, first_line, n_columns, values: Vec::new() };
    if names.is_none() {
        rows.add(&first)?;
    }
    lines.tabs_separate = delimiter == Delimiter::Byte(b'\t');
    while let Some(line) = lines.next()? {
        rows.add(&line)?;
    }
    if rows.values.is_empty() {
        return Err(Error::HeaderOnly { path: path.into(), line: first_line, header: first_excerpt });
    }
    Ok(rows.into_table(names))
}

/// The lines of a file that hold a record, one at a time in a buffer that is used again.
struct Lines<'a> {
    path: &'a Path,
    reader: BufReader<File>,
    comments: bool,
    /// Whether tabs separate fields, so that tabs alone are a record of empty ones.
    tabs_separate: bool,
    buffer: Vec<u8>,
    number: usize,
}

impl<'a> Lines<'a> {
    fn open(path: &'a Path, kind: Kind) -> Result<Self, Error> {
        let reader = BufReader::with_capacity(1 << 18, open(path)?);
        let (comments, tabs_separate) = (kind == Kind::Txt, kind == Kind::Tsv);
        Ok(Self { path, reader, comments, tabs_separate, buffer: Vec::new(), number: 0 })
    }

    /// Returns the next line that is neither blank nor a comment.
    fn next(&mut self) -> Result<Option<Line<'_>>, Error> {
        while self.fill()? {
            if !self.is_skipped() {
                return self.line().map(Some);
            }
        }
        Ok(None)
    }

    /// Reads one line into the buffer, without its end; false at the end of the file.
    fn fill(&mut self) -> Result<bool, Error> {
        self.buffer.clear();
        let length = self
            .reader
            .read_until(b'\n', &mut self.buffer)
            .map_err(|source| unreadable(self.path, source))?;
        self.number += 1;
        if self.buffer.ends_with(b"\n") {
            self.buffer.pop();
        }
        if self.buffer.ends_with(b"\r") {
            self.buffer.pop();
        }
        if self.number == 1 && self.buffer.starts_with(BYTE_ORDER_MARK) {
            self.buffer.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(length > 0)
    }

    fn is_skipped(&self) -> bool {
        let blank = |byte: &u8| *byte == b' ' || (*byte == b'\t' && !self.tabs_separate);
        (self.comments && self.buffer.starts_with(b"#")) || self.buffer.iter().all(blank)
    }

    fn line(&self) -> Result<Line<'_>, Error> {
        let text = str::from_utf8(&self.buffer).map_err(|error| {
            let (valid, rest) = self.buffer.split_at(error.valid_up_to());
            let column = 1 + String::from_utf8_lossy(valid).chars().count();
            Error::NotUtf8 {
                place: Place { path: self.path.into(), line: self.number, column },
                found: Excerpt::new(rest),
            }
        })?;
        Ok(Line { path: self.path, number: self.number, text })
    }
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// One line of a file, and where it stands.
struct Line<'a> {
    path: &'a Path,
    number: usize,
    text: &'a str,
}

impl<'a> Line<'a> {
    fn fields(&self, delimiter: Delimiter) -> impl Iterator<Item = Result<Field<'a>, Error>> {
        Fields::new(self.text, delimiter).map(|field| field.map_err(|offset| self.open_quote(offset)))
    }

    fn n_fields(&self, delimiter: Delimiter) -> Result<usize, Error> {
        self.fields(delimiter).try_fold(0, |n_fields, field| field.map(|_| n_fields + 1))
    }

    /// Returns the place of the byte at `offset` in the line.
    fn place(&self, offset: usize) -> Place {
        let column = 1 + self.text.char_indices().take_while(|(start, _)| *start < offset).count();
        Place { path: self.path.into(), line: self.number, column }
    }

    fn open_quote(&self, offset: usize) -> Error {
        let found = Excerpt::new(&self.text.as_bytes()[offset..]);
        Error::OpenQuote { place: self.place(offset), found }
    }
}

/// Returns the names in the first record if it is a header.
fn header(first: &Line<'_>, delimiter: Delimiter) -> Result<Option<Vec<String>>, Error> {
    let fields = first.fields(delimiter).collect::<Result<Vec<_>, _>>()?;
    let is_text = |field: &&Field<'_>| parse(field.text).is_none();
    let is_number = |field: &&Field<'_>| parse(field.text).is_some_and(|value| !value.is_nan());
    let any_text = fields.iter().any(|field| is_text(&field));
    let any_number = fields.iter().any(|field| is_number(&field));
    let whole_numbers =
        fields.iter().filter(is_number).all(|field| field.text.bytes().all(|byte| byte.is_ascii_digit()));
    let mistyped = fields.iter().filter(is_text).any(|field| begins_like_a_number(field.text));
    if any_text && (!any_number || (whole_numbers && !mistyped)) {
        return Ok(Some(fields.iter().map(Field::name).collect()));
    }
    Ok(None)
}

fn begins_like_a_number(text: &str) -> bool {
    text.trim_start_matches(['+', '-', '.', ',']).starts_with(|character: char| character.is_ascii_digit())
}

/// Returns the number a field holds, NaN if it is a mark for a missing one, nothing if it is text.
fn parse(text: &str) -> Option<f64> {
    match text.parse() {
        Ok(value) => Some(value),
        Err(_) if text.is_empty() || text.eq_ignore_ascii_case("na") => Some(f64::NAN),
        Err(_) => None,
    }
}

/// The rows read so far, and what a row must be.
struct Rows {
    delimiter: Delimiter,
    missing: bool,
    first_line: usize,
    n_columns: usize,
    values: Vec<f64>,
}

impl Rows {
    fn add(&mut self, line: &Line<'_>) -> Result<(), Error> {
        let n_before = self.values.len();
        for field in line.fields(self.delimiter) {
            let field = field?;
            match parse(field.text) {
                Some(value) if value.is_finite() || (value.is_nan() && self.missing) => {
                    self.values.push(value);
                }
                value => {
                    // A row with a field too many is more likely the cause than what that field holds.
                    self.check_n_fields(line)?;
                    return Err(not_finite(line, &field, self.values.len() - n_before + 1, value));
                }
            }
        }
        if self.values.len() - n_before == self.n_columns { Ok(()) } else { self.check_n_fields(line) }
    }

    fn check_n_fields(&self, line: &Line<'_>) -> Result<(), Error> {
        let n_fields = line.n_fields(self.delimiter)?;
        if n_fields == self.n_columns {
            return Ok(());
        }
        let surplus = line.fields(self.delimiter).nth(self.n_columns).transpose()?;
        Err(Error::Ragged {
            place: line.place(surplus.map_or(line.text.len(), |field| field.offset)),
            expected: self.n_columns,
            like_line: self.first_line,
            n_fields,
            found: Excerpt::new(line.text.as_bytes()),
        })
    }

    fn into_table(self, names: Option<Vec<String>>) -> Table {
        Table {
            n_rows: self.values.len() / self.n_columns,
            n_columns: self.n_columns,
            n_dimensions: 2,
            values: self.values.into(),
            names,
        }
    }
}

/// Returns what is wrong with a field whose value is text, NaN or infinite.
fn not_finite(line: &Line<'_>, field: &Field<'_>, number: usize, value: Option<f64>) -> Error {
    let place = line.place(field.offset);
    let found = Excerpt::new(field.text.as_bytes());
    match value {
        None => Error::NotANumber { place, field: number, found },
        Some(value) if value.is_nan() => Error::Missing { place, field: number, found },
        Some(_) => Error::Infinite { place, field: number, found },
    }
}

#[cfg(test)]
mod tests;
