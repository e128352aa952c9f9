//! What draws from the posterior say.

use crate::graph::lengths::Lengths;
use crate::input::labels::Labels;
use crate::latent_graph::posterior::co_assignment::CoAssignment;
use crate::latent_graph::posterior::diagnostics::Diagnostics;
use crate::latent_graph::posterior::estimate::point_estimate;
use crate::latent_graph::settings::inference::Loss;

/// How probable a number of classes is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumberProbability {
    /// Number of classes M.
    pub n_clusters: usize,
    /// $P(M | L)$.
    pub probability: f64,
}

/// The posterior over partitions, as draws from it tell.
///
/// $$ \pi(C, M) \propto P(M) \, P(C | M) \prod_c \int p(\beta_c) \, n_c^{-(n_c - 2)} \sum_T \prod_{e \in T}
/// \frac{p(L_e | \beta_c)}{p_0(L_e)} \, d\beta_c $$
#[derive(Clone, Debug, PartialEq)]
pub struct Posterior {
    /// Partitions drawn, chain after chain.
    pub samples: Vec<Labels>,
    /// The probability of each point's classes, point after point, in the numbering of the labels: the part of the samples in
    /// which it is in the class that stands for that label. Each point's add up to 1.
    pub memberships: Vec<f64>,
    /// Number of classes of the labels: how many memberships a point has.
    pub n_columns: usize,
    /// How probable it is that two points share a class.
    pub co_assignment: CoAssignment,
    /// How probable each number of classes is, rising; of those that were met.
    pub numbers: Vec<NumberProbability>,
    /// The log joint of every chain after each sweep: labels and trees, scales integrated out.
    pub traces: Vec<Vec<f64>>,
    /// So many sweeps at the beginning of each chain were left out.
    pub burn_in: usize,
    /// R-hat of the log joint over halves of chains: 1 where they have met; NaN for too few sweeps.
    pub r_hat: f64,
    /// How many independent draws the chains are worth, as the log joint tells; NaN for too few sweeps.
    pub effective_sample_size: f64,
    /// What the labels are the least expected loss of.
    pub loss: Loss,
    /// That loss.
    pub expected_loss: f64,
}

/// What chains drew.
pub(crate) struct Draws {
    pub(crate) traces: Vec<Vec<f64>>,
    pub(crate) samples: Vec<Labels>,
    pub(crate) first_kept: usize,
}

impl Posterior {
    /// The labels of the least expected loss, and all else that at least one draw says.
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

    /// How unsure each point's class is: the entropy of its memberships in nats, 0 where there is no doubt.
    pub fn entropies(&self) -> Vec<f64> {
        let term = |&p: &f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
        self.memberships.chunks(self.n_columns.max(1)).map(|row| row.iter().map(term).sum()).collect()
    }
}

/// How often each point is in the class that stands for each label.
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

/// The label that each class of a sample stands for: classes and labels are paired, those that share the most points first; a
/// class that is left over stands for the label that it shares the most points with.
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

/// How often each number of classes was met.
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
        // The first class shares four points with label 0; the second none with label 1, but no other class does.
        assert_eq!(stand_for(&labels, &Labels::new(&[0, 0, 0, 1, 0])), [0, 1]);
        assert_eq!(stand_for(&labels, &Labels::new(&[0, 1, 1, 1, 0])), [1, 0]);
        // Three classes for two labels: what is left over goes where most of it is.
        assert_eq!(stand_for(&labels, &Labels::new(&[0, 0, 1, 1, 2])), [0, 0, 1]);
    }

    #[test]
    fn memberships_and_numbers_by_hand() {
        let labels = Labels::new(&[0, 0, 1]);
        let samples =
            [Labels::new(&[0, 0, 1]), Labels::new(&[0, 1, 1]), Labels::new(&[0, 0, 0]), labels.clone()];
        // In the second sample class 1 stands for label 0 or 1; it shares one point with each, and the first pair wins.
        let found = memberships(&labels, &samples);
        assert_eq!(found, [1.0, 0.0, 0.75, 0.25, 0.25, 0.75]);
        let row = |n_clusters, probability| NumberProbability { n_clusters, probability };
        assert_eq!(numbers(&samples), [row(1, 0.25), row(2, 0.75)]);
    }
}
