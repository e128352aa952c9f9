//! Local search on the score itself, where each cluster has one scale: the gain of a move is known before it is made.
//!
//! This is exact on the complete support. Where only near neighbours may be links (above 2,000 points) cluster trees are
//! minimum spanning trees of the support, while the score uses those of all pairs.

use rand::seq::SliceRandom;

use crate::graph::forest::Forest;
use crate::graph::forest::change::Change;
use crate::graph::link::LinkOrder;
use crate::latent_graph::search::problem::Problem;
use crate::latent_graph::search::refine::subtrees::{Part, Subtrees};
use crate::latent_graph::search::score::incremental::{Gain, Tally, Valuation};
use crate::latent_graph::settings::inference::SearchPart;
use crate::run::observer::Observer;
use crate::run::random::Random;

/// Maximum number of passes over the points, and of subtrees moved, in one round. Not tuned.
const MOST_PASSES: usize = 50;

/// Maximum number of rounds in which points and subtrees take turns, and of rounds of splits and merges. Not tuned.
const MOST_ROUNDS: usize = 20;

/// Number of pairs of clusters whose merge is tried in one round. Not tuned.
const MOST_MERGES: usize = 6;

/// The labels, their cluster trees, and what each cluster adds to the score.
#[derive(Clone, Debug)]
pub(crate) struct Ascent<'a> {
    problem: &'a Problem<'a>,
    valuation: &'a Valuation<'a>,
    forest: Forest<'a>,
    tallies: Vec<Tally>,
}

/// A cut of one cluster in two, at a link.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cut {
    ends: [usize; 2],
    gain: f64,
}

impl<'a> Ascent<'a> {
    /// From labels 0 .. M, every cluster with a point.
    pub(crate) fn new(problem: &'a Problem<'a>, valuation: &'a Valuation<'a>, labels: &[usize]) -> Self {
        let n_clusters = labels.iter().max().map_or(0, |&most| most + 1);
        let forest = Forest::new(problem.support, labels, vec![LinkOrder::BY_LENGTH; n_clusters]);
        let tallies = valuation.tallies(&forest);
        Self { problem, valuation, forest, tallies }
    }

    /// Returns the labels after moves of points and of subtrees, until nothing gains or `observer` cancels.
    pub(crate) fn settled(mut self, random: &mut Random, observer: &dyn Observer) -> Vec<usize> {
        self.settle(random, observer);
        self.forest.labels().to_vec()
    }

    /// Returns the labels after moves of points, of subtrees, and of whole clusters, until nothing gains or `observer`
    /// cancels.
    pub(crate) fn run(mut self, random: &mut Random, observer: &dyn Observer) -> Vec<usize> {
        self.settle(random, observer);
        for _ in 0..if self.problem.parts.has(SearchPart::SplitMerge) { MOST_ROUNDS } else { 0 } {
            match self.split_and_merge(random, observer) {
                Some(better) if !observer.cancelled() => self = better,
                _ => break,
            }
        }
        self.forest.labels().to_vec()
    }

    /// Moves points and subtrees by turns until neither gains.
    fn settle(&mut self, random: &mut Random, observer: &dyn Observer) {
        for _ in 0..MOST_ROUNDS {
            self.move_points(random, observer);
            let mut n_moved = 0;
            let most = if self.problem.parts.has(SearchPart::SubtreeMoves) { MOST_PASSES } else { 0 };
            while n_moved < most && !observer.cancelled() && self.move_subtree().is_some() {
                n_moved += 1;
            }
            if n_moved == 0 || observer.cancelled() {
                break;
            }
        }
    }

    fn move_points(&mut self, random: &mut Random, observer: &dyn Observer) {
        let mut order: Vec<usize> = (0..self.problem.context.n_points()).collect();
        for _ in 0..MOST_PASSES {
            order.shuffle(random);
            let mut any = false;
            for &i in &order {
                if observer.cancelled() {
                    return;
                }
                any |= self.move_point(i).is_some();
            }
            let problem = self.problem;
            for points in problem.constraints.parties() {
                any |= self.move_group(points).is_some();
            }
            if !any {
                break;
            }
        }
    }

