//! Inference by search of very many points: an even sample of them is searched, and its partition is extended to all.
//!
//! A sample has the shapes of the clusters and the ratios of their densities, so it has their partition; all points are only
//! needed for the borders. This is faster, and it is also better: at any number of points the answer is that of a search
//! of thousands. The more points there are, the more certain the score is of small departures from the model, and it would
//! choose by these (`docs/evidence/scale.md`).

use std::sync::Arc;

use crate::constraints::Constraints;
use crate::constraints::side_information::SideInformation;
use crate::error::Error;
use crate::graph::lengths::{Lengths, Support};
use crate::graph::link::{Link, LinkOrder, Ranked};
use crate::graph::spanning::of_clusters::trees_of_classes;
use crate::input::Dissimilarity;
use crate::input::labels::Labels;
use crate::latent_graph::LatentGraph;
use crate::latent_graph::context::Context;
use crate::latent_graph::context::cluster_trees::ClassTrees;
use crate::latent_graph::context::modes::{DensityModes, Mode};
use crate::latent_graph::context::sample::Sample;
use crate::latent_graph::context::task::Task;
use crate::latent_graph::fit::in_order::fit_canonical;
use crate::latent_graph::fit::{LatentGraphFit, best};
use crate::latent_graph::model::likelihood::LinkLengths;
use crate::latent_graph::paper::Found;
use crate::latent_graph::search::number::NumberScore;
use crate::latent_graph::search::partition::Proposal;
use crate::latent_graph::search::report;
use crate::latent_graph::search::starts::BY_4;
use crate::latent_graph::search::starts::borders::smooth_borders;
use crate::latent_graph::search::starts::repair::honour;
use crate::run::termination::Termination;

/// Number of partitions that are reported, the answer and runners-up. Not tuned: each holds a label for every point.
const N_REPORTED: usize = 4;

impl LatentGraph {
    /// Inference by search: of all points, or of a sample of very many points in space.
    pub(crate) fn search(&self, task: Task<'_>) -> Result<LatentGraphFit, Error> {
        match self.sample_size(task) {
            Some(size) => self.search_by_sample(task, size),
            None => self.search_all(task),
        }
    }

    /// The number of points that are searched in place of all.
    pub(crate) fn sample_size(&self, task: Task<'_>) -> Option<usize> {
        let wanted = self.may_sample(task.observed)
            && !task.constraints.is_informed()
            && task.constraints.soft().is_empty();
        self.plan(task.observed).sample_size(task.range.least).filter(|_| wanted)
    }

    /// Whether a sample may stand for all, if there are enough: points in space, and no start left out.
    pub(crate) fn may_sample(&self, observed: &Dissimilarity<'_>) -> bool {
        observed.is_measured() && self.search_settings().parts.has_all_starts()
    }

    /// The answer of a sample of this size, extended to all points; that of all points if it has more clusters than a sample can
    /// tell apart.
    fn search_by_sample(&self, task: Task<'_>, size: usize) -> Result<LatentGraphFit, Error> {
        let Task { observed, constraints, observer, .. } = task;
        let plan = self.plan(observed);
        let context = Context::planned(observed, &plan.around_sample(), observer);
        let sample = Sample::new(&context.tree, observed.n_points(), size);
        let found = self.fit_some(&observed.restricted(&sample.members)?, &sample, task)?;
        let n_clusters = found.labels.n_clusters();
        if plan.sample_size(n_clusters).is_none() {
            return self.search_all(task);
        }
        let mut labels = sample.extended(found.labels.as_slice());
        if n_clusters > 1 && !observer.cancelled() {
            report(observer, "borders", 0.0);
            labels = smooth_borders(&context, &labels, n_clusters, BY_4);
            labels = honour(&labels, constraints, n_clusters, &context.neighbours);
            report(observer, "borders", 1.0);
        }
        let fit = self.answered_by_lists(&context, &Labels::new(&labels), task)?;
        let proposals = proposals(found.proposals, labels, &sample);
        let numbers = found.numbers.into_iter().map(|row| number(row, &sample)).collect();
        let modes = found.modes.map(|modes| modes_of_all(modes, &sample));
        Ok(LatentGraphFit { proposals, numbers, modes, plan: Some(plan), ..fit })
    }

    /// The fit of the points of a sample, without side information; the task is that of all points.
    fn fit_some(
        &self,
        observed: &Dissimilarity<'_>,
        sample: &Sample,
        task: Task<'_>,
    ) -> Result<LatentGraphFit, Error> {
        let weight = |&i: &usize| task.weights.get(i).copied();
        let weights: Vec<f64> = sample.members.iter().filter_map(weight).collect();
        let constraints = Constraints::new(&SideInformation::default(), observed.n_points())?;
        let mut range = task.range;
        range.most = range.most.min(observed.n_points());
        self.fit_sample(Task { observed, range, constraints: &constraints, weights: &weights, ..task })
    }

