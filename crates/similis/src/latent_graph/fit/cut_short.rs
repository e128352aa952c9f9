//! Fits that are cancelled before the neighbours of all points are known.
//!
//! Every step needs the nearest neighbours and the minimum spanning tree, and of very many points in many columns these take
//! minutes. Where a fit is cancelled by then, an even sample of the points is fitted, small enough to be done at once, and every
//! other point joins the cluster of the nearest point of the sample.

use crate::constraints::Constraints;
use crate::constraints::seen::Seen;
use crate::constraints::side_information::SideInformation;
use crate::error::Error;
use crate::graph::neighbours::nearest_of_some::nearest_of_some;
use crate::input::Dissimilarity;
use crate::latent_graph::LatentGraph;
use crate::latent_graph::context::sample::Sample;
use crate::latent_graph::context::task::{Range, Task};
use crate::latent_graph::context::{prepared, prepared_lists};
use crate::latent_graph::fit::LatentGraphFit;
use crate::latent_graph::fit::in_order::fit_canonical;
use crate::latent_graph::settings::inference::{Inference, Noise};
use crate::plan::N_LISTED;
use crate::plan::cost::{Way, cut_size};

/// What neighbours and spanning tree cost, which must be known before a search begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstCost {
    /// Seconds of one processor, about; no result depends on them.
    pub seconds: f64,
    /// Number of points of the sample that is fitted in place of all where a fit is cancelled before they are known; `None` where
    /// they are found nevertheless.
    pub cut_to: Option<usize>,
}

impl LatentGraph {
    /// Returns what neighbours and spanning tree of these pairs cost; `None` for graphs and sparse points, whose costs depend on
    /// their entries.
    ///
    /// ```
    /// use similis::{Dissimilarity, LatentGraph, Metric, Points};
    /// let points = Points::new(vec![0.5; 20_000], 10_000, 2)?;
    /// let cost = LatentGraph::default().first_cost(&Dissimilarity::from_points(points, Metric::Euclidean)?);
    /// assert!(cost.is_some_and(|cost| cost.seconds < 1.0 && cost.cut_to == Some(2_000)));
    /// # Ok::<(), similis::Error>(())
    /// ```
    pub fn first_cost(&self, observed: &Dissimilarity<'_>) -> Option<FirstCost> {
        let (n, n_columns) = (observed.n_points(), observed.n_dimensions().unwrap_or(1));
        let way = match observed.points() {
            Some(points) => Way::of_points(n, n_columns, points.squared(0.0).is_some()),
            None if observed.is_dense() => Way::Pairs,
            None => return None,
        };
        let cut_to = self.cut_size(observed, self.n_clusters.bounds(n).0);
        Some(FirstCost { seconds: way.seconds(n, n_columns), cut_to })
    }

    /// Number of points of the sample that stands for all where the work is cut short.
    fn cut_size(&self, observed: &Dissimilarity<'_>, n_clusters: usize) -> Option<usize> {
        let is_cut = observed.sparse().is_none() && !matches!(self.inference(), Inference::Sample(_));
        let n_columns = observed.n_dimensions().unwrap_or(1);
        cut_size(observed.n_points(), n_columns, n_clusters).filter(|_| is_cut)
    }

    /// The fit of an even sample, extended to all points, if the observer cancels before the neighbours of all and the minimum
    /// spanning tree are known; `None` if they are, and where a sample cannot stand for all: of few points, of graphs, of
    /// posteriors, and where much is known of too many points.
    pub(crate) fn cut_short(
        &self,
        task: Task<'_>,
        side: &SideInformation,
    ) -> Result<Option<LatentGraphFit>, Error> {
        let Some(members) = self.members_if_cut(task, side) else { return Ok(None) };
        if self.prepare(task).is_some() {
            return Ok(None);
        }
        let observed = task.observed.restricted(&members)?;
        let side = side.restricted(&members);
        let constraints = Constraints::new(&side, members.len())?;
        let range = Range { most: task.range.most.min(members.len()), ..task.range };
        let weights = &side.weights;
        let of_sample = Task { observed: &observed, range, constraints: &constraints, weights, ..task };
        let found = fit_canonical(of_sample, &side, |task, side| self.fit_prepared(task, side))?;
        let cut_to = Some(members.len());
        let nearest = nearest_of_some(task.observed, &members)?;
        Ok(Some(LatentGraphFit {
            cut_to,
            ..Seen::standing_for(members, nearest).extended(found, task.observed)
        }))
    }

    /// The points that are fitted if the work is cut short: an even sample, and those of which something is known.
    fn members_if_cut(&self, task: Task<'_>, side: &SideInformation) -> Option<Vec<usize>> {
        let n = task.observed.n_points();
        let size = self.cut_size(task.observed, task.range.least)?;
        let mut members = Sample::members(n, size);
        let told = side.per_point(n);
        members.extend((0..n).filter(|&i| told[i] != (None, [0; 3])));
        members.sort_unstable();
        members.dedup();
        (members.len() <= 2 * size).then_some(members)
    }

