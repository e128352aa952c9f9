//! The other partitions that a search considered, in words.

use similis::evaluate::adjusted_rand_index;
use similis::latent_graph::{LatentGraphFit, NumberScore, Proposal};

/// The probability from which on another number of clusters is close. Not tuned: one in five.
const LIKELY: f64 = 0.2;

/// A note on a runner-up with nearly the same score and a different partition.
pub(super) fn close_rival(proposals: &[Proposal]) -> Option<String> {
    // A difference of score in nats. Not tuned.
    const CLOSE: f64 = 3.0;
    // An adjusted Rand index: below it partitions count as different. Not tuned.
    const UNLIKE: f64 = 0.9;
    let (best, others) = proposals.split_first()?;
    let behind = |other: &Proposal| best.score.total() - other.score.total();
    let agreement = |other: &Proposal| adjusted_rand_index(&best.labels, &other.labels).unwrap_or(0.0);
    let rival = others.iter().find(|other| behind(other) < CLOSE && agreement(other) < UNLIKE)?;
    Some(format!(
        "note: a different partition: {}, ARI {:.2} with the answer: {}",
        difference(behind(rival)),
        agreement(rival),
        proposal_name(rival)
    ))
}

/// A note on another number of clusters that is nearly as probable.
pub(super) fn close_number(fit: &LatentGraphFit) -> Option<String> {
    let n = fit.labels.n_clusters();
    let answer = fit.numbers.iter().find(|row| row.n_clusters == n)?;
    let others = fit.numbers.iter().filter(|row| row.n_clusters != n);
    let next = others.max_by(|a, b| a.total().total_cmp(&b.total()))?;
    (next.probability >= LIKELY).then(|| number_in_doubt(answer, next))
}

fn number_in_doubt(answer: &NumberScore, next: &NumberScore) -> String {
    let (n, other) = (answer.n_clusters, next.n_clusters);
    let behind = (answer.total() - next.total()).max(0.0);
    let clusters = if n == 1 { "cluster" } else { "clusters" };
    let probability = next.probability;
    format!(
        "note: another number is close: {n} {clusters}, but k = {other} scores only {behind:.1} lower (probability {probability:.2})"
    )
}

/// How much lower the score of a runner-up is. Where the number of clusters is chosen, its own score also chooses among
/// partitions, so that a runner-up may have the higher score of partitions.
fn difference(behind: f64) -> String {
    if behind < 0.0 {
        format!("score {:.1} higher, but lower by the score of the number", -behind)
    } else {
        format!("score {behind:.1} lower")
    }
}

/// Where a partition came from, in words.
pub(crate) fn proposal_name(proposal: &Proposal) -> String {
    let moved = if proposal.refined { ", then local search" } else { "" };
    format!("{}{moved}", proposal.start)
}

/// The start of the best partition, and the runners-up.
pub(super) fn proposal_lines(proposals: &[Proposal]) -> Vec<String> {
    const SHOWN: usize = 3;
    let Some((best, others)) = proposals.split_first() else { return Vec::new() };
    let mut lines = vec![format!("best start: {}", proposal_name(best))];
    // A partition with a cluster that is not connected by observed pairs is impossible.
    let possible = others.iter().filter(|other| other.score.total().is_finite());
    for other in possible.take(SHOWN) {
        let behind = best.score.total() - other.score.total();
        let agreement = adjusted_rand_index(&best.labels, &other.labels).unwrap_or(0.0);
        let name = proposal_name(other);
        lines.push(format!("  runner-up: {}, ARI {agreement:.2}: {name}", difference(behind)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use similis::evaluate::shapes::{Shape, draw};
    use similis::{Dissimilarity, LatentGraph, Metric};

    use super::*;

    #[test]
    fn a_number_that_is_nearly_as_good_is_noted() {
        let points = draw(Shape::FiveBlobs, 100, 0).unwrap().points;
        let pairs = Dissimilarity::from_points(points, Metric::Euclidean).unwrap();
        let mut fit = LatentGraph::default().fit(&pairs, &[]).unwrap();
        assert_eq!(close_number(&fit), None);
        let answer = fit.numbers.iter().find(|row| row.n_clusters == 5).unwrap().total();
        let other = fit.numbers.iter_mut().find(|row| row.n_clusters == 4).unwrap();
        other.valleys += answer - other.total() - 1.04;
        other.probability = 0.25;
        let note =
            "note: another number is close: 5 clusters, but k = 4 scores only 1.0 lower (probability 0.25)";
        assert_eq!(close_number(&fit).as_deref(), Some(note));
    }

    #[test]
    fn a_runner_up_with_the_higher_score_is_not_said_to_be_lower() {
        assert_eq!(difference(4.06), "score 4.1 lower");
        assert_eq!(difference(-57.6), "score 57.6 higher, but lower by the score of the number");
    }
}
