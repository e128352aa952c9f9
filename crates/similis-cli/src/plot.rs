//! Pictures of clusters as SVG, PNG or PDF, small enough for a README and readable without colour.

mod bars;
mod chains;
mod contact_sheet;
mod curve;
mod dendrogram;
mod frame;
mod heat_map;
mod legend;
mod lengths;
mod names;
mod outline;
mod pdf;
mod peaks;
mod png;
mod raster;
mod sheet;
mod symbols;
mod text;

pub use self::bars::{Bar, Bars, bars_svg};
pub use self::chains::{Chains, chains_svg};
pub use self::contact_sheet::{ContactSheet, Strip, contact_sheet_svg};
pub use self::curve::{Curve, curve_svg};
pub(crate) use self::dendrogram::MOST_NAMED;
pub use self::dendrogram::{Dendrogram, dendrogram_svg};
pub use self::heat_map::{HeatMap, heat_map_svg};
pub use self::lengths::{ClassLengths, Fitted, Lengths, lengths_svg};
pub use self::pdf::pdf;
pub use self::peaks::Peak;
pub use self::png::png;
pub use self::sheet::resized;
pub use self::symbols::symbol_svg;
pub use self::text::{escape, few_digits};

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use self::frame::Frame;
use self::legend::Legend;
use self::sheet::{Sheet, TITLE_SIZE};
use self::symbols::{Symbol, radius};

/// A thin dotted line between two points, such as an edge of the latent graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The index of one end.
    pub from: usize,
    /// The index of the other.
    pub to: usize,
}

/// How much of a picture is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Everything.
    #[default]
    Full,
    /// A smaller picture without a legend, for a page that has one.
    Compact,
    /// A small picture of points and heading alone, for a sheet of many.
    Bare,
}

/// Points in the plane with the cluster of each.
///
/// A point that is not finite in both coordinates is left out; so are those beyond the shortest of the three lists, and
/// links that end at a point left out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scatter<'a> {
    /// The horizontal coordinate of each point.
    pub x: &'a [f64],
    /// The vertical coordinate of each point.
    pub y: &'a [f64],
    /// The cluster of each point, counted from 0.
    pub labels: &'a [usize],
    /// The points that belong to no cluster, in rising order; may be empty.
    pub noise: &'a [usize],
    /// The points whose cluster is not sure, ringed; may be empty.
    pub unsure: &'a [usize],
    /// The heading of the picture.
    pub title: &'a str,
    /// What the horizontal axis shows.
    pub x_name: &'a str,
    /// What the vertical axis shows.
    pub y_name: &'a str,
    /// Dotted lines below the points, may be empty.
    pub links: &'a [Link],
    /// How probable each link is, from 0 to 1: lines are then whole, and as thick as that; may be empty.
    pub weights: &'a [f64],
    /// How much each point's cluster is in doubt, in nats of entropy: rings, the thicker the more; may be empty.
    pub doubts: &'a [f64],
    /// The peaks of the density, the most prominent first; may be empty.
    pub peaks: &'a [Peak],
    /// The learned scale of each cluster, shown as bars in the legend; may be empty.
    pub scales: &'a [f64],
    /// Whether each axis has a scale of its own, as where they show different things.
    pub own_scales: bool,
    /// Whether places along the axes mean nothing, so that they have no ticks.
    pub no_axes: bool,
    /// How much is drawn.
    pub detail: Detail,
    /// The name of each point, written where it fits and told by tooltips; may be empty.
    pub names: &'a [String],
    /// Small print below the picture, may be empty.
    pub note: &'a str,
}

/// A point at its place in the picture, in tenths of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Spot {
    x: i64,
    y: i64,
}

/// One cluster as the picture shows it, or the points that are noise, or those that are ringed.
#[derive(Debug)]
struct Cluster {
    name: String,
    n_points: usize,
    spots: Vec<Spot>,
    symbol: Symbol,
    scale: Option<f64>,
}

/// Width of the charts in pixels: their text can still be read on a phone.
const WIDTH: f64 = 520.0;
/// Font size, in pixels, of the heading of a small picture.
const BARE_TITLE: f64 = 13.0;
/// Ratio of the radius of a ring to that of the symbol in it.
const RING: f64 = 1.7;
const DARK: &str = "#222";
const GREY: &str = "#666";

