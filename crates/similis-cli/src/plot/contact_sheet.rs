//! Many small pictures on one sheet.

use std::fmt::Write as _;

use super::DARK;
use super::sheet::Sheet;
use super::text::{Text, characters, wrap};

/// Pictures side by side under a heading of their own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Strip {
    /// The heading, may be empty.
    pub title: String,
    /// The pictures, each an SVG document of this module.
    pub pictures: Vec<String>,
}

/// Strips of pictures below one another.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContactSheet<'a> {
    /// The heading of the sheet.
    pub title: &'a str,
    /// The strips, from the top.
    pub strips: &'a [Strip],
    /// How many pictures are side by side; longer strips go on below.
    pub n_columns: usize,
    /// Small print below the sheet, may be empty.
    pub note: &'a str,
}

const LEFT: f64 = 12.0;
const GAP: f64 = 8.0;
const STRIP_SIZE: f64 = 14.0;

/// Returns the sheet as an SVG document; columns are as wide as the widest picture.
pub fn contact_sheet_svg(sheet: &ContactSheet<'_>) -> String {
    let n_columns = sheet.n_columns.max(1);
    let all = || sheet.strips.iter().flat_map(|strip| &strip.pictures);
    let widest = all().map(|svg| size(svg)[0]).fold(1.0, f64::max);
    let n_used = sheet.strips.iter().map(|strip| strip.pictures.len()).max().unwrap_or(0).clamp(1, n_columns);
    let width = 2.0 * LEFT + n_used as f64 * (widest + GAP) - GAP;
    Sheet { title: sheet.title, note: sheet.note, left: LEFT, width }.around(|svg, mut top| {
        for strip in sheet.strips {
            for words in wrap(&strip.title, characters(width - 2.0 * LEFT, STRIP_SIZE)) {
                Text { x: LEFT, y: top + 16.0, size: STRIP_SIZE, colour: DARK, anchor: "start" }
                    .write(svg, &words);
                top += 20.0;
            }
            for row in strip.pictures.chunks(n_columns) {
                for (column, picture) in row.iter().enumerate() {
                    place(svg, picture, [LEFT + column as f64 * (widest + GAP), top]);
                }
                top += row.iter().map(|svg| size(svg)[1]).fold(0.0, f64::max) + GAP;
            }
        }
        top
    })
}

/// Writes a picture into another one.
fn place(svg: &mut String, picture: &str, [x, y]: [f64; 2]) {
    // What lies between the outermost marks; its own size is not needed, since nothing is scaled.
    let inner = picture.split_once('>').map_or("", |(_, rest)| rest).trim_end().trim_end_matches("</svg>");
    let [width, height] = size(picture);
    // A background that is as large as its document would cover the whole sheet.
    let inner = inner.replace(
        "<rect width=\"100%\" height=\"100%\"",
        &format!("<rect width=\"{width:.0}\" height=\"{height:.0}\""),
    );
    let _ = writeln!(svg, "<g transform=\"translate({x:.1} {y:.1})\">{inner}</g>");
}

/// Returns the width and height that a picture says it has.
fn size(svg: &str) -> [f64; 2] {
    let number = |name: &str| {
        let (_, after) = svg.split_once(&format!(" {name}=\""))?;
        after.split_once('"')?.0.parse().ok()
    };
    [number("width").unwrap_or(0.0), number("height").unwrap_or(0.0)]
}
