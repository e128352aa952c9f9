//! The K nearest cluster mates of every point: the best graph under Eq. (9).

use crate::graph::forest::change::Change;
use crate::graph::lengths::Lengths;
use crate::graph::link::{Link, LinkOrder, Ranked};
use crate::graph::sorted_rows::SortedRows;

/// For each point its K cheapest links to points of its cluster, kept while points move.
#[derive(Clone, Debug)]
pub(crate) struct NeighbourLists<'a> {
    lengths: &'a Lengths<'a>,
    rows: &'a SortedRows,
    n_neighbours: usize,
    /// Links from each point, cheapest first.
    lists: Vec<Vec<Link>>,
    members: Vec<Vec<usize>>,
    labels: Vec<usize>,
    /// Whether a point is taken out, and in no cluster until it is put back.
    is_out: Vec<bool>,
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
        let (lists, is_out) = (vec![Vec::new(); labels.len()], vec![false; labels.len()]);
        let (rows, labels) = (lengths.sorted(), labels.to_vec());
        let mut all = Self { lengths, rows, n_neighbours, lists, members, labels, is_out, orders };
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
            self.lists[i] = self.cheapest(i, cluster);
        }
    }

    /// The K cheapest links from `i` to other members of `cluster`, ties in the order of the numbers.
    ///
    /// They are read off the sorted row of `i`, past the members of other clusters: in time $O(\log n + K)$ where those do not lie
    /// in between, $O(n)$ at worst.
    fn cheapest(&self, i: usize, cluster: usize) -> Vec<Link> {
        let wanted = self.n_neighbours;
        let is_member = |j: usize| self.labels[j] == cluster && !self.is_out[j];
        let mut ranked: Vec<Ranked> = Vec::with_capacity(wanted + 1);
        for (to, length, key) in self.rows.by_price(i, &self.orders[cluster]) {
            if ranked.len() >= wanted && key > ranked[wanted - 1].key {
                break;
            }
            if is_member(to) {
                ranked.push(Ranked { key, link: Link { from: i, to, length } });
            }
        }
        // Pairs that were not observed, and forbidden ones, are in no row.
        if self.lengths.any_missing() || ranked.len() < wanted {
            return self.cheapest_of_all(i, cluster);
        }
        cut(ranked, wanted)
    }

    /// As [`Self::cheapest`], by a look at every member.
    fn cheapest_of_all(&self, i: usize, cluster: usize) -> Vec<Link> {
        let order = &self.orders[cluster];
        let others = self.members[cluster].iter().filter(|&&j| j != i);
        let link = |&j: &usize| Link { from: i, to: j, length: self.lengths.pair(i, j) };
        cut(others.map(|j| Ranked::new(link(j), order)).collect(), self.n_neighbours)
    }

    /// Returns what changes when `i` joins `cluster`; `row` holds its lengths.
    pub(crate) fn insertion(&self, i: usize, cluster: usize, row: &[f64]) -> Change {
        let order = &self.orders[cluster];
        let mut change = Change { added: self.cheapest(i, cluster), removed: Vec::new() };
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
        (self.labels[i], self.is_out[i]) = (cluster, false);
        self.members[cluster].push(i);
    }

    /// Removes point `i` from its cluster; points that had it as a neighbour find another.
    pub(crate) fn remove(&mut self, i: usize) -> Change {
        let cluster = self.labels[i];
        self.members[cluster].retain(|&j| j != i);
        self.is_out[i] = true;
        let mut change = Change { added: Vec::new(), removed: std::mem::take(&mut self.lists[i]) };
        for at in 0..self.members[cluster].len() {
            let j = self.members[cluster][at];
            let Some(place) = self.lists[j].iter().position(|link| link.to == i) else { continue };
            change.removed.push(self.lists[j].remove(place));
            let list = self.cheapest(j, cluster);
            if let Some(&last) = list.last().filter(|_| list.len() > self.lists[j].len()) {
                change.added.push(last);
            }
            self.lists[j] = list;
        }
        change
    }
}

/// The cheapest of these links, ties in the order of the numbers.
fn cut(mut ranked: Vec<Ranked>, wanted: usize) -> Vec<Link> {
    ranked.sort_unstable_by(|a, b| a.key.total_cmp(&b.key).then(a.link.to.cmp(&b.link.to)));
    ranked.truncate(wanted);
    ranked.into_iter().map(|ranked| ranked.link).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::metric::Metric;
    use crate::input::points::Points;
    use crate::input::{Checks, Dissimilarity, Missing, Quantity};
    use crate::run::random::{Random, stream};
    use rand::RngExt;

    /// An order of prices of any kind.
    fn any_order(random: &mut Random) -> LinkOrder {
        let centre = random.random_bool(0.7).then(|| random.random_range(-0.2..1.6));
        LinkOrder { centre, rising: random.random_bool(0.6), missing: random.random_range(0.0..1.0) }
    }

    /// Whether every list is that of a look at every member.
    fn check(lists: &NeighbourLists<'_>) {
        for cluster in 0..lists.orders.len() {
            for &i in lists.members(cluster) {
                // A length that was not observed is not equal to itself.
                let ends = |links: &[Link]| {
                    links.iter().map(|link| (link.to, link.length.to_bits())).collect::<Vec<_>>()
                };
                assert_eq!(ends(&lists.lists[i]), ends(&lists.cheapest_of_all(i, cluster)), "{i}");
            }
        }
    }

    fn move_about(lengths: &Lengths<'_>, random: &mut Random) {
        let n = lengths.n_points();
        let labels: Vec<usize> = (0..n).map(|i| i % 3).collect();
        let orders = (0..3).map(|_| any_order(random)).collect();
        let mut lists = NeighbourLists::new(lengths, &labels, orders, random.random_range(1..6));
        let mut row = vec![0.0; n];
        for _ in 0..60 {
            check(&lists);
            let (i, to) = (random.random_range(0..n), random.random_range(0..3));
            if random.random_bool(0.3) {
                lists.set_order(to, any_order(random));
            }
            if lists.members(lists.labels()[i]).len() > 1 {
                lengths.fill(i, &mut row);
                lists.remove(i);
                let change = lists.insertion(i, to, &row);
                lists.insert(i, to, &change);
            }
        }
    }

    #[test]
    fn after_every_move_and_in_every_order_the_lists_are_the_cheapest_of_all_members() {
        let mut random = stream(31, 0);
        for case in 0..40 {
            let n = 24;
            // On a lattice most lengths are tied, and points coincide.
            let lattice = |x: f64| if case % 2 == 0 { (4.0 * x).floor() / 4.0 } else { x };
            let values: Vec<f64> = (0..2 * n).map(|_| lattice(random.random())).collect();
            let points = Points::new(values, n, 2).unwrap();
            let observed = Dissimilarity::from_points(points, Metric::Euclidean).unwrap();
            move_about(&Lengths::complete(&observed), &mut random);
            move_about(&Lengths::nearest(&observed, 6, &[]), &mut random);
        }
    }

    #[test]
    fn pairs_that_were_not_observed_are_listed_where_their_price_puts_them() {
        let mut random = stream(32, 0);
        let n = 15;
        let lengths = (0..n * (n - 1) / 2).map(|_| random.random());
        let lengths: Vec<f64> = lengths.map(|x: f64| if x < 0.2 { f64::NAN } else { x }).collect();
        let checks = Checks { missing: Missing::Unobserved, ..Checks::default() };
        let observed = Dissimilarity::from_condensed(lengths, Quantity::Distances, checks).unwrap();
        move_about(&Lengths::complete(&observed), &mut random);
    }
}