/// Returns the picture as an SVG document.
///
/// Both axes have the same scale, unless points would fill a thin strip; then the small print says so. Every cluster has its
/// own pair of colour and symbol; points of a cluster that fall on the same tenth of a pixel are drawn once.
///
/// ```
/// use similis_cli::plot::{Link, Scatter, scatter_svg};
///
/// let svg = scatter_svg(&Scatter {
///     x: &[0.0, 1.0, 5.0],
///     y: &[0.0, 1.0, 2.0],
///     labels: &[0, 0, 1],
///     title: "two clusters",
///     links: &[Link { from: 0, to: 1 }],
///     ..Scatter::default()
/// });
/// assert!(svg.starts_with("<svg"));
/// ```
pub fn scatter_svg(scatter: &Scatter<'_>) -> String {
    let mut frame = Frame::around(scatter);
    let strip = !(frame.same_scale || scatter.own_scales);
    let separator = if scatter.note.is_empty() { "" } else { "; " };
    let warning = if strip { format!("{separator}the axes have different scales") } else { String::new() };
    let note = format!("{}{warning}", scatter.note);
    let legend = (scatter.detail == Detail::Full).then(|| Legend::beside(&frame, scatter));
    let width = frame.right() + legend.as_ref().map_or(10.0, Legend::width);
    let bare = scatter.detail == Detail::Bare;
    let note = if bare { "" } else { &note };
    let sheet = Sheet { title: scatter.title, note, left: frame.left, width };
    sheet.sized(if bare { BARE_TITLE } else { TITLE_SIZE }, |svg, top| {
        frame.top = top;
        let clusters = clusters(scatter, &frame);
        if bare || scatter.no_axes {
            frame.write_border(svg);
        } else {
            frame.write(svg, [scatter.x_name, scatter.y_name]);
        }
        let n_points = scatter.points().count();
        let radius = radius(n_points) * if bare { 0.6 } else { 1.0 };
        let mut layer = String::new();
        write_links(&mut layer, scatter, &frame);
        write_points(&mut layer, &clusters, radius);
        let many = n_points.max(scatter.links.len()) > raster::MOST_SHAPES;
        *svg += &many.then(|| raster::image(&layer, &frame)).flatten().unwrap_or(layer);
        write_rings(svg, scatter, &frame, radius);
        peaks::write_peaks(svg, scatter, &frame);
        names::write_names(svg, scatter, &frame, radius);
        names::write_tooltips(svg, scatter, &frame, radius);
        let below = frame.bottom() + if bare || scatter.no_axes { -4.0 } else { 36.0 };
        let Some(legend) = &legend else { return below };
        legend.write(svg, &clusters, &frame);
        below.max(top + legend.height())
    })
}

impl Scatter<'_> {
    /// Returns how many clusters have points to draw, noise and rings counted.
    fn n_clusters(&self) -> usize {
        let ringed = self.points().any(|i| self.unsure.contains(&i));
        let labels: BTreeSet<usize> = self.points().map(|i| self.group(i)).collect();
        labels.len() + usize::from(ringed)
    }

    /// Returns the label of a point; of noise the greatest number of all.
    fn group(&self, i: usize) -> usize {
        if self.noise.binary_search(&i).is_ok() { usize::MAX } else { self.labels[i] }
    }

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

/// Returns the clusters that have points, in order of their labels, then noise, then rings.
fn clusters(scatter: &Scatter<'_>, frame: &Frame) -> Vec<Cluster> {
    let spot = |i: usize| frame.spot(scatter.x[i], scatter.y[i]);
    let mut members = BTreeMap::<usize, Vec<Spot>>::new();
    for i in scatter.points() {
        members.entry(scatter.group(i)).or_default().push(spot(i));
    }
    let cluster = |(label, mut spots): (usize, Vec<Spot>)| {
        let n_points = spots.len();
        spots.sort_unstable();
        spots.dedup();
        let scale = scatter.scales.get(label).copied().filter(|scale| scale.is_finite());
        let (name, symbol) = match label {
            usize::MAX => ("noise".to_owned(), Symbol::NOISE),
            label => (label.to_string(), Symbol::of(label)),
        };
        Cluster { name, n_points, spots, symbol, scale }
    };
    let mut clusters: Vec<Cluster> = members.into_iter().map(cluster).collect();
    let ringed: Vec<Spot> =
        scatter.unsure.iter().copied().filter(|&i| scatter.is_drawn(i)).map(spot).collect();
    if !ringed.is_empty() {
        let (name, n_points) = ("unsure".to_owned(), ringed.len());
        clusters.push(Cluster { name, n_points, spots: ringed, symbol: Symbol::RING, scale: None });
    }
    clusters
}

