//! The penalty of side information on a partition that obeys it.

#[cfg(doc)]
use crate::constraints::soft::Soft;
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
/// m is their 5-fold cross-validation error if that is larger. Soft pairs add theirs ([`Soft::penalty`]).
pub(crate) fn judged(score: PartitionScore, partition: &Partition, problem: &Problem<'_>) -> PartitionScore {
    let soft = problem.constraints.soft().penalty(&partition.labels);
    if !problem.constraints.is_informed() {
        return PartitionScore { side: 0.0 + soft, ..score };
    }
    let missed = partition.n_missed.max(n_stray(&partition.labels, problem));
    PartitionScore { side: -price(problem.context) * missed + soft, ..score }
}

/// The number of constrained points that a partition with this score gets wrong.
pub(crate) fn missed(score: &PartitionScore, labels: &[usize], problem: &Problem<'_>) -> f64 {
    let soft = problem.constraints.soft().penalty(labels);
    // What is left of the sum may be off by rounding.
    let n_missed = (soft - score.side) / price(problem.context);
    if n_missed > 1e-9 { n_missed } else { 0.0 }
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
