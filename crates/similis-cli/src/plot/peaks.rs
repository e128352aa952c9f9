//! The peaks of the density of the points, and the saddles between them.

use std::fmt::Write as _;

use super::frame::Frame;
use super::text::Text;
use super::{DARK, Scatter};

/// Radius of the disc of a peak, in pixels.
const RADIUS: f64 = 7.5;
/// Half the width of the cross of a saddle, in pixels.
const CROSS: f64 = 3.5;
/// The colour of peaks that may be chance.
const PALE: &str = "#8a8a8a";

/// A peak of the density.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peak {
    /// The point where the density is highest.
    pub at: usize,
    /// The ends of the densest link to a denser peak; `None` for the highest.
    pub saddle: Option<[usize; 2]>,
    /// Whether it is more than chance.
    pub is_significant: bool,
}

/// Writes a numbered disc at each peak, and a line from it to the cross of its saddle; the most prominent on top.
pub(super) fn write_peaks(svg: &mut String, scatter: &Scatter<'_>, frame: &Frame) {
    let place = |i: usize| [frame.pixel_x(scatter.x[i]), frame.pixel_y(scatter.y[i])];
    let (mut ways, mut discs) = (String::new(), String::new());
    for (rank, peak) in scatter.peaks.iter().enumerate().rev().filter(|(_, peak)| scatter.is_drawn(peak.at)) {
        let colour = if peak.is_significant { DARK } else { PALE };
        let [x, y] = place(peak.at);
        if let Some(ends) = peak.saddle.filter(|ends| ends.iter().all(|&end| scatter.is_drawn(end))) {
            let [one, other] = ends.map(place);
            let [across, down] = [0, 1].map(|axis| 0.5 * (one[axis] + other[axis]));
            let _ = writeln!(
                ways,
                "<path fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\" stroke-linecap=\"round\" \
                 d=\"M{x:.1},{y:.1}L{across:.1},{down:.1}m-{CROSS},-{CROSS}l{0},{0}m-{0},0l{0},-{0}\"/>",
                2.0 * CROSS
            );
        }
        let radius = if peak.is_significant { RADIUS } else { 0.75 * RADIUS };
        let _ = writeln!(
            discs,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{colour}\" stroke=\"#fff\" stroke-width=\"1.2\"/>"
        );
        let number = Text { x, y: y + 0.45 * radius, size: 1.25 * radius, colour: "#fff", anchor: "middle" };
        number.write(&mut discs, &(rank + 1).to_string());
    }
    *svg += &ways;
    *svg += &discs;
}
