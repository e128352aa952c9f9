//! Bars beside one another, such as the learned scales.

use std::fmt::Write as _;

use super::sheet::Sheet;
use super::symbols::{Symbol, hex};
use super::text::{Text, characters, shorten};
use super::{DARK, GREY, WIDTH};

/// A bar with words on both sides of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bar {
    /// What it stands for, left of it.
    pub name: String,
    /// How long it is: at least 0.
    pub value: f64,
    /// What is written right of it.
    pub words: String,
    /// The cluster whose colour it has; grey if none.
    pub label: Option<usize>,
}

/// Bars below one another, on one scale that begins at 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bars<'a> {
    /// The heading of the picture.
    pub title: &'a str,
    /// The bars, from the top.
    pub bars: &'a [Bar],
    /// A value that bars are compared with: a dashed line across them.
    pub line: Option<f64>,
    /// The value that the longest bar stands for; longer ones are cut, with a break at the end. `None`: that of the longest.
    pub longest: Option<f64>,
    /// Small print below the picture, may be empty.
    pub note: &'a str,
}

const LINE_HEIGHT: f64 = 24.0;
/// Length of the longest bar in pixels; the text after it has the rest of the width.
const LONGEST: f64 = 110.0;
/// Width for names that they have even where the words after the bars are long.
const LEAST_FOR_NAMES: f64 = 235.0;
/// Maximum number of bars that are drawn; the others are counted. Not tuned.
const MOST: usize = 40;

/// Returns the picture as an SVG document.
pub fn bars_svg(bars: &Bars<'_>) -> String {
    let shown = &bars.bars[..bars.bars.len().min(MOST)];
    let n_more = bars.bars.len() - shown.len();
    let longest_name = shown.iter().map(|bar| bar.name.chars().count()).max().unwrap_or(0);
    let longest_words = shown.iter().map(|bar| bar.words.chars().count()).max().unwrap_or(0);
    let room = WIDTH - LONGEST - 16.0 - 7.0 * longest_words as f64;
    let names = (7.4 * longest_name as f64 + 20.0).clamp(60.0, room.max(LEAST_FOR_NAMES));
    let greatest = shown.iter().map(|bar| bar.value).filter(|value| value.is_finite()).fold(0.0, f64::max);
    let greatest = bars.longest.map_or(greatest, |longest| greatest.min(longest));
    // Bars of length 0 have no unit, and one of the tiniest length no finite one.
    let unit = if greatest > 0.0 { (LONGEST / greatest).min(f64::MAX) } else { 0.0 };
    let line = bars.line.filter(|line| (0.0..=greatest).contains(line)).map(|line| unit * line);
    Sheet { title: bars.title, note: bars.note, left: 16.0, width: WIDTH }.around(|svg, top| {
        for (at, bar) in shown.iter().enumerate() {
            let corner = [names, top + LINE_HEIGHT * at as f64];
            write_bar(svg, bar, corner, (unit, line.unwrap_or(0.0)));
        }
        let bottom = top + LINE_HEIGHT * shown.len() as f64;
        if let Some(line) = line {
            let x = names + line;
            let _ = writeln!(
                svg,
                "<line x1=\"{x:.1}\" y1=\"{top:.1}\" x2=\"{x:.1}\" y2=\"{bottom:.1}\" stroke=\"{DARK}\" \
                 stroke-dasharray=\"4 3\"/>"
            );
        }
        if n_more > 0 {
            let text = Text { x: 16.0, y: bottom + 14.0, size: 12.5, colour: GREY, anchor: "start" };
            text.write(svg, &format!("+ {n_more} more"));
        }
        bottom + if n_more > 0 { LINE_HEIGHT } else { 0.0 }
    })
}

/// Writes a bar, `unit` pixels for a value of 1, and its words: after the bar, and after a line at `line` pixels, which would
/// cross them.
fn write_bar(svg: &mut String, bar: &Bar, [left, top]: [f64; 2], (unit, line): (f64, f64)) {
    let y = top + 15.0;
    let name = shorten(&bar.name, characters(left - 20.0, 11.5));
    Text { x: left - 8.0, y, size: 12.5, colour: DARK, anchor: "end" }.write(svg, &name);
    let length = if bar.value.is_finite() { (unit * bar.value).clamp(0.0, LONGEST) } else { LONGEST };
    let colour = bar.label.map_or_else(|| "#999999".to_owned(), |label| hex(Symbol::of(label).colour));
    let _ = writeln!(
        svg,
        "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"14\" fill=\"{colour}\"/>",
        top + 4.0,
        length.max(1.0)
    );
    if unit * bar.value > LONGEST * 1.001 {
        // The bar goes on: two white cuts through its end.
        let _ = writeln!(
            svg,
            "<path fill=\"none\" stroke=\"#fff\" stroke-width=\"2.5\" d=\"M{:.1},{:.1}l5,-18m2,18l5,-18\"/>",
            left + length - 16.0,
            top + 20.0
        );
    }
    let x = left + length.max(line) + 8.0;
    let words = shorten(&bar.words, characters(WIDTH - x, 11.0));
    Text { x, y, size: 12.5, colour: GREY, anchor: "start" }.write(svg, &words);
}