fn write_links(svg: &mut String, scatter: &Scatter<'_>, frame: &Frame) {
    if !scatter.weights.is_empty() {
        write_weighted_links(svg, scatter, frame);
        return;
    }
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

/// Writes whole lines, in ten steps of thickness and darkness.
fn write_weighted_links(svg: &mut String, scatter: &Scatter<'_>, frame: &Frame) {
    const N_STEPS: usize = 10;
    let mut paths = vec![String::new(); N_STEPS];
    let drawn = |link: &Link| scatter.is_drawn(link.from) && scatter.is_drawn(link.to);
    for (link, weight) in scatter.links.iter().zip(scatter.weights).filter(|(link, _)| drawn(link)) {
        let from = frame.spot(scatter.x[link.from], scatter.y[link.from]);
        let to = frame.spot(scatter.x[link.to], scatter.y[link.to]);
        let step = ((weight * N_STEPS as f64) as usize).min(N_STEPS - 1);
        let _ = write!(paths[step], "M{},{}L{},{}", from.x, from.y, to.x, to.y);
    }
    for (step, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        let part = (step as f64 + 0.5) / N_STEPS as f64;
        let _ = writeln!(
            svg,
            "<path transform=\"scale(.1)\" fill=\"none\" stroke=\"#333\" stroke-width=\"{:.0}\" stroke-opacity=\"{:.2}\" \
             stroke-linecap=\"round\" d=\"{path}\"/>",
            3.0 + 22.0 * part,
            0.15 + 0.75 * part
        );
    }
}

/// Writes rings around points that are in doubt: 1 in 20, 1 in 5, and nearly even.
fn write_rings(svg: &mut String, scatter: &Scatter<'_>, frame: &Frame, radius: f64) {
    const STEPS: [(f64, f64); 3] = [(0.2, 0.7), (0.5, 1.3), (0.64, 2.2)];
    let step = |doubt: f64| STEPS.iter().rposition(|&(least, _)| doubt >= least);
    for (number, (_, width)) in STEPS.iter().enumerate() {
        let outer = 10.0 * (radius + 2.5);
        let ringed = |i: &usize| scatter.doubts.get(*i).and_then(|&doubt| step(doubt)) == Some(number);
        let mut path = String::new();
        for i in scatter.points().filter(ringed) {
            let spot = frame.spot(scatter.x[i], scatter.y[i]);
            let (x, y, across) = (spot.x as f64 - outer, spot.y, 2.0 * outer);
            let _ = write!(
                path,
                "M{x:.0},{y}a{outer:.0},{outer:.0} 0 1 0 {across:.0},0a{outer:.0},{outer:.0} 0 1 0 -{across:.0},0"
            );
        }
        if !path.is_empty() {
            let _ = writeln!(
                svg,
                "<path transform=\"scale(.1)\" fill=\"none\" stroke=\"#111\" stroke-width=\"{:.0}\" d=\"{path}\"/>",
                10.0 * width
            );
        }
    }
}

/// Writes one path per cluster, the largest cluster first so that small ones are not hidden below it, and rings last.
fn write_points(svg: &mut String, clusters: &[Cluster], radius: f64) {
    let mut by_size: Vec<&Cluster> = clusters.iter().collect();
    by_size.sort_by_key(|cluster| (cluster.symbol.is_ring, std::cmp::Reverse(cluster.n_points)));
    for cluster in by_size {
        let wider = if cluster.symbol.is_ring { RING } else { 1.0 };
        cluster.symbol.write(svg, &cluster.spots, wider * radius);
    }
}

#[cfg(test)]
mod tests;
