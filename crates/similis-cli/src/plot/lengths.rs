//! How long the links of each cluster are, beside the density that was fitted to them.

use std::fmt::Write as _;

use similis::latent_graph::LinkLengths;

use super::frame::{Frame, Interval};
use super::sheet::Sheet;
use super::symbols::{Symbol, hex};
use super::text::{Text, few_digits};
use super::{DARK, WIDTH};

/// The links of one cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassLengths {
    /// The cluster.
    pub label: usize,
    /// How long its links are; those that were not observed are left out.
    pub lengths: Vec<f64>,
    /// The typical length that was learned.
    pub scale: f64,
    /// What was fitted to them.
    pub fitted: Fitted,
}

/// A density of lengths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fitted {
    /// That of the model.
    Model(LinkLengths),
    /// That of the search's score, at the likeliest scale: lengths to the power of the shape $m$ are exponential,
    /// $p(L) = m L^{m-1} s^{-m} e^{-(L / s)^m}$.
    Score {
        /// The shape $m$.
        shape: f64,
        /// The scale $s$.
        scale: f64,
    },
}

impl Fitted {
    /// Returns the score's density for these lengths, $s^m$ being the mean of $L^m$.
    pub fn by_score(lengths: &[f64], shape: f64) -> Self {
        let observed = || lengths.iter().copied().filter(|length| length.is_finite());
        let longest = observed().fold(LEAST, f64::max);
        let mean = observed().map(|length| (length / longest).powf(shape)).sum::<f64>()
            / observed().count().max(1) as f64;
        Self::Score { shape, scale: (longest * mean.powf(1.0 / shape)).max(LEAST) }
    }

    fn density(self, length: f64) -> f64 {
        match self {
            Self::Model(lengths) => lengths.log_density(length).exp(),
            Self::Score { shape, scale } => {
                let part = length / scale;
                shape / scale * part.powf(shape - 1.0) * (-part.powf(shape)).exp()
            }
        }
    }

    /// The density of the same lengths in another unit.
    fn in_unit(self, unit: f64) -> Self {
        match self {
            Self::Model(LinkLengths::Exponential { scale }) => {
                Self::Model(LinkLengths::Exponential { scale: scale / unit })
            }
            Self::Model(LinkLengths::Gaussian { scale, spread }) => {
                Self::Model(LinkLengths::Gaussian { scale: scale / unit, spread: spread / unit })
            }
            Self::Score { shape, scale } => Self::Score { shape, scale: scale / unit },
        }
    }

    /// Whether the density is shown from 0 on.
    fn begins_at_zero(self) -> bool {
        !matches!(self, Self::Model(LinkLengths::Gaussian { .. }))
    }
}

/// The links of clusters, each in its own panel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lengths<'a> {
    /// The heading of the picture.
    pub title: &'a str,
    /// The clusters; where there are more than eight, those with most links are drawn.
    pub classes: &'a [ClassLengths],
    /// Small print below the picture, may be empty.
    pub note: &'a str,
}

/// The least length above 0.
const LEAST: f64 = f64::from_bits(1);

/// Lengths below this are drawn in the unit [`TINY_UNIT`]: their density is beyond the greatest number.
const TINY: f64 = 1e-290;
const TINY_UNIT: f64 = 1e-300;

const MOST_PANELS: usize = 8;
const PANEL: [f64; 2] = [252.0, 178.0];
const INNER: [f64; 2] = [180.0, 110.0];

/// Returns the picture as an SVG document.
pub fn lengths_svg(lengths: &Lengths<'_>) -> String {
    let mut shown: Vec<&ClassLengths> =
        lengths.classes.iter().filter(|class| class.observed().count() > 0).collect();
    shown.sort_by_key(|class| std::cmp::Reverse(class.observed().count()));
    let n_more = shown.len().saturating_sub(MOST_PANELS);
    shown.truncate(MOST_PANELS);
    shown.sort_by_key(|class| class.label);
    let more = if n_more > 0 { format!("; {n_more} smaller clusters are not shown") } else { String::new() };
    let note = format!("bars: the links of the graph; line: the fitted density{more}. {}", lengths.note);
    Sheet { title: lengths.title, note: &note, left: 16.0, width: WIDTH }.around(|svg, top| {
        for (at, class) in shown.iter().enumerate() {
            class.write(svg, [10.0 + PANEL[0] * (at % 2) as f64, top + PANEL[1] * (at / 2) as f64]);
        }
        top + PANEL[1] * shown.len().div_ceil(2) as f64
    })
}

impl ClassLengths {
    fn observed(&self) -> impl Iterator<Item = f64> {
        self.lengths.iter().copied().filter(|length| length.is_finite())
    }

    /// Draws bars and density.
    fn write(&self, svg: &mut String, place: [f64; 2]) {
        let longest = self.observed().fold(self.scale.abs(), f64::max);
        if longest >= TINY {
            return self.write_in_unit(svg, place, "length of a link");
        }
        let lengths = self.lengths.iter().map(|length| length / TINY_UNIT).collect();
        let (scale, fitted) = (self.scale / TINY_UNIT, self.fitted.in_unit(TINY_UNIT));
        let scaled = Self { lengths, scale, fitted, ..*self };
        scaled.write_in_unit(svg, place, &format!("length, in {TINY_UNIT:e}"));
    }

