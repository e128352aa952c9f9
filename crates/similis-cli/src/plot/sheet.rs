//! What every picture has: a heading, what it shows, and small print.

use super::text::{Text, characters, escape, wrap};
use super::{DARK, GREY};

/// Font size of a heading, in pixels.
pub(super) const TITLE_SIZE: f64 = 17.0;
const NOTE_SIZE: f64 = 11.5;

/// The words around a picture, and how wide it is.
pub(super) struct Sheet<'a> {
    pub(super) title: &'a str,
    pub(super) note: &'a str,
    /// Where the words begin.
    pub(super) left: f64,
    pub(super) width: f64,
}

impl Sheet<'_> {
    /// Returns the picture as an SVG document: `draw` gets where its part begins and returns where it ends.
    pub(super) fn around(&self, draw: impl FnOnce(&mut String, f64) -> f64) -> String {
        self.sized(TITLE_SIZE, draw)
    }

    /// As [`Sheet::around`], with a heading of another size.
    pub(super) fn sized(&self, title_size: f64, draw: impl FnOnce(&mut String, f64) -> f64) -> String {
        let room = self.width - self.left - 10.0;
        let title = wrap(self.title, characters(room, title_size));
        let height = 1.3 * title_size;
        // Parts of a note are separated by semicolons, and some may be empty.
        let note = wrap(self.note.trim_matches([';', ' ']), characters(room, NOTE_SIZE));
        let mut body = String::new();
        for (line, words) in title.iter().enumerate() {
            self.line(4.0 + height * (line + 1) as f64, title_size, DARK).write(&mut body, words);
        }
        let bottom = draw(&mut body, 18.0 + height * title.len() as f64);
        for (line, words) in note.iter().enumerate() {
            self.line(bottom + 24.0 + 15.0 * line as f64, NOTE_SIZE, GREY).write(&mut body, words);
        }
        let height = bottom + 14.0 + 15.0 * note.len() as f64;
        head(self.title, self.width, height) + &body + "</svg>\n"
    }

    fn line(&self, y: f64, size: f64, colour: &'static str) -> Text {
        Text { x: self.left, y, size, colour, anchor: "start" }
    }
}

fn head(title: &str, width: f64, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
         font-family=\"system-ui, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif\">\n\
         <title>{}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        escape(title)
    )
}

/// Returns a picture of this module with another width, in pixels; its height follows.
pub fn resized(svg: &str, width: u32) -> String {
    let size = |name: &str| -> Option<f64> {
        let (_, after) = svg.split_once(&format!(" {name}=\""))?;
        after.split_once('"')?.0.parse().ok()
    };
    let (Some(old), Some(height)) = (size("width"), size("height")) else { return svg.to_owned() };
    let new = (height * f64::from(width) / old).round();
    svg.replacen(
        &format!(" width=\"{old}\" height=\"{height}\""),
        &format!(" width=\"{width}\" height=\"{new}\""),
        1,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wider_picture_shows_the_same() {
        let svg = Sheet { title: "a", note: "", left: 0.0, width: 200.0 }.around(|_, top| top + 20.0);
        let wide = resized(&svg, 400);
        let head = |svg: &str| svg.lines().next().unwrap_or_default().to_owned();
        assert!(head(&wide).contains(" width=\"400\" "), "{wide}");
        let box_of = |svg: &str| svg.split("viewBox=").nth(1).unwrap_or_default().to_owned();
        assert_eq!(box_of(&wide), box_of(&svg));
        assert_ne!(head(&wide), head(&svg));
    }
}
