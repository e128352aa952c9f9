//! Points that belong to no cluster (the paper's abstract: a model of noise).
//!
//! A model that leaves noise to the background alone would make everything noise. Noise is therefore attached by a normalised
//! density of its own: the noise points and the clusters, merged into one point, have a tree; each of its links goes to one
//! of all points, and all its lengths share one scale, integrated out, that is not below the mean link ([`NoiseScale`]):
//!
//! $$ S(C, \text{noise}) = S(C) + \log \frac{n_0!}{(N - 1)^{n_0}} + \log \frac{1}{G} \sum_{s} \prod_{i = 1}^{n_0} s^{-m}
//! e^{-(L_i / s)^m} $$
//!
//! where S(C) is the score of the clusters among their own points, and $n_0!$ is to the noise points what $n_c!$ is to those of a
//! cluster.
//!
//! The search clusters the densest 85% of the points as if they were all, and spreads their labels along the minimum spanning
//! tree. Two starts keep the labels of the densest 95% and 80%. Then points become noise, or join a cluster, as [`Predictor`]
//! says, until none wants to. The best of the partitions on the way wins.
//!
//! The scale of a tree varies, so that it explains noise that is linked to the tail of a cluster as a sparse part of it. What is
//! too sparse for such a tail ([`tail`]) is noise as well.

pub(crate) mod of_all;
pub(crate) mod tail;

use crate::constraints::Constraints;
use crate::constraints::side_information::SideInformation;
use crate::error::{ConstraintError, Error, SettingError};
use crate::graph::spanning::spread::spread;
use crate::input::Dissimilarity;
use crate::input::labels::Labels;
use crate::latent_graph::context::memory::Memory;
use crate::latent_graph::context::{Context, global_tree};
use crate::latent_graph::fit::LatentGraphFit;
use crate::latent_graph::paper::Run;
use crate::latent_graph::predict::Predictor;
use crate::latent_graph::search::number::NumberScore;
use crate::latent_graph::search::score::fingerprint::{Fingerprint, fingerprint};
use crate::latent_graph::search::score::varying::ScaleGrid;
use crate::latent_graph::search::score::varying::noise_scale::{NoiseScale, noise_lengths};
use crate::latent_graph::search::score::{Scorer, members};
use crate::latent_graph::settings::LatentGraph;
use crate::latent_graph::settings::inference::{Inference, Noise, ScoreSettings, SearchSettings};
use crate::run::observer::Observer;
use crate::run::termination::Termination;
use tail::Cells;

/// Fractions of the points, densest first, whose clusters are the starts. Not tuned.
const KEPT: [f64; 2] = [0.95, 0.8];

/// Fraction of the points, densest first, that decides the number of clusters and the step of their scales. Stated in
/// `docs/how/number-and-noise.md`; not tuned.
const CORE: f64 = 0.85;

/// The neighbour (k) whose distance measures how isolated a point is. Stated in `docs/how/number-and-noise.md`; not tuned.
const NEIGHBOUR: usize = 10;

/// Maximum number of rounds in which points are reassigned to noise or to clusters, and that with many points, where there is one
/// start. Not tuned; the second keeps the time below three fits.
const MAX_ROUNDS: [usize; 2] = [20, 4];

/// Maximum number of consecutive rounds without an improvement of the score. Not tuned.
const MAX_WORSE: usize = 3;

/// A partition with noise, and its score.
struct Found {
    labels: Vec<Option<usize>>,
    score: f64,
}

/// The input of a search with noise.
struct Cleaning<'a> {
    settings: LatentGraph,
    scoring: ScoreSettings,
    context: &'a Context<'a>,
    grid: ScaleGrid,
    side: &'a SideInformation,
    /// Whether a point is constrained: it cannot be noise.
    bound: Vec<bool>,
    /// The points, densest first.
    order: Vec<usize>,
    observer: &'a dyn Observer,
    /// Whether there are few enough points for the whole search.
    is_whole: bool,
}

