//! Points that belong to no class (the paper's abstract: a model of noise).
//!
//! Leaving points to the background alone would swallow everything. Noise has its own normalised way to attach: the noise points
//! and the classes, taken together as one point, have a tree, each of its links is to one of all points, and all its lengths
//! share one scale, integrated out, that is not below the mean link ([`NoiseScale`]):
//!
//! $$ S(C, \text{noise}) = S(C) + \log \frac{n_0!}{(N - 1)^{n_0}} + \log \frac{1}{G} \sum_{s} \prod_{i = 1}^{n_0} s^{-m}
//! e^{-(L_i / s)^m} $$
//!
//! where S(C) is the score of the classes among their own points, and $n_0!$ is to the noise points what $n_c!$ is to those of a
//! class.
//!
//! The search begins with the densest parts of the points, clustered as if they were all. Then points become noise, or join a
//! class, as [`Predictor`] says, until none wants to. The best of the partitions on the way wins. No start holds all points:
//! there noise joins what it lies between, and no point's move mends that.

use crate::constraints::Constraints;
use crate::constraints::side_information::SideInformation;
use crate::error::Error;
use crate::graph::disjoint_sets::DisjointSets;
use crate::graph::link::Link;
use crate::input::Dissimilarity;
use crate::input::labels::Labels;
use crate::latent_graph::context::{Context, global_tree};
use crate::latent_graph::fit::{ClassLink, LatentGraphFit};
use crate::latent_graph::memory::Memory;
use crate::latent_graph::paper::Run;
use crate::latent_graph::predict::Predictor;
use crate::latent_graph::search::score::Scorer;
use crate::latent_graph::search::score::varying::ScaleGrid;
use crate::latent_graph::search::score::varying::noise_scale::NoiseScale;
use crate::latent_graph::settings::LatentGraph;
use crate::latent_graph::settings::inference::{Inference, Noise, ScoreSettings, SearchSettings};
use crate::run::observer::Observer;
use crate::run::termination::Termination;
use crate::settings::n_clusters::NClusters;

/// The parts of the points, those with the nearest neighbours first, whose clusters are starts.
const KEPT: [f64; 4] = [0.95, 0.9, 0.8, 0.7];

/// The part that the number of clusters and the step of their scales are decided by.
const CORE: f64 = 0.85;

/// The neighbour whose distance says how lonely a point is.
const NEIGHBOUR: usize = 10;

/// Most rounds in which points become noise, or none any more, and most of them that follow a better one.
const MAX_ROUNDS: usize = 20;
const MAX_WORSE: usize = 3;

/// A partition with noise, and how good it is.
struct Found {
    labels: Vec<Option<usize>>,
    score: f64,
}

/// What a search for noise looks at.
struct Cleaning<'a> {
    settings: LatentGraph,
    scoring: ScoreSettings,
    context: &'a Context<'a>,
    grid: ScaleGrid,
    side: &'a SideInformation,
    /// Whether something is said of a point: it is no noise.
    bound: Vec<bool>,
    /// The points, those with the nearest neighbours first.
    order: Vec<usize>,
    observer: &'a dyn Observer,
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
        let context = Context::new(observed, observer);
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
            order: by_loneliness(&context),
            observer,
        };
        let (_, core) = cleaning.fit_of(CORE, range.least)?;
        cleaning.settings.n_clusters = NClusters::Exactly(core.labels.n_clusters());
        cleaning.scoring.step = core.proposals.first().map(|best| best.score.step);
        let numbers = core.numbers;
        let found = cleaning.best(range.least)?;
        let fit = cleaning.finished(&found)?;
        Ok(LatentGraphFit { numbers, component_sizes: lengths.part_sizes(), ..fit })
    }
}

/// The length of each noise point's link, in the order of the points: noise and classes, taken as one point, have a tree, and a
/// noise point's link is that towards the classes. NaN is a link that was not observed.
///
/// `tree` is the global tree, shortest link first: no other links are in that of the points taken together.
pub(crate) fn noise_lengths(tree: &[Link], labels: &[Option<usize>]) -> Vec<f64> {
    let n_points = labels.len();
    // The classes are one more point, with the number of points.
    let end = |i: usize| if labels[i].is_some() { n_points } else { i };
    let mut sets = DisjointSets::new(n_points + 1);
    let mut around: Vec<Vec<(usize, f64)>> = vec![Vec::new(); n_points + 1];
    for link in tree {
        let (a, b) = (end(link.from), end(link.to));
        if sets.join(a, b) {
            let length = if link.length.is_finite() { link.length } else { f64::NAN };
            around[a].push((b, length));
            around[b].push((a, length));
        }
    }
    let mut lengths = vec![None; n_points + 1];
    lengths[n_points] = Some(f64::NAN);
    let mut next = vec![n_points];
    while let Some(from) = next.pop() {
        for &(to, length) in &around[from] {
            if lengths[to].is_none() {
                lengths[to] = Some(length);
                next.push(to);
            }
        }
    }
    (0..n_points).filter(|&i| labels[i].is_none()).map(|i| lengths[i].unwrap_or(f64::NAN)).collect()
}

