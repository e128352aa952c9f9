//! Words as outlines, from a font that the program carries: a PNG shows them on a machine without fonts.
//!
//! The font is Open Sans, cut down to Latin, Greek and Cyrillic letters; what it does not have is drawn as its empty box.

use std::fmt::Write as _;

use ttf_parser::{Face, GlyphId, OutlineBuilder};

const FONT: &[u8] = include_bytes!("../../assets/OpenSans-subset.ttf");

/// Returns the picture with every `<text>` that [`super::text::Text`] wrote replaced by the outlines of its letters.
pub(super) fn outlined(svg: &str) -> String {
    let Ok(face) = Face::parse(FONT, 0) else { return svg.to_owned() };
    let mut drawn = String::with_capacity(svg.len());
    for line in svg.split_inclusive('\n') {
        match Written::read(line) {
            Some(text) => text.write(&mut drawn, &face),
            None => drawn += line,
        }
    }
    drawn
}

/// What a line of a picture writes.
struct Written<'a> {
    x: f64,
    y: f64,
    size: f64,
    fill: &'a str,
    anchor: &'a str,
    transform: Option<&'a str>,
    words: String,
}

impl<'a> Written<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let inner = line.trim_end().strip_prefix("<text ")?.strip_suffix("</text>")?;
        let (attributes, words) = inner.split_once('>')?;
        let value = |name: &str| {
            let (_, after) = attributes.split_once(&format!("{name}=\""))?;
            after.split_once('"').map(|(value, _)| value)
        };
        let number = |name: &str| value(name)?.parse().ok();
        Some(Self {
            x: number("x")?,
            y: number("y")?,
            size: number("font-size")?,
            fill: value("fill")?,
            anchor: value("text-anchor")?,
            transform: value("transform"),
            words: unescape(words),
        })
    }

    fn write(&self, svg: &mut String, face: &Face<'_>) {
        let mut pen = Pen::default();
        for character in self.words.chars() {
            let glyph = face.glyph_index(character).unwrap_or(GlyphId(0));
            let _ = face.outline_glyph(glyph, &mut pen);
            pen.at += f32::from(face.glyph_hor_advance(glyph).unwrap_or_default());
        }
        let scale = self.size / f64::from(face.units_per_em());
        let width = f64::from(pen.at) * scale;
        let left = match self.anchor {
            "middle" => self.x - width / 2.0,
            "end" => self.x - width,
            _ => self.x,
        };
        let turn = self.transform.map(|turn| format!("{turn} ")).unwrap_or_default();
        let (fill, y, path) = (self.fill, self.y, pen.path);
        let _ = writeln!(
            svg,
            "<path fill=\"{fill}\" transform=\"{turn}translate({left:.2} {y:.2}) scale({scale:.6} -{scale:.6})\" d=\"{path}\"/>"
        );
    }
}

fn unescape(words: &str) -> String {
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")]
        .iter()
        .fold(words.to_owned(), |words, (escaped, mark)| words.replace(escaped, mark))
}

/// Draws letters one after the other, in the units of the font.
#[derive(Default)]
struct Pen {
    path: String,
    at: f32,
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let _ = write!(self.path, "M{} {y}", x + self.at);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let _ = write!(self.path, "L{} {y}", x + self.at);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let _ = write!(self.path, "Q{} {y1} {} {y}", x1 + self.at, x + self.at);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let _ = write!(self.path, "C{} {y1} {} {y2} {} {y}", x1 + self.at, x2 + self.at, x + self.at);
    }

    fn close(&mut self) {
        self.path.push('Z');
    }
}

#[cfg(test)]
mod tests {
    use super::super::text::Text;
    use super::*;

    fn drawn(words: &str, anchor: &'static str) -> String {
        let mut svg = String::new();
        Text { x: 50.0, y: 20.0, size: 16.0, colour: "#222", anchor }.write(&mut svg, words);
        outlined(&svg)
    }

    #[test]
    fn every_letter_becomes_an_outline() {
        // An I is one closed line, an o two (outside and inside).
        assert_eq!(drawn("I", "start").matches('Z').count(), 1);
        assert_eq!(drawn("Io", "start").matches('Z').count(), 3);
        assert!(!drawn("I", "start").contains("<text"));
        // A letter that the font does not have is a box; marks are not spelled out.
        assert_eq!(drawn("\u{4e00}", "start").matches('Z').count(), 2);
        assert_eq!(drawn("<", "start").matches('Z').count(), 1);
    }

    #[test]
    fn words_start_at_end_at_or_lie_about_their_anchor() {
        let left = |anchor| -> f64 {
            let svg = drawn("width", anchor);
            let (_, after) = svg.split_once("translate(").unwrap();
            after.split_once(' ').unwrap().0.parse().unwrap()
        };
        assert_eq!(left("start"), 50.0);
        assert!((left("start") - left("end") - 2.0 * (left("start") - left("middle"))).abs() < 0.02);
        assert!(left("end") < 20.0);
    }

    #[test]
    fn what_is_no_text_stays() {
        let svg = "<svg>\n<path d=\"M0,0\"/>\n</svg>\n";
        assert_eq!(outlined(svg), svg);
    }
}
