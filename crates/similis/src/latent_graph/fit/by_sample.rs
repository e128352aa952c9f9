//! Inference by search of very many points: an even sample of them is searched, and its partition is extended to all.
//!
//! A sample has the shapes of the clusters and the ratios of their densities, so it has their partition; all points are only
//! needed for the borders. This is faster, and it is also better: at any number of points the answer is that of a search
//! of thousands. The more points there are, the more certain the score is of small departures from the model, and it would
//! choose by these (`docs/evidence/scale.md`).

use crate::constraints::Constraints;
use crate::constraints::side_information::SideInformation;
use crate::error::Error;
use crate::input::Dissimilarity;
use crate::input::labels::Labels;
use crate::latent_graph::LatentGraph;
use crate::latent_graph::context::Context;
use crate::latent_graph::context::modes::{DensityModes, Mode};
use crate::latent_graph::context::sample::Sample;
use crate::latent_graph::context::task::Task;
use crate::latent_graph::fit::LatentGraphFit;
use crate::latent_graph::fit::in_order::fit_canonical;
use crate::latent_graph::model::prior::{GraphPrior, Prior};
use crate::latent_graph::search::number::NumberScore;
use crate::latent_graph::search::partition::Proposal;
use crate::latent_graph::search::problem::Problem;
use crate::latent_graph::search::refine::by_likelihood::Refinement;
use crate::latent_graph::search::report;
use crate::latent_graph::search::starts::BY_4;
use crate::latent_graph::search::starts::repair::honour;
use crate::latent_graph::search::starts::smooth::{Reach, smooth};
use crate::latent_graph::settings::inference::StartSources;
use crate::run::random::{SEARCH_STREAMS, stream};

/// Number of partitions that are reported, the answer and runners-up. Not tuned: each holds a label for every point.
const N_REPORTED: usize = 4;

impl LatentGraph {
    /// Inference by search: of all points, or of a sample of very many points in space.
    pub(crate) fn search(&self, task: Task<'_>) -> Result<LatentGraphFit, Error> {
        let all_starts = self.search_settings().parts.starts == StartSources::All;
        let wanted = task.observed.points().is_some() && !task.constraints.is_informed() && all_starts;
        match self.plan(task.observed).sample_size(task.range.least).filter(|_| wanted) {
            Some(size) => self.search_by_sample(task, size),
            None => self.search_all(task),
        }
    }

    /// The answer of a sample of this size, extended to all points; that of all points if it has more clusters than a sample can
    /// tell apart.
    fn search_by_sample(&self, task: Task<'_>, size: usize) -> Result<LatentGraphFit, Error> {
        let Task { observed, constraints, observer, .. } = task;
        let plan = self.plan(observed);
        let context = Context::planned(observed, &plan, observer);
        let sample = Sample::new(&context.tree, observed.n_points(), size);
        let found = self.fit_some(&observed.restricted(&sample.members)?, task)?;
        let n_clusters = found.labels.n_clusters();
        if plan.sample_size(n_clusters).is_none() {
            return self.search_all(task);
        }
        let lengths = self.joined(self.lengths_on(&context), n_clusters, constraints)?;
        let problem = Problem {
            context: &context,
            support: &lengths,
            prior: Prior::new(GraphPrior::Tree, self.size_prior, 1, observed.n_points()),
            constraints,
            shape: self.score_settings().shape,
            parts: self.search_settings().parts,
            plan,
        };
        let refined = n_clusters > 1 && !observer.cancelled();
        let labels = sample.extended(found.labels.as_slice());
        let labels = if refined { self.refined(&problem, labels, n_clusters, task) } else { labels };
        let model = self.model(&lengths, &context.tree)?;
        let fit = self.answered(&context, &model, &Labels::new(&labels), task)?;
        let proposals = proposals(found.proposals, (labels, refined), &sample);
        let numbers = found.numbers.into_iter().map(|row| number(row, &sample)).collect();
        let modes = found.modes.map(|modes| modes_of_all(modes, &sample));
        Ok(LatentGraphFit { proposals, numbers, modes, plan: Some(plan), ..fit })
    }

    /// The fit of the points of a sample, without side information.
    fn fit_some(&self, observed: &Dissimilarity<'_>, task: Task<'_>) -> Result<LatentGraphFit, Error> {
        let (none, n_points) = (SideInformation::default(), observed.n_points());
        let constraints = Constraints::new(&none, n_points)?;
        let mut range = task.range;
        range.most = range.most.min(n_points);
        let some = Task { observed, range, constraints: &constraints, ..task };
        fit_canonical(some, &none, |task, _| self.search_all(task))
    }

    /// Labels that were extended from a sample, smoothed and refined at the borders.
    fn refined(
        &self,
        problem: &Problem<'_>,
        labels: Vec<usize>,
        n_clusters: usize,
        task: Task<'_>,
    ) -> Vec<usize> {
        let context = problem.context;
        report(task.observer, "borders", 0.0);
        let smoothed = if problem.plan.may_smooth(n_clusters) {
            smooth(context, &labels, n_clusters, BY_4, Reach::Near)
        } else {
            labels
        };
        let honoured = honour(&smoothed, problem.constraints, n_clusters, &context.neighbours);
        let mut random = stream(self.seed, SEARCH_STREAMS);
        let refined =
            Refinement::new(problem, &honoured).run(problem.plan.rounds, &mut random, task.observer);
        report(task.observer, "borders", 1.0);
        refined
    }
}

/// The partitions of the sample, best first, extended to all points; the first is the answer, whose labels are known.
fn proposals(
    of_sample: Vec<Proposal>,
    (answer, refined): (Vec<usize>, bool),
    sample: &Sample,
) -> Vec<Proposal> {
    let mut answer = Some(answer);
    let extended = |proposal: Proposal| {
        let refined = proposal.refined || (refined && answer.is_some());
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
        Proposal { labels: Labels::new(&labels), refined, score, ..proposal }
    };
    of_sample.into_iter().take(N_REPORTED).map(extended).collect()
}

fn number(mut row: NumberScore, sample: &Sample) -> NumberScore {
    row.labels = Labels::new(&sample.extended(row.labels.as_slice()));
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

    #[test]
    fn a_sample_finds_the_number_of_clusters_of_all_points() {
        let n = 21_000;
        let drawn = draw(Shape::FiveBlobs, n, 3).unwrap();
        let observed = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
        let found = fit(&observed, NClusters::Auto);
        assert_eq!(found.labels.n_clusters(), 5);
        assert!(adjusted_rand_index(&found.labels, &drawn.labels).unwrap() > 0.98);
        assert!(found.numbers.iter().all(|row| row.labels.n_points() == n));
        assert!(found.numbers.iter().all(|row| row.labels.n_clusters() == row.n_clusters));
        let modes = found.modes.unwrap();
        assert_eq!(modes.modes.iter().filter(|mode| mode.is_significant).count(), 5);
        // Peaks are points of different clusters, by the numbers of the caller.
        let mut clusters: Vec<usize> =
            modes.modes[..5].iter().map(|mode| found.labels.as_slice()[mode.peak]).collect();
        clusters.sort_unstable();
        assert_eq!(clusters, [0, 1, 2, 3, 4]);
    }
}
