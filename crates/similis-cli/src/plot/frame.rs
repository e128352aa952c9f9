//! The frame of a picture: which part of the plane it shows, and its ticks.

use std::fmt::Write as _;

use super::text::{Text, characters, number, round_step, shorten};
use super::{DARK, Detail, GREY, Scatter, Spot};

/// The interval of one axis, by its middle and half its length, so that no finite numbers overflow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    middle: f64,
    half: f64,
}

impl Interval {
    /// Returns the interval from one number to another.
    pub(super) fn between(low: f64, high: f64) -> Self {
        Self { middle: low / 2.0 + high / 2.0, half: high / 2.0 - low / 2.0 }
    }

    /// Returns the smallest interval around all values.
    pub(super) fn around(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            return Self { middle: 0.0, half: 0.0 };
        }
        Self::between(low, high)
    }
}

impl Interval {
    /// Returns the interval with some room on both sides; a single number gets room too.
    pub(super) fn padded(self) -> Self {
        let half = if self.half > 0.0 { self.half / FILLED } else { (self.middle.abs() / 4.0).max(0.5) };
        Self { half, ..self }
    }
}

/// The rectangle in which the points lie, in pixels, and the part of the plane it shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) left: f64,
    /// The room that ticks and name of the vertical axis take, left of the frame.
    pub(super) margin: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) x: Interval,
    pub(super) y: Interval,
    /// Whether the horizontal axis counts something: its ticks are then whole numbers.
    pub(super) counts: bool,
    /// Whether a pixel is as long on both axes.
    pub(super) same_scale: bool,
}

const MAX_SIDES: [f64; 2] = [560.0, 540.0];
const MAX_COMPACT_SIDES: [f64; 2] = [430.0, 420.0];
const MAX_BARE_SIDES: [f64; 2] = [210.0, 190.0];
const MIN_SIDE: f64 = 220.0;
/// The fraction of the longer side that points fill.
const FILLED: f64 = 0.94;
const TICK_DISTANCE: f64 = 90.0;
/// Largest ratio of the sides of a picture with equal axes; beyond it each axis gets its own scale. Not tuned.
const STRIP: f64 = 4.0;
/// Height of a picture whose axes have separate scales, as a fraction of its width.
const OWN_HEIGHT: f64 = 0.7;

impl Frame {
    /// Returns the frame around all points, at the top of the picture. Both axes have the same scale, unless the points would
    /// then fill no more than a thin strip, or the picture asks for two.
    pub(super) fn around(scatter: &Scatter<'_>) -> Self {
        let mut x = Interval::around(scatter.points().map(|i| scatter.x[i]));
        let mut y = Interval::around(scatter.points().map(|i| scatter.y[i]));
        // Below this, points cannot be told from one another in 64 bits, and are drawn as one.
        let resolution = 1e-12 * x.middle.abs().max(y.middle.abs());
        if x.half.max(y.half) <= resolution.max(f64::MIN_POSITIVE) {
            x.half = (x.middle.abs().max(y.middle.abs()) / 4.0).max(0.5);
            y.half = x.half;
        }
        let ([max_width, max_height], least) = match scatter.detail {
            Detail::Full => (MAX_SIDES, MIN_SIDE),
            Detail::Compact => (MAX_COMPACT_SIDES, MIN_SIDE),
            Detail::Bare => (MAX_BARE_SIDES, MAX_BARE_SIDES[1]),
        };
        let (longer, shorter) = (x.half.max(y.half), x.half.min(y.half));
        if shorter > 0.0 && (scatter.own_scales || longer > STRIP * shorter) {
            let wide = |interval: Interval| Interval { half: interval.half / FILLED, ..interval };
            let frame = Self::over(wide(x), wide(y), [max_width, OWN_HEIGHT * max_width]);
            return if scatter.detail == Detail::Bare { Self { left: 8.0, ..frame } } else { frame };
        }
        let unit = (x.half / max_width).max(y.half / max_height) / FILLED;
        let width = (x.half / unit + (1.0 - FILLED) * max_width).clamp(least, max_width);
        let height = (y.half / unit + (1.0 - FILLED) * max_height).clamp(least, max_height);
        x.half = unit * width;
        y.half = unit * height;
        let frame = Self { same_scale: true, ..Self::over(x, y, [width, height]) };
        if scatter.detail == Detail::Bare { Self { left: 8.0, ..frame } } else { frame }
    }

