//! Summaries of draws from the posterior.

use crate::graph::lengths::Lengths;
use crate::input::labels::Labels;
use crate::latent_graph::posterior::co_assignment::CoAssignment;
use crate::latent_graph::posterior::diagnostics::Diagnostics;
use crate::latent_graph::posterior::estimate::point_estimate;
use crate::latent_graph::settings::inference::Loss;

/// How probable a number of clusters is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumberProbability {
    /// Number of clusters M.
    pub n_clusters: usize,
    /// $P(M | L)$.
    pub probability: f64,
}

/// The posterior over partitions, estimated from draws.
///
/// $$ \pi(C, M) \propto P(M) \, P(C | M) \prod_c \int p(\beta_c) \, n_c^{-(n_c - 2)} \sum_T \prod_{e \in T}
/// \frac{p(L_e | \beta_c)}{p_0(L_e)} \, d\beta_c $$
#[derive(Clone, Debug, PartialEq)]
pub struct Posterior {
    /// Partitions drawn, chain after chain.
    pub samples: Vec<Labels>,
    /// The memberships: the probability of each point's clusters, point after point, in the numbering of the labels, as the
    /// fraction of the samples in which it is in the cluster that stands for that label. Those of a point add up to 1.
    pub memberships: Vec<f64>,
    /// Number of clusters of the labels: how many memberships a point has.
    pub n_columns: usize,
    /// How probable it is that two points share a cluster.
    pub co_assignment: CoAssignment,
    /// The probability of each number of clusters, rising; of those that were drawn.
    pub numbers: Vec<NumberProbability>,
    /// The log joint of every chain after each sweep: labels and trees, scales integrated out.
    pub traces: Vec<Vec<f64>>,
    /// Number of sweeps at the beginning of each chain that were discarded as warm-up.
    pub burn_in: usize,
    /// R-hat of the log joint over halves of chains: 1 where they have converged; NaN for too few sweeps.
    pub r_hat: f64,
    /// Effective sample size of the log joint; NaN for too few sweeps.
    pub effective_sample_size: f64,
    /// The loss that the labels minimise.
    pub loss: Loss,
    /// The expected loss of the labels over the samples.
    pub expected_loss: f64,
}

/// The draws of all chains.
pub(crate) struct Draws {
    pub(crate) traces: Vec<Vec<f64>>,
    pub(crate) samples: Vec<Labels>,
    pub(crate) first_kept: usize,
}

impl Posterior {
    /// The labels of least expected loss, and the summaries of at least one draw.
    pub(crate) fn new(draws: Draws, loss: Loss, support: &Lengths<'_>) -> (Labels, Self) {
        let Draws { traces, samples, first_kept } = draws;
        let (labels, expected_loss) = point_estimate(&samples, loss);
        let shortest = traces.iter().map(Vec::len).min().unwrap_or(0);
        // Of chains that were stopped early, the second half.
        let burn_in = if first_kept < shortest { first_kept } else { shortest / 2 };
        let kept: Vec<&[f64]> = traces.iter().map(|trace| &trace[burn_in..shortest]).collect();
        let Diagnostics { r_hat, effective } = Diagnostics::new(&kept);
        let posterior = Self {
            memberships: memberships(&labels, &samples),
            n_columns: labels.n_clusters(),
            co_assignment: CoAssignment::new(&samples, support),
            numbers: numbers(&samples),
            samples,
            traces,
            burn_in,
            r_hat,
            effective_sample_size: effective,
            loss,
            expected_loss,
        };
        (labels, posterior)
    }

    /// The memberships of point `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.memberships[i * self.n_columns..(i + 1) * self.n_columns]
    }

    /// The uncertainty of each point's cluster: the entropy of its memberships in nats, 0 where there is no doubt.
    pub fn entropies(&self) -> Vec<f64> {
        let term = |&p: &f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
        self.memberships.chunks(self.n_columns.max(1)).map(|row| row.iter().map(term).sum()).collect()
    }
}

/// How often each point is in the cluster that stands for each label.
fn memberships(labels: &Labels, samples: &[Labels]) -> Vec<f64> {
    let m = labels.n_clusters();
    let mut counts = vec![0usize; labels.n_points() * m];
    for sample in samples {
        let names = stand_for(labels, sample);
        for (i, &class) in sample.as_slice().iter().enumerate() {
            counts[i * m + names[class]] += 1;
        }
    }
    counts.iter().map(|&count| count as f64 / samples.len() as f64).collect()
}

/// The label that each cluster of a sample stands for: clusters and labels are paired greedily, those that share the most
/// points first; an unpaired cluster stands for the label with which it shares the most points.
fn stand_for(labels: &Labels, sample: &Labels) -> Vec<usize> {
    let m = labels.n_clusters();
    let mut shared = vec![0usize; sample.n_clusters() * m];
    for (class, label) in sample.as_slice().iter().zip(labels.as_slice()) {
        shared[class * m + label] += 1;
    }
    let mut pairs: Vec<usize> = (0..shared.len()).collect();
    pairs.sort_by_key(|&pair| (std::cmp::Reverse(shared[pair]), pair));
    let (mut names, mut taken) = (vec![usize::MAX; sample.n_clusters()], vec![false; m]);
    for &pair in &pairs {
        if names[pair / m] == usize::MAX && !taken[pair % m] {
            names[pair / m] = pair % m;
            taken[pair % m] = true;
        }
    }
    for &pair in &pairs {
        if names[pair / m] == usize::MAX {
            names[pair / m] = pair % m;
        }
    }
    names
}

/// The frequency of each number of clusters.
fn numbers(samples: &[Labels]) -> Vec<NumberProbability> {
    let mut counts = std::collections::BTreeMap::new();
    samples.iter().for_each(|sample| *counts.entry(sample.n_clusters()).or_insert(0usize) += 1);
    let row = |(n_clusters, count): (usize, usize)| NumberProbability {
        n_clusters,
        probability: count as f64 / samples.len() as f64,
    };
    counts.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_stand_for_one_label_each_as_long_as_there_are_labels() {
        let labels = Labels::new(&[0, 0, 0, 0, 1]);
        // The first cluster shares four points with label 0; the second none with label 1, but no other cluster does.
        assert_eq!(stand_for(&labels, &Labels::new(&[0, 0, 0, 1, 0])), [0, 1]);
        assert_eq!(stand_for(&labels, &Labels::new(&[0, 1, 1, 1, 0])), [1, 0]);
        // Three clusters for two labels: what is left over goes where most of it is.
        assert_eq!(stand_for(&labels, &Labels::new(&[0, 0, 1, 1, 2])), [0, 0, 1]);
    }

    #[test]
    fn memberships_and_numbers_by_hand() {
        let labels = Labels::new(&[0, 0, 1]);
        let samples =
            [Labels::new(&[0, 0, 1]), Labels::new(&[0, 1, 1]), Labels::new(&[0, 0, 0]), labels.clone()];
        // In the second sample cluster 1 stands for label 0 or 1; it shares one point with each, and the first pair wins.
        let found = memberships(&labels, &samples);
        assert_eq!(found, [1.0, 0.0, 0.75, 0.25, 0.25, 0.75]);
        let row = |n_clusters, probability| NumberProbability { n_clusters, probability };
        assert_eq!(numbers(&samples), [row(1, 0.25), row(2, 0.75)]);
    }
}
