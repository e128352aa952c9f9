//! The K nearest cluster mates of every point: the best graph under Eq. (9).

use crate::graph::forest::change::Change;
use crate::graph::lengths::Lengths;
use crate::graph::link::{Link, LinkOrder, Ranked};

/// For each point its K cheapest links to points of its cluster, kept while points move.
#[derive(Clone, Debug)]
pub(crate) struct NeighbourLists<'a> {
    lengths: &'a Lengths<'a>,
    n_neighbours: usize,
    /// Links from each point, cheapest first.
    lists: Vec<Vec<Link>>,
    members: Vec<Vec<usize>>,
    labels: Vec<usize>,
    orders: Vec<LinkOrder>,
}

impl<'a> NeighbourLists<'a> {
    /// Returns the lists of the clusters that `labels` make.
    pub(crate) fn new(
        lengths: &'a Lengths<'a>,
        labels: &[usize],
        orders: Vec<LinkOrder>,
        n_neighbours: usize,
    ) -> Self {
        let mut members = vec![Vec::new(); orders.len()];
        labels.iter().enumerate().for_each(|(i, &cluster)| members[cluster].push(i));
        let lists = vec![Vec::new(); labels.len()];
        let mut all = Self { lengths, n_neighbours, lists, members, labels: labels.to_vec(), orders };
        for cluster in 0..all.orders.len() {
            all.build(cluster);
        }
        all
    }

    /// The cluster of each point.
    pub(crate) fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// The points of a cluster, in no particular order.
    pub(crate) fn members(&self, cluster: usize) -> &[usize] {
        &self.members[cluster]
    }

    /// The links of a cluster, from each point to its neighbours.
    pub(crate) fn links(&self, cluster: usize) -> impl Iterator<Item = Link> + '_ {
        self.members[cluster].iter().flat_map(|&i| self.lists[i].iter().copied())
    }

    /// Puts a cluster's links in another order.
    pub(crate) fn set_order(&mut self, cluster: usize, order: LinkOrder) {
        let same = self.orders[cluster].agrees(&order, self.lengths.any_missing());
        self.orders[cluster] = order;
        if !same {
            self.build(cluster);
        }
    }

    fn build(&mut self, cluster: usize) {
        for at in 0..self.members[cluster].len() {
            let i = self.members[cluster][at];
            self.lists[i] = self.cheapest(i, cluster, |j| self.lengths.pair(i, j));
        }
    }

    /// The K cheapest links from `i` to other members of `cluster`.
    fn cheapest(&self, i: usize, cluster: usize, length: impl Fn(usize) -> f64) -> Vec<Link> {
        let order = &self.orders[cluster];
        let others = self.members[cluster].iter().filter(|&&j| j != i);
        let mut ranked: Vec<Ranked> =
            others.map(|&j| Ranked::new(Link { from: i, to: j, length: length(j) }, order)).collect();
        ranked.sort_unstable_by(|a, b| a.key.total_cmp(&b.key).then(a.link.to.cmp(&b.link.to)));
        ranked.truncate(self.n_neighbours);
        ranked.into_iter().map(|ranked| ranked.link).collect()
    }

    /// Returns what changes when `i` joins `cluster`; `row` holds its lengths.
    pub(crate) fn insertion(&self, i: usize, cluster: usize, row: &[f64]) -> Change {
        let order = &self.orders[cluster];
        let mut change = Change { added: self.cheapest(i, cluster, |j| row[j]), removed: Vec::new() };
        for &j in &self.members[cluster] {
            let link = Ranked::new(Link { from: j, to: i, length: row[j] }, order);
            let last = self.lists[j].last().filter(|_| self.lists[j].len() >= self.n_neighbours);
            match last.map(|&last| Ranked::new(last, order)) {
                None => change.added.push(link.link),
                Some(last) if (link.key, i) < (last.key, last.link.to) => {
                    change.added.push(link.link);
                    change.removed.push(last.link);
                }
                Some(_) => {}
            }
        }
        change
    }

    /// Puts point `i`, which is in no cluster, into `cluster`.
    pub(crate) fn insert(&mut self, i: usize, cluster: usize, change: &Change) {
        let order = self.orders[cluster];
        for link in &change.added {
            let key = |link: &Link| (order.key(link.length), link.to);
            let list = &mut self.lists[link.from];
            let at = list.partition_point(|other| key(other) < key(link));
            list.insert(at, *link);
            list.truncate(self.n_neighbours);
        }
        self.labels[i] = cluster;
        self.members[cluster].push(i);
    }

    /// Removes point `i` from its cluster; points that had it as a neighbour find another.
    pub(crate) fn remove(&mut self, i: usize) -> Change {
        let cluster = self.labels[i];
        self.members[cluster].retain(|&j| j != i);
        let mut change = Change { added: Vec::new(), removed: std::mem::take(&mut self.lists[i]) };
        for at in 0..self.members[cluster].len() {
            let j = self.members[cluster][at];
            let Some(place) = self.lists[j].iter().position(|link| link.to == i) else { continue };
            change.removed.push(self.lists[j].remove(place));
            let list = self.cheapest(j, cluster, |k| self.lengths.pair(j, k));
            if let Some(&last) = list.last().filter(|_| list.len() > self.lists[j].len()) {
                change.added.push(last);
            }
            self.lists[j] = list;
        }
        change
    }
}