    /// The fit of the points of a sample, given the task of these.
    pub(crate) fn fit_sample(&self, task: Task<'_>) -> Result<LatentGraphFit, Error> {
        fit_canonical(task, &SideInformation::default(), |task, _| self.search_all(task))
    }

    /// The fit that has these labels: as [`LatentGraph::answered`] with the support `nearest`, but the trees are found from the
    /// lists of neighbours as they are. A cluster that they do not connect has the tree of all its pairs.
    fn answered_by_lists(
        &self,
        context: &Context<'_>,
        labels: &Labels,
        task: Task<'_>,
    ) -> Result<LatentGraphFit, Error> {
        let lengths = Lengths::complete(context.observed);
        let model = self.model(&lengths, &context.tree)?;
        report(task.observer, "answer", 0.0);
        let n_allowed = if self.support == Some(Support::Complete) { 0 } else { usize::MAX };
        let links = |i: usize| context.neighbours.of(i).take(n_allowed);
        let mut trees = trees_of_classes(links, labels.as_slice(), labels.n_clusters(), &context.tree);
        connect(&mut trees, context, labels);
        let ended = if task.observer.cancelled() { Termination::Cancelled } else { Termination::Converged };
        let found = Found::with_trees(&model, labels, trees, ended);
        report(task.observer, "answer", 1.0);
        let by_length =
            |class: &LinkLengths| model.weight(*class).order().agrees(&LinkOrder::BY_LENGTH, false);
        if !found.classes.iter().all(by_length) {
            // A scale above that of the background, which a prior may force, makes long links cheap.
            let lengths = self.lengths_on(context);
            return self.answered(context, &self.model(&lengths, &context.tree)?, labels, task);
        }
        let fit = best(vec![found], model.background)?;
        Ok(LatentGraphFit { component_sizes: vec![labels.n_points()], ..fit })
    }
}

/// Gives each cluster that its tree does not connect the tree of all its pairs.
fn connect(trees: &mut [Vec<Link>], context: &Context<'_>, labels: &Labels) {
    let is_apart = |tree: &Vec<Link>| tree.last().is_some_and(|longest| longest.length == f64::INFINITY);
    let apart: Vec<bool> = trees.iter().map(is_apart).collect();
    if !apart.contains(&true) {
        return;
    }
    let classes = ClassTrees::new(context);
    let parts = classes.parts_of_global_tree(labels.as_slice(), &apart);
    let ranked = |link: &Link| Ranked::new(*link, &LinkOrder::BY_LENGTH);
    for (class, tree) in trees.iter_mut().enumerate().filter(|&(class, _)| apart[class]) {
        let of_class = |&i: &usize| labels.as_slice()[i] == class;
        let members: Vec<usize> = (0..labels.n_points()).filter(of_class).collect();
        let completed = || classes.completed(&members, parts.inside(class));
        *tree = parts.of(class, members.len()).unwrap_or_else(completed);
        tree.sort_unstable_by(|a, b| ranked(a).compare(&ranked(b)));
    }
}

/// The partitions of the sample, best first, extended to all points; the first is the answer, whose labels are known.
fn proposals(of_sample: Vec<Proposal>, answer: Vec<usize>, sample: &Sample) -> Vec<Proposal> {
    let mut answer = Some(answer);
    let extended = |proposal: Proposal| {
        let labels = answer.take().unwrap_or_else(|| sample.extended(proposal.labels.as_slice()));
        let mut score = proposal.score;
        // Clusters are renumbered in the order of first appearance among all points.
        let mut order: Vec<usize> = Vec::with_capacity(score.classes.len());
        labels.iter().for_each(|&label| {
            if !order.contains(&label) {
                order.push(label);
            }
        });
        score.classes = order.iter().map(|&class| score.classes[class]).collect();
        Proposal { labels: Labels::new(&labels), score, ..proposal }
    };
    of_sample.into_iter().take(N_REPORTED).map(extended).collect()
}

fn number(mut row: NumberScore, sample: &Sample) -> NumberScore {
    row.partition.representatives = Some(Arc::clone(&sample.representatives));
    row
}

