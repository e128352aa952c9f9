//! Moves of points and subtrees that make a partition likelier, at scales that vary within clusters.

use rand::seq::SliceRandom;

use crate::graph::forest::Forest;
use crate::graph::forest::change::Change;
use crate::graph::link::{Link, LinkOrder};
use crate::latent_graph::search::problem::Problem;
use crate::latent_graph::search::refine::local_scales::local_scales;
use crate::latent_graph::search::refine::subtrees::{SubtreeMove, Subtrees};
use crate::latent_graph::settings::inference::SearchPart;
use crate::plan::Rounds;
use crate::run::observer::Observer;
use crate::run::random::Random;

/// Number of nearest neighbours that decide whether a point is interior: if all share its cluster, it does not move. Not
/// tuned.
const INTERIOR: usize = 10;

/// Smallest number of points that moves of single points may leave in a cluster. Not tuned.
const LEAST_SIZE: usize = 3;

/// Maximum number of subtrees moved between two passes over the points. Not tuned.
const MOST_SUBTREES: usize = 40;

/// Smallest gain that counts, in nats: anything below is rounding error. Not tuned.
const LEAST_GAIN: f64 = 1e-6;

/// The labels, their cluster trees, and the scale at each point.
pub(crate) struct Refinement<'a> {
    problem: &'a Problem<'a>,
    forest: Forest<'a>,
    /// The scale at each point, learned from the links of its cluster near it.
    scales: Vec<f64>,
    /// The points that a pass looks at: those near which something has moved since they were last looked at.
    waiting: Vec<bool>,
}

impl<'a> Refinement<'a> {
    pub(crate) fn new(problem: &'a Problem<'a>, labels: &[usize]) -> Self {
        let n_clusters = labels.iter().max().map_or(0, |&most| most + 1);
        let forest = Forest::new(problem.support, labels, vec![LinkOrder::BY_LENGTH; n_clusters]);
        let n = labels.len();
        Self { problem, forest, scales: vec![problem.context.mean_link; n], waiting: vec![true; n] }
    }

    /// Returns the labels after moves of points and of subtrees in turns, until nothing gains or `observer` cancels.
    pub(crate) fn run(mut self, rounds: Rounds, random: &mut Random, observer: &dyn Observer) -> Vec<usize> {
        self.move_points(rounds, random, observer);
        for _ in 0..rounds.n_turns {
            let wanted = self.problem.parts.has(SearchPart::SubtreeMoves) && !observer.cancelled();
            if !wanted || self.move_some_subtrees(rounds, observer) == 0 {
                break;
            }
            self.move_points(rounds, random, observer);
        }
        // The scales have changed since most points were looked at.
        self.waiting.fill(true);
        self.move_points(rounds, random, observer);
        self.forest.labels().to_vec()
    }

    /// Moves subtrees, one by one or one of every cluster; how many.
    fn move_some_subtrees(&mut self, rounds: Rounds, observer: &dyn Observer) -> usize {
        if rounds.one_by_one { self.move_subtrees(observer) } else { self.move_many_subtrees(observer) }
    }

    /// Moves the best subtree of every cluster, best first; how many.
    fn move_many_subtrees(&mut self, observer: &dyn Observer) -> usize {
        self.learn_scales();
        let subtrees = Subtrees { problem: self.problem, forest: &self.forest, scales: &self.scales };
        let mut moves = subtrees.best_of_each(observer);
        moves.retain(|own| own.gain > LEAST_GAIN);
        moves.sort_by(|a, b| b.gain.total_cmp(&a.gain));
        let mut touched = vec![false; self.forest.n_classes()];
        let mut n_moved = 0;
        for SubtreeMove { below, above, to, .. } in moves {
            let from = self.forest.labels()[below];
            // The gain of a move was computed for the clusters as they were.
            if !touched[from] && !touched[to] && self.move_subtree(below, above, to) {
                (touched[from], touched[to]) = (true, true);
                n_moved += 1;
            }
        }
        n_moved
    }

    fn learn_scales(&mut self) {
        local_scales(&self.forest, self.problem, &mut self.scales);
    }

    /// The cost of a link that is not a link of the moving point.
    fn price_of(&self, link: &Link) -> f64 {
        self.problem.price(link.length, (self.scales[link.from] * self.scales[link.to]).sqrt())
    }

    /// The cost of point `i` in a cluster where these links are added and removed; its own links have the scale of their
    /// other ends.
    fn cost(&self, i: usize, comes: &[Link], goes: &[Link]) -> f64 {
        let price = |link: &Link| match link {
            link if link.from == i => self.problem.price(link.length, self.scales[link.to]),
            link if link.to == i => self.problem.price(link.length, self.scales[link.from]),
            link => self.price_of(link),
        };
        comes.iter().map(price).sum::<f64>() - goes.iter().map(price).sum::<f64>()
    }

    /// Moves the subtree below a link to another cluster; whether that could be done.
    fn move_subtree(&mut self, below: usize, above: usize, to: usize) -> bool {
        let Some(moved) = self.forest.move_subtree(below, above, to) else { return false };
        moved.points.iter().for_each(|&i| self.wake_near(i));
        true
    }

    /// Has the next pass look at a point and its neighbours.
    fn wake_near(&mut self, i: usize) {
        self.waiting[i] = true;
        self.problem.context.neighbours.of(i).for_each(|(j, _)| self.waiting[j] = true);
    }

