//! The number of clusters: the best partition into each number of clusters, and their comparison.

pub(crate) mod escape;
pub(crate) mod joined;
pub(crate) mod row;

pub use row::NumberScore;
pub(crate) use row::RowPartition;

use std::collections::{BTreeMap, BTreeSet};

use crate::constraints::Constraints;
use crate::error::Error;
use crate::input::labels::Labels;
use crate::latent_graph::context::Context;
use crate::latent_graph::context::task::Range;
use crate::latent_graph::model::prior::{GraphPrior, Prior};
use crate::latent_graph::search::Effort;
use crate::latent_graph::search::number::escape::least_number;
use crate::latent_graph::search::number::joined::Joined;
use crate::latent_graph::search::partition::{Partition, Proposal};
use crate::latent_graph::search::problem::Problem;
use crate::latent_graph::search::score::varying::{log_mean_exp, log_sum_exp};
use crate::latent_graph::search::score::{ClassEvidence, Scorer, Sized};
use crate::latent_graph::search::starts::{Sources, Start};
use crate::latent_graph::settings::inference::{Score, ScoreSettings, SearchParts};
use crate::plan::Plan;
use crate::run::observer::{Observer, Progress};
use crate::run::parallel;

/// Weight of the normalised cut when numbers are compared, times N and the weight of the walk in the score. Chosen on simulated
/// scenes: `docs/evidence/number-and-noise.md`.
const WALK_PART: f64 = 0.25;

/// What the total of one cluster is raised by, in nats. There is one such partition, but the best of very many into several
/// clusters is taken, and by chance it is as good. Chosen on draws without structure: `docs/evidence/number-and-noise.md`.
const ONE_CLUSTER: f64 = 1.5;

/// Nats by which the total of a number falls while its probability falls by a factor of e. Chosen on simulated scenes:
/// `docs/evidence/number-and-noise.md`.
const TEMPERATURE: f64 = 6.0;

/// Factor on the number of clusters of the best linkage cut up to which larger numbers are tried (counted from the least
/// number possible). Not tuned.
const FURTHER: usize = 2;

/// Nats that a light search hardly ever gains over the best cut of linkages: numbers that are farther behind the best are not
/// searched. On 341 simulated scenes 50 gives the same answers as no limit, 15 does not.
const MOST_GAIN: f64 = 50.0;

/// Number of best partitions into the same number of clusters among which the score of the number chooses. Not tuned.
const N_COMPARED: usize = 8;

/// Number of clusters tried beyond [`FURTHER`] times the best, and in all where the observer cancels. Not tuned.
const AT_LEAST_FURTHER: usize = 10;

/// How many numbers beyond the least of very many clusters share what is known of clusters. Not tuned: more are hardly ever looked at.
const N_JOINED: usize = 64;

/// The row of the best number: that of the greatest total; of equal ones the fewest clusters.
fn best_row(numbers: &[NumberScore]) -> Option<usize> {
    let total = |at: usize| numbers[at].total();
    (0..numbers.len()).reduce(|a, b| if total(b) > total(a) { b } else { a })
}

/// Sets the probability of each number, given that it is one of them.
///
/// $$ P(M | \text{data}) \propto e^{\text{total}_M / T} $$
///
/// The totals themselves would be far too sure: no model is exactly true, and what it gets wrong adds up. T = [`TEMPERATURE`] makes
/// them as sure as they are often right on simulated scenes.
fn probabilities(numbers: &mut [NumberScore]) {
    let tempered: Vec<f64> = numbers.iter().map(|row| row.total() / TEMPERATURE).collect();
    let sum = log_sum_exp(&tempered);
    for (row, log) in numbers.iter_mut().zip(tempered) {
        row.probability = if sum.is_finite() { (log - sum).exp() } else { 0.0 };
    }
}

/// Compares partitions into different numbers of clusters.
#[derive(Debug)]
pub(crate) struct NumberScorer<'a> {
    scorer: Scorer<'a>,
    context: &'a Context<'a>,
    prior: Prior,
    walk_weight: f64,
    n_points: usize,
}

impl<'a> NumberScorer<'a> {
    /// Settings must be valid, and the observed quantity distances.
    pub(crate) fn new(settings: ScoreSettings, context: &'a Context<'a>) -> Self {
        let n_points = context.n_points();
        let settings = ScoreSettings { shape: 1.0, score: Score::BestTree, ..settings };
        Self {
            scorer: Scorer::with_background(settings, context),
            context,
            prior: Prior::new(GraphPrior::Tree, settings.size_prior, 1, n_points),
            walk_weight: settings.walk_weight,
            n_points,
        }
    }

