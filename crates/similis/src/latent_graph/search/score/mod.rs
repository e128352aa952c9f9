//! The score of a partition, whatever its origin.
//!
//! The score of a partition is the evidence of the latent graph model, its scales integrated out, less what a random walk
//! says against it:
//!
//! $$ S(C) = \sum_c \big[ \log n_c! - (n_c - 2) \log n_c \big] + E(C) - \lambda N \, \overline{P(\text{leave } c)} $$
//!
//! The first two terms are log probabilities: of sizes and trees ([`SizePrior`](crate::latent_graph::SizePrior)), and of the
//! lengths given the trees. The third is **not** one: nothing normalises it over all data, so the score is a composite and no
//! likelihood. It is there because the trees see density but not bulk: a thin bridge between two clouds costs the evidence a
//! single link, while the walk hardly ever crosses it. Alone, each errs where the other does not.

pub(crate) mod all_trees;
pub(crate) mod fingerprint;
pub(crate) mod incremental;
pub(crate) mod penalty;
pub(crate) mod settings;
pub(crate) mod steps;
pub(crate) mod varying;
pub(crate) mod walk;

use crate::error::InputError;
use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::error::Error;
use crate::graph::grouped::{Grouped, points_of_clusters};
use crate::graph::link::Link;
use crate::input::labels::Labels;
use crate::input::{Dissimilarity, Quantity};
use crate::latent_graph::context::Context;
use crate::latent_graph::context::cluster_trees::ClassTrees;
use crate::latent_graph::context::pair_lengths::PairLengths;
use crate::latent_graph::model::prior::{GraphPrior, Prior};
use crate::latent_graph::settings::inference::{Scales, Score, ScoreSettings};
use crate::run::parallel;
use all_trees::SupportedTrees;
use fingerprint::{Fingerprint, fingerprint};
use varying::{ScaleGrid, log_mean_exp};
use walk::{Steps, WALK_NEIGHBOURS, Walked};

/// The contribution of one cluster to the score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassScore {
    /// Number of points $n_c$.
    pub size: usize,
    /// The mean length of the observed links of its minimum spanning tree; NaN where there is none.
    pub mean_link: f64,
    /// $\log n_c! - (n_c - 2) \log n_c$, or 0 with `Constant`.
    pub prior: f64,
    /// The log evidence of its lengths, at the likeliest step.
    pub evidence: f64,
    /// The probability that the random walk stays in the cluster.
    pub stay: f64,
}

/// The score of a partition, term by term.
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionScore {
    /// The terms of each cluster.
    pub classes: Vec<ClassScore>,
    /// The sum of the clusters' priors.
    pub prior: f64,
    /// $E(C)$: the log evidence of all lengths, the mean over the steps taken. The clusters' own add up to that of the
    /// likeliest step, which is at most the logarithm of the number of steps more.
    pub evidence: f64,
    /// The likeliest step $\tau$; 0 is one scale for each cluster.
    pub step: f64,
    /// $-\lambda N$ times the mean over clusters of the probability that the random walk leaves.
    pub walk: f64,
    /// Minus the log-likelihood ratios of the significant valleys of the density inside clusters, times the weight; 0 with one
    /// scale for each cluster.
    pub valleys: f64,
    /// The penalty of side information, where there is some: $-\frac{3}{2} \log N$ for each constrained point that the
    /// partition gets wrong, and minus the weights of the soft pairs that it breaks. 0 for a score without side information.
    pub side: f64,
}

impl PartitionScore {
    /// The score: the sum of all terms.
    pub fn total(&self) -> f64 {
        self.prior + self.evidence + self.walk + self.valleys + self.side
    }
}

/// The terms of a cluster that do not depend on the others.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClassEvidence {
    /// The mean length of its observed links.
    pub(crate) mean_link: f64,
    /// The log evidence for each step.
    pub(crate) per_step: Vec<f64>,
    /// The log density of its links under the background.
    pub(crate) log_background: f64,
}

