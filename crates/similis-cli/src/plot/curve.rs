//! A row of numbers as a line: the trace of the joint, eigenvalues.

use std::fmt::Write as _;

use super::WIDTH;
use super::frame::{Frame, Interval};
use super::sheet::Sheet;

/// Numbers in their order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Curve<'a> {
    /// The heading of the picture.
    pub title: &'a str,
    /// What the numbers are counted by.
    pub x_name: &'a str,
    /// What the numbers are.
    pub y_name: &'a str,
    /// The numbers; one that is not finite leaves a gap.
    pub values: &'a [f64],
    /// What the first number is counted as.
    pub first: usize,
    /// Small print below the picture, may be empty.
    pub note: &'a str,
}

/// Returns the picture as an SVG document.
pub fn curve_svg(curve: &Curve<'_>) -> String {
    let place = |at: usize| (curve.first + at) as f64;
    let drawn = || curve.values.iter().enumerate().filter(|(_, value)| value.is_finite());
    let x = Interval::around(drawn().map(|(at, _)| place(at))).padded();
    let y = Interval::around(drawn().map(|(_, &value)| value)).padded();
    let mut frame = Frame::over(x, y, [WIDTH, 220.0]);
    let sheet = Sheet { title: curve.title, note: curve.note, left: frame.left, width: WIDTH };
    frame.width = sheet.width - frame.left - 20.0;
    frame.counts = true;
    sheet.around(|svg, top| {
        frame.top = top;
        frame.write(svg, [curve.x_name, curve.y_name]);
        let (mut line, mut dots, mut broken) = (String::new(), String::new(), true);
        for (at, &value) in curve.values.iter().enumerate() {
            let (x, y) = (frame.pixel_x(place(at)), frame.pixel_y(value));
            if value.is_finite() {
                let _ = write!(line, "{}{x:.1},{y:.1}", if broken { 'M' } else { 'L' });
                let _ = write!(dots, "M{x:.1},{y:.1}h0");
            }
            broken = !value.is_finite();
        }
        let _ = writeln!(svg, "<path fill=\"none\" stroke=\"#0072b2\" stroke-width=\"1.5\" d=\"{line}\"/>");
        if curve.values.len() <= 100 {
            let _ = writeln!(
                svg,
                "<path fill=\"none\" stroke=\"#0072b2\" stroke-width=\"6\" stroke-linecap=\"round\" d=\"{dots}\"/>"
            );
        }
        frame.bottom() + 36.0
    })
}
