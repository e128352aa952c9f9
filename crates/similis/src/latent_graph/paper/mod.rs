//! The algorithm box: the inference of the paper.

pub(crate) mod graphs;
pub(crate) mod neighbour_lists;
pub(crate) mod scales;

use std::cell::OnceCell;

use rand::RngExt;
use rand::seq::SliceRandom;

use crate::constraints::Constraints;
use crate::graph::forest::Forest;
use crate::graph::forest::change::Change;
use crate::graph::link::Link;
use crate::input::labels::Labels;
use crate::latent_graph::model::joint::{LogJoint, Model, State};
use crate::latent_graph::model::likelihood::{LinkLengths, LinkWeight};
use crate::latent_graph::model::prior::GraphPrior;
use crate::run::observer::{Observer, Progress};
use crate::run::random::Random;
use crate::run::termination::Termination;
use graphs::Graphs;
use neighbour_lists::NeighbourLists;

/// One run of the paper's algorithm.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    model: &'a Model<'a>,
    graphs: Graphs<'a>,
    classes: Vec<LinkLengths>,
    constraints: &'a Constraints,
    /// The lengths from the point at hand to all others, where they are needed.
    row: Vec<f64>,
    /// The background's term of the log joint, which no move changes.
    log_background: OnceCell<f64>,
}

/// The result of a run of the algorithm.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) labels: Vec<usize>,
    pub(crate) links: Vec<Vec<Link>>,
    pub(crate) classes: Vec<LinkLengths>,
    pub(crate) log_joint: LogJoint,
    pub(crate) trace: Vec<f64>,
    pub(crate) ended: Termination,
}

impl Found {
    /// Number of links that the support does not allow: with any, the answer is impossible.
    pub(crate) fn n_forbidden(&self) -> usize {
        self.links.iter().flatten().filter(|link| link.length == f64::INFINITY).count()
    }

    /// What a run from these labels finds if nothing is moved, where the clusters' minimum spanning trees are known: of allowed
    /// links, in the order of the labels. Scales are learned from them.
    pub(crate) fn with_trees(
        model: &Model<'_>,
        labels: &Labels,
        trees: Vec<Vec<Link>>,
        ended: Termination,
    ) -> Self {
        let classes: Vec<LinkLengths> = trees.iter().map(|tree| model.scale_of(tree)).collect();
        let log_joint = model.evaluate_trees(labels, &trees, &classes);
        let (labels, trace) = (labels.as_slice().to_vec(), vec![log_joint.total()]);
        Self { labels, links: trees, classes, log_joint, trace, ended }
    }
}

impl<'a> Run<'a> {
    /// Step 1 of the box: every label at random; known ones as they are, and no cluster empty.
    pub(crate) fn from_random_labels(
        model: &'a Model<'a>,
        n_clusters: usize,
        constraints: &'a Constraints,
        random: &mut Random,
    ) -> Self {
        let labels = random_labels(model.lengths.n_points(), n_clusters, constraints, random);
        Self::from_labels(model, &labels, n_clusters, constraints)
    }

    /// A run from given labels.
    pub(crate) fn from_labels(
        model: &'a Model<'a>,
        labels: &[usize],
        n_clusters: usize,
        constraints: &'a Constraints,
    ) -> Self {
        let first = model.scale_step.update(&[]);
        let classes = vec![first; n_clusters];
        let orders = vec![model.weight(first).order(); n_clusters];
        let graphs = match model.prior.graphs() {
            GraphPrior::KNeighbours => {
                let n_neighbours = model.prior.neighbours_of(labels.len());
                Graphs::Lists(NeighbourLists::new(model.lengths, labels, orders, n_neighbours))
            }
            _ => Graphs::Trees(Box::new(Forest::new(model.lengths, labels, orders))),
        };
        let row = vec![0.0; labels.len()];
        let mut run = Self { model, graphs, classes, constraints, row, log_background: OnceCell::new() };
        run.update_all_scales();
        run
    }