/// The clusters of a partition, each by itself.
pub(crate) struct Classes {
    pub(crate) sizes: Vec<usize>,
    pub(crate) evidences: Vec<ClassEvidence>,
    /// The probability that the random walk stays in each.
    pub(crate) stays: Vec<f64>,
}

/// The clusters of a partition by their trees alone.
pub(crate) struct Sized {
    pub(crate) sizes: Vec<usize>,
    pub(crate) evidences: Vec<ClassEvidence>,
}

/// Scores many partitions of the same points; a cluster that several of them share is looked at once.
#[derive(Debug)]
pub(crate) struct Scorer<'a> {
    settings: ScoreSettings,
    context: &'a Context<'a>,
    trees: ClassTrees<'a>,
    grid: ScaleGrid,
    steps: Vec<f64>,
    /// Whether each step may matter: see [`Scorer::leave_out_steps`].
    counts: Vec<bool>,
    prior: Prior,
    background: Option<PairLengths>,
    known: Mutex<BTreeMap<Fingerprint, ClassEvidence>>,
    steps_of_walk: OnceLock<Steps>,
}

impl<'a> Scorer<'a> {
    /// Settings must be valid, and the observed quantity distances.
    pub(crate) fn new(settings: ScoreSettings, context: &'a Context<'a>) -> Self {
        let steps = settings.steps();
        Self {
            settings,
            context,
            trees: ClassTrees::new(context),
            grid: ScaleGrid::new(context, settings.shape),
            counts: vec![true; steps.len()],
            steps,
            prior: Prior::new(GraphPrior::Tree, settings.size_prior, 1, context.n_points()),
            background: None,
            known: Mutex::default(),
            steps_of_walk: OnceLock::new(),
        }
    }

    /// As [`Scorer::new`], with the log density of the links of each cluster under the background.
    pub(crate) fn with_background(settings: ScoreSettings, context: &'a Context<'a>) -> Self {
        Self { background: Some(PairLengths::new(context)), ..Self::new(settings, context) }
    }

    /// The settings of the score.
    pub(crate) fn settings(&self) -> &ScoreSettings {
        &self.settings
    }

    /// The scales that a cluster may have.
    pub(crate) fn grid(&self) -> &ScaleGrid {
        &self.grid
    }

