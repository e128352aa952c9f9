//! The default inference: many starts, local search from the best of them, and a score that decides.
//!
//! In order: [`starts`] builds partitions, [`score`] scores them, [`rank`] chooses those that differ, [`refine`] moves
//! points, subtrees and components while that gains, and all are ranked by the score. [`number`] repeats this for several
//! numbers of clusters. The [`Plan`] decides how much of each step is done.

pub(crate) mod number;
pub(crate) mod partition;
pub(crate) mod problem;
pub(crate) mod rank;
pub(crate) mod refine;
pub(crate) mod score;
pub(crate) mod starts;

use std::collections::BTreeMap;

use crate::error::Error;
use crate::input::labels::Labels;
use crate::latent_graph::context::Context;
use crate::latent_graph::context::memory::Memory;
use crate::latent_graph::settings::inference::{Scales, Score, ScoreSettings, SearchPart};
use crate::plan::{Plan, Subsample};
use crate::run::observer::{Observer, Progress};
use crate::run::parallel;
use crate::run::random::{Random, SEARCH_STREAMS, SPLIT_MERGE_STREAMS, stream};
use partition::{Partition, Proposal};
use problem::Problem;
use rank::{best_first, in_order, unlike};
use refine::by_likelihood::Refinement;
use refine::by_score::Ascent;
use score::incremental::Valuation;
use score::penalty::{judged, missed};
use score::{PartitionScore, Scorer};
use starts::origin::{Origin, Start};
use starts::smooth::smooth;
use starts::{Smoothing, Sources, Starts};

/// Number of best starts among which those to refine are chosen. Not tuned: many are alike.
const N_RANKED: usize = 40;

/// Number of best starts of a light search that are scored in full. Not tuned.
const N_LIGHT: usize = 8;

/// Number of best partitions whose clusters are merged and split, where local search maximises the score itself. Not tuned.
const N_REGROUPED: usize = 3;

/// Number of partitions that are scored after a cancellation. Not tuned.
const N_AFTER_CANCEL: usize = 8;

/// The smoothing that perturbs the result of a local search. Not tuned.
const PERTURBATION: Smoothing = Smoothing { n_neighbours: 2, shape: 2 };

/// How much of its plan a search does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effort {
    /// From the partitions that are given and smoothed density levels, the best of them refined once: enough to compare numbers of
    /// clusters.
    Light,
    /// Everything.
    Full,
}

/// The scorers that searches of the same points share: a cluster that two numbers of clusters have in common is looked at once.
#[derive(Debug)]
pub(crate) struct Scorers<'a> {
    settings: ScoreSettings,
    full: Scorer<'a>,
    /// With one scale for each cluster, to choose starts by.
    quick: Scorer<'a>,
}

impl<'a> Scorers<'a> {
    /// Settings must be valid, and the observed quantity distances.
    pub(crate) fn new(settings: ScoreSettings, context: &'a Context<'a>) -> Self {
        let quick = ScoreSettings { score: Score::BestTree, scales: Scales::PerClass, ..settings };
        Self { settings, full: Scorer::new(settings, context), quick: Scorer::new(quick, context) }
    }
}

/// A search for partitions into a number of clusters.
pub(crate) struct Search<'a> {
    pub(crate) problem: &'a Problem<'a>,
    pub(crate) sources: &'a Sources,
    pub(crate) scorers: &'a Scorers<'a>,
    pub(crate) n_clusters: usize,
    pub(crate) effort: Effort,
    pub(crate) seed: u64,
    /// The labels that restarts of the paper's algorithm ended with.
    pub(crate) by_paper: Vec<Vec<usize>>,
    /// What a light search begins with: partitions into this number of clusters, or into one more or fewer.
    pub(crate) given: Vec<Partition>,
    /// The memory limit.
    pub(crate) memory: Memory,
}

impl<'a> Search<'a> {
    /// Returns every partition that was considered, best first: starts, score, choose, refine, score, rank.
    pub(crate) fn run(&self, observer: &dyn Observer) -> Result<Vec<Proposal>, Error> {
        let (starts, rough) = self.starts(observer);
        let own = self.scorer_of_many(&starts);
        let scorer = own.as_ref().unwrap_or(&self.scorers.full);
        let (mut partitions, begun) = self.chosen(starts, rough, scorer, observer);
        self.memory.check_refinement(begun.iter().map(|start| start.labels.as_slice()), self.n_clusters)?;
        let refined = self.refined(&begun, observer);
        partitions = self.entered(partitions, refined, observer.cancelled());
        let ranked = in_order(self.scored(partitions, scorer, observer), self.n_clusters);
        let ranked = self.regrouped(ranked, scorer, observer);
        let ranked = self.with_parts_moved(ranked, scorer, observer);
        Ok(self.with_components_moved(ranked, scorer))
    }