impl LatentGraph {
    /// Inference by search, where points may be noise: the paper's abstract asks for a model that "explicitly models noise".
    pub(crate) fn fit_with_noise(
        &self,
        observed: &Dissimilarity<'_>,
        side: &SideInformation,
        observer: &dyn Observer,
    ) -> Result<LatentGraphFit, Error> {
        let constraints = Constraints::new(side, observed.n_points())?;
        let range = self.range(observed, &constraints)?;
        let memory = Memory::new(self, observed);
        let memory_limit = memory.left(memory.around_noise());
        let context = Context::new(observed, observer).weighted(&side.weights);
        let lengths = self.lengths(observed, &context.tree);
        let lengths = self.joined(lengths, range.most, &constraints)?;
        let context = if lengths.joins() { context.joining() } else { context };
        let scoring = self.score_settings();
        let without_noise = SearchSettings { noise: Noise::None, ..self.search_settings() };
        let mut cleaning = Cleaning {
            settings: Self { inference: Some(Inference::Search(without_noise)), memory_limit, ..*self },
            scoring,
            context: &context,
            grid: ScaleGrid::new(&context, scoring.shape),
            side,
            bound: (0..observed.n_points()).map(|i| constraints.is_bound(i)).collect(),
            order: by_isolation(&context),
            observer,
            is_whole: self.plan(observed).is_whole,
        };
        let (kept, core) = cleaning.fit_of(CORE, range.least)?;
        cleaning.scoring.step = core.proposals.first().map(|best| best.score.step);
        let found = cleaning.without_tails(cleaning.best(&kept, &core.labels)?);
        let plan = core.plan;
        let numbers = core.numbers.into_iter().map(|row| cleaning.of_all(row, &kept)).collect();
        let fit = cleaning.finished(&found)?;
        let (modes, component_sizes) = (context.modes().listed(), lengths.part_sizes());
        Ok(LatentGraphFit { numbers, modes, component_sizes, plan, ..fit })
    }
}

/// The points, densest first.
fn by_isolation(context: &Context<'_>) -> Vec<usize> {
    let far = |i: usize| {
        context.neighbours.of(i).take(NEIGHBOUR).next_back().map_or(f64::INFINITY, |(_, distance)| distance)
    };
    let mut order: Vec<usize> = (0..context.n_points()).collect();
    order.sort_by(|&a, &b| far(a).total_cmp(&far(b)).then(a.cmp(&b)));
    order
}

