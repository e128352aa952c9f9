//! Where in a file something is wrong, and what stands there.

use std::fmt;
use std::path::PathBuf;

use crate::terminal::is_hidden;

/// A place in a text file, as editors count it: the first line is 1, the first character of a line is 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file as the user named it.
    pub path: PathBuf,
    /// The line, counted from 1; blank lines count too.
    pub line: usize,
    /// The character within the line, counted from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}, line {}, column {}", self.path.display(), self.line, self.column)
    }
}

/// A short, printable piece of a file: at most 40 characters, whatever cannot be printed written as an escape.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt(String);

impl Excerpt {
    const MAX_CHARACTERS: usize = 40;

    /// Returns the printable beginning of `bytes`.
    pub fn new(bytes: &[u8]) -> Self {
        // A character takes at most 4 bytes; the rest of a long line need not be looked at.
        let beginning = &bytes[..bytes.len().min(4 * Self::MAX_CHARACTERS + 4)];
        let mut shown = String::new();
        let mut n_characters = 0;
        for chunk in beginning.utf8_chunks() {
            let valid = chunk.valid().chars().map(printable);
            let broken = chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}"));
            for piece in valid.chain(broken) {
                if n_characters == Self::MAX_CHARACTERS {
                    return Self(shown + "...");
                }
                shown += &piece;
                n_characters += 1;
            }
        }
        Self(shown)
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn printable(character: char) -> String {
    if is_hidden(character) { character.escape_default().to_string() } else { character.to_string() }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "\"{}\"", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_escapes_what_cannot_be_printed() {
        assert_eq!(Excerpt::new(b"a\xff\tb").to_string(), r#""a\xff\tb""#);
        assert_eq!(Excerpt::new("\u{202e}é".as_bytes()).to_string(), r#""\u{202e}é""#);
    }

    #[test]
    fn an_excerpt_is_short() {
        let long = Excerpt::new(&[b'7'; 1000]).to_string();
        assert_eq!(long, format!("\"{}...\"", "7".repeat(40)));
        assert_eq!(Excerpt::new(&[b'7'; 40]).to_string().len(), 42);
        assert_eq!(Excerpt::new("é".repeat(41).as_bytes()).to_string(), format!("\"{}...\"", "é".repeat(40)));
    }
}
