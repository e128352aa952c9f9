//! A matrix as a map of shades, its items ordered by cluster.

use std::fmt::Write as _;

use super::sheet::Sheet;
use super::symbols::{Symbol, hex};
use super::text::{Text, characters, few_digits, shorten};
use super::{DARK, WIDTH};

/// Values of pairs, to be drawn with the items of a cluster side by side.
#[derive(Clone, Copy)]
pub struct HeatMap<'a> {
    /// The heading of the picture.
    pub title: &'a str,
    /// The cluster of each item, counted from 0.
    pub labels: &'a [usize],
    /// The items in the order to draw them, those of a cluster side by side.
    pub order: &'a [usize],
    /// The value of a pair, where it was observed.
    pub value: &'a dyn Fn(usize, usize) -> Option<f64>,
    /// What the values are, such as `distance`.
    pub name: &'a str,
    /// Whether great values are drawn dark; otherwise small ones are.
    pub great_is_dark: bool,
    /// The name of each item, written where it fits; may be empty.
    pub names: &'a [String],
    /// Small print below the picture, may be empty.
    pub note: &'a str,
}

impl std::fmt::Debug for HeatMap<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { title, labels, order, name, great_is_dark, names, note, .. } = self;
        out.debug_struct("HeatMap")
            .field("title", title)
            .field("labels", labels)
            .field("order", order)
            .field("name", name)
            .field("great_is_dark", great_is_dark)
            .field("names", names)
            .field("note", note)
            .finish_non_exhaustive()
    }
}

/// Maximum number of items whose pairs are averaged; of more items an even selection is used. Not tuned.
const MOST_ITEMS: usize = 600;
const MOST_CELLS: usize = 120;
/// Length of a side of the matrix, in pixels, unless names need more.
const SIDE: f64 = 370.0;
/// Maximum number of items that are named. Not tuned.
const MOST_NAMED: usize = 64;
/// Height of a row with a name, in pixels, at least.
const NAMED_ROW: f64 = 9.0;
const N_SHADES: usize = 16;
/// Number of clusters up to which the lines between them are drawn in full. Not tuned.
const FEW_LINES: f64 = 12.0;

/// Returns the picture as an SVG document.
///
/// Where there are many items the picture shows evenly chosen ones of each cluster, and means of blocks; it says so.
pub fn heat_map_svg(map: &HeatMap<'_>) -> String {
    let items = chosen(map.order);
    let blocks = Blocks::new(map, &items);
    let note = format!("{}{}", blocks.in_words(map.labels.len()), map.note);
    let square = Square::of(map, items.len());
    let width = WIDTH.max(square.left + square.side + 100.0);
    Sheet { title: map.title, note: &note, left: 16.0, width }.around(|svg, top| {
        let square = Square { top, ..square };
        blocks.write(svg, &square, map.great_is_dark);
        square.write_borders(svg, map.labels, &items);
        square.write_names(svg, map.names, &items);
        square.write_shades(svg, map, &blocks);
        top + square.side + 8.0
    })
}

/// Where the matrix lies, in pixels.
struct Square {
    left: f64,
    top: f64,
    side: f64,
    is_named: bool,
}

impl Square {
    /// Returns a square with room for names where there are few enough.
    fn of(map: &HeatMap<'_>, n_items: usize) -> Self {
        let is_named = !map.names.is_empty() && n_items <= MOST_NAMED;
        let longest = map.names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let names = if is_named { (5.4 * longest as f64 + 10.0).clamp(20.0, 150.0) } else { 0.0 };
        let side = if is_named { SIDE.max(NAMED_ROW * n_items as f64) } else { SIDE };
        Self { left: 50.0 + names, top: 0.0, side, is_named }
    }
}

/// Returns the items to look at, cluster after cluster; of too many, evenly chosen ones.
fn chosen(order: &[usize]) -> Vec<usize> {
    let n = order.len();
    let n_shown = n.min(MOST_ITEMS);
    (0..n_shown).map(|at| order[at * n / n_shown]).collect()
}

