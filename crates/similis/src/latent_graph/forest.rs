//! One spanning tree for each class, kept while points move from class to class.

use super::lengths::{Lengths, Link};
use super::likelihood::LinkOrder;
use super::tree::{Ranked, spanning_tree};

/// What a move of one point changes in a tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// Links that are new.
    pub added: Vec<Link>,
    /// Links that are gone.
    pub removed: Vec<Link>,
}

/// The spanning trees of all classes; each is the least in its class's order, to the last tie.
#[derive(Clone, Debug)]
pub struct Forest<'a> {
    lengths: &'a Lengths<'a>,
    /// The links of each point: other end and length.
    links: Vec<Vec<(usize, f64)>>,
    members: Vec<Vec<usize>>,
    /// Where each point stands among its class's members.
    place: Vec<usize>,
    labels: Vec<usize>,
    orders: Vec<LinkOrder>,
    walk: Walk,
}

/// Room for a walk over one tree.
#[derive(Clone, Debug, Default)]
struct Walk {
    order: Vec<usize>,
    parent: Vec<usize>,
    up: Vec<f64>,
    best: Vec<Option<Ranked>>,
    inside: Vec<bool>,
}

impl<'a> Forest<'a> {
    /// Returns the trees of the classes that `labels` make, built anew.
    pub fn new(lengths: &'a Lengths<'a>, labels: &[usize], orders: Vec<LinkOrder>) -> Self {
        let n = labels.len();
        let mut members = vec![Vec::new(); orders.len()];
        let mut place = vec![0; n];
        for (i, &cluster) in labels.iter().enumerate() {
            place[i] = members[cluster].len();
            members[cluster].push(i);
        }
        let (parent, up, best, inside) = (vec![0; n], vec![0.0; n], vec![None; n], vec![false; n]);
        let walk = Walk { order: Vec::new(), parent, up, best, inside };
        let links = vec![Vec::new(); n];
        let labels = labels.to_vec();
        let mut forest = Self { lengths, links, members, place, labels, orders, walk };
        for cluster in 0..forest.orders.len() {
            forest.build(cluster);
        }
        forest
    }

    /// The class of each point.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// The points of a class, in no particular order.
    pub fn members(&self, cluster: usize) -> &[usize] {
        &self.members[cluster]
    }

