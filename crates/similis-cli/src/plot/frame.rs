//! The frame of a picture: which part of the plane it shows, and its ticks.

use std::fmt::Write as _;

use super::text::{Text, characters, shorten};
use super::{DARK, GREY, Scatter, Spot};

/// The interval of one axis, by its middle and half its length, so that no finite numbers overflow.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Interval {
    middle: f64,
    half: f64,
}

impl Interval {
    /// Returns the smallest interval around all values.
    fn around(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            return Self { middle: 0.0, half: 0.0 };
        }
        Self { middle: low / 2.0 + high / 2.0, half: high / 2.0 - low / 2.0 }
    }
}

/// The rectangle in which the points lie, in pixels, and the part of the plane it shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    x: Interval,
    y: Interval,
}

const MAX_WIDTH: f64 = 560.0;
const MAX_HEIGHT: f64 = 540.0;
const MIN_SIDE: f64 = 220.0;
/// The part of the longer side that points fill.
const FILLED: f64 = 0.94;
const TICK_DISTANCE: f64 = 90.0;

impl Frame {
    /// Returns the frame around all points, at the top of the picture, with the same scale on both axes.
    pub(super) fn around(scatter: &Scatter<'_>) -> Self {
        let mut x = Interval::around(scatter.points().map(|i| scatter.x[i]));
        let mut y = Interval::around(scatter.points().map(|i| scatter.y[i]));
        // Below this, points cannot be told from one another in 64 bits, and are drawn as one.
        let resolution = 1e-12 * x.middle.abs().max(y.middle.abs());
        if x.half.max(y.half) <= resolution.max(f64::MIN_POSITIVE) {
            x.half = (x.middle.abs().max(y.middle.abs()) / 4.0).max(0.5);
            y.half = x.half;
        }
        let unit = (x.half / MAX_WIDTH).max(y.half / MAX_HEIGHT) / FILLED;
        let width = (x.half / unit + (1.0 - FILLED) * MAX_WIDTH).clamp(MIN_SIDE, MAX_WIDTH);
        let height = (y.half / unit + (1.0 - FILLED) * MAX_HEIGHT).clamp(MIN_SIDE, MAX_HEIGHT);
        x.half = unit * width;
        y.half = unit * height;
        let widest_tick = ticks(y, height).iter().map(|tick| tick.words.chars().count()).max().unwrap_or(0);
        Self { left: 38.0 + 6.8 * widest_tick as f64, top: 0.0, width, height, x, y }
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

    fn pixel_x(&self, x: f64) -> f64 {
        self.left + self.width * (0.5 + 0.5 * ((x - self.x.middle) / self.x.half))
    }

    fn pixel_y(&self, y: f64) -> f64 {
        self.top + self.height * (0.5 - 0.5 * ((y - self.y.middle) / self.y.half))
    }

    /// Writes the frame, its ticks and the names of the axes.
    pub(super) fn write(&self, svg: &mut String, scatter: &Scatter<'_>) {
        let ticks_x = ticks(self.x, self.width);
        let ticks_y = ticks(self.y, self.height);
        let mut grid = String::new();
        for tick in &ticks_x {
            let _ = write!(grid, "M{:.1},{:.1}v{:.1}", self.pixel_x(tick.at), self.top, self.height);
        }
        for tick in &ticks_y {
            let _ = write!(grid, "M{:.1},{:.1}h{:.1}", self.left, self.pixel_y(tick.at), self.width);
        }
        let Self { left, top, width, height, .. } = self;
        let _ = writeln!(svg, "<path stroke=\"#eee\" fill=\"none\" d=\"{grid}\"/>");
        let _ = writeln!(
            svg,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"none\" stroke=\"#bbb\"/>"
        );
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
            Text { x: left - 7.0, y: self.pixel_y(tick.at) + 4.0, size: 11.0, colour: GREY, anchor: "end" }
                .write(svg, &tick.words);
        }
        self.write_names(svg, scatter);
    }

    fn write_names(&self, svg: &mut String, scatter: &Scatter<'_>) {
        let name = |x: f64, y: f64| Text { x, y, size: 12.5, colour: DARK, anchor: "middle" };
        let room = |pixels| characters(pixels, 12.5);
        name(self.left + self.width / 2.0, self.bottom() + 34.0)
            .write(svg, &shorten(scatter.x_name, room(self.width)));
        let (x, y) = (16.0, self.top + self.height / 2.0);
        let turn = format!(" transform=\"rotate(-90 {x:.1} {y:.1})\"");
        name(x, y).write_turned(svg, &shorten(scatter.y_name, room(self.height)), &turn);
    }
}

/// A number written at an axis.
#[derive(Debug, PartialEq)]
struct Tick {
    at: f64,
    words: String,
}

/// Returns ticks at multiples of 1, 2 or 5 times a power of ten, about [`TICK_DISTANCE`] apart.
fn ticks(interval: Interval, pixels: f64) -> Vec<Tick> {
    let step = round_step(interval.half * 2.0 * (TICK_DISTANCE / pixels));
    if !(step.is_finite() && step > 0.0) {
        return Vec::new();
    }
    let first = ((interval.middle - interval.half) / step).ceil();
    let last = ((interval.middle + interval.half) / step).floor();
    let n_ticks = (last - first).clamp(-1.0, 20.0) as i32 + 1;
    let places: Vec<f64> =
        (0..n_ticks).map(|k| (first + f64::from(k)) * step).filter(|at| at.is_finite()).collect();
    let largest = places.iter().fold(0.0, |largest: f64, at| largest.max(at.abs()));
    places.into_iter().map(|at| Tick { at, words: tick_words(at, step, largest) }).collect()
}

/// Returns the nearest of 1, 2 and 5 times a power of ten.
fn round_step(rough: f64) -> f64 {
    let power = 10_f64.powf(rough.log10().floor());
    match rough / power {
        digit if digit < 1.5 => power,
        digit if digit < 3.5 => 2.0 * power,
        digit if digit < 7.5 => 5.0 * power,
        _ => 10.0 * power,
    }
}

/// Returns a tick's number with as many digits as its distance to the next one asks for, with a power of ten if the
/// `largest` of the axis is long.
fn tick_words(at: f64, step: f64, largest: f64) -> String {
    let power = (step.log10() + 1e-9).floor();
    if at == 0.0 {
        return "0".to_owned();
    }
    let words = if largest >= 1e7 || power < -4.0 {
        let n_digits = (at.abs().log10().floor() - power).clamp(0.0, 8.0) as usize;
        format!("{at:.n_digits$e}")
    } else {
        let n_decimals = (-power).clamp(0.0, 8.0) as usize;
        format!("{at:.n_decimals$}")
    };
    words.replace('-', "\u{2212}")
}