/// The means of blocks of pairs.
struct Blocks {
    n_items: usize,
    n_cells: usize,
    means: Vec<Option<f64>>,
    /// The least and the greatest mean.
    range: [f64; 2],
}

impl Blocks {
    fn new(map: &HeatMap<'_>, items: &[usize]) -> Self {
        let n_cells = items.len().min(MOST_CELLS);
        let cell = |at: usize| at * n_cells / items.len();
        let mut sums = vec![(0.0, 0_usize); n_cells * n_cells];
        for (row, &i) in items.iter().enumerate() {
            for (column, &j) in items.iter().enumerate().filter(|&(_, &j)| j != i) {
                if let Some(value) = (map.value)(i, j).filter(|value| value.is_finite()) {
                    let sum = &mut sums[cell(row) * n_cells + cell(column)];
                    *sum = (sum.0 + value, sum.1 + 1);
                }
            }
        }
        let means: Vec<Option<f64>> =
            sums.into_iter().map(|(sum, n)| (n > 0).then(|| sum / n as f64)).collect();
        let observed = || means.iter().flatten().copied();
        let range = [observed().fold(f64::INFINITY, f64::min), observed().fold(f64::NEG_INFINITY, f64::max)];
        Self { n_items: items.len(), n_cells, means, range }
    }

    fn in_words(&self, n: usize) -> String {
        let Self { n_items, n_cells, .. } = self;
        let some =
            if *n_items < n { format!("{n_items} of the {n} items, evenly chosen; ") } else { String::new() };
        let blocks = if n_cells < n_items {
            format!("means of {n_cells} x {n_cells} blocks; ")
        } else {
            String::new()
        };
        let blank = if self.means.iter().any(Option::is_none) {
            "blank: the diagonal, and what was not observed; "
        } else {
            ""
        };
        format!("{some}{blocks}{blank}")
    }

    fn shade(&self, value: f64) -> usize {
        let [low, high] = self.range;
        let part = if high > low { (value - low) / (high - low) } else { 0.5 };
        ((part * N_SHADES as f64) as usize).min(N_SHADES - 1)
    }

    /// Writes one path for each shade; neighbours of one shade in a row are one rectangle.
    fn write(&self, svg: &mut String, square: &Square, great_is_dark: bool) {
        let Square { left, top, side, .. } = square;
        let mut paths = vec![String::new(); N_SHADES];
        for row in 0..self.n_cells {
            let shades: Vec<Option<usize>> = self.means[row * self.n_cells..][..self.n_cells]
                .iter()
                .map(|mean| mean.map(|mean| self.shade(mean)))
                .collect();
            let mut from = 0;
            for run in shades.chunk_by(|a, b| a == b) {
                if let Some(shade) = run[0] {
                    let _ = write!(paths[shade], "M{from},{row}h{}v1h-{}z", run.len(), run.len());
                }
                from += run.len();
            }
        }
        let unit = side / self.n_cells.max(1) as f64;
        let _ = writeln!(
            svg,
            "<g transform=\"translate({left:.1} {top:.1}) scale({unit:.4})\" shape-rendering=\"crispEdges\">"
        );
        for (shade, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
            let _ = writeln!(svg, "<path fill=\"{}\" d=\"{path}\"/>", colour(shade, great_is_dark));
        }
        *svg += "</g>\n";
        let _ = writeln!(
            svg,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{side}\" height=\"{side}\" fill=\"none\" stroke=\"#bbb\"/>"
        );
    }
}

/// Returns a shade: from nearly white over blue to nearly black, readable without colour vision.
fn colour(shade: usize, great_is_dark: bool) -> String {
    const STOPS: [[f64; 3]; 3] = [[238.0, 243.0, 248.0], [70.0, 140.0, 190.0], [8.0, 30.0, 75.0]];
    let part = shade as f64 / (N_SHADES - 1) as f64;
    let dark = 2.0 * if great_is_dark { part } else { 1.0 - part };
    let (from, to) = if dark < 1.0 { (STOPS[0], STOPS[1]) } else { (STOPS[1], STOPS[2]) };
    let mix = |k: usize| (from[k] + (to[k] - from[k]) * (dark - dark.floor().min(1.0))) as u8;
    hex([mix(0), mix(1), mix(2)])
}