    /// Returns a frame of this width and height that shows these intervals, each with its own scale.
    pub(super) fn over(x: Interval, y: Interval, [width, height]: [f64; 2]) -> Self {
        let widest_tick = ticks(y, height).iter().map(|tick| tick.words.chars().count()).max().unwrap_or(0);
        let margin = 38.0 + 6.8 * widest_tick as f64;
        Self { left: margin, margin, top: 0.0, width, height, x, y, counts: false, same_scale: false }
    }

    pub(super) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// Returns where a point of the plane lies in the picture.
    pub(super) fn spot(&self, x: f64, y: f64) -> Spot {
        let tenths = |pixels: f64| (10.0 * pixels).round() as i64;
        Spot { x: tenths(self.pixel_x(x)), y: tenths(self.pixel_y(y)) }
    }

    pub(super) fn pixel_x(&self, x: f64) -> f64 {
        self.left + self.width * (0.5 + 0.5 * ((x - self.x.middle) / self.x.half))
    }

    pub(super) fn pixel_y(&self, y: f64) -> f64 {
        self.top + self.height * (0.5 - 0.5 * ((y - self.y.middle) / self.y.half))
    }

    /// Writes the frame alone.
    pub(super) fn write_border(&self, svg: &mut String) {
        let Self { left, top, width, height, .. } = self;
        let _ = writeln!(
            svg,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"none\" stroke=\"#bbb\"/>"
        );
    }

    /// Writes the frame, its ticks and the names of the axes.
    pub(super) fn write(&self, svg: &mut String, [x_name, y_name]: [&str; 2]) {
        let mut ticks_x = ticks(self.x, self.width);
        ticks_x.retain(|tick| !self.counts || tick.at.fract() == 0.0);
        if self.counts {
            ticks_x.iter_mut().for_each(|tick| tick.words = format!("{}", tick.at));
        }
        let ticks_y = ticks(self.y, self.height);
        let mut grid = String::new();
        for tick in &ticks_x {
            let _ = write!(grid, "M{:.1},{:.1}v{:.1}", self.pixel_x(tick.at), self.top, self.height);
        }
        for tick in &ticks_y {
            let _ = write!(grid, "M{:.1},{:.1}h{:.1}", self.left, self.pixel_y(tick.at), self.width);
        }
        let _ = writeln!(svg, "<path stroke=\"#eee\" fill=\"none\" d=\"{grid}\"/>");
        self.write_border(svg);
        for tick in &ticks_x {
            Text {
                x: self.pixel_x(tick.at),
                y: self.bottom() + 16.0,
                size: 11.0,
                colour: GREY,
                anchor: "middle",
            }
            .write(svg, &tick.words);
        }
        for tick in &ticks_y {
            Text {
                x: self.left - 7.0,
                y: self.pixel_y(tick.at) + 4.0,
                size: 11.0,
                colour: GREY,
                anchor: "end",
            }
            .write(svg, &tick.words);
        }
        self.write_names(svg, x_name, y_name);
    }

    fn write_names(&self, svg: &mut String, x_name: &str, y_name: &str) {
        let name = |x: f64, y: f64| Text { x, y, size: 12.5, colour: DARK, anchor: "middle" };
        let room = |pixels| characters(pixels, 12.5);
        name(self.left + self.width / 2.0, self.bottom() + 34.0)
            .write(svg, &shorten(x_name, room(self.width)));
        let (x, y) = (self.left - self.margin + 16.0, self.top + self.height / 2.0);
        let turn = format!(" transform=\"rotate(-90 {x:.1} {y:.1})\"");
        name(x, y).write_turned(svg, &shorten(y_name, room(self.height)), &turn);
    }
}

/// A number written at an axis.
#[derive(Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) at: f64,
    pub(super) words: String,
}

/// Returns ticks at multiples of 1, 2 or 5 times a power of ten, about [`TICK_DISTANCE`] apart.
pub(super) fn ticks(interval: Interval, pixels: f64) -> Vec<Tick> {
    let step = round_step(interval.half * 2.0 * (TICK_DISTANCE.min(pixels / 3.0) / pixels));
    if !(step.is_finite() && step > 0.0) {
        return Vec::new();
    }
    let first = ((interval.middle - interval.half) / step).ceil();
    let last = ((interval.middle + interval.half) / step).floor();
    let n_ticks = (last - first).clamp(-1.0, 20.0) as i32 + 1;
    let places: Vec<f64> =
        (0..n_ticks).map(|k| (first + f64::from(k)) * step).filter(|at| at.is_finite()).collect();
    let largest = places.iter().fold(0.0, |largest: f64, at| largest.max(at.abs()));
    places.into_iter().map(|at| Tick { at, words: number(at, step, largest) }).collect()
}