    /// Moves a point to the cluster where the score gains most; what it gained, if it did.
    fn move_point(&mut self, i: usize) -> Option<Gain> {
        let own = self.forest.labels()[i];
        let others = self.problem.clusters_near(&[i], own, self.forest.labels());
        if self.problem.constraints.is_tied(i) || self.forest.members(own).len() < 2 || others.is_empty() {
            return None;
        }
        let removal = self.forest.remove(i);
        let left = self.valuation.without(i, (own, &self.tallies[own]), &removal, self.forest.labels());
        let mut best: Option<(Gain, usize, Change, Tally)> = None;
        for cluster in others {
            let change = self.forest.insertion(i, cluster);
            let old = &self.tallies[cluster];
            let joined = self.valuation.with(i, (cluster, old), &change, self.forest.labels());
            let gain = self.valuation.gain(&[&self.tallies[own], old], &[&left, &joined]);
            let gain = self.with_pull(gain, &[i], [own, cluster]);
            if gain.is_worth_it() && best.as_ref().is_none_or(|best| gain > best.0) {
                best = Some((gain, cluster, change, joined));
            }
        }
        let Some((gain, cluster, change, joined)) = best else {
            self.forest.insert(i, own, &Change { added: removal.removed, removed: removal.added });
            return None;
        };
        self.forest.insert(i, cluster, &change);
        (self.tallies[own], self.tallies[cluster]) = (left, joined);
        Some(gain)
    }

    /// Moves a must-link group to the cluster where the score gains most; the gain, if it moved.
    fn move_group(&mut self, points: &[usize]) -> Option<Gain> {
        let own = self.forest.labels()[points[0]];
        let others = self.problem.clusters_near(points, own, self.forest.labels());
        if self.forest.members(own).len() <= points.len() || others.is_empty() {
            return None;
        }
        let mut left = self.tallies[own];
        for &i in points {
            let removal = self.forest.remove(i);
            left = self.valuation.without(i, (own, &left), &removal, self.forest.labels());
        }
        let mut best: Option<(Gain, usize, Tally)> = None;
        for cluster in others {
            let old = self.tallies[cluster];
            let joined = self.join(points, cluster);
            points.iter().for_each(|&i| drop(self.forest.remove(i)));
            let gain = self.valuation.gain(&[&self.tallies[own], &old], &[&left, &joined]);
            let gain = self.with_pull(gain, points, [own, cluster]);
            if gain.is_worth_it() && best.as_ref().is_none_or(|best| gain > best.0) {
                best = Some((gain, cluster, joined));
            }
        }
        let Some((gain, cluster, joined)) = best else {
            self.join(points, own);
            return None;
        };
        self.join(points, cluster);
        (self.tallies[own], self.tallies[cluster]) = (left, joined);
        Some(gain)
    }

    /// A gain, and what soft pairs add to it if points that are in no cluster go to another than they came from.
    fn with_pull(&self, gain: Gain, points: &[usize], ends: [usize; 2]) -> Gain {
        let soft = self.problem.constraints.soft();
        let [from, to] = ends.map(|cluster| soft.pull(points, cluster, self.forest.labels()));
        Gain { score: gain.score + (to - from), ..gain }
    }

    /// Gives points that are in no cluster to one; its tally then.
    fn join(&mut self, points: &[usize], cluster: usize) -> Tally {
        let mut tally = self.tallies[cluster];
        for &i in points {
            let change = self.forest.insertion(i, cluster);
            tally = self.valuation.with(i, (cluster, &tally), &change, self.forest.labels());
            self.forest.insert(i, cluster, &change);
        }
        tally
    }

    /// Moves the subtree that gains most, of the best of each cluster; what it gained, if it did.
    fn move_subtree(&mut self) -> Option<Gain> {
        let scales: Vec<f64> =
            self.forest.labels().iter().map(|&c| self.valuation.scale(&self.tallies[c])).collect();
        let subtrees = Subtrees { problem: self.problem, forest: &self.forest, scales: &scales };
        let found: Vec<_> = (0..self.forest.n_classes()).filter_map(|c| subtrees.best_of(c)).collect();
        let mut best: Option<(Gain, [usize; 2], usize)> = None;
        for found in found {
            let ends = [found.below, found.above];
            let Some((gain, _)) = self.subtree_gain(ends, found.to) else { continue };
            if gain.is_worth_it() && best.is_none_or(|best| gain > best.0) {
                best = Some((gain, ends, found.to));
            }
        }
        let (gain, ends, to) = best?;
        self.rehang(ends, to)?;
        Some(gain)
    }

    /// The gain in score if the smaller side of a link joins another cluster, and the new tallies of both.
    fn subtree_gain(&mut self, ends: [usize; 2], to: usize) -> Option<(Gain, [Tally; 2])> {
        let from = self.forest.labels()[ends[0]];
        let moved = self.forest.subtree_move(ends[0], ends[1], to)?;
        let new = self.valuation.moved(&self.tallies, [from, to], &moved, self.forest.labels());
        let old = [&self.tallies[from], &self.tallies[to]];
        let gain = self.valuation.gain(&old, &[&new[0], &new[1]]);
        let soft = self.problem.constraints.soft().gain(&moved.points, [from, to], self.forest.labels());
        Some((Gain { score: gain.score + soft, ..gain }, new))
    }