    /// Passes over the waiting points at the borders of clusters until none moves.
    fn move_points(&mut self, rounds: Rounds, random: &mut Random, observer: &dyn Observer) {
        let mut order: Vec<usize> = (0..self.problem.context.n_points()).collect();
        for _ in 0..rounds.n_passes {
            self.learn_scales();
            order.shuffle(random);
            let mut n_moved = 0;
            for &i in &order {
                if observer.cancelled() {
                    return;
                }
                if !std::mem::take(&mut self.waiting[i]) {
                    continue;
                }
                let may = !rounds.leaves_only || self.forest.links(i).nth(1).is_none();
                n_moved += usize::from(may && self.is_at_border(i) && self.move_point(i));
            }
            let problem = self.problem;
            n_moved += problem.constraints.parties().filter(|points| self.move_group(points)).count();
            if n_moved == 0 {
                break;
            }
        }
    }

    fn is_at_border(&self, i: usize) -> bool {
        let labels = self.forest.labels();
        let own = labels[i];
        let large = self.forest.members(own).len() > LEAST_SIZE;
        large
            && !self.problem.constraints.is_tied(i)
            && (self.problem.constraints.soft().is_broken_at(i, labels) || self.has_near_others(i))
    }

    /// Whether one of the nearest neighbours of a point is in another cluster.
    fn has_near_others(&self, i: usize) -> bool {
        let labels = self.forest.labels();
        let own = labels[i];
        self.problem.context.neighbours.of(i).take(INTERIOR).any(|(j, _)| labels[j] != own)
    }

    /// Moves a point to the cluster where it gains most, if it gains; whether it did.
    fn move_point(&mut self, i: usize) -> bool {
        let own = self.forest.labels()[i];
        let others = self.problem.clusters_near(&[i], own, self.forest.labels());
        let removal = self.forest.remove(i);
        let stays =
            self.size_gain(own) - self.cost(i, &removal.removed, &removal.added) + self.pull(&[i], own);
        let back = Change { added: removal.removed, removed: removal.added };
        let mut best = (stays + LEAST_GAIN, own, back);
        for cluster in others {
            let change = self.forest.insertion(i, cluster);
            let links = self.size_gain(cluster) - self.cost(i, &change.added, &change.removed);
            let gain = links + self.pull(&[i], cluster);
            if gain > best.0 {
                best = (gain, cluster, change);
            }
        }
        let (_, cluster, change) = best;
        self.forest.insert(i, cluster, &change);
        if cluster != own {
            self.scales[i] = self.scale_nearby(i);
            self.wake_near(i);
        }
        cluster != own
    }

    /// Moves a must-link group to the cluster where it gains most; whether it moved.
    fn move_group(&mut self, points: &[usize]) -> bool {
        let own = self.forest.labels()[points[0]];
        let others = self.problem.clusters_near(points, own, self.forest.labels());
        if others.is_empty() || self.forest.members(own).len() < points.len() + LEAST_SIZE {
            return false;
        }
        points.iter().for_each(|&i| drop(self.forest.remove(i)));
        let mut best = (self.gain_of_group(points, own) + LEAST_GAIN, own);
        for cluster in others {
            let gain = self.gain_of_group(points, cluster);
            if gain > best.0 {
                best = (gain, cluster);
            }
        }
        let (_, cluster) = best;
        for &i in points {
            let change = self.forest.insertion(i, cluster);
            self.forest.insert(i, cluster, &change);
            if cluster != own {
                self.wake_near(i);
            }
        }
        cluster != own
    }

    /// The gain of a group of points that are in no cluster when they join one.
    fn gain_of_group(&mut self, points: &[usize], cluster: usize) -> f64 {
        let mut gain = self.pull(points, cluster);
        for &i in points {
            let change = self.forest.insertion(i, cluster);
            gain += self.size_gain(cluster) - self.cost(i, &change.added, &change.removed);
            self.forest.insert(i, cluster, &change);
        }
        points.iter().for_each(|&i| drop(self.forest.remove(i)));
        gain
    }

    /// What soft pairs say for a cluster of points that are in none.
    fn pull(&self, points: &[usize], cluster: usize) -> f64 {
        self.problem.constraints.soft().pull(points, cluster, self.forest.labels())
    }

    /// The gain in the size prior by one more point in a cluster.
    fn size_gain(&self, cluster: usize) -> f64 {
        let n = self.forest.members(cluster).len();
        self.problem.prior.log_class(n + 1) - self.problem.prior.log_class(n)
    }

    /// The scale of the nearest point that `i` is linked to.
    fn scale_nearby(&self, i: usize) -> f64 {
        let nearest = self.forest.links(i).min_by(|a, b| a.length.total_cmp(&b.length));
        nearest.map_or(self.scales[i], |link| self.scales[if link.from == i { link.to } else { link.from }])
    }

    /// Moves the subtree that gains most, again and again; how many.
    fn move_subtrees(&mut self, observer: &dyn Observer) -> usize {
        for n_moved in 0..MOST_SUBTREES {
            if observer.cancelled() {
                return n_moved;
            }
            self.learn_scales();
            let subtrees = Subtrees { problem: self.problem, forest: &self.forest, scales: &self.scales };
            let Some(best) = subtrees.best().filter(|best| best.gain > LEAST_GAIN) else {
                return n_moved;
            };
            if !self.move_subtree(best.below, best.above, best.to) {
                return n_moved;
            }
        }
        MOST_SUBTREES
    }
}