    /// Leaves out the steps that matter neither for the least number of clusters nor for as many as there are modes.
    pub(crate) fn leave_out_steps(&mut self, sources: &Sources, constraints: &Constraints, range: Range) {
        let n_modes = self.context.modes().n_significant().clamp(range.least, range.most);
        let cut = |n_clusters| sources.cuts(self.context, n_clusters, constraints).into_iter().next();
        let numbers = BTreeSet::from([range.least, n_modes]);
        let cuts: Vec<_> = numbers.into_iter().filter_map(cut).collect();
        self.leave_out_steps_for(&cuts.iter().map(|cut| &cut.labels[..]).collect::<Vec<_>>());
    }

    /// Leaves out the steps that matter for none of these partitions.
    pub(crate) fn leave_out_steps_for(&mut self, partitions: &[&[usize]]) {
        self.scorer.leave_out_steps(partitions);
    }

    /// Returns the score of a partition.
    pub(crate) fn score(&self, labels: &[usize], searched: bool) -> NumberScore {
        self.with_penalties(NumberScore { searched, ..self.by_trees(labels) })
    }

    /// The score of a partition without its random walk and its valleys: never below the score.
    fn by_trees(&self, labels: &[usize]) -> NumberScore {
        let Sized { sizes, evidences } = self.scorer.sized(labels, |_| None);
        self.sum(&sizes, &evidences.iter().collect::<Vec<_>>(), 0.0).with_labels(Labels::of_numbers(labels))
    }

    /// The row with what the random walk and the valleys say against its partition.
    fn with_penalties(&self, row: NumberScore) -> NumberScore {
        let labels = row.partition.labels.as_slice();
        let leaving = self.scorer.stays(labels).into_iter().map(|stay| 1.0 - stay).sum();
        NumberScore { walk: self.walk(leaving), valleys: self.scorer.valleys(|i| labels[i]), ..row }
    }

    /// The penalty of a random walk that leaves the clusters with these probabilities in all.
    fn walk(&self, leaving: f64) -> f64 {
        -WALK_PART * self.walk_weight * self.n_points as f64 * leaving
    }

    /// Adds up the terms of clusters of these sizes, which the walk leaves with these probabilities in all; without valleys and
    /// labels.
    pub(crate) fn sum(&self, sizes: &[usize], evidences: &[&ClassEvidence], leaving: f64) -> NumberScore {
        let n_steps = evidences.first().map_or(0, |class| class.per_step.len());
        let at_step = |step: usize| evidences.iter().map(|class| class.per_step[step]).sum::<f64>();
        let per_step: Vec<f64> = (0..n_steps).map(at_step).collect();
        let background: f64 = evidences.iter().map(|class| class.log_background).sum();
        let trees: f64 = sizes.iter().map(|&n| self.prior.log_trees(n)).sum();
        NumberScore {
            n_clusters: sizes.len(),
            prior: log_number(sizes.len(), self.n_points)
                + if sizes.len() == 1 { ONE_CLUSTER } else { 0.0 }
                + self.prior.log_partition(sizes)
                + trees,
            evidence: log_mean_exp(&per_step) - background,
            walk: self.walk(leaving),
            valleys: 0.0,
            side: 0.0,
            searched: false,
            probability: 0.0,
            partition: RowPartition { labels: Labels::new::<usize>(&[]), representatives: None },
        }
    }

    /// What scores the clusters.
    pub(crate) fn scorer(&self) -> &Scorer<'a> {
        &self.scorer
    }
}

/// $\log P(M) = \log (1 - q) + (M - 1) \log q$, $q = (1 + N / 10)^{-1/2}$: one cluster more has one scale more, which the lengths
/// of N points determine to about $1 / \sqrt{N}$. (The paper's constants have no such term.)
pub(crate) fn log_number(n_clusters: usize, n_points: usize) -> f64 {
    let log_q = -0.5 * (n_points as f64 / 10.0).ln_1p();
    (-log_q.exp_m1()).ln() + (n_clusters - 1) as f64 * log_q
}

/// Finds the number of clusters.
pub(crate) struct Selection<'a> {
    pub(crate) scorer: NumberScorer<'a>,
    pub(crate) sources: &'a Sources,
    pub(crate) constraints: &'a Constraints,
    pub(crate) range: Range,
    /// How many numbers beside the best are searched too.
    pub(crate) plan: Plan,
    pub(crate) parts: SearchParts,
    /// Whether the random walk may rule out numbers.
    pub(crate) walks: bool,
}

/// The result for the best number, and the table of all.
pub(crate) struct Selected {
    pub(crate) proposals: Vec<Proposal>,
    pub(crate) numbers: Vec<NumberScore>,
}

impl Selected {
    /// The number that was selected.
    fn n_clusters(&self) -> usize {
        self.proposals.first().map_or(0, |best| best.labels.n_clusters())
    }
}

