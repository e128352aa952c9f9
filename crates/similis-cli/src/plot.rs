//! Pictures of clusters as SVG, small enough for a README and readable without colour.

mod frame;
mod symbols;
mod text;

use std::fmt::Write as _;

use self::frame::Frame;
use self::symbols::{Symbol, radius};
use self::text::{Text, characters, escape, wrap};

/// A thin dotted line between two points, such as an edge of the latent graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The index of one end.
    pub from: usize,
    /// The index of the other.
    pub to: usize,
}

/// Points in the plane with the cluster of each.
///
/// A point that is not finite in both coordinates is left out; so are those beyond the shortest of the three lists, and
/// links that end at a point left out.
#[derive(Clone, Copy, Debug)]
pub struct Scatter<'a> {
    /// The horizontal coordinate of each point.
    pub x: &'a [f64],
    /// The vertical coordinate of each point.
    pub y: &'a [f64],
    /// The cluster of each point, counted from 0.
    pub labels: &'a [usize],
    /// The heading of the picture.
    pub title: &'a str,
    /// What the horizontal axis shows.
    pub x_name: &'a str,
    /// What the vertical axis shows.
    pub y_name: &'a str,
    /// Dotted lines below the points, may be empty.
    pub links: &'a [Link],
    /// Small print below the picture, may be empty.
    pub note: &'a str,
}

/// A point at its place in the picture, in tenths of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Spot {
    x: i64,
    y: i64,
}

/// One cluster as the picture shows it.
#[derive(Debug)]
struct Cluster {
    label: usize,
    n_points: usize,
    spots: Vec<Spot>,
    symbol: Symbol,
}

const LEGEND_WIDTH: f64 = 160.0;
const LINE_HEIGHT: f64 = 19.0;
const TITLE_SIZE: f64 = 17.0;
const NOTE_SIZE: f64 = 11.5;
const DARK: &str = "#222";
const GREY: &str = "#666";

/// Returns the picture as an SVG document.
///
/// Both axes have the same scale. Every cluster has its own pair of colour and symbol; points of a cluster that fall on
/// the same tenth of a pixel are drawn once.
///
/// ```
/// use similis_cli::plot::{Link, Scatter, scatter_svg};
///
/// let svg = scatter_svg(&Scatter {
///     x: &[0.0, 1.0, 5.0],
///     y: &[0.0, 1.0, 2.0],
///     labels: &[0, 0, 1],
///     title: "two clusters",
///     x_name: "x",
///     y_name: "y",
///     links: &[Link { from: 0, to: 1 }],
///     note: "seed 0",
/// });
/// assert!(svg.starts_with("<svg"));
/// ```
pub fn scatter_svg(scatter: &Scatter<'_>) -> String {
    let mut frame = Frame::around(scatter);
    let width = frame.right() + LEGEND_WIDTH;
    let title = wrap(scatter.title, characters(width - frame.left, TITLE_SIZE));
    frame.top = 18.0 + 22.0 * title.len() as f64;
    let clusters = clusters(scatter, &frame);
    let legend_height = frame.height.max(LINE_HEIGHT * 12.0).min(LINE_HEIGHT * (clusters.len() + 1) as f64);
    let note = wrap(scatter.note, characters(width - frame.left, NOTE_SIZE));
    let note_top = (frame.bottom() + 60.0).max(frame.top + legend_height + 24.0);
    let height = note_top + 15.0 * note.len() as f64 - 6.0;

    let mut svg = head(scatter.title, width, height);
    let paragraph = |y, size, colour| Text { x: frame.left, y, size, colour, anchor: "start" };
    for (line, words) in title.iter().enumerate() {
        paragraph(26.0 + 22.0 * line as f64, TITLE_SIZE, DARK).write(&mut svg, words);
    }
    frame.write(&mut svg, scatter);
    write_links(&mut svg, scatter, &frame);
    write_points(&mut svg, &clusters, radius(scatter.points().count()));
    write_legend(&mut svg, &clusters, &frame, legend_height);
    for (line, words) in note.iter().enumerate() {
        paragraph(note_top + 15.0 * line as f64, NOTE_SIZE, GREY).write(&mut svg, words);
    }
    svg += "</svg>\n";
    svg
}

