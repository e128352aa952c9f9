//! One minimum spanning tree for each cluster, kept up to date while points and subtrees change cluster.
//!
//! Under the order of the links (key, then ends) every cluster has a unique minimum spanning tree, and each move ends with
//! exactly that tree, by the cut and the cycle property: the cheapest link across a cut belongs to the tree, the dearest
//! link of a cycle does not. So
//!
//! - both sides of a cut link stay minimum trees, and so do the components that a removed point leaves;
//! - the tree of a cluster that gains points consists of links of the old tree and of the new points.

pub(crate) mod change;
pub(crate) mod insertion;
pub(crate) mod link_cut;
pub(crate) mod removal;
pub(crate) mod subtree;
pub(crate) mod trees;
pub(crate) mod walk;

use crate::graph::lengths::Lengths;
use crate::graph::link::{Link, LinkOrder};
use crate::graph::spanning::of_clusters::{spanning_tree, trees_of_classes};
use change::Candidate;
use trees::Trees;
use walk::Walk;

/// The label of a point that is in no cluster.
const NOWHERE: usize = usize::MAX;

/// The minimum spanning trees of all clusters; each is unique in its cluster's order, ties included.
///
/// A clone shares the lengths and copies $O(n)$ numbers. What a move would change is answered without making it; such
/// questions borrow the forest mutably, because the paths of its trees are kept in the order they were last asked for.
#[derive(Clone, Debug)]
pub struct Forest<'a> {
    lengths: &'a Lengths<'a>,
    trees: Trees,
    members: Vec<Vec<usize>>,
    /// The position of each point among its cluster's members.
    place: Vec<usize>,
    labels: Vec<usize>,
    orders: Vec<LinkOrder>,
    /// The lowest point of each cluster, if it has any.
    first: Vec<usize>,
    walk: Walk,
    ways: Vec<Candidate>,
    /// The component of each point while its cluster is split; 0 at all other times.
    part: Vec<u32>,
}

impl<'a> Forest<'a> {
    /// Builds the trees of the clusters given by `labels`.
    pub fn new(lengths: &'a Lengths<'a>, labels: &[usize], orders: Vec<LinkOrder>) -> Self {
        let n = labels.len();
        let mut forest = Self {
            lengths,
            trees: Trees::new(n),
            members: vec![Vec::new(); orders.len()],
            place: vec![0; n],
            labels: vec![NOWHERE; n],
            first: vec![NOWHERE; orders.len()],
            orders,
            walk: Walk::default(),
            ways: Vec::new(),
            part: vec![0; n],
        };
        labels.iter().enumerate().for_each(|(i, &cluster)| forest.enter(i, cluster));
        forest.build_all();
        forest
    }

    /// Builds the trees of all clusters, whose points have no links.
    fn build_all(&mut self) {
        let whole = self.orders.first().and_then(|order| self.lengths.tree_in(order));
        let same = self.orders.iter().all(|order| self.lengths.tree_in(order).is_some());
        let Some(whole) = whole.filter(|_| same) else {
            (0..self.orders.len()).for_each(|cluster| self.build(cluster));
            return;
        };
        let links = |i: usize| self.lengths.allowed_links(i);
        let trees = trees_of_classes(links, &self.labels, self.orders.len(), whole);
        for (cluster, links) in trees.into_iter().enumerate().filter(|(_, links)| !links.is_empty()) {
            self.trees.start();
            self.link_all(self.first[cluster], &links, self.orders[cluster]);
        }
    }

    fn link_all(&mut self, root: usize, links: &[Link], order: LinkOrder) {
        let candidates = links.iter().map(|link| Candidate::new(link.from, link.to, link.length, &order));
        self.trees.link_tree(root, candidates);
    }

    /// Number of clusters, empty ones included.
    pub fn n_classes(&self) -> usize {
        self.orders.len()
    }

    /// The cluster of each point; `usize::MAX` for one that was removed from its cluster.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// The points of a cluster, in no particular order.
    pub fn members(&self, cluster: usize) -> &[usize] {
        &self.members[cluster]
    }

    /// The links of a cluster's tree, each from its lower end.
    pub fn tree(&self, cluster: usize) -> impl Iterator<Item = Link> + '_ {
        self.members[cluster].iter().flat_map(|&i| self.links(i).filter(move |link| link.from == i))
    }

    /// The links of a point, each from its lower end.
    pub fn links(&self, i: usize) -> impl Iterator<Item = Link> + '_ {
        self.trees.slots(i).map(|slot| self.trees.candidate(slot).link())
    }

    /// Puts a cluster's links in another order; its tree is rebuilt if that may change it.
    pub fn set_order(&mut self, cluster: usize, order: LinkOrder) {
        let same = self.orders[cluster].agrees(&order, self.lengths.any_missing());
        self.orders[cluster] = order;
        if !same {
            self.dissolve(&self.members[cluster].clone());
            self.build(cluster);
        }
    }

    /// Builds the tree of a cluster whose points have no links.
    fn build(&mut self, cluster: usize) {
        let mut members = self.members[cluster].clone();
        members.sort_unstable();
        self.trees.start();
        self.build_over(&members, self.orders[cluster]);
    }

    /// Builds the tree of points (rising numbers) that have no links.
    fn build_over(&mut self, points: &[usize], order: LinkOrder) {
        let Some(&root) = points.first() else { return };
        self.link_all(root, &spanning_tree(self.lengths, points, &order), order);
    }

    /// Takes all links from some points.
    fn dissolve(&mut self, points: &[usize]) {
        for &i in points {
            let slots: Vec<u32> = self.trees.slots(i).collect();
            slots.into_iter().for_each(|slot| self.trees.unlink(slot));
        }
    }

    /// Enters a point in the lists of a cluster.
    fn enter(&mut self, i: usize, cluster: usize) {
        self.labels[i] = cluster;
        self.place[i] = self.members[cluster].len();
        self.members[cluster].push(i);
        self.first[cluster] = self.first[cluster].min(i);
    }

    /// Takes a point from the lists of its cluster.
    fn leave(&mut self, i: usize, cluster: usize) {
        let place = self.place[i];
        self.members[cluster].swap_remove(place);
        if let Some(&moved) = self.members[cluster].get(place) {
            self.place[moved] = place;
        }
        self.labels[i] = NOWHERE;
        self.first[cluster] = self.first_member(cluster);
    }

    /// The lowest point that has the label of a cluster; the list is only searched if the last known one has left.
    fn first_member(&self, cluster: usize) -> usize {
        let known = self.first[cluster];
        if self.labels.get(known) == Some(&cluster) {
            return known;
        }
        let members = self.members[cluster].iter().copied();
        members.filter(|&i| self.labels[i] == cluster).min().unwrap_or(NOWHERE)
    }
}

#[cfg(test)]
mod tests;
