//! A dendrogram: items below one another, and at which height groups of them are joined.

use std::fmt::Write as _;

use similis::graph::Merge;

use super::frame::{Interval, ticks};
use super::sheet::Sheet;
use super::symbols::{Symbol, hex};
use super::text::{Text, characters, shorten};
use super::{DARK, GREY, WIDTH};
use crate::linkage::leaf_order;

/// Merges to be drawn, coloured by cluster.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dendrogram<'a> {
    /// The heading of the picture.
    pub title: &'a str,
    /// The merges, lowest first, numbered as SciPy does.
    pub merges: &'a [Merge],
    /// The cluster of each item; `None` for noise.
    pub labels: &'a [Option<usize>],
    /// The name of each item; may be empty, items are then counted from 0.
    pub names: &'a [String],
    /// What the heights are, such as `distance`.
    pub height_name: &'a str,
    /// Small print below the picture, may be empty.
    pub note: &'a str,
}

/// Maximum number of items that are named; more are drawn closer together. Not tuned.
pub(crate) const MOST_NAMED: usize = 100;
/// Maximum number of merges that are drawn; of more, the highest are. Not tuned.
const MOST_MERGES: usize = 5000;
/// Height of a line with a name, in pixels.
const LINE_HEIGHT: f64 = 14.0;
/// Height of the tree of items without names, in pixels.
const HEIGHT: f64 = 560.0;
const NAME_SIZE: f64 = 11.0;
/// Width of the strip that shows the clusters, in pixels.
const STRIP: f64 = 8.0;

/// Returns the picture as an SVG document.
///
/// What lies within one cluster has its colour; what joins clusters is grey.
pub fn dendrogram_svg(dendrogram: &Dendrogram<'_>) -> String {
    let tree = Tree::new(dendrogram);
    let n_left = dendrogram.merges.len() - tree.first_drawn;
    let some = if tree.first_drawn > 0 {
        format!("the {n_left} highest of {} merges; ", dendrogram.merges.len())
    } else {
        String::new()
    };
    let note = format!("{some}{}", dendrogram.note);
    Sheet { title: dendrogram.title, note: &note, left: 16.0, width: tree.width() }.around(|svg, top| {
        tree.write_axis(svg, top, dendrogram.height_name);
        tree.write_items(svg, top);
        tree.write_merges(svg, top);
        top + tree.line * tree.order.len() as f64 + 40.0
    })
}

/// Where everything lies.
struct Tree<'a> {
    of: &'a Dendrogram<'a>,
    order: Vec<usize>,
    /// The cluster that all items of each group have; `None` where they differ, and for noise.
    colours: Vec<Option<usize>>,
    /// The line in the middle of each group, counted from 0.
    middles: Vec<f64>,
    /// Pixels from one item to the next.
    line: f64,
    /// Where heights begin.
    left: f64,
    /// Merges before it are not drawn.
    first_drawn: usize,
}

impl<'a> Tree<'a> {
    fn new(of: &'a Dendrogram<'a>) -> Self {
        let n = of.labels.len();
        let order = leaf_order(of.merges, n);
        let mut middles = vec![0.0; n + of.merges.len()];
        order.iter().enumerate().for_each(|(line, &item)| middles[item] = line as f64 + 0.5);
        let mut colours = of.labels.to_vec();
        for (at, merge) in of.merges.iter().enumerate() {
            middles[n + at] = f64::midpoint(middles[merge.first], middles[merge.second]);
            let (first, second) = (colours[merge.first], colours[merge.second]);
            colours.push(first.filter(|_| first == second));
        }
        let named = n <= MOST_NAMED;
        let longest = (0..n).map(|i| name(of.names, i).chars().count()).max().unwrap_or(0);
        let names = if named { (6.4 * longest as f64 + 8.0).clamp(20.0, 180.0) } else { 0.0 };
        Self {
            of,
            colours,
            middles,
            line: if named { LINE_HEIGHT } else { HEIGHT / n as f64 },
            left: 24.0 + names + STRIP,
            first_drawn: of.merges.len().saturating_sub(MOST_MERGES),
            order,
        }
    }

    fn width(&self) -> f64 {
        WIDTH.max(self.left + 360.0)
    }

    fn greatest(&self) -> f64 {
        self.of.merges.iter().map(|merge| merge.height).fold(0.0, f64::max).max(f64::MIN_POSITIVE)
    }

    /// Where a height lies.
    fn x(&self, height: f64) -> f64 {
        self.left + (self.width() - self.left - 28.0) * height / self.greatest()
    }

    fn write_axis(&self, svg: &mut String, top: f64, name: &str) {
        let bottom = top + self.line * self.order.len() as f64;
        let (middle, size, anchor) = (self.x(self.greatest() / 2.0), 11.0, "middle");
        for tick in ticks(Interval::between(0.0, self.greatest()), self.x(self.greatest()) - self.left) {
            let x = self.x(tick.at);
            let _ = writeln!(svg, "<path stroke=\"#eee\" fill=\"none\" d=\"M{x:.1},{top:.1}V{bottom:.1}\"/>");
            Text { x, y: bottom + 16.0, size, colour: GREY, anchor }.write(svg, &tick.words);
        }
        Text { x: middle, y: bottom + 34.0, size: 12.5, colour: DARK, anchor }.write(svg, name);
    }