    /// Runs the Scaled Affinity Matrix Inference Algorithm, the algorithm box of section 3.3.
    ///
    /// Until a whole pass changes nothing: pick a point at random, find the best graph and cluster for it (Corollary 1),
    /// update the scales (Eq. 12-13). A pass takes every point once, in random order: as many draws with replacement
    /// would miss a third of them.
    pub(crate) fn run(mut self, max_passes: usize, random: &mut Random, observer: &dyn Observer) -> Found {
        let constraints = self.constraints;
        let mut points: Vec<usize> = (0..self.row.len()).filter(|&i| !constraints.is_tied(i)).collect();
        let mut trace = vec![self.log_joint().total()];
        let mut ended = Termination::IterationLimit;
        // With one cluster there is nothing to move, only scales and graph to settle.
        if self.classes.len() == 1 {
            points.clear();
        }
        for pass in 0..max_passes {
            points.shuffle(random);
            let mut any = false;
            for &i in &points {
                any |= self.move_point(i);
                if observer.cancelled() {
                    break;
                }
            }
            any |= self.move_groups(observer);
            any |= self.update_all_scales();
            trace.push(self.log_joint().total());
            report(observer, pass, max_passes, &trace);
            if observer.cancelled() {
                ended = Termination::Cancelled;
                break;
            }
            if !any {
                ended = Termination::Converged;
                break;
            }
        }
        if self.settle() {
            trace.push(self.log_joint().total());
        }
        self.found(trace, ended)
    }

    /// Step 2 of the box for a must-link group; whether it moved.
    fn move_groups(&mut self, observer: &dyn Observer) -> bool {
        let mut any = false;
        for points in self.constraints.parties().take_while(|_| !observer.cancelled()) {
            if let Some(Move { from, to, .. }) = self.place_party(points) {
                self.update_scales(from);
                self.update_scales(to);
                any = true;
            }
        }
        any
    }

    /// Step 2 of the box for one point: its best cluster and graph, then the scales; whether it moved.
    pub(crate) fn move_point(&mut self, i: usize) -> bool {
        let moved = self.place_point(i);
        if let Some(Move { from, to, .. }) = moved {
            self.update_scales(from);
            self.update_scales(to);
        }
        moved.is_some()
    }

    /// Gives a point its best cluster at fixed scales, the graphs following; the move, if there is a better cluster.
    pub(crate) fn place_point(&mut self, i: usize) -> Option<Move> {
        let from = self.graphs.labels()[i];
        // Clusters are never empty.
        if self.graphs.members(from).len() < 2 {
            return None;
        }
        self.fill_row(i);
        self.graphs.remove(i);
        let row = std::mem::take(&mut self.row);
        let stay = self.candidate(i, from, &row);
        let mut best = None;
        for cluster in (0..self.classes.len()).filter(|&cluster| cluster != from) {
            if !self.constraints.allows(i, cluster, self.graphs.labels()) {
                continue;
            }
            let other = self.candidate(i, cluster, &row);
            if other.joined.beats(&best.as_ref().unwrap_or(&stay).joined) {
                best = Some(other);
            }
        }
        self.row = row;
        let chosen = best.as_ref().unwrap_or(&stay);
        self.graphs.insert(i, chosen.joined.cluster, &chosen.change);
        best.map(|best| Move { from, to: best.joined.cluster, gain: best.joined.gain - stay.joined.gain })
    }