    /// The plan, for this effort.
    fn plan(&self) -> Plan {
        match self.effort {
            Effort::Full => self.problem.plan,
            Effort::Light => self.problem.plan.light(),
        }
    }

    /// The starts, and beside them those from a subsample that are only good to refine from.
    fn starts(&self, observer: &dyn Observer) -> (Vec<Partition>, Vec<Partition>) {
        let Problem { context, constraints, .. } = self.problem;
        let plan = self.plan();
        let starts = Starts { n_clusters: self.n_clusters, constraints, seed: self.seed, plan };
        if self.effort == Effort::Light {
            let levels = starts.smoothed_levels(context, self.sources, observer);
            let found = self.given_or_apart().into_iter().chain(levels).collect();
            return (starts.distinct(found, context), Vec::new());
        }
        let mut found = starts.build(context, self.sources, observer);
        let mut rough = starts.distinct(self.subsample_starts(observer), context);
        if plan.subsample == Subsample::Start {
            found.append(&mut rough);
        }
        report(observer, "starts", 1.0);
        found.retain(|partition| partition.start.origin.is_part_of(self.problem.parts));
        let is_one = !self.problem.parts.has(SearchPart::ManyStarts);
        // The first is a linkage.
        if is_one || (observer.cancelled() && !plan.is_whole) {
            found.truncate(1);
        }
        (found, rough)
    }