impl<'a> Selection<'a> {
    /// The choice among a range of numbers for a search; settings must be valid.
    pub(crate) fn new(
        problem: &'a Problem<'a>,
        sources: &'a Sources,
        scoring: ScoreSettings,
        range: Range,
    ) -> Self {
        let Problem { context, constraints, plan, parts, .. } = *problem;
        // With side information any number may be meant.
        let walks = scoring.walk_weight > 0.0 && !constraints.is_informed();
        let mut scorer = NumberScorer::new(scoring, context);
        if !plan.is_whole {
            scorer.leave_out_steps(sources, constraints, range);
        }
        Self { scorer, sources, constraints, range, plan, parts, walks }
    }

    /// Returns what `search` finds for the best number of clusters; where the random walk rules that out, for the best of those that
    /// it leaves.
    pub(crate) fn run(
        &self,
        search: impl Fn(usize, Effort, Vec<Partition>) -> Result<Vec<Proposal>, Error>,
        observer: &dyn Observer,
    ) -> Result<Selected, Error> {
        let selected = self.selected(self.range, &search, observer)?;
        let least = if self.walks { least_number(self.scorer.context, observer) } else { 1 };
        if selected.n_clusters() < least && least <= self.range.most {
            return self.selected(Range { least, ..self.range }, &search, observer);
        }
        Ok(selected)
    }

    /// What `search` finds for the best number of clusters of a range.
    ///
    /// Linkages give partitions into every number of clusters at little cost. The best number is searched in full, then its neighbours
    /// lightly where that could make them the best, from what was found for the best; until the best stays the best. Of many points the
    /// best number alone is searched.
    fn selected(
        &self,
        range: Range,
        search: &impl Fn(usize, Effort, Vec<Partition>) -> Result<Vec<Proposal>, Error>,
        observer: &dyn Observer,
    ) -> Result<Selected, Error> {
        let (mut numbers, cuts): (Vec<NumberScore>, Vec<Start>) =
            self.by_linkage(range, observer).into_iter().unzip();
        let mut found: BTreeMap<usize, (Effort, Vec<Proposal>)> = BTreeMap::new();
        loop {
            // Once cancelled, only the best number itself is still looked at.
            let reach = if observer.cancelled() { 0 } else { self.plan.n_beside };
            let searched = |at: usize| found.get(&at).map(|&(effort, _)| effort);
            let Some((at, effort)) = next(&numbers, reach, searched) else { break };
            let given = match effort {
                Effort::Full => Vec::new(),
                Effort::Light => {
                    let cut = Partition::new(cuts[at], numbers[at].labels().as_slice().to_vec());
                    let beside = best_row(&numbers).and_then(|best| found.get(&best)?.1.first());
                    let beside =
                        beside.map(|best| Partition::new(best.start, best.labels.as_slice().to_vec()));
                    std::iter::once(cut).chain(beside).collect()
                }
            };
            let mut proposals = search(numbers[at].n_clusters, effort, given)?;
            // What a lighter search found counts as well.
            proposals.extend(found.remove(&at).map_or_else(Vec::new, |(_, lighter)| lighter));
            let cancelled = observer.cancelled();
            let row = self.best_first(&mut proposals);
            // A search that was cut short may be worse than a cut of linkages.
            if let Some(row) = row.filter(|row| !cancelled || row.total() > numbers[at].total()) {
                numbers[at] = row;
            }
            numbers[at].searched = !cancelled;
            found.insert(at, (effort, proposals));
            if cancelled && best_row(&numbers).is_some_and(|best| found.contains_key(&best)) {
                break;
            }
        }
        probabilities(&mut numbers);
        // The best row was searched, unless the observer cancelled.
        let best = best_row(&numbers).and_then(|best| found.remove(&best));
        let proposals = best.or_else(|| found.pop_first().map(|(_, searched)| searched));
        Ok(Selected { proposals: proposals.map(|(_, proposals)| proposals).unwrap_or_default(), numbers })
    }

    /// The score of the best of some partitions, with what soft pairs say of them, and which it is; of equal ones the first.
    ///
    /// The random walk and the valleys only lower a score: a partition that is behind without them is not looked at further.
    fn best_of(&self, partitions: &[&[usize]]) -> Option<(usize, NumberScore)> {
        let bounds = parallel::map(partitions.len(), |at| {
            let side = 0.0 + self.constraints.soft().penalty(partitions[at]);
            NumberScore { side, ..self.scorer.by_trees(partitions[at]) }
        });
        let mut order: Vec<usize> = (0..bounds.len()).collect();
        // A score that is not a number is behind all others.
        let bound =
            |at: usize| Some(bounds[at].total()).filter(|total| !total.is_nan()).unwrap_or(f64::NEG_INFINITY);
        order.sort_by(|&a, &b| bound(b).total_cmp(&bound(a)));
        let mut best: Option<(usize, NumberScore)> = None;
        for at in order {
            let is_behind = |(_, best): &(usize, NumberScore)| best.total() > bound(at);
            if best.as_ref().is_some_and(is_behind) {
                break;
            }
            let row = self.scorer.with_penalties(bounds[at].clone());
            let beaten = |(first, best): &(usize, NumberScore)| {
                row.total() > best.total() || (row.total() == best.total() && at < *first)
            };
            if best.as_ref().is_none_or(beaten) {
                best = Some((at, row));
            }
        }
        best
    }

