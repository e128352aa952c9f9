//! One line taken apart into its fields.

use crate::io::Format;

/// What stands between two fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::io) enum Delimiter {
    /// Exactly one of this byte: two in a row have an empty field between them.
    Byte(u8),
    /// One or more blanks.
    Blanks,
}

impl Delimiter {
    /// Returns the delimiter of a file by its format and first line.
    pub(in crate::io) fn of(format: Format, first_line: &str) -> Self {
        let found = [b';', b',', b'\t']
            .into_iter()
            .find(|byte| outside_quotes(first_line).any(|other| other == *byte));
        match (format, found) {
            (Format::Tsv, _) => Self::Byte(b'\t'),
            (_, Some(byte)) => Self::Byte(byte),
            (Format::Txt, None) => Self::Blanks,
            _ => Self::Byte(b','),
        }
    }

    /// The delimiters that a line may have instead.
    pub(super) fn others(self) -> impl Iterator<Item = Self> {
        [Self::Byte(b','), Self::Byte(b';'), Self::Byte(b'\t'), Self::Blanks]
            .into_iter()
            .filter(move |other| *other != self)
    }

    /// What stands between fields, for people.
    pub(super) fn in_words(self) -> &'static str {
        match self {
            Self::Byte(b';') => "semicolons",
            Self::Byte(b'\t') => "tabs",
            Self::Byte(_) => "commas",
            Self::Blanks => "blanks",
        }
    }

    fn separates(self, byte: u8) -> bool {
        match self {
            Self::Byte(delimiter) => byte == delimiter,
            Self::Blanks => is_blank(byte),
        }
    }

    /// Whether a byte may stand beside a field without belonging to it.
    fn pads(self, byte: u8) -> bool {
        is_blank(byte) && self != Self::Byte(byte)
    }
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

fn outside_quotes(line: &str) -> impl Iterator<Item = u8> {
    line.split('"').step_by(2).flat_map(str::bytes)
}

/// One field of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::io) struct Field<'a> {
    /// What it holds, without blanks and quotation marks around it.
    pub(in crate::io) text: &'a str,
    /// Where `text` begins in the line, in bytes.
    pub(in crate::io) offset: usize,
    quoted: bool,
}

impl Field<'_> {
    /// Returns the text as a name, with doubled quotation marks made single.
    pub(in crate::io) fn name(&self) -> String {
        if self.quoted { self.text.replace("\"\"", "\"") } else { self.text.to_owned() }
    }
}

/// The fields of a line from left to right; an error is the offset of a quotation mark that never closes.
pub(super) struct Fields<'a> {
    line: &'a str,
    delimiter: Delimiter,
    /// Where the next field begins, none after the last.
    next: Option<usize>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(line: &'a str, delimiter: Delimiter) -> Self {
        let line = if delimiter == Delimiter::Blanks { line.trim_end() } else { line };
        Self { line, delimiter, next: Some(0) }
    }

    fn skip_padding(&self, start: usize) -> usize {
        let bytes = &self.line.as_bytes()[start..];
        start + bytes.iter().take_while(|byte| self.delimiter.pads(**byte)).count()
    }

    /// Returns where the field that has `start` in it ends: at a delimiter or the end of the line.
    fn end(&self, start: usize) -> usize {
        let bytes = &self.line.as_bytes()[start..];
        bytes
            .iter()
            .position(|byte| self.delimiter.separates(*byte))
            .map_or(self.line.len(), |length| start + length)
    }

    /// Returns where the quotation mark at `open` closes.
    fn closing_quote(&self, open: usize) -> Option<usize> {
        let bytes = self.line.as_bytes();
        let mut at = open + 1;
        loop {
            at += bytes[at..].iter().position(|byte| *byte == b'"')?;
            if bytes.get(at + 1) != Some(&b'"') {
                return Some(at);
            }
            at += 2;
        }
    }

    /// Returns the quoted field whose mark opens at `open`, or the bare one if something follows the closing mark.
    fn quoted(&mut self, open: usize) -> Result<Field<'a>, usize> {
        let close = self.closing_quote(open).ok_or(open)?;
        let end = self.end(close + 1);
        if !self.line[close + 1..end].trim().is_empty() {
            return Ok(self.bare(open, end));
        }
        self.next = (end < self.line.len()).then_some(end + 1);
        let inside = &self.line[open + 1..close];
        let text = inside.trim();
        let offset = open + 1 + (inside.len() - inside.trim_start().len());
        Ok(Field { text, offset, quoted: true })
    }

    fn bare(&mut self, start: usize, end: usize) -> Field<'a> {
        self.next = (end < self.line.len()).then_some(end + 1);
        Field { text: self.line[start..end].trim(), offset: start, quoted: false }
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, usize>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.skip_padding(self.next?);
        if self.line.as_bytes().get(start) == Some(&b'"') {
            let field = self.quoted(start);
            if field.is_err() {
                self.next = None;
            }
            return Some(field);
        }
        let end = self.end(start);
        Some(Ok(self.bare(start, end)))
    }
}
