//! Co-assignment: how often two points share a cluster.

use crate::graph::lengths::Lengths;
use crate::input::labels::Labels;
use crate::plan::crossover;
use crate::run::parallel;

/// The probability that two points share a cluster.
#[derive(Clone, Debug, PartialEq)]
pub enum CoAssignment {
    /// Of all pairs, in SciPy's condensed order.
    Dense(Vec<f64>),
    /// Of pairs that may be links: (i, j, probability), i < j, rising. Above 5,000 points.
    Sparse(Vec<(usize, usize, f64)>),
}

impl CoAssignment {
    /// Counts pairs in partitions: all pairs of few points; of many those of `support`, which lists some.
    pub(crate) fn new(samples: &[Labels], support: &Lengths<'_>) -> Self {
        let n = support.n_points();
        // Labels of a point side by side, so that pairs are compared along them.
        let columns: Vec<Vec<u32>> =
            (0..n).map(|i| samples.iter().map(|sample| sample.as_slice()[i] as u32).collect()).collect();
        let of = |i: usize, j: usize| together(&columns[i], &columns[j]);
        if crossover::keeps_every_co_assignment(n) {
            let row = |i: usize| parallel::vectorised(|| (i + 1..n).map(|j| of(i, j)).collect::<Vec<_>>());
            return Self::Dense(parallel::map(n, row).concat());
        }
        let row = |i: usize| {
            let others = support.allowed(i).unwrap_or_default().iter().map(|&j| j as usize);
            others.filter(|&j| j > i).map(|j| (i, j, of(i, j))).collect::<Vec<_>>()
        };
        Self::Sparse(parallel::map(n, row).concat())
    }

    /// The probability that `i` and `j` share a cluster; `None` for a pair that was not counted.
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

/// The fraction of the samples in which two points have the same label.
#[inline(always)]
fn together(first: &[u32], second: &[u32]) -> f64 {
    let same: u32 = first.iter().zip(second).map(|(a, b)| u32::from(a == b)).sum();
    f64::from(same) / first.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::spanning::minimum_tree::minimum_spanning_tree;
    use crate::input::Dissimilarity;
    use crate::input::metric::Metric;
    use crate::input::points::Points;
    use crate::run::observer::Silent;

    #[test]
    fn of_many_points_only_pairs_of_the_support_are_counted() {
        let n = 5_001;
        let places: Vec<f64> = (0..n).map(|i| (i * i % 7919) as f64).collect();
        let observed =
            Dissimilarity::from_points(Points::new(places, n, 1).unwrap(), Metric::Euclidean).unwrap();
        let support = Lengths::nearest(&observed, 2, &minimum_spanning_tree(&observed, &Silent));
        let halves: Vec<usize> = (0..n).map(|i| i % 2).collect();
        let samples = [Labels::new(&halves), Labels::new(&vec![0; n])];
        let found = CoAssignment::new(&samples, &support);
        let CoAssignment::Sparse(pairs) = &found else { panic!("too many points for all pairs") };
        assert!(pairs.len() >= n - 1 && pairs.len() <= 3 * n);
        for &(i, j, probability) in pairs.iter().step_by(97) {
            assert_eq!(probability, if i % 2 == j % 2 { 1.0 } else { 0.5 });
            assert_eq!(found.pair(n, j, i), Some(probability));
        }
        let far = (0..n).find(|&j| j > 0 && support.pair(0, j) == f64::INFINITY).unwrap();
        assert_eq!(found.pair(n, 0, far), None);
    }
}
