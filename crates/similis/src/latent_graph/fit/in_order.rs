//! Fits in the canonical order of the points: ties are then broken alike, whatever the order of the rows.

use std::sync::Arc;

use crate::constraints::Constraints;
use crate::constraints::side_information::SideInformation;
use crate::error::Error;
use crate::graph::canonical::Canonical;
use crate::graph::shared::reordered;
use crate::input::labels::Labels;
use crate::latent_graph::context::modes::{DensityModes, Mode};
use crate::latent_graph::context::task::{Range, Task};
use crate::latent_graph::fit::{ClassLink, LatentGraphFit};
use crate::latent_graph::posterior::co_assignment::CoAssignment;
use crate::latent_graph::posterior::summary::Posterior;
use crate::latent_graph::search::number::NumberScore;
use crate::latent_graph::search::partition::Proposal;

/// Fits the points in their canonical order, and returns the fit in the caller's.
///
/// Equal points stay together, unless side information parts them, or there are fewer different points than clusters.
pub(crate) fn fit_canonical(
    task: Task<'_>,
    side: &SideInformation,
    fit: impl FnOnce(Task<'_>, &SideInformation) -> Result<LatentGraphFit, Error>,
) -> Result<LatentGraphFit, Error> {
    let told = side.per_point(task.observed.n_points());
    let canonical = Canonical::new(task.observed, task.weights).with_equal_by(|i| told[i]);
    let given = task.constraints.in_order(&canonical.order);
    let (constraints, range) = together(&given, task.range, &canonical.equal);
    if canonical.is_given() {
        return fit(Task { range, constraints: &constraints, ..task }, side);
    }
    let observed = reordered(task.observed, &canonical.order)?;
    let weights: Vec<f64> = canonical.order.iter().filter_map(|&i| task.weights.get(i).copied()).collect();
    let own = Task { observed: &observed, range, constraints: &constraints, weights: &weights, ..task };
    let found = fit(own, &side.in_order(&canonical.order))?;
    Ok(Restored { canonical: &canonical }.fit(found))
}

/// The constraints under which equal points stay together, and the numbers of clusters that are left; without that, where too
/// few are.
fn together(constraints: &Constraints, range: Range, equal: &Labels) -> (Constraints, Range) {
    let tied = constraints.with_equal(equal);
    let least = tied.n_clusters_near(range.least);
    let most = range.most.min(tied.most_clusters_of(equal.n_points()));
    if range.least <= least && least <= most && (range.least < range.most || tied.check(most).is_ok()) {
        return (tied, Range { least, most, ..range });
    }
    let each: Vec<usize> = (0..equal.n_points()).collect();
    (constraints.with_equal(&Labels::new(&each)), range)
}

/// Turns what was found in the canonical order into what it is in the caller's.
struct Restored<'a> {
    canonical: &'a Canonical,
}