    /// The links of a class's tree.
    pub fn tree(&self, cluster: usize) -> impl Iterator<Item = Link> + '_ {
        let links = |from: usize| self.links[from].iter().map(move |&(to, length)| Link { from, to, length });
        self.members[cluster].iter().flat_map(move |&i| links(i)).filter(|link| link.from < link.to)
    }

    /// Puts a class's links in another order; its tree is built anew if that may change it.
    pub fn set_order(&mut self, cluster: usize, order: LinkOrder) {
        let same = self.orders[cluster].agrees(&order, self.lengths.any_missing());
        self.orders[cluster] = order;
        if !same {
            self.build(cluster);
        }
    }

    fn build(&mut self, cluster: usize) {
        let mut members = self.members[cluster].clone();
        members.iter().for_each(|&i| self.links[i].clear());
        members.sort_unstable();
        for link in spanning_tree(self.lengths, &members, &self.orders[cluster]) {
            self.link(link);
        }
    }

    fn link(&mut self, link: Link) {
        self.links[link.from].push((link.to, link.length));
        self.links[link.to].push((link.from, link.length));
    }

    fn unlink(&mut self, link: Link) {
        self.links[link.from].retain(|&(to, _)| to != link.to);
        self.links[link.to].retain(|&(to, _)| to != link.from);
    }

    /// Returns what the tree of `cluster` becomes with point `i` in it, in one pass from the leaves up: $O(n_c)$.
    ///
    /// The new tree lies in the old one and the links of `i` (`row`: their lengths). Going up, each link of the old tree
    /// meets the best way from the subtree below it to `i`: the cheaper is kept, the dearer handed up.
    pub fn insertion(&mut self, i: usize, cluster: usize, row: &[f64]) -> Change {
        let mut change = Change::default();
        let Some(&root) = self.members[cluster].first() else {
            return change;
        };
        self.walk_from(root);
        let order = self.orders[cluster];
        let to_point = |r: usize| Ranked::new(Link { from: i.min(r), to: i.max(r), length: row[r] }, &order);
        for at in (1..self.walk.order.len()).rev() {
            let below = self.walk.order[at];
            let above = self.walk.parent[below];
            let way = self.walk.best[below]
                .take()
                .map_or_else(|| to_point(below), |way| cheaper(way, to_point(below)));
            let old = Ranked::new(Link { from: below, to: above, length: self.walk.up[below] }, &order);
            let handed = if way.before(&old) {
                change.added.push(way.link);
                change.removed.push(old.link);
                old
            } else {
                way
            };
            let best = self.walk.best[above].take();
            self.walk.best[above] = Some(best.map_or(handed, |best| cheaper(best, handed)));
        }
        let last =
            self.walk.best[root].take().map_or_else(|| to_point(root), |best| cheaper(best, to_point(root)));
        change.added.push(last.link);
        settle(change)
    }

    /// Puts point `i`, which is in no class, into `cluster`.
    pub fn insert(&mut self, i: usize, cluster: usize, change: &Change) {
        change.removed.iter().for_each(|&link| self.unlink(link));
        change.added.iter().for_each(|&link| self.link(link));
        self.labels[i] = cluster;
        self.place[i] = self.members[cluster].len();
        self.members[cluster].push(i);
    }

    /// Takes point `i` out of its class and joins what its tree falls into by the cheapest links.
    ///
    /// A leaf costs nothing. Otherwise the smaller parts look for their cheapest link to the rest one after another: the
    /// cost is the size of the smaller parts times that of the class.
    pub fn remove(&mut self, i: usize) -> Change {
        let cluster = self.labels[i];
        let own = std::mem::take(&mut self.links[i]);
        for &(other, _) in &own {
            self.links[other].retain(|&(to, _)| to != i);
        }
        let place = self.place[i];
        self.members[cluster].swap_remove(place);
        if let Some(&moved) = self.members[cluster].get(place) {
            self.place[moved] = place;
        }
        let added = self.join_parts(cluster, own.iter().map(|&(other, _)| other).collect());
        let removed = own.iter().map(|&(to, length)| Link { from: i, to, length }).collect();
        Change { added, removed }
    }

    /// Joins the parts that hold `starts` into one tree.
    fn join_parts(&mut self, cluster: usize, starts: Vec<usize>) -> Vec<Link> {
        let mut added = Vec::new();
        let mut parts: Vec<Vec<usize>> = starts.into_iter().map(|start| self.part(start)).collect();
        while parts.len() > 1 {
            let smallest = (1..parts.len())
                .fold(0, |best, at| if parts[at].len() < parts[best].len() { at } else { best });
            let part = parts.swap_remove(smallest);
            let link = self.cheapest_link_out(cluster, &part);
            self.link(link);
            added.push(link);
            if let Some(other) = parts.iter_mut().find(|other| other.contains(&link.to)) {
                other.extend(part);
            }
        }
        added
    }

    /// The points that hang together with `start`.
    fn part(&mut self, start: usize) -> Vec<usize> {
        self.walk_from(start);
        self.walk.order.clone()
    }

    /// The cheapest link from `part` to the rest of its class.
    fn cheapest_link_out(&mut self, cluster: usize, part: &[usize]) -> Link {
        let order = self.orders[cluster];
        part.iter().for_each(|&i| self.walk.inside[i] = true);
        let rest: Vec<usize> =
            self.members[cluster].iter().copied().filter(|&to| !self.walk.inside[to]).collect();
        let mut best = Ranked { key: f64::INFINITY, link: forbidden_link(part, &rest) };
        for &from in part {
            self.visit_rest(from, cluster, &rest, |to, length| {
                let key = order.key(length);
                // Most links are dearer: only near ties need their ends compared.
                if key <= best.key {
                    best = cheaper(best, Ranked { key, link: Link { from, to, length } });
                }
            });
        }
        part.iter().for_each(|&i| self.walk.inside[i] = false);
        best.link
    }

    /// Calls `visit(to, length)` for the links from a point of the part to the rest that may be links.
    fn visit_rest(&self, from: usize, cluster: usize, rest: &[usize], mut visit: impl FnMut(usize, f64)) {
        match self.lengths.allowed(from) {
            None => self.lengths.for_each_among(from, rest, visit),
            Some(allowed) => {
                let outside = |to: usize| self.is_member(to, cluster) && !self.walk.inside[to];
                let others = allowed.iter().map(|&to| to as usize).filter(|&to| outside(to));
                others.for_each(|to| visit(to, self.lengths.pair(from, to)));
            }
        }
    }

    /// Whether a point is in a class now: one that was taken out keeps its label until it is put back.
    fn is_member(&self, i: usize, cluster: usize) -> bool {
        self.labels[i] == cluster && self.members[cluster].get(self.place[i]) == Some(&i)
    }

    /// Walks the tree from `root`: every point after its parent.
    fn walk_from(&mut self, root: usize) {
        let walk = &mut self.walk;
        walk.order.clear();
        walk.order.push(root);
        walk.parent[root] = usize::MAX;
        let mut next = 0;
        while next < walk.order.len() {
            let i = walk.order[next];
            let above = walk.parent[i];
            for &(other, length) in self.links[i].iter().filter(|&&(other, _)| other != above) {
                walk.parent[other] = i;
                walk.up[other] = length;
                walk.order.push(other);
            }
            next += 1;
        }
    }
}

/// The first of the links between two sets of points, all of them forbidden.
fn forbidden_link(part: &[usize], rest: &[usize]) -> Link {
    let least = |points: &[usize]| points.iter().copied().min().unwrap_or(0);
    Link { from: least(part), to: least(rest), length: f64::INFINITY }
}

fn cheaper(a: Ranked, b: Ranked) -> Ranked {
    if b.before(&a) { b } else { a }
}

/// Drops links that were handed up and then kept after all: added and removed at once.
fn settle(mut change: Change) -> Change {
    let same =
        |a: &Link, b: &Link| (a.from.min(a.to), a.from.max(a.to)) == (b.from.min(b.to), b.from.max(b.to));
    let Change { added, removed } = &mut change;
    removed.retain(|gone| match added.iter().position(|link| same(link, gone)) {
        Some(at) => {
            added.swap_remove(at);
            false
        }
        None => true,
    });
    change
}

#[cfg(test)]
mod tests;