    /// Draws bars and density; the longest hundredth of the links is beyond the frame.
    fn write_in_unit(&self, svg: &mut String, [left, top]: [f64; 2], name: &str) {
        let mut sorted: Vec<f64> = self.observed().collect();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len();
        let (shortest, high) = (sorted[0], sorted[(n - 1) * 99 / 100]);
        let low = if self.fitted.begins_at_zero() { shortest.min(0.0) } else { shortest };
        let high =
            if high > low { high } else { (low + self.scale.abs().max(LEAST / TINY_UNIT)).min(f64::MAX) };
        let bars = heights(&sorted, low, high);
        let at = |part: f64| low + part * (high - low);
        let curve: Vec<f64> = (0..=80).map(|k| self.fitted.density(at(f64::from(k) / 80.0))).collect();
        // A narrow peak of the density must not flatten the bars.
        let highest = bars.iter().copied().fold(0.0, f64::max);
        let highest = curve.iter().copied().fold(highest, f64::max).min(2.0 * highest);
        let mut frame =
            Frame::over(Interval::between(low, high), Interval::between(0.0, 1.05 * highest), INNER);
        (frame.left, frame.top) = (left + 62.0, top + 20.0);
        frame.margin = 62.0;
        frame.write(svg, [name, "density"]);
        write_bars(svg, &frame, &bars, self.label);
        write_curve(svg, &frame, &curve, highest);
        let scale = few_digits(self.scale);
        Text { x: frame.left, y: top + 14.0, size: 12.5, colour: DARK, anchor: "start" }
            .write(svg, &format!("cluster {}: scale {scale}", self.label));
    }
}

/// Returns the heights of bars whose areas are their parts of all links.
fn heights(sorted: &[f64], low: f64, high: f64) -> Vec<f64> {
    let n_bars = ((sorted.len() as f64).sqrt().ceil() as usize).clamp(5, 28);
    let step = (high - low) / n_bars as f64;
    let mut counts = vec![0_usize; n_bars];
    for length in sorted.iter().filter(|&&length| length <= high) {
        counts[(((length - low) / step) as usize).min(n_bars - 1)] += 1;
    }
    counts.into_iter().map(|count| count as f64 / (sorted.len() as f64 * step)).collect()
}

fn write_bars(svg: &mut String, frame: &Frame, bars: &[f64], label: usize) {
    let width = frame.width / bars.len() as f64;
    let mut path = String::new();
    for (at, &height) in bars.iter().enumerate() {
        let (x, y) = (frame.left + width * at as f64, frame.pixel_y(height));
        let _ =
            write!(path, "M{x:.1},{:.1}V{y:.1}h{:.1}V{:.1}z", frame.bottom(), width - 1.0, frame.bottom());
    }
    let _ =
        writeln!(svg, "<path fill=\"{}\" fill-opacity=\".75\" d=\"{path}\"/>", hex(Symbol::of(label).colour));
}

fn write_curve(svg: &mut String, frame: &Frame, curve: &[f64], highest: f64) {
    let mut path = String::new();
    for (at, &height) in curve.iter().enumerate() {
        let x = frame.left + frame.width * at as f64 / (curve.len() - 1) as f64;
        let _ = write!(
            path,
            "{}{x:.1},{:.1}",
            if at == 0 { 'M' } else { 'L' },
            frame.pixel_y(height.min(1.05 * highest))
        );
    }
    let _ = writeln!(svg, "<path fill=\"none\" stroke=\"{DARK}\" stroke-width=\"1.6\" d=\"{path}\"/>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_any_length_make_a_sound_picture() {
        for longest in [5e-324, 3e-310, 1e-300, 1e-289, 1e-100, 1.0, 1e300, 1.7e308] {
            for lengths in [vec![longest; 3], vec![0.0, longest / 2.0, longest], vec![0.0; 2]] {
                for gaussian in [false, true] {
                    let model = Fitted::Model(LinkLengths::Gaussian { scale: longest, spread: longest });
                    let fitted = if gaussian { model } else { Fitted::by_score(&lengths, 2.0) };
                    let class = ClassLengths { label: 0, lengths: lengths.clone(), scale: longest, fitted };
                    let svg = lengths_svg(&Lengths { title: "t", classes: &[class], note: "" });
                    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{longest:e}: {lengths:?}");
                    assert_eq!(svg.contains("length, in 1e-300"), longest < TINY, "{longest:e}");
                }
            }
        }
    }

    #[test]
    fn the_density_of_the_score_is_one_of_shape_2_by_hand() {
        // s^2 is the mean of 1 and 7: 4. At L = 2 it is 2 * 2 / 4 * exp(-1).
        let Fitted::Score { shape, scale } = Fitted::by_score(&[1.0, 7.0_f64.sqrt(), f64::NAN], 2.0) else {
            unreachable!()
        };
        assert!((scale - 2.0).abs() < 1e-12 && shape == 2.0);
        assert!((Fitted::Score { shape, scale }.density(2.0) - (-1.0f64).exp()).abs() < 1e-12);
        // It is a density: it adds up to 1.
        let sum: f64 = (0..4000).map(|k| Fitted::Score { shape, scale }.density(0.005 * f64::from(k))).sum();
        assert!((0.005 * sum - 1.0).abs() < 1e-3);
    }
}
