//! Levels: coarser and finer partitions around a given one, each nested in the next.
//!
//! Upwards, the two clusters are merged whose merger costs the least, until one is left; downwards, the cluster is split whose
//! split gains the most (or costs the least). Gains and costs are those of the score by which numbers of clusters are compared
//! ([`NumberScore`](crate::latent_graph::NumberScore)): so every level has a score, and the levels of one fit can be compared. Nothing is searched again.

mod clusters;
mod cuts;

use std::collections::BTreeMap;

use crate::error::{Error, SettingError};
use crate::graph::canonical::Canonical;
use crate::graph::canonical::different::Different;
use crate::graph::shared::reordered;
use crate::graph::spanning::single_linkage::Merge;
use crate::input::Dissimilarity;
use crate::input::labels::Labels;
use crate::latent_graph::LatentGraph;
use crate::latent_graph::context::Context;
use crate::latent_graph::context::sample::Sample;
use crate::latent_graph::search::number::NumberScorer;
use crate::latent_graph::search::report;
use crate::latent_graph::search::score::check_partition;
use crate::run::observer::Observer;
use clusters::Clusters;

/// The merger of two clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Merger {
    /// The two clusters: those of the finest partition are 0, 1, .., L - 1, and merger number k makes the cluster L + k.
    pub clusters: [usize; 2],
    /// What it costs: the score of the level before less that of the level after, in nats. Negative where merging gains.
    pub loss: f64,
    /// How many points the merged cluster has.
    pub size: usize,
}

/// One of the levels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Number of clusters.
    pub n_clusters: usize,
    /// The total of [`NumberScore`](crate::latent_graph::NumberScore): levels can be compared by it.
    pub score: f64,
}

/// Nested partitions of the same points, from one cluster to many.
#[derive(Clone, Debug, PartialEq)]
pub struct Levels {
    finest: Labels,
    mergers: Vec<Merger>,
    scores: Vec<f64>,
    n_given: usize,
}

impl Levels {
    fn new(path: &Path, n_given: usize) -> Self {
        let finest = Labels::new(&path.finest);
        let n = finest.n_clusters();
        // The number, as mergers count them, of each cluster that is left.
        let mut number: BTreeMap<usize, usize> =
            path.finest.iter().copied().zip(finest.as_slice().iter().copied()).collect();
        let mut sizes = finest.sizes();
        let merger = |(k, &[stays, goes]): (usize, &[usize; 2])| {
            let [a, b] = [stays, goes].map(|cluster| number[&cluster]);
            sizes.push(sizes[a] + sizes[b]);
            number.insert(stays, n + k);
            let loss = path.scores[k] - path.scores[k + 1];
            Merger { clusters: [a.min(b), a.max(b)], loss, size: sizes[n + k] }
        };
        let mergers = path.steps.iter().enumerate().map(merger).collect();
        Self { finest, mergers, scores: path.scores.clone(), n_given }
    }

    /// Number of clusters of the partition that was given; it is one of the levels.
    pub fn n_given(&self) -> usize {
        self.n_given
    }

    /// Number of clusters of the finest level.
    pub fn n_finest(&self) -> usize {
        self.finest.n_clusters()
    }

    /// Every level, from one cluster on.
    pub fn levels(&self) -> Vec<Level> {
        let scores = self.scores.iter().rev().enumerate();
        scores.map(|(at, &score)| Level { n_clusters: at + 1, score }).collect()
    }

    /// The mergers that lead from the finest level to one cluster.
    pub fn mergers(&self) -> &[Merger] {
        &self.mergers
    }

    /// The partition into `n_clusters` clusters.
    ///
    /// # Errors
    ///
    /// [`Error::Settings`] for none, and for more than the finest level has.
    pub fn labels(&self, n_clusters: usize) -> Result<Labels, Error> {
        let most = self.n_finest();
        if n_clusters == 0 || n_clusters > most {
            return Err(Error::Settings(SettingError::Level { given: n_clusters, most }));
        }
        let mut at_last: Vec<usize> = (0..most + self.mergers.len()).collect();
        // From the last to the first, so that every cluster already knows where what it joined ended.
        for (k, merger) in self.mergers.iter().enumerate().take(most - n_clusters).rev() {
            merger.clusters.iter().for_each(|&cluster| at_last[cluster] = at_last[most + k]);
        }
        let labels: Vec<usize> = self.finest.as_slice().iter().map(|&cluster| at_last[cluster]).collect();
        Ok(Labels::new(&labels))
    }