impl Restored<'_> {
    /// A fit of the points in this order as one in the caller's.
    fn fit(&self, fit: LatentGraphFit) -> LatentGraphFit {
        let order = &self.canonical.order;
        let (labels, classes) = self.canonical.restored(&fit.labels);
        let mut number = vec![0; classes.len()];
        classes.iter().enumerate().for_each(|(new, &old)| number[old] = new);
        let link = |link: ClassLink| {
            let ends = [order[link.from], order[link.to]];
            let [from, to] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
            ClassLink { from, to, class: number[link.class], length: link.length }
        };
        // In place: there may be very many links.
        let mut graph: Vec<ClassLink> = fit.graph.into_iter().map(link).collect();
        graph.sort_by_key(|link| link.class);
        let mut noise: Vec<usize> = fit.noise.iter().map(|&place| order[place]).collect();
        noise.sort_unstable();
        LatentGraphFit {
            noise,
            posterior: fit.posterior.map(|posterior| self.posterior(posterior, &labels, &classes)),
            labels,
            graph,
            scales: classes.iter().map(|&class| fit.scales[class]).collect(),
            spreads: classes.iter().map(|&class| fit.spreads[class]).collect(),
            proposals: fit.proposals.into_iter().map(|proposal| self.proposal(proposal)).collect(),
            modes: fit.modes.map(|modes| self.modes(modes)),
            numbers: self.numbers(fit.numbers),
            ..fit
        }
    }

    fn modes(&self, modes: DensityModes) -> DensityModes {
        let own = |mode: Mode| Mode {
            peak: self.canonical.order[mode.peak],
            saddle: mode.saddle.map(|ends| ends.map(|end| self.canonical.order[end])),
            ..mode
        };
        DensityModes { modes: modes.modes.into_iter().map(own).collect(), ..modes }
    }

    /// Rows of a sample, or of clusters that are joined, share their representatives, here as there.
    fn numbers(&self, rows: Vec<NumberScore>) -> Vec<NumberScore> {
        let shared = rows.iter().find_map(|row| row.partition.representatives.as_ref()).map(|theirs| {
            let mut own = vec![0; theirs.len()];
            self.canonical.order.iter().zip(&**theirs).for_each(|(&i, &at)| own[i] = at);
            Arc::new(own)
        });
        let number = |mut row: NumberScore| {
            match (&mut row.partition.representatives, &shared) {
                (Some(own), Some(shared)) => *own = Arc::clone(shared),
                _ => row.partition.labels = self.canonical.restored(&row.partition.labels).0,
            }
            row
        };
        rows.into_iter().map(number).collect()
    }

    fn proposal(&self, proposal: Proposal) -> Proposal {
        let (labels, classes) = self.canonical.restored(&proposal.labels);
        let mut score = proposal.score;
        score.classes = classes.iter().map(|&class| score.classes[class]).collect();
        Proposal { labels, score, ..proposal }
    }

    fn posterior(&self, posterior: Posterior, labels: &Labels, classes: &[usize]) -> Posterior {
        let m = posterior.n_columns;
        let mut memberships = vec![0.0; posterior.memberships.len()];
        for (row, &i) in posterior.memberships.chunks(m.max(1)).zip(&self.canonical.order) {
            classes.iter().enumerate().for_each(|(new, &old)| memberships[i * m + new] = row[old]);
        }
        let co_assignment = self.co_assignment(&posterior.co_assignment, labels.n_points());
        let samples =
            posterior.samples.into_iter().map(|sample| self.canonical.restored(&sample).0).collect();
        Posterior { samples, memberships, co_assignment, ..posterior }
    }

    fn co_assignment(&self, found: &CoAssignment, n_points: usize) -> CoAssignment {
        let order = &self.canonical.order;
        match found {
            CoAssignment::Dense(_) => {
                let mut place = vec![0; n_points];
                order.iter().enumerate().for_each(|(at, &i)| place[i] = at);
                let of = |i: usize, j: usize| found.pair(n_points, place[i], place[j]).unwrap_or(f64::NAN);
                let mut values = Vec::with_capacity(n_points * n_points.saturating_sub(1) / 2);
                (0..n_points).for_each(|i| values.extend((i + 1..n_points).map(|j| of(i, j))));
                CoAssignment::Dense(values)
            }
            CoAssignment::Sparse(pairs) => {
                let pair = |&(i, j, probability): &(usize, usize, f64)| {
                    (order[i].min(order[j]), order[i].max(order[j]), probability)
                };
                let mut pairs: Vec<(usize, usize, f64)> = pairs.iter().map(pair).collect();
                pairs.sort_by_key(|&(i, j, _)| (i, j));
                CoAssignment::Sparse(pairs)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::shapes::{Shape, draw};
    use crate::input::Dissimilarity;
    use crate::input::metric::Metric;
    use crate::latent_graph::LatentGraph;
    use crate::latent_graph::settings::inference::{Inference, SearchPart, SearchParts, SearchSettings};
    use crate::settings::n_clusters::NClusters;

    /// Points that already stand in the order of the leaves, and the same points in another.
    fn in_both_orders() -> (Dissimilarity<'static>, Dissimilarity<'static>, Vec<usize>) {
        let drawn = draw(Shape::FiveBlobs, 240, 3).unwrap();
        let strewn = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
        let order = Canonical::new(&strewn, &[]).order;
        (strewn.restricted(&order).unwrap(), strewn, order)
    }

    #[test]
    fn the_answer_is_that_of_the_other_order_under_the_callers_numbers() {
        let (sorted, strewn, order) = in_both_orders();
        let parts = SearchParts::ALL.without(SearchPart::WholeSearch);
        let inference = Some(Inference::Search(SearchSettings { parts, ..SearchSettings::default() }));
        let settings = LatentGraph { n_clusters: NClusters::Exactly(4), inference, ..LatentGraph::default() };
        let (own, fit) = (settings.fit(&sorted, &[]).unwrap(), settings.fit(&strewn, &[]).unwrap());
        let names: Vec<usize> = order.iter().map(|&i| fit.labels.as_slice()[i]).collect();
        assert_eq!(Labels::new(&names), own.labels);
        for (place, &i) in order.iter().enumerate() {
            let (here, there) = (own.labels.as_slice()[place], fit.labels.as_slice()[i]);
            assert!((own.scales[here] / fit.scales[there] - 1.0).abs() < 1e-12);
            assert!((own.spreads[here] / fit.spreads[there] - 1.0).abs() < 1e-12);
            let class = |fit: &LatentGraphFit, class: usize| fit.proposals[0].score.classes[class];
            assert_eq!(class(&own, here).size, class(&fit, there).size);
            assert!((class(&own, here).evidence / class(&fit, there).evidence - 1.0).abs() < 1e-12);
        }
        for link in &fit.graph {
            assert_eq!(strewn.pair(link.from, link.to), Some(link.length));
            assert!([link.from, link.to].iter().all(|&i| fit.labels.as_slice()[i] == link.class));
        }
        assert_eq!(fit.graph.len(), 240 - 4);
        let (total, other) = (fit.log_joint.total(), own.log_joint.total());
        assert!((total / other - 1.0).abs() < 1e-12, "{total} and {other}");
    }

    #[test]
    fn side_information_is_of_the_same_points() {
        let order = vec![1, 3, 4, 2, 0, 5];
        let known = [Some(1), None, None, None, Some(0), None];
        let side = SideInformation { must_link: vec![(2, 5)], ..SideInformation::from(&known) };
        let constraints = Constraints::new(&side, 6).unwrap();
        let expected = Constraints::new(&side.in_order(&order), 6).unwrap();
        assert_eq!(side.in_order(&order).known_labels, [None, None, Some(0), None, Some(1), None]);
        let found = constraints.in_order(&order);
        for labels in [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 0], [0, 1, 0, 1, 0, 1], [0, 0, 0, 1, 0, 1]] {
            assert_eq!(found.obeyed_by(&labels), expected.obeyed_by(&labels));
        }
    }
}
