//! Trace plots of several Markov chains.

use std::fmt::Write as _;

use super::WIDTH;
use super::frame::{Frame, Interval};
use super::sheet::Sheet;

/// Chains, one line each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Chains<'a> {
    /// The heading of the picture.
    pub title: &'a str,
    /// What the numbers are.
    pub y_name: &'a str,
    /// The numbers of each chain.
    pub lines: &'a [Vec<f64>],
    /// Number of warm-up sweeps, which are drawn pale.
    pub burn_in: usize,
    /// Small print below the picture, may be empty.
    pub note: &'a str,
}

const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

/// Approximate number of points drawn for each line. Not tuned.
const MOST_PLACES: usize = 700;

/// Returns the picture as an SVG document; of long chains evenly spaced numbers.
///
/// The vertical axis shows what was kept in full; parts of the warm-up that lie beyond it are not drawn.
pub fn chains_svg(chains: &Chains<'_>) -> String {
    let longest = chains.lines.iter().map(Vec::len).max().unwrap_or(0);
    let kept = chains.lines.iter().flat_map(|line| line.iter().skip(chains.burn_in).copied());
    let y = Interval::around(kept.filter(|value| value.is_finite())).padded();
    let mut frame = Frame::over(Interval::between(0.0, longest.max(1) as f64), y, [WIDTH, 220.0]);
    let sheet = Sheet { title: chains.title, note: chains.note, left: frame.left, width: WIDTH };
    frame.width = sheet.width - frame.left - 20.0;
    frame.counts = true;
    sheet.around(|svg, top| {
        frame.top = top;
        frame.write(svg, ["sweep", chains.y_name]);
        for (number, line) in chains.lines.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            for (from, to, opacity) in [(0, chains.burn_in + 1, 0.25), (chains.burn_in, line.len(), 0.85)] {
                let path = path(&frame, line, from, to.min(line.len()));
                let _ = writeln!(
                    svg,
                    "<path fill=\"none\" stroke=\"{colour}\" stroke-width=\"1\" stroke-opacity=\"{opacity}\" d=\"{path}\"/>"
                );
            }
        }
        frame.bottom() + 36.0
    })
}

/// The part of a line from one number to before another, within the frame.
fn path(frame: &Frame, line: &[f64], from: usize, to: usize) -> String {
    let every = line.len().div_ceil(MOST_PLACES).max(1);
    let (mut path, mut pen) = (String::new(), 'M');
    for at in (from..to).step_by(every).filter(|&at| line[at].is_finite()) {
        let x = frame.pixel_x((at + 1) as f64);
        let y = frame.pixel_y(line[at]);
        if !(frame.top..=frame.bottom()).contains(&y) {
            pen = 'M';
            continue;
        }
        let _ = write!(path, "{pen}{x:.1},{y:.1}");
        pen = 'L';
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_beyond_the_frame_is_not_drawn_along_its_edge() {
        let line = [&[900.0; 10][..], &[1.0, 2.0, 1.0, 2.0, 1.5]].concat();
        let svg = chains_svg(&Chains { title: "t", y_name: "y", lines: &[line], burn_in: 10, note: "" });
        let pale = svg.lines().find(|line| line.contains("stroke-opacity=\"0.25\"")).unwrap();
        // Of the warm-up only where it ends is inside, the first number that was kept.
        let path = pale.split(" d=\"").nth(1).unwrap();
        assert!(path.starts_with('M') && !path.contains('L'), "{path}");
    }
}