    /// The mergers as SciPy's linkage matrix over the clusters of the finest level, whose sizes are numbers of these. The height is
    /// what mergers have cost so far, those that gain counted as free: it never falls.
    pub fn linkage(&self) -> Vec<Merge> {
        let n = self.n_finest();
        let mut n_leaves = vec![1; n + self.mergers.len()];
        let mut height = 0.0;
        let row = |(k, merger): (usize, &Merger)| {
            let [first, second] = merger.clusters;
            n_leaves[n + k] = n_leaves[first] + n_leaves[second];
            height += merger.loss.max(0.0);
            Merge { first, second, height, size: n_leaves[n + k] }
        };
        self.mergers.iter().enumerate().map(row).collect()
    }
}

impl LatentGraph {
    /// Returns the levels around a partition of the observed points: from one cluster to `finest`, or to as many as the points can
    /// be split into.
    ///
    /// ```
    /// use similis::{Dissimilarity, LatentGraph, Metric, Points, Silent};
    /// let place = |i: u32| f64::from(i % 8) + f64::from(i / 8) * if i < 16 { 40.0 } else { 100.0 };
    /// let points = Points::new((0..24).map(place).collect::<Vec<_>>(), 24, 1)?;
    /// let pairs = Dissimilarity::from_points(points, Metric::Euclidean)?;
    /// let fit = LatentGraph::default().fit(&pairs, &[])?;
    /// let levels = LatentGraph::default().levels(&pairs, &fit.labels, 6, &Silent)?;
    /// assert_eq!(levels.labels(fit.labels.n_clusters())?, fit.labels);
    /// let coarse = levels.labels(2)?;
    /// assert!((1..16).all(|i| coarse.as_slice()[i] == 0) && (16..24).all(|i| coarse.as_slice()[i] == 1));
    /// # Ok::<(), similis::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Input`] unless there is a label for each point, and for similarities; [`Error::Settings`].
    pub fn levels(
        &self,
        observed: &Dissimilarity<'_>,
        labels: &Labels,
        finest: usize,
        observer: &dyn Observer,
    ) -> Result<Levels, Error> {
        check_partition(observed, labels)?;
        self.score_settings().check()?;
        // Equal points of a cluster count as one, as in a search.
        let path = match Different::in_clusters(observed, labels) {
            Some(Different { firsts, place, weights }) => {
                let own: Vec<usize> = firsts.iter().map(|&i| labels.as_slice()[i]).collect();
                let task = Given { labels: &Labels::new(&own), weights: &weights, finest, observer };
                let path = self.path(&observed.restricted(&firsts)?, task)?;
                let finest = place.iter().map(|&at| path.finest[at as usize]).collect();
                Path { finest, ..path }
            }
            None => self.path(observed, Given { labels, weights: &[], finest, observer })?,
        };
        Ok(Levels::new(&path, labels.n_clusters()))
    }

    /// The way through the levels, found in the canonical order: ties are broken by numbers, so that it does not depend on the order
    /// of rows.
    fn path(&self, observed: &Dissimilarity<'_>, given: Given<'_>) -> Result<Path, Error> {
        let canonical = Canonical::new(observed, given.weights).with_clusters(given.labels);
        let own = if canonical.is_given() { None } else { Some(reordered(observed, &canonical.order)?) };
        let labels = canonical.labels(given.labels);
        let weights: Vec<f64> =
            canonical.order.iter().filter_map(|&i| given.weights.get(i).copied()).collect();
        let own_given = Given { labels: &labels, weights: &weights, ..given };
        let path = self.path_of(own.as_ref().unwrap_or(observed), own_given)?;
        let mut finest = vec![0; path.finest.len()];
        canonical.order.iter().zip(&path.finest).for_each(|(&i, &cluster)| finest[i] = cluster);
        Ok(Path { finest, ..path })
    }

