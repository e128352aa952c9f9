//! Words in an SVG document.

use std::fmt::Write as _;

/// Where and how words are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) size: f64,
    pub(super) colour: &'static str,
    /// SVG's `text-anchor`: start, middle, end.
    pub(super) anchor: &'static str,
}

impl Text {
    pub(super) fn write(self, svg: &mut String, words: &str) {
        self.write_turned(svg, words, "");
    }

    /// Writes the words with one more attribute, such as a rotation.
    pub(super) fn write_turned(self, svg: &mut String, words: &str, attribute: &str) {
        let Self { x, y, size, colour, anchor } = self;
        let words = escape(words);
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" fill=\"{colour}\" text-anchor=\"{anchor}\"{attribute}>{words}</text>"
        );
    }
}

/// Returns words as XML text: its marks escaped, characters that XML forbids replaced.
pub(super) fn escape(words: &str) -> String {
    let mut escaped = String::with_capacity(words.len());
    for character in words.chars() {
        match character {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            control if control.is_control() => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Returns about how many characters fit into a line; fonts differ, so this errs on the short side.
pub(super) fn characters(pixels: f64, size: f64) -> usize {
    (pixels / (0.6 * size)) as usize
}

/// Returns words in lines of at most `n_characters`, a longer word cut; no more than 4 lines.
pub(super) fn wrap(words: &str, n_characters: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words.split_whitespace() {
        let word = shorten(word, n_characters);
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= n_characters => {
                line.push(' ');
                *line += &word;
            }
            _ => lines.push(word),
        }
    }
    lines.truncate(4);
    lines
}

/// Returns words cut to at most `n_characters`, with an ellipsis where something was cut.
pub(super) fn shorten(words: &str, n_characters: usize) -> String {
    if words.chars().count() <= n_characters {
        return words.to_owned();
    }
    words.chars().take(n_characters - 1).chain(['…']).collect()
}
