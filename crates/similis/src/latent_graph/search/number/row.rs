//! A row of the table of numbers of clusters.

use std::sync::Arc;

use crate::input::labels::Labels;

/// The score of the best partition into M clusters; rows of different M can be compared.
///
/// $$ \log P(M) + \log P(C | M) + \log P(\text{trees} | C) + \log \frac{p(L | \text{trees})}{p_0(L)} - V(C)
/// - \frac{\lambda N}{4} \sum_c P(\text{leave } c) $$
///
/// $P(M) \propto q^{M - 1}$ with $q = (1 + N / 10)^{-1/2}$; P(1) is $e^{1.5}$ times that. Links are exponential, the paper's Eq. (8), their scales integrated
/// out; $p_0$ is what any two points are apart, as if scattered over a plane: $2 L s_0^{-2} e^{-(L / s_0)^2}$. V(C) is what
/// the data say against one mode where a cluster has several: the log-likelihood ratios of the significant valleys inside
/// clusters.
///
/// As in [`PartitionScore`](crate::latent_graph::search::score::PartitionScore) the term of the random walk is not a log
/// probability. It is the normalised cut, a sum over clusters: a mean would fall with every cluster that is far from the others.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberScore {
    /// Number of clusters M.
    pub n_clusters: usize,
    /// $\log P(M) + \log P(C | M) + \log P(\text{trees} | C)$, up to a constant.
    pub prior: f64,
    /// The log evidence of the lengths minus the log density of the links under the background.
    pub evidence: f64,
    /// The penalty of the random walk: the normalised cut.
    pub walk: f64,
    /// $-V(C)$: the penalty of the valleys inside clusters.
    pub valleys: f64,
    /// Minus the weights of the soft pairs that the partition breaks; 0 where there are none.
    pub side: f64,
    /// Whether the partition is the best of a whole search; otherwise it is the best cut of linkages, or by modes.
    pub searched: bool,
    /// How probable the number is, given that it is one of those tried; as sure as it is often right on simulated scenes.
    pub probability: f64,
    /// The partition: see [`NumberScore::labels`].
    pub(crate) partition: RowPartition,
}

/// A partition of all points; where a sample stands for them, it is kept as a partition of that.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RowPartition {
    pub(crate) labels: Labels,
    /// For each point the one of those with labels that stands for it, shared by all rows; `None` where each stands for itself.
    pub(crate) representatives: Option<Arc<Vec<u32>>>,
}

impl NumberScore {
    /// The sum of all terms.
    pub fn total(&self) -> f64 {
        self.prior + self.evidence + self.walk + self.valleys + self.side
    }

    /// The best partition into this number of clusters.
    pub fn labels(&self) -> Labels {
        let RowPartition { labels, representatives } = &self.partition;
        let Some(representatives) = representatives else { return labels.clone() };
        let own: Vec<usize> = representatives.iter().map(|&at| labels.as_slice()[at as usize]).collect();
        Labels::of_numbers(&own)
    }

    /// The same row with another partition.
    pub(crate) fn with_labels(self, labels: Labels) -> Self {
        Self { partition: RowPartition { labels, representatives: None }, ..self }
    }
}