fn modes_of_all(modes: DensityModes, sample: &Sample) -> DensityModes {
    let own = |mode: Mode| Mode {
        peak: sample.members[mode.peak],
        saddle: mode.saddle.map(|ends| ends.map(|end| sample.members[end])),
        ..mode
    };
    DensityModes { modes: modes.modes.into_iter().map(own).collect(), ..modes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::agreement::adjusted_rand_index;
    use crate::evaluate::shapes::{Shape, draw};
    use crate::input::metric::Metric;
    use crate::latent_graph::fit::ClassLink;
    use crate::run::observer::Silent;
    use crate::run::parallel;
    use crate::settings::n_clusters::NClusters;

    fn fit(observed: &Dissimilarity<'_>, n_clusters: NClusters) -> LatentGraphFit {
        LatentGraph { n_clusters, ..LatentGraph::default() }.fit(observed, &[]).unwrap()
    }

    #[test]
    fn what_a_sample_finds_is_extended_to_all_points() {
        let n = 24_000;
        let drawn = draw(Shape::Thinned, n, 3).unwrap();
        let observed = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
        let one = parallel::with_threads(1, || fit(&observed, NClusters::Exactly(2)));
        assert!(adjusted_rand_index(&one.labels, &drawn.labels).unwrap() > 0.9);
        assert_eq!(one.proposals[0].labels, one.labels);
        assert!(one.proposals.len() <= N_REPORTED);
        assert!(one.proposals.iter().all(|proposal| proposal.labels.n_points() == n));
        // The graph is that of all points, the score that of the sample.
        assert_eq!(one.graph.len(), n - 2);
        let sizes = one.proposals[0].score.classes.iter().map(|class| class.size);
        assert_eq!(sizes.sum::<usize>(), 10_000);
        let larger = |sizes: [usize; 2]| sizes[0] > sizes[1];
        let of_sample = [0, 1].map(|class| one.proposals[0].score.classes[class].size);
        assert_eq!(larger(of_sample), larger([0, 1].map(|class| one.labels.sizes()[class])));
        let two = parallel::with_threads(2, || fit(&observed, NClusters::Exactly(2)));
        assert_eq!(one, two);
    }

    /// The links of a fit, with their clusters, in one order.
    fn links(fit: &LatentGraphFit) -> Vec<[usize; 3]> {
        let ends = |link: &ClassLink| [link.class, link.from.min(link.to), link.from.max(link.to)];
        let mut links: Vec<[usize; 3]> = fit.graph.iter().map(ends).collect();
        links.sort_unstable();
        links
    }

    #[test]
    fn trees_from_lists_are_those_of_the_support_of_near_neighbours() {
        let n = 3_000;
        let drawn = draw(Shape::FiveBlobs, n, 5).unwrap();
        let observed = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
        let model = LatentGraph::default();
        let constraints = Constraints::new(&SideInformation::default(), n).unwrap();
        let range = model.range(&observed, &constraints).unwrap();
        let task =
            Task { observed: &observed, range, constraints: &constraints, weights: &[], observer: &Silent };
        let context = Context::with_neighbours(&observed, &Silent, 15);
        let lengths = model.lengths_on(&context);
        let fitted = model.model(&lengths, &context.tree).unwrap();
        let blobs = drawn.labels.as_slice().iter().enumerate();
        // Every blob in two parts, each connected by lists; and six points of their own, which lists do not connect.
        let halves: Vec<usize> = blobs.clone().map(|(i, blob)| 2 * blob + i % 2).collect();
        let scattered: Vec<usize> = blobs.map(|(i, &blob)| if i % 500 == 0 { 9 } else { blob }).collect();
        for names in [halves, scattered] {
            let labels = Labels::new(&names);
            let by_lists = model.answered_by_lists(&context, &labels, task).unwrap();
            let by_support = model.answered(&context, &fitted, &labels, task).unwrap();
            assert_eq!(by_lists.labels, by_support.labels);
            assert_eq!(links(&by_lists), links(&by_support));
            let apart = (by_lists.log_joint.total() - by_support.log_joint.total()).abs();
            assert!(apart <= 1e-9 * by_support.log_joint.total().abs(), "{apart}");
            assert_eq!(by_lists.component_sizes, by_support.component_sizes);
        }
    }

    #[test]
    fn a_sample_finds_the_number_of_clusters_of_all_points() {
        let n = 21_000;
        let drawn = draw(Shape::FiveBlobs, n, 3).unwrap();
        let observed = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
        let found = fit(&observed, NClusters::Auto);
        assert_eq!(found.labels.n_clusters(), 5);
        assert!(adjusted_rand_index(&found.labels, &drawn.labels).unwrap() > 0.98);
        assert!(found.numbers.iter().all(|row| row.labels().n_points() == n));
        assert!(found.numbers.iter().all(|row| row.labels().n_clusters() == row.n_clusters));
        let modes = found.modes.unwrap();
        assert_eq!(modes.modes.iter().filter(|mode| mode.is_significant).count(), 5);
        // Peaks are points of different clusters, by the numbers of the caller.
        let mut clusters: Vec<usize> =
            modes.modes[..5].iter().map(|mode| found.labels.as_slice()[mode.peak]).collect();
        clusters.sort_unstable();
        assert_eq!(clusters, [0, 1, 2, 3, 4]);
    }
}