    /// Puts the proposal with the best score of the number first, and returns that score. The first few count, and those that are
    /// not refined: smooth borders cost the score of a partition more than that of the number.
    fn best_first(&self, proposals: &mut Vec<Proposal>) -> Option<NumberScore> {
        let counts = |at: usize| at < N_COMPARED || !proposals[at].refined;
        let compared: Vec<usize> = (0..proposals.len()).filter(|&at| counts(at)).collect();
        let partitions: Vec<&[usize]> = compared.iter().map(|&at| proposals[at].labels.as_slice()).collect();
        let (best, row) = self.best_of(&partitions)?;
        let first = proposals.remove(compared[best]);
        proposals.insert(0, first);
        Some(NumberScore { searched: true, ..row })
    }

    /// The best cut of linkages into this number of clusters.
    fn best_cut(&self, n_clusters: usize) -> Option<(NumberScore, Start)> {
        let mut cuts = self.sources.cuts(self.scorer.context, n_clusters, self.constraints);
        cuts.retain(|cut| cut.start.origin.is_part_of(self.parts));
        let partitions: Vec<&[usize]> = cuts.iter().map(|cut| &cut.labels[..]).collect();
        let (at, score) = self.best_of(&partitions)?;
        Some((score, cuts[at].start))
    }

    /// The cuts of the one linkage of very many clusters, where nothing else is compared.
    fn joined(&self, range: Range) -> Option<(Start, Joined<'_, 'a>)> {
        if !Plan::is_many(range.least) || !self.constraints.is_empty() || !self.constraints.soft().is_empty()
        {
            return None;
        }
        let (origin, linkage) = self.sources.only_linkage(self.scorer.context)?;
        let n_fine = range.most.min(range.least.saturating_add(N_JOINED)).min(self.scorer.n_points);
        let joined = || Joined::new(&self.scorer, linkage, [range.least, n_fine]);
        origin.is_part_of(self.parts).then(|| (Start::of(origin), joined()))
    }

    /// The best cut of linkages for each number of clusters.
    fn by_linkage(&self, range: Range, observer: &dyn Observer) -> Vec<(NumberScore, Start)> {
        let mut numbers: Vec<(NumberScore, Start)> = Vec::new();
        let joined = self.joined(range);
        let n_modes = self.scorer.context.modes().n_significant();
        let mut best = (f64::NEG_INFINITY, range.least);
        for n_clusters in range.least..=range.most {
            // A graph has at least one cluster for each of its components: only those beyond count.
            let beyond = |n_clusters: usize| n_clusters + 1 - range.least;
            let likely = beyond(best.1.max(n_modes));
            let hopeless = range.open && beyond(n_clusters) > FURTHER * likely + AT_LEAST_FURTHER;
            // A number that nothing was compared with is none: the first few are cheap.
            if hopeless || (observer.cancelled() && beyond(n_clusters) > AT_LEAST_FURTHER) {
                break;
            }
            let of_joined = |(start, joined): &(Start, Joined<'_, '_>)| {
                (n_clusters <= joined.n_fine()).then(|| (joined.row(n_clusters), *start))
            };
            let row = joined.as_ref().and_then(of_joined).or_else(|| self.best_cut(n_clusters));
            let Some((score, start)) = row else { continue };
            if score.total() > best.0 {
                best = (score.total(), n_clusters);
            }
            numbers.push((score, start));
            observer.progress(Progress { phase: "numbers of clusters", fraction: 0.5, log_joint: None });
        }
        numbers
    }
}

/// The row that is searched next, and how: the best in full, then lightly those of its neighbours that a search could make the
/// best.
fn next(
    numbers: &[NumberScore],
    reach: usize,
    searched: impl Fn(usize) -> Option<Effort>,
) -> Option<(usize, Effort)> {
    let best = best_row(numbers)?;
    let could_win = |at: usize| numbers[at].total() + MOST_GAIN > numbers[best].total();
    let mut near = best.saturating_sub(reach)..(best + 1 + reach).min(numbers.len());
    let beside = near.find(|&at| at != best && searched(at).is_none() && could_win(at));
    let itself = (searched(best) < Some(Effort::Full)).then_some((best, Effort::Full));
    itself.or(beside.map(|at| (at, Effort::Light)))
}

#[cfg(test)]
mod tests;