impl Square {
    /// Writes a mark at the side of each cluster, and lines between clusters.
    fn write_borders(&self, svg: &mut String, labels: &[usize], items: &[usize]) {
        let Self { left, top, side, .. } = self;
        let unit = side / items.len().max(1) as f64;
        let mut from = 0;
        let mut lines = String::new();
        for run in items.chunk_by(|&i, &j| labels[i] == labels[j]) {
            let (label, begin, length) = (labels[run[0]], from as f64 * unit, run.len() as f64 * unit);
            let fill = hex(Symbol::of(label).colour);
            let _ = writeln!(
                svg,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"8\" height=\"{length:.1}\" fill=\"{fill}\"/>",
                left - 12.0,
                top + begin
            );
            if length >= 12.0 && !self.is_named {
                let (x, y) = (left - 16.0, top + begin + length / 2.0 + 4.0);
                Text { x, y, size: 12.0, colour: DARK, anchor: "end" }.write(svg, &label.to_string());
            }
            from += run.len();
            if from < items.len() {
                let at = from as f64 * unit;
                let _ = write!(lines, "M{:.1},{top:.1}v{side}M{left},{:.1}h{side}", left + at, top + at);
            }
        }
        // Lines between many clusters would hide the cells.
        let n_lines = items.chunk_by(|&i, &j| labels[i] == labels[j]).count();
        let opacity = (FEW_LINES / n_lines.max(1) as f64).min(1.0);
        let _ = writeln!(
            svg,
            "<path fill=\"none\" stroke=\"#d55e00\" stroke-width=\".8\" stroke-opacity=\"{opacity:.2}\" d=\"{lines}\"/>"
        );
    }

    /// Writes the name of each row, where they fit.
    fn write_names(&self, svg: &mut String, names: &[String], items: &[usize]) {
        let unit = self.side / items.len().max(1) as f64;
        let size = unit.min(11.0);
        for (at, name) in items.iter().filter_map(|&i| names.get(i)).enumerate().filter(|_| self.is_named) {
            let (x, y) = (self.left - 16.0, self.top + unit * (at as f64 + 0.5) + 0.35 * size);
            let words = shorten(name, characters(self.left - 32.0, 0.9 * size));
            Text { x, y, size, colour: DARK, anchor: "end" }.write(svg, &words);
        }
    }

    /// Writes which shade is which value.
    fn write_shades(&self, svg: &mut String, map: &HeatMap<'_>, blocks: &Blocks) {
        let (left, top) = (self.left + self.side + 24.0, self.top);
        let height = 12.0;
        let words = |y: f64| Text { x: left + 26.0, y, size: 12.0, colour: DARK, anchor: "start" };
        Text { x: left, ..words(top + 10.0) }.write(svg, map.name);
        let [low, high] = blocks.range;
        // Where all values are one there is one shade.
        let shown = if low == high { blocks.shade(low)..blocks.shade(low) + 1 } else { 0..N_SHADES };
        for shade in shown.clone() {
            let y = top + 20.0 + height * (shown.end - 1 - shade) as f64;
            let fill = colour(shade, map.great_is_dark);
            let _ = writeln!(
                svg,
                "<rect x=\"{left:.1}\" y=\"{y:.1}\" width=\"18\" height=\"{height}\" fill=\"{fill}\"/>"
            );
        }
        if low == high {
            words(top + 30.0).write(svg, &few_digits(high));
        } else if low < high {
            let all = height * N_SHADES as f64;
            words(top + 30.0).write(svg, &few_digits(high));
            words(top + 24.0 + all / 2.0).write(svg, &few_digits(f64::midpoint(low, high)));
            words(top + 18.0 + all).write(svg, &few_digits(low));
        }
    }
}
