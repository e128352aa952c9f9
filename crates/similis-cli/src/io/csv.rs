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
//! lose a point without a word. Where columns were chosen by number, a record with text only among names and classes
//! (`T,2,8,3`) is a row, and a note says so. An empty field, `NA` and `NaN` are neither text nor number.
//!
//! # What are names of rows
//!
//! The column that was named; without one, the first column of a square matrix (or lower triangle) that holds text, a
//! first column that the header leaves out, as R writes it, or leaves without a name while it counts the rows, as
//! pandas writes it. The last two are said in a note.

mod fields;
mod layout;
mod lines;
mod rows;
mod triangle;

pub(super) use self::fields::{Delimiter, Field};
use self::layout::Layout;
pub(super) use self::layout::begins_like_a_number;
pub(super) use self::lines::{Line, Lines};
use self::rows::Rows;
pub(super) use self::triangle::Triangle;
use super::source::Source;
use super::table::Table;
use super::{Format, Request};
use crate::error::Error;

/// Returns the table in a text file.
///
/// # Errors
///
/// [`Error`] with line and column if a row has another number of fields than the first, if a field is not a finite
/// number, or if the file is no UTF-8 text, empty, or cannot be opened.
pub(super) fn read(source: Source, format: Format, request: &Request<'_>) -> Result<Table, Error> {
    let path = source.path.clone();
    let mut lines = Lines::new(source, (format == Format::Txt).then_some(b'#'));
    let Some(first) = lines.peek(0)? else {
        return Err(Error::Empty { path });
    };
    let delimiter = Delimiter::of(format, first.text);
    lines.set_tabs_separate(delimiter == Delimiter::Byte(b'\t'));
    let layout = Layout::of(&mut lines, delimiter, request)?;
    if layout.has_header() {
        lines.next()?;
    }
    let mut rows = Rows::new(layout, request, lines.budget().clone());
    while let Some(line) = lines.next()? {
        rows.add(&line).map_err(|error| error.in_line(line.number))?;
    }
    rows.into_table(&path)
}

/// Returns the number a field holds, NaN if it is a mark for a missing one, nothing if it is text.
pub(super) fn parse(text: &str) -> Option<f64> {
    match text.parse() {
        Ok(value) => Some(value),
        Err(_) if text.is_empty() || text.eq_ignore_ascii_case("na") => Some(f64::NAN),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests;