    /// The scorer of partitions of many points, which leaves out the steps that do not matter for the first start.
    fn scorer_of_many(&self, starts: &[Partition]) -> Option<Scorer<'a>> {
        let first = starts.first().filter(|_| !self.problem.plan.is_whole)?;
        let mut scorer = Scorer::new(self.scorers.settings, self.problem.context);
        scorer.leave_out_steps(&[&first.labels]);
        Some(scorer)
    }

    /// The partitions that were given; those into another number of clusters with one cluster split, or two merged.
    fn given_or_apart(&self) -> Vec<Partition> {
        let one_apart = |given: &Partition| {
            let n_given = given.labels.iter().max().map_or(0, |&last| last + 1);
            if n_given == self.n_clusters {
                return vec![given.clone()];
            }
            let moved =
                refine::parts::one_apart(self.problem, &self.scorers.full, &given.labels, self.n_clusters);
            moved.into_iter().map(|labels| given.refined_to(labels)).collect()
        };
        self.given.iter().flat_map(one_apart).collect()
    }

    /// Whether there are few starts, which are scored in full, and may be the answer as they are.
    fn has_few_starts(&self) -> bool {
        !self.problem.plan.is_whole || self.effort == Effort::Light
    }

    /// The starts, and those of them to refine; none where `observer` cancels.
    ///
    /// A whole search has dozens of starts and ranks them by the score with one scale for each cluster. Otherwise there are
    /// few, which are scored in full.
    fn chosen(
        &self,
        mut starts: Vec<Partition>,
        rough: Vec<Partition>,
        scorer: &Scorer<'_>,
        observer: &dyn Observer,
    ) -> (Vec<Partition>, Vec<Partition>) {
        if self.has_few_starts() {
            if self.effort == Effort::Light && starts.len() > N_LIGHT {
                starts = self.ranked_quickly(&starts, N_LIGHT);
            }
            starts = self.scored(starts, scorer, observer);
            let begun = match rough.is_empty() {
                _ if observer.cancelled() => Vec::new(),
                true => self.best_unlike(&starts),
                false => rough,
            };
            return (starts, begun);
        }
        let mut begun =
            if observer.cancelled() { Vec::new() } else { self.quickly_chosen(&starts, observer) };
        let by_paper = self.by_paper.iter().enumerate();
        let by_paper: Vec<Partition> = by_paper
            .map(|(restart, labels)| Partition::new(Start::of(Origin::Printed { restart }), labels.clone()))
            .collect();
        begun.extend(by_paper.iter().cloned());
        starts.extend(by_paper);
        (starts, begun)
    }

    /// The best partitions by the score with one scale for each cluster.
    fn ranked_quickly(&self, starts: &[Partition], n_wanted: usize) -> Vec<Partition> {
        let score =
            |at: usize| judged(self.scorers.quick.score(&starts[at].labels), &starts[at], self.problem);
        let scores = parallel::map(starts.len(), score);
        let order = best_first(&scores, PartitionScore::total);
        order.into_iter().take(n_wanted).map(|at| starts[at].clone()).collect()
    }

    /// The best scored partitions that differ.
    fn best_unlike(&self, partitions: &[Partition]) -> Vec<Partition> {
        let scores: Vec<PartitionScore> = partitions.iter().filter_map(|one| one.score.clone()).collect();
        let order = best_first(&scores, PartitionScore::total);
        let chosen = unlike(partitions, order, self.plan().n_refined);
        chosen.into_iter().map(|at| partitions[at].clone()).collect()
    }

    /// The best starts that differ, by the score with one scale for each cluster; none where `observer` cancels.
    fn quickly_chosen(&self, starts: &[Partition], observer: &dyn Observer) -> Vec<Partition> {
        let scorer = &self.scorers.quick;
        let scores = parallel::map(starts.len(), |at| {
            report(observer, "choice of starts", (at + 1) as f64 / starts.len() as f64);
            let judged = || judged(scorer.score(&starts[at].labels), &starts[at], self.problem);
            (!observer.cancelled()).then(judged)
        });
        let Some(scores) = scores.into_iter().collect::<Option<Vec<_>>>() else { return Vec::new() };
        let mut order = best_first(&scores, PartitionScore::total);
        order.truncate(N_RANKED);
        if self.problem.plan.chooses_without_walk {
            // Where shapes of different density are nested, the random walk penalises every correct partition.
            let without_walk = best_first(&scores, |score| score.prior + score.evidence);
            order.extend(without_walk.into_iter().take(N_RANKED));
        }
        let mut chosen = unlike(starts, order, self.plan().n_refined);
        // Borders that follow the trees score higher than others of the same clusters, which only refinement makes up for.
        let of_density = |&at: &usize| is_of_density(starts[at].start) && !chosen.contains(&at);
        let of_density: Vec<usize> = (0..starts.len()).filter(of_density).collect();
        chosen.extend(of_density);
        chosen.into_iter().map(|at| starts[at].clone()).collect()
    }

    /// The results of local search from some partitions, and where the plan says so those from the same labels perturbed by Eq. (9);
    /// where several end alike, these are perturbed once.
    fn refined(&self, begun: &[Partition], observer: &dyn Observer) -> Vec<Partition> {
        let tops = parallel::map(begun.len(), |at| {
            let mut random = stream(self.seed, SEARCH_STREAMS + at as u64);
            let top = self.refine(&begun[at].labels, &mut random, observer);
            report(observer, "local search", 0.5 * (at + 1) as f64 / begun.len() as f64);
            (Labels::new(&top), top, random)
        });
        let is_new = |&at: &usize| tops[..at].iter().all(|other| other.0 != tops[at].0);
        let perturbed: Vec<usize> =
            if self.plan().perturbs { (0..tops.len()).filter(is_new).collect() } else { Vec::new() };
        let again = parallel::map(perturbed.len(), |at| {
            let (_, top, mut random) = tops[perturbed[at]].clone();
            let again =
                (!observer.cancelled()).then(|| self.refine(&self.perturbed(&top), &mut random, observer));
            report(observer, "local search", 0.5 + 0.5 * (at + 1) as f64 / perturbed.len() as f64);
            again
        });
        let mut again: BTreeMap<usize, Vec<usize>> =
            perturbed.into_iter().zip(again).filter_map(|(at, again)| Some((at, again?))).collect();
        let mut refined = Vec::with_capacity(tops.len() + again.len());
        for (at, (_, top, _)) in tops.into_iter().enumerate() {
            refined.push(begun[at].refined_to(top));
            refined.extend(again.remove(&at).map(|labels| begun[at].refined_to(labels)));
        }
        refined
    }

    /// Labels after local search.
    fn refine(&self, labels: &[usize], random: &mut Random, observer: &dyn Observer) -> Vec<usize> {
        match &self.valuation() {
            Some(valuation) => Ascent::new(self.problem, valuation, labels).settled(random, observer),
            None => Refinement::new(self.problem, labels).run(self.plan().rounds, random, observer),
        }
    }

    /// Labels smoothed by Eq. (9), with side information.
    fn perturbed(&self, labels: &[usize]) -> Vec<usize> {
        let Problem { context, constraints, .. } = self.problem;
        let perturbed = smooth(context, labels, self.n_clusters, PERTURBATION);
        starts::repair::honour(&perturbed, constraints, self.n_clusters, &context.neighbours)
    }

    /// The gain of moves in the score itself, where it is known: in a whole search with one scale for each cluster.
    fn valuation(&self) -> Option<Valuation<'_>> {
        let known = self.problem.plan.is_whole && refines_score(&self.scorers.settings);
        known.then(|| Valuation::new(self.problem, &self.scorers.settings, self.n_clusters))
    }

    /// The partitions that may be the answer: starts that stand as they are, then refined ones.
    fn entered(&self, starts: Vec<Partition>, refined: Vec<Partition>, cancelled: bool) -> Vec<Partition> {
        let stands = |start: &Partition| self.has_few_starts() || is_proposal(start.start);
        let starts = starts.into_iter().filter(stands);
        if self.problem.plan.is_whole && cancelled {
            // A few answers are enough, and the refined ones are the best of them.
            return refined.into_iter().chain(starts).take(N_AFTER_CANCEL).collect();
        }
        starts.chain(refined).collect()
    }

    /// Partitions with their scores; where `observer` cancels, those that were scored by then, the first at least.
    fn scored(
        &self,
        partitions: Vec<Partition>,
        scorer: &Scorer<'_>,
        observer: &dyn Observer,
    ) -> Vec<Partition> {
        let n = partitions.len();
        let scores = parallel::map(n, |at| {
            let partition = &partitions[at];
            let score = || judged(scorer.score(&partition.labels), partition, self.problem);
            let wanted = at == 0 || !observer.cancelled();
            let score = partition.score.clone().or_else(|| wanted.then(score));
            report(observer, "scores", (at + 1) as f64 / n as f64);
            score
        });
        let pairs = partitions.into_iter().zip(scores);
        pairs.filter_map(|(one, score)| score.map(|score| Partition { score: Some(score), ..one })).collect()
    }

    /// The partitions, and the best of them after merging and splitting clusters, where local search can maximise the score
    /// itself.
    fn regrouped(
        &self,
        mut ranked: Vec<Proposal>,
        scorer: &Scorer<'_>,
        observer: &dyn Observer,
    ) -> Vec<Proposal> {
        let wanted =
            self.problem.parts.has(SearchPart::SplitMerge) && self.n_clusters > 1 && !observer.cancelled();
        let Some(valuation) = self.valuation().filter(|_| wanted) else { return ranked };
        let found = parallel::map(ranked.len().min(N_REGROUPED), |at| {
            let mut random = stream(self.seed, SPLIT_MERGE_STREAMS + at as u64);
            let ascent = Ascent::new(self.problem, &valuation, ranked[at].labels.as_slice());
            let n_missed = missed(&ranked[at].score, ranked[at].labels.as_slice(), self.problem);
            let start = Partition { n_missed, ..Partition::new(ranked[at].start, Vec::new()) };
            start.refined_to(ascent.run(&mut random, observer))
        });
        for proposal in in_order(self.scored(found, scorer, observer), self.n_clusters) {
            let after = ranked.partition_point(|other| other.score.total() >= proposal.score.total());
            if ranked.iter().all(|other| other.labels != proposal.labels) {
                ranked.insert(after, proposal);
            }
        }
        ranked
    }
}

