//! Points renumbered so that near ones have near numbers: what a search looks at together is then close in memory.

use crate::constraints::Constraints;
use crate::error::Error;
use crate::graph::neighbours::kd_tree::near_order;
use crate::input::Dissimilarity;
use crate::input::labels::Labels;
use crate::latent_graph::context::modes::{DensityModes, Mode};
use crate::latent_graph::fit::{ClassLink, LatentGraphFit};
use crate::latent_graph::search::number::NumberScore;
use crate::latent_graph::search::partition::Proposal;

/// Another order of the points.
#[derive(Debug)]
pub(crate) struct Nearby {
    /// The number that the point at each place has in the caller's order.
    order: Vec<usize>,
}

impl Nearby {
    /// The order of the leaves of a kd-tree, where there are points in few dimensions.
    pub(crate) fn new(observed: &Dissimilarity<'_>) -> Option<Self> {
        observed.points().and_then(near_order).map(|order| Self { order })
    }

    /// The number in the caller's order of the point at each place.
    pub(crate) fn order(&self) -> &[usize] {
        &self.order
    }

    pub(crate) fn observed(&self, observed: &Dissimilarity<'_>) -> Result<Dissimilarity<'static>, Error> {
        observed.restricted(&self.order)
    }

    pub(crate) fn constraints(&self, constraints: &Constraints) -> Constraints {
        constraints.in_order(&self.order)
    }

    /// A fit of the points in this order as one in the caller's.
    pub(crate) fn restored(&self, fit: LatentGraphFit) -> LatentGraphFit {
        let (labels, classes) = self.labels(&fit.labels);
        let mut number = vec![0; classes.len()];
        classes.iter().enumerate().for_each(|(new, &old)| number[old] = new);
        let link = |link: &ClassLink| {
            let ends = [self.order[link.from], self.order[link.to]];
            let [from, to] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
            ClassLink { from, to, class: number[link.class], length: link.length }
        };
        let mut graph: Vec<ClassLink> = fit.graph.iter().map(link).collect();
        graph.sort_by_key(|link| link.class);
        LatentGraphFit {
            labels,
            graph,
            scales: classes.iter().map(|&class| fit.scales[class]).collect(),
            spreads: classes.iter().map(|&class| fit.spreads[class]).collect(),
            proposals: fit.proposals.into_iter().map(|proposal| self.proposal(proposal)).collect(),
            modes: fit.modes.map(|modes| self.modes(modes)),
            numbers: fit.numbers.into_iter().map(|row| self.number(row)).collect(),
            ..fit
        }
    }

    fn modes(&self, modes: DensityModes) -> DensityModes {
        let own = |mode: Mode| Mode {
            peak: self.order[mode.peak],
            saddle: mode.saddle.map(|ends| ends.map(|end| self.order[end])),
            ..mode
        };
        DensityModes { modes: modes.modes.into_iter().map(own).collect(), ..modes }
    }

    fn number(&self, mut row: NumberScore) -> NumberScore {
        row.labels = self.labels(&row.labels).0;
        row
    }

    fn proposal(&self, proposal: Proposal) -> Proposal {
        let (labels, classes) = self.labels(&proposal.labels);
        let mut score = proposal.score;
        score.classes = classes.iter().map(|&class| score.classes[class]).collect();
        Proposal { labels, score, ..proposal }
    }

    /// Labels in the caller's order, and the cluster here of each there.
    fn labels(&self, labels: &Labels) -> (Labels, Vec<usize>) {
        let mut here = vec![0; self.order.len()];
        self.order.iter().zip(labels.as_slice()).for_each(|(&i, &class)| here[i] = class);
        let labels = Labels::new(&here);
        let mut classes = vec![0; labels.n_clusters()];
        labels.as_slice().iter().zip(here).for_each(|(&there, here)| classes[there] = here);
        (labels, classes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::shapes::{Shape, draw};
    use crate::input::metric::Metric;
    use crate::input::points::Points;
    use crate::latent_graph::LatentGraph;
    use crate::latent_graph::settings::inference::{Inference, SearchParts, SearchSettings};
    use crate::settings::n_clusters::NClusters;

    /// Points that already stand in the order of the leaves, and the same points in another.
    fn in_both_orders() -> (Dissimilarity<'static>, Dissimilarity<'static>, Vec<usize>) {
        let drawn = draw(Shape::FiveBlobs, 240, 3).unwrap();
        let strewn = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
        let nearby = Nearby::new(&strewn).unwrap();
        (nearby.observed(&strewn).unwrap(), strewn, nearby.order)
    }

    #[test]
    fn the_answer_is_that_of_the_other_order_under_the_callers_numbers() {
        let (sorted, strewn, order) = in_both_orders();
        let parts = SearchParts { whole: false, ..SearchParts::default() };
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
        let places = Points::new(vec![4.0, 0.0, 3.0, 1.0, 2.0, 5.0], 6, 1).unwrap();
        let observed = Dissimilarity::from_points(places, Metric::Euclidean).unwrap();
        let nearby = Nearby { order: vec![1, 3, 4, 2, 0, 5] };
        let known = [Some(1), None, None, None, Some(0), None];
        let constraints = Constraints::new(&(&known).into(), 6).unwrap();
        let sorted = [None, None, Some(0), None, Some(1), None];
        let expected = Constraints::new(&(&sorted).into(), 6).unwrap();
        let found = nearby.constraints(&constraints);
        for labels in [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 0], [0, 1, 0, 1, 0, 1]] {
            assert_eq!(found.obeyed_by(&labels), expected.obeyed_by(&labels));
        }
        let own = nearby.observed(&observed).unwrap();
        assert_eq!((own.pair(0, 5), own.pair(2, 4)), (Some(5.0), Some(2.0)));
    }
}
