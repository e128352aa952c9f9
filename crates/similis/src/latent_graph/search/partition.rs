//! A partition: where it came from, what it is worth.

use crate::input::labels::Labels;
use crate::latent_graph::search::score::PartitionScore;
use crate::latent_graph::search::starts::origin::Start;

/// A partition on its way through the search.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Partition {
    /// Where it came from.
    pub(crate) start: Start,
    /// The cluster of each point, 0 .. M; without known labels in the order of first appearance.
    pub(crate) labels: Vec<usize>,
    /// Whether local search has moved it on from its start.
    pub(crate) refined: bool,
    /// For a start built from side information: the number of constrained points that cross-validation gets wrong; else 0.
    pub(crate) n_missed: f64,
    /// What it is worth, once it is known.
    pub(crate) score: Option<PartitionScore>,
}

impl Partition {
    /// A start that side information took no part in.
    pub(crate) fn new(start: Start, labels: Vec<usize>) -> Self {
        Self { start, labels, refined: false, n_missed: 0.0, score: None }
    }

    /// What local search made of this partition.
    pub(crate) fn refined_to(&self, labels: Vec<usize>) -> Self {
        Self { labels, refined: true, score: None, ..self.clone() }
    }
}

/// A partition that the search considered, with its score.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// Where it came from.
    pub start: Start,
    /// Whether local search moved it on from there.
    pub refined: bool,
    /// The partition.
    pub labels: Labels,
    /// What it is worth.
    pub score: PartitionScore,
}
