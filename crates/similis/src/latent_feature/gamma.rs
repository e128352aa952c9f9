//! The scale of an affinity: given, or searched.

use std::str::FromStr;

use crate::error::Error;
use crate::input::Dissimilarity;
use crate::settings::parsed;

/// Number of values of gamma that are tried. Not tuned.
const N_SCALES: usize = 15;

/// Maximum number of distances from which the range of gamma is taken. Not tuned.
const N_DISTANCES: usize = 1_000_000;

/// The scale $\gamma$ of an affinity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Gamma {
    /// Tries a range of scales and keeps the one whose groups are tightest, as Ng, Jordan & Weiss proposed; the
    /// paper's baseline.
    #[default]
    Search,
    /// This scale.
    Given(f64),
}

impl FromStr for Gamma {
    type Err = Error;

    fn from_str(given: &str) -> Result<Self, Error> {
        match given {
            "search" => Ok(Self::Search),
            _ => parsed("gamma", given, &["search"]).map(Self::Given),
        }
    }
}

impl std::fmt::Display for Gamma {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Search => out.write_str("search"),
            Self::Given(gamma) => gamma.fmt(out),
        }
    }
}

/// One scale that was tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GammaTrial {
    /// The scale.
    pub gamma: f64,
    /// How loose the groups are: what the search makes least.
    pub distortion: f64,
}

/// Returns typical distances from the least to the median: quantiles at 1/n .. 1/2, in equal ratios.
///
/// Rows are taken at even spacing where all pairs would be too many.
pub(crate) fn typical_distances(distances: &Dissimilarity<'_>) -> Vec<f64> {
    let n = distances.n_points();
    let n_rows = (N_DISTANCES / n).clamp(1, n);
    let mut sample = Vec::new();
    for row in 0..n_rows {
        distances.for_each_pair(row * n / n_rows, |_, distance| {
            if distance > 0.0 {
                sample.push(distance);
            }
        });
    }
    sample.sort_unstable_by(f64::total_cmp);
    if sample.is_empty() {
        return vec![1.0];
    }
    let least = (n.max(2) as f64).recip();
    let quantile = |k: usize| {
        let part = least * (0.5 / least).powf(k as f64 / (N_SCALES - 1) as f64);
        sample[((sample.len() - 1) as f64 * part).round() as usize]
    };
    let mut scales: Vec<f64> = (0..N_SCALES).map(quantile).collect();
    scales.dedup();
    scales
}