/// The points, those with the nearest neighbours first.
fn by_loneliness(context: &Context<'_>) -> Vec<usize> {
    let far = |i: usize| {
        context.neighbours.of(i).take(NEIGHBOUR).last().map_or(f64::INFINITY, |(_, distance)| distance)
    };
    let mut order: Vec<usize> = (0..context.n_points()).collect();
    order.sort_by(|&a, &b| far(a).total_cmp(&far(b)).then(a.cmp(&b)));
    order
}

impl Cleaning<'_> {
    fn n_points(&self) -> usize {
        self.context.n_points()
    }

    /// The points that are kept at first: the given part, at least as many as clusters, and all of which something is said.
    fn kept(&self, part: f64, n_clusters: usize) -> Vec<usize> {
        let wanted = ((part * self.n_points() as f64).round() as usize).max(n_clusters).min(self.n_points());
        let mut kept: Vec<bool> = self.bound.clone();
        self.order[..wanted].iter().for_each(|&i| kept[i] = true);
        (0..self.n_points()).filter(|&i| kept[i]).collect()
    }

    /// A part of the points, and its fit; all of them where the part falls into pieces or has too few points.
    fn fit_of(&self, part: f64, n_clusters: usize) -> Result<(Vec<usize>, LatentGraphFit), Error> {
        let kept = self.kept(part, n_clusters);
        let observed = self.context.observed.restricted(&kept)?;
        match self.settings.fit_observed(&observed, self.side.restricted(&kept), self.observer) {
            Err(error) if part < 1.0 && is_of_the_part(&error) => self.fit_of(1.0, n_clusters),
            Ok(fit) if part < 1.0 && self.is_torn(&fit) => self.fit_of(1.0, n_clusters),
            fit => Ok((kept, fit?)),
        }
    }

    /// Whether a part of the points has more components than clusters, where all of them have not.
    fn is_torn(&self, fit: &LatentGraphFit) -> bool {
        self.context.joined_at.is_none()
            && self.context.observed.sparse().is_some()
            && fit.n_components() > fit.labels.n_clusters()
    }

    /// The best partition with noise that the starts lead to.
    fn best(&self, n_clusters: usize) -> Result<Found, Error> {
        let mut best: Option<Found> = None;
        for part in KEPT {
            let (kept, fit) = self.fit_of(part, n_clusters)?;
            let mut labels = vec![None; self.n_points()];
            kept.iter().zip(fit.labels.as_slice()).for_each(|(&i, &label)| labels[i] = Some(label));
            let found = self.settled(labels, fit.labels.n_clusters())?;
            if best.as_ref().is_none_or(|best| found.score > best.score) {
                best = Some(found);
            }
            if self.observer.cancelled() {
                break;
            }
        }
        best.ok_or(Error::NoPoints)
    }

    /// Lets points become noise, or join a class, until none wants to; the best partition on the way.
    fn settled(&self, mut labels: Vec<Option<usize>>, n_clusters: usize) -> Result<Found, Error> {
        let mut best = Found { score: self.score(&labels)?, labels: labels.clone() };
        let mut n_worse = 0;
        for _ in 0..MAX_ROUNDS {
            let predictor = Predictor::new(self.context.observed, &labels, &self.scoring, true)?;
            let said = predictor.memberships(self.context.observed)?.labels;
            let next: Vec<Option<usize>> = (0..labels.len())
                .map(|i| match (labels[i], said[i]) {
                    (Some(old), _) if self.bound[i] => Some(old),
                    (Some(old), Some(_)) => Some(old),
                    (_, new) => new,
                })
                .collect();
            let n_left = (0..n_clusters).filter(|&class| next.contains(&Some(class))).count();
            if next == labels || n_left < n_clusters || n_worse > MAX_WORSE || self.observer.cancelled() {
                break;
            }
            labels = next;
            let score = self.score(&labels)?;
            n_worse += 1;
            if score > best.score {
                best = Found { score, labels: labels.clone() };
                n_worse = 0;
            }
        }
        Ok(best)
    }

    /// The score of the classes among their own points, and what noise adds.
    fn score(&self, labels: &[Option<usize>]) -> Result<f64, Error> {
        let kept: Vec<usize> = (0..labels.len()).filter(|&i| labels[i].is_some()).collect();
        let names: Vec<usize> = labels.iter().flatten().copied().collect();
        let observed = self.context.observed.restricted(&kept)?;
        let context = Context::new(&observed, &crate::run::observer::Silent);
        let context = if self.context.joined_at.is_some() { context.joining() } else { context };
        let classes = Scorer::new(self.scoring, &context).score(Labels::new(&names).as_slice());
        Ok(classes.total() + self.log_noise(labels))
    }

    /// $\log P(\text{noise}) + \log p(L | \text{noise})$.
    fn log_noise(&self, labels: &[Option<usize>]) -> f64 {
        let lengths = noise_lengths(&self.context.tree, labels);
        let n_noise = lengths.len();
        let sizes: f64 = (1..=n_noise).map(|k| (k as f64).ln()).sum();
        let choice = n_noise as f64 * (self.n_points().max(2) as f64 - 1.0).ln();
        sizes - choice + NoiseScale::new(&self.grid, lengths).log_evidence() - self.grid.log_units(n_noise)
    }

    /// The fit of a partition with noise: graph and scales of the classes; noise points have the label of the class that they
    /// would most probably join.
    fn finished(&self, found: &Found) -> Result<LatentGraphFit, Error> {
        let kept: Vec<usize> = (0..self.n_points()).filter(|&i| found.labels[i].is_some()).collect();
        let fit = self.given(&kept, &found.labels)?;
        let labels: Vec<usize> = found.labels.iter().flatten().copied().collect();
        let predictor = Predictor::new(self.context.observed, &found.labels, &self.scoring, true)?;
        let said = predictor.memberships(self.context.observed)?;
        let classes = predictor.n_classes();
        let likeliest = |i: usize| {
            let row = &said.row(i)[..classes];
            (1..classes).fold(0, |best, class| if row[class] > row[best] { class } else { best })
        };
        let all: Vec<usize> =
            (0..self.n_points()).map(|i| found.labels[i].unwrap_or_else(|| likeliest(i))).collect();
        // Of all points the order of first appearance may be another than of those that are kept.
        let numbered = Labels::new(&all);
        let mut new_name = vec![0; classes];
        all.iter().zip(numbered.as_slice()).for_each(|(&old, &new)| new_name[old] = new);
        let kept_name = Labels::new(&labels);
        let mut of_kept = vec![0; classes];
        labels.iter().zip(kept_name.as_slice()).for_each(|(&old, &name)| of_kept[name] = new_name[old]);
        Ok(renamed(fit, &of_kept, &kept, numbered, self.n_points()))
    }

    /// The fit whose labels are given, of the points that are kept.
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