    /// Gives a must-link group its best cluster; the move, if there is a better one.
    fn place_party(&mut self, points: &[usize]) -> Option<Move> {
        let from = self.graphs.labels()[points[0]];
        if self.graphs.members(from).len() <= points.len() {
            return None;
        }
        points.iter().for_each(|&i| self.graphs.remove(i));
        let stay = self.group_in(points, from);
        let mut best: Option<Joined> = None;
        for cluster in (0..self.classes.len()).filter(|&cluster| cluster != from) {
            if !self.constraints.allows(points[0], cluster, self.graphs.labels()) {
                continue;
            }
            let other = self.group_in(points, cluster);
            if other.beats(best.as_ref().unwrap_or(&stay)) {
                best = Some(other);
            }
        }
        self.insert_all(points, best.as_ref().unwrap_or(&stay).cluster);
        best.map(|best| Move { from, to: best.cluster, gain: best.gain - stay.gain })
    }

    /// The gain of a group of points that are in no cluster when they join one.
    fn group_in(&mut self, points: &[usize], cluster: usize) -> Joined {
        let joined = self.insert_all(points, cluster);
        points.iter().for_each(|&i| self.graphs.remove(i));
        joined
    }

    /// Gives points to a cluster, one after the other; what they gain.
    fn insert_all(&mut self, points: &[usize], cluster: usize) -> Joined {
        let mut joined = Joined { cluster, n_forbidden: 0, gain: 0.0 };
        for &i in points {
            self.fill_row(i);
            let row = std::mem::take(&mut self.row);
            let candidate = self.candidate(i, cluster, &row);
            self.row = row;
            self.graphs.insert(i, cluster, &candidate.change);
            joined.n_forbidden += candidate.joined.n_forbidden;
            joined.gain += candidate.joined.gain;
        }
        joined
    }

    /// Looks up the lengths from a point to all others, where they are needed: a forest looks up what it needs.
    fn fill_row(&mut self, i: usize) {
        let trees = matches!(self.graphs, Graphs::Trees(_));
        if !trees || self.model.prior.graphs() == GraphPrior::Connected {
            self.model.lengths.fill(i, &mut self.row);
        }
    }

    /// What point `i`, in no cluster now, would gain in `cluster`.
    fn candidate(&mut self, i: usize, cluster: usize, row: &[f64]) -> Candidate {
        let change = self.graphs.insertion(i, cluster, row);
        let weight = self.model.weight(self.classes[cluster]);
        let n = self.graphs.members(cluster).len();
        let sizes = self.model.prior.log_class(n + 1) - self.model.prior.log_class(n);
        let forbidden =
            |links: &[Link]| links.iter().filter(|link| link.length == f64::INFINITY).count() as i64;
        let gain = match self.model.prior.graphs() {
            GraphPrior::Connected => connected_gain(&change, weight, self.graphs.members(cluster), row),
            _ => {
                priced(&change.removed, |length| weight.price(length))
                    - priced(&change.added, |length| weight.price(length))
            }
        };
        let joins = self.model.lengths.joins();
        let n_forbidden = if joins { 0 } else { forbidden(&change.added) - forbidden(&change.removed) };
        Candidate { joined: Joined { cluster, n_forbidden, gain: gain + sizes }, change }
    }

    /// The best graph of a cluster: under Eq. (10) every link that gains belongs to it, beside the tree. A forbidden link that a
    /// cluster may be connected by is one that was not observed.
    pub(crate) fn class_links(&self, cluster: usize) -> Vec<Link> {
        let mut links = self.graphs.links(cluster);
        if self.model.lengths.joins() {
            let joins = links.iter_mut().filter(|link| link.length == f64::INFINITY);
            joins.for_each(|link| link.length = f64::NAN);
        }
        if self.model.prior.graphs() == GraphPrior::Connected {
            let weight = self.model.weight(self.classes[cluster]);
            links.retain(|link| weight.price(link.length) >= 0.0);
            let members = self.graphs.members(cluster);
            for (at, &from) in members.iter().enumerate() {
                for &to in &members[at + 1..] {
                    let length = self.model.lengths.pair(from, to);
                    if length.is_finite() && weight.price(length) < 0.0 {
                        links.push(Link { from, to, length });
                    }
                }
            }
        }
        links
    }