    /// Gives the smaller side of a link to another cluster, whatever it gains.
    fn rehang(&mut self, ends: [usize; 2], to: usize) -> Option<()> {
        let from = self.forest.labels()[ends[0]];
        let (_, new) = self.subtree_gain(ends, to)?;
        self.forest.move_subtree(ends[0], ends[1], to)?;
        [self.tallies[from], self.tallies[to]] = new;
        Some(())
    }

    /// The state after two clusters became one, a cluster was cut in two, and points and subtrees settled, if its score is
    /// higher.
    fn split_and_merge(&self, random: &mut Random, observer: &dyn Observer) -> Option<Self> {
        let merges = self.merges();
        let trials = merges.into_iter().flat_map(|(from, to)| self.resplits(from, to));
        for mut trial in trials {
            if observer.cancelled() {
                return None;
            }
            trial.settle(random, observer);
            if trial.gain_over(self).is_worth_it() {
                return Some(trial);
            }
        }
        None
    }

    /// Merges two clusters, and instead of the removed one splits the merged cluster, or the one that is best cut in two.
    fn resplits(&self, from: usize, to: usize) -> Vec<Self> {
        let mut merged = self.clone();
        merged.merge(from, to);
        let cut_of = |cluster: usize| merged.best_cut(cluster);
        let others = (0..self.tallies.len()).filter(|&cluster| cluster != to).filter_map(cut_of);
        let best_other = others.reduce(|best, other| if other.gain > best.gain { other } else { best });
        let cut = |cut: Cut| {
            let mut trial = merged.clone();
            trial.rehang(cut.ends, from).map(|()| trial)
        };
        [cut_of(to), best_other].into_iter().flatten().filter_map(cut).collect()
    }

    /// The gain of this state over another of the same points.
    fn gain_over(&self, other: &Self) -> Gain {
        let all = |state: &'_ Self| state.tallies.clone();
        let (old, new) = (all(other), all(self));
        let gain = self.valuation.gain(&old.iter().collect::<Vec<_>>(), &new.iter().collect::<Vec<_>>());
        let soft = |state: &Self| self.problem.constraints.soft().penalty(state.forest.labels());
        Gain { score: gain.score + (soft(self) - soft(other)), ..gain }
    }

    /// Each cluster that may vanish and the cluster nearest to it, those first that lose least.
    fn merges(&self) -> Vec<(usize, usize)> {
        let (labels, constraints) = (self.forest.labels(), self.problem.constraints);
        let pairs = (0..self.tallies.len()).filter_map(|from| self.nearest_class(from).map(|to| (from, to)));
        let mut tried: Vec<(Gain, usize, usize)> = Vec::new();
        for (from, to) in pairs {
            if !constraints.allows_merge(self.forest.members(from), to, labels) {
                continue;
            }
            if tried.iter().any(|&(_, a, b)| (a, b) == (to, from)) {
                continue;
            }
            let mut merged = self.clone();
            merged.merge(from, to);
            tried.push((merged.gain_over(self), from, to));
        }
        tried.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap_or(std::cmp::Ordering::Equal));
        tried.into_iter().take(MOST_MERGES).map(|(_, from, to)| (from, to)).collect()
    }

    /// The cluster at the other end of the shortest listed link out of a cluster.
    fn nearest_class(&self, cluster: usize) -> Option<usize> {
        let labels = self.forest.labels();
        let out = |&i: &usize| self.problem.context.neighbours.of(i).find(|&(j, _)| labels[j] != cluster);
        let links = self.forest.members(cluster).iter().filter_map(out);
        let nearest =
            links.min_by(|a, b| (a.1, a.0).partial_cmp(&(b.1, b.0)).unwrap_or(std::cmp::Ordering::Equal));
        nearest.map(|(j, _)| labels[j])
    }

    /// Gives all points of one cluster to another, whatever that gains.
    fn merge(&mut self, from: usize, to: usize) {
        let moved = self.forest.merging(from, to);
        let new = self.valuation.moved(&self.tallies, [from, to], &moved, self.forest.labels());
        self.forest.merge(from, to);
        [self.tallies[from], self.tallies[to]] = new;
    }

    /// The link at which a cluster is best cut in two, the random walk left out, where the side that would go is free.
    fn best_cut(&self, cluster: usize) -> Option<Cut> {
        let scales = [];
        let subtrees = Subtrees { problem: self.problem, forest: &self.forest, scales: &scales };
        let cuts = subtrees.cuts(cluster, |length| self.valuation.power(length));
        let value = |part: &Part| self.valuation.value_of_part(part.n_points, part.n_observed, part.powers);
        let cuts = cuts.into_iter().filter(|cut| !cut.smaller_is_held());
        let whole = self.valuation.value_without_walk(&self.tallies[cluster]);
        let gains =
            cuts.map(|cut| Cut { ends: cut.ends, gain: value(&cut.below) + value(&cut.above) - whole });
        gains.reduce(|best, other| if other.gain > best.gain { other } else { best })
    }
}

#[cfg(test)]
mod tests;