/// Whether a part of the points cannot be clustered where all of them may: it falls into pieces, as a graph may, or has too
/// few points or groups of tied points for the clusters that were asked for.
fn is_of_the_part(error: &Error) -> bool {
    matches!(
        error,
        Error::Parts { .. }
            | Error::NoStart
            | Error::NClusters { .. }
            | Error::NClustersRange { .. }
            | Error::MustLinkTooMany { .. }
    )
}

/// A fit of kept points as one of all: classes and points get their own numbers back.
fn renamed(
    fit: LatentGraphFit,
    new_class: &[usize],
    kept: &[usize],
    labels: Labels,
    n_points: usize,
) -> LatentGraphFit {
    let mut scales = vec![0.0; new_class.len()];
    let mut spreads = vec![0.0; new_class.len()];
    for (old, &new) in new_class.iter().enumerate() {
        (scales[new], spreads[new]) = (fit.scales[old], fit.spreads[old]);
    }
    let link = |link: &ClassLink| ClassLink {
        from: kept[link.from],
        to: kept[link.to],
        class: new_class[link.class],
        length: link.length,
    };
    let mut is_kept = vec![false; n_points];
    kept.iter().for_each(|&i| is_kept[i] = true);
    let mut graph: Vec<ClassLink> = fit.graph.iter().map(link).collect();
    graph.sort_by_key(|link| link.class);
    let noise = (0..n_points).filter(|&i| !is_kept[i]).collect();
    LatentGraphFit { labels, noise, graph, scales, spreads, ..fit }
}

#[cfg(test)]
mod tests;
