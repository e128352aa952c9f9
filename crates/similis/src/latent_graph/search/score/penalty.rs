//! What side information says against a partition that obeys it.

use crate::latent_graph::context::Context;
use crate::latent_graph::search::partition::Partition;
use crate::latent_graph::search::problem::Problem;
use crate::latent_graph::search::score::PartitionScore;

/// What each point costs that a partition misses, in units of $\log N$; `docs/side-information.md` has what was tried.
const PRICE: f64 = 1.5;

/// Returns the score with what side information says against the partition.
///
/// $$ -\tfrac{3}{2} m \log N $$
///
/// for m points missed, of those of which something is said. All partitions obey, so that none is wrong about these as it
/// stands; but one to which a point was added that belongs elsewhere shows it: its nearest neighbour of which nothing is said
/// has another class. One in whose making side information took part may have followed it into the neighbourhood: of it
/// the points count too that its maker is wrong about when they are held out.
pub(crate) fn judged(score: PartitionScore, partition: &Partition, problem: &Problem<'_>) -> PartitionScore {
    if problem.constraints.is_empty() {
        return score;
    }
    let missed = partition.n_missed.max(n_stray(&partition.labels, problem));
    PartitionScore { side: -price(problem.context) * missed, ..score }
}

/// How many points a partition with this score missed.
pub(crate) fn missed(score: &PartitionScore, context: &Context<'_>) -> f64 {
    if score.side < 0.0 { -score.side / price(context) } else { 0.0 }
}

fn price(context: &Context<'_>) -> f64 {
    PRICE * (context.n_points() as f64).ln()
}

/// How many of the points of which something is said have another class than their nearest neighbour of the others.
fn n_stray(labels: &[usize], problem: &Problem<'_>) -> f64 {
    let Problem { context, constraints, .. } = problem;
    let strays = |&i: &usize| {
        let nearest = context.neighbours.of(i).find(|&(j, _)| !constraints.is_bound(j));
        nearest.is_some_and(|(j, _)| labels[j] != labels[i])
    };
    constraints.bound().filter(strays).count() as f64
}
