//! A partition, its origin and its score.

use crate::input::labels::Labels;
use crate::latent_graph::search::score::PartitionScore;
use crate::latent_graph::search::starts::origin::Start;

/// A partition during the search.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Partition {
    /// Its origin.
    pub(crate) start: Start,
    /// The cluster of each point, 0 .. M; without known labels in the order of first appearance.
    pub(crate) labels: Vec<usize>,
    /// Whether local search has changed it.
    pub(crate) refined: bool,
    /// For a start built from side information: the number of constrained points that cross-validation gets wrong; else 0.
    pub(crate) n_missed: f64,
    /// Its score, once it is known.
    pub(crate) score: Option<PartitionScore>,
}

impl Partition {
    /// A start that was not built from side information.
    pub(crate) fn new(start: Start, labels: Vec<usize>) -> Self {
        Self { start, labels, refined: false, n_missed: 0.0, score: None }
    }

    /// The result of local search from this partition.
    pub(crate) fn refined_to(&self, labels: Vec<usize>) -> Self {
        Self { labels, refined: true, score: None, ..self.clone() }
    }
}

/// A partition that the search considered, with its score.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// Its origin.
    pub start: Start,
    /// Whether local search changed it.
    pub refined: bool,
    /// The partition.
    pub labels: Labels,
    /// Its score.
    pub score: PartitionScore,
}
