//! Which symbol is which cluster, how large it is, and its scale.

use std::fmt::Write as _;

use super::frame::Frame;
use super::symbols::hex;
use super::text::{Text, few_digits};
use super::{Cluster, DARK, GREY, Scatter, Spot};

const LINE_HEIGHT: f64 = 19.0;
/// Minimum number of lines of a column if there are many clusters; a low picture is made higher for it.
const LEAST_LINES: usize = 22;
const MOST_COLUMNS: usize = 3;
/// Length of the longest bar of a scale, in pixels.
const BAR: f64 = 52.0;

/// Columns of clusters beside a frame.
pub(super) struct Legend {
    n_columns: usize,
    n_lines: usize,
    has_scales: bool,
}

impl Legend {
    /// Returns the legend that the clusters of a picture need.
    pub(super) fn beside(frame: &Frame, scatter: &Scatter<'_>) -> Self {
        let n_clusters = scatter.n_clusters();
        let most = ((frame.height / LINE_HEIGHT) as usize - 1).max(LEAST_LINES);
        let n_columns = n_clusters.div_ceil(most).clamp(1, MOST_COLUMNS);
        let n_lines = n_clusters.div_ceil(n_columns).min(most);
        Self { n_columns, n_lines, has_scales: !scatter.scales.is_empty() }
    }

    fn column_width(&self) -> f64 {
        if self.has_scales { 192.0 } else { 132.0 }
    }

    pub(super) fn width(&self) -> f64 {
        28.0 + self.n_columns as f64 * self.column_width()
    }

    pub(super) fn height(&self) -> f64 {
        LINE_HEIGHT * (self.n_lines + 1) as f64
    }

    pub(super) fn write(&self, svg: &mut String, clusters: &[Cluster], frame: &Frame) {
        let room = self.n_lines * self.n_columns;
        let n_shown = if clusters.len() <= room { clusters.len() } else { room - 1 };
        let longest = clusters.iter().filter_map(|cluster| cluster.scale).fold(0.0, f64::max);
        let place = |at: usize| Line {
            left: frame.right() + 22.0 + (at / self.n_lines) as f64 * self.column_width(),
            y: frame.top + LINE_HEIGHT * (at % self.n_lines + 1) as f64 + 10.0,
        };
        for column in 0..self.n_columns.min(clusters.len()) {
            let line = place(column * self.n_lines);
            Line { y: frame.top + 10.0, ..line }.write_heading(svg, self.has_scales);
        }
        for (at, cluster) in clusters[..n_shown].iter().enumerate() {
            place(at).write(svg, cluster, longest);
        }
        if n_shown < clusters.len() {
            let line = place(n_shown);
            line.at(-4.0, DARK, "start").write(svg, &format!("+ {} more", clusters.len() - n_shown));
            let n_points: usize = clusters[n_shown..].iter().map(|cluster| cluster.n_points).sum();
            line.at(104.0, GREY, "end").write(svg, &n_points.to_string());
        }
    }
}

/// One line of a legend.
#[derive(Clone, Copy)]
struct Line {
    left: f64,
    y: f64,
}

impl Line {
    /// How words are written at a distance from the left.
    fn at(&self, x: f64, colour: &'static str, anchor: &'static str) -> Text {
        Text { x: self.left + x, y: self.y, size: 12.5, colour, anchor }
    }

    fn write_heading(&self, svg: &mut String, has_scales: bool) {
        self.at(-4.0, GREY, "start").write(svg, "cluster");
        self.at(104.0, GREY, "end").write(svg, "points");
        if has_scales {
            self.at(114.0, GREY, "start").write(svg, "scale");
        }
    }

    /// Writes symbol, number, size, and the scale with a bar below it.
    fn write(&self, svg: &mut String, cluster: &Cluster, longest: f64) {
        let spot = Spot { x: (10.0 * self.left) as i64, y: (10.0 * self.y - 42.0) as i64 };
        cluster.symbol.write(svg, &[spot], 5.0);
        self.at(14.0, DARK, "start").write(svg, &cluster.name);
        self.at(104.0, GREY, "end").write(svg, &cluster.n_points.to_string());
        if let Some(scale) = cluster.scale {
            self.at(114.0, GREY, "start").write(svg, &few_digits(scale));
            let length = (BAR * scale / longest).clamp(1.0, BAR);
            let (x, y, colour) = (self.left + 114.0, self.y + 2.5, hex(cluster.symbol.colour));
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{length:.1}\" height=\"2.5\" fill=\"{colour}\"/>"
            );
        }
    }
}