    /// Finds what the fit of all points needs first, until the observer cancels: then `None`.
    fn prepare(&self, task: Task<'_>) -> Option<()> {
        let Task { observed, observer, .. } = task;
        let plan = self.plan(observed);
        match self.inference() {
            Inference::Search(search) if search.noise == Noise::Background => {
                prepared_lists(observed, N_LISTED, observer)
            }
            Inference::Search(_) if self.is_searchable() => match self.sample_size(task) {
                Some(_) => prepared(observed, &plan.around_sample(), observer),
                None => prepared(observed, &plan, observer),
            },
            _ => prepared_lists(observed, self.support_neighbours, observer),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::error::Error;
    use crate::evaluate::agreement::adjusted_rand_index;
    use crate::evaluate::shapes::{Shape, draw};
    use crate::graph::shared::n_computed;
    use crate::input::metric::Metric;
    use crate::latent_graph::settings::inference::{PaperSettings, SearchSettings};
    use crate::run::observer::{Observer, Progress};
    use crate::run::parallel;
    use crate::run::termination::Termination;
    use crate::settings::n_clusters::NClusters;

    /// Cancels as soon as a phase is heard of.
    struct From<'a>(&'a str, AtomicBool);

    impl Observer for From<'_> {
        fn progress(&self, progress: Progress) {
            self.1.fetch_or(progress.phase == self.0, Ordering::Relaxed);
        }

        fn cancelled(&self) -> bool {
            self.1.load(Ordering::Relaxed)
        }
    }

    fn cut(model: LatentGraph, n: usize, phase: &str) -> (LatentGraphFit, [usize; 2], f64) {
        let drawn = draw(Shape::FiveBlobs, n, 3).unwrap();
        let observed = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
        let fit = model.fit_observed(&observed, &[], &From(phase, AtomicBool::new(false))).unwrap();
        let agreement = adjusted_rand_index(&fit.labels, &drawn.labels).unwrap();
        (fit, n_computed(&observed), agreement)
    }

    fn inference(inference: Inference) -> LatentGraph {
        LatentGraph {
            n_clusters: NClusters::Exactly(5),
            inference: Some(inference),
            ..LatentGraph::default()
        }
    }

    #[test]
    fn a_fit_that_is_cancelled_among_neighbours_or_tree_is_that_of_a_sample() {
        for phase in ["neighbours", "spanning tree"] {
            for n in [6_000, 21_000] {
                let (fit, computed, agreement) = cut(LatentGraph::default(), n, phase);
                assert_eq!((fit.cut_to, fit.ended), (Some(2_000), Termination::Cancelled), "{phase}");
                assert_eq!(computed[1], 0, "the tree of all points is not built");
                assert_eq!(computed[0], usize::from(phase != "neighbours"));
                // The number is a quick one, and right; every point has a label, and all but one of a cluster a link.
                assert_eq!(fit.labels.n_clusters(), 5);
                assert!(agreement > 0.7, "{phase}, {n}: {agreement}");
                assert_eq!((fit.labels.n_points(), fit.graph.len()), (n, n - 5));
                assert!(fit.proposals.iter().all(|proposal| proposal.labels.n_points() == n));
                assert!(fit.numbers.iter().all(|row| row.labels().n_points() == n));
            }
        }
    }

    #[test]
    fn a_fit_that_is_cancelled_later_or_never_is_that_of_all_points() {
        let (fit, computed, _) = cut(LatentGraph::default(), 6_000, "starts");
        assert_eq!((fit.cut_to, computed), (None, [1, 1]));
        // Few points are not worth a sample.
        assert_eq!(cut(LatentGraph::default(), 4_000, "neighbours").0.cut_to, None);
    }

    #[test]
    fn noise_and_the_papers_algorithm_are_cut_short_too() {
        let noise = SearchSettings { noise: Noise::Background, ..SearchSettings::default() };
        let paper = PaperSettings { n_restarts: 2, ..PaperSettings::default() };
        for inferred in [Inference::Search(noise), Inference::Paper(paper)] {
            let (fit, computed, _) = cut(inference(inferred), 6_000, "neighbours");
            assert_eq!((fit.cut_to, computed), (Some(2_000), [0, 0]), "{inferred:?}");
            assert_eq!(fit.labels.n_clusters(), 5);
        }
    }

    #[test]
    fn what_is_known_of_points_outside_the_sample_is_obeyed() {
        let drawn = draw(Shape::FiveBlobs, 7_000, 3).unwrap();
        let observed = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
        let side = SideInformation {
            known_labels: drawn
                .labels
                .as_slice()
                .iter()
                .enumerate()
                .map(|(i, &l)| (i % 97 == 5).then_some(4 - l))
                .collect(),
            must_link: vec![(1, 3), (8, 13)],
            ..SideInformation::default()
        };
        let observer = From("neighbours", AtomicBool::new(false));
        let model = LatentGraph { n_clusters: NClusters::Exactly(5), ..LatentGraph::default() };
        let fit = model.fit_observed(&observed, &side, &observer).unwrap();
        assert!(fit.cut_to.is_some_and(|size| (2_001..2_100).contains(&size)), "{:?}", fit.cut_to);
        let constraints = Constraints::new(&side, 7_000).unwrap();
        assert!(constraints.obeyed_by(fit.labels.as_slice()));
    }

    #[test]
    fn the_items_of_a_matrix_join_the_nearest_and_threads_change_nothing() -> Result<(), Error> {
        let drawn = draw(Shape::FiveBlobs, 5_200, 3)?;
        let points = Dissimilarity::from_points(drawn.points, Metric::Euclidean)?;
        let pairs = Dissimilarity::from_fn(5_200, |i, j| points.pair(i, j).unwrap_or(0.0))?;
        let model = LatentGraph { n_clusters: NClusters::Exactly(5), ..LatentGraph::default() };
        let run = |threads| {
            let observer = From("neighbours", AtomicBool::new(false));
            parallel::with_threads(threads, || model.fit_observed(&pairs, &[], &observer))
        };
        let one = run(1)?;
        assert_eq!(one.cut_to, Some(2_000));
        assert!(adjusted_rand_index(&one.labels, &drawn.labels)? > 0.7);
        assert_eq!(one, run(3)?);
        Ok(())
    }
}