    /// What builds the minimum spanning trees of clusters.
    pub(crate) fn trees(&self) -> &ClassTrees<'a> {
        &self.trees
    }

    /// The minimum spanning tree of a cluster of these points (rising numbers).
    pub(crate) fn tree(&self, members: &[usize]) -> Vec<Link> {
        self.trees.of(members)
    }

    /// The log evidence of all clusters for each step.
    fn per_step(&self, evidences: &[ClassEvidence]) -> Vec<f64> {
        let at_step = |step: usize| evidences.iter().map(|evidence| evidence.per_step[step]).sum();
        (0..self.steps.len()).map(at_step).collect()
    }

    /// The log evidence of a tree for each step; minus infinity for those that were left out.
    fn log_evidence(&self, tree: &[Link]) -> Vec<f64> {
        let kept: Vec<usize> = (0..self.steps.len()).filter(|&at| self.counts[at]).collect();
        let steps: Vec<f64> = kept.iter().map(|&at| self.steps[at]).collect();
        let mut per_step = vec![f64::NEG_INFINITY; self.steps.len()];
        let found = self.grid.log_evidence(tree, &steps);
        kept.iter().zip(found).for_each(|(&at, value)| per_step[at] = value);
        per_step
    }

    /// Returns the score of the partition that `labels` make; clusters without points count for nothing.
    pub(crate) fn score(&self, labels: &[usize]) -> PartitionScore {
        self.score_with(labels, |_| None)
    }

    /// As [`Scorer::score`], where `tree(class)` may know the minimum spanning tree of a cluster.
    pub(crate) fn score_with(
        &self,
        labels: &[usize],
        tree: impl Fn(usize) -> Option<Vec<Link>> + Sync + Send,
    ) -> PartitionScore {
        let Classes { sizes, evidences, stays } = self.classes(labels, tree);
        PartitionScore { valleys: self.valleys(|i| labels[i]), ..self.sum(&sizes, &evidences, &stays) }
    }

    /// The penalty of the valleys inside clusters; none where the score is that of the paper's model, one scale for each
    /// cluster, which local search raises move by move.
    pub(crate) fn valleys(&self, label: impl Fn(usize) -> usize) -> f64 {
        let weight = self.settings.valley_weight;
        if self.sees_valleys() { -weight * self.context.modes().valleys(label) } else { 0.0 }
    }

    /// Whether valleys of the density count.
    fn sees_valleys(&self) -> bool {
        let ScoreSettings { valley_weight: weight, scales, score, .. } = self.settings;
        weight > 0.0 && scales == Scales::Varying && score == Score::BestTree
    }

    /// The neighbours that the random walk may step to from a point: none across a significant valley, so that a cut along it
    /// costs nothing. The walk is there to tell such cuts from those through bulk.
    pub(crate) fn walked(&self, i: usize) -> impl Iterator<Item = usize> {
        let steps = || {
            let modes = self.sees_valleys().then(|| self.context.modes());
            Steps::new(self.context.n_points(), |i| {
                let near = self.context.neighbours.of(i).take(WALK_NEIGHBOURS).map(|(j, _)| j);
                near.filter(move |&j| modes.is_none_or(|modes| !modes.valley_between(i, j)))
            })
        };
        self.steps_of_walk.get_or_init(steps).of(i)
    }

    /// Returns the clusters that have points.
    pub(crate) fn classes(
        &self,
        labels: &[usize],
        tree: impl Fn(usize) -> Option<Vec<Link>> + Sync + Send,
    ) -> Classes {
        let Sized { sizes, evidences } = self.sized(labels, tree);
        Classes { sizes, evidences, stays: self.stays(labels) }
    }

    /// The probability that the random walk stays in each cluster that has points.
    pub(crate) fn stays(&self, labels: &[usize]) -> Vec<f64> {
        let stays = self.walked_in(labels).staying();
        stays.into_iter().zip(sizes(labels)).filter(|&(_, size)| size > 0).map(|(stay, _)| stay).collect()
    }

    /// The steps of the random walk inside and between clusters.
    pub(crate) fn walked_in(&self, labels: &[usize]) -> Walked {
        Walked::new(labels, sizes(labels).len(), |i| self.walked(i))
    }

    /// The sizes and the evidence of the clusters that have points.
    pub(crate) fn sized(
        &self,
        labels: &[usize],
        tree: impl Fn(usize) -> Option<Vec<Link>> + Sync + Send,
    ) -> Sized {
        let members = points_of_clusters(labels);
        let size = |class: usize| members.of(class).len();
        let classes: Vec<usize> = (0..members.n_groups()).filter(|&class| size(class) > 0).collect();
        let evidences = self.evidences(labels, &members, &classes, tree);
        Sized { sizes: classes.iter().map(|&class| size(class)).collect(), evidences }
    }

    /// The evidence of some clusters, given the points of all.
    pub(crate) fn evidences(
        &self,
        labels: &[usize],
        members: &Grouped<usize>,
        classes: &[usize],
        tree: impl Fn(usize) -> Option<Vec<Link>> + Sync + Send,
    ) -> Vec<ClassEvidence> {
        let mut is_wanted = vec![false; members.n_groups()];
        classes.iter().for_each(|&class| is_wanted[class] = true);
        let parts = self.trees.parts_of_global_tree(labels, &is_wanted);
        let mut places = vec![0u32; labels.len()];
        for &class in classes {
            members.of(class).iter().enumerate().for_each(|(at, &i)| places[i] = at as u32);
        }
        parallel::map(classes.len(), |at| {
            let (class, members) = (classes[at], members.of(classes[at]));
            let place = |i: usize| (labels[i] == class).then(|| places[i] as usize);
            let own = || self.trees.grown(members, parts.inside(class), place);
            self.class(members, || Some(tree(class).unwrap_or_else(own)))
        })
    }

    /// Returns what is known of the cluster of these points (rising numbers), `tree` being their minimum spanning tree if the
    /// caller has it.
    pub(crate) fn class(&self, members: &[usize], tree: impl FnOnce() -> Option<Vec<Link>>) -> ClassEvidence {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let fingerprint = fingerprint(members);
        if let Some(evidence) = known().get(&fingerprint) {
            return evidence.clone();
        }
        let evidence = self.evidence(members, &tree().unwrap_or_else(|| self.trees.of(members)));
        known().insert(fingerprint, evidence.clone());
        evidence
    }

    fn evidence(&self, members: &[usize], tree: &[Link]) -> ClassEvidence {
        let observed: Vec<f64> =
            tree.iter().map(|link| link.length).filter(|length| length.is_finite()).collect();
        let per_step = match self.settings.score {
            Score::BestTree => self.log_evidence(tree),
            Score::AllTrees => {
                vec![SupportedTrees::new(&self.context.neighbours, members, tree).log_evidence(&self.grid)]
            }
        };
        ClassEvidence {
            mean_link: observed.iter().sum::<f64>() / observed.len() as f64,
            per_step,
            log_background: self.background.map_or(0.0, |background| background.log_density(tree)),
        }
    }

    /// Adds up the terms of the clusters.
    fn sum(&self, sizes: &[usize], evidences: &[ClassEvidence], stays: &[f64]) -> PartitionScore {
        let per_step = self.per_step(evidences);
        let best = (1..per_step.len())
            .fold(0, |best, step| if per_step[step] > per_step[best] { step } else { best });
        let class = |at: usize| ClassScore {
            size: sizes[at],
            mean_link: evidences[at].mean_link,
            prior: self.prior.log_class(sizes[at]),
            evidence: evidences[at].per_step[best],
            stay: stays[at],
        };
        let classes: Vec<ClassScore> = (0..sizes.len()).map(class).collect();
        let leaving = classes.iter().map(|class| 1.0 - class.stay).sum::<f64>() / classes.len().max(1) as f64;
        PartitionScore {
            prior: classes.iter().map(|class| class.prior).sum(),
            evidence: log_mean_exp(&per_step),
            step: self.steps[best],
            walk: -self.settings.walk_weight * self.context.n_points() as f64 * leaving,
            valleys: 0.0,
            side: 0.0,
            classes,
        }
    }
}

/// Returns an error unless these are labels of points whose distances were observed.
pub(crate) fn check_partition(observed: &Dissimilarity<'_>, labels: &Labels) -> Result<(), Error> {
    let (first, second) = (observed.n_points(), labels.n_points());
    if first != second {
        return Err(Error::Input(InputError::LabelLengths { first, second }));
    }
    match observed.quantity() {
        Quantity::Similarities => {
            Err(Error::Input(InputError::NeedsDistances { purpose: "the score of a partition" }))
        }
        Quantity::Distances => Ok(()),
    }
}

/// The number of points of each cluster.
fn sizes(labels: &[usize]) -> Vec<usize> {
    let mut sizes = vec![0; labels.iter().max().map_or(0, |&last| last + 1)];
    labels.iter().for_each(|&class| sizes[class] += 1);
    sizes
}

/// The points of each cluster, in rising order.
pub(crate) fn members(labels: &[usize]) -> Vec<Vec<usize>> {
    let n_classes = labels.iter().max().map_or(0, |&last| last + 1);
    let mut members = vec![Vec::new(); n_classes];
    labels.iter().enumerate().for_each(|(i, &class)| members[class].push(i));
    members
}

#[cfg(test)]
mod tests;