    /// Writes a strip in the colours of the clusters, and the names where they fit.
    fn write_items(&self, svg: &mut String, top: f64) {
        let label = |item: &usize| self.of.labels[*item];
        let mut line = 0;
        for run in self.order.chunk_by(|one, other| label(one) == label(other)) {
            let fill = label(&run[0]).map_or_else(|| hex(Symbol::NOISE.colour), colour);
            let (y, height) = (top + self.line * line as f64, self.line * run.len() as f64);
            let _ = writeln!(
                svg,
                "<rect x=\"{:.1}\" y=\"{y:.1}\" width=\"{STRIP}\" height=\"{height:.1}\" fill=\"{fill}\"/>",
                self.left - STRIP - 2.0
            );
            line += run.len();
        }
        if self.order.len() > MOST_NAMED {
            return;
        }
        let (x, anchor) = (self.left - STRIP - 6.0, "end");
        for (at, &item) in self.order.iter().enumerate() {
            let y = top + self.line * (at as f64 + 0.5) + 4.0;
            let words = shorten(&name(self.of.names, item), characters(190.0, NAME_SIZE));
            Text { x, y, size: NAME_SIZE, colour: DARK, anchor }.write(svg, &words);
        }
    }

    /// Writes one path for each colour, grey first.
    fn write_merges(&self, svg: &mut String, top: f64) {
        let n = self.of.labels.len();
        let mut paths = std::collections::BTreeMap::<Option<usize>, String>::new();
        let height = |group: usize| {
            let merge = group.checked_sub(n).filter(|&at| at >= self.first_drawn);
            merge.map_or(0.0, |at| self.of.merges[at].height)
        };
        let y = |group: usize| top + self.line * self.middles[group];
        for (at, merge) in self.of.merges.iter().enumerate().skip(self.first_drawn) {
            let (first, second) = (merge.first, merge.second);
            let path = paths.entry(self.colours[n + at]).or_default();
            let _ = write!(
                path,
                "M{:.1},{:.1}H{:.1}V{:.1}H{:.1}",
                self.x(height(first)),
                y(first),
                self.x(merge.height),
                y(second),
                self.x(height(second))
            );
        }
        let width = if self.line >= 4.0 { 1.3 } else { 0.7 };
        for (label, path) in paths {
            let stroke = label.map_or_else(|| "#999999".to_owned(), colour);
            let _ = writeln!(
                svg,
                "<path fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{width}\" d=\"{path}\"/>"
            );
        }
    }
}

fn colour(label: usize) -> String {
    hex(Symbol::of(label).colour)
}

/// The name of an item, or its number.
fn name(names: &[String], item: usize) -> String {
    names.get(item).cloned().unwrap_or_else(|| item.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_within_a_cluster_have_its_colour_and_names_are_written_where_they_fit() {
        let merges = [
            Merge { first: 0, second: 2, height: 1.0, size: 2 },
            Merge { first: 1, second: 3, height: 2.0, size: 2 },
            Merge { first: 4, second: 5, height: 9.0, size: 4 },
        ];
        let names = ["ant", "bee", "asp", "bat"].map(str::to_owned);
        let labels = [Some(0), Some(1), Some(0), Some(1)];
        let svg = dendrogram_svg(&Dendrogram {
            merges: &merges,
            labels: &labels,
            names: &names,
            ..Dendrogram::default()
        });
        // One path for each cluster, one grey path that joins them.
        for stroke in [colour(0), colour(1), "#999999".to_owned()] {
            assert_eq!(svg.matches(&format!("stroke=\"{stroke}\"")).count(), 1, "{stroke}");
        }
        let line = |name: &str| svg.find(&format!(">{name}<")).unwrap();
        assert!(line("ant") < line("asp") && line("asp") < line("bee") && line("bee") < line("bat"));
    }

    #[test]
    fn of_very_many_merges_the_highest_are_drawn_and_it_is_said() {
        let n = MOST_MERGES + 500;
        let merges: Vec<Merge> = (0..n - 1)
            .map(|at| Merge {
                first: if at == 0 { 0 } else { n + at - 1 },
                second: at + 1,
                height: at as f64,
                size: at + 2,
            })
            .collect();
        let labels = vec![Some(0); n];
        let svg = dendrogram_svg(&Dendrogram { merges: &merges, labels: &labels, ..Dendrogram::default() });
        assert!(svg.contains("the 5000 highest of 5499 merges"), "{}", &svg[svg.len() - 300..]);
        let lines = svg.lines().find(|line| line.contains("stroke-width=\"0.7\"")).unwrap();
        assert_eq!(lines.matches('V').count(), MOST_MERGES);
        assert!(!svg.contains(">17<"));
    }
}
