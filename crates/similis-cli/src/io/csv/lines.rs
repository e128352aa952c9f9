//! The lines of a text file that hold a record.

use std::collections::VecDeque;
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

use super::fields::{Delimiter, Field, Fields};
use crate::error::{Error, Excerpt, Place};
use crate::io::budget::Budget;
use crate::io::source::{Source, unreadable};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The lines that are neither blank nor comments, one at a time in a buffer that is used again.
pub(in crate::io) struct Lines {
    path: PathBuf,
    reader: Box<dyn BufRead>,
    /// What a comment begins with, if there can be any.
    comment: Option<u8>,
    /// Whether tabs separate fields, so that tabs alone are a record of empty ones.
    tabs_separate: bool,
    current: Held,
    /// Lines that were looked at and not yet taken.
    ahead: VecDeque<Held>,
    n_read: usize,
    /// What lines, and all that is made of them, may take.
    budget: Budget,
}

#[derive(Default)]
struct Held {
    bytes: Vec<u8>,
    number: usize,
}

/// Number of bytes of a line that are read at a time; the memory of shorter lines is not counted.
const PIECE: usize = 1 << 20;

impl Lines {
    pub(in crate::io) fn new(source: Source, comment: Option<u8>) -> Self {
        Self {
            path: source.path.clone(),
            budget: source.budget.clone(),
            reader: source.into_reader(),
            comment,
            tabs_separate: false,
            current: Held::default(),
            ahead: VecDeque::new(),
            n_read: 0,
        }
    }

    pub(super) fn set_tabs_separate(&mut self, tabs_separate: bool) {
        self.tabs_separate = tabs_separate;
    }

    /// The file as given.
    pub(in crate::io) fn path(&self) -> &Path {
        &self.path
    }

    /// What reading the file may take.
    pub(in crate::io) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The number of the line that was taken last.
    pub(in crate::io) fn number(&self) -> usize {
        self.current.number
    }

    /// Returns the first line of the file whatever it holds.
    pub(in crate::io) fn first_whole(&mut self) -> Result<String, Error> {
        self.fill()?;
        self.current.line(&self.budget).map(|line| line.text.to_owned())
    }

    /// Takes the next record.
    pub(in crate::io) fn next(&mut self) -> Result<Option<Line<'_>>, Error> {
        if let Some(held) = self.ahead.pop_front() {
            let before = std::mem::replace(&mut self.current, held);
            self.budget.give_back(before.counted());
            return self.current.line(&self.budget).map(Some);
        }
        while self.fill()? {
            if !self.is_skipped() {
                return self.current.line(&self.budget).map(Some);
            }
        }
        Ok(None)
    }

    /// Looks at the record `k` records ahead.
    pub(in crate::io) fn peek(&mut self, k: usize) -> Result<Option<Line<'_>>, Error> {
        while self.ahead.len() <= k {
            let before = std::mem::take(&mut self.current);
            let mut found = false;
            while !found && self.fill()? {
                found = !self.is_skipped();
            }
            let held = std::mem::replace(&mut self.current, before);
            if !found {
                return Ok(None);
            }
            self.ahead.push_back(held);
        }
        self.ahead.get(k).map(|held| held.line(&self.budget)).transpose()
    }

    /// Reads one line into the buffer, without its end; false at the end of the file.
    fn fill(&mut self) -> Result<bool, Error> {
        self.n_read += 1;
        self.current.number = self.n_read;
        let length = self.fill_bytes().map_err(|error| error.in_line(self.n_read))?;
        let bytes = &mut self.current.bytes;
        if bytes.ends_with(b"\n") {
            bytes.pop();
        }
        if bytes.ends_with(b"\r") {
            bytes.pop();
        }
        // Tools that add a mark to a file that has one leave two.
        while self.n_read == 1 && bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(length > 0)
    }

    /// Reads one line into the buffer, and returns its length; a long one piece by piece, as far as its memory may go.
    fn fill_bytes(&mut self) -> Result<usize, Error> {
        let bytes = &mut self.current.bytes;
        bytes.clear();
        loop {
            let mut piece = self.reader.by_ref().take(PIECE as u64);
            let n_read = piece.read_until(b'\n', bytes).map_err(|source| unreadable(&self.path, source))?;
            if n_read < PIECE || bytes.ends_with(b"\n") {
                return Ok(bytes.len());
            }
            self.budget.grow(bytes, PIECE)?;
        }
    }

    fn is_skipped(&self) -> bool {
        let bytes = &self.current.bytes;
        let blank = |byte: &u8| *byte == b' ' || (*byte == b'\t' && !self.tabs_separate);
        self.comment.is_some_and(|mark| bytes.first() == Some(&mark)) || bytes.iter().all(blank)
    }
}

