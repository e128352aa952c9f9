//! Distances as phylogenetics programs write them: how many items, then the name and the distances of each.
//!
//! Square rows may go on over several lines; lower rows hold the distances to the items above, with or without the item
//! itself. A name ends at a blank, or in the strict form after ten characters.

use std::path::Path;

use similis::input::Values;

use super::Request;
use super::budget::Budget;
use super::csv::{Line, Lines, Triangle};
use super::source::Source;
use super::table::Table;
use crate::error::{Error, Excerpt};

/// Number of characters of a name in the strict form of PHYLIP.
const STRICT_NAME: usize = 10;

/// Returns the square matrix and the names.
pub(super) fn read(source: Source, request: &Request<'_>) -> Result<Table, Error> {
    let path = source.path.clone();
    let mut lines = Lines::new(source, None);
    let n = match lines.next()? {
        Some(line) => count(&line)?,
        None => return Err(Error::Empty { path }),
    };
    request.check_memory(8u64.saturating_mul(n as u64).saturating_mul(n as u64), "the matrix")?;
    let budget = lines.budget().clone();
    let missing = request.missing;
    let mut rows = Rows { n, missing, names: Vec::new(), values: Vec::new(), first: None, budget };
    while rows.names.len() < n {
        let Some(line) = lines.next()? else {
            return Err(Error::PhylipRows { path, expected: n, found: rows.names.len() });
        };
        rows.begin(&line).map_err(|error| error.in_line(line.number))?;
        while rows.is_open() {
            let Some(line) = lines.next()? else {
                return Err(Error::PhylipRows { path, expected: n, found: rows.names.len() - 1 });
            };
            rows.add(&line, line.text).map_err(|error| error.in_line(line.number))?;
        }
        rows.close(&path, lines.number())?;
    }
    match lines.next()? {
        Some(line) => {
            Err(Error::PhylipMore { place: line.place(0), n, found: Excerpt::new(line.text.as_bytes()) })
        }
        None => rows.into_table(),
    }
}

/// The number of items on the first line.
fn count(line: &Line<'_>) -> Result<usize, Error> {
    let mut words = line.text.split_whitespace();
    match (words.next().and_then(|word| word.parse().ok()), words.next()) {
        (Some(n), None) if n > 0 => Ok(n),
        _ => Err(Error::PhylipCount { place: line.place(0), found: Excerpt::new(line.text.as_bytes()) }),
    }
}

struct Rows {
    n: usize,
    missing: bool,
    names: Vec<String>,
    values: Vec<f64>,
    /// How many distances the first row has: none or one of lower rows, n of square ones.
    first: Option<usize>,
    budget: Budget,
}

impl Rows {
    /// How many values the row that was begun last has when it is whole.
    fn n_expected(&self) -> usize {
        let row = self.names.len() - 1;
        match self.first {
            Some(0) => row,
            Some(1) if self.n > 1 => row + 1,
            _ => self.n,
        }
    }

    /// How many values there are before the row that was begun last.
    fn n_before(&self) -> usize {
        let row = self.names.len() - 1;
        match self.first {
            Some(0) => Triangle::BelowDiagonal.n_values(row),
            Some(1) if self.n > 1 => Triangle::WithDiagonal.n_values(row),
            _ => row * self.n,
        }
    }

    fn is_open(&self) -> bool {
        self.values.len() - self.n_before() < self.n_expected()
    }

    /// Takes the name and the first values of an item.
    fn begin(&mut self, line: &Line<'_>) -> Result<(), Error> {
        let (name, rest) = line.text.split_once(char::is_whitespace).unwrap_or((line.text, ""));
        let numbers = |text: &str| text.split_whitespace().all(|word| word.parse::<f64>().is_ok());
        let strict = line.text.char_indices().nth(STRICT_NAME).map_or(line.text.len(), |(at, _)| at);
        let (name, rest) = if !name.is_empty() && numbers(rest) {
            (name, rest)
        } else if line.text.len() > STRICT_NAME && numbers(&line.text[strict..]) {
            line.text.split_at(strict)
        } else {
            (name, rest)
        };
        self.budget.take_text(name)?;
        self.budget.push(&mut self.names, name.trim().to_owned())?;
        if self.first.is_none() {
            // Two or more values begin a square row, which may go on.
            self.first = Some(rest.split_whitespace().count().min(2));
        }
        self.add(line, rest)
    }

    fn add(&mut self, line: &Line<'_>, text: &str) -> Result<(), Error> {
        for word in text.split_whitespace() {
            match word.parse::<f64>() {
                Ok(value) if value.is_finite() || (value.is_nan() && self.missing) => {
                    self.budget.push(&mut self.values, value)?;
                }
                _ => {
                    let offset = word.as_ptr() as usize - line.text.as_ptr() as usize;
                    let (place, found) = (line.place(offset), Excerpt::new(word.as_bytes()));
                    return Err(Error::PhylipDistance { place, found });
                }
            }
        }
        Ok(())
    }

    /// Checks that the row has no value too many.
    fn close(&self, path: &Path, line: usize) -> Result<(), Error> {
        let found = self.values.len() - self.n_before();
        if found == self.n_expected() {
            return Ok(());
        }
        let name = Excerpt::new(self.names.last().map(String::as_bytes).unwrap_or_default());
        Err(Error::PhylipLength { path: path.into(), line, name, expected: self.n_expected(), found })
    }

    fn into_table(self) -> Result<Table, Error> {
        let n = self.n;
        if matches!(self.first, Some(0 | 1)) {
            self.budget.check((n as u64).saturating_mul(8 * n as u64))?;
        }
        let values = match self.first {
            Some(0) if n > 1 => Triangle::BelowDiagonal.square(&self.values, n, 0.0),
            Some(1) if n > 1 => Triangle::WithDiagonal.square(&self.values, n, 0.0),
            Some(0) => vec![0.0],
            _ => self.values,
        };
        Ok(Table { ids: Some(self.names), is_matrix: true, ..Table::new(Values::from(values), n, n) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::Choice;

    #[test]
    fn a_long_row_is_read_to_its_end() {
        let n = 400_000;
        let file = tempfile::NamedTempFile::with_suffix(".phy").unwrap();
        std::fs::write(file.path(), format!("{n}\na{}\n", " 0".repeat(n))).unwrap();
        let (path, choice, input) = (file.path(), &Choice::default(), None);
        let (format, array, missing, edge_values, memory_limit) = (None, None, false, None, None);
        let request = Request { path, format, array, missing, choice, input, edge_values, memory_limit };
        let error = crate::io::read(&request).unwrap_err();
        // If the characters before each value were counted, this would take minutes.
        assert!(matches!(error, Error::PhylipRows { found: 1, .. }), "{error}");
    }
}