impl Scatter<'_> {
    /// Returns the indices of the points that can be drawn.
    fn points(&self) -> impl Iterator<Item = usize> {
        let n_points = self.x.len().min(self.y.len()).min(self.labels.len());
        (0..n_points).filter(|i| self.is_drawn(*i))
    }

    fn is_drawn(&self, i: usize) -> bool {
        let finite = |values: &[f64]| values.get(i).is_some_and(|value| value.is_finite());
        finite(self.x) && finite(self.y) && i < self.labels.len()
    }
}

/// Returns the clusters that have points, in order of their labels.
fn clusters(scatter: &Scatter<'_>, frame: &Frame) -> Vec<Cluster> {
    let mut members = std::collections::BTreeMap::<usize, Vec<Spot>>::new();
    for i in scatter.points() {
        members.entry(scatter.labels[i]).or_default().push(frame.spot(scatter.x[i], scatter.y[i]));
    }
    let cluster = |(label, mut spots): (usize, Vec<Spot>)| {
        let n_points = spots.len();
        spots.sort_unstable();
        spots.dedup();
        Cluster { label, n_points, spots, symbol: Symbol::of(label) }
    };
    members.into_iter().map(cluster).collect()
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

fn write_links(svg: &mut String, scatter: &Scatter<'_>, frame: &Frame) {
    let drawn = scatter.links.iter().filter(|link| scatter.is_drawn(link.from) && scatter.is_drawn(link.to));
    let mut path = String::new();
    for link in drawn {
        let from = frame.spot(scatter.x[link.from], scatter.y[link.from]);
        let to = frame.spot(scatter.x[link.to], scatter.y[link.to]);
        let _ = write!(path, "M{},{}L{},{}", from.x, from.y, to.x, to.y);
    }
    if !path.is_empty() {
        let _ = writeln!(
            svg,
            "<path transform=\"scale(.1)\" fill=\"none\" stroke=\"#777\" stroke-width=\"9\" \
             stroke-linecap=\"round\" stroke-dasharray=\"1 24\" d=\"{path}\"/>"
        );
    }
}

/// Writes one path per cluster, the largest cluster first so that small ones are not hidden below it.
fn write_points(svg: &mut String, clusters: &[Cluster], radius: f64) {
    let mut by_size: Vec<&Cluster> = clusters.iter().collect();
    by_size.sort_by_key(|cluster| std::cmp::Reverse(cluster.n_points));
    for cluster in by_size {
        cluster.symbol.write(svg, &cluster.spots, radius);
    }
}

fn write_legend(svg: &mut String, clusters: &[Cluster], frame: &Frame, height: f64) {
    let left = frame.right() + 22.0;
    let heading = |svg: &mut String, x: f64, anchor, words: &str| {
        Text { x, y: frame.top + 10.0, size: 12.0, colour: GREY, anchor }.write(svg, words);
    };
    heading(svg, left - 4.0, "start", "cluster");
    heading(svg, left + 118.0, "end", "points");
    let room = (height / LINE_HEIGHT) as usize - 1;
    let n_shown = if clusters.len() <= room { clusters.len() } else { room - 1 };
    for (line, cluster) in clusters[..n_shown].iter().enumerate() {
        let y = frame.top + LINE_HEIGHT * (line + 1) as f64 + 10.0;
        cluster.symbol.write(svg, &[Spot { x: (10.0 * left) as i64, y: (10.0 * y - 42.0) as i64 }], 5.0);
        let entry = |x: f64, colour, anchor| Text { x, y, size: 12.5, colour, anchor };
        entry(left + 14.0, DARK, "start").write(svg, &cluster.label.to_string());
        entry(left + 118.0, GREY, "end").write(svg, &cluster.n_points.to_string());
    }
    if n_shown < clusters.len() {
        let y = frame.top + LINE_HEIGHT * (n_shown + 1) as f64 + 10.0;
        let words = format!("+ {} more", clusters.len() - n_shown);
        Text { x: left - 4.0, y, size: 12.5, colour: DARK, anchor: "start" }.write(svg, &words);
        let n_points: usize = clusters[n_shown..].iter().map(|cluster| cluster.n_points).sum();
        Text { x: left + 118.0, y, size: 12.5, colour: GREY, anchor: "end" }
            .write(svg, &n_points.to_string());
    }
}

#[cfg(test)]
mod tests;
