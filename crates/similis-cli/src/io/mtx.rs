//! Matrix Market: dense (`array`) and sparse (`coordinate`) matrices, general and symmetric, as text.

use std::path::Path;

use similis::input::Values;

use super::csv::{Line, Lines};
use super::source::Source;
use super::sparse::{Entries, PER_ROW};
use super::table::Table;
use super::{Content, Request};
use crate::error::{Error, Excerpt};

/// What the first line says.
struct Banner {
    sparse: bool,
    /// Entries have no value: they are 1.
    pattern: bool,
    /// Only the entries on and below the diagonal are listed.
    symmetric: bool,
}

/// Returns the matrix in a file.
pub(super) fn read(source: Source, request: &Request<'_>) -> Result<Content, Error> {
    let path = source.path.clone();
    let mut lines = Lines::new(source, Some(b'%'));
    let banner = Banner::parse(&path, &lines.first_whole()?)?;
    let sizes = match lines.next()? {
        Some(line) => counts(&line, if banner.sparse { 3 } else { 2 })?,
        None => return Err(Error::Empty { path }),
    };
    if sizes[0] == 0 || sizes[1] == 0 {
        return Err(Error::Empty { path });
    }
    if banner.symmetric && sizes[0] != sizes[1] {
        return Err(Error::MtxSymmetric { path, n_rows: sizes[0], n_columns: sizes[1] });
    }
    if banner.sparse {
        request.check_memory(PER_ROW * sizes[0].max(sizes[1]) as u64, "the rows of the matrix")?;
        sparse(&mut lines, &banner, [sizes[0], sizes[1], sizes[2]]).map(Content::Sparse)
    } else {
        dense(&mut lines, &banner, [sizes[0], sizes[1]], request.missing).map(Content::Table)
    }
}

impl Banner {
    fn parse(path: &Path, line: &str) -> Result<Self, Error> {
        let words: Vec<String> = line.split_whitespace().map(str::to_lowercase).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let wrong = || Error::MtxBanner { path: path.into(), found: Excerpt::new(line.as_bytes()) };
        let ["%%matrixmarket", "matrix", layout @ ("array" | "coordinate"), field, symmetry] = words[..]
        else {
            return Err(wrong());
        };
        let pattern = field == "pattern";
        let known = matches!(field, "real" | "integer" | "double" | "pattern");
        let symmetric = symmetry == "symmetric";
        if !known || !(symmetric || symmetry == "general") || (pattern && layout == "array") {
            return Err(wrong());
        }
        Ok(Self { sparse: layout == "coordinate", pattern, symmetric })
    }
}

/// Returns the whole numbers of the line of sizes.
fn counts(line: &Line<'_>, n_expected: usize) -> Result<Vec<usize>, Error> {
    let numbers: Option<Vec<usize>> = line.text.split_whitespace().map(|word| word.parse().ok()).collect();
    let listed = numbers.filter(|numbers| {
        numbers.len() == n_expected && numbers[..2].iter().all(|&n| u32::try_from(n).is_ok())
    });
    listed.ok_or_else(|| Error::MtxSizes {
        place: line.place(0),
        expected: if n_expected == 3 { "rows, columns and entries" } else { "rows and columns" },
        found: Excerpt::new(line.text.as_bytes()),
    })
}

fn sparse(
    lines: &mut Lines,
    banner: &Banner,
    [n_rows, n_columns, n_entries]: [usize; 3],
) -> Result<super::sparse::Compressed, Error> {
    let budget = lines.budget().clone();
    let mut entries = Entries::default();
    let mut n_listed = 0;
    while let Some(line) = lines.next()? {
        let mut words = Words::new(&line);
        let (row, column) = (words.index(n_rows)?, words.index(n_columns)?);
        let value = if banner.pattern { 1.0 } else { words.number(false)? };
        words.end()?;
        let in_line = |error: Error| error.in_line(line.number);
        entries.add(&budget, row, column, value).map_err(in_line)?;
        if banner.symmetric && row != column {
            entries.add(&budget, column, row, value).map_err(in_line)?;
        }
        n_listed += 1;
    }
    check_count(lines, n_entries, n_listed)?;
    entries.check_compressed(&budget, n_rows)?;
    Ok(entries.compressed(n_rows, n_columns))
}

/// The entries stand column after column.
fn dense(
    lines: &mut Lines,
    banner: &Banner,
    [n_rows, n_columns]: [usize; 2],
    missing: bool,
) -> Result<Table, Error> {
    let n_entries =
        if banner.symmetric { n_rows * (n_rows + 1) / 2 } else { n_rows.saturating_mul(n_columns) };
    let budget = lines.budget().clone();
    let mut listed = Vec::new();
    while let Some(line) = lines.next()? {
        let mut words = Words::new(&line);
        budget.push(&mut listed, words.number(missing)?).map_err(|error| error.in_line(line.number))?;
        words.end()?;
    }
    check_count(lines, n_entries, listed.len())?;
    budget.check((n_rows as u64).saturating_mul(8 * n_columns as u64))?;
    let mut values = vec![0.0; n_rows * n_columns];
    let places = (0..n_columns).flat_map(|column| {
        let first = if banner.symmetric { column } else { 0 };
        (first..n_rows).map(move |row| (row, column))
    });
    for ((row, column), value) in places.zip(listed) {
        values[row * n_columns + column] = value;
        if banner.symmetric {
            values[column * n_columns + row] = value;
        }
    }
    Ok(Table::new(Values::from(values), n_rows, n_columns))
}

fn check_count(lines: &Lines, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found {
        Ok(())
    } else {
        Err(Error::MtxEntries { path: lines.path().into(), expected, found })
    }
}

/// The words of a line, one after another, each with its place.
struct Words<'a, 'b> {
    line: &'b Line<'a>,
    rest: std::str::SplitWhitespace<'a>,
    number: usize,
}

impl<'a, 'b> Words<'a, 'b> {
    fn new(line: &'b Line<'a>) -> Self {
        Self { line, rest: line.text.split_whitespace(), number: 0 }
    }

    fn next(&mut self) -> Result<&'a str, Error> {
        self.number += 1;
        self.rest.next().ok_or_else(|| self.wrong("an entry", self.line.text))
    }

    /// A row or column, counted from 1 in the file and from 0 here.
    fn index(&mut self, n: usize) -> Result<usize, Error> {
        let word = self.next()?;
        match word.parse::<usize>() {
            Ok(index) if (1..=n).contains(&index) => Ok(index - 1),
            _ => Err(self.wrong("a row and a column within the sizes, counted from 1,", word)),
        }
    }

    fn number(&mut self, missing: bool) -> Result<f64, Error> {
        let word = self.next()?;
        match word.parse::<f64>() {
            Ok(value) if value.is_finite() || (missing && value.is_nan()) => Ok(value),
            _ => Err(self.wrong("a finite number", word)),
        }
    }

    fn end(&mut self) -> Result<(), Error> {
        match self.rest.next() {
            None => Ok(()),
            Some(word) => Err(self.wrong("nothing after the entry", word)),
        }
    }

    fn wrong(&self, expected: &'static str, word: &str) -> Error {
        let offset = word.as_ptr() as usize - self.line.text.as_ptr() as usize;
        Error::MtxEntry { place: self.line.place(offset), expected, found: Excerpt::new(word.as_bytes()) }
    }
}