    /// The way through the levels of points in the order they have: of very many by the sample that a search would take.
    fn path_of(&self, observed: &Dissimilarity<'_>, given: Given<'_>) -> Result<Path, Error> {
        let (plan, labels) = (self.plan(observed), given.labels.as_slice());
        if let Some(size) = plan.sample_size(given.finest).filter(|_| self.may_sample(observed)) {
            let context = Context::planned(observed, &plan.around_sample(), given.observer);
            let sample = Sample::new(&context.tree, observed.n_points(), size);
            let of_sample: Vec<usize> = sample.members.iter().map(|&i| labels[i]).collect();
            let n_clusters = |labels: &[usize]| Labels::new(labels).n_clusters();
            // Every cluster needs a point in the sample.
            if n_clusters(&of_sample) == n_clusters(labels) {
                let some = observed.restricted(&sample.members)?;
                let weight = |&i: &usize| given.weights.get(i).copied();
                let weights: Vec<f64> = sample.members.iter().filter_map(weight).collect();
                let context = Context::planned(&some, &self.plan(&some), given.observer).weighted(&weights);
                return Ok(self.path_on(&context, &of_sample, given).extended(&sample, labels));
            }
        }
        let context = Context::planned(observed, &plan, given.observer).joining().weighted(given.weights);
        Ok(self.path_on(&context, labels, given))
    }

    fn path_on(&self, context: &Context<'_>, labels: &[usize], given: Given<'_>) -> Path {
        let Given { finest, observer, .. } = given;
        let mut scorer = NumberScorer::new(self.score_settings(), context);
        if !self.plan(context.observed).is_whole {
            scorer.leave_out_steps_for(&[labels, &vec![0; labels.len()]]);
        }
        let given = Clusters::new(&scorer, context, labels);
        let mut finer = given.clone();
        let mut scores = vec![given.score()];
        let mut steps = Vec::new();
        while finer.len() < finest && !observer.cancelled() {
            let Some(step) = finer.split() else { break };
            report(observer, "levels", 0.5 * finer.len() as f64 / finest as f64);
            steps.push(step);
            scores.push(finer.score());
        }
        steps.reverse();
        scores.reverse();
        let mut coarser = given;
        while let Some(step) = coarser.merge() {
            steps.push(step);
            scores.push(coarser.score());
        }
        report(observer, "levels", 1.0);
        Path { finest: finer.labels().to_vec(), steps, scores }
    }
}

/// The partition around which there are levels.
#[derive(Clone, Copy)]
struct Given<'a> {
    labels: &'a Labels,
    /// How many equal points each stands for; empty: one.
    weights: &'a [f64],
    finest: usize,
    observer: &'a dyn Observer,
}

/// The way from the finest level to one cluster.
struct Path {
    /// The cluster of each point in the finest level.
    finest: Vec<usize>,
    /// For each merger the cluster that stays, and the one that is merged into it.
    steps: Vec<[usize; 2]>,
    /// The score of each level, the finest first.
    scores: Vec<f64>,
}

impl Path {
    /// The way of all points, given their clusters in the given level: each goes with its representative, or where that is of
    /// another cluster, with the largest part of its own.
    fn extended(self, sample: &Sample, labels: &[usize]) -> Self {
        let mut n_in: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for (&i, &part) in sample.members.iter().zip(&self.finest) {
            *n_in.entry((labels[i], part)).or_default() += 1;
        }
        let mut largest: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for ((label, part), n) in n_in {
            let most = largest.entry(label).or_insert((n, part));
            if n > most.0 {
                *most = (n, part);
            }
        }
        let part = |(i, &at): (usize, &u32)| {
            let same = labels[sample.members[at as usize]] == labels[i];
            if same { self.finest[at as usize] } else { largest[&labels[i]].1 }
        };
        let finest = sample.representatives.iter().enumerate().map(part).collect();
        Self { finest, ..self }
    }
}

#[cfg(test)]
mod tests;