/// Whether the gain of a move in the score itself is known: with one scale for each cluster and its best tree it is.
pub(crate) fn refines_score(scoring: &ScoreSettings) -> bool {
    scoring.score == Score::BestTree && scoring.scales == Scales::PerClass
}

/// Whether a start may be the answer as it is: level sets and cuts by core distance are only refined.
fn is_proposal(start: Start) -> bool {
    let stands = matches!(
        start.origin,
        Origin::Linkage { .. }
            | Origin::Balanced { .. }
            | Origin::Modes { .. }
            | Origin::Mass { .. }
            | Origin::Mixture { .. }
            | Origin::Features { .. }
            | Origin::Printed { .. }
            | Origin::Spread { .. }
    );
    stands && start.smoothing.is_none()
}

/// Whether the clusters of a start are those of a density: modes, excess of mass, or Gaussians in classical-scaling space.
fn is_of_density(start: Start) -> bool {
    let of_density =
        matches!(start.origin, Origin::Modes { .. } | Origin::Mass { .. } | Origin::Mixture { .. });
    of_density && start.smoothing.is_none()
}

pub(crate) fn report(observer: &dyn Observer, phase: &'static str, fraction: f64) {
    observer.progress(Progress { phase, fraction, log_joint: None });
}

#[cfg(test)]
mod tests;
