//! How often two points share a class.

use crate::latent_graph::lengths::Lengths;
use crate::{Labels, parallel};

/// Up to so many points every pair is counted.
const MOST_DENSE: usize = 5000;

/// The probability that two points share a class.
#[derive(Clone, Debug, PartialEq)]
pub enum CoAssignment {
    /// Of all pairs, in SciPy's condensed order.
    Dense(Vec<f64>),
    /// Of pairs that may be links: (i, j, probability), i < j, rising. Above 5,000 points.
    Sparse(Vec<(usize, usize, f64)>),
}

impl CoAssignment {
    /// Counts pairs in partitions: all pairs of few points, those of the support, or of near neighbours, of many.
    pub(super) fn new(samples: &[Labels], lengths: &Lengths<'_>) -> Self {
        let n = lengths.n_points();
        if n > MOST_DENSE && !lengths.is_complete() {
            return Self::of_support(samples, lengths);
        }
        // Labels of a point side by side, so that pairs are compared along them.
        let columns: Vec<Vec<u32>> =
            (0..n).map(|i| samples.iter().map(|sample| sample.as_slice()[i] as u32).collect()).collect();
        let rows = parallel::map(n, |i| {
            let of = |j: usize| together(&columns[i], &columns[j]);
            parallel::vectorised(|| (i + 1..n).map(of).collect::<Vec<_>>())
        });
        Self::Dense(rows.concat())
    }

    fn of_support(samples: &[Labels], lengths: &Lengths<'_>) -> Self {
        let n = lengths.n_points();
        let columns: Vec<Vec<u32>> =
            (0..n).map(|i| samples.iter().map(|sample| sample.as_slice()[i] as u32).collect()).collect();
        let rows = parallel::map(n, |i| {
            let others = lengths.allowed(i).unwrap_or_default().iter().map(|&j| j as usize);
            others.filter(|&j| j > i).map(|j| (i, j, together(&columns[i], &columns[j]))).collect::<Vec<_>>()
        });
        Self::Sparse(rows.concat())
    }

    /// The probability that `i` and `j` share a class; `None` for a pair that was not counted.
    pub fn pair(&self, n_points: usize, i: usize, j: usize) -> Option<f64> {
        let (i, j) = (i.min(j), i.max(j));
        if i == j {
            return Some(1.0);
        }
        match self {
            Self::Dense(values) => values.get(i * n_points - i * (i + 1) / 2 + j - i - 1).copied(),
            Self::Sparse(pairs) => {
                let found = pairs.binary_search_by_key(&(i, j), |&(i, j, _)| (i, j));
                found.ok().map(|at| pairs[at].2)
            }
        }
    }
}

/// The part of the samples in which two points have the same label.
#[inline(always)]
fn together(first: &[u32], second: &[u32]) -> f64 {
    let same: u32 = first.iter().zip(second).map(|(a, b)| u32::from(a == b)).sum();
    f64::from(same) / first.len().max(1) as f64
}
