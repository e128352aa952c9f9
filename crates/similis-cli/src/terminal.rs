//! Words for people, on standard error.

use std::fmt::Write as _;
use std::io::Write as _;

/// Writes lines to standard error.
///
/// What cannot be written there is lost: a full disk or a reader that has gone away must not cost the answer. Names from
/// files go to the terminal as [`printable`] shows them.
pub fn tell(lines: &str) {
    let _ = std::io::stderr().lock().write_all(printable(lines).as_bytes());
}

/// Returns text in which whatever could steer a terminal is written as an escape; line ends stay.
pub fn printable(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut shown, character| {
        if character != '\n' && is_hidden(character) {
            let _ = write!(shown, "{}", character.escape_default());
        } else {
            shown.push(character);
        }
        shown
    })
}

/// Whether a character would hide or reorder a message: controls, byte order marks, directional marks.
pub(crate) fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_printable_steers_a_terminal() {
        assert_eq!(
            printable("a \u{1b}[31mb\u{7}\r\n\u{9b}c\u{202e}"),
            "a \\u{1b}[31mb\\u{7}\\r\n\\u{9b}c\\u{202e}"
        );
        assert_eq!(printable("Zoë\n  2 in 0\n"), "Zoë\n  2 in 0\n");
    }
}
