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
pub fn escape(words: &str) -> String {
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

/// Returns words in lines of at most `n_characters`, a longer word cut; no more than 4 lines. A line end begins a new line.
pub(super) fn wrap(words: &str, n_characters: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for paragraph in words.split('\n') {
        let first = lines.len();
        for word in paragraph.split_whitespace() {
            let word = shorten(word, n_characters);
            match lines[first..].last_mut() {
                Some(line) if line.chars().count() + 1 + word.chars().count() <= n_characters => {
                    line.push(' ');
                    *line += &word;
                }
                _ => lines.push(word),
            }
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
    words.chars().take(n_characters.saturating_sub(1)).chain(['…']).take(n_characters).collect()
}

/// Returns the nearest of 1, 2 and 5 times a power of ten.
pub(super) fn round_step(rough: f64) -> f64 {
    let power = 10_f64.powf(rough.log10().floor());
    match rough / power {
        digit if digit < 1.5 => power,
        digit if digit < 3.5 => 2.0 * power,
        digit if digit < 7.5 => 5.0 * power,
        _ => 10.0 * power,
    }
}

/// Returns a tick's number with as many digits as its distance to the next one asks for, with a power of ten if the
/// `largest` of the axis is long.
pub(super) fn number(at: f64, step: f64, largest: f64) -> String {
    let power = (step.log10() + 1e-9).floor();
    if at == 0.0 {
        return "0".to_owned();
    }
    let words = if largest >= 1e7 || power < -4.0 {
        let n_digits = (at.abs().log10().floor() - power).clamp(0.0, 8.0) as usize;
        format!("{at:.n_digits$e}")
    } else {
        let n_decimals = (-power).clamp(0.0, 8.0) as usize;
        format!("{at:.n_decimals$}")
    };
    words.replace('-', "\u{2212}")
}

/// Returns a number with three digits that count, whatever its size.
pub fn few_digits(value: f64) -> String {
    let power = value.abs().log10().floor();
    let words = if value == 0.0 {
        "0".to_owned()
    } else if (-4.0..6.0).contains(&power) {
        let n_decimals = (2.0 - power).max(0.0) as usize;
        format!("{value:.n_decimals$}")
    } else {
        format!("{value:.2e}")
    };
    words.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_to_any_length() {
        assert_eq!(shorten("abc", 3), "abc");
        assert_eq!(shorten("abcd", 3), "ab…");
        assert_eq!(shorten("abcd", 1), "…");
        assert_eq!(shorten("abcd", 0), "");
    }
}
