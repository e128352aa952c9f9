//! Insertion of a point into a cluster.

use crate::graph::forest::Forest;
use crate::graph::forest::change::{Candidate, Change};
use crate::graph::link::Link;

impl Forest<'_> {
    /// Returns what the tree of `cluster` becomes with point `i`, which is in no cluster, in it.
    ///
    /// Where every pair may be a link this takes one pass over the cluster, $O(n_c)$. Where a point has k allowed links,
    /// each of them meets the dearest link of the path that it closes, $O(k \log n)$.
    pub fn insertion(&mut self, i: usize, cluster: usize) -> Change {
        let Some(&root) = self.members[cluster].first() else { return Change::default() };
        if self.lengths.is_complete() {
            self.walk.fill(&self.trees, root);
            return self.pass(i, cluster);
        }
        self.trees.start();
        let candidates = self.links_into(&[i], cluster);
        self.trees.improve(candidates, i);
        let change = self.trees.change();
        self.trees.undo();
        change
    }

    /// Puts point `i`, which is in no cluster, into `cluster`, where it makes this [`Forest::insertion`].
    pub fn insert(&mut self, i: usize, cluster: usize, change: &Change) {
        let order = self.orders[cluster];
        self.trees.apply(change, |link| Candidate::new(link.from, link.to, link.length, &order));
        self.enter(i, cluster);
    }

    /// What point `i`, whose links may go to every point, changes in the tree that was walked last.
    ///
    /// The new tree lies in the old one and the links of `i`. Going from the leaves up, each link of the old tree meets
    /// the best way from the subtree below it to `i`: the cheaper is kept, the dearer handed up. Of two ways that meet at
    /// a point the dearer is dropped.
    fn pass(&mut self, i: usize, cluster: usize) -> Change {
        let Self { walk, ways, trees, orders, .. } = self;
        let order = orders[cluster];
        ways.clear();
        self.lengths.for_each_among(i, &walk.points, |j, length| {
            ways.push(Candidate::new(i, j, length, &order));
        });
        let mut change = Change::default();
        for at in (1..ways.len()).rev() {
            let (kept, handed) = in_order(ways[at], trees.candidate(walk.up[at]));
            let above = walk.above[at] as usize;
            let (best, dropped) = in_order(ways[above], handed);
            ways[above] = best;
            if kept.touches(i) {
                change.added.push(kept.link());
            }
            if !dropped.touches(i) {
                change.removed.push(dropped.link());
            }
        }
        change.added.extend(ways.first().filter(|last| last.touches(i)).map(Candidate::link));
        change
    }

    /// The links that may join the tree over `points` to that over `others`, where all of them may be links.
    ///
    /// A link that is not in the tree of one point and the others is the dearest of a cycle: it is in no larger tree.
    pub(crate) fn links_between(
        &mut self,
        points: &[usize],
        others: &[usize],
        cluster: usize,
    ) -> Vec<Candidate> {
        let (few, many) = if points.len() < others.len() { (points, others) } else { (others, points) };
        self.walk.fill(&self.trees, many[0]);
        let added: Vec<Link> = few.iter().flat_map(|&i| self.pass(i, cluster).added).collect();
        let order = &self.orders[cluster];
        added.iter().map(|link| Candidate::new(link.from, link.to, link.length, order)).collect()
    }

    /// The allowed links that may join a tree over `points` (of no or another cluster) to that of `cluster`.
    ///
    /// Where the support leaves a cluster in pieces, the lowest point of all is linked to the lowest of every piece by
    /// forbidden links. So these may join, too: from the lowest of both sides, to those that were lowest in their pieces.
    pub(crate) fn links_into(&self, points: &[usize], cluster: usize) -> Vec<Candidate> {
        let order = &self.orders[cluster];
        let mut candidates = Vec::new();
        for &i in points {
            let mates = self.lengths.allowed_links(i).filter(|&(j, _)| self.labels[j] == cluster);
            candidates.extend(mates.map(|(j, length)| Candidate::new(i, j, length, order)));
        }
        let first = points.iter().copied().min().unwrap_or(crate::graph::forest::NOWHERE);
        let (low, high) = (first.min(self.first[cluster]), first.max(self.first[cluster]));
        candidates.push(Candidate::forbidden(low, high));
        let pieces = self.links(high).filter(|link| link.length == f64::INFINITY);
        candidates.extend(pieces.map(|link| Candidate::forbidden(low, link.from.max(link.to))));
        candidates
    }
}

/// The cheaper and the dearer of two links.
#[inline]
fn in_order(a: Candidate, b: Candidate) -> (Candidate, Candidate) {
    if b.before(&a) { (b, a) } else { (a, b) }
}