impl Held {
    /// What the budget counts of it.
    fn counted(&self) -> u64 {
        if self.bytes.capacity() > 2 * PIECE { self.bytes.capacity() as u64 } else { 0 }
    }

    fn line<'a>(&'a self, budget: &'a Budget) -> Result<Line<'a>, Error> {
        let path = budget.path();
        let text = str::from_utf8(&self.bytes).map_err(|error| {
            let (valid, rest) = self.bytes.split_at(error.valid_up_to());
            let column = 1 + String::from_utf8_lossy(valid).chars().count();
            Error::NotUtf8 {
                place: Place { path: path.into(), line: self.number, column },
                found: Excerpt::new(rest),
            }
        })?;
        Ok(Line { path, number: self.number, text, budget })
    }
}

/// One line of a file, and where it stands.
pub(in crate::io) struct Line<'a> {
    pub(in crate::io) path: &'a Path,
    pub(in crate::io) number: usize,
    pub(in crate::io) text: &'a str,
    budget: &'a Budget,
}

impl<'a> Line<'a> {
    pub(in crate::io) fn fields(
        &self,
        delimiter: Delimiter,
    ) -> impl Iterator<Item = Result<Field<'a>, Error>> {
        Fields::new(self.text, delimiter).map(|field| field.map_err(|offset| self.open_quote(offset)))
    }

    /// Returns all fields; what they, and names made of them, take is counted.
    pub(in crate::io) fn all_fields(&self, delimiter: Delimiter) -> Result<Vec<Field<'a>>, Error> {
        // A field, twice over while the list grows, a name of a few bytes, and what is made of its column.
        const PER_FIELD: u64 = 160;
        self.budget
            .check(PER_FIELD.saturating_mul(self.n_fields(delimiter)? as u64))
            .map_err(|error| error.in_line(self.number))?;
        self.fields(delimiter).collect()
    }

    pub(super) fn n_fields(&self, delimiter: Delimiter) -> Result<usize, Error> {
        self.fields(delimiter).try_fold(0, |n_fields, field| field.map(|_| n_fields + 1))
    }

    /// Returns the place of the byte at `offset` in the line.
    pub(in crate::io) fn place(&self, offset: usize) -> Place {
        let column = 1 + self.text.char_indices().take_while(|(start, _)| *start < offset).count();
        Place { path: self.path.into(), line: self.number, column }
    }

    fn open_quote(&self, offset: usize) -> Error {
        let found = Excerpt::new(&self.text.as_bytes()[offset..]);
        Error::OpenQuote { place: self.place(offset), found }
    }

    /// Returns an error unless the record has `expected` fields, like the record on line `like_line`.
    pub(in crate::io) fn check_n_fields(
        &self,
        delimiter: Delimiter,
        expected: usize,
        like_line: usize,
    ) -> Result<(), Error> {
        let n_fields = self.n_fields(delimiter)?;
        if n_fields == expected {
            return Ok(());
        }
        let fits = |other: &Delimiter| expected > 1 && self.n_fields(*other).ok() == Some(expected);
        if let Some(other) = delimiter.others().find(fits) {
            let (used, found) = (delimiter.in_words(), other.in_words());
            return Err(Error::MixedDelimiter { place: self.place(0), used, found, like_line });
        }
        let surplus = self.fields(delimiter).nth(expected).transpose()?;
        Err(Error::Ragged {
            place: self.place(surplus.map_or(self.text.len(), |field| field.offset)),
            expected,
            like_line,
            n_fields,
            found: Excerpt::new(self.text.as_bytes()),
        })
    }
}