    /// The log joint of the state as it is.
    pub(crate) fn log_joint(&self) -> LogJoint {
        let labels = Labels::new(self.graphs.labels());
        // Clusters in the order of the labels.
        let mut classes = self.classes.clone();
        for (&class, &label) in self.graphs.labels().iter().zip(labels.as_slice()) {
            classes[label] = self.classes[class];
        }
        let links: Vec<Link> =
            (0..self.classes.len()).flat_map(|cluster| self.class_links(cluster)).collect();
        let log_background = *self.log_background.get_or_init(|| self.model.log_background());
        self.model.evaluate_on(log_background, State { labels: &labels, links: &links, classes: &classes })
    }

    /// The result if nothing is moved.
    ///
    /// Scales that are learned softly settle first.
    pub(crate) fn found_as_it_is(mut self, ended: Termination) -> Found {
        self.settle();
        let trace = vec![self.log_joint().total()];
        self.found(trace, ended)
    }

    fn found(self, trace: Vec<f64>, ended: Termination) -> Found {
        let links = (0..self.classes.len()).map(|cluster| self.class_links(cluster)).collect();
        let log_joint = self.log_joint();
        let labels = self.graphs.labels().to_vec();
        Found { labels, links, classes: self.classes, log_joint, trace, ended }
    }
}

/// A point that changed its cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Move {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// The gain in log joint at fixed scales.
    pub(crate) gain: f64,
}

/// A cluster that a point could join.
struct Candidate {
    joined: Joined,
    change: Change,
}

/// The gain of joining a cluster.
#[derive(Clone, Copy)]
struct Joined {
    cluster: usize,
    /// Links outside the support that it would need: clusters that are not connected in the support are inadmissible.
    n_forbidden: i64,
    /// The gain in log joint.
    gain: f64,
}

impl Joined {
    fn beats(&self, other: &Self) -> bool {
        self.n_forbidden < other.n_forbidden
            || (self.n_forbidden == other.n_forbidden && self.gain > other.gain)
    }
}

/// The sum of the prices of links that are allowed.
fn priced(links: &[Link], price: impl Fn(f64) -> f64) -> f64 {
    links.iter().filter(|link| link.length != f64::INFINITY).map(|link| price(link.length)).sum()
}

/// The gain of a point under Eq. (10): every link that gains, and the tree where it does not.
fn connected_gain(change: &Change, weight: LinkWeight, members: &[usize], row: &[f64]) -> f64 {
    let cost = |length: f64| weight.price(length).max(0.0);
    let bonus = |&j: &usize| if row[j].is_finite() { (-weight.price(row[j])).max(0.0) } else { 0.0 };
    priced(&change.removed, cost) - priced(&change.added, cost) + members.iter().map(bonus).sum::<f64>()
}

/// Random labels that obey; every cluster gets an unconstrained point, as long as there are any.
fn random_labels(
    n_points: usize,
    n_clusters: usize,
    constraints: &Constraints,
    random: &mut Random,
) -> Vec<usize> {
    let mut labels: Vec<usize> = (0..n_points).map(|_| random.random_range(0..n_clusters)).collect();
    let mut free: Vec<usize> = (0..n_points).filter(|&i| !constraints.is_bound(i)).collect();
    free.shuffle(random);
    (0..n_clusters).zip(&free).for_each(|(cluster, &i)| labels[i] = cluster);
    if constraints.is_empty() {
        return labels;
    }
    let prices = constraints.prices(n_clusters, |i, row| row[labels[i]] -= 1.0);
    constraints.obeying(labels, &prices)
}

fn report(observer: &dyn Observer, pass: usize, most: usize, trace: &[f64]) {
    observer.progress(Progress {
        phase: "moving points",
        fraction: (pass + 1) as f64 / most as f64,
        log_joint: trace.last().copied(),
    });
}

#[cfg(test)]
mod test_moves;
