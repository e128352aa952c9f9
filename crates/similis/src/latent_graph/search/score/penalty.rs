//! The penalty of side information on a partition that obeys it.

use crate::latent_graph::context::Context;
use crate::latent_graph::search::partition::Partition;
use crate::latent_graph::search::problem::Problem;
use crate::latent_graph::search::score::PartitionScore;

/// Penalty of each constrained point that a partition gets wrong, in units of $\log N$. Chosen among 0.5 to 3 in
/// `docs/evidence/side-information.md`.
const PRICE: f64 = 1.5;

/// Returns the score with the penalty of side information.
///
/// $$ -\tfrac{3}{2} m \log N $$
///
/// where m is the number of constrained points whose nearest unconstrained neighbour is in another cluster: the constraint
/// moved that point and nothing else. For a partition built from the constraints, which may have moved the neighbourhood too,
/// m is their 5-fold cross-validation error if that is larger.
pub(crate) fn judged(score: PartitionScore, partition: &Partition, problem: &Problem<'_>) -> PartitionScore {
    if !problem.constraints.is_informed() {
        return score;
    }
    let missed = partition.n_missed.max(n_stray(&partition.labels, problem));
    PartitionScore { side: -price(problem.context) * missed, ..score }
}

/// The number of constrained points that a partition with this score gets wrong.
pub(crate) fn missed(score: &PartitionScore, context: &Context<'_>) -> f64 {
    if score.side < 0.0 { -score.side / price(context) } else { 0.0 }
}

fn price(context: &Context<'_>) -> f64 {
    PRICE * (context.n_points() as f64).ln()
}

/// The number of constrained points that have another cluster than their nearest unconstrained neighbour.
fn n_stray(labels: &[usize], problem: &Problem<'_>) -> f64 {
    let Problem { context, constraints, .. } = problem;
    let strays = |&i: &usize| {
        let nearest = context.neighbours.of(i).find(|&(j, _)| !constraints.is_told(j));
        nearest.is_some_and(|(j, _)| labels[j] != labels[i])
    };
    constraints.bound().filter(strays).count() as f64
}