impl Cleaning<'_> {
    /// A row of the number of clusters whose partition of the core is propagated to all points.
    fn of_all(&self, row: NumberScore, core: &[usize]) -> NumberScore {
        let labels = row.labels();
        let known = core.iter().copied().zip(labels.as_slice().iter().copied());
        row.with_labels(Labels::new(&spread(&self.context.tree, self.n_points(), known)))
    }

    fn n_points(&self) -> usize {
        self.context.n_points()
    }

    /// The points that are kept at first: the given part, at least as many as clusters, and all constrained ones.
    fn kept(&self, part: f64, n_clusters: usize) -> Vec<usize> {
        let wanted = ((part * self.n_points() as f64).round() as usize).max(n_clusters).min(self.n_points());
        let mut kept: Vec<bool> = self.bound.clone();
        self.order[..wanted].iter().for_each(|&i| kept[i] = true);
        (0..self.n_points()).filter(|&i| kept[i]).collect()
    }

    /// A fraction of the points, and its fit; all of them where the fraction is disconnected or has too few points.
    fn fit_of(&self, part: f64, n_clusters: usize) -> Result<(Vec<usize>, LatentGraphFit), Error> {
        let kept = self.kept(part, n_clusters);
        let observed = self.context.observed.restricted(&kept)?;
        match self.settings.fit_observed(&observed, self.side.restricted(&kept), self.observer) {
            Err(error) if part < 1.0 && is_of_the_part(&error) => self.fit_of(1.0, n_clusters),
            Ok(fit) if part < 1.0 && self.is_torn(&fit) => self.fit_of(1.0, n_clusters),
            fit => Ok((kept, fit?)),
        }
    }

    /// Whether a fraction of the points has more components than clusters, where all of them have not.
    fn is_torn(&self, fit: &LatentGraphFit) -> bool {
        self.context.joined_at.is_none()
            && self.context.observed.sparse().is_some()
            && fit.n_components() > fit.labels.n_clusters()
    }

    /// The best partition with noise that the starts lead to: the clusters of the core, with more and with fewer points.
    fn best(&self, core: &[usize], labels: &Labels) -> Result<Found, Error> {
        let n_clusters = labels.n_clusters();
        let known = core.iter().copied().zip(labels.as_slice().iter().copied());
        let all = spread(&self.context.tree, self.n_points(), known);
        // A graph that is disconnected without some of its points keeps all of them at first.
        let n_starts = if self.is_whole { KEPT.len() } else { 1 };
        let parts = if core.len() == self.n_points() { &[1.0] } else { &KEPT[..n_starts] };
        let mut seen: Vec<Fingerprint> = Vec::new();
        let mut best: Option<Found> = None;
        for &part in parts {
            let mut start = vec![None; self.n_points()];
            self.kept(part, n_clusters).iter().for_each(|&i| start[i] = Some(all[i]));
            if n_filled(&start, n_clusters) < n_clusters {
                continue;
            }
            let found = self.settled(start, n_clusters, &mut seen)?;
            best = best.into_iter().chain(found).reduce(better);
            if self.observer.cancelled() {
                break;
            }
        }
        let mut first = vec![None; self.n_points()];
        core.iter().for_each(|&i| first[i] = Some(all[i]));
        best.map_or_else(|| Ok(Found { score: self.score(&first)?, labels: first }), Ok)
    }

    /// The labels without the points that are too sparse for the tail of their cluster; noise counts with the cluster that the
    /// minimum spanning tree links it to.
    fn without_tails(&self, found: Found) -> Vec<Option<usize>> {
        let known = found.labels.iter().enumerate().filter_map(|(i, label)| Some((i, (*label)?)));
        let all = spread(&self.context.tree, self.n_points(), known);
        let is_noise = Cells::new(self.context).noise(&all);
        let mut labels = found.labels;
        let mut left: Vec<usize> = members(&all).iter().map(Vec::len).collect();
        labels.iter().zip(&all).filter(|(label, _)| label.is_none()).for_each(|(_, &own)| left[own] -= 1);
        for i in (0..labels.len()).filter(|&i| is_noise[i] && !self.bound[i]) {
            // The last point of a cluster stays.
            if labels[i].is_some() && left[all[i]] > 1 {
                left[all[i]] -= 1;
                labels[i] = None;
            }
        }
        labels
    }

    /// Reassigns points to noise or to clusters until none changes; returns the best partition on the way. It stops at a
    /// partition that was seen before, since the next rounds would repeat.
    fn settled(
        &self,
        mut labels: Vec<Option<usize>>,
        n_clusters: usize,
        seen: &mut Vec<Fingerprint>,
    ) -> Result<Option<Found>, Error> {
        let mut best: Option<Found> = None;
        let (mut n_worse, mut asked) = (0, None);
        for _ in 0..MAX_ROUNDS[usize::from(!self.is_whole)] {
            let noise: Vec<usize> = (0..labels.len()).filter(|&i| labels[i].is_none()).collect();
            let print = fingerprint(&noise);
            if seen.contains(&print) || n_worse > MAX_WORSE {
                break;
            }
            seen.push(print);
            let found = Found { score: self.score(&labels)?, labels: labels.clone() };
            n_worse = if best.as_ref().is_none_or(|best| found.score > best.score) { 0 } else { n_worse + 1 };
            best = best.into_iter().chain([found]).reduce(better);
            let Some(next) =
                self.next(&labels, &mut asked)?.filter(|next| n_filled(next, n_clusters) == n_clusters)
            else {
                break;
            };
            if self.observer.cancelled() {
                break;
            }
            labels = next;
        }
        Ok(best)
    }

    /// The labels after points were reassigned to noise or to clusters given the others; `None` where no point changes.
    ///
    /// First every point is predicted; then only noise, and the neighbours of points that changed, as long as one of these
    /// changes. All are predicted once more before it ends.
    fn next(
        &self,
        labels: &[Option<usize>],
        asked: &mut Option<Vec<usize>>,
    ) -> Result<Option<Vec<Option<usize>>>, Error> {
        let predictor = Predictor::new(self.context.observed, labels, &self.scoring, true)?;
        let everyone = || (0..labels.len()).collect::<Vec<_>>();
        for points in asked.take().into_iter().chain([everyone()]) {
            let said = predictor.labels_in_doubt(self.context.observed, &self.context.neighbours, &points)?;
            let mut next = labels.to_vec();
            for (i, new) in said {
                if !self.bound[i] && (labels[i].is_none() || new.is_none()) {
                    next[i] = new;
                }
            }
            if next != labels {
                *asked = Some(self.touched(labels, &next));
                return Ok(Some(next));
            }
        }
        Ok(None)
    }

    /// The points that are noise, and the neighbours of those that changed.
    fn touched(&self, old: &[Option<usize>], new: &[Option<usize>]) -> Vec<usize> {
        let mut is_touched: Vec<bool> = new.iter().map(Option::is_none).collect();
        for i in (0..old.len()).filter(|&i| old[i] != new[i]) {
            is_touched[i] = true;
            self.context.neighbours.of(i).take(NEIGHBOUR).for_each(|(j, _)| is_touched[j] = true);
        }
        (0..new.len()).filter(|&i| is_touched[i]).collect()
    }

    /// The score of the clusters among their own points, and the term of noise.
    fn score(&self, labels: &[Option<usize>]) -> Result<f64, Error> {
        let kept: Vec<usize> = (0..labels.len()).filter(|&i| labels[i].is_some()).collect();
        let names: Vec<usize> = labels.iter().flatten().copied().collect();
        let observed = self.context.observed.restricted(&kept)?;
        let context = self.context.among(&observed, &kept);
        let clusters = Scorer::new(self.scoring, &context).score(Labels::new(&names).as_slice());
        Ok(clusters.total() + self.log_noise(labels))
    }

    /// $\log P(\text{noise}) + \log p(L | \text{noise})$.
    fn log_noise(&self, labels: &[Option<usize>]) -> f64 {
        let lengths = noise_lengths(&self.context.tree, labels);
        let n_noise = lengths.len();
        let sizes: f64 = (1..=n_noise).map(|k| (k as f64).ln()).sum();
        let choice = n_noise as f64 * (self.n_points().max(2) as f64 - 1.0).ln();
        sizes - choice + NoiseScale::new(&self.grid, lengths).log_evidence() - self.grid.log_units(n_noise)
    }

    /// The fit of a partition with noise: graph and scales of the clusters.
    fn finished(&self, found: &[Option<usize>]) -> Result<LatentGraphFit, Error> {
        let kept: Vec<usize> = (0..self.n_points()).filter(|&i| found[i].is_some()).collect();
        self.given(&kept, found)?.extended_to_noise(found, self.context.observed, &self.scoring)
    }

    /// The fit with given labels, of the points that are kept.
    fn given(&self, kept: &[usize], labels: &[Option<usize>]) -> Result<LatentGraphFit, Error> {
        let observed = self.context.observed.restricted(kept)?;
        let names = Labels::new(&labels.iter().flatten().collect::<Vec<_>>());
        let n_clusters = names.n_clusters();
        let tree = global_tree(&observed, self.observer);
        let lengths = self.settings.lengths(&observed, &tree);
        let lengths = match self.context.joined_at {
            Some(_) => lengths.joining(),
            None => lengths.in_few_parts(n_clusters, "noise")?,
        };
        let model = self.settings.model(&lengths, &tree)?;
        let ended = if self.observer.cancelled() { Termination::Cancelled } else { Termination::Converged };
        let constraints = Constraints::new(&SideInformation::default(), kept.len())?;
        let run = Run::from_labels(&model, names.as_slice(), n_clusters, &constraints);
        crate::latent_graph::fit::best(vec![run.found_as_it_is(ended)], model.background)
    }
}

/// Whether a fraction of the points cannot be clustered where all of them may: it is disconnected, as a graph may be, or has
/// too few points or must-link groups for the wanted number of clusters.
fn is_of_the_part(error: &Error) -> bool {
    matches!(
        error,
        Error::Settings(
            SettingError::Parts { .. }
                | SettingError::NoStart
                | SettingError::NClusters { .. }
                | SettingError::NClustersRange { .. }
        ) | Error::Constraints(ConstraintError::MustLinkTooMany { .. })
    )
}

/// The better of two partitions; of equally good ones the first.
fn better(first: Found, second: Found) -> Found {
    if second.score > first.score { second } else { first }
}

/// Number of clusters that have points.
fn n_filled(labels: &[Option<usize>], n_clusters: usize) -> usize {
    (0..n_clusters).filter(|&cluster| labels.contains(&Some(cluster))).count()
}

#[cfg(test)]
mod tests;
