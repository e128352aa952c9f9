//! The point estimate: the sampled partition of least expected loss.

use crate::input::labels::Labels;
use crate::latent_graph::settings::inference::Loss;
use crate::run::parallel;

/// Number of label comparisons that may be made, about. Bounds the time; not tuned.
const WORK: usize = 400_000_000;

/// Smallest number of sampled partitions that are tried as the estimate. Not tuned.
const FEWEST: usize = 10;

/// Largest number of sampled partitions that are tried as the estimate. Not tuned.
const MOST: usize = 200;

impl Loss {
    /// Returns how far apart two partitions of the same points are.
    ///
    /// With $f(x) = x \log x / N$, or $x^2 / N^2$ for Binder's, and the numbers of points $a_i$, $b_j$ and $n_{ij}$ in the
    /// clusters and in both: $\sum_i f(a_i) + \sum_j f(b_j) - 2 \sum_{ij} f(n_{ij})$.
    pub(crate) fn between(self, first: &Labels, second: &Labels) -> f64 {
        let n = first.n_points() as f64;
        let value = |count: usize| {
            let x = count as f64;
            match self {
                _ if count == 0 => 0.0,
                Self::VariationOfInformation => x * x.ln() / n,
                Self::Binder => x * x / (n * n),
            }
        };
        let n_columns = second.n_clusters();
        let mut both = vec![0usize; first.n_clusters() * n_columns];
        for (a, b) in first.as_slice().iter().zip(second.as_slice()) {
            both[a * n_columns + b] += 1;
        }
        let sum = |counts: &[usize]| counts.iter().map(|&count| value(count)).sum::<f64>();
        (sum(&first.sizes()) + sum(&second.sizes()) - 2.0 * sum(&both)).max(0.0)
    }
}

/// The partition of the least expected loss among those drawn, and that loss.
pub(crate) fn point_estimate(samples: &[Labels], loss: Loss) -> (Labels, f64) {
    let n_points = samples[0].n_points();
    let n_tried = (WORK / (n_points * samples.len()).max(1)).clamp(FEWEST, MOST).min(samples.len());
    let mut tried: Vec<&Labels> = (0..n_tried).map(|at| &samples[at * samples.len() / n_tried]).collect();
    tried.sort_by_key(|labels| labels.as_slice());
    tried.dedup();
    let losses = parallel::map(tried.len(), |at| {
        samples.iter().map(|sample| loss.between(tried[at], sample)).sum::<f64>() / samples.len() as f64
    });
    let best = (1..tried.len()).fold(0, |best, at| if losses[at] < losses[best] { at } else { best });
    (tried[best].clone(), losses[best])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_by_hand() {
        // {0 1}{2 3} and {0 1 2 3}: log 2 of entropy goes; 8 of 16 ordered pairs differ.
        let (halves, whole) = (Labels::new(&[0, 0, 1, 1]), Labels::new(&[0, 0, 0, 0]));
        assert!((Loss::VariationOfInformation.between(&halves, &whole) - 2f64.ln()).abs() < 1e-15);
        assert_eq!(Loss::Binder.between(&halves, &whole), 0.5);
        assert_eq!(Loss::Binder.between(&halves, &halves), 0.0);
        // {0 1}{2 3} and {0 2}{1 3} know nothing of each other.
        let other = Labels::new(&[0, 1, 0, 1]);
        assert!((Loss::VariationOfInformation.between(&halves, &other) - 2.0 * 2f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn the_estimate_is_the_sample_that_is_nearest_to_all() {
        let most = Labels::new(&[0, 0, 0, 1, 1, 1]);
        let samples: Vec<Labels> = (0..9)
            .map(|at| if at % 3 == 0 { Labels::new(&[0, 0, 1, 1, 1, at / 3 % 2]) } else { most.clone() })
            .collect();
        for loss in [Loss::VariationOfInformation, Loss::Binder] {
            let (found, expected) = point_estimate(&samples, loss);
            let of = |labels: &Labels| {
                samples.iter().map(|sample| loss.between(labels, sample)).sum::<f64>() / 9.0
            };
            assert_eq!(found, most);
            assert!(
                (expected - of(&most)).abs() < 1e-15 && samples.iter().all(|sample| of(sample) >= expected)
            );
        }
    }
}
