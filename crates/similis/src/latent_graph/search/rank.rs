//! The order of partitions: best first, each once; and the best that differ.

use crate::evaluate::agreement::adjusted_rand_index;
use crate::input::labels::Labels;
use crate::latent_graph::search::partition::{Partition, Proposal};
use crate::latent_graph::search::score::PartitionScore;

/// Starts whose adjusted Rand index is at least this are alike: refinement would end in the same place. Not tuned.
const ALIKE: f64 = 0.8;

/// Returns the numbers of the scores, greatest value first; of equal ones the first.
pub(crate) fn best_first(scores: &[PartitionScore], value: impl Fn(&PartitionScore) -> f64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    let rank =
        |at: usize| Some(value(&scores[at])).filter(|value| !value.is_nan()).unwrap_or(f64::NEG_INFINITY);
    order.sort_by(|&a, &b| rank(b).total_cmp(&rank(a)));
    order
}

/// Returns the first `most` of some partitions, in this order, no two of which are alike.
pub(crate) fn unlike(partitions: &[Partition], order: Vec<usize>, most: usize) -> Vec<usize> {
    let mut chosen: Vec<(usize, Labels)> = Vec::new();
    for at in order {
        let labels = Labels::of_numbers(&partitions[at].labels);
        let alike = |(_, other): &(usize, Labels)| {
            adjusted_rand_index(other, &labels).is_ok_and(|index| index >= ALIKE)
        };
        if chosen.len() < most && !chosen.iter().any(alike) {
            chosen.push((at, labels));
        }
    }
    chosen.into_iter().map(|(at, _)| at).collect()
}

/// Returns the scored partitions into `n_clusters` clusters, best first, each once.
pub(crate) fn in_order(partitions: Vec<Partition>, n_clusters: usize) -> Vec<Proposal> {
    let scored: Vec<(Partition, PartitionScore)> =
        partitions.into_iter().filter_map(|mut one| one.score.take().map(|score| (one, score))).collect();
    let scores: Vec<PartitionScore> = scored.iter().map(|(_, score)| score.clone()).collect();
    let mut proposals: Vec<Proposal> = Vec::with_capacity(scored.len());
    for at in best_first(&scores, PartitionScore::total) {
        let (partition, score) = &scored[at];
        let labels = Labels::of_numbers(&partition.labels);
        if labels.n_clusters() == n_clusters && proposals.iter().all(|other| other.labels != labels) {
            let (start, refined) = (partition.start, partition.refined);
            proposals.push(Proposal { start, refined, labels, score: score.clone() });
        }
    }
    proposals
}
